// SPDX-License-Identifier: Apache-2.0
// Rows of contacts, see contact_rows.h.
#include "constraint/contact_rows.h"

#include "collision/broad.h"
#include "constraint/solref_impedance.h"
#include "math/vec3.h"

// ---- which contacts make rows

static int contact_type(const cr_model* m, int dim) {
  return dim == 1 ? CR_CNSTR_CONTACT_FRICTIONLESS
                  : (m->cone == CR_CONE_PYRAMIDAL ? CR_CNSTR_CONTACT_PYRAMIDAL
                                                  : CR_CNSTR_CONTACT_ELLIPTIC);
}

cr_real cri_contact_width(const cr_model* m, const cr_data* d, int c) {
  const int32_t* geom = d->contact_geom + 2 * c;
  return cri_pair_width(m, geom[0], geom[1], d->contact_pair[c]);
}

// ---- the Jacobian

// [constraint.k4] rows J_0 + mu_k J_k, J_0 - mu_k J_k, k = 1 .. dim - 1, from the dim rows of `base`
static void pyramid(cr_real* restrict J, const cr_real* restrict base, int dim, int n,
                    const cr_real* mu) {
  for (int k = 1; k < dim; k++) {
    cr_real* edge = J + 2 * (k - 1) * n;
    for (int q = 0; q < n; q++) {
      cr_real slide = mu[k - 1] * base[k * n + q];
      edge[q] = base[q] + slide;
      edge[n + q] = base[q] - slide;
    }
  }
}

static void set_jacobian(const cr_model* m, cr_data* d, int c, int i,
                         const cri_contact_chain* chain, cr_real* base) {
  int dim = d->contact_dim[c];
  cr_real* J = d->efc_J + d->efc_J_rowadr[i];
  if (d->efc_type[i] != CR_CNSTR_CONTACT_PYRAMIDAL) {
    cri_contact_jacobian(m, d, c, chain, dim, J);
    return;
  }
  cri_contact_jacobian(m, d, c, chain, dim, base);
  pyramid(J, base, dim, chain->n, d->contact_friction + 5 * c);
}

static void jacobian_tan(const cr_model* m, const cr_data* d, cr_data* tan, int c, int i,
                         int32_t* work, cr_real* base) {
  cri_contact_chain chain = cri_contact_chain_of(m, d, c, work);
  int dim = d->contact_dim[c], n = chain.n;
  cr_real* J_tan = tan->efc_J + d->efc_J_rowadr[i];
  if (d->efc_type[i] != CR_CNSTR_CONTACT_PYRAMIDAL) {
    cri_contact_jacobian_tan(m, d, tan, c, &chain, dim, J_tan);
    return;
  }
  // [constraint.k4]
  cri_contact_jacobian_tan(m, d, tan, c, &chain, dim, base);
  pyramid(J_tan, base, dim, n, d->contact_friction + 5 * c);
  cri_contact_jacobian(m, d, c, &chain, dim, base);
  for (int k = 1; k < dim; k++) {
    cr_real mu_tan = tan->contact_friction[5 * c + k - 1];
    for (int q = 0; q < n; q++) {
      J_tan[2 * (k - 1) * n + q] += mu_tan * base[k * n + q];
      J_tan[(2 * k - 1) * n + q] -= mu_tan * base[k * n + q];
    }
  }
}

// [constraint.k4]', [constraint.k3]' cotangent of the rows' Jacobian, pair by pair
static void jacobian_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                         const cri_operator_sweep* sweep, int c, int i) {
  int dim = d->contact_dim[c], nrow = cri_contact_rows(m, dim);
  const cr_real* mu = d->contact_friction + 5 * c;
  cr_real* mu_bar = bar->contact_friction + 5 * c;
  for (int p = 0; p < sweep->n; p++) {
    const cr_real* left = cri_pair_left(&bar->efc_J_pairs, p) + i;
    bool zero = true;
    for (int k = 0; k < nrow; k++) {
      zero = zero && left[k] == 0;
    }
    if (zero) {
      continue;
    }
    cr_real u[6], lambda[6] = {0};
    cri_contact_sweep_velocity(m, d, sweep, c, p, u);
    if (d->efc_type[i] != CR_CNSTR_CONTACT_PYRAMIDAL) {
      cr_copy(lambda, left, dim);
    }
    for (int k = 1; k < dim && d->efc_type[i] == CR_CNSTR_CONTACT_PYRAMIDAL; k++) {
      cr_real plus = left[2 * k - 2], minus = left[2 * k - 1];
      const cr_real* axis = d->contact_frame + 9 * c + 3 * (k % 3);
      lambda[0] += plus + minus;
      lambda[k] = mu[k - 1] * (plus - minus);
      mu_bar[k - 1] += (plus - minus) * cr_dot3(axis, u + (k < 3 ? 0 : 3));
    }
    cri_contact_sweep_add(m, d, bar, sweep, c, p, dim, lambda, u);
  }
}

