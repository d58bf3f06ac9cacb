// SPDX-License-Identifier: Apache-2.0
// Blocks of forces along lengths, see length_jac.h.
#include "actuator/length_jac.h"

#include "force/damper.h"
#include "force/joint_spring.h"
#include "force/tendon_spring.h"
#include "kinematics/tendon.h"
#include "math/quat.h"

enum { MOST_DOFS = 6 };  // of a joint

// ---- [step_jacobian.y6] one block

// (H x)_j
static cr_real turned(const cri_length_force* x, int j, const cr_real* y) {
  cr_real sum = 0;
  for (int i = 0; i < x->n && x->H != NULL && y != NULL; i++) {
    sum += x->H[i * x->n + j] * y[x->col[i]];
  }
  return sum;
}

void cri_length_jac(const cri_length_force* x, const cr_real* v, const cr_real* a,
                    const int32_t* skip, cri_columns columns) {
  const cr_real* by_q = x->by_q == NULL ? x->J : x->by_q;
  for (int j = 0; j < x->n; j++) {
    cr_real f_q = x->by_length * by_q[j] + x->by_velocity * turned(x, j, v) +
                  x->by_acceleration * turned(x, j, a);
    cr_real f_v = x->by_velocity * x->J[j];
    for (int i = 0; i < x->n; i++) {
      if (skip == NULL || skip[x->col[i]] == 0) {
        ptrdiff_t at = (ptrdiff_t)x->col[i] * columns.ld + x->col[j];
        columns.q[at] += x->J[i] * f_q + (x->H == NULL ? 0 : x->f * x->H[i * x->n + j]);
        columns.v[at] += x->J[i] * f_v;
      }
    }
  }
}

// ---- tendons

static bool spatial(const cr_model* m, int t) {
  return m->wrap_type[m->tendon_adr[t]] != CR_WRAP_JOINT;
}

size_t cri_curvatures_size(const cr_model* m) {
  size_t numbers = 0;
  for (int t = 0; t < m->ntendon; t++) {
    size_t n = (size_t)m->ten_J_rownnz[t];
    numbers += spatial(m, t) ? n * n + n : 0;
  }
  return numbers;
}

void cri_curvatures_set(const cr_model* m, const cr_data* d, cri_curvatures* c, cr_data* work) {
  int at = 0;
  for (int t = 0; t < m->ntendon; t++) {
    c->at[t] = spatial(m, t) ? at : -1;
    if (spatial(m, t)) {
      int n = m->ten_J_rownnz[t];
      cri_tendon_moment_derivative(m, d, t, c->numbers + at, c->numbers + at + n * n, work);
      at += n * n + n;
    }
  }
}

// springs and dampers
static void tendon_columns(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures,
                           cri_columns columns, cr_data* work) {
  bool springs = (m->disableflags & CR_DSBL_SPRING) == 0;
  size_t mark = cri_mark(work);
  cr_real *f = cri_push(work, (size_t)m->ntendon), *D = cri_push(work, (size_t)m->ntendon);
  cr_zero(f, m->ntendon);
  cr_zero(D, m->ntendon);
  if ((m->disableflags & CR_DSBL_DAMPER) == 0) {
    cri_damper_forces(m, d, CR_DAMPED_TENDONS, f, work);
    cri_damper_qderiv(m, d, CR_DAMPED_TENDONS, D, work);
  }
  for (int t = 0; t < m->ntendon; t++) {
    int first = m->ten_J_rowadr[t];
    cri_tendon_spring s = cri_tendon_spring_of(m, d, t);
    cri_length_force x = {
        .n = m->ten_J_rownnz[t],
        .col = m->ten_J_colind + first,
        .J = d->ten_J + first,
        .H = cri_curvature(curvatures, t),
        .by_q = cri_length_gradient(m, curvatures, t),
        .f = f[t] - (springs ? cri_tendon_spring_number(&s, CR_POLY_PULL) : 0),
        .by_length = springs ? -cri_tendon_spring_number(&s, CR_POLY_STIFFNESS) : 0,
        .by_velocity = -D[t]};
    if (x.f != 0 || x.by_length != 0 || x.by_velocity != 0) {
      cri_length_jac(&x, d->qvel, NULL, NULL, columns);
    }
  }
  cri_pop(work, mark);
}

// ---- joints

static void damper_columns(const cr_model* m, const cr_data* d, cri_columns columns,
                           cr_data* work) {
  if ((m->disableflags & CR_DSBL_DAMPER) != 0) {
    return;
  }
  size_t mark = cri_mark(work);
  cr_real* D = cri_push(work, (size_t)m->nv);
  cri_damper_qderiv(m, d, CR_DAMPED_DOFS, D, work);
  for (int i = 0; i < m->nv; i++) {
    columns.v[(ptrdiff_t)i * columns.ld + i] -= D[i];
  }
  cri_pop(work, mark);
}

