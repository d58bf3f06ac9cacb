// SPDX-License-Identifier: Apache-2.0
// M entry by entry against the sum of J' I J over bodies; products without M; when M is formed.
#include "inertia/inertia.h"

#include "force/reflected.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 12, MAX_NV = 64, MAX_CHAIN = 32 };

typedef struct {
  cr_model m;
  cr_data* d;
  cr_real A[MAX_NV * MAX_NV], x[MAX_NV], y[MAX_NV];
} fixture;

static fixture f;

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  f.d = test_data(&f.m);
  assert_true(f.m.nv <= MAX_NV);
  random_state(&f.m, f.d, seed, STATE_FLIGHT);
  mechanism_pose(&f.m, f.d);
}

static void end(void) { cri_model_free(&f.m); }

TEST(inertia_matches_the_sum_over_bodies) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    int n = f.m.nv;
    f.d->want_M = true;
    assert_int_equal(cr_inertia(&f.m, f.d), CR_OK);
    cr_real armature[MAX_NV];
    cri_reflected_armature(&f.m, armature);
    mechanism_inertia(&f.m, f.d, armature, f.A);
    for (int i = 0; i < n; i++) {
      f.x[i] = f.A[n * i + i];
    }
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < f.m.M_rownnz[i]; k++) {
        int at = f.m.M_rowadr[i] + k, j = f.m.M_colind[at];
        cr_real scale = cr_sqrt(f.x[i] * f.x[j]);
        assert_close(f.d->M[at], f.A[n * i + j], CR_R(1e-13) * scale);
        f.A[n * i + j] = f.A[n * j + i] = 0;
      }
    }
    // nothing is left outside the pattern
    for (int i = 0; i < n * n; i++) {
      assert_close(f.A[i], 0, 0);
    }
    end();
  }
}

TEST(inertia_product_needs_no_matrix) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_random r = cr_random_seed(seed, 13);
    for (int i = 0; i < f.m.nv; i++) {
      f.x[i] = cr_random_normal(&r);
    }
    cr_real armature[MAX_NV];
    cri_reflected_armature(&f.m, armature);
    mechanism_inertia(&f.m, f.d, armature, f.A);
    mechanism_mul(f.m.nv, f.A, f.x, f.y);
    cri_inertia_mul(&f.m, f.d, f.x, f.x, f.d);
    assert_all_close(f.x, f.y, f.m.nv, CR_R(1e-13));
    assert_int_equal(f.d->scratch_used, 0);
    end();
  }
}

// hinges one after the other, whose last row of M has n entries
static void begin_chain(int n) {
  int32_t types[MAX_CHAIN];
  for (int j = 0; j < n; j++) {
    types[j] = CR_JNT_HINGE;
  }
  assert_int_equal(chain_model(&f.m, n, types, 0, NULL), CR_OK);
  f.d = test_data(&f.m);
  random_state(&f.m, f.d, (uint64_t)n, STATE_FLIGHT);
  mechanism_pose(&f.m, f.d);
}

TEST(inertia_is_formed_where_something_needs_it) {
  begin_chain(MAX_CHAIN);
  f.d->M[0] = -7;
  assert_int_equal(cr_inertia(&f.m, f.d), CR_OK);
  assert_false(f.d->M_formed);
  assert_close(f.d->M[0], -7, 0);
  f.d->nefc = 1;
  assert_int_equal(cr_inertia(&f.m, f.d), CR_OK);
  assert_true(f.d->M_formed && f.d->M[0] > 0);
  f.d->nefc = 0;
  f.d->want_M = true;
  f.d->M[0] = -7;
  assert_int_equal(cr_inertia(&f.m, f.d), CR_OK);
  assert_true(f.d->M_formed && f.d->M[0] > 0);
  end();
}

