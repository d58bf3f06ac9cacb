// SPDX-License-Identifier: Apache-2.0
// The cube near contact: far away nothing pushes in a hard step, deep inside all linear models agree, and at the edge the mean is between.
#include "estimates/smoothed_cube.h"

#include <math.h>
#include <stdio.h>

#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

static void open(cr_smoothed_cube* c, cr_cube_scene scene) {
  cr_notebook book = {.nclaim = 0};
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  must(cri_smoothed_cube_open(c, &book, scene, 4096, &error));
}

// deep inside the push nothing begins or ends: Jacobian, means and a narrow barrier are one
TEST(a_push_without_an_edge_has_one_linear_model) {
  cr_smoothed_cube c;
  open(&c, CR_CUBE_PUSHED);
  for (int pose = 0; pose < 4; pose++) {
    cr_cube_errors e;
    must(cri_smoothed_cube_errors(&c, pose, -8, &e, &error));
    assert_true(e.size > 0.05);
    assert_close(e.plain, 0, CR_R(0.2));
    assert_close(e.first, 0, CR_R(0.2));
    assert_close(e.barrier[0], 0, CR_R(0.2));
  }
  cri_smoothed_cube_close(&c);
}

// before contact the exact step has no derivative at all, and the barrier one of the right size
TEST(a_barrier_sees_the_square_before_it_is_touched) {
  cr_smoothed_cube c;
  open(&c, CR_CUBE_PUSHED);
  for (int pose = 0; pose < 4; pose++) {
    cr_cube_errors e;
    must(cri_smoothed_cube_errors(&c, pose, 0.5, &e, &error));
    assert_close(e.plain, 1, CR_R(1e-6));
    assert_true(e.first < 0.25);
    assert_true(e.barrier[2] < 0.6);
  }
  cri_smoothed_cube_close(&c);
}

TEST(a_falling_cube_has_a_derivative_before_contact_only_with_noise_or_distance) {
  cr_smoothed_cube c;
  open(&c, CR_CUBE_FALLS);
  for (int pose = 0; pose < 3; pose++) {
    cr_cube_errors e;
    must(cri_smoothed_cube_errors(&c, pose, 0.5, &e, &error));
    assert_true(e.size > 10 && e.error < 0.3);
    assert_close(e.plain, 1, CR_R(1e-3));
    assert_true(e.barrier[2] < 1.5 && e.centred[2] < 0.8);
  }
  cri_smoothed_cube_close(&c);
}

TEST(widths_double) {
  assert_close(cri_cube_width(0), 0.25, 0);
  assert_close(cri_cube_width(CR_CUBE_WIDTHS - 1), 4, 0);
}
