// SPDX-License-Identifier: Apache-2.0
// The field table of cr_data, no include guard: define the macros you want, include it.
// Allocation, copies, twins, clearing, lookup by name, printing, saving and docs/fields.md come
// from it. Names, shapes, units and frames are MuJoCo's; ncon, nefc and nJ are live counts.
//
//   CR_STATE(name, rows, width, tangent, unit, frame, text)  input of the step
//   CR_REAL (name, rows, width, tangent, unit, frame, text)  computed
//        tangent: SAME   as many numbers as the field
//                 QPOS   nv numbers, see docs/conventions.md
//                 ROT    rotation matrices: ambient 9 numbers, perturbed as [w]x R
//                 FRAME  contact frames, axes in rows: ambient 9 numbers, each row perturbed as w x row
//                 NONE   carries no derivative (a redundant form, or a constant of the step)
//   CR_OP   (name, left, right, nnz, text)  operator: sparse values; its cotangent is a list of
//        vector pairs <name>_pairs, sum of left (x) right; its tangent has the same sparse form
//   CR_SAVE (name, rows, width, text)  internal: written by forward for its derivatives, or for
//        the next stage's; no derivative of its own
//   CR_INDEX(name, rows, width, choice, text)  int32
//        choice: what a difference between two states means
//                ROWS   other contacts, rows or paths, or other pieces of them
//                LAW    another piece of a law
//                SLOPE  another side of a point where a slope bends that implicit integrators take
//                LEAP   the step itself jumps where it changes
//                PLACE  no choice: an address or a structure, which follows from others
//        Checks of derivatives by differences compare the choices of all rows (rollout/choices.h).
#ifndef CR_STATE
#define CR_STATE(name, rows, width, tangent, unit, frame, text)
#endif
#ifndef CR_REAL
#define CR_REAL(name, rows, width, tangent, unit, frame, text)
#endif
#ifndef CR_OP
#define CR_OP(name, left, right, nnz, text)
#endif
#ifndef CR_SAVE
#define CR_SAVE(name, rows, width, text)
#endif
#ifndef CR_INDEX
#define CR_INDEX(name, rows, width, choice, text)
#endif
// clang-format off

// ---- inputs of a step
CR_STATE(qpos,            nq, 1, QPOS, "m|rad", "-", "coordinates")
CR_STATE(qvel,            nv, 1, SAME, "m/s|rad/s", "-", "velocities (free joint: linear in world, angular in body frame)")
CR_STATE(act,             na, 1, SAME, "-", "-", "actuator activations")
CR_STATE(plugin_state,    npluginstate, 1, SAME, "-", "-", "state of added stages (carom/stage.h)")
CR_STATE(ctrl,            nu, 1, SAME, "-", "-", "controls")
CR_STATE(qfrc_applied,    nv, 1, SAME, "N|N m", "-", "applied generalized force")
CR_STATE(xfrc_applied,    nbody, 6, SAME, "N|N m", "world", "applied force and torque at the body's centre of mass (force first, as in MuJoCo)")
CR_STATE(mocap_pos,       nmocap, 3, NONE, "m", "world", "position of mocap bodies")
CR_STATE(mocap_quat,      nmocap, 4, NONE, "1", "world", "orientation of mocap bodies")
CR_STATE(eq_active,       neq, 1, NONE, "1", "-", "the equality constraint is on, 0 or 1")
CR_STATE(qacc_warmstart,  nv, 1, NONE, "m/s^2|rad/s^2", "-", "where Newton starts; never changes the answer")

// ---- added stages
CR_REAL (plugin_state_dot, npluginstate, 1, SAME, "1/s", "-", "time derivative of the state of added stages, 0 until one changes it")

// ---- kinematics
CR_REAL (xpos,            nbody, 3, SAME, "m", "world", "position of the body frame")
CR_REAL (xquat,           nbody, 4, NONE, "1", "world", "orientation of the body frame (xmat carries the derivative)")
CR_REAL (xmat,            nbody, 9, ROT,  "1", "world", "orientation of the body frame")
CR_REAL (xipos,           nbody, 3, SAME, "m", "world", "centre of mass of the body")
CR_REAL (ximat,           nbody, 9, ROT,  "1", "world", "orientation of the principal axes")
CR_REAL (xanchor,         njnt, 3, SAME, "m", "world", "joint anchor")
CR_REAL (xaxis,           njnt, 3, SAME, "1", "world", "joint axis")
CR_REAL (geom_xpos,       ngeom, 3, SAME, "m", "world", "geom position")
CR_REAL (geom_xmat,       ngeom, 9, ROT,  "1", "world", "geom orientation")
CR_REAL (site_xpos,       nsite, 3, SAME, "m", "world", "site position")
CR_REAL (site_xquat,      nsite, 4, NONE, "1", "world", "site orientation (site_xmat carries the derivative)")
CR_REAL (site_xmat,       nsite, 9, ROT,  "1", "world", "site orientation")
CR_SAVE (kin_xmat,        nbody, 9, "orientation of the body, for the derivatives of kinematics")
CR_SAVE (kin_jnt_xmat,    njnt, 9, "orientation of the body just before the joint acts")

