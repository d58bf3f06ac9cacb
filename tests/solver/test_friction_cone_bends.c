// SPDX-License-Identifier: Apache-2.0
// Numbers that tell where the law of a row bends: their signs are the zones that the solve has found, in
// random scenes, and each crosses 0 where its zone does.
#include "solver/friction_cone_bends.h"

#include "scenes/contact_scene.h"
#include "solver/friction_cone.h"
#include "support/close.h"

// the state of a row by the signs of its bends alone
static int32_t state_by_bends(const cr_data* d, int row, const cr_real bend[CRI_LAW_BENDS]) {
  switch (d->efc_type[row]) {
    case CR_CNSTR_EQUALITY:
      return CR_STATE_QUADRATIC;
    case CR_CNSTR_FRICTION_DOF:
    case CR_CNSTR_FRICTION_TENDON:
      return bend[0] <= 0 ? CR_STATE_LINEAR_NEG
                          : (bend[1] >= 0 ? CR_STATE_LINEAR_POS : CR_STATE_QUADRATIC);
    case CR_CNSTR_CONTACT_ELLIPTIC:
      return bend[0] >= 0 ? CR_STATE_SATISFIED
                          : (bend[1] <= 0 ? CR_STATE_QUADRATIC : CR_STATE_CONE);
    default:
      return bend[0] < 0 ? CR_STATE_QUADRATIC : CR_STATE_SATISFIED;
  }
}

static bool leads(const cr_data* d, int row) {
  return d->efc_type[row] != CR_CNSTR_CONTACT_ELLIPTIC ||
         d->contact_efc_address[d->efc_id[row]] == row;
}

TEST(signs_are_the_zones) {
  int seen[5] = {0}, cones = 0;
  for (int seed = 1; seed <= 40; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "acceleration");
    for (int row = 0; row < s.d->nefc; row++) {
      cr_real bend[CRI_LAW_BENDS];
      cri_friction_cone_bends(&s.m, s.d, row, bend);
      if (leads(s.d, row)) {
        assert_int_equal(state_by_bends(s.d, row, bend), s.d->efc_state[row]);
        seen[s.d->efc_state[row]]++;
      } else {
        assert_true(bend[0] == 1 && bend[1] == 1);
        cones++;
      }
    }
    scene_close(&s);
  }
  for (int k = 0; k < 5; k++) {
    assert_true(seen[k] > 0);
  }
  assert_true(cones > 0);
}

// within its zone a row gives way to its own force by all of its number, beyond by a share of 1 - I
TEST(both_sides_have_one_slope) {
  int32_t type = CR_CNSTR_LIMIT_JOINT;
  cr_real KBIP[4] = {0, 0, CR_R(0.75), 0}, e = -CR_R(0.1), bend[CRI_LAW_BENDS];
  const cr_data d = {.nefc = 1, .efc_type = &type, .efc_KBIP = KBIP, .acc_jar = &e};
  cri_friction_cone_bends(NULL, &d, 0, bend);
  assert_close(bend[0], -CR_R(0.4), 8 * CR_EPS);
  e = CR_R(0.1);
  cri_friction_cone_bends(NULL, &d, 0, bend);
  assert_close(bend[0], CR_R(0.1), 8 * CR_EPS);
}

TEST(directions_matter_where_friction_has_them) {
  int32_t type = CR_CNSTR_CONTACT_ELLIPTIC, id = 0;
  cr_real friction[5] = {1, 1, 2, 3, 3};
  const cr_data d = {.nefc = 1, .efc_type = &type, .efc_id = &id, .contact_friction = friction};
  assert_false(cri_friction_cone_has_directions(NULL, &d, 0));
  friction[1] = 2;
  assert_true(cri_friction_cone_has_directions(NULL, &d, 0));
  friction[1] = 1;
  friction[4] = 1;
  assert_true(cri_friction_cone_has_directions(NULL, &d, 0));
  friction[4] = 3;
  type = CR_CNSTR_CONTACT_FRICTIONLESS;
  assert_false(cri_friction_cone_has_directions(NULL, &d, 0));
  type = CR_CNSTR_CONTACT_PYRAMIDAL;
  assert_true(cri_friction_cone_has_directions(NULL, &d, 0));
}
