// SPDX-License-Identifier: Apache-2.0
// Springs against the gradient of their energy, gravity compensation against gravity, switches
// against what MuJoCo does with them.
#include "force/passive.h"

#include "base/random.h"
#include "engine/forward.h"
#include "math/quat.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { MAX_NV = 16, MAX_NQ = 20 };

static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_BALL, CR_JNT_HINGE, CR_JNT_SLIDE};

typedef struct {
  cr_model m;
  cr_data *d, *moved;
  cr_real v[MAX_NV];
} fixture;

static fixture f;

static void begin(void) {
  assert_int_equal(chain_model(&f.m, 4, joints, 0, NULL), CR_OK);
  f.d = test_data(&f.m);
  f.moved = test_data(&f.m);
  cr_random r = cr_random_seed(1, 44);
  for (int j = 0; j < f.m.njnt; j++) {
    f.m.jnt_stiffness[j] = 2 + (cr_real)j;
  }
  for (int i = 0; i < f.m.nv; i++) {
    f.v[i] = cr_random_normal(&r);
    f.d->qvel[i] = cr_random_normal(&r);
    f.m.dof_damping[i] = 1 + (cr_real)i;
  }
  mechanism_move(&f.m, f.d, f.v, 1, f.d);
  for (int i = 0; i < f.m.nv; i++) {
    f.v[i] = cr_random_normal(&r);
  }
  mechanism_pose(&f.m, f.d);
}

static void end(void) { cri_model_free(&f.m); }

// half of k times distance squared or angle squared, the angle from the scalar part
static cr_real spring_energy(const cr_data* d) {
  const cr_real* rest = f.m.qpos_spring;
  cr_real energy = 0;
  for (int j = 0; j < f.m.njnt; j++) {
    int q = f.m.jnt_qposadr[j], type = f.m.jnt_type[j], flat = type == CR_JNT_FREE ? 3 : 1;
    cr_real sum = 0;
    for (int k = q; type != CR_JNT_BALL && k < q + flat; k++) {
      sum += (d->qpos[k] - rest[k]) * (d->qpos[k] - rest[k]);
    }
    if (type == CR_JNT_FREE || type == CR_JNT_BALL) {
      cr_real dot = 0;
      int at = q + (type == CR_JNT_FREE ? 3 : 0);
      for (int k = at; k < at + 4; k++) {
        dot += d->qpos[k] * rest[k];
      }
      cr_real angle = 2 * cr_acos(cr_abs(dot));
      sum += angle * angle;
    }
    energy += f.m.jnt_stiffness[j] * sum / 2;
  }
  return energy;
}

static cr_real energy_after(cr_real h) {
  mechanism_move(&f.m, f.d, f.v, h, f.moved);
  return spring_energy(f.moved);
}

TEST(springs_descend_their_energy) {
  begin();
  assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
  cr_real power = 0, h = CR_R(1e-3);
  for (int i = 0; i < f.m.nv; i++) {
    power += f.d->qfrc_spring[i] * f.v[i];
  }
  cr_real near = energy_after(h) - energy_after(-h),
          far = energy_after(2 * h) - energy_after(-2 * h);
  assert_true(cr_abs(power) > 1);
  assert_close(power, -(8 * near - far) / (12 * h), CR_R(1e-8) * cr_abs(power));
  end();
}

TEST(spring_of_a_ball_is_stiffness_times_angle) {
  begin();
  cr_real axis[3] = {CR_R(0.6), 0, CR_R(-0.8)};
  cr_real* q = f.d->qpos + f.m.jnt_qposadr[1];
  cr_quat_axis_angle(q, axis, CR_R(1.3));
  assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
  for (int k = 0; k < 3; k++) {
    assert_close(f.d->qfrc_spring[6 + k], -3 * CR_R(1.3) * axis[k], 10 * ROUND_OFF);
  }
  // the shorter way round, and the length of the quaternion does not matter
  cr_quat_axis_angle(q, axis, 2 * CR_PI - CR_R(1.3));
  for (int k = 0; k < 4; k++) {
    q[k] *= CR_R(1.7);
  }
  assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
  for (int k = 0; k < 3; k++) {
    assert_close(f.d->qfrc_spring[6 + k], 3 * CR_R(1.3) * axis[k], 10 * ROUND_OFF);
  }
  end();
}

TEST(dampers_oppose_velocity) {
  begin();
  assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
  for (int i = 0; i < f.m.nv; i++) {
    assert_close(f.d->qfrc_damper[i], -(1 + (cr_real)i) * f.d->qvel[i], 0);
    assert_close(f.d->qfrc_passive[i], f.d->qfrc_spring[i] + f.d->qfrc_damper[i], 0);
  }
  end();
}

