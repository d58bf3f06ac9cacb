// SPDX-License-Identifier: Apache-2.0
// Forward kinematics. Every pose is a frame fixed in another one, [kinematics.k1], or moved by a joint,
// [kinematics.k2]-[kinematics.k5]. A tangent of a pose is six numbers s = (w, v): R_tan = [w]x R, x_tan = v. Its
// transpose is a wrench (moment about x, force). So the jvp passes velocities from the root to the
// leaves, the vjp wrenches from the leaves to the root, and no matrix is differentiated entry by
// entry.
#include "kinematics/kinematics.h"

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
  // [kinematics.k1] v = v0 + w0 x R0 p + R0 p_tan, w = w0 + R q_tan
  cr_real arm[3];
  cr_mulmat3(arm, R0, p);
  cr_copy6(s, s0);
  cr_acccross3(s + 3, s0, arm);
  cr_accmat3(s + 3, R0, p_tan);
  cr_accmat3(s, R, q_tan);
}

static void fixed_vjp(cr_real s0_bar[6], const cr_real s_bar[6], const cr_real R0[9],
                      const cr_real R[9], const cr_real p[3], cr_real* p_bar, cr_real* q_bar) {
  // [kinematics.k1]' moment0 += moment + R0 p x force, force0 += force
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

static bool all_zero(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) {
      return false;
    }
  }
  return true;
}

// true for the unit quaternion; worth a test, since many frames are not turned
static bool is_identity(const cr_real q[4]) { return all_zero(q + 1, 3); }

// R = R0 R(q)
static void turned(cr_real R[9], const cr_real R0[9], const cr_real q[4]) {
  cr_real local[9];
  if (is_identity(q)) {
    cr_copy(R, R0, 9);
  } else {
    cr_quat_to_mat(local, q);
    cr_matmul3(R, R0, local);
  }
}

// row i of a parameter's cotangent, three numbers, NULL if it is not asked for
static cr_real* row3(cr_real* array, int i) { return array == NULL ? NULL : array + 3 * i; }

// ---- frames fixed in bodies: centres of mass, geoms, sites

typedef struct {
  int n;
  const int32_t* body;            // NULL: frame i is in body i
  const cr_real *pos, *quat;      // in the body
  cr_real *pos_twin, *quat_twin;  // tangents or cotangents of these, NULL if there are none
  cr_real *x, *mat;               // in the world: values, tangents or cotangents
  cr_real* xquat;                 // in the world, values only; NULL: not stored
} frame_set;

enum { N_SETS = 3 };

// `to` holds the values, tangents or cotangents to compute
static void list_sets(frame_set sets[N_SETS], const cr_model* m, cr_data* to) {
  const cr_model* par = &to->par;
  sets[0] = (frame_set){m->nbody,        NULL,      m->body_ipos, m->body_iquat, par->body_ipos,
                        par->body_iquat, to->xipos, to->ximat,    NULL};
  sets[1] = (frame_set){m->ngeom,       m->geom_bodyid, m->geom_pos,   m->geom_quat, par->geom_pos,
                        par->geom_quat, to->geom_xpos,  to->geom_xmat, NULL};
  sets[2] = (frame_set){m->nsite,       m->site_bodyid, m->site_pos,   m->site_quat,  par->site_pos,
                        par->site_quat, to->site_xpos,  to->site_xmat, to->site_xquat};
}

static int body_of(const frame_set* set, int i) { return set->body == NULL ? i : set->body[i]; }

// true if frame i of a set is that of its body's inertia, as of most geoms that are alone on a body
static bool is_inertial(const frame_set* set, int i, const frame_set* inertial, int body) {
  const cr_real *p = set->pos + 3 * i, *q = set->quat + 4 * i;
  const cr_real *p0 = inertial->pos + 3 * body, *q0 = inertial->quat + 4 * body;
  return p[0] == p0[0] && p[1] == p0[1] && p[2] == p0[2] && q[0] == q0[0] && q[1] == q0[1] &&
         q[2] == q0[2] && q[3] == q0[3];
}

