// SPDX-License-Identifier: Apache-2.0
// [event.e3] of the rows of the convex contact model.
#include "solver/friction_cone_bends.h"

// e of a row, or its distance from a bend. Where the row is stiff against a force of its own, it is scaled
// as if the row gave way altogether, so that both sides of the bend have about one slope
static cr_real unloaded(const cr_data* d, int row, cr_real e) {
  return e / (1 - d->efc_KBIP[4 * row + 2]);
}

// where an elliptic contact begins to slide, and where it stops pushing
static void cone_bends(const cr_data* d, int row, cr_real bend[CRI_LAW_BENDS]) {
  int contact = d->efc_id[row];
  const cr_real *e = d->acc_jar + row, *friction = d->contact_friction + 5 * contact;
  cr_real mu = d->contact_mu[contact], T = 0;
  for (int j = 1; j < d->contact_dim[contact]; j++) {
    T += friction[j - 1] * friction[j - 1] * e[j] * e[j];
  }
  T = cr_sqrt(T);
  bend[0] = mu * e[0] - mu * T;
  bend[0] = bend[0] < 0 ? unloaded(d, row, bend[0]) : bend[0];
  bend[1] = mu * mu * e[0] + T;
}

void cri_friction_cone_bends(const cr_model* m, const cr_data* d, int row,
                             cr_real bend[CRI_LAW_BENDS]) {
  const cr_real* e = d->acc_jar + row;
  int type = d->efc_type[row];
  (void)m;
  bend[0] = bend[1] = 1;
  if (type == CR_CNSTR_FRICTION_DOF || type == CR_CNSTR_FRICTION_TENDON) {
    cr_real end = d->efc_frictionloss[row] / d->efc_D[row];
    bend[0] = *e + end < 0 ? *e + end : unloaded(d, row, *e + end);
    bend[1] = *e - end < 0 ? unloaded(d, row, *e - end) : *e - end;
  } else if (type == CR_CNSTR_CONTACT_ELLIPTIC) {
    if (d->contact_efc_address[d->efc_id[row]] == row) {
      cone_bends(d, row, bend);
    }
  } else if (type != CR_CNSTR_EQUALITY) {
    bend[0] = *e < 0 ? unloaded(d, row, *e) : *e;
  }
}

bool cri_friction_cone_has_directions(const cr_model* m, const cr_data* d, int row) {
  const cr_real* friction = d->contact_friction + 5 * d->efc_id[row];
  (void)m;
  return d->efc_type[row] == CR_CNSTR_CONTACT_PYRAMIDAL ||
         (d->efc_type[row] == CR_CNSTR_CONTACT_ELLIPTIC &&
          (friction[0] != friction[1] || friction[3] != friction[4]));
}
