// SPDX-License-Identifier: Apache-2.0
// The pipeline, no include guard: define the macros you want, include it. CR_STAGE: one row a stage, in the order of
// computation: name, whether the Jacobian of a step has its structured derivative, what adds that, the fields it
// reads, the fields it writes, the memory it needs. Each row stands for three functions of one signature, cr_<name>, cr_<name>_jvp,
// cr_<name>_vjp, in <folder>/<name>.c.
// Structured: `always`; a function cri_jac_<...> of engine/stage_jac.h, which says where not; or `none`: the
// Jacobian then goes column by column, by tangents. Behind it, what the row adds to the columns of all forces,
// cri_columns_<...>. Where that is `nothing` the stage is in a sum with others: one sweep over the tree makes the
// columns of bodies, and one over the rows those of constraints; columns of each stage by itself would be matrices of
// bodies, or of contacts, by dofs.
// F(...) is a field of either table.
// NEEDS(...): bounds on what the three functions take at once. .scratch is in numbers, .<operator> the pairs that
// the vjp adds to the cotangent of an operator. n has the counts (cri_counts), all the pairs of all rows together.
// CR_DRIVER: what is held, or called, around the stages: by integrators, the Jacobian of a step, inverse dynamics,
// events, and callers who begin a cotangent. The scratch of a block is the largest of the stages and the sum of these.
// Where a bound is too low CR_ERR_CAPACITY says so; tests/engine/test_needs.c holds them against what is taken.
#ifndef CR_STAGE
#define CR_STAGE(folder, stage, jac, columns, reads, writes, needs)
#endif
#ifndef CR_DRIVER
#define CR_DRIVER(folder, name, needs)
#endif
// clang-format off

CR_STAGE(engine, plugin, plugin, nothing,
  F(plugin_state),
  F(plugin_state_dot),
  NEEDS(.scratch = 0))

CR_STAGE(kinematics, kinematics, always, nothing,
  F(qpos) F(mocap_pos) F(mocap_quat) F(body_pos) F(body_quat) F(body_ipos) F(body_iquat)
  F(jnt_pos) F(jnt_axis) F(geom_pos) F(geom_quat) F(site_pos) F(site_quat),
  F(xpos) F(xquat) F(xmat) F(xipos) F(ximat) F(xanchor) F(xaxis)
  F(geom_xpos) F(geom_xmat) F(site_xpos) F(site_xmat) F(site_xquat),
  NEEDS(.scratch = 6 * n->nbody))

CR_STAGE(kinematics, com, always, nothing,
  F(xipos) F(ximat) F(xmat) F(xanchor) F(xaxis) F(body_mass) F(body_inertia),
  F(subtree_com) F(cinert) F(cdof),
  NEEDS(.scratch = 5 * n->nbody))

CR_STAGE(kinematics, tendon, always, nothing,
  F(qpos) F(site_xpos) F(geom_xpos) F(geom_xmat) F(cdof) F(subtree_com) F(geom_size) F(wrap_prm),
  F(ten_length) F(ten_J),
  NEEDS(.scratch = 2 * n->nv + 12 * all->ten_J * n->nbody))

CR_STAGE(collision, collision, collision, nothing,
  F(geom_xpos) F(geom_xmat) F(geom_size) F(hfield_size) F(hfield_data) F(geom_margin)
  F(pair_margin) F(o_margin),
  F(contact_dist) F(contact_pos) F(contact_frame) F(contact_weight),
  NEEDS(.scratch = 90 * n->nbody + 7 * n->ngeom))

CR_STAGE(constraint, mixing, always, nothing,
  F(geom_friction) F(geom_solref) F(geom_solimp) F(geom_solmix) F(geom_margin)
  F(pair_friction) F(pair_solref) F(pair_solreffriction) F(pair_solimp) F(pair_margin)
  F(o_margin) F(o_solref) F(o_solimp) F(o_friction) F(contact_dist) F(contact_pos)
  F(contact_frame) F(geom_xpos) F(geom_xmat) F(geom_adhesion) F(pair_adhesion) F(geom_surfacevel)
  F(geom_hunt_crossley),
  F(contact_includemargin) F(contact_friction) F(contact_solref) F(contact_solreffriction)
  F(contact_solimp) F(contact_adhesion) F(contact_surfacevel) F(contact_area)
  F(contact_stiffness) F(contact_hunt_crossley),
  NEEDS(.scratch = 0))

