// SPDX-License-Identifier: Apache-2.0
// The states of a recording as carom rollout --out writes it, row by row.
#ifndef CR_VIEW_RECORDED_STATES_H
#define CR_VIEW_RECORDED_STATES_H

#include "carom/carom.h"

typedef struct cr_recorded cr_recorded;

/// Reads the recording at `path`: time and qpos have to be there; without qvel, act or ctrl these are zero.
/// Owner    the caller, cr_recorded_close
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT: no positions, another model, no rows, times that do not increase; CR_ERR_MEMORY
cr_status cr_recorded_open(cr_recorded** recorded, const cr_model* m, const char* path,
                           cr_error* error);
void cr_recorded_close(cr_recorded* recorded);

/// Number of rows, at least 1, and their times.
/// Units    s
int cr_recorded_rows(const cr_recorded* recorded);
const double* cr_recorded_times(const cr_recorded* recorded);

/// Makes row k the state of d. A state has the control of the step that led there, as cr_rollout_save has it.
/// Errors   those of cr_state_set and cr_data_set
cr_status cr_recorded_set(const cr_recorded* recorded, int k, const cr_model* m, cr_data* d,
                          cr_error* error);

#endif
