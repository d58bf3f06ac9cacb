// SPDX-License-Identifier: Apache-2.0
// The tossed cube with ten unknowns: its starts, and that its score tells the truth from the rest.
#include "support/close.h"

#include "study/cube.h"
#include "support/scratch.h"

TEST(starts_are_where_they_may_be) {
  cr_real p[CR_CUBE_N], again[CR_CUBE_N], other[CR_CUBE_N];
  cri_cube_start(0, p);
  for (int i = 0; i < CR_CUBE_N; i++) {
    assert_close(p[i], (cr_real)cri_cube_unknowns[i].tuned, 0);
  }
  for (int start = 1; start < 200; start++) {
    cri_cube_start(start, p);
    cri_cube_start(start, again);
    cri_cube_start(start + 1, other);
    assert_memory_equal(p, again, sizeof p);
    for (int i = 0; i < CR_CUBE_N; i++) {
      const cr_cube_unknown* u = &cri_cube_unknowns[i];
      assert_true((double)p[i] >= u->low && (double)p[i] <= u->high);
      assert_true(u->low >= u->least && u->high <= u->most);
      assert_true(p[i] != other[i]);
    }
  }
  cri_cube_start(1, p);
  cri_cube_start(2, other);
  assert_close(p[CR_CUBE_SIDE], CR_R(0.06), 0);
  assert_close(other[CR_CUBE_SIDE], CR_R(0.14), 0);
}

// made tosses have noise of half a millimetre and 2 mrad, and velocities as differences of that; the
// truth predicts them better than any start, and they can be read back as recorded ones
TEST(truth_scores_best) {
  cr_notebook book = {.request = {.brief = true}};
  cr_cube cube, recorded;
  cr_real truth, score, p[CR_CUBE_N];
  (void)strcpy(book.folder, scratch_path(""));
  assert_int_equal(cri_cube_open(&cube, &book, NULL, NULL), CR_OK);
  assert_true(cube.made && cube.ntrain == 12 && cube.nother == 12);
  assert_int_equal(cri_cube_score_quaternions(&cube, cri_cube_truth, &truth, NULL), CR_OK);
  for (int start = 0; start < 4; start++) {
    cri_cube_start(start, p);
    assert_int_equal(cri_cube_score_quaternions(&cube, p, &score, NULL), CR_OK);
    assert_true(score > (start == 0 ? truth : CR_R(1.5) * truth));
  }

  book.request.data = "tosses.h5";  // in the folder, where the test is
  assert_int_equal(cri_cube_open(&recorded, &book, NULL, NULL), CR_OK);
  assert_false(recorded.made);
  assert_int_equal(cr_recordings_count(recorded.tosses), cr_recordings_count(cube.tosses));
  assert_int_equal(cri_cube_score_quaternions(&recorded, cri_cube_truth, &score, NULL), CR_OK);
  assert_true(score == truth);
  cri_cube_free(&recorded);
  cri_cube_free(&cube);
}
