// SPDX-License-Identifier: Apache-2.0
// Primal-dual interior points. The motion keeps the steps all the time; the bounds hold at the end.
//   [smoothed_mpc.q1] a bound with slack s > 0 and multiplier m > 0: z - lower = s, or upper - z = s; s m = mu
//   [smoothed_mpc.q2] Newton: (H + m / s) dz + H z + g -+ mu / s +- m r / s = 0 along the steps, r = z - lower - s, or upper - z - s
//   [smoothed_mpc.q3] ds = +-dz + r, dm = mu / s - m - m ds / s, all by one length that keeps s and m above 0
//   [smoothed_mpc.q4] mu = share of the mean of s m, the less the longer the last step was
// Without bounds that bind, one Newton step is the solution.
#include "control/bounded_lq.h"

#include <stdlib.h>

enum { MOST_ITERATIONS = 100 };
static const cr_real GAP = CR_R(1e-9), KEEP = CR_R(0.995);

struct cri_lq_work {
  int nstep, ny, nv;
  cri_controls limits;             // none
  cr_real *H, *g;                  // nstep x nz nz, nz
  cr_real *dz, *s[2], *m[2];       // nstep x nz; of lower and upper bounds
  cr_real *u, *k, *K, *dy, *pass;  // of the backward pass
  cr_real* memory;
};

static cr_real* take(cr_real** at, size_t n) {
  cr_real* from = *at;
  *at += n;
  return from;
}

cr_status cri_lq_work_make(cri_lq_work** work, int nstep, int ny, int nv, cr_error* error) {
  cri_lq_work* w = *work = calloc(1, sizeof *w);
  const size_t n = (size_t)nstep, y = (size_t)ny, v = (size_t)nv, z = y + v;
  if (w != NULL) {
    w->memory = calloc(n * (z * z + 6 * z + 2 * v + v * y) + y + cri_backward_room(ny, nv),
                       sizeof *w->memory);
  }
  if (w == NULL || w->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed MPC: no memory for %d steps", nstep);
  }
  w->nstep = nstep;
  w->ny = ny;
  w->nv = nv;
  CR_TRY(cri_controls_make(&w->limits, CR_CONTROLS_STEP, nstep, nstep, nv, error));
  for (int i = 0; i < nv; i++) {
    w->limits.lower[i] = -CR_MAX;
    w->limits.upper[i] = CR_MAX;
  }
  cr_real* at = w->memory;
  w->H = take(&at, n * z * z);
  w->g = take(&at, n * z);
  w->dz = take(&at, n * z);
  for (int side = 0; side < 2; side++) {
    w->s[side] = take(&at, n * z);
    w->m[side] = take(&at, n * z);
  }
  w->u = take(&at, n * v);
  w->k = take(&at, n * v);
  w->K = take(&at, n * v * y);
  w->dy = take(&at, y);
  w->pass = at;
  return CR_OK;
}

void cri_lq_work_free(cri_lq_work* w) {
  if (w != NULL) {
    cri_controls_free(&w->limits);
    free(w->memory);
    free(w);
  }
}

// ---- Newton's direction

static bool bounded(const cri_bounded_lq* q, int side, ptrdiff_t e) {
  return isfinite(side == 0 ? q->lower[e] : q->upper[e]);
}

// how far z is within a bound
static cr_real room(const cri_bounded_lq* q, int side, ptrdiff_t e, cr_real z) {
  return side == 0 ? z - q->lower[e] : q->upper[e] - z;
}

// [smoothed_mpc.q2]
static void assemble(const cri_bounded_lq* q, cri_lq_work* w, bool bounds, cr_real mu) {
  const ptrdiff_t nz = q->ny + q->nv;
  for (ptrdiff_t e = 0; e < q->nstep * nz; e++) {
    cr_real h = 2 * q->weight[e], g = h * (q->z[e] - q->target[e]);
    for (int side = 0; bounds && side < 2; side++) {
      if (bounded(q, side, e)) {
        const cr_real s = w->s[side][e], m = w->m[side][e], r = room(q, side, e, q->z[e]) - s;
        h += m / s;
        g += (side == 0 ? 1 : -1) * (m * r - mu) / s;
      }
    }
    w->H[e * nz + e % nz] = h;
    w->g[e] = g;
  }
}

static bool find_direction(const cri_bounded_lq* q, cri_lq_work* w) {
  const ptrdiff_t ny = q->ny, nv = q->nv, nz = ny + nv;
  cri_backward pass = {.nstep = q->nstep,
                       .nx = q->ny,
                       .nu = q->nv,
                       .A = q->A,
                       .B = q->B,
                       .gz = w->g,
                       .Hz = w->H,
                       .limits = &w->limits,
                       .u = w->u,
                       .k = w->k,
                       .K = w->K};
  if (!cri_backward_pass(&pass, 0, w->pass)) {
    return false;
  }
  cr_zero(w->dy, (int)ny);
  for (ptrdiff_t k = 0; k < q->nstep; k++) {
    const cr_real *A = q->A + k * ny * ny, *B = q->B + k * ny * nv, *K = w->K + k * nv * ny;
    cr_real *next = w->dz + k * nz, *dv = next + ny;
    for (ptrdiff_t i = 0; i < nv; i++) {
      dv[i] = w->k[k * nv + i];
      for (ptrdiff_t j = 0; j < ny; j++) {
        dv[i] += K[i * ny + j] * w->dy[j];
      }
    }
    for (ptrdiff_t i = 0; i < ny; i++) {
      next[i] = 0;
      for (ptrdiff_t j = 0; j < ny; j++) {
        next[i] += A[i * ny + j] * w->dy[j];
      }
      for (ptrdiff_t j = 0; j < nv; j++) {
        next[i] += B[i * nv + j] * dv[j];
      }
    }
    cr_copy(w->dy, next, (int)ny);
  }
  return true;
}

