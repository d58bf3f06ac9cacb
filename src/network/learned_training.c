// SPDX-License-Identifier: Apache-2.0
// Training of learned functions: AdamW on batches of sequences, with a lasso, early stopping, and states to go on from. See
// carom/learned.h.
#include <stdlib.h>

#include "base/fingerprint.h"
#include "base/random.h"
#include "descent/sparse_step.h"
#include "model/misuse.h"
#include "network/learning_rows.h"

enum { STREAM_HELD = 410, STREAM_ORDER = 411 };

typedef struct {
  cr_learned* l;
  const cr_learning_options* o;
  const cri_call* call;
  cri_adam_rule adam;
  cr_real rate, final_rate;
  int n, epochs, batch, ntrain, nheld;
  cri_rows rows, held_rows;  // held_rows: of data that the user holds aside
  int32_t *train, *held,
      *order;  // sequences to learn from, held aside, and those of an epoch in their order
  cri_sparse_penalty penalty;
  int32_t *member, *first;
  cr_real *gradient, *metric, *before;  // before: last, mean and square at the start of an epoch
  cri_evaluator* evaluator;
} trainer;

// ---- the options

static bool is_number(cr_real x) { return isfinite(x) && x >= 0; }

static const char* wrong_option(const cr_learning_options* o) {
  return o->loss < CR_LEARNING_SQUARES || o->loss > CR_LEARNING_HUBER ? "there is no such loss"
         : !is_number(o->delta)                                       ? "delta is negative"
         : !(o->held_out >= 0 && o->held_out < 1) ? "held_out is not between 0 and 1"
         : o->held_out > 0 && o->held != NULL     ? "held and held_out exclude each other"
         : o->epochs < 0 || o->batch < 0 || o->patience < 0 || o->save_every < 0 || o->warmup < 0 ||
                 o->threads < 0
             ? "a negative number of epochs, sequences, steps or threads"
         : !(o->rate > 0) || !isfinite(o->rate) ? "the rate is not above 0"
         : !is_number(o->final_rate)            ? "the final rate is negative"
         : o->schedule < CR_LEARNING_GEOMETRIC || o->schedule > CR_LEARNING_COSINE
             ? "there is no such schedule"
         : !(o->b1 < 1) || !(o->b2 < 1)                       ? "b1 or b2 is not below 1"
         : !is_number(o->weight_decay) || !is_number(o->clip) ? "weight_decay or clip is negative"
         : !is_number(o->lasso) || !is_number(o->group_lasso) ? "the lasso is negative"
         : (o->lasso > 0 || o->group_lasso > 0) && o->group == NULL ? "the lasso needs groups"
                                                                    : NULL;
}

static cr_status check_options(const cri_call* call, const cr_learned* l,
                               const cr_learning_options* o) {
  const int n = l->network.nweight;
  const char* wrong = wrong_option(o);
  if (wrong != NULL) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %s", call->name, wrong);
  }
  for (int i = 0; i < n; i++) {
    if (o->l2 != NULL && !is_number(o->l2[i])) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: l2[%d] is negative", call->name, i);
    }
    if (o->lasso_factor != NULL && !is_number(o->lasso_factor[i])) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: lasso_factor[%d] is negative", call->name, i);
    }
    if (o->group_factor != NULL && !is_number(o->group_factor[i])) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: group_factor[%d] is negative", call->name, i);
    }
    if (o->group != NULL && (o->group[i] < -1 || o->group[i] >= n)) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: group[%d] is %d, of %d weights", call->name, i,
                      (int)o->group[i], n);
    }
  }
  return CR_OK;
}

static cr_real or_default(cr_real x, cr_real standard) { return x < 0 ? 0 : x > 0 ? x : standard; }

// ---- memory

static void destroy(trainer* t) {
  cri_rows_free(&t->rows);
  cri_rows_free(&t->held_rows);
  cri_evaluator_free(t->evaluator);
  free(t->train);
  free(t->order);
  free(t->member);
  free(t->gradient);
}

