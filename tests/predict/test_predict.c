// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Predictions at measurements: on a step those of the step, between two steps between them, later by a delay; NaN is passed.
#include "predict/predict.h"

#include "carom/carom.h"
#include "predict/layout.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_slide[] =
    "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body name='b'><joint name='x' "
    "type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body></worldbody></mujoco>";

static cr_error error;

typedef struct {
  cr_real value[16], error[16];
  int row[16], n;
} seen;

static void keep(void* context, const cri_sight* s) {
  seen* k = context;
  k->value[k->n] = s->value[0];
  k->error[k->n] = s->error[0];
  k->row[k->n++] = s->row;
}

TEST(places_in_time) {
  // a body that drifts at 2 m/s from 1 m, seen off the steps, with a gap
  cr_model* m = NULL;
  cr_measurements* ms = NULL;
  cr_parameters* ps = NULL;
  must(cr_model_open(&m, scratch_write("drift.xml", text_of_slide), &error));
  const cr_parameter_info item = {
      .size = sizeof item, .name = "mass", .target = "body_mass[b]", .start = 1, .upper = 9};
  const cr_parameter_info* const list[] = {&item};
  must(cr_parameters_create(&ps, m, list, 1, &error));
  must(cr_measurements_create(&ms, m, &error));
  must(cr_measurements_begin(ms, "r", 0, &error));
  const cr_real time[] = {0, CR_R(0.004), CR_R(0.01), CR_R(0.0175), CR_R(0.031), CR_R(0.04)};
  const cr_real values[] = {0, 0, 0, (cr_real)NAN, 0, 5}, delay = CR_R(0.002);
  const cr_channel_info c = {.size = sizeof c,
                             .place = "qpos[x]",
                             .rows = 6,
                             .time = time,
                             .values = values,
                             .delay = delay};
  must(cr_measurements_add(ms, &c, &error));
  const cr_identification_options o = {.size = sizeof o};
  cri_problem p;
  cri_predictor* w = NULL;
  must(cri_layout(&p, ps, ms, &o, &error));
  must(cri_predictor_create(&w, &p, &error));
  p.state[0] = 1;
  p.state[1] = 2;
  seen k = {.n = 0};
  must(cri_predict(w, &p, 0, false, keep, &k, NULL, NULL, &error));
  // row 0 is seen before the window begins, row 3 is not a number
  const int rows[] = {1, 2, 4, 5};
  assert_int_equal(k.n, 4);
  for (int i = 0; i < 4; i++) {
    cr_real at = 1 + 2 * (time[rows[i]] - delay);
    assert_int_equal(k.row[i], rows[i]);
    assert_true(cr_abs(k.value[i] - at) < CR_R(1e-12));
    assert_true(cr_abs(k.error[i] - (at - values[rows[i]])) < CR_R(1e-12));
  }
  cri_predictor_free(w);
  cri_layout_free(&p);
  cr_measurements_destroy(ms);
  cr_parameters_destroy(ps);
  cr_model_destroy(m);
}
