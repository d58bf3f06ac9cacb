// SPDX-License-Identifier: Apache-2.0
// Rows of random scenes: their order, their numbers by formula, what is left out; capacity; the
// derivatives where the generic check of the pipeline does not go (other dimensions, contacts from
// distance).
#include "contact/constraint.h"

#include <stdlib.h>

#include "contact/impedance.h"
#include "contact/rows.h"
#include "support/close.h"
#include "support/contact_scene.h"

enum { N_SEED = 12 };

static void rows_stand_in_order(void** state) {
  int seen[8] = {0};
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "constraint");
    const cr_data* d = s.d;
    for (int i = 0; i < d->nefc; i++) {
      int type = d->efc_type[i];
      seen[type]++;
      int friction = d->ne + d->nf, limits = friction + d->nl;
      assert_true((type == CR_CNSTR_EQUALITY) == (i < d->ne));
      assert_true((type == CR_CNSTR_FRICTION_DOF || type == CR_CNSTR_FRICTION_TENDON) ==
                  (i >= d->ne && i < friction));
      assert_true((type == CR_CNSTR_LIMIT_JOINT || type == CR_CNSTR_LIMIT_TENDON) ==
                  (i >= friction && i < limits));
      bool group =
          i > 0 && i != d->ne && i != friction && i != limits && d->efc_type[i - 1] == type;
      assert_true(i == 0 || d->efc_type[i - 1] <= type || i >= limits);
      assert_true(!group || d->efc_id[i] >= d->efc_id[i - 1]);
      assert_int_equal(d->efc_J_rowadr[i],
                       i == 0 ? 0 : d->efc_J_rowadr[i - 1] + d->efc_J_rownnz[i - 1]);
    }
    assert_int_equal(d->nJ, d->efc_J_rowadr[d->nefc - 1] + d->efc_J_rownnz[d->nefc - 1]);
    scene_close(&s);
  }
  static const int types[] = {CR_CNSTR_EQUALITY,          CR_CNSTR_FRICTION_DOF,
                              CR_CNSTR_LIMIT_JOINT,       CR_CNSTR_CONTACT_FRICTIONLESS,
                              CR_CNSTR_CONTACT_PYRAMIDAL, CR_CNSTR_CONTACT_ELLIPTIC};
  for (int i = 0; i < 6; i++) {
    assert_true(seen[types[i]] > 0);
  }
}

// R = (1-I)/I A in every row; R_1 = R_0 / impratio; R_j mu_j^2 equal; 2 mu^2 (R of the first edge)
static void regularisation_follows_its_rules(void** state) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_condim(&s, 6);
    s.m.impratio = CR_R(2.5);
    scene_run(&s, "constraint");
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
      cr_real R0 = (1 - I) / I * weight, mu2 = mu[0] * mu[0] / s.m.impratio;
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

// the rows of a pyramid are the elliptic ones, n + mu t and n - mu t
static void pyramid_is_made_of_elliptic_rows(void** state) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_condim(&s, 4);
    s.m.cone = CR_CONE_ELLIPTIC;
    scene_run(&s, "constraint");
    cr_real* elliptic = scene_dense_J(&s);
    int first = s.d->ne + s.d->nf + s.d->nl, nv = s.m.nv, contacts = (s.d->nefc - first) / 4;
    s.m.cone = CR_CONE_PYRAMIDAL;
    scene_run(&s, "constraint");
    cr_real* edges = scene_dense_J(&s);
    assert_int_equal(s.d->nefc, first + 6 * contacts);
    for (int n = 0; n < contacts; n++) {
      const cr_real *E = elliptic + (first + 4 * n) * nv, *P = edges + (first + 6 * n) * nv;
      const cr_real* mu = s.d->contact_friction + 5 * s.d->efc_id[first + 6 * n];
      for (int k = 0; k < 6; k++) {
        cr_real sign = k % 2 == 0 ? 1 : -1;
        for (int j = 0; j < nv; j++) {
          cr_real expected = E[j] + sign * mu[k / 2] * E[(1 + k / 2) * nv + j];
          assert_close(P[k * nv + j], expected, 8 * CR_EPS * (1 + cr_abs(expected)));
        }
      }
    }
    free(elliptic);
    free(edges);
    scene_close(&s);
  }
}

