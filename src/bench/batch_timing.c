// SPDX-License-Identifier: Apache-2.0
#include "bench/batch_timing.h"

#include <mujoco/mjbatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "base/status.h"
#include "carom/batch.h"
#include "carom/fields.h"
#include "carom/state.h"
#include "tools/clock.h"

static const char* const masses[] = {"body_mass"};
static const double MiB = 1 << 20;

// what a rollout starts from: the parts of a state, by the name of MuJoCo's flag
enum { N_PART = 3 };
static const int parts_of[N_PART] = {mjSTATE_QPOS, mjSTATE_QVEL, mjSTATE_ACT};

static size_t width_of(const cr_model* m, int part) {
  return (size_t)cr_state_size(m, parts_of[part]);
}

// rows of all rollouts
typedef struct {
  int n;
  cr_real* state[N_PART];  // in, as parts_of says
  cr_real *ctrl, *mass;
  cr_real *loss, *qpos_bar, *qvel_bar, *ctrl_bar, *mass_bar;  // out
  cr_real* memory;
  size_t count, out_first, out_count;  // numbers: of all, and where those of the results are
} rows;

static cr_real* take(cr_real** at, size_t n) {
  cr_real* x = *at;
  *at += n;
  return x;
}

static cr_status rows_make(rows* r, const cr_scene* s, const cr_batch_bench* what,
                           cr_error* error) {
  size_t n = (size_t)what->rollouts, controls = (size_t)what->steps * (size_t)s->nu;
  size_t in = (size_t)cr_state_size(s->m, CR_STATE_PHYSICS) + (size_t)s->nbody + controls;
  size_t out = 1 + (size_t)(2 * s->nv + s->nbody) + controls;
  *r = (rows){
      .n = what->rollouts, .count = n * (in + out), .out_first = n * in, .out_count = n * out};
  cr_real* at = r->memory = calloc(r->count + 1, sizeof *r->memory);
  if (at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "bench: no memory for %d rollouts", r->n);
  }
  for (int k = 0; k < N_PART; k++) {
    r->state[k] = take(&at, n * width_of(s->m, k));
  }
  r->mass = take(&at, n * (size_t)s->nbody);
  r->ctrl = take(&at, n * controls);
  r->loss = take(&at, n);
  r->qpos_bar = take(&at, n * (size_t)s->nv);
  r->qvel_bar = take(&at, n * (size_t)s->nv);
  r->mass_bar = take(&at, n * (size_t)s->nbody);
  r->ctrl_bar = take(&at, n * controls);
  return CR_OK;
}

static void rows_fill(rows* r, cr_scene* s, int steps, uint64_t seed) {
  const cr_real* mass = cr_model_numbers(s->m, "body_mass", NULL, NULL);
  for (int i = 0; i < r->n; i++) {
    cr_random random = cr_random_seed(seed, (uint64_t)i);
    (void)cr_scene_ours(s, i % s->nstate);
    for (int k = 0; k < N_PART; k++) {
      (void)cr_state_get(s->m, s->c, r->state[k] + (size_t)i * width_of(s->m, k), parts_of[k]);
    }
    for (int k = 0; k < s->nbody; k++) {
      r->mass[(ptrdiff_t)i * s->nbody + k] = mass[k] * cr_random_range(&random, 0.95, 1.05);
    }
    for (int k = 0; k < steps * s->nu; k++) {
      r->ctrl[(ptrdiff_t)i * steps * s->nu + k] = 0.1 * cr_random_normal(&random);
    }
  }
}

// ---- the loss: half the square of the last velocity

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  int nv;
  const cr_real* qvel = cr_data_numbers(m, d, "qvel", &nv, NULL);
  (void)context, (void)step;
  for (int i = 0; i < nv; i++) {
    *loss += 0.5 * qvel[i] * qvel[i];
  }
  return CR_OK;
}

static cr_status bar(void* context, const cr_model* m, const cr_data* d, int step, cr_data* to) {
  int nv;
  const cr_real* qvel = cr_data_numbers(m, d, "qvel", &nv, NULL);
  cr_real* qvel_bar = cr_data_view(m, to, "qvel", NULL, NULL);
  (void)context, (void)step;
  for (int i = 0; i < nv; i++) {
    qvel_bar[i] += qvel[i];
  }
  return CR_OK;
}

static cr_loss loss_of(void* context, int item, int worker) {
  (void)item, (void)worker;
  return (cr_loss){.context = context, .value = value, .bar = bar};
}

// ---- one run

static double resident(void) {
  long total = 0, pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file != NULL) {
    if (fscanf(file, "%ld %ld", &total, &pages) != 2) {
      pages = 0;
    }
    (void)fclose(file);
  }
  return (double)pages * (double)sysconf(_SC_PAGESIZE) / MiB;
}

