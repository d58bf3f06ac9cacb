// SPDX-License-Identifier: Apache-2.0
// A force in the frame of a contact as forces of its rows.
#include "augment/correction.h"
#include "constraint/rows.h"

static bool is_pyramid(const cr_model* m, const cr_data* d, int i) {
  return m->cone == CR_CONE_PYRAMIDAL && d->contact_dim[i] > 1;
}

// tangents of contact i that take a force
static int tangents(const cr_data* d, int i) { return d->contact_dim[i] < 3 ? 0 : 2; }

void cri_row_forces(const cr_model* m, const cr_data* d, int i, const cr_real f[3], cr_real* w) {
  cr_real* row = w + d->contact_efc_address[i];
  if (!is_pyramid(m, d, i)) {
    for (int k = 0; k <= tangents(d, i); k++) {
      row[k] += f[k];
    }
    return;
  }
  const int n = cri_contact_rows(m, d->contact_dim[i]);
  for (int k = 0; k < n; k++) {
    row[k] += f[0] / (cr_real)n;
  }
  for (int k = 0; k < tangents(d, i); k++) {
    const cr_real mu = d->contact_friction[5 * i + k], share = mu > 0 ? f[k + 1] / (2 * mu) : 0;
    row[2 * k] += share;
    row[2 * k + 1] -= share;
  }
}

void cri_row_forces_jvp(const cr_model* m, const cr_data* d, int i, const cr_real f[3],
                        const cr_real f_tan[3], const cr_real* mu_tan, cr_real* w_tan) {
  cr_real* row = w_tan + d->contact_efc_address[i];
  cri_row_forces(m, d, i, f_tan, w_tan);
  for (int k = 0; is_pyramid(m, d, i) && k < tangents(d, i); k++) {
    const cr_real mu = d->contact_friction[5 * i + k];
    const cr_real share = mu > 0 ? f[k + 1] / (2 * mu * mu) * mu_tan[k] : 0;
    row[2 * k] -= share;
    row[2 * k + 1] += share;
  }
}

void cri_row_forces_vjp(const cr_model* m, const cr_data* d, int i, const cr_real f[3],
                        const cr_real* w_bar, cr_real f_bar[3], cr_real* mu_bar) {
  const cr_real* row = w_bar + d->contact_efc_address[i];
  if (!is_pyramid(m, d, i)) {
    for (int k = 0; k <= tangents(d, i); k++) {
      f_bar[k] += row[k];
    }
    return;
  }
  const int n = cri_contact_rows(m, d->contact_dim[i]);
  for (int k = 0; k < n; k++) {
    f_bar[0] += row[k] / (cr_real)n;
  }
  for (int k = 0; k < tangents(d, i); k++) {
    const cr_real mu = d->contact_friction[5 * i + k], turn = row[2 * k] - row[2 * k + 1];
    if (mu > 0) {
      f_bar[k + 1] += turn / (2 * mu);
      mu_bar[k] -= f[k + 1] / (2 * mu * mu) * turn;
    }
  }
}
