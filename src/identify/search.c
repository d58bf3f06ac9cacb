// SPDX-License-Identifier: Apache-2.0
// Windows on a pool, sums in their order: the same bits for any number of threads.
#include "identify/search.h"

#include <stdlib.h>

#include "identify/saving.h"
#include "predict/scale.h"
#include "predict/window_adjoint.h"

// ---- memory

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
}

cr_status cri_search_create(cri_search* s, int nthread, cr_error* error) {
  CR_TRY(cr_pool_create(&s->pool, nthread, error));
  size_t n = (size_t)cr_pool_size(s->pool), nx = (size_t)s->p.nx;
  size_t jump = nx * ((size_t)cri_columns_of(&s->p) + 1);
  s->predictor = calloc(n, sizeof(cri_predictor*));
  s->errors = calloc(n, sizeof *s->errors);
  s->failed = calloc(n, sizeof *s->failed);
  s->cost = calloc((size_t)s->p.nspan + 1, sizeof *s->cost);
  s->uncounted = calloc((size_t)s->p.nspan + 1, sizeof *s->uncounted);
  s->jumps = calloc(n * jump + 1, sizeof *s->jumps);
  if (s->predictor == NULL || s->errors == NULL || s->failed == NULL || s->cost == NULL ||
      s->uncounted == NULL || s->jumps == NULL) {
    return no_memory(error);
  }
  for (size_t i = 0; i < n; i++) {
    CR_TRY(cri_predictor_create(&s->predictor[i], &s->p, error));
  }
  return CR_OK;
}

void cri_search_free(cri_search* s) {
  for (int i = 0; s->predictor != NULL && i < cr_pool_size(s->pool); i++) {
    cri_predictor_free(s->predictor[i]);
  }
  for (int i = 0; s->adjoint != NULL && i < cr_pool_size(s->pool); i++) {
    cri_window_adjoint_free(s->adjoint[i]);
  }
  cri_normal_free(s->normal);
  cr_pool_free(s->pool);
  free(s->predictor);
  free(s->adjoint);
  free(s->errors);
  free(s->failed);
  free(s->cost);
  free(s->uncounted);
  free(s->jumps);
}

// ---- the point

// derivatives of the derived constants by the parameters, a row each
static cr_status derive_constants(cri_search* s, cr_error* error) {
  cri_problem* p = &s->p;
  int n = cri_parameters_nderived(p->parameters);
  cr_real* seed = calloc((size_t)n + 1, sizeof *seed);
  cr_status status = seed != NULL ? CR_OK : no_memory(error);
  cr_zero(p->derived, n * p->np);
  for (int k = 0; k < n && status == CR_OK; k++) {
    seed[k] = 1;
    status = cri_parameters_derived(p->parameters, seed, p->derived + (ptrdiff_t)k * p->np, error);
    seed[k] = 0;
  }
  free(seed);
  return status;
}

static cr_status derive_chain(cri_search* s, cr_error* error) {
  cri_problem* p = &s->p;
  CR_TRY(derive_constants(s, error));
  if (p->chain == NULL) {
    CR_TRY(cri_chain_create(&p->chain, p->parameters, error));
  }
  return p->chain != NULL ? cri_chain_set(p->chain, p->parameters, p->x, p->derived, error) : CR_OK;
}

cr_status cri_search_move(cri_search* s, const cr_real* x, bool derive, cr_error* error) {
  cri_problem* p = &s->p;
  cr_real values[CR_MAX_PARAMETERS];
  if (x != p->x) {
    cr_copy(p->x, x, p->n + p->nspan * p->nx);
  }
  cri_parameters_values(p->parameters, p->x, values);
  CR_TRY(cri_parameters_apply(p->parameters, values, error));
  return derive ? derive_chain(s, error) : CR_OK;
}

// ---- one window

typedef struct {
  cri_search* search;
  int span;
  cr_real cost;
} sum;

