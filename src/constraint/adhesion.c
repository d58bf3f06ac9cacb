// SPDX-License-Identifier: Apache-2.0
// Adhesive forces, see adhesion.h.
#include "constraint/adhesion.h"

static bool acts(const cr_model* m) {
  const int both = CR_DSBL_SPRING | CR_DSBL_DAMPER;
  return (m->disableflags & both) != both;
}

// true if any contact pulls, or its tangent does
static bool any(const cr_model* m, const cr_data* d, const cr_real* adhesion) {
  bool pulls = false;
  for (int c = 0; c < d->ncon && acts(m); c++) {
    pulls = pulls || (adhesion[c] != 0 && d->contact_efc_address[c] >= 0);
  }
  return pulls;
}

// [adhesion.h1] -w from the adhesions of contacts, or from their tangents
static void shares(const cr_model* m, const cr_data* d, const cr_real* adhesion, cr_real* w) {
  cr_zero(w, d->nefc);
  for (int c = 0; c < d->ncon; c++) {
    int first = d->contact_efc_address[c];
    for (int k = 0; first >= 0 && adhesion[c] != 0 && k < cri_adhesion_rows(m, d, c); k++) {
      w[first + k] = -cri_adhesion_share(m, d, c) * adhesion[c];
    }
  }
}

cr_status cr_adhesion(const cr_model* m, cr_data* d) {
  cr_zero(d->qfrc_adhesion, m->nv);
  if (any(m, d, d->contact_adhesion)) {
    size_t mark = cri_mark(d);
    cr_real* w = cri_push(d, (size_t)d->nefc);
    // [adhesion.h2]
    shares(m, d, d->contact_adhesion, w);
    cri_rows_mul_transposed(m, d, d->efc_J, d->qfrc_adhesion, w);
    cri_pop(d, mark);
  }
  return CR_OK;
}

cr_status cr_adhesion_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero(tan->qfrc_adhesion, m->nv);
  if (any(m, d, d->contact_adhesion) || any(m, d, tan->contact_adhesion)) {
    size_t mark = cri_mark(tan);
    cr_real* w = cri_push(tan, (size_t)d->nefc);
    // [adhesion.h2]
    shares(m, d, d->contact_adhesion, w);
    cri_rows_mul_transposed(m, d, tan->efc_J, tan->qfrc_adhesion, w);
    shares(m, d, tan->contact_adhesion, w);
    cri_rows_mul_transposed(m, d, d->efc_J, tan->qfrc_adhesion, w);
    cri_pop(tan, mark);
  }
  return CR_OK;
}

// J_n g of contact c, J_n its normal: the first row, or the mean of the first two edges of a pyramid
static cr_real along_normal(const cr_model* m, const cr_data* d, int c, const cr_real* g) {
  int first = d->contact_efc_address[c], n = cri_adhesion_rows(m, d, c) > 1 ? 2 : 1;
  cr_real sum = 0;
  for (int i = first; i < first + n; i++) {
    for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
      sum += d->efc_J[k] * g[d->efc_J_colind[k]];
    }
  }
  return sum / (cr_real)n;
}

cr_status cr_adhesion_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (!acts(m)) {
    return CR_OK;
  }
  // [adhesion.h2]'
  if (any(m, d, d->contact_adhesion)) {
    int pair = cri_pairs_add(&bar->efc_J_pairs);
    shares(m, d, d->contact_adhesion, cri_pair_left(&bar->efc_J_pairs, pair));
    cr_copy(cri_pair_right(&bar->efc_J_pairs, pair), bar->qfrc_adhesion, m->nv);
  }
  // [adhesion.h1]'
  for (int c = 0; c < d->ncon; c++) {
    if (d->contact_efc_address[c] >= 0) {
      bar->contact_adhesion[c] -= along_normal(m, d, c, bar->qfrc_adhesion);
    }
  }
  return CR_OK;
}