// which sequences are held aside: the first ones in an order of the seed
static cr_status split(trainer* t) {
  const int n = t->rows.nsequence;
  const cr_learning_options* o = t->o;
  if (o->held_out > 0) {
    cr_random random = cr_random_seed(o->seed, STREAM_HELD);
    t->nheld = (int)cr_floor(o->held_out * (cr_real)n + CR_R(0.5));
    cr_random_shuffle(&random, t->train, n);
    if (t->nheld < 1 || t->nheld >= n) {
      return cri_fail(t->call->error, CR_ERR_ARG, "%s: of %d sequences %g are to be held aside",
                      t->call->name, n, (double)o->held_out);
    }
  }
  t->ntrain = n - t->nheld;
  t->held = t->train + t->ntrain;
  if (o->held != NULL) {
    CR_TRY(cri_rows_create(&t->held_rows, &t->l->network, o->held, t->call->name, t->call->error));
    if (t->held_rows.ends != t->rows.ends) {
      return cri_fail(t->call->error, CR_ERR_ARG,
                      "%s: the data and those held aside do not both have ends", t->call->name);
    }
    t->nheld = t->held_rows.nsequence;
    t->held = t->order + n;
  }
  for (int i = 0; i < t->nheld && o->held != NULL; i++) {
    t->held[i] = i;
  }
  return CR_OK;
}

static cr_status create(trainer* t, const cr_learning_data* data, cri_product* product) {
  const cr_learning_options* o = t->o;
  cr_error* error = t->call->error;
  const size_t n = (size_t)t->n;
  CR_TRY(cri_rows_create(&t->rows, &t->l->network, data, t->call->name, error));
  const int more = o->held != NULL && o->held->nsequence > 0 ? o->held->nsequence : 0;
  const size_t sequences = (size_t)t->rows.nsequence;
  t->train = malloc(sequences * sizeof *t->train);
  t->order = malloc((sequences + (size_t)more) * sizeof *t->order);
  t->member = malloc((2 * n + 1) * sizeof *t->member);
  t->gradient = malloc(5 * n * sizeof *t->gradient);
  if (t->train == NULL || t->order == NULL || t->member == NULL || t->gradient == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", t->call->name);
  }
  t->first = t->member + n;
  t->metric = t->gradient + n;
  t->before = t->gradient + 2 * n;
  for (int i = 0; i < t->rows.nsequence; i++) {
    t->train[i] = i;
  }
  CR_TRY(split(t));
  t->batch = o->batch > 0 && o->batch < t->ntrain ? o->batch : t->ntrain;
  t->penalty = (cri_sparse_penalty){.factor = o->lasso_factor,
                                    .group_factor = o->group_factor,
                                    .lasso = o->lasso,
                                    .group_lasso = o->group_lasso};
  if (o->group != NULL) {
    cri_sparse_groups(&t->penalty, o->group, t->n, t->member, t->first);
  }
  return cri_evaluator_create(&t->evaluator, t->l, t->rows.ends, product, o->threads, o->loss,
                              o->delta, error);
}

// ---- states to go on from

static uint64_t add_numbers(uint64_t hash, const cr_real* x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const double value = (double)(x != NULL ? x[i] : -1);
    hash = cri_fingerprint(hash, &value, sizeof value);
  }
  return hash;
}

static uint64_t add_rows(uint64_t hash, const cri_rows* r) {
  if (r->begin == NULL) {
    return hash;
  }
  const size_t n = (size_t)r->nsequence, rows = (size_t)r->begin[n], targets = r->ends ? n : rows;
  hash = cri_fingerprint(hash, r->begin, (n + 1) * sizeof *r->begin);
  hash = cri_fingerprint(hash, r->length, r->length != NULL ? n * sizeof *r->length : 0);
  hash = cri_fingerprint(hash, &r->ends, sizeof r->ends);
  hash = add_numbers(hash, r->input, rows * (size_t)r->ninput);
  hash = add_numbers(hash, r->target, targets * (size_t)r->noutput);
  return r->weight != NULL ? add_numbers(hash, r->weight, targets) : hash;
}

