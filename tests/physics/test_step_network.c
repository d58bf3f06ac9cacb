// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Networks beside a simulator: they mend the steps of a wrong one, come to the same digits from one seed, and end when asked to.
#include "physics/step_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "physics/physics_box.h"
#include "physics/physics_score.h"
#include "support/close.h"
#include "support/scratch.h"

typedef struct {
  cr_model *truth, *elastic;
  cri_sighted learned, aside;
} scene;

// a floor, and a box with the true numbers on it whose contact has no damping
static void open_scene(scene* s, int floor, int n) {
  cr_notebook book = {.nclaim = 0};
  cri_unknown* box;
  cr_data* d;
  cr_real p[CRI_BOX_N];
  char name[64];
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  (void)snprintf(name, sizeof name, "cube_%s.xml", cri_floors[floor].name);
  assert_int_equal(cri_tossed_open(&book, floor, &s->truth, NULL), CR_OK);
  assert_int_equal(cri_box_open(&book, CRI_LAW_ELASTIC, &box, NULL), CR_OK);
  assert_int_equal(unlink(scratch_path(name)), 0);
  assert_int_equal(unlink(scratch_path("box_elastic.xml")), 0);
  cri_box_truth(floor, p);
  p[CRI_BOX_DAMPING] = CR_R(1e-3);  // viscosity
  assert_int_equal(cri_unknown_model(box, p, &s->elastic, NULL), CR_OK);
  cri_unknown_destroy(box);
  assert_int_equal(cr_data_create(&d, s->truth, NULL), CR_OK);
  assert_int_equal(cri_sighted_make(&s->learned, s->truth, d, floor, 0, n, NULL), CR_OK);
  assert_int_equal(cri_sighted_make(&s->aside, s->truth, d, floor, 100, 10, NULL), CR_OK);
  cr_data_destroy(d);
}

static void close_scene(scene* s) {
  cri_sighted_free(&s->learned);
  cri_sighted_free(&s->aside);
  cr_model_destroy(s->elastic);
  cr_model_destroy(s->truth);
}

static cri_score score_of(const cr_model* m, const cri_addition* more, const cri_sighted* tosses) {
  cri_score score;
  assert_int_equal(cri_score_of(m, more, tosses, &score, NULL), CR_OK);
  return score;
}

TEST(a_network_mends_the_steps_of_a_wrong_simulator) {
  const cri_step_lesson lesson = {.epochs = 100, .seed = 1};
  scene s;
  cri_step_network r;
  open_scene(&s, CRI_SOFT, 40);
  assert_int_equal(cri_step_network_train(&r, s.elastic, &lesson, &s.learned, NULL), CR_OK);
  const cri_addition more = cri_step_network_addition(&r);
  const cri_score wrong = score_of(s.elastic, NULL, &s.aside);
  const cri_score mended = score_of(s.elastic, &more, &s.aside);
  const cri_score truth = score_of(s.truth, NULL, &s.aside);
  assert_true(wrong.loss.arithmetic > 5 * truth.loss.arithmetic);
  assert_true(mended.loss.arithmetic < CR_R(0.8) * wrong.loss.arithmetic);
  assert_true(wrong.position.mean > 20 * truth.position.mean);
  assert_true(mended.position.mean < wrong.position.mean / 4);
  cri_step_network_free(&r);
  close_scene(&s);
}

static cr_status nothing(void* context, const cr_real* state, cr_real* next, cr_error* error) {
  (void)context;
  (void)state;
  (void)next;
  (void)error;
  return CR_OK;
}

TEST(nothing_added_is_the_simulator) {
  const cri_addition more = {nothing, NULL};
  scene s;
  open_scene(&s, CRI_HARD, 1);
  const cri_score is = score_of(s.truth, &more, &s.aside);
  const cri_score expected = score_of(s.truth, NULL, &s.aside);
  assert_true(is.loss.mean == expected.loss.mean);
  // a roll-out that begins each step anew finds the forces to the accuracy of the solver
  assert_true(fabs(is.position.mean / expected.position.mean - 1) < 1e-6);
  assert_true(fabs(is.rotation.mean / expected.rotation.mean - 1) < 1e-6);
  close_scene(&s);
}

TEST(one_seed_gives_the_same_digits) {
  scene s;
  cri_step_network r[3];
  open_scene(&s, CRI_MEDIUM, 2);
  for (int i = 0; i < 3; i++) {
    const cri_step_lesson lesson = {.epochs = 3, .seed = i < 2 ? 1 : 2};
    assert_int_equal(cri_step_network_train(&r[i], s.elastic, &lesson, &s.learned, NULL), CR_OK);
  }
  const size_t size =
      sizeof(cr_real) * (size_t)cr_network_nweight(cr_learned_network(r[0].learned));
  const cr_real* weights = cr_learned_weights(r[0].learned);
  assert_memory_equal(weights, cr_learned_weights(r[1].learned), size);
  assert_true(memcmp(weights, cr_learned_weights(r[2].learned), size) != 0);
  for (int i = 0; i < 3; i++) {
    cri_step_network_free(&r[i]);
  }
  close_scene(&s);
}

static bool at_once(void* context) {
  (void)context;
  return true;
}

TEST(a_training_ends_when_it_is_asked_to) {
  const cri_step_lesson lesson = {.epochs = 3, .seed = 1, .stop = at_once};
  scene s;
  cri_step_network r;
  open_scene(&s, CRI_MEDIUM, 1);
  assert_int_equal(cri_step_network_train(&r, s.elastic, &lesson, &s.learned, NULL),
                   CR_ERR_INTERRUPTED);
  cri_step_network_free(&r);
  close_scene(&s);
}
