// SPDX-License-Identifier: Apache-2.0
// What a gradient is taken with respect to: places in the state at the start, the controls and the
// parameters. They are read from a gradient, and moved for differences.
#ifndef CR_CLI_WRT_H
#define CR_CLI_WRT_H

#include "cli/setup.h"
#include "model/names.h"

/// One --wrt.
typedef struct {
  const char* name;
  cr_place place;
  bool each_step;  // all controls: steps x nu
} cr_wrt;

/// Resolves the name; marks a parameter in `wanted`. CR_ERR_NAME where there is no gradient by it.
cr_status cr_wrt_find(cr_wrt* wrt, const cr_model* m, const char* name, bool* wanted,
                      cr_error* error);

/// How many numbers it has.
int cr_wrt_size(const cr_wrt* wrt, const cr_setup* setup);

/// Its numbers, from what a gradient left in r. CR_ERR_NONFINITE where one is none.
cr_status cr_wrt_read(const cr_wrt* wrt, const cr_setup* setup, const cr_rollout* r,
                      cr_real* gradient, cr_error* error);

/// Moves its k-th number by h: in the data block and controls of r, or in the setup's model.
void cr_wrt_move(const cr_wrt* wrt, cr_setup* setup, cr_rollout* r, int k, cr_real h);

/// The k-th number itself, 0 for a turn.
cr_real cr_wrt_value(const cr_wrt* wrt, const cr_setup* setup, const cr_rollout* r, int k);

/// All that may be moved, as it was.
typedef struct {
  cr_data* d;
  cr_model m;
  cr_real* ctrl;
} cr_start;

/// Keeps the start of the setup's last run. Errors: CR_ERR_MEMORY. Free with cr_start_free, also after
/// an error.
cr_status cr_start_keep(cr_start* start, const cr_setup* setup, cr_error* error);

/// Puts it into a rollout and the setup's model.
void cr_start_put(const cr_start* start, cr_setup* setup, cr_rollout* r);

void cr_start_free(cr_start* start);

#endif
