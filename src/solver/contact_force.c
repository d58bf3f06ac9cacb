// SPDX-License-Identifier: Apache-2.0
// The edges of a pyramid push along normal + mu_k tangent and normal - mu_k tangent.
#include "solver/contact_force.h"

#include "constraint/rows.h"

static bool pyramidal(const cr_model* m, int dim) {
  return dim > 1 && m->cone == CR_CONE_PYRAMIDAL;
}

void cri_contact_force(const cr_model* m, const cr_data* d, int c, cr_real w[6]) {
  int row = d->contact_efc_address[c], dim = d->contact_dim[c];
  cr_zero(w, 6);
  if (row < 0) {
    return;
  }
  const cr_real *f = d->efc_force + row, *mu = d->contact_friction + 5 * c;
  // [constraint.f1]
  cr_copy(w, f, pyramidal(m, dim) ? 0 : dim);
  for (int k = 1; k < dim && pyramidal(m, dim); k++) {
    int e = 2 * (k - 1);
    w[0] += f[e] + f[e + 1];
    w[k] = mu[k - 1] * (f[e] - f[e + 1]);
  }
  w[0] -= d->contact_adhesion[c];
}

void cri_contact_force_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int c,
                           cr_real w_tan[6]) {
  int row = d->contact_efc_address[c], dim = d->contact_dim[c];
  cr_zero(w_tan, 6);
  if (row < 0) {
    return;
  }
  const cr_real *f = d->efc_force + row, *f_tan = tan->efc_force + row;
  const cr_real *mu = d->contact_friction + 5 * c, *mu_tan = tan->contact_friction + 5 * c;
  // [constraint.f1]
  cr_copy(w_tan, f_tan, pyramidal(m, dim) ? 0 : dim);
  for (int k = 1; k < dim && pyramidal(m, dim); k++) {
    int e = 2 * (k - 1);
    w_tan[0] += f_tan[e] + f_tan[e + 1];
    w_tan[k] = mu[k - 1] * (f_tan[e] - f_tan[e + 1]) + mu_tan[k - 1] * (f[e] - f[e + 1]);
  }
  w_tan[0] -= tan->contact_adhesion[c];
}

void cri_contact_force_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c,
                           const cr_real w_bar[6]) {
  int row = d->contact_efc_address[c], dim = d->contact_dim[c];
  if (row < 0) {
    return;
  }
  const cr_real *f = d->efc_force + row, *mu = d->contact_friction + 5 * c;
  cr_real *f_bar = bar->efc_force + row, *mu_bar = bar->contact_friction + 5 * c;
  // [constraint.f1]'
  for (int k = 0; k < dim && !pyramidal(m, dim); k++) {
    f_bar[k] += w_bar[k];
  }
  for (int k = 1; k < dim && pyramidal(m, dim); k++) {
    int e = 2 * (k - 1);
    f_bar[e] += w_bar[0] + mu[k - 1] * w_bar[k];
    f_bar[e + 1] += w_bar[0] - mu[k - 1] * w_bar[k];
    mu_bar[k - 1] += (f[e] - f[e + 1]) * w_bar[k];
  }
  bar->contact_adhesion[c] -= w_bar[0];
}

// rows whose sum is the normal force
static int normal_rows(const cr_model* m, int dim) {
  return pyramidal(m, dim) ? cri_contact_rows(m, dim) : 1;
}

cr_real cri_contact_normal(const cr_model* m, const cr_data* d, const cr_data* x, int c) {
  int row = d->contact_efc_address[c];
  cr_real sum = 0;
  if (row < 0) {
    return 0;
  }
  // [constraint.f1]
  for (int k = 0; k < normal_rows(m, d->contact_dim[c]); k++) {
    sum += x->efc_force[row + k];
  }
  return sum - x->contact_adhesion[c];
}

void cri_contact_normal_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c,
                            cr_real w_bar) {
  int row = d->contact_efc_address[c];
  if (row < 0) {
    return;
  }
  // [constraint.f1]'
  for (int k = 0; k < normal_rows(m, d->contact_dim[c]); k++) {
    bar->efc_force[row + k] += w_bar;
  }
  bar->contact_adhesion[c] -= w_bar;
}