// ---- how soft

// the friction rows of an elliptic contact may have a solref of their own
static const cr_real* friction_solref(const cr_data* d, int c) {
  const cr_real* ref = d->contact_solreffriction + 2 * c;
  bool mixed = (ref[0] > 0) != (ref[1] > 0), zero = ref[0] == 0 && ref[1] == 0;
  return mixed || zero ? d->contact_solref + 2 * c : ref;
}

// all fields of a contact's rows except J and R
static void set_softness(const cr_model* m, cr_data* d, int c, int i) {
  int nrow = cri_contact_rows(m, d->contact_dim[c]), type = d->efc_type[i];
  const cr_real* solimp = d->contact_solimp + 5 * c;
  cr_real dist = d->contact_dist[c], margin = d->contact_includemargin[c];
  cri_make_impedance(m, d, i, d->contact_solref + 2 * c, solimp, dist - margin,
                     cri_contact_width(m, d, c), true);
  d->efc_pos[i] = dist;
  d->efc_margin[i] = margin;
  for (int k = 1; k < nrow; k++) {
    cr_real* KBIP = d->efc_KBIP + 4 * (i + k);
    cr_copy(KBIP, d->efc_KBIP + 4 * i, 4);
    if (type == CR_CNSTR_CONTACT_ELLIPTIC) {
      cri_stiffness(m, friction_solref(d, c), cri_impedance_width(solimp), &KBIP[0], &KBIP[1]);
      KBIP[0] = 0;
    } else {
      d->efc_pos[i + k] = dist;
      d->efc_margin[i + k] = margin;
    }
  }
}

static void softness_tan(const cr_model* m, const cr_data* d, cr_data* tan, int c, int i) {
  int nrow = cri_contact_rows(m, d->contact_dim[c]), type = d->efc_type[i];
  const cr_real *solimp = d->contact_solimp + 5 * c, *solimp_tan = tan->contact_solimp + 5 * c;
  const cr_real *ref = d->contact_solref + 2 * c, *ref_tan = tan->contact_solref + 2 * c;
  cr_real dist_tan = tan->contact_dist[c], margin_tan = tan->contact_includemargin[c];
  cri_impedance_derivative s = cri_impedance_derivative_of(
      m, ref, solimp, d->contact_dist[c] - d->contact_includemargin[c], cri_contact_width(m, d, c));
  for (int k = 0; k < nrow; k++) {
    bool tangent = type == CR_CNSTR_CONTACT_ELLIPTIC && k > 0;
    cri_make_impedance_jvp(&s, tan, i + k, dist_tan - margin_tan, ref_tan, solimp_tan, !tangent);
    if (tangent && friction_solref(d, c) != ref) {
      cri_impedance_derivative f =
          cri_impedance_derivative_of(m, friction_solref(d, c), solimp, 0, 0);
      tan->efc_KBIP[4 * (i + k) + 1] =
          cri_stiffness_tan(f.B_y, tan->contact_solreffriction + 2 * c, solimp_tan);
    }
    tan->efc_pos[i + k] = tangent ? 0 : dist_tan;
    tan->efc_margin[i + k] = tangent ? 0 : margin_tan;
    tan->efc_frictionloss[i + k] = 0;
  }
}

// true if all fields except J of some rows have a zero cotangent, as those of an open contact
static bool softness_is_free(const cr_data* bar, int first, int nrow) {
  bool zero = true;
  for (int i = first; i < first + nrow; i++) {
    const cr_real* KBIP_bar = bar->efc_KBIP + 4 * i;
    zero = zero && bar->efc_pos[i] == 0 && bar->efc_margin[i] == 0 && KBIP_bar[0] == 0 &&
           KBIP_bar[1] == 0 && KBIP_bar[2] == 0;
  }
  return zero;
}

