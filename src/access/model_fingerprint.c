// SPDX-License-Identifier: Apache-2.0
// The fingerprint of a model. See carom/model.h.
#include "base/fingerprint.h"
#include "carom/model.h"
#include "model/fields.h"

uint64_t cr_model_fingerprint(const cr_model* m, uint64_t hash) {
  if (m == NULL) {
    return hash;
  }
  for (int k = 0; k < CR_N_MODEL_FIELD; k++) {
    cr_field_id id = (cr_field_id)k;
    cr_field_kind kind = cri_field(id)->kind;
    size_t n = (size_t)cri_field_rows(m, NULL, id) * (size_t)cri_field_width(m, id);
    if (n > 0 && kind == CR_KIND_INT) {
      hash = cri_fingerprint(hash, cri_field_index(m, NULL, id), n * sizeof(int32_t));
    } else if (n > 0 && kind != CR_KIND_CHAR) {
      hash = cri_fingerprint(hash, cri_field_real(m, NULL, id), n * sizeof(cr_real));
    }
  }
#define CR_SIZE(name, text) hash = cri_fingerprint(hash, &m->name, sizeof m->name);
#define CR_OPT_I(name, range, text) hash = cri_fingerprint(hash, &m->name, sizeof m->name);
#define CR_OPT_R(name, range, unit, text) hash = cri_fingerprint(hash, &m->name, sizeof m->name);
#include "model/model_fields.h"
  return hash;
}