// `inertial`: the frames of bodies' inertias, which have been placed; NULL while they are
static void place_set(const frame_set* set, const frame_set* inertial, const cr_data* d) {
  for (int i = 0; i < set->n; i++) {
    // [kinematics.k1]
    int body = body_of(set, i);
    const cr_real *q0 = d->xquat + 4 * body, *R0 = d->xmat + 9 * body, *q = set->quat + 4 * i;
    cr_real x[3], quat[4];
    if (inertial != NULL && set->xquat == NULL && is_inertial(set, i, inertial, body)) {
      cr_copy3(set->x + 3 * i, inertial->x + 3 * body);
      cr_copy(set->mat + 9 * i, inertial->mat + 9 * body, 9);
      continue;
    }
    cr_copy3(x, d->xpos + 3 * body);
    cr_accmat3(x, R0, set->pos + 3 * i);
    cr_copy3(set->x + 3 * i, x);
    if (is_identity(q)) {
      for (int k = 0; k < 4; k++) {
        quat[k] = q0[k] * q[0];
      }
      cr_copy(set->mat + 9 * i, R0, 9);
    } else {
      cr_quat_mul(quat, q0, q);
      cr_quat_to_mat(set->mat + 9 * i, quat);
    }
    if (set->xquat != NULL) {
      cr_copy(set->xquat + 4 * i, quat, 4);
    }
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
    // a point whose orientation is not used, as most sites, turns nothing
    bool turns = !all_zero(set->mat + 9 * i, 9);
    if (!turns && all_zero(set->x + 3 * i, 3)) {
      continue;
    }
    int body = body_of(set, i);
    const cr_real* R0 = d->kin_xmat + 9 * body;
    cr_real R[9], s_bar[6] = {0};
    if (turns) {
      turned(R, R0, set->quat + 4 * i);
      cr_rot_bar(s_bar, R, set->mat + 9 * i);
    }
    cr_copy3(s_bar + 3, set->x + 3 * i);
    fixed_vjp(wrench + 6 * body, s_bar, R0, R, set->pos + 3 * i, row3(set->pos_twin, i),
              turns ? row3(set->quat_twin, i) : NULL);
  }
}

// ---- joints

// a body between its joints
typedef struct {
  cr_real pos[3], quat[4];
} pose;

// its orientation after k of its joints
static cr_real* mat_after(const cr_model* m, const cr_data* d, int body, int k) {
  return k < m->body_jntnum[body] ? d->kin_jnt_xmat + 9 * (m->body_jntadr[body] + k)
                                  : d->kin_xmat + 9 * body;
}

// numbers for both derivatives of a joint that is not free
typedef struct {
  int type, dofadr;
  cr_real q;                            // qpos - qpos0 of a hinge or slide
  const cr_real *before, *after;        // orientation of the body before and after it acts
  cr_real axis[3];                      // [kinematics.k2], world
  cr_real arm_before[3], arm_after[3];  // from the body's origin to the anchor, world
} joint_state;

static joint_state state_of(const cr_model* m, const cr_data* d, int j) {
  int body = m->jnt_bodyid[j];
  int qposadr = m->jnt_qposadr[j];
  joint_state s = {.type = m->jnt_type[j], .dofadr = m->jnt_dofadr[j]};
  s.q = d->qpos[qposadr] - m->qpos0[qposadr];
  s.before = d->kin_jnt_xmat + 9 * j;
  s.after = mat_after(m, d, body, j + 1 - m->body_jntadr[body]);
  cr_mulmat3(s.axis, s.before, m->jnt_axis + 3 * j);
  cr_mulmat3(s.arm_before, s.before, m->jnt_pos + 3 * j);
  cr_mulmat3(s.arm_after, s.after, m->jnt_pos + 3 * j);
  return s;
}

// orientations: `before` the joint is given, `after` it written
static void place_joint(const cr_model* m, cr_data* d, int j, pose* p, const cr_real before[9],
                        cr_real after[9]) {
  const cr_real *q = d->qpos + m->jnt_qposadr[j], *q0 = m->qpos0 + m->jnt_qposadr[j];
  cr_real turn[4], axis[3], anchor[3], arm[3];
  // [kinematics.k2] the joint before it acts
  cr_mulmat3(axis, before, m->jnt_axis + 3 * j);
  cr_mulmat3(anchor, before, m->jnt_pos + 3 * j);
  cr_acc3(anchor, p->pos);
  cr_copy3(d->xaxis + 3 * j, axis);
  cr_copy3(d->xanchor + 3 * j, anchor);
  // [kinematics.k3] slide
  if (m->jnt_type[j] == CR_JNT_SLIDE) {
    cr_accscl3(p->pos, axis, q[0] - q0[0]);
    cr_copy(after, before, 9);
    return;
  }
  // [kinematics.k4] hinge, ball: turn about the anchor
  if (m->jnt_type[j] == CR_JNT_BALL) {
    cr_copy(turn, q, 4);
    cr_quat_normalize(turn);
  } else {
    cr_quat_axis_angle(turn, m->jnt_axis + 3 * j, q[0] - q0[0]);
  }
  cr_quat_mul(p->quat, p->quat, turn);
  keep_unit(p->quat);
  cr_quat_to_mat(after, p->quat);
  cr_mulmat3(arm, after, m->jnt_pos + 3 * j);
  cr_sub3(p->pos, anchor, arm);
}

