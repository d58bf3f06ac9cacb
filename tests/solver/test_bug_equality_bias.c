// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A bug seen elsewhere: the reverse pass of connect and weld rows left out the part of aref that is
// the change of J itself, - (dJ/dt) v. It is quadratic in v, so where J changes its derivative along v
// is twice itself.
#include <stdlib.h>

#include "base/random.h"
#include "carom/step.h"
#include "checks/io_bug.h"
#include "kinematics/configuration.h"
#include "support/close.h"

#define ARMS(equality)                                                                             \
  "<mujoco><default><geom size='.04' contype='0' conaffinity='0'/></default><worldbody>"           \
  "<body name='trunk'><freejoint/><geom size='.2'/>"                                               \
  "<body pos='.3 0 0'><joint type='ball'/><geom type='capsule' fromto='0 0 0 .4 0 .1'/>"           \
  "<body name='a' pos='.4 0 .1'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 .3 0'/>" \
  "</body></body><body pos='0 .3 0'><joint axis='1 0 0'/><geom type='capsule' "                    \
  "fromto='0 0 0 .1 .4 0'/><body name='b' pos='.1 .4 0'><joint axis='0 0 1'/>"                     \
  "<geom type='capsule' fromto='0 0 0 .3 0 "                                                       \
  ".1'/></body></body></body></worldbody><equality>" equality "</equality></mujoco>"

static const char* const scenes[] = {ARMS("<connect body1='a' body2='b' anchor='.1 .2 .1'/>"),
                                     ARMS("<weld body1='a' body2='b' anchor='.1 0 .1'/>"),
                                     ARMS("<connect body1='a' anchor='0 .3 .1'/>"),
                                     ARMS("<weld body1='b'/>")};
enum { N_SCENES = (int)(sizeof scenes / sizeof scenes[0]), MOST_ROWS = 6 };

// J v at qpos moved by h along v
static void speed_at(const bug_scene* s, cr_data* moved, cr_real h, cr_real speed[MOST_ROWS]) {
  cri_configuration_move(&s->m, s->d->qpos, s->d->qvel, h, moved->qpos);
  cr_copy(moved->qvel, s->d->qvel, s->m.nv);
  assert_int_equal(cr_forward(&s->m, moved), CR_OK);
  cr_copy(speed, moved->efc_vel, moved->nefc);
}

static void change_of_speed(const bug_scene* s, cr_real bias[MOST_ROWS]) {
  static const cr_real weight[] = {8, -1}, steps[] = {1, 2};
  cr_real h = CR_R(1e-3), plus[MOST_ROWS], minus[MOST_ROWS];
  cr_data* moved = test_data(&s->m);
  cr_zero(bias, MOST_ROWS);
  for (int k = 0; k < 2; k++) {
    speed_at(s, moved, steps[k] * h, plus);
    speed_at(s, moved, -steps[k] * h, minus);
    for (int i = 0; i < s->d->nefc; i++) {
      bias[i] += weight[k] * (plus[i] - minus[i]) / (12 * h);
    }
  }
}

static cr_real largest(const cr_real* x, int n) {
  cr_real most = 0;
  for (int i = 0; i < n; i++) {
    most = cr_max(most, cr_abs(x[i]));
  }
  return most;
}

// aref = -B J v - K I pos - (dJ/dt) v
TEST(bug_equality_bias_is_in_aref) {
  for (int k = 0; k < N_SCENES; k++) {
    bug_scene s;
    cr_real bias[MOST_ROWS], rest[MOST_ROWS];
    bug_open(&s, scenes[k], CR_R(0.5));
    bug_forward(&s);
    change_of_speed(&s, bias);
    for (int i = 0; i < s.d->nefc; i++) {
      const cr_real* K = s.d->efc_KBIP + 4 * i;
      rest[i] = -s.d->efc_aref[i] - K[1] * s.d->efc_vel[i] - K[0] * K[2] * s.d->efc_pos[i];
    }
    assert_true(largest(bias, s.d->nefc) > CR_R(0.1));
    for (int i = 0; i < s.d->nefc; i++) {
      assert_close(rest[i], bias[i], CR_R(1e-6) * (1 + cr_abs(s.d->efc_aref[i])));
    }
    bug_close(&s);
  }
}

// Along v the derivative of aref is -B J v - 2 (dJ/dt) v, forward and in reverse
TEST(bug_equality_bias_is_in_both_derivatives) {
  for (int k = 0; k < N_SCENES; k++) {
    bug_scene s;
    cr_real bias[MOST_ROWS], expected = 0, found = 0, dropped = 0;
    cr_random r = cr_random_seed(4, 0);
    bug_open(&s, scenes[k], CR_R(0.5));
    bug_forward(&s);
    change_of_speed(&s, bias);
    cr_copy(s.tan->qvel, s.d->qvel, s.m.nv);
    bug_forward_jvp(&s);
    for (int i = 0; i < s.d->nefc; i++) {
      cr_real damped = -s.d->efc_KBIP[4 * i + 1] * s.d->efc_vel[i];
      cr_real slope = damped - 2 * bias[i], seed = cr_random_normal(&r);
      assert_close(s.tan->efc_aref[i], slope, CR_R(1e-6) * (1 + cr_abs(slope)));
      s.bar->efc_aref[i] = seed;
      expected += seed * slope;
      dropped += seed * damped;
    }
    assert_int_equal(cr_forward_vjp(&s.m, s.d, s.bar), CR_OK);
    for (int i = 0; i < s.m.nv; i++) {
      found += s.bar->qvel[i] * s.d->qvel[i];
    }
    assert_close(found, expected, CR_R(1e-6) * (1 + cr_abs(expected)));
    assert_true(cr_abs(found - dropped) > CR_R(0.05));
    bug_check_step(&s);
    bug_close(&s);
  }
}
