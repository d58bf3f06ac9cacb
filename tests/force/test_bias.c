// SPDX-License-Identifier: Apache-2.0
// The bias force against Lagrange's equations, by differences of kinetic and potential energy, and
// against the textbook double pendulum.
#include "force/bias.h"

#include "inertia/inertia.h"
#include "kinematics/velocity.h"
#include "math/spatial.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 12, MAX_NV = 64 };

typedef struct {
  cr_model m;
  cr_data *d, *moved;
} fixture;

static fixture f;

// a random model without armature: that is inertia in M which no body carries, so it has no share
// in the bias force
static void begin(uint64_t seed) {
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  f.d = test_data(&f.m);
  f.moved = test_data(&f.m);
  assert_true(f.m.nv <= MAX_NV);
  cr_zero(f.m.dof_armature, f.m.nv);
  random_state(&f.m, f.d, seed, STATE_FLIGHT);
  mechanism_pose(&f.m, f.d);
  assert_int_equal(cr_velocity(&f.m, f.d), CR_OK);
  assert_int_equal(cr_bias(&f.m, f.d), CR_OK);
}

static void end(void) { cri_model_free(&f.m); }

// p = M v a step h along u from the pose, v fixed; returns v . p / 2 - potential energy
static cr_real lagrangian(const cr_real* u, cr_real h, cr_real* p) {
  mechanism_move(&f.m, f.d, u, h, f.moved);
  mechanism_pose(&f.m, f.moved);
  cri_inertia_mul(&f.m, f.moved, p, f.d->qvel, f.moved);
  cr_real kinetic = 0;
  for (int i = 0; i < f.m.nv; i++) {
    kinetic += f.d->qvel[i] * p[i] / 2;
  }
  return kinetic - mechanism_potential(&f.m, f.moved);
}

// derivative of p along u, and of the Lagrangian (the return value), by differences of fourth order
static cr_real difference(const cr_real* u, cr_real* p_dot) {
  const cr_real h = CR_R(1e-3), weight[4] = {1, -8, 8, -1};
  const int at[4] = {-2, -1, 1, 2};
  cr_real slope = 0, p[MAX_NV];
  cr_zero(p_dot, f.m.nv);
  for (int k = 0; k < 4; k++) {
    slope += weight[k] * lagrangian(u, (cr_real)at[k] * h, p) / (12 * h);
    for (int i = 0; i < f.m.nv; i++) {
      p_dot[i] += weight[k] * p[i] / (12 * h);
    }
  }
  return slope;
}

// d/dt dL/dv - dL/dq with qacc = 0; rotations, with velocities w in the body frame, add w x dL/dw
static void lagrange(cr_real* c) {
  cr_real p[MAX_NV], unused[MAX_NV], u[MAX_NV] = {0};
  (void)difference(f.d->qvel, c);
  (void)lagrangian(u, 0, p);
  for (int i = 0; i < f.m.nv; i++) {
    u[i] = 1;
    c[i] -= difference(u, unused);
    u[i] = 0;
  }
  for (int j = 0; j < f.m.njnt; j++) {
    if (f.m.jnt_type[j] <= CR_JNT_BALL) {
      int dof = f.m.jnt_dofadr[j] + (f.m.jnt_type[j] == CR_JNT_FREE ? 3 : 0);
      cr_acccross3(c + dof, f.d->qvel + dof, p + dof);
    }
  }
}

TEST(bias_satisfies_lagranges_equations) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_real c[MAX_NV];
    lagrange(c);
    assert_all_close(f.d->qfrc_bias, c, f.m.nv, CR_R(1e-8));
    end();
  }
}

TEST(bias_without_gravity_conserves_kinetic_energy) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    f.m.disableflags |= CR_DSBL_GRAVITY;
    assert_int_equal(cr_bias(&f.m, f.d), CR_OK);
    // M qacc = -bias, so v . M qacc + v . M_dot v / 2 = 0
    cr_real p_dot[MAX_NV], power = 0, scale = 0;
    cr_real kinetic_dot = difference(f.d->qvel, p_dot);
    for (int i = 0; i < f.m.nv; i++) {
      power += f.d->qvel[i] * f.d->qfrc_bias[i];
      scale += cr_abs(f.d->qvel[i] * f.d->qfrc_bias[i]);
    }
    assert_close(power, kinetic_dot, CR_R(1e-9) * (1 + scale));
    end();
  }
}