// ---- interior points

static cr_real cost(const cri_bounded_lq* q) {
  cr_real sum = 0;
  for (ptrdiff_t e = 0; e < (ptrdiff_t)q->nstep * (q->ny + q->nv); e++) {
    const cr_real off = q->z[e] - q->target[e];
    sum += q->weight[e] * off * off;
  }
  return sum;
}

// slacks of at least a share of the width, multipliers of one product with them; the number of bounds
static int begin(const cri_bounded_lq* q, cri_lq_work* w) {
  const ptrdiff_t n = (ptrdiff_t)q->nstep * (q->ny + q->nv);
  int count = 0;
  for (ptrdiff_t e = 0; e < n; e++) {
    count += bounded(q, 0, e) + bounded(q, 1, e);
  }
  const cr_real mu = cr_max(cost(q), CR_R(1e-12)) / (cr_real)(count > 0 ? count : 1);
  for (ptrdiff_t e = 0; e < n; e++) {
    const bool both = bounded(q, 0, e) && bounded(q, 1, e);
    const cr_real least = both ? CR_R(0.1) * (q->upper[e] - q->lower[e]) : CR_R(0.1);
    for (int side = 0; side < 2; side++) {
      if (bounded(q, side, e)) {
        w->s[side][e] = cr_max(room(q, side, e, q->z[e]), cr_max(least, CR_R(1e-9)));
        w->m[side][e] = mu / w->s[side][e];
      }
    }
  }
  return count;
}

// [smoothed_mpc.q3]
static void changes(const cri_bounded_lq* q, const cri_lq_work* w, int side, ptrdiff_t e,
                    cr_real mu, cr_real* ds, cr_real* dm) {
  const cr_real s = w->s[side][e], m = w->m[side][e];
  *ds = room(q, side, e, q->z[e] + w->dz[e]) - s;
  *dm = (mu - m * *ds) / s - m;
}

static cr_real longest(const cri_bounded_lq* q, const cri_lq_work* w, cr_real mu) {
  const ptrdiff_t n = (ptrdiff_t)q->nstep * (q->ny + q->nv);
  cr_real length = 1, ds, dm;
  for (ptrdiff_t e = 0; e < n; e++) {
    for (int side = 0; side < 2; side++) {
      if (bounded(q, side, e)) {
        changes(q, w, side, e, mu, &ds, &dm);
        length = ds < 0 ? cr_min(length, -KEEP * w->s[side][e] / ds) : length;
        length = dm < 0 ? cr_min(length, -KEEP * w->m[side][e] / dm) : length;
      }
    }
  }
  return length;
}

// moves everything; returns the sum of s m
static cr_real move(const cri_bounded_lq* q, cri_lq_work* w, cr_real mu, cr_real length) {
  const ptrdiff_t n = (ptrdiff_t)q->nstep * (q->ny + q->nv);
  cr_real gap = 0, ds, dm;
  for (ptrdiff_t e = 0; e < n; e++) {
    for (int side = 0; side < 2; side++) {
      if (bounded(q, side, e)) {
        changes(q, w, side, e, mu, &ds, &dm);
        w->s[side][e] += length * ds;
        w->m[side][e] += length * dm;
        gap += w->s[side][e] * w->m[side][e];
      }
    }
    q->z[e] += length * w->dz[e];
  }
  return gap;
}

static bool keeps(const cri_bounded_lq* q, const cri_lq_work* w) {
  for (ptrdiff_t e = 0; e < (ptrdiff_t)q->nstep * (q->ny + q->nv); e++) {
    const cr_real z = q->z[e] + w->dz[e];
    if (z < q->lower[e] || z > q->upper[e]) {
      return false;
    }
  }
  return true;
}

cr_status cri_bounded_lq_solve(const cri_bounded_lq* q, cri_lq_work* w, cr_error* error) {
  assemble(q, w, false, 0);
  if (find_direction(q, w) && keeps(q, w)) {
    for (ptrdiff_t e = 0; e < (ptrdiff_t)q->nstep * (q->ny + q->nv); e++) {
      q->z[e] += w->dz[e];
    }
    return CR_OK;
  }
  const int count = begin(q, w);
  cr_real share = CR_R(0.1), gap = cost(q), left = 1;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    const cr_real mu = share * gap / (cr_real)(count > 0 ? count : 1);
    assemble(q, w, true, mu);
    if (!find_direction(q, w)) {
      return cri_fail(error, CR_ERR_SOLVER,
                      "smoothed MPC: a control has no weight and no limits that hold it");
    }
    const cr_real length = longest(q, w, mu);
    gap = move(q, w, mu, length);
    left *= 1 - length;
    share = length > CR_R(0.9) ? CR_R(0.03) : length > CR_R(0.5) ? CR_R(0.2) : CR_R(0.7);
    if (!isfinite(gap)) {
      return cri_fail(error, CR_ERR_NONFINITE, "smoothed MPC: the quadratic problem diverges");
    }
    if (gap <= GAP * (cost(q) + gap) && left <= GAP) {
      return CR_OK;
    }
  }
  return cri_fail(error, CR_ERR_SOLVER,
                  "smoothed MPC: no controls keep the limits, %.2g of the violation is left",
                  (double)left);
}
