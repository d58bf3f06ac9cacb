// SPDX-License-Identifier: Apache-2.0
// Products with the rows' Jacobian against dense ones.
#include "constraint/rows.h"

#include <stdlib.h>

#include "base/random.h"
#include "scenes/contact_scene.h"
#include "support/close.h"

enum { N_SEED = 8 };

static cr_real* normal_numbers(cr_random* r, int n) {
  cr_real* x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_normal(r);
  }
  return x;
}

static void products_match(const contact_scene* s, cr_random* r) {
  int nv = s->m.nv, nefc = s->d->nefc;
  cr_real *J = scene_dense_J(s), *x = normal_numbers(r, nv), *y = normal_numbers(r, nefc);
  cr_real *Jx = normal_numbers(r, nefc), *more = normal_numbers(r, nv);
  cr_real *expected_Jx = calloc((size_t)nefc + 1, sizeof *J), *expected = normal_numbers(r, nv);
  cr_copy(expected, more, nv);
  for (int i = 0; i < nefc; i++) {
    for (int j = 0; j < nv; j++) {
      expected_Jx[i] += J[i * nv + j] * x[j];
      expected[j] += J[i * nv + j] * y[i];
    }
  }
  cri_rows_mul(&s->m, s->d, s->d->efc_J, Jx, x);
  cri_rows_mul_transposed(&s->m, s->d, s->d->efc_J, more, y);
  assert_all_close(Jx, expected_Jx, nefc, 32 * CR_EPS);
  assert_all_close(more, expected, nv, 32 * CR_EPS);
  cr_real* const all[] = {J, x, y, Jx, more, expected_Jx, expected};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    free(all[i]);
  }
}

TEST(products_match_dense_ones) {
  static const int dims[] = {0, 1, 3, 4, 6};
  cr_random r = cr_random_seed(1, 2);
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    if (dims[seed % 5] > 0) {
      scene_condim(&s, dims[seed % 5]);
    }
    for (int cone = 0; cone < 2; cone++) {
      s.m.cone = cone;
      scene_run(&s, "constraint");
      assert_true(s.d->nefc > 0);
      products_match(&s, &r);
    }
    scene_close(&s);
  }
}

// the rows of a block have one list of columns, and blocks are a partition of the rows
TEST(blocks_share_their_columns) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "constraint");
    const cr_data* d = s.d;
    int i = 0, n = 0;
    while (i < d->nefc) {
      n = cri_rows_block(&s.m, d, i);
      for (int k = 1; k < n; k++) {
        size_t bytes = (size_t)d->efc_J_rownnz[i] * sizeof(int32_t);
        assert_int_equal(d->efc_J_rownnz[i + k], d->efc_J_rownnz[i]);
        assert_memory_equal(d->efc_J_colind + d->efc_J_rowadr[i + k],
                            d->efc_J_colind + d->efc_J_rowadr[i], bytes);
      }
      i += n;
    }
    assert_int_equal(i, d->nefc);
    scene_close(&s);
  }
}

TEST(rows_of_a_contact_follow_its_dimension) {
  cr_model m = {.cone = CR_CONE_ELLIPTIC};
  assert_int_equal(cri_contact_rows(&m, 1), 1);
  assert_int_equal(cri_contact_rows(&m, 3), 3);
  assert_int_equal(cri_contact_rows(&m, 6), 6);
  m.cone = CR_CONE_PYRAMIDAL;
  assert_int_equal(cri_contact_rows(&m, 1), 1);
  assert_int_equal(cri_contact_rows(&m, 3), 4);
  assert_int_equal(cri_contact_rows(&m, 6), 10);
}
