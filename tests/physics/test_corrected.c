// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Corrections of contacts: untrained they change nothing; trained through the physics they mend a wrong law of friction and of restitution.
#include "physics/corrected.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "physics/physics_fit.h"
#include "physics/physics_score.h"
#include "support/close.h"
#include "support/scratch.h"

typedef struct {
  cr_model* truth;
  cri_unknown *box, *corrected;
  cri_sighted learned, aside;
} scene;

static void open_scene(scene* s, cri_law law, int floor, int n) {
  static const char* const files[CRI_N_LAW] = {"box.xml", "box_ice.xml", "box_elastic.xml"};
  cr_notebook book = {.nclaim = 0};
  cr_data* d;
  char name[64];
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  (void)snprintf(name, sizeof name, "cube_%s.xml", cri_floors[floor].name);
  assert_int_equal(cri_tossed_open(&book, floor, &s->truth, NULL), CR_OK);
  assert_int_equal(cri_box_open(&book, law, &s->box, NULL), CR_OK);
  assert_int_equal(unlink(scratch_path(name)), 0);
  assert_int_equal(unlink(scratch_path(files[law])), 0);
  assert_int_equal(cri_corrected_open(s->box, law, &s->corrected, NULL), CR_OK);
  assert_int_equal(cr_data_create(&d, s->truth, NULL), CR_OK);
  assert_int_equal(cri_sighted_make(&s->learned, s->truth, d, floor, 0, n, NULL), CR_OK);
  assert_int_equal(cri_sighted_make(&s->aside, s->truth, d, floor, 100, 20, NULL), CR_OK);
  cr_data_destroy(d);
}

static void close_scene(scene* s) {
  cri_sighted_free(&s->learned);
  cri_sighted_free(&s->aside);
  cri_unknown_destroy(s->corrected);
  cri_unknown_destroy(s->box);
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

// the true numbers, with a viscosity in the place of the one that the law does not have
static void near_truth(cri_law law, int floor, cr_real* p) {
  cri_box_truth(floor, p);
  if (law != CRI_LAW_TRUE) {
    p[law == CRI_LAW_ICE ? CRI_BOX_FRICTION : CRI_BOX_DAMPING] = CR_R(0.1);
  }
}

TEST(an_untrained_correction_changes_no_bit) {
  for (int law = 0; law < CRI_N_LAW; law++) {
    scene s;
    cr_real p[CRI_MOST_UNKNOWN];
    open_scene(&s, (cri_law)law, CRI_MEDIUM, 1);
    near_truth((cri_law)law, CRI_MEDIUM, p);
    assert_int_equal(cri_unknown_weights(s.corrected, 1, p, NULL), CR_OK);
    assert_true(s.corrected->n > CRI_BOX_N + 50);
    const cri_score alone = score_of(s.box, p, &s.learned);
    const cri_score with = score_of(s.corrected, p, &s.learned);
    assert_memory_equal(&alone, &with, sizeof alone);
    close_scene(&s);
  }
}

// from afar and two tosses: the true numbers do not help the wrong law as much as the network does
static void mends(cri_law law, int floor) {
  const cri_starts starts = {.first = 0, .least = 2, .most = 4};
  scene s;
  cr_real p[CRI_MOST_UNKNOWN];
  cri_found found;
  open_scene(&s, law, floor, 2);
  near_truth(law, floor, p);
  const cri_score wrong = score_of(s.box, p, &s.aside);
  assert_int_equal(cri_identify(&starts, s.corrected, &s.learned, &found, NULL), CR_OK);
  const cri_score mended = score_of(s.corrected, found.p, &s.aside);
  assert_true(found.agree >= 2);
  assert_true(mended.position.mean < wrong.position.mean / 5);
  assert_true(mended.rotation.mean < wrong.rotation.mean / 5);
  assert_true(fabs(log((double)found.p[CRI_BOX_HALF] / (cri_tossed_side / 2))) < 0.05);
  close_scene(&s);
}

TEST(first_weights_are_drawn_by_a_seed) {
  cr_real p[3][CRI_MOST_UNKNOWN];
  scene s;
  open_scene(&s, CRI_LAW_ICE, CRI_SOFT, 1);
  for (int i = 0; i < 3; i++) {
    near_truth(CRI_LAW_ICE, CRI_SOFT, p[i]);
    assert_int_equal(cri_unknown_weights(s.corrected, i / 2, p[i], NULL), CR_OK);
  }
  const size_t weights = (size_t)(s.corrected->n - CRI_BOX_N) * sizeof p[0][0];
  assert_memory_equal(p[0], p[2], CRI_BOX_N * sizeof p[0][0]);
  assert_memory_equal(p[0] + CRI_BOX_N, p[1] + CRI_BOX_N, weights);
  assert_memory_not_equal(p[0] + CRI_BOX_N, p[2] + CRI_BOX_N, weights);
  close_scene(&s);
}

TEST(a_factor_on_friction_mends_a_floor_of_ice) { mends(CRI_LAW_ICE, CRI_MEDIUM); }

TEST(added_damping_mends_an_elastic_floor) { mends(CRI_LAW_ELASTIC, CRI_SOFT); }
