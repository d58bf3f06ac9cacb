// SPDX-License-Identifier: Apache-2.0
// Training of policies. carom/policy.h documents the public functions.
//   [policy.p3] Z = mean of (L(w) - L(0)) score(w), F = mean of dL/dW at w: both are of the gradient of E[L(w)]
//   [policy.t1] W -= rate g, or a step of Adam
#include "carom/policy.h"

#include <stdlib.h>

#include "descent/adam_step.h"
#include "gradient/moments.h"
#include "gradient/shared_samples.h"
#include "model/misuse.h"
#include "model/state_vector.h"
#include "policy/policy_motions.h"
#include "rollout/trajectory.h"

struct cr_policy_training {
  cri_motions motions;
  cri_moments sums;
  cr_processes processes;
  int n, made;  // weights, iterations
  // an iteration
  int k, chunk, first, part;  // first sample of the chunk; first one in it of this process
  bool by_gradient, by_loss;
  cr_real *baseline, *loss, *F, *score;  // starts; chunk; chunk x n
  cr_real *gradient, *mean, *square;     // n: the estimate, moments of Adam
  cr_real* memory;
};

static const cri_adam_rule adam = {.b1 = CR_R(0.9), .b2 = CR_R(0.999), .eps = CR_R(1e-8)};

// ---- making

static cr_status check_counts(const cr_policy_training_options* o, cr_error* error) {
  int per = o->starts > 0 ? o->samples / o->starts : 0;
  if (o->nstep < 1 || o->iterations < 1 || o->nvaried < 0) {
    return cri_fail(error, CR_ERR_ARG, "policy training: %d steps, %d iterations", o->nstep,
                    o->iterations);
  }
  if (o->starts < 1 || o->samples < 2 || per * o->starts != o->samples) {
    return cri_fail(error, CR_ERR_ARG,
                    "policy training: %d samples from %d starts; as many from each are expected, "
                    "two at least",
                    o->samples, o->starts);
  }
  return !o->antithetic || (per % 2 == 0 && (o->starts > 1 || per >= 4))
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "policy training: %d samples from a start are no pairs, or only one", per);
}

static cr_status check_rates(const cr_policy_training_options* o, cr_error* error) {
  bool good = o->rate > 0 && o->final_rate > 0 && isfinite(o->rate) && isfinite(o->final_rate) &&
              o->noise_end > 0 && isfinite(o->noise_end) && o->rate_power >= 0 && o->clip >= 0;
  return good ? CR_OK
              : cri_fail(error, CR_ERR_ARG,
                         "policy training: rates %.9g and %.9g, power %.9g, noise to %.9g, clip "
                         "%.9g; numbers above 0 are expected",
                         (double)o->rate, (double)o->final_rate, (double)o->rate_power,
                         (double)o->noise_end, (double)o->clip);
}

// the values in brackets
static cr_policy_training_options fill(const cr_policy_training_options* from) {
  cr_policy_training_options o = *from;
  o.samples = o.samples != 0 ? o.samples : 64;
  o.starts = o.starts != 0 ? o.starts : 1;
  o.noise_end = o.noise_end != 0 ? o.noise_end : 1;
  o.iterations = o.iterations != 0 ? o.iterations : 100;
  o.rate = o.rate != 0 ? o.rate : CR_R(0.01);
  o.final_rate = o.final_rate != 0 ? o.final_rate : o.rate;
  return o;
}

static cr_estimator_options estimator_of(const cr_policy_training_options* o) {
  return (cr_estimator_options){.size = sizeof(cr_estimator_options),
                                .kind = o->estimator,
                                .samples = o->samples,
                                .confidence = o->confidence,
                                .bias = o->bias,
                                .bound = o->bound};
}

static cr_status check(const cri_call* call, const cr_model* m, const cr_data* start,
                       const cr_cost* cost, const cr_policy_options* policy,
                       const cr_policy_training_options* o) {
  CR_TRY(cri_given(call, m, "the model"));
  CR_TRY(cri_check_data(call, m, start, CR_DATA_PLAIN, "the start"));
  CR_TRY(cri_cost_check(call, cost, m));
  CR_TRY(cri_given(call, policy, "the policy's options"));
  const cr_estimator_options estimator = estimator_of(o);
  CR_TRY(cri_estimator_check(&estimator, call->error));
  CR_TRY(cri_processes_check(call, o->processes));
  CR_TRY(check_counts(o, call->error));
  CR_TRY(check_rates(o, call->error));
  CR_TRY(o->varied == NULL && o->nvaried > 0 ? cri_is_null(call, "the varied parameters") : CR_OK);
  if (o->backward != NULL && o->nvaried > 0) {
    return cri_fail(call->error, CR_ERR_UNSUPPORTED,
                    "policy training: parameters vary, and the backward pass has a model of its "
                    "own");
  }
  return CR_OK;
}

