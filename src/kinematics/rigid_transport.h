// SPDX-License-Identifier: Apache-2.0
// A small displacement along one dof carries everything behind it along rigidly, by the motion S_j.
// Velocities and accelerations behind differ from carried ones by the motion of the bodies
// in front of the dof; nothing else about these is needed:
//   V' = S_j x (V - V_j),   B' = S_j x (B - B_j),
// V_j, B_j the velocity and sum of S a in front of the axes that move with the dof.
#ifndef CR_KINEMATICS_RIGID_TRANSPORT_H
#define CR_KINEMATICS_RIGID_TRANSPORT_H

#include "math/spatial.h"
#include "model/data.h"

/// Sums of S x in front of the axes of every dof (6 a dof), and behind those of every body (6 a body).
/// The sum of the world is given. Dofs whose axes move together have the same sum in front.
void cri_rigid_transport_sums(const cr_model* m, const cr_real* S, const cr_real* x,
                              const cr_real world[6], cr_real* before, cr_real* behind);

/// Velocities, and sums of S a for an acceleration a, in that form.
typedef struct {
  cr_real *V, *B;            // in front of each dof
  cr_real *body_V, *body_B;  // of each body
} cri_rigid_transport;

/// In 12 (nv + nbody) numbers of `work`'s scratch, which the caller releases.
cri_rigid_transport cri_rigid_transport_of(const cr_model* m, const cr_data* d, const cr_real* a,
                                           cr_data* work);

/// (V_j + V+_j) x S_j, V+ behind all axes that move together: the effect of the velocity of dof i on
/// accelerations behind it, without V x S_j.
void cri_rigid_transport_rate(const cr_model* m, const cr_data* d, const cri_rigid_transport* c,
                              int i, cr_real rate[6]);

/// First dof of the axes that turn together with dof i. For a ball joint, or the rotations of a free
/// joint, each dof turns all three axes, and this is their first; else it is i itself.
static inline int cri_rigid_transport_first(const cr_model* m, int i) {
  int j = m->dof_jntid[i], first = m->jnt_dofadr[j], type = m->jnt_type[j];
  if (type == CR_JNT_FREE) {
    return i < first + 3 ? i : first + 3;
  }
  return first;
}

/// True if a displacement along dof j moves the axis of dof i, both on one chain.
static inline bool cri_carries(const cr_model* m, int j, int i) {
  return j < i || cri_rigid_transport_first(m, i) == cri_rigid_transport_first(m, j);
}

/// Derivatives of the force on every dof, as right sides of one solve; row i of each starts at
/// i ld. By q and v (nv columns each), and by the force of every actuator output (nout columns).
typedef struct {
  int ld;
  cr_real *q, *v, *out;
} cri_columns;

#endif
