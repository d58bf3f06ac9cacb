// SPDX-License-Identifier: Apache-2.0
// A controller (dynamics/controller) at work: what it reads, and its derivatives in both directions.
#ifndef CR_DYNAMICS_CONTROLLED_H
#define CR_DYNAMICS_CONTROLLED_H

#include "dynamics/controller.h"

typedef struct {
  int adr, act, out;   // first control, activation (-1 none), output
  int side[CR_LAW_U];  // where the controls were clipped
  cr_real v[CR_LAW_OUT];
  cr_real period;  // of the setpoint's circle, 0 none
  cri_law law;
  cr_real norm, share;  // of an orientation servo: length of its torque, and what the limit leaves
} cri_controlled;

/// Evaluates actuator i; in disabled groups only the rates count.
void cri_controlled_of(const cr_model* m, const cr_data* d, int i, cri_controlled* c);

/// Tangents of the law's rows and of the velocities.
void cri_controlled_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                        const cri_controlled* c, cr_real row_tan[CR_LAW_ROWS],
                        cr_real v_tan[CR_LAW_OUT]);

/// Transpose: adds to bar, but for the velocities, whose cotangents it returns.
void cri_controlled_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                        const cri_controlled* c, const cr_real row_bar[CR_LAW_ROWS],
                        cr_real v_bar[CR_LAW_OUT]);

/// Torque of an orientation servo within its limit: f = raw share, share = min(1, range / |raw|);
/// the tangent; and the transpose, in place, which adds to range_bar (may be NULL).
void cri_torque_tan(const cr_model* m, const cr_data* tan, int i, const cri_controlled* c,
                    const cr_real raw_tan[3], cr_real f_tan[3]);
void cri_torque_bar(const cri_controlled* c, cr_real f_bar[3], cr_real* range_bar);

#endif
