// SPDX-License-Identifier: Apache-2.0
// The tree finds the pairs of boxes that overlap, each once, as all pairs tried one by one do.
#include "pressure/box_tree.h"

#include "base/random.h"
#include "support/test.h"

enum { N = 97, M = 40 };

typedef struct {
  cr_real box[N][6];
} boxes;

static void box_of(const void* context, int lo, int hi, cr_real box[6]) {
  const boxes* x = context;
  cri_box_empty(box);
  for (int i = lo; i < hi; i++) {
    cri_box_add(box, x->box[i]);
    cri_box_add(box, x->box[i] + 3);
  }
}

// n boxes in the order of their tree
static void draw(boxes* x, int n, cr_random* r) {
  boxes drawn;
  cr_real centre[N * 3];
  int32_t order[N];
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) {
      drawn.box[i][k] = cr_random_uniform(r);
      drawn.box[i][3 + k] = drawn.box[i][k] + CR_R(0.2) * cr_random_uniform(r);
      centre[3 * i + k] = (drawn.box[i][k] + drawn.box[i][3 + k]) / 2;
    }
  }
  cri_box_tree_order(n, centre, order);
  for (int i = 0; i < n; i++) {
    memcpy(x->box[i], drawn.box[order[i]], sizeof x->box[i]);
  }
}

typedef struct {
  int count[N][N];
} seen;

static void note(void* context, int i, int j) { ((seen*)context)->count[i][j]++; }

static bool overlap(const cr_real a[6], const cr_real b[6]) {
  bool apart = false;
  for (int k = 0; k < 3; k++) {
    apart = apart || a[k] > b[3 + k] || b[k] > a[3 + k];
  }
  return !apart;
}

TEST(pairs_are_those_that_overlap) {
  static boxes a, b;
  cr_random r = cr_random_seed(3, 0);
  for (int turn = 0; turn < 20; turn++) {
    int n = turn == 0 ? 1 : N - turn, m = turn == 1 ? 1 : M;
    draw(&a, n, &r);
    draw(&b, m, &r);
    static seen s;
    memset(&s, 0, sizeof s);
    cri_box_tree_pairs(&(cri_box_tree){n, box_of, &a}, &(cri_box_tree){m, box_of, &b}, note, &s);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < m; j++) {
        assert_int_equal(s.count[i][j], overlap(a.box[i], b.box[j]));
      }
    }
  }
}

typedef struct {
  cr_real level;
  int count[N];
} below;

static bool reaches(const void* context, const cr_real box[6]) {
  return box[2] <= ((const below*)context)->level;
}

static void note_one(void* context, int i, int j) {
  (void)j;
  ((below*)context)->count[i]++;
}

// and at most one beside each, whose node is kept
TEST(a_walk_finds_what_it_keeps) {
  static boxes a;
  cr_random r = cr_random_seed(4, 0);
  draw(&a, N, &r);
  below x = {.level = CR_R(0.3)};
  cri_box_tree_walk(&(cri_box_tree){N, box_of, &a}, reaches, note_one, &x);
  int kept = 0, visited = 0;
  for (int i = 0; i < N; i++) {
    assert_true(x.count[i] == 1 || (x.count[i] == 0 && a.box[i][2] > x.level));
    kept += a.box[i][2] <= x.level;
    visited += x.count[i];
  }
  assert_true(visited <= 2 * kept);
}

// equal centres: any order will do, and it ends
TEST(equal_centres_have_an_order) {
  cr_real centre[3 * N] = {0};
  int32_t order[N], count[N] = {0};
  cri_box_tree_order(N, centre, order);
  for (int i = 0; i < N; i++) {
    count[order[i]]++;
  }
  for (int i = 0; i < N; i++) {
    assert_int_equal(count[i], 1);
  }
}
