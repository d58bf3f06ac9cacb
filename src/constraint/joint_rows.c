// SPDX-License-Identifier: Apache-2.0
// Rows of single joints, see joint_rows.h.
#include "constraint/joint_rows.h"

#include "constraint/solref_impedance.h"
#include "math/quat.h"

// ---- friction loss

static bool has_friction(const cr_model* m, int dof) {
  return cri_rows_on(m, CR_DSBL_FRICTIONLOSS) && m->dof_frictionloss[dof] != 0;
}

static void add_friction(const cr_model* m, cr_data* d, cri_rows_needed* need, int dof) {
  int32_t col = dof;
  int i = cri_rows_add(d, need, 1, CR_CNSTR_FRICTION_DOF, dof, 1, &col);
  if (i < 0) {
    return;
  }
  // [constraint.k1] J = 1
  d->efc_J[d->efc_J_rowadr[i]] = 1;
  d->efc_frictionloss[i] = m->dof_frictionloss[dof];
  cri_make_impedance(m, d, i, m->dof_solref + 2 * dof, m->dof_solimp + 5 * dof, 0, 0, false);
}

void cri_joint_friction(const cr_model* m, cr_data* d, cri_rows_needed* need) {
  for (int dof = 0; dof < m->nv; dof++) {
    if (has_friction(m, dof)) {
      add_friction(m, d, need, dof);
    }
  }
}

int cri_joint_friction_jvp(const cr_model* m, cr_data* tan, int i) {
  const cr_model* t = &tan->par;
  for (int dof = 0; dof < m->nv; dof++) {
    if (has_friction(m, dof)) {
      cri_impedance_derivative s =
          cri_impedance_derivative_of(m, m->dof_solref + 2 * dof, m->dof_solimp + 5 * dof, 0, 0);
      cri_make_impedance_jvp(&s, tan, i, 0, cri_par_tan(t->dof_solref, dof, 2),
                             cri_par_tan(t->dof_solimp, dof, 5), false);
      tan->efc_frictionloss[i] = *cri_par_tan(t->dof_frictionloss, dof, 1);
      tan->efc_pos[i] = tan->efc_margin[i] = 0;
      i++;
    }
  }
  return i;
}

int cri_joint_friction_vjp(const cr_model* m, cr_data* bar, int i) {
  const cr_model* t = &bar->par;
  for (int dof = 0; dof < m->nv; dof++) {
    if (has_friction(m, dof)) {
      if (t->dof_solref != NULL || t->dof_solimp != NULL) {
        cri_impedance_derivative s =
            cri_impedance_derivative_of(m, m->dof_solref + 2 * dof, m->dof_solimp + 5 * dof, 0, 0);
        cri_impedance_derivative_bar x = cri_make_impedance_vjp(&s, bar, i, false);
        cri_par_add(t->dof_solref, dof, 2, x.solref);
        cri_par_add(t->dof_solimp, dof, 5, x.solimp);
      }
      cri_par_add1(t->dof_frictionloss, dof, bar->efc_frictionloss[i]);
      i++;
    }
  }
  return i;
}

// ---- limits

// an active limit; of a ball joint its rotation vector in length and direction
typedef struct {
  cr_real pos;
  cr_real log[3], axis[3], angle;
} limit;

static bool ball_limit_active(const cr_model* m, const cr_real* q, int j, limit* l) {
  const cr_real* range = m->jnt_range + 2 * j;
  cr_real unit[4];
  cr_copy(unit, q, 4);
  cr_quat_normalize(unit);
  cr_quat_log(l->log, unit);
  cr_copy3(l->axis, l->log);
  l->angle = cr_normalize3(l->axis);
  l->pos = cr_max(range[0], range[1]) - l->angle;
  return l->pos < m->jnt_margin[j];
}

// [constraint.k2] distance to a limit of joint j, side -1 lower or 1 upper (a ball joint has only the lower);
// false if the limit is not active
static inline bool limit_active(const cr_model* m, const cr_real* qpos, int j, int side, limit* l) {
  int type = m->jnt_type[j];
  if (m->jnt_limited[j] == 0 || !cri_rows_on(m, CR_DSBL_LIMIT) || type == CR_JNT_FREE) {
    return false;
  }
  const cr_real* q = qpos + m->jnt_qposadr[j];
  if (type == CR_JNT_BALL) {
    return side < 0 && ball_limit_active(m, q, j, l);
  }
  l->pos = (cr_real)side * (m->jnt_range[2 * j + (side > 0)] - q[0]);
  return l->pos < m->jnt_margin[j];
}

static void add_limit(const cr_model* m, cr_data* d, cri_rows_needed* need, int j, int side,
                      const limit* l) {
  bool ball = m->jnt_type[j] == CR_JNT_BALL;
  int dof = m->jnt_dofadr[j];
  const int32_t col[3] = {dof, dof + 1, dof + 2};
  int i = cri_rows_add(d, need, 1, CR_CNSTR_LIMIT_JOINT, j, ball ? 3 : 1, col);
  if (i < 0) {
    return;
  }
  // [constraint.k2] J = -side, or minus the axis of rotation
  cr_real* J = d->efc_J + d->efc_J_rowadr[i];
  if (ball) {
    cr_scl3(J, l->axis, -1);
  } else {
    J[0] = (cr_real)-side;
  }
  d->efc_pos[i] = l->pos;
  d->efc_margin[i] = m->jnt_margin[j];
  cri_make_impedance(m, d, i, m->jnt_solref + 2 * j, m->jnt_solimp + 5 * j,
                     l->pos - m->jnt_margin[j], 0, true);
}

