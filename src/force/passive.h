// SPDX-License-Identifier: Apache-2.0
// The stage of passive forces: springs and dampers of joints and tendons, gravity compensation.
// engine/smooth adds their sum to the other forces; gravity compensation that counts as actuation
// goes through actuator/actuation.
#ifndef CR_FORCE_PASSIVE_H
#define CR_FORCE_PASSIVE_H

#include "model/data.h"

/// Passive forces: springs, dampers and gravity compensation.
/// Map      (qpos, qvel, qfrc_fluid; cdof, xipos, subtree_com; ten_length, ten_J, ten_velocity;
///          jnt_stiffness, jnt_stiffnesspoly, qpos_spring, dof_damping, dof_dampingpoly,
///          actuator_damping, actuator_dampingpoly, actuator_gear, body_gravcomp, body_mass,
///          gravity, tendon_stiffness, _stiffnesspoly, _damping, _dampingpoly, _lengthspring) ->
///          qfrc_spring, qfrc_damper, qfrc_gravcomp, qfrc_passive
/// Equation spring = -(k0 + k1 x + k2 x^2) e, e = q - q_s (slide, hinge, position of a free
///          joint), e = log(q_s^-1 q) (ball, orientation of a free joint); x = e for a slide or
///          hinge, |e| else                                               [passive.p1]
///          damper = -(b0 v + b1 v |v| + b2 v^3), b of force/reflected.h  [passive.p2]
///          gravcomp = J' f, f_b = -m_b c_b g at the body's centre of mass        [passive.p3]
///          passive = spring + damper + fluid + gravcomp (not where jnt_actgravcomp)      [passive.p4]
///          spring += ten_J' f, f = -(k x + p_0 x^2 + p_1 x^3), x the excess of the length over the
///          slack range, above or below                                   [passive.p5]
///          damper += ten_J' f, f = -(b0 v + b1 v |v| + b2 v^3), v = ten_velocity, b of
///          force/reflected.h                                             [passive.p6]
///          derivation: docs/derivations/passive.md
/// Shapes   all nv.  Units  N|N m
/// Flags    CR_DSBL_SPRING, CR_DSBL_DAMPER; both together switch all passive forces off, gravity
///          compensation too, as MuJoCo does; CR_DSBL_GRAVITY switches that off alone
/// Saves    nothing
/// Memory   no allocation; scratch 7 nv + 8 ntendon numbers, where a body has gravcomp 24 nbody + nv
/// Errors   none
/// Smooth   except for a ball spring at half a turn, where e jumps, and the ends of the slack range of
///          a tendon, where the slope of the force jumps. Quaternions of qpos_spring carry
///          no derivative
cr_status cr_passive(const cr_model* m, cr_data* d);
cr_status cr_passive_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_passive_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// True if some body has gravity compensation that is not switched off.
bool cri_gravcomp_acts(const cr_model* m);

#endif