TEST(dampers_are_odd_polynomials) {
  begin();
  cr_real force[MAX_NV];
  for (int i = 0; i < f.m.nv; i++) {
    f.m.dof_damping[i] = 2;
    f.m.dof_dampingpoly[2 * i] = 3;
    f.m.dof_dampingpoly[2 * i + 1] = 5;
    f.d->qvel[i] = CR_R(0.5);
  }
  assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
  cr_copy(force, f.d->qfrc_damper, f.m.nv);
  for (int i = 0; i < f.m.nv; i++) {
    assert_close(force[i], -(1 + CR_R(0.75) + CR_R(0.625)), 10 * ROUND_OFF);
    f.d->qvel[i] *= -1;
  }
  assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
  for (int i = 0; i < f.m.nv; i++) {
    assert_close(f.d->qfrc_damper[i], -force[i], 0);
  }
  end();
}

// k0 x + k1 x^2 + k2 x^3 along x: signed where there is one coordinate, a distance or angle else
TEST(springs_are_polynomials) {
  begin();
  for (int j = 0; j < f.m.njnt; j++) {
    f.m.jnt_stiffness[j] = 2;
    f.m.jnt_stiffnesspoly[2 * j] = 3;
    f.m.jnt_stiffnesspoly[2 * j + 1] = 5;
  }
  const cr_real axis[3] = {CR_R(0.6), 0, CR_R(-0.8)}, x = CR_R(-0.7);
  cr_copy(f.d->qpos, f.m.qpos_spring, f.m.nq);
  cr_accscl3(f.d->qpos, axis, x);
  cr_quat_axis_angle(f.d->qpos + 7, axis, x);
  for (int j = 2; j < 4; j++) {
    f.d->qpos[f.m.jnt_qposadr[j]] += x;
  }
  assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
  cr_real size = 2 * x - 3 * x * x + 5 * x * x * x;
  for (int k = 0; k < 3; k++) {
    assert_close(f.d->qfrc_spring[k], -size * axis[k], 100 * ROUND_OFF);
    assert_close(f.d->qfrc_spring[6 + k], -size * axis[k], 100 * ROUND_OFF);
  }
  for (int j = 2; j < 4; j++) {
    assert_close(f.d->qfrc_spring[f.m.jnt_dofadr[j]], -(2 * x + 3 * x * x + 5 * x * x * x),
                 100 * ROUND_OFF);
  }
  end();
}

static cr_real potential_after(cr_real h) {
  mechanism_move(&f.m, f.d, f.v, h, f.moved);
  mechanism_pose(&f.m, f.moved);
  return mechanism_potential(&f.m, f.moved);
}

TEST(full_compensation_lifts_against_gravity) {
  begin();
  cr_real power = 0, h = CR_R(1e-3);
  f.m.gravity[0] = CR_R(0.7);
  for (int b = 1; b < f.m.nbody; b++) {
    f.m.body_gravcomp[b] = 1;
  }
  assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
  for (int i = 0; i < f.m.nv; i++) {
    power += f.d->qfrc_gravcomp[i] * f.v[i];
  }
  cr_real near = potential_after(h) - potential_after(-h);
  cr_real far = potential_after(2 * h) - potential_after(-2 * h);
  assert_close(power, (8 * near - far) / (12 * h), CR_R(1e-8) * cr_abs(power));
  end();
}

TEST(compensation_by_actuators_is_not_passive) {
  begin();
  f.m.body_gravcomp[3] = CR_R(0.5);
  f.m.jnt_actgravcomp[2] = 1;
  assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
  for (int i = 0; i < f.m.nv; i++) {
    bool moved = f.m.dof_jntid[i] == 2;
    cr_real rest = f.d->qfrc_spring[i] + f.d->qfrc_damper[i];
    assert_true((f.d->qfrc_gravcomp[i] != 0) == (f.m.dof_jntid[i] <= 2 && i != 0 && i != 1));
    assert_close(f.d->qfrc_passive[i], rest + (moved ? 0 : f.d->qfrc_gravcomp[i]), 10 * ROUND_OFF);
  }
  end();
}

static bool any(const cr_real* x) {
  bool found = false;
  for (int i = 0; i < f.m.nv; i++) {
    found = found || x[i] != 0;
  }
  return found;
}