// the turn of a hinge under a change of its axis, in the frame after it; t the angle, a the axis:
// turn_tan = sin t a_tan - (1 - cos t) a x a_tan
static void axis_turn_jvp(cr_real turn_tan[3], const cr_real a[3], cr_real t,
                          const cr_real a_tan[3]) {
  cr_cross3(turn_tan, a_tan, a);
  cr_scl3(turn_tan, turn_tan, 1 - cr_cos(t));
  cr_accscl3(turn_tan, a_tan, cr_sin(t));
}

static void axis_turn_vjp(cr_real a_bar[3], const cr_real a[3], cr_real t,
                          const cr_real turn_bar[3]) {
  cr_real across[3];
  cr_cross3(across, a, turn_bar);
  cr_accscl3(a_bar, across, 1 - cr_cos(t));
  cr_accscl3(a_bar, turn_bar, cr_sin(t));
}

static void joint_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int j, cr_real s[6]) {
  joint_state g = state_of(m, d, j);
  const cr_real* q_tan = tan->qpos + g.dofadr;
  const cr_real* a_tan = cri_par_tan(tan->par.jnt_axis, j, 3);
  const cr_real* b_tan = cri_par_tan(tan->par.jnt_pos, j, 3);
  cr_real *anchor_tan = tan->xanchor + 3 * j, *axis_tan = tan->xaxis + 3 * j;
  // [kinematics.k2] axis_tan = w x axis + R a_tan, anchor_tan = v + w x arm + R b_tan
  cr_cross3(axis_tan, s, g.axis);
  cr_accmat3(axis_tan, g.before, a_tan);
  cr_cross3(anchor_tan, s, g.arm_before);
  cr_acc3(anchor_tan, s + 3);
  cr_accmat3(anchor_tan, g.before, b_tan);
  // [kinematics.k3] v += axis_tan (qpos - qpos0) + axis qpos_tan
  if (g.type == CR_JNT_SLIDE) {
    cr_accscl3(s + 3, axis_tan, g.q);
    cr_accscl3(s + 3, g.axis, q_tan[0]);
    return;
  }
  // [kinematics.k4] w += R turn_tan, v = anchor_tan - w x arm - R b_tan, all after the joint
  if (g.type == CR_JNT_BALL) {
    cr_accmat3(s, g.after, q_tan);
  } else {
    cr_accscl3(s, g.axis, q_tan[0]);
    if (tan->par.jnt_axis != NULL) {
      cr_real turn_tan[3];
      axis_turn_jvp(turn_tan, m->jnt_axis + 3 * j, g.q, a_tan);
      cr_accmat3(s, g.after, turn_tan);
    }
  }
  cr_mulmat3(s + 3, g.after, b_tan);
  cr_acccross3(s + 3, s, g.arm_after);
  cr_sub3(s + 3, anchor_tan, s + 3);
}

// converts the wrench after the joint to the wrench before it; the part through anchor and axis goes to
// their cotangents
static void slide_vjp(const joint_state* g, cr_real* q_bar, const cr_real s_bar[6],
                      cr_real axis_bar[3]) {
  // [kinematics.k3]'
  q_bar[0] += cr_dot3(g->axis, s_bar + 3);
  cr_accscl3(axis_bar, s_bar + 3, g->q);
}

