// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Estimators against gradients of smoothed losses in closed form: a square, a jump, a turn, a covariance; intervals that hold
// the truth as often as they say; the weight of the first order.
#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text_of_model[] =
    "<mujoco><option timestep='0.01' gravity='0 0 0'/><default><geom "
    "contype='0'/></default><worldbody>"
    "<body><joint name='a' type='slide' axis='1 0 0'/><geom size='.1'/></body>"
    "<body><joint name='b' type='slide' axis='1 0 0'/><geom size='.1'/></body>"
    "<body name='ball'><joint name='c' type='ball'/><geom size='.1 .2 .3' type='ellipsoid'/></body>"
    "</worldbody></mujoco>";
enum { MOST_WORKER = 3, MOST = 6 };

static cr_error error;
static cr_model* models[MOST_WORKER];

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void setup(void) {
  ok(cr_model_open(&models[0], scratch_write("slides.xml", text_of_model), &error));
  for (int i = 1; i < MOST_WORKER; i++) {
    ok(cr_model_copy(&models[i], models[0], &error));
  }
}

static void teardown(void) {
  for (int i = 0; i < MOST_WORKER; i++) {
    cr_model_destroy(models[i]);
  }
}

AROUND_FILE(setup, teardown)

// ---- losses of the state after one step at rest: functions of qpos of the two slides

static cr_status jump(void* context, const cr_model* m, const cr_data* d, int step, cr_real* loss) {
  cr_real x;
  cr_status status = cr_data_get(m, d, "qpos[a]", &x, 1, &error);
  *loss += x > CR_R(0.1) ? 1 : 0;
  return status;
}

static cr_status flat(void* context, const cr_model* m, const cr_data* d, int step, cr_data* bar) {
  return CR_OK;
}

static const cr_loss jump_loss = {.value = jump, .bar = flat};

// density of the standard normal distribution
static cr_real density(cr_real x) { return cr_exp(-x * x / 2) / cr_sqrt(2 * CR_PI); }

// ---- an estimate at qpos a = 0.2, b = -0.1

typedef struct {
  cr_smoothed_gradient found;
  cr_real gradient[MOST], error[MOST], first[MOST], zeroth[MOST];
} estimate;

static cr_status find(estimate* e, const char* const* names, int n, const char* text,
                      const cr_loss* loss, int nworker, const cr_estimator_options* o) {
  cr_gradient* workers[MOST_WORKER];
  cr_expression* expressions[MOST_WORKER] = {NULL};
  cr_loss losses[MOST_WORKER];
  for (int i = 0; i < nworker; i++) {
    ok(cr_gradient_create(&workers[i], models[i], 1, names, n, NULL, &error));
    if (text != NULL) {
      ok(cr_expression_create(&expressions[i], models[i], text, &error));
    }
    losses[i] = text != NULL ? cr_expression_loss(expressions[i], false) : *loss;
  }
  static const cr_real start[2] = {CR_R(0.2), CR_R(-0.1)};
  cr_data* d = cr_rollout_data(cr_gradient_rollout(workers[0]));
  ok(cr_data_set(models[0], d, "qpos[a]", &start[0], 1, &error));
  ok(cr_data_set(models[0], d, "qpos[b]", &start[1], 1, &error));
  e->found = (cr_smoothed_gradient){.size = sizeof e->found,
                                    .gradient = e->gradient,
                                    .error = e->error,
                                    .first = e->first,
                                    .zeroth = e->zeroth};
  cr_estimator_options options = *o;
  options.size = sizeof options;
  cr_status status = cr_gradient_estimate(workers, losses, nworker, &options, &e->found, &error);
  for (int i = 0; i < nworker; i++) {
    cr_gradient_destroy(workers[i]);
    cr_expression_destroy(expressions[i]);
  }
  return status;
}

