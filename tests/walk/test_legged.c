// SPDX-License-Identifier: Apache-2.0
// A robot found in a model: its legs, its mass, how it stands; models that are no such robot.
#include "walk/legged.h"

#include "support/close.h"
#include "walk/robot.h"

TEST(mass_middle_and_inertia_are_those_of_the_standing_model) {
  cr_legged r;
  cr_model* m = open_robot(&r);
  cr_data* d;
  must(cr_data_create(&d, m, &error));
  must(cri_legged_stand(&r, d, &error));
  assert_int_equal(cr_forward(m, d), CR_OK);
  double mass = 0, A[3 * 18];
  const cr_real* masses = cr_model_numbers(m, "body_mass", NULL, NULL);
  for (int b = 1; b < cr_model_count(m, "nbody"); b++) {
    mass += masses[b];
  }
  assert_close(r.mass, mass, 1e-12);
  const cr_real* middle = cr_data_view(m, d, "subtree_com", NULL, NULL) + 3 * r.trunk;
  const cr_real* trunk = cr_data_view(m, d, "xpos", NULL, NULL) + 3 * r.trunk;
  for (int k = 0; k < 3; k++) {
    assert_close(middle[k], k == 2 ? 0.37 : 0, 1e-6);
    assert_close(r.middle[k], middle[k] - trunk[k], 1e-6);
  }
  // angular momentum about the centre of mass when all of it turns
  must(cr_angmom_mat(m, d, A, r.trunk));
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      assert_close(r.inertia[3 * i + k], A[18 * i + r.base_v + 3 + k], 1e-9);
    }
  }
  cr_data_destroy(d);
  cr_model_destroy(m);
}

TEST(it_stands_on_four_toes_below_its_hips) {
  cr_legged r;
  cr_model* m = open_robot(&r);
  cr_data* d;
  must(cr_data_create(&d, m, &error));
  must(cri_legged_stand(&r, d, &error));
  assert_int_equal(cr_forward(m, d), CR_OK);
  const double ahead[] = {1, 1, -1, -1}, left[] = {-1, 1, -1, 1};
  for (int leg = 0; leg < CR_LEGS; leg++) {
    const cr_real* toe = cr_data_view(m, d, "geom_xpos", NULL, NULL) + 3 * r.toe[leg];
    assert_close(toe[2], 0.025, 1e-6);
    assert_close(toe[0] + r.middle[0], 0.21 * ahead[leg], 1e-6);
    assert_close(toe[1] + r.middle[1], 0.12 * left[leg], 1e-6);
    assert_true(r.stand[3 * leg + 1] > 0 && r.stand[3 * leg + 2] < -0.5);  // knees to the back
  }
  cr_data_destroy(d);
  cr_model_destroy(m);
}

static void refused(const char* text, double height, cr_status status, const char* why) {
  cr_model* m = NULL;
  cr_legged r;
  must(cr_model_open(&m, scratch_write("other.xml", text), &error));
  assert_int_equal(cri_legged_find(&r, m, height, &error), status);
  if (strstr(error.text, why) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, why);
  }
  cr_model_destroy(m);
}

TEST(models_that_are_no_such_robot_are_refused) {
  refused("<mujoco><worldbody><body><joint/><geom size='0.1'/></body></worldbody></mujoco>", 0.4,
          CR_ERR_MODEL, "it has no free joint");
  refused("<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>",
          0.4, CR_ERR_MODEL, "fewer than four legs");
  cr_legged r;
  cr_model* m = open_robot(&r);
  assert_int_equal(cri_legged_find(&r, m, 0.9, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "cannot stand at a height of 0.9 m"));
  cr_model_destroy(m);
}
