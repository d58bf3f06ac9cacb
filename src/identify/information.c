// SPDX-License-Identifier: Apache-2.0
// What a run would tell about x, were the model right.
#include <stdlib.h>

#include "identify/identification.h"
#include "predict/scale.h"

// values that the model itself shows in place of those that were measured: errors are 0, and what they say of x is that of
// a model that is right
typedef struct {
  const cri_track* first;
  cr_real** values;  // of every track
} stand_in;

static void keep_sight(void* context, const cri_sight* sight) {
  const stand_in* k = context;
  cr_real* values = k->values[sight->track - k->first];
  cr_copy(values + (ptrdiff_t)sight->row * sight->track->width + sight->output->in_place,
          sight->value, cri_output_numbers(sight->output));
}

typedef struct {
  int first, n;  // windows
} windows;

static windows windows_of(const cri_problem* p, int run) {
  windows at = {0};
  for (int w = p->nspan - 1; w >= 0; w--) {
    at.n += p->spans[w].run == run;
    at.first = p->spans[w].run == run ? w : at.first;
  }
  return at;
}

// values[ntrack], each of its own memory
static cr_status predict_values(cri_search* s, int run, windows at, cr_real** values,
                                cr_error* error) {
  const cri_track_run* r = &s->p.runs[run];
  stand_in k = {r->tracks, values};
  for (int t = 0; t < r->ntrack; t++) {
    const cri_track* track = &r->tracks[t];
    int n = track->rows * track->width;
    values[t] = calloc((size_t)n + 1, sizeof *values[t]);
    if (values[t] == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
    }
    cr_copy(values[t], track->values, n);
  }
  for (int w = at.first; w < at.first + at.n; w++) {
    CR_TRY(cri_noise_see(s, w, keep_sight, &k, error));
  }
  return CR_OK;
}

// values of the tracks and those that stand for them change places
static void exchange(cri_track_run* r, cr_real** values) {
  for (int t = 0; t < r->ntrack; t++) {
    const cr_real* measured = r->tracks[t].values;
    r->tracks[t].values = values[t];
    values[t] = (cr_real*)(uintptr_t)measured;
  }
}

// J'J with the starts eliminated
static cr_status eliminate(cri_search* s, windows at, cr_real* information, cr_error* error) {
  const cri_problem* p = &s->p;
  size_t all = (size_t)p->n + (size_t)p->nspan * (size_t)p->nx;
  cr_real* room = calloc(2 * all + 1, sizeof *room);
  bool* fixed = calloc((size_t)p->n + 1, sizeof *fixed);
  cr_status status = CR_OK;
  if (room == NULL || fixed == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  for (int i = 0; i < p->n && status == CR_OK; i++) {
    fixed[i] = true;  // nothing is solved for x
  }
  if (status == CR_OK) {
    status = cri_normal_solve(s->normal, p, at.first, at.n, 0, room, fixed, room + all, error);
  }
  if (status == CR_OK) {
    cr_copy(information, cri_normal_matrix(s->normal), p->n * p->n);
  }
  free(room);
  free(fixed);
  return status;
}

// at the present x
static cr_status inform(cri_search* s, int run, cr_real** values, cr_real* information,
                        cr_error* error) {
  cri_problem* p = &s->p;
  windows at = windows_of(p, run);
  cr_real cost;
  CR_TRY(cri_search_move(s, p->x, true, error));
  CR_TRY(predict_values(s, run, at, values, error));
  exchange(&p->runs[run], values);
  cr_status status = cri_search_cost(s, at.first, at.n, true, &cost, error);
  exchange(&p->runs[run], values);
  CR_TRY(status);
  return eliminate(s, at, information, error);
}

cr_status cr_identification_information(cr_identification* id, int run, const cr_real* x,
                                        cr_real* information, cr_error* error) {
  const cri_call call = {"cr_identification_information", error};
  CR_TRY(cri_identification_check_x(&call, id, x));
  CR_TRY(cri_given(&call, information, "information"));
  cri_search* s = &id->search;
  cri_problem* p = &s->p;
  if (run < 0 || run >= p->nrun) {
    return cri_fail(error, CR_ERR_ARG, "%s: there is no run %d", call.name, run);
  }
  int ntrack = p->runs[run].ntrack;
  cr_real** values = calloc((size_t)ntrack + 1, sizeof *values);
  if (values == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  cr_real kept[2 * CR_MAX_PARAMETERS], huber = p->huber;
  cr_copy(kept, p->x, p->n);
  cr_copy(p->x, x, p->n);
  p->huber = 0;
  s->no_priors = true;
  cr_status status = inform(s, run, values, information, error);
  s->no_priors = false;
  p->huber = huber;
  cr_copy(p->x, kept, p->n);
  cr_status back = cri_search_move(s, p->x, false, status == CR_OK ? error : NULL);
  for (int t = 0; t < ntrack; t++) {
    free(values[t]);
  }
  free(values);
  return status == CR_OK ? back : status;
}

cr_status cr_identification_get_scale(cr_identification* id, const cr_real* x, cr_real* scale,
                                      cr_error* error) {
  const cri_call call = {"cr_identification_get_scale", error};
  CR_TRY(cri_identification_check_x(&call, id, x));
  CR_TRY(cri_given(&call, scale, "scale"));
  cri_problem* p = &id->search.p;
  cr_real kept[2 * CR_MAX_PARAMETERS];
  cr_copy(kept, p->x, p->n);
  cr_copy(p->x, x, p->n);
  for (int i = 0; i < p->n; i++) {
    scale[i] = cri_scale_of(p, p->x, i);
  }
  cr_copy(p->x, kept, p->n);
  return CR_OK;
}
