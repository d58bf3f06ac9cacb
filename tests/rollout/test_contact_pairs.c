// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A contact model for some pairs of geoms, by the public headers: what they do not touch goes on as before, and what
// they touch as if the model had it for all.
#include <carom/carom.h>
#include <math.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

// two balls that slide over a floor, and one on top of the second
static const char text[] =
    "<mujoco><option cone='elliptic' timestep='.004'/><default><geom solref='.03 1' friction='.4'/>"
    "</default><worldbody><geom name='floor' type='plane' size='2 2 .1'/>"
    "<body pos='0 0 .1'><freejoint/><geom name='a' size='.1'/></body>"
    "<body pos='1 0 .1'><freejoint/><geom name='b' size='.1'/></body>"
    "<body pos='1 0 .3'><freejoint/><geom name='c' size='.1'/></body>"
    "</worldbody><contact><pair geom1='floor' geom2='a' condim='4'/></contact></mujoco>";

enum { BODY = 6, NV = 3 * BODY, STEPS = 50 };

static cr_error error;

// ---- springs that rub: N = max(0, -D e_0), f_j = -c N tanh(e_j / 3)

static double normal(const cr_contact_call* c) {
  return c->at->e[0] < 0 ? -c->at->D[0] * c->at->e[0] : 0;
}
static void rub(void* user, cr_contact_call* c) {
  c->zone = c->at->e[0] < 0;
  c->force[0] = normal(c);
  for (int i = 1; i < c->dim; i++) {
    c->force[i] = -*(const double*)user * normal(c) * tanh(c->at->e[i] / 3);
  }
}
static void rub_jvp(void* user, cr_contact_call* c) {
  const double k = *(const double*)user;
  if (c->at->e[0] < 0) {
    c->force[0] = -c->at->D[0] * c->twin->e[0] - c->twin->D[0] * c->at->e[0];
  }
  for (int i = 1; i < c->dim; i++) {
    const double t = tanh(c->at->e[i] / 3);
    c->force[i] = -k * (c->force[0] * t + normal(c) * (1 - t * t) / 3 * c->twin->e[i]);
  }
}
static void rub_vjp(void* user, cr_contact_call* c) {
  const double k = *(const double*)user;
  double N_bar = c->force[0];
  for (int i = 1; i < c->dim; i++) {
    const double t = tanh(c->at->e[i] / 3);
    N_bar -= k * t * c->force[i];
    c->twin->e[i] = -k * normal(c) * (1 - t * t) / 3 * c->force[i];
  }
  if (c->at->e[0] < 0) {
    c->twin->e[0] = -c->at->D[0] * N_bar;
    c->twin->D[0] = -c->at->e[0] * N_bar;
  }
}

static const double half = 0.5, tenth = 0.1;

static cr_model* open_balls(void) {
  cr_contact_options o = {
      .size = sizeof o, .name = "half", .force = rub, .jvp = rub_jvp, .vjp = rub_vjp};
  cr_model* m = NULL;
  must(cr_model_open(&m, scratch_write("balls.xml", text), &error));
  o.user = (void*)(uintptr_t)&half;
  must(cr_model_add_contact_model(m, &o, &error));
  o.name = "tenth";
  o.user = (void*)(uintptr_t)&tenth;
  must(cr_model_add_contact_model(m, &o, &error));
  return m;
}

static int geom(const cr_model* m, const char* name) { return cr_model_id(m, "geom", name); }

static void set_pair(cr_model* m, const char* geom1, const char* geom2, const char* word) {
  must(cr_model_set_contact_pair(m, geom(m, geom1), geom2 != NULL ? geom(m, geom2) : -1, word,
                                 &error));
}

// velocities at the end, and the gradient of their sum of squares by those at the start
typedef struct {
  double end[NV], gradient[NV];
} result;

static void start(const cr_model* m, cr_rollout* r, int moved, double by) {
  cr_data* d = cr_rollout_data(r);
  cr_data_reset(m, d);
  double* v = cr_data_view(m, d, "qvel", NULL, NULL);
  for (int k = 0; k < 3; k++) {
    v[BODY * k] = 0.6 + 0.1 * k;
    v[BODY * k + 1] = 0.2;
  }
  v[moved] += by;
}

static void roll(const cr_model* m, result* x) {
  cr_rollout* r;
  cr_expression* e;
  must(cr_expression_create(&e, m, "norm(qvel)^2", &error));
  cr_loss loss = cr_expression_loss(e, false);
  must(cr_rollout_create(&r, m, STEPS, NULL, 0, &error));
  start(m, r, 0, 0);
  must(cr_rollout_run(r, m, STEPS, &loss, &error));
  memcpy(x->end, cr_data_view(m, cr_rollout_data(r), "qvel", NULL, NULL), sizeof x->end);
  must(cr_rollout_gradient(r, m, m, &loss, &error));
  memcpy(x->gradient, cr_data_view(m, cr_rollout_bar(r), "qvel", NULL, NULL), sizeof x->gradient);
  for (int i = 0; i < NV; i += 3) {
    const double h = 1e-5;
    start(m, r, i, h);
    must(cr_rollout_run(r, m, STEPS, &loss, &error));
    double difference = cr_rollout_loss(r);
    start(m, r, i, -h);
    must(cr_rollout_run(r, m, STEPS, &loss, &error));
    difference = (difference - cr_rollout_loss(r)) / (2 * h);
    if (!(fabs(difference - x->gradient[i]) <= 1e-5 * (1 + fabs(difference)))) {
      fail_msg("gradient %d: %g, by differences %g", i, x->gradient[i], difference);
    }
  }
  cr_rollout_destroy(r);
  cr_expression_destroy(e);
}

