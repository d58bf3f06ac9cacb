// SPDX-License-Identifier: Apache-2.0
// Steps as long as the error allows: an explicit Runge-Kutta method with an error estimate and a
// PID controller.
#ifndef CR_INTEGRATE_ADAPTIVE_H
#define CR_INTEGRATE_ADAPTIVE_H

#include "carom/rollout.h"
#include "event/event_crowd.h"
#include "integrate/runge_kutta.h"

/// Memory of the controller from step to step.
typedef struct {
  cr_real h;           // length proposed for the next step
  cr_real inverse[2];  // 1 / error of the last accepted step and of the one before
  bool known;          // the first stage of the next step is the last one of the step before, its
                       // accelerations are qacc_warmstart
  bool event;          // rows entered, left or were swapped in the last step, see event/event.h
  cr_real cross;       // length of the next step if it is to go on to an event, else 0
  cri_step_kind next;  // kind of that step
  cr_real pass;        // how far a step goes beyond a bend at its start, 0: as usual
  int bent;            // steps in a row that began with one
  int accepted, rejected, events;
  int missed;            // rows that entered, left or were swapped in a way that no gradient counts
  cr_real first_missed;  // the end of the step in which the first of them was
  cri_crowd crowd;       // tells if steps pass over events
} cri_controller;

/// The controller at the start of a run.
cri_controller cri_controller_begin(const cr_model* m, const cr_adaptive* options);

/// [adaptive.a2] below: the factor for the length of the next step after one whose error was
/// 1 / inverse; `order` is that of the error.
cr_real cri_controller_factor(const cr_adaptive* options, const cri_controller* controller,
                              int order, cr_real inverse, bool accepted);

/// Accepts a step of length h; the next one may have length `next`. A step that was
/// cut short keeps the earlier proposal, if that was longer.
void cri_controller_accept(cri_controller* controller, cr_real h, cr_real inverse, cr_real next);

/// CR_ERR_BUDGET or CR_ERR_DIVERGED, with a sentence, if a step of length h at `time` on the way to
/// `end` is one too many, or too short to move the time.
cr_status cri_controller_check(const cr_adaptive* options, const cri_controller* controller,
                               cr_real time, cr_real h, cr_real end, cr_error* error);

/// CR_ERR_ARG, with a sentence, if the model's integrator has no error estimate or the options
/// are not valid.
cr_status cri_adaptive_check(const cr_model* m, const cr_adaptive* options, cr_error* error);

/// One accepted step from the state in d, not beyond the time `end`. ramp: controls that change, NULL:
/// those in d.
/// Map      (state, controller) -> (qpos_next, qvel_next, act_next, *h, controller)
/// Equation E = rms error in units of atol + rtol |y|; accepted if E < 1;          [adaptive.a1]
///          h+ = h clip(0.9 E_n^-((p+i+d)/k) E_n-1^((p+2d)/k) E_n-2^-(d/k), lo, hi)  [adaptive.a2]
///          k the error's order; lo, hi = 1, 10 after acceptance, 0.2, 0.9 after rejection
///          [Soederlind, Digital filters in adaptive time-stepping, 2003]
///          with events: a step in which a row enters, or its force law bends, ends where it does,
///          or just behind                                                           [event.a3]
/// Leaves   as cr_runge_kutta; d->time is that of the start. A step cut short by `end` keeps the
///          earlier proposal, if that was longer
/// Errors   CR_ERR_BUDGET after max_steps accepted and rejected steps; CR_ERR_DIVERGED if steps
///          become too short to move the time; CR_ERR_CAPACITY; those of cr_forward at the state.
///          A stage that fails is a rejected step
cr_status cri_adaptive_step(const cr_adaptive* options, const cri_ramp* ramp, const cr_model* m,
                            cr_data* d, cr_real end, cri_controller* controller, cr_real* h);

/// Repeats the step of length h from the state in d, with the same bits; `known` as it was then.
cr_status cri_adaptive_repeat(const cr_adaptive* options, const cri_ramp* ramp, const cr_model* m,
                              cr_data* d, bool known, cr_real h);

/// Tangents of that step, as cr_step_jvp; its length counts as a constant.
cr_status cri_adaptive_step_jvp(const cr_adaptive* options, const cri_ramp* ramp, const cr_model* m,
                                const cr_data* d, cr_real h, cr_data* work, cr_data* tan);

/// The vjp of that step, as cr_step_vjp; its length counts as a constant.
cr_status cri_adaptive_step_vjp(const cr_adaptive* options, const cri_ramp* ramp, const cr_model* m,
                                const cr_model* m_backward, const cr_data* d, cr_real h,
                                cr_data* work, cr_data* bar);

/// Makes the next state the current one, h later.
void cri_adaptive_advance(const cr_adaptive* options, const cr_model* m, cr_data* d, cr_real h);

#endif