static const char* const slides[] = {"qpos[a]", "qpos[b]"};
static const char* const ball[] = {"qpos[c]"};
static const cr_real sigma[] = {CR_R(0.3), CR_R(0.2), CR_R(0.6)};

// ---- closed forms

// E[(x + 2 y)^2 + x y^2] by x: 2 (x + 2 y) + y^2 + s_y^2, by y: 4 (x + 2 y) + 2 x y
TEST(smooth_losses) {
  static const char polynomial[] = "(qpos[a] + 2 * qpos[b])^2 + qpos[a] * qpos[b]^2";
  const cr_real truth[2] = {CR_R(0.01) + CR_R(0.04), CR_R(-0.04)};
  for (int kind = 0; kind <= CR_ESTIMATOR_ALPHA; kind++) {
    for (int draws = 0; draws <= CR_DRAWS_QUASI; draws++) {
      estimate e;
      const cr_estimator_options o = {.kind = (cr_estimator_kind)kind,
                                      .draws = (cr_draws)draws,
                                      .samples = 8000,
                                      .sigma = sigma,
                                      .confidence = CR_R(0.9999)};
      ok(find(&e, slides, 2, polynomial, NULL, 2, &o));
      for (int k = 0; k < 2; k++) {
        assert_true(e.error[k] > 0 && e.error[k] < CR_R(0.25));
        assert_close(e.gradient[k], truth[k], e.error[k]);
      }
      assert_close(e.found.loss, CR_R(0.2) * CR_R(0.01), CR_R(1e-12));
      // E[L]: variance of x + 2 y, and x (y^2 + s^2)
      assert_close(e.found.mean, CR_R(0.09) + 4 * CR_R(0.04) + CR_R(0.2) * CR_R(0.05),
                   e.found.mean_error);
      assert_true(isnan(e.found.first_variance) == (kind == CR_ESTIMATOR_ZEROTH));
      assert_true(isnan(e.found.zeroth_variance) == (kind == CR_ESTIMATOR_FIRST));
    }
  }
}

// pairs cancel what is odd, even points what is left: the variance of the mean falls
TEST(draws_lower_the_variance) {
  cr_real error_of[3];
  for (int draws = 0; draws <= CR_DRAWS_QUASI; draws++) {
    estimate e;
    const cr_estimator_options o = {.draws = (cr_draws)draws, .samples = 4096, .sigma = sigma};
    ok(find(&e, slides, 2, "sin(3 * qpos[a]) * cos(qpos[b])", NULL, 1, &o));
    error_of[draws] = e.error[0];
  }
  assert_true(error_of[CR_DRAWS_QUASI] < error_of[CR_DRAWS_RANDOM] / 3);
  const cr_estimator_options o = {
      .draws = CR_DRAWS_ANTITHETIC, .samples = 64, .sigma = sigma, .kind = CR_ESTIMATOR_FIRST};
  estimate e;
  ok(find(&e, slides, 2, "(qpos[a] + 2 * qpos[b])^2", NULL, 1,
          &o));  // its slope is odd about the mean
  assert_close(e.error[0], 0, CR_R(1e-12));
  assert_close(e.gradient[0], 0, CR_R(1e-12));
}

// E[R(w)] = c I, and its derivative by the mean of w is exp(-s^2/2) (1 - s^2/3) [.]x
TEST(turns) {
  static const cr_real s[3] = {CR_R(0.6), CR_R(0.6), CR_R(0.6)};
  const cr_real d = cr_exp(CR_R(-0.18)) * (1 - CR_R(0.12));
  for (int kind = 0; kind <= CR_ESTIMATOR_ZEROTH; kind++) {
    estimate e;
    const cr_estimator_options o = {.kind = (cr_estimator_kind)kind,
                                    .draws = CR_DRAWS_ANTITHETIC,
                                    .samples = 8000,
                                    .sigma = s,
                                    .confidence = CR_R(0.999)};
    ok(find(&e, ball, 1, "xmat[ball][5] + 0.5 * xmat[ball][1]", NULL, 2, &o));
    assert_close(e.gradient[0], -d, e.error[0]);
    assert_close(e.gradient[1], 0, e.error[1]);
    assert_close(e.gradient[2], -d / 2, e.error[2]);
    assert_true(e.error[0] < (kind == CR_ESTIMATOR_FIRST ? CR_R(0.02) : CR_R(0.2)));
  }
}

