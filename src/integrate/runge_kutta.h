// SPDX-License-Identifier: Apache-2.0
// An explicit Runge-Kutta step of any table and length, on the configuration manifold: MuJoCo's RK4,
// and the methods with an error estimate.
#ifndef CR_INTEGRATE_RUNGE_KUTTA_H
#define CR_INTEGRATE_RUNGE_KUTTA_H

#include "integrate/local_coordinates.h"
#include "model/data.h"
#include "model/tableau.h"

/// Controls that change linearly, from those at the time `start` to those `length` later. A vjp adds to
/// the cotangents of both.
typedef struct {
  const cr_real *from, *to;
  cr_real start, length;
  cr_real *from_bar, *to_bar;
} cri_ramp;

/// The controls at a time; and the transpose, which clears ctrl_bar.
void cri_ramp_at(const cri_ramp* ramp, cr_real time, int nu, cr_real* ctrl);
void cri_ramp_vjp(const cri_ramp* ramp, cr_real time, int nu, cr_real* ctrl_bar);

/// A method and the length of a step. With `error` it also evaluates the stage that only the estimate
/// needs.
typedef struct {
  const cri_tableau* t;
  cr_real h;
  bool error;
  cri_local_coordinates chart;  // increments on orientations
  const cri_ramp* ramp;         // NULL: the controls in the data, for the whole step
  uint64_t* zones;  // set at every stage but the first, see event/event.h; NULL: not needed
} cri_rk;

/// Makes the state, with its qacc and act_dot, the first stage of the next steps.
void cri_runge_kutta_begin(const cr_model* m, cr_data* d);

/// One step from the first stage. It may be repeated with another length.
/// Map      (qpos q0, qvel v0, act w0; everything cr_forward reads) -> qpos_next, qvel_next, act_next
/// Equation r_i = h sum_j a_ij K_j,  q_i = q0 (+) r_i                 [runge_kutta.k1]
///          v_i = v0 + h sum_j a_ij F_j,  w_i = w0 + h sum_j a_ij G_j             [runge_kutta.k2]
///          K_i = Jr^-1(r_i) v_i on orientations, v_i elsewhere       [runge_kutta.k3]
///          (F_i, G_i) = (qacc, act_dot) at (q_i, v_i, w_i)           [runge_kutta.k4]
///          q+ = q0 (+) h sum_i b_i K_i,  v+ = v0 + h sum_i b_i F_i   [runge_kutta.k5]
///          act+ as in actuator/activation.h, with the rate sum_i b_i G_i         [runge_kutta.k6]
///          [Munthe-Kaas, High order Runge-Kutta methods on manifolds, 1999];
///          derivation: docs/derivations/runge_kutta.md
/// Shapes   qpos_next[nq], qvel_next[nv], act_next[na]
/// Saves    rk_qpos, rk_qvel, rk_act, rk_qacc, rk_act_dot: q_i, v_i, w_i, F_i, G_i
/// Leaves   the inputs as they were; qacc = sum_i b_i F_i, as in MuJoCo, and actuator_length of
///          the state; all other computed fields are those of the last stage. Every stage starts
///          its solver from the same warm start
/// Memory   no allocation; scratch 2 n numbers a coordinate of the chart, and nout, beside that of
///          cr_forward
/// Errors   CR_ERR_ARG if d has no room for the stages (it was made for another integrator);
///          those of cr_forward, at a stage; the inputs are then unchanged too
/// Smooth   where cr_forward is, at all stages
cr_status cr_runge_kutta(const cri_rk* rk, const cr_model* m, cr_data* d);

/// The accelerations of the stage that cr_runge_kutta evaluated last, nv numbers.
const cr_real* cri_runge_kutta_latest(const cri_rk* rk, const cr_model* m, const cr_data* d);

/// Evaluates the dynamics at the state after the last step: qacc and all computed fields are
/// those there, the state stays as it was. Errors: those of cri_dynamics.
cr_status cri_runge_kutta_end(const cri_rk* rk, const cr_model* m, cr_data* d);

/// The estimated error of the last step, in units of the allowed error: the root mean square over
/// (r, v, w) of h |sum_i e_i (K, F, G)_i| / (atol + rtol max(|y|, |y+|)), y the turn or coordinate,
/// velocity and activation before and after; e_i the difference of the weights. Not finite if the
/// step is not.
cr_real cri_runge_kutta_error(const cri_rk* rk, const cr_model* m, cr_data* d, cr_real rtol,
                              cr_real atol);

/// Overwrites the tangents of qpos_next, qvel_next, act_next, from those of the inputs in `tan`,
/// which it leaves as they are. The stages are evaluated again in `work`, a plain twin of d.
cr_status cr_runge_kutta_jvp(const cri_rk* rk, const cr_model* m, const cr_data* d, cr_data* work,
                             cr_data* tan);

/// Sets the tangents of qacc, act_dot and actuator_velocity at stage i from those of qpos, qvel, act
/// and of the inputs in `tan`.
typedef cr_status cri_stage_tangent(void* context, int i, cr_data* tan);

/// The same with the dynamics of the stages from the caller; no stage is evaluated again.
cr_status cri_runge_kutta_jvp_with(const cri_rk* rk, const cr_model* m, const cr_data* d,
                                   cr_data* tan, cri_stage_tangent* stage, void* context);

/// Number of stages on which the step depends; and stage i evaluated again in `work`, a plain twin of d.
int cri_runge_kutta_stages(const cri_rk* rk);
cr_status cri_runge_kutta_stage(const cri_rk* rk, const cr_model* m, const cr_data* d, int i,
                                cr_data* work, cr_error* error);

/// Adds to the cotangents of the inputs and to bar->par the contributions of those of qpos_next (nv numbers),
/// qvel_next and act_next; h counts as a constant. Cotangents of computed fields must be zero,
/// and are zero afterwards. It evaluates the stages again in `work`, last to first, with the model
/// m_backward: m itself, or one whose dynamics replace those of m in the backward pass.
cr_status cr_runge_kutta_vjp(const cri_rk* rk, const cr_model* m, const cr_model* m_backward,
                             const cr_data* d, cr_data* work, cr_data* bar);

#endif
