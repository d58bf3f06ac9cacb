// SPDX-License-Identifier: Apache-2.0
#include "scenes/mechanism.h"

#include "kinematics/com.h"
#include "kinematics/kinematics.h"
#include "math/quat.h"
#include "math/spatial.h"

bool mechanism_moves(const cr_model* m, int j, int b) {
  while (b > 0 && b != m->dof_bodyid[j]) {
    b = m->body_parentid[b];
  }
  return b > 0;
}

void mechanism_inertia(const cr_model* m, const cr_data* d, const cr_real* diag, cr_real* M) {
  cr_zero(M, m->nv * m->nv);
  for (int b = 1; b < m->nbody; b++) {
    for (int j = 0; j < m->nv; j++) {
      cr_real f[6];
      cr_inertia_mul(f, d->cinert + 10 * b, d->cdof + 6 * j);
      for (int i = 0; i < m->nv; i++) {
        bool both = mechanism_moves(m, i, b) && mechanism_moves(m, j, b);
        M[i * m->nv + j] += both ? cr_dot6(d->cdof + 6 * i, f) : 0;
      }
    }
  }
  for (int i = 0; i < m->nv && diag != NULL; i++) {
    M[i * m->nv + i] += diag[i];
  }
}

// entry j of row t of ten_J
static cr_real entry(const cr_model* m, const cr_data* d, int t, int j) {
  for (int k = m->ten_J_rowadr[t]; k < m->ten_J_rowadr[t] + m->ten_J_rownnz[t]; k++) {
    if (m->ten_J_colind[k] == j) {
      return d->ten_J[k];
    }
  }
  return 0;
}

void mechanism_tendons(const cr_model* m, const cr_data* d, cr_real* M) {
  for (int t = 0; t < m->ntendon; t++) {
    cr_real a = m->tendon_armature[t];
    for (int k = 0; k < m->nactuator; k++) {
      cr_real gear = m->actuator_gear[6 * m->actuator_outadr[k]];
      bool on = m->actuator_trntype[k] == CR_TRN_TENDON && m->actuator_trnid[2 * k] == t;
      a += on ? gear * gear * m->actuator_armature[k] : 0;
    }
    for (int i = 0; i < m->nv; i++) {
      for (int j = 0; j < m->nv; j++) {
        bool related =
            mechanism_moves(m, i, m->dof_bodyid[j]) || mechanism_moves(m, j, m->dof_bodyid[i]);
        M[i * m->nv + j] += related ? a * entry(m, d, t, i) * entry(m, d, t, j) : 0;
      }
    }
  }
}

void mechanism_mul(int n, const cr_real* A, const cr_real* x, cr_real* y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) {
      y[i] += A[i * n + j] * x[j];
    }
  }
}

static void swap_rows(int n, cr_real* A, cr_real* x, int i, int k) {
  cr_real t = x[i];
  x[i] = x[k];
  x[k] = t;
  for (int j = 0; j < n; j++) {
    t = A[i * n + j];
    A[i * n + j] = A[k * n + j];
    A[k * n + j] = t;
  }
}

void mechanism_solve(int n, cr_real* A, cr_real* x) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      best = cr_abs(A[i * n + k]) > cr_abs(A[best * n + k]) ? i : best;
    }
    swap_rows(n, A, x, k, best);
    for (int i = k + 1; i < n; i++) {
      cr_real s = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) {
        A[i * n + j] -= s * A[k * n + j];
      }
      x[i] -= s * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) {
      x[k] -= A[k * n + j] * x[j];
    }
    x[k] /= A[k * n + k];
  }
}

cr_real mechanism_potential(const cr_model* m, const cr_data* d) {
  cr_real energy = 0;
  for (int b = 1; b < m->nbody; b++) {
    energy -= m->body_mass[b] * cr_dot3(m->gravity, d->xipos + 3 * b);
  }
  return (m->disableflags & CR_DSBL_GRAVITY) != 0 ? 0 : energy;
}

void mechanism_move(const cr_model* m, const cr_data* from, const cr_real* v, cr_real h,
                    cr_data* to) {
  cr_copy(to->qpos, from->qpos, m->nq);
  for (int j = 0; j < m->njnt; j++) {
    cr_real* q = to->qpos + m->jnt_qposadr[j];
    const cr_real* w = v + m->jnt_dofadr[j];
    switch (m->jnt_type[j]) {
      case CR_JNT_FREE:
        cr_accscl3(q, w, h);
        cr_quat_integrate(q + 3, w + 3, h);
        break;
      case CR_JNT_BALL:
        cr_quat_integrate(q, w, h);
        break;
      default:
        q[0] += h * w[0];
    }
  }
}

void mechanism_pose(const cr_model* m, cr_data* d) {
  (void)cr_kinematics(m, d);
  (void)cr_com(m, d);
}