static void add_sight(void* context, const cri_sight* sight) {
  sum* to = context;
  const cri_problem* p = &to->search->p;
  cr_real noise = p->places[sight->track->place].noise, weight;
  for (int i = 0; i < cri_output_errors(sight->output); i++) {
    to->cost += cri_robust(p->huber, sight->error[i] / noise, &weight);
    if (sight->rows != NULL) {
      cri_normal_add(to->search->normal, p, to->span,
                     sight->rows + (ptrdiff_t)i * cri_columns_of(p), sight->error[i],
                     weight / (noise * noise));
    }
  }
}

static cr_status run_window(cri_search* s, int span, int worker) {
  const cri_problem* p = &s->p;
  cr_error* error = &s->errors[worker];
  int columns = cri_columns_of(p);
  cr_real* jump = s->jumps + (ptrdiff_t)worker * p->nx * (columns + 1);
  cr_real* rows = jump + p->nx;
  bool chained = p->spans[span].next >= 0;
  cr_status status = CR_ERR_CAPACITY;
  sum to = {.search = s, .span = span};
  while (status == CR_ERR_CAPACITY) {
    to.cost = 0;
    if (s->derive) {
      cri_normal_clear(s->normal, p, span);
    }
    status = cri_predict(s->predictor[worker], p, span, s->derive, add_sight, &to,
                         chained ? jump : NULL, rows, error);
    if (status == CR_ERR_CAPACITY) {
      CR_TRY(cri_predictor_grow(s->predictor[worker], p, error));
    }
  }
  CR_TRY(status);
  cr_real weight = chained ? 1 / (p->continuity * p->continuity) : 0;
  for (int i = 0; i < p->nx && chained; i++) {
    to.cost += weight * jump[i] * jump[i] / 2;
    if (s->derive) {
      cri_normal_add(s->normal, p, span, rows + (ptrdiff_t)i * columns, jump[i], weight);
    }
  }
  s->cost[span] = to.cost;
  if (s->derive) {
    s->uncounted[span] = cri_predictor_uncounted(s->predictor[worker]);
  }
  return CR_OK;
}

static cr_status work(void* context, int item, int worker) {
  cri_search* s = context;
  bool stopped = s->stop != NULL && s->stop(s->context);
  cr_status status = stopped ? cri_fail(&s->errors[worker], CR_ERR_INTERRUPTED, "interrupted")
                             : run_window(s, s->first + item, worker);
  if (status != CR_OK && (s->failed[worker] < 0 || item < s->failed[worker])) {
    s->failed[worker] = item;
  }
  return status;
}

cr_real cri_search_priors(const cri_search* s, cr_real* gradient) {
  const cri_problem* p = &s->p;
  cr_real residual[CR_MAX_PARAMETERS], derivative[CR_MAX_PARAMETERS], cost = 0;
  cri_parameters_prior(p->parameters, p->x, residual, derivative);
  for (int i = 0; i < p->np; i++) {
    cost += residual[i] * residual[i] / 2;
    if (gradient != NULL) {
      gradient[i] += residual[i] * derivative[i];
    }
  }
  return cost;
}

// they go with the first window to train on
static cr_real add_priors(cri_search* s) {
  const cri_problem* p = &s->p;
  cr_real residual[CR_MAX_PARAMETERS], derivative[CR_MAX_PARAMETERS], cost = 0;
  cr_real* row = s->jumps;
  cri_parameters_prior(p->parameters, p->x, residual, derivative);
  cr_zero(row, cri_columns_of(p));
  for (int i = 0; i < p->np; i++) {
    cost += residual[i] * residual[i] / 2;
    if (s->derive && derivative[i] != 0) {
      row[i] = derivative[i];
      cri_normal_add(s->normal, p, 0, row, residual[i], 1);
      row[i] = 0;
    }
  }
  return cost;
}

cr_status cri_search_run(cri_search* s, int n, cr_pool_work* todo, void* context, cr_error* error) {
  int threads = cr_pool_size(s->pool), worst = -1;
  for (int i = 0; i < threads; i++) {
    s->failed[i] = -1;
  }
  cr_status status = cr_pool_run(s->pool, n, todo, context);
  for (int i = 0; i < threads && status != CR_OK; i++) {
    bool earlier = s->failed[i] >= 0 && (worst < 0 || s->failed[i] < s->failed[worst]);
    worst = earlier ? i : worst;
  }
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "%s",
                                    worst >= 0 ? s->errors[worst].text : "no worker failed");
}