static void flags_remove_their_rows(void** state) {
  static const int flags[] = {CR_DSBL_EQUALITY, CR_DSBL_FRICTIONLOSS, CR_DSBL_LIMIT,
                              CR_DSBL_CONTACT, CR_DSBL_CONSTRAINT};
  contact_scene s;
  int seed = 1, ne, nf, nl, nc;
  for (;; seed++) {
    scene_open(&s, seed);
    scene_run(&s, "constraint");
    ne = s.d->ne;
    nf = s.d->nf;
    nl = s.d->nl;
    nc = s.d->nefc - ne - nf - nl;
    if (ne > 0 && nf > 0 && nl > 0 && nc > 0) {
      break;
    }
    scene_close(&s);
    assert_true(seed < 50);
  }
  int expected[5] = {nf + nl + nc, ne + nl + nc, ne + nf + nc, ne + nf + nl, 0};
  for (int i = 0; i < 5; i++) {
    s.m.disableflags = flags[i];
    assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
    assert_int_equal(s.d->nefc, expected[i]);
  }
  scene_close(&s);
}

// a contact in its gap, at its margin, and between two bodies that nothing moves
static void contacts_without_rows_say_why(void** state) {
  contact_scene s;
  scene_open(&s, 1);
  scene_run(&s, "mixing");
  assert_true(s.d->ncon > 1);
  int rows = 0;
  s.d->contact_dist[0] = s.d->contact_includemargin[0];
  s.d->contact_geom[2] = s.d->contact_geom[3];
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  assert_int_equal(s.d->contact_exclude[0], 1);
  assert_int_equal(s.d->contact_exclude[1], 3);
  assert_int_equal(s.d->contact_efc_address[0], -1);
  assert_int_equal(s.d->contact_efc_address[1], -1);
  for (int c = 0; c < s.d->ncon; c++) {
    if (s.d->contact_exclude[c] == 0) {
      assert_int_equal(s.d->efc_id[s.d->contact_efc_address[c]], c);
      rows += cri_contact_rows(&s.m, s.d->contact_dim[c]);
    }
  }
  assert_int_equal(rows, s.d->nefc - s.d->ne - s.d->nf - s.d->nl);
  scene_close(&s);
}

// contacts from distance reach as far as they say, and their rows come in softly
static void contacts_from_distance_fade_in(void** state) {
  contact_scene s;
  scene_open(&s, 1);
  s.m.cfd = 1;
  s.m.cfd_d0 = CR_R(0.01);
  s.m.cfd_dc = 0;
  s.m.cfd_wc = CR_R(0.1);
  s.m.cfd_mc = 1;
  s.m.cfd_pc = 2;
  s.m.cfd_scale = CR_R(0.01);
  scene_run(&s, "mixing");
  cr_real margin = s.d->contact_includemargin[0], before;
  s.d->contact_dist[0] = margin - CR_R(1e-9);
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  before = s.d->efc_D[s.d->contact_efc_address[0]];
  s.d->contact_dist[0] = margin + CR_R(1e-9);
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  int i = s.d->contact_efc_address[0];
  assert_true(s.d->efc_D[i] < before);
  assert_close(s.d->efc_KBIP[4 * i + 2], CR_R(0.01), CR_R(1e-8));
  before = s.d->efc_D[i];
  s.d->contact_dist[0] = margin + CR_R(0.1) * (1 - CR_R(1e-4));
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  assert_true(s.d->efc_D[s.d->contact_efc_address[0]] < before / 1000);
  s.d->contact_dist[0] = margin + CR_R(0.1);
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  assert_int_equal(s.d->contact_exclude[0], 1);
  scene_close(&s);
}

