// SPDX-License-Identifier: Apache-2.0
// Gradient descent on batches of windows, with penalties that make numbers exactly zero. See carom/training.h.
#include "carom/training.h"

#include <stdlib.h>

#include "base/fingerprint.h"
#include "base/random.h"
#include "base/state_head.h"
#include "descent/sparse_step.h"
#include "identify/batch_gradient.h"
#include "identify/identification.h"
#include "identify/saving.h"
#include "learn/adam.h"

enum { STREAM_ORDER = 210, MOST_CUTS = 20 };

// what is saved: a head of integers, then numbers, then a checksum
enum { EPOCH, STEPS, BEST_EPOCH, CUTS, N_COUNT };
enum { START_COST, BEST_COST, CUT, N_FRONT };

typedef struct {
  cr_identification* id;
  const cr_training_options* o;
  cr_adam adam;
  int n, batch;
  // of n numbers each; best: of the lowest cost of the runs held aside
  cr_real *x, *mean, *square, *best;
  cr_real *gradient, *lower, *upper, *sums, *before;  // sums: 2 n, before: x, mean, square
  int64_t count[N_COUNT];
  cr_real front[N_FRONT];
  int32_t* order;
  int32_t* member;  // and first: of the penalty
  cri_sparse_penalty penalty;
  int* window;
  cr_real* room;
  int64_t identity[CRI_N_IDENTITY + 1];
} trainer;

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "cr_identification_train: no memory");
}

// ---- the options

static const char* wrong_option(const cr_training_options* o) {
  return o->epochs < 0 || o->batch < 0 || o->patience < 0 || o->save_every < 0
             ? "a negative number of epochs, windows or epochs of patience"
         : !(o->rate > 0) || !isfinite(o->rate)                  ? "the rate is not above 0"
         : !(o->final_rate >= 0) || !isfinite(o->final_rate)     ? "the final rate is negative"
         : !(o->b1 < 1) || !(o->b2 < 1)                          ? "b1 or b2 is not below 1"
         : !(o->weight_decay >= 0) || !isfinite(o->weight_decay) ? "the weight decay is negative"
         : !(o->lasso >= 0) || !(o->group_lasso >= 0) || !isfinite(o->lasso) ||
                 !isfinite(o->group_lasso)
             ? "the lasso is negative"
         : (o->lasso > 0 || o->group_lasso > 0) && o->group == NULL ? "the lasso needs groups"
         : (o->resume != NULL) != (o->resume_size > 0)
             ? "resume and resume_size have to come together"
             : NULL;
}

static cr_status check(const cri_call* call, const cr_identification* id,
                       const cr_training_options* o) {
  const cri_problem* p = &id->search.p;
  const char* wrong = wrong_option(o);
  if (wrong != NULL) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %s", call->name, wrong);
  }
  if (p->continuity > 0) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: windows with continuity cannot be trained on",
                    call->name);
  }
  for (int i = 0; i < p->n; i++) {
    if (o->l2 != NULL && !(o->l2[i] >= 0)) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: l2[%d] is negative", call->name, i);
    }
    if (o->group != NULL && (o->group[i] < -1 || o->group[i] >= p->n)) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: group[%d] is %d, of %d numbers", call->name, i,
                      (int)o->group[i], p->n);
    }
    const cr_real* factors[] = {o->lasso_factor, o->group_factor};
    for (int k = 0; k < 2; k++) {
      if (factors[k] != NULL && (!(factors[k][i] >= 0) || !isfinite(factors[k][i]))) {
        return cri_fail(call->error, CR_ERR_ARG, "%s: %s_factor[%d] is negative or not finite",
                        call->name, k == 0 ? "lasso" : "group", i);
      }
    }
  }
  return CR_OK;
}

static cr_real or_default(cr_real x, cr_real standard) { return x < 0 ? 0 : x > 0 ? x : standard; }

