// SPDX-License-Identifier: Apache-2.0
// Embedded Runge-Kutta on vectors.
#include "integrate/ode.h"

// the rates of the stages, one row each; y and the growth of y and z over the step; its error
typedef struct {
  cr_real *rows, *stage, *sum, *error;
} room;

static size_t width(const cri_ode* ode) { return (size_t)ode->n + (size_t)ode->nquad; }

size_t cri_ode_room(const cri_tableau* t, int n, int nquad) {
  return (size_t)(t->n + 2) * ((size_t)n + (size_t)nquad) + (size_t)n;
}

static room room_of(const cri_ode* ode) {
  cr_real* stage = ode->memory + (size_t)ode->t->n * width(ode);
  return (room){ode->memory, stage, stage + ode->n, stage + (size_t)ode->n + width(ode)};
}

// sum = h sum over k of c_k row_k, the first n numbers of each
static void add_up(const cri_ode* ode, const room* r, cr_real h, const cr_real* c, int rows,
                   size_t n, cr_real* sum) {
  memset(sum, 0, n * sizeof *sum);
  for (int k = 0; k < rows; k++) {
    const cr_real* x = r->rows + (size_t)k * width(ode);
    for (size_t i = 0; c[k] != 0 && i < n; i++) {
      sum[i] += h * c[k] * x[i];
    }
  }
}

// the first row stays when a step is rejected
static cr_status first_stage(cri_ode* ode, const room* r, cr_real s) {
  if (!ode->known) {
    CR_TRY(ode->rate(ode->context, s, ode->y, r->rows));
    ode->known = true;
  }
  return CR_OK;
}

static cr_status later_stages(cri_ode* ode, const room* r, cr_real s, cr_real h) {
  for (int i = 1; i < ode->t->n; i++) {
    const cr_real* a = ode->t->a + i * ode->t->n;
    cr_real c = 0;
    add_up(ode, r, h, a, i, (size_t)ode->n, r->stage);
    for (int k = 0; k < ode->n; k++) {
      r->stage[k] += ode->y[k];
    }
    for (int k = 0; k < i; k++) {
      c += a[k];
    }
    CR_TRY(ode->rate(ode->context, s + c * h, r->stage, r->rows + (size_t)i * width(ode)));
  }
  return CR_OK;
}

// the root mean square of n errors in units of the allowed error for y, which grows by `sum`
static cr_real rms(const cr_adaptive* o, const cr_real* error, const cr_real* y, const cr_real* sum,
                   int n) {
  cr_real square = 0;
  for (int i = 0; i < n; i++) {
    cr_real allowed = o->atol + o->rtol * cr_max(cr_abs(y[i]), cr_abs(y[i] + sum[i]));
    square += (error[i] / allowed) * (error[i] / allowed);
  }
  return cr_sqrt(square / cr_max((cr_real)n, 1));
}

// [adaptive.a1] 1 / E, 0 if the step is not finite
static cr_real inverse_error(const cri_ode* ode, const cr_adaptive* o, const room* r, cr_real h) {
  add_up(ode, r, h, ode->t->b, ode->t->n, width(ode), r->sum);
  add_up(ode, r, h, ode->t->error, ode->t->n, width(ode), r->error);
  cr_real E = rms(o, r->error, ode->y, r->sum, ode->n);
  cr_real E_quad = rms(o, r->error + ode->n, ode->z, r->sum + ode->n, ode->nquad);
  return E < CR_MAX && E_quad < CR_MAX ? 1 / cr_max(cr_max(E, E_quad), CR_EPS) : 0;
}

static void advance(cri_ode* ode, const room* r) {
  for (int i = 0; i < ode->n; i++) {
    ode->y[i] += r->sum[i];
  }
  for (int i = 0; i < ode->nquad; i++) {
    ode->z[i] += r->sum[ode->n + i];
  }
  ode->known = ode->t->last_is_first;
  if (ode->known) {
    const cr_real* last = r->rows + (size_t)(ode->t->n - 1) * width(ode);
    memcpy(r->rows, last, width(ode) * sizeof *last);
  }
}

// errors that no shorter step cures
static bool hopeless(cr_status status) {
  return status == CR_ERR_CAPACITY || status == CR_ERR_ARG || status == CR_ERR_MEMORY;
}

cr_status cri_ode_step(cri_ode* ode, const cr_adaptive* o, cr_real s, cr_real end,
                       cri_controller* c, cr_real* h, cr_error* error) {
  room r = room_of(ode);
  int order = ode->t->error_order;
  cr_real limit = end - s;
  CR_TRY(first_stage(ode, &r, s));
  for (;;) {
    // no sliver before the end
    *h = c->h >= limit * (1 - CR_R(1e-9)) ? limit : c->h;
    CR_TRY(cri_controller_check(o, c, s, *h, end, error));
    cr_status status = later_stages(ode, &r, s, *h);
    if (hopeless(status)) {
      return status;
    }
    cr_real inverse = status == CR_OK ? inverse_error(ode, o, &r, *h) : 0;
    bool accepted = inverse > 1;
    cr_real f = inverse > 0 ? cri_controller_factor(o, c, order, inverse, accepted) : CR_R(0.2);
    if (accepted) {
      cri_controller_accept(c, *h, inverse, *h * f);
      advance(ode, &r);
      return CR_OK;
    }
    c->h = *h * f;
    c->rejected++;
  }
}