static void capacity_says_what_is_needed(void** state) {
  contact_scene s;
  scene_open(&s, 1);
  scene_run(&s, "constraint");
  char needed[64];
  (void)snprintf(needed, sizeof needed, "%d rows with %d non-zeros needed", s.d->nefc, s.d->nJ);
  int nefc = s.d->nefc, nJ = s.d->nJ, nefc_max = s.d->nefc_max;
  s.d->nefc_max = nefc - 1;
  assert_int_equal(cr_constraint(&s.m, s.d), CR_ERR_CAPACITY);
  assert_non_null(strstr(s.d->error.text, needed));
  s.d->nefc_max = nefc_max;
  s.d->nJ_max = nJ - 1;
  assert_int_equal(cr_constraint(&s.m, s.d), CR_ERR_CAPACITY);
  assert_non_null(strstr(s.d->error.text, needed));
  s.d->nJ_max = nJ;
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  scene_close(&s);
}

// every third row from the limits of a ball joint: at no rotation there is no axis, and no NaN
static void ball_limit_at_rest_has_no_axis(void** state) {
  contact_scene s;
  for (int seed = 1;; seed++) {
    scene_open(&s, seed);
    int j = 0;
    while (j < s.m.njnt && s.m.jnt_type[j] != CR_JNT_BALL) {
      j++;
    }
    if (j == s.m.njnt) {
      scene_close(&s);
      continue;
    }
    const cr_real unit[4] = {1, 0, 0, 0};
    cr_copy(s.d->qpos + s.m.jnt_qposadr[j], unit, 4);
    s.m.jnt_limited[j] = 1;
    s.m.jnt_range[2 * j] = 0;
    s.m.jnt_range[2 * j + 1] = CR_R(0.1);
    s.m.jnt_margin[j] = CR_R(0.2);
    break;
  }
  scene_run(&s, "constraint");
  assert_true(s.d->nl > 0);
  cr_data *bar, *tan;
  assert_int_equal(cri_data_twin(&bar, &s.m, s.d, CR_DATA_COTANGENT, NULL, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&tan, &s.m, s.d, CR_DATA_TANGENT, NULL, NULL), CR_OK);
  for (int i = 0; i < s.d->nefc; i++) {
    bar->efc_pos[i] = 1;
  }
  assert_int_equal(cr_constraint_vjp(&s.m, s.d, bar), CR_OK);
  assert_int_equal(cr_constraint_jvp(&s.m, s.d, tan), CR_OK);
  for (int i = 0; i < s.m.nv; i++) {
    assert_true(isfinite(bar->qpos[i]));
  }
  for (int i = 0; i < s.d->nJ; i++) {
    assert_true(isfinite(tan->efc_J[i]));
  }
  cri_data_free(bar);
  cri_data_free(tan);
  scene_close(&s);
}

static void derivatives_hold_for_all_dimensions(void** state) {
  static const int dims[] = {1, 4, 6};
  for (int i = 0; i < 3; i++) {
    for (int seed = 1; seed <= 4; seed++) {
      contact_scene s;
      scene_open(&s, seed);
      scene_condim(&s, dims[i]);
      s.m.impratio = CR_R(1.5);
      scene_check_stages(&s, "constraint", "reference");
      scene_close(&s);
    }
  }
}

static void derivatives_hold_from_distance(void** state) {
  for (int seed = 1; seed <= 6; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    s.m.cfd = 1;
    s.m.cfd_d0 = CR_R(0.2);
    s.m.cfd_dc = 0;
    s.m.cfd_wc = CR_R(0.3);
    s.m.cfd_mc = seed % 2 == 0 ? 1 : CR_R(0.4);
    s.m.cfd_pc = seed % 2 == 0 ? 2 : CR_R(2.5);
    s.m.cfd_scale = CR_R(0.05);
    scene_check_stages(&s, "constraint", "reference");
    scene_close(&s);
  }
}

int test_constraint(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_stand_in_order),
      cmocka_unit_test(regularisation_follows_its_rules),
      cmocka_unit_test(pyramid_is_made_of_elliptic_rows),
      cmocka_unit_test(flags_remove_their_rows),
      cmocka_unit_test(contacts_without_rows_say_why),
      cmocka_unit_test(contacts_from_distance_fade_in),
      cmocka_unit_test(capacity_says_what_is_needed),
      cmocka_unit_test(ball_limit_at_rest_has_no_axis),
      cmocka_unit_test(derivatives_hold_for_all_dimensions),
      cmocka_unit_test(derivatives_hold_from_distance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