static void softness_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c, int i) {
  int nrow = cri_contact_rows(m, d->contact_dim[c]), type = d->efc_type[i];
  const cr_real *solimp = d->contact_solimp + 5 * c, *ref = d->contact_solref + 2 * c;
  cr_real *solimp_bar = bar->contact_solimp + 5 * c, *ref_bar = bar->contact_solref + 2 * c;
  if (softness_is_free(bar, i, nrow)) {
    return;
  }
  cri_impedance_derivative s = cri_impedance_derivative_of(
      m, ref, solimp, d->contact_dist[c] - d->contact_includemargin[c], cri_contact_width(m, d, c));

  // sums over rows; the friction rows of an elliptic contact have a B of their own, and no K
  cr_real K_bar = 0, B_bar = 0, B_friction_bar = 0, I_bar = 0, r_bar = 0;
  for (int k = 0; k < nrow; k++) {
    const cr_real* KBIP_bar = bar->efc_KBIP + 4 * (i + k);
    if (type == CR_CNSTR_CONTACT_ELLIPTIC && k > 0) {
      B_friction_bar += KBIP_bar[1];
    } else {
      K_bar += KBIP_bar[0];
      B_bar += KBIP_bar[1];
      bar->contact_dist[c] += bar->efc_pos[i + k];
      bar->contact_includemargin[c] += bar->efc_margin[i + k];
    }
    I_bar += KBIP_bar[2];
  }
  cri_impedance_bar(&s, I_bar, &r_bar, solimp_bar);
  cri_stiffness_bar(s.K_y, K_bar, ref_bar, solimp_bar);
  cri_stiffness_bar(s.B_y, B_bar, ref_bar, solimp_bar);
  if (friction_solref(d, c) == ref) {
    cri_stiffness_bar(s.B_y, B_friction_bar, ref_bar, solimp_bar);
  } else {
    cri_impedance_derivative f =
        cri_impedance_derivative_of(m, friction_solref(d, c), solimp, 0, 0);
    cri_stiffness_bar(f.B_y, B_friction_bar, bar->contact_solreffriction + 2 * c, solimp_bar);
  }
  bar->contact_dist[c] += r_bar;
  bar->contact_includemargin[c] -= r_bar;
}

// ---- all of them

static void add_contact(const cr_model* m, cr_data* d, cri_rows_needed* need, int c,
                        const cri_contact_chain* chain, cr_real* base) {
  d->contact_efc_address[c] = -1;
  d->contact_exclude[c] =
      !cri_rows_on(m, CR_DSBL_CONTACT) ||
      (d->contact_dist[c] >= d->contact_includemargin[c] + cri_contact_width(m, d, c) &&
       d->contact_adhesion[c] == 0);
  if (d->contact_exclude[c] != 0) {
    return;
  }
  if (d->contact_follows[c] != 0) {
    d->contact_exclude[c] = 2;
    return;
  }
  if (chain->n == 0) {
    d->contact_exclude[c] = 3;
    return;
  }
  int dim = d->contact_dim[c], nrow = cri_contact_rows(m, dim);
  int i = cri_rows_add(d, need, nrow, contact_type(m, dim), c, chain->n, chain->dof);
  if (i >= 0) {
    d->contact_efc_address[c] = i;
    set_jacobian(m, d, c, i, chain, base);
    set_softness(m, d, c, i);
  }
}

void cri_contact_add(const cr_model* m, cr_data* d, cri_rows_needed* need) {
  size_t mark = cri_mark(d), v = (size_t)m->nv;
  int32_t* work = cri_push_int(d, 2 * v);
  cr_real* base = cri_push(d, 6 * v);
  cri_contact_chain chain = {0};
  for (int c = 0; c < d->ncon; c++) {
    const int32_t* geom = d->contact_geom + 2 * c;
    if (c == 0 || geom[0] != geom[-2] || geom[1] != geom[-1]) {
      chain = cri_contact_chain_of(m, d, c, work);
    }
    add_contact(m, d, need, c, &chain, base);
  }
  cri_pop(d, mark);
}

void cri_contact_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan), v = (size_t)m->nv;
  int32_t* work = cri_push_int(tan, 2 * v);
  cr_real* base = cri_push(tan, 6 * v);
  for (int c = 0; c < d->ncon; c++) {
    if (d->contact_efc_address[c] >= 0) {
      jacobian_tan(m, d, tan, c, d->contact_efc_address[c], work, base);
      softness_tan(m, d, tan, c, d->contact_efc_address[c]);
    }
  }
  cri_pop(tan, mark);
}

void cri_contact_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                     const cri_operator_sweep* sweep) {
  for (int c = 0; c < d->ncon; c++) {
    if (d->contact_efc_address[c] >= 0) {
      jacobian_bar(m, d, bar, sweep, c, d->contact_efc_address[c]);
      softness_bar(m, d, bar, c, d->contact_efc_address[c]);
    }
  }
}