// of data as they were given, and of options that decide digits
static uint64_t fingerprint_of(const trainer* t) {
  const cr_learning_options* o = t->o;
  const cr_real numbers[] = {
      (cr_real)o->loss, o->delta,      o->held_out,          (cr_real)t->batch,
      t->rate,          t->final_rate, (cr_real)o->schedule, (cr_real)o->warmup,
      t->adam.b1,       t->adam.b2,    t->adam.eps,          t->adam.decay,
      o->clip,          o->lasso,      o->group_lasso,       (cr_real)o->normalise};
  uint64_t hash = add_numbers(0, numbers, sizeof numbers / sizeof numbers[0]);
  hash = cri_fingerprint(hash, &o->seed, sizeof o->seed);
  hash = add_numbers(hash, o->l2, (size_t)t->n);
  hash = add_numbers(hash, o->lasso_factor, (size_t)t->n);
  hash = add_numbers(hash, o->group_factor, (size_t)t->n);
  for (int i = 0; i < t->n && o->group != NULL; i++) {
    hash = cri_fingerprint(hash, &o->group[i], sizeof o->group[i]);
  }
  return add_rows(add_rows(hash, &t->rows), &t->held_rows);
}

// ---- losses

static cr_status loss_of(trainer* t, bool held, const cr_real* weight, cr_real* loss) {
  const bool own = held && t->o->held != NULL;
  if (held && t->nheld == 0) {
    *loss = (cr_real)NAN;
    return CR_OK;
  }
  return cri_evaluate(t->evaluator, own ? &t->held_rows : &t->rows, held ? t->held : t->train,
                      held ? t->nheld : t->ntrain, weight, loss, NULL, t->call->error);
}

static cr_status no_number(const trainer* t, const char* what) {
  return cri_fail(t->call->error, CR_ERR_NONFINITE,
                  "%s: %s is not finite in epoch %d: a smaller rate may help", t->call->name, what,
                  (int)t->l->state.count[CRI_EPOCH] + 1);
}

// ---- a step

// [network.o4]
static cr_real rate_of(const trainer* t) {
  const int64_t* count = t->l->state.count;
  const int last = t->epochs - 1;
  const cr_real share = last > 0 ? (cr_real)count[CRI_EPOCH] / (cr_real)last : 0;
  const cr_real part = (1 + cr_cos(CR_PI * share)) / 2;
  const cr_real rate = t->o->schedule == CR_LEARNING_COSINE
                           ? t->final_rate + (t->rate - t->final_rate) * part
                           : t->rate * cr_pow(t->final_rate / t->rate, share);
  const cr_real grown = (cr_real)(count[CRI_STEPS] + 1) / (cr_real)(t->o->warmup + 1);
  return rate * cr_min(grown, 1);
}

// adds the ridge; false if a number is not finite
static bool finish_gradient(const trainer* t) {
  const cr_real *x = t->l->state.last, *l2 = t->o->l2;
  cr_real squares = 0;
  for (int i = 0; i < t->n; i++) {
    t->gradient[i] += l2 != NULL ? l2[i] * x[i] : 0;
    squares += t->gradient[i] * t->gradient[i];
  }
  const cr_real length = cr_sqrt(squares);
  if (t->o->clip > 0 && length > t->o->clip) {
    for (int i = 0; i < t->n; i++) {
      t->gradient[i] *= t->o->clip / length;
    }
  }
  return isfinite(squares);
}