static cr_adam adam_of(const cr_training_options* o) {
  return (cr_adam){.iterations = o->epochs > 0 ? o->epochs : 100,
                   .rate = o->rate,
                   .final_rate = o->final_rate > 0 ? o->final_rate : o->rate,
                   .b1 = or_default(o->b1, CR_R(0.9)),
                   .b2 = or_default(o->b2, CR_R(0.999)),
                   .eps = or_default(o->eps, CR_R(1e-8)),
                   .decay = o->weight_decay};
}

// ---- memory

// the penalties, with numbers in the order of their groups
static cr_status set_penalty(trainer* t, cr_error* error) {
  const cr_training_options* o = t->o;
  size_t n = (size_t)t->n;
  t->penalty = (cri_sparse_penalty){.factor = o->lasso_factor,
                                    .group_factor = o->group_factor,
                                    .lasso = o->lasso,
                                    .group_lasso = o->group_lasso};
  if (o->group == NULL) {
    return CR_OK;
  }
  t->member = calloc(2 * n + 1, sizeof *t->member);
  if (t->member == NULL) {
    return no_memory(error);
  }
  cri_sparse_groups(&t->penalty, o->group, t->n, t->member, t->member + n);
  return CR_OK;
}

static cr_status create(trainer* t, cr_identification* id, const cr_training_options* o,
                        cr_error* error) {
  const cri_problem* p = &id->search.p;
  size_t n = (size_t)p->n;
  *t = (trainer){.id = id, .o = o, .adam = adam_of(o), .n = p->n};
  t->batch = o->batch > 0 && o->batch < p->ntrain ? o->batch : p->ntrain;
  t->room = calloc(12 * n + 1, sizeof *t->room);
  t->order = calloc((size_t)p->nspan + 1, sizeof *t->order);
  t->window = calloc((size_t)p->nspan + 1, sizeof *t->window);
  if (t->room == NULL || t->order == NULL || t->window == NULL) {
    return no_memory(error);
  }
  CR_TRY(set_penalty(t, error));
  cr_real** const parts[] = {&t->x,        &t->mean,  &t->square, &t->best,
                             &t->gradient, &t->lower, &t->upper,  &t->before};
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
    *parts[k] = t->room + k * n;
  }
  t->sums = t->before + 3 * n;
  cri_search_bounds(p, false, t->lower, t->upper);
  t->front[BEST_COST] = (cr_real)INFINITY;
  t->front[CUT] = 1;
  return CR_OK;
}

static void destroy(trainer* t) {
  free(t->room);
  free(t->order);
  free(t->member);
  free(t->window);
}

// ---- states to go on from

static cr_real factor_of(const cr_training_options* o, int i) {
  return o->lasso_factor != NULL ? o->lasso_factor[i] : 1;
}

static cr_real group_factor_of(const cr_training_options* o, int i) {
  return o->group_factor != NULL ? o->group_factor[i] : factor_of(o, i);
}

static uint64_t fingerprint_of(const trainer* t) {
  const cr_training_options* o = t->o;
  const double numbers[] = {(double)t->adam.rate,
                            (double)t->adam.final_rate,
                            (double)t->adam.b1,
                            (double)t->adam.b2,
                            (double)t->adam.eps,
                            (double)t->adam.decay,
                            (double)o->lasso,
                            (double)o->group_lasso,
                            (double)t->batch,
                            (double)(o->seed >> 32),
                            (double)(o->seed & 0xffffffffu)};
  uint64_t hash = cri_fingerprint(0, numbers, sizeof numbers);
  for (int i = 0; i < t->n; i++) {
    const double row[] = {o->l2 != NULL ? (double)o->l2[i] : 0,
                          o->group != NULL ? (double)o->group[i] : -1, (double)factor_of(o, i),
                          (double)group_factor_of(o, i)};
    hash = cri_fingerprint(hash, row, sizeof row);
  }
  return hash;
}

static cr_status identify(trainer* t, cr_error* error) {
  cr_identification* id = t->id;
  const int64_t kind = INT64_C(0x676e696e69617274);  // "training"
  CR_TRY(
      cri_saving_identity(&id->search.p, id->measurements, &id->options, kind, t->identity, error));
  t->identity[CRI_N_IDENTITY] = (int64_t)fingerprint_of(t);
  return CR_OK;
}