CR_STAGE(constraint, constraint, always, nothing,
  F(qpos) F(xpos) F(xmat) F(xquat) F(site_xpos) F(site_xmat) F(site_xquat) F(eq_active)
  F(eq_data) F(eq_solref) F(eq_solimp) F(ten_length) F(ten_J) F(tendon_range) F(tendon_margin)
  F(tendon_solref_lim) F(tendon_solimp_lim) F(tendon_solref_fri) F(tendon_solimp_fri)
  F(tendon_frictionloss) F(tendon_length0) F(cdof) F(subtree_com) F(contact_dist) F(contact_pos) F(contact_frame)
  F(contact_includemargin) F(contact_friction) F(contact_solref) F(contact_solreffriction)
  F(contact_solimp) F(contact_adhesion) F(jnt_range) F(jnt_margin) F(jnt_solref) F(jnt_solimp)
  F(dof_solref) F(dof_solimp) F(dof_frictionloss),
  F(efc_J) F(efc_pos) F(efc_margin) F(efc_frictionloss) F(efc_KBIP),
  NEEDS(.scratch = 10 * n->nv + 12 * all->efc_J * n->nbody, .ten_J = all->efc_J))

CR_STAGE(constraint, adhesion, adhesion, nothing,
  F(efc_J) F(contact_adhesion),
  F(qfrc_adhesion),
  NEEDS(.scratch = n->nefc, .efc_J = 1))

CR_STAGE(inertia, inertia, always, bodies,
  F(cinert) F(cdof) F(ten_J) F(dof_armature) F(tendon_armature) F(actuator_armature)
  F(actuator_gear),
  F(M),
  NEEDS(.scratch = 41 * n->nbody + 4 * n->nv + 4 * n->ntendon, .ten_J = n->ninertial))

CR_STAGE(kinematics, velocity, always, nothing,
  F(qvel) F(cdof) F(ten_J),
  F(cvel) F(cdof_dot) F(ten_velocity),
  NEEDS(.scratch = 6 * n->nbody, .ten_J = 1))

CR_STAGE(force, fluid, always, nothing,
  F(cvel) F(cdof) F(xipos) F(ximat) F(geom_xpos) F(geom_xmat) F(subtree_com) F(density)
  F(viscosity) F(wind) F(body_mass) F(body_inertia) F(geom_size) F(geom_fluid),
  F(qfrc_fluid),
  NEEDS(.scratch = 24 * n->nbody))

CR_STAGE(pressure, pressure, always, pressure,
  F(geom_xpos) F(geom_xmat) F(geom_size) F(geom_pressure) F(geom_friction) F(cvel) F(cdof)
  F(subtree_com),
  F(qfrc_pressure),
  NEEDS(.scratch = 12 * n->nbody))

CR_STAGE(force, passive, always, springs,
  F(qfrc_adhesion) F(qpos) F(qvel) F(cdof) F(xipos) F(subtree_com) F(jnt_stiffness) F(qpos_spring) F(dof_damping)
  F(body_gravcomp) F(body_mass) F(gravity) F(ten_length) F(ten_J) F(ten_velocity)
  F(tendon_stiffness) F(tendon_stiffnesspoly) F(tendon_damping) F(tendon_dampingpoly)
  F(tendon_lengthspring) F(jnt_stiffnesspoly) F(dof_dampingpoly) F(actuator_damping)
  F(actuator_dampingpoly) F(actuator_gear) F(qfrc_fluid) F(qfrc_pressure),
  F(qfrc_spring) F(qfrc_damper) F(qfrc_gravcomp) F(qfrc_passive),
  NEEDS(.scratch = 30 * n->nbody + 10 * n->nv + 10 * n->ntendon, .ten_J = 2))

