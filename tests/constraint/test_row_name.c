// SPDX-License-Identifier: Apache-2.0
// What rows are called, one of every kind, with and without names.
#include "constraint/row_name.h"

#include "support/close.h"

enum { ROWS = 8 };

TEST(rows_have_the_names_of_what_they_are_of) {
  static char names[] = "\0elbow\0cord\0floor\0glue";
  int32_t joint[] = {0, 1}, tendon[] = {7}, geom[] = {12, 0}, equality[] = {18}, joints[] = {0, 1};
  cr_model m = {.names = names,
                .nnames = sizeof names,
                .name_jntadr = joint,
                .name_tendonadr = tendon,
                .name_geomadr = geom,
                .name_eqadr = equality,
                .dof_jntid = joints};
  int32_t type[ROWS] = {CR_CNSTR_EQUALITY,          CR_CNSTR_FRICTION_DOF,
                        CR_CNSTR_FRICTION_TENDON,   CR_CNSTR_LIMIT_JOINT,
                        CR_CNSTR_LIMIT_TENDON,      CR_CNSTR_CONTACT_FRICTIONLESS,
                        CR_CNSTR_CONTACT_PYRAMIDAL, CR_CNSTR_CONTACT_ELLIPTIC};
  int32_t id[ROWS] = {0, 1, 0, 0, 0, 0, 0, 0}, touching[] = {0, 1};
  static const char* const expected[ROWS] = {"the equality constraint 'glue'",
                                             "the friction loss of joint 'elbow'",
                                             "the friction loss of tendon 'cord'",
                                             "the limit of joint 0",
                                             "the limit of tendon 'cord'",
                                             "the contact of geom 'floor' and geom 1",
                                             "the contact of geom 'floor' and geom 1",
                                             "the contact of geom 'floor' and geom 1"};
  cr_data d = {.efc_type = type, .efc_id = id, .contact_geom = touching};
  for (int row = 0; row < ROWS; row++) {
    assert_string_equal(cri_row_name(&m, &d, row).text, expected[row]);
  }
  m.nnames = 0;
  assert_string_equal(cri_row_name(&m, &d, 1).text, "the friction loss of joint 1");
}
