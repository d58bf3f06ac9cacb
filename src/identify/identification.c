// SPDX-License-Identifier: Apache-2.0
// Identifications: rounds of searches with noises between them, and what they tell. See carom/identify.h.
#include <stdio.h>
#include <stdlib.h>

#include "identify/coarse.h"
#include "identify/inference.h"
#include "identify/layout.h"
#include "identify/noise.h"
#include "model/misuse.h"
#include "model/state_vector.h"
#include "model/tableau.h"

enum { NAME = 192, MOST_ROUNDS = 12 };

struct cr_identification {
  cri_search search;
  cr_identification_options options;
  const cr_measurements* measurements;
  char (*names)[NAME];
  bool solved, held_fitted;
  cr_real freedom, excess;  // degrees of freedom; chi^2 over them, at least 1
  cri_inference inference;
  cri_place_sums* sums[2];  // of a part, of every place
};

// ---- creation

static const char* wrong_option(const cr_identification_options* o) {
  return !(o->window >= 0) || !isfinite(o->window)       ? "the window is negative or not finite"
         : o->start < 0 || o->start > CR_START_REFERENCE ? "no such start"
         : !(o->continuity >= 0)                         ? "the continuity is negative"
         : !(o->huber >= 0)                              ? "huber is negative"
         : !(o->held_out >= 0 && o->held_out < 1) ? "the share held out is not between 0 and 1"
         : !(o->longest_delay >= 0) || !isfinite(o->longest_delay)
             ? "the longest delay is negative or not finite"
         : !(o->confidence >= 0 && o->confidence < 1) ? "the confidence is not between 0 and 1"
         : o->nthread < 0                             ? "a negative number of threads"
         : o->ndelayed < 0 || o->nshifted < 0         ? "a negative number of places"
                                                      : NULL;
}

static cr_status check_options(const cri_call* call, const cr_identification_options* o) {
  const char* wrong = wrong_option(o);
  if (wrong != NULL) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %s", call->name, wrong);
  }
  for (int i = 0; i < o->ndelayed; i++) {
    CR_TRY(cri_given(call, o->delayed, "delayed places"));
    CR_TRY(cri_given(call, o->delayed[i], "a delayed place"));
  }
  for (int i = 0; i < o->nshifted; i++) {
    CR_TRY(cri_given(call, o->shifted, "shifted places"));
    CR_TRY(cri_given(call, o->shifted[i], "a shifted place"));
  }
  return CR_OK;
}

