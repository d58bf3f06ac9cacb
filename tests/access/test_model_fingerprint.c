// SPDX-License-Identifier: Apache-2.0
#include "carom/model.h"
#include "model/fields.h"
#include "scenes/random_model.h"
#include "support/test.h"

// every integer of a model counts, and every option; its names do not
TEST(fingerprints_tell_models_apart) {
  cr_model m;
  assert_int_equal(random_model(&m, 2, NULL), CR_OK);
  uint64_t first = cr_model_fingerprint(&m, 0);
  int tried = 0;
  for (int k = 0; k < CR_N_MODEL_FIELD; k++) {
    cr_field_id id = (cr_field_id)k;
    if (cri_field(id)->kind == CR_KIND_INT && cri_field_rows(&m, NULL, id) > 0) {
      cri_field_index(&m, NULL, id)[0] ^= 1;
      assert_true(cr_model_fingerprint(&m, 0) != first);
      cri_field_index(&m, NULL, id)[0] ^= 1;
      tried++;
    }
  }
  assert_true(tried > 50);
  int32_t* options[] = {&m.iterations, &m.disableactuator, &m.integrator, &m.cfd};
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    *options[i] ^= 1;
    assert_true(cr_model_fingerprint(&m, 0) != first);
    *options[i] ^= 1;
  }
  m.names[0] ^= 1;
  assert_true(cr_model_fingerprint(&m, 0) == first);
  cri_model_free(&m);
}

TEST(no_model_adds_nothing) { assert_true(cr_model_fingerprint(NULL, 7) == 7); }
