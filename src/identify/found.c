// SPDX-License-Identifier: Apache-2.0
// What an identification found: estimates with intervals, what the data cannot tell, errors of places, predictions.
#include "identify/identification.h"

#include <stdio.h>

#include "model/misuse.h"

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
