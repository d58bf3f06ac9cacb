// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Events with a contact model that is not symmetric: a cube that lands and slides, and rolls over, ends its steps
// where contacts enter, leave and begin to push; gradients count that these moments move.
#include "carom/carom.h"
#include "event/event.h"
#include "model/model.h"
#include "scenes/coulomb.h"
#include "support/close.h"

enum { NV = 6 };

typedef struct {
  cr_model* m;
  cr_rollout* r;
  cr_expression* expression;
  cr_loss loss;
  cr_real gradient[NV];
  int events;
} toss;

static void begin(toss* t, const char* loss) {
  cr_error error = {0};
  *t = (toss){.events = 0};
  assert_int_equal(cr_model_open(&t->m, CAROM_SOURCE_DIR "/examples/cube_toss.xml", &error), CR_OK);
  assert_int_equal(cr_model_set_choice(t->m, "cone", "elliptic", &error), CR_OK);
  coulomb_choose(t->m, false);
  assert_int_equal(cr_model_set_choice(t->m, "integrator", "dopri8", &error), CR_OK);
  assert_int_equal(cr_rollout_create(&t->r, t->m, 1, NULL, 0, &error), CR_OK);
  assert_int_equal(cr_expression_create(&t->expression, t->m, loss, &error), CR_OK);
  t->loss = cr_expression_loss(t->expression, false);
}

static void end(toss* t) {
  cr_expression_destroy(t->expression);
  cr_rollout_destroy(t->r);
  cr_model_destroy(t->m);
}

static double run(toss* t, const cr_real* qvel, double time, bool events) {
  int rows, width;
  cr_error error = {0};
  const cr_adaptive options = {.size = sizeof options,
                               .rtol = 1e-11,
                               .atol = 1e-11,
                               .grid = time,
                               .largest_step = time,
                               .events = events,
                               .max_steps = 200000};
  assert_int_equal(cr_rollout_set_adaptive(t->r, t->m, &options, &error), CR_OK);
  cr_data_reset(t->m, cr_rollout_data(t->r));
  cr_copy(cr_data_view(t->m, cr_rollout_data(t->r), "qvel", &rows, &width), qvel, NV);
  if (cr_rollout_run(t->r, t->m, 1, &t->loss, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return cr_rollout_loss(t->r);
}

static void differentiate(toss* t, bool continuous) {
  int rows, width, accepted, rejected;
  cr_error error = {0};
  const cr_adjoint options = {
      .size = sizeof options, .rtol = 1e-10, .atol = 1e-10, .states = CR_STATES_INTERPOLATED};
  assert_int_equal(cr_rollout_set_adjoint(t->r, t->m, continuous ? &options : NULL, &error), CR_OK);
  if (cr_rollout_gradient(t->r, t->m, t->m, &t->loss, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  cr_rollout_steps(t->r, &accepted, &rejected, &t->events);
  cr_copy(t->gradient, cr_data_view(t->m, cr_rollout_bar(t->r), "qvel", &rows, &width), NV);
}

static double apart(const cr_real* a, const cr_real* b) {
  double most = 0, scale = 0;
  for (int i = 0; i < NV; i++) {
    scale = fmax(scale, fabs((double)b[i]));
    most = fmax(most, fabs((double)(a[i] - b[i])));
  }
  return most / scale;
}

static const cr_real throws[][NV] = {{1, 0, 0, 0, -6, 0}, {1, 0.4, -0.5, 2, -6, 1}};
static const double times[] = {0.5, 0.35};

TEST(gradients_count_that_events_move) {
  for (int k = 0; k < 2; k++) {
    toss t;
    cr_real difference[NV];
    begin(&t, "qpos[0]");
    for (int i = 0; i < NV; i++) {
      const cr_real h = CR_R(1e-5);
      cr_real v[NV];
      cr_copy(v, throws[k], NV);
      v[i] += h;
      double plus = run(&t, v, times[k], true);
      v[i] -= 2 * h;
      difference[i] = (plus - run(&t, v, times[k], true)) / (2 * h);
    }
    run(&t, throws[k], times[k], true);
    differentiate(&t, false);
    print_message("toss %d: %d events, off by %.1e\n", k, t.events, apart(t.gradient, difference));
    assert_true(t.events > 0);
    assert_true(apart(t.gradient, difference) < 1e-7);
    differentiate(&t, true);
    print_message("  continuous adjoint: off by %.1e\n", apart(t.gradient, difference));
    assert_true(apart(t.gradient, difference) < 1e-4);
    // what is right is due to the events
    run(&t, throws[k], times[k], false);
    differentiate(&t, false);
    print_message("  without events: off by %.1e\n", apart(t.gradient, difference));
    assert_true(apart(t.gradient, difference) > 1e-4);
    end(&t);
  }
}

// where the law bends is what the contact model says: a contact pushes where its number is negative
TEST(bends_are_those_of_the_contact_model) {
  toss t;
  int pushes = 0;
  cri_event_row row[64];
  begin(&t, "qpos[0]");
  cr_data* d = cr_rollout_data(t.r);
  for (int k = 1; k <= 10; k++) {
    run(&t, throws[1], times[1] * k / 10, true);
    assert_int_equal(cr_forward(t.m, d), CR_OK);
    assert_true(d->nefc <= 64);
    cri_event_list rows = cri_event_rows(t.m, d, (cri_event_list){.row = row});
    for (int i = 0; i < rows.n; i++) {
      if (row[i].first) {
        assert_true((row[i].bend[0] < 0) == (d->efc_force[i] > 0));
        pushes += d->efc_force[i] > 0;
      } else {
        assert_true(row[i].bend[0] == 1 && row[i].bend[1] == 1);
      }
    }
  }
  assert_true(pushes > 0);
  end(&t);
}