static void spring_columns(const cr_model* m, const cr_data* d, cri_columns columns) {
  for (int j = 0; j < m->njnt && (m->disableflags & CR_DSBL_SPRING) == 0; j++) {
    cri_spring_piece pieces[2];
    int n = cri_joint_spring_acts(m, j) ? cri_spring_pieces(m, j, pieces) : 0;
    for (int c = 0; c < n; c++) {
      const cri_spring_piece* p = &pieces[c];
      cr_real K[9];
      cri_spring s = cri_spring_of(m, d, p);
      cri_spring_force_jac(&s, K);
      for (int i = 0; i < p->n; i++) {
        for (int k = 0; k < p->n; k++) {
          columns.q[(ptrdiff_t)(p->v + i) * columns.ld + p->v + k] += K[3 * i + k];
        }
      }
    }
  }
}

// ---- actuators

// derivative of the length of an actuator on a joint if that is not its moment; else NULL
static const cr_real* length_by_q(const cr_model* m, const cr_data* d, int i, cr_real by_q[6]) {
  int j = m->actuator_trnid[2 * i], type = m->jnt_type[j];
  if (type != CR_JNT_BALL && type != CR_JNT_FREE) {
    return NULL;
  }
  cr_zero(by_q, MOST_DOFS);
  if (type == CR_JNT_BALL) {
    cr_real unit[4], e[3], J[9];
    cr_copy(unit, d->qpos + m->jnt_qposadr[j], 4);
    cr_quat_normalize(unit);
    cr_quat_log(e, unit);
    cr_so3_jr_inv(J, e);
    cr_multmat3(by_q, J, m->actuator_gear + 6 * m->actuator_outadr[i]);
  }
  return by_q;
}

void cri_actuator_row(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures, int i,
                      cr_real by_q[MOST_DOFS], cri_length_force* x, cr_data* work) {
  int out = m->actuator_outadr[i], first = d->moment_rowadr[out];
  *x = (cri_length_force){
      .n = d->moment_rownnz[out], .col = d->moment_colind + first, .J = d->actuator_moment + first};
  if (m->actuator_trntype[i] != CR_TRN_TENDON) {
    x->by_q = length_by_q(m, d, i, by_q);
  } else if (cri_curvature(curvatures, m->actuator_trnid[2 * i]) != NULL) {
    // gear times curvature and gradient
    const cr_real* from = cri_curvature(curvatures, m->actuator_trnid[2 * i]);
    cr_real* scaled = cri_push(work, (size_t)(x->n * x->n + x->n));
    for (int k = 0; k < x->n * x->n + x->n; k++) {
      scaled[k] = m->actuator_gear[6 * out] * from[k];
    }
    x->H = scaled;
    x->by_q = scaled + x->n * x->n;
  }
}

static void actuator_columns(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures,
                             int i, const cri_actuator_jac* s, const int32_t* held,
                             cri_columns columns, cr_data* work) {
  size_t mark = cri_mark(work);
  int out = m->actuator_outadr[i];
  cr_real by_q[MOST_DOFS];
  cri_length_force x;
  cri_actuator_row(m, d, curvatures, i, by_q, &x, work);
  x.f = s->force;
  x.by_length = s->by_length;
  x.by_velocity = s->by_velocity;
  cri_length_jac(&x, d->qvel, NULL, held, columns);
  for (int k = 0; k < x.n; k++) {
    columns.out[(ptrdiff_t)x.col[k] * columns.ld + out] = held[x.col[k]] != 0 ? 0 : x.J[k];
  }
  cri_pop(work, mark);
}

bool cri_forces_along_lengths(const cr_model* m, const char** why) {
  for (int i = 0; i < m->nactuator; i++) {
    int type = m->actuator_trntype[i], j = m->actuator_trnid[2 * i];
    bool turned = type == CR_TRN_JOINTINPARENT &&
                  (m->jnt_type[j] == CR_JNT_BALL || m->jnt_type[j] == CR_JNT_FREE);
    bool along = type == CR_TRN_TENDON || type == CR_TRN_JOINT || type == CR_TRN_JOINTINPARENT;
    if (!along || turned) {
      *why = "transmissions at sites, cranks, bodies, and in the parent's frame";
      return false;
    }
    if (!cri_actuator_alone(m, i)) {
      *why = "actuators of several states or outputs, and limits on the total pull of a tendon";
      return false;
    }
  }
  return true;
}

// dofs whose actuator force is held by the range of their joint
static void held_dofs(const cr_model* m, const cr_data* d, int32_t* held) {
  memset(held, 0, (size_t)m->nv * sizeof *held);
  for (int j = 0; j < m->njnt; j++) {
    held[m->jnt_dofadr[j]] = d->jnt_actfrc_side[j] != 0;
  }
}

void cri_spring_jac(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures,
                    cri_columns columns, cr_data* work) {
  spring_columns(m, d, columns);
  damper_columns(m, d, columns, work);
  tendon_columns(m, d, curvatures, columns, work);
}

void cri_actuation_jac(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures,
                       cri_actuator_jac* slopes, cri_columns columns, cr_data* work) {
  size_t mark = cri_mark(work);
  int32_t* held = cri_push_int(work, (size_t)m->nv);
  held_dofs(m, d, held);
  for (int i = 0; i < m->nactuator; i++) {
    slopes[i] = cri_actuator_jac_of(m, d, work, i);
    actuator_columns(m, d, curvatures, i, &slopes[i], held, columns, work);
  }
  cri_pop(work, mark);
}