// ---- com
CR_REAL (subtree_com,     nbody, 3, SAME, "m", "world", "centre of mass of the subtree")
CR_REAL (cinert,          nbody, 10, SAME, "kg|kg m|kg m^2", "world, about the tree's com", "inertia of the body")
CR_REAL (cdof,            nv, 6, SAME, "1|m", "world, about the tree's com", "motion axis of the dof")
CR_SAVE (com_subtree,     nbody, 4, "centre of mass and mass of the subtree, for the derivatives of com")

// ---- tendons
CR_REAL (ten_length,      ntendon, 1, SAME, "m|rad", "-", "tendon length")
CR_OP   (ten_J,           ntendon, nv, nJten, "Jacobian of the tendon lengths")
CR_REAL (ten_bias,        ntendon, 1, SAME, "m/s^2|rad/s^2", "-", "acceleration of tendons with armature at zero qacc")
CR_INDEX(wrap_branch,     nwrap, 1, ROWS, "how a path element wraps: 0 not, 1 and -1 around, by side; 2 and more inside")
CR_SAVE (wrap_kept,       nwrap, 8, "of a path element that wraps, the angle on the surface, the end that is turned, cosine and sine of the turn and its gradient, for the derivatives of tendon")
CR_INDEX(tendon_side,     ntendon, 1, LAW, "-1, 0, 1: the spring is at or below its dead band, in it, at or above it")
CR_REAL (ten_velocity,    ntendon, 1, SAME, "m/s|rad/s", "-", "tendon velocity")

// ---- collision
CR_REAL (contact_dist,    ncon, 1, SAME, "m", "-", "distance, negative in penetration")
CR_REAL (contact_pos,     ncon, 3, SAME, "m", "world", "contact point")
CR_REAL (contact_frame,   ncon, 9, FRAME, "1", "world", "rows: normal from geom[0] to geom[1], two tangents")
CR_REAL (contact_weight,  ncon, 1, SAME, "1", "-", "smooth collision: how many contacts it stands for, 0 if it follows another; otherwise 1")
CR_INDEX(contact_geom,    ncon, 2, ROWS, "the two geoms")
CR_INDEX(contact_pair,    ncon, 1, ROWS, "explicit pair, -1 none")
CR_INDEX(contact_follows, ncon, 1, ROWS, "smooth collision: 1 if the contact is a copy of the one before, which stands for both")
CR_INDEX(contact_feature, ncon, 4, ROWS, "which features touch: chosen by detection, read by the measure and its derivatives")
CR_SAVE (contact_local,   ncon, 6, "what detection saves for the derivative of the measure")
CR_SAVE (contact_own,     ncon, 10, "smooth collision: distance, position, normal and hint of the hit by itself")
CR_SAVE (contact_axes,    ncon, 8, "normal, first tangent, and how the frame was completed")
CR_INDEX(contact_axis,    ncon, 1, ROWS, "what the first tangent follows: 0 a direction of the pair, 1 y, 2 z; 3 more where that is along the normal, so that it follows nothing")

// ---- contact parameters
CR_REAL (contact_includemargin, ncon, 1, SAME, "m", "-", "distance below which the contact makes a force")
CR_REAL (contact_friction, ncon, 5, SAME, "1|m", "-", "friction: two tangents, spin, two rolls")
CR_REAL (contact_solref,  ncon, 2, SAME, "s|1", "-", "solver reference, normal")
CR_REAL (contact_solreffriction, ncon, 2, SAME, "s|1", "-", "solver reference, friction")
CR_REAL (contact_solimp,  ncon, 5, SAME, "1", "-", "solver impedance")
CR_REAL (contact_adhesion, ncon, 1, SAME, "N", "-", "force with which the contact pulls")
CR_REAL (contact_surfacevel, ncon, 3, SAME, "m/s|rad/s", "contact", "velocity of the surfaces, second against first: two tangents, spin")
CR_REAL (contact_area,    ncon, 1, SAME, "m^2", "-", "area that the contact stands for, 0 of a point; for contact models that were added")
CR_REAL (contact_stiffness, ncon, 1, SAME, "N/m", "-", "stiffness of the contact itself, 0 where solref alone says it; for contact models that were added")
CR_REAL (contact_hunt_crossley, ncon, 5, SAME, "N/m^n|N s/m^(n+1)|1|m/s|1", "-", "contact model hunt_crossley: stiffness, damping, exponent, transition velocity, static over sliding friction; 0 where all contacts are convex")
CR_INDEX(contact_dim,     ncon, 1, ROWS, "contact dimension")
CR_INDEX(contact_exclude, ncon, 1, ROWS, "0 makes rows, 1 in the gap, 2 stands behind another, 3 no dofs")
CR_INDEX(contact_efc_address, ncon, 1, PLACE, "first row, -1 none")

