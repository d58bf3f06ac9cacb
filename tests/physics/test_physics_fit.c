// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The numbers of a box from tosses that are seen.
#include "physics/physics_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "physics/physics_box.h"
#include "physics/physics_joint.h"
#include "physics/physics_score.h"
#include "support/close.h"
#include "support/scratch.h"

typedef struct {
  cr_model* truth;
  cri_unknown* box;
  cr_data* d;
  cri_sighted tosses;
} scene;

static void open_scene(scene* s, int floor, int from, int n) {
  cr_notebook book = {.nclaim = 0};
  char name[64];
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  (void)snprintf(name, sizeof name, "cube_%s.xml", cri_floors[floor].name);
  assert_int_equal(cri_tossed_open(&book, floor, &s->truth, NULL), CR_OK);
  assert_int_equal(cri_box_open(&book, CRI_LAW_TRUE, &s->box, NULL), CR_OK);
  assert_int_equal(unlink(scratch_path(name)), 0);
  assert_int_equal(unlink(scratch_path("box.xml")), 0);
  assert_int_equal(cr_data_create(&s->d, s->truth, NULL), CR_OK);
  assert_int_equal(cri_sighted_make(&s->tosses, s->truth, s->d, floor, from, n, NULL), CR_OK);
}

static void close_scene(scene* s) {
  cri_sighted_free(&s->tosses);
  cr_data_destroy(s->d);
  cr_model_destroy(s->truth);
  cri_unknown_destroy(s->box);
}

TEST(the_box_with_the_true_numbers_is_the_cube_that_was_tossed) {
  for (int floor = 0; floor < CRI_N_FLOOR; floor++) {
    scene s;
    cr_model* m = NULL;
    cr_real p[CRI_BOX_N];
    cri_score is, expected;
    open_scene(&s, floor, 7, 3);
    cri_box_truth(floor, p);
    assert_int_equal(cri_unknown_model(s.box, p, &m, NULL), CR_OK);
    assert_int_equal(cri_score_of(m, NULL, &s.tosses, &is, NULL), CR_OK);
    assert_int_equal(cri_score_of(s.truth, NULL, &s.tosses, &expected, NULL), CR_OK);
    assert_true(fabs(is.loss.mean / expected.loss.mean - 1) < 1e-6);
    assert_true(fabs(is.position.mean / expected.position.mean - 1) < 1e-6);
    assert_true(fabs(is.rotation.mean / expected.rotation.mean - 1) < 1e-6);
    cr_model_destroy(m);
    close_scene(&s);
  }
}

TEST(starts_are_far_from_each_other_and_within_the_bounds) {
  static const char* const files[CRI_N_LAW] = {"box.xml", "box_ice.xml", "box_elastic.xml"};
  cr_notebook book = {.nclaim = 0};
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  for (int law = 0; law < CRI_N_LAW; law++) {
    cri_unknown* u;
    double least[CRI_BOX_N], most[CRI_BOX_N];
    assert_int_equal(cri_box_open(&book, (cri_law)law, &u, NULL), CR_OK);
    assert_int_equal(unlink(scratch_path(files[law])), 0);
    assert_int_equal(u->n, CRI_BOX_N);
    for (int start = 0; start < 200; start++) {
      cr_real p[CRI_BOX_N];
      u->start(start, p);
      for (int k = 0; k < CRI_BOX_N; k++) {
        assert_true(p[k] > u->item[k].lower && p[k] < u->item[k].upper);
        least[k] = start == 0 ? (double)p[k] : fmin(least[k], (double)p[k]);
        most[k] = start == 0 ? (double)p[k] : fmax(most[k], (double)p[k]);
      }
    }
    assert_true(2 * least[CRI_BOX_HALF] < 0.053 && 2 * most[CRI_BOX_HALF] > 0.19);
    assert_true(most[CRI_BOX_STIFFNESS] > 200 * least[CRI_BOX_STIFFNESS]);
    assert_true(most[CRI_BOX_FRICTION] > 10 * least[CRI_BOX_FRICTION]);
    cri_unknown_destroy(u);
  }
}

