// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Tosses against MuJoCo, and what is seen of them.
#include "support/close.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stiff/stiff_oracle.h"
#include "support/scratch.h"

enum { MOST = 500 };

static void open_floor(int floor, cr_model** m, mjModel** mj) {
  cr_notebook book = {.nclaim = 0};
  char name[64], text[256] = "";
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  (void)snprintf(name, sizeof name, "cube_%s.xml", cri_floors[floor].name);
  assert_int_equal(cri_tossed_open(&book, floor, m, NULL), CR_OK);
  if (mj != NULL) {
    *mj = mj_loadXML(scratch_path(name), NULL, text, sizeof text);
    assert_non_null(*mj);
  }
  assert_int_equal(unlink(scratch_path(name)), 0);
}

// the largest difference of a state that MuJoCo computes from the row before
static double off_by_a_step(const mjModel* mj, mjData* d, const double* state, int rows) {
  double off = 0;
  for (int i = 0; i + 1 < rows; i++) {
    const double *from = state + (ptrdiff_t)CRI_STATE * i, *to = from + CRI_STATE;
    mj_resetData(mj, d);
    memcpy(d->qpos, from, CRI_POSE * sizeof *from);
    memcpy(d->qvel, from + CRI_POSE, CRI_TWIST * sizeof *from);
    mj_step(mj, d);
    for (int k = 0; k < CRI_STATE; k++) {
      const double is = k < CRI_POSE ? d->qpos[k] : d->qvel[k - CRI_POSE];
      off = fmax(off, fabs(is - to[k]));
    }
  }
  return off;
}

