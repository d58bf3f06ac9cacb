// SPDX-License-Identifier: Apache-2.0
// A loop over the field table.
#include "rollout/choices.h"

// FNV-1a
static uint64_t mix(uint64_t hash, int64_t value) {
  return (hash ^ (uint64_t)value) * 0x100000001b3u;
}

uint64_t cri_choice_hash(const cr_model* m, const cr_data* d, cri_choice choice) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    const cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_INDEX && cri_field(id)->choice == choice) {
      const int32_t* x = cri_field_index(m, d, id);
      int n = cri_field_rows(m, d, id) * cri_field_width(m, id);
      hash = mix(hash, n);
      for (int k = 0; k < n; k++) {
        hash = mix(hash, x[k]);
      }
    }
  }
  return hash;
}
