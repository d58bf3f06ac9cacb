// SPDX-License-Identifier: Apache-2.0
// Knots at t_j = j (nstep - 1) / (nknot - 1) steps; of held controls at j nstep / nknot.
#include "control/control_shape.h"

#include <stdlib.h>

static cr_status check(cr_control_shape shape, int nstep, int nknot, cr_error* error) {
  static const char* const words[] = {"step", "zero", "linear", "cubic"};
  if (shape > CR_CONTROLS_CUBIC) {
    return cri_fail(error, CR_ERR_ARG, "plan: there is no shape %d of controls", (int)shape);
  }
  int least = shape == CR_CONTROLS_STEP || shape == CR_CONTROLS_ZERO ? 1 : 2;
  return nknot >= least && nknot <= nstep
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "plan: %d knots of controls '%s' over %d steps: %d to %d are possible",
                        nknot, words[shape], nstep, least, nstep);
}

static int held_knot(const cri_controls* c, int k) {
  return (int)((int64_t)k * c->nknot / c->nstep);
}

// place of a time in steps among the knots: the knot before it and the share of the way to the next
static int before(const cri_controls* c, cr_real step, cr_real* share) {
  cr_real at = c->nstep > 1 ? step * (cr_real)(c->nknot - 1) / (cr_real)(c->nstep - 1) : 0;
  int j = (int)cr_floor(at);
  j = j > c->nknot - 2 ? c->nknot - 2 : j;
  *share = cr_min(at - (cr_real)j, 1);
  return j;
}

// Hermite's cubic with slopes (theta_{j+1} - theta_{j-1}) / 2, at the ends of the nearest two
static void cubic(const cri_controls* c, int j, cr_real f, int32_t* knot, cr_real* w) {
  cr_real f2 = f * f, f3 = f2 * f, a = f3 - 2 * f2 + f, b = f3 - f2;
  int low = j > 0 ? j - 1 : j, high = j + 2 < c->nknot ? j + 2 : j + 1;
  cr_real left = j > 0 ? CR_R(0.5) : 1, right = j + 2 < c->nknot ? CR_R(0.5) : 1;
  const int32_t knots[4] = {low, j, j + 1, high};
  const cr_real weights[4] = {-left * a, 2 * f3 - 3 * f2 + 1, 3 * f2 - 2 * f3, right * b};
  for (int i = 0; i < 4; i++) {
    knot[i] = knots[i];
    w[i] = weights[i];
  }
  w[2] += left * a;   // slope at j
  w[1] -= right * b;  // slope at j + 1
}

static void fill(const cri_controls* c, cr_real step, int32_t* knot, cr_real* w) {
  cr_real f;
  for (int i = 0; i < 4; i++) {
    knot[i] = 0;
    w[i] = 0;
  }
  if (c->shape == CR_CONTROLS_STEP || c->shape == CR_CONTROLS_ZERO) {
    knot[0] = held_knot(c, (int)step);
    w[0] = 1;
    return;
  }
  int j = before(c, step, &f);
  if (c->shape == CR_CONTROLS_CUBIC) {
    cubic(c, j, f, knot, w);
    return;
  }
  knot[0] = j;
  knot[1] = j + 1;
  w[0] = 1 - f;
  w[1] = f;
}

cr_status cri_controls_make(cri_controls* c, cr_control_shape shape, int nstep, int nknot, int nu,
                            cr_error* error) {
  *c = (cri_controls){.nstep = nstep, .nknot = nknot, .nu = nu, .shape = shape};
  CR_TRY(check(shape, nstep, nknot, error));
  size_t n = 4 * (size_t)nstep;
  c->knot = calloc(n, sizeof *c->knot);
  c->weight = calloc(n, sizeof *c->weight);
  c->lower = calloc(2 * (size_t)nu + 1, sizeof *c->lower);
  c->moved = calloc((size_t)nknot * (size_t)nu + 1, sizeof *c->moved);
  if (c->knot == NULL || c->weight == NULL || c->lower == NULL || c->moved == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %d knots", nknot);
  }
  c->upper = c->lower + nu;
  for (int k = 0; k < nstep; k++) {
    fill(c, (cr_real)k, c->knot + 4 * (ptrdiff_t)k, c->weight + 4 * (ptrdiff_t)k);
  }
  return CR_OK;
}

