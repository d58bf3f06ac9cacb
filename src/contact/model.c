// SPDX-License-Identifier: Apache-2.0
// Which contact model a model uses.
#include "contact/model.h"

#include "contact/convex.h"

const cr_contact_model* cri_contact_model(const cr_model* m) {
  (void)m;
  return &cri_convex;
}
