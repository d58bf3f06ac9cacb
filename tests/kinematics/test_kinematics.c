// SPDX-License-Identifier: Apache-2.0
// Poses against products of homogeneous transforms, without anchors in the world and
// quaternions in between; derivatives against the geometric Jacobian, written with world axes.
#include "kinematics/kinematics.h"

#include "math/quat.h"
#include "math/spatial.h"
#include "model/build.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 16, MAX_BODY = 32 };

static const cr_real tight = 1000 * CR_EPS;

typedef struct {
  cr_model m;
  cr_data *d, *tan, *bar;
} fixture;

static fixture f;

static void allocate_data(void) {
  f.d = test_data(&f.m);
  f.tan = test_twin(&f.m, f.d, CR_DATA_TANGENT);
  f.bar = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
}

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  assert_true(f.m.nbody <= MAX_BODY);
  allocate_data();
  random_state(&f.m, f.d, seed, STATE_FLIGHT);
  assert_int_equal(cr_kinematics(&f.m, f.d), CR_OK);
}

static void end(void) { cri_model_free(&f.m); }

// ---- homogeneous transforms

typedef struct {
  cr_real R[9], x[3];
} transform;

static transform product(transform a, transform b) {
  transform c;
  cr_matmul3(c.R, a.R, b.R);
  cr_mulmat3(c.x, a.R, b.x);
  cr_acc3(c.x, a.x);
  return c;
}

static transform translation(const cr_real x[3], cr_real s) {
  transform t = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {s * x[0], s * x[1], s * x[2]}};
  return t;
}

static transform placed(const cr_real x[3], const cr_real quat[4]) {
  transform t = translation(x, 1);
  cr_real q[4];
  cr_copy(q, quat, 4);
  cr_quat_normalize(q);
  cr_quat_to_mat(t.R, q);
  return t;
}

// I + sin t [a]x + (1 - cos t) [a]x^2
static transform turn(const cr_real a[3], cr_real t) {
  const cr_real K[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0}, none[3] = {0};
  transform r = translation(none, 1);
  cr_real KK[9];
  cr_matmul3(KK, K, K);
  for (int i = 0; i < 9; i++) {
    r.R[i] += cr_sin(t) * K[i] + (1 - cr_cos(t)) * KK[i];
  }
  return r;
}

static transform joint_transform(const cr_model* m, const cr_data* d, int j) {
  const cr_real *q = d->qpos + m->jnt_qposadr[j], none[3] = {0};
  const cr_real *axis = m->jnt_axis + 3 * j, *anchor = m->jnt_pos + 3 * j;
  cr_real move = q[0] - m->qpos0[m->jnt_qposadr[j]];
  if (m->jnt_type[j] == CR_JNT_SLIDE) {
    return translation(axis, move);
  }
  transform R = m->jnt_type[j] == CR_JNT_BALL ? placed(none, q) : turn(axis, move);
  return product(product(translation(anchor, 1), R), translation(anchor, -1));
}

// pose of a body, and anchors and axes of its joints on the way
static transform body_transform(const cr_model* m, const cr_data* d, int body, cr_real* anchor,
                                cr_real* axis) {
  const cr_real none[3] = {0};
  int mocap = m->body_mocapid[body], j = m->body_jntadr[body];
  if (body == 0) {
    return translation(none, 1);
  }
  if (mocap >= 0) {
    return placed(d->mocap_pos + 3 * mocap, d->mocap_quat + 4 * mocap);
  }
  if (j >= 0 && m->jnt_type[j] == CR_JNT_FREE) {
    const cr_real* q = d->qpos + m->jnt_qposadr[j];
    cr_copy3(anchor + 3 * j, q);
    cr_copy3(axis + 3 * j, m->jnt_axis + 3 * j);
    return placed(q, q + 3);
  }
  transform t = product(body_transform(m, d, m->body_parentid[body], anchor, axis),
                        placed(m->body_pos + 3 * body, m->body_quat + 4 * body));
  for (int k = 0; k < m->body_jntnum[body]; k++, j++) {
    cr_mulmat3(axis + 3 * j, t.R, m->jnt_axis + 3 * j);
    cr_copy3(anchor + 3 * j, product(t, translation(m->jnt_pos + 3 * j, 1)).x);
    t = product(t, joint_transform(m, d, j));
  }
  return t;
}