static size_t bytes_of(const trainer* t) {
  return sizeof t->identity + sizeof t->count + sizeof t->front +
         4 * (size_t)t->n * sizeof(cr_real) + sizeof(uint64_t);
}

static char* put(char* at, const void* data, size_t n) {
  memcpy(at, data, n);
  return at + n;
}

static cr_status save(const trainer* t, cr_error* error) {
  const cr_training_options* o = t->o;
  int every = o->save_every > 0 ? o->save_every : 1;
  if (o->save == NULL || t->count[EPOCH] % every != 0) {
    return CR_OK;
  }
  size_t size = bytes_of(t), n = (size_t)t->n * sizeof(cr_real);
  char* bytes = calloc(size, 1);
  if (bytes == NULL) {
    return no_memory(error);
  }
  char* at = put(put(bytes, t->identity, sizeof t->identity), t->count, sizeof t->count);
  at = put(put(put(at, t->front, sizeof t->front), t->x, n), t->mean, n);
  at = put(put(at, t->square, n), t->best, n);
  uint64_t sum = cri_fingerprint(0, bytes, (size_t)(at - bytes));
  (void)put(at, &sum, sizeof sum);
  cr_status status = o->save(o->context, (int)t->count[EPOCH], bytes, size, error);
  free(bytes);
  return status;
}

static cr_status resume(trainer* t, cr_error* error) {
  static const char* const names[] = {"kind of file",
                                      "version",
                                      "size of numbers",
                                      "model",
                                      "parameters",
                                      "measurements",
                                      "options of the identification",
                                      "options of the training"};
  _Static_assert(sizeof names / sizeof names[0] == CRI_N_IDENTITY + 1, "names of the head");
  const char* bytes = t->o->resume;
  size_t size = t->o->resume_size, n = (size_t)t->n * sizeof(cr_real);
  int64_t head[CRI_N_IDENTITY + 1];
  uint64_t sum;
  if (size < sizeof head) {
    return cri_fail(error, CR_ERR_FORMAT, "the state to resume has %zu bytes", size);
  }
  memcpy(head, bytes, sizeof head);
  CR_TRY(cri_state_head_check(head, t->identity, names, CRI_N_IDENTITY + 1, error));
  bool whole = size == bytes_of(t);
  if (whole) {
    memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
    whole = sum == cri_fingerprint(0, bytes, size - sizeof sum);
  }
  if (!whole) {
    return cri_fail(error, CR_ERR_FORMAT, "the state to resume is damaged");
  }
  const char* at = bytes + sizeof head;
  memcpy(t->count, at, sizeof t->count);
  memcpy(t->front, at += sizeof t->count, sizeof t->front);
  memcpy(t->x, at += sizeof t->front, n);
  memcpy(t->mean, at += n, n);
  memcpy(t->square, at += n, n);
  memcpy(t->best, at + n, n);
  return CR_OK;
}

// ---- a step

// mean cost of a number over some windows at x, and its gradient; *numbers of them were seen
static cr_status evaluate(trainer* t, const int* window, int n, cr_real* cost, int64_t* numbers,
                          cr_real* gradient, cr_error* error) {
  cri_search* s = &t->id->search;
  cr_copy(s->p.x, t->x, t->n);
  CR_TRY(cri_search_move(s, s->p.x, false, error));
  CR_TRY(cri_gradient_of(s, window, n, cost, numbers, gradient, error));
  if (*numbers == 0) {
    return cri_fail(error, CR_ERR_ARG, "cr_identification_train: nothing is seen in a batch");
  }
  cr_real each = 1 / (cr_real)*numbers;
  if (gradient != NULL) {
    cr_real share = (cr_real)n / (cr_real)s->p.ntrain;
    cr_zero(t->sums, t->n);
    (void)cri_search_priors(s, t->sums);
    for (int i = 0; i < t->n; i++) {
      cr_real l2 = t->o->l2 != NULL ? t->o->l2[i] * t->x[i] : 0;
      gradient[i] = each * (gradient[i] + share * t->sums[i]) + l2;
    }
  }
  *cost *= each;
  return CR_OK;
}

