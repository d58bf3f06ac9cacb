// SPDX-License-Identifier: Apache-2.0
// cvel is relative to the point about which a tree's quantities are expressed, taken as fixed. The
// velocity of that point itself (subtree_com moves) is left out, as in MuJoCo, since the
// bias force is the same about any point that the axes share.
#include "kinematics/velocity.h"

#include "math/spatial.h"

// a joint's dofs: `slides` with fixed axes, then `turns`, whose axes move with the velocity v_j
typedef struct {
  int first, slides, turns;
} joint_dofs;

static joint_dofs dofs_of(const cr_model* m, int joint) {
  int first = m->jnt_dofadr[joint];
  switch (m->jnt_type[joint]) {
    case CR_JNT_FREE:
      return (joint_dofs){first, 3, 3};
    case CR_JNT_BALL:
      return (joint_dofs){first, 0, 3};
    default:
      return (joint_dofs){first, 0, 1};
  }
}

// v += s q for n dofs
static void add_motion(cr_real v[6], const cr_real* s, const cr_real* q, int n) {
  for (int k = 0; k < n; k++) {
    cr_accscl6(v, s + 6 * k, q[k]);
  }
}

// transpose of add_motion with respect to s and q, given the cotangent w of v
static void add_motion_vjp(cr_real* s_bar, cr_real* q_bar, const cr_real* s, const cr_real* q,
                           const cr_real w[6], int n) {
  for (int k = 0; k < n; k++) {
    q_bar[k] += cr_dot6(s + 6 * k, w);
    cr_accscl6(s_bar + 6 * k, w, q[k]);
  }
}

static void joint_forward(const cr_model* m, cr_data* d, int joint, cr_real v[6]) {
  joint_dofs j = dofs_of(m, joint);
  const cr_real *s = d->cdof + 6 * j.first, *q = d->qvel + j.first;
  cr_real* s_dot = d->cdof_dot + 6 * j.first;
  // [velocity.v1] v += s q of translations, cdof_dot = 0
  add_motion(v, s, q, j.slides);
  cr_zero(s_dot, 6 * j.slides);
  // [velocity.v2] cdof_dot = v x s
  cr_copy6(d->jnt_cvel + 6 * joint, v);
  for (int k = j.slides; k < j.slides + j.turns; k++) {
    cr_cross_motion(s_dot + 6 * k, v, s + 6 * k);
  }
  // [velocity.v3] v += s q
  add_motion(v, s + 6 * j.slides, q + j.slides, j.turns);
}

static void joint_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int joint,
                      cr_real v_tan[6]) {
  joint_dofs j = dofs_of(m, joint);
  const cr_real *s = d->cdof + 6 * j.first, *q = d->qvel + j.first;
  const cr_real *s_tan = tan->cdof + 6 * j.first, *q_tan = tan->qvel + j.first;
  cr_real* s_dot_tan = tan->cdof_dot + 6 * j.first;
  // [velocity.v1]
  add_motion(v_tan, s_tan, q, j.slides);
  add_motion(v_tan, s, q_tan, j.slides);
  cr_zero(s_dot_tan, 6 * j.slides);
  // [velocity.v2]
  for (int k = j.slides; k < j.slides + j.turns; k++) {
    cr_real carried[6];
    cr_cross_motion(s_dot_tan + 6 * k, v_tan, s + 6 * k);
    cr_cross_motion(carried, d->jnt_cvel + 6 * joint, s_tan + 6 * k);
    cr_acc6(s_dot_tan + 6 * k, carried);
  }
  // [velocity.v3]
  add_motion(v_tan, s_tan + 6 * j.slides, q + j.slides, j.turns);
  add_motion(v_tan, s + 6 * j.slides, q_tan + j.slides, j.turns);
}

