// SPDX-License-Identifier: Apache-2.0
// The acceleration without and with rows, and its derivative written out with dense matrices.
#include "engine/acceleration.h"

#include <stdlib.h>

#include "base/random.h"
#include "scenes/contact_scene.h"
#include "scenes/mechanism.h"
#include "solver/friction_cone.h"
#include "support/close.h"

enum { N_SEED = 12, MAX_NV = 64 };

TEST(free_acceleration_solves_with_inertia) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    s.m.disableflags |= CR_DSBL_CONSTRAINT;
    s.d->want_M = true;
    scene_run(&s, "acceleration");
    cr_real *M = scene_dense_M(&s), a[MAX_NV], zero[MAX_NV] = {0};
    cr_copy(a, s.d->qfrc_smooth, s.m.nv);
    mechanism_solve(s.m.nv, M, a);
    assert_int_equal(s.d->nefc, 0);
    assert_all_close(s.d->qacc_smooth, a, s.m.nv, CR_R(1e-9));
    assert_all_close(s.d->qacc, s.d->qacc_smooth, s.m.nv, 0);
    assert_all_close(s.d->qfrc_constraint, zero, s.m.nv, 0);
    free(M);
    scene_close(&s);
  }
}

TEST(forces_accelerate) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "acceleration");
    int nv = s.m.nv;
    cr_real *J = scene_dense_J(&s), *M = scene_dense_M(&s), q[MAX_NV] = {0}, a[MAX_NV];
    for (int i = 0; i < s.d->nefc; i++) {
      for (int j = 0; j < nv; j++) {
        q[j] += J[i * nv + j] * s.d->efc_force[i];
      }
    }
    assert_all_close(s.d->qfrc_constraint, q, nv, 64 * CR_EPS);
    for (int j = 0; j < nv; j++) {
      a[j] = s.d->qfrc_smooth[j] + q[j];
    }
    mechanism_solve(nv, M, a);
    assert_all_close(s.d->qacc, a, nv, CR_R(1e-8));
    free(J);
    free(M);
    scene_close(&s);
  }
}

// With only qacc_bar: qfrc_smooth_bar = w, H w = qacc_bar; the pairs are (-w, a), (f, w), (F' J w, a).
TEST(cotangent_is_the_implicit_one) {
  cr_random r = cr_random_seed(1, 7);
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "acceleration");
    int nv = s.m.nv, n = s.d->nefc;
    cr_data *bar, *tan;
    assert_int_equal(cri_data_twin(&bar, &s.m, s.d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
    assert_int_equal(cri_data_twin(&tan, &s.m, s.d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
    for (int i = 0; i < nv; i++) {
      bar->qacc[i] = tan->qfrc_smooth[i] = cr_random_normal(&r);
    }
    assert_int_equal(cr_acceleration_vjp(&s.m, s.d, bar), CR_OK);
    const cr_real* w = bar->qfrc_smooth;

    // H is symmetric, so the tangent along the same numbers is w too
    assert_int_equal(cr_acceleration_jvp(&s.m, s.d, tan), CR_OK);
    assert_all_close(tan->qacc, w, nv, CR_R(1e-9));

    assert_int_equal(bar->M_pairs.n, 1);
    assert_int_equal(bar->efc_J_pairs.n, 2);
    for (int i = 0; i < nv; i++) {
      assert_close(cri_pair_left(&bar->M_pairs, 0)[i], -w[i], 0);
      assert_close(cri_pair_right(&bar->M_pairs, 0)[i], s.d->qacc[i], 0);
      assert_close(cri_pair_right(&bar->efc_J_pairs, 0)[i], w[i], 0);
      assert_close(cri_pair_right(&bar->efc_J_pairs, 1)[i], s.d->qacc[i], 0);
    }
    for (int i = 0; i < n; i++) {
      assert_close(cri_pair_left(&bar->efc_J_pairs, 0)[i], s.d->efc_force[i], 0);
      assert_close(cri_pair_left(&bar->efc_J_pairs, 1)[i], -bar->efc_aref[i], 0);
    }
    // F' J w is the change of forces that comes with w
    assert_all_close(tan->efc_force, cri_pair_left(&bar->efc_J_pairs, 1), n, CR_R(1e-8));
    cri_data_free(bar);
    cri_data_free(tan);
    scene_close(&s);
  }
}

// largest entry of M a - tau - J' f, over that of its terms
static cr_real imbalance(const contact_scene* s, const cr_real* a, const cr_real* tau,
                         const cr_real* f) {
  int nv = s->m.nv;
  cr_real *M = scene_dense_M(s), *J = scene_dense_J(s), most = 0, scale = 0;
  for (int i = 0; i < nv; i++) {
    cr_real Ma = 0, q = 0;
    for (int j = 0; j < nv; j++) {
      Ma += M[i * nv + j] * a[j];
    }
    for (int k = 0; k < s->d->nefc; k++) {
      q += J[k * nv + i] * f[k];
    }
    most = cr_max(most, cr_abs(Ma - tau[i] - q));
    scale = cr_max(scale, cr_max(cr_abs(Ma), cr_max(cr_abs(tau[i]), cr_abs(q))));
  }
  free(M);
  free(J);
  return most / scale;
}

// the first row that pushes by a law of its own, -1 where there is none
static int pushing_row(const contact_scene* s) {
  for (int i = 0; i < s->d->nefc; i++) {
    if (s->d->efc_state[i] == CR_STATE_QUADRATIC) {
      return i;
    }
  }
  return -1;
}

// Tangents and cotangents of the forces balance: how far they do not, with the row as it is.
static void assert_balanced(contact_scene* s, cr_random* r) {
  int nv = s->m.nv;
  cr_data *bar, *tan;
  assert_int_equal(cr_acceleration(&s->m, s->d), CR_OK);
  assert_int_equal(cri_data_twin(&bar, &s->m, s->d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&tan, &s->m, s->d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  for (int i = 0; i < nv; i++) {
    bar->qacc[i] = tan->qfrc_smooth[i] = cr_random_normal(r);
  }
  assert_int_equal(cr_acceleration_jvp(&s->m, s->d, tan), CR_OK);
  assert_true(imbalance(s, tan->qacc, tan->qfrc_smooth, tan->efc_force) < CR_R(1e-11));
  cr_real keep[MAX_NV];
  cr_copy(keep, bar->qacc, nv);
  assert_int_equal(cr_acceleration_vjp(&s->m, s->d, bar), CR_OK);
  assert_true(imbalance(s, bar->qfrc_smooth, keep, cri_pair_left(&bar->efc_J_pairs, 1)) <
              CR_R(1e-11));
  cri_data_free(bar);
  cri_data_free(tan);
}

// A contact of a body that MuJoCo takes for immovable has D near 1/mjMINVAL. Tangents and cotangents
// of the forces still balance, though one solve with H leaves next to no digits.
TEST(a_very_stiff_row_keeps_its_digits) {
  cr_random r = cr_random_seed(2, 7);
  int stiff = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "acceleration");
    int row = pushing_row(&s);
    if (row >= 0) {
      s.d->efc_D[row] = CR_R(1e-2) / CR_EPS;
      assert_balanced(&s, &r);
      stiff += s.d->efc_state[row] == CR_STATE_QUADRATIC;
    }
    scene_close(&s);
  }
  assert_true(stiff > 2);
}

// So they do where the row moves each dof a hundred times less than the one before, and no pivot of H is much
// larger than the entry of M: an edge of a pyramid without friction below the middle of a body is such a row.
TEST(a_stiff_row_that_pivots_share_keeps_its_digits) {
  cr_random r = cr_random_seed(3, 7);
  int stiff = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "acceleration");
    int row = pushing_row(&s);
    for (cr_real D = CR_R(1e4); row >= 0 && D < CR_R(1e-4) / CR_EPS; D *= 10) {
      cr_real *J = s.d->efc_J + s.d->efc_J_rowadr[row], share = 1;
      for (int k = 0; k < s.d->efc_J_rownnz[row]; k++, share *= CR_R(0.01)) {
        J[k] = share;
      }
      s.d->efc_D[row] = D;
      assert_balanced(&s, &r);
      stiff += s.d->efc_state[row] == CR_STATE_QUADRATIC;
    }
    scene_close(&s);
  }
  assert_true(stiff > 20);
}

