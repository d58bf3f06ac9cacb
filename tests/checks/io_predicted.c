// SPDX-License-Identifier: Apache-2.0
#include "checks/io_predicted.h"

#include "support/test.h"

static void keep(void* context, const cri_sight* s) {
  predicted* k = context;
  for (int i = 0; i < cri_output_errors(s->output); i++) {
    assert_true(k->n < PREDICTED_ERRORS);
    k->error[k->n] = s->error[i];
    if (s->rows != NULL) {
      cr_copy(k->rows[k->n], s->rows + (ptrdiff_t)i * k->columns, k->columns);
    }
    k->n++;
  }
}

void predict_window(cri_predictor* w, cri_problem* p, bool derive, predicted* k) {
  cr_error error = {0};
  cr_real values[PREDICTED_COLUMNS];
  cri_parameters_values(p->parameters, p->x, values);
  must(cri_parameters_apply(p->parameters, values, &error));
  k->n = 0;
  k->columns = cri_columns_of(p);
  assert_true(k->columns <= PREDICTED_COLUMNS);
  must(cri_predict(w, p, 0, derive, keep, k, NULL, NULL, &error));
}
