// SPDX-License-Identifier: Apache-2.0
#include "parameter/kind_table.h"

#include "support/close.h"

TEST(every_kind_has_its_functions) {
  for (int k = CR_FIT_FIELD; k <= CR_FIT_DENSITY; k++) {
    const cri_parameter_kind* kind = cri_parameter_kind_of((cr_fit_kind)k);
    assert_non_null(kind);
    assert_true(kind->bind != NULL && kind->apply != NULL && kind->push != NULL &&
                kind->pull != NULL);
    assert_true((kind->start != NULL) == kind->own_start);
  }
  assert_null(cri_parameter_kind_of((cr_fit_kind)(CR_FIT_DENSITY + 1)));
}