void cri_controls_free(cri_controls* c) {
  free(c->knot);
  free(c->weight);
  free(c->lower);
  free(c->moved);
}

static cr_real sum(const cri_controls* c, const cr_real* knots, const int32_t* knot,
                   const cr_real* w, int i) {
  cr_real u = 0;
  for (int a = 0; a < 4; a++) {
    u += w[a] != 0 ? w[a] * knots[(ptrdiff_t)knot[a] * c->nu + i] : 0;
  }
  return u;
}

void cri_controls_spread(const cri_controls* c, const cr_real* knots, cr_real* ctrl) {
  for (ptrdiff_t k = 0; k < c->nstep; k++) {
    for (int i = 0; i < c->nu; i++) {
      cr_real u = sum(c, knots, c->knot + 4 * k, c->weight + 4 * k, i);
      ctrl[k * c->nu + i] = cr_clip(u, c->lower[i], c->upper[i]);  // [plan.s1]
    }
  }
}

void cri_controls_gather(const cri_controls* c, const cr_real* knots, const cr_real* ctrl_bar,
                         cr_real* knots_bar) {
  cr_zero(knots_bar, c->nknot * c->nu);
  for (ptrdiff_t k = 0; k < c->nstep; k++) {
    for (int i = 0; i < c->nu; i++) {
      cr_real u = sum(c, knots, c->knot + 4 * k, c->weight + 4 * k, i);
      cr_real bar = ctrl_bar[k * c->nu + i];
      if (u < c->lower[i] || u > c->upper[i]) {  // [plan.s1]'
        continue;
      }
      for (int a = 0; a < 4; a++) {
        knots_bar[(ptrdiff_t)c->knot[4 * k + a] * c->nu + i] += c->weight[4 * k + a] * bar;
      }
    }
  }
}

void cri_controls_clip(const cri_controls* c, cr_real* knots) {
  for (ptrdiff_t j = 0; j < c->nknot; j++) {
    for (int i = 0; i < c->nu; i++) {
      knots[j * c->nu + i] = cr_clip(knots[j * c->nu + i], c->lower[i], c->upper[i]);
    }
  }
}

// the step at which knot j is
static cr_real step_of(const cri_controls* c, int j) {
  if (c->shape == CR_CONTROLS_STEP || c->shape == CR_CONTROLS_ZERO) {
    return (cr_real)(((int64_t)j * c->nstep + c->nknot - 1) / c->nknot);
  }
  return (cr_real)j * (cr_real)(c->nstep - 1) / (cr_real)(c->nknot - 1);
}

void cri_controls_shift(const cri_controls* c, int steps, cr_real* knots) {
  for (int j = 0; j < c->nknot; j++) {
    int32_t knot[4];
    cr_real w[4];
    cr_real at = cr_min(step_of(c, j) + (cr_real)steps, (cr_real)(c->nstep - 1));
    fill(c, at, knot, w);
    for (int i = 0; i < c->nu; i++) {
      cr_real u = sum(c, knots, knot, w, i);
      c->moved[(ptrdiff_t)j * c->nu + i] = cr_clip(u, c->lower[i], c->upper[i]);
    }
  }
  cr_copy(knots, c->moved, c->nknot * c->nu);
}

int cri_controls_first(const cri_controls* c, int k) {
  while (k > 0 && c->knot[4 * (ptrdiff_t)(k - 1)] == c->knot[4 * (ptrdiff_t)k]) {
    k--;
  }
  return k;
}
