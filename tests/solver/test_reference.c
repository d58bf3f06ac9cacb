// SPDX-License-Identifier: Apache-2.0
// efc_vel and efc_aref by formula, row by row.
#include "solver/reference.h"

#include <stdlib.h>

#include "constraint/constraint.h"
#include "constraint/equality.h"
#include "constraint/rows.h"
#include "scenes/contact_scene.h"
#include "support/close.h"

static void formula(const contact_scene* s) {
  const cr_data* d = s->d;
  cr_real* J = scene_dense_J(s);
  for (int i = 0; i < d->nefc; i++) {
    cr_real vel = 0, size = 0;
    for (int j = 0; j < s->m.nv; j++) {
      vel += J[i * s->m.nv + j] * d->qvel[j];
      size += cr_abs(J[i * s->m.nv + j] * d->qvel[j]);
    }
    assert_close(d->efc_vel[i], vel, 16 * CR_EPS * size);
    cr_real K = d->efc_KBIP[4 * i], B = d->efc_KBIP[4 * i + 1], I = d->efc_KBIP[4 * i + 2];
    cr_real r = d->efc_pos[i] - d->efc_margin[i];
    if (s->m.cfd != 0 && d->efc_type[i] >= CR_CNSTR_CONTACT_FRICTIONLESS) {
      r = -s->m.cfd_scale * cr_log1p(cr_exp(-r / s->m.cfd_scale));
    }
    bool connect_weld = i < d->ne && cri_is_connect_weld(s->m.eq_type[d->efc_id[i]]);
    if (connect_weld) {
      continue;  // with a bias acceleration: test_equality.c
    }
    assert_close(d->efc_aref[i], -B * vel - K * I * r,
                 64 * CR_EPS * (B * size + K * (cr_abs(r) + s->m.cfd_scale)));
  }
  free(J);
}

// contacts neither pull nor slide by themselves: those are in test_adhesion.c and test_mixing.c
static void open_plain(contact_scene* s, int seed) {
  scene_open(s, seed);
  cr_zero(s->m.geom_adhesion, s->m.ngeom);
  cr_zero(s->m.pair_adhesion, s->m.npair);
  cr_zero(s->m.geom_surfacevel, 6 * s->m.ngeom);
}

// rows along which surfaces move have that velocity in theirs, with mu on the edges of a pyramid
TEST(surfaces_move_rows) {
  int moved = 0;
  for (int seed = 1; seed <= 8; seed++) {
    contact_scene s;
    open_plain(&s, seed);
    scene_run(&s, "reference");
    cr_real* before = calloc((size_t)s.d->nefc + 1, sizeof *before);
    cr_copy(before, s.d->efc_vel, s.d->nefc);
    for (int c = 0; c < s.d->ncon; c++) {
      for (int k = 0; k < 3; k++) {
        s.d->contact_surfacevel[3 * c + k] = k + 1;
      }
    }
    assert_int_equal(cr_reference(&s.m, s.d), CR_OK);
    for (int c = 0; c < s.d->ncon; c++) {
      int first = s.d->contact_efc_address[c], dim = s.d->contact_dim[c];
      int n = first < 0 ? 0 : cri_contact_rows(&s.m, dim);
      bool pyramid = dim > 1 && s.m.cone == CR_CONE_PYRAMIDAL;
      for (int k = 0; k < n; k++) {
        int axis = pyramid ? k / 2 : k - 1;
        cr_real mu = axis >= 0 ? s.d->contact_friction[5 * c + axis] : 0;
        cr_real factor = pyramid ? (k % 2 == 0 ? mu : -mu) : 1;
        cr_real expected = axis >= 0 && axis < 3 ? factor * (cr_real)(axis + 1) : 0;
        assert_close(s.d->efc_vel[first + k] - before[first + k], expected,
                     16 * CR_EPS * (1 + cr_abs(before[first + k])));
        moved += expected != 0;
      }
    }
    free(before);
    scene_close(&s);
  }
  assert_true(moved > 10);
}

TEST(reference_follows_its_formula) {
  for (int seed = 1; seed <= 8; seed++) {
    contact_scene s;
    open_plain(&s, seed);
    scene_run(&s, "reference");
    assert_true(s.d->nefc > 0);
    formula(&s);
    s.m.cfd = 1;
    s.m.cfd_d0 = CR_R(0.01);
    s.m.cfd_dc = 0;
    s.m.cfd_wc = CR_R(0.05);
    s.m.cfd_mc = 1;
    s.m.cfd_pc = 2;
    s.m.cfd_scale = CR_R(0.02);
    scene_run(&s, "reference");
    formula(&s);
    scene_close(&s);
  }
}

// an open contact at rest is asked to part, ever less the farther it is
TEST(distant_contact_pushes_a_little) {
  contact_scene s;
  open_plain(&s, 1);
  s.m.cfd = 1;
  s.m.cfd_d0 = CR_R(0.01);
  s.m.cfd_dc = 0;
  s.m.cfd_wc = CR_R(0.5);
  s.m.cfd_mc = 1;
  s.m.cfd_pc = 2;
  s.m.cfd_scale = CR_R(0.02);
  scene_run(&s, "mixing");
  cr_zero(s.d->qvel, s.m.nv);
  cr_real last = CR_MAX;
  for (int k = 1; k <= 5; k++) {
    s.d->contact_dist[0] = s.d->contact_includemargin[0] + CR_R(0.02) * (cr_real)k;
    assert_int_equal(cr_constraint(&s.m, s.d), CR_OK);
    assert_int_equal(cr_reference(&s.m, s.d), CR_OK);
    cr_real aref = s.d->efc_aref[s.d->contact_efc_address[0]];
    assert_true(aref > 0 && aref < last);
    last = aref;
  }
  scene_close(&s);
}
