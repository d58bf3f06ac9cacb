// SPDX-License-Identifier: Apache-2.0
// Numbers of fields, alone, tied, scaled and offset, and directions: what they set, and their derivatives.
#include "checks/parameter_check.h"
#include "scenes/solid_model.h"
#include "support/close.h"

#ifdef CR_LONG_DOUBLE
#define BY_DIFFERENCE CR_R(1e-11)
#else
#define BY_DIFFERENCE CR_R(1e-8)
#endif
static const parameter_tolerance tolerance = {1000 * CR_EPS, BY_DIFFERENCE, 1, false};
static const parameter_tolerance one_sided = {1000 * CR_EPS, 100 * BY_DIFFERENCE, 1, true};

static cr_model m;

static void open(void) { solid_model(&m); }
static void close(void) { cri_model_free(&m); }
AROUND_EACH(open, close)

static const cr_model* applied(cr_parameters* ps, const cr_real* p) {
  cr_error error = {0};
  if (cri_parameters_apply(ps, p, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return cri_parameters_model(ps);
}

TEST(one_value_for_all_numbers_of_several_places) {
  const cr_parameter item =
      parameter_of("d", CR_FIT_TIED, "dof_damping[leg_*], dof_armature[ankle] body_mass[box]", 1);
  cr_parameters* ps = parameters_bound(&m, &item, 1);
  const cr_real p = CR_R(0.7);
  const cr_model* v = applied(ps, &p);
  assert_int_equal(cri_parameters_count(ps), 1);
  for (int i = 0; i < 5; i++) {
    assert_true(v->dof_damping[i] == (i < 2 ? p : m.dof_damping[i]));
    assert_true(v->dof_armature[i] == (i < 2 ? m.dof_armature[i] : p));
  }
  assert_true(v->body_mass[BOX] == p && v->body_mass[CUBE] == m.body_mass[CUBE]);
  cri_parameters_free(ps);
}

TEST(a_factor_keeps_ratios_and_starts_at_one) {
  const cr_parameter item = parameter_of("d", CR_FIT_SCALE, "dof_damping", 0);
  cr_parameters* ps = parameters_bound(&m, &item, 1);
  cr_real x, p = 3;
  cri_parameters_start(ps, &x);
  assert_true(x == 1);
  for (int i = 0; i < m.nv; i++) {
    assert_true(cri_parameters_model(ps)->dof_damping[i] == m.dof_damping[i]);
  }
  const cr_model* v = applied(ps, &p);
  for (int i = 0; i < m.nv; i++) {
    assert_true(v->dof_damping[i] == 3 * m.dof_damping[i]);
  }
  p = 2;  // of the numbers of the model, not of those set last
  v = applied(ps, &p);
  assert_true(v->dof_damping[1] == 2 * m.dof_damping[1]);
  cri_parameters_free(ps);
}

TEST(an_offset_is_added_to_the_model) {
  const cr_parameter item = parameter_of("d", CR_FIT_OFFSET, "dof_damping[*] body_pos[shank].z", 0);
  cr_parameters* ps = parameters_bound(&m, &item, 1);
  const cr_real p = CR_R(0.25);
  const cr_model* v = applied(ps, &p);
  for (int i = 0; i < m.nv; i++) {
    assert_true(v->dof_damping[i] == m.dof_damping[i] + p);
  }
  assert_true(v->body_pos[3 * SHANK + 2] == m.body_pos[3 * SHANK + 2] + p);
  assert_true(v->body_pos[3 * SHANK] == m.body_pos[3 * SHANK]);
  cri_parameters_free(ps);
}

// ---- derivatives

// transforms and all four kinds at once
static int list_of_numbers(cr_parameter items[5]) {
  items[0] = parameter_of("mass", CR_FIT_FIELD, "body_mass[shank]", 2);
  items[0].transform = CR_TRANSFORM_LOG;
  items[0].lower = 0;
  items[1] = parameter_of("tied", CR_FIT_TIED, "dof_damping[leg_*] dof_armature[ankle]", CR_R(0.1));
  items[1].transform = CR_TRANSFORM_SOFTPLUS;
  items[1].lower = 0;
  items[2] = parameter_of("scale", CR_FIT_SCALE, "body_mass[thigh], body_mass[foot]", 1);
  items[2].transform = CR_TRANSFORM_BOUNDED;
  items[2].lower = CR_R(0.2);
  items[2].upper = 4;
  items[3] = parameter_of("offset", CR_FIT_OFFSET, "body_ipos[*].x", 0);
  items[4] = parameter_of("more", CR_FIT_SCALE, "dof_damping[ankle]", 0);
  return 5;
}

TEST(numbers_have_derivatives_at_the_start_and_away) {
  cr_parameter items[5];
  const int n = list_of_numbers(items);
  const cr_real away[] = {CR_R(0.3), CR_R(-0.5), CR_R(1.5), CR_R(0.01), CR_R(0.4)};
  parameters_are_right(&m, items, n, NULL, tolerance);
  parameters_are_right(&m, items, n, away, tolerance);
}

// a factor of zero, an offset that cancels a number, a bound of the interval as far as x reaches
TEST(numbers_have_derivatives_at_zero_and_at_bounds) {
  cr_parameter items[5];
  const int n = list_of_numbers(items);
  const cr_real away[] = {0, 0, -30, CR_R(-0.02), -1};
  items[1].start = CR_R(1e-9);
  parameters_are_right(&m, items, n, away, one_sided);
}

TEST(directions_have_derivatives) {
  const cr_parameter items[] = {parameter_of("axis", CR_FIT_DIRECTION, "jnt_axis[leg_knee]", 0),
                                parameter_of("turn", CR_FIT_DIRECTION, "body_quat[shank]", 0),
                                parameter_of("own", CR_FIT_DIRECTION, "body_iquat[thigh]", 0)};
  const cr_real away[11] = {CR_R(0.2),  CR_R(-0.3), CR_R(0.1), CR_R(0.4), CR_R(0.3), CR_R(-0.2),
                            CR_R(0.25), CR_R(0.5),  CR_R(0.1), CR_R(0.3), CR_R(-0.4)};
  parameters_are_right(&m, items, 3, NULL, tolerance);
  parameters_are_right(&m, items, 3, away, tolerance);
}

// ---- what is refused

TEST(numbers_that_are_none_are_refused) {
  cr_parameter item = parameter_of("d", CR_FIT_FIELD, "dof_damping[*]", 1);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "stands for 23 numbers");
  item = parameter_of("d", CR_FIT_SCALE, "dof_damping[5] dof_stiffness", 1);
  parameters_refused(&m, &item, 1, CR_ERR_NAME, "'d': 'dof_stiffness'");
  item = parameter_of("d", CR_FIT_SCALE, "jnt_stiffness", 1);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "moves nothing, they are zero in the model");
  item = parameter_of("d", CR_FIT_TIED, "dof_damping[arm_*]", 1);
  parameters_refused(&m, &item, 1, CR_ERR_NAME, "no name fits");
  item = parameter_of("d", CR_FIT_TIED, "body_mass[1] body_invweight0[2]", 1);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "body_invweight0[shank][0] is derived");
  item = parameter_of("d", CR_FIT_TIED, "dof_damping[leg_*] dof_damping[1]", 1);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "names a number twice");
  item = parameter_of("d", CR_FIT_TIED, " , ", 1);
  parameters_refused(&m, &item, 1, CR_ERR_NAME, "names nothing");
  item = parameter_of("d", CR_FIT_OFFSET, "body_quat[shank]", 1);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "not a field that can be fitted");
  item = parameter_of("d", CR_FIT_FIELD, "qpos_spring[3]", 1);  // of the ankle's quaternion
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "not a field that can be fitted");
  item = parameter_of("d", CR_FIT_FIELD, "qpos_spring[1]", 1);
  cri_parameters_free(parameters_bound(&m, &item, 1));
  const cr_parameter both[] = {parameter_of("a", CR_FIT_SCALE, "dof_damping", 1),
                               parameter_of("b", CR_FIT_FIELD, "dof_damping[leg_knee]", 1)};
  parameters_refused(&m, both, 2, CR_ERR_ARG, "'a' and 'b' set the same number");
}
