// SPDX-License-Identifier: Apache-2.0
// Rows of random scenes: their order, what is left out; capacity; the derivatives where the generic check of the pipeline does not go (other dimensions, contacts from
// distance).
#include "constraint/constraint.h"

#include "scenes/contact_scene.h"
#include "support/close.h"

enum { N_SEED = 12 };

TEST(rows_stand_in_order) {
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

TEST(flags_remove_their_rows) {
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

TEST(capacity_says_what_is_needed) {
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

TEST(derivatives_hold_for_all_dimensions) {
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

TEST(derivatives_hold_from_distance) {
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
