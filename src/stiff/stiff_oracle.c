// SPDX-License-Identifier: Apache-2.0
// The oracle.
#include "stiff/stiff_oracle.h"

static const cr_real* row_of(const cr_real* seen, int i) { return seen + (ptrdiff_t)CRI_STATE * i; }

// a step from the state `from`, without memory of the steps before
static cr_status step_from(const cr_model* m, cr_data* d, const cri_addition* more,
                           const cr_real* from, cr_real* next, cr_error* error) {
  CR_TRY(cri_tossed_step(m, d, from, error));
  CR_TRY(cri_tossed_state(m, d, next, error));
  return more != NULL ? more->add(more->context, from, next, error) : CR_OK;
}

// the next step of a roll-out. The simulator alone goes on from where it is
static cr_status step_on(const cr_model* m, cr_data* d, const cri_addition* more, cr_real* state,
                         cr_error* error) {
  if (more != NULL) {
    cr_real from[CRI_STATE];
    cr_copy(from, state, CRI_STATE);
    return step_from(m, d, more, from, state, error);
  }
  CR_TRY(cri_tossed_advance(m, d, error));
  return cri_tossed_state(m, d, state, error);
}

static cr_status single_steps(const cr_model* m, cr_data* d, const cri_addition* more,
                              const cr_real* seen, int rows, cri_log_sums* loss, cr_error* error) {
  for (int i = CRI_HISTORY - 1; i + 1 < rows; i++) {
    cr_real state[CRI_STATE];
    double squares = 0;
    CR_TRY(step_from(m, d, more, row_of(seen, i), state, error));
    for (int k = CRI_POSE; k < CRI_STATE; k++) {
      const double off = (double)(state[k] - row_of(seen, i + 1)[k]);
      squares += off * off;
    }
    cri_log_sums_add(loss, squares);
  }
  return CR_OK;
}

static cr_status roll_out(const cr_model* m, cr_data* d, const cri_addition* more,
                          const cr_real* seen, cri_oracle* oracle, cr_error* error) {
  cr_real state[CRI_STATE];
  CR_TRY(step_from(m, d, more, row_of(seen, CRI_HISTORY - 1), state, error));
  for (int i = CRI_HISTORY;; i++) {
    double distance, angle;
    CR_TRY(cri_tossed_distance(m, state, row_of(seen, i), &distance, &angle, error));
    cri_log_sums_add(&oracle->position, distance);
    cri_log_sums_add(&oracle->rotation, angle);
    if (i == CRI_HISTORY + CRI_ROLLOUT - 1) {
      return CR_OK;
    }
    CR_TRY(step_on(m, d, more, state, error));
  }
}

cr_status cri_oracle_of(const cr_model* m, cr_data* d, const cri_addition* more,
                        const cr_real* seen, int rows, cri_oracle* oracle, cr_error* error) {
  *oracle = (cri_oracle){.loss = {.n = 0}};
  CR_TRY(single_steps(m, d, more, seen, rows, &oracle->loss, error));
  return rows >= CRI_HISTORY + CRI_ROLLOUT ? roll_out(m, d, more, seen, oracle, error) : CR_OK;
}
