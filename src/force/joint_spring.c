// SPDX-License-Identifier: Apache-2.0
// Springs of joints, see joint_spring.h.
#include "force/joint_spring.h"

#include "kinematics/joint.h"
#include "math/quat.h"

static cri_coefficients coefficients(const cr_model* m) {
  return (cri_coefficients){m->jnt_stiffness, m->jnt_stiffnesspoly};
}

const cri_coefficient_fields cri_joint_spring_fields = {CR_FIELD_jnt_stiffness,
                                                        CR_FIELD_jnt_stiffnesspoly};

bool cri_joint_spring_acts(const cr_model* m, int j) {
  cr_real c[3];
  cri_coefficients_of(coefficients(m), j, c);
  return !cri_coefficients_zero(c);
}

bool cri_joint_spring_is_linear(const cr_model* m, int j) {
  return cr_is_zero(m->jnt_stiffnesspoly + 2 * (ptrdiff_t)j, 2);
}

bool cri_joint_spring_wanted(const cr_model* par) {
  return cri_coefficients_wanted(coefficients(par));
}

int cri_spring_pieces(const cr_model* m, int j, cri_spring_piece out[2]) {
  cri_joint_space s = cri_joint_space_of(m, j);
  int n = 0;
  if (s.nflat > 0) {
    out[n++] = (cri_spring_piece){j, s.nflat, false, s.q, s.v};
  }
  if (s.rotates) {
    out[n++] = (cri_spring_piece){j, 3, true, s.q + s.nflat, s.v + s.nflat};
  }
  return n;
}

// ---- e and its derivatives

// e = log(q_s^-1 q), turns from the rest orientation in the frame of the joint
static void turn_from_rest(cr_real e[3], const cr_real q[4], const cr_real q_s[4]) {
  cr_real unit[4];
  cr_copy(unit, q, 4);
  cr_quat_normalize(unit);
  cr_quat_sub(e, unit, q_s);
}

cri_spring cri_spring_of(const cr_model* m, const cr_data* d, const cri_spring_piece* p) {
  cri_spring s = {.piece = *p, .e = {0, 0, 0}, .dx = {1, 0, 0}};
  const cr_real *q = d->qpos + p->q, *rest = m->qpos_spring + p->q;
  if (p->turns) {
    turn_from_rest(s.e, q, rest);
  } else {
    for (int i = 0; i < p->n; i++) {
      s.e[i] = q[i] - rest[i];
    }
  }
  s.x = s.e[0];
  if (p->n == 3) {
    cr_copy3(s.dx, s.e);
    s.x = cr_norm3(s.e);
    cr_scl3(s.dx, s.dx, s.x > 0 ? 1 / s.x : 0);
  }
  cri_coefficients_of(coefficients(m), p->joint, s.c);
  return s;
}

// e' = q' - q_s' or Jr^-1(e) q'
static void e_tan_of(const cr_data* tan, const cri_spring* s, cr_real e_tan[3]) {
  const cri_spring_piece* p = &s->piece;
  const cr_real* q_tan = tan->qpos + p->v;
  if (p->turns) {
    cr_real J[9];
    cr_so3_jr_inv(J, s->e);
    cr_mulmat3(e_tan, J, q_tan);
    return;
  }
  cr_zero3(e_tan);
  for (int i = 0; i < p->n; i++) {
    e_tan[i] = q_tan[i] - cri_par_tan(tan->par.qpos_spring, p->q + i, 1)[0];
  }
}

static void add_e_bar(cr_data* bar, const cri_spring* s, const cr_real e_bar[3]) {
  const cri_spring_piece* p = &s->piece;
  if (p->turns) {
    cr_real q_bar[3], J[9];
    cr_so3_jr_inv(J, s->e);
    cr_multmat3(q_bar, J, e_bar);
    cr_acc3(bar->qpos + p->v, q_bar);
    return;
  }
  for (int i = 0; i < p->n; i++) {
    bar->qpos[p->v + i] += e_bar[i];
    cri_par_add1(bar->par.qpos_spring, p->q + i, -e_bar[i]);
  }
}

