// SPDX-License-Identifier: Apache-2.0
// The extended Kalman filter.
//   [kalman.k1] P+ = A P A' + F diag(force^2) F' + diag(state^2)
//   [kalman.k2] e = y - h(x, u), x+ = x (+) K e
//   [kalman.k3] number by number, c a row of C, r its variance: s = c P c' + r, k = P c' / s, d += k (e - c d), P -= s k k'
#include <math.h>
#include <stdlib.h>

#include "carom/filter.h"
#include "carom/step.h"
#include "carom/step_jacobian.h"
#include "engine/data_create.h"
#include "integrate/inputs.h"
#include "kinematics/configuration.h"
#include "math/combine.h"
#include "model/misuse.h"
#include "model/names.h"
#include "model/sensors.h"
#include "model/state_vector.h"

struct cr_filter {
  const cr_model* m;
  cr_data* d;
  cr_jacobian* step;
  cr_sensor_jacobian* sensors;
  int nx;
  cr_real *sensor_noise, *force, *state;  // variances; force, state: zeros where there are none
  cr_real *P, *next;                      // nx nx
  cr_real *A, *F, *C;                     // nx nx, nx nv, nsensordata nx
  cr_real *row, *change;                  // nx
  cr_real* error;                         // nsensordata
  cr_real* memory;
};

// ---- creation

static cr_status check_deviations(const cri_call* call, const cr_real* x, int n, bool zero_allowed,
                                  const char* what) {
  for (int i = 0; i < n && x != NULL; i++) {
    if (!(isfinite(x[i]) && (x[i] > 0 || (zero_allowed && x[i] == 0)))) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: %s[%d] is %g; it has to be %s", call->name,
                      what, i, (double)x[i], zero_allowed ? "0 or more" : "above 0");
    }
  }
  return CR_OK;
}

static cr_status check_options(const cri_call* call, const cr_model* m, int nx,
                               const cr_filter_options* o) {
  CR_TRY(cri_given(call, o, "options"));
  CR_TRY(cri_check_size(call, o->size, sizeof *o, "cr_filter_options"));
  CR_TRY(cri_given(call, o->sensor_noise, "sensor_noise"));
  CR_TRY(check_deviations(call, o->sensor_noise, m->nsensordata, false, "sensor_noise"));
  CR_TRY(check_deviations(call, o->start, nx, true, "start"));
  CR_TRY(check_deviations(call, o->force, m->nv, true, "force"));
  return check_deviations(call, o->state, nx, true, "state");
}

static void square(cr_real* to, const cr_real* deviation, int n, int stride) {
  for (ptrdiff_t i = 0; i < n && deviation != NULL; i++) {
    to[i * stride] = deviation[i] * deviation[i];
  }
}

static cr_status make_room(cr_filter* f, cr_error* error) {
  size_t x = (size_t)f->nx, v = (size_t)f->m->nv, y = (size_t)f->m->nsensordata;
  const struct {
    cr_real** at;
    size_t n;
  } parts[] = {{&f->sensor_noise, y}, {&f->force, v},  {&f->state, x}, {&f->P, x * x},
               {&f->next, x * x},     {&f->A, x * x},  {&f->F, x * v}, {&f->C, y * x},
               {&f->row, x},          {&f->change, x}, {&f->error, y}};
  size_t n = 1;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    n += parts[i].n;
  }
  cr_real* at = f->memory = calloc(n, sizeof *at);
  if (at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "filter: no memory for %d states", f->nx);
  }
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    *parts[i].at = at;
    at += parts[i].n;
  }
  return CR_OK;
}

