// SPDX-License-Identifier: Apache-2.0
// A gripping body: the mean of the normal rows of its contacts. Rows that constraints have made are
// copied from there; the others are made here.
#include "transmission/transmission_body.h"

#include "kinematics/relative_chain.h"
#include "math/spatial.h"

enum { IN_ROWS = 0, IN_GAP = 1 };  // contact_exclude

static bool touches(const cr_model* m, const cr_data* d, int c, int body) {
  const int32_t* geom = d->contact_geom + 2 * c;
  bool counts = d->contact_exclude[c] == IN_GAP || d->contact_efc_address[c] >= 0;
  return counts && (m->geom_bodyid[geom[0]] == body || m->geom_bodyid[geom[1]] == body);
}

// -1/n, 0 if nothing touches
static cr_real share_of(const cr_model* m, const cr_data* d, int body) {
  int n = 0;
  bool none = (m->disableflags & (CR_DSBL_CONTACT | CR_DSBL_CONSTRAINT)) != 0;
  for (int c = 0; c < d->ncon && !none; c++) {
    n += touches(m, d, c, body);
  }
  return n == 0 ? 0 : -1 / (cr_real)n;
}

// rows of contact c that make its normal, each with the same weight
static int normal_rows(const cr_model* m, const cr_data* d, int c, cr_real* weight) {
  int dim = d->contact_dim[c];
  bool pyramid = dim > 1 && m->cone == CR_CONE_PYRAMIDAL;
  *weight = pyramid ? 1 / (cr_real)(2 * (dim - 1)) : 1;
  return pyramid ? 2 * (dim - 1) : 1;
}

static void bodies_of(const cr_model* m, const cr_data* d, int c, int body[2]) {
  body[0] = m->geom_bodyid[d->contact_geom[2 * c]];
  body[1] = m->geom_bodyid[d->contact_geom[2 * c + 1]];
}

// [transmission.g3] the normal at the contact point: against the first body, along it on the second
static void gap_forces(const cr_model* m, const cr_data* d, int c, const int body[2],
                       cr_real F[2][6]) {
  const cr_real none[3] = {0}, *n = d->contact_frame + 9 * c;
  cr_real back[3];
  cr_scl3(back, n, -1);
  cri_relative_chain_force(m, d, body[0], d->contact_pos + 3 * c, none, back, F[0]);
  cri_relative_chain_force(m, d, body[1], d->contact_pos + 3 * c, none, n, F[1]);
}

// [transmission.g2] row += s times the normal row of contact c, efc_J from d or a tangent; marks its dofs
static void add_rows(const cr_model* m, const cr_data* d, const cr_real* efc_J, int c, cr_real s,
                     cr_real* row, int32_t* mark) {
  cr_real weight;
  int first = d->contact_efc_address[c], n = normal_rows(m, d, c, &weight);
  for (int r = first; r < first + n; r++) {
    for (int k = d->efc_J_rowadr[r]; k < d->efc_J_rowadr[r] + d->efc_J_rownnz[r]; k++) {
      row[d->efc_J_colind[k]] += s * weight * efc_J[k];
      mark[d->efc_J_colind[k]] = 1;
    }
  }
}

static void add_gap(const cr_model* m, const cr_data* d, int c, cr_real s, cr_real* row,
                    int32_t* mark) {
  int body[2], side;
  cr_real F[2][6];
  bodies_of(m, d, c, body);
  gap_forces(m, d, c, body, F);
  cri_relative_chain walk = cri_relative_chain_of(m, body[0], body[1]);
  for (int j = cri_relative_chain_next(m, &walk, &side); j >= 0;
       j = cri_relative_chain_next(m, &walk, &side)) {
    row[j] += s * cr_dot6(d->cdof + 6 * j, F[side]);
    mark[j] = 1;
  }
}

void cri_transmission_body(const cr_model* m, cr_data* d, int i) {
  int out = m->actuator_outadr[i], body = m->actuator_trnid[2 * i], n = 0;
  int at = d->moment_rowadr[out];
  size_t keep = cri_mark(d);
  cr_real *row = cri_push(d, (size_t)m->nv), s = share_of(m, d, body);
  int32_t* mark = cri_push_int(d, (size_t)m->nv);
  cr_zero(row, m->nv);
  memset(mark, 0, (size_t)m->nv * sizeof *mark);
  // [transmission.g1]
  for (int c = 0; c < d->ncon && s != 0; c++) {
    if (touches(m, d, c, body)) {
      if (d->contact_exclude[c] == IN_GAP) {
        add_gap(m, d, c, s, row, mark);
      } else {
        add_rows(m, d, d->efc_J, c, s, row, mark);
      }
    }
  }
  for (int j = 0; j < m->nv; j++) {
    if (mark[j] != 0) {
      d->moment_colind[at + n] = j;
      d->actuator_moment[at + n++] = row[j];
    }
  }
  d->moment_rownnz[out] = n;
  d->actuator_length[out] = 0;
  cri_pop(d, keep);
}

