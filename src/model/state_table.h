// SPDX-License-Identifier: Apache-2.0
// Quantities that evolve, no include guard: define CR_EVOLVES, include it. One row for each quantity whose value
// before a step decides the value after it: all of them are the state of the model. Copies of states, checkpoints,
// recordings, integrators, Jacobians, cotangents and their norms are loops over these rows.
//
//   CR_EVOLVES(name, n, tangent, law, rate)
//        n, tangent  counts of the model: numbers of the quantity, and of its tangent
//        law     how integrators advance it
//                MANIFOLD    coordinates: q (+) r, r the increments of integrate/local_coordinates.h
//                ADD         x + h rate
//                ACTIVATION  the same within the limits of actuators: actuator/activation.h
//        rate    the field that holds its rate
// Each has three more fields (model/data_fields.h): name_next, the value after a step; rk_name, the value at every
// Runge-Kutta stage; and rk_rate, the rate there.
// clang-format off

CR_EVOLVES(qpos, nq, nv, MANIFOLD,   qvel)
CR_EVOLVES(qvel, nv, nv, ADD,        qacc)
CR_EVOLVES(act,  na, na, ACTIVATION, act_dot)
CR_EVOLVES(plugin_state, npluginstate, npluginstate, ADD, plugin_state_dot)

// clang-format on
#undef CR_EVOLVES
