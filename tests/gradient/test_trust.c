// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Verdicts where the truth is known: a pendulum, a cube at a coarse tolerance, moving contacts that are
// not counted, a pendulum beyond its horizon, a landing at the moment the loss looks.
#include "gradient/trust.h"

#include "carom/carom.h"
#include "rollout/tangent.h"
#include "support/close.h"

enum { MOST = 8 };

// a rollout, and its loss by the first velocities
typedef struct {
  cr_model* m;
  cr_rollout* r;
  cr_expression* expression;
  cr_loss loss;
  cr_real qpos[MOST], qvel[MOST], scale[MOST];  // those of the start
  bool quick;
  int nstep;
  cr_real twist;  // how much of the gradient is turned out of its direction: 0 none
} bench;

static const char cube[] = CAROM_SOURCE_DIR "/examples/cube_toss.xml";
static const char bouncer[] = CAROM_SOURCE_DIR "/tests/data/toss_cube.xml";
static const char capsule[] = CAROM_SOURCE_DIR "/tests/data/toss_capsule.xml";
static const char ball[] = CAROM_SOURCE_DIR "/tests/data/ball.xml";
static const char pendulum[] = CAROM_SOURCE_DIR "/tests/data/double_pendulum.xml";

static void begin(bench* b, const char* file, const char* loss, const char* integrator, int nstep) {
  cr_error error;
  *b = (bench){.nstep = nstep};
  assert_int_equal(cr_model_open(&b->m, file, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(b->m, "integrator", integrator, &error), CR_OK);
  assert_int_equal(cr_rollout_create(&b->r, b->m, nstep, NULL, 0, &error), CR_OK);
  assert_int_equal(cr_expression_create(&b->expression, b->m, loss, &error), CR_OK);
  b->loss = cr_expression_loss(b->expression, false);
  cr_copy(b->qpos, b->r->d->qpos, b->m->nq);
  for (int i = 0; i < MOST; i++) {
    b->scale[i] = 1;
  }
}

static void tolerances(bench* b, double time, double tol, bool events) {
  const cr_adaptive options = {
      .size = sizeof options, .rtol = tol, .atol = tol, .grid = time, .events = events};
  assert_int_equal(cr_rollout_set_adaptive(b->r, b->m, &options, NULL), CR_OK);
}

static void end(bench* b) {
  cr_expression_destroy(b->expression);
  cr_rollout_destroy(b->r);
  cr_model_destroy(b->m);
}

static cr_status start(void* context, cr_rollout* r, const cr_real* step, cr_error* error) {
  const bench* b = context;
  assert_true((r->budget > 0) == (b->r->budget > 0));
  cr_data_reset(b->m, r->d);
  cr_copy(r->d->qpos, b->qpos, b->m->nq);
  for (int i = 0; i < b->m->nv; i++) {
    r->d->qvel[i] = b->qvel[i] + (step == NULL ? 0 : step[i]);
  }
  return CR_OK;
}

static cr_status gradient(void* context, cr_rollout* r, cr_real* g, cr_error* error) {
  const bench* b = context;
  cr_copy(g, r->bar->qvel, b->m->nv);
  g[0] -= b->twist * r->bar->qvel[1];
  g[1] += b->twist * r->bar->qvel[0];
  return CR_OK;
}

static cr_trust measure(bench* b) {
  cr_error error;
  cr_trust trust;
  const cr_trust_problem p = {.rollout = b->r,
                              .m = b->m,
                              .m_backward = b->m,
                              .loss = &b->loss,
                              .nstep = b->nstep,
                              .n = b->m->nv,
                              .scale = b->scale,
                              .quick = b->quick,
                              .context = b,
                              .start = start,
                              .gradient = gradient};
  if (cri_trust_measure(&trust, &p, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  print_message("%s\n", trust.text);
  return trust;
}

// one run from the start, and its gradient
static void differentiate(bench* b, cr_real* g) {
  assert_int_equal(start(b, b->r, NULL, NULL), CR_OK);
  assert_int_equal(cr_rollout_run(b->r, b->m, b->nstep, &b->loss, NULL), CR_OK);
  assert_int_equal(cr_rollout_gradient(b->r, b->m, b->m, &b->loss, NULL), CR_OK);
  assert_int_equal(gradient(b, b->r, g, NULL), CR_OK);
}

static double distance(const bench* b, const cr_real* g, const cr_real* truth) {
  double sum = 0, size = 0;
  for (int i = 0; i < b->m->nv; i++) {
    sum += (g[i] - truth[i]) * (g[i] - truth[i]);
    size += truth[i] * truth[i];
  }
  return sqrt(sum / size);
}

static void swing(bench* b, double time) {
  begin(b, pendulum, "site_xpos[tip].z", "tsit5", 1);
  for (int i = 0; i < b->m->nv; i++) {
    b->m->dof_damping[i] = 0;
  }
  b->qpos[0] = 2.8;
  b->qpos[1] = 1;
  tolerances(b, time, 1e-9, false);
}

TEST(a_short_swing_is_trusted) {
  bench b;
  swing(&b, 0.8);
  cr_trust t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_YES);
  assert_true(t.change < 1e-4 && isinf(t.beyond));
  assert_int_equal(t.switches, 0);
  assert_close(t.quotient, t.slope, 1e-2 * t.slope);
  assert_close(t.near_by, t.slope, 1e-3 * t.slope);
  assert_close((t.left + t.right) / 2, t.quotient, 1e-12);
  assert_close(t.refined, 1e-9, 1e-15);
  // options and start are as before
  assert_true(b.r->options.rtol == 1e-9 && b.r->d->time == 0 && b.r->d->qpos[0] == 2.8);
  // in a hurry the same, without growth
  assert_true(t.growth > 1);
  b.quick = true;
  cr_trust quick = measure(&b);
  assert_int_equal(quick.verdict, CR_TRUST_YES);
  assert_true(quick.growth == 0 && quick.slope == t.slope && quick.quotient == t.quotient);
  end(&b);
}

static void tumble(bench* b, double tol, bool events) {
  begin(b, cube, "qpos[0]", "tsit5", 1);
  b->qvel[0] = 1;
  b->qvel[4] = -6;
  tolerances(b, 0.5, tol, events);
}

// one second of bounces, whose contacts begin with next to no force
static void bounce(bench* b, double tol) {
  begin(b, bouncer, "qpos[1]", "tsit5", 1);
  b->qvel[1] = -0.1;
  b->qvel[2] = -2;
  tolerances(b, 1, tol, false);
}

// the tolerance it names is one at which the gradient is right
TEST(a_coarse_toss_is_to_be_refined) {
  bench b;
  cr_real truth[MOST], g[MOST];
  bounce(&b, 1e-11);
  differentiate(&b, truth);
  end(&b);

  bounce(&b, 1e-4);
  differentiate(&b, g);
  assert_true(distance(&b, g, truth) > 0.1);
  cr_trust t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_REFINE);
  // how much, hangs on round-off: these steps do not end on the bounces
  assert_true(t.change > 0.05 && t.refined > 0 && t.refined < 1e-4);
  assert_non_null(strstr(t.text, "do not trust (refine): a finer run changes"));
  tolerances(&b, 1, (double)t.refined, false);
  differentiate(&b, g);
  assert_true(distance(&b, g, truth) < 0.02);
  end(&b);
}

// the same tolerance is enough with steps that end on events
TEST(events_make_a_coarse_toss_good) {
  bench b;
  tumble(&b, 1e-5, true);
  cr_trust t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_YES);
  assert_true(t.change < 0.005);
  end(&b);
}

