// SPDX-License-Identifier: Apache-2.0
// Names of numbers, and the quantities that a report tells, with their derivatives.
#include "carom/parameters.h"
#include "checks/parameter_check.h"
#include "learn/parameter_list.h"
#include "scenes/solid_model.h"
#include "support/close.h"

static const char* const free_names[] = {
    "mass",     "foot.log_scale", "foot.d1", "foot.d2", "foot.d3", "foot.s12", "foot.s23",
    "foot.s13", "foot.t1",        "foot.t2", "foot.t3", "axis[0]", "axis[1]",  "axis[2]"};
static const char* const report_names[] = {"mass",
                                           "foot.mass",
                                           "foot.centre_x",
                                           "foot.centre_y",
                                           "foot.centre_z",
                                           "foot.inertia_xx",
                                           "foot.inertia_yy",
                                           "foot.inertia_zz",
                                           "foot.inertia_xy",
                                           "foot.inertia_xz",
                                           "foot.inertia_yz",
                                           "axis[0]",
                                           "axis[1]",
                                           "axis[2]"};
enum { N = (int)(sizeof free_names / sizeof free_names[0]) };

static cr_model m;
static cr_parameters* ps;

static void open(void) {
  solid_model(&m);
  cr_parameter items[] = {parameter_of("mass", CR_FIT_FIELD, "body_mass[shank]", 2),
                          parameter_of("foot", CR_FIT_INERTIA, "foot", 0),
                          parameter_of("axis", CR_FIT_DIRECTION, "jnt_axis[leg_hip]", 0)};
  items[0].transform = CR_TRANSFORM_LOG;
  items[0].lower = 0;
  ps = parameters_bound(&m, items, 3);
}

static void close(void) {
  cri_parameters_free(ps);
  cri_model_free(&m);
}
AROUND_EACH(open, close)

TEST(numbers_have_names) {
  char text[64];
  assert_int_equal(cr_parameters_count(ps), N);
  assert_int_equal(cr_parameters_report_count(ps), N);
  for (int i = 0; i < N; i++) {
    assert_int_equal(cr_parameters_number_name(ps, i, text, sizeof text, NULL), CR_OK);
    assert_string_equal(text, free_names[i]);
    assert_int_equal(cr_parameters_report_name(ps, i, text, sizeof text, NULL), CR_OK);
    assert_string_equal(text, report_names[i]);
  }
  assert_int_equal(cr_parameters_number_name(ps, 1, text, 6, NULL), CR_OK);
  assert_string_equal(text, "foot.");
  assert_int_equal(cr_parameters_number_name(ps, N, text, sizeof text, NULL), CR_ERR_ARG);
  assert_int_equal(cr_parameters_report_name(ps, -1, text, sizeof text, NULL), CR_ERR_ARG);
}

TEST(a_report_tells_the_body) {
  cr_real x[N], values[N];
  cri_parameters_start(ps, x);
  assert_int_equal(cr_parameters_report_values(ps, x, values, NULL, NULL), CR_OK);
  assert_close(values[0], 2, 4 * CR_EPS);
  assert_close(values[1], m.body_mass[FOOT], 10 * CR_EPS);
  assert_all_close(values + 2, m.body_ipos + 3 * FOOT, 3, 2 * CR_EPS);
  const cr_real moment = m.body_inertia[3 * FOOT];  // of a sphere
  for (int k = 0; k < 6; k++) {
    assert_close(values[5 + k], k < 3 ? moment : 0, 100 * CR_EPS * moment);
  }
  assert_all_close(values + 11, m.jnt_axis, 3, 0);
}

TEST(reports_have_derivatives) {
  const cr_real h = cr_pow(CR_EPS, CR_R(0.2)) / 4, steps[] = {-2, -1, 1, 2},
                weights[] = {1, -8, 8, -1};
  cr_real x[N], values[N], jacobian[N * N], differences[N * N] = {0};
  cri_parameters_start(ps, x);
  for (int i = 0; i < N; i++) {
    x[i] += CR_R(0.2) * cr_sin((cr_real)(5 * i + 1));
  }
  assert_int_equal(cr_parameters_report_values(ps, x, values, jacobian, NULL), CR_OK);
  for (int j = 0; j < N; j++) {
    const cr_real at = x[j];
    for (int k = 0; k < 4; k++) {
      x[j] = at + steps[k] * h;
      assert_int_equal(cr_parameters_report_values(ps, x, values, NULL, NULL), CR_OK);
      for (int i = 0; i < N; i++) {
        differences[N * i + j] += weights[k] * values[i] / (12 * h);
      }
    }
    x[j] = at;
  }
  assert_all_close(jacobian, differences, N * N, 1000 * cr_pow(CR_EPS, CR_R(0.8)));
}