// ---- constraint rows
CR_OP   (efc_J,           nefc, nv, nJ, "Jacobian of the rows")
CR_INDEX(efc_J_rownnz,    nefc, 1, PLACE, "non-zeros of each row")
CR_INDEX(efc_J_rowadr,    nefc, 1, PLACE, "first non-zero of each row")
CR_INDEX(efc_J_colind,    nJ, 1, PLACE, "column of each non-zero, ascending in a row")
CR_INDEX(efc_type,        nefc, 1, ROWS, "mjtConstraint")
CR_INDEX(efc_id,          nefc, 1, ROWS, "equality, dof, joint, tendon or contact the row belongs to")
CR_REAL (efc_pos,         nefc, 1, SAME, "m|rad", "-", "residual of the row")
CR_REAL (efc_margin,      nefc, 1, SAME, "m|rad", "-", "margin of the row")
CR_REAL (efc_frictionloss, nefc, 1, SAME, "N|N m", "-", "friction loss of the row")
CR_REAL (efc_diagA,       nefc, 1, NONE, "1/kg|1/(kg m^2)", "-", "diagonal of A that R rests on")
CR_REAL (efc_KBIP,        nefc, 4, SAME, "-", "-", "stiffness, damping, impedance, derivative of the impedance (the last carries no derivative)")
CR_REAL (efc_D,           nefc, 1, SAME, "kg|kg m^2", "-", "constraint mass, 1/R")
CR_REAL (efc_R,           nefc, 1, NONE, "1/kg|1/(kg m^2)", "-", "regularisation (efc_D carries the derivative)")
CR_REAL (contact_mu,      ncon, 1, SAME, "1", "-", "friction of the regularised elliptic cone")

// ---- inertia
CR_OP   (M,               nv, nv, nC, "joint-space inertia, lower triangle, formed if rows exist or if wanted")
CR_SAVE (crb,             nbody, 10, "composite inertia, valid when M is formed")
CR_SAVE (art_U,           nv, 6, "articulated-body factor of M in deep trees: I^A s / (s' I^A s + armature) of each dof")
CR_SAVE (M_L,             nC, 1, "Cholesky factor of M, where trees are shallow or tendons have armature")
CR_SAVE (art_Dinv,        nv, 1, "pivots of M, inverse: 1/(s' I^A s + armature)")

// ---- velocity
CR_REAL (cvel,            nbody, 6, SAME, "rad/s|m/s", "world, about the tree's com", "velocity of the body")
CR_REAL (cdof_dot,        nv, 6, SAME, "1/s|m/s", "world, about the tree's com", "time derivative of cdof")
CR_SAVE (jnt_cvel,        njnt, 6, "velocity that carries the axes of the joint: cdof_dot = jnt_cvel x cdof")