TEST(contacts_that_move_uncounted_are_named) {
  bench b;
  tumble(&b, 1e-8, false);
  cr_trust t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_EVENTS);
  assert_true(t.change < 0.01);
  assert_true(t.switches > 0);
  end(&b);
}

// fixed steps: from which on the gradient is that of the equation
TEST(a_long_time_step_is_to_be_refined) {
  bench b;
  cr_real truth[MOST], g[MOST];
  begin(&b, pendulum, "site_xpos[tip].z", "euler", 25);
  b.qpos[0] = 2.8;
  b.qvel[1] = 4;
  assert_int_equal(cr_model_set_option(b.m, "timestep", 0.02, NULL), CR_OK);
  differentiate(&b, g);
  cr_trust t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_REFINE);
  assert_true(t.refined < 0.02 && t.refined > 0.001);
  int every = (int)lround(0.02 / (double)t.refined);
  // finer runs keep to the limit on memory, and find the same
  assert_int_equal(cr_rollout_set_memory(b.r, b.m, 2000, NULL), CR_OK);
  cr_trust within = measure(&b);
  assert_true(within.refined == t.refined && within.change == t.change && within.slope == t.slope);
  end(&b);

  for (int k = 0; k < 2; k++) {
    int n = k == 0 ? every : 16 * every;
    begin(&b, pendulum, "site_xpos[tip].z", "euler", 25 * n);
    b.qpos[0] = 2.8;
    b.qvel[1] = 4;
    assert_int_equal(cr_model_set_option(b.m, "timestep", 0.02 / n, NULL), CR_OK);
    differentiate(&b, k == 0 ? g : truth);
    if (k == 1) {
      assert_true(distance(&b, g, truth) < 0.03);
    }
    end(&b);
  }
}

