// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The continuous adjoint through contacts that begin with a jump: a tumbling cube and a billiard ball,
// against differences of the converged motion; where it works backward from the end, and where not;
// contacts from distance.
#include "carom/carom.h"
#include "model/model.h"
#include "support/close.h"

enum { MOST = 12 };

typedef struct {
  cr_model* m;
  cr_rollout* r;
  cr_expression* expression;
  cr_loss loss;
  cr_real qvel[MOST], gradient[MOST];
  double time;
} shot;

static void begin(shot* s, const char* file, const char* loss, double time, const cr_real* qvel,
                  int n) {
  cr_error error;
  *s = (shot){.time = time};
  cr_copy(s->qvel, qvel, n);
  assert_int_equal(cr_model_open(&s->m, file, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(s->m, "integrator", "tsit5", &error), CR_OK);
  assert_int_equal(cr_rollout_create(&s->r, s->m, 1, NULL, 0, &error), CR_OK);
  assert_int_equal(cr_expression_create(&s->expression, s->m, loss, &error), CR_OK);
  s->loss = cr_expression_loss(s->expression, false);
}

static void end(shot* s) {
  cr_expression_destroy(s->expression);
  cr_rollout_destroy(s->r);
  cr_model_destroy(s->m);
}

// returns the loss
static double run(shot* s, double tol, bool events) {
  int rows, width;
  cr_error error;
  const cr_adaptive options = {
      .size = sizeof options, .rtol = tol, .atol = tol, .grid = s->time, .events = events};
  assert_int_equal(cr_rollout_set_adaptive(s->r, s->m, &options, &error), CR_OK);
  cr_data_reset(s->m, cr_rollout_data(s->r));
  cr_copy(cr_data_view(s->m, cr_rollout_data(s->r), "qvel", &rows, &width), s->qvel, s->m->nv);
  if (cr_rollout_run(s->r, s->m, 1, &s->loss, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return cr_rollout_loss(s->r);
}

static cr_status differentiate(shot* s, const cr_model* backward, const cr_adjoint* options) {
  int rows, width;
  cr_error error;
  assert_int_equal(cr_rollout_set_adjoint(s->r, s->m, options, &error), CR_OK);
  CR_TRY(cr_rollout_gradient(s->r, s->m, backward, &s->loss, &error));
  cr_copy(s->gradient, cr_data_view(s->m, cr_rollout_bar(s->r), "qvel", &rows, &width), s->m->nv);
  return CR_OK;
}

static void continuous(shot* s, double tol, cr_adjoint_states states) {
  const cr_adjoint options = {.size = sizeof options, .rtol = tol, .atol = tol, .states = states};
  assert_int_equal(differentiate(s, s->m, &options), CR_OK);
}

// central difference of the converged loss
static double difference(shot* s, int i, double h) {
  double sides[2], at = s->qvel[i];
  for (int k = 0; k < 2; k++) {
    s->qvel[i] = at + (k == 0 ? -h : h);
    sides[k] = run(s, 1e-12, true);
  }
  s->qvel[i] = at;
  return (sides[1] - sides[0]) / (2 * h);
}

static const char cube[] = CAROM_SOURCE_DIR "/examples/cube_toss.xml";
static const char billiard[] = CAROM_SOURCE_DIR "/tests/data/billiard.xml";
static const cr_real tumble[] = {1, 0, 0, 0, -6, 0};
static const cr_real cue[MOST] = {1, 0};

static double worst(const shot* s, const int* at, const double* truth, int n) {
  double most = 0, scale = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(s->gradient[at[i]] - truth[i]));
    scale = fmax(scale, fabs(truth[i]));
  }
  return most / scale;
}

// under 1 % at a loose tolerance, as the gradient of the steps is, which end on all events
TEST(cube_that_lands_tumbling) {
  static const int at[] = {0, 2, 4};
  shot s;
  double truth[3];
  begin(&s, cube, "qpos[0]", 0.5, tumble, 6);
  for (int i = 0; i < 3; i++) {
    truth[i] = difference(&s, at[i], 1e-6);
  }
  (void)run(&s, 1e-7, true);
  for (int k = CR_STATES_INTERPOLATED; k <= CR_STATES_INTEGRATED; k++) {
    continuous(&s, 1e-7, (cr_adjoint_states)k);
    assert_true(worst(&s, at, truth, 3) < 1e-3);
  }
  (void)run(&s, 1e-5, true);
  continuous(&s, 1e-5, CR_STATES_INTEGRATED);
  assert_true(worst(&s, at, truth, 3) < 0.01);
  assert_int_equal(differentiate(&s, s.m, NULL), CR_OK);
  assert_true(worst(&s, at, truth, 3) < 1e-3);
  // both tend to the same number
  (void)run(&s, 1e-11, true);
  assert_int_equal(differentiate(&s, s.m, NULL), CR_OK);
  assert_true(worst(&s, at, truth, 3) < 1e-5);
  continuous(&s, 1e-11, CR_STATES_INTERPOLATED);
  assert_true(worst(&s, at, truth, 3) < 1e-4);
  // without the jumps it converges as well, to another number
  (void)run(&s, 1e-9, false);
  continuous(&s, 1e-9, CR_STATES_INTERPOLATED);
  assert_true(worst(&s, at, truth, 3) > 0.5);
  end(&s);
}

// one ball hits another off centre
static void billiard_shot(shot* s, bool gravity, double time, double truth[2]) {
  begin(s, billiard, "xpos[target].x + xpos[target].y", time, cue, MOST);
  s->m->gravity[2] = gravity ? s->m->gravity[2] : 0;
  for (int i = 0; i < 2; i++) {
    truth[i] = difference(s, i, 1e-5);
  }
  (void)run(s, 1e-8, true);
}

TEST(balls_in_the_air) {
  static const int at[] = {0, 1};
  shot s;
  double truth[2];
  billiard_shot(&s, false, 0.5, truth);
  for (int k = CR_STATES_INTERPOLATED; k <= CR_STATES_BACKWARD; k++) {
    continuous(&s, 1e-8, (cr_adjoint_states)k);
    assert_true(worst(&s, at, truth, 2) < 1e-4);
  }
  assert_int_equal(differentiate(&s, s.m, NULL), CR_OK);
  assert_true(worst(&s, at, truth, 2) < 1e-3);
  end(&s);
}

// what rests on a table has lost its energy: no integration backward from the end finds the way it came
TEST(balls_on_a_table) {
  static const int at[] = {0, 1};
  shot s;
  double truth[2];
  billiard_shot(&s, true, 0.8, truth);
  for (int k = CR_STATES_INTERPOLATED; k <= CR_STATES_INTEGRATED; k++) {
    continuous(&s, 1e-8, (cr_adjoint_states)k);
    assert_true(worst(&s, at, truth, 2) < 0.02);
  }
  const cr_adjoint backward = {
      .size = sizeof backward, .rtol = 1e-8, .atol = 1e-8, .states = CR_STATES_BACKWARD};
  cr_status status = differentiate(&s, s.m, &backward);
  // how wrong it is is up to round-off, which grew: several times the truth, or thousands
  assert_true(status != CR_OK || worst(&s, at, truth, 2) > 1);
  end(&s);
}

TEST(contacts_from_distance_count) {
  shot s;
  const cr_real miss[MOST] = {1, 1.2};
  begin(&s, billiard, "xpos[target].y^2", 0.3, miss, MOST);
  s.m->gravity[2] = 0;
  (void)run(&s, 1e-8, true);
  continuous(&s, 1e-8, CR_STATES_INTERPOLATED);
  assert_true(s.gradient[0] == 0 && s.gradient[1] == 0);
  cr_real along[2], anew[2];
  cr_error error;
  cr_model variant = *s.m;
  variant.cfd = 1;
  variant.cfd_dc = 0;
  variant.cfd_d0 = 0.01;
  variant.cfd_wc = 0.1;
  variant.cfd_mc = 1;
  variant.cfd_pc = 2;
  variant.cfd_scale = 0.01;
  for (int k = CR_STATES_INTERPOLATED; k <= CR_STATES_INTEGRATED; k++) {
    const cr_adjoint options = {
        .size = sizeof options, .rtol = 1e-9, .atol = 1e-12, .states = (cr_adjoint_states)k};
    assert_int_equal(differentiate(&s, &variant, &options), CR_OK);
    cr_copy(k == CR_STATES_INTERPOLATED ? along : anew, s.gradient, 2);
  }
  // steps through empty space are long: those of the rollout miss what contacts from distance do
  const cr_adaptive fine = {.size = sizeof fine,
                            .rtol = 1e-8,
                            .atol = 1e-8,
                            .grid = s.time,
                            .largest_step = 1e-4,
                            .max_steps = 20000};
  assert_int_equal(cr_rollout_set_adaptive(s.r, s.m, &fine, &error), CR_OK);
  cr_data_reset(s.m, cr_rollout_data(s.r));
  int rows, width;
  cr_copy(cr_data_view(s.m, cr_rollout_data(s.r), "qvel", &rows, &width), s.qvel, s.m->nv);
  assert_int_equal(cr_rollout_run(s.r, s.m, 1, &s.loss, &error), CR_OK);
  assert_int_equal(differentiate(&s, &variant, NULL), CR_OK);
  assert_true(cr_abs(s.gradient[1]) > 1e-5);
  for (int i = 0; i < 2; i++) {
    assert_close(along[i], s.gradient[i], 1e-2 * fabs(s.gradient[1]));
    assert_close(anew[i], s.gradient[i], 1e-2 * fabs(s.gradient[1]));
  }
  end(&s);
}