static cr_status make_room(cr_policy_training* t, cr_error* error) {
  const cr_policy_training_options* o = &t->motions.o;
  t->chunk = cri_processes_chunk(o->processes);
  size_t n = (size_t)t->n, chunk = (size_t)t->chunk, rows = chunk * n;
  t->by_gradient = o->estimator != CR_ESTIMATOR_ZEROTH;
  t->by_loss = o->estimator != CR_ESTIMATOR_FIRST;
  cr_real* at = t->memory = calloc((size_t)o->starts + chunk + 2 * rows + 3 * n, sizeof *at);
  if (at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "policy training: no memory for %d weights", t->n);
  }
  t->baseline = at;
  t->loss = t->baseline + o->starts;
  t->F = t->loss + chunk;
  t->score = t->F + rows;
  t->gradient = t->score + rows;
  t->mean = t->gradient + n;
  t->square = t->mean + n;
  int group = o->starts > 1 ? o->samples / o->starts : o->antithetic ? 2 : 1;
  return cri_moments_make(&t->sums, t->n, group, o->estimator, error);
}

cr_status cr_policy_training_create(cr_policy_training** training, const cr_model* m,
                                    const cr_data* start, const cr_cost* cost,
                                    const cr_policy_options* policy,
                                    const cr_policy_training_options* options, cr_error* error) {
  const cri_call call = {"cr_policy_training_create", error};
  CR_TRY(cri_given(&call, training, "where the training goes"));
  *training = NULL;
  CR_TRY(cri_given(&call, options, "the options"));
  CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_policy_training_options"));
  const cr_policy_training_options o = fill(options);
  CR_TRY(check(&call, m, start, cost, policy, &o));
  cr_policy_options of_policy = *policy;
  of_policy.nstep = o.nstep;
  cr_policy_training* t = calloc(1, sizeof *t);
  if (t == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "policy training: no memory");
  }
  cr_policy_training_options own = o;
  if (o.processes != NULL) {
    t->processes = *o.processes;
    own.processes = &t->processes;
  }
  cr_status status = cri_motions_make(&t->motions, m, start, cost, &of_policy, &own, error);
  t->n = t->motions.nweight;
  status = status == CR_OK ? make_room(t, error) : status;
  if (status != CR_OK) {
    cr_policy_training_destroy(t);
    return status;
  }
  *training = t;
  return CR_OK;
}

void cr_policy_training_destroy(cr_policy_training* t) {
  if (t != NULL) {
    cri_motions_free(&t->motions);
    cri_moments_free(&t->sums);
    free(t->memory);
    free(t);
  }
}

cr_policy* cr_policy_training_policy(cr_policy_training* t) {
  return t != NULL ? t->motions.workers[0].policy : NULL;
}

void cr_policy_training_restart(cr_policy_training* t) {
  if (t != NULL) {
    t->made = 0;
    cr_zero(t->mean, t->n);
    cr_zero(t->square, t->n);
  }
}

int cr_policy_training_iterations(const cr_policy_training* t) { return t != NULL ? t->made : 0; }

// ---- an estimate

// from 1 to `end` over all iterations
static cr_real geometric(const cr_policy_training* t, int k, cr_real end) {
  int last = t->motions.o.iterations - 1;
  return last > 0 ? cr_pow(end, cr_min((cr_real)k / (cr_real)last, 1)) : 1;
}

static cr_status run_start(void* context, int index, int worker) {
  cr_policy_training* t = context;
  int item = t->part + index;
  const cri_motion motion = {.k = t->k, .start = item, .sample = -1};
  cr_error inner = {0}, *error = &t->motions.workers[worker].error;
  cr_status status = cri_motions_run(&t->motions, &motion, worker, &t->baseline[item], &inner);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "start %d: %s", item, inner.text);
}

