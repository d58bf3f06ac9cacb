// SPDX-License-Identifier: Apache-2.0
// The trot: which feet stand when.
#include "walk/gait.h"

#include "support/close.h"
#include "support/test.h"

TEST(a_foot_stands_for_its_part_of_the_cycle) {
  enum { N = 5000 };
  assert_close(cri_gait_cycle(&cri_trot), 0.5, 1e-12);
  assert_close(cri_gait_swing(&cri_trot), 0.2, 1e-12);
  for (int leg = 0; leg < CR_LEGS; leg++) {
    int stands = 0;
    for (int i = 0; i < N; i++) {
      double phase, later, time = (i + 0.5) / N * 0.5;
      bool now = cri_gait_stands(&cri_trot, leg, time, &phase);
      stands += now;
      assert_true(phase >= 0 && phase < 1);
      assert_int_equal(now, cri_gait_stands(&cri_trot, leg, time + 3 * 0.5, &later));
      assert_close(later, phase, 1e-9);
    }
    assert_close((double)stands / N, 0.6, 1e-3);
  }
}

TEST(diagonal_feet_go_together_and_others_take_turns) {
  int flying[CR_LEGS + 1] = {0};
  for (int i = 0; i < 1000; i++) {
    double phase[CR_LEGS], time = i * 0.0005 + 1e-6;
    bool stands[CR_LEGS];
    int n = 0;
    for (int leg = 0; leg < CR_LEGS; leg++) {
      stands[leg] = cri_gait_stands(&cri_trot, leg, time, &phase[leg]);
      n += !stands[leg];
    }
    assert_int_equal(stands[0], stands[3]);
    assert_int_equal(stands[1], stands[2]);
    assert_close(phase[0], phase[3], 1e-12);
    assert_true(stands[0] || stands[1]);
    flying[n]++;
  }
  // two feet swing for 0.4 s of 0.5 s, none in between
  assert_int_equal(flying[2], 800);
  assert_int_equal(flying[0], 200);
}

TEST(the_first_feet_lift_after_a_twentieth_of_a_second) {
  double phase;
  assert_true(cri_gait_stands(&cri_trot, 0, 0.049, &phase));
  assert_close(phase, 0.99666666667, 1e-9);
  assert_false(cri_gait_stands(&cri_trot, 0, 0.051, &phase));
  assert_close(phase, 0.005, 1e-9);
  assert_true(cri_gait_stands(&cri_trot, 1, 0, &phase));
  assert_close(phase, 0, 1e-12);
  assert_false(cri_gait_stands(&cri_trot, 1, 0.301, &phase));
}