static void expect(const cr_real* x, const cr_real* mat, transform t) {
  for (int i = 0; i < 9; i++) {
    assert_close(mat[i], t.R[i], tight);
  }
  for (int i = 0; i < 3; i++) {
    assert_close(x[i], t.x[i], 10 * tight);
  }
}

TEST(kinematics_is_a_product_of_transforms) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    const cr_model* m = &f.m;
    transform body[MAX_BODY];
    cr_real anchor[3 * 6 * MAX_BODY] = {0}, axis[3 * 6 * MAX_BODY] = {0}, R[9];
    for (int b = 0; b < m->nbody; b++) {
      body[b] = body_transform(m, f.d, b, anchor, axis);
      expect(f.d->xpos + 3 * b, f.d->xmat + 9 * b, body[b]);
      expect(f.d->xipos + 3 * b, f.d->ximat + 9 * b,
             product(body[b], placed(m->body_ipos + 3 * b, m->body_iquat + 4 * b)));
      cr_quat_to_mat(R, f.d->xquat + 4 * b);
      assert_all_close(R, body[b].R, 9, tight);
    }
    for (int g = 0; g < m->ngeom; g++) {
      expect(f.d->geom_xpos + 3 * g, f.d->geom_xmat + 9 * g,
             product(body[m->geom_bodyid[g]], placed(m->geom_pos + 3 * g, m->geom_quat + 4 * g)));
    }
    for (int s = 0; s < m->nsite; s++) {
      expect(f.d->site_xpos + 3 * s, f.d->site_xmat + 9 * s,
             product(body[m->site_bodyid[s]], placed(m->site_pos + 3 * s, m->site_quat + 4 * s)));
    }
    for (int i = 0; i < 3 * m->njnt; i++) {
      assert_close(f.d->xanchor[i], anchor[i], 10 * tight);
      assert_close(f.d->xaxis[i], axis[i], tight);
    }
    end();
  }
}

// ---- one body on the world with the joints of the test

static void begin_body(int njnt, const int32_t* types) {
  const int32_t parent[2] = {0, 0}, jntnum[2] = {0, njnt};
  f.m = (cr_model){.nsite = 1};
  assert_int_equal(cri_model_sizes(&f.m, 2, parent, jntnum, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&f.m, NULL), CR_OK);
  cri_model_defaults(&f.m);
  f.m.body_jntnum[1] = njnt;
  memcpy(f.m.jnt_type, types, (size_t)njnt * sizeof *types);
  f.m.site_bodyid[0] = 1;
}

static void derive(void) {
  assert_int_equal(cri_model_derive(&f.m, NULL), CR_OK);
  allocate_data();
}

// a hinge about z through (1, 0, 0), turned by 90 degrees: (x, y) -> (1 - y, x - 1)
TEST(kinematics_hinge_turns_about_its_anchor) {
  const int32_t type = CR_JNT_HINGE;
  begin_body(1, &type);
  f.m.jnt_pos[0] = 1;
  f.m.qpos0[0] = CR_R(0.3);
  f.m.site_pos[0] = 3;
  derive();
  f.d->qpos[0] = CR_R(0.3) + CR_PI / 2;
  assert_int_equal(cr_kinematics(&f.m, f.d), CR_OK);
  const cr_real origin[3] = {1, -1, 0}, site[3] = {1, 2, 0}, anchor[3] = {1, 0, 0};
  assert_all_close(f.d->xpos, ((cr_real[6]){0, 0, 0, 1, -1, 0}), 6, tight);
  assert_all_close(f.d->xpos + 3, origin, 3, tight);
  assert_all_close(f.d->site_xpos, site, 3, tight);
  assert_all_close(f.d->xanchor, anchor, 3, tight);
  end();
}