static cr_status begin(cr_filter* f, const cr_data* start, const cr_filter_options* o,
                       cr_error* error) {
  cr_capacity capacity = cri_capacity_of(start);
  CR_TRY(make_room(f, error));
  CR_TRY(cri_data_create(&f->d, f->m, &capacity, error));
  CR_TRY(cr_jacobian_create(&f->step, f->m, f->d, error));
  CR_TRY(cr_sensor_jacobian_create(&f->sensors, f->m, f->d, error));
  cri_inputs_copy(f->m, f->d, start);
  square(f->sensor_noise, o->sensor_noise, f->m->nsensordata, 1);
  square(f->P, o->start, f->nx, f->nx + 1);
  square(f->force, o->force, f->m->nv, 1);
  square(f->state, o->state, f->nx, 1);
  return CR_OK;
}

cr_status cr_filter_create(cr_filter** filter, const cr_model* m, const cr_data* start,
                           const cr_filter_options* options, cr_error* error) {
  const cri_call call = {"cr_filter_create", error};
  CR_TRY(cri_given(&call, filter, "where the filter goes"));
  *filter = NULL;
  CR_TRY(cri_check_data(&call, m, start, CR_DATA_PLAIN, "the start"));
  int nx = cri_state_tangent_size(m);
  CR_TRY(check_options(&call, m, nx, options));
  if (m->nsensordata == 0) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "%s: the model has no sensors", call.name);
  }
  cr_filter* f = calloc(1, sizeof *f);
  if (f == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "filter: no memory");
  }
  f->m = m;
  f->nx = nx;
  cr_status status = begin(f, start, options, error);
  if (status != CR_OK) {
    cr_filter_destroy(f);
    return status;
  }
  *filter = f;
  return CR_OK;
}

void cr_filter_destroy(cr_filter* filter) {
  if (filter != NULL) {
    cr_sensor_jacobian_destroy(filter->sensors);
    cr_jacobian_destroy(filter->step);
    cri_data_free(filter->d);
    free(filter->memory);
    free(filter);
  }
}

cr_data* cr_filter_data(cr_filter* filter) { return filter != NULL ? filter->d : NULL; }

cr_real* cr_filter_covariance(cr_filter* filter) { return filter != NULL ? filter->P : NULL; }

// ---- what both parts share

static void hold(cr_filter* f, const cr_real* ctrl) {
  if (ctrl != NULL) {
    cr_copy(f->d->ctrl, ctrl, f->m->nu);
  }
}

static cr_status told(const cr_filter* f, cr_status status, cr_error* error) {
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(f->d));
}

// the upper triangle is that of the lower one
static void mirror(cr_real* P, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < i; j++) {
      P[j * n + i] = P[i * n + j];
    }
  }
}

// ---- a step

// [kalman.k1], row after row; A P A' needs rows of A P and columns of A', which are rows of A
static void spread(cr_filter* f) {
  ptrdiff_t n = f->nx, nv = f->m->nv;
  for (ptrdiff_t i = 0; i < n; i++) {
    const cr_real *a = f->A + i * n, *b = f->F + i * nv;
    cr_zero(f->row, f->nx);
    cri_combine(f->row, a, f->nx, f->P, f->nx, f->nx);
    for (ptrdiff_t j = 0; j <= i; j++) {
      const cr_real *c = f->A + j * n, *e = f->F + j * nv;
      cr_real sum = i == j ? f->state[i] : 0;
      for (ptrdiff_t k = 0; k < n; k++) {
        sum += f->row[k] * c[k];
      }
      for (ptrdiff_t k = 0; k < nv; k++) {
        sum += b[k] * f->force[k] * e[k];
      }
      f->next[i * n + j] = sum;
    }
  }
  mirror(f->next, n);
}

cr_status cr_filter_predict(cr_filter* filter, const cr_real* ctrl, cr_error* error) {
  const cri_call call = {"cr_filter_predict", error};
  CR_TRY(cri_given(&call, filter, "filter"));
  cr_filter* f = filter;
  hold(f, ctrl);
  CR_TRY(told(f, cr_step(f->m, f->d), error));
  cr_status status = cr_step_jacobian(f->m, f->d, f->step, f->A, NULL, f->F);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s", cr_jacobian_error(f->step));
  }
  spread(f);
  CR_TRY(told(f, cr_advance(f->m, f->d), error));
  cr_copy(f->P, f->next, f->nx * f->nx);
  return CR_OK;
}