// seconds for all rollouts by an engine of its own, with or without gradients
static cr_status run(const cr_scene* s, const cr_batch_bench* what, int threads, const rows* r,
                     bool gradient, double* seconds, double* processor, double* mib,
                     cr_error* error) {
  const cr_batch_options o = {.size = sizeof o,
                              .nstep = what->steps,
                              .nthread = threads,
                              .parameters = masses,
                              .nparameter = 1,
                              .memory = what->memory};
  const cr_real* const mass[] = {r->mass};
  cr_real* const mass_bar[] = {r->mass_bar};
  const cr_batch_input in = {.size = sizeof in,
                             .qpos = r->state[0],
                             .qvel = r->state[1],
                             .act = r->state[2],
                             .ctrl = r->ctrl,
                             .parameters = mass};
  cr_batch_output out = {.size = sizeof out, .loss = r->loss};
  if (gradient) {
    out.qpos_bar = r->qpos_bar;
    out.qvel_bar = r->qvel_bar;
    out.ctrl_bar = r->ctrl_bar;
    out.parameters_bar = mass_bar;
  }
  cr_batch* batch = NULL;
  CR_TRY(cr_batch_create(&batch, s->m, s->m, &o, error));
  int few = threads < r->n ? threads : r->n;  // each thread has touched its memory
  cr_status status = cr_batch_run(batch, few, &in, loss_of, NULL, &out, error);
  double start = cri_seconds(), spent = cri_process_seconds();
  status = status == CR_OK ? cr_batch_run(batch, r->n, &in, loss_of, NULL, &out, error) : status;
  *seconds = cri_seconds() - start;
  *processor = cri_process_seconds() - spent;
  *mib = resident();
  cr_batch_destroy(batch);
  return status;
}

// ---- MuJoCo's batch

static void give_starts(mjBatch* b, const cr_scene* s, const rows* r) {
  int size = 0, width = 0;
  mjtNum* mass = mjb_expand(b, "body_mass", &size, &width);
  memcpy(mass, r->mass, (size_t)r->n * (size_t)s->nbody * sizeof *mass);
  for (int k = 0; k < N_PART; k++) {
    size_t n = width_of(s->m, k);
    mjtNum* to = n > 0 ? mjb_stateComponent(b, parts_of[k], &size) : NULL;
    for (int i = 0; i < r->n && to != NULL; i++) {  // rows of the state lie apart
      memcpy(to + (ptrdiff_t)i * mjb_nstate(b), r->state[k] + (size_t)i * n, n * sizeof *to);
    }
  }
}

static cr_status mujoco_run(const cr_scene* s, const cr_batch_bench* what, int threads,
                            const rows* r, double* seconds, int* failed, cr_error* error) {
  char text[300] = "";
  mjBatchConfig config;
  mjb_defaultConfig(&config);
  config.nthread = threads;
  mjBatch* b = mjb_makeBatch(s->mj, r->n, &config, text, (int)sizeof text);
  if (b == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "mjb_makeBatch: %s", text);
  }
  for (int pass = 0; pass < 2; pass++) {  // the first warms up, with as many as there are threads
    int few = threads < r->n ? threads : r->n;
    give_starts(b, s, r);
    int ids[CR_MAX_ROUNDS];
    for (int i = 0; i < few && i < CR_MAX_ROUNDS; i++) {
      ids[i] = i;
    }
    few = few < CR_MAX_ROUNDS ? few : CR_MAX_ROUNDS;
    double start = cri_seconds();
    *failed += mjb_rollout(b, pass == 0 ? ids : NULL, pass == 0 ? few : r->n, what->steps,
                           s->nu > 0 ? r->ctrl : NULL, mjSTATE_CTRL, NULL, 0);
    *seconds = cri_seconds() - start;
  }
  mjb_deleteBatch(b);
  return CR_OK;
}

// ---- all

static cr_status run_round(const cr_scene* s, const cr_batch_bench* what, rows* r, int round,
                           cr_real* first, cr_batch_measurement* out, cr_error* error) {
  double mib, before = resident();
  for (int k = 0; k < what->ncount; k++) {
    int threads = what->threads[k];
    memset(r->memory + r->out_first, 0, r->out_count * sizeof *first);
    CR_TRY(run(s, what, threads, r, true, &out->gradient[k].round[round],
               &out->gradient_processor[k].round[round], &mib, error));
    out->resident[k] = round == 0 ? mib - before : out->resident[k];
    const cr_real* results = r->memory + r->out_first;
    if (round == 0 && k == 0) {
      memcpy(first, results, r->out_count * sizeof *first);
    }
    CR_TRY(run(s, what, threads, r, false, &out->forward[k].round[round],
               &out->forward_processor[k].round[round], &mib, error));
    bool same = memcmp(first, results, r->out_count * sizeof *first) == 0;
    out->same_bits = out->same_bits && same;
    if (what->peer) {
      CR_TRY(mujoco_run(s, what, threads, r, &out->mujoco[k].round[round], &out->failed, error));
    }
  }
  return CR_OK;
}

cr_status cr_batch_measure(cr_scene* s, const cr_batch_bench* what, uint64_t seed,
                           cr_batch_measurement* out, cr_error* error) {
  rows r;
  *out = (cr_batch_measurement){.same_bits = true};
  CR_TRY(rows_make(&r, s, what, error));
  rows_fill(&r, s, what->steps, seed);
  memset(r.memory + r.out_first, 0, r.out_count * sizeof *r.memory);  // resident from here on
  out->rows = (double)(r.count * sizeof *r.memory) / MiB;
  cr_real* first = malloc((r.out_count + 1) * sizeof *first);
  if (first != NULL) {
    memset(first, 1, r.out_count * sizeof *first);
  }
  cr_status status =
      first != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "bench: no memory for the results");
  for (int round = 0; round < what->rounds && status == CR_OK; round++) {
    status = run_round(s, what, &r, round, first, out, error);
  }
  for (int k = 0; k < what->ncount; k++) {
    out->gradient[k].n = out->forward[k].n = what->rounds;
    out->gradient_processor[k].n = out->forward_processor[k].n = what->rounds;
    out->mujoco[k].n = what->peer ? what->rounds : 0;
  }
  free(first);
  free(r.memory);
  return status;
}
