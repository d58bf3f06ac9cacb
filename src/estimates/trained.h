// SPDX-License-Identifier: Apache-2.0
// Weights of trained policies as CSV files with one column, a file for each estimator and seed: what pictures of a resumed study are drawn from.
#ifndef CR_ESTIMATES_TRAINED_H
#define CR_ESTIMATES_TRAINED_H

#include "base/real.h"
#include "base/status.h"

/// Writes folder/<name>_<kind>_<seed>.csv; kind is a cr_estimator_kind.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY
cr_status cri_trained_save(const char* folder, const char* name, int kind, int seed,
                           const cr_real* weights, int n, cr_error* error);

/// Reads them.
/// Errors   CR_ERR_FILE where there is no such file, or not n numbers in it; CR_ERR_FORMAT, CR_ERR_MEMORY
cr_status cri_trained_load(const char* folder, const char* name, int kind, int seed,
                           cr_real* weights, int n, cr_error* error);

#endif
