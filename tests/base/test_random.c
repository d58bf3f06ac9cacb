// SPDX-License-Identifier: Apache-2.0
// The generator against its published algorithm, independence of streams, moments of distributions.
#include "base/random.h"
#include "support/test.h"

enum { MANY = 100000 };

// xoshiro256** from the state 1, 2, 3, 4: the first outputs of its reference implementation,
// of which the first is rotl(5 2, 7) 9
TEST(bits_are_those_of_the_algorithm) {
  cr_random r = {{1, 2, 3, 4}};
  assert_true(cr_random_bits(&r) == 11520u);
  assert_true(cr_random_bits(&r) == 0u);
  assert_true(cr_random_bits(&r) == 1509978240u);
  assert_true(cr_random_bits(&r) == 1215971899390074240u);
}

// splitmix64 from zero: the first output is published with the algorithm
TEST(seeding_is_splitmix) {
  cr_random r = cr_random_seed(0, 0);
  assert_true(r.state[0] == 0xe220a8397b1dcdafu);
  assert_true(r.state[1] == 0x6e789e6aa1b965f4u);
}

TEST(a_seed_gives_the_same_numbers) {
  cr_random a = cr_random_seed(42, 7), b = cr_random_seed(42, 7);
  for (int i = 0; i < 1000; i++) {
    assert_true(cr_random_bits(&a) == cr_random_bits(&b));
  }
}

TEST(seeds_and_streams_differ) {
  cr_random base = cr_random_seed(42, 7);
  cr_random others[] = {cr_random_seed(43, 7), cr_random_seed(42, 8), cr_random_seed(7, 42)};
  uint64_t bits = cr_random_bits(&base);
  for (int i = 0; i < 3; i++) {
    assert_true(bits != cr_random_bits(&others[i]));
  }
}

TEST(uniform_has_its_range_and_moments) {
  cr_random r = cr_random_seed(1, 0);
  cr_real sum = 0, squares = 0, least = 1, most = 0;
  for (int i = 0; i < MANY; i++) {
    cr_real x = cr_random_uniform(&r);
    assert_true(x >= 0 && x < 1);
    sum += x;
    squares += x * x;
    least = cr_min(least, x);
    most = cr_max(most, x);
  }
  // four standard deviations
  assert_true(cr_abs(sum / MANY - CR_R(0.5)) < CR_R(0.0037));
  assert_true(cr_abs(squares / MANY - CR_R(1.0) / 3) < CR_R(0.0038));
  assert_true(least < CR_R(0.001) && most > CR_R(0.999));
}

TEST(range_stays_inside) {
  cr_random r = cr_random_seed(2, 0);
  for (int i = 0; i < 1000; i++) {
    cr_real x = cr_random_range(&r, -3, CR_R(-2.5));
    assert_true(x >= -3 && x < CR_R(-2.5));
  }
}

TEST(normal_has_its_moments) {
  cr_random r = cr_random_seed(3, 0);
  cr_real moment[5] = {0};
  int beyond = 0;
  for (int i = 0; i < MANY; i++) {
    cr_real x = cr_random_normal(&r), power = 1;
    assert_true(isfinite(x));
    beyond += cr_abs(x) > 2;
    for (int k = 1; k < 5; k++) {
      power *= x;
      moment[k] += power / MANY;
    }
  }
  // mean, variance, skewness, kurtosis; four standard deviations
  assert_true(cr_abs(moment[1]) < CR_R(0.013));
  assert_true(cr_abs(moment[2] - 1) < CR_R(0.018));
  assert_true(cr_abs(moment[3]) < CR_R(0.05));
  assert_true(cr_abs(moment[4] - 3) < CR_R(0.13));
  // P(|x| > 2) = 0.0455
  assert_in_range(beyond, 4300, 4800);
}

TEST(integers_are_spread_evenly) {
  cr_random r = cr_random_seed(4, 0);
  int count[7] = {0};
  for (int i = 0; i < 70000; i++) {
    int k = cr_random_int(&r, 7);
    assert_in_range(k, 0, 6);
    count[k]++;
  }
  for (int k = 0; k < 7; k++) {
    assert_in_range(count[k], 9600, 10400);
  }
}

TEST(every_order_is_as_likely) {
  enum { N = 3, ORDERS = 6, DRAWS = 60000 };
  cr_random r = cr_random_seed(5, 0);
  int count[ORDERS] = {0};
  for (int i = 0; i < DRAWS; i++) {
    int32_t order[N];
    cr_random_shuffle(&r, order, N);
    assert_int_equal(order[0] + order[1] + order[2], 3);
    assert_int_equal(order[0] * order[1] * order[2], 0);
    count[2 * order[0] + (order[1] > order[2])]++;
  }
  for (int k = 0; k < ORDERS; k++) {
    assert_in_range(count[k], 9600, 10400);
  }
}
