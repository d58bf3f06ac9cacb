// SPDX-License-Identifier: Apache-2.0
// A tree of boxes over n elements that stand in the order of the tree. Node 0 covers all. A node that covers [lo, hi)
// has its children at the middle: [lo, lo + (hi - lo)/2) and the rest. So only the boxes are stored.
#ifndef CR_PRESSURE_BOX_TREE_H
#define CR_PRESSURE_BOX_TREE_H

#include <stdbool.h>

#include "math/vec3.h"

/// The boxes of a tree: least corner, then greatest. There are cri_box_tree_size(n) x 6 numbers.
typedef struct {
  int n;
  const cr_real* box;
} cri_box_tree;

/// Number of nodes.
static inline int cri_box_tree_size(int n) { return n > 0 ? 2 * n - 1 : 0; }

/// Orders elements by their centres, n x 3: order[k] becomes the element that stands at k. Each node is split across its
/// longest side.
void cri_box_tree_order(int n, const cr_real* centre, int32_t* order);

/// Box of element i, added to a box that holds something or is empty.
typedef void cri_box_of(const void* context, int i, cr_real box[6]);

/// Makes the boxes of all nodes from those of the elements.
void cri_box_tree_fit(int n, cri_box_of* of, const void* context, cr_real* box);

/// An empty box; and one that grows to hold x.
void cri_box_empty(cr_real box[6]);
void cri_box_add(cr_real box[6], const cr_real x[3]);

/// Calls visit for all elements whose box, and all boxes above it, `keep` keeps, in their order.
typedef bool cri_box_keep(const void* context, const cr_real box[6]);
typedef void cri_box_visit(void* context, int i, int j);
void cri_box_tree_walk(const cri_box_tree* t, cri_box_keep* keep, cri_box_visit* visit,
                       void* context);

/// Calls visit for all pairs of elements of two trees whose boxes overlap. Touching boxes overlap.
void cri_box_tree_pairs(const cri_box_tree* a, const cri_box_tree* b, cri_box_visit* visit,
                        void* context);

#endif
