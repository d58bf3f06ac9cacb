// SPDX-License-Identifier: Apache-2.0
// The integrator of the model in inverse dynamics: converts the acceleration of a step into that
// in continuous time, and gives the effective mass matrix of free bodies its part beside the implicit inertia.
#ifndef CR_ENGINE_STEP_QDERIV_H
#define CR_ENGINE_STEP_QDERIV_H

#include "model/data.h"

/// The derivative D of forces over velocity in the matrix of the integrator's step.
typedef enum {
  CR_STEP_QDERIV_NONE,
  CR_STEP_QDERIV_DAMPING,  // Euler: -diag of the damping law, none under its flags
  CR_STEP_QDERIV_FAST,     // implicitfast
  CR_STEP_QDERIV_ALL,      // implicit
  CR_STEP_QDERIV_GYRO      // of the bias force, for the trees marked in efm_free
} cri_step_qderiv;

/// The D of the model's integrator: (M - hD) a2 = M a converts an acceleration a to that of the step, a2.
cri_step_qderiv cri_step_qderiv_of(const cr_model* m);

/// y += s D x, or s D' x.
/// Memory   scratch of `work`
void cri_step_qderiv_mul(const cr_model* m, const cr_data* d, cri_step_qderiv kind, cr_real s,
                         const cr_real* x, cr_real* y, bool transposed, cr_data* work);

/// y += s (tangent of D) x, x fixed.
void cri_step_qderiv_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_step_qderiv kind,
                         cr_real s, const cr_real* x, cr_real* y);

/// Adds the gradient of s l' D r, l and r fixed.
void cri_step_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_step_qderiv kind,
                         cr_real s, const cr_real* l, const cr_real* r);

#endif
