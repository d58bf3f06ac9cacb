// SPDX-License-Identifier: Apache-2.0
// Identifications: rounds of searches with noises between them, and what they tell. See carom/identify.h.
#include <stdio.h>
#include <stdlib.h>

#include "identify/batch_gradient.h"
#include "identify/coarse.h"
#include "identify/correlated.h"
#include "identify/identification.h"
#include "integrate/adaptive.h"
#include "model/state_vector.h"
#include "model/tableau.h"
#include "predict/layout.h"
#include "predict/scale.h"

// ---- creation

static const char* wrong_option(const cr_identification_options* o) {
  return !(o->window >= 0) || !isfinite(o->window)      ? "the window is negative or not finite"
         : o->start < 0 || o->start > CR_START_MEASURED ? "no such start"
         : !(o->continuity >= 0)                        ? "the continuity is negative"
         : !(o->huber >= 0)                             ? "huber is negative"
         : !(o->held_out >= 0 && o->held_out < 1) ? "the share held out is not between 0 and 1"
         : !(o->longest_delay >= 0) || !isfinite(o->longest_delay)
             ? "the longest delay is negative or not finite"
         : !(o->confidence >= 0 && o->confidence < 1) ? "the confidence is not between 0 and 1"
         : o->correlated && o->continuity > 0
             ? "errors that follow each other are not counted where windows go on (continuity)"
         : o->nthread < 0                     ? "a negative number of threads"
         : o->ndelayed < 0 || o->nshifted < 0 ? "a negative number of places"
         : o->nheld < 0                       ? "a negative number of runs held aside"
         : o->nheld > 0 && o->held_out > 0
             ? "runs are held aside by name and by a share; give one of the two"
             : NULL;
}

static cr_status check_options(const cri_call* call, const cr_identification_options* o) {
  const char* wrong = wrong_option(o);
  if (wrong != NULL) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %s", call->name, wrong);
  }
  if (o->adaptive != NULL) {
    CR_TRY(cri_check_size(call, o->adaptive->size, sizeof *o->adaptive, "cr_adaptive"));
  }
  for (int i = 0; i < o->ndelayed; i++) {
    CR_TRY(cri_given(call, o->delayed, "delayed places"));
    CR_TRY(cri_given(call, o->delayed[i], "a delayed place"));
  }
  for (int i = 0; i < o->nheld; i++) {
    CR_TRY(cri_given(call, o->held, "runs held aside"));
    CR_TRY(cri_given(call, o->held[i], "a run held aside"));
  }
  for (int i = 0; i < o->nshifted; i++) {
    CR_TRY(cri_given(call, o->shifted, "shifted places"));
    CR_TRY(cri_given(call, o->shifted[i], "a shifted place"));
  }
  return CR_OK;
}

