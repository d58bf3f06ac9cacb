// SPDX-License-Identifier: Apache-2.0
// What an entry owns.
#include "parameter/parameter_kind.h"

#include "scenes/solid_model.h"
#include "support/close.h"

TEST(an_entry_stores_the_numbers_of_its_places) {
  cr_model m;
  cri_parameter_entry e = {.n = 1};
  bool wanted[CR_N_FIELD] = {false};
  solid_model(&m);
  assert_int_equal(cri_entry_places(&e, 2, NULL), CR_OK);
  cri_entry_place(&e, 0, CR_FIELD_body_ipos, 3 * FOOT, 3, wanted);
  cri_entry_place(&e, 1, CR_FIELD_body_mass, BOX, 1, wanted);
  assert_int_equal(cri_entry_base(&e, &m, NULL), CR_OK);
  assert_all_close(e.base, m.body_ipos + 3 * FOOT, 3, 0);
  assert_true(e.base[3] == m.body_mass[BOX]);
  assert_true(wanted[CR_FIELD_body_ipos] && wanted[CR_FIELD_body_mass] &&
              !wanted[CR_FIELD_body_quat]);
  cri_entry_free(&e);
  assert_null(e.places);
  assert_null(e.base);
  cri_model_free(&m);
}