CR_STAGE(force, tendon_bias, tendon_bias, nothing,
  F(qvel) F(cvel) F(cdof_dot) F(site_xpos) F(subtree_com) F(wrap_prm),
  F(ten_bias),
  NEEDS(.scratch = 12 * n->nbody))

CR_STAGE(force, bias, always, nothing,
  F(qvel) F(cinert) F(cdof) F(cdof_dot) F(cvel) F(gravity) F(ten_J) F(ten_bias)
  F(tendon_armature) F(actuator_armature) F(actuator_gear),
  F(qfrc_bias),
  NEEDS(.scratch = 18 * n->nbody + 4 * n->ntendon, .ten_J = 1))

CR_STAGE(transmission, transmission, always, nothing,
  F(qpos) F(site_xpos) F(site_xmat) F(cdof) F(subtree_com) F(ten_length) F(ten_J) F(efc_J)
  F(contact_pos) F(contact_frame) F(actuator_gear) F(actuator_cranklength),
  F(actuator_length) F(actuator_moment),
  NEEDS(.scratch = 4 * n->nv, .ten_J = all->actuator_moment, .efc_J = n->nbodymoment > 0 ? all->actuator_moment : 0))

CR_STAGE(actuator, actuation, actuation, actuators,
  F(qvel) F(act) F(ctrl) F(actuator_length) F(actuator_moment) F(qfrc_gravcomp)
  F(actuator_dynprm) F(actuator_gainprm) F(actuator_biasprm) F(actuator_actrange)
  F(actuator_ctrlrange) F(actuator_forcerange) F(actuator_gear) F(actuator_acc0)
  F(actuator_lengthrange) F(jnt_actfrcrange) F(tendon_actfrcrange),
  F(actuator_velocity) F(act_dot) F(actuator_force) F(qfrc_actuator),
  NEEDS(.scratch = n->nv + 6 * n->nout + 6 * n->ntendon, .actuator_moment = 2))

CR_STAGE(engine, smooth, always, nothing,
  F(qfrc_passive) F(qfrc_bias) F(qfrc_actuator) F(qfrc_applied) F(xfrc_applied)
  F(cdof) F(xipos) F(subtree_com),
  F(qfrc_smooth),
  NEEDS(.scratch = 18 * n->nbody))

CR_STAGE(inertia, effective_mass, effective_mass, nothing,
  F(qpos) F(qvel) F(act) F(ctrl) F(ten_length) F(ten_J) F(ten_velocity) F(actuator_length)
  F(actuator_moment) F(jnt_stiffness) F(jnt_stiffnesspoly) F(qpos_spring)
  F(dof_damping) F(dof_dampingpoly) F(actuator_damping) F(actuator_dampingpoly) F(actuator_gear)
  F(tendon_stiffness) F(tendon_stiffnesspoly) F(tendon_lengthspring) F(tendon_damping)
  F(tendon_dampingpoly) F(actuator_dynprm) F(actuator_gainprm) F(actuator_biasprm)
  F(actuator_actrange) F(actuator_ctrlrange) F(actuator_acc0) F(actuator_lengthrange),
  F(efm_dof) F(efm_tendon) F(efm_actuator) F(qfrc_shift),
  NEEDS(.scratch = 12 * n->nv + 16 * n->nout + 12 * n->ntendon, .ten_J = n->discrete, .actuator_moment = 4 * n->discrete))

CR_STAGE(inertia, drag, always, nothing,
  F(cvel) F(cdof) F(xipos) F(ximat) F(geom_xpos) F(geom_xmat) F(subtree_com) F(density)
  F(viscosity) F(wind) F(body_mass) F(body_inertia) F(geom_size) F(geom_fluid),
  F(efm_fluid),
  NEEDS(.scratch = n->discrete * (130 * n->nbody + 8 * n->nv)))