// w: the cotangent of v after the joint on entry, before it on return
static void joint_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int joint, cr_real w[6]) {
  joint_dofs j = dofs_of(m, joint);
  const cr_real *s = d->cdof + 6 * j.first, *q = d->qvel + j.first;
  const cr_real* s_dot_bar = bar->cdof_dot + 6 * j.first;
  cr_real *s_bar = bar->cdof + 6 * j.first, *q_bar = bar->qvel + j.first;
  // [velocity.v3]'
  add_motion_vjp(s_bar + 6 * j.slides, q_bar + j.slides, s + 6 * j.slides, q + j.slides, w,
                 j.turns);
  // [velocity.v2]' v_bar += s x* cdof_dot_bar, s_bar -= v x* cdof_dot_bar
  for (int k = j.slides; k < j.slides + j.turns; k++) {
    cr_real force[6];
    cr_cross_force(force, s + 6 * k, s_dot_bar + 6 * k);
    cr_acc6(w, force);
    cr_cross_force(force, d->jnt_cvel + 6 * joint, s_dot_bar + 6 * k);
    cr_accscl6(s_bar + 6 * k, force, -1);
  }
  // [velocity.v1]'
  add_motion_vjp(s_bar, q_bar, s, q, w, j.slides);
}

// ---- tendons: [velocity.v4] ten_velocity = ten_J qvel

static cr_real tendon_rate(const cr_model* m, const cr_real* J, const cr_real* v, int i) {
  cr_real sum = 0;
  int first = m->ten_J_rowadr[i];
  for (int k = first; k < first + m->ten_J_rownnz[i]; k++) {
    sum += J[k] * v[m->ten_J_colind[k]];
  }
  return sum;
}

// [velocity.v4]' qvel_bar += J' w, J_bar += w (x) qvel
static void tendons_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  const cr_real* w = bar->ten_velocity;
  for (int i = 0; i < m->ntendon; i++) {
    int first = m->ten_J_rowadr[i];
    for (int k = first; k < first + m->ten_J_rownnz[i]; k++) {
      bar->qvel[m->ten_J_colind[k]] += w[i] * d->ten_J[k];
    }
  }
  if (!cr_is_zero(w, m->ntendon)) {
    int pair = cri_pairs_add(&bar->ten_J_pairs);
    cr_copy(cri_pair_left(&bar->ten_J_pairs, pair), w, m->ntendon);
    cr_copy(cri_pair_right(&bar->ten_J_pairs, pair), d->qvel, m->nv);
  }
}

// ---- the stage

cr_status cr_velocity(const cr_model* m, cr_data* d) {
  cr_zero6(d->cvel);
  for (int b = 1; b < m->nbody; b++) {
    cr_real v[6];
    cr_copy6(v, d->cvel + 6 * m->body_parentid[b]);
    int first = m->body_jntadr[b];
    for (int joint = first; joint < first + m->body_jntnum[b]; joint++) {
      joint_forward(m, d, joint, v);
    }
    cr_copy6(d->cvel + 6 * b, v);
  }
  for (int i = 0; i < m->ntendon; i++) {
    // [velocity.v4]
    d->ten_velocity[i] = tendon_rate(m, d->ten_J, d->qvel, i);
  }
  return CR_OK;
}

cr_status cr_velocity_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero6(tan->cvel);
  for (int b = 1; b < m->nbody; b++) {
    cr_real v_tan[6];
    cr_copy6(v_tan, tan->cvel + 6 * m->body_parentid[b]);
    int first = m->body_jntadr[b];
    for (int joint = first; joint < first + m->body_jntnum[b]; joint++) {
      joint_jvp(m, d, tan, joint, v_tan);
    }
    cr_copy6(tan->cvel + 6 * b, v_tan);
  }
  for (int i = 0; i < m->ntendon; i++) {
    // [velocity.v4]
    tan->ten_velocity[i] =
        tendon_rate(m, tan->ten_J, d->qvel, i) + tendon_rate(m, d->ten_J, tan->qvel, i);
  }
  return CR_OK;
}

cr_status cr_velocity_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  tendons_vjp(m, d, bar);
  size_t mark = cri_mark(bar);
  cr_real* W = cri_push(bar, 6 * (size_t)m->nbody);
  cr_copy(W, bar->cvel, 6 * m->nbody);
  for (int b = m->nbody - 1; b > 0; b--) {
    cr_real w[6];
    cr_copy6(w, W + 6 * b);
    int first = m->body_jntadr[b];
    for (int joint = first + m->body_jntnum[b] - 1; joint >= first; joint--) {
      joint_vjp(m, d, bar, joint, w);
    }
    cr_acc6(W + 6 * m->body_parentid[b], w);
  }
  cri_pop(bar, mark);
  return CR_OK;
}