TEST(every_state_is_the_one_that_mujoco_computes_from_the_state_before) {
  static double toss_rows[MOST * CRI_STATE];
  for (int floor = 0; floor < CRI_N_FLOOR; floor++) {
    cr_model* m = NULL;
    cr_data* d = NULL;
    mjModel* mj = NULL;
    open_floor(floor, &m, &mj);
    mjData* mjd = mj_makeData(mj);
    // both solve to the end
    mj->opt.tolerance = 1e-15;
    assert_int_equal(cr_model_set_option(m, "tolerance", 1e-15, NULL), CR_OK);
    assert_int_equal(cr_data_create(&d, m, NULL), CR_OK);
    double depth = 0;
    for (int toss = 0; toss < 20; toss++) {
      int rows = 0;
      assert_int_equal(cri_tossed_run(m, d, floor, toss, toss_rows, &rows, NULL), CR_OK);
      assert_true(rows > 40 && rows <= cri_floors[floor].most);
      for (int i = 0; i < rows; i++) {
        depth = fmax(depth, cri_tossed_depth(toss_rows + (ptrdiff_t)CRI_STATE * i));
      }
      const double off = off_by_a_step(mj, mjd, toss_rows, rows);
      if (!(off < 1e-9)) {
        fail_msg("%s, toss %d: off by %g", cri_floors[floor].name, toss, off);
      }
    }
    assert_true(depth > 0.005);
    mj_deleteData(mjd);
    mj_deleteModel(mj);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
}

TEST(a_toss_on_a_hard_floor_ends_at_rest) {
  static double toss_rows[MOST * CRI_STATE];
  cr_model* m = NULL;
  cr_data* d = NULL;
  int rows = 0;
  open_floor(CRI_HARD, &m, NULL);
  assert_int_equal(cr_data_create(&d, m, NULL), CR_OK);
  assert_int_equal(cri_tossed_run(m, d, CRI_HARD, 3, toss_rows, &rows, NULL), CR_OK);
  assert_true(rows < MOST);
  const double* last = toss_rows + (ptrdiff_t)CRI_STATE * (rows - 1);
  for (int k = CRI_POSE; k < CRI_STATE; k++) {
    assert_true(fabs(last[k]) < 2e-3);
  }
  cr_data_destroy(d);
  cr_model_destroy(m);
}

TEST(without_noise_differences_of_poses_are_the_velocities_and_the_oracle_is_right) {
  static double toss_rows[MOST * CRI_STATE], seen[MOST * CRI_STATE];
  const cri_sight exact = {.interval = cri_tossed_timestep};
  cr_model* m = NULL;
  cr_data* d = NULL;
  int rows = 0;
  cri_oracle oracle;
  open_floor(CRI_SOFT, &m, NULL);
  assert_int_equal(cr_data_create(&d, m, NULL), CR_OK);
  assert_int_equal(cri_tossed_run(m, d, CRI_SOFT, 1, toss_rows, &rows, NULL), CR_OK);
  assert_int_equal(cri_tossed_see(m, &exact, 1, toss_rows, rows, seen, NULL), CR_OK);
  for (int i = 0; i < CRI_STATE * (rows - 1); i++) {
    assert_true(fabs(seen[i] - toss_rows[CRI_STATE + i]) < 1e-10);
  }
  assert_int_equal(cri_oracle_of(m, d, NULL, seen, rows - 1, &oracle, NULL), CR_OK);
  assert_int_equal((int)oracle.loss.n, rows - 1 - CRI_HISTORY);
  assert_int_equal((int)oracle.position.n, CRI_ROLLOUT);
  assert_true(oracle.loss.sum / oracle.loss.n < 1e-10);
  assert_true(oracle.position.sum / oracle.position.n < 1e-6);
  assert_true(oracle.rotation.sum / oracle.rotation.n < 1e-5);
  cr_data_destroy(d);
  cr_model_destroy(m);
}

TEST(noise_is_as_large_as_it_is_said) {
  static double toss_rows[MOST * CRI_STATE], seen[MOST * CRI_STATE];
  const cri_sight offset = {.offset = 0.002, .interval = cri_tossed_timestep};
  const cri_sight turn = {.turn = 0.03, .interval = cri_tossed_timestep};
  cr_model* m = NULL;
  cr_data* d = NULL;
  double distance, angle, farthest = 0, widest = 0;
  open_floor(CRI_SOFT, &m, NULL);
  assert_int_equal(cr_data_create(&d, m, NULL), CR_OK);
  for (int toss = 0; toss < 40; toss++) {
    int rows = 0;
    assert_int_equal(cri_tossed_run(m, d, CRI_SOFT, toss, toss_rows, &rows, NULL), CR_OK);
    const double* last = toss_rows + (ptrdiff_t)CRI_STATE * (rows - 1);
    const double* is = seen + (ptrdiff_t)CRI_STATE * (rows - 2);
    assert_int_equal(cri_tossed_see(m, &offset, toss, toss_rows, rows, seen, NULL), CR_OK);
    assert_int_equal(cri_tossed_distance(m, is, last, &distance, &angle, NULL), CR_OK);
    assert_true(angle < 1e-7);
    farthest = fmax(farthest, distance);
    assert_int_equal(cri_tossed_see(m, &turn, toss, toss_rows, rows, seen, NULL), CR_OK);
    assert_int_equal(cri_tossed_distance(m, is, last, &distance, &angle, NULL), CR_OK);
    assert_true(distance < 1e-12);
    widest = fmax(widest, angle);
  }
  assert_true(farthest > 0.002 && farthest < 0.002 * sqrt(3));
  assert_true(widest > 0.02 && widest < 0.03 + 1e-9);
  cr_data_destroy(d);
  cr_model_destroy(m);
}

TEST(depth_is_that_of_the_deepest_corner) {
  const double half = cri_tossed_side / 2, c = sqrt(0.5);
  const double flat[CRI_STATE] = {3, 4, half - 0.01, 1}, above[CRI_STATE] = {0, 0, 0.1, 1};
  const double edge[CRI_STATE] = {0, 0, half, cos((double)CR_PI / 8), sin((double)CR_PI / 8)};
  assert_true(fabs(cri_tossed_depth(flat) - 0.01) < 1e-15);
  assert_true(cri_tossed_depth(above) == 0);
  assert_true(fabs(cri_tossed_depth(edge) - (2 * c * half - half)) < 1e-15);
}
