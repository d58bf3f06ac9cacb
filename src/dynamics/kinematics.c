// SPDX-License-Identifier: Apache-2.0
// Forward kinematics. Every pose is a frame fixed in another one, [k1], or moved by a joint,
// [k2]-[k5]. A tangent of a pose is six numbers s = (w, v): R_tan = [w]x R, x_tan = v; its
// transpose is a wrench (moment about x, force). So the jvp hands velocities from the root to the
// leaves, the vjp wrenches from the leaves to the root, and no matrix is differentiated entry by
// entry.
#include "dynamics/kinematics.h"

#include "math/quat.h"
#include "math/spatial.h"

// ---- frames fixed in frames

// scales q to unit length unless it is, to round-off
static void keep_unit(cr_real q[4]) {
  cr_real excess = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1;
  if (cr_abs(excess) > 8 * CR_EPS) {
    cr_quat_normalize(q);
  }
}

static void fixed_jvp(cr_real s[6], const cr_real s0[6], const cr_real R0[9], const cr_real R[9],
                      const cr_real p[3], const cr_real p_tan[3], const cr_real q_tan[3]) {
  // [k1] v = v0 + w0 x R0 p + R0 p_tan, w = w0 + R q_tan
  cr_real arm[3];
  cr_mulmat3(arm, R0, p);
  cr_copy6(s, s0);
  cr_acccross3(s + 3, s0, arm);
  cr_accmat3(s + 3, R0, p_tan);
  cr_accmat3(s, R, q_tan);
}

static void fixed_vjp(cr_real s0_bar[6], const cr_real s_bar[6], const cr_real R0[9],
                      const cr_real R[9], const cr_real p[3], cr_real* p_bar, cr_real* q_bar) {
  // [k1]' moment0 += moment + R0 p x force, force0 += force
  cr_real arm[3];
  cr_mulmat3(arm, R0, p);
  cr_acc6(s0_bar, s_bar);
  cr_acccross3(s0_bar, arm, s_bar + 3);
  if (p_bar != NULL) {
    cr_acctmat3(p_bar, R0, s_bar + 3);
  }
  if (q_bar != NULL) {
    cr_acctmat3(q_bar, R, s_bar);
  }
}

// R = R0 R(q)
static void turned(cr_real R[9], const cr_real R0[9], const cr_real q[4]) {
  cr_real local[9];
  cr_quat_to_mat(local, q);
  cr_matmul3(R, R0, local);
}

// row i of a parameter's cotangent, three numbers, NULL where it is not asked for
static cr_real* row3(cr_real* array, int i) { return array == NULL ? NULL : array + 3 * i; }

static bool all_zero(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) {
      return false;
    }
  }
  return true;
}

// ---- frames fixed in bodies: centres of mass, geoms, sites

typedef struct {
  int n;
  const int32_t* body;             // NULL: frame i is in body i
  const cr_real *pos, *quat;       // in the body
  cr_real *pos_twin, *quat_twin;   // tangents or cotangents of these, NULL where there are none
  cr_real *x, *mat;                // in the world: values, tangents or cotangents
} frame_set;

enum { N_SETS = 3 };

// `to` holds the values, tangents or cotangents that are meant
static void list_sets(frame_set sets[N_SETS], const cr_model* m, cr_data* to) {
  const cr_model* par = &to->par;
  sets[0] = (frame_set){m->nbody,       NULL,            m->body_ipos, m->body_iquat,
                        par->body_ipos, par->body_iquat, to->xipos,    to->ximat};
  sets[1] = (frame_set){m->ngeom,      m->geom_bodyid, m->geom_pos,   m->geom_quat,
                        par->geom_pos, par->geom_quat, to->geom_xpos, to->geom_xmat};
  sets[2] = (frame_set){m->nsite,      m->site_bodyid, m->site_pos,   m->site_quat,
                        par->site_pos, par->site_quat, to->site_xpos, to->site_xmat};
}

static int body_of(const frame_set* set, int i) { return set->body == NULL ? i : set->body[i]; }

