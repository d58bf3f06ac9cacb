// SPDX-License-Identifier: Apache-2.0
// What a batch is of: the fields that differ from rollout to rollout, the results that come out, and
// where the rows of both lie. How they are worked off is in batch.c.
#ifndef CR_CLI_BATCH_PLAN_H
#define CR_CLI_BATCH_PLAN_H

#include "carom/batch.h"
#include "cli/batch_rows.h"
#include "command/options.h"

enum { CR_BATCH_PARAMETERS = CR_BATCH_COLUMNS + CR_MAX_LIST };

typedef struct {
  // what all rollouts have in common, of the caller
  const cr_model* m;
  cr_data* start;
  const cr_real* ctrl;  // nstep x nu
  int nstep, room;      // room: rows of this process, at most
  // what they do not
  const char* input_path;
  cr_h5* input;
  int rows;  // of the input, 0 without
  cr_batch_column columns[CR_BATCH_COLUMNS];
  int ncolumn;
  // parameters of the batch: those columns, and those of a gradient
  const char* parameters[CR_BATCH_PARAMETERS];
  const cr_real* parameter_rows[CR_BATCH_PARAMETERS];
  cr_real* parameters_bar[CR_BATCH_PARAMETERS];
  int nparameter;
  // results
  cr_batch_output output;
  cr_batch_result results[CR_MAX_LIST + 4];
  int nresult, widest, together;  // numbers of the widest result, and of all
  void* memory[3 * CR_BATCH_COLUMNS + 16];
  int nmemory;
} cr_batch_plan;

/// Columns from the data sets of an HDF5 file (NULL: none), from NAME=SPREAD, and the controls, which are
/// rows in any case. At least `count` rows must be in the file; 0: as many as there are.
/// Errors   CR_ERR_NAME (neither state nor parameter), CR_ERR_ARG, those of the file
cr_status cr_batch_plan_inputs(cr_batch_plan* p, const char* input, const cr_text_list* spread,
                               int count, cr_error* error);

/// Makes room for p->room rows of the columns and of the results: states at the end, with `loss` the
/// loss and the gradients by `wrt`, with `ends` how each rollout ended.
/// Errors   CR_ERR_NAME (nothing to differentiate by), CR_ERR_MEMORY
cr_status cr_batch_plan_outputs(cr_batch_plan* p, bool loss, const cr_text_list* wrt, bool ends,
                                cr_error* error);

/// Fills the columns of rollouts first ... first + n - 1, and `in` with where they are.
cr_status cr_batch_plan_fill(cr_batch_plan* p, uint64_t seed, int first, int n, cr_batch_input* in,
                             cr_error* error);

/// Room for rows of n numbers, and some more, which lives as long as the plan.
cr_status cr_batch_plan_take(cr_batch_plan* p, cr_real** x, size_t rows, size_t n, cr_error* error);

void cr_batch_plan_free(cr_batch_plan* p);

#endif
