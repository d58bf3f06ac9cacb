// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Events: the derivative of the place of a body after contacts has a part from their moments, which move.
// Gradients are compared with differences of the converged place, with every method that estimates its
// error.
#include "event/event.h"

#include "carom/carom.h"
#include "support/close.h"

enum { MOST = 12 };

typedef struct {
  const char *file, *loss, *integrator;
  double time, tolerance, eps;
  bool events;
  const cr_real* qvel;
} toss;

typedef struct {
  int nv, events;
  double gradient[MOST], difference[MOST];
} result;

static cr_real run(const toss* t, const cr_model* m, cr_rollout* r, const cr_loss* loss,
                   const cr_real* qvel) {
  cr_error error;
  int rows, width;
  cr_data_reset(m, cr_rollout_data(r));
  cr_real* v = cr_data_view(m, cr_rollout_data(r), "qvel", &rows, &width);
  cr_copy(v, qvel, rows);
  if (cr_rollout_run(r, m, 1, loss, &error) != CR_OK) {
    fail_msg("%s: %s", t->integrator, error.text);
  }
  return cr_rollout_loss(r);
}

// d loss / d qvel(0), the gradient and central differences; eps 0: no differences
static result differentiate(const toss* t) {
  result x = {.events = 0};
  cr_error error;
  cr_model* m;
  cr_rollout* r;
  cr_expression* expression;
  char path[512];
  const cr_adaptive options = {.size = sizeof options,
                               .rtol = t->tolerance,
                               .atol = t->tolerance,
                               .grid = t->time,
                               .largest_step = t->time,
                               .events = t->events,
                               .max_steps = 200000};
  (void)snprintf(path, sizeof path, "%s/%s", CAROM_SOURCE_DIR, t->file);
  assert_int_equal(cr_model_open(&m, path, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(m, "integrator", t->integrator, &error), CR_OK);
  assert_int_equal(cr_rollout_create(&r, m, 1, NULL, 0, &error), CR_OK);
  assert_int_equal(cr_rollout_set_adaptive(r, m, &options, &error), CR_OK);
  assert_int_equal(cr_expression_create(&expression, m, t->loss, &error), CR_OK);
  cr_loss loss = cr_expression_loss(expression, false);
  run(t, m, r, &loss, t->qvel);
  assert_int_equal(cr_rollout_gradient(r, m, m, &loss, &error), CR_OK);
  int accepted, rejected, width;
  cr_rollout_steps(r, &accepted, &rejected, &x.events);
  const cr_real* bar = cr_data_view(m, cr_rollout_bar(r), "qvel", &x.nv, &width);
  cr_copy(x.gradient, bar, x.nv);
  for (int i = 0; t->eps > 0 && i < x.nv; i++) {
    cr_real v[MOST];
    cr_copy(v, t->qvel, x.nv);
    v[i] += t->eps;
    cr_real plus = run(t, m, r, &loss, v);
    v[i] -= 2 * t->eps;
    x.difference[i] = (plus - run(t, m, r, &loss, v)) / (2 * t->eps);
  }
  cr_expression_destroy(expression);
  cr_rollout_destroy(r);
  cr_model_destroy(m);
  return x;
}

// the largest difference, in units of the largest entry
static double apart(const double* a, const double* b, int n) {
  double most = 0, scale = 0;
  for (int i = 0; i < n; i++) {
    scale = fmax(scale, fabs(b[i]));
    most = fmax(most, fabs(a[i] - b[i]));
  }
  return most / scale;
}

static const char* const cube = "examples/cube_toss.xml";
static const char* const balls = "tests/data/two_balls.xml";
static const char* const cylinder = "tests/data/toss_cylinder.xml";

// a cube that lands on an edge, tumbling, both corners at once; one that no plane symmetry holds, of which
// a corner leaves while it slides; and two balls that land at the same moment
static const cr_real tumble[MOST] = {1, 0, 0, 0, -6, 0}, oblique[MOST] = {1, 0.4, -0.5, 2, -6, 1};
static const cr_real together[MOST] = {0.3, 0, -1, 0, 0, 0, -0.2, 0.1, -1, 1, 0, 0};
// a cylinder that turns, its lowest point and those at its sides wander along the rim
static const cr_real wander[MOST] = {1.6628, -1.7900, -2.2285, -3.1564, 1.7793, -0.2469};

static toss exact(const char* file, double time, const char* loss, const cr_real* qvel) {
  return (toss){.file = file,
                .loss = loss,
                .integrator = "dopri8",
                .time = time,
                .tolerance = 1e-11,
                .eps = 1e-5,
                .events = true,
                .qvel = qvel};
}

TEST(gradients_count_that_events_move) {
  const toss tosses[] = {exact(cube, 0.5, "qpos[0]", tumble), exact(cube, 0.35, "qpos[0]", oblique),
                         exact(balls, 0.25, "qpos[0] + qpos[2] + 2 * qpos[9]", together),
                         exact(cylinder, 0.15, "qpos[1]", wander)};
  for (size_t i = 0; i < sizeof tosses / sizeof tosses[0]; i++) {
    result x = differentiate(&tosses[i]);
    print_message("%s: %d events, off by %.1e\n", tosses[i].file, x.events,
                  apart(x.gradient, x.difference, x.nv));
    assert_true(x.events > 0);
    assert_true(apart(x.gradient, x.difference, x.nv) < 1e-6);
  }
}

// the same without them is not even near: what the others assert is due to the event terms
TEST(gradients_without_events_are_wrong) {
  toss tosses[] = {exact(cube, 0.5, "qpos[0]", tumble), exact(cube, 0.35, "qpos[0]", oblique),
                   exact(balls, 0.25, "qpos[0] + qpos[2] + 2 * qpos[9]", together)};
  for (int i = 0; i < 3; i++) {
    tosses[i].events = false;
    result x = differentiate(&tosses[i]);
    assert_int_equal(x.events, 0);
    assert_true(apart(x.gradient, x.difference, x.nv) > 0.05);
  }
}

// methods whose last stage is the new state, and those that look at it once more
TEST(every_method_finds_them) {
  static const struct {
    const char* name;
    double tolerance, bound;
  } methods[] = {{"tsit5", 1e-9, 1e-4},  {"dopri5", 1e-9, 1e-4}, {"dopri8", 1e-9, 1e-4},
                 {"bosh3", 1e-8, 1e-4},  {"heun", 1e-7, 1e-3},   {"midpoint", 1e-7, 1e-3},
                 {"ralston", 1e-7, 1e-3}};
  toss t = exact(cube, 0.35, "qpos[0]", oblique);
  t.eps = 0;
  result truth = differentiate(&t);
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    t.integrator = methods[i].name;
    t.tolerance = methods[i].tolerance;
    result x = differentiate(&t);
    double off = apart(x.gradient, truth.gradient, x.nv);
    print_message("%s at %g: off by %.1e\n", t.integrator, t.tolerance, off);
    assert_true(off < methods[i].bound);
  }
}