static void turn_vjp(const joint_state* g, const cr_real a[3], cr_real* q_bar, cr_real* a_bar,
                     cr_real* b_bar, cr_real s_bar[6], cr_real anchor_bar[3]) {
  cr_real *moment = s_bar, *force = s_bar + 3, turn_bar[3];
  // [kinematics.k4]' the force goes to the anchor, at which the body is held
  cr_acccross3(moment, force, g->arm_after);
  cr_acc3(anchor_bar, force);
  if (b_bar != NULL) {
    cr_real back[3];
    cr_multmat3(back, g->after, force);
    cr_sub3(b_bar, b_bar, back);
  }
  cr_zero3(force);
  // the moment stays, and acts on the turn
  if (g->type == CR_JNT_BALL) {
    cr_acctmat3(q_bar, g->after, moment);
    return;
  }
  q_bar[0] += cr_dot3(g->axis, moment);
  if (a_bar != NULL) {
    cr_multmat3(turn_bar, g->after, moment);
    axis_turn_vjp(a_bar, a, g->q, turn_bar);
  }
}

static void joint_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int j, cr_real s_bar[6]) {
  joint_state g = state_of(m, d, j);
  cr_real* q_bar = bar->qpos + g.dofadr;
  cr_real *a_bar = row3(bar->par.jnt_axis, j), *b_bar = row3(bar->par.jnt_pos, j);
  cr_real anchor_bar[3], axis_bar[3];
  cr_copy3(anchor_bar, bar->xanchor + 3 * j);
  cr_copy3(axis_bar, bar->xaxis + 3 * j);
  if (g.type == CR_JNT_SLIDE) {
    slide_vjp(&g, q_bar, s_bar, axis_bar);
  } else {
    turn_vjp(&g, m->jnt_axis + 3 * j, q_bar, a_bar, b_bar, s_bar, anchor_bar);
  }
  // [kinematics.k2]' moment += axis x axis_bar + arm x anchor_bar, force += anchor_bar
  cr_acccross3(s_bar, g.axis, axis_bar);
  cr_acccross3(s_bar, g.arm_before, anchor_bar);
  cr_acc3(s_bar + 3, anchor_bar);
  if (a_bar != NULL) {
    cr_acctmat3(a_bar, g.before, axis_bar);
  }
  if (b_bar != NULL) {
    cr_acctmat3(b_bar, g.before, anchor_bar);
  }
}

// ---- bodies

static bool is_free(const cr_model* m, int body) {
  return m->body_jntnum[body] == 1 && m->jnt_type[m->body_jntadr[body]] == CR_JNT_FREE;
}

static void attach(const cr_model* m, const cr_data* d, int body, pose* p) {
  int parent = m->body_parentid[body], mocap = m->body_mocapid[body];
  if (mocap >= 0) {
    cr_copy3(p->pos, d->mocap_pos + 3 * mocap);
    cr_copy(p->quat, d->mocap_quat + 4 * mocap, 4);
    cr_quat_normalize(p->quat);
  } else {
    // [kinematics.k1]
    cr_mulmat3(p->pos, d->xmat + 9 * parent, m->body_pos + 3 * body);
    cr_acc3(p->pos, d->xpos + 3 * parent);
    cr_quat_mul(p->quat, d->xquat + 4 * parent, m->body_quat + 4 * body);
    keep_unit(p->quat);
  }
  cr_quat_to_mat(mat_after(m, d, body, 0), p->quat);
}

static void place_free(const cr_model* m, cr_data* d, int body, pose* p) {
  // [kinematics.k5]
  int j = m->body_jntadr[body];
  const cr_real* q = d->qpos + m->jnt_qposadr[j];
  cr_copy3(p->pos, q);
  cr_copy(p->quat, q + 3, 4);
  cr_quat_normalize(p->quat);
  cr_quat_to_mat(d->kin_xmat + 9 * body, p->quat);
  cr_copy3(d->xanchor + 3 * j, p->pos);
  cr_copy3(d->xaxis + 3 * j, m->jnt_axis + 3 * j);
}

static void place_body(const cr_model* m, cr_data* d, int body) {
  pose p;
  if (is_free(m, body)) {
    place_free(m, d, body, &p);
  } else {
    attach(m, d, body, &p);
    for (int k = 0; k < m->body_jntnum[body]; k++) {
      place_joint(m, d, m->body_jntadr[body] + k, &p, mat_after(m, d, body, k),
                  mat_after(m, d, body, k + 1));
    }
  }
  cr_copy3(d->xpos + 3 * body, p.pos);
  cr_copy(d->xquat + 4 * body, p.quat, 4);
  cr_copy(d->xmat + 9 * body, d->kin_xmat + 9 * body, 9);
}

static void place_world(cr_data* d) {
  static const cr_real identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  cr_zero3(d->xpos);
  cr_copy(d->xquat, identity, 4);
  cr_copy(d->xmat, identity, 9);
  cr_copy(d->kin_xmat, identity, 9);
}

