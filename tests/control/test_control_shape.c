// SPDX-License-Identifier: Apache-2.0
// Controls from knots: values at knots, what splines reproduce, cotangents against the map, limits, shifts.
#include "control/control_shape.h"

#include "base/random.h"
#include "support/close.h"

enum { STEPS = 21, KNOTS = 6, NU = 2 };

static cri_controls make(cr_control_shape shape, int nknot) {
  cri_controls c;
  cr_error error = {0};
  if (cri_controls_make(&c, shape, STEPS, nknot, NU, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  for (int i = 0; i < NU; i++) {
    c.lower[i] = -10;
    c.upper[i] = 10;
  }
  return c;
}

TEST(shapes) {
  cr_real knots[STEPS * NU], ctrl[STEPS * NU];
  for (int j = 0; j < STEPS * NU; j++) {
    knots[j] = (cr_real)((j * 7) % 5) - 2;
  }
  cri_controls c = make(CR_CONTROLS_STEP, STEPS);
  cri_controls_spread(&c, knots, ctrl);
  assert_all_close(ctrl, knots, STEPS * NU, 0);
  cri_controls_free(&c);
  c = make(CR_CONTROLS_ZERO, 3);  // 7 steps each
  cri_controls_spread(&c, knots, ctrl);
  for (int k = 0; k < STEPS; k++) {
    assert_true(ctrl[k * NU] == knots[k / 7 * NU]);
    assert_int_equal(cri_controls_first(&c, k), k / 7 * 7);
  }
  cri_controls_free(&c);
  for (cr_control_shape s = CR_CONTROLS_LINEAR; s <= CR_CONTROLS_CUBIC; s++) {
    c = make(s, KNOTS);  // every fourth step
    cri_controls_spread(&c, knots, ctrl);
    for (int j = 0; j < KNOTS; j++) {
      assert_close(ctrl[4 * j * NU + 1], knots[j * NU + 1], CR_R(1e-14));
    }
    cri_controls_free(&c);
  }
}

// lines by both; parabolas between inner knots by cubics, whose middle between 0 1 0 0 is 9/16
TEST(splines_reproduce) {
  cr_real knots[KNOTS * NU], ctrl[STEPS * NU];
  for (cr_control_shape s = CR_CONTROLS_LINEAR; s <= CR_CONTROLS_CUBIC; s++) {
    cri_controls c = make(s, KNOTS);
    for (int j = 0; j < KNOTS; j++) {
      knots[j * NU] = (cr_real)j;
      knots[j * NU + 1] = (cr_real)(j * j) / 8;
    }
    cri_controls_spread(&c, knots, ctrl);
    for (int k = 0; k < STEPS; k++) {
      cr_real t = (cr_real)k / 4;
      assert_close(ctrl[k * NU], t, CR_R(1e-14));
      if (s == CR_CONTROLS_CUBIC && k >= 4 && k <= 16) {
        assert_close(ctrl[k * NU + 1], t * t / 8, CR_R(1e-14));
      }
    }
    cri_controls_free(&c);
  }
  cri_controls c = make(CR_CONTROLS_CUBIC, KNOTS);
  cr_zero(knots, KNOTS * NU);
  knots[2 * NU] = 1;
  cri_controls_spread(&c, knots, ctrl);
  assert_close(ctrl[10 * NU], CR_R(0.5625), CR_R(1e-14));
  cri_controls_free(&c);
}

// <bar, S x> = <S' bar, x> where no limit holds; a control at its limit has no part
TEST(cotangents_are_of_the_map) {
  cr_random random = cr_random_seed(3, 0);
  const cr_control_shape shapes[] = {CR_CONTROLS_STEP, CR_CONTROLS_ZERO, CR_CONTROLS_LINEAR,
                                     CR_CONTROLS_CUBIC};
  for (int s = 0; s < 4; s++) {
    int n = shapes[s] == CR_CONTROLS_STEP ? STEPS : KNOTS;
    cri_controls c = make(shapes[s], n);
    cr_real x[STEPS * NU], ctrl[STEPS * NU], bar[STEPS * NU], back[STEPS * NU], left = 0, right = 0;
    for (int i = 0; i < STEPS * NU; i++) {
      x[i] = cr_random_normal(&random);
      bar[i] = cr_random_normal(&random);
    }
    cri_controls_spread(&c, x, ctrl);
    cri_controls_gather(&c, x, bar, back);
    for (int i = 0; i < STEPS * NU; i++) {
      left += bar[i] * ctrl[i];
      right += i < n * NU ? back[i] * x[i] : 0;
    }
    assert_close(left, right, CR_R(1e-13) * (1 + cr_abs(left)));
    c.upper[0] = -5;
    cri_controls_spread(&c, x, ctrl);
    cri_controls_gather(&c, x, bar, back);
    for (int j = 0; j < n; j++) {
      assert_true(ctrl[j * NU] == -5 && back[j * NU] == 0);
    }
    cri_controls_clip(&c, x);
    assert_true(x[0] == -5);
    cri_controls_free(&c);
  }
}

TEST(shifts) {
  const cr_control_shape shapes[] = {CR_CONTROLS_STEP, CR_CONTROLS_ZERO, CR_CONTROLS_LINEAR,
                                     CR_CONTROLS_CUBIC};
  for (int s = 0; s < 4; s++) {
    int n = shapes[s] == CR_CONTROLS_STEP ? STEPS : shapes[s] == CR_CONTROLS_ZERO ? 7 : KNOTS;
    cri_controls c = make(shapes[s], n);
    cr_real x[STEPS * NU], before[STEPS * NU], after[STEPS * NU];
    for (int j = 0; j < n * NU; j++) {
      x[j] = (cr_real)(j / NU) * CR_R(0.5);  // a line, or stairs
    }
    cri_controls_spread(&c, x, before);
    int steps = shapes[s] == CR_CONTROLS_ZERO ? 3 : 4;
    cri_controls_shift(&c, steps, x);
    cri_controls_spread(&c, x, after);
    for (int k = 0; k + steps < STEPS - 4; k++) {
      assert_close(after[k * NU], before[(k + steps) * NU], CR_R(1e-13));
    }
    assert_close(after[(STEPS - 1) * NU], before[(STEPS - 1) * NU], CR_R(1e-13));
    cri_controls_free(&c);
  }
}

static void refused(cr_control_shape shape, int nknot, const char* because) {
  cri_controls c;
  cr_error error = {0};
  assert_int_equal(cri_controls_make(&c, shape, STEPS, nknot, NU, &error), CR_ERR_ARG);
  cri_controls_free(&c);
  assert_non_null(strstr(error.text, because));
}

TEST(mistakes_are_named) {
  refused(CR_CONTROLS_LINEAR, 1, "1 knots of controls 'linear' over 21 steps: 2 to 21");
  refused(CR_CONTROLS_ZERO, 0, "0 knots");
  refused(CR_CONTROLS_CUBIC, STEPS + 1, "22 knots");
  refused((cr_control_shape)7, 3, "no shape 7");
}
