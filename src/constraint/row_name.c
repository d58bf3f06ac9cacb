// SPDX-License-Identifier: Apache-2.0
#include "constraint/row_name.h"

#include <stdio.h>

#include "model/names.h"

static cr_row_name one(const char* what, cr_label of) {
  cr_row_name n;
  (void)snprintf(n.text, sizeof n.text, "the %s%s", what, of.text);
  return n;
}

static cr_row_name contact(const cr_model* m, const int32_t geom[2]) {
  cr_row_name n;
  cr_label a = cri_label(m, CRI_OBJECT_geom, geom[0]);
  cr_label b = cri_label(m, CRI_OBJECT_geom, geom[1]);
  (void)snprintf(n.text, sizeof n.text, "the contact of %s and %s", a.text, b.text);
  return n;
}

cr_row_name cri_row_name(const cr_model* m, const cr_data* d, int row) {
  int id = d->efc_id[row];
  switch (d->efc_type[row]) {
    case CR_CNSTR_EQUALITY:
      return one("", cri_label(m, CRI_OBJECT_equality, id));
    case CR_CNSTR_FRICTION_DOF:
      return one("friction loss of ", cri_label(m, CRI_OBJECT_joint, m->dof_jntid[id]));
    case CR_CNSTR_FRICTION_TENDON:
      return one("friction loss of ", cri_label(m, CRI_OBJECT_tendon, id));
    case CR_CNSTR_LIMIT_JOINT:
      return one("limit of ", cri_label(m, CRI_OBJECT_joint, id));
    case CR_CNSTR_LIMIT_TENDON:
      return one("limit of ", cri_label(m, CRI_OBJECT_tendon, id));
    default:
      return contact(m, d->contact_geom + 2 * id);
  }
}