static void add_gap_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int c, cr_real s,
                        cr_real* row_tan) {
  const cr_real none[3] = {0}, *n = d->contact_frame + 9 * c, *n_tan = tan->contact_frame + 9 * c;
  int body[2], side;
  cr_real F[2][6], F_tan[2][6], back[3];
  bodies_of(m, d, c, body);
  gap_forces(m, d, c, body, F);
  cr_scl3(back, n_tan, -1);
  cri_relative_chain_force(m, d, body[0], d->contact_pos + 3 * c, none, back, F_tan[0]);
  cri_relative_chain_force(m, d, body[1], d->contact_pos + 3 * c, none, n_tan, F_tan[1]);
  for (int k = 0; k < 2; k++) {
    cr_real arm_tan[3], moment[3];
    cr_sub3(arm_tan, tan->contact_pos + 3 * c, cri_relative_chain_com(m, tan, body[k]));
    cr_cross3(moment, arm_tan, n);
    cr_accscl3(F_tan[k], moment, k == 0 ? -1 : 1);
  }
  cri_relative_chain walk = cri_relative_chain_of(m, body[0], body[1]);
  for (int j = cri_relative_chain_next(m, &walk, &side); j >= 0;
       j = cri_relative_chain_next(m, &walk, &side)) {
    row_tan[j] += s * (cr_dot6(tan->cdof + 6 * j, F[side]) + cr_dot6(d->cdof + 6 * j, F_tan[side]));
  }
}

void cri_transmission_body_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  int out = m->actuator_outadr[i], body = m->actuator_trnid[2 * i];
  size_t keep = cri_mark(tan);
  cr_real *row_tan = cri_push(tan, (size_t)m->nv), s = share_of(m, d, body);
  int32_t* mark = cri_push_int(tan, (size_t)m->nv);
  cr_zero(row_tan, m->nv);
  for (int c = 0; c < d->ncon && s != 0; c++) {
    if (touches(m, d, c, body)) {
      if (d->contact_exclude[c] == IN_GAP) {
        add_gap_tan(m, d, tan, c, s, row_tan);
      } else {
        add_rows(m, d, tan->efc_J, c, s, row_tan, mark);
      }
    }
  }
  int at = d->moment_rowadr[out];
  for (int k = at; k < at + d->moment_rownnz[out]; k++) {
    tan->actuator_moment[k] = row_tan[d->moment_colind[k]];
  }
  tan->actuator_length[out] = 0;
  cri_pop(tan, keep);
}

// [transmission.g2]' left vectors of efc_J's pairs
static void rows_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int out, int c, cr_real s,
                     int first) {
  const cr_pairs* pairs = &bar->actuator_moment_pairs;
  cr_real weight;
  int row = d->contact_efc_address[c], n = normal_rows(m, d, c, &weight);
  for (int p = 0; p < pairs->n; p++) {
    cr_real* left = cri_pair_left(&bar->efc_J_pairs, first + p);
    for (int r = row; r < row + n; r++) {
      left[r] += s * weight * cri_pair_left(pairs, p)[out];
    }
  }
}

// [transmission.g3]'
static void gap_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int out, int c, cr_real s) {
  const cr_pairs* pairs = &bar->actuator_moment_pairs;
  const cr_real* n = d->contact_frame + 9 * c;
  cr_real F[2][6], F_bar[2][6] = {{0}}, unused[3] = {0}, n_bar[3] = {0}, back[3], back_bar[3] = {0};
  int body[2];
  bodies_of(m, d, c, body);
  gap_forces(m, d, c, body, F);
  for (int p = 0; p < pairs->n; p++) {
    cr_real left = s * cri_pair_left(pairs, p)[out];
    const cr_real* right = cri_pair_right(pairs, p);
    cri_relative_chain walk = cri_relative_chain_of(m, body[0], body[1]);
    int side;
    for (int j = cri_relative_chain_next(m, &walk, &side); j >= 0 && left != 0;
         j = cri_relative_chain_next(m, &walk, &side)) {
      cr_accscl6(F_bar[side], d->cdof + 6 * j, left * right[j]);
      cr_accscl6(bar->cdof + 6 * j, F[side], left * right[j]);
    }
  }
  cr_scl3(back, n, -1);
  cri_relative_chain_force_vjp(m, d, bar, body[0], d->contact_pos + 3 * c, back, F_bar[0], unused,
                               back_bar, bar->contact_pos + 3 * c);
  cri_relative_chain_force_vjp(m, d, bar, body[1], d->contact_pos + 3 * c, n, F_bar[1], unused,
                               n_bar, bar->contact_pos + 3 * c);
  cr_acc3(bar->contact_frame + 9 * c, n_bar);
  cr_accscl3(bar->contact_frame + 9 * c, back_bar, -1);
}

void cri_transmission_body_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                               int first) {
  int out = m->actuator_outadr[i], body = m->actuator_trnid[2 * i];
  cr_real s = share_of(m, d, body);
  for (int c = 0; c < d->ncon && s != 0; c++) {
    if (touches(m, d, c, body)) {
      if (d->contact_exclude[c] == IN_GAP) {
        gap_vjp(m, d, bar, out, c, s);
      } else {
        rows_vjp(m, d, bar, out, c, s, first);
      }
    }
  }
}