static cr_status take_step(trainer* t, const int32_t* which, int n, cr_real* loss) {
  cri_learning_state* s = &t->l->state;
  CR_TRY(
      cri_evaluate(t->evaluator, &t->rows, which, n, s->last, loss, t->gradient, t->call->error));
  if (!isfinite(*loss)) {
    return no_number(t, "the loss");
  }
  if (!finish_gradient(t)) {
    return no_number(t, "the gradient");
  }
  const cr_real rate = rate_of(t);
  const int k = (int)++s->count[CRI_STEPS];
  cri_adam_step(&t->adam, rate, k, t->n, s->last, s->mean, s->square, t->gradient);
  if (t->o->group != NULL) {
    cri_sparse_step(&t->penalty, &t->adam, rate, k, s->last, s->mean, s->square, t->metric);
  }
  return CR_OK;
}

// ---- epochs

static cr_status train_epoch(trainer* t, cr_real* loss) {
  cri_learning_state* s = &t->l->state;
  cr_random random = cr_random_seed(t->o->seed + (uint64_t)s->count[CRI_EPOCH], STREAM_ORDER);
  cr_real sum = 0;
  memcpy(t->order, t->train, (size_t)t->ntrain * sizeof *t->order);
  if (t->batch < t->ntrain) {
    // a shuffle of the places, so that an epoch's order does not depend on those before
    for (int i = t->ntrain - 1; i > 0; i--) {
      const int j = cr_random_int(&random, i + 1);
      const int32_t other = t->order[j];
      t->order[j] = t->order[i];
      t->order[i] = other;
    }
  }
  for (int first = 0; first < t->ntrain; first += t->batch) {
    const int n = t->ntrain - first < t->batch ? t->ntrain - first : t->batch;
    cr_real mean;
    if (t->o->stop != NULL && t->o->stop(t->o->context)) {
      return cri_fail(t->call->error, CR_ERR_INTERRUPTED, "interrupted");
    }
    CR_TRY(take_step(t, t->order + first, n, &mean));
    sum += mean * (cr_real)n;
  }
  s->count[CRI_EPOCH]++;
  *loss = sum / (cr_real)t->ntrain;
  return CR_OK;
}

// a training that fails or is stopped within an epoch stands at the end of the one before
static cr_status train_whole_epoch(trainer* t, cr_real* loss) {
  cri_learning_state* s = &t->l->state;
  const int64_t steps = s->count[CRI_STEPS];
  cr_copy(t->before, s->last, 3 * t->n);
  cr_status status = train_epoch(t, loss);
  if (status != CR_OK) {
    cr_copy(s->last, t->before, 3 * t->n);
    s->count[CRI_STEPS] = steps;
  }
  return status;
}

// keeps the weights of the best epoch; false: patience is over
static bool keep_best(trainer* t, cr_real held) {
  cri_learning_state* s = &t->l->state;
  if (isnan(held) || held < s->front[CRI_BEST_LOSS]) {
    s->front[CRI_BEST_LOSS] = isnan(held) ? (cr_real)INFINITY : held;
    s->count[CRI_BEST_EPOCH] = s->count[CRI_EPOCH];
    cr_copy(s->best, s->last, t->n);
    cr_copy(t->l->weight, s->last, t->n);
  }
  return t->o->patience == 0 || s->count[CRI_EPOCH] - s->count[CRI_BEST_EPOCH] < t->o->patience;
}

static cr_status save(const trainer* t) {
  const int every = t->o->save_every > 0 ? t->o->save_every : 1;
  if (t->o->save == NULL || t->l->state.count[CRI_EPOCH] % every != 0) {
    return CR_OK;
  }
  return cr_learned_save(t->l, t->o->save, t->call->error);
}

static cr_status run(trainer* t, cr_learning_end* end) {
  const int64_t* count = t->l->state.count;
  bool goes_on = t->o->patience == 0 || count[CRI_EPOCH] - count[CRI_BEST_EPOCH] < t->o->patience;
  while (count[CRI_EPOCH] < t->epochs && goes_on) {
    cr_real loss = 0, held;
    CR_TRY(train_whole_epoch(t, &loss));
    CR_TRY(loss_of(t, true, t->l->state.last, &held));
    if (t->nheld > 0 && !isfinite(held)) {
      return no_number(t, "the loss of what is held aside");
    }
    goes_on = keep_best(t, held);
    if (t->o->progress != NULL) {
      t->o->progress(t->o->context, (int)count[CRI_EPOCH], loss, held);
    }
    CR_TRY(save(t));
  }
  end->reason = goes_on ? "all epochs done" : "the loss of what is held aside no longer falls";
  return CR_OK;
}

