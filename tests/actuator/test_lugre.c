// SPDX-License-Identifier: Apache-2.0
// Bristles: their equation by many small steps, their rest, and derivatives by differences.
#include "actuator/lugre.h"

#include "scenes/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_HINGE};

static cr_model m;

static void begin(void) {
  assert_int_equal(chain_model(&m, 1, joints, 1, NULL), CR_OK);
  m.actuator_dynprm[5] = 10;
  m.actuator_biasprm[3] = CR_R(0.2);
  m.actuator_biasprm[4] = CR_R(0.3);
  m.actuator_biasprm[5] = CR_R(0.4);
}

// the rate and the next state that MuJoCo 4.0.0 gives
TEST(bristle_matches_mujoco) {
  begin();
  cr_real z = CR_R(0.1), v = CR_R(0.3);
  assert_close(cri_lugre_rate(&m, 0, z, v).value, CR_R(-0.86741382623028639), CR_R(1e-15));
  assert_close(cri_lugre_next(&m, 0, CR_R(0.01), z, v).value, CR_R(0.091813036389295805),
               CR_R(1e-16));
  cri_model_free(&m);
}

TEST(next_solves_the_equation) {
  begin();
  enum { STEPS = 20000 };
  cr_real h = CR_R(0.3), z = CR_R(0.02), v = CR_R(-0.7), exact = z;
  for (int k = 0; k < STEPS; k++) {
    cr_real half = exact + h / (2 * STEPS) * cri_lugre_rate(&m, 0, exact, v).value;
    exact += h / STEPS * cri_lugre_rate(&m, 0, half, v).value;
  }
  assert_close(cri_lugre_next(&m, 0, h, z, v).value, exact, CR_R(1e-8));
  // after a long time the bristle carries the friction of that speed, against the motion
  cr_real e = cr_exp(-CR_R(0.49) / CR_R(0.16)), g = CR_R(0.2) + CR_R(0.1) * e;
  assert_close(cri_lugre_next(&m, 0, 1000, z, v).value, -g / 10, CR_R(1e-15));
  assert_close(cri_lugre_rate(&m, 0, -g / 10, v).value, 0, CR_R(1e-15));
  cri_model_free(&m);
}

TEST(bristle_at_rest_stays) {
  begin();
  cri_lugre next = cri_lugre_next(&m, 0, CR_R(0.01), CR_R(0.03), 0);
  assert_close(next.value, CR_R(0.03), 0);
  assert_close(next.by_z, 1, 0);
  // no friction at all, and one without width
  m.actuator_biasprm[3] = m.actuator_biasprm[4] = 0;
  next = cri_lugre_next(&m, 0, CR_R(0.01), CR_R(0.03), CR_R(0.2));
  assert_true(isfinite(next.value) && isfinite(next.by_v) && isfinite(next.by_stiffness));
  m.actuator_biasprm[3] = CR_R(0.2);
  m.actuator_biasprm[5] = 0;
  cri_lugre rate = cri_lugre_rate(&m, 0, CR_R(0.03), CR_R(0.2));
  assert_true(isfinite(rate.value) && isfinite(rate.by_v) && rate.by_friction[2] == 0);
  cri_model_free(&m);
}

typedef enum { RATE, NEXT } which;

static cri_lugre eval(which of, cr_real z, cr_real v) {
  return of == RATE ? cri_lugre_rate(&m, 0, z, v) : cri_lugre_next(&m, 0, CR_R(0.01), z, v);
}

// fourth order difference over the number at x
static cr_real slope(which of, const cr_real* z, const cr_real* v, cr_real* x, cr_real h) {
  static const cr_real weight[] = {1, -8, 8, -1};
  cr_real keep = *x, sum = 0;
  for (int k = 0; k < 4; k++) {
    *x = keep + h * (cr_real)(k < 2 ? k - 2 : k - 1);
    sum += weight[k] * eval(of, *z, *v).value / (12 * h);
  }
  *x = keep;
  return sum;
}

TEST(bristle_derivatives) {
  // from hardly any decay to a quick one
  static const cr_real speeds[] = {CR_R(0.02), CR_R(-0.3), 2, -40};
  begin();
  for (int k = 0; k < 8; k++) {
    cr_real z = CR_R(0.05), v = speeds[k / 2], h = CR_R(1e-4);
    which of = k % 2 == 0 ? RATE : NEXT;
    cri_lugre b = eval(of, z, v);
    assert_close(b.by_z, slope(of, &z, &v, &z, h), CR_R(1e-8) * (1 + cr_abs(b.by_z)));
    assert_close(b.by_v, slope(of, &z, &v, &v, h), CR_R(1e-8) * (1 + cr_abs(b.by_v)));
    assert_close(b.by_stiffness, slope(of, &z, &v, m.actuator_dynprm + 5, h), CR_R(1e-8));
    for (int p = 0; p < 3; p++) {
      cr_real numeric = slope(of, &z, &v, m.actuator_biasprm + 3 + p, h);
      assert_close(b.by_friction[p], numeric, CR_R(1e-8) * (1 + cr_abs(numeric)));
    }
  }
  cri_model_free(&m);
}
