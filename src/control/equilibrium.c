// SPDX-License-Identifier: Apache-2.0
// Equilibria: poses and controls at which a step from rest changes nothing.
//   [lqr.e2] qvel <- qvel exp(-h / T) after each step of the motion that settles
//   [lqr.e1] z += -J'(J J' + mu D)^-1 r, r = (v+ - 0, act+ - act) / h of a step from rest, J = dr/dz; D the diagonal of J J'
#include <stdlib.h>

#include "carom/feedback.h"
#include "carom/step.h"
#include "carom/step_jacobian.h"
#include "kinematics/configuration.h"
#include "math/dense_lu.h"
#include "model/misuse.h"
#include "model/names.h"
#include "model/state_vector.h"

static const cr_real SETTLE_TIME = CR_R(0.1);  // s

typedef struct {
  const cr_model* m;
  cr_data* d;
  cr_jacobian* jacobian;
  bool hold, settled;
  int nr, nz, nx;                      // residuals; unknowns: pose, activations, controls
  cr_real *r, *J, *JJ, *D, *y, *step;  // nr, nr nz, nr nr, nr, nr, nz
  cr_real *by_x, *by_ctrl, *kept;      // nx nx, nx nu, nq + na + nu
  int32_t* pivot;
  cr_real* memory;
} search;

static cr_status residual(search* s) {
  const cr_model* m = s->m;
  cr_data* d = s->d;
  cr_zero(d->qvel, m->nv);
  cr_zero(d->qacc_warmstart, m->nv);
  CR_TRY(cr_step(m, d));
  for (int i = 0; i < s->nr; i++) {
    cr_real change = i < m->nv ? d->qvel_next[i] : d->act_next[i - m->nv] - d->act[i - m->nv];
    s->r[i] = change / m->timestep;
  }
  return CR_OK;
}

// r'D^-1 r, which a short step along [lqr.e1] lowers
static cr_real size_of(const search* s) {
  cr_real sum = 0;
  for (int i = 0; i < s->nr; i++) {
    sum += s->r[i] * s->r[i] / s->D[i];
  }
  return sum;
}

static cr_status derive(search* s) {
  const cr_model* m = s->m;
  cr_status status = cr_step_jacobian(m, s->d, s->jacobian, s->by_x, s->by_ctrl, NULL);
  if (status != CR_OK) {
    return cri_fail(cri_error_of(s->d), status, "%s", cr_jacobian_error(s->jacobian));
  }
  for (int i = 0; i < s->nr; i++) {
    const cr_real *row = s->by_x + (ptrdiff_t)(m->nv + i) * s->nx,
                  *ctrl = s->by_ctrl + (ptrdiff_t)(m->nv + i) * m->nu;
    cr_real* J = s->J + (ptrdiff_t)i * s->nz;
    int n = 0;
    for (int j = 0; j < m->nv && !s->hold; j++) {
      J[n++] = row[j] / m->timestep;
    }
    for (int j = 0; j < m->na; j++) {
      cr_real stays = i == m->nv + j ? 1 : 0;
      J[n++] = (row[2 * m->nv + j] - stays) / m->timestep;
    }
    for (int j = 0; j < m->nu; j++) {
      J[n++] = ctrl[j] / m->timestep;
    }
  }
  for (int i = 0; i < s->nr; i++) {
    for (int j = 0; j <= i; j++) {
      cr_real sum = 0;
      for (int k = 0; k < s->nz; k++) {
        sum += s->J[(ptrdiff_t)i * s->nz + k] * s->J[(ptrdiff_t)j * s->nz + k];
      }
      s->JJ[(ptrdiff_t)i * s->nr + j] = s->JJ[(ptrdiff_t)j * s->nr + i] = sum;
    }
  }
  cr_real trace = 0;
  for (int i = 0; i < s->nr; i++) {
    s->D[i] = s->JJ[(ptrdiff_t)i * s->nr + i];
    trace += s->D[i];
  }
  for (int i = 0; i < s->nr; i++) {
    s->D[i] += CR_R(1e-6) * trace / (cr_real)s->nr + CR_MINVAL;
  }
  return CR_OK;
}

// [lqr.e1]; false if the matrix has no inverse
static bool find_step(search* s, cr_real mu, cr_real* work) {
  const cr_run all = {0, s->nr};
  const cr_runs runs = {1, &all};
  cr_copy(work, s->JJ, s->nr * s->nr);
  for (int i = 0; i < s->nr; i++) {
    work[(ptrdiff_t)i * s->nr + i] += mu * s->D[i];
    s->y[i] = -s->r[i];
  }
  if (!cr_dense_lu_factor(work, s->nr, runs, s->pivot)) {
    return false;
  }
  cr_dense_lu_solve(work, s->nr, runs, s->pivot, false, s->y, 1);
  for (int k = 0; k < s->nz; k++) {
    s->step[k] = 0;
    for (int i = 0; i < s->nr; i++) {
      s->step[k] += s->J[(ptrdiff_t)i * s->nz + k] * s->y[i];
    }
  }
  return true;
}

static void keep(search* s, bool back) {
  const cr_model* m = s->m;
  cr_real* const parts[] = {s->d->qpos, s->d->act, s->d->ctrl};
  const int sizes[] = {m->nq, m->na, m->nu};
  cr_real* at = s->kept;
  for (int i = 0; i < 3; i++) {
    cr_copy(back ? parts[i] : at, back ? at : parts[i], sizes[i]);
    at += sizes[i];
  }
}

