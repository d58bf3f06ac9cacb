// SPDX-License-Identifier: Apache-2.0
// Which contact model a model uses.
#include "solver/contact_model.h"

#include "model/added_contact.h"
#include "solver/convex_model.h"
#include "solver/explicit_model.h"
#include "solver/newton_model.h"

const cr_contact_model* cri_contact_model(const cr_model* m) {
  return cri_all_convex(m) ? &cri_convex : cri_all_explicit(m) ? &cri_explicit : &cri_newton;
}
