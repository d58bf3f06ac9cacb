// SPDX-License-Identifier: Apache-2.0
// The robots of the study: what they have, what is hidden, how they are moved.
#include "study/robot_scenes.h"

#include <math.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

TEST(robots_have_their_links_and_laws) {
  static const int nv[] = {7, 18}, nu[] = {7, 12}, n[] = {91, 167};
  for (int kind = 0; kind < CR_N_ROBOT; kind++) {
    char path[CR_MAX_PATH];
    cr_model* m = NULL;
    cr_parameters* parameters = NULL;
    cr_robot_parameters list;
    cr_real start[CR_ROBOT_NUMBERS], x[CR_ROBOT_NUMBERS];
    assert_int_equal(cri_robot_write(scratch_path(""), (cr_robot_kind)kind, path, NULL), CR_OK);
    assert_int_equal(cr_model_open(&m, path, NULL), CR_OK);
    assert_int_equal(cr_model_count(m, "nv"), nv[kind]);
    assert_int_equal(cr_model_count(m, "nu"), nu[kind]);
    assert_int_equal(cri_robot_parameters(&list, m, NULL), CR_OK);
    assert_int_equal(cr_parameters_create(&parameters, m, list.list, list.n, NULL), CR_OK);
    assert_int_equal(cr_parameters_count(parameters), n[kind]);
    assert_int_equal(cr_parameters_get_start(parameters, start, NULL), CR_OK);
    cri_robot_hide(&list, start, x);
    for (int i = 0; i < n[kind]; i++) {
      assert_true(x[i] != start[i]);
      assert_true(cr_abs(x[i] - start[i]) <= CR_R(0.25));
    }
    assert_int_equal(cr_parameters_set(parameters, x, NULL), CR_OK);
    cr_parameters_destroy(parameters);
    cr_model_destroy(m);
  }
}

TEST(targets_differ_by_recording_and_move_smoothly) {
  double a[12], b[12], other[12];
  for (int kind = 0; kind < CR_N_ROBOT; kind++) {
    cri_robot_targets((cr_robot_kind)kind, 3, 0.5, a);
    cri_robot_targets((cr_robot_kind)kind, 3, 0.501, b);
    cri_robot_targets((cr_robot_kind)kind, 4, 0.5, other);
    for (int i = 0; i < (kind == CR_ROBOT_ARM ? 7 : 12); i++) {
      assert_true(fabs(a[i] - b[i]) < 0.02 && a[i] != b[i]);
      assert_true(a[i] != other[i]);
    }
  }
}