TEST(without_rows_there_are_no_row_pairs) {
  contact_scene s;
  scene_open(&s, 2);
  s.m.disableflags |= CR_DSBL_CONSTRAINT;
  scene_run(&s, "acceleration");
  cr_data* bar;
  assert_int_equal(cri_data_twin(&bar, &s.m, s.d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
  bar->qacc[0] = bar->qacc_smooth[0] = 1;
  assert_int_equal(cr_acceleration_vjp(&s.m, s.d, bar), CR_OK);
  assert_int_equal(bar->M_pairs.n, 2);
  assert_int_equal(bar->efc_J_pairs.n, 0);
  cri_data_free(bar);
  scene_close(&s);
}

TEST(acceleration_that_is_not_finite_names_the_joint) {
  contact_scene s;
  scene_open(&s, 2);
  scene_run(&s, "acceleration");
  int dof = s.m.nv - 1;
  s.d->qfrc_smooth[dof] = (cr_real)INFINITY;
  assert_int_equal(cr_acceleration(&s.m, s.d), CR_ERR_NONFINITE);
  char joint[32];
  (void)snprintf(joint, sizeof joint, "joint %d ", s.m.dof_jntid[s.m.tree_dofadr[s.m.ntree - 1]]);
  assert_non_null(strstr(s.d->error.text, "qacc_smooth of joint"));
  assert_non_null(strstr(s.d->error.text, joint));
  assert_int_equal(s.d->scratch_used, 0);
  scene_close(&s);
}

// what the generic check of the pipeline does not reach: other dimensions, contacts from distance
TEST(derivatives_hold_for_all_dimensions) {
  static const int dims[] = {1, 4, 6};
  for (int i = 0; i < 3; i++) {
    for (int seed = 1; seed <= 4; seed++) {
      contact_scene s;
      scene_open(&s, seed);
      scene_condim(&s, dims[i]);
      scene_check_stages(&s, "acceleration", "acceleration");
      scene_close(&s);
    }
  }
}

TEST(derivatives_hold_from_distance) {
  for (int seed = 1; seed <= 6; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    s.m.cfd = 1;
    s.m.cfd_d0 = CR_R(0.2);
    s.m.cfd_dc = 0;
    s.m.cfd_wc = CR_R(0.3);
    s.m.cfd_mc = 1;
    s.m.cfd_pc = 2;
    s.m.cfd_scale = CR_R(0.05);
    scene_check_stages(&s, "acceleration", "acceleration");
    scene_close(&s);
  }
}
