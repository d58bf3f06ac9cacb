// SPDX-License-Identifier: Apache-2.0
// Sums of outer products against dense ones, and their derivatives, which differences give exactly:
// the sum is a square of the values.
#include "force/rank_one.h"

#include "base/random.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 60, MAX_NV = 64, MAX_ROWS = 32, MAX_NNZ = 512 };

static cr_model m;
static cr_data *d, *bar;
static cr_random random;
static cr_real a[MAX_NNZ], a_tan[MAX_NNZ], c[MAX_ROWS], c_tan[MAX_ROWS], l[MAX_NV], r[MAX_NV];

static void fill(cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_normal(&random);
  }
}

// every second seed as implicitfast takes the rows
static cri_rows rows_of(uint64_t seed) {
  cri_rows rows = cri_tendon_rows(&m, a);
  rows.fast = seed % 2 == 1;
  return rows;
}

static bool begin(uint64_t seed) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  assert_true(m.nv <= MAX_NV && m.ntendon <= MAX_ROWS && m.nJten <= MAX_NNZ);
  d = test_data(&m);
  bar = test_twin(&m, d, CR_DATA_COTANGENT);
  random = cr_random_seed(seed, 5);
  fill(a, m.nJten);
  fill(a_tan, m.nJten);
  fill(c, m.ntendon);
  fill(c_tan, m.ntendon);
  fill(l, m.nv);
  fill(r, m.nv);
  return m.ntendon > 0;
}

static void end(void) { cri_model_free(&m); }

static bool is_above(int i, int j) {
  while (j > i) {
    j = m.dof_parentid[j];
  }
  return i == j;
}

static int alone;  // entries of simple bodies that are left out

// l' D r, D by its definition
static cr_real form(bool fast, const cr_real* values, const cr_real* weights) {
  cr_real sum = 0;
  for (int t = 0; t < m.ntendon; t++) {
    int first = m.ten_J_rowadr[t], last = first + m.ten_J_rownnz[t];
    for (int x = first; x < last; x++) {
      for (int y = first; y < last; y++) {
        int i = m.ten_J_colind[x], j = m.ten_J_colind[y];
        bool kept = is_above(i, j) || is_above(j, i);
        kept = kept && (i == j || !fast || !cri_is_diagonal(&m, i));
        alone += fast && i != j && cri_is_diagonal(&m, i) && cri_is_diagonal(&m, j);
        sum += kept ? weights[t] * values[x] * values[y] * l[i] * r[j] : 0;
      }
    }
  }
  return sum;
}

TEST(entries_are_those_of_relatives) {
  static cr_real lower[MAX_NV * MAX_NV], upper[MAX_NV * MAX_NV];
  int split = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    if (begin(seed)) {
      cri_rows rows = rows_of(seed);
      cr_real sum = 0, scale = 1;
      cr_zero(lower, m.nC);
      cr_zero(upper, m.nC);
      cri_rank_one_add(&m, &rows, c, lower, upper);
      for (int i = 0; i < m.nv; i++) {
        for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; k++) {
          int j = m.M_colind[k];
          sum += lower[k] * l[i] * r[j] + (i == j ? 0 : upper[k] * l[j] * r[i]);
          scale += cr_abs(lower[k] * l[i] * r[j]);
        }
      }
      assert_close(sum, form(rows.fast, a, c), 256 * CR_EPS * scale);
    }
    for (int t = 0; t < m.ntendon; t++) {
      split += !cri_on_one_chain(&m, m.ten_J_colind + m.ten_J_rowadr[t], m.ten_J_rownnz[t]);
    }
    end();
  }
  assert_true(split > 0 && alone > 0);
}

TEST(derivatives_are_those_of_the_form) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    if (begin(seed)) {
      cri_rows rows = rows_of(seed);
      // cubic in a step of both, so two central differences give its slope
      cr_real at[4], values[MAX_NNZ], weights[MAX_ROWS], y[MAX_NV] = {0}, c_bar[MAX_ROWS];
      cr_real scale = 1, forward = 0, backward = 0;
      for (int k = 0; k < 4; k++) {
        cr_real h = (cr_real)(k < 2 ? k - 2 : k - 1);
        for (int i = 0; i < m.nJten; i++) {
          values[i] = a[i] + h * a_tan[i];
        }
        for (int t = 0; t < m.ntendon; t++) {
          weights[t] = c[t] + h * c_tan[t];
        }
        at[k] = form(rows.fast, values, weights);
        scale += cr_abs(at[k]);
      }
      cr_real expected = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / 12;

      cri_rank_one_jvp(&m, &rows, a_tan, c, c_tan, r, y, d);
      for (int i = 0; i < m.nv; i++) {
        forward += l[i] * y[i];
      }
      assert_close(forward, expected, 256 * CR_EPS * scale);

      cr_pairs* pairs = &bar->ten_J_pairs;
      cri_rank_one_vjp(&m, &rows, c, l, r, CR_R(0.5), c_bar, pairs, bar);
      for (int t = 0; t < m.ntendon; t++) {
        backward += c_bar[t] * c_tan[t];
        for (int p = 0; p < pairs->n; p++) {
          for (int k = m.ten_J_rowadr[t]; k < m.ten_J_rowadr[t] + m.ten_J_rownnz[t]; k++) {
            backward +=
                cri_pair_left(pairs, p)[t] * a_tan[k] * cri_pair_right(pairs, p)[m.ten_J_colind[k]];
          }
        }
      }
      assert_close(2 * backward, expected, 512 * CR_EPS * scale);
      assert_int_equal(d->scratch_used + bar->scratch_used, 0);
    }
    end();
  }
}
