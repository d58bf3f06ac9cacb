// SPDX-License-Identifier: Apache-2.0
// The tape returns its contents, however often it grew. Checkpoints within a limit lie so that as
// few steps as possible are repeated.
#include "rollout/tape.h"

#include "scenes/chain_model.h"
#include "support/close.h"

static cr_model m;
static cr_data* d;

static void begin(void) {
  static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_HINGE};
  assert_int_equal(chain_model(&m, 2, joints, 1, NULL), CR_OK);
  d = test_data(&m);
}

static void end(void) { cri_model_free(&m); }

static void set_state(int i) {
  d->qpos[m.nq - 1] = (cr_real)i;
  d->qvel[0] = (cr_real)(2 * i);
  d->qacc_warmstart[m.nv - 1] = (cr_real)(3 * i);
  d->time = (cr_real)(4 * i);
}

static void assert_state(int i) {
  assert_close(d->qpos[m.nq - 1], (cr_real)i, 0);
  assert_close(d->qvel[0], (cr_real)(2 * i), 0);
  assert_close(d->qacc_warmstart[m.nv - 1], (cr_real)(3 * i), 0);
  assert_close(d->time, (cr_real)(4 * i), 0);
}

TEST(everything_comes_back) {
  enum { N = 1000 };
  cri_tape tape = {0};
  begin();
  assert_int_equal(cri_tape_reserve(&tape, &m, 3, 0, NULL), CR_OK);
  for (int round = 0; round < 2; round++) {
    cri_tape_begin(&tape, round == 0 ? -1 : N);
    for (int i = 0; i < N; i++) {
      set_state(i);
      assert_int_equal(cri_tape_keep(&tape, &m, d, i, NULL), CR_OK);
      const cri_note note = {
          .h = (cr_real)(5 * i + round), .known = i % 3 == 0, .event = i % 5 == 0};
      assert_int_equal(cri_tape_note(&tape, &note, NULL), CR_OK);
    }
    set_state(N);
    cri_tape_put(&tape, &m, CRI_TAPE_END, d);
    assert_int_equal(tape.n, N);
    for (int i = N - 1; i >= 0; i -= 7) {
      assert_int_equal(cri_tape_restore(&tape, &m, i, d), i);
      assert_state(i);
      assert_true(*cri_tape_kept(&tape, &m, i).time == (cr_real)(4 * i));
      cri_note note = cri_tape_noted(&tape, i);
      assert_close(note.h, (cr_real)(5 * i + round), 0);
      assert_int_equal(note.known, i % 3 == 0);
      assert_int_equal(note.event, i % 5 == 0);
    }
    cri_tape_get(&tape, &m, CRI_TAPE_END, d);
    assert_state(N);
  }
  cri_tape_free(&tape);
  end();
}

// ---- within a limit

// goes back through all steps and returns how many were made again on the way
static long go_back(cri_tape* tape, int n) {
  long again = 0;
  for (int i = n - 1; i >= 0; i--) {
    int at = cri_tape_restore(tape, &m, i, d);
    assert_state(at);
    for (; at < i; at++, again++) {
      assert_int_equal(cri_tape_keep(tape, &m, d, at, NULL), CR_OK);
      set_state(at + 1);
    }
  }
  return again;
}

static void go_forward(cri_tape* tape, int n, bool adaptive) {
  cri_tape_begin(tape, adaptive ? -1 : n);
  for (int i = 0; i < n; i++) {
    set_state(i);
    assert_int_equal(cri_tape_keep(tape, &m, d, i, NULL), CR_OK);
    const cri_note note = {.h = (cr_real)i, .known = false, .event = false};
    if (adaptive) {
      assert_int_equal(cri_tape_note(tape, &note, NULL), CR_OK);
    }
  }
}

static size_t room_for(int states) { return cri_tape_least(&m, 0) / 3 * (size_t)(states + 2); }

// the fewest repetitions there can be, by trying all places for the second checkpoint
enum { MOST_STEPS = 60, MOST_STATES = 9 };
static long fewest[MOST_STEPS + 1][MOST_STATES + 1];

static void find_fewest(void) {
  for (int l = 1; l <= MOST_STEPS; l++) {
    fewest[l][1] = (long)l * (l - 1) / 2;
    for (int s = 2; s <= MOST_STATES; s++) {
      fewest[l][s] = l == 1 ? 0 : fewest[l][1];
      for (int k = 1; k < l; k++) {
        long cost = k + fewest[k][s] + fewest[l - k][s - 1];
        fewest[l][s] = cost < fewest[l][s] ? cost : fewest[l][s];
      }
    }
  }
}

// the forward run has made the steps up to its last checkpoint
TEST(as_few_steps_as_possible_are_repeated) {
  begin();
  find_fewest();
  for (int s = 1; s <= MOST_STATES; s++) {
    cri_tape tape = {0};
    assert_int_equal(cri_tape_reserve(&tape, &m, MOST_STEPS, room_for(s), NULL), CR_OK);
    for (int n = 1; n <= MOST_STEPS; n++) {
      go_forward(&tape, n, false);
      assert_true(tape.n <= s);
      int laid = cri_tape_restore(&tape, &m, n - 1, d);
      assert_int_equal(go_back(&tape, n) + laid, fewest[n][s]);
      // with the first state only, the whole optimum
      tape.n = 1;
      assert_int_equal(go_back(&tape, n), fewest[n][s]);
    }
    cri_tape_free(&tape);
  }
  end();
}

// without knowing the number of steps, with the same room: hardly more where there is room for their root
TEST(unknown_numbers_of_steps_cost_little) {
  enum { N = 5000 };
  begin();
  static const int rooms[] = {20, 60, 200};
  for (int i = 0; i < 3; i++) {
    cri_tape tape = {0};
    size_t notes = cri_tape_least(&m, N) - cri_tape_least(&m, 0);
    assert_int_equal(cri_tape_reserve(&tape, &m, N, room_for(rooms[i]) + notes, NULL), CR_OK);
    go_forward(&tape, N, true);
    assert_int_equal(tape.lost, 0);
    assert_int_equal(tape.noted, N);
    long again = go_back(&tape, N);
    assert_int_equal(cri_tape_reserve(&tape, &m, N, room_for(rooms[i]), NULL), CR_OK);
    go_forward(&tape, N, false);
    long known = go_back(&tape, N);
    print_message("%d states: %ld steps again, %ld if it is known how many\n", rooms[i], again,
                  known);
    assert_true(again >= known &&
                (double)again < (rooms[i] * rooms[i] < N ? 3 : 1.1) * (double)known);
    cri_tape_free(&tape);
  }
  end();
}

TEST(steps_that_do_not_fit_are_counted) {
  enum { N = 100 };
  cri_tape tape = {0};
  begin();
  assert_int_equal(cri_tape_reserve(&tape, &m, 1, cri_tape_least(&m, N - 10), NULL), CR_OK);
  go_forward(&tape, N, true);
  assert_int_equal(tape.lost, 10);
  assert_int_equal(tape.noted, N - 10);
  assert_int_equal(tape.n, 1);
  assert_true(cri_tape_noted(&tape, 7).h == 7);
  // with room for all the notes there are as many
  assert_int_equal(cri_tape_reserve(&tape, &m, 1, cri_tape_least(&m, N), NULL), CR_OK);
  go_forward(&tape, N, true);
  assert_int_equal(tape.lost, 0);
  assert_int_equal(go_back(&tape, N), (long)N * (N - 1) / 2);
  cri_tape_free(&tape);
  end();
}
