// SPDX-License-Identifier: Apache-2.0
// The oracle.
#include "stiff/stiff_oracle.h"

static const cr_real* row_of(const cr_real* seen, int i) { return seen + (ptrdiff_t)CRI_STATE * i; }

static cr_status take(const cr_model* m, cr_data* d, cr_real* state, cr_error* error) {
  cr_status status = cr_state_get(m, d, state, CR_STATE_PHYSICS);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(d));
}

static cr_status single_steps(const cr_model* m, cr_data* d, const cr_real* seen, int rows,
                              cri_log_sums* loss, cr_error* error) {
  for (int i = CRI_HISTORY - 1; i + 1 < rows; i++) {
    cr_real state[CRI_STATE];
    double squares = 0;
    CR_TRY(cri_tossed_step(m, d, row_of(seen, i), error));
    CR_TRY(take(m, d, state, error));
    for (int k = CRI_POSE; k < CRI_STATE; k++) {
      const double off = (double)(state[k] - row_of(seen, i + 1)[k]);
      squares += off * off;
    }
    cri_log_sums_add(loss, squares);
  }
  return CR_OK;
}

static cr_status roll_out(const cr_model* m, cr_data* d, const cr_real* seen, cri_oracle* oracle,
                          cr_error* error) {
  CR_TRY(cri_tossed_step(m, d, row_of(seen, CRI_HISTORY - 1), error));
  for (int i = CRI_HISTORY;; i++) {
    cr_real state[CRI_STATE];
    double distance, angle;
    CR_TRY(take(m, d, state, error));
    CR_TRY(cri_tossed_distance(m, state, row_of(seen, i), &distance, &angle, error));
    cri_log_sums_add(&oracle->position, distance);
    cri_log_sums_add(&oracle->rotation, angle);
    if (i == CRI_HISTORY + CRI_ROLLOUT - 1) {
      return CR_OK;
    }
    CR_TRY(cri_tossed_advance(m, d, error));
  }
}

cr_status cri_oracle_of(const cr_model* m, cr_data* d, const cr_real* seen, int rows,
                        cri_oracle* oracle, cr_error* error) {
  *oracle = (cri_oracle){.loss = {.n = 0}};
  CR_TRY(single_steps(m, d, seen, rows, &oracle->loss, error));
  return rows >= CRI_HISTORY + CRI_ROLLOUT ? roll_out(m, d, seen, oracle, error) : CR_OK;
}
