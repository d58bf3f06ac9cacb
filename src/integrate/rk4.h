// SPDX-License-Identifier: Apache-2.0
// The explicit Runge-Kutta step of fourth order on the configuration manifold (MuJoCo's RK4), and
// the form every explicit tableau shares.
#ifndef CR_INTEGRATE_RK4_H
#define CR_INTEGRATE_RK4_H

#include "model/data.h"

/// An explicit Runge-Kutta method: n stages, a[n][n] strictly lower triangular, weights b[n].
typedef struct {
  int n;
  const cr_real* a;
  const cr_real* b;
} cri_tableau;

extern const cri_tableau cri_tableau_rk4;

/// One step from a state that cr_forward has just evaluated.
/// Map      (qpos q0, qvel v0, act w0; everything cr_forward reads) -> qpos_next, qvel_next, act_next
/// Equation r_i = h sum_j a_ij K_j,  q_i = q0 (+) r_i                             [k1]
///          v_i = v0 + h sum_j a_ij F_j,  w_i = w0 + h sum_j a_ij G_j             [k2]
///          K_i = Jr^-1(r_i) v_i on orientations, v_i elsewhere                   [k3]
///          (F_i, G_i) = (qacc, act_dot) at (q_i, v_i, w_i)                       [k4]
///          q+ = q0 (+) h sum_i b_i K_i,  v+ = v0 + h sum_i b_i F_i               [k5]
///          act+ as in dynamics/activation.h, with the rate sum_i b_i G_i         [k6]
///          [Munthe-Kaas, High order Runge-Kutta methods on manifolds, 1999];
///          derivation: docs/derivations/rk4.md
/// Shapes   qpos_next[nq], qvel_next[nv], act_next[na]
/// Saves    rk_qpos, rk_qvel, rk_act, rk_qacc, rk_act_dot: q_i, v_i, w_i, F_i, G_i
/// Leaves   the inputs as they were; qacc = sum_i b_i F_i, as MuJoCo does, and actuator_length of
///          the state; all other computed fields are those of the last stage. Every stage starts
///          its solver from the same warm start
/// Memory   no allocation; scratch 2 n nv + nout numbers beside that of cr_forward
/// Errors   those of cr_forward, at a stage; the inputs are as before then too
/// Smooth   where cr_forward is, at all stages
cr_status cr_rk4(const cr_model* m, cr_data* d);

/// Overwrites the tangents of qpos_next, qvel_next, act_next, from those of the inputs in `tan`,
/// which it leaves as they are. The stages are evaluated again in `work`, a plain twin of d.
cr_status cr_rk4_jvp(const cr_model* m, const cr_data* d, cr_data* work, cr_data* tan);

/// Adds to the cotangents of the inputs and to bar->par what those of qpos_next (nv numbers),
/// qvel_next and act_next imply. Cotangents of computed fields must be zero, and are afterwards.
/// `work` is used to evaluate the stages again, last to first, with the model m_backward: m itself,
/// or one whose dynamics stand in for those of m in the backward pass.
cr_status cr_rk4_vjp(const cr_model* m, const cr_model* m_backward, const cr_data* d, cr_data* work,
                     cr_data* bar);

#endif