TEST(bias_at_rest_without_gravity_is_zero) {
  begin(0);
  cr_real before = cr_abs(f.d->qfrc_bias[2]);
  cr_zero(f.d->qvel, f.m.nv);
  f.m.disableflags |= CR_DSBL_GRAVITY;
  assert_int_equal(cr_velocity(&f.m, f.d), CR_OK);
  assert_int_equal(cr_bias(&f.m, f.d), CR_OK);
  for (int i = 0; i < f.m.nv; i++) {
    assert_close(f.d->qfrc_bias[i], 0, 0);
  }
  assert_true(before > 0);
  end();
}

// point masses at the ends of two links in the plane, angles from x, the second one relative
TEST(bias_of_a_double_pendulum_has_its_closed_form) {
  int32_t parent[3] = {0, 0, 1}, tree[3] = {-1, 0, 0}, first[3] = {-1, 0, 1}, count[3] = {0, 1, 1};
  int32_t dofbody[2] = {1, 2}, dof[2] = {0, 1}, type[2] = {CR_JNT_HINGE, CR_JNT_HINGE};
  const cr_real g = CR_R(9.81), l1 = CR_R(0.8), l2 = CR_R(0.5), m1 = CR_R(1.1), m2 = CR_R(0.6);
  const cr_real q1 = CR_R(0.4), q2 = CR_R(1.3), v1 = CR_R(0.9), v2 = CR_R(-1.7);
  cr_real gravity[3] = {0, -g, 0}, qvel[2] = {v1, v2};
  cr_model m = {.nbody = 3, .nv = 2, .njnt = 2, .gravity = gravity, .dof_bodyid = dofbody};
  m.body_parentid = parent;
  m.body_treeid = tree;
  m.body_jntadr = m.body_dofadr = first;
  m.body_jntnum = m.body_dofnum = count;
  m.jnt_dofadr = dof;
  m.jnt_type = type;
  // about the first hinge
  cr_real x1 = l1 * cr_cos(q1), y1 = l1 * cr_sin(q1);
  cr_real x2 = x1 + l2 * cr_cos(q1 + q2), y2 = y1 + l2 * cr_sin(q1 + q2);
  cr_real cinert[30] = {0}, cdof[12] = {0, 0, 1, 0, 0, 0, 0, 0, 1, y1, -x1, 0};
  const cr_real mass[2] = {m1, m2}, x[2] = {x1, x2}, y[2] = {y1, y2};
  for (int k = 0; k < 2; k++) {
    const cr_real inertia[10] = {mass[k] * y[k] * y[k],
                                 mass[k] * x[k] * x[k],
                                 mass[k] * (x[k] * x[k] + y[k] * y[k]),
                                 -mass[k] * x[k] * y[k],
                                 0,
                                 0,
                                 mass[k] * x[k],
                                 mass[k] * y[k],
                                 0,
                                 mass[k]};
    cr_copy(cinert + 10 * (k + 1), inertia, 10);
  }
  cr_real cvel[18], cdof_dot[12], jnt_cvel[12], acc[18], frc[18], c[2];
  cr_data d = {.qvel = qvel, .cinert = cinert, .cdof = cdof, .cvel = cvel, .cdof_dot = cdof_dot};
  d.jnt_cvel = jnt_cvel;
  d.bias_acc = acc;
  d.bias_frc = frc;
  d.qfrc_bias = c;
  assert_int_equal(cr_velocity(&m, &d), CR_OK);
  assert_int_equal(cr_bias(&m, &d), CR_OK);
  cr_real turn = m2 * l1 * l2 * cr_sin(q2), weight2 = m2 * g * l2 * cr_cos(q1 + q2);
  assert_close(c[0], -turn * (2 * v1 * v2 + v2 * v2) + (m1 + m2) * g * x1 + weight2, CR_R(1e-13));
  assert_close(c[1], turn * v1 * v1 + weight2, CR_R(1e-13));
}