static double apart(const result* x, const result* y, int body, int n) {
  double most = 0;
  for (int i = BODY * body; i < BODY * (body + n); i++) {
    most = fmax(most, fabs(x->end[i] - y->end[i]));
    most = fmax(most, fabs(x->gradient[i] - y->gradient[i]));
  }
  return most;
}

static void run_with(const char* all, const char* of_a, const char* of_c, result* x) {
  cr_model* m = open_balls();
  must(cr_model_set_choice(m, "contact_model", all, &error));
  if (of_a != NULL) {
    set_pair(m, "a", "floor", of_a);
  }
  if (of_c != NULL) {
    set_pair(m, "c", NULL, of_c);
  }
  roll(m, x);
  cr_model_destroy(m);
}

TEST(pairs_have_the_model_that_they_were_given) {
  result convex, halves, a, c;
  run_with("convex", NULL, NULL, &convex);
  run_with("half", NULL, NULL, &halves);
  assert_true(apart(&convex, &halves, 0, 1) > 1e-3 && apart(&convex, &halves, 1, 2) > 1e-3);
  // ball a alone, the option left at convex; an explicit pair of MJCF among them
  run_with("convex", "half", NULL, &a);
  assert_true(apart(&a, &halves, 0, 1) < 1e-9 && apart(&a, &convex, 1, 2) < 1e-9);
  // the other way round
  run_with("half", "convex", NULL, &a);
  assert_true(apart(&a, &convex, 0, 1) < 1e-9 && apart(&a, &halves, 1, 2) < 1e-9);
  // two models in one island: neither of the two
  run_with("convex", NULL, "tenth", &c);
  assert_true(apart(&c, &convex, 0, 1) < 1e-9);
  assert_true(apart(&c, &convex, 1, 2) > 1e-3 && apart(&c, &halves, 1, 2) > 1e-3);
  // three in one solve
  run_with("convex", "half", "tenth", &a);
  assert_true(apart(&a, &halves, 0, 1) < 1e-9 && apart(&a, &c, 1, 2) < 1e-9);
  (void)state;
}

// the last that fits holds
TEST(pairs_say_their_model) {
  cr_model* m = open_balls();
  int a = geom(m, "a"), b = geom(m, "b"), floor = geom(m, "floor");
  assert_string_equal(cr_model_get_contact_pair(m, a, floor), "convex");
  set_pair(m, "floor", NULL, "half");
  set_pair(m, "a", "floor", "tenth");
  assert_string_equal(cr_model_get_contact_pair(m, floor, a), "tenth");
  assert_string_equal(cr_model_get_contact_pair(m, b, floor), "half");
  assert_string_equal(cr_model_get_contact_pair(m, a, b), "convex");
  set_pair(m, "floor", NULL, "half");
  assert_string_equal(cr_model_get_contact_pair(m, a, floor), "half");
  assert_null(cr_model_get_contact_pair(m, a, 99));
  assert_null(cr_model_get_contact_pair(m, -1, a));
  cr_model_destroy(m);
  (void)state;
}

TEST(pairs_that_are_none_are_refused) {
  cr_model* m = open_balls();
  cr_data* d;
  must(cr_data_create(&d, m, &error));
  assert_int_equal(cr_model_set_contact_pair(m, 9, 0, "half", &error), CR_ERR_ARG);
  assert_string_equal(error.text, "cr_model_set_contact_pair: there is no geom 9");
  assert_int_equal(cr_model_set_contact_pair(m, 0, -2, "half", &error), CR_ERR_ARG);
  assert_int_equal(cr_model_set_contact_pair(m, 0, 1, "third", &error), CR_ERR_NAME);
  assert_string_equal(
      error.text,
      "there is no contact model 'third': convex, hunt_crossley, ncp, half or tenth expected");
  assert_int_equal(cr_step(m, d), CR_OK);
  // another solver keeps more
  set_pair(m, "a", "floor", "half");
  assert_int_equal(cr_step(m, d), CR_ERR_ARG);
  assert_non_null(strstr(cr_data_error(d), "made for another contact model"));
  assert_int_equal(cr_model_save(m, scratch_path("pairs.crm"), &error), CR_ERR_UNSUPPORTED);
  set_pair(m, "a", "floor", "convex");
  assert_int_equal(cr_step(m, d), CR_OK);
  must(cr_model_save(m, scratch_path("pairs.crm"), &error));
  cr_data_destroy(d);
  cr_model_destroy(m);
  (void)state;
}
