// SPDX-License-Identifier: Apache-2.0
// Loops over all quantities that evolve.
#include "model/state_vector.h"

const cri_state_row cri_state_rows[CRI_N_STATE] = {
#define CR_EVOLVES(name, n, tangent, law, rate) \
  {CR_FIELD_##name, CR_FIELD_##rate, CR_FIELD_##name##_next, CRI_STATE_##law},
#include "model/state_table.h"
};

int cri_state_find(cr_field_id id) {
  for (int k = 0; k < CRI_N_STATE; k++) {
    if (cri_state_rows[k].id == id) {
      return k;
    }
  }
  return -1;
}

cri_state cri_state_at(cri_state like, int rows, const cr_real* x) {
  for (int k = 0; k < CRI_N_STATE; k++) {
    like.part[k].x = (cr_real*)x;
    x += (ptrdiff_t)rows * like.part[k].n;
  }
  return like;
}

cri_state cri_state_row_of(cri_state rows, int k) {
  for (int i = 0; i < CRI_N_STATE; i++) {
    rows.part[i].x += (ptrdiff_t)k * rows.part[i].n;
  }
  return rows;
}

void cri_state_copy(cri_state to, cri_state from) {
  for (int k = 0; k < CRI_N_STATE; k++) {
    cr_copy(to.part[k].x, from.part[k].x, to.part[k].n);
  }
}

void cri_state_zero(cri_state s) {
  for (int k = 0; k < CRI_N_STATE; k++) {
    cr_zero(s.part[k].x, s.part[k].n);
  }
}

void cri_state_add(cri_state to, cr_real s, cri_state from) {
  for (int k = 0; k < CRI_N_STATE; k++) {
    for (int i = 0; i < to.part[k].n; i++) {
      to.part[k].x[i] += s * from.part[k].x[i];
    }
  }
}

void cri_state_take_next(const cr_model* m, cr_data* d) {
  cri_state_copy(cri_state_of(m, d), cri_state_next(m, d));
}

void cri_state_take_next_twin(const cr_model* m, cr_data* tan) {
  cri_state_copy(cri_state_twin(m, tan), cri_state_twin_next(m, tan));
}

void cri_state_give_next_twin(const cr_model* m, cr_data* bar) {
  cri_state_copy(cri_state_twin_next(m, bar), cri_state_twin(m, bar));
  cri_state_zero(cri_state_twin(m, bar));
}
