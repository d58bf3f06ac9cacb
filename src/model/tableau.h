// SPDX-License-Identifier: Apache-2.0
// Explicit Runge-Kutta methods as tables of numbers.
#ifndef CR_MODEL_TABLEAU_H
#define CR_MODEL_TABLEAU_H

#include "base/real.h"

/// n stages, a[n][n] strictly lower triangular, weights b[n].
typedef struct {
  int integrator;
  int n;
  int order;
  const cr_real* a;
  const cr_real* b;
  const cr_real* error;  // b less the weights of the embedded method, NULL if there is none
  int error_order;       // the embedded method's local error is of this order in h
  bool last_is_first;    // the last stage is at the new state: its rates begin the next step
  bool mujoco;           // activations advance as in MuJoCo's steps, exact filters exactly
} cri_tableau;

/// The most stages of a method.
enum { CR_RK_STAGES = 13 };

/// The method of an integrator (CR_INT_RK4, CR_INT_TSIT5 ...), NULL if it is of another kind.
const cri_tableau* cri_tableau_of(int integrator);

/// True for those methods; for those of them that estimate their error.
static inline bool cri_is_explicit(int integrator) { return cri_tableau_of(integrator) != NULL; }
static inline bool cri_is_embedded(int integrator) {
  const cri_tableau* t = cri_tableau_of(integrator);
  return t != NULL && t->error != NULL;
}

#endif