// ---- forces
CR_REAL (qfrc_spring,     nv, 1, SAME, "N|N m", "-", "joint springs")
CR_REAL (qfrc_damper,     nv, 1, SAME, "N|N m", "-", "joint dampers")
CR_REAL (qfrc_gravcomp,   nv, 1, SAME, "N|N m", "-", "gravity compensation")
CR_REAL (qfrc_adhesion,   nv, 1, SAME, "N|N m", "-", "adhesion of contacts")
CR_REAL (qfrc_fluid,      nv, 1, SAME, "N|N m", "-", "fluid forces")
CR_REAL (qfrc_pressure,   nv, 1, SAME, "N|N m", "-", "forces of pressure fields")
CR_INDEX(pressure_pattern, none, 1, ROWS, "which tetrahedra of pressure fields meet and how their faces are cut, as one number")
CR_SAVE (pressure_near_pose, ngeom, 15, "position, orientation and size of the geom where pressure_near was made")
CR_INDEX(pressure_near,   npressuretet, 24, PLACE, "for each pair of geoms with pressure fields: both, a number n, and n pairs of elements that may meet")
CR_INDEX(pressure_near_count, none, 1, PLACE, "numbers in pressure_near, -1 where they have no room")
CR_INDEX(body_fluid_side, nbody, 1, SLOPE, "of a body's box in a medium, one bit for each component of its velocity that is negative, where the slope of drag is part of the step")
CR_REAL (qfrc_passive,    nv, 1, SAME, "N|N m", "-", "all passive forces")
CR_REAL (qfrc_bias,       nv, 1, SAME, "N|N m", "-", "Coriolis, centrifugal and gravitational force")
CR_SAVE (bias_acc,        nbody, 6, "acceleration of the body with zero qacc, gravity included")
CR_SAVE (bias_frc,        nbody, 6, "force on the subtree of the body with zero qacc")
CR_REAL (actuator_length, nout, 1, SAME, "m|rad", "-", "actuator length")
CR_OP   (actuator_moment, nout, nv, nmoment, "derivative of actuator length")
CR_INDEX(moment_rownnz,   nout, 1, PLACE, "non-zeros of each row")
CR_INDEX(moment_rowadr,   nout, 1, PLACE, "first non-zero of each row")
CR_INDEX(moment_colind,   nmoment, 1, PLACE, "column of each non-zero")
CR_REAL (actuator_velocity, nout, 1, SAME, "m/s|rad/s", "-", "actuator velocity")
CR_REAL (act_dot,         na, 1, SAME, "1/s", "-", "time derivative of the activations")
CR_INDEX(act_rises,       na, 1, LAW, "1: the activation of a muscle grows")
CR_INDEX(ctrl_side,       nu, 1, LAW, "-1, 1: the control is at or beyond the lower, upper end of its range")
CR_SAVE (actuator_raw,    nout, 1, "actuator force before limits, for the derivatives of actuation")
CR_INDEX(actuator_held,   nactuator, 1, LAW, "what holds the actuator's force: 1 its own range or its tendon's, 2 its joint's, for implicit integrators")
CR_INDEX(jnt_actfrc_side, njnt, 1, LAW, "-1, +1: the lower, upper end of actfrcrange holds what actuators do to the joint")
CR_REAL (actuator_force,  nout, 1, SAME, "N|N m", "-", "actuator force")
CR_REAL (qfrc_actuator,   nv, 1, SAME, "N|N m", "-", "actuator force in joint space")
CR_REAL (qfrc_smooth,     nv, 1, SAME, "N|N m", "-", "all forces except constraint forces")

// ---- the effective inertia of the integrator discrete, zero with any other
CR_REAL (efm_dof,      nv, 1, SAME, "kg|kg m^2", "-", "what damping and stiffness of the joint add to M's diagonal")
CR_REAL (efm_tendon,   ntendon, 1, SAME, "kg|kg m^2", "-", "what those of the tendon add along its Jacobian")
CR_REAL (efm_actuator, nout, 1, SAME, "kg|kg m^2", "-", "what the slopes of the actuator's force add along its moment")
CR_INDEX(efm_dof_sign, nv, 1, LAW, "which of stiffness (1) and damping (2) count there: those that stabilise; 4: it moves back, where that bends the law; 8: a spring over a distance or an angle is near its rest, 16: on the far side of it")
CR_INDEX(efm_tendon_sign, ntendon, 1, LAW, "the same of the tendon, and 8 times the side of its dead band plus one")
CR_INDEX(efm_actuator_sign, nout, 1, LAW, "the same of the actuator, and 4 times the pieces of a muscle's curves")
CR_OP   (efm_fluid,    nv, nv, nefmfluid, "what the drag of a medium adds to M, symmetric, in its pattern")
CR_REAL (qfrc_shift,      nv, 1, SAME, "N|N m", "-", "force of stiffness on the way of the step")
CR_SAVE (efm_L,        nefmL, 1, "Cholesky factor of the effective inertia")
CR_INDEX(efm_index,    nefmindex, 1, PLACE, "its sparse structure")
CR_INDEX(efm_free,     ntree, 1, LEAP, "the tree is a free body that nothing touches, which has LU factors of its own")

