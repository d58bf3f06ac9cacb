// SPDX-License-Identifier: Apache-2.0
// Functions that MuJoCo's users call besides a step: the inertia matrix, Newton-Euler forces,
// contacts with their forces, velocities and accelerations of objects. docs/calls.md lists MuJoCo's
// functions and their names here.
#ifndef CAROM_CALLS_H
#define CAROM_CALLS_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The joint-space inertia matrix, dense (mj_fullM), and its product with a vector (mj_mulM).
/// Map      (M) -> dst;  (M, x) -> y
/// Shapes   dst[nv nv], row by row; x[nv], y[nv], which must not overlap
/// Needs    kinematics and com of this state: after cr_forward, cr_step or cr_inverse; after a step of
///          several stages (RK4, tsit5 ...) cr_forward
/// Memory   no allocation; scratch of the block
/// Errors   none
/// Smooth   everywhere
CR_API cr_status cr_full_m(const cr_model* m, cr_data* d, cr_real* dst);
CR_API cr_status cr_mul_m(const cr_model* m, cr_data* d, cr_real* y, const cr_real* x);

/// x = M^-1 y (mj_solveM), with a new factor of M.
/// Shapes   x[nv], y[nv]; may be the same
/// Needs    kinematics and com of this state
/// Errors   CR_ERR_SINGULAR where M is not positive definite
CR_API cr_status cr_solve_m(const cr_model* m, cr_data* d, cr_real* x, const cr_real* y);

/// Recursive Newton-Euler forces of bodies (mj_rne): qfrc_bias, and with `acceleration` also the inertial
/// force of d's qacc. As in MuJoCo the inertia of dofs (armature) is not included: cr_mul_m
/// has it.
/// Map      (qvel, qacc, cinert, cdof, cdof_dot, cvel, gravity) -> qfrc
/// Equation s_i . sum of I A + V x* I V behind dof i, A with or without cdof qacc      [bias.c1]
/// Shapes   qfrc[nv]
/// Needs    cr_forward, cr_step or cr_inverse at this state
/// Memory   no allocation; scratch 12 nbody
/// Smooth   everywhere
CR_API cr_status cr_rne(const cr_model* m, cr_data* d, bool acceleration, cr_real* qfrc);

/// One contact. `force` is along normal and tangents, `torque` about them, both on the
/// second geom (mj_contactForce); zero where the contact makes no rows.
typedef struct {
  int geom[2];
  int dim;              // 1, 3, 4 or 6
  cr_real dist;         // negative in penetration
  cr_real pos[3];       // world
  cr_real frame[9];     // rows: normal from geom[0] to geom[1], two tangents
  cr_real friction[5];  // two tangents, spin, two rolls
  cr_real force[3], torque[3];
} cr_contact;

/// Number of contacts, and contact `id` of them.
/// Needs    cr_forward, or cr_inverse, at this state
/// Errors   CR_ERR_ARG for one that does not exist
CR_API int cr_contact_count(const cr_data* d);
CR_API cr_status cr_contact_get(const cr_model* m, const cr_data* d, int id, cr_contact* contact);

/// The signed distance of two geoms, and the segment between their nearest points, from the first
/// geom to the second (mj_geomDistance); distmax and zeros where the distance is not below distmax.
/// Map      (geom_xpos, geom_xmat, geom_size, hfield_size, hfield_data) -> dist, fromto
/// Shapes   fromto[6], or NULL
/// Needs    kinematics of this state: after cr_forward, cr_step or cr_inverse
/// Memory   no allocation
/// Errors   CR_ERR_ARG for a geom that does not exist
/// Smooth   where one pair of features is nearest; distance sensors have the derivatives
CR_API cr_status cr_geom_distance(const cr_model* m, const cr_data* d, int geom1, int geom2,
                                  cr_real distmax, cr_real* dist, cr_real* fromto);

/// The points of a spatial tendon: one for each site of its path, two for each geom. The tendon lies on the geom
/// between these two; where it does not touch the geom, both are in the middle of the straight line. A pulley has no
/// point: it ends one line, and the next site begins another.
/// Shapes   points[3 most]; *n points, which follow from the model alone; 0 of a fixed tendon
/// Units    m.  Frame: world
/// Needs    cr_forward, cr_step or cr_inverse at this state
/// Errors   CR_ERR_ARG for a tendon that does not exist, and for more points than `most`
/// Smooth   where cr_forward is; its derivatives are not computed
CR_API cr_status cr_tendon_path(const cr_model* m, const cr_data* d, int tendon, cr_real* points,
                                int most, int* n);

/// Kinds of objects that have a frame, MuJoCo's mjtObj.
typedef enum {
  CR_FRAME_BODY = 1,   // a body's inertial frame
  CR_FRAME_XBODY = 2,  // a body's own frame
  CR_FRAME_GEOM = 5,
  CR_FRAME_SITE = 6
} cr_frame;

/// Velocity of an object, and its acceleration minus gravity (mj_objectVelocity,
/// mj_objectAcceleration), angular then linear. Axes are the world's or, with `local`, the object's.
/// Shapes   v[6], a[6]
/// Needs    cr_forward at this state; a step does not compute accelerations of bodies
/// Errors   CR_ERR_ARG for an object that does not exist
/// Smooth   everywhere
CR_API cr_status cr_object_velocity(const cr_model* m, const cr_data* d, cr_frame kind, int id,
                                    cr_real v[6], bool local);
CR_API cr_status cr_object_acceleration(const cr_model* m, const cr_data* d, cr_frame kind, int id,
                                        cr_real a[6], bool local);

#ifdef __cplusplus
}
#endif
#endif
