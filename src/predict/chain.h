// SPDX-License-Identifier: Apache-2.0
// The derivative of the model's numbers by the parameters at one point, as a sparse matrix: what every row is multiplied by.
#ifndef CR_PREDICT_CHAIN_H
#define CR_PREDICT_CHAIN_H

#include "learn/parameters.h"

typedef struct cri_chain cri_chain;

/// Leaves *chain NULL where the wanted fields have so many numbers that their derivatives are better found when they are needed.
/// Owner: the caller, cri_chain_free.
cr_status cri_chain_create(cri_chain** chain, const cr_parameters* parameters, cr_error* error);
void cri_chain_free(cri_chain* chain);

/// The derivative at x, whose parameters have been applied. derived: of the derived constants by the parameters, a row each.
/// Shapes   x[count], derived[cri_parameters_nderived count]
/// Errors   CR_ERR_MEMORY
cr_status cri_chain_set(cri_chain* chain, const cr_parameters* parameters, const cr_real* x,
                        const cr_real* derived, cr_error* error);

/// Clears the cotangents of the numbers that parameters reach.
void cri_chain_clear(const cri_chain* chain, cr_data* bar);

/// by_x = the cotangents of the model's numbers, by x.
/// Shapes   by_x[count]
void cri_chain_pull(const cri_chain* chain, cr_data* bar, cr_real* by_x);

#endif
