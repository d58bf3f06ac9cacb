// SPDX-License-Identifier: Apache-2.0
// Adhesion: contacts that also pull, with a constant force along their normal.
#ifndef CR_CONSTRAINT_ADHESION_H
#define CR_CONSTRAINT_ADHESION_H

#include "constraint/rows.h"

/// Joint-space force of all adhesive contacts that make rows.
/// Map      (efc_J, contact_adhesion) -> qfrc_adhesion
/// Equation [adhesion.h1] w_i = adhesion on a contact's normal row, adhesion / (2 (dim - 1)) on each row of a
///          pyramid, whose mean is the normal; [adhesion.h2] qfrc_adhesion = -J' w
///          Zero if both springs and dampers are switched off, as in MuJoCo.
///          [MuJoCo manual, XML reference, "adhesion"]
/// Shapes   qfrc_adhesion[nv]
/// Units    N|N m
/// Memory   scratch nefc.  Errors: none
/// Smooth   everywhere, at an adhesion of zero too. For a contact in its gap, which has no rows there,
///          solver/latent_adhesion.h has the derivative
/// Derivation docs/derivations/adhesion.md
cr_status cr_adhesion(const cr_model* m, cr_data* d);
cr_status cr_adhesion_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Adds the pair -w (x) qfrc_adhesion_bar to the cotangent of efc_J if a contact pulls.
cr_status cr_adhesion_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// Share of contact c's adhesion in each of its first cri_adhesion_rows rows. The tangential rows of an
/// elliptic cone have no share.
static inline cr_real cri_adhesion_share(const cr_model* m, const cr_data* d, int c) {
  int dim = d->contact_dim[c];
  return dim > 1 && m->cone == CR_CONE_PYRAMIDAL ? 1 / (cr_real)(2 * (dim - 1)) : 1;
}

static inline int cri_adhesion_rows(const cr_model* m, const cr_data* d, int c) {
  int dim = d->contact_dim[c];
  return dim > 1 && m->cone == CR_CONE_PYRAMIDAL ? 2 * (dim - 1) : 1;
}

/// True if contact c makes rows and pulls.
static inline bool cri_adheres(const cr_data* d, int c) {
  return d->contact_adhesion[c] != 0 && d->contact_efc_address[c] >= 0;
}

#endif
