// SPDX-License-Identifier: Apache-2.0
// What an identification found: estimates with intervals, what the data cannot tell, errors of places, predictions.
#include "identify/identification.h"
#include "model/state_vector.h"
#include "predict/layout.h"

#include <stdio.h>
#include <stdlib.h>

// ---- what was found

static cr_status check_solved(const cri_call* call, const cr_identification* id, const void* out) {
  CR_TRY(cri_given(call, id, "the identification"));
  CR_TRY(cri_given(call, out, "where the answer goes"));
  return id->solved
             ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG, "%s: before cr_identification_solve", call->name);
}

static cr_status check_inferred(const cri_call* call, const cr_identification* id,
                                const void* out) {
  CR_TRY(check_solved(call, id, out));
  return !id->trained
             ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG,
                        "%s: there are no intervals without cr_identification_solve", call->name);
}

cr_real cri_identification_number(const cri_problem* p, int i, cr_real d) {
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
  cr_real lower[2 * CR_MAX_PARAMETERS], upper[2 * CR_MAX_PARAMETERS];
  cri_search_bounds(p, false, lower, upper);
  return p->x[i] <= lower[i] || p->x[i] >= upper[i];
}

static cr_real quantile(const cr_identification* id) {
  return cri_student(id->options.confidence, id->freedom);
}

void cri_identification_estimate(const cr_identification* id, int i, cr_estimate* e) {
  const cri_problem* p = &id->search.p;
  const cri_inference* f = &id->inference;
  cr_real variance = f->covariance[(ptrdiff_t)i * p->n + i] * id->excess;
  *e = (cr_estimate){.size = e->size,
                     .name = id->names[i],
                     .value = cri_identification_number(p, i, 0),
                     .lower = -(cr_real)INFINITY,
                     .upper = (cr_real)INFINITY,
                     .deviation = (cr_real)INFINITY,
                     .told = f->told[i],
                     .at_bound = is_at_bound(p, i)};
  if (e->told) {
    e->deviation = cr_sqrt(variance);
    cr_real reach = quantile(id) * e->deviation;
    e->lower = cri_identification_number(p, i, -reach);
    e->upper = cri_identification_number(p, i, reach);
  }
}

cr_status cri_identification_check_estimate(const cri_call* call, const cr_identification* id,
                                            int i, int n, const cr_estimate* e) {
  CR_TRY(check_inferred(call, id, e));
  CR_TRY(cri_check_size(call, e->size, sizeof *e, "cr_estimate"));
  return i >= 0 && i < n ? CR_OK
                         : cri_fail(call->error, CR_ERR_ARG, "%s: no such number", call->name);
}

cr_status cr_identification_get(const cr_identification* id, int i, cr_estimate* e,
                                cr_error* error) {
  const cri_call call = {"cr_identification_get", error};
  CR_TRY(cri_identification_check_estimate(&call, id, i, cr_identification_count(id), e));
  cri_identification_estimate(id, i, e);
  return CR_OK;
}

// ---- what a report tells

// numbers of the report that parameters have
static int reported(const cri_problem* p) { return cr_parameters_report_count(p->parameters); }

int cr_identification_report_count(const cr_identification* id) {
  return id != NULL ? reported(&id->search.p) + id->search.p.n - id->search.p.np : 0;
}

// about a value with this deviation, on the scale on which errors of its kind are even
static void set_interval(cri_report_range range, cr_real q, cr_estimate* e) {
  cr_real reach = q * e->deviation, half_turn = 2 * cr_atan2(1, 1);
  cr_real width = cr_sqrt(cr_max(1 - e->value * e->value, 0)), at, turn;
  switch (range) {
    case CRI_REPORT_POSITIVE:  // log(value)                                  [identification.m6]
      e->lower = e->value * cr_exp(-reach / e->value);
      e->upper = e->value * cr_exp(reach / e->value);
      break;
    case CRI_REPORT_UNIT:  // the angle to the plane across
      at = cr_atan2(e->value, width);
      turn = width > 0 ? reach / width : 0;
      e->lower = cr_sin(cr_max(at - turn, -half_turn));
      e->upper = cr_sin(cr_min(at + turn, half_turn));
      break;
    default:
      e->lower = e->value - reach;
      e->upper = e->value + reach;
  }
}