// ---- constraint forces and acceleration
CR_REAL (efc_vel,         nefc, 1, SAME, "m/s|rad/s", "-", "velocity of the row")
CR_REAL (efc_aref,        nefc, 1, SAME, "m/s^2|rad/s^2", "-", "reference acceleration of the row")
CR_REAL (qacc_smooth,     nv, 1, SAME, "m/s^2|rad/s^2", "-", "acceleration without constraints")
CR_REAL (qacc,            nv, 1, SAME, "m/s^2|rad/s^2", "-", "acceleration")
CR_REAL (efc_force,       nefc, 1, SAME, "N|N m", "-", "constraint force of the row")
CR_REAL (qfrc_constraint, nv, 1, SAME, "N|N m", "-", "constraint force in joint space")
CR_INDEX(efc_state,       nefc, 1, ROWS, "mjtConstraintState")
CR_INDEX(tree_island,     ntree, 1, PLACE, "island of the tree: trees that rows couple; -1 where no row touches it")
CR_SAVE (H_factor,        nH, 1, "what the contact model keeps to solve with H = M - J' F' J at the solution, of trees in islands; of the convex one a Cholesky factor")
CR_INDEX(H_index,         nHindex, 1, PLACE, "its sparse structure")
CR_SAVE (acc_qacc,        nv, 1, "qacc as solved for")
CR_SAVE (acc_jar,         nefc, 1, "J qacc - aref, what the row forces are a function of")
CR_SAVE (acc_force,       nefc, 1, "efc_force as solved for")

CR_REAL (qfrc_inverse,    nv, 1, SAME, "N|N m", "-", "force that makes qacc in addition to passive and constraint forces, by cr_inverse")

// ---- what is measured: computed by cr_forward, left out by a step
CR_REAL (subtree_linvel,  nbody, 3, SAME, "m/s", "world", "velocity of the subtree's centre of mass")
CR_REAL (subtree_angmom,  nbody, 3, SAME, "kg m^2/s", "world", "angular momentum of the subtree about its centre of mass")
CR_REAL (energy,          none, 2, SAME, "J", "-", "potential and kinetic energy")
CR_REAL (cacc,            nbody, 6, SAME, "rad/s^2|m/s^2", "world, about the tree's com", "acceleration of the body, minus gravity")
CR_REAL (cfrc_int,        nbody, 6, SAME, "N m|N", "world, about the tree's com", "force of the parent on the body")
CR_REAL (cfrc_ext,        nbody, 6, SAME, "N m|N", "world, about the tree's com", "force on the body from outside: applied, contacts, connects and welds")
CR_REAL (sensordata,      nsensordata, 1, SAME, "-", "-", "numbers of all sensors")

// ---- the next state
CR_REAL (qpos_next,       nq, 1, QPOS, "m|rad", "-", "coordinates after the step")
CR_REAL (qvel_next,       nv, 1, SAME, "m/s|rad/s", "-", "velocities after the step")
CR_REAL (act_next,        na, 1, SAME, "-", "-", "activations after the step")
CR_INDEX(act_side,        na, 1, LAW, "-1, 1: the lower, upper limit holds the activation after the step")
CR_REAL (plugin_state_next, npluginstate, 1, SAME, "-", "-", "what stages of one's own remember after the step")
CR_SAVE (euler_qacc,      nv, 1, "acceleration that the step uses: that of the implicit damping or integrator")
CR_SAVE (euler_Dinv,      nv, 1, "pivots of M + hD, inverse")
CR_SAVE (euler_L,         nC, 1, "Cholesky factor of M + hD, where trees are shallow or tendons have armature")
CR_SAVE (euler_U,         nv, 6, "articulated-body factor of M + hD in deep trees")
CR_SAVE (implicit_L,      nC, 1, "factors of M - hD of the implicit integrators: lower triangle")
CR_SAVE (implicit_U,      nC, 1, "the upper one, transposed")
CR_SAVE (stage_before,    nbefore, 1, "what added stages change, as it was before, and the room of each")
CR_SAVE (rk_qpos,         nrk, nq, "coordinates of the Runge-Kutta stages")
CR_SAVE (rk_qvel,         nrk, nv, "velocities of the Runge-Kutta stages")
CR_SAVE (rk_act,          nrk, na, "activations of the Runge-Kutta stages")
CR_SAVE (rk_qacc,         nrk, nv, "accelerations of the Runge-Kutta stages")
CR_SAVE (rk_velocity,     nout, 1, "actuator velocities where a Runge-Kutta step starts")
CR_SAVE (rk_act_dot,      nrk, na, "activation rates of the Runge-Kutta stages")
CR_SAVE (rk_plugin_state, nrk, npluginstate, "state of added stages at the Runge-Kutta stages")
CR_SAVE (rk_plugin_state_dot, nrk, npluginstate, "its rates there")
// clang-format on

#undef CR_STATE
#undef CR_REAL
#undef CR_OP
#undef CR_SAVE
#undef CR_INDEX
