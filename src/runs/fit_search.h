// SPDX-License-Identifier: Apache-2.0
// The search of a fit of measured runs: down from its start, or first for the lowest of many valleys, on islands that may be
// spread over the processes of mpirun. It is saved as it goes.
#ifndef CR_RUNS_FIT_SEARCH_H
#define CR_RUNS_FIT_SEARCH_H

#include "runs/fit_setup.h"

/// Checks --search, --islands, --population and --generations; *spread: it looks for the lowest of many valleys.
/// Errors   CR_ERR_ARG
cr_status cr_fit_search_check(const cr_fit_runs_options* options, bool* spread, cr_error* error);

/// What the saved states are of: f->saving.of.
/// Errors   CR_ERR_FILE
cr_status cr_fit_search_name(cr_runs_fit* f, cr_error* error);

/// From f->x, or from what f->saving read, to f->x and f->end at rank 0. Collective.
/// Errors   those of cr_minimise_global and cr_identification_solve, of any rank; CR_ERR_ARG: fewer islands than ranks,
///          numbers without bounds; CR_ERR_INTERRUPTED, with all saved
cr_status cr_fit_search(cr_runs_fit* f, cr_error* error);

#endif
