// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Numbers by name: how many, moved where they lie, and put back.
#include "gradient/named.h"

#include "carom/carom.h"
#include "model/fields.h"
#include "support/close.h"

static cr_model* m;
static cr_rollout* r;
static cr_error error;
enum { STEPS = 3 };

static void setup(void) {
  assert_int_equal(cr_model_open(&m, CAROM_SOURCE_DIR "/examples/cube_toss.xml", &error), CR_OK);
  assert_int_equal(cr_rollout_create(&r, m, STEPS, NULL, 0, &error), CR_OK);
  assert_int_equal(cr_rollout_run(r, m, STEPS, NULL, &error), CR_OK);
}

static void teardown(void) {
  cr_rollout_destroy(r);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

static cri_named find(const char* name) {
  bool wanted[CR_N_FIELD] = {false};
  cri_named q = {.name = NULL};
  if (cri_named_find(&q, m, STEPS, name, wanted, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return q;
}

TEST(sizes) {
  cri_named qpos = find("qpos"), mass = find("body_mass[1]");
  assert_int_equal(cri_named_size(&qpos, m), m->nv);
  assert_int_equal(cri_named_size(&mass, m), 1);
}

TEST(moved_and_put_back) {
  cri_start start;
  assert_int_equal(cri_start_keep(&start, m, r, &error), CR_OK);
  cri_named qpos = find("qpos"), mass = find("body_mass[1]");
  cr_real before[7], mass_before = m->body_mass[1];
  cr_copy(before, r->d->qpos, 7);
  cri_named_move(&qpos, m, r, 4, CR_R(0.1));  // a turn keeps the quaternion unit
  cri_named_move(&mass, m, r, 0, CR_R(0.5));
  cr_real norm = 0, moved = 0;
  for (int i = 3; i < 7; i++) {
    norm += r->d->qpos[i] * r->d->qpos[i];
    moved += cr_abs(r->d->qpos[i] - before[i]);
  }
  assert_close(norm, 1, 1e-12);
  assert_true(moved > 0.01);
  assert_true(cri_named_value(&mass, m, r, 0) == mass_before + CR_R(0.5));
  cri_start_put(&start, m, r);
  assert_memory_equal(r->d->qpos, before, sizeof before);
  assert_true(m->body_mass[1] == mass_before);
  cri_start_free(&start);
}

TEST(what_has_no_gradient) {
  bool wanted[CR_N_FIELD] = {false};
  cri_named q;
  const char* const names[] = {"xpos[1]", "qpos[3]", "body_quat[1][0]", "ctrl"};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(cri_named_find(&q, m, STEPS, names[i], wanted, &error), CR_ERR_NAME);
    assert_int_equal(strncmp(error.text, names[i], strlen(names[i])), 0);
  }
}
