// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The states of a run as arrays and one by one, with and without a limit of memory; what is asked too early.
#include "carom/carom.h"
#include "support/close.h"

enum { STEPS = 60, MOST = 32 };

static cr_error error;

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static cr_model* open_cube(void) {
  cr_model* m;
  ok(cr_model_open(&m, CAROM_SOURCE_DIR "/tests/data/billiard.xml", &error));
  return m;
}

// a ball that falls on the table
static cr_rollout* run(const cr_model* m, size_t memory) {
  cr_rollout* r;
  ok(cr_rollout_create(&r, m, STEPS, NULL, 0, &error));
  ok(memory > 0 ? cr_rollout_set_memory(r, m, memory, &error) : CR_OK);
  cr_data_view(m, cr_rollout_data(r), "qpos", NULL, NULL)[2] = 0.2;
  ok(cr_rollout_run(r, m, STEPS, NULL, &error));
  return r;
}

TEST(states_are_those_of_the_steps) {
  cr_model* m = open_cube();
  cr_rollout* r = run(m, 0);
  int nq = cr_model_count(m, "nq"), nv = cr_model_count(m, "nv");
  cr_real time[STEPS + 1], qpos[(STEPS + 1) * MOST], qvel[(STEPS + 1) * MOST];
  ok(cr_rollout_get_states(r, m, 0, STEPS + 1, time, qpos, qvel, NULL, &error));
  cr_data* d;
  ok(cr_data_create(&d, m, &error));
  cr_data_view(m, d, "qpos", NULL, NULL)[2] = 0.2;
  for (int k = 0; k <= STEPS; k++) {
    assert_true(time[k] == cr_data_time(d));
    assert_memory_equal(qpos + k * nq, cr_data_view(m, d, "qpos", NULL, NULL),
                        (size_t)nq * sizeof *qpos);
    assert_memory_equal(qvel + k * nv, cr_data_view(m, d, "qvel", NULL, NULL),
                        (size_t)nv * sizeof *qvel);
    assert_int_equal(cr_step(m, d), CR_OK);
    assert_int_equal(cr_advance(m, d), CR_OK);
  }
  cr_data_destroy(d);
  cr_rollout_destroy(r);
  cr_model_destroy(m);
}

TEST(a_limit_of_memory_computes_them_again) {
  cr_model* m = open_cube();
  cr_rollout *r = run(m, 0), *small = run(m, 6000);
  size_t size = (size_t)cr_model_count(m, "nq") * sizeof(cr_real);
  cr_real qpos[(STEPS + 1) * MOST];
  assert_int_equal(cr_rollout_get_states(small, m, 0, STEPS + 1, NULL, qpos, NULL, NULL, &error),
                   CR_ERR_ARG);
  assert_non_null(strstr(error.text, "cr_rollout_restore"));
  for (int k = STEPS; k >= 0; k -= 7) {
    ok(cr_rollout_restore(small, m, k, &error));
    ok(cr_rollout_get_states(r, m, k, 1, NULL, qpos, NULL, NULL, &error));
    assert_memory_equal(cr_data_view(m, cr_rollout_data(small), "qpos", NULL, NULL), qpos, size);
  }
  cr_rollout_destroy(small);
  cr_rollout_destroy(r);
  cr_model_destroy(m);
}

TEST(what_is_computed_is_of_that_state) {
  cr_model* m = open_cube();
  cr_rollout* r = run(m, 0);
  int n = -1;
  ok(cr_rollout_switches(r, m, &n, &error));
  assert_true(n >= 0);
  ok(cr_rollout_forward(r, m, 3, &error));
  cr_real height = 0, z = 0;
  ok(cr_data_get(m, cr_rollout_data(r), "qpos[2]", &height, 1, &error));
  ok(cr_data_get(m, cr_rollout_data(r), "xpos[1].z", &z, 1, &error));
  assert_close(z, height, 1e-12);
  assert_true(isnan(cr_rollout_uncounted_time(r)));
  cr_rollout_destroy(r);
  cr_model_destroy(m);
}

TEST(too_early_or_beyond) {
  cr_model* m = open_cube();
  cr_rollout* r = run(m, 0);
  assert_int_equal(cr_rollout_restore(r, m, STEPS + 1, &error), CR_ERR_ARG);
  assert_int_equal(cr_rollout_restore(r, m, -1, &error), CR_ERR_ARG);
  assert_int_equal(cr_rollout_forward(r, m, STEPS + 1, &error), CR_ERR_ARG);
  assert_int_equal(cr_rollout_get_states(r, m, STEPS, 2, NULL, NULL, NULL, NULL, &error),
                   CR_ERR_ARG);
  cr_rollout_destroy(r);
  ok(cr_rollout_create(&r, m, STEPS, NULL, 0, &error));
  assert_int_equal(cr_rollout_restore(r, m, 0, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "needs a run"));
  cr_rollout_destroy(r);
  cr_model_destroy(m);
}
