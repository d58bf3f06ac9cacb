// SPDX-License-Identifier: Apache-2.0
// A mechanism by brute force: dense matrices, energies and differences, to compare the
// stages of src/kinematics and src/force with.
#ifndef CR_TESTS_MECHANISM_H
#define CR_TESTS_MECHANISM_H

#include "model/data.h"

/// True if dof j moves body b: its body is b or an ancestor of b.
bool mechanism_moves(const cr_model* m, int j, int b);

/// M[nv * nv] = sum over bodies of J_b' I_b J_b, column j of J_b being cdof_j where j moves b, plus
/// diag (NULL: none).
void mechanism_inertia(const cr_model* m, const cr_data* d, const cr_real* diag, cr_real* M);

/// M += the armature of tendons times their rows, d->ten_J, for pairs of a dof and its ancestor.
void mechanism_tendons(const cr_model* m, const cr_data* d, cr_real* M);

/// y = A x, A n x n.
void mechanism_mul(int n, const cr_real* A, const cr_real* x, cr_real* y);

/// x = A^-1 x by elimination with row exchanges; destroys A.
void mechanism_solve(int n, cr_real* A, cr_real* x);

/// Potential energy of gravity.
cr_real mechanism_potential(const cr_model* m, const cr_data* d);

/// Coordinates after a step h along the velocity v, on the manifold: to->qpos from from->qpos.
void mechanism_move(const cr_model* m, const cr_data* from, const cr_real* v, cr_real h,
                    cr_data* to);

/// Runs kinematics and com.
void mechanism_pose(const cr_model* m, cr_data* d);

#endif