static void place_set(const frame_set* set, const cr_data* d) {
  for (int i = 0; i < set->n; i++) {
    // [k1]
    int body = body_of(set, i);
    cr_real quat[4];
    cr_mulmat3(set->x + 3 * i, d->xmat + 9 * body, set->pos + 3 * i);
    cr_acc3(set->x + 3 * i, d->xpos + 3 * body);
    cr_quat_mul(quat, d->xquat + 4 * body, set->quat + 4 * i);
    cr_quat_to_mat(set->mat + 9 * i, quat);
  }
}

static void place_set_jvp(const frame_set* set, const cr_data* d, const cr_real* motion) {
  for (int i = 0; i < set->n; i++) {
    int body = body_of(set, i);
    const cr_real* R0 = d->kin_xmat + 9 * body;
    cr_real R[9], s[6];
    turned(R, R0, set->quat + 4 * i);
    fixed_jvp(s, motion + 6 * body, R0, R, set->pos + 3 * i, cri_par_tan(set->pos_twin, i, 3),
              cri_par_tan(set->quat_twin, i, 3));
    cr_copy3(set->x + 3 * i, s + 3);
    cr_rot_tan(set->mat + 9 * i, s, R);
  }
}

static void place_set_vjp(const frame_set* set, const cr_data* d, cr_real* wrench) {
  for (int i = 0; i < set->n; i++) {
    if (all_zero(set->x + 3 * i, 3) && all_zero(set->mat + 9 * i, 9)) {
      continue;
    }
    int body = body_of(set, i);
    const cr_real* R0 = d->kin_xmat + 9 * body;
    cr_real R[9], s_bar[6] = {0};
    turned(R, R0, set->quat + 4 * i);
    cr_rot_bar(s_bar, R, set->mat + 9 * i);
    cr_copy3(s_bar + 3, set->x + 3 * i);
    fixed_vjp(wrench + 6 * body, s_bar, R0, R, set->pos + 3 * i, row3(set->pos_twin, i),
              row3(set->quat_twin, i));
  }
}

// ---- joints

typedef struct {
  cr_real pos[3], quat[4], mat[9];
} pose;

// what both derivatives need to know of a joint that is not free
typedef struct {
  int type, qposadr, dofadr;
  const cr_real *before, *after;            // orientation of the body before and after it acts
  cr_real axis[3];                          // [k2], world
  cr_real arm_before[3], arm_after[3];      // from the body's origin to the anchor, world
} joint_state;

static joint_state state_of(const cr_model* m, const cr_data* d, int j) {
  int body = m->jnt_bodyid[j];
  bool last = j + 1 == m->body_jntadr[body] + m->body_jntnum[body];
  joint_state s = {.type = m->jnt_type[j], .qposadr = m->jnt_qposadr[j], .dofadr = m->jnt_dofadr[j]};
  s.before = d->kin_jnt_xmat + 9 * j;
  s.after = last ? d->kin_xmat + 9 * body : s.before + 9;
  cr_mulmat3(s.axis, s.before, m->jnt_axis + 3 * j);
  cr_mulmat3(s.arm_before, s.before, m->jnt_pos + 3 * j);
  cr_mulmat3(s.arm_after, s.after, m->jnt_pos + 3 * j);
  return s;
}

static void joint(const cr_model* m, cr_data* d, int j, pose* p) {
  const cr_real *q = d->qpos + m->jnt_qposadr[j], *q0 = m->qpos0 + m->jnt_qposadr[j];
  cr_real *anchor = d->xanchor + 3 * j, *axis = d->xaxis + 3 * j;
  // [k2] the joint before it acts
  cr_copy(d->kin_jnt_xmat + 9 * j, p->mat, 9);
  cr_mulmat3(axis, p->mat, m->jnt_axis + 3 * j);
  cr_mulmat3(anchor, p->mat, m->jnt_pos + 3 * j);
  cr_acc3(anchor, p->pos);
  // [k3] slide
  if (m->jnt_type[j] == CR_JNT_SLIDE) {
    cr_accscl3(p->pos, axis, q[0] - q0[0]);
    return;
  }
  // [k4] hinge, ball: turn about the anchor
  cr_real turn[4], before[4], arm[3];
  if (m->jnt_type[j] == CR_JNT_BALL) {
    cr_copy(turn, q, 4);
    cr_quat_normalize(turn);
  } else {
    cr_quat_axis_angle(turn, m->jnt_axis + 3 * j, q[0] - q0[0]);
  }
  cr_copy(before, p->quat, 4);
  cr_quat_mul(p->quat, before, turn);
  keep_unit(p->quat);
  cr_quat_to_mat(p->mat, p->quat);
  cr_mulmat3(arm, p->mat, m->jnt_pos + 3 * j);
  cr_sub3(p->pos, anchor, arm);
}