// ---- [identification.m11]

static cr_real rate_of(const trainer* t) {
  int last = t->adam.iterations - 1;
  cr_real share = last > 0 ? (cr_real)t->count[EPOCH] / (cr_real)last : 0;
  return t->front[CUT] * t->adam.rate * cr_pow(t->adam.final_rate / t->adam.rate, share);
}

static void take_step(trainer* t) {
  cr_real rate = rate_of(t);
  t->count[STEPS]++;
  cr_copy(t->before, t->x, t->n);
  cr_copy(t->before + t->n, t->mean, t->n);
  cr_copy(t->before + 2 * (ptrdiff_t)t->n, t->square, t->n);
  cr_adam_step(&t->adam, rate, (int)t->count[STEPS], t->n, t->x, t->mean, t->square, t->gradient);
  const cri_adam_rule rule = {t->adam.b1, t->adam.b2, t->adam.eps, t->adam.decay};
  cri_sparse_step(&t->penalty, &rule, rate, (int)t->count[STEPS], t->x, t->mean, t->square,
                  t->sums);
  for (int i = 0; i < t->n; i++) {
    t->x[i] = cr_clip(t->x[i], t->lower[i], t->upper[i]);
  }
}

// back to before the last step, the next ones half as long; false: there is none, or there were too many in a row
static bool go_back(trainer* t, int* cuts) {
  if (t->count[STEPS] == 0 || ++*cuts > MOST_CUTS) {
    return false;
  }
  cr_copy(t->x, t->before, t->n);
  cr_copy(t->mean, t->before + t->n, t->n);
  cr_copy(t->square, t->before + 2 * (ptrdiff_t)t->n, t->n);
  t->count[STEPS] -= *cuts == 1;
  t->count[CUTS]++;
  t->front[CUT] /= 2;
  return true;
}

static cr_status train_batch(trainer* t, const int* window, int n, cr_real* cost, int64_t* numbers,
                             cr_error* error) {
  int cuts = 0;
  cr_status status = evaluate(t, window, n, cost, numbers, t->gradient, error);
  while (cri_search_is_no_place(status) && go_back(t, &cuts)) {
    status = evaluate(t, window, n, cost, numbers, t->gradient, error);
  }
  CR_TRY(status);
  take_step(t);
  return CR_OK;
}

// ---- epochs

static cr_status train_epoch(trainer* t, cr_real* cost, cr_error* error) {
  int n = t->id->search.p.ntrain;
  cr_real sum = 0, seen = 0;
  cr_random random = cr_random_seed(t->o->seed, STREAM_ORDER + (uint64_t)t->count[EPOCH]);
  if (t->batch < n) {
    cr_random_shuffle(&random, t->order, n);
  }
  for (int first = 0; first < n; first += t->batch) {
    int size = n - first < t->batch ? n - first : t->batch;
    cr_real mean;
    int64_t numbers;
    for (int i = 0; i < size; i++) {
      t->window[i] = t->batch < n ? (int)t->order[first + i] : i;
    }
    if (t->o->stop != NULL && t->o->stop(t->o->context)) {
      return cri_fail(error, CR_ERR_INTERRUPTED, "interrupted");
    }
    CR_TRY(train_batch(t, t->window, size, &mean, &numbers, error));
    sum += mean * (cr_real)numbers;
    seen += (cr_real)numbers;
  }
  t->count[EPOCH]++;
  *cost = sum / seen;
  return CR_OK;
}

// mean cost of a part at the present x; NaN where there is none
static cr_status cost_of(trainer* t, cr_run_part part, cr_real* cost, cr_error* error) {
  const cri_problem* p = &t->id->search.p;
  int first = part == CR_RUNS_TRAIN ? 0 : p->ntrain, numbers_of = p->nspan - p->ntrain;
  int n = part == CR_RUNS_TRAIN ? p->ntrain : numbers_of;
  int64_t numbers;
  *cost = (cr_real)NAN;
  for (int i = 0; i < n; i++) {
    t->window[i] = first + i;
  }
  return n > 0 ? evaluate(t, t->window, n, cost, &numbers, NULL, error) : CR_OK;
}

