// SPDX-License-Identifier: Apache-2.0
// A plain system of differential equations with the step-size control and the tables of adaptive.h, for
// quantities that are no state of the simulation.
#ifndef CR_INTEGRATE_ODE_H
#define CR_INTEGRATE_ODE_H

#include "integrate/adaptive.h"
#include "model/tableau.h"

/// The rates at s, n + nquad numbers: those of y, then those of the quadratures z; no rate
/// depends on z.
typedef cr_status cri_ode_rate(void* context, cr_real s, const cr_real* y, cr_real* rate);

/// y' = f(s, y), z' = g(s, y). The error of y and that of z count separately.
typedef struct {
  const cri_tableau* t;
  int n, nquad;
  cri_ode_rate* rate;
  void* context;
  cr_real *y, *z;   // n, nquad numbers: the present state
  cr_real* memory;  // cri_ode_room numbers
  bool known;       // the rates at y are the first row of memory already
} cri_ode;

/// Numbers of work space.
size_t cri_ode_room(const cri_tableau* t, int n, int nquad);

/// One accepted step from s, not beyond `end`. Afterwards y and z are those at s + *h.
/// Equation [adaptive.a1], [adaptive.a2] of adaptive.h, E the larger of the rms errors of y and of z
/// Errors   CR_ERR_BUDGET after max_steps; CR_ERR_DIVERGED if steps become too short to move s;
///          CR_ERR_CAPACITY; those of the rates at s. A later stage that fails is a rejected step
cr_status cri_ode_step(cri_ode* ode, const cr_adaptive* options, cr_real s, cr_real end,
                       cri_controller* controller, cr_real* h, cr_error* error);

#endif
