// SPDX-License-Identifier: Apache-2.0
#include "bench/profile.h"

#include <assert.h>
#include <math.h>

#include "bench/counters.h"
#include "engine/driver.h"
#include "integrate/euler.h"
#include "integrate/inputs.h"
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
  add(p, row, p->pass, &p->start);
  p->start = look(p);
}

static cr_status drive(profiler* p, cr_pass pass, cr_data* to) {
  static const cri_pass passes[CR_PASSES] = {CRI_FORWARD, CRI_JVP, CRI_VJP};
  const cri_schedule* s = cri_schedule_of(&p->s->m);
  const cri_rows rows = {.end = s->ndynamics, .after = add_row, .context = p};
  p->pass = pass;
  p->start = look(p);
  return cri_drive(s, passes[pass], &rows, &p->s->m, p->s->c, to);
}

static void add_integrator(profiler* p, cr_pass pass, const moment* start) {
  add(p, p->out->n - 1, pass, start);
}

static cr_status forward(profiler* p) {
  cr_scene* s = p->s;
  s->c->measured = false;
  CR_TRY(drive(p, CR_PASS_FORWARD, s->c));
  moment start = look(p);
  CR_TRY(cr_euler(&s->m, s->c));
  add_integrator(p, CR_PASS_FORWARD, &start);
  return CR_OK;
}

static cr_status tangents(profiler* p) {
  cr_scene* s = p->s;
  for (int i = 0; i < s->m.nv; i++) {
    s->tan->qpos[i] = s->tan->qvel[i] = 1;
  }
  CR_TRY(drive(p, CR_PASS_JVP, s->tan));
  moment start = look(p);
  CR_TRY(cr_euler_jvp(&s->m, s->c, s->tan));
  add_integrator(p, CR_PASS_JVP, &start);
  return CR_OK;
}

static cr_status cotangents(profiler* p) {
  cr_scene* s = p->s;
  for (int i = 0; i < s->m.nv; i++) {
    s->bar->qpos_next[i] = s->bar->qvel_next[i] = 1;
  }
  moment start = look(p);
  CR_TRY(cr_euler_vjp(&s->m, s->c, s->bar));
  add_integrator(p, CR_PASS_VJP, &start);
  CR_TRY(drive(p, CR_PASS_VJP, s->bar));
  cr_zero(s->bar->qpos_next, s->m.nv);
  cr_zero(s->bar->qvel_next, s->m.nv);
  cr_zero(s->bar->act_next, s->m.na);
  return CR_OK;
}

static cr_status one_state(profiler* p, int k) {
  cri_inputs_copy(&p->s->m, p->s->c, p->s->ours[k]);
  CR_TRY(forward(p));
  CR_TRY(tangents(p));
  return cotangents(p);
}

static void start_over(profiler* p) {
  const cri_schedule* s = cri_schedule_of(&p->s->m);
  for (int i = 0; i < p->out->n; i++) {
    p->out->row[i] = (cr_profile_row){.stage = i < s->ndynamics ? s->row[i].name : "integrator"};
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
  static_assert((int)CR_MAX_STAGES < (int)CR_MAX_PROFILE,
                "a row for each stage and the integrator");
  *out = (cr_profile){.n = cri_schedule_of(&s->m)->ndynamics + 1};
  profiler p = {.s = s, .out = out};
  out->counted = cr_counters_open(&p.counters);
  calibrate(&p);
  cr_status status = CR_OK;
  for (int r = -1; r < rounds && status == CR_OK; r++) {  // round -1 warms up
    if (r == 0) {
      start_over(&p);
    }
    for (int k = 0; k < s->nstate && status == CR_OK; k++) {
      status = one_state(&p, k);
      if (status != CR_OK) {
        (void)cri_fail(error, status, "%s: state %d: %s", s->name, k, s->c->error.text);
      }
    }
  }
  take_means(out, (double)rounds * s->nstate);
  cr_counters_close(&p.counters);
  return status;
}
