// SPDX-License-Identifier: Apache-2.0
// The relative velocity of two bodies at a contact, in the contact's frame: as a matrix over
// dofs for the rows, and as two sweeps of the tree for the cotangent of that matrix.
#ifndef CR_CONSTRAINT_ROW_JACOBIAN_H
#define CR_CONSTRAINT_ROW_JACOBIAN_H

#include "kinematics/operator_sweep.h"

/// The dofs that move one body of a contact and not the other, ascending.
typedef struct {
  int body[2];
  int n;
  const int32_t* dof;
  const int32_t* sign;  // 1 if the dof moves body[1], -1 if it moves body[0]
} cri_contact_chain;

/// Chain of contact c, in 2 nv integers of `work`.
cri_contact_chain cri_contact_chain_of(const cr_model* m, const cr_data* d, int c, int32_t* work);

/// J (dim x chain.n): row k < 3 is f_k . (v2 - v1), row 3 + k is f_k . (w2 - w1). [constraint.k3]
void cri_contact_jacobian(const cr_model* m, const cr_data* d, int c,
                          const cri_contact_chain* chain, int dim, cr_real* J);

/// Its tangent, from those of cdof, subtree_com, contact_pos, contact_frame in `tan`.
void cri_contact_jacobian_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int c,
                              const cri_contact_chain* chain, int dim, cr_real* J_tan);

/// u = (v2 - v1, w2 - w1) at contact c under the right vector of pair k, world axes.
void cri_contact_sweep_velocity(const cr_model* m, const cr_data* d, const cri_operator_sweep* s,
                                int c, int k, cr_real u[6]);

/// Adds the cotangents of contact_frame, contact_pos, subtree_com for pair k, where lambda[dim] is
/// the cotangent of J_k r, and puts the forces on the two bodies. [constraint.k3]'
void cri_contact_sweep_add(const cr_model* m, const cr_data* d, cr_data* bar,
                           const cri_operator_sweep* s, int c, int k, int dim,
                           const cr_real* lambda, const cr_real u[6]);

#endif
