// SPDX-License-Identifier: Apache-2.0
// Muscles against MuJoCo 4.0.0's numbers and against differences of themselves.
#include "actuator/muscle.h"

#include "base/random.h"
#include "scenes/chain_model.h"
#include "support/close.h"

static cr_model m;
static const int32_t hinge[] = {CR_JNT_HINGE};
static const cr_real usual[9] = {CR_R(0.75), CR_R(1.05), -1,        200,      CR_R(0.5),
                                 CR_R(1.6),  CR_R(1.5),  CR_R(1.3), CR_R(1.2)};

static void setup(void) {
  assert_int_equal(chain_model(&m, 1, hinge, 1, NULL), CR_OK);
  cr_copy(m.actuator_gainprm, usual, 9);
  cr_copy(m.actuator_biasprm, usual, 9);
  m.actuator_lengthrange[0] = CR_R(0.2);
  m.actuator_lengthrange[1] = CR_R(0.5);
  m.actuator_acc0[0] = CR_R(3.5);
  m.muscle_smooth = 0;
}

static void teardown(void) { cri_model_free(&m); }

AROUND_EACH(setup, teardown)

static cr_real gain_of(cri_slope_over over, cr_real l, cr_real v, cri_curve_gradient* g) {
  return cri_muscle_gain(&m, 0, m.actuator_gainprm, over, l, v, g);
}

static cr_real bias_of(cri_slope_over over, cr_real l, cri_curve_gradient* g) {
  return cri_muscle_bias(&m, 0, m.actuator_biasprm, over, l, 0, g);
}

TEST(forces_match_mujoco) {
  static const cr_real l[] = {CR_R(0.05), CR_R(0.12), CR_R(0.3), CR_R(0.42), CR_R(0.7), CR_R(1.2)};
  static const cr_real v[] = {-2, CR_R(-0.4), CR_R(0.05), CR_R(0.2), CR_R(0.9)};
  static const cr_real gain[6][5] = {{0, CR_R(-2.4584126984126966), CR_R(-4.8507936507936487),
                                      CR_R(-5.3841269841269819), CR_R(-5.4857142857142831)},
                                     {0, CR_R(-7.1048126984126903), CR_R(-14.01879365079364),
                                      CR_R(-15.560126984126972), CR_R(-15.853714285714272)},
                                     {0, CR_R(-25.198730158730147), CR_R(-49.720634920634915),
                                      CR_R(-55.187301587301583), CR_R(-56.228571428571421)},
                                     {0, CR_R(-30.508901587301576), CR_R(-60.198349206349206),
                                      CR_R(-66.817015873015876), CR_R(-68.077714285714279)},
                                     {0, CR_R(-20.059964726631392), CR_R(-39.581128747795425),
                                      CR_R(-43.93298059964728), CR_R(-44.761904761904773)},
                                     {0, 0, 0, 0, 0}};
  static const cr_real bias[6] = {0, 0, 0, 0, CR_R(-25.793650793650791), CR_R(-148.57142857142861)};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 5; k++) {
      assert_close(gain_of(CR_AS_IT_IS, l[i], v[k], NULL), gain[i][k], CR_R(1e-12));
    }
    assert_close(bias_of(CR_AS_IT_IS, l[i], NULL), bias[i], CR_R(1e-12));
  }
}

TEST(activation_matches_mujoco) {
  // control, activation, rate with the hard switch, with tausmooth 0.5
  static const cr_real rows[][4] = {
      {CR_R(0.8), CR_R(0.2), 75, 75},
      {CR_R(0.2), CR_R(0.8), CR_R(-25.5), CR_R(-25.5)},
      {CR_R(1.4), CR_R(0.5), 40, 40},
      {CR_R(-0.2), CR_R(0.3), CR_R(-7.125), CR_R(-7.125)},
      {CR_R(0.5), CR_R(1.1), -30, -30},
      {CR_R(0.5), CR_R(-0.1), 120, CR_R(119.99999999999989)},
      {CR_R(0.4), CR_R(0.35), CR_R(4.8780487804878101), CR_R(2.5794280122157707)}};
  m.actuator_dynprm[0] = CR_R(0.01);
  m.actuator_dynprm[1] = CR_R(0.04);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    for (int k = 0; k < 2; k++) {
      m.actuator_dynprm[2] = k == 0 ? 0 : CR_R(0.5);
      cr_real rate = cri_muscle_rate_of(&m, 0, rows[i][0], rows[i][1]).value;
      assert_close(rate, rows[i][2 + k], CR_R(2e-13) * 120);
    }
  }
}