// with springs and dampers both off MuJoCo leaves out gravity compensation too
TEST(switches_do_what_mujoco_does) {
  static const struct {
    int flags;
    bool spring, damper, gravcomp;
  } cases[] = {{0, true, true, true},
               {CR_DSBL_SPRING, false, true, true},
               {CR_DSBL_DAMPER, true, false, true},
               {CR_DSBL_SPRING | CR_DSBL_DAMPER, false, false, false},
               {CR_DSBL_GRAVITY, true, true, false}};
  begin();
  f.m.body_gravcomp[2] = 1;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    f.m.disableflags = cases[i].flags;
    assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
    assert_int_equal(any(f.d->qfrc_spring), cases[i].spring);
    assert_int_equal(any(f.d->qfrc_damper), cases[i].damper);
    assert_int_equal(any(f.d->qfrc_gravcomp), cases[i].gravcomp);
  }
  end();
}

// stiffness and compensation that are zero everywhere still have a derivative
TEST(derivatives_hold_at_zero_parameters) {
  begin();
  cr_data* bar = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
  cr_zero(f.m.jnt_stiffness, f.m.njnt);
  cr_copy(bar->qfrc_passive, f.v, f.m.nv);
  assert_int_equal(cr_passive_vjp(&f.m, f.d, bar), CR_OK);
  for (int j = 0; j < f.m.njnt; j++) {
    cr_real expected = 0;
    f.m.jnt_stiffness[j] = 1;
    assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
    for (int i = 0; i < f.m.nv; i++) {
      expected += f.d->qfrc_spring[i] * f.v[i];
    }
    assert_close(bar->par.jnt_stiffness[j], expected, 100 * ROUND_OFF);
    f.m.jnt_stiffness[j] = 0;
  }
  for (int b = 1; b < f.m.nbody; b++) {
    cr_real expected = 0;
    f.m.body_gravcomp[b] = 1;
    assert_int_equal(cr_passive(&f.m, f.d), CR_OK);
    for (int i = 0; i < f.m.nv; i++) {
      expected += f.d->qfrc_gravcomp[i] * f.v[i];
    }
    assert_close(bar->par.body_gravcomp[b], expected, 1000 * ROUND_OFF);
    f.m.body_gravcomp[b] = 0;
  }
  end();
}

// forces along tendons, written down once more and brought to the joints row by row
TEST(tendons_push_along_their_rows) {
  for (uint64_t seed = 4; seed < 16; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    m.disableflags = 0;
    cr_data* d = test_data(&m);
    cr_data* bare = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    cri_data_copy(&m, bare, d);
    cr_real *k = m.tendon_stiffness, *p = m.tendon_stiffnesspoly, *b = m.tendon_damping;
    cr_real* c = m.tendon_dampingpoly;
    for (int i = 0; i < m.ntendon; i++) {
      k[i] = 3;
      p[2 * i] = 2;
      p[2 * i + 1] = CR_R(0.5);
      b[i] = CR_R(0.3);
      c[2 * i] = CR_R(0.2);
      c[2 * i + 1] = CR_R(0.1);
    }
    assert_int_equal(cr_passive(&m, d), CR_OK);
    for (int i = 0; i < m.ntendon; i++) {
      k[i] = b[i] = p[2 * i] = p[2 * i + 1] = c[2 * i] = c[2 * i + 1] = 0;
    }
    assert_int_equal(cr_passive(&m, bare), CR_OK);
    for (int i = 0; i < m.ntendon; i++) {
      const cr_real* slack = m.tendon_lengthspring + 2 * i;
      cr_real v = d->ten_velocity[i], l = d->ten_length[i];
      cr_real x = l - cr_clip(l, slack[0], slack[1]);
      assert_int_equal(d->tendon_side[i], (l >= slack[1]) - (l <= slack[0]));
      cr_real spring = -(3 * x + 2 * x * x + CR_R(0.5) * x * x * x);
      cr_real damper = -(CR_R(0.3) * v + CR_R(0.2) * v * cr_abs(v) + CR_R(0.1) * v * v * v);
      for (int e = m.ten_J_rowadr[i]; e < m.ten_J_rowadr[i] + m.ten_J_rownnz[i]; e++) {
        bare->qfrc_spring[m.ten_J_colind[e]] += d->ten_J[e] * spring;
        bare->qfrc_damper[m.ten_J_colind[e]] += d->ten_J[e] * damper;
      }
    }
    assert_all_close(d->qfrc_spring, bare->qfrc_spring, m.nv, 1000 * CR_EPS);
    assert_all_close(d->qfrc_damper, bare->qfrc_damper, m.nv, 1000 * CR_EPS);
    cri_model_free(&m);
  }
}
