// SPDX-License-Identifier: Apache-2.0
// Springs of joints, see joint_spring.h.
#include "dynamics/joint_spring.h"

#include "dynamics/joint.h"
#include "math/quat.h"

int cri_spring_pieces(const cr_model* m, int j, cri_spring_piece out[2]) {
  cri_joint_space s = cri_joint_space_of(m, j);
  int n = 0;
  if (s.nflat > 0) {
    out[n++] = (cri_spring_piece){s.nflat, false, s.q, s.v};
  }
  if (s.rotates) {
    out[n++] = (cri_spring_piece){3, true, s.q + s.nflat, s.v + s.nflat};
  }
  return n;
}

// e = log(q_s^-1 q), turns from the rest orientation in the frame of the joint
static void turn_from_rest(cr_real e[3], const cr_real q[4], const cr_real q_s[4]) {
  cr_real unit[4];
  cr_copy(unit, q, 4);
  cr_quat_normalize(unit);
  cr_quat_sub(e, unit, q_s);
}

cri_spring_pull cri_spring_pull_of(const cr_model* m, const cr_data* d, int j,
                                   const cri_spring_piece* p) {
  cri_spring_pull s = {.e = {0, 0, 0}, .dx = {1, 0, 0}};
  const cr_real *q = d->qpos + p->q, *rest = m->qpos_spring + p->q;
  const cr_real* poly = m->jnt_stiffnesspoly + 2 * (size_t)j;
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
  // [p1] k = k0 + k1 x + k2 x^2
  s.k = m->jnt_stiffness[j] + s.x * (poly[0] + s.x * poly[1]);
  s.slope = poly[0] + 2 * s.x * poly[1];
  return s;
}

// e' = q' - q_s' or Jr^-1(e) q'
void cri_spring_pull_jvp(const cr_data* tan, const cri_spring_piece* p, const cri_spring_pull* s,
                         cr_real e_tan[3]) {
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

void cri_spring_pull_vjp(cr_data* bar, const cri_spring_piece* p, const cri_spring_pull* s,
                         const cr_real e_bar[3]) {
  if (p->turns) {
    cr_real q_bar[3], J[9];
    cr_so3_jr_inv(J, s->e);
    cr_multmat3(q_bar, J, e_bar);
    cr_acc3(bar->qpos + p->v, q_bar);
    return;
  }
  for (int i = 0; i < p->n; i++) {
    bar->qpos[p->v + i] += e_bar[i];
    if (bar->par.qpos_spring != NULL) {
      bar->par.qpos_spring[p->q + i] -= e_bar[i];
    }
  }
}
