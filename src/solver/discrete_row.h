// SPDX-License-Identifier: Apache-2.0
// A row's spring and damper with the integrator discrete: taken at the end of the step. Both
// regularisation and reference acceleration are divided by f. If the spring of a contact or limit is too
// stiff for the step, the stiffest one that does not rebound replaces it (flag refsafe).
#ifndef CR_SOLVER_DISCRETE_ROW_H
#define CR_SOLVER_DISCRETE_ROW_H

#include "model/data.h"

/// Stiffness, damping and divisor of a row, with gradients by (K, B, I) of efc_KBIP.
/// Equation e = h^2 K I > 1, of contacts and limits with solref[0] > 0, unless refsafe is off:
///          K* = 1 / (h^2 I), B* = min(B / sqrt(e), (F - 2)+ / h), F = .9999 (1 - I) / (.0001 I)
///          else K* = K, B* = B;   f = 1 + h B* + h^2 K* I            [regularisation.s5]
///          Any other integrator: K, B and 1
/// Smooth   except at e = 1 and where the minimum changes
typedef struct {
  cr_real K, B, f;
  cr_real K_y[3], B_y[3], f_y[3];
} cri_step_row;

cri_step_row cri_step_row_of(const cr_model* m, const cr_data* d, int i);

/// The same for a contact that has no row.
cri_step_row cri_step_row_of_contact(const cr_model* m, const cr_real solref[2],
                                     const cr_real KBIP[4]);

static inline cr_real cri_step_row_tan(const cr_real y[3], const cr_real KBIP_tan[4]) {
  return y[0] * KBIP_tan[0] + y[1] * KBIP_tan[1] + y[2] * KBIP_tan[2];
}
static inline void cri_step_row_bar(const cr_real y[3], cr_real s, cr_real KBIP_bar[4]) {
  for (int k = 0; k < 3; k++) {
    KBIP_bar[k] += s * y[k];
  }
}

#endif
