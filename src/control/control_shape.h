// SPDX-License-Identifier: Apache-2.0
// Controls of steps from knots: a constant linear map with at most four knots a step, then the limits.
//   [plan.s1] u_k = clip(sum over j of w_kj theta_j)
#ifndef CR_CONTROL_CONTROL_SHAPE_H
#define CR_CONTROL_CONTROL_SHAPE_H

#include "base/real.h"
#include "base/status.h"
#include "carom/plan.h"

typedef struct {
  int nstep, nknot, nu;
  int32_t* knot;           // nstep x 4
  cr_real* weight;         // nstep x 4
  cr_real *lower, *upper;  // nu each
  cr_real* moved;          // nknot x nu, of cri_control_shift
  cr_control_shape shape;
} cri_controls;

/// The map of a shape; lower and upper are filled by the caller. Free with cri_controls_free, also after a failure.
/// Errors   CR_ERR_ARG: knots that the shape does not take; CR_ERR_MEMORY
cr_status cri_controls_make(cri_controls* c, cr_control_shape shape, int nstep, int nknot, int nu,
                            cr_error* error);
void cri_controls_free(cri_controls* c);

/// ctrl[nstep nu] from knots[nknot nu].
void cri_controls_spread(const cri_controls* c, const cr_real* knots, cr_real* ctrl);

/// The cotangents of the knots from those of the controls. What a limit holds has none if it would go beyond.
/// Shapes   ctrl[nstep nu] as spread, ctrl_bar the same; knots_bar[nknot nu] is overwritten
void cri_controls_gather(const cri_controls* c, const cr_real* knots, const cr_real* ctrl_bar,
                         cr_real* knots_bar);

/// Puts knots within the limits.
void cri_controls_clip(const cri_controls* c, cr_real* knots);

/// Knots of the same controls `steps` steps later; the last are held.
void cri_controls_shift(const cri_controls* c, int steps, cr_real* knots);

/// The first step of the knot that step k holds: shapes STEP and ZERO.
int cri_controls_first(const cri_controls* c, int k);

#endif