cr_status cri_search_cost(cri_search* s, int first, int n, bool derive, cr_real* cost,
                          cr_error* error) {
  s->first = first;
  s->n = n;
  s->derive = derive;
  if (derive && s->normal == NULL) {
    CR_TRY(cri_normal_create(&s->normal, &s->p, error));
  }
  CR_TRY(cri_search_run(s, n, work, s, error));
  *cost = first == 0 && !s->no_priors ? add_priors(s) : 0;
  for (int w = first; w < first + n; w++) {
    *cost += s->cost[w];
  }
  return CR_OK;
}

// ---- the search

typedef struct {
  cri_search* search;
  int first, n;
  bool begun;
  const cr_real* least;  // n numbers of x: least diagonal of J'J for the damping
} part;

bool cri_search_is_no_place(cr_status status) {
  return status == CR_ERR_DIVERGED || status == CR_ERR_NONFINITE || status == CR_ERR_SOLVER ||
         status == CR_ERR_SINGULAR || status == CR_ERR_MODEL;
}

static cr_status value(void* context, const cr_real* x, cr_real* cost, cr_error* error) {
  part* at = context;
  cri_search* s = at->search;
  cr_status status = cri_search_move(s, x, false, error);
  if (status == CR_OK) {
    status = cri_search_cost(s, at->first, at->n, false, cost, error);
  }
  if (at->begun && cri_search_is_no_place(status)) {
    *cost = (cr_real)INFINITY;
    return CR_OK;
  }
  at->begun = true;
  return status;
}

// The damping of a number of x is at least that of one known to its scale: what data hardly tell does not leap while the rest is
// far from its place. By the scales where parameters start: a search that goes on has the same ones.
static void least_information(const cri_problem* p, cr_real* least) {
  cr_real x[2 * CR_MAX_PARAMETERS] = {0};
  cri_parameters_start(p->parameters, x);
  for (int i = 0; i < p->n; i++) {
    cr_real scale = cri_scale_of(p, x, i);
    least[i] = 1 / (scale * scale);
  }
}

static cr_status linearise(void* context, const cr_real* x, cr_real* gradient, cr_real* diagonal,
                           cr_error* error) {
  part* at = context;
  cri_search* s = at->search;
  cr_real cost;
  CR_TRY(cri_search_move(s, x, true, error));
  CR_TRY(cri_search_cost(s, at->first, at->n, true, &cost, error));
  cri_normal_gather(s->normal, &s->p, at->first, at->n, gradient, diagonal);
  for (int i = 0; i < s->p.n; i++) {
    diagonal[i] = cr_max(diagonal[i], at->least[i]);
  }
  if (s->progress != NULL) {
    s->progress(s->context, s->steps, cost);
  }
  s->steps++;
  return CR_OK;
}

static cr_status solve(void* context, cr_real damping, const cr_real* scale, const bool* fixed,
                       cr_real* step, cr_error* error) {
  part* at = context;
  return cri_normal_solve(at->search->normal, &at->search->p, at->first, at->n, damping, scale,
                          fixed, step, error);
}

static void move(void* context, const cr_real* x, const cr_real* step, cr_real* to) {
  const cri_problem* p = &((const part*)context)->search->p;
  for (int i = p->np; i < p->n + p->nspan * p->nx; i++) {
    to[i] = x[i] + step[i];
  }
  cri_parameters_move(p->parameters, x, step, to);
}

static cr_status curvature(void* context, const cr_real* step, cr_real* square, cr_error* error) {
  part* at = context;
  (void)error;
  *square = cri_normal_curvature(at->search->normal, &at->search->p, at->first, at->n, step);
  return CR_OK;
}

static cr_status taken(void* context, const cr_damped_state* state, cr_error* error) {
  const part* at = context;
  return cri_saving_save(at->search->saving, at->search, state, error);
}

