// SPDX-License-Identifier: Apache-2.0
#include "pressure/box_tree.h"

typedef struct {
  int lo, hi;
} range;

static bool is_leaf(range r) { return r.hi - r.lo == 1; }

static range first_half(range r) { return (range){r.lo, cri_box_tree_middle(r.lo, r.hi)}; }

static range second_half(range r) { return (range){cri_box_tree_middle(r.lo, r.hi), r.hi}; }

// ---- boxes

void cri_box_empty(cr_real box[6]) {
  for (int k = 0; k < 3; k++) {
    box[k] = CR_MAX;
    box[3 + k] = -CR_MAX;
  }
}

void cri_box_add(cr_real box[6], const cr_real x[3]) {
  for (int k = 0; k < 3; k++) {
    box[k] = cr_min(box[k], x[k]);
    box[3 + k] = cr_max(box[3 + k], x[k]);
  }
}

static bool overlap(const cr_real a[6], const cr_real b[6]) {
  for (int k = 0; k < 3; k++) {
    if (a[k] > b[3 + k] || b[k] > a[3 + k]) {
      return false;
    }
  }
  return true;
}

// ---- the order

static int longest_side(range r, const cr_real* centre, const int32_t* order) {
  cr_real box[6];
  cri_box_empty(box);
  for (int i = r.lo; i < r.hi; i++) {
    cri_box_add(box, centre + 3 * order[i]);
  }
  int axis = 0;
  for (int k = 1; k < 3; k++) {
    axis = box[3 + k] - box[k] > box[3 + axis] - box[axis] ? k : axis;
  }
  return axis;
}

// true if element i stands before j: ties by number, so that the order is one
static bool before(const cr_real* centre, int axis, int32_t i, int32_t j) {
  cr_real x = centre[3 * i + axis], y = centre[3 * j + axis];
  return x < y || (x == y && i < j);
}

static void swap(int32_t* order, int i, int j) {
  int32_t other = order[i];
  order[i] = order[j];
  order[j] = other;
}

// puts the element of rank mid in its place, smaller ones before it (Hoare's selection)
static void select_middle(range r, int mid, const cr_real* centre, int axis, int32_t* order) {
  for (int lo = r.lo, hi = r.hi - 1; lo < hi;) {
    int32_t pivot = order[lo + (hi - lo) / 2];
    int i = lo, j = hi;
    while (i <= j) {
      while (before(centre, axis, order[i], pivot)) {
        i++;
      }
      while (before(centre, axis, pivot, order[j])) {
        j--;
      }
      if (i <= j) {
        swap(order, i++, j--);
      }
    }
    if (mid <= j) {
      hi = j;
    } else if (mid >= i) {
      lo = i;
    } else {
      return;
    }
  }
}

static void order_range(range r, const cr_real* centre, int32_t* order) {
  if (r.hi - r.lo < 2) {
    return;
  }
  select_middle(r, first_half(r).hi, centre, longest_side(r, centre, order), order);
  order_range(first_half(r), centre, order);
  order_range(second_half(r), centre, order);
}

void cri_box_tree_order(int n, const cr_real* centre, int32_t* order) {
  for (int i = 0; i < n; i++) {
    order[i] = i;
  }
  order_range((range){0, n}, centre, order);
}

// ---- queries

static void walk(range r, const cri_box_tree* t, cri_box_keep* keep, cri_box_visit* visit,
                 void* context) {
  if (is_leaf(r)) {
    visit(context, r.lo, 0);
    return;
  }
  cr_real box[6];
  t->of(t->context, r.lo, r.hi, box);
  if (keep(context, box)) {
    walk(first_half(r), t, keep, visit, context);
    walk(second_half(r), t, keep, visit, context);
  }
}

void cri_box_tree_walk(const cri_box_tree* t, cri_box_keep* keep, cri_box_visit* visit,
                       void* context) {
  if (t->n > 0) {
    walk((range){0, t->n}, t, keep, visit, context);
  }
}

// a node with its box
typedef struct {
  range r;
  cr_real box[6];
} node;

static node node_of(const cri_box_tree* t, range r) {
  node x = {.r = r};
  t->of(t->context, r.lo, r.hi, x.box);
  return x;
}

static void pairs(const node* x, const node* y, const cri_box_tree* a, const cri_box_tree* b,
                  cri_box_visit* visit, void* context) {
  if (!overlap(x->box, y->box)) {
    return;
  }
  if (is_leaf(x->r) && is_leaf(y->r)) {
    visit(context, x->r.lo, y->r.lo);
  } else if (x->r.hi - x->r.lo >= y->r.hi - y->r.lo) {  // splits the one with more elements
    const node half[2] = {node_of(a, first_half(x->r)), node_of(a, second_half(x->r))};
    pairs(&half[0], y, a, b, visit, context);
    pairs(&half[1], y, a, b, visit, context);
  } else {
    const node half[2] = {node_of(b, first_half(y->r)), node_of(b, second_half(y->r))};
    pairs(x, &half[0], a, b, visit, context);
    pairs(x, &half[1], a, b, visit, context);
  }
}

void cri_box_tree_pairs(const cri_box_tree* a, const cri_box_tree* b, cri_box_visit* visit,
                        void* context) {
  if (a->n > 0 && b->n > 0) {
    const node x = node_of(a, (range){0, a->n}), y = node_of(b, (range){0, b->n});
    pairs(&x, &y, a, b, visit, context);
  }
}
