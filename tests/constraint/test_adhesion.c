// SPDX-License-Identifier: Apache-2.0
// Adhesion against the normal Jacobian, and what it does to a body that hangs or rests.
#include "constraint/adhesion.h"

#include <stdlib.h>

#include "constraint/constraint.h"
#include "constraint/mixing.h"
#include "scenes/contact_scene.h"
#include "support/close.h"

enum { N_SEED = 12 };

// every geom pulls
static void open_sticky(contact_scene* s, int seed, int cone) {
  scene_open(s, seed);
  s->m.cone = cone;
  s->m.disableflags &= ~(CR_DSBL_SPRING | CR_DSBL_DAMPER);
  for (int i = 0; i < s->m.ngeom; i++) {
    s->m.geom_adhesion[i] = 1 + i;
  }
}

// the same force whichever cone the contact has
TEST(cones_agree) {
  int pulled = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    cr_real* force[2];
    for (int cone = 0; cone < 2; cone++) {
      open_sticky(&s, seed, cone);
      scene_run(&s, "adhesion");
      force[cone] = calloc((size_t)s.m.nv + 1, sizeof(cr_real));
      cr_copy(force[cone], s.d->qfrc_adhesion, s.m.nv);
      pulled += s.d->ncon > 0;
      if (cone == 0) {
        scene_close(&s);
      }
    }
    assert_all_close(force[0], force[1], s.m.nv, 64 * CR_EPS);
    free(force[0]);
    free(force[1]);
    scene_close(&s);
  }
  assert_true(pulled > N_SEED);
}

// minus the sum of adhesion times the normal rows of elliptic contacts
TEST(force_is_along_normals) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_sticky(&s, seed, CR_CONE_ELLIPTIC);
    scene_run(&s, "adhesion");
    cr_real *J = scene_dense_J(&s), *expected = calloc((size_t)s.m.nv + 1, sizeof *expected);
    for (int c = 0; c < s.d->ncon; c++) {
      int row = s.d->contact_efc_address[c];
      for (int i = 0; i < s.m.nv && row >= 0; i++) {
        expected[i] -= s.d->contact_adhesion[c] * J[row * s.m.nv + i];
      }
    }
    assert_all_close(s.d->qfrc_adhesion, expected, s.m.nv, 64 * CR_EPS);
    free(expected);
    free(J);
    scene_close(&s);
  }
}

// the reference acceleration takes the pull up: where a row is quadratic its net force is that
// without adhesion
TEST(rows_press_as_much_more) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_sticky(&s, seed, CR_CONE_ELLIPTIC);
    scene_run(&s, "reference");
    for (int c = 0; c < s.d->ncon; c++) {
      int row = s.d->contact_efc_address[c];
      if (row < 0) {
        continue;
      }
      const cr_real* KBIP = s.d->efc_KBIP + 4 * row;
      cr_real r = s.d->efc_pos[row] - s.d->efc_margin[row];
      cr_real aref = -KBIP[1] * s.d->efc_vel[row] - KBIP[0] * KBIP[2] * r;
      bool cfd = s.m.cfd != 0;
      cr_real more = (s.d->efc_aref[row] - aref) * s.d->efc_D[row];
      if (!cfd) {
        cr_real scale = 1 + cr_abs(s.d->efc_D[row] * aref);
        assert_close(more, s.d->contact_adhesion[c], 256 * CR_EPS * scale);
      }
    }
    scene_close(&s);
  }
}

TEST(contacts_in_the_gap_stay) {
  contact_scene s;
  open_sticky(&s, 1, CR_CONE_ELLIPTIC);
  scene_run(&s, "collision");
  assert_true(s.d->ncon > 0);
  s.d->contact_dist[0] = 1;  // far beyond any margin
  assert_int_equal(cr_mixing(&s.m, s.d), CR_OK);
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  assert_int_equal(s.d->contact_dim[0], 1);
  assert_int_equal(s.d->contact_exclude[0], 0);
  s.d->contact_adhesion[0] = 0;
  assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
  assert_int_equal(s.d->contact_exclude[0], 1);
  scene_close(&s);
}

// as in MuJoCo
TEST(no_pull_without_springs_and_dampers) {
  contact_scene s;
  open_sticky(&s, 1, CR_CONE_ELLIPTIC);
  s.m.disableflags |= CR_DSBL_SPRING | CR_DSBL_DAMPER;
  scene_run(&s, "adhesion");
  for (int i = 0; i < s.m.nv; i++) {
    assert_true(s.d->qfrc_adhesion[i] == 0);
  }
  scene_close(&s);
}
