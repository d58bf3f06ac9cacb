// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include "learn/windows.h"

TEST(windows_are_cut_where_they_fit) {
  const cri_run tosses[] = {
      {.rows = 13, .group = 0}, {.rows = 4, .group = 1}, {.rows = 5, .group = 2}};
  cr_windows w;
  assert_int_equal(cr_windows_cut(&w, tosses, 3, 5, 4, 0, 1, NULL), CR_OK);
  const cr_window_place expected[] = {{0, 0, 0}, {0, 4, 0}, {0, 8, 0}, {2, 0, 0}};
  assert_int_equal(w.ntrain, 4);
  assert_int_equal(w.nheld, 0);
  assert_int_equal(w.train_groups, 3);
  assert_int_equal(w.longest, 4);
  assert_memory_equal(w.train, expected, sizeof expected);
  cr_windows_free(&w);
}

TEST(whole_tosses_are_windows_of_their_length) {
  const cri_run tosses[] = {
      {.rows = 13, .group = 0}, {.rows = 1, .group = 1}, {.rows = 5, .group = 2}};
  cr_windows w;
  assert_int_equal(cr_windows_cut(&w, tosses, 3, 0, 4, 0, 1, NULL), CR_OK);
  const cr_window_place expected[] = {{0, 0, 12}, {2, 0, 4}};
  assert_int_equal(w.ntrain, 2);
  assert_int_equal(w.longest, 12);
  assert_memory_equal(w.train, expected, sizeof expected);
  cr_windows_free(&w);
}

// which tosses a split holds aside, as bits
static unsigned held_bits(const cri_run* tosses, int n, cr_real share, uint64_t seed) {
  cr_windows w;
  unsigned held = 0, train = 0;
  assert_int_equal(cr_windows_cut(&w, tosses, n, 5, 1, share, seed, NULL), CR_OK);
  for (int i = 0; i < w.nheld; i++) {
    held |= 1u << w.held[i].toss;
  }
  for (int i = 0; i < w.ntrain; i++) {
    train |= 1u << w.train[i].toss;
  }
  assert_int_equal(held & train, 0);
  cr_windows_free(&w);
  return held;
}

TEST(copies_stay_on_one_side) {
  cri_run tosses[20];
  for (int i = 0; i < 20; i++) {
    tosses[i] = (cri_run){.rows = 6, .group = 100 + i % 10};  // toss i + 10 is a copy of toss i
  }
  unsigned seen = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    unsigned held = held_bits(tosses, 20, CR_R(0.3), seed);
    assert_int_equal(held & 0x3ff, held >> 10);
    assert_int_equal(__builtin_popcount(held), 6);  // three groups of two
    assert_int_equal(held, held_bits(tosses, 20, CR_R(0.3), seed));
    seen |= held;
  }
  assert_int_equal(seen, 0xfffff);  // every toss is held aside by some seed
}

TEST(a_small_share_is_one_group) {
  const cri_run tosses[] = {{.rows = 6, .group = 0}, {.rows = 6, .group = 1}};
  assert_int_equal(__builtin_popcount(held_bits(tosses, 2, CR_R(0.01), 1)), 1);
}

TEST(nothing_to_train_on_is_an_error) {
  const cri_run tosses[] = {{.rows = 4, .group = 0}};
  cr_windows w;
  cr_error error = {0};
  assert_int_equal(cr_windows_cut(&w, tosses, 1, 5, 1, 0, 1, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "no window of 5 rows"));
  assert_null(w.train);
}

TEST(an_epoch_shows_every_window_once) {
  enum { N = 103, SIZE = 10 };
  int32_t order[N], again[N];
  int seen[N] = {0}, first[N] = {0};
  for (int k = 0; k < 2 * (N / SIZE); k++) {
    cr_windows_batch(order, N, SIZE, 5, k);
    cr_windows_batch(again, N, SIZE, 5, k);
    assert_memory_equal(order, again, SIZE * sizeof *order);
    for (int i = 0; i < SIZE; i++) {
      seen[order[i]]++;
      first[order[i]] += k < N / SIZE;
    }
  }
  int different = 0;
  for (int i = 0; i < N; i++) {
    assert_in_range(first[i], 0, 1);
    assert_in_range(seen[i] - first[i], 0, 1);
    different += first[i] != seen[i] - first[i];
  }
  assert_true(different > 0);  // the epochs drop different windows
}
