// SPDX-License-Identifier: Apache-2.0
// The continuous adjoint of a rollout: cotangents of the state as the solution of a differential
// equation that runs backwards. carom/rollout.h documents the public functions.
#ifndef CR_ROLLOUT_ADJOINT_H
#define CR_ROLLOUT_ADJOINT_H

#include "carom/rollout.h"
#include "integrate/ode.h"
#include "integrate/runge_kutta.h"

/// Options, and memory of a gradient beside the blocks of the rollout.
typedef struct {
  bool continuous;
  cr_adjoint options;
  cri_controller controller;
  cr_real* memory;  // y, z, and the work space of the steps
  cr_real* nodes;   // states on the way
  size_t nnode;     // numbers for which there is room
  bool carried;     // states backward from the end: y holds the state of the span before
} cri_adjoint;

/// Begins a gradient. Errors: as cr_rollout_set_adjoint; CR_ERR_MEMORY.
cr_status cri_adjoint_begin(cr_rollout* r, const cr_model* m, cr_error* error);

/// Puts the state before step i into r->d.
typedef cr_status cri_state_before(cr_rollout* r, const cr_model* m, int i, cr_error* error);

/// From the cotangents after interval k, in r->bar, to those before it. The interval has the steps
/// first ... end - 1. The tape's state here is first that at its end, then that at its start. Controls change
/// along the ramp, whose rows receive their cotangents; NULL: they are held.
/// Map      bar->qpos l, qvel u, act g at the end -> at the start; adds to the other inputs
/// Equation -l' = w x l + (dF/dq)' u + (dG/dq)' g    (w x l: orientations only)    [adjoint.c1]
///          -u' = l + (dF/dv)' u + (dG/dv)' g                              [adjoint.c2]
///          -g' = (dF/da)' u + (dG/da)' g                                  [adjoint.c3]
///          -p' = (dF/dp)' u + (dG/dp)' g    for controls, forces, parameters      [adjoint.c4]
///          F, G: qacc and act_dot; at events the jump of event/event.h     [adjoint.c5]
///          derivation: docs/derivations/adjoint.md
/// Errors   those of cri_ode_step and of the dynamics
cr_status cri_adjoint_interval(cr_rollout* r, const cr_model* m, const cr_model* m_backward, int k,
                               const cri_ramp* ramp, int first, int end, cri_state_before* before,
                               cr_error* error);

void cri_adjoint_free(cri_adjoint* adjoint);

#endif