static void body_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int body, cr_real* motion) {
  cr_real* s = motion + 6 * body;
  int parent = m->body_parentid[body], j = m->body_jntadr[body];
  const cr_real* R = d->kin_xmat + 9 * body;
  cr_zero6(s);
  if (is_free(m, body)) {
    // [kinematics.k5]
    const cr_real* q_tan = tan->qpos + m->jnt_dofadr[j];
    cr_copy3(s + 3, q_tan);
    cr_mulmat3(s, R, q_tan + 3);
    cr_copy3(tan->xanchor + 3 * j, q_tan);
    cr_copy3(tan->xaxis + 3 * j, cri_par_tan(tan->par.jnt_axis, j, 3));
  } else if (m->body_mocapid[body] < 0) {
    fixed_jvp(s, motion + 6 * parent, d->kin_xmat + 9 * parent, mat_after(m, d, body, 0),
              m->body_pos + 3 * body, cri_par_tan(tan->par.body_pos, body, 3),
              cri_par_tan(tan->par.body_quat, body, 3));
    for (int k = 0; k < m->body_jntnum[body]; k++) {
      joint_jvp(m, d, tan, j + k, s);
    }
  }
  cr_copy3(tan->xpos + 3 * body, s + 3);
  cr_rot_tan(tan->xmat + 9 * body, s, R);
}

static void body_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int body, cr_real* wrench) {
  cr_real* s_bar = wrench + 6 * body;
  int parent = m->body_parentid[body], j = m->body_jntadr[body];
  const cr_real* R = d->kin_xmat + 9 * body;
  cr_rot_bar(s_bar, R, bar->xmat + 9 * body);
  cr_acc3(s_bar + 3, bar->xpos + 3 * body);
  if (is_free(m, body)) {
    // [kinematics.k5]'
    cr_real* q_bar = bar->qpos + m->jnt_dofadr[j];
    cr_acc3(q_bar, s_bar + 3);
    cr_acc3(q_bar, bar->xanchor + 3 * j);
    cr_acctmat3(q_bar + 3, R, s_bar);
    if (bar->par.jnt_axis != NULL) {
      cr_acc3(bar->par.jnt_axis + 3 * j, bar->xaxis + 3 * j);
    }
  } else if (m->body_mocapid[body] < 0) {
    for (int k = m->body_jntnum[body] - 1; k >= 0; k--) {
      joint_vjp(m, d, bar, j + k, s_bar);
    }
    fixed_vjp(wrench + 6 * parent, s_bar, d->kin_xmat + 9 * parent, mat_after(m, d, body, 0),
              m->body_pos + 3 * body, row3(bar->par.body_pos, body),
              row3(bar->par.body_quat, body));
  }
}

// ---- the stage

cr_status cr_kinematics(const cr_model* m, cr_data* d) {
  frame_set sets[N_SETS];
  place_world(d);
  for (int i = 1; i < m->nbody; i++) {
    place_body(m, d, i);
  }
  list_sets(sets, m, d);
  for (int k = 0; k < N_SETS; k++) {
    place_set(&sets[k], k > 0 ? &sets[0] : NULL, d);
  }
  return CR_OK;
}

cr_status cr_kinematics_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  frame_set sets[N_SETS];
  size_t mark = cri_mark(tan);
  cr_real* motion = cri_push(tan, 6 * (size_t)m->nbody);
  cr_zero6(motion);
  cr_zero3(tan->xpos);
  cr_zero(tan->xmat, 9);
  for (int i = 1; i < m->nbody; i++) {
    body_jvp(m, d, tan, i, motion);
  }
  list_sets(sets, m, tan);
  for (int k = 0; k < N_SETS; k++) {
    place_set_jvp(&sets[k], d, motion);
  }
  cri_pop(tan, mark);
  return CR_OK;
}

cr_status cr_kinematics_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  frame_set sets[N_SETS];
  size_t mark = cri_mark(bar);
  cr_real* wrench = cri_push(bar, 6 * (size_t)m->nbody);
  cr_zero(wrench, 6 * m->nbody);
  list_sets(sets, m, bar);
  for (int k = N_SETS - 1; k >= 0; k--) {
    place_set_vjp(&sets[k], d, wrench);
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    body_vjp(m, d, bar, i, wrench);
  }
  cri_pop(bar, mark);
  return CR_OK;
}