static cr_status report(const cr_identification* id, int i, cr_estimate* e, cr_error* error) {
  const cri_problem* p = &id->search.p;
  size_t rows = (size_t)reported(p), np = (size_t)p->np;
  cr_real* room = calloc(rows * (np + 1) + (size_t)p->n + 1, sizeof *room);
  if (room == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  cr_real *values = room, *jacobian = values + rows, *gradient = jacobian + rows * np;
  cr_status status = cr_parameters_report_values(p->parameters, p->x, values, jacobian, error);
  if (status == CR_OK) {
    cr_copy(gradient, jacobian + (ptrdiff_t)i * p->np, p->np);
    cr_real deviation = cri_inference_deviation(&id->inference, gradient) * cr_sqrt(id->excess);
    *e = (cr_estimate){.size = e->size,
                       .name = id->names[p->n + i],
                       .value = values[i],
                       .lower = -(cr_real)INFINITY,
                       .upper = (cr_real)INFINITY,
                       .deviation = deviation,
                       .told = isfinite(deviation)};
  }
  free(room);
  return status;
}

cr_status cr_identification_get_report(const cr_identification* id, int i, cr_estimate* e,
                                       cr_error* error) {
  const cri_call call = {"cr_identification_get_report", error};
  CR_TRY(cri_identification_check_estimate(&call, id, i, cr_identification_report_count(id), e));
  const cri_problem* p = &id->search.p;
  int rows = reported(p);
  cri_report_range range =
      i < rows ? cri_parameters_report_range(p->parameters, i) : CRI_REPORT_NUMBER;
  if (range == CRI_REPORT_NUMBER) {
    cri_identification_estimate(id, i < rows ? i : i - rows + p->np, e);
    return CR_OK;
  }
  CR_TRY(report(id, i, e, error));
  if (e->told) {
    set_interval(range, quantile(id), e);
  }
  return CR_OK;
}

cr_status cr_identification_get_combination(const cr_identification* id, const cr_real* g,
                                            cr_estimate* e, cr_error* error) {
  const cri_call call = {"cr_identification_get_combination", error};
  CR_TRY(cri_identification_check_estimate(&call, id, 0, 1, e));
  CR_TRY(cri_given(&call, g, "the combination"));
  const cri_problem* p = &id->search.p;
  cr_real value = 0;
  for (int i = 0; i < p->n; i++) {
    if (!isfinite(g[i])) {
      return cri_fail(error, CR_ERR_ARG, "%s: g[%d] is not finite", call.name, i);
    }
    value += g[i] * p->x[i];
  }
  cr_real deviation = cri_inference_deviation(&id->inference, g) * cr_sqrt(id->excess);
  *e = (cr_estimate){.size = e->size,
                     .name = "a combination",
                     .value = value,
                     .lower = value - quantile(id) * deviation,
                     .upper = value + quantile(id) * deviation,
                     .deviation = deviation,
                     .told = isfinite(deviation)};
  return CR_OK;
}

cr_status cr_identification_covariance(const cr_identification* id, cr_real* covariance,
                                       cr_real* correlation, cr_error* error) {
  const cri_call call = {"cr_identification_covariance", error};
  CR_TRY(check_inferred(&call, id, id));
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
  CR_TRY(check_inferred(&call, id, n));
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
  CR_TRY(cri_identification_fit_held(id, error));
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

// ---- states at the starts

int cr_identification_windows(const cr_identification* id, cr_run_part part) {
  if (id == NULL) {
    return 0;
  }
  const cri_problem* p = &id->search.p;
  return part == CR_RUNS_TRAIN ? p->ntrain : part == CR_RUNS_HELD ? p->nspan - p->ntrain : 0;
}

cr_status cr_identification_get_state(cr_identification* id, int i, int* run, cr_real* time,
                                      cr_real* qpos, cr_real* qvel, cr_real* act, cr_error* error) {
  const cri_call call = {"cr_identification_get_state", error};
  CR_TRY(check_solved(&call, id, id));
  const cri_problem* p = &id->search.p;
  if (i < 0 || i >= p->nspan) {
    return cri_fail(error, CR_ERR_ARG, "%s: no such window", call.name);
  }
  CR_TRY(i >= p->ntrain ? need_held(id, error) : CR_OK);
  cr_real* state = calloc((size_t)cri_state_size(p->m) + 1, sizeof *state);
  if (state == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  cri_layout_start(p, i, state);
  cr_real* const to[] = {qpos, qvel, act};
  const int n[] = {p->m->nq, p->m->nv, p->m->na};
  const cr_real* from = state;
  for (int k = 0; k < 3; k++) {
    if (to[k] != NULL) {
      cr_copy(to[k], from, n[k]);
    }
    from += n[k];
  }
  free(state);
  if (run != NULL) {
    *run = p->spans[i].run;
  }
  if (time != NULL) {
    *time = p->spans[i].begin;
  }
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
