// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Events: a ball that falls into a contact whose force begins at once. The derivative of where it is
// later has a part from the moment of the contact, which moves; a cube does the same with many.
#include "integrate/event.h"

#include "carom/carom.h"
#include "support/close.h"

enum { MOST = 6 };

typedef struct {
  double gradient[MOST], difference[MOST];
  int events;
} result;

static void set_velocity(const cr_model* m, cr_rollout* r, const cr_real* qvel, int n) {
  int rows, width;
  cr_data_reset(m, cr_rollout_data(r));
  cr_real* v = cr_data_view(m, cr_rollout_data(r), "qvel", &rows, &width);
  cr_copy(v, qvel, n);
}

// d qpos[0 or 2] (T) / d qvel(0), the gradient and central differences
static result differentiate(bool events, double time, const char* loss_text, const cr_real* qvel) {
  result x = {.events = 0};
  cr_error error;
  cr_model* m;
  cr_rollout* r;
  cr_expression* expression;
  const cr_adaptive options = {
      .rtol = 1e-10, .atol = 1e-10, .grid = time, .events = events, .max_steps = 20000};
  assert_int_equal(cr_model_open(&m, CAROM_SOURCE_DIR "/examples/cube_toss.xml", &error), CR_OK);
  assert_int_equal(cr_model_set_integrator(m, "tsit5", &error), CR_OK);
  assert_int_equal(cr_rollout_create(&r, m, 1, NULL, 0, &error), CR_OK);
  assert_int_equal(cr_rollout_adaptive(r, m, &options, &error), CR_OK);
  assert_int_equal(cr_expression_create(&expression, m, loss_text, &error), CR_OK);
  cr_loss loss = cr_expression_loss(expression, false);
  set_velocity(m, r, qvel, MOST);
  assert_int_equal(cr_rollout_run(r, m, 1, &loss, &error), CR_OK);
  assert_int_equal(cr_rollout_gradient(r, m, m, &loss, &error), CR_OK);
  int accepted, rejected, rows, width;
  cr_rollout_steps(r, &accepted, &rejected, &x.events);
  const cr_real* bar = cr_data_view(m, cr_rollout_bar(r), "qvel", &rows, &width);
  for (int i = 0; i < MOST; i++) {
    x.gradient[i] = (double)bar[i];
  }
  for (int i = 0; i < MOST; i++) {
    cr_real value[2];
    for (int side = 0; side < 2; side++) {
      cr_real v[MOST];
      cr_copy(v, qvel, MOST);
      v[i] += side == 0 ? -1e-6 : 1e-6;
      set_velocity(m, r, v, MOST);
      assert_int_equal(cr_rollout_run(r, m, 1, &loss, &error), CR_OK);
      value[side] = cr_rollout_loss(r);
    }
    x.difference[i] = (double)(value[1] - value[0]) / 2e-6;
  }
  cr_expression_free(expression);
  cr_rollout_free(r);
  cr_model_close(m);
  return x;
}

// a cube that lands on an edge, tumbling, and one that no plane symmetry holds
static const cr_real tumble[MOST] = {1, 0, 0, 0, -6, 0}, oblique[MOST] = {1, 0.4, -0.5, 2, -6, 1};

static double worst(const result* x, int from, int to, int step) {
  double most = 0, scale = 0;
  for (int i = from; i < to; i += step) {
    scale = fmax(scale, fabs(x->difference[i]));
    most = fmax(most, fabs(x->gradient[i] - x->difference[i]));
  }
  return most / scale;
}

static void gradients_count_that_events_move(void** state) {
  // the plane of the motion: qvel[0], qvel[2], qvel[4]
  result with = differentiate(true, 0.5, "qpos[0]", tumble);
  assert_true(with.events > 0);
  assert_true(worst(&with, 0, 5, 2) < 0.01);
  result oblique_with = differentiate(true, 0.35, "qpos[0]", oblique);
  assert_true(oblique_with.events > 0);
  assert_true(worst(&oblique_with, 0, MOST, 1) < 0.03);
}

// the same without them is not even near: what the others assert is due to the event term
static void gradients_without_events_are_wrong(void** state) {
  result without = differentiate(false, 0.5, "qpos[0]", tumble);
  assert_int_equal(without.events, 0);
  assert_true(worst(&without, 0, 5, 2) > 0.5);
  result oblique_without = differentiate(false, 0.35, "qpos[0]", oblique);
  assert_true(worst(&oblique_without, 0, MOST, 1) > 0.1);
}

static void flights_have_no_events(void** state) {
  result x = differentiate(true, 0.05, "qpos[2]", tumble);
  assert_int_equal(x.events, 0);
  assert_true(worst(&x, 0, 5, 2) < 1e-6);
}

int test_event(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_count_that_events_move),
      cmocka_unit_test(gradients_without_events_are_wrong),
      cmocka_unit_test(flights_have_no_events),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
