// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A body with free corners: with true ones it is the cube; corners are found from tosses.
#include "physics/free_hull.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "physics/corrected.h"
#include "physics/physics_fit.h"
#include "physics/physics_score.h"
#include "support/close.h"
#include "support/scratch.h"

typedef struct {
  cr_model* truth;
  cri_unknown* hull;
  cri_sighted learned, aside;
} scene;

static void open_scene(scene* s, int floor, int n) {
  cr_notebook book = {.nclaim = 0};
  cr_data* d;
  char name[64];
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  (void)snprintf(name, sizeof name, "cube_%s.xml", cri_floors[floor].name);
  assert_int_equal(cri_tossed_open(&book, floor, &s->truth, NULL), CR_OK);
  assert_int_equal(cri_hull_open(&book, &s->hull, NULL), CR_OK);
  assert_int_equal(unlink(scratch_path(name)), 0);
  assert_int_equal(unlink(scratch_path("hull.xml")), 0);
  assert_int_equal(cr_data_create(&d, s->truth, NULL), CR_OK);
  assert_int_equal(cri_sighted_make(&s->learned, s->truth, d, floor, 0, n, NULL), CR_OK);
  assert_int_equal(cri_sighted_make(&s->aside, s->truth, d, floor, 100, 20, NULL), CR_OK);
  cr_data_destroy(d);
}

static void close_scene(scene* s) {
  cri_sighted_free(&s->learned);
  cri_sighted_free(&s->aside);
  cri_unknown_destroy(s->hull);
  cr_model_destroy(s->truth);
}

static cri_score score_of(const cri_unknown* u, const cr_real* p, const cri_sighted* tosses) {
  cr_model* m = NULL;
  cri_score score;
  assert_int_equal(cri_unknown_model(u, p, &m, NULL), CR_OK);
  assert_int_equal(cri_score_of(m, NULL, tosses, &score, NULL), CR_OK);
  cr_model_destroy(m);
  return score;
}

// the floor lies a sphere's radius higher for it: 0.1 mm
TEST(a_hull_with_true_corners_is_the_cube) {
  for (int floor = 0; floor < CRI_N_FLOOR; floor++) {
    scene s;
    cr_real box[CRI_BOX_N], p[CRI_HULL_N];
    cri_score truth;
    open_scene(&s, floor, 1);
    cri_box_truth(floor, box);
    cri_hull_start(box, 0, 0, p);
    assert_true(cri_hull_edge_error(p, cri_tossed_side) < 1e-12);
    const cri_score is = score_of(s.hull, p, &s.aside);
    assert_int_equal(cri_score_of(s.truth, NULL, &s.aside, &truth, NULL), CR_OK);
    assert_true(fabs(is.position.mean / truth.position.mean - 1) < 0.05);
    assert_true(fabs(is.rotation.mean / truth.rotation.mean - 1) < 0.05);
    close_scene(&s);
  }
}

TEST(a_start_moves_each_coordinate_by_at_most_the_spread) {
  cr_real box[CRI_BOX_N], p[CRI_HULL_N], most = 0;
  cri_box_truth(CRI_SOFT, box);
  cri_hull_start(box, 0.2, 3, p);
  for (int i = 0; i < 3 * CRI_N_CORNER; i++) {
    const double side = (i / 3 >> i % 3 & 1) != 0 ? 1 : -1;
    const double moved = (double)p[CRI_HULL_CORNERS + i] / 0.05 - side;
    assert_true(fabs(moved) <= 0.2);
    most = fmax((double)most, fabs(moved));
  }
  assert_true(most > 0.15);
  assert_true(cri_hull_edge_error(p, 0.1) > 0.003);
}

TEST(a_hull_is_turned_as_a_body) {
  const cr_real quarter[4] = {CR_R(0.70710678118654752), 0, 0, CR_R(0.70710678118654752)};
  cr_real box[CRI_BOX_N], p[CRI_HULL_N];
  cri_box_truth(CRI_SOFT, box);
  cri_hull_start(box, 0.2, 3, p);
  const double edges = cri_hull_edge_error(p, 0.1);
  const cr_real x = p[CRI_HULL_CORNERS], y = p[CRI_HULL_CORNERS + 1], z = p[CRI_HULL_CORNERS + 2];
  cri_hull_turn(p, quarter);
  assert_true(fabs((double)(p[CRI_HULL_CORNERS] + y)) < 1e-12);  // (x, y, z) -> (-y, x, z)
  assert_true(fabs((double)(p[CRI_HULL_CORNERS + 1] - x)) < 1e-12);
  assert_true(fabs((double)(p[CRI_HULL_CORNERS + 2] - z)) < 1e-12);
  assert_true(fabs(cri_hull_edge_error(p, 0.1) - edges) < 1e-12);
}

static cr_status moved_corners(void* box, int number, cr_real* p, cr_error* error) {
  (void)error;
  cri_hull_start(box, 0.2, number, p);
  return CR_OK;
}

TEST(corners_are_found_from_a_few_tosses) {
  scene s;
  cri_unknown* u;
  cr_real box[CRI_BOX_N];
  cri_found found;
  const cri_starts starts = {.first = 1, .least = 1, .near = moved_corners, .context = box};
  open_scene(&s, CRI_MEDIUM, 5);
  cri_box_truth(CRI_MEDIUM, box);
  assert_int_equal(cri_corrected_open(s.hull, CRI_LAW_TRUE, &u, NULL), CR_OK);
  assert_int_equal(cri_identify(&starts, u, &s.learned, &found, NULL), CR_OK);
  const cri_score before = score_of(u, found.from, &s.aside);
  const double edges = cri_hull_edge_error(found.from, cri_tossed_side);
  cri_hull_turn(found.p, found.turn);
  const cri_score after = score_of(u, found.p, &s.aside);
  assert_true(cri_hull_edge_error(found.p, cri_tossed_side) < edges / 2);
  assert_true(after.position.mean < before.position.mean / 2);
  assert_true(after.rotation.mean < before.rotation.mean / 2);
  cri_unknown_destroy(u);
  close_scene(&s);
}
