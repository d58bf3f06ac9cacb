// SPDX-License-Identifier: Apache-2.0
// Adhesive forces, see adhesion.h.
#include "contact/adhesion.h"

static bool acts(const cr_model* m) {
  const int both = CR_DSBL_SPRING | CR_DSBL_DAMPER;
  return (m->disableflags & both) != both;
}

// whether any contact pulls, or its tangent does
static bool any(const cr_model* m, const cr_data* d, const cr_real* adhesion) {
  bool pulls = false;
  for (int c = 0; c < d->ncon && acts(m); c++) {
    pulls = pulls || (adhesion[c] != 0 && d->contact_efc_address[c] >= 0);
  }
  return pulls;
}

// [h1] -w from the adhesions of contacts, or from their tangents
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
    // [h2]
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
    // [h2]
    shares(m, d, d->contact_adhesion, w);
    cri_rows_mul_transposed(m, d, tan->efc_J, tan->qfrc_adhesion, w);
    shares(m, d, tan->contact_adhesion, w);
    cri_rows_mul_transposed(m, d, d->efc_J, tan->qfrc_adhesion, w);
    cri_pop(tan, mark);
  }
  return CR_OK;
}

cr_status cr_adhesion_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (d->ncon == 0 || d->nefc == 0 || !acts(m)) {
    return CR_OK;
  }
  // [h2]'
  size_t mark = cri_mark(bar);
  cr_real* w_bar = cri_push(bar, (size_t)d->nefc);
  if (any(m, d, d->contact_adhesion)) {
    int pair = cri_pairs_add(&bar->efc_J_pairs);
    shares(m, d, d->contact_adhesion, cri_pair_left(&bar->efc_J_pairs, pair));
    cr_copy(cri_pair_right(&bar->efc_J_pairs, pair), bar->qfrc_adhesion, m->nv);
  }
  cri_rows_mul(m, d, d->efc_J, w_bar, bar->qfrc_adhesion);

  // [h1]'
  for (int c = 0; c < d->ncon; c++) {
    int first = d->contact_efc_address[c];
    for (int k = 0; first >= 0 && k < cri_adhesion_rows(m, d, c); k++) {
      bar->contact_adhesion[c] -= cri_adhesion_share(m, d, c) * w_bar[first + k];
    }
  }
  cri_pop(bar, mark);
  return CR_OK;
}
