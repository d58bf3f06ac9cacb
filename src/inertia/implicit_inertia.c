// SPDX-License-Identifier: Apache-2.0
// Implicit inertia, see implicit_inertia.h. Tendons and actuators are rows a with a weight c each: c a' a.
#include "inertia/implicit_inertia.h"

#include "force/fluid.h"
#include "force/rank_one.h"

// the last entry of row j of M
static int diagonal_of(const cr_model* m, int j) { return m->M_rowadr[j] + m->M_rownnz[j] - 1; }

// ---- the matrix

// the last block of a row has all columns of the row
static void mark_rows(const cri_rows* rows, const cr_real* weight, uint64_t* bits, size_t words) {
  for (int r = 0; r < rows->n; r++) {
    const int32_t* col = rows->col + rows->adr[r];
    int last = 0;
    for (int k = 0; k < rows->nnz[r]; k++) {
      last = col[k] > last ? col[k] : last;
    }
    for (int k = 0; weight[r] != 0 && k < rows->nnz[r]; k++) {
      cr_chol_set(bits + (size_t)last * words, col[k]);
    }
  }
}

static void make_pattern(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d), words = (size_t)cr_chol_words(m->nv), v = (size_t)m->nv;
  uint64_t* bits = (uint64_t*)(void*)cri_push(d, v * words);
  memset(bits, 0, v * words * sizeof *bits);
  for (int i = 0; i < m->nv; i++) {
    for (int k = m->M_rowadr[i]; k <= diagonal_of(m, i); k++) {
      cr_chol_set(bits + (size_t)i * words, m->M_colind[k]);
    }
  }
  cri_rows tendons = cri_tendon_rows(m, d->ten_J);
  cri_rows moments = cri_moment_rows(m, d, d->actuator_moment);
  mark_rows(&tendons, d->efm_tendon, bits, words);
  mark_rows(&moments, d->efm_actuator, bits, words);
  cr_chol_pattern(d->efm_index, m->nv, bits);
  cri_pop(d, mark);
}

// row r with its columns in ascending order
static void sort_row(const cri_rows* rows, int r, int32_t* col, cr_real* a) {
  for (int n = 0; n < rows->nnz[r]; n++) {
    int32_t c = rows->col[rows->adr[r] + n];
    cr_real v = rows->value[rows->adr[r] + n];
    int k = n;
    for (; k > 0 && col[k - 1] > c; k--) {
      col[k] = col[k - 1];
      a[k] = a[k - 1];
    }
    col[k] = c;
    a[k] = v;
  }
}

static void add_rows(const cri_rows* rows, const cr_real* weight, cr_real* value,
                     const cr_pattern* p, int32_t* col, cr_real* a) {
  for (int r = 0; r < rows->n; r++) {
    if (weight[r] == 0) {
      continue;
    }
    sort_row(rows, r, col, a);
    const cr_real* x[1] = {a};
    cr_sparse_update(value, p, rows->nnz[r], col, 1, weight + r, x, x);
  }
}