// with a covariance: E[x y] by x is y; the summands of Z need S^-1
TEST(covariances) {
  static const cr_real S[4] = {CR_R(0.09), CR_R(0.05), CR_R(0.05), CR_R(0.04)};
  estimate e;
  const cr_estimator_options o = {.kind = CR_ESTIMATOR_ZEROTH,
                                  .draws = CR_DRAWS_ANTITHETIC,
                                  .samples = 20000,
                                  .covariance = S,
                                  .confidence = CR_R(0.999)};
  ok(find(&e, slides, 2, "qpos[a] * qpos[b]", NULL, 2, &o));
  assert_close(e.gradient[0], CR_R(-0.1), e.error[0]);
  assert_close(e.gradient[1], CR_R(0.2), e.error[1]);
  assert_close(e.found.mean, CR_R(-0.02) + CR_R(0.05), e.found.mean_error);
  assert_true(e.error[0] < CR_R(0.02));
}

// ---- a jump: the first order sees nothing of it

static cr_real truth_of_jump(void) { return density(CR_R(0.1) / sigma[0]) / sigma[0]; }

TEST(a_jump_is_found_by_losses_alone) {
  int held = 0;
  enum { SEEDS = 100 };
  for (int seed = 0; seed < SEEDS; seed++) {
    estimate e;
    const cr_estimator_options o = {
        .kind = CR_ESTIMATOR_ZEROTH, .samples = 200, .sigma = sigma, .seed = (uint64_t)seed};
    ok(find(&e, slides, 1, NULL, &jump_loss, 1, &o));
    held += cr_abs(e.gradient[0] - truth_of_jump()) <= e.error[0];
  }
  assert_true(held >= 88 && held < SEEDS);  // 95 expected; 88 or less happens once in 400
}

TEST(a_jump_makes_the_first_order_biased) {
  estimate e;
  cr_estimator_options o = {
      .kind = CR_ESTIMATOR_ALPHA, .samples = 2000, .sigma = sigma, .bias = (cr_real)INFINITY};
  ok(find(&e, slides, 1, NULL, &jump_loss, 2, &o));
  assert_close(e.first[0], 0, 0);
  assert_true(e.found.verdict == CR_ALPHA_FREE && e.found.alpha == 1);  // any bias is allowed
  assert_non_null(strstr(e.found.text, "it is biased"));
  assert_close(e.found.distance, e.zeroth[0], 0);
  o.bias = 0;  // 2 eps
  cr_real eps = e.found.certainty, distance = e.found.distance;
  ok(find(&e, slides, 1, NULL, &jump_loss, 2, &o));
  assert_int_equal(e.found.verdict, CR_ALPHA_BOUNDED);
  assert_close(e.found.alpha, eps / distance, CR_R(1e-12));
  assert_true(cr_abs(e.gradient[0] - truth_of_jump()) < 2 * eps);
  o.bias = eps / 2;
  ok(find(&e, slides, 1, NULL, &jump_loss, 2, &o));
  assert_int_equal(e.found.verdict, CR_ALPHA_ZERO);
  assert_true(e.found.alpha == 0 && e.gradient[0] == e.zeroth[0]);
}

// where the loss is smooth, gradients vary less than losses
TEST(a_smooth_loss_has_the_first_order) {
  estimate e;
  const cr_estimator_options o = {
      .kind = CR_ESTIMATOR_ALPHA, .samples = 1000, .sigma = sigma, .bias = 10};
  ok(find(&e, slides, 2, "sin(qpos[a]) + qpos[b]", NULL, 1, &o));
  assert_true(e.found.alpha > CR_R(0.9) && e.found.first_variance < e.found.zeroth_variance / 10);
  assert_non_null(strstr(e.found.text, "may be chance"));
}

