// SPDX-License-Identifier: Apache-2.0
// Constraints that push a dof against each other with forces of which only a small difference is left.
#ifndef CR_SOLVER_CONFLICT_H
#define CR_SOLVER_CONFLICT_H

#include "math/runs.h"
#include "model/data.h"

/// A dof, a row of each of the two constraints that push it most, one way and the other, and how much.
typedef struct {
  int dof, row[2];
  cr_real push[2];  // positive, negative; 0: none does
} cri_conflict;

/// Among these rows, with the forces f.
cri_conflict cri_conflict_at(const cr_data* d, cr_runs rows, const cr_real* f, int dof);

/// Of the forces in d, at the dof whose pushes outweigh what they leave by most.
cri_conflict cri_conflict_worst(const cr_model* m, const cr_data* d);

/// "the contact of geom 'a' and geom 'b' and the limit of joint 'c' push joint 2 "d" (dof 3) against
/// each other with 1e+15 and -1e+15", or "rows of ..." where both are of one name; empty where nothing pushes one of the ways.
typedef struct {
  char text[640];
} cri_conflict_text;
cri_conflict_text cri_conflict_say(const cr_model* m, const cr_data* d, const cri_conflict* c);

#endif