// the turn of a hinge under a change of its axis, in the frame after it: with angle t and unit axis
// a, exp(t a)' d exp(t a) = sin t a_tan - (1 - cos t) a x a_tan
static void axis_turn(cr_real turn_tan[3], const cr_real a[3], cr_real t, const cr_real a_tan[3]) {
  cr_cross3(turn_tan, a_tan, a);
  cr_scl3(turn_tan, turn_tan, 1 - cr_cos(t));
  cr_accscl3(turn_tan, a_tan, cr_sin(t));
}

static void joint_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int j, cr_real s[6]) {
  joint_state g = state_of(m, d, j);
  const cr_real* q_tan = tan->qpos + g.dofadr;
  const cr_real* a_tan = cri_par_tan(tan->par.jnt_axis, j, 3);
  const cr_real* b_tan = cri_par_tan(tan->par.jnt_pos, j, 3);
  cr_real q = d->qpos[g.qposadr] - m->qpos0[g.qposadr];
  cr_real *anchor_tan = tan->xanchor + 3 * j, *axis_tan = tan->xaxis + 3 * j;
  // [k2] axis_tan = w x axis + R a_tan, anchor_tan = v + w x arm + R b_tan
  cr_cross3(axis_tan, s, g.axis);
  cr_accmat3(axis_tan, g.before, a_tan);
  cr_cross3(anchor_tan, s, g.arm_before);
  cr_acc3(anchor_tan, s + 3);
  cr_accmat3(anchor_tan, g.before, b_tan);
  // [k3] v += axis_tan (qpos - qpos0) + axis qpos_tan
  if (g.type == CR_JNT_SLIDE) {
    cr_accscl3(s + 3, axis_tan, q);
    cr_accscl3(s + 3, g.axis, q_tan[0]);
    return;
  }
  // [k4] w += R turn_tan, v = anchor_tan - w x arm - R b_tan, all after the joint
  if (g.type == CR_JNT_BALL) {
    cr_accmat3(s, g.after, q_tan);
  } else {
    cr_accscl3(s, g.axis, q_tan[0]);
    if (tan->par.jnt_axis != NULL) {
      cr_real turn_tan[3];
      axis_turn(turn_tan, m->jnt_axis + 3 * j, q, a_tan);
      cr_accmat3(s, g.after, turn_tan);
    }
  }
  cr_mulmat3(s + 3, g.after, b_tan);
  cr_acccross3(s + 3, s, g.arm_after);
  cr_sub3(s + 3, anchor_tan, s + 3);
}

static void joint_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int j, cr_real s_bar[6]) {
  joint_state g = state_of(m, d, j);
  cr_real* q_bar = bar->qpos + g.dofadr;
  cr_real *a_bar = row3(bar->par.jnt_axis, j), *b_bar = row3(bar->par.jnt_pos, j);
  cr_real q = d->qpos[g.qposadr] - m->qpos0[g.qposadr];
  cr_real *moment = s_bar, *force = s_bar + 3, anchor_bar[3], axis_bar[3], turn_bar[3];
  cr_copy3(anchor_bar, bar->xanchor + 3 * j);
  cr_copy3(axis_bar, bar->xaxis + 3 * j);
  if (g.type == CR_JNT_SLIDE) {
    // [k3]'
    q_bar[0] += cr_dot3(g.axis, force);
    cr_accscl3(axis_bar, force, q);
  } else {
    // [k4]' the force moves to the anchor
    cr_acccross3(moment, force, g.arm_after);
    cr_acc3(anchor_bar, force);
    cr_zero3(force);
    if (b_bar != NULL) {
      cr_multmat3(turn_bar, g.after, anchor_bar);
    }
  }
}