// ---- numbers

static cr_real number_tan(const cr_data* tan, const cri_spring* s, cri_polynomial_order order,
                          const cr_real e_tan[3]) {
  cr_real c_tan[3];
  cri_coefficients_tan(coefficients(&tan->par), s->piece.joint, c_tan);
  return cri_polynomial(order, c_tan, s->x) +
         cri_polynomial_slope(order, s->c, s->x) * cr_dot3(s->dx, e_tan);
}

cr_real cri_spring_number_tan(const cr_data* tan, const cri_spring* s, cri_polynomial_order order) {
  cr_real e_tan[3];
  e_tan_of(tan, s, e_tan);
  return number_tan(tan, s, order, e_tan);
}

// adds to the cotangent of e, and to those of the coefficients
static void number_bar(cr_data* bar, const cri_spring* s, cri_polynomial_order order, cr_real y_bar,
                       cr_real e_bar[3]) {
  cr_real c_bar[3] = {0};
  cr_accscl3(e_bar, s->dx, y_bar * cri_polynomial_slope(order, s->c, s->x));
  cri_polynomial_bar(order, s->x, y_bar, c_bar);
  cri_coefficients_bar(coefficients(&bar->par), s->piece.joint, c_bar);
}

void cri_spring_number_bar(cr_data* bar, const cri_spring* s, cri_polynomial_order order,
                           cr_real y_bar) {
  cr_real e_bar[3] = {0};
  number_bar(bar, s, order, y_bar, e_bar);
  add_e_bar(bar, s, e_bar);
}

// ---- forces

void cri_spring_force(const cri_spring* s, cr_real f[3]) {
  // [passive.p1] f = -s e
  cr_scl3(f, s->e, -cri_polynomial(CR_POLY_CHORD, s->c, s->x));
}

// [passive.p1] -s' e - s e'
static void force_tan(const cri_spring* s, cr_real chord_tan, const cr_real e_tan[3],
                      cr_real f_tan[3]) {
  cr_scl3(f_tan, s->e, -chord_tan);
  cr_accscl3(f_tan, e_tan, -cri_polynomial(CR_POLY_CHORD, s->c, s->x));
}

void cri_spring_force_tan(const cr_data* tan, const cri_spring* s, cr_real f_tan[3]) {
  cr_real e_tan[3];
  e_tan_of(tan, s, e_tan);
  force_tan(s, number_tan(tan, s, CR_POLY_CHORD, e_tan), e_tan, f_tan);
}

void cri_spring_force_bar(cr_data* bar, const cri_spring* s, const cr_real f_bar[3]) {
  // [passive.p1]' s_bar = -e . f_bar, e_bar = -s f_bar + s_bar ds/dx dx/de
  cr_real e_bar[3];
  cr_scl3(e_bar, f_bar, -cri_polynomial(CR_POLY_CHORD, s->c, s->x));
  number_bar(bar, s, CR_POLY_CHORD, -cr_dot3(s->e, f_bar), e_bar);
  add_e_bar(bar, s, e_bar);
}

void cri_spring_force_jac(const cri_spring* s, cr_real K[9]) {
  cr_real J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
          slope = cri_polynomial_slope(CR_POLY_CHORD, s->c, s->x);
  if (s->piece.turns) {
    cr_so3_jr_inv(J, s->e);
  }
  for (int k = 0; k < 3; k++) {
    const cr_real e_tan[3] = {J[k], J[3 + k], J[6 + k]};
    cr_real f_tan[3];
    force_tan(s, slope * cr_dot3(s->dx, e_tan), e_tan, f_tan);
    for (int i = 0; i < 3; i++) {
      K[3 * i + k] = f_tan[i];
    }
  }
}
