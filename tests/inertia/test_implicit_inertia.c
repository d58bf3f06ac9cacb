// SPDX-License-Identifier: Apache-2.0
// The effective inertia: matrix, factor, diagonal and product against dense ones.
#include "inertia/implicit_inertia.h"

#include <stdlib.h>

#include "base/random.h"
#include "engine/forward.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 30, MAX_NV = 64 };

static cr_model m;
static cr_data* d;
static cr_real dense[MAX_NV][MAX_NV];

static void add_dense(const int32_t* nnz, const int32_t* adr, const int32_t* col, int rows,
                      const cr_real* value, const cr_real* weight) {
  for (int r = 0; r < rows; r++) {
    for (int x = adr[r]; x < adr[r] + nnz[r]; x++) {
      for (int y = adr[r]; y < adr[r] + nnz[r]; y++) {
        dense[col[x]][col[y]] += weight[r] * value[x] * value[y];
      }
    }
  }
}

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  assert_true(m.nv <= MAX_NV);
  random_model_discrete(&m);
  m.timestep = CR_R(0.05);
  d = test_data(&m);
  random_state(&m, d, seed, STATE_FLIGHT);
  assert_int_equal(cr_forward(&m, d), CR_OK);
  for (int i = 0; i < MAX_NV * MAX_NV; i++) {
    dense[i / MAX_NV][i % MAX_NV] = 0;
  }
  for (int i = 0; i < m.nv; i++) {
    for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; k++) {
      int j = m.M_colind[k];
      dense[i][j] = dense[j][i] = d->M[k] + d->efm_fluid[k];
    }
    dense[i][i] += d->efm_dof[i];
  }
  add_dense(m.ten_J_rownnz, m.ten_J_rowadr, m.ten_J_colind, m.ntendon, d->ten_J, d->efm_tendon);
  add_dense(d->moment_rownnz, d->moment_rowadr, d->moment_colind, m.nout, d->actuator_moment,
            d->efm_actuator);
}

static void end(void) { cri_model_free(&m); }

TEST(matrix_factor_and_product_agree) {
  cr_random r = cr_random_seed(3, 4);
  int coupled = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_real* value = calloc((size_t)d->nefmL, sizeof *value);
    assert_non_null(value);
    assert_int_equal(cri_implicit_inertia_factor(&m, d, value), CR_OK);
    assert_int_equal(d->scratch_used, 0);
    cr_pattern p = cri_implicit_inertia_pattern(&m, d);
    cr_real x[MAX_NV], y[MAX_NV], H[MAX_NV], scale = 1;
    for (int i = 0; i < m.nv; i++) {
      x[i] = cr_random_normal(&r);
      for (int k = p.adr[i]; k < p.adr[i] + p.nnz[i]; k++) {
        int j = p.col[k];
        scale = cr_max(scale, cr_abs(dense[i][j]));
        assert_close(value[k], dense[i][j], 256 * CR_EPS * scale);
        coupled += i != j && dense[i][j] != 0 && cri_place_in_M(&m, i, j) < 0;
        dense[i][j] = dense[j][i];
      }
    }
    // product
    for (int i = 0; i < m.nv; i++) {
      y[i] = 0;
      for (int j = 0; j < m.nv; j++) {
        y[i] += dense[i][j] * x[j];
      }
    }
    cr_real z[MAX_NV] = {0};
    cr_pattern M = {.n = m.nv, .nnz = m.M_rownnz, .adr = m.M_rowadr, .col = m.M_colind};
    cr_sparse_mul(z, d->M, &M, x);
    cri_implicit_inertia_add(&m, d, x, z);
    assert_all_close(z, y, m.nv, 4096 * CR_EPS * scale);
    // solve, diagonal
    cr_chol_solve(d->efm_L, &p, y);
    assert_all_close(y, x, m.nv, CR_R(1e-9) * scale);
    cri_implicit_inertia_diagonal(&m, d, H);
    for (int i = 0; i < m.nv; i++) {
      int k = m.M_rowadr[i] + m.M_rownnz[i] - 1;
      H[i] += d->M[k] + d->efm_fluid[k];
      assert_close(H[i], dense[i][i], 256 * CR_EPS * scale);
    }
    free(value);
    end();
  }
  assert_true(coupled > 0);
}
