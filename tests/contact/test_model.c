// SPDX-License-Identifier: Apache-2.0
// Every contact model fills the whole interface.
#include "contact/model.h"

#include "contact/convex.h"
#include "support/close.h"

TEST(interface_is_complete) {
  cr_model m = {0};
  const cr_contact_model* model = cri_contact_model(&m);
  assert_ptr_equal(model, &cri_convex);
  assert_string_equal(model->name, "convex");
  assert_true(model->solve != NULL && model->linear != NULL && model->linear_transposed != NULL &&
              model->delicate != NULL);
  assert_true(model->force_jvp != NULL && model->force_vjp != NULL);
}
