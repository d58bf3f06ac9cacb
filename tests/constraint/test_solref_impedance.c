// SPDX-License-Identifier: Apache-2.0
// The meaning of solref and solimp: tabulated values, clamps, gradients by differences, and the
// curve of contacts from distance.
#include "constraint/solref_impedance.h"

#include "base/random.h"
#include "support/close.h"

#ifdef CR_LONG_DOUBLE
static const cr_real STEP = CR_R(1e-4), TOLERANCE = CR_R(1e-12);
#else
static const cr_real STEP = CR_R(1e-4), TOLERANCE = CR_R(1e-9);
#endif

static const cr_real DEFAULT[5] = {CR_R(0.9), CR_R(0.95), CR_R(0.001), CR_R(0.5), 2};

static cr_model plain(void) { return (cr_model){.timestep = CR_R(0.002)}; }

static cr_real impedance(const cr_model* m, const cr_real solimp[5], cr_real r) {
  cr_real slope;
  return cri_impedance(m, solimp, r, m->cfd_wc, &slope);
}

TEST(impedance_takes_known_values) {
  cr_model m = plain();
  static const cr_real pairs[][2] = {{0, CR_R(0.9)},
                                     {CR_R(-0.00025), CR_R(0.90625)},
                                     {CR_R(-0.0005), CR_R(0.925)},
                                     {CR_R(0.00075), CR_R(0.94375)},
                                     {CR_R(-0.001), CR_R(0.95)},
                                     {-1, CR_R(0.95)}};
  for (int i = 0; i < 6; i++) {
    assert_close(impedance(&m, DEFAULT, pairs[i][0]), pairs[i][1], 4 * CR_EPS);
  }
  // a straight line, a cubic with its midpoint at 0.2, no width
  const cr_real line[5] = {CR_R(0.2), CR_R(0.6), 2, CR_R(0.3), 1};
  assert_close(impedance(&m, line, CR_R(-0.5)), CR_R(0.3), 4 * CR_EPS);
  const cr_real cubic[5] = {CR_R(0.2), CR_R(0.6), 1, CR_R(0.2), 3};
  assert_close(impedance(&m, cubic, CR_R(-0.1)), CR_R(0.2) + CR_R(0.4) * CR_R(0.025), 4 * CR_EPS);
  assert_close(impedance(&m, cubic, CR_R(-0.6)), CR_R(0.6) - CR_R(0.4) * CR_R(0.1), 4 * CR_EPS);
  const cr_real flat[5] = {CR_R(0.2), CR_R(0.6), 0, CR_R(0.5), 2};
  assert_close(impedance(&m, flat, CR_R(-0.6)), CR_R(0.4), 4 * CR_EPS);
}

TEST(impedance_is_clamped) {
  cr_model m = plain();
  const cr_real wild[5] = {-3, 7, 1, -1, CR_R(0.1)};
  assert_close(impedance(&m, wild, 0), CR_MIN_IMPEDANCE, CR_EPS);
  assert_close(impedance(&m, wild, -2), CR_MAX_IMPEDANCE, CR_EPS);
  assert_close(cri_impedance_width(wild), CR_MAX_IMPEDANCE, 0);
  const cr_real ref[2] = {CR_R(0.02), 1};
  cri_impedance_derivative s = cri_impedance_derivative_of(&m, ref, wild, CR_R(-0.3), 0);
  assert_close(s.I_solimp[0], 0, 0);
  assert_close(s.I_solimp[1], 0, 0);
  assert_close(s.I_solimp[3], 0, 0);
  assert_close(s.I_solimp[4], 0, 0);
  assert_close(s.K_y[2], 0, 0);
  assert_close(s.B_y[2], 0, 0);
}

// K, B and I at y = (r, solref, solimp)
static void evaluate(const cr_model* m, const cr_real y[8], cr_real KBI[3]) {
  cr_real slope;
  KBI[2] = cri_impedance(m, y + 3, y[0], m->cfd_wc, &slope);
  cri_stiffness(m, y + 1, cri_impedance_width(y + 3), &KBI[0], &KBI[1]);
}