TEST(flights_have_no_events) {
  toss t = exact(cube, 0.05, "qpos[2]", tumble);
  result x = differentiate(&t);
  assert_int_equal(x.events, 0);
  assert_true(apart(x.gradient, x.difference, x.nv) < 1e-6);
}

// [event.e4] two distances that part slowly have a moment only if they are as equal as that: round-off may choose one
// of two places whose distances differ by less than counts
TEST(nearly_equal_distances_tell_no_moment) {
  int32_t type[2] = {CR_GEOM_HFIELD, CR_GEOM_BOX};  // nothing is probed there
  const cr_model m = {.geom_type = type};
  const cr_real h = CR_R(1e-12), near = CR_R(2e-13), far = CR_R(2e-5);
  const struct {
    cr_real rate, apart;
    bool told;
  } at[] = {{CR_R(0.1), 0, true},
            {CR_R(0.1), CR_R(1e-13), true},
            {CR_R(0.1), CR_R(1e-11), false},
            {CR_R(1e-6), CR_R(1e-17), true},
            {CR_R(1e-6), CR_R(1e-13), false}};
  for (int i = 0; i < (int)(sizeof at / sizeof at[0]); i++) {
    cri_event_row a = {.first = true,
                       .geom = {0, 1},
                       .size = CR_R(0.2),
                       .gap = -CR_R(0.01),
                       .velocity = CR_R(0.2),
                       .force = 1},
                  b = a;
    cri_event_list before = {.n = 1, .row = &a}, after = {.n = 1, .row = &b};
    cri_event_sign sign;
    b.pos[0] = far;
    b.velocity += at[i].rate;
    b.gap += h * a.velocity + at[i].apart;
    assert_int_equal(cri_event_sign_of(&m, NULL, &before, &after, 0, h, near, &sign), at[i].told);
    assert_true(!at[i].told || (!sign.probed && cr_abs(sign.rate / at[i].rate - 1) < CR_R(1e-6)));
  }
}
