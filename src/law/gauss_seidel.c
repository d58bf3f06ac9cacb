// SPDX-License-Identifier: Apache-2.0
// [ncp.n4], see gauss_seidel.h.
#include "law/gauss_seidel.h"

#include "constraint/rows.h"
#include "model/added_contact.h"

static const cr_real STILL = CR_R(1e-9);  // change of a force over the largest one

typedef struct {
  const cr_model* m;
  const cr_data* d;
  cr_real *columns, *A;  // row i: mass^-1 J_i', J_i mass^-1 J_i' + 1 / D_i
  cr_real *f, *a;
  cr_real change, size;  // largest of a sweep
} sweep;

static cr_real row_dot(const cr_data* d, int i, const cr_real* x) {
  cr_real sum = 0;
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    sum += d->efc_J[k] * x[d->efc_J_colind[k]];
  }
  return sum;
}

static void set_columns(const sweep* s, cr_data* d, cri_mass_solve* solve) {
  int nv = s->m->nv;
  for (int i = 0; i < d->nefc; i++) {
    cr_real* x = s->columns + (ptrdiff_t)i * nv;
    cr_zero(x, nv);
    for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
      x[d->efc_J_colind[k]] = d->efc_J[k];
    }
    solve(s->m, d, x, d);
    s->A[i] = row_dot(d, i, x) + 1 / d->efc_D[i];
  }
}

static void set_force(sweep* s, int i, cr_real f) {
  const cr_real* x = s->columns + (ptrdiff_t)i * s->m->nv;
  cr_real more = f - s->f[i];
  for (int j = 0; j < s->m->nv && more != 0; j++) {
    s->a[j] += x[j] * more;
  }
  s->f[i] = f;
  s->change = cr_max(s->change, cr_abs(more));
  s->size = cr_max(s->size, cr_abs(f));
}

// what a row leaves of its equation
static cr_real rest(const sweep* s, int i) {
  return row_dot(s->d, i, s->a) - s->d->efc_aref[i] + s->f[i] / s->d->efc_D[i];
}

static void relax_row(sweep* s, int i) {
  cr_real f = s->f[i] - rest(s, i) / s->A[i], loss = s->d->efc_frictionloss[i];
  switch (s->d->efc_type[i]) {
    case CR_CNSTR_EQUALITY:
      break;
    case CR_CNSTR_FRICTION_DOF:
    case CR_CNSTR_FRICTION_TENDON:
      f = cr_clip(f, -loss, loss);
      break;
    default:
      f = cr_max(f, 0);
  }
  set_force(s, i, f);
}

// rows i + 1 .. i + n of a contact, whose normal is row i
static void relax_tangents(sweep* s, int i, int n) {
  const cr_real* mu = s->d->contact_friction + 5 * s->d->efc_id[i];
  cr_real f[CR_MAX_CONTACT_DIM], sum = 0, stiffness = 0;
  for (int j = 1; j <= n; j++) {
    stiffness += s->A[i + j] * s->d->efc_D[i + j];
  }
  for (int j = 1; j <= n; j++) {
    f[j] = s->f[i + j] - s->d->efc_D[i + j] / stiffness * rest(s, i + j);
    sum += f[j] * f[j] / (mu[j - 1] * mu[j - 1]);
  }
  cr_real length = cr_sqrt(sum), scale = length > s->f[i] ? s->f[i] / length : 1;
  for (int j = 1; j <= n; j++) {
    set_force(s, i + j, scale * f[j]);
  }
}

static bool is_solved_for(const sweep* s, int i) {
  const cr_data* d = s->d;
  if (d->efc_type[i] < CR_CNSTR_CONTACT_FRICTIONLESS) {
    return true;
  }
  const int32_t* geom = d->contact_geom + 2 * d->efc_id[i];
  int32_t model = cri_contact_model_of(s->m, geom[0], geom[1]);
  return model == CR_CONTACT_NCP || model == CR_CONTACT_CONVEX;
}

static void relax_all(sweep* s) {
  s->change = s->size = 0;
  for (int i = 0, n; i < s->d->nefc; i += n) {
    n = cri_rows_block(s->m, s->d, i);
    bool contact = s->d->efc_type[i] >= CR_CNSTR_CONTACT_FRICTIONLESS;
    if (!is_solved_for(s, i)) {
      continue;
    }
    for (int k = i; k < (contact ? i + 1 : i + n); k++) {
      relax_row(s, k);
    }
    if (contact && n > 1) {
      relax_tangents(s, i, n - 1);
    }
  }
}

int cri_gauss_seidel(const cr_model* m, cr_data* d, cri_mass_solve* solve, int most, cr_real* f,
                     cr_real* a) {
  size_t mark = cri_mark(d), n = (size_t)d->nefc;
  sweep s = {.m = m, .d = d, .f = f, .a = a};
  int k = 0;
  s.columns = cri_push(d, n * (size_t)m->nv);
  s.A = cri_push(d, n);
  set_columns(&s, d, solve);
  cr_copy(a, d->qacc_smooth, m->nv);
  for (int i = 0; i < d->nefc; i++) {
    for (int j = 0; j < m->nv; j++) {
      a[j] += s.columns[(ptrdiff_t)i * m->nv + j] * f[i];
    }
  }
  do {
    relax_all(&s);
    k++;
  } while (k < most && s.change > STILL * s.size);
  cri_pop(d, mark);
  return k;
}