static void form(const cr_model* m, cr_data* d, cr_real* value, const cr_pattern* p) {
  size_t mark = cri_mark(d);
  cr_real* work = cri_push(d, (size_t)m->nv);
  int32_t* col = cri_push_int(d, (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) {
    const int32_t* at = p->col + p->adr[i];
    cr_real* to = value + p->adr[i];
    cr_zero(to, p->nnz[i]);
    for (int k = m->M_rowadr[i], t = 0; k <= diagonal_of(m, i); k++, t++) {
      while (at[t] != m->M_colind[k]) {
        t++;
      }
      to[t] = d->M[k] + d->efm_fluid[k];
    }
    to[p->nnz[i] - 1] += d->efm_dof[i];
  }
  cri_rows tendons = cri_tendon_rows(m, d->ten_J);
  cri_rows moments = cri_moment_rows(m, d, d->actuator_moment);
  add_rows(&tendons, d->efm_tendon, value, p, col, work);
  add_rows(&moments, d->efm_actuator, value, p, col, work);
  cri_pop(d, mark);
}

cr_status cri_implicit_inertia_factor(const cr_model* m, cr_data* d, cr_real* value) {
  if (d->nefmL == 0 && m->nv > 0) {
    return cri_fail(&d->error, CR_ERR_CAPACITY,
                    "integrator discrete: the data were made for another integrator");
  }
  make_pattern(m, d);
  cr_pattern p = cri_implicit_inertia_pattern(m, d);
  form(m, d, value, &p);
  cr_copy(d->efm_L, value, p.adr[m->nv - 1] + p.nnz[m->nv - 1]);
  int bad = cr_chol_factor(d->efm_L, &p);
  if (bad >= 0) {
    int joint = m->dof_jntid[bad];
    return cri_fail(&d->error, CR_ERR_SINGULAR,
                    "joint %d \"%s\", dof %d: its effective inertia is not positive", joint,
                    cri_name(m, m->name_jntadr, joint), bad);
  }
  return CR_OK;
}

// ---- its diagonal

static void add_squares(const cri_rows* rows, const cr_real* weight, cr_real* W) {
  for (int r = 0; r < rows->n; r++) {
    for (int k = rows->adr[r]; k < rows->adr[r] + rows->nnz[r]; k++) {
      W[rows->col[k]] += weight[r] * rows->value[k] * rows->value[k];
    }
  }
}

void cri_implicit_inertia_diagonal(const cr_model* m, const cr_data* d, cr_real* W) {
  cr_copy(W, d->efm_dof, m->nv);
  cri_rows tendons = cri_tendon_rows(m, d->ten_J);
  cri_rows moments = cri_moment_rows(m, d, d->actuator_moment);
  add_squares(&tendons, d->efm_tendon, W);
  add_squares(&moments, d->efm_actuator, W);
}

static void squares_jvp(const cri_rows* rows, const cr_real* tangent, const cr_real* weight,
                        const cr_real* weight_tan, cr_real* W_tan) {
  for (int r = 0; r < rows->n; r++) {
    for (int k = rows->adr[r]; k < rows->adr[r] + rows->nnz[r]; k++) {
      cr_real a = rows->value[k];
      W_tan[rows->col[k]] += weight_tan[r] * a * a + 2 * weight[r] * a * tangent[k];
    }
  }
}

void cri_implicit_inertia_diagonal_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                                       cr_real* W_tan) {
  cr_copy(W_tan, tan->efm_dof, m->nv);
  cri_rows tendons = cri_tendon_rows(m, d->ten_J);
  cri_rows moments = cri_moment_rows(m, d, d->actuator_moment);
  squares_jvp(&tendons, tan->ten_J, d->efm_tendon, tan->efm_tendon, W_tan);
  squares_jvp(&moments, tan->actuator_moment, d->efm_actuator, tan->efm_actuator, W_tan);
}

static void squares_vjp(const cri_rows* rows, const cr_real* weight, const cr_real* W_bar,
                        cr_real* weight_bar, cr_pairs* pairs) {
  for (int r = 0; r < rows->n; r++) {
    int own = weight[r] == 0 ? -1 : cri_pairs_add(pairs);
    if (own >= 0) {
      cri_pair_left(pairs, own)[r] = 2 * weight[r];
    }
    for (int k = rows->adr[r]; k < rows->adr[r] + rows->nnz[r]; k++) {
      cr_real a = rows->value[k], bar = W_bar[rows->col[k]];
      weight_bar[r] += bar * a * a;
      if (own >= 0) {
        cri_pair_right(pairs, own)[rows->col[k]] = bar * a;
      }
    }
  }
}

void cri_implicit_inertia_diagonal_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                                       const cr_real* W_bar) {
  for (int j = 0; j < m->nv; j++) {
    bar->efm_dof[j] += W_bar[j];
  }
  cri_rows tendons = cri_tendon_rows(m, d->ten_J);
  cri_rows moments = cri_moment_rows(m, d, d->actuator_moment);
  squares_vjp(&tendons, d->efm_tendon, W_bar, bar->efm_tendon, &bar->ten_J_pairs);
  squares_vjp(&moments, d->efm_actuator, W_bar, bar->efm_actuator, &bar->actuator_moment_pairs);
}

// ---- products

static void rows_add(const cri_rows* rows, const cr_real* weight, const cr_real* x, cr_real* y) {
  for (int r = 0; r < rows->n; r++) {
    cri_row_add(rows, rows->value, r, weight[r] * cri_row_dot(rows, rows->value, r, x), y);
  }
}

