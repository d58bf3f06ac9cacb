// SPDX-License-Identifier: Apache-2.0
// Every function is the same walk over the entries that a tendon and M share.
#include "force/tendon_inertia.h"

#include "force/reflected.h"

bool cri_tendon_inertia_acts(const cr_model* m) {
  for (int i = 0; i < m->ntendon; i++) {
    if (m->tendon_inertial[i] != 0) {
      return true;
    }
  }
  return false;
}

// ---- entries of M that a tendon fills: dof i, its ancestor j or i itself

typedef struct {
  int row, column;  // of ten_J: the non-zeros of dof i and dof j
  int at;           // of M
  int first, end;   // non-zeros of the tendon
} walk;

static walk walk_of(const cr_model* m, int t) {
  int first = m->ten_J_rowadr[t];
  return (walk){.row = first,
                .column = first - 1,
                .at = -1,
                .first = first,
                .end = first + m->ten_J_rownnz[t]};
}

// the next entry; both the tendon's row and M's are in ascending order of dofs
static bool next(const cr_model* m, walk* w) {
  for (; w->row < w->end; w->row++, w->column = w->first - 1, w->at = -1) {
    int i = m->ten_J_colind[w->row], end = m->M_rowadr[i] + m->M_rownnz[i];
    w->column++;
    w->at = w->at < 0 ? m->M_rowadr[i] : w->at + 1;
    while (w->column <= w->row && w->at < end) {
      int j = m->ten_J_colind[w->column], column = m->M_colind[w->at];
      if (j == column) {
        return true;
      }
      *(j < column ? &w->column : &w->at) += 1;
    }
  }
  return false;
}

// ---- the four functions

void cri_tendon_inertia(const cr_model* m, const cr_data* d, cr_real* M, cr_data* work) {
  if (!cri_tendon_inertia_acts(m)) {
    return;
  }
  size_t mark = cri_mark(work);
  cr_real* a = cri_push(work, (size_t)m->ntendon);
  cri_tendon_armature(m, a);
  for (int t = 0; t < m->ntendon; t++) {
    walk w = walk_of(m, t);
    // [tendon.n1]
    while (m->tendon_inertial[t] != 0 && next(m, &w)) {
      M[w.at] += a[t] * d->ten_J[w.row] * d->ten_J[w.column];
    }
  }
  cri_pop(work, mark);
}

void cri_tendon_inertia_mul(const cr_model* m, const cr_data* d, cr_real* y, const cr_real* x,
                            cr_data* work) {
  if (!cri_tendon_inertia_acts(m)) {
    return;
  }
  size_t mark = cri_mark(work);
  cr_real* a = cri_push(work, (size_t)m->ntendon);
  cri_tendon_armature(m, a);
  for (int t = 0; t < m->ntendon; t++) {
    walk w = walk_of(m, t);
    while (m->tendon_inertial[t] != 0 && next(m, &w)) {
      int i = m->ten_J_colind[w.row], j = m->ten_J_colind[w.column];
      cr_real entry = a[t] * d->ten_J[w.row] * d->ten_J[w.column];
      y[i] += entry * x[j];
      y[j] += i == j ? 0 : entry * x[i];
    }
  }
  cri_pop(work, mark);
}

void cri_tendon_inertia_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  if (!cri_tendon_inertia_acts(m)) {
    return;
  }
  size_t mark = cri_mark(tan);
  cr_real* a = cri_push(tan, (size_t)m->ntendon);
  cr_real* a_tan = cri_push(tan, (size_t)m->ntendon);
  cri_tendon_armature(m, a);
  cri_tendon_armature_jvp(m, tan, a_tan);
  for (int t = 0; t < m->ntendon; t++) {
    walk w = walk_of(m, t);
    // [tendon.n1] a' J J' + a (J' J + J J')
    while (m->tendon_inertial[t] != 0 && next(m, &w)) {
      cr_real x = d->ten_J[w.row], y = d->ten_J[w.column];
      tan->M[w.at] += a_tan[t] * x * y + a[t] * (tan->ten_J[w.row] * y + x * tan->ten_J[w.column]);
    }
  }
  cri_pop(tan, mark);
}

// cotangent of an entry of M: the sum over pairs
static cr_real entry_bar(const cr_pairs* pairs, int i, int j) {
  cr_real sum = 0;
  for (int p = 0; p < pairs->n; p++) {
    const cr_real *l = cri_pair_left(pairs, p), *r = cri_pair_right(pairs, p);
    sum += i == j ? l[i] * r[i] : l[i] * r[j] + l[j] * r[i];
  }
  return sum;
}

void cri_tendon_inertia_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (!cri_tendon_inertia_acts(m)) {
    return;
  }
  size_t mark = cri_mark(bar);
  cr_real* a = cri_push(bar, (size_t)m->ntendon);
  cr_real* a_bar = cri_push(bar, (size_t)m->ntendon);
  cri_tendon_armature(m, a);
  cr_zero(a_bar, m->ntendon);
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_inertial[t] == 0) {
      continue;
    }
    // [tendon.n1]' a_bar += M_bar_ij J_i J_j, J_bar_i += a M_bar_ij J_j and the other way round
    int pair = cri_pairs_add(&bar->ten_J_pairs);
    cr_real* row_bar = cri_pair_right(&bar->ten_J_pairs, pair);
    cri_pair_left(&bar->ten_J_pairs, pair)[t] = a[t];
    walk w = walk_of(m, t);
    while (next(m, &w)) {
      int i = m->ten_J_colind[w.row], j = m->ten_J_colind[w.column];
      cr_real x = d->ten_J[w.row], y = d->ten_J[w.column], g = entry_bar(&bar->M_pairs, i, j);
      a_bar[t] += g * x * y;
      row_bar[i] += g * y;
      row_bar[j] += g * x;
    }
  }
  cri_tendon_armature_vjp(m, bar, a_bar);
  cri_pop(bar, mark);
}