// ---- gradients: what a number does to gain, bias and rate

static cr_real* number(int k) {
  static cr_real* places[16];
  for (int i = 0; i < 9; i++) {
    places[i] = m.actuator_gainprm + i;
  }
  places[9] = m.actuator_lengthrange;
  places[10] = m.actuator_lengthrange + 1;
  places[11] = m.actuator_acc0;
  return places[k];
}

static cr_real analytic(const cri_curve_gradient* g, int k) {
  return k < 9 ? g->prm[k] : (k < 11 ? g->range[k - 9] : g->acc0);
}

enum { GAIN, BIAS, GAIN_SLOPE, GAIN_STIFFNESS, BIAS_STIFFNESS };

static cr_real force(int law, cr_real l, cr_real v, cri_curve_gradient* g) {
  static const cri_slope_over over[] = {CR_AS_IT_IS, CR_AS_IT_IS, CR_OVER_VELOCITY, CR_OVER_LENGTH,
                                        CR_OVER_LENGTH};
  bool bias = law == BIAS || law == BIAS_STIFFNESS;
  return (bias ? cri_muscle_bias : cri_muscle_gain)(&m, 0, m.actuator_gainprm, over[law], l, v, g);
}

static cr_real slope_of(int law, cr_real* x, cr_real h, cr_real* l, cr_real* v) {
  cr_real kept = *x, sum = 0;
  static const cr_real weight[4] = {1, -8, 8, -1};
  for (int k = 0; k < 4; k++) {
    *x = kept + h * (cr_real)(k < 2 ? k - 2 : k - 1);
    sum += weight[k] * force(law, *l, *v, NULL) / (12 * h);
  }
  *x = kept;
  return sum;
}

// off the seams, exact and smooth
TEST(gradients_match_differences) {
  cr_random r = cr_random_seed(2, 5);
  int checked = 0;
  for (int i = 0; i < 400; i++) {
    m.muscle_smooth = i % 2 == 0 ? 0 : CR_R(0.1);
    m.actuator_gainprm[2] = i % 3 == 0 ? 80 : -1;
    cr_real l = cr_random_range(&r, 0, 1), v = cr_random_range(&r, -2, 2);
    for (int law = GAIN; law <= BIAS_STIFFNESS; law++) {
      cri_curve_gradient g;
      cr_real f = force(law, l, v, &g), h = CR_R(1e-5);
      // second differences are large where a seam lies between
      for (int k = -2; k < 12; k++) {
        cr_real* x = k == -2 ? &l : (k == -1 ? &v : number(k));
        cr_real expected = k == -2 ? g.length : (k == -1 ? g.velocity : analytic(&g, k));
        cr_real fine = slope_of(law, x, h, &l, &v), coarse = slope_of(law, x, 2 * h, &l, &v);
        if (cr_abs(fine - coarse) <= CR_R(1e-7) * (1 + cr_abs(fine))) {
          assert_close(expected, fine, CR_R(1e-6) * (1 + cr_abs(fine) + cr_abs(f)));
          checked++;
        }
      }
    }
  }
  assert_true(checked > 19000);
}

