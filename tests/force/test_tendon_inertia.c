// SPDX-License-Identifier: Apache-2.0
// Armature of tendons: entries of M by brute force, and the product without the matrix.
#include "force/tendon_inertia.h"

#include <stdlib.h>

#include "engine/forward.h"
#include "inertia/inertia.h"
#include "math/cholesky.h"
#include "scenes/random_model.h"
#include "support/close.h"

static bool above(const cr_model* m, int j, int i) {
  for (; i >= 0; i = m->dof_parentid[i]) {
    if (i == j) {
      return true;
    }
  }
  return false;
}

// what entry (i, j) is by definition, from the dense rows that random models have
static cr_real expected(const cr_model* m, const cr_data* d, int i, int j) {
  cr_real sum = 0;
  for (int t = 0; t < m->ntendon; t++) {
    cr_real a = m->tendon_armature[t];
    for (int k = 0; k < m->nactuator; k++) {
      cr_real gear = m->actuator_gear[6 * m->actuator_outadr[k]];
      bool on = m->actuator_trntype[k] == CR_TRN_TENDON && m->actuator_trnid[2 * k] == t;
      a += on ? gear * gear * m->actuator_armature[k] : 0;
    }
    const cr_real* J = d->ten_J + m->ten_J_rowadr[t];
    assert_int_equal(m->ten_J_rownnz[t], m->nv);
    sum += a * J[i] * J[j];
  }
  return sum;
}

TEST(entries_are_armature_times_the_rows) {
  int filled = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    cr_model m;
    cr_data* d = NULL;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    d = test_data(&m);
    random_state(&m, d, seed, STATE_FLIGHT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    cr_real* M = calloc((size_t)m.nC, sizeof *M);
    cri_tendon_inertia(&m, d, M, d);
    for (int i = 0; i < m.nv; i++) {
      for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; k++) {
        int j = m.M_colind[k];
        assert_true(above(&m, j, i));
        cr_real right = expected(&m, d, i, j);
        assert_close(M[k], right, CR_R(1e-13) * (1 + cr_abs(right)));
        filled += right != 0;
      }
    }
    // the product is the matrix's
    cr_real *y = calloc((size_t)m.nv, sizeof *y), *z = calloc((size_t)m.nv, sizeof *z);
    cr_pattern p = {.n = m.nv, .nnz = m.M_rownnz, .adr = m.M_rowadr, .col = m.M_colind};
    cri_tendon_inertia_mul(&m, d, y, d->qvel, d);
    cr_sparse_mul(z, M, &p, d->qvel);
    for (int i = 0; i < m.nv; i++) {
      assert_close(y[i], z[i], CR_R(1e-13) * (1 + cr_abs(z[i])));
    }
    free(y);
    free(z);
    free(M);
    cri_model_free(&m);
  }
  assert_true(filled > 50);
}

// M x by the sweep, and the factor's solve, undo each other
TEST(the_factor_is_that_of_the_whole) {
  int with = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    cr_model m;
    cr_data* d = NULL;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    d = test_data(&m);
    random_state(&m, d, seed, STATE_FLIGHT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    cr_real* x = calloc((size_t)m.nv, sizeof *x);
    cri_inertia_mul(&m, d, x, d->qvel, d);
    cri_inertia_solve(&m, d, cri_factors_of_M(d), x, d);
    for (int i = 0; i < m.nv; i++) {
      assert_close(x[i], d->qvel[i], CR_R(1e-9));
    }
    with += cri_tendon_inertia_acts(&m);
    free(x);
    cri_model_free(&m);
  }
  assert_true(with > 3 && with < 20);
}
