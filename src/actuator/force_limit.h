// SPDX-License-Identifier: Apache-2.0
// Limits on actuator forces: the range of the total on a tendon, and the actuator's own range.
#ifndef CR_ACTUATOR_FORCE_LIMIT_H
#define CR_ACTUATOR_FORCE_LIMIT_H

#include "model/data.h"

/// The limits that hold actuator i.
typedef struct {
  int tendon;            // tendon whose total is limited, -1 none
  int tendon_side;       // the end of that range that holds, 0 none
  int side;              // the end of forcerange that holds, 0 none
  cr_real scale, total;  // factor left by the limit on the tendon; that tendon's total
  cr_real share,
      norm;  // of three outputs: factor left by the limit on their torque, and its length
} cri_force_limit;

/// True if actuator i pulls on a tendon whose total is limited.
bool cri_pulls_limited(const cr_model* m, int i);

/// Sums of raw[nout] (or of its tangents) over the actuators that pull on each tendon, in scratch of
/// `owner`; NULL if no tendon's total is limited.
cr_real* cri_tendon_totals(const cr_model* m, const cr_real* raw, cr_data* owner);

/// True if no limit can hold actuator i: its forces are those before limits.
static inline bool cri_force_is_free(const cr_model* m, int i, const cr_real* totals) {
  return totals == NULL && m->actuator_forcelimited[i] == 0;
}

/// Map      (raw[nout], totals; forcerange, tendon_actfrcrange) -> f
/// Equation f = raw range / total where the total on a tendon is out of its range      [actuation.u9]
///          f clipped to forcerange; of three outputs f = raw min(1, range / |raw|)     [actuation.u6]
/// Shapes   raw of all outputs, f of this actuator's
/// Smooth   except where a range begins to bind
cri_force_limit cri_force_limit_of(const cr_model* m, int i, const cr_real* raw,
                                   const cr_real* totals, cr_real* f);

/// Tangent; totals_tan as cri_tendon_totals gives it.
void cri_force_limit_tan(const cr_model* m, const cr_data* tan, int i, const cri_force_limit* limit,
                         const cr_real* raw, const cr_real* raw_tan, const cr_real* totals_tan,
                         cr_real* f_tan);

/// Transpose: gives the cotangents of this actuator's raw forces, adds to totals_bar and bar->par.
void cri_force_limit_bar(const cr_model* m, cr_data* bar, int i, const cri_force_limit* limit,
                         const cr_real* raw, const cr_real* f_bar, cr_real* raw_bar,
                         cr_real* totals_bar);

/// True if the force is at an end of its own range, where slopes count as zero, as in MuJoCo; also if it only
/// touches that end.
bool cri_force_held(const cr_model* m, int i, const cri_force_limit* limit, const cr_real* raw);

/// Totals after all limits, in scratch of `owner`, NULL if there are none. First the limits on tendons
/// act, then each actuator's f loses what its own range takes away.
cr_real* cri_tendon_pulls(const cr_model* m, const cr_real* totals, cr_data* owner);
void cri_tendon_pull(const cr_model* m, int i, const cri_force_limit* limit, const cr_real* raw,
                     cr_real f, cr_real* pulls);

/// True if that is at an end of the tendon's range or beyond: slopes of all actuators that pull there count as zero. A total
/// that was cut and that ranges of actuators then made smaller is free; one that they made larger may be held.
bool cri_pull_held(const cr_model* m, int i, const cr_real* pulls);

#endif