// fourth-order difference of K, B, I along y_tan, y scaled by 1 + h y_tan
static void difference(const cr_model* m, const cr_real y[8], const cr_real y_tan[8],
                       cr_real KBI_tan[3]) {
  static const cr_real weight[4] = {8, -8, -1, 1}, step[4] = {1, -1, 2, -2};
  cr_zero(KBI_tan, 3);
  for (int k = 0; k < 4; k++) {
    cr_real at[8], KBI[3];
    for (int i = 0; i < 8; i++) {
      at[i] = y[i] + step[k] * STEP * y_tan[i];
    }
    evaluate(m, at, KBI);
    for (int i = 0; i < 3; i++) {
      KBI_tan[i] += weight[k] * KBI[i] / (12 * STEP);
    }
  }
}

// between the bends the curve is one polynomial, across one it is not: third differences of a parabola
TEST(bends_tell_the_pieces_apart) {
  cr_model m = plain();
  const cr_real solimp[5] = {CR_R(0.1), CR_R(0.9), CR_R(0.4), CR_R(0.3), 2};
  const cr_real h = CR_R(0.01);
  int bent = 0;
  for (int i = 2; i < 60; i++) {
    cr_real r = -h * ((cr_real)i + CR_R(0.5)), first[2], last[2];
    cr_real third = impedance(&m, solimp, r) - 3 * impedance(&m, solimp, r - h) +
                    3 * impedance(&m, solimp, r - 2 * h) - impedance(&m, solimp, r - 3 * h);
    cri_impedance_bends(solimp, r, first);
    cri_impedance_bends(solimp, r - 3 * h, last);
    bool apart = (first[0] < 0) != (last[0] < 0) || (first[1] < 0) != (last[1] < 0);
    assert_int_equal(cr_abs(third) > CR_R(1e-9), apart);
    bent += apart;
  }
  assert_int_equal(bent, 6);  // three steps long, twice
}

TEST(flat_curves_and_lines_have_fewer_bends) {
  const cr_real line[5] = {CR_R(0.2), CR_R(0.6), 1, CR_R(0.3), 1};
  const cr_real point[5] = {CR_R(0.2), CR_R(0.6), 0, CR_R(0.3), 2};
  const cr_real level[5] = {CR_R(0.2), CR_R(0.2), 1, CR_R(0.3), 2};
  cr_real bend[2];
  cri_impedance_bends(line, CR_R(-0.1), bend);
  assert_true(bend[0] == 1 && bend[1] < 0);
  cri_impedance_bends(point, CR_R(-0.1), bend);
  assert_true(bend[0] == 1 && bend[1] == 1);
  cri_impedance_bends(level, CR_R(-0.1), bend);
  assert_true(bend[0] == 1 && bend[1] == 1);
}

TEST(gradients_match_differences) {
  cr_random r = cr_random_seed(1, 3);
  cr_model m = plain();
  for (int sample = 0; sample < 400; sample++) {
    bool direct = sample % 3 == 0, outside = sample % 5 == 0;
    cr_real width = cr_random_range(&r, CR_R(0.5), 2);
    cr_real y[8] = {-width * cr_random_range(&r, CR_R(0.02), CR_R(0.96)),
                    direct ? cr_random_range(&r, -500, -1) : cr_random_range(&r, CR_R(0.01), 1),
                    direct ? cr_random_range(&r, -50, -1) : cr_random_range(&r, CR_R(0.2), 2),
                    cr_random_range(&r, CR_R(0.1), CR_R(0.9)),
                    cr_random_range(&r, CR_R(0.1), CR_R(0.9)),
                    width,
                    cr_random_range(&r, CR_R(0.1), CR_R(0.9)),
                    cr_random_range(&r, CR_R(1.5), 4)};
    y[0] *= outside ? 2 : 1;
    if (cr_abs(cr_abs(y[0]) / width - y[6]) < CR_R(0.01) ||
        cr_abs(cr_abs(y[0]) / width - 1) < CR_R(0.01)) {
      continue;  // beside a joint of the curve
    }
    cr_real y_tan[8], KBI[3], expected[3];
    for (int i = 0; i < 8; i++) {
      y_tan[i] = CR_R(0.1) * y[i] * cr_random_normal(&r);
    }
    cri_impedance_derivative s = cri_impedance_derivative_of(&m, y + 1, y + 3, y[0], 0);
    difference(&m, y, y_tan, expected);
    KBI[0] = cri_stiffness_tan(s.K_y, y_tan + 1, y_tan + 3);
    KBI[1] = cri_stiffness_tan(s.B_y, y_tan + 1, y_tan + 3);
    KBI[2] = cri_impedance_tan(&s, y_tan[0], y_tan + 3);
    cr_real scale[3];
    evaluate(&m, y, scale);
    for (int i = 0; i < 3; i++) {
      assert_close(KBI[i], expected[i], TOLERANCE * cr_abs(scale[i]) * 10);
    }
  }
}