static cr_status run_sample(void* context, int index, int worker) {
  cr_policy_training* t = context;
  int item = t->part + index;
  const cr_policy_training_options* o = &t->motions.o;
  int sample = t->first + item, start = sample / (o->samples / o->starts);
  const cri_motion motion = {
      .k = t->k, .start = start, .sample = sample, .gradient = t->by_gradient};
  cr_error inner = {0}, *error = &t->motions.workers[worker].error;
  cr_status status = cri_motions_run(&t->motions, &motion, worker, &t->loss[item], &inner);
  if (status != CR_OK) {
    return cri_fail(error, status, "sample %d: %s", sample, inner.text);
  }
  const cr_policy* p = t->motions.workers[worker].policy;
  if (t->by_gradient) {
    cr_copy(t->F + (ptrdiff_t)item * t->n, p->bar, t->n);
  }
  if (t->by_loss) {
    cr_copy(t->score + (ptrdiff_t)item * t->n, p->score, t->n);
  }
  return CR_OK;
}

// of the workers that failed, the one with the lowest item is that of the pool's status
static cr_status run(cr_policy_training* t, int n, cr_pool_work* work, cr_error* error) {
  for (int i = 0; i < cr_pool_size(t->motions.pool); i++) {
    t->motions.workers[i].error.status = CR_OK;
  }
  cr_status status = cr_pool_run(t->motions.pool, n, work, t);
  for (int i = 0; status != CR_OK && i < cr_pool_size(t->motions.pool); i++) {
    if (t->motions.workers[i].error.status == status) {
      return cri_fail(error, status, "policy training: iteration %d, %s", t->k,
                      t->motions.workers[i].error.text);
    }
  }
  return status;
}

static cr_real mean_of(const cr_real* x, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i];
  }
  return sum / (cr_real)n;
}

static cr_status find_baseline(cr_policy_training* t, cr_error* error) {
  const cr_processes* p = t->motions.o.processes;
  int n = t->motions.o.starts, end;
  cri_processes_part(p, n, &t->part, &end);
  cr_status status = run(t, end - t->part, run_start, error);
  return cri_processes_share(p, status, t->baseline, n, sizeof *t->baseline, error);
}

static cr_status run_chunk(cr_policy_training* t, int n, cr_error* error) {
  const cr_processes* p = t->motions.o.processes;
  const size_t size = (size_t)t->n * sizeof *t->F;
  int end;
  cri_processes_part(p, n, &t->part, &end);
  cr_status status = run(t, end - t->part, run_sample, error);
  CR_TRY(cri_processes_share(p, status, t->loss, n, sizeof *t->loss, error));
  CR_TRY(t->by_gradient ? cri_processes_share(p, CR_OK, t->F, n, size, error) : CR_OK);
  return t->by_loss ? cri_processes_share(p, CR_OK, t->score, n, size, error) : CR_OK;
}

static cr_status find_samples(cr_policy_training* t, int k, cr_error* error) {
  const cr_policy_training_options* o = &t->motions.o;
  t->k = k;
  cri_motions_begin(&t->motions, geometric(t, k, o->noise_end));
  cri_moments_begin(&t->sums, 0);
  CR_TRY(t->by_loss ? find_baseline(t, error) : CR_OK);
  for (t->first = 0; t->first < o->samples; t->first += t->chunk) {
    int n = o->samples - t->first < t->chunk ? o->samples - t->first : t->chunk;
    CR_TRY(run_chunk(t, n, error));
    for (int i = 0; i < n; i++) {
      t->sums.baseline = t->baseline[(t->first + i) / (o->samples / o->starts)];  // [policy.p3]
      cri_moments_add(&t->sums, t->loss[i], t->F + (ptrdiff_t)i * t->n,
                      t->score + (ptrdiff_t)i * t->n);
    }
  }
  return CR_OK;
}

cr_status cr_policy_training_estimate(cr_policy_training* t, int k, cr_smoothed_gradient* estimate,
                                      cr_error* error) {
  const cri_call call = {"cr_policy_training_estimate", error};
  CR_TRY(cri_given(&call, t, "the training"));
  CR_TRY(cri_given(&call, estimate, "where the estimate goes"));
  CR_TRY(cri_check_size(&call, estimate->size, sizeof *estimate, "cr_smoothed_gradient"));
  if (k < 0) {
    return cri_fail(error, CR_ERR_ARG, "policy training: iteration %d", k);
  }
  CR_TRY(find_samples(t, k, error));
  const cr_estimator_options o = estimator_of(&t->motions.o);
  t->sums.baseline = t->by_loss ? mean_of(t->baseline, t->motions.o.starts) : (cr_real)NAN;
  cri_moments_estimate(&t->sums, &o, estimate);
  return CR_OK;
}