// the second of two joints sees what the first has done; its own motion it does not
TEST(kinematics_joints_act_in_their_order) {
  const int32_t types[3] = {CR_JNT_HINGE, CR_JNT_SLIDE, CR_JNT_HINGE};
  begin_body(3, types);
  const cr_real axes[9] = {0, 0, 1, 1, 0, 0, 1, 0, 0};
  cr_copy(f.m.jnt_axis, axes, 9);
  derive();
  f.d->qpos[0] = CR_PI / 2;
  f.d->qpos[1] = 2;
  f.d->qpos[2] = CR_PI / 2;
  assert_int_equal(cr_kinematics(&f.m, f.d), CR_OK);
  const cr_real axis[9] = {0, 0, 1, 0, 1, 0, 0, 1, 0}, anchor[9] = {0, 0, 0, 0, 0, 0, 0, 2, 0};
  const cr_real mat[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  assert_all_close(f.d->xaxis, axis, 9, tight);
  assert_all_close(f.d->xanchor, anchor, 9, tight);
  assert_all_close(f.d->xmat + 9, mat, 9, tight);
  end();
}

// in the reference pose joints do nothing, whatever qpos0 is
TEST(kinematics_reference_pose_is_that_of_the_bodies) {
  const int32_t types[3] = {CR_JNT_SLIDE, CR_JNT_HINGE, CR_JNT_BALL};
  begin_body(3, types);
  f.m.qpos0[0] = CR_R(0.4);
  f.m.qpos0[1] = CR_R(-1.2);
  f.m.body_pos[4] = 2;
  f.m.jnt_pos[3] = f.m.jnt_pos[7] = 1;
  f.m.body_quat[5] = 1;
  derive();
  assert_int_equal(cr_kinematics(&f.m, f.d), CR_OK);
  assert_all_close(f.d->xpos + 3, f.m.body_pos + 3, 3, tight);
  assert_all_close(f.d->xquat + 4, f.m.body_quat + 4, 4, tight);
  end();
}

// the length of a quaternion says nothing, and one without length is the identity; qpos stays
TEST(kinematics_normalises_a_copy_of_quaternions) {
  const int32_t type = CR_JNT_FREE;
  const cr_real q[7] = {1, 2, 3, 3, 0, -4, 0}, unit[4] = {CR_R(0.6), 0, CR_R(-0.8), 0};
  begin_body(1, &type);
  derive();
  cr_copy(f.d->qpos, q, 7);
  assert_int_equal(cr_kinematics(&f.m, f.d), CR_OK);
  assert_all_close(f.d->xquat + 4, unit, 4, tight);
  assert_all_close(f.d->qpos, q, 7, 0);
  assert_all_close(f.d->xanchor, q, 3, 0);
  assert_all_close(f.d->xaxis, ((cr_real[3]){0, 0, 1}), 3, 0);
  cr_zero(f.d->qpos + 3, 4);
  assert_int_equal(cr_kinematics(&f.m, f.d), CR_OK);
  assert_all_close(f.d->xquat + 4, ((cr_real[4]){1, 0, 0, 0}), 4, 0);
  end();
}

// ---- derivatives

// a wrench on a site is felt by dof i as axis . moment about the anchor, or axis . force: J' w
static cr_real generalized_force(const cr_model* m, const cr_data* d, int dof,
                                 const cr_real moment[3], const cr_real force[3],
                                 const cr_real point[3]) {
  int j = m->dof_jntid[dof], b = m->dof_bodyid[dof], k = dof - m->jnt_dofadr[j];
  bool free_joint = m->jnt_type[j] == CR_JNT_FREE;
  if (free_joint && k < 3) {
    return force[k];
  }
  if (m->jnt_type[j] == CR_JNT_SLIDE) {
    return cr_dot3(d->xaxis + 3 * j, force);
  }
  cr_real axis[3], arm[3], total[3];
  cr_col3(axis, d->xmat + 9 * b, free_joint ? k - 3 : k);
  if (m->jnt_type[j] == CR_JNT_HINGE) {
    cr_copy3(axis, d->xaxis + 3 * j);
  }
  cr_sub3(arm, point, d->xanchor + 3 * j);
  cr_cross3(total, arm, force);
  cr_acc3(total, moment);
  return cr_dot3(axis, total);
}

TEST(kinematics_vjp_is_the_geometric_jacobian) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    const cr_model* m = &f.m;
    cr_random r = cr_random_seed(seed, 9);
    for (int s = 0; s < m->nsite; s++) {
      cr_real force[3], moment[3] = {0}, expected[6 * MAX_BODY] = {0};
      cr_zero(f.bar->qpos, m->nv);
      for (int i = 0; i < 3; i++) {
        force[i] = f.bar->site_xpos[3 * s + i] = cr_random_normal(&r);
      }
      for (int i = 0; i < 9; i++) {
        f.bar->site_xmat[9 * s + i] = cr_random_normal(&r);
      }
      cr_rot_bar(moment, f.d->site_xmat + 9 * s, f.bar->site_xmat + 9 * s);
      for (int i = 0; i < m->nv; i++) {
        if (mechanism_moves(m, i, m->site_bodyid[s])) {
          expected[i] = generalized_force(m, f.d, i, moment, force, f.d->site_xpos + 3 * s);
        }
      }
      assert_int_equal(cr_kinematics_vjp(m, f.d, f.bar), CR_OK);
      for (int i = 0; i < m->nv; i++) {
        assert_close(f.bar->qpos[i], expected[i], 100 * tight);
      }
      cr_zero(f.bar->site_xpos, 3 * m->nsite);
      cr_zero(f.bar->site_xmat, 9 * m->nsite);
    }
    end();
  }
}

