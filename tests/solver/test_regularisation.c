// SPDX-License-Identifier: Apache-2.0
// Regularisation by formula, with the exact diagonal against a dense J M^-1 J', and its derivatives
// with either.
#include "solver/regularisation.h"

#include <stdlib.h>

#include "constraint/rows.h"
#include "math/cholesky.h"
#include "scenes/contact_scene.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 12 };

// R = (1-I)/I A in every row; R_1 = R_0 / impratio; R_j mu_j^2 equal; 2 mu^2 (R of the first edge)
TEST(regularisation_follows_its_rules) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_condim(&s, 6);
    s.m.impratio = CR_R(2.5);
    scene_run(&s, "regularisation");
    const cr_data* d = s.d;
    for (int i = 0; i < d->nefc; i++) {
      cr_real I = d->efc_KBIP[4 * i + 2];
      assert_close(d->efc_R[i] * d->efc_D[i], 1, 4 * CR_EPS);
      assert_close((1 - I) / I * d->efc_diagA[i], d->efc_R[i], 16 * CR_EPS * d->efc_R[i]);
    }
    for (int c = 0; c < d->ncon; c++) {
      int i = d->contact_efc_address[c];
      if (i < 0) {
        continue;
      }
      const cr_real *mu = d->contact_friction + 5 * c, *R = d->efc_R + i;
      cr_real I = d->efc_KBIP[4 * i + 2], weight = 0;
      for (int side = 0; side < 2; side++) {
        weight += s.m.body_invweight0[2 * s.m.geom_bodyid[d->contact_geom[2 * c + side]]];
      }
      cr_real R0 = (1 - I) / I * weight / d->contact_weight[c], mu2 = mu[0] * mu[0] / s.m.impratio;
      assert_close(d->contact_mu[c] * d->contact_mu[c], mu2, 8 * CR_EPS * mu2);
      for (int k = 0; k < cri_contact_rows(&s.m, 6); k++) {
        bool tangent = s.m.cone == CR_CONE_ELLIPTIC && k > 0;
        cr_real expected = s.m.cone == CR_CONE_PYRAMIDAL ? 2 * mu2 * R0 * (1 + mu[0] * mu[0]) : R0;
        if (tangent) {
          expected = R0 / s.m.impratio * mu[0] * mu[0] / (mu[k - 1] * mu[k - 1]);
        }
        assert_close(R[k], expected, 32 * CR_EPS * expected);
        assert_close(d->efc_pos[i + k], tangent ? 0 : d->contact_dist[c], 0);
        assert_close(d->efc_margin[i + k], tangent ? 0 : d->contact_includemargin[c], 0);
      }
    }
    scene_close(&s);
  }
}

// x = M^-1 x by elimination
static void solve_dense(cr_real* M, cr_real* x, int n) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      cr_real f = M[i * n + k] / M[k * n + k];
      for (int j = k; j < n; j++) {
        M[i * n + j] -= f * M[k * n + j];
      }
      x[i] -= f * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) {
      x[k] -= M[k * n + j] * x[j];
    }
    x[k] /= M[k * n + k];
  }
}

static cr_real dense_diagonal(const contact_scene* s, const cr_real* J, int i) {
  int nv = s->m.nv;
  cr_real *M = scene_dense_M(s), *x = calloc((size_t)nv, sizeof *x), sum = 0;
  assert_non_null(x);
  cr_copy(x, J + i * nv, nv);
  solve_dense(M, x, nv);
  for (int j = 0; j < nv; j++) {
    sum += J[i * nv + j] * x[j];
  }
  free(M);
  free(x);
  return sum;
}

// the first row of what shares one R decides; a pyramid's is an edge
TEST(exact_diagonal_is_that_of_the_matrix) {
  int rows = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    s.m.enableflags |= CR_ENBL_DIAGEXACT;
    scene_run(&s, "regularisation");
    cr_real* J = scene_dense_J(&s);
    for (int i = 0; i < s.d->nefc; i++) {
      bool contact = s.d->efc_type[i] >= CR_CNSTR_CONTACT_FRICTIONLESS;
      int c = s.d->efc_id[i];
      cr_real expected = dense_diagonal(&s, J, i);
      if ((contact && i != s.d->contact_efc_address[c]) || expected < CR_R(1e-9)) {
        continue;  // led by another row, or nothing moves and R is at its least
      }
      if (s.d->efc_type[i] == CR_CNSTR_CONTACT_PYRAMIDAL) {
        expected *= 2 * s.d->contact_mu[c] * s.d->contact_mu[c];
      }
      expected /= contact ? s.d->contact_weight[c] : 1;
      assert_close(s.d->efc_diagA[i], expected, 4096 * CR_EPS * expected);
      rows++;
    }
    free(J);
    scene_close(&s);
  }
  assert_true(rows > 50);
}

TEST(derivatives_hold_with_the_exact_diagonal) {
  for (int seed = 1; seed <= 3; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    cri_data_free(s.d);
    s.m.enableflags |= CR_ENBL_DIAGEXACT;
    if (seed == 2) {
      random_model_discrete(&s.m);
    }
    scene_reopen(&s);
    scene_check_stages(&s, "regularisation", "regularisation");
    scene_close(&s);
  }
}