// ---- a measurement

// of a quaternion the sign that is nearer to what was seen
static bool turned_round(const cr_model* m, int sensor, const cr_real* seen, const cr_real* is) {
  if (m->sensor_type[sensor] != CR_SENS_BALLQUAT && m->sensor_type[sensor] != CR_SENS_FRAMEQUAT) {
    return false;
  }
  return seen[0] * is[0] + seen[1] * is[1] + seen[2] * is[2] + seen[3] * is[3] < 0;
}

// [kalman.k2]; NaN where nothing was seen
static cr_status compare(cr_filter* f, const cr_real* seen, cr_error* error) {
  const cr_model* m = f->m;
  for (int s = 0; s < m->nsensor; s++) {
    int first = m->sensor_adr[s], n = m->sensor_dim[s];
    cr_real sign = turned_round(m, s, seen + first, f->d->sensordata + first) ? -1 : 1;
    for (int i = first; i < first + n; i++) {
      if (isinf(seen[i])) {
        return cri_fail(error, CR_ERR_NONFINITE, "cr_filter_correct: number %d of %s is infinite",
                        i - first, cri_label(m, CRI_OBJECT_sensor, s).text);
      }
      f->error[i] = sign * seen[i] - f->d->sensordata[i];
    }
  }
  return CR_OK;
}

// [kalman.k3] of number i: d and P; returns the square of its error over its variance
static cr_real take(cr_filter* f, int i) {
  ptrdiff_t n = f->nx;
  const cr_real* c = f->C + i * n;
  cr_real s = f->sensor_noise[i], e = f->error[i];
  cr_zero(f->row, f->nx);
  cri_combine(f->row, c, f->nx, f->next, f->nx, f->nx);
  for (ptrdiff_t k = 0; k < n; k++) {
    s += f->row[k] * c[k];
    e -= c[k] * f->change[k];
  }
  for (ptrdiff_t k = 0; k < n; k++) {
    cr_real gain = f->row[k] / s;
    f->change[k] += gain * e;
    for (ptrdiff_t l = 0; l < n; l++) {
      f->next[k * n + l] -= gain * f->row[l];
    }
  }
  return e * e / s;
}

static void move(cr_filter* f) {
  cri_state s = cri_state_of(f->m, f->d);
  cri_configuration_move(f->m, f->d->qpos, f->change, 1, f->d->qpos);
  const cri_state by = cri_state_at(cri_state_tangent_sizes(f->m), 1, f->change);
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    for (int i = 0; i < s.part[k].n; i++) {
      s.part[k].x[i] += by.part[k].x[i];
    }
  }
}

cr_status cr_filter_correct(cr_filter* filter, const cr_real* sensordata, const cr_real* ctrl,
                            cr_real* surprise, int* seen, cr_error* error) {
  const cri_call call = {"cr_filter_correct", error};
  CR_TRY(cri_given(&call, filter, "filter"));
  CR_TRY(cri_given(&call, sensordata, "sensordata"));
  cr_filter* f = filter;
  cr_real sum = 0;
  int n = 0;
  hold(f, ctrl);
  CR_TRY(told(f, cr_forward(f->m, f->d), error));
  CR_TRY(compare(f, sensordata, error));
  cr_status status = cr_sensordata_jacobian(f->m, f->d, f->sensors, f->C, NULL);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s", cr_sensor_jacobian_error(f->sensors));
  }
  cr_copy(f->next, f->P, f->nx * f->nx);
  cr_zero(f->change, f->nx);
  for (int i = 0; i < f->m->nsensordata; i++) {
    if (!isnan(f->error[i])) {
      sum += take(f, i);
      n++;
    }
  }
  move(f);
  mirror(f->next, f->nx);
  cr_copy(f->P, f->next, f->nx * f->nx);
  if (surprise != NULL) {
    *surprise = sum;
  }
  if (seen != NULL) {
    *seen = n;
  }
  return CR_OK;
}
