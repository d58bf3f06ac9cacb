// SPDX-License-Identifier: Apache-2.0
#include "bench/profile.h"

#include <math.h>

#include "base/status.h"
#include "bench/counters.h"
#include "carom/profile.h"
#include "tools/clock.h"

typedef struct {
  double us;
  cr_counts counts;
} moment;

typedef struct {
  cr_scene* s;
  cr_profile* out;
  cr_counters counters;
  double clock_cost;  // microseconds
  cr_counts count_cost;
  cr_pass pass;
  moment start;  // of the row that runs
} profiler;

static moment look(const profiler* p) {
  moment m = {.counts = cr_counters_read(&p->counters)};
  m.us = cri_microseconds();
  return m;
}

// what two looks at nothing differ by, at least
static void calibrate(profiler* p) {
  p->clock_cost = 1e9;
  p->count_cost = (cr_counts){UINT64_MAX, UINT64_MAX};
  for (int k = 0; k < 1000; k++) {
    moment a = look(p), b = look(p);
    uint64_t cycles = b.counts.cycles - a.counts.cycles;
    uint64_t instructions = b.counts.instructions - a.counts.instructions;
    p->clock_cost = fmin(p->clock_cost, b.us - a.us);
    p->count_cost.cycles = cycles < p->count_cost.cycles ? cycles : p->count_cost.cycles;
    p->count_cost.instructions =
        instructions < p->count_cost.instructions ? instructions : p->count_cost.instructions;
  }
}

static void add(const profiler* p, int row, cr_pass pass, const moment* from) {
  moment to = look(p);
  cr_profile_row* r = &p->out->row[row];
  r->us[pass] += to.us - from->us - p->clock_cost;
  r->cycles[pass] +=
      (double)(to.counts.cycles - from->counts.cycles) - (double)p->count_cost.cycles;
  r->instructions[pass] += (double)(to.counts.instructions - from->counts.instructions) -
                           (double)p->count_cost.instructions;
}

// ---- the three passes over the rows that a step runs

// the row is over, the next begins
static void add_row(void* context, int row) {
  profiler* p = context;
  if (row >= 0) {
    add(p, row, p->pass, &p->start);
  }
  p->start = look(p);
}

static cr_status forward(profiler* p) {
  p->pass = CR_PASS_FORWARD;
  return cr_step_watched(p->s->m, p->s->c, add_row, p);
}

static void set_ones(const cr_scene* s, cr_data* twin, const char* qpos, const char* qvel) {
  cr_real* by_qpos = cr_data_view(s->m, twin, qpos, NULL, NULL);
  cr_real* by_qvel = cr_data_view(s->m, twin, qvel, NULL, NULL);
  for (int i = 0; i < s->nv; i++) {
    by_qpos[i] = by_qvel[i] = 1;
  }
}

static cr_status tangents(profiler* p) {
  p->pass = CR_PASS_JVP;
  set_ones(p->s, p->s->tan, "qpos", "qvel");
  return cr_step_jvp_watched(p->s->m, p->s->c, p->s->tan, add_row, p);
}

static cr_status cotangents(profiler* p) {
  p->pass = CR_PASS_VJP;
  set_ones(p->s, p->s->bar, "qpos_next", "qvel_next");
  return cr_step_vjp_watched(p->s->m, p->s->c, p->s->bar, add_row, p);
}

// *at: the block with the sentence where one fails
static cr_status one_state(profiler* p, int k, const cr_data** at) {
  *at = p->s->c;
  CR_TRY(cr_scene_ours(p->s, k));
  CR_TRY(forward(p));
  *at = p->s->tan;
  CR_TRY(tangents(p));
  *at = p->s->bar;
  return cotangents(p);
}

static void start_over(profiler* p) {
  for (int i = 0; i < p->out->n; i++) {
    const char* name = i + 1 < p->out->n ? cr_model_stage(p->s->m, i) : "integrator";
    p->out->row[i] = (cr_profile_row){.stage = name};
  }
}

static void take_means(cr_profile* out, double n) {
  for (int i = 0; i < out->n; i++) {
    for (int pass = 0; pass < CR_PASSES; pass++) {
      out->row[i].us[pass] /= n;
      out->row[i].cycles[pass] /= n;
      out->row[i].instructions[pass] /= n;
    }
  }
}

cr_status cr_profile_take(cr_scene* s, int rounds, cr_profile* out, cr_error* error) {
  *out = (cr_profile){.n = cr_step_stages(s->m) + 1};
  if (out->n > CR_MAX_PROFILE) {
    return cri_fail(error, CR_ERR_ARG, "%s: a profile has at most %d rows", s->name,
                    (int)CR_MAX_PROFILE);
  }
  profiler p = {.s = s, .out = out};
  out->counted = cr_counters_open(&p.counters);
  calibrate(&p);
  cr_status status = CR_OK;
  for (int r = -1; r < rounds && status == CR_OK; r++) {  // round -1 warms up
    if (r == 0) {
      start_over(&p);
    }
    for (int k = 0; k < s->nstate && status == CR_OK; k++) {
      const cr_data* at;
      status = one_state(&p, k, &at);
      if (status != CR_OK) {
        (void)cri_fail(error, status, "%s: state %d: %s", s->name, k, cr_data_error(at));
      }
    }
  }
  take_means(out, (double)rounds * s->nstate);
  cr_counters_close(&p.counters);
  return status;
}
