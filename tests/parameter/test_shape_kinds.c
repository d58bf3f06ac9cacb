// SPDX-License-Identifier: Apache-2.0
// Sizes with the moments that follow, and density.
#include "checks/parameter_check.h"
#include "math/quat.h"
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

// the inertia of a body in its own axes
static void whole_inertia(const cr_model* v, int b, cr_real I[9]) {
  cr_real R[9];
  cr_quat_to_mat(R, v->body_iquat + 4 * b);
  for (int i = 0; i < 9; i++) {
    I[i] = 0;
    for (int k = 0; k < 3; k++) {
      I[i] += R[i / 3 * 3 + k] * v->body_inertia[3 * b + k] * R[i % 3 * 3 + k];
    }
  }
}

// each size of each geom: the inertia becomes that of the solid of the new sizes, turned as the geom is
TEST(moments_follow_every_size) {
  static const int sizes[] = {0, 2, 2, 1, 3, 3, 3};
  static const char* const names[] = {"", "thigh", "shank", "foot", "box", "cube", "egg"};
  for (int b = 1; b <= EGG; b++) {
    for (int k = 0; k < sizes[b]; k++) {
      char target[32];
      (void)snprintf(target, sizeof target, "geom_size[%s][%d]", names[b], k);
      const cr_real p = CR_R(1.3) * m.geom_size[3 * (b - 1) + k];
      const cr_parameter item = parameter_of("size", CR_FIT_SHAPE, target, p);
      cr_parameters* ps = parameters_bound(&m, &item, 1);
      const cr_model* v = applied(ps, &p);
      cr_real size[3], moments[3], R[9], expected[9] = {0}, I[9];
      cr_copy(size, m.geom_size + 3 * (b - 1), 3);
      size[k] = p;
      solid_moments(m.geom_type[b - 1], size, moments);
      cr_quat_to_mat(R, m.geom_quat + 4 * (b - 1));
      for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 3; j++) {
          expected[i] += m.body_mass[b] * R[i / 3 * 3 + j] * moments[j] * R[i % 3 * 3 + j];
        }
      }
      whole_inertia(v, b, I);
      assert_all_close(I, expected, 9, 100 * CR_EPS);
      assert_true(v->geom_size[3 * (b - 1) + k] == p && v->body_mass[b] == m.body_mass[b]);
      cri_parameters_free(ps);
    }
  }
}

// sizes of one geom, its mass, and a size that no parameter of this kind moves
static int list_of_shapes(cr_parameter items[9]) {
  items[0] = parameter_of("radius", CR_FIT_SHAPE, "geom_size[thigh][0]", CR_R(0.06));
  items[1] = parameter_of("length", CR_FIT_SHAPE, "geom_size[thigh][1]", CR_R(0.2));
  items[2] = parameter_of("mass", CR_FIT_SCALE, "body_mass[thigh] body_mass[box]", 1);
  items[3] = parameter_of("shank", CR_FIT_SHAPE, "geom_size[shank][1]", CR_R(0.18));
  items[3].transform = CR_TRANSFORM_LOG;
  items[3].lower = CR_R(0.01);
  items[4] = parameter_of("other", CR_FIT_FIELD, "geom_size[shank][0]", CR_R(0.04));
  items[5] = parameter_of("foot", CR_FIT_SHAPE, "geom_size[foot][0]", CR_R(0.05));
  items[6] = parameter_of("box", CR_FIT_SHAPE, "geom_size[box][2]", CR_R(0.04));
  items[7] = parameter_of("egg", CR_FIT_SHAPE, "geom_size[egg].y", CR_R(0.08));
  items[8] = parameter_of("cube", CR_FIT_BOX_SIDE, "cube", CR_R(0.12));
  return 9;
}

TEST(sizes_have_derivatives_at_the_start_and_away) {
  cr_parameter items[9];
  const int n = list_of_shapes(items);
  const cr_real away[] = {CR_R(0.01), CR_R(-0.05), CR_R(0.4),  CR_R(0.3),  CR_R(0.02),
                          CR_R(0.03), CR_R(0.02),  CR_R(0.03), CR_R(-0.03)};
  parameters_are_right(&m, items, n, NULL, tolerance);
  parameters_are_right(&m, items, n, away, tolerance);
}