// where the pose is seen, less where it is: height, and the turn in the frame of the body
static void sight_of(const scene* s, int floor, int toss, double* height, double turn[3]) {
  static cr_real state[600 * CRI_STATE];
  int rows, seen_rows;
  cr_real twist[CRI_TWIST];
  const cr_real* seen = cri_sighted_toss(&s->tosses, 0, &seen_rows);
  assert_int_equal(cri_tossed_run(s->truth, s->d, floor, toss, state, &rows, NULL), CR_OK);
  assert_int_equal(rows - 1, seen_rows);
  assert_int_equal(cr_differentiate_pos(s->truth, twist, 1, state + CRI_STATE, seen, NULL), CR_OK);
  *height = (double)twist[2];
  for (int k = 0; k < 3; k++) {
    turn[k] = (double)twist[3 + k];
  }
}

TEST(the_constant_error_of_sight_of_a_toss_is_found) {
  const cri_joint_stage stage = {10, 5, 80, 0.05, 0.001, 0};
  scene s;
  cr_real p[CRI_BOX_N], level = 0, turn[4] = {1}, before, after;
  double height, angle[3];
  open_scene(&s, CRI_MEDIUM, 11, 1);
  sight_of(&s, CRI_MEDIUM, 11, &height, angle);
  assert_true(fabs(height) > 3e-4);
  cri_box_truth(CRI_MEDIUM, p);
  const cri_joint_stage none = {10, 5, 1, 1e-9, 1e-9, 0};
  assert_int_equal(
      cri_joint_run(&none, s.box, &s.tosses, NULL, NULL, p, &level, turn, &before, NULL), CR_OK);
  assert_int_equal(
      cri_joint_run(&stage, s.box, &s.tosses, NULL, NULL, p, &level, turn, &after, NULL), CR_OK);
  assert_true(after < before / 2);
  // one toss tells the sum best: where the cube lies
  assert_true(fabs((double)(level + p[CRI_BOX_HALF]) - (height + cri_tossed_side / 2)) < 2e-4);
  assert_true(fabs((double)level - height) < 5e-4);
  for (int k = 0; k < 3; k++) {  // the box is turned back in the body
    assert_true(fabs(2 * (double)turn[1 + k] + angle[k]) < 5e-3);
  }
  close_scene(&s);
}

TEST(one_toss_gives_the_numbers_of_a_box_from_afar) {
  scene s;
  cri_found found;
  cr_real truth[CRI_BOX_N];
  const cri_starts starts = {.first = 0, .least = 2, .most = 4};
  open_scene(&s, CRI_MEDIUM, 0, 1);
  cri_box_truth(CRI_MEDIUM, truth);
  assert_int_equal(cri_identify(&starts, s.box, &s.tosses, &found, NULL), CR_OK);
  assert_true(fabs(log((double)(found.from[CRI_BOX_STIFFNESS] / truth[CRI_BOX_STIFFNESS]))) > 1);
  for (int k = 0; k < CRI_BOX_N; k++) {
    assert_true(fabs(log((double)(found.p[k] / truth[k]))) < (k == CRI_BOX_HALF ? 0.01 : 0.1));
  }
  assert_true(found.agree >= 1 && found.agree <= 4);
  close_scene(&s);
}

TEST(the_best_start_goes_on_with_all_tosses) {
  scene s, few;
  cri_found found, of_few;
  cr_real truth[CRI_BOX_N];
  const cri_starts starts = {.first = 1, .least = 1};
  open_scene(&s, CRI_SOFT, 20, 6);  // the starts see five
  open_scene(&few, CRI_SOFT, 20, 5);
  cri_box_truth(CRI_SOFT, truth);
  assert_int_equal(cri_identify(&starts, s.box, &s.tosses, &found, NULL), CR_OK);
  assert_int_equal(cri_identify(&starts, few.box, &few.tosses, &of_few, NULL), CR_OK);
  bool same = true;
  for (int k = 0; k < CRI_BOX_N; k++) {
    assert_true(fabs(log((double)(found.p[k] / truth[k]))) < (k == CRI_BOX_HALF ? 0.02 : 0.1));
    same = same && found.p[k] == of_few.p[k];
    assert_true(found.from[k] == of_few.from[k]);
  }
  assert_false(same);
  close_scene(&s);
  close_scene(&few);
}

static bool at_once(void* context) {
  (void)context;
  return true;
}

TEST(a_fit_ends_when_it_is_asked_to) {
  scene s;
  cri_found found;
  const cri_starts starts = {.first = 0, .least = 1, .stop = at_once};
  open_scene(&s, CRI_SOFT, 0, 1);
  assert_int_equal(cri_identify(&starts, s.box, &s.tosses, &found, NULL), CR_ERR_INTERRUPTED);
  close_scene(&s);
}