TEST(inertia_tangent_does_not_depend_on_whether_m_was_formed) {
  begin_chain(MAX_CHAIN);
  cr_data* tan;
  assert_int_equal(cri_data_twin(&tan, &f.m, f.d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  cr_random r = cr_random_seed(4, 14);
  for (int i = 0; i < 10 * f.m.nbody; i++) {
    tan->cinert[i] = cr_random_normal(&r);
  }
  for (int i = 0; i < 6 * f.m.nv; i++) {
    tan->cdof[i] = cr_random_normal(&r);
  }
  f.d->want_M = true;
  assert_int_equal(cr_inertia(&f.m, f.d), CR_OK);
  assert_int_equal(cr_inertia_jvp(&f.m, f.d, tan), CR_OK);
  cr_copy(f.A, tan->M, f.m.nC);
  cr_zero(tan->M, f.m.nC);
  f.d->want_M = false;
  assert_int_equal(cr_inertia(&f.m, f.d), CR_OK);
  cr_zero(f.d->crb, 10 * f.m.nbody);
  assert_int_equal(cr_inertia_jvp(&f.m, f.d, tan), CR_OK);
  assert_memory_equal(tan->M, f.A, (size_t)f.m.nC * sizeof(cr_real));
  cri_data_free(tan);
  end();
}

// both sides of a pair mean the same, since M is symmetric; pairs add
TEST(inertia_cotangent_is_symmetric_and_additive_in_pairs) {
  begin(5);
  cr_data* one = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
  cr_data* two = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
  cr_random r = cr_random_seed(5, 15);
  assert_int_equal(cri_pairs_add(&one->M_pairs), 0);
  cri_pairs_add(&two->M_pairs);
  cri_pairs_add(&two->M_pairs);
  for (int i = 0; i < f.m.nv; i++) {
    cr_real l = cr_random_normal(&r), right = cr_random_normal(&r);
    cri_pair_left(&one->M_pairs, 0)[i] = l;
    cri_pair_right(&one->M_pairs, 0)[i] = right;
    cri_pair_left(&two->M_pairs, 0)[i] = cri_pair_left(&two->M_pairs, 1)[i] = right / 2;
    cri_pair_right(&two->M_pairs, 0)[i] = cri_pair_right(&two->M_pairs, 1)[i] = l;
  }
  assert_int_equal(cr_inertia(&f.m, f.d), CR_OK);
  assert_int_equal(cr_inertia_vjp(&f.m, f.d, one), CR_OK);
  assert_int_equal(cr_inertia_vjp(&f.m, f.d, two), CR_OK);
  assert_all_close(one->cinert, two->cinert, 10 * f.m.nbody, CR_R(1e-13));
  assert_all_close(one->cdof, two->cdof, 6 * f.m.nv, CR_R(1e-13));
  assert_all_close(one->par.dof_armature, two->par.dof_armature, f.m.nv, CR_R(1e-13));
  end();
}

// the factor of the matrix in shallow trees, of articulated bodies in deep ones, with more on the diagonal
TEST(inertia_factor_solves_in_shallow_and_deep_trees) {
  for (int n = 2; n <= MAX_CHAIN; n += 10) {
    begin_chain(n);
    assert_int_equal(cri_inertia_by_matrix(&f.m, f.d), n < 24);
    assert_int_equal(cr_inertia(&f.m, f.d), CR_OK);
    cr_random r = cr_random_seed((uint64_t)n, 16);
    cr_real extra[MAX_NV];
    for (int i = 0; i < n; i++) {
      f.y[i] = f.x[i] = cr_random_normal(&r);
      extra[i] = cr_random_range(&r, 0, 1);
    }
    cri_factors of_M = cri_factors_of_M(f.d);
    cri_inertia_mul(&f.m, f.d, f.x, f.x, f.d);
    cri_inertia_solve(&f.m, f.d, of_M, f.x, f.d);
    assert_all_close(f.x, f.y, n, CR_R(1e-10));
    // (M + extra) y
    cri_inertia_mul(&f.m, f.d, f.x, f.y, f.d);
    for (int i = 0; i < n; i++) {
      f.x[i] += extra[i] * f.y[i];
    }
    assert_int_equal(cri_inertia_factor(&f.m, f.d, extra, of_M, f.d), CR_OK);
    cri_inertia_solve(&f.m, f.d, of_M, f.x, f.d);
    assert_all_close(f.x, f.y, n, CR_R(1e-10));
    assert_int_equal(f.d->scratch_used, 0);
    end();
  }
}

TEST(inertia_reports_a_massless_mechanism) {
  begin(3);
  cr_zero(f.d->cinert, 10 * f.m.nbody);
  cr_zero(f.m.dof_armature, f.m.nv);
  cr_zero(f.m.actuator_armature, f.m.nactuator);
  assert_int_equal(cr_inertia(&f.m, f.d), CR_ERR_SINGULAR);
  assert_int_equal(f.d->scratch_used, 0);
  end();
  for (int n = 2; n <= MAX_CHAIN; n += MAX_CHAIN - 2) {
    begin_chain(n);
    cr_zero(f.d->cinert, 10 * f.m.nbody);
    assert_int_equal(cr_inertia(&f.m, f.d), CR_ERR_SINGULAR);
    f.d->cinert[10 * n] = (cr_real)NAN;
    assert_int_equal(cr_inertia(&f.m, f.d), CR_ERR_NONFINITE);
    end();
  }
}
