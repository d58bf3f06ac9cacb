// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A place that is taken as the solution: what is told there is what a rollout gives, and the truth explains its own data.
#include "carom/carom.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_arm[] =
    "<mujoco><option timestep='0.01'/><worldbody><body><joint name='a' axis='0 1 0' "
    "damping='0.3'/><geom type='capsule' fromto='0 0 0 0 0 -.5' size='.02' mass='1'/></body>"
    "</worldbody><actuator><motor name='u' joint='a' gear='2'/></actuator></mujoco>";

enum { ROWS = 80, NRUN = 3 };

static cr_error error;

TEST(what_is_taken_is_told) {
  static const measured_channel channels[] = {{"qpos", 1, 0, 0}, {"qvel", 1, 0, 0}};
  const cr_parameter_info damping = {.size = sizeof damping,
                                     .name = "damping",
                                     .target = "dof_damping[a]",
                                     .start = CR_R(0.1),
                                     .upper = 5};
  const cr_parameter_info* list[] = {&damping};
  cr_model* m = NULL;
  cr_parameters* ps = NULL;
  cr_measurements* ms = NULL;
  cr_identification* id = NULL;
  must(cr_model_open(&m, scratch_write("arm.xml", text_of_arm), &error));
  must(cr_parameters_create(&ps, m, list, 1, &error));
  must(cr_measurements_create(&ms, m, &error));
  for (int i = 0; i < NRUN; i++) {
    const cr_real qpos[1] = {CR_R(0.3) * (cr_real)(i + 1)};
    measured_run(ms, m,
                 i == 0   ? "held"
                 : i == 1 ? "b"
                          : "c",
                 ROWS, qpos, channels, 2, (uint64_t)i + 1);
  }
  static const char* const held[] = {"held"};
  const cr_identification_options o = {
      .size = sizeof o, .start = CR_START_MEASURED, .held = held, .nheld = 1};
  must(cr_identification_create(&id, ps, ms, &o, &error));
  cr_fit_of_place place = {.size = sizeof place};
  cr_real x = CR_R(0.3), predicted[ROWS], error_of_damping = 0;
  assert_int_equal(cr_identification_get_place(id, CR_RUNS_TRAIN, 0, &place, &error), CR_ERR_ARG);
  must(cr_identification_take(id, &x, &error));
  for (int part = 0; part < 2; part++) {
    must(cr_identification_get_place(id, (cr_run_part)part, 0, &place, &error));
    assert_true(place.n > 0 && place.rms < CR_R(1e-9) && place.explained > 1 - CR_R(1e-9));
  }
  x = CR_R(0.1);
  must(cr_identification_take(id, &x, &error));
  for (int part = 0; part < 2; part++) {
    must(cr_identification_get_place(id, (cr_run_part)part, 0, &place, &error));
    assert_true(place.rms > CR_R(1e-3));
  }
  // its rms is that of the predictions
  cr_channel_info c = {.size = sizeof c};
  must(cr_identification_predict(id, 0, 1, predicted, &error));
  must(cr_measurements_get(ms, 0, 1, &c, &error));
  int n = 0;
  for (int i = 0; i < c.rows; i++) {
    if (isfinite(predicted[i]) && isfinite(c.values[i])) {
      error_of_damping += (predicted[i] - c.values[i]) * (predicted[i] - c.values[i]);
      n++;
    }
  }
  must(cr_identification_get_place(id, CR_RUNS_HELD, 0, &place, &error));
  assert_close(cr_sqrt(error_of_damping / (cr_real)n), place.rms, CR_R(1e-9));
  cr_estimate e = {.size = sizeof e};
  assert_int_equal(cr_identification_get(id, 0, &e, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "no intervals"));
  x = (cr_real)NAN;
  assert_int_equal(cr_identification_take(id, &x, &error), CR_ERR_ARG);
  cr_identification_destroy(id);
  cr_measurements_destroy(ms);
  cr_parameters_destroy(ps);
  cr_model_destroy(m);
}
