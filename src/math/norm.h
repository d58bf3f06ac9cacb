// SPDX-License-Identifier: Apache-2.0
// Norms of residuals, with first and second derivatives. docs/derivations/cost.md has the equations.
#ifndef CR_MATH_NORM_H
#define CR_MATH_NORM_H

#include "base/real.h"
#include "base/status.h"
#include "carom/cost.h"

typedef struct {
  cr_norm kind;
  cr_real p, q;
} cri_norm;

/// CR_ERR_ARG with a sentence for an unknown kind, or parameters that it does not take. `name` begins the sentence.
cr_status cri_norm_check(const cri_norm* norm, const char* name, cr_error* error);

/// The norm of r[n].
cr_real cri_norm_value(const cri_norm* norm, const cr_real* r, int n);

/// Its gradient g[n], and its Hessian diag(h) + outer r r', h[n]. Where the second derivative of a power is infinite (at 0), it is that
/// of CRI_NORM_NEAR beside.
#define CRI_NORM_NEAR CR_R(1e-6)
void cri_norm_derivatives(const cri_norm* norm, const cr_real* r, int n, cr_real* g, cr_real* h,
                          cr_real* outer);

#endif
