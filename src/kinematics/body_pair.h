// SPDX-License-Identifier: Apache-2.0
// Two bodies with a wrench between them, as contact makes it: the dofs that move them, and the columns that its changes under
// displacements along these dofs add to the derivatives of the joint forces. For the Jacobian of a step.
#ifndef CR_KINEMATICS_BODY_PAIR_H
#define CR_KINEMATICS_BODY_PAIR_H

#include "kinematics/relative_chain.h"
#include "kinematics/rigid_transport.h"

/// Which body a dof moves.
enum { CRI_PAIR_FIRST = 1, CRI_PAIR_SECOND = 2 };

/// A dof: its motion, and what it changes in the wrench on the second body. All relative to the origin of the pair.
typedef struct {
  cr_real S[6];
  cr_real by_q[6], by_v[6];  // by the coordinate and by the velocity
  cr_real carried[6];        // S x* F
} cri_pair_column;

typedef struct {
  int body[2];
  const cr_real* origin;  // 3; NULL before the first pair
  int n;
  int32_t *dof, *side;  // n, from the leaves; 1, 2 or both
  cri_pair_column* column;
} cri_body_pair;

/// Room for pairs in 2 nv integers and 24 nv numbers of `work`'s scratch, which the caller releases.
cri_body_pair cri_body_pair_of(const cr_model* m, cr_data* work);

/// Begins with two bodies: finds their dofs and sets S. Nothing changes yet.
void cri_body_pair_begin(const cr_model* m, const cr_data* d, const int body[2],
                         const cr_real origin[3], cri_body_pair* p);

/// The motion M of a body's tree, relative to a point instead of the tree's.
void cri_body_pair_motion(const cr_model* m, const cr_data* d, const cr_real point[3], int body,
                          const cr_real M[6], cr_real out[6]);

/// How a dof moves the second body against the first: 1, -1, or 0 where it moves both.
static inline cr_real cri_body_pair_sign(int side) {
  return (cr_real)((side & CRI_PAIR_SECOND) != 0) - (cr_real)((side & CRI_PAIR_FIRST) != 0);
}

/// Adds the changes to the columns.
/// Equation i, j: +-s_i . (F' - S_j x* F where S_j carries s_i), - on the first body   [step_jacobian.z5]
void cri_body_pair_write(const cr_model* m, const cri_body_pair* p, cri_columns columns);

#endif
