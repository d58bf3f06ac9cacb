// SPDX-License-Identifier: Apache-2.0
// efc_vel and efc_aref by formula, row by row.
#include "contact/reference.h"

#include <stdlib.h>

#include "contact/constraint.h"
#include "contact/equality.h"
#include "support/close.h"
#include "support/contact_scene.h"

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
    bool bond = i < d->ne && cri_is_bond(s->m.eq_type[d->efc_id[i]]);
    if (bond) {
      continue;  // with a bias acceleration: test_equality.c
    }
    assert_close(d->efc_aref[i], -B * vel - K * I * r,
                 64 * CR_EPS * (B * size + K * (cr_abs(r) + s->m.cfd_scale)));
  }
  free(J);
}

static void reference_follows_its_formula(void** state) {
  for (int seed = 1; seed <= 8; seed++) {
    contact_scene s;
    scene_open(&s, seed);
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
static void distant_contact_pushes_a_little(void** state) {
  contact_scene s;
  scene_open(&s, 1);
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

int test_reference(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_follows_its_formula),
      cmocka_unit_test(distant_contact_pushes_a_little),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