// equal d0 and dw make I flat, but both still move it
TEST(flat_impedance_has_a_gradient) {
  cr_model m = plain();
  const cr_real ref[2] = {CR_R(0.02), 1}, solimp[5] = {CR_R(0.9), CR_R(0.9), 1, CR_R(0.5), 2};
  cri_impedance_derivative s = cri_impedance_derivative_of(&m, ref, solimp, CR_R(-0.25), 0);
  assert_close(s.I, CR_R(0.9), CR_EPS);
  assert_close(s.I_solimp[0], CR_R(0.875), 4 * CR_EPS);
  assert_close(s.I_solimp[1], CR_R(0.125), 4 * CR_EPS);
}

TEST(transposes_agree) {
  cr_model m = plain();
  const cr_real ref[2] = {CR_R(0.03), CR_R(0.7)};
  const cr_real solimp[5] = {CR_R(0.3), CR_R(0.8), 1, CR_R(0.4), 3};
  const cr_real ref_tan[2] = {2, -1}, solimp_tan[5] = {1, -2, 3, CR_R(0.5), CR_R(0.25)};
  cri_impedance_derivative s = cri_impedance_derivative_of(&m, ref, solimp, CR_R(-0.6), 0);
  cr_real r_bar = 0, ref_bar[2] = {0}, solimp_bar[5] = {0}, sum = 0;
  cri_impedance_bar(&s, 3, &r_bar, solimp_bar);
  cri_stiffness_bar(s.K_y, 5, ref_bar, solimp_bar);
  cri_stiffness_bar(s.B_y, 7, ref_bar, solimp_bar);
  for (int i = 0; i < 5; i++) {
    sum += solimp_bar[i] * solimp_tan[i] + (i < 2 ? ref_bar[i] * ref_tan[i] : 0);
  }
  cr_real expected = 3 * cri_impedance_tan(&s, 11, solimp_tan) +
                     5 * cri_stiffness_tan(s.K_y, ref_tan, solimp_tan) +
                     7 * cri_stiffness_tan(s.B_y, ref_tan, solimp_tan);
  assert_close(sum + r_bar * 11, expected, 64 * CR_EPS * cr_abs(expected));
}

TEST(stiffness_obeys_refsafe_and_signs) {
  cr_model m = plain();
  cr_real K, B, K0, B0, dw = CR_R(0.9);
  const cr_real fast[2] = {CR_R(0.001), 1}, limit[2] = {CR_R(0.004), 1};
  const cr_real mixed[2] = {-5, 1}, standard[2] = {CR_R(0.02), 1}, direct[2] = {-100, -10};
  cri_stiffness(&m, fast, dw, &K, &B);
  cri_stiffness(&m, limit, dw, &K0, &B0);
  assert_close(K, K0, 0);
  assert_close(B, B0, 0);
  m.disableflags = CR_DSBL_REFSAFE;
  cri_stiffness(&m, fast, dw, &K, &B);
  assert_close(K, 1 / (dw * dw * CR_R(1e-6)), K * 8 * CR_EPS);
  assert_close(B, 2 / (dw * CR_R(0.001)), B * 8 * CR_EPS);
  cri_stiffness(&m, mixed, dw, &K, &B);
  cri_stiffness(&m, standard, dw, &K0, &B0);
  assert_close(K, K0, 0);
  assert_close(B, B0, 0);
  cri_stiffness(&m, direct, dw, &K, &B);
  assert_close(K, 100 / (dw * dw), 1000 * CR_EPS);
  assert_close(B, 10 / dw, 100 * CR_EPS);
}

