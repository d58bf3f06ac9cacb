// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Contacts that come and go: none in flight, one that lands, and what two lists have in common.
#include "rollout/switches.h"

#include "carom/carom.h"
#include "engine/data_create.h"
#include "support/close.h"

static cri_switches list(uint64_t* sets, int n) {
  return (cri_switches){.set = sets, .n = n, .room = n};
}

TEST(what_is_apart) {
  uint64_t a[] = {1, 2, 3, 2, 1}, b[] = {1, 2, 4, 3, 2, 1}, c[] = {1, 2, 3, 2, 5}, d[] = {7};
  cri_switches A = list(a, 5), B = list(b, 6), C = list(c, 5), D = list(d, 1);
  assert_int_equal(cri_switches_apart(&A, &A), 0);
  assert_int_equal(cri_switches_apart(&A, &B), 1);
  assert_int_equal(cri_switches_apart(&B, &A), 1);
  assert_int_equal(cri_switches_apart(&A, &C), 1);
  assert_int_equal(cri_switches_apart(&A, &D), 5);
  // what is the same at both ends counts once
  uint64_t e[] = {1, 1}, f[] = {1, 1, 1};
  cri_switches E = list(e, 2), F = list(f, 3);
  assert_int_equal(cri_switches_apart(&E, &F), 1);
}

static void fall(double time, int sets) {
  cr_error error;
  cr_model* m;
  cr_rollout* r;
  cri_switches s = {.n = 0};
  const cr_adaptive options = {
      .size = sizeof options, .rtol = 1e-6, .atol = 1e-6, .grid = time / 2, .events = true};
  assert_int_equal(cr_model_open(&m, CAROM_SOURCE_DIR "/tests/data/billiard.xml", &error), CR_OK);
  assert_int_equal(cr_model_set_choice(m, "integrator", "tsit5", &error), CR_OK);
  assert_int_equal(cr_rollout_create(&r, m, 2, NULL, 0, &error), CR_OK);
  assert_int_equal(cr_rollout_set_adaptive(r, m, &options, &error), CR_OK);
  cr_data_view(m, cr_rollout_data(r), "qpos", &(int){0}, &(int){0})[2] = 0.2;
  assert_int_equal(cr_rollout_run(r, m, 2, NULL, &error), CR_OK);
  for (int k = 0; k < 2; k++) {  // the second time in the same list
    assert_int_equal(cri_switches_of(&s, r, m, &error), CR_OK);
    assert_int_equal(s.n, sets);
  }
  cri_switches_free(&s);
  cr_rollout_destroy(r);
  cr_model_destroy(m);
}

// two balls, from heights 0.158 and 0.058 over the table: they meet it after 0.179 s and 0.109 s
TEST(balls_that_land) {
  fall(0.1, 1);
  fall(0.115, 2);
}

// contacts that begin with the last state find room
TEST(the_last_state_may_need_room) {
  cr_error error;
  cr_model* m;
  cr_rollout* r;
  cri_switches s = {.n = 0};
  const cr_capacity little = {1, 2, 4};
  assert_int_equal(cr_model_open(&m, CAROM_SOURCE_DIR "/tests/data/billiard.xml", &error), CR_OK);
  assert_int_equal(cr_rollout_create(&r, m, 1, NULL, 0, &error), CR_OK);
  cri_data_free(r->d);
  cri_data_free(r->work);
  cri_step_blocks_free(&r->blocks);
  assert_int_equal(cri_data_create(&r->d, m, &little, NULL), CR_OK);
  assert_int_equal(cri_data_create(&r->work, m, &little, NULL), CR_OK);
  for (int ball = 0; ball < 2; ball++) {
    r->d->qpos[m->jnt_qposadr[m->body_jntadr[ball + 1]] + 2] = 0.1;
    r->d->qvel[m->jnt_dofadr[m->body_jntadr[ball + 1]] + 2] = -0.1 / m->timestep;
  }
  assert_int_equal(cr_rollout_run(r, m, 1, NULL, &error), CR_OK);
  assert_int_equal(r->d->ncon_max, 1);
  assert_int_equal(cri_switches_of(&s, r, m, &error), CR_OK);
  assert_int_equal(s.n, 2);
  cri_switches_free(&s);
  cr_rollout_destroy(r);
  cr_model_destroy(m);
}