// how far the numbers seen of error i of a place are apart; an orientation may be turned by pi
static cr_real reach_of(const cri_problem* p, int place, int i) {
  cr_real low = (cr_real)INFINITY, high = -low;
  for (int r = 0; r < p->nrun; r++) {
    for (int c = 0; c < p->runs[r].ntrack; c++) {
      const cri_track* t = &p->runs[r].tracks[c];
      for (int k = 0; k < t->noutput && t->place == place; k++) {
        const cri_output* o = &t->outputs[k];
        if (i < o->in_errors || i >= o->in_errors + cri_output_errors(o)) {
          continue;
        }
        if (o->turns) {
          return CR_PI;
        }
        for (int row = 0; row < t->rows; row++) {
          cr_real v = t->values[(ptrdiff_t)row * t->width + o->in_place];
          low = v < low ? v : low;
          high = v > high ? v : high;
        }
      }
    }
  }
  return high > low ? high - low : 1;
}

void cri_search_bounds(const cri_problem* p, bool bounded, cr_real* lower, cr_real* upper) {
  for (int i = 0; i < p->n; i++) {
    lower[i] = -(cr_real)INFINITY;
    upper[i] = (cr_real)INFINITY;
  }
  if (bounded) {
    cri_parameters_search_bounds(p->parameters, lower, upper);
  } else {
    cri_parameters_bounds(p->parameters, lower, upper);
  }
  for (int k = 0; k < p->nplace; k++) {
    const cri_measured* at = &p->places[k];
    if (at->delay_at >= 0) {
      lower[at->delay_at] = 0;
      upper[at->delay_at] = p->longest_delay;
    }
    for (int i = 0; i < at->nerror && at->offset_at >= 0 && bounded; i++) {
      upper[at->offset_at + i] = reach_of(p, k, i);
      lower[at->offset_at + i] = -upper[at->offset_at + i];
    }
  }
}

// bounds of all numbers; those that stay have no room between theirs
static void set_bounds(const cri_search* s, int first, int n, bool x_fixed, cr_real* lower,
                       cr_real* upper) {
  const cri_problem* p = &s->p;
  int all = p->n + p->nspan * p->nx;
  for (int i = p->n; i < all; i++) {
    lower[i] = -(cr_real)INFINITY;
    upper[i] = (cr_real)INFINITY;
  }
  cri_search_bounds(p, s->bounded, lower, upper);
  for (int i = 0; i < all; i++) {
    int span = i < p->n ? first : (i - p->n) / p->nx;
    bool stays = i < p->n ? x_fixed || (s->fixed != NULL && s->fixed[i])
                          : p->starts_known || span < first || span >= first + n;
    if (stays) {
      lower[i] = upper[i] = p->x[i];
    }
  }
}

cr_status cri_search_minimise(cri_search* s, int first, int n, bool x_fixed,
                              const cr_damping* damping, cr_damped_end* end, cr_error* error) {
  const cri_problem* p = &s->p;
  int all = p->n + p->nspan * p->nx;
  part at = {.search = s, .first = first, .n = n};
  cr_damped damped = {.context = &at,
                      .n = all,
                      .value = value,
                      .linearise = linearise,
                      .solve = solve,
                      .move = move,
                      .curvature = curvature};
  if (s->saving != NULL) {
    damped.taken = taken;
    CR_TRY(cri_saving_resume(s->saving, all, &damped.resume, error));
    at.begun = damped.resume != NULL;
    cr_copy(p->x, at.begun ? damped.resume->x : p->x, all);
  }
  cr_real* room = calloc(3 * (size_t)all + cri_damped_room(all) + (size_t)p->n, sizeof *room);
  if (room == NULL) {
    return no_memory(error);
  }
  cr_real *x = room, *lower = x + all, *upper = lower + all;
  cr_copy(x, p->x, all);
  set_bounds(s, first, n, x_fixed, lower, upper);
  cr_real* least = upper + all;
  least_information(p, least);
  at.least = least;
  cr_status status =
      cri_damped_minimise(damping, &damped, lower, upper, x, least + p->n, end, error);
  if (status == CR_OK) {
    status = cri_search_move(s, x, false, error);
  }
  free(room);
  return status;
}
