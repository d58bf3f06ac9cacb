// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Launch speeds of a cube and a capsule that bounce: wherever --trust says trust, the gradient agrees
// with differences of the converged end, taken with another step. Where it does not agree, the verdict says so.
#include "carom/carom.h"
#include "gradient/trust.h"
#include "rollout/trajectory.h"
#include "support/close.h"

typedef struct {
  cr_model* m;
  cr_rollout* r;
  cr_expression* expression;
  cr_loss loss;
  cr_real speed;
} toss;

static void begin(toss* t, const char* name) {
  cr_error error;
  char path[512];
  (void)snprintf(path, sizeof path, "%s/tests/data/toss_%s.xml", CAROM_SOURCE_DIR, name);
  assert_int_equal(cr_model_open(&t->m, path, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(t->m, "integrator", "tsit5", &error), CR_OK);
  assert_int_equal(cr_rollout_create(&t->r, t->m, 1, NULL, 0, &error), CR_OK);
  assert_int_equal(cr_expression_create(&t->expression, t->m, "qpos[1]", &error), CR_OK);
  t->loss = cr_expression_loss(t->expression, false);
}

static void end(toss* t) {
  cr_expression_destroy(t->expression);
  cr_rollout_destroy(t->r);
  cr_model_destroy(t->m);
}

static void tolerance(toss* t, double tol) {
  const cr_adaptive options = {
      .size = sizeof options, .rtol = tol, .atol = tol, .grid = 1, .events = true};
  const cr_adjoint adjoint = {.size = sizeof adjoint, .rtol = tol, .atol = tol};
  assert_int_equal(cr_rollout_set_adaptive(t->r, t->m, &options, NULL), CR_OK);
  assert_int_equal(cr_rollout_set_adjoint(t->r, t->m, &adjoint, NULL), CR_OK);
}

static cr_status start(void* context, cr_rollout* r, const cr_real* step, cr_error* error) {
  const toss* t = context;
  cr_data_reset(t->m, r->d);
  r->d->qvel[1] = -0.1;
  r->d->qvel[2] = t->speed + (step == NULL ? 0 : step[0]);
  return CR_OK;
}

static cr_status gradient(void* context, cr_rollout* r, cr_real* g, cr_error* error) {
  *g = r->bar->qvel[2];
  return CR_OK;
}

static double place(toss* t, double speed) {
  t->speed = speed;
  assert_int_equal(start(t, t->r, NULL, NULL), CR_OK);
  assert_int_equal(cr_rollout_run(t->r, t->m, 1, &t->loss, NULL), CR_OK);
  return cr_rollout_loss(t->r);
}

static cr_trust measure(toss* t, double speed) {
  cr_error error;
  cr_trust trust;
  cr_real scale = 1;
  const cr_trust_problem p = {.rollout = t->r,
                              .m = t->m,
                              .m_backward = t->m,
                              .loss = &t->loss,
                              .nstep = 1,
                              .n = 1,
                              .scale = &scale,
                              .context = t,
                              .start = start,
                              .gradient = gradient};
  t->speed = speed;
  tolerance(t, 1e-8);
  if (cri_trust_measure(&trust, &p, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return trust;
}

static double gradient_at(toss* t, double speed) {
  cr_real g;
  tolerance(t, 1e-8);
  (void)place(t, speed);
  assert_int_equal(cr_rollout_gradient(t->r, t->m, t->m, &t->loss, NULL), CR_OK);
  (void)gradient(t, t->r, &g, NULL);
  return g;
}

static double difference(toss* t, double speed, double h) {
  tolerance(t, 1e-10);
  return (place(t, speed + h) - place(t, speed - h)) / (2 * h);
}

// published: y = -0.260896, dy/du = 0.57576 and -0.298596, 0.42878 for u = -2
TEST(the_known_toss) {
  const struct {
    const char* body;
    double y, slope;
  } known[] = {{"cube", -0.260896, 0.57576}, {"capsule", -0.298596, 0.42878}};
  for (int i = 0; i < 2; i++) {
    toss t;
    begin(&t, known[i].body);
    double g = gradient_at(&t, -2);
    assert_close(place(&t, -2), known[i].y, 1e-5);
    assert_close(g, known[i].slope, 1e-3);
    end(&t);
  }
}

static void sweep(const char* body, int n) {
  toss t;
  int words[CR_TRUST_UNSETTLED + 1] = {0}, apart = 0;
  begin(&t, body);
  for (int i = 0; i < n; i++) {
    double speed = -3 + 2 * (i + 0.5) / n, g = gradient_at(&t, speed);
    double d = difference(&t, speed, 3e-4);
    // a slope of next to nothing is compared with 0.01
    bool agrees = fabs(g - d) < 0.05 * fmax(fabs(d), 0.2);
    cr_trust trust = measure(&t, speed);
    words[trust.verdict]++;
    apart += !agrees;
    if (!agrees || trust.verdict != CR_TRUST_YES) {
      print_message("%s at %.4f: gradient %.4f, difference %.4f: %s\n", body, speed, g, d,
                    trust.text);
    }
    assert_true(agrees || trust.verdict != CR_TRUST_YES);
  }
  print_message("%s: %d speeds, %d apart;", body, n, apart);
  for (int i = 0; i <= CR_TRUST_UNSETTLED; i++) {
    print_message(" %s %d", cr_trust_word((cr_trust_verdict)i), words[i]);
  }
  print_message("\n");
  // most of them are to be trusted, or the word would be worth nothing
  assert_true(words[CR_TRUST_YES] * 3 >= n * 2);
  end(&t);
}

TEST(cube_speeds) { sweep("cube", 100); }
TEST(capsule_speeds) { sweep("capsule", 100); }
