// SPDX-License-Identifier: Apache-2.0
// Constraint rows of Carom, efc_J, as rows of a cone program.
#include "quasidynamic/contact_cones.h"

#include <stdio.h>

#include "constraint/rows.h"
#include "model/names.h"

// share of the normal row below which a tangent row counts as zero; and of the largest row below which the normal row does
static const cr_real NO_MOTION = CR_R(1e-9);

static cr_real largest(const cr_data* d, int i, int j) {
  const cr_real *a = d->efc_J + d->efc_J_rowadr[i],
                *b = j < 0 ? NULL : d->efc_J + d->efc_J_rowadr[j];
  cr_real most = 0;
  for (int k = 0; k < d->efc_J_rownnz[i]; k++) {
    most = cr_max(most, cr_abs(a[k] - (b != NULL ? b[k] : 0)));
  }
  return most;
}

static void add_row(cri_cone* c, cri_cone_row* row, cri_cone_row x) { row[c->nrow++] = x; }

static void begin_block(cri_cone* c) {
  c->adr[c->nblock] = c->nrow;
  c->dim[c->nblock++] = 1;
}

// whether a dof changes the distance of a contact: not of a geom on a hinge whose axis goes through the contact's normal
static bool has_normal(const cr_data* d, int i, int contact) {
  const int dim = d->contact_dim[contact];
  if (d->efc_type[i] != CR_CNSTR_CONTACT_PYRAMIDAL) {
    cr_real most = 0;
    for (int k = 0; k < dim; k++) {
      most = cr_max(most, largest(d, i + k, -1));
    }
    return largest(d, i, -1) > NO_MOTION * most;
  }
  // the mean of two rays, against one
  const cr_real *plus = d->efc_J + d->efc_J_rowadr[i], *minus = d->efc_J + d->efc_J_rowadr[i + 1];
  cr_real normal = 0;
  for (int k = 0; k < d->efc_J_rownnz[i]; k++) {
    normal = cr_max(normal, cr_abs(plus[k] + minus[k]) / 2);
  }
  return normal > NO_MOTION * largest(d, i, -1);
}

// [quasidynamic.k1]
static void add_pyramid(const cr_data* d, int i, int dim, cri_cone* c, cri_cone_row* row) {
  bool any = false;
  for (int k = 0; k < dim - 1; k++) {
    const int plus = i + 2 * k, minus = plus + 1;
    if (largest(d, plus, minus) <= NO_MOTION * largest(d, plus, -1)) {
      continue;
    }
    for (int ray = plus; ray <= minus; ray++) {
      begin_block(c);
      add_row(c, row, (cri_cone_row){ray, -1, -1, true});
    }
    any = true;
  }
  if (!any) {
    begin_block(c);
    add_row(c, row, (cri_cone_row){i, i + 1, -1, true});
  }
}

// [quasidynamic.k2]
static void add_cone(const cr_data* d, int i, int contact, cri_cone* c, cri_cone_row* row) {
  begin_block(c);
  add_row(c, row, (cri_cone_row){i, -1, -1, true});
  for (int k = 1; k < d->contact_dim[contact]; k++) {
    const int mu = 5 * contact + k - 1;
    if (d->contact_friction[mu] * largest(d, i + k, -1) > NO_MOTION * largest(d, i, -1)) {
      add_row(c, row, (cri_cone_row){i + k, -1, mu, false});
      c->dim[c->nblock - 1]++;
    }
  }
}

static void set_numbers(const cr_data* d, const cr_real* margin, const cri_cone_row* row, int r,
                        cri_cone* c) {
  cr_real* G = c->G + (ptrdiff_t)r * c->nv;
  const int i = row->first, nnz = d->efc_J_rownnz[i];
  const int32_t* column = d->efc_J_colind + d->efc_J_rowadr[i];
  const cr_real *a = d->efc_J + d->efc_J_rowadr[i],
                *b = row->second < 0 ? a : d->efc_J + d->efc_J_rowadr[row->second];
  const cr_real factor = row->mu < 0 ? 1 : d->contact_friction[row->mu];
  cr_zero(G, c->nv);
  for (int k = 0; k < nnz; k++) {
    G[column[k]] = factor * (a[k] + b[k]) / 2;
  }
  const bool limit = d->efc_type[i] == CR_CNSTR_LIMIT_JOINT;
  c->h[r] =
      !row->has_distance ? 0 : d->efc_pos[i] - (limit ? margin[d->efc_id[i]] : d->efc_margin[i]);
}