// moving and turning the only body of the world moves and turns all below it as one piece
TEST(kinematics_jvp_of_a_rigid_motion) {
  for (uint64_t seed = 1; seed < N_SEED; seed += 4) {
    begin(seed);
    const cr_model* m = &f.m;
    assert_int_equal(m->jnt_type[0], CR_JNT_FREE);
    const cr_real v[3] = {1, -2, CR_R(0.5)}, w_body[3] = {CR_R(0.3), 2, -1};
    cr_real w[3], expected[3], arm[3], mat[9];
    cr_copy3(f.tan->qpos, v);
    cr_copy3(f.tan->qpos + 3, w_body);
    cr_mulmat3(w, f.d->xmat + 9, w_body);
    assert_int_equal(cr_kinematics_jvp(m, f.d, f.tan), CR_OK);
    for (int g = 0; g < m->ngeom; g++) {
      bool carried = m->body_rootid[m->geom_bodyid[g]] == 1;
      cr_sub3(arm, f.d->geom_xpos + 3 * g, f.d->xpos + 3);
      cr_cross3(expected, w, arm);
      cr_acc3(expected, v);
      cr_rot_tan(mat, w, f.d->geom_xmat + 9 * g);
      cr_scl3(expected, expected, carried);
      for (int i = 0; i < 9; i++) {
        assert_close(f.tan->geom_xmat[9 * g + i], carried ? mat[i] : 0, tight);
      }
      for (int i = 0; i < 3; i++) {
        assert_close(f.tan->geom_xpos[3 * g + i], expected[i], 10 * tight);
      }
    }
    end();
  }
}

