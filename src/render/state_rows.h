// SPDX-License-Identifier: Apache-2.0
// A motion as the states at some times, and the state at any time between them.
#ifndef CR_RENDER_STATE_ROWS_H
#define CR_RENDER_STATE_ROWS_H

#include "carom/carom.h"

typedef struct {
  cr_real* rows;  // CR_STATE_INTEGRATION each
  int n, room;
} cr_state_rows;

/// Takes the state in d as the next one.
/// Errors   CR_ERR_ARG: a time that is not later; those of cr_data_check; CR_ERR_MEMORY
cr_status cr_state_rows_take(cr_state_rows* s, const cr_model* m, const cr_data* d,
                             cr_error* error);
void cr_state_rows_free(cr_state_rows* s);

/// Time from the first state to the last one.
/// Units    s
cr_real cr_state_rows_time(const cr_state_rows* s, const cr_model* m);

/// Puts the state at a time since the first state into d: before the first and behind the last one these. Between two of them
/// positions follow the velocity that leads from one to the other, velocities lie on a line, and everything else is that of the one before.
/// Needs    a state
/// Leaves   d without cr_forward
/// Errors   those of cr_differentiate_pos and cr_state_set; CR_ERR_MEMORY
cr_status cr_state_rows_at(const cr_state_rows* s, const cr_model* m, cr_real time, cr_data* d,
                           cr_error* error);

#endif
