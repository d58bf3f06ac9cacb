// SPDX-License-Identifier: Apache-2.0
// The parts of controllers that PID controllers and DC motors share, and the
// laws themselves; actuator/controller chooses the law.
#ifndef CR_ACTUATOR_DRIVE_H
#define CR_ACTUATOR_DRIVE_H

#include "actuator/dual_number.h"
#include "model/model.h"

/// Rows of a law: rates, forces, the force without limits. Then the derivatives of the two kinds of
/// force for implicit integrators, over velocity and, behind it, over length: those of each
/// output over its own.
enum {
  CR_LAW_RATE = 0,
  CR_LAW_FORCE = 5,
  CR_LAW_FREE = 8,
  CR_LAW_FORCE_SLOPE = 9,
  CR_LAW_FREE_SLOPE = 11,
  CR_LAW_ROWS = 13
};

typedef struct {
  int nu, nact, nout;
  cri_dual row[CR_LAW_ROWS];
} cri_law;

/// Actuator i with the inputs of its law, and the results so far.
typedef struct {
  const cr_model* m;
  int i;
  const cr_real *u, *act, *l, *v;    // clipped controls, states, lengths, velocities
  const cr_real *dyn, *gain, *bias;  // parameters
  cr_real period;                    // of the setpoint, 0 none
  cri_dual pos, vel, ff, voltage;    // inputs, 0 where absent
  int slot;                          // states used so far
  cri_law* law;
} cri_drive;

enum { CR_INPUT_POS = 1, CR_INPUT_VEL = 2, CR_INPUT_FF = 4, CR_INPUT_VOLTAGE = 8 };

/// Takes the inputs; if dynprm[prm] > 0 the first follows its setpoint at that rate at most.
/// Equation q = act_0 +- dynprm h at most, rate_0 = (q - act_0) / h       [controller.c1]
void cri_drive_inputs(cri_drive* b, int prm);

/// The next state integrates the error of the position, up to +-dynprm[prm] (0: no limit).
/// Equation rate = pos - l on the circle, 0 where it would leave the range           [controller.c2]
void cri_drive_integrate(cri_drive* b, int prm);

/// State `slot`; if the force acts early, its value after the step.
cri_dual cri_drive_state(const cri_drive* b, int slot);

/// x moved by whole periods to where it is nearest to `about`.
void cri_drive_wrap(const cri_drive* b, cri_dual* x, cr_real about);

/// The laws, see actuator/controller.h.
void cri_pid(cri_drive* b);
void cri_motor(cri_drive* b);
void cri_geodesic(cri_drive* b);

#endif