static cr_status name_numbers(cr_identification* id, cr_error* error) {
  const cri_problem* p = &id->search.p;
  int reported = cr_parameters_report_count(p->parameters);
  id->names = calloc((size_t)(p->n + reported) + 1, sizeof *id->names);
  if (id->names == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  for (int i = 0; i < p->np; i++) {
    CR_TRY(cr_parameters_number_name(p->parameters, i, id->names[i], CRI_NUMBER_NAME, error));
  }
  for (int i = 0; i < reported; i++) {
    CR_TRY(
        cr_parameters_report_name(p->parameters, i, id->names[p->n + i], CRI_NUMBER_NAME, error));
  }
  for (int k = 0; k < p->nplace; k++) {
    const cri_measured* at = &p->places[k];
    if (at->delay_at >= 0) {
      (void)snprintf(id->names[at->delay_at], CRI_NUMBER_NAME, "delay of %.127s", at->name);
    }
    for (int i = 0; i < at->nerror && at->offset_at >= 0; i++) {
      (void)snprintf(id->names[at->offset_at + i], CRI_NUMBER_NAME,
                     at->nerror > 1 ? "offset of %.127s[%d]" : "offset of %.127s", at->name, i);
    }
  }
  return CR_OK;
}

// the caller's texts may go: places belong to the measurements
static cr_status keep_places(cr_identification* id, cr_error* error) {
  const cri_problem* p = &id->search.p;
  cr_identification_options* o = &id->options;
  id->places = calloc((size_t)o->ndelayed + (size_t)o->nshifted + 1, sizeof *id->places);
  if (id->places == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  for (int i = 0; i < o->ndelayed + o->nshifted; i++) {
    const char* name = i < o->ndelayed ? o->delayed[i] : o->shifted[i - o->ndelayed];
    for (int k = 0; k < p->nplace; k++) {
      id->places[i] = strcmp(p->places[k].name, name) == 0 ? p->places[k].name : id->places[i];
    }
  }
  o->delayed = id->places;
  o->shifted = id->places + o->ndelayed;
  return CR_OK;
}

// numbers of a run that were measured
static long count_measured(const cri_track_run* run) {
  long n = 0;
  for (int t = 0; t < run->ntrack; t++) {
    const cri_track* track = &run->tracks[t];
    for (long i = 0; i < (long)track->rows * track->width; i++) {
      n += !isnan(track->values[i]);
    }
  }
  return n;
}

static long count_priors(const cri_problem* p) {
  cr_real residual[CR_MAX_PARAMETERS], derivative[CR_MAX_PARAMETERS];
  long n = 0;
  cri_parameters_prior(p->parameters, p->x, residual, derivative);
  for (int i = 0; i < p->np; i++) {
    n += cr_abs(derivative[i]) > 0;
  }
  return n;
}

// the windows belong to these runs, and the runs hold more numbers than are to be found
static cr_status check_lengths(const cri_problem* p, const cr_identification_options* o,
                               cr_error* error) {
  cr_real longest = 0;
  long measured = count_priors(p), unknown = p->n;
  for (int r = 0; r < p->nrun; r++) {
    longest = cr_max(longest, p->runs[r].end - p->runs[r].begin);
    for (int i = 0; i < p->ntrain; i++) {
      if (p->spans[i].run == r) {
        measured += count_measured(&p->runs[r]);
        unknown += p->starts_known ? 0 : p->nx;
        break;
      }
    }
  }
  for (int k = 0; k < p->nplace; k++) {
    unknown += !p->places[k].noise_given;
  }
  if (o->window > 2 * longest) {
    return cri_fail(error, CR_ERR_ARG,
                    "windows of %.6g s do not fit: the longest run has %.6g s of measurements",
                    (double)o->window, (double)longest);
  }
  return measured > unknown
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "%ld numbers are known of the runs to fit, and %ld are to be found, "
                        "with the states at the starts and the noise: measure longer",
                        measured, unknown);
}

// the grid is the time step: controls change there, and what is seen between two points of it is interpolated
static cr_status check_adaptive(const cr_model* m, const cr_adaptive* o, cr_error* error) {
  CR_TRY(cri_adaptive_check(m, o, error));
  if (o->linear) {
    return cri_fail(error, CR_ERR_ARG, "adaptive steps of an identification hold the controls");
  }
  return o->grid == 0 || cr_abs(o->grid / m->timestep - 1) < CR_R(1e-9)
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "the grid of adaptive steps is %.9g s: the model's time step, %.9g s, or 0 "
                        "expected",
                        (double)o->grid, (double)m->timestep);
}