CR_STAGE(solver, regularisation, regularisation, nothing,
  F(efc_KBIP) F(contact_friction) F(contact_weight) F(body_invweight0) F(dof_invweight0) F(tendon_invweight0)
  F(efc_J) F(M) F(ten_J) F(actuator_moment) F(efm_dof) F(efm_tendon) F(efm_actuator)
  F(efm_fluid) F(contact_solref) F(jnt_solref) F(tendon_solref_lim)
  F(ncp_cfm),
  F(efc_diagA) F(efc_D) F(efc_R) F(contact_mu),
  NEEDS(.scratch = 41 * n->nbody + 20 * n->nv,
        .efc_J = n->nrowpair, .M = n->nrowpair + n->discrete * n->nv, .efm_fluid = n->discrete * (n->nefc + n->nv),
        .ten_J = n->discrete * n->ntendon, .actuator_moment = n->discrete * n->nout))

CR_STAGE(solver, reference, always, nothing,
  F(qvel) F(efc_J) F(efc_pos) F(efc_margin) F(efc_KBIP) F(xpos) F(xmat) F(xquat) F(site_xpos)
  F(site_xmat) F(site_xquat) F(subtree_com) F(eq_data) F(cvel) F(cdof_dot)
  F(contact_adhesion) F(contact_surfacevel) F(contact_friction) F(efc_D) F(contact_solref)
  F(jnt_solref) F(tendon_solref_lim) F(ncp_baumgarte),
  F(efc_vel) F(efc_aref),
  NEEDS(.scratch = 18 * n->nbody + 6 * n->nefc, .efc_J = 1))

CR_STAGE(engine, acceleration, acceleration, rows,
  F(qfrc_smooth) F(M) F(efc_J) F(efc_aref) F(efc_D) F(efc_frictionloss) F(contact_mu)
  F(contact_friction) F(qacc_warmstart) F(qfrc_shift) F(efm_dof) F(efm_tendon)
  F(efm_actuator) F(efm_fluid) F(ten_J) F(actuator_moment) F(qvel) F(cinert) F(cdof)
  F(dof_frictionloss) F(dof_solref) F(dof_solimp) F(tendon_frictionloss) F(tendon_solref_fri)
  F(tendon_solimp_fri) F(subtree_com) F(contact_dist) F(contact_pos) F(contact_frame)
  F(contact_includemargin) F(contact_solref) F(contact_solimp) F(contact_adhesion)
  F(dof_invweight0) F(contact_weight) F(contact_area) F(contact_stiffness) F(efc_pos)
  F(efc_margin) F(efc_vel) F(contact_hunt_crossley),
  F(qacc_smooth) F(qacc) F(efc_force) F(qfrc_constraint),
  NEEDS(.scratch = 90 * n->nv + 60 * n->nbody + 24 * n->nefc + 20 * n->ntree + 2 * n->nv * n->nword + n->nefmL
        + n->discrete * 60 * n->nbody + n->contact_room,
        .efc_J = 2 + n->nidle, .M = 2, .efm_fluid = 2 * n->discrete, .ten_J = 4 * n->discrete, .actuator_moment = 4 * n->discrete))

// measured quantities: no row above reads them, and a step leaves them out

CR_STAGE(sensor, subtree, none, nothing,
  F(cinert) F(cvel) F(subtree_com),
  F(subtree_linvel) F(subtree_angmom),
  NEEDS(.scratch = 14 * n->nbody))

CR_STAGE(sensor, energy, none, nothing,
  F(qpos) F(qvel) F(xipos) F(M) F(body_mass) F(gravity) F(jnt_stiffness) F(jnt_stiffnesspoly)
  F(qpos_spring) F(ten_length) F(tendon_stiffness) F(tendon_stiffnesspoly)
  F(tendon_lengthspring),
  F(energy),
  NEEDS(.scratch = 24 * n->nbody + 4 * n->nv, .M = 1))

