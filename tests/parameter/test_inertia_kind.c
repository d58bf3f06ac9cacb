// SPDX-License-Identifier: Apache-2.0
// The ten numbers of a body's inertia, through the stages of a step: also of a sphere and a cube, whose moments are
// equal, so that their principal axes are any.
#include "checks/parameter_check.h"
#include "math/quat.h"
#include "scenes/solid_model.h"
#include "support/close.h"

// Divided by differences of moments, round-off becomes its root. Differences in x also see how far equal moments are
// moved apart, divided by their step.
#ifdef CR_LONG_DOUBLE
static const parameter_tolerance tolerance = {CR_R(1e-9), CR_R(1e-6), 4, false};
#else
static const parameter_tolerance tolerance = {CR_R(3e-8), CR_R(1e-5), 4, false};
#endif

static cr_model m;

static void open(void) { solid_model(&m); }
static void close(void) { cri_model_free(&m); }
AROUND_EACH(open, close)

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

static const char* const bodies[] = {"", "thigh", "shank", "foot", "box", "cube", "egg"};

TEST(starts_at_the_numbers_of_the_model) {
  for (int b = 1; b <= EGG; b++) {
    const cr_parameter item = parameter_of("inertia", CR_FIT_INERTIA, bodies[b], 0);
    cr_parameters* ps = parameters_bound(&m, &item, 1);
    const cr_model* v = cri_parameters_model(ps);
    cr_real I[9], expected[9];
    assert_int_equal(cri_parameters_count(ps), 10);
    assert_close(v->body_mass[b], m.body_mass[b], 10 * CR_EPS * m.body_mass[b]);
    assert_all_close(v->body_ipos + 3 * b, m.body_ipos + 3 * b, 3, CR_EPS);
    whole_inertia(v, b, I);
    whole_inertia(&m, b, expected);
    // equal moments are moved apart by the root of the precision
    assert_all_close(I, expected, 9, b == BOX || b == EGG ? 100 * CR_EPS : 8 * cr_sqrt(CR_EPS));
    assert_int_equal(v->body_simple[b], 0);
    cri_parameters_free(ps);
  }
}

TEST(each_body_has_derivatives_at_the_start) {
  for (int b = 1; b <= EGG; b++) {
    const cr_parameter item = parameter_of("inertia", CR_FIT_INERTIA, bodies[b], 0);
    print_message("%s: ", bodies[b]);
    parameters_are_right(&m, &item, 1, NULL, tolerance);
  }
}

TEST(several_bodies_have_derivatives_away) {
  const cr_parameter items[] = {parameter_of("foot", CR_FIT_INERTIA, "foot", 0),
                                parameter_of("shank", CR_FIT_INERTIA, "shank", 0),
                                parameter_of("cube", CR_FIT_INERTIA, "5", 0)};
  cr_real away[30];
  for (int i = 0; i < 30; i++) {
    away[i] = CR_R(0.05) * cr_sin((cr_real)(7 * i + 1));
  }
  parameters_are_right(&m, items, 3, away, tolerance);
}

// off-diagonal entries of A are exactly zero along body axes: equal moments, and a body that only one axis tells
TEST(bodies_along_their_axes_have_derivatives) {
  const cr_real identity[4] = {1, 0, 0, 0};
  for (int b = FOOT; b <= EGG; b++) {
    cr_copy(m.body_iquat + 4 * b, identity, 4);
    cr_zero(m.body_ipos + 3 * b, 3);
    const cr_parameter item = parameter_of("inertia", CR_FIT_INERTIA, bodies[b], 0);
    print_message("%s: ", bodies[b]);
    parameters_are_right(&m, &item, 1, NULL, tolerance);
  }
}

// however far a search goes
TEST(every_number_is_a_body) {
  const cr_parameter item = parameter_of("inertia", CR_FIT_INERTIA, "thigh", 0);
  cr_parameters* ps = parameters_bound(&m, &item, 1);
  cr_real x[10];
  for (int trial = 0; trial < 200; trial++) {
    for (int i = 0; i < 10; i++) {
      x[i] = 2 * cr_sin((cr_real)(trial * 13 + i * i + 1));
    }
    assert_int_equal(cri_parameters_apply(ps, x, NULL), CR_OK);
    const cr_model* v = cri_parameters_model(ps);
    const cr_real* I = v->body_inertia + 3 * THIGH;
    assert_true(v->body_mass[THIGH] > 0);
    for (int k = 0; k < 3; k++) {
      assert_true(I[k] > 0 && I[k] < I[(k + 1) % 3] + I[(k + 2) % 3]);
    }
  }
  cri_parameters_free(ps);
}

TEST(what_has_no_volume_is_refused) {
  cr_parameter item = parameter_of("i", CR_FIT_INERTIA, "hand", 0);
  parameters_refused(&m, &item, 1, CR_ERR_NAME, "has no body 'hand'");
  item = parameter_of("i", CR_FIT_INERTIA, "0", 0);
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "has no mass with a volume");
  item = parameter_of("i", CR_FIT_INERTIA, "foot", 0);
  item.transform = CR_TRANSFORM_LOG;
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "an inertia has no transform");
  item.transform = CR_TRANSFORM_NONE;
  const cr_parameter both[] = {item, parameter_of("b", CR_FIT_FIELD, "body_ipos[foot].z", 1)};
  parameters_refused(&m, both, 2, CR_ERR_ARG, "'i' and 'b' set the same number");
  m.density[0] = 1000;
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "the medium takes body 'foot' for a box");
  m.density[0] = 0;
  m.body_inertia[3 * FOOT] = 2 * m.body_inertia[3 * FOOT + 1];
  parameters_refused(&m, &item, 1, CR_ERR_ARG, "has no mass with a volume");
}