static cr_status make(cr_identification* id, cr_parameters* parameters, const cr_measurements* ms,
                      cr_error* error) {
  cri_problem* p = &id->search.p;
  const cr_adaptive* adaptive = id->options.adaptive;
  CR_TRY(adaptive != NULL ? check_adaptive(cri_parameters_model(parameters), adaptive, error)
                          : CR_OK);
  CR_TRY(cri_layout(p, parameters, ms, &id->options, error));
  if (adaptive != NULL) {
    id->options.adaptive = &p->adaptive;  // the caller's may go
  }
  if (p->m->nv == 0) {
    return cri_fail(error, CR_ERR_ARG, "the model has no joints: there is no motion to fit");
  }
  CR_TRY(keep_places(id, error));
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
  CR_TRY(cr_identification_get_start(id, p->x, error));
  return check_lengths(p, &id->options, error);
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
  free(id->places);
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
      scale[i] = cri_scale_of(p, p->x, i);
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

bool cri_identification_follows(const cr_identification* id, int place) {
  const cri_place_sums* s = &id->sums[CR_RUNS_TRAIN][place];
  cr_real white = cri_student(id->options.confidence, (cr_real)INFINITY);
  return s->pairs > 0 && s->ee > 0 &&
         cr_abs(s->e_next / (cr_real)s->pairs / (s->ee / (cr_real)s->n)) >
             2 * white / cr_sqrt((cr_real)s->pairs);
}

// the inference once more, for errors that follow each other as they do
static cr_status count_correlation(cr_identification* id, cr_error* error) {
  cri_search* s = &id->search;
  const cri_problem* p = &s->p;
  size_t n = (size_t)p->n;
  cr_real *H = calloc(n * n + n + 1, sizeof *H), *scale = H != NULL ? H + n * n : NULL;
  bool* follows = calloc((size_t)p->nplace + 1, sizeof *follows);
  cr_status status = CR_OK;
  if (H == NULL || follows == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  for (int k = 0; k < p->nplace && status == CR_OK; k++) {
    follows[k] = cri_identification_follows(id, k);
  }
  if (status == CR_OK) {
    cr_copy(H, cri_normal_matrix(s->normal), p->n * p->n);
    cr_copy(scale, id->inference.scale, p->n);
    status = cri_correlated_information(s, follows, scale, H, error);
  }
  if (status == CR_OK) {
    cri_inference_free(&id->inference);
    status = cri_inference_of(&id->inference, p->n, H, scale, 1 / cr_sqrt(id->excess), error);
  }
  free(follows);
  free(H);
  return status;
}

// how far the normal equations would still move the numbers that are told, the most in their standard deviations
static cr_status left_to_go(const cr_identification* id, cr_real* left, cr_error* error) {
  const cri_problem* p = &id->search.p;
  const cri_inference* f = &id->inference;
  size_t n = (size_t)p->n;
  cr_real* room = calloc(3 * n + 1, sizeof *room);
  if (room == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  cr_real *step = room, *lower = step + n, *upper = lower + n;
  cri_inference_step(f, cri_normal_right(id->search.normal), step);
  cri_search_bounds(p, false, lower, upper);
  *left = 0;
  for (int i = 0; i < p->n; i++) {
    bool out = p->x[i] + step[i] < lower[i] || p->x[i] + step[i] > upper[i];
    cr_real variance = f->covariance[(ptrdiff_t)i * p->n + i] * id->excess;
    if (f->told[i] && !out && variance > 0) {
      *left = cr_max(*left, cr_abs(step[i]) / cr_sqrt(variance));
    }
  }
  free(room);
  return CR_OK;
}

// the starts alone, on the windows of the search
static cr_status find_starts(cri_search* s, cr_error* error) {
  const cr_damping damping = {.iterations = 50,
                              .damping = CR_R(1e-3),
                              .step_tolerance = CR_R(1e-10),
                              .value_tolerance = CR_R(1e-6)};
  cr_damped_end e;
  if (s->saving != NULL) {
    s->saving->leg = CRI_COARSE_LEGS;
  }
  return cri_search_minimise(s, 0, s->p.ntrain, true, &damping, &e, error);
}

// what comes before the rounds
static cr_status begin(cr_identification* id, bool stay, bool x_fixed, cr_search_end* end,
                       cr_error* error) {
  cri_search* s = &id->search;
  if (s->saving == NULL || s->saving->options->resume == NULL) {
    CR_TRY(cri_search_move(s, s->p.x, false, error));
    CR_TRY(cri_search_cost(s, 0, s->p.ntrain, false, &end->start_cost, error));
  } else {
    CR_TRY(cri_saving_read(s->saving, error));
  }
  int leg = s->saving != NULL ? s->saving->leg : 0;
  if (leg < CRI_COARSE_LEGS) {
    CR_TRY(cri_coarse_fit(s, id->measurements, &id->options, x_fixed || stay, error));
  }
  return stay && !s->p.starts_known && leg < CRI_FIRST_ROUND ? find_starts(s, error) : CR_OK;
}

cr_status cri_identification_rounds(cr_identification* id, const cr_search* o, bool x_fixed,
                                    cr_search_end* end, cr_error* error) {
  cri_search* s = &id->search;
  const cr_damping damping = {.iterations = o->iterations > 0 ? o->iterations : 100,
                              .damping = o->gauss_newton ? 0 : CR_R(1e-3),
                              .step_tolerance = CR_R(1e-12),
                              .gradient_tolerance = 0,
                              .value_tolerance = o->tolerance > 0 ? o->tolerance : CR_R(1e-10)};
  cr_real change = 1;
  s->steps = 0;
  CR_TRY(begin(id, o->stay, x_fixed, end, error));
  while (end->rounds < CRI_MOST_ROUNDS && change > CR_R(1e-3)) {
    cr_damped_end e;
    if (s->saving != NULL) {
      s->saving->leg = CRI_FIRST_ROUND + end->rounds;
    }
    CR_TRY(cri_search_minimise(s, 0, s->p.ntrain, x_fixed, &damping, &e, error));
    end->rounds++;
    end->steps += e.taken;
    end->cost = e.value;
    end->reason = e.reason;
    end->converged = e.tried < damping.iterations;
    CR_TRY(cri_noise_sum(s, 0, s->p.ntrain, id->sums[CR_RUNS_TRAIN], error));
    change = cri_noise_update(&s->p, id->sums[CR_RUNS_TRAIN]);
  }
  return CR_OK;
}

static cr_status search_and_save(cr_identification* id, const cr_search* o, cr_search_end* end,
                                 cr_error* error) {
  cri_search* s = &id->search;
  cri_saving saving;
  if (o->save == NULL && o->resume == NULL) {
    return cri_identification_rounds(id, o, false, end, error);
  }
  cr_status status = cri_saving_create(&saving, s, id->measurements, &id->options, o, end, error);
  if (status == CR_OK) {
    s->saving = &saving;
    status = cri_identification_rounds(id, o, false, end, error);
    s->saving = NULL;
  }
  cri_saving_free(&saving);
  return status;
}

cr_status cri_identification_check_x(const cri_call* call, const cr_identification* id,
                                     const cr_real* x) {
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
  CR_TRY(cri_given(&call, id, "the identification"));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_given(&call, end, "where the end goes"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_search"));
  CR_TRY(cri_check_size(&call, end->size, sizeof *end, "cr_search_end"));
  CR_TRY(o->resume == NULL ? cri_identification_check_x(&call, id, x) : CR_OK);
  cri_problem* p = &id->search.p;
  id->solved = id->held_fitted = false;
  cr_copy(p->x, x, p->n);
  *end = (cr_search_end){.size = end->size, .reason = ""};
  CR_TRY(search_and_save(id, o, end, error));
  CR_TRY(infer(id, error));
  CR_TRY(left_to_go(id, &end->left, error));
  for (int w = 0; w < p->ntrain; w++) {
    end->uncounted += id->search.uncounted[w];
  }
  CR_TRY(id->options.correlated ? count_correlation(id, error) : CR_OK);
  if (end->converged && end->left > 1) {
    end->converged = false;
    end->reason = "the sum of squares is rougher than its derivative";
  }
  cr_copy(x, p->x, p->n);
  id->solved = true;
  id->trained = false;
  return CR_OK;
}

cr_status cri_identification_fit_held(cr_identification* id, cr_error* error) {
  cri_search* s = &id->search;
  const cr_damping damping = {.iterations = 50,
                              .damping = CR_R(1e-3),
                              .step_tolerance = CR_R(1e-12),
                              .value_tolerance = CR_R(1e-10)};
  cr_damped_end e;
  return s->p.nspan == s->p.ntrain || s->p.starts_known
             ? CR_OK
             : cri_search_minimise(s, s->p.ntrain, s->p.nspan - s->p.ntrain, true, &damping, &e,
                                   error);
}

// by sweeps back, which takes as long for thousands of numbers as for one
static cr_status sweep(cr_identification* id, int first, int n, cr_real* cost, cr_real* gradient,
                       cr_error* error) {
  cri_search* s = &id->search;
  int64_t numbers;
  int* window = calloc((size_t)n + 1, sizeof *window);
  if (window == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  for (int i = 0; i < n; i++) {
    window[i] = first + i;
  }
  cr_status status = cri_gradient_of(s, window, n, cost, &numbers, gradient, error);
  free(window);
  if (status == CR_OK && first == 0) {
    *cost += cri_search_priors(s, gradient);
  }
  return status;
}

// cost of a part at p.x, with its gradient
static cr_status evaluate(cr_identification* id, cr_run_part part, cr_real* cost, cr_real* gradient,
                          cr_error* error) {
  cri_search* s = &id->search;
  const cri_problem* p = &s->p;
  int first = part == CR_RUNS_TRAIN ? 0 : p->ntrain;
  int n = part == CR_RUNS_TRAIN ? p->ntrain : p->nspan - p->ntrain;
  if (part == CR_RUNS_HELD) {
    CR_TRY(cri_identification_fit_held(id, error));
  }
  bool by_rows = p->continuity > 0;  // their ends count too
  CR_TRY(cri_search_move(s, p->x, by_rows && gradient != NULL, error));
  if (!by_rows) {
    return sweep(id, first, n, cost, gradient, error);
  }
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
  CR_TRY(cri_identification_check_x(&call, id, x));
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
