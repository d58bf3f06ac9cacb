// SPDX-License-Identifier: Apache-2.0
#include "pressure/box_tree.h"

typedef struct {
  int node, lo, hi;
} range;

static bool is_leaf(range r) { return r.hi - r.lo == 1; }

static range first_half(range r) { return (range){r.node + 1, r.lo, r.lo + (r.hi - r.lo) / 2}; }

// behind all nodes of the first half
static range second_half(range r) {
  int mid = r.lo + (r.hi - r.lo) / 2;
  return (range){r.node + 1 + cri_box_tree_size(mid - r.lo), mid, r.hi};
}

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

// an empty box adds nothing
static void join(cr_real box[6], const cr_real other[6]) {
  for (int k = 0; k < 3; k++) {
    box[k] = cr_min(box[k], other[k]);
    box[3 + k] = cr_max(box[3 + k], other[3 + k]);
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
  order_range((range){0, 0, n}, centre, order);
}

// ---- fit

static void fit(range r, cri_box_of* of, const void* context, cr_real* box) {
  cr_real* own = box + 6 * r.node;
  cri_box_empty(own);
  if (is_leaf(r)) {
    of(context, r.lo, own);
    return;
  }
  range half[2] = {first_half(r), second_half(r)};
  for (int k = 0; k < 2; k++) {
    fit(half[k], of, context, box);
    join(own, box + 6 * half[k].node);
  }
}

void cri_box_tree_fit(int n, cri_box_of* of, const void* context, cr_real* box) {
  if (n > 0) {
    fit((range){0, 0, n}, of, context, box);
  }
}

// ---- queries

static void walk(range r, const cri_box_tree* t, cri_box_keep* keep, cri_box_visit* visit,
                 void* context) {
  if (!keep(context, t->box + 6 * r.node)) {
    return;
  }
  if (is_leaf(r)) {
    visit(context, r.lo, 0);
    return;
  }
  walk(first_half(r), t, keep, visit, context);
  walk(second_half(r), t, keep, visit, context);
}

void cri_box_tree_walk(const cri_box_tree* t, cri_box_keep* keep, cri_box_visit* visit,
                       void* context) {
  if (t->n > 0) {
    walk((range){0, 0, t->n}, t, keep, visit, context);
  }
}

static void pairs(range r, range q, const cri_box_tree* a, const cri_box_tree* b,
                  cri_box_visit* visit, void* context) {
  if (!overlap(a->box + 6 * r.node, b->box + 6 * q.node)) {
    return;
  }
  if (is_leaf(r) && is_leaf(q)) {
    visit(context, r.lo, q.lo);
  } else if (r.hi - r.lo >= q.hi - q.lo) {  // splits the one with more elements
    pairs(first_half(r), q, a, b, visit, context);
    pairs(second_half(r), q, a, b, visit, context);
  } else {
    pairs(r, first_half(q), a, b, visit, context);
    pairs(r, second_half(q), a, b, visit, context);
  }
}

void cri_box_tree_pairs(const cri_box_tree* a, const cri_box_tree* b, cri_box_visit* visit,
                        void* context) {
  if (a->n > 0 && b->n > 0) {
    pairs((range){0, 0, a->n}, (range){0, 0, b->n}, a, b, visit, context);
  }
}