TEST(slope_of_the_gain_is_in_its_gradient) {
  cr_random r = cr_random_seed(4, 5);
  for (int i = 0; i < 200; i++) {
    cri_curve_gradient g;
    m.muscle_smooth = i % 2 == 0 ? 0 : CR_R(0.1);
    cr_real l = cr_random_range(&r, 0, 1), v = cr_random_range(&r, -2, 2);
    (void)gain_of(CR_AS_IT_IS, l, v, &g);
    cr_real scale = 1 + cr_abs(g.velocity);
    assert_close(gain_of(CR_OVER_VELOCITY, l, v, NULL), g.velocity, 16 * CR_EPS * scale);
    scale = 1 + cr_abs(g.length);
    assert_close(gain_of(CR_OVER_LENGTH, l, v, NULL), g.length, 64 * CR_EPS * scale);
    cr_copy(m.actuator_biasprm, m.actuator_gainprm, 9);
    (void)bias_of(CR_AS_IT_IS, l, &g);
    scale = 1 + cr_abs(g.length);
    assert_close(bias_of(CR_OVER_LENGTH, l, NULL), g.length, 64 * CR_EPS * scale);
  }
}

TEST(rates_match_differences) {
  cr_random r = cr_random_seed(3, 5);
  for (int i = 0; i < 300; i++) {
    m.muscle_smooth = i % 3 == 0 ? CR_R(0.2) : 0;
    m.actuator_dynprm[0] = CR_R(0.01);
    m.actuator_dynprm[1] = CR_R(0.04);
    m.actuator_dynprm[2] = i % 2 == 0 ? 0 : CR_R(0.5);
    cr_real x[2] = {cr_random_range(&r, CR_R(-0.5), CR_R(1.5)),
                    cr_random_range(&r, CR_R(-0.5), CR_R(1.5))};
    cri_muscle_rate rate = cri_muscle_rate_of(&m, 0, x[0], x[1]);
    const cr_real h = CR_R(1e-6), expected[5] = {rate.by_u, rate.by_act, rate.by_prm[0],
                                                 rate.by_prm[1], rate.by_prm[2]};
    bool wide = m.actuator_dynprm[2] > m.muscle_smooth;
    for (int k = 0; k < (wide ? 5 : 4); k++) {
      cr_real* place = k < 2 ? &x[k] : m.actuator_dynprm + k - 2;
      cr_real kept = *place;
      *place = kept + h;
      cr_real plus = cri_muscle_rate_of(&m, 0, x[0], x[1]).value;
      *place = kept - h;
      cr_real minus = cri_muscle_rate_of(&m, 0, x[0], x[1]).value;
      *place = kept;
      assert_close((plus - minus) / (2 * h), expected[k],
                   CR_R(1e-6) * (100 + cr_abs(expected[k])) + CR_R(1e-13) / h);
    }
  }
}

// ---- shapes

TEST(curves_have_no_steps) {
  // seams of length and velocity, in the units of the muscle
  static const cr_real L[] = {CR_R(0.5), CR_R(0.75), 1, CR_R(1.3), CR_R(1.6)},
                       V[] = {-1, 0, CR_R(0.2)};
  const cr_real h = CR_R(1e-7);
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < 3; k++) {
      cri_curve_gradient low, high;
      cr_real l = CR_R(0.2) + (L[i] - CR_R(0.75)), v = V[k] * CR_R(1.5);
      cr_real a = gain_of(CR_AS_IT_IS, l - h, v - h, &low);
      cr_real b = gain_of(CR_AS_IT_IS, l + h, v + h, &high);
      assert_close(a, b, CR_R(1e-4));
      assert_close(low.length, high.length, CR_R(1e-2));
      assert_close(low.velocity, high.velocity, CR_R(1e-2));
    }
  }
}

// the surrogate is near, and nearer with less width
TEST(smooth_curves_approach_exact_ones) {
  cr_real worst[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 100; i++) {
      cr_real l = CR_R(0.01) * (cr_real)i, v = CR_R(0.04) * (cr_real)(i - 50);
      m.muscle_smooth = 0;
      cr_real exact = gain_of(CR_AS_IT_IS, l, v, NULL) + bias_of(CR_AS_IT_IS, l, NULL);
      m.muscle_smooth = k == 0 ? CR_R(0.1) : CR_R(0.05);
      cr_real smooth = gain_of(CR_AS_IT_IS, l, v, NULL) + bias_of(CR_AS_IT_IS, l, NULL);
      worst[k] = cr_max(worst[k], cr_abs(exact - smooth));
    }
  }
  assert_true(worst[0] < CR_R(3) && worst[0] > 0);
  assert_true(worst[1] < CR_R(0.3) * worst[0]);
}