TEST(from_distance_fades_out) {
  cr_model m = plain();
  m.cfd = 1;
  m.cfd_d0 = CR_R(0.01);
  m.cfd_wc = CR_R(0.05);
  m.cfd_mc = 1;
  m.cfd_pc = 2;
  m.cfd_scale = CR_R(0.005);
  // d0 just outside, dc = 0 at the end, the usual curve inside, nothing for what is not a contact
  cr_real slope;
  assert_close(impedance(&m, DEFAULT, CR_R(1e-12)), CR_R(0.01), CR_R(1e-12));
  assert_close(impedance(&m, DEFAULT, CR_R(0.025)), CR_R(0.0075), CR_R(1e-15));
  assert_close(impedance(&m, DEFAULT, CR_R(0.05)), 0, CR_R(1e-14));
  assert_close(impedance(&m, DEFAULT, CR_R(-0.0005)), CR_R(0.925), 4 * CR_EPS);
  assert_close(cri_impedance(&m, DEFAULT, CR_R(0.025), 0, &slope), CR_R(0.95), 4 * CR_EPS);
  cr_real h = CR_R(1e-5), at = CR_R(0.02);
  cr_real up = impedance(&m, DEFAULT, at + h), down = impedance(&m, DEFAULT, at - h);
  (void)cri_impedance(&m, DEFAULT, at, m.cfd_wc, &slope);
  assert_close(slope, (up - down) / (2 * h), CR_R(1e-10));
}

TEST(penetration_is_a_smooth_minimum) {
  cr_model m = plain();
  cr_real slope;
  assert_close(cri_penetration(&m, CR_R(0.3), 0, &slope), CR_R(0.3), 0);
  assert_close(slope, 1, 0);
  m.cfd = 1;
  m.cfd_wc = CR_R(0.1);
  m.cfd_scale = CR_R(0.01);
  assert_close(cri_penetration(&m, 0, m.cfd_wc, &slope), -CR_R(0.01) * cr_log(2), CR_EPS);
  assert_close(slope, CR_R(0.5), CR_EPS);
  assert_close(cri_penetration(&m, -40, m.cfd_wc, &slope), -40, 40 * CR_EPS);
  assert_close(slope, 1, CR_EPS);
  assert_close(cri_penetration(&m, 40, m.cfd_wc, &slope), 0, CR_EPS);
  assert_close(cri_penetration(&m, 40, 0, &slope), 40, 0);
  for (cr_real r = CR_R(-0.05); r < CR_R(0.05); r += CR_R(0.003)) {
    cr_real h = CR_R(1e-6), other;
    cr_real up = cri_penetration(&m, r + h, m.cfd_wc, &other);
    cr_real down = cri_penetration(&m, r - h, m.cfd_wc, &other);
    assert_true(cri_penetration(&m, r, m.cfd_wc, &slope) < cr_min(r, 0));
    assert_close(slope, (up - down) / (2 * h), CR_R(1e-8));
  }
  // of a wider reach everything is wider
  cr_real wide = cri_penetration(&m, CR_R(0.06), 3 * m.cfd_wc, &slope);
  assert_close(wide, 3 * cri_penetration(&m, CR_R(0.02), m.cfd_wc, &slope), 16 * CR_EPS);
  m.cfd_scale = 0;
  assert_close(cri_penetration(&m, CR_R(0.3), m.cfd_wc, &slope), 0, 0);
  assert_close(cri_penetration(&m, CR_R(-0.3), m.cfd_wc, &slope), CR_R(-0.3), 0);
}