// a capsule without a rod is a sphere
TEST(sizes_have_derivatives_at_zero) {
  const cr_parameter item = parameter_of("length", CR_FIT_SHAPE, "geom_size[thigh][1]", 0);
  cr_parameters* ps = parameters_bound(&m, &item, 1);
  const cr_real zero = 0;
  const cr_model* v = applied(ps, &zero);
  const cr_real moment = m.body_mass[THIGH] * 2 * CR_R(0.0036) / 5;
  for (int k = 0; k < 3; k++) {
    assert_close(v->body_inertia[3 * THIGH + k], moment, 10 * CR_EPS * moment);
  }
  cri_parameters_free(ps);
  parameters_are_right(&m, &item, 1, NULL, one_sided);
}

TEST(density_scales_mass_and_moments) {
  const cr_parameter item = parameter_of("density", CR_FIT_DENSITY, "shank", 0);
  cr_parameters* ps = parameters_bound(&m, &item, 1);
  const cr_real p = CR_R(1.7);
  const cr_model* v = applied(ps, &p);
  assert_true(v->body_mass[SHANK] == p * m.body_mass[SHANK]);
  for (int k = 3 * SHANK; k < 3 * SHANK + 3; k++) {
    assert_true(v->body_inertia[k] == p * m.body_inertia[k]);
  }
  cri_parameters_free(ps);
  cr_parameter items[] = {item, parameter_of("foot", CR_FIT_DENSITY, "3", 2)};
  items[1].transform = CR_TRANSFORM_BOUNDED;
  items[1].lower = CR_R(0.5);
  items[1].upper = 3;
  const cr_real bound[] = {CR_R(-0.9), -30};
  parameters_are_right(&m, items, 2, NULL, tolerance);
  parameters_are_right(&m, items, 2, bound, tolerance);
}

TEST(bodies_without_a_shape_are_refused) {
  cr_parameter item = parameter_of("s", CR_FIT_SHAPE, "geom_size[foot][1]", 1);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "is not one size of a box, sphere");
  item = parameter_of("s", CR_FIT_SHAPE, "geom_size[foot]", 1);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "is not one size");
  item = parameter_of("s", CR_FIT_SHAPE, "geom_pos[foot][0]", 1);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "is not one size");
  item = parameter_of("s", CR_FIT_SHAPE, "geom_size[hand][0]", 1);
  parameters_refused(&m, &item, 1, CR_ERR_NAME, "'s': 'geom_size[hand][0]'");
  item = parameter_of("s", CR_FIT_SHAPE, "geom_size[box][0]", CR_R(0.1));
  const char alone[] = "alone on a moving body, with its centre at the centre of mass";
  m.body_inertia[3 * BOX] *= CR_R(1.01);  // hollow
  parameters_refused(&m, &item, 1, CR_ERR_ARG, alone);
  m.body_inertia[3 * BOX] /= CR_R(1.01);
  m.geom_pos[3 * (BOX - 1)] += CR_R(1e-6);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, alone);
  m.geom_pos[3 * (BOX - 1)] -= CR_R(1e-6);
  cr_quat_axis_angle(m.geom_quat + 4 * (BOX - 1), (const cr_real[3]){0, 0, 1}, 1);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, alone);
  item = parameter_of("s", CR_FIT_DENSITY, "hand", 1);
  parameters_refused(&m, &item, 1, CR_ERR_NAME, "has no body 'hand'");
  item = parameter_of("s", CR_FIT_DENSITY, "0", 1);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "body '0' has no mass");
  const cr_parameter both[] = {parameter_of("a", CR_FIT_DENSITY, "foot", 1),
                               parameter_of("b", CR_FIT_SHAPE, "geom_size[foot][0]", 1)};
  parameters_refused(&m, both, 2, CR_ERR_ARG, "'a' and 'b' set the same number");
}
