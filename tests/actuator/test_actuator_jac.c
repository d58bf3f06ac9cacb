// SPDX-License-Identifier: Apache-2.0
// The derivatives of one actuator against differences of the whole stage.
#include "actuator/actuator_jac.h"

#include "actuator/actuation.h"
#include "actuator/actuation_parts.h"
#include "engine/forward.h"
#include "scenes/random_model.h"
#include "support/close.h"

static cr_model m;
static cr_data *d, *tan_;

// force and rate of actuator i where a number is moved; the velocity moves along the moment's row
typedef enum { LENGTH, VELOCITY, ACT, CTRL } number;

static void move(int i, number of, cr_real s) {
  int out = m.actuator_outadr[i], first = d->moment_rowadr[out];
  if (of == VELOCITY) {
    cr_real square = 0;
    for (int k = first; k < first + d->moment_rownnz[out]; k++) {
      square += d->actuator_moment[k] * d->actuator_moment[k];
    }
    cri_moment_add(d, d->actuator_moment, out, s / square, d->qvel);
    return;
  }
  cr_real* x[] = {[LENGTH] = d->actuator_length + out,
                  [ACT] = d->act + m.actuator_actadr[i],
                  [CTRL] = d->ctrl + m.actuator_ctrladr[i]};
  *x[of] += s;
}

static void evaluate(int i, number of, cr_real s, cr_real y[2]) {
  move(i, of, s);
  assert_int_equal(cr_actuation(&m, d), CR_OK);
  y[0] = d->actuator_force[m.actuator_outadr[i]];
  y[1] = m.actuator_actnum[i] > 0 ? d->act_dot[m.actuator_actadr[i]] : 0;
  move(i, of, -s);
}

// false beside a kink
static bool measure(int i, number of, cr_real slope[2]) {
  cr_real plus[2], minus[2], far[2], h = CR_R(1e-4);
  evaluate(i, of, h, plus);
  evaluate(i, of, -h, minus);
  for (int k = 0; k < 2; k++) {
    slope[k] = (plus[k] - minus[k]) / (2 * h);
  }
  evaluate(i, of, 2 * h, plus);
  evaluate(i, of, -2 * h, minus);
  bool smooth = true;
  for (int k = 0; k < 2; k++) {
    far[k] = (plus[k] - minus[k]) / (4 * h);
    smooth = smooth && cr_abs(far[k] - slope[k]) < CR_R(1e-5) * (1 + cr_abs(slope[k]));
  }
  assert_int_equal(cr_actuation(&m, d), CR_OK);
  return smooth;
}

// an output whose row of the moment is not zero
static bool pulls(int out) {
  int first = d->moment_rowadr[out];
  return !cr_is_zero(d->actuator_moment + first, d->moment_rownnz[out]);
}

TEST(slopes_are_those_of_the_stage) {
  int compared[4] = {0}, held = 0, shared = 0;
  for (uint64_t seed = 0; seed < 60; seed++) {
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    d = test_data(&m);
    tan_ = test_twin(&m, d, CR_DATA_TANGENT);
    random_state(&m, d, seed, STATE_FLIGHT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    for (int i = 0; i < m.nactuator; i++) {
      int out = m.actuator_outadr[i];
      shared += !cri_actuator_alone(&m, i);
      if (!cri_actuator_alone(&m, i) || !pulls(out)) {
        continue;
      }
      cri_actuator_jac s = cri_actuator_jac_of(&m, d, tan_, i);
      assert_close(s.force, d->actuator_force[out], 0);
      const cr_real by[4] = {s.by_length, s.by_velocity, s.by_act, s.by_ctrl};
      const cr_real rate_by[4] = {0, 0, s.rate_by_act, s.rate_by_ctrl};
      held += by[LENGTH] == 0 && by[VELOCITY] == 0 && by[ACT] == 0 && by[CTRL] == 0;
      for (int of = LENGTH; of <= CTRL; of++) {
        cr_real slope[2];
        if ((of == ACT && m.actuator_actnum[i] == 0) || !measure(i, (number)of, slope)) {
          continue;
        }
        assert_close(by[of], slope[0], CR_R(1e-4) * (1 + cr_abs(slope[0])));
        assert_close(rate_by[of], slope[1], CR_R(1e-4) * (1 + cr_abs(slope[1])));
        compared[of]++;
      }
      assert_true(cr_is_zero(tan_->ctrl, m.nu) && cr_is_zero(tan_->act, m.na));
    }
    cri_model_free(&m);
  }
  assert_true(compared[LENGTH] > 50 && compared[VELOCITY] > 50 && compared[ACT] > 20);
  assert_true(compared[CTRL] > 50 && held > 0 && shared > 5);
}
