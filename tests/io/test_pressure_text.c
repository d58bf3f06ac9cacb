// SPDX-License-Identifier: Apache-2.0
// Pressure fields from MJCF: a ball comes to rest at the closed form of its depth, through files and gradients; bad texts.
#include <stdio.h>

#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static cr_status open_ball(cr_model** m, const char* floor, const char* ball, cr_error* error) {
  char text[1024];
  (void)snprintf(
      text, sizeof text,
      "<mujoco><option timestep='0.001'/><worldbody>"
      "<geom name='floor' type='plane' size='1 1 .1'/>"
      "<body pos='0 0 .1'><freejoint/><geom name='ball' type='sphere' size='.1' mass='1'/></body>"
      "</worldbody><custom><text name='pressure:floor' data='%s'/>"
      "<text name='%s'/></custom></mujoco>",
      floor, ball);
  return cr_model_open(m, scratch_write("ball.xml", text), error);
}

TEST(a_ball_comes_to_rest_at_the_depth_of_the_closed_form) {
  cr_model *m = NULL, *again = NULL;
  cr_error error;
  if (open_ball(
          &m, "rigid",
          "pressure:ball' data='compliant modulus=1e5 dissipation=2 transition=0.1 around=128",
          &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  // through Carom's own file
  assert_int_equal(cr_model_save(m, "ball.crm", &error), CR_OK);
  assert_int_equal(cr_model_open(&again, "ball.crm", &error), CR_OK);
  cr_data* d = NULL;
  assert_int_equal(cr_data_create(&d, again, &error), CR_OK);
  for (int i = 0; i < 3000; i++) {
    assert_int_equal(cr_step(again, d), CR_OK);
    assert_int_equal(cr_advance(again, d), CR_OK);
  }
  assert_int_equal(d->ncon, 0);
  assert_true(cr_abs(d->qvel[2]) < 1e-6);
  // friction is stable: it does not make motion of rounding errors
  assert_true(cr_abs(d->qpos[0]) < 1e-12 && cr_abs(d->qvel[4]) < 1e-12);
  // weight = 2 pi E R^2 ((1 - z^2) / 2 - (1 - z^3) / 3), z the height over R, by bisection
  double low = 0.5, high = 1;
  for (int i = 0; i < 60; i++) {
    double z = (low + high) / 2;
    double force = 2 * (double)CR_PI * 1e5 * 0.01 * ((1 - z * z) / 2 - (1 - z * z * z) / 3);
    *(force > 9.81 ? &low : &high) = z;
  }
  // the polyhedron is within R (1 - cos(2 pi / 128)) of the sphere
  assert_close(d->qpos[2], 0.1 * low, 6e-5);
  cr_data_destroy(d);
  cr_model_destroy(again);
  cr_model_destroy(m);
}

static void refuse(const char* floor, const char* ball, cr_status status, const char* text) {
  cr_model* m = NULL;
  cr_error error;
  assert_int_equal(open_ball(&m, floor, ball, &error), status);
  if (strstr(error.text, text) == NULL || strstr(error.text, "ball.xml: ") == NULL) {
    fail_msg("'%s' without '%s'", error.text, text);
  }
}

TEST(bad_texts_are_refused_in_one_sentence) {
  refuse("rigid", "pressure:egg' data='rigid", CR_ERR_NAME,
         "custom text 'pressure:egg': there is no geom 'egg'");
  refuse("rigid", "pressure:ball' data='compliant modulus=soft", CR_ERR_FORMAT,
         "'modulus=soft', but");
  refuse("rigid", "pressure:ball' data='compliant modulus=1 around=8.5", CR_ERR_FORMAT,
         "around is 8.5, a whole number expected");
  refuse("rigid", "pressure:ball' data='compliant", CR_ERR_ARG, "modulus is 0, above 0 expected");
  refuse("compliant modulus=1", "pressure:ball' data='rigid", CR_ERR_ARG,
         "geom 0 ('floor'): thickness is 0, above 0 expected");
}