// ln of the growth over a long time, by ever new short tangents
static double lyapunov(void) {
  bench b;
  double sum = 0;
  const double piece = 0.5;
  const int n = 60;
  swing(&b, piece);
  tolerances(&b, piece, 1e-9, false);
  cr_data* tan;
  assert_int_equal(start(&b, b.r, NULL, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&tan, b.m, b.r->d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  tan->qpos[0] = 1;
  for (int k = 0; k < n; k++) {
    cr_real length = cri_tangent_norm(b.m, tan);
    sum += k == 0 ? 0 : log((double)length);
    for (int i = 0; i < b.m->nv; i++) {
      tan->qpos[i] /= length;
      tan->qvel[i] /= length;
    }
    for (int i = 0; i < b.m->na; i++) {
      tan->act[i] = 0;
    }
    assert_int_equal(cr_rollout_run(b.r, b.m, 1, NULL, NULL), CR_OK);
    assert_int_equal(cri_rollout_jvp(b.r, b.m, tan, NULL, NULL, NULL), CR_OK);
  }
  cri_data_free(tan);
  end(&b);
  return sum / ((n - 1) * piece);
}

TEST(a_long_swing_is_chaotic) {
  bench b;
  double rate = lyapunov();
  assert_true(rate > 0.5);
  double expected = log(1 / 1e-3) / rate;
  swing(&b, 8);
  cr_trust t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_CHAOTIC);
  print_message("beyond %.2f, expected about %.2f\n", (double)t.beyond, expected);
  assert_true(t.beyond > expected / 2 && t.beyond < expected * 2);
  // and the same time when the horizon is another, and in a hurry
  double beyond = (double)t.beyond;
  end(&b);
  swing(&b, 6);
  b.quick = true;
  t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_CHAOTIC);
  assert_close(t.beyond, beyond, 0.2 * beyond);
  end(&b);
}

// does the body touch the floor at the end, when it starts with the vertical velocity v?
static bool touches(bench* b, double v) {
  b->qvel[2] = v;
  assert_int_equal(start(b, b->r, NULL, NULL), CR_OK);
  assert_int_equal(cr_rollout_run(b->r, b->m, 1, &b->loss, NULL), CR_OK);
  assert_int_equal(cr_forward(b->m, b->r->d), CR_OK);
  return b->r->d->ncon > 0;
}

// the velocity at which it just does not
static double just_above(bench* b, double above, double below) {
  assert_false(touches(b, above));
  assert_true(touches(b, below));
  while (above - below > 1e-8) {
    double middle = (above + below) / 2;
    *(touches(b, middle) ? &below : &above) = middle;
  }
  return above;
}

