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

TEST(a_model_without_has_none) {
  const cr_model m = {.contact_model = CR_CONTACT_CONVEX};
  assert_int_equal(cri_nadded_contact(&m), 0);
  assert_true(cri_all_convex(&m));
}