// ---- a step

static cr_real length_of(const cr_real* x, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return cr_sqrt(sum);
}

static void descend(cr_policy_training* t, cr_real rate, cr_real cut) {
  cr_real *g = t->gradient, *W = cr_policy_weights(t->motions.workers[0].policy);
  for (int i = 0; i < t->n; i++) {
    g[i] *= cut;
  }
  if (t->motions.o.descent == CR_POLICY_ADAM) {
    cri_adam_step(&adam, rate, t->made + 1, t->n, W, t->mean, t->square, g);
    return;
  }
  for (int i = 0; i < t->n; i++) {  // [policy.t1]
    W[i] -= rate * g[i];
  }
}

cr_status cr_policy_training_step(cr_policy_training* t, cr_policy_training_result* result,
                                  cr_error* error) {
  const cri_call call = {"cr_policy_training_step", error};
  CR_TRY(cri_given(&call, t, "the training"));
  CR_TRY(result != NULL
             ? cri_check_size(&call, result->size, sizeof *result, "cr_policy_training_result")
             : CR_OK);
  const cr_policy_training_options* o = &t->motions.o;
  cr_smoothed_gradient e = {.size = sizeof e, .gradient = t->gradient};
  CR_TRY(cr_policy_training_estimate(t, t->made, &e, error));
  cr_real length = length_of(t->gradient, t->n);
  if (!isfinite(length)) {
    return cri_fail(error, CR_ERR_NONFINITE, "policy training: iteration %d: its gradient is %g",
                    t->made, (double)length);
  }
  cr_real rate = o->rate * geometric(t, t->made, o->final_rate / o->rate) *
                 cr_pow(1 + (cr_real)t->made, -o->rate_power);
  const cr_policy_training_result found = {.size = sizeof found,
                                           .iteration = t->made,
                                           .mean = e.mean,
                                           .mean_error = e.mean_error,
                                           .loss = e.loss,
                                           .alpha = e.alpha,
                                           .first_variance = e.first_variance,
                                           .zeroth_variance = e.zeroth_variance,
                                           .gradient = length,
                                           .rate = rate};
  descend(t, rate, o->clip > 0 && length > o->clip ? o->clip / length : 1);
  t->made++;
  return result == NULL
             ? CR_OK
             : cri_give(&call, result, &found, sizeof found, "cr_policy_training_result");
}

// ---- memory

size_t cr_policy_training_memory_size(const cr_policy_training* t) {
  return t != NULL ? 3 * (size_t)t->n + 1 : 0;
}

cr_status cr_policy_training_get_memory(const cr_policy_training* t, cr_real* memory,
                                        cr_error* error) {
  const cri_call call = {"cr_policy_training_get_memory", error};
  CR_TRY(cri_given(&call, t, "the training"));
  CR_TRY(cri_given(&call, memory, "where the memory goes"));
  memory[0] = (cr_real)t->made;
  cr_copy(memory + 1, cr_policy_weights(t->motions.workers[0].policy), t->n);
  cr_copy(memory + 1 + t->n, t->mean, t->n);
  cr_copy(memory + 1 + 2 * (ptrdiff_t)t->n, t->square, t->n);
  return CR_OK;
}

cr_status cr_policy_training_set_memory(cr_policy_training* t, const cr_real* memory, size_t n,
                                        cr_error* error) {
  const cri_call call = {"cr_policy_training_set_memory", error};
  CR_TRY(cri_given(&call, t, "the training"));
  CR_TRY(cri_given(&call, memory, "the memory"));
  bool good = n == cr_policy_training_memory_size(t) && memory[0] >= 0 && memory[0] < CR_R(1e9);
  for (size_t i = 0; i < n && good; i++) {
    good = isfinite(memory[i]);
  }
  if (!good) {
    return cri_fail(error, CR_ERR_ARG, "policy training: the memory is of another training");
  }
  t->made = (int)memory[0];
  cr_copy(cr_policy_weights(t->motions.workers[0].policy), memory + 1, t->n);
  cr_copy(t->mean, memory + 1 + t->n, t->n);
  cr_copy(t->square, memory + 1 + 2 * (ptrdiff_t)t->n, t->n);
  return CR_OK;
}