void cri_joint_limits(const cr_model* m, cr_data* d, cri_rows_needed* need) {
  for (int j = 0; j < m->njnt; j++) {
    for (int side = -1; side <= 1; side += 2) {
      limit l;
      if (limit_active(m, d->qpos, j, side, &l)) {
        add_limit(m, d, need, j, side, &l);
      }
    }
  }
}

static void limit_tan(const cr_model* m, const cr_data* d, cr_data* tan, int i, int j, int side,
                      const limit* l) {
  const cr_model* t = &tan->par;
  int dof = m->jnt_dofadr[j];
  const cr_real *q_tan = tan->qpos + dof, *range = m->jnt_range + 2 * j;
  const cr_real* range_tan = cri_par_tan(t->jnt_range, j, 2);

  // [constraint.k2]
  cr_real pos_tan;
  if (m->jnt_type[j] != CR_JNT_BALL) {
    pos_tan = (cr_real)side * (range_tan[side > 0] - q_tan[0]);
  } else {
    pos_tan = range_tan[range[1] >= range[0]];
    if (l->angle > 0) {
      cr_real jr_inv[9], log_tan[3], axis_tan[3];
      cr_so3_jr_inv(jr_inv, l->log);
      cr_mulmat3(log_tan, jr_inv, q_tan);
      cr_normalize3_tan(axis_tan, l->axis, l->angle, log_tan);
      pos_tan -= cr_dot3(l->axis, log_tan);
      cr_scl3(tan->efc_J + d->efc_J_rowadr[i], axis_tan, -1);
    }
  }
  cr_real margin_tan = *cri_par_tan(t->jnt_margin, j, 1);
  tan->efc_pos[i] = pos_tan;
  tan->efc_margin[i] = margin_tan;
  tan->efc_frictionloss[i] = 0;
  cri_impedance_derivative s = cri_impedance_derivative_of(
      m, m->jnt_solref + 2 * j, m->jnt_solimp + 5 * j, l->pos - m->jnt_margin[j], 0);
  cri_make_impedance_jvp(&s, tan, i, pos_tan - margin_tan, cri_par_tan(t->jnt_solref, j, 2),
                         cri_par_tan(t->jnt_solimp, j, 5), true);
}

int cri_joint_limits_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  for (int j = 0; j < m->njnt; j++) {
    for (int side = -1; side <= 1; side += 2) {
      limit l;
      if (limit_active(m, d->qpos, j, side, &l)) {
        limit_tan(m, d, tan, i++, j, side, &l);
      }
    }
  }
  return i;
}

// cotangent of the axis that is minus the row's J: from all pairs
static void ball_axis_bar(const cr_model* m, const cr_pairs* pairs, int i, int j,
                          cr_real axis_bar[3]) {
  cr_zero3(axis_bar);
  for (int k = 0; k < pairs->n; k++) {
    cr_accscl3(axis_bar, cri_pair_right(pairs, k) + m->jnt_dofadr[j], -cri_pair_left(pairs, k)[i]);
  }
}

static void limit_bar(const cr_model* m, cr_data* bar, int i, int j, int side, const limit* l) {
  const cr_model* t = &bar->par;
  int dof = m->jnt_dofadr[j];
  cri_impedance_derivative s = cri_impedance_derivative_of(
      m, m->jnt_solref + 2 * j, m->jnt_solimp + 5 * j, l->pos - m->jnt_margin[j], 0);
  cri_impedance_derivative_bar x = cri_make_impedance_vjp(&s, bar, i, true);
  cri_par_add(t->jnt_solref, j, 2, x.solref);
  cri_par_add(t->jnt_solimp, j, 5, x.solimp);
  cri_par_add1(t->jnt_margin, j, bar->efc_margin[i] - x.r);

  // [constraint.k2]'
  cr_real pos_bar = bar->efc_pos[i] + x.r;
  if (m->jnt_type[j] != CR_JNT_BALL) {
    cri_par_add1(t->jnt_range, 2 * j + (side > 0), (cr_real)side * pos_bar);
    bar->qpos[dof] -= (cr_real)side * pos_bar;
    return;
  }
  const cr_real* range = m->jnt_range + 2 * j;
  cri_par_add1(t->jnt_range, 2 * j + (range[1] >= range[0]), pos_bar);
  if (l->angle > 0) {
    cr_real axis_bar[3], log_bar[3], jr_inv[9];
    ball_axis_bar(m, &bar->efc_J_pairs, i, j, axis_bar);
    cr_normalize3_tan(log_bar, l->axis, l->angle, axis_bar);
    cr_accscl3(log_bar, l->axis, -pos_bar);
    cr_so3_jr_inv(jr_inv, l->log);
    cr_acctmat3(bar->qpos + dof, jr_inv, log_bar);
  }
}

int cri_joint_limits_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i) {
  for (int j = 0; j < m->njnt; j++) {
    for (int side = -1; side <= 1; side += 2) {
      limit l;
      if (limit_active(m, d->qpos, j, side, &l)) {
        limit_bar(m, bar, i++, j, side, &l);
      }
    }
  }
  return i;
}