// the smooth switch takes the sides apart only away from it
TEST(smooth_activation_has_no_kink) {
  m.actuator_dynprm[0] = CR_R(0.01);
  m.actuator_dynprm[1] = CR_R(0.04);
  m.actuator_dynprm[2] = 0;
  const cr_real h = CR_R(1e-9);
  cri_muscle_rate low = cri_muscle_rate_of(&m, 0, CR_R(0.5) - h, CR_R(0.5));
  cri_muscle_rate high = cri_muscle_rate_of(&m, 0, CR_R(0.5) + h, CR_R(0.5));
  assert_true(high.by_u > CR_R(1.5) * low.by_u);
  m.muscle_smooth = CR_R(0.1);
  low = cri_muscle_rate_of(&m, 0, CR_R(0.5) - h, CR_R(0.5));
  high = cri_muscle_rate_of(&m, 0, CR_R(0.5) + h, CR_R(0.5));
  assert_close(low.by_u, high.by_u, CR_R(1e-4) * high.by_u);
}

// time constants change with the activation between 0 and 1 only. At 0, where models reset activations
// to, the gradient is the slope to the right: rate = (u - a) / (tau (1/2 + 3/2 a)); to the left it is
// that without the change of pace, and a central difference is their mean
TEST(at_zero_the_gradient_is_that_of_inside) {
  const cr_real u = CR_R(0.6), h = CR_R(1e-7), tau = CR_R(0.01);
  m.actuator_dynprm[0] = tau;
  m.actuator_dynprm[1] = CR_R(0.04);
  m.actuator_dynprm[2] = 0;
  cri_muscle_rate at = cri_muscle_rate_of(&m, 0, u, 0);
  cr_real right = (cri_muscle_rate_of(&m, 0, u, h).value - at.value) / h;
  cr_real left = (at.value - cri_muscle_rate_of(&m, 0, u, -h).value) / h;
  assert_close(at.by_act, -(2 + 6 * u) / tau, CR_R(1e-10) / tau);
  assert_close(right, at.by_act, CR_R(1e-5) / tau);
  assert_close(left, -2 / tau, CR_R(1e-5) / tau);
}

// Excitation meets activation: at 0 a control only activates and an activation only decays, at 1 the
// other way round; so also at the ends of a control's range. Between them it is deactivation.
TEST(where_excitation_meets_activation) {
  static const struct {
    bool limited;
    double at;
    int end;
  } rows[] = {{false, 0, 1},   {false, 1, -1},   {false, 0.5, 0},
              {true, 0.25, 1}, {true, 0.75, -1}, {true, 0.5, 0}};
  m.actuator_dynprm[0] = CR_R(0.01);
  m.actuator_dynprm[1] = CR_R(0.04);
  m.actuator_dynprm[2] = 0;
  m.actuator_ctrlrange[0] = CR_R(0.25);
  m.actuator_ctrlrange[1] = CR_R(0.75);
  for (int i = 0; i < 6; i++) {
    m.actuator_ctrllimited[0] = rows[i].limited;
    const cr_real x = (cr_real)rows[i].at, h = CR_R(1e-7);
    int end = rows[i].end;
    cri_muscle_rate at = cri_muscle_rate_of(&m, 0, x, x);
    assert_true(at.value == 0 && at.by_prm[0] == 0 && at.by_prm[1] == 0);
    // to the side that is left; between the ends where the excitation falls and the activation grows
    cr_real side = end > 0 ? h : -h, other = end < 0 ? -h : h;
    assert_close(at.by_u, cri_muscle_rate_of(&m, 0, x + side, x).value / side, CR_R(1e-4));
    assert_close(at.by_act, cri_muscle_rate_of(&m, 0, x, x + other).value / other, CR_R(1e-3));
  }
  m.actuator_ctrllimited[0] = 0;
}
