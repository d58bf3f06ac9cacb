// SPDX-License-Identifier: Apache-2.0
// A loop over the field table.
#include "rollout/choices.h"

#include <string.h>

// FNV-1a
static uint64_t mix(uint64_t hash, int64_t value) {
  return (hash ^ (uint64_t)value) * 0x100000001b3u;
}

static const uint64_t START = 0xcbf29ce484222325u;

static bool is_choice(cr_field_id id, cri_choice choice) {
  return cri_field(id)->kind == CR_KIND_INDEX && cri_field(id)->choice == choice;
}

static uint64_t mix_row(uint64_t hash, const int32_t* x, int width) {
  for (int k = 0; k < width; k++) {
    hash = mix(hash, x[k]);
  }
  return hash;
}

uint64_t cri_choice_hash(const cr_model* m, const cr_data* d, cri_choice choice) {
  uint64_t hash = START;
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    const cr_field_id id = (cr_field_id)i;
    if (is_choice(id, choice)) {
      int n = cri_field_rows(m, d, id) * cri_field_width(m, id);
      hash = mix_row(mix(hash, n), cri_field_index(m, d, id), n);
    }
  }
  return hash;
}

static bool is_friction_loss(const cr_data* d, int row) {
  return d->efc_type[row] == CR_CNSTR_FRICTION_DOF || d->efc_type[row] == CR_CNSTR_FRICTION_TENDON;
}

uint64_t cri_choice_hash_rows(const cr_model* m, const cr_data* d, bool friction_loss) {
  const char* const of_rows = cri_field(CR_FIELD_efc_type)->rows;
  uint64_t hash = START;
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    const cr_field_id id = (cr_field_id)i;
    if (!is_choice(id, CRI_CHOICE_ROWS)) {
      continue;
    }
    const int32_t* x = cri_field_index(m, d, id);
    int n = cri_field_rows(m, d, id), width = cri_field_width(m, id);
    bool rows = strcmp(cri_field(id)->rows, of_rows) == 0;
    for (int k = 0; k < n; k++) {
      if (friction_loss == (rows && is_friction_loss(d, k))) {
        hash = mix_row(hash, x + k * width, width);
      }
    }
    hash = mix(hash, i);
  }
  return hash;
}