static void move(search* s) {
  const cr_model* m = s->m;
  const cr_real* z = s->step;
  if (!s->hold) {
    cri_configuration_move(m, s->d->qpos, z, 1, s->d->qpos);
    z += m->nv;
  }
  for (int i = 0; i < m->na; i++) {
    s->d->act[i] += *z++;
  }
  for (int i = 0; i < m->nu; i++) {
    s->d->ctrl[i] += *z++;
    if (m->actuator_ctrllimited[i] != 0) {
      const cr_real* range = m->actuator_ctrlrange + 2 * (ptrdiff_t)i;
      s->d->ctrl[i] = cr_clip(s->d->ctrl[i], range[0], range[1]);
    }
  }
}

static cr_real worst(const search* s, int* at) {
  cr_real most = 0;
  *at = 0;
  for (int i = 0; i < s->nr; i++) {
    if (cr_abs(s->r[i]) > most) {
      most = cr_abs(s->r[i]);
      *at = i;
    }
  }
  return most;
}

static cr_status not_found(const search* s, cr_error* error) {
  int at;
  cr_real most = worst(s, &at);
  const cr_model* m = s->m;
  if (at >= m->nv) {
    return cri_fail(error, CR_ERR_DIVERGED,
                    "no equilibrium: activation %d still changes by %.3g a second", at - m->nv,
                    (double)most);
  }
  return cri_fail(error, CR_ERR_DIVERGED,
                  "no equilibrium: dof %d of %s still accelerates by %.3g%s", at,
                  cri_label(m, CRI_OBJECT_joint, m->dof_jntid[at]).text, (double)most,
                  s->hold      ? "; a free pose may have one"
                  : s->settled ? "; it may have to settle longer"
                               : "; where it is held by contacts, let it settle first");
}

// [lqr.e2]
static cr_status settle(search* s, cr_real time) {
  const cr_model* m = s->m;
  const cr_real slower = cr_exp(-m->timestep / SETTLE_TIME);
  for (cr_real t = 0; t < time; t += m->timestep) {
    CR_TRY(cr_step(m, s->d));
    CR_TRY(cr_advance(m, s->d));
    for (int i = 0; i < m->nv; i++) {
      s->d->qvel[i] *= slower;
    }
  }
  return CR_OK;
}

static cr_status find(search* s, int iterations, cr_real tolerance, cr_real* work) {
  cr_real mu = CR_R(1e-4);
  int at;
  CR_TRY(residual(s));
  for (int k = 0; k < iterations && worst(s, &at) > tolerance; k++) {
    CR_TRY(derive(s));
    keep(s, false);
    const cr_real size = size_of(s);
    bool lower = false;
    for (int tries = 0; tries < 12 && !lower; tries++, mu *= 10) {
      if (find_step(s, mu, work)) {
        move(s);
        lower = residual(s) == CR_OK && size_of(s) < size;
      }
      if (!lower) {
        keep(s, true);
        CR_TRY(residual(s));
      }
    }
    if (!lower) {
      break;
    }
    mu = cr_max(mu / 100, CR_R(1e-12));
  }
  return CR_OK;
}

cr_status cr_equilibrium(const cr_model* m, cr_data* d, const cr_equilibrium_options* options,
                         cr_error* error) {
  const cri_call call = {"cr_equilibrium", error};
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  if (options != NULL) {
    CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_equilibrium_options"));
  }
  search s = {.m = m,
              .d = d,
              .hold = options != NULL && options->hold_pose,
              .settled = options != NULL && options->settle > 0};
  s.nx = cri_state_tangent_size(m);
  s.nr = m->nv + m->na;
  s.nz = (s.hold ? 0 : m->nv) + m->na + m->nu;
  if (options != NULL && (options->settle < 0 || !isfinite(options->settle))) {
    return cri_fail(error, CR_ERR_ARG,
                    "cr_equilibrium: it settles for %.9g s: 0 or more is expected",
                    (double)options->settle);
  }
  if (s.nr == 0 || s.nz == 0) {
    return cri_fail(error, CR_ERR_ARG, "no equilibrium: the model has %s",
                    s.nr == 0 ? "nothing that moves" : "no controls that could hold a pose");
  }
  size_t r = (size_t)s.nr, z = (size_t)s.nz, x = (size_t)s.nx, u = (size_t)m->nu;
  size_t kept = (size_t)(m->nq + m->na + m->nu);
  s.memory = calloc(3 * r + r * z + 2 * r * r + z + x * x + x * u + kept + 1, sizeof *s.memory);
  s.pivot = calloc(r, sizeof *s.pivot);
  cr_status status = CR_ERR_MEMORY;
  if (s.memory != NULL && s.pivot != NULL) {
    s.r = s.memory;
    s.D = s.r + r;
    s.y = s.D + r;
    s.J = s.y + r;
    s.JJ = s.J + r * z;
    cr_real* work = s.JJ + r * r;
    s.step = work + r * r;
    s.by_x = s.step + z;
    s.by_ctrl = s.by_x + x * x;
    s.kept = s.by_ctrl + x * u;
    status = cr_jacobian_create(&s.jacobian, m, d, error);
    int iterations = options != NULL && options->iterations > 0 ? options->iterations : 100, at;
    cr_real tolerance = options != NULL && options->tolerance > 0 ? options->tolerance : CR_R(1e-8);
    if (status == CR_OK) {
      status = s.settled ? settle(&s, options->settle) : CR_OK;
      status = status == CR_OK ? find(&s, iterations, tolerance, work) : status;
      status = status != CR_OK              ? cri_fail(error, status, "%s", cr_data_error(d))
               : worst(&s, &at) > tolerance ? not_found(&s, error)
                                            : CR_OK;
    }
  } else {
    (void)cri_fail(error, status, "equilibrium: no memory for %d unknowns", s.nz);
  }
  cr_jacobian_destroy(s.jacobian);
  free(s.memory);
  free(s.pivot);
  return status;
}
