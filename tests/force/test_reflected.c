// SPDX-License-Identifier: Apache-2.0
// Armature and damping that actuators add to their joints: sums by hand, several actuators on one
// joint, all dofs of a ball joint, and no share of those of other joints.
#include "force/reflected.h"

#include "scenes/random_model.h"
#include "support/close.h"

static cr_model m;

// a random model with two actuators or more, both put on one joint of the type asked for
static bool begin(uint64_t seed, int type) {
  cr_error error;
  if (random_model(&m, seed, &error) != CR_OK) {
    return false;
  }
  int joint = -1;
  for (int j = 0; j < m.njnt; j++) {
    joint = m.jnt_type[j] == type ? j : joint;
  }
  if (m.nactuator < 3 || joint < 0) {
    cri_model_free(&m);
    return false;
  }
  for (int k = 0; k < m.nactuator; k++) {
    m.actuator_trntype[k] = CR_TRN_JOINT;
    m.actuator_trnid[2 * k] = k < 2 ? joint : (joint + 1) % m.njnt;
    m.actuator_armature[k] = k < 2 ? 1 + (cr_real)k : 0;
    m.actuator_damping[k] = k < 2 ? 3 : 0;
    m.actuator_dampingpoly[2 * k] = k < 2 ? 5 : 0;
    m.actuator_dampingpoly[2 * k + 1] = k < 2 ? 7 : 0;
    m.actuator_gear[6 * m.actuator_outadr[k]] = 2 + (cr_real)k;
  }
  return true;
}

static int check_sums(int type, int ndof) {
  int found = 0;
  for (uint64_t seed = 1; seed < 60; seed++) {
    if (!begin(seed, type)) {
      continue;
    }
    cr_real armature[128], b[3 * 128];
    int j = m.actuator_trnid[0], v = m.jnt_dofadr[j];
    cri_reflected_armature(&m, armature);
    cri_reflected_damping(&m, b);
    for (int i = 0; i < m.nv; i++) {
      bool on = i >= v && i < v + ndof;
      // gears 2 and 3: 1 * 4 + 2 * 9, and 13 times the damping
      assert_close(armature[i], m.dof_armature[i] + (on ? 22 : 0), CR_R(1e-12));
      assert_close(b[3 * i], m.dof_damping[i] + (on ? 39 : 0), CR_R(1e-12));
      assert_close(b[3 * i + 1], m.dof_dampingpoly[2 * i] + (on ? 65 : 0), CR_R(1e-12));
      assert_close(b[3 * i + 2], m.dof_dampingpoly[2 * i + 1] + (on ? 91 : 0), CR_R(1e-12));
    }
    assert_true(cri_damps(&m));
    found++;
    cri_model_free(&m);
  }
  return found;
}

TEST(actuators_add_by_the_square_of_the_gear) {
  assert_true(check_sums(CR_JNT_HINGE, 1) > 0);
  assert_true(check_sums(CR_JNT_BALL, 3) > 0);
  assert_true(check_sums(CR_JNT_FREE, 6) > 0);
}

TEST(slope_is_the_derivative_of_the_force) {
  const cr_real b[3] = {CR_R(0.7), CR_R(0.4), CR_R(0.3)}, h = CR_R(1e-4);
  for (cr_real v = -2; v < 2; v += CR_R(0.3)) {
    cr_real up = cri_damping_chord(b, v + h) * (v + h),
            down = cri_damping_chord(b, v - h) * (v - h);
    assert_close(cri_damping_slope(b, v), (up - down) / (2 * h), CR_R(1e-7));
    cr_real rise = cri_damping_slope(b, v + h) - cri_damping_slope(b, v - h);
    assert_close(cri_damping_bend(b, v), rise / (2 * h), CR_R(1e-7));
  }
  assert_close(cri_damping_slope(b, 0), b[0], 0);
  assert_close(cri_damping_bend(b, 0), 0, 0);
}

TEST(a_model_without_damping_is_known) {
  cr_error error;
  assert_int_equal(random_model(&m, 5, &error), CR_OK);
  cr_zero(m.dof_damping, m.nv);
  cr_zero(m.dof_dampingpoly, 2 * m.nv);
  cr_zero(m.actuator_damping, m.nactuator);
  cr_zero(m.actuator_dampingpoly, 2 * m.nactuator);
  assert_false(cri_damps(&m));
  m.dof_damping[0] = -1;
  assert_false(cri_damps(&m));
  m.dof_dampingpoly[1] = -1;
  assert_true(cri_damps(&m));
  cri_model_free(&m);
}
