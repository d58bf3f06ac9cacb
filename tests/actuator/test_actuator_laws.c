// SPDX-License-Identifier: Apache-2.0
// Checks every row of the table: slopes are derivatives of the curve, gradients are those of both, and a row's
// description of its law is true. A new row is tested as soon as it is there.
#include "actuator/actuator_laws.h"

#include "base/random.h"
#include "scenes/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_HINGE};

static cr_model m;

static void begin(void) {
  const cr_real prm[] = {CR_R(0.75), CR_R(1.05), -1,        200,      CR_R(0.5),
                         CR_R(1.6),  CR_R(1.5),  CR_R(1.3), CR_R(1.2)};
  assert_int_equal(chain_model(&m, 1, joints, 1, NULL), CR_OK);
  cr_copy(m.actuator_gainprm, prm, 9);
  cr_copy(m.actuator_biasprm, prm, 9);
  m.actuator_lengthrange[0] = CR_R(0.4);
  m.actuator_lengthrange[1] = CR_R(1.3);
  m.actuator_acc0[0] = CR_R(2.5);
  m.muscle_smooth = CR_R(0.1);
}

typedef struct {
  const cri_actuator_law* law;
  cr_real* prm;
  cr_real l, v;
} place;

static cr_real value(const place* x, cri_slope_over over) {
  return x->law->curve(&m, 0, x->prm, over, x->l, x->v, NULL);
}

// by *y, which is part of the place or of the model
static cr_real difference(const place* x, cri_slope_over over, cr_real* y) {
  const cr_real h = CR_R(1e-5), kept = *y;
  *y = kept + h;
  cr_real up = value(x, over);
  *y = kept - h;
  cr_real down = value(x, over);
  *y = kept;
  return (up - down) / (2 * h);
}

static void near(cr_real a, cr_real b) { assert_close(a, b, CR_R(1e-5) * (1 + cr_abs(b))); }

static void check_place(place* x) {
  cr_real bend = 0;
  near(value(x, CR_OVER_LENGTH), difference(x, CR_AS_IT_IS, &x->l));
  near(value(x, CR_OVER_VELOCITY), difference(x, CR_AS_IT_IS, &x->v));
  for (int k = CR_AS_IT_IS; k <= CR_OVER_LENGTH; k++) {
    cri_slope_over over = (cri_slope_over)k;
    cri_curve_gradient g;
    assert_close(x->law->curve(&m, 0, x->prm, over, x->l, x->v, &g), value(x, over), 0);
    near(g.length, difference(x, over, &x->l));
    near(g.velocity, difference(x, over, &x->v));
    bend += over == CR_AS_IT_IS ? 0 : cr_abs(g.length) + cr_abs(g.velocity);
    for (int c = 0; c < 10; c++) {
      near(c < x->law->nprm ? g.prm[c] : 0, difference(x, over, x->prm + c));
    }
    for (int c = 0; c < 2; c++) {
      near(x->law->ranged ? g.range[c] : 0, difference(x, over, m.actuator_lengthrange + c));
    }
    near(x->law->ranged ? g.acc0 : 0, difference(x, over, m.actuator_acc0));
  }
  assert_true(x->law->bends || bend == 0);
}

TEST(rows_are_what_they_say) {
  int curves = 0, drives = 0;
  cr_random r = cr_random_seed(5, 0);
  for (int type = 0; type <= CR_GAIN_PID + 1 + CR_BIAS_SO3; type++) {
    bool gain = type <= CR_GAIN_PID;
    begin();
    m.actuator_gaintype[0] = gain ? type : 0;
    m.actuator_biastype[0] = gain ? 0 : type - CR_GAIN_PID - 1;
    place x = {.law = gain ? cri_gain_law(&m, 0) : cri_bias_law(&m, 0),
               .prm = gain ? m.actuator_gainprm : m.actuator_biasprm};
    drives += x.law->drive != NULL;
    curves += x.law->curve != NULL;
    assert_true(x.law->curve == NULL || x.law->drive == NULL);
    // a gain is one or the other; a piece lies among those that there are
    assert_true(!gain || x.law->curve != NULL || x.law->drive != NULL);
    assert_true((x.law->npiece > 0) == (x.law->piece != NULL));
    for (int k = 0; k < 20 && x.law->curve != NULL; k++) {
      x.l = cr_random_range(&r, CR_R(0.2), CR_R(1.5));
      x.v = cr_random_range(&r, CR_R(-0.8), CR_R(0.8));
      check_place(&x);
      assert_true(x.law->piece == NULL || x.law->piece(&m, 0, x.l, x.v) < x.law->npiece);
    }
    cri_model_free(&m);
  }
  assert_int_equal(curves, 5);
  assert_int_equal(drives, 3);
}
