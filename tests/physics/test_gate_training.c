// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Training of gates: errors fall, one seed gives the same digits, it ends when asked to, tosses that are too short are refused.
#include "physics/gate_training.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "physics/physics_score.h"
#include "support/close.h"
#include "support/scratch.h"

enum { LEARNED = 4, ASIDE = 5, SHARE = 10 };

typedef struct {
  cr_model* m;
  cri_sighted learned, aside;
  cri_gates g;
  cr_real *p, *room;
} scene;

static void open_scene(scene* s) {
  cr_notebook book = {.nclaim = 0};
  cr_data* d;
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  assert_int_equal(cri_tossed_open(&book, CRI_MEDIUM, &s->m, NULL), CR_OK);
  assert_int_equal(unlink(scratch_path("cube_medium.xml")), 0);
  assert_int_equal(cr_data_create(&d, s->m, NULL), CR_OK);
  assert_int_equal(cri_sighted_make(&s->learned, s->m, d, CRI_MEDIUM, 0, LEARNED, NULL), CR_OK);
  assert_int_equal(cri_sighted_make(&s->aside, s->m, d, CRI_MEDIUM, 100, ASIDE, NULL), CR_OK);
  cr_data_destroy(d);
  assert_int_equal(cri_gates_make(&s->g, cri_tossed_timestep, NULL), CR_OK);
  s->p = malloc((size_t)s->g.n * sizeof *s->p);
  s->room = malloc(cri_gates_room(&s->g) * sizeof *s->room);
}

static void close_scene(scene* s) {
  free(s->p);
  free(s->room);
  cri_gates_free(&s->g);
  cri_sighted_free(&s->learned);
  cri_sighted_free(&s->aside);
  cr_model_destroy(s->m);
}

static cri_score score_of(const scene* s, const cr_real* p) {
  cri_gated gated = {&s->g, p, s->room};
  const cri_addition instead = cri_gated_addition(&gated);
  cri_score score;
  assert_int_equal(cri_score_of(s->m, &instead, &s->aside, &score, NULL), CR_OK);
  return score;
}

TEST(errors_fall_and_a_seed_gives_the_same_digits) {
  const cri_gate_lesson lesson = {.seed = 2, .share = SHARE};
  scene s;
  cr_real loss[2];
  open_scene(&s);
  assert_int_equal(cri_gates_start(&s.g, lesson.seed, s.p, NULL), CR_OK);
  const cri_score before = score_of(&s, s.p);
  assert_int_equal(cri_gates_train(&s.g, &lesson, &s.learned, s.p, &loss[0], NULL), CR_OK);
  const cri_score after = score_of(&s, s.p);
  assert_true(after.position.mean < before.position.mean / 2);
  assert_true(after.rotation.mean < before.rotation.mean / 2);
  cr_real* again = malloc((size_t)s.g.n * sizeof *again);
  assert_int_equal(cri_gates_train(&s.g, &lesson, &s.learned, again, &loss[1], NULL), CR_OK);
  assert_memory_equal(again, s.p, (size_t)s.g.n * sizeof *again);
  assert_true(loss[0] == loss[1]);
  free(again);
  close_scene(&s);
}

static bool at_once(void* context) {
  *(int*)context += 1;
  return true;
}

TEST(it_ends_when_asked_to) {
  int asked = 0;
  const cri_gate_lesson lesson = {.share = 1, .stop = at_once, .context = &asked};
  scene s;
  cr_real loss;
  open_scene(&s);
  assert_int_equal(cri_gates_train(&s.g, &lesson, &s.learned, s.p, &loss, NULL),
                   CR_ERR_INTERRUPTED);
  assert_int_equal(asked, 1);
  close_scene(&s);
}

TEST(short_tosses_are_refused) {
  const cri_gate_lesson lesson = {.share = 100};
  scene s;
  cr_real loss;
  cr_error error;
  open_scene(&s);
  int32_t first[LEARNED + 1] = {0, 10, 20, 30, 40};
  const cri_sighted few = {.n = LEARNED, .first = first, .seen = s.learned.seen};
  assert_int_equal(cri_gates_train(&s.g, &lesson, &few, s.p, &loss, &error), CR_ERR_ARG);
  assert_string_equal(error.text, "no toss has more than 15 rows");
  close_scene(&s);
}