// y += F x, F symmetric in M's pattern
static void fluid_add(const cr_model* m, const cr_real* F, const cr_real* x, cr_real* y) {
  for (int i = 0; i < m->nv; i++) {
    for (int k = m->M_rowadr[i]; k <= diagonal_of(m, i); k++) {
      int j = m->M_colind[k];
      y[i] += F[k] * x[j];
      y[j] += i == j ? 0 : F[k] * x[i];
    }
  }
}

void cri_implicit_inertia_add(const cr_model* m, const cr_data* d, const cr_real* x, cr_real* y) {
  for (int i = 0; i < m->nv; i++) {
    y[i] += d->efm_dof[i] * x[i];
  }
  if (cri_fluid_acts(m)) {
    fluid_add(m, d->efm_fluid, x, y);
  }
  cri_rows tendons = cri_tendon_rows(m, d->ten_J);
  cri_rows moments = cri_moment_rows(m, d, d->actuator_moment);
  rows_add(&tendons, d->efm_tendon, x, y);
  rows_add(&moments, d->efm_actuator, x, y);
}

static void rows_jvp(const cri_rows* rows, const cr_real* tangent, const cr_real* weight,
                     const cr_real* weight_tan, const cr_real* x, cr_real* y) {
  for (int r = 0; r < rows->n; r++) {
    cr_real ax = cri_row_dot(rows, rows->value, r, x), ax_tan = cri_row_dot(rows, tangent, r, x);
    cri_row_add(rows, rows->value, r, weight_tan[r] * ax + weight[r] * ax_tan, y);
    cri_row_add(rows, tangent, r, weight[r] * ax, y);
  }
}

void cri_implicit_inertia_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                              const cr_real* x, cr_real* y) {
  for (int i = 0; i < m->nv; i++) {
    y[i] += tan->efm_dof[i] * x[i];
  }
  if (cri_fluid_on(m)) {
    fluid_add(m, tan->efm_fluid, x, y);
  }
  cri_rows tendons = cri_tendon_rows(m, d->ten_J);
  cri_rows moments = cri_moment_rows(m, d, d->actuator_moment);
  rows_jvp(&tendons, tan->ten_J, d->efm_tendon, tan->efm_tendon, x, y);
  rows_jvp(&moments, tan->actuator_moment, d->efm_actuator, tan->efm_actuator, x, y);
}

// c (a l)(a r): c_bar = (a l)(a r), a_bar = c (a r) l + c (a l) r
static void rows_vjp(const cr_model* m, const cri_rows* rows, const cr_real* weight,
                     const cr_real* l, const cr_real* r, cr_real* weight_bar, cr_pairs* pairs) {
  if (rows->n == 0) {
    return;
  }
  int with_l = cri_pairs_add(pairs), with_r = cri_pairs_add(pairs);
  cr_copy(cri_pair_right(pairs, with_l), l, m->nv);
  cr_copy(cri_pair_right(pairs, with_r), r, m->nv);
  for (int k = 0; k < rows->n; k++) {
    cr_real al = cri_row_dot(rows, rows->value, k, l), ar = cri_row_dot(rows, rows->value, k, r);
    weight_bar[k] += al * ar;
    cri_pair_left(pairs, with_l)[k] = weight[k] * ar;
    cri_pair_left(pairs, with_r)[k] = weight[k] * al;
  }
}

void cri_implicit_inertia_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* l,
                              const cr_real* r) {
  for (int i = 0; i < m->nv; i++) {
    bar->efm_dof[i] += l[i] * r[i];
  }
  if (cri_fluid_on(m)) {
    int pair = cri_pairs_add(&bar->efm_fluid_pairs);
    cr_copy(cri_pair_left(&bar->efm_fluid_pairs, pair), l, m->nv);
    cr_copy(cri_pair_right(&bar->efm_fluid_pairs, pair), r, m->nv);
  }
  cri_rows tendons = cri_tendon_rows(m, d->ten_J);
  cri_rows moments = cri_moment_rows(m, d, d->actuator_moment);
  rows_vjp(m, &tendons, d->efm_tendon, l, r, bar->efm_tendon, &bar->ten_J_pairs);
  rows_vjp(m, &moments, d->efm_actuator, l, r, bar->efm_actuator, &bar->actuator_moment_pairs);
}