CR_STAGE(sensor, reaction, none, nothing,
  F(qvel) F(qacc) F(gravity) F(cinert) F(cvel) F(cdof) F(cdof_dot) F(xipos) F(subtree_com)
  F(xfrc_applied) F(contact_pos) F(contact_frame) F(contact_friction) F(contact_adhesion)
  F(efc_force) F(xpos) F(xmat) F(xquat) F(site_xpos) F(site_xmat) F(site_xquat) F(eq_data)
  F(ten_length) F(ten_velocity) F(ten_J) F(ten_bias) F(actuator_force) F(geom_xpos) F(geom_xmat)
  F(geom_size) F(wrap_prm) F(tendon_stiffness) F(tendon_stiffnesspoly) F(tendon_lengthspring)
  F(tendon_damping) F(tendon_dampingpoly) F(tendon_armature) F(tendon_range) F(tendon_margin)
  F(tendon_length0) F(actuator_damping) F(actuator_dampingpoly) F(actuator_armature)
  F(actuator_gear),
  F(cacc) F(cfrc_int) F(cfrc_ext),
  NEEDS(.scratch = 36 * n->nbody + 2 * n->nv + 8 * n->ntendon, .ten_J = 1))

CR_STAGE(sensor, sensor, none, nothing,
  F(qpos) F(qvel) F(xpos) F(xmat) F(xquat) F(xipos) F(ximat) F(geom_xpos) F(geom_xmat)
  F(site_xpos) F(site_xmat) F(site_xquat) F(body_iquat) F(geom_quat) F(subtree_com) F(cvel)
  F(cacc) F(cfrc_int) F(subtree_linvel) F(subtree_angmom) F(energy) F(ten_length)
  F(ten_velocity) F(actuator_length) F(actuator_velocity) F(actuator_force) F(qfrc_actuator)
  F(efc_pos) F(efc_margin) F(efc_vel) F(efc_force) F(contact_dist) F(contact_pos)
  F(contact_frame) F(contact_friction) F(contact_adhesion) F(magnetic) F(geom_size)
  F(hfield_size) F(hfield_data),
  F(sensordata),
  NEEDS(.scratch = 2 * n->nsensordata))

// ---- around the stages

CR_DRIVER(integrate, euler,
  NEEDS(.scratch = 26 * n->nv + 24 * n->nbody, .M = 1))

CR_DRIVER(integrate, implicit,
  NEEDS(.scratch = n->nsolve * (40 * n->nv + 160 * n->nbody + 6 * n->njnt + 5 * n->nC + 6 * n->nout + 4 * n->ntendon),
        .M = n->implicit, .ten_J = n->implicit * (2 + n->nsplit_tendon),
        .actuator_moment = n->implicit * (3 + n->nsplit_moment)))

CR_DRIVER(integrate, runge_kutta,
  NEEDS(.scratch = (6 * n->nrk + 3) * (n->nq + n->na + n->npluginstate) + 2 * n->nout + 12 * n->nv))

CR_DRIVER(integrate, step_jacobian,
  NEEDS(.scratch = 2 * n->nv * n->nv + 80 * n->nv + 160 * n->nbody + 20 * n->nefc + 8 * n->nout + 8 * n->ntendon
        + 8 * n->ntree + 2 * n->na))

CR_DRIVER(event, event,
  NEEDS(.scratch = n->embedded * (64 * n->nefc + 80 * n->smooth * n->ncon) + n->embedded * (6 * n->nv + 2 * n->nq)))

CR_DRIVER(engine, inverse,
  NEEDS(.scratch = 10 * n->nv + 4 * n->nefc, .M = 2, .efc_J = 2, .efm_fluid = n->discrete, .ten_J = 4 * n->discrete,
        .actuator_moment = 4 * n->discrete))

CR_DRIVER(engine, calls,
  NEEDS(.scratch = 2 * n->nC + 12 * n->nbody))

CR_DRIVER(engine, constants,
  NEEDS(.scratch = 4 * n->nv, .M = CRI_CONSTANTS_PAIRS, .ten_J = CRI_CONSTANTS_PAIRS,
        .actuator_moment = CRI_CONSTANTS_PAIRS))

CR_DRIVER(access, caller,
  NEEDS(.scratch = 256 + 2 * (n->nq + n->nv + n->na),
        .M = 4, .efc_J = 4, .ten_J = 4, .actuator_moment = 4, .efm_fluid = 4))

// clang-format on
#undef CR_STAGE
#undef CR_DRIVER
#undef NEEDS
