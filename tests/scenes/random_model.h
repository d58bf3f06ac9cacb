// SPDX-License-Identifier: Apache-2.0
// Random models and states from a seed, without MuJoCo, for the generic tests. Together
// the seeds have every joint, geom, actuator and contact option of the library.
#ifndef CR_TESTS_RANDOM_MODEL_H
#define CR_TESTS_RANDOM_MODEL_H

#include "base/random.h"
#include "model/data.h"

/// A random model in memory of its own; free it with cri_model_free. seed % 4 decides its kind:
/// 0 trees with all joints over a plane, 1 a heap of free bodies, 2 an arm fixed to the world beside
/// loose bodies and explicit pairs, 3 trees without geoms. Cones alternate every 4 seeds; the last 8
/// of every 24 have contacts from distance switched on. One heap in six lies on a height field.
cr_status random_model(cr_model* m, uint64_t seed, cr_error* error);

/// The same as it was derived: random_model calls some bodies simple that are not.
cr_status random_model_derived(cr_model* m, uint64_t seed, cr_error* error);

typedef enum {
  STATE_FLIGHT,   // loose bodies far apart, joints inside their limits
  STATE_CONTACT,  // loose bodies in a heap on the plane, joints beyond their limits now and then
  N_STATE_KIND
} state_kind;

/// Random coordinates, velocities, activations, controls, applied forces.
void random_state(const cr_model* m, cr_data* d, uint64_t seed, state_kind kind);

/// A state at edges: qpos0, or joints exactly at an end of their range; at rest, or partly at rest; controls
/// and activations at zero or at an end of their range.
void random_state_edge(const cr_model* m, cr_data* d, uint64_t seed);

/// Uniform on the unit sphere, and a uniform rotation.
void random_unit3(cr_random* r, cr_real v[3]);
void random_unit_quat(cr_random* r, cr_real q[4]);

/// True with probability p.
bool random_chance(cr_random* r, cr_real p);

/// Removes the polynomial springs and dampers and adds armature: an explicit method would diverge
/// on light bodies.
void random_model_calm(cr_model* m);

/// True if it moves with the integrator discrete.
void random_model_discrete(cr_model* m);

/// True if only contacts touch a free body.
void random_model_loose(cr_model* m);

/// The same model with contacts from distance switched on; it borrows m's memory.
cr_model random_model_far(const cr_model* m);

#endif
