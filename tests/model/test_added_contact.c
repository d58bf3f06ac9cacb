// SPDX-License-Identifier: Apache-2.0
// The block of added contact models: shared by copies, gone with the last of them.
#include "model/added_contact.h"

#include <stdlib.h>

#include "support/test.h"

TEST(a_block_begins_as_another) {
  cri_contacts* x = cri_contacts_create(NULL);
  assert_int_equal(x->n, 0);
  x->model[x->n++].name[0] = 'a';
  cri_contacts* y = cri_contacts_create(x);
  cri_contacts_share(y);
  cri_contacts_release(x);
  cri_contacts_release(y);
  assert_int_equal(y->n, 1);
  assert_int_equal(y->model[0].name[0], 'a');
  cri_contacts_release(y);
  cri_contacts_share(NULL);
  cri_contacts_release(NULL);
}

TEST(the_last_rule_that_fits_holds) {
  cri_contacts* x = cri_contacts_create(NULL);
  const cri_contact_rule rules[] = {
      {{3, -1}, 1}, {{2, 3}, 0}, {{4, 3}, 2}, {{3, 2}, 5}, {{4, -1}, 0}};
  static const int expected[][4] = {// of 1 and 2, 1 and 3, 2 and 3, 3 and 4
                                    {7, 1, 1, 1},
                                    {7, 1, 0, 1},
                                    {7, 1, 0, 2},
                                    {7, 1, 5, 2},
                                    {7, 1, 5, 0}};
  for (int k = 0; k < 5; k++) {
    cri_contacts* y = cri_contacts_create(x);
    cri_contacts_set_rule(y, &rules[k]);
    cri_contacts_release(x);
    x = y;
    const cr_model m = {.contact_model = 7, .contacts = x};
    assert_int_equal(cri_contact_model_of(&m, 1, 2), expected[k][0]);
    assert_int_equal(cri_contact_model_of(&m, 1, 3), expected[k][1]);
    assert_int_equal(cri_contact_model_of(&m, 2, 3), expected[k][2]);
    assert_int_equal(cri_contact_model_of(&m, 3, 2), expected[k][2]);
    assert_int_equal(cri_contact_model_of(&m, 3, 4), expected[k][3]);
    assert_true(x->mixed);
    assert_true(cri_contact_in_use(&m, 7) && cri_contact_in_use(&m, 1));
    assert_true(cri_contact_in_use(&m, 5) == (k > 2) && !cri_contact_in_use(&m, 6));
  }
  assert_int_equal(x->nrule, 4);  // (2, 3) was said twice
  cri_contacts_release(x);
}

TEST(rules_that_say_convex_mix_nothing) {
  cri_contacts* x = cri_contacts_create(NULL);
  cri_contacts_set_rule(x, &(cri_contact_rule){{0, 1}, 1});
  cr_model m = {.contact_model = CR_CONTACT_CONVEX, .contacts = x};
  assert_false(cri_all_convex(&m));
  cri_contacts* y = cri_contacts_create(x);
  cri_contacts_set_rule(y, &(cri_contact_rule){{1, 0}, CR_CONTACT_CONVEX});
  m.contacts = y;
  assert_true(cri_all_convex(&m));
  cri_contacts_release(x);
  cri_contacts_release(y);
}

TEST(a_model_without_has_none) {
  const cr_model m = {.contact_model = CR_CONTACT_CONVEX};
  assert_int_equal(cri_nadded_contact(&m), 0);
  assert_true(cri_all_convex(&m));
}
