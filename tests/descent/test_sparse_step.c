// SPDX-License-Identifier: Apache-2.0
// The proximal step against the condition that its minimum fulfils, and numbers that become exactly 0.
#include "descent/sparse_step.h"

#include "base/random.h"
#include "support/close.h"

enum { N = 9 };

TEST(groups_are_sorted) {
  const int32_t group[N] = {2, -1, 0, 2, 5, 0, -1, 2, 5};
  int32_t member[N], first[N + 1];
  cri_sparse_penalty p = {0};
  cri_sparse_groups(&p, group, N, member, first);
  static const int32_t right[] = {2, 5, 0, 3, 7, 4, 8},
                       begins[N + 1] = {0, 2, 2, 5, 5, 5, 7, 7, 7, 7};
  assert_memory_equal(member, right, sizeof right);
  assert_memory_equal(first, begins, sizeof begins);
  assert_int_equal(p.ngroup, N);
}

// x after the step is a minimum of sum h (y - x)^2 / 2 + rate (sum f lasso |y| + group_lasso sqrt(sum g^2) |y of the group|)
TEST(the_step_ends_at_a_minimum) {
  const int32_t group[N] = {0, 0, 0, 1, 1, 2, -1, 3, 3};
  const cri_adam_rule rule = {CR_R(0.9), CR_R(0.999), CR_R(1e-8), 0};
  const cr_real rate = CR_R(0.05);
  const cr_real c1 = 1 - cr_pow(rule.b1, 100), c2 = 1 - cr_pow(rule.b2, 100);
  int32_t member[N], first[N + 1];
  int zeros = 0, moved = 0;
  for (int seed = 0; seed < 200; seed++) {
    cr_random r = cr_random_seed((uint64_t)seed, 0);
    cr_real x[N], y[N], mean[N], square[N], h[N], factor[N], of_group[N],
        whole[4] = {0}, norm[4] = {0}, pull[4] = {0};
    int size[4] = {3, 2, 1, 2};
    cri_sparse_penalty p = {.lasso = cr_random_range(&r, 0, 1),
                            .group_lasso = cr_random_range(&r, 0, 1),
                            .factor = seed % 2 == 0 ? factor : NULL,
                            .group_factor = seed % 3 == 0 ? of_group : NULL};
    cri_sparse_groups(&p, group, N, member, first);
    for (int i = 0; i < N; i++) {
      x[i] = cr_random_range(&r, CR_R(-0.1), CR_R(0.1));
      mean[i] = cr_random_range(&r, -1, 1);
      square[i] = cr_random_range(&r, 0, 4);
      factor[i] = cr_random_range(&r, 0, 2);
      of_group[i] = cr_random_range(&r, 0, 2);
    }
    cr_copy(y, x, N);
    cri_sparse_step(&p, &rule, rate, 100, y, mean, square, h);
    for (int i = 0; i < N; i++) {
      const cr_real f = p.factor != NULL ? factor[i] : 1;
      const cr_real g = p.group_factor != NULL ? of_group[i] : f;
      if (group[i] >= 0) {
        whole[group[i]] += g * g;
        norm[group[i]] += y[i] * y[i];
      }
    }
    assert_true(y[6] == x[6]);
    for (int i = 0; i < N; i++) {
      const int g = (int)group[i];
      if (g < 0) {
        continue;
      }
      const cr_real f = p.factor != NULL ? factor[i] : 1;
      const cr_real c = p.group_lasso * cr_sqrt(whole[g]),
                    adam = cr_sqrt(square[i] / c2) + rule.eps;
      assert_close(h[i], cr_max(adam, f * p.lasso + c / cr_sqrt((cr_real)size[g])), CR_R(1e-13));
      // where the number was before the shrinking
      const cr_real at = x[i] + rate * mean[i] / c1 * (1 / adam - 1 / h[i]);
      zeros += y[i] == 0;
      moved += y[i] != 0;
      const cr_real rest = cr_max(cr_abs(h[i] * at) - rate * f * p.lasso, 0);
      pull[g] += rest * rest;
      if (norm[g] > 0) {
        const cr_real sum = h[i] * (y[i] - at) + rate * c * y[i] / cr_sqrt(norm[g]);
        if (y[i] != 0) {
          assert_close(sum + rate * f * p.lasso * cr_sign(y[i]), 0, CR_R(1e-12));
        } else {
          assert_true(cr_abs(sum) <= rate * f * p.lasso + CR_R(1e-12));
        }
      }
    }
    for (int g = 0; g < 4; g++) {
      const cr_real c = rate * p.group_lasso * cr_sqrt(whole[g]);
      assert_true(norm[g] > 0 || cr_sqrt(pull[g]) <= c * (1 + CR_R(1e-12)));
    }
  }
  print_message("%d zeros, %d others\n", zeros, moved);
  assert_true(zeros > 100 && moved > 1000);
}