static cr_status name_numbers(cr_identification* id, cr_error* error) {
  const cri_problem* p = &id->search.p;
  id->names = calloc((size_t)p->n + 1, sizeof *id->names);
  if (id->names == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  for (int i = 0; i < p->np; i++) {
    CR_TRY(cr_parameters_number_name(p->parameters, i, id->names[i], NAME, error));
  }
  for (int k = 0; k < p->nplace; k++) {
    const cri_measured* at = &p->places[k];
    if (at->delay_at >= 0) {
      (void)snprintf(id->names[at->delay_at], NAME, "delay of %.127s", at->name);
    }
    for (int i = 0; i < at->nerror && at->offset_at >= 0; i++) {
      (void)snprintf(id->names[at->offset_at + i], NAME,
                     at->nerror > 1 ? "offset of %.127s[%d]" : "offset of %.127s", at->name, i);
    }
  }
  return CR_OK;
}

static cr_status make(cr_identification* id, cr_parameters* parameters, const cr_measurements* ms,
                      cr_error* error) {
  cri_problem* p = &id->search.p;
  CR_TRY(cri_layout(p, parameters, ms, &id->options, error));
  if (p->m->nv == 0) {
    return cri_fail(error, CR_ERR_ARG, "the model has no joints: there is no motion to fit");
  }
  CR_TRY(name_numbers(id, error));
  id->sums[0] = calloc(2 * (size_t)p->nplace + 1, sizeof(cri_place_sums));
  if (id->sums[0] == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  id->sums[1] = id->sums[0] + p->nplace;
  cri_layout_starts(p);
  cri_noise_guess(p);
  id->search.stop = id->options.stop;
  id->search.progress = id->options.progress;
  id->search.context = id->options.context;
  CR_TRY(cri_search_create(&id->search, id->options.nthread, error));
  return cr_identification_get_start(id, p->x, error);
}

cr_status cr_identification_create(cr_identification** out, cr_parameters* parameters,
                                   const cr_measurements* ms, const cr_identification_options* o,
                                   cr_error* error) {
  const cri_call call = {"cr_identification_create", error};
  CR_TRY(cri_given(&call, out, "where the identification goes"));
  CR_TRY(cri_given(&call, parameters, "the parameters"));
  CR_TRY(cri_given(&call, ms, "the measurements"));
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_identification_options"));
  CR_TRY(check_options(&call, o));
  cr_identification* id = calloc(1, sizeof *id);
  if (id == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  id->options = *o;
  id->measurements = ms;
  id->options.confidence = o->confidence > 0 ? o->confidence : CR_R(0.9);
  cr_status status = make(id, parameters, ms, error);
  if (status != CR_OK) {
    cr_identification_destroy(id);
    return status;
  }
  *out = id;
  return CR_OK;
}

void cr_identification_destroy(cr_identification* id) {
  if (id == NULL) {
    return;
  }
  cri_search_free(&id->search);
  cri_layout_free(&id->search.p);
  cri_inference_free(&id->inference);
  free(id->names);
  free(id->sums[0]);
  free(id);
}

int cr_identification_count(const cr_identification* id) { return id != NULL ? id->search.p.n : 0; }

const char* cr_identification_name(const cr_identification* id, int i) {
  return id != NULL && i >= 0 && i < id->search.p.n ? id->names[i] : NULL;
}

cr_status cr_identification_get_start(const cr_identification* id, cr_real* x, cr_error* error) {
  const cri_call call = {"cr_identification_get_start", error};
  CR_TRY(cri_given(&call, id, "the identification"));
  CR_TRY(cri_given(&call, x, "x"));
  const cri_problem* p = &id->search.p;
  cr_zero(x, p->n);
  cri_parameters_start(p->parameters, x);
  for (int r = 0; r < p->nrun; r++) {
    for (int t = 0; t < p->runs[r].ntrack; t++) {
      const cri_track* track = &p->runs[r].tracks[t];
      int at = p->places[track->place].delay_at;
      if (at >= 0) {
        x[at] = track->delay;
      }
    }
  }
  return CR_OK;
}

// ---- the search

// how far a number of x may move before it is another: a parameter by all of its value, or between its bounds
static cr_real scale_of_parameter(const cri_problem* p, int i) {
  cr_real a[CR_MAX_PARAMETERS], b[CR_MAX_PARAMETERS], value;
  cri_parameters_values(p->parameters, p->x, a);
  value = a[i];
  cr_zero(a, p->np);
  a[i] = 1;
  cri_parameters_chain(p->parameters, p->x, a, b);
  cr_real size = cr_abs(b[i]) > 0 ? cr_abs(value / b[i]) : 0;
  cri_parameters_bounds(p->parameters, a, b);
  cr_real width = b[i] - a[i];
  return size > 0 ? size : isfinite(width) && width > 0 ? width : 1;
}

static cr_real scale_of(const cri_problem* p, int i) {
  if (i < p->np) {
    return scale_of_parameter(p, i);
  }
  for (int k = 0; k < p->nplace; k++) {
    const cri_measured* at = &p->places[k];
    if (i == at->delay_at) {
      return p->longest_delay;
    }
    if (at->offset_at >= 0 && i >= at->offset_at && i < at->offset_at + at->nerror) {
      return 100 * at->noise;
    }
  }
  return 1;
}

static cr_status infer(cr_identification* id, cr_error* error) {
  cri_search* s = &id->search;
  cri_problem* p = &s->p;
  int all = p->n + p->nspan * p->nx;
  cr_real* room = calloc(2 * (size_t)all + (size_t)p->n + 1, sizeof *room);
  if (room == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  cr_real *zero = room, *step = room + all, *scale = step + all, cost;
  cr_status status = cri_search_move(s, p->x, true, error);
  if (status == CR_OK) {
    status = cri_search_cost(s, 0, p->ntrain, true, &cost, error);
  }
  if (status == CR_OK) {
    // only the elimination is needed: a matrix of x that is singular is an answer too
    cr_status solved = cri_normal_solve(s->normal, p, 0, p->ntrain, 0, zero, NULL, step, error);
    status = solved == CR_ERR_SINGULAR ? CR_OK : solved;
  }
  if (status == CR_OK) {
    for (int i = 0; i < p->n; i++) {
      scale[i] = scale_of(p, i);
    }
    cr_real freedom = cri_numbers_seen(p, id->sums[CR_RUNS_TRAIN]) - cri_unknowns(p);
    id->freedom = cr_max(freedom, 1);
    id->excess = cr_max(2 * cost / id->freedom, 1);
    cri_inference_free(&id->inference);
    status = cri_inference_of(&id->inference, p->n, cri_normal_matrix(s->normal), scale,
                              1 / cr_sqrt(id->excess), error);
  }
  free(room);
  return status;
}

static cr_status rounds(cr_identification* id, const cr_search* o, cr_search_end* end,
                        cr_error* error) {
  cri_search* s = &id->search;
  const cr_damping damping = {.iterations = o->iterations > 0 ? o->iterations : 100,
                              .damping = o->gauss_newton ? 0 : CR_R(1e-3),
                              .step_tolerance = CR_R(1e-12),
                              .gradient_tolerance = 0,
                              .value_tolerance = o->tolerance > 0 ? o->tolerance : CR_R(1e-10)};
  cr_real change = 1;
  s->steps = 0;
  CR_TRY(cri_search_move(s, s->p.x, false, error));
  CR_TRY(cri_search_cost(s, 0, s->p.ntrain, false, &end->start_cost, error));
  CR_TRY(cri_coarse_fit(s, id->measurements, &id->options, error));
  while (end->rounds < MOST_ROUNDS && change > CR_R(1e-3)) {
    cr_damped_end e;
    CR_TRY(cri_search_minimise(s, 0, s->p.ntrain, false, &damping, &e, error));
    end->rounds++;
    end->steps += e.taken;
    end->cost = e.value;
    end->reason = e.reason;
    end->converged = e.tried < damping.iterations;
    CR_TRY(cri_noise_sum(s, 0, s->p.ntrain, id->sums[CR_RUNS_TRAIN], error));
    change = cri_noise_update(&s->p, id->sums[CR_RUNS_TRAIN]);
  }
  return infer(id, error);
}

static cr_status check_x(const cri_call* call, const cr_identification* id, const cr_real* x) {
  CR_TRY(cri_given(call, id, "the identification"));
  CR_TRY(cri_given(call, x, "x"));
  for (int i = 0; i < id->search.p.n; i++) {
    if (!isfinite(x[i])) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: x[%d] is not finite", call->name, i);
    }
  }
  return CR_OK;
}

cr_status cr_identification_solve(cr_identification* id, const cr_search* o, cr_real* x,
                                  cr_search_end* end, cr_error* error) {
  const cri_call call = {"cr_identification_solve", error};
  CR_TRY(check_x(&call, id, x));
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_given(&call, end, "where the end goes"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_search"));
  CR_TRY(cri_check_size(&call, end->size, sizeof *end, "cr_search_end"));
  cri_problem* p = &id->search.p;
  id->solved = id->held_fitted = false;
  cr_copy(p->x, x, p->n);
  *end = (cr_search_end){.size = end->size, .reason = ""};
  CR_TRY(rounds(id, o, end, error));
  cr_copy(x, p->x, p->n);
  id->solved = true;
  return CR_OK;
}

// starts of the runs held aside, at the present x
static cr_status fit_held(cr_identification* id, cr_error* error) {
  cri_search* s = &id->search;
  const cr_damping damping = {.iterations = 50,
                              .damping = CR_R(1e-3),
                              .step_tolerance = CR_R(1e-12),
                              .value_tolerance = CR_R(1e-10)};
  cr_damped_end e;
  return s->p.nspan == s->p.ntrain ? CR_OK
                                   : cri_search_minimise(s, s->p.ntrain, s->p.nspan - s->p.ntrain,
                                                         true, &damping, &e, error);
}

// cost of a part at p.x, with its gradient
static cr_status evaluate(cr_identification* id, cr_run_part part, cr_real* cost, cr_real* gradient,
                          cr_error* error) {
  cri_search* s = &id->search;
  const cri_problem* p = &s->p;
  int first = part == CR_RUNS_TRAIN ? 0 : p->ntrain;
  int n = part == CR_RUNS_TRAIN ? p->ntrain : p->nspan - p->ntrain;
  if (part == CR_RUNS_HELD) {
    CR_TRY(fit_held(id, error));
  }
  CR_TRY(cri_search_move(s, p->x, gradient != NULL, error));
  CR_TRY(cri_search_cost(s, first, n, gradient != NULL, cost, error));
  if (gradient == NULL) {
    return CR_OK;
  }
  size_t all = (size_t)p->n + (size_t)p->nspan * (size_t)p->nx;
  cr_real* room = calloc(2 * all + 1, sizeof *room);
  if (room == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  cri_normal_gather(s->normal, p, first, n, room, room + all);
  cr_copy(gradient, room, p->n);
  free(room);
  return CR_OK;
}

cr_status cr_identification_evaluate(cr_identification* id, cr_run_part part, const cr_real* x,
                                     cr_real* cost, cr_real* gradient, cr_error* error) {
  const cri_call call = {"cr_identification_evaluate", error};
  CR_TRY(check_x(&call, id, x));
  CR_TRY(cri_given(&call, cost, "where the cost goes"));
  if (part != CR_RUNS_TRAIN && part != CR_RUNS_HELD) {
    return cri_fail(error, CR_ERR_ARG, "%s: there is no part %d", call.name, (int)part);
  }
  // a solution stays: what it found is asked for later
  cri_problem* p = &id->search.p;
  cr_real kept[2 * CR_MAX_PARAMETERS];
  cr_copy(kept, p->x, p->n);
  cr_copy(p->x, x, p->n);
  id->held_fitted = false;
  cr_status status = evaluate(id, part, cost, gradient, error);
  cr_copy(p->x, kept, p->n);
  cr_status back = cri_search_move(&id->search, p->x, false, status == CR_OK ? error : NULL);
  return status == CR_OK && id->solved ? back : status;
}

// ---- what was found

static cr_status check_solved(const cri_call* call, const cr_identification* id, const void* out) {
  CR_TRY(cri_given(call, id, "the identification"));
  CR_TRY(cri_given(call, out, "where the answer goes"));
  return id->solved
             ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG, "%s: before cr_identification_solve", call->name);
}

// the number itself from number i of x moved by d
static cr_real number_at(const cri_problem* p, int i, cr_real d) {
  cr_real x[CR_MAX_PARAMETERS], value[CR_MAX_PARAMETERS];
  if (i >= p->np) {
    return p->x[i] + d;
  }
  cr_copy(x, p->x, p->np);
  x[i] += d;
  cri_parameters_values(p->parameters, x, value);
  return value[i];
}

static bool is_at_bound(const cri_problem* p, int i) {
  cr_real lower[CR_MAX_PARAMETERS], upper[CR_MAX_PARAMETERS];
  if (i >= p->np) {
    return false;
  }
  cri_parameters_bounds(p->parameters, lower, upper);
  return p->x[i] <= lower[i] || p->x[i] >= upper[i];
}

cr_status cr_identification_get(const cr_identification* id, int i, cr_estimate* e,
                                cr_error* error) {
  const cri_call call = {"cr_identification_get", error};
  CR_TRY(check_solved(&call, id, e));
  const cri_problem* p = &id->search.p;
  CR_TRY(cri_check_size(&call, e->size, sizeof *e, "cr_estimate"));
  if (i < 0 || i >= p->n) {
    return cri_fail(error, CR_ERR_ARG, "%s: no such number", call.name);
  }
  const cri_inference* f = &id->inference;
  cr_real variance = f->covariance[(ptrdiff_t)i * p->n + i] * id->excess;
  *e = (cr_estimate){.size = e->size,
                     .name = id->names[i],
                     .value = number_at(p, i, 0),
                     .lower = -(cr_real)INFINITY,
                     .upper = (cr_real)INFINITY,
                     .deviation = (cr_real)INFINITY,
                     .told = f->told[i],
                     .at_bound = is_at_bound(p, i)};
  if (e->told) {
    e->deviation = cr_sqrt(variance);
    cr_real reach = cri_student(id->options.confidence, id->freedom) * e->deviation;
    e->lower = number_at(p, i, -reach);
    e->upper = number_at(p, i, reach);
  }
  return CR_OK;
}

cr_status cr_identification_get_combination(const cr_identification* id, const cr_real* g,
                                            cr_estimate* e, cr_error* error) {
  const cri_call call = {"cr_identification_get_combination", error};
  CR_TRY(check_solved(&call, id, e));
  CR_TRY(cri_given(&call, g, "the combination"));
  CR_TRY(cri_check_size(&call, e->size, sizeof *e, "cr_estimate"));
  const cri_problem* p = &id->search.p;
  cr_real variance;
  *e = (cr_estimate){.size = e->size,
                     .name = "a combination",
                     .lower = -(cr_real)INFINITY,
                     .upper = (cr_real)INFINITY,
                     .deviation = (cr_real)INFINITY};
  for (int i = 0; i < p->n; i++) {
    if (!isfinite(g[i])) {
      return cri_fail(error, CR_ERR_ARG, "%s: g[%d] is not finite", call.name, i);
    }
    e->value += g[i] * p->x[i];
  }
  e->told = cri_inference_combine(&id->inference, g, 1 / cr_sqrt(id->excess), &variance);
  if (e->told) {
    e->deviation = cr_sqrt(variance * id->excess);
    cr_real reach = cri_student(id->options.confidence, id->freedom) * e->deviation;
    e->lower = e->value - reach;
    e->upper = e->value + reach;
  }
  return CR_OK;
}

cr_status cr_identification_covariance(const cr_identification* id, cr_real* covariance,
                                       cr_real* correlation, cr_error* error) {
  const cri_call call = {"cr_identification_covariance", error};
  CR_TRY(check_solved(&call, id, id));
  const cri_problem* p = &id->search.p;
  const cr_real* c = id->inference.covariance;
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < p->n; j++) {
      ptrdiff_t at = (ptrdiff_t)i * p->n + j;
      if (covariance != NULL) {
        covariance[at] = c[at] * id->excess;
      }
      if (correlation != NULL) {
        correlation[at] = c[at] / cr_sqrt(c[(ptrdiff_t)i * p->n + i] * c[(ptrdiff_t)j * p->n + j]);
      }
    }
  }
  return CR_OK;
}

// ---- what cannot be told

// names of the numbers that a direction moves, most first, and how they move
static void put_direction(const cr_identification* id, const cr_real* v, char* text, int size) {
  enum { MOST = 4 };
  const cri_problem* p = &id->search.p;
  bool used[CR_MAX_PARAMETERS * 2] = {false};
  int at = 0, n = 0, all = 0;
  for (int i = 0; i < p->n; i++) {
    all += cr_abs(v[i]) > CR_R(0.1);
  }
  for (int k = 0; k < all && k < MOST && at < size; k++, n++) {
    int best = -1;
    for (int i = 0; i < p->n; i++) {
      best = !used[i] && (best < 0 || cr_abs(v[i]) > cr_abs(v[best])) ? i : best;
    }
    used[best] = true;
    const char* between = k == 0 ? "" : k == all - 1 && all <= MOST ? " and " : ", ";
    at += snprintf(text + at, (size_t)(size - at), "%s%s", between, id->names[best]);
  }
  if (at < size && all > MOST) {
    at += snprintf(text + at, (size_t)(size - at), " and %d more", all - MOST);
  }
  if (at < size) {
    (void)snprintf(
        text + at, (size_t)(size - at),
        all == 1 ? ": the data do not tell it" : ": the data tell only what they do together");
  }
}

cr_status cr_identification_untold(const cr_identification* id, int i, char* text, int size, int* n,
                                   cr_error* error) {
  const cri_call call = {"cr_identification_untold", error};
  CR_TRY(check_solved(&call, id, n));
  const cri_inference* f = &id->inference;
  cr_real limit = 1 / cr_sqrt(id->excess);
  *n = 0;
  for (int k = 0; k < f->n; k++) {
    if (f->spread[k] < limit) {
      continue;
    }
    if (text != NULL && *n == i && size > 0) {
      put_direction(id, f->direction + (ptrdiff_t)k * f->n, text, size);
    }
    (*n)++;
  }
  return CR_OK;
}

// ---- places

int cr_identification_places(const cr_identification* id) {
  return id != NULL ? id->search.p.nplace : 0;
}

static cr_status need_held(cr_identification* id, cr_error* error) {
  if (id->held_fitted) {
    return CR_OK;
  }
  CR_TRY(fit_held(id, error));
  const cri_problem* p = &id->search.p;
  CR_TRY(
      cri_noise_sum(&id->search, p->ntrain, p->nspan - p->ntrain, id->sums[CR_RUNS_HELD], error));
  id->held_fitted = true;
  return CR_OK;
}

cr_status cr_identification_get_place(cr_identification* id, cr_run_part part, int i,
                                      cr_fit_of_place* fit, cr_error* error) {
  const cri_call call = {"cr_identification_get_place", error};
  CR_TRY(check_solved(&call, id, fit));
  bool known = i >= 0 && i < id->search.p.nplace && (part == CR_RUNS_TRAIN || part == CR_RUNS_HELD);
  CR_TRY(cri_check_size(&call, fit->size, sizeof *fit, "cr_fit_of_place"));
  if (!known) {
    return cri_fail(error, CR_ERR_ARG, "%s: no such place or part", call.name);
  }
  CR_TRY(part == CR_RUNS_HELD ? need_held(id, error) : CR_OK);
  const cri_measured* place = &id->search.p.places[i];
  const cri_place_sums* s = &id->sums[part][i];
  cr_real n = cr_max((cr_real)s->n, 1), spread = s->ss - s->s * s->s / n;
  *fit = (cr_fit_of_place){
      .size = fit->size,
      .place = place->name,
      .n = s->n,
      .noise = place->noise,
      .noise_given = place->noise_given,
      .rms = cr_sqrt(s->ee / n),
      .explained = spread > 0 ? 1 - s->ee / spread : (cr_real)NAN,
      .correlation = s->ee > 0 && s->pairs > 0 ? s->e_next / (cr_real)s->pairs / (s->ee / n) : 0,
      .white = s->pairs > 0 ? cri_student(id->options.confidence, (cr_real)INFINITY) /
                                  cr_sqrt((cr_real)s->pairs)
                            : 0};
  return CR_OK;
}

// ---- predictions

typedef struct {
  const cri_track* track;
  cr_real* values;
  const cri_problem* p;
} keeper;

static void keep_sight(void* context, const cri_sight* sight) {
  keeper* k = context;
  if (sight->track == k->track) {
    const cri_measured* place = &k->p->places[sight->track->place];
    cr_real* to = k->values + (ptrdiff_t)sight->row * sight->track->width + sight->output->in_place;
    cr_copy(to, sight->value, cri_output_numbers(sight->output));
    if (!sight->output->turns && place->offset_at >= 0) {
      to[0] += k->p->x[place->offset_at + sight->output->in_errors];
    }
  }
}

cr_status cr_identification_predict(cr_identification* id, int run, int channel, cr_real* values,
                                    cr_error* error) {
  const cri_call call = {"cr_identification_predict", error};
  CR_TRY(check_solved(&call, id, values));
  const cri_problem* p = &id->search.p;
  const cri_track* track = NULL;
  for (int t = 0; run >= 0 && run < p->nrun && t < p->runs[run].ntrack; t++) {
    track = p->runs[run].tracks[t].channel == channel ? &p->runs[run].tracks[t] : track;
  }
  if (track == NULL) {
    return cri_fail(error, CR_ERR_ARG, "%s: run %d has no measured channel %d", call.name, run,
                    channel);
  }
  for (int i = 0; i < track->rows * track->width; i++) {
    values[i] = (cr_real)NAN;
  }
  keeper k = {track, values, p};
  for (int w = 0; w < p->nspan; w++) {
    if (p->spans[w].run == run) {
      CR_TRY(w >= p->ntrain ? need_held(id, error) : CR_OK);
      CR_TRY(cri_noise_see(&id->search, w, keep_sight, &k, error));
    }
  }
  return CR_OK;
}