static bool goes_on(const trainer* t) {
  return t->o->patience == 0 || t->count[EPOCH] - t->count[BEST_EPOCH] < t->o->patience;
}

static void keep_best(trainer* t, cr_real held) {
  if (isnan(held) || held < t->front[BEST_COST]) {
    t->front[BEST_COST] = isnan(held) ? (cr_real)INFINITY : held;
    t->count[BEST_EPOCH] = t->count[EPOCH];
    cr_copy(t->best, t->x, t->n);
  }
}

static cr_status run(trainer* t, cr_training_end* end, cr_error* error) {
  while (t->count[EPOCH] < t->adam.iterations && goes_on(t)) {
    cr_real cost = 0, held;
    CR_TRY(train_epoch(t, &cost, error));
    cr_status status = cost_of(t, CR_RUNS_HELD, &held, error);
    held = cri_search_is_no_place(status) ? (cr_real)INFINITY : held;
    CR_TRY(cri_search_is_no_place(status) ? CR_OK : status);
    keep_best(t, held);
    if (t->o->progress != NULL) {
      t->o->progress(t->o->context, (int)t->count[EPOCH], cost, held);
    }
    CR_TRY(save(t, error));
  }
  end->reason = goes_on(t) ? "all epochs done" : "the cost of the runs held aside no longer falls";
  return CR_OK;
}

static cr_status finish(trainer* t, cr_training_end* end, cr_error* error) {
  if (!t->o->keep_last) {
    cr_copy(t->x, t->best, t->n);
  }
  CR_TRY(cost_of(t, CR_RUNS_TRAIN, &end->cost, error));
  CR_TRY(cost_of(t, CR_RUNS_HELD, &end->held_cost, error));
  CR_TRY(
      cri_noise_sum(&t->id->search, 0, t->id->search.p.ntrain, t->id->sums[CR_RUNS_TRAIN], error));
  end->start_cost = t->front[START_COST];
  end->epochs = (int)t->count[EPOCH];
  end->steps = (int)t->count[STEPS];
  end->best_epoch = (int)t->count[t->o->keep_last ? EPOCH : BEST_EPOCH];
  end->cuts = (int)t->count[CUTS];
  return CR_OK;
}

static cr_status train(trainer* t, const cr_real* x, cr_training_end* end, cr_error* error) {
  if (t->o->save != NULL || t->o->resume != NULL) {
    CR_TRY(identify(t, error));
  }
  if (t->o->resume != NULL) {
    CR_TRY(resume(t, error));
  } else {
    cr_copy(t->x, x, t->n);
    CR_TRY(cost_of(t, CR_RUNS_TRAIN, &t->front[START_COST], error));
    cr_copy(t->best, t->x, t->n);
  }
  CR_TRY(run(t, end, error));
  return finish(t, end, error);
}

cr_status cr_identification_train(cr_identification* id, const cr_training_options* o, cr_real* x,
                                  cr_training_end* end, cr_error* error) {
  const cri_call call = {"cr_identification_train", error};
  CR_TRY(cri_given(&call, id, "the identification"));
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, end, "where the end goes"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_training_options"));
  CR_TRY(cri_check_size(&call, end->size, sizeof *end, "cr_training_end"));
  CR_TRY(o->resume == NULL ? cri_identification_check_x(&call, id, x) : CR_OK);
  CR_TRY(check(&call, id, o));
  trainer t;
  *end = (cr_training_end){.size = end->size, .reason = ""};
  id->solved = id->held_fitted = id->trained = false;
  cr_status status = create(&t, id, o, error);
  if (status == CR_OK) {
    status = train(&t, x, end, error);
  }
  if (status == CR_OK) {
    cr_copy(x, t.x, t.n);
    id->solved = id->trained = true;
  }
  destroy(&t);
  return status;
}
