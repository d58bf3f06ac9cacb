// SPDX-License-Identifier: Apache-2.0
// What a fit of measured runs found, as text and as JSON.
#ifndef CR_RUNS_FIT_ANSWER_H
#define CR_RUNS_FIT_ANSWER_H

#include "runs/fit_setup.h"
#include "tools/json.h"

/// 0, or 1 where nothing was found.
int cr_fit_answer_code(const cr_runs_fit* f);

/// The whole object.
cr_status cr_fit_answer_put(cr_json* j, const cr_runs_fit* f, double seconds, cr_error* error);

cr_status cr_fit_answer_print(const cr_runs_fit* f, double seconds, cr_error* error);

#endif