TEST(a_landing_at_the_last_moment_is_a_kink) {
  bench b;
  begin(&b, capsule, "qvel[2]", "tsit5", 1);
  tolerances(&b, 0.1, 1e-9, true);
  // a probe of 0.02 m/s: contact for a millisecond, in which its force rises
  for (int i = 0; i < MOST; i++) {
    b.scale[i] = 20;
  }
  double v = just_above(&b, 0, -1.2);
  b.qvel[2] = v + 3e-3;
  cr_trust t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_KINK);
  assert_true(t.apart > 0);
  // free fall on one side
  assert_close(t.slope, 20, 1e-5);
  assert_close(t.right, 20, 1e-5);
  assert_true(cr_abs(t.left - 20) > 10);
  // far from it there is none
  b.qvel[2] = v + 0.1;
  t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_YES);
  end(&b);
}

// an acceleration at the end of which a contact's force begins with a jump
TEST(a_true_discontinuity_is_a_kink) {
  bench b;
  begin(&b, ball, "qacc[2] + qvel[2]", "tsit5", 1);
  tolerances(&b, 0.05, 1e-9, true);
  double v = just_above(&b, 0, -1.4);
  for (int side = -1; side <= 1; side += 2) {
    b.qvel[2] = v + side * 3e-4;
    cr_trust t = measure(&b);
    assert_int_equal(t.verdict, CR_TRUST_KINK);
    assert_true(t.apart > 0);
    assert_true(cr_abs(t.quotient) > 10 * cr_abs(t.slope));
  }
  end(&b);
}

// wrong by so much across itself, which differences along it do not see
TEST(a_gradient_that_is_wrong_across_is_not_trusted) {
  bench b;
  swing(&b, 0.8);
  b.twist = 0.1;
  cr_trust t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_UNSETTLED);
  assert_close(t.quotient, t.slope, 2e-2 * t.slope);
  assert_int_equal(t.across, 1);  // two numbers: there is no other direction
  assert_close(t.across_error, 0.1, 0.01);
  assert_close(cr_abs(t.across_quotient), 0.1 * t.slope, 0.01 * t.slope);
  assert_non_null(strstr(t.text, "across itself"));
  b.twist = 0.01;
  assert_int_equal(measure(&b).verdict, CR_TRUST_YES);
  end(&b);
}

// probes across and the steps that count contacts cost no more than all the rest
TEST(it_costs_at_most_twice_the_rest) {
  bench b;
  tumble(&b, 1e-6, true);
  cr_trust t = measure(&b);
  assert_int_equal(t.across, 4);
  assert_true(t.cost_more > 0 && t.cost_more <= t.cost / 2);
  end(&b);
  bounce(&b, 1e-7);
  t = measure(&b);
  assert_true(t.uncounted > 0 && t.lacking < 0.01);  // contacts begin with next to no force
  assert_true(t.cost_more > 0 && t.cost_more <= t.cost / 2);
  end(&b);
}

// nor where the probes across find an error, and look for it over the whole reach too
TEST(probes_that_find_an_error_cost_no_more) {
  bench b;
  tumble(&b, 1e-6, true);
  b.twist = CR_R(0.1);
  cr_trust t = measure(&b);
  assert_true(t.across == 4 && t.across_error > 0.03);
  print_message("cost %.3g, of it %.3g more\n", (double)t.cost, (double)t.cost_more);
  assert_true(t.cost_more > 0 && t.cost_more <= t.cost / 2);
  end(&b);
}

TEST(a_loss_without_slope_is_flat) {
  bench b;
  begin(&b, capsule, "1 + 0 * qpos[0]", "tsit5", 1);
  tolerances(&b, 0.1, 1e-6, true);
  cr_trust t = measure(&b);
  assert_int_equal(t.verdict, CR_TRUST_YES);
  assert_true(t.slope == 0 && t.quotient == 0 && t.change == 0);
  end(&b);
}

TEST(words_are_words) {
  assert_string_equal(cr_trust_word(CR_TRUST_YES), "trust");
  assert_string_equal(cr_trust_word(CR_TRUST_UNSETTLED), "unsettled");
}
