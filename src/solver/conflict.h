// SPDX-License-Identifier: Apache-2.0
// Constraints that push a dof against each other with forces that nearly cancel.
#ifndef CR_SOLVER_CONFLICT_H
#define CR_SOLVER_CONFLICT_H

#include "math/runs.h"
#include "model/data.h"

/// A dof; a row of each of the two constraints that push it most, one in each direction; and their forces.
typedef struct {
  int dof, row[2];
  cr_real push[2];  // positive, negative; 0: none
} cri_conflict;

/// Among these rows, with the forces f.
cri_conflict cri_conflict_at(const cr_data* d, cr_runs rows, const cr_real* f, int dof);

/// Among the forces in d, at the dof whose pushes exceed their sum most.
cri_conflict cri_conflict_worst(const cr_model* m, const cr_data* d);

/// "the contact of geom 'a' and geom 'b' and the limit of joint 'c' push joint 2 "d" (dof 3) against
/// each other with 1e+15 and -1e+15", or "rows of ..." if both have one name; empty if one direction has no push.
typedef struct {
  char text[640];
} cri_conflict_text;
cri_conflict_text cri_conflict_say(const cr_model* m, const cr_data* d, const cri_conflict* c);

#endif