// the axis of a hinge: stretched along itself it turns the body by sin t; across, it tilts the
// axis of the turn, which moves the body by (exp(t [a]x) - 1) there
TEST(kinematics_axis_derivative_has_its_closed_form) {
  const int32_t type = CR_JNT_HINGE;
  const cr_real t = CR_R(1.1);
  begin_body(1, &type);
  derive();
  f.d->qpos[0] = t;
  assert_int_equal(cr_kinematics(&f.m, f.d), CR_OK);
  cr_real w[3];
  f.tan->par.jnt_axis[2] = 1;
  assert_int_equal(cr_kinematics_jvp(&f.m, f.d, f.tan), CR_OK);
  cr_rot_vec(w, f.d->xmat + 9, f.tan->xmat + 9);
  assert_all_close(w, ((cr_real[3]){0, 0, cr_sin(t)}), 3, tight);
  f.tan->par.jnt_axis[2] = 0;
  f.tan->par.jnt_axis[0] = 1;
  assert_int_equal(cr_kinematics_jvp(&f.m, f.d, f.tan), CR_OK);
  cr_rot_vec(w, f.d->xmat + 9, f.tan->xmat + 9);
  // R = T exp(t z) T' with T a tilt about y: w = (1 - R) y in the world
  cr_real tilted[3] = {0, 1, 0}, turned[3];
  cr_mulmat3(turned, f.d->xmat + 9, tilted);
  cr_sub3(tilted, tilted, turned);
  assert_all_close(w, tilted, 3, tight);
  end();
}

// with an axis that is not of unit length, as differences have it, the body still only turns, and
// about its anchor
TEST(kinematics_any_axis_makes_a_rotation) {
  const int32_t types[2] = {CR_JNT_HINGE, CR_JNT_HINGE};
  begin_body(2, types);
  f.m.jnt_pos[0] = f.m.jnt_pos[4] = 1;
  f.m.jnt_axis[3] = 1;
  derive();
  f.m.jnt_axis[0] = f.m.jnt_axis[5] = CR_R(0.1);
  f.d->qpos[0] = f.d->qpos[1] = 1;
  assert_int_equal(cr_kinematics(&f.m, f.d), CR_OK);
  const cr_real identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, *R = f.d->xmat + 9;
  const cr_real transposed[9] = {R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]};
  cr_real RR[9], held[3];
  cr_matmul3(RR, R, transposed);
  assert_all_close(RR, identity, 9, tight);
  cr_mulmat3(held, R, f.m.jnt_pos + 3);
  cr_acc3(held, f.d->xpos + 3);
  assert_all_close(held, f.d->xanchor + 3, 3, tight);
  end();
}

// a mocap body follows its mocap pose; body_pos and body_quat have no say, hence no derivative
TEST(kinematics_mocap_body_follows_its_pose) {
  const int32_t parent[3] = {0, 0, 1}, jntnum[3] = {0, 0, 0};
  f.m = (cr_model){.nmocap = 1};
  assert_int_equal(cri_model_sizes(&f.m, 3, parent, jntnum, jntnum, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&f.m, NULL), CR_OK);
  cri_model_defaults(&f.m);
  f.m.body_parentid[2] = 1;
  f.m.body_mocapid[1] = 0;
  f.m.body_pos[3] = 7;
  f.m.body_pos[6] = 1;
  derive();
  const cr_real quat[4] = {2, 0, 0, 2}, pos[3] = {1, 2, 3}, child[3] = {1, 3, 3};
  cr_copy(f.d->mocap_quat, quat, 4);
  cr_copy3(f.d->mocap_pos, pos);
  assert_int_equal(cr_kinematics(&f.m, f.d), CR_OK);
  assert_all_close(f.d->xpos + 3, pos, 3, 0);
  assert_all_close(f.d->xpos + 6, child, 3, tight);
  f.bar->xpos[6] = f.bar->xpos[3] = 1;
  assert_int_equal(cr_kinematics_vjp(&f.m, f.d, f.bar), CR_OK);
  assert_all_close(f.bar->par.body_pos + 3, ((cr_real[3]){0}), 3, 0);
  assert_all_close(f.bar->par.body_pos + 6, ((cr_real[3]){0, -1, 0}), 3, tight);
  end();
}
