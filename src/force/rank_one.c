// SPDX-License-Identifier: Apache-2.0
// For a whole row a' a x is a (a . x). Elsewhere the sum of a_j x_j is taken over the relatives of each dof, the
// dofs with which it is coupled. With these sums p, l' D r is a sum of a_i l_i p_i, and everything else
// follows.
#include "force/rank_one.h"

typedef struct {
  int n;
  const int32_t* col;
  const cr_real* value;
  bool fast;
} row;

static row row_of(const cri_rows* rows, const cr_real* value, int k) {
  return (row){rows->nnz[k], rows->col + rows->adr[k], value + rows->adr[k], rows->fast};
}

static bool is_whole(const cr_model* m, row a) {
  return a.fast ? cri_is_whole(m, a.col, a.n) : cri_on_one_chain(m, a.col, a.n);
}

static cr_real dot(row a, const cr_real* x) {
  cr_real sum = 0;
  for (int k = 0; k < a.n; k++) {
    sum += a.value[k] * x[a.col[k]];
  }
  return sum;
}

// p_i = sum of a_j x_j over the relatives j of the i-th dof of the row
static void relatives(const cr_model* m, row a, const cr_real* x, cr_real* p) {
  bool whole = is_whole(m, a);
  cr_real all = whole ? dot(a, x) : 0;
  for (int i = 0; i < a.n; i++) {
    p[i] = all;
    for (int j = 0; !whole && j < a.n; j++) {
      bool coupled = cri_rank_one_place(m, a.fast, a.col[i], a.col[j]) >= 0;
      p[i] += coupled ? a.value[j] * x[a.col[j]] : 0;
    }
  }
}

void cri_rank_one_add(const cr_model* m, const cri_rows* rows, const cr_real* c, cr_real* lower,
                      cr_real* upper) {
  for (int r = 0; r < rows->n; r++) {
    row a = row_of(rows, rows->value, r);
    for (int x = 0; c[r] != 0 && x < a.n; x++) {
      for (int y = 0; y < a.n; y++) {
        // [qderiv.o1]
        int i = a.col[x], j = a.col[y], k = cri_rank_one_place(m, rows->fast, i, j);
        if (k >= 0) {
          *(i >= j ? lower + k : upper + k) += c[r] * a.value[x] * a.value[y];
        }
      }
    }
  }
}

void cri_rank_one_jvp(const cr_model* m, const cri_rows* rows, const cr_real* a_tan,
                      const cr_real* c, const cr_real* c_tan, const cr_real* x, cr_real* y,
                      cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real *p = cri_push(work, (size_t)m->nv), *p_tan = cri_push(work, (size_t)m->nv);
  for (int r = 0; r < rows->n; r++) {
    row a = row_of(rows, rows->value, r), t = row_of(rows, a_tan, r);
    if (c[r] == 0 && c_tan[r] == 0) {
      continue;
    }
    // [qderiv.o1] a' (c' p + c p') + (a')' c p
    relatives(m, a, x, p);
    relatives(m, t, x, p_tan);
    for (int k = 0; k < a.n; k++) {
      y[a.col[k]] += a.value[k] * (c_tan[r] * p[k] + c[r] * p_tan[k]) + t.value[k] * c[r] * p[k];
    }
  }
  cri_pop(work, mark);
}

// a row that is not whole: its cotangent is a separate pair
static cr_real split_vjp(const cr_model* m, row a, int index, cr_real c, const cr_real* l,
                         const cr_real* r, cr_pairs* pairs, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real *p = cri_push(work, (size_t)m->nv), *q = cri_push(work, (size_t)m->nv), sum = 0;
  relatives(m, a, r, p);
  relatives(m, a, l, q);
  for (int k = 0; k < a.n; k++) {
    sum += a.value[k] * l[a.col[k]] * p[k];
  }
  if (c != 0) {
    // [qderiv.o1]' a_bar_i = c (l_i p_i + r_i q_i)
    int own = cri_pairs_add(pairs);
    cri_pair_left(pairs, own)[index] = c;
    for (int k = 0; k < a.n; k++) {
      int i = a.col[k];
      cri_pair_right(pairs, own)[i] = l[i] * p[k] + r[i] * q[k];
    }
  }
  cri_pop(work, mark);
  return sum;
}

void cri_rank_one_vjp(const cr_model* m, const cri_rows* rows, const cr_real* c, const cr_real* l,
                      const cr_real* r, cr_real s, cr_real* c_bar, cr_pairs* pairs, cr_data* work) {
  int with_l = cri_pairs_add(pairs), with_r = cri_pairs_add(pairs);
  cr_copy(cri_pair_right(pairs, with_l), l, m->nv);
  cr_copy(cri_pair_right(pairs, with_r), r, m->nv);
  for (int k = 0; k < rows->n; k++) {
    row a = row_of(rows, rows->value, k);
    if (!is_whole(m, a)) {
      c_bar[k] = s * split_vjp(m, a, k, s * c[k], l, r, pairs, work);
      continue;
    }
    // [qderiv.o1]' a_bar = c (l (a . r) + r (a . l))
    cr_real al = dot(a, l), ar = dot(a, r);
    c_bar[k] = s * al * ar;
    cri_pair_left(pairs, with_l)[k] = s * c[k] * ar;
    cri_pair_left(pairs, with_r)[k] = s * c[k] * al;
  }
}