static cr_status finish(trainer* t, cr_learning_end* end) {
  const cri_learning_state* s = &t->l->state;
  if (t->o->keep_last) {
    cr_copy(t->l->weight, s->last, t->n);
  }
  CR_TRY(loss_of(t, false, t->l->weight, &end->loss));
  CR_TRY(loss_of(t, true, t->l->weight, &end->held_loss));
  end->start_loss = s->front[CRI_START_LOSS];
  end->epochs = (int)s->count[CRI_EPOCH];
  end->steps = (int)s->count[CRI_STEPS];
  end->best_epoch = (int)s->count[t->o->keep_last ? CRI_EPOCH : CRI_BEST_EPOCH];
  for (int i = 0; i < t->n; i++) {
    end->nonzero += t->l->weight[i] != 0;
  }
  return CR_OK;
}

// the scales, and the state at the start
static cr_status begin(trainer* t) {
  cr_learned* l = t->l;
  const uint64_t fingerprint = fingerprint_of(t);
  if (t->o->go_on) {
    if (l->state.last == NULL || l->state.fingerprint != fingerprint) {
      return cri_fail(t->call->error, CR_ERR_FORMAT,
                      l->state.last == NULL
                          ? "%s: there is no training to go on with"
                          : "%s: the training to go on with has other data or options",
                      t->call->name);
    }
  } else {
    CR_TRY(cri_learning_state_create(l, t->call->error));
    if (t->o->normalise) {
      cri_rows_normalise(&t->rows, t->train, t->ntrain, l);
    }
  }
  if (t->o->go_on) {
    return CR_OK;
  }
  cri_learning_state* s = &l->state;
  s->fingerprint = fingerprint;
  s->front[CRI_BEST_LOSS] = (cr_real)INFINITY;
  cr_copy(s->last, l->weight, t->n);
  cr_copy(s->best, l->weight, t->n);
  CR_TRY(loss_of(t, false, s->last, &s->front[CRI_START_LOSS]));
  return isfinite(s->front[CRI_START_LOSS]) ? CR_OK : no_number(t, "the loss");
}

cr_status cri_learned_train(cr_learned* l, const cr_learning_data* data,
                            const cr_learning_options* o, cr_learning_end* end,
                            cri_product* product, cr_error* error) {
  const cri_call call = {"cr_learned_train", error};
  CR_TRY(cri_given(&call, l, "the learned function"));
  CR_TRY(cri_given(&call, data, "the data"));
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_given(&call, end, "where the end goes"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_learning_options"));
  CR_TRY(cri_check_size(&call, end->size, sizeof *end, "cr_learning_end"));
  CR_TRY(check_options(&call, l, o));
  trainer t = {.l = l,
               .o = o,
               .call = &call,
               .n = l->network.nweight,
               .epochs = o->epochs > 0 ? o->epochs : 100,
               .rate = o->rate,
               .final_rate = o->final_rate > 0 ? o->final_rate : o->rate,
               .adam = {or_default(o->b1, CR_R(0.9)), or_default(o->b2, CR_R(0.999)),
                        or_default(o->eps, CR_R(1e-8)), o->weight_decay}};
  cr_learning_end given = {.size = end->size, .reason = ""};
  cr_status status = create(&t, data, product);
  status = status == CR_OK ? begin(&t) : status;
  status = status == CR_OK ? run(&t, &given) : status;
  status = status == CR_OK ? finish(&t, &given) : status;
  destroy(&t);
  *end = given;
  return status;
}
