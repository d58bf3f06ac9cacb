// SPDX-License-Identifier: Apache-2.0
// The tape gives back what was put on it, however often it grew.
#include "rollout/tape.h"

#include "support/chain_model.h"
#include "support/close.h"

static void entries_come_back(void** state) {
  static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_HINGE};
  enum { N = 1000 };
  cr_model m;
  cr_data* d;
  cri_tape tape = {0};
  assert_int_equal(chain_model(&m, 2, joints, 1, NULL), CR_OK);
  assert_int_equal(cri_data_create(&d, &m, NULL, NULL), CR_OK);
  for (int round = 0; round < 2; round++) {
    cri_tape_clear(&tape);
    for (int i = 0; i < N; i++) {
      d->qpos[m.nq - 1] = (cr_real)i;
      d->qvel[0] = (cr_real)(2 * i);
      d->qacc_warmstart[m.nv - 1] = (cr_real)(3 * i);
      d->time = (cr_real)(4 * i);
      assert_int_equal(cri_tape_push(&tape, &m, d, NULL), CR_OK);
      cri_tape_step(&tape, (cr_real)(5 * i + round), i % 3 == 0, i % 5);
    }
    assert_int_equal(tape.n, N);
    for (int i = N - 1; i >= 0; i -= 7) {
      assert_close(cri_tape_restore(&tape, &m, i, d), (cr_real)(5 * i + round), 0);
      assert_close(d->qpos[m.nq - 1], (cr_real)i, 0);
      assert_close(d->qvel[0], (cr_real)(2 * i), 0);
      assert_close(d->qacc_warmstart[m.nv - 1], (cr_real)(3 * i), 0);
      assert_close(d->time, (cr_real)(4 * i), 0);
      assert_int_equal(tape.known[i], i % 3 == 0);
      assert_int_equal(tape.event[i], i % 5);
    }
  }
  cri_tape_free(&tape);
  cri_data_free(d);
  cri_model_free(&m);
}

int test_tape(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(entries_come_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
