// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Errors of predicted tosses in closed form; friction that falls with speed; a network that learns it.
#include "recorded/cube_slip.h"

#include <math.h>
#include <string.h>

#include "study/cube.h"
#include "support/close.h"
#include "support/scratch.h"

enum { ROW = 13 };

TEST(errors_are_distances_and_angles) {
  const cr_real seen[3 * ROW] = {[3] = 1, [ROW + 3] = 1, [2 * ROW + 3] = 1};
  const double half = 0.15;  // rad
  cr_real rows[3 * ROW] = {[3] = 1, [ROW + 3] = 1, [2 * ROW + 3] = 1};
  const cr_recording_info toss = {.size = sizeof toss, .rows = 3, .values = seen};
  rows[ROW] = CR_R(0.3);
  rows[ROW + 1] = CR_R(0.4);
  rows[2 * ROW + 2] = CR_R(0.1);
  rows[2 * ROW + 3] = (cr_real)-cos(half);  // the other sign is the same orientation
  rows[2 * ROW + 5] = (cr_real)-sin(half);
  cr_cube_errors e = cri_cube_compare(&toss, rows);
  assert_close((cr_real)e.position, CR_R(0.3), CR_R(1e-12));
  assert_close((cr_real)e.last_position, CR_R(0.1), CR_R(1e-12));
  assert_close((cr_real)e.last_rotation, CR_R(0.3), CR_R(1e-7));
  assert_close((cr_real)e.rotation, CR_R(0.15), CR_R(1e-7));
}

// mean error of the position over the first tosses, m
static bool off_by(const cr_cube* cube, const cr_model* m, cr_real* rows, cr_recording_info* toss,
                   double* off) {
  enum { TOSSES = 8 };
  for (int i = 0; i < TOSSES; i++) {
    if (cr_recordings_get(cube->tosses, i, toss, NULL) != CR_OK ||
        cri_cube_predict(m, toss, rows, NULL) != CR_OK) {
      return false;
    }
    *off += cri_cube_compare(toss, rows).position / TOSSES;
  }
  return true;
}

TEST(a_network_learns_friction_that_falls_with_speed) {
  cr_notebook book = {.request = {.brief = true}};
  cr_cube cube;
  cr_model *truth = NULL, *m = NULL;
  cr_real loss[2];
  (void)strcpy(book.folder, scratch_path(""));
  assert_int_equal(cri_cube_open(&cube, &book, cri_cube_slippery, NULL), CR_OK);
  assert_int_equal(cri_cube_model(&cube, cri_cube_truth, &m, NULL), CR_OK);
  assert_int_equal(cri_cube_model(&cube, cri_cube_truth, &truth, NULL), CR_OK);
  assert_int_equal(cri_cube_slippery(truth, NULL), CR_OK);

  // Tosses are chaotic, and starts have noise: also the reference is off. Training comes as close
  cr_recording_info toss = {.size = sizeof toss};
  static cr_real rows[200 * ROW];
  double off[3] = {0};
  assert_true(off_by(&cube, m, rows, &toss, &off[0]) && off_by(&cube, truth, rows, &toss, &off[1]));
  assert_int_equal(cri_cube_correct(m, cube.tosses, 10, 1, NULL, NULL, loss, NULL), CR_OK);
  assert_true(off_by(&cube, m, rows, &toss, &off[2]));
  assert_true(loss[1] < CR_R(0.95) * loss[0]);
  assert_true(off[1] < CR_R(0.8) * off[0] && off[2] < off[0]);
  cr_model_destroy(truth);
  cr_model_destroy(m);
  cri_cube_free(&cube);
}