// ---- threads, mistakes

TEST(threads_do_not_change_a_bit) {
  static const char loss[] = "exp(qpos[a]) * xmat[ball][2] + qpos[b]^3";
  static const char* const names[] = {"qpos", "body_mass[1]"};
  static const cr_real wide[6] = {CR_R(0.3), CR_R(0.2), CR_R(0.6),
                                  CR_R(0.5), CR_R(0.4), CR_R(1e-3)};
  for (int draws = 0; draws <= CR_DRAWS_QUASI; draws++) {
    estimate e[2];
    const cr_estimator_options o = {.kind = CR_ESTIMATOR_ALPHA,
                                    .draws = (cr_draws)draws,
                                    .samples = 144,
                                    .sigma = wide,
                                    .bias = 3};
    for (int k = 0; k < 2; k++) {
      ok(find(&e[k], names, 2, loss, NULL, 2 * k + 1, &o));
    }
    assert_memory_equal(e[0].gradient, e[1].gradient, sizeof e[0].gradient);
    assert_memory_equal(e[0].error, e[1].error, sizeof e[0].error);
    assert_true(e[0].first[5] == 0 && e[0].first[4] != 0);  // a mass that nothing moves
  }
}

static void refuse(const cr_estimator_options* o, const char* text, cr_status expected,
                   const char* sentence) {
  estimate e;
  error.text[0] = 0;
  assert_int_equal(find(&e, slides, 2, text, NULL, 1, o), expected);
  if (strstr(error.text, sentence) == NULL) {
    fail_msg("%s", error.text);
  }
}

TEST(mistakes_are_named) {
  static const char loss[] = "qpos[a] + qpos[b]";
  static const cr_real none[2] = {CR_R(0.1), 0}, negative[2] = {-1, 1};
  static const cr_real flat_S[4] = {1, 1, 1, 1}, odd[4] = {1, CR_R(0.5), CR_R(0.4), 1};
  const cr_estimator_options good = {.samples = 16, .sigma = sigma};
  cr_estimator_options o = good;
  o.samples = 1;
  refuse(&o, loss, CR_ERR_ARG, "1 samples; 2 or more");
  o.samples = 17;
  o.draws = CR_DRAWS_ANTITHETIC;
  refuse(&o, loss, CR_ERR_ARG, "an even number");
  o.draws = CR_DRAWS_QUASI;
  refuse(&o, loss, CR_ERR_ARG, "a multiple of 8");
  o = good;
  o.sigma = negative;
  refuse(&o, loss, CR_ERR_ARG, "number 0 is -1");
  o.sigma = none;
  ok(find(&(estimate){.found = {0}}, slides, 2, loss, NULL, 1, &o));
  o.kind = CR_ESTIMATOR_ZEROTH;
  refuse(&o, loss, CR_ERR_ARG, "number 1 is 0");
  o.covariance = flat_S;
  refuse(&o, loss, CR_ERR_ARG, "either standard deviations or a covariance");
  o.sigma = NULL;
  refuse(&o, loss, CR_ERR_ARG, "not positive definite: pivot 1 is 0");
  o.covariance = odd;
  refuse(&o, loss, CR_ERR_ARG, "covariance of numbers 1 and 0 is 0.4 and 0.5");
  o = good;
  o.confidence = 1;
  refuse(&o, loss, CR_ERR_ARG, "a confidence of 1");
  o = good;
  o.bias = -1;
  refuse(&o, loss, CR_ERR_ARG, "bias -1");
  refuse(&good, "log(qpos[a] - 0.1) + qpos[b]", CR_ERR_NONFINITE, "sample ");
}
