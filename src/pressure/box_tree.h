// SPDX-License-Identifier: Apache-2.0
// A tree of boxes over n elements that stand in the order of the tree. A node covers the elements [lo, hi), the root all
// of them; its children are the halves at the middle. Boxes are made when they are asked for.
#ifndef CR_PRESSURE_BOX_TREE_H
#define CR_PRESSURE_BOX_TREE_H

#include <stdbool.h>

#include "math/vec3.h"

/// Where a node of two elements or more is split. No two nodes have one middle, and none has 0.
static inline int cri_box_tree_middle(int lo, int hi) { return lo + (hi - lo) / 2; }

/// Orders elements by their centres, n x 3: order[k] becomes the element that stands at k. Each node is split across its
/// longest side.
void cri_box_tree_order(int n, const cr_real* centre, int32_t* order);

/// Sets a box that holds the elements [lo, hi): least corner, then greatest.
typedef void cri_box_of(const void* context, int lo, int hi, cr_real box[6]);

typedef struct {
  int n;
  cri_box_of* of;
  const void* context;
} cri_box_tree;

/// An empty box; and one that grows to hold x.
void cri_box_empty(cr_real box[6]);
void cri_box_add(cr_real box[6], const cr_real x[3]);

/// Calls visit for all elements of which `keep` keeps the boxes of all nodes above them, in their order. Elements have no
/// boxes of their own here.
typedef bool cri_box_keep(const void* context, const cr_real box[6]);
typedef void cri_box_visit(void* context, int i, int j);
void cri_box_tree_walk(const cri_box_tree* t, cri_box_keep* keep, cri_box_visit* visit,
                       void* context);

/// Calls visit for all pairs of elements of two trees whose boxes overlap. Touching boxes overlap.
void cri_box_tree_pairs(const cri_box_tree* a, const cri_box_tree* b, cri_box_visit* visit,
                        void* context);

#endif