void cri_cones_set(const cr_model* m, const cr_data* d, const cr_real* margin, cri_cone* c,
                   cri_cone_row* row) {
  c->nrow = c->nblock = 0;
  for (int i = 0; i < d->nefc; i += cri_rows_block(m, d, i)) {
    const int type = d->efc_type[i], id = d->efc_id[i];
    if (type != CR_CNSTR_LIMIT_JOINT && !has_normal(d, i, id)) {
      continue;
    }
    if (type == CR_CNSTR_CONTACT_PYRAMIDAL) {
      add_pyramid(d, i, d->contact_dim[id], c, row);
    } else if (type != CR_CNSTR_LIMIT_JOINT && d->contact_dim[id] > 1) {
      add_cone(d, i, id, c, row);
    } else {
      begin_block(c);
      add_row(c, row, (cri_cone_row){i, -1, -1, true});
    }
  }
  for (int r = 0; r < c->nrow; r++) {
    set_numbers(d, margin, &row[r], r, c);
  }
}

void cri_cones_force(const cr_data* d, const cri_cone* c, const cri_cone_row* row, cr_real* force) {
  cr_zero(force, d->nefc);
  for (int r = 0; r < c->nrow; r++) {
    if (row[r].second >= 0) {
      force[row[r].first] = force[row[r].second] = c->z[r] / 2;
    } else {
      force[row[r].first] = c->z[r] * (row[r].mu < 0 ? 1 : d->contact_friction[row[r].mu]);
    }
  }
}

// q += x row i of efc_J
static void add_row_of(const cr_data* d, int i, cr_real x, cr_real* q) {
  const int adr = d->efc_J_rowadr[i];
  for (int k = adr; k < adr + d->efc_J_rownnz[i]; k++) {
    q[d->efc_J_colind[k]] += x * d->efc_J[k];
  }
}

void cri_cones_tangent(const cr_model* m, const cr_data* d, const cr_data* tan, const cri_cone* c,
                       const cri_cone_row* row, const cr_real* force, const cr_real* rate,
                       cr_real* work, cr_real* sigma, cr_real* q) {
  cri_rows_mul(m, d, tan->efc_J, work, c->x);
  cri_rows_mul_transposed(m, d, tan->efc_J, q, force);
  for (int r = 0; r < c->nrow; r++) {
    const cri_cone_row* x = &row[r];
    const int i = x->first;
    sigma[r] = x->second < 0 ? work[i] : (work[i] + work[x->second]) / 2;
    if (x->mu >= 0) {
      const cr_real mu_tan = tan->contact_friction[x->mu];
      sigma[r] = d->contact_friction[x->mu] * sigma[r] + mu_tan * rate[i];
      add_row_of(d, i, mu_tan * c->z[r], q);
    }
    if (x->has_distance) {
      sigma[r] += tan->efc_pos[i] - tan->efc_margin[i];
    }
  }
}

void cri_cones_label(const cr_model* m, const cr_data* d, const cri_cone* c,
                     const cri_cone_row* row, int k, char* text, size_t size) {
  const int i = row[c->adr[k]].first, id = d->efc_id[i];
  if (d->efc_type[i] == CR_CNSTR_LIMIT_JOINT) {
    (void)snprintf(text, size, "the limit of %s", cri_label(m, CRI_OBJECT_joint, id).text);
    return;
  }
  const int32_t* geom = d->contact_geom + 2 * (ptrdiff_t)id;
  (void)snprintf(text, size, "the contact of %s and %s",
                 cri_label(m, CRI_OBJECT_geom, geom[0]).text,
                 cri_label(m, CRI_OBJECT_geom, geom[1]).text);
}
