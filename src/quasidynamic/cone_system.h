// SPDX-License-Identifier: Apache-2.0
// The scaled cone program at its iterate: rows A y + g, forces A'z, the residual, the Hessian of the barrier.
#ifndef CR_QUASIDYNAMIC_CONE_SYSTEM_H
#define CR_QUASIDYNAMIC_CONE_SYSTEM_H

#include "quasidynamic/cone_program.h"

/// The largest absolute value; the sum of products.
cr_real cri_cone_largest(const cr_real* x, int n);
cr_real cri_cone_dot(const cr_real* restrict x, const cr_real* restrict y, int n);

/// r = A y + base; base may be NULL.
void cri_cone_rows(const cri_cone* c, const cr_real* y, const cr_real* base, cr_real* r);

/// r += A'z.
void cri_cone_add_forces(const cri_cone* c, const cr_real* z, cr_real* restrict r);

/// mu c of block k; mu of the solution, 1 / weight or 0.
cr_real cri_cone_level(const cri_cone* c, int k, cr_real mu);
cr_real cri_cone_target(const cri_cone* c);

/// The residual of the scaled iterate [quasidynamic.c4].
cr_real cri_cone_residual(cri_cone* c);

/// W, lambda, B = W^-1 A and the factor of I + B'B at the iterate; false if it has none.
bool cri_cone_barrier(cri_cone* c);

#endif
