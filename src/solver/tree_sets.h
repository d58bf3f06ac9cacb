// SPDX-License-Identifier: Apache-2.0
// Sets of coupled trees, joined by the dofs that rows, tendons and actuators
// have in common. Each tree points to a lower one of its set, the lowest to itself.
#ifndef CR_SOLVER_TREE_SETS_H
#define CR_SOLVER_TREE_SETS_H

#include "model/model.h"

/// Every tree is its own set, in set[ntree].
void cri_tree_sets_begin(const cr_model* m, int32_t* set);

/// All trees of the dofs col[n] become one set. Entries in ascending order are fastest.
void cri_tree_sets_join(const cr_model* m, int32_t* set, const int32_t* col, int n);

/// The lowest tree of the set of tree t; shortens the path to it.
int32_t cri_tree_sets_lowest(int32_t* set, int32_t t);

#endif
