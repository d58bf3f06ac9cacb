// SPDX-License-Identifier: Apache-2.0
// Rows of contacts: which make any, how the cones are related, contacts from distance.
#include "constraint/contact_rows.h"

#include <stdlib.h>

#include "constraint/constraint.h"
#include "scenes/contact_scene.h"
#include "support/close.h"

enum { N_SEED = 12 };

// the rows of a pyramid are the elliptic ones, n + mu t and n - mu t
TEST(pyramid_is_made_of_elliptic_rows) {
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

// smooth collision: only the first of contacts that stand as one makes rows
TEST(contacts_that_follow_make_none) {
  contact_scene s;
  scene_open(&s, 1);
  scene_run(&s, "mixing");
  assert_true(s.d->ncon > 1);
  s.d->contact_follows[1] = 1;
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  assert_int_equal(s.d->contact_exclude[0], 0);
  assert_int_equal(s.d->contact_exclude[1], 2);
  assert_int_equal(s.d->contact_efc_address[1], -1);
  scene_close(&s);
}

// a contact in its gap, at its margin, and between two bodies that nothing moves
TEST(contacts_without_rows_say_why) {
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

// a pair's own reach stands for that of all, in the rows and in the impedance
TEST(a_pair_has_its_own_reach) {
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
  cr_real margin = s.d->contact_includemargin[0], I[2];
  for (int k = 0; k < 2; k++) {
    // half of the reach: the same impedance
    cr_real reach = k == 0 ? CR_R(0.1) : CR_R(0.3);
    cr_real* own = s.d->contact_pair[0] < 0 ? s.m.geom_cfd + s.d->contact_geom[1]
                                            : s.m.pair_cfd + s.d->contact_pair[0];
    *own = k == 0 ? 0 : reach;
    s.d->contact_dist[0] = margin + reach / 2;
    assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
    assert_close(cri_contact_width(&s.m, s.d, 0), reach, 0);
    int i = s.d->contact_efc_address[0];
    I[k] = s.d->efc_KBIP[4 * i + 2];
    s.d->contact_dist[0] = margin + reach * (1 + CR_R(1e-9));
    assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
    assert_int_equal(s.d->contact_exclude[0], 1);
  }
  assert_close(I[0], CR_R(0.0075), CR_R(1e-15));
  assert_close(I[1], I[0], 16 * CR_EPS);
  scene_close(&s);
}

// contacts from distance reach as far as they say, and their rows come in softly
TEST(contacts_from_distance_fade_in) {
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
  before = s.d->efc_KBIP[4 * s.d->contact_efc_address[0] + 2];
  s.d->contact_dist[0] = margin + CR_R(1e-9);
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  int i = s.d->contact_efc_address[0];
  assert_true(s.d->efc_KBIP[4 * i + 2] < before);
  assert_close(s.d->efc_KBIP[4 * i + 2], CR_R(0.01), CR_R(1e-8));
  before = s.d->efc_KBIP[4 * i + 2];
  s.d->contact_dist[0] = margin + CR_R(0.1) * (1 - CR_R(1e-4));
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  assert_true(s.d->efc_KBIP[4 * s.d->contact_efc_address[0] + 2] < before / 1000);
  s.d->contact_dist[0] = margin + CR_R(0.1);
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  assert_int_equal(s.d->contact_exclude[0], 1);
  scene_close(&s);
}
