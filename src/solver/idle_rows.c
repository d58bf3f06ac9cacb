// SPDX-License-Identifier: Apache-2.0
// [discrete.z3], row by row.
#include "solver/idle_rows.h"

#include <stdio.h>

#include "constraint/row_name.h"
#include "constraint/rows.h"
#include "force/fluid.h"
#include "inertia/implicit_inertia.h"
#include "solver/friction_cone.h"
#include "solver/latent_adhesion.h"
#include "solver/latent_friction.h"

static const cr_real ALIKE = CR_R(1e-6);   // relative difference of s_j that is allowed
static const cr_real SLIGHT = CR_R(1e-9);  // share of the largest force that counts as none

static bool acts(const cr_model* m, const cr_data* d) {
  return cri_is_discrete(m) && d->nefc > 0 && (m->enableflags & CR_ENBL_DIAGEXACT) == 0;
}

static int diagonal(const cr_model* m, int j) { return m->M_rowadr[j] + m->M_rownnz[j] - 1; }

static bool is_idle(const cr_model* m, const cr_data* d, int i) {
  cr_real sum = 0;
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    sum += d->efc_J[k] * d->efc_J[k] / d->M[diagonal(m, d->efc_J_colind[k])];
  }
  return sum < CR_MINVAL;
}

// number of rows from row i on that take their softness from it
static int led(const cr_model* m, const cr_data* d, int i) {
  return d->efc_type[i] >= CR_CNSTR_CONTACT_FRICTIONLESS ? cri_rows_block(m, d, i) : 1;
}

static int first_idle(const cr_model* m, const cr_data* d) {
  int i = 0;
  while (i < d->nefc && !is_idle(m, d, i)) {
    i += led(m, d, i);
  }
  return i;
}

// s_j of all dofs
static cr_real* stiffer(const cr_model* m, const cr_data* d, cr_data* owner) {
  cr_real* s = cri_push(owner, (size_t)m->nv);
  cri_implicit_inertia_diagonal(m, d, s);
  for (int j = 0; j < m->nv; j++) {
    int k = diagonal(m, j);
    cr_real drag = cri_fluid_acts(m) && d->nefmfluid > 0 ? d->efm_fluid[k] : 0;
    s[j] = 1 + (s[j] + drag) / d->M[k];
  }
  return s;
}

// a row whose force is -D e, with a D that damping changes
static bool gives_way(const cr_data* d, int i) {
  return d->efc_state[i] == CR_STATE_QUADRATIC && d->efc_D[i] * CR_MINVAL < 1;
}

static bool is_known(const cr_model* m, const cr_data* d, int i) {
  return led(m, d, i) == 1 && gives_way(d, i) && is_idle(m, d, i);
}

void cri_idle_rows_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* tau_tan) {
  int first = acts(m, d) ? first_idle(m, d) : d->nefc;
  if (first == d->nefc) {
    return;
  }
  size_t mark = cri_mark(tan);
  const cr_real* s = stiffer(m, d, tan);
  for (int i = first; i < d->nefc; i += led(m, d, i)) {
    int adr = d->efc_J_rowadr[i], n = is_known(m, d, i) ? d->efc_J_rownnz[i] : 0;
    for (int k = adr; k < adr + n; k++) {
      int j = d->efc_J_colind[k];
      tau_tan[j] += (s[j] - 1) * d->acc_force[i] * tan->efc_J[k];
    }
  }
  cri_pop(tan, mark);
}

void cri_idle_rows_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* tau_bar) {
  int first = acts(m, d) ? first_idle(m, d) : d->nefc;
  if (first == d->nefc) {
    return;
  }
  size_t mark = cri_mark(bar);
  const cr_real* s = stiffer(m, d, bar);
  for (int i = first; i < d->nefc; i += led(m, d, i)) {
    if (!is_known(m, d, i)) {
      continue;
    }
    int own = cri_pairs_add(&bar->efc_J_pairs);
    cri_pair_left(&bar->efc_J_pairs, own)[i] = d->acc_force[i];
    for (int j = 0; j < m->nv; j++) {
      cri_pair_right(&bar->efc_J_pairs, own)[j] = (s[j] - 1) * tau_bar[j];
    }
  }
  cri_pop(bar, mark);
}

static cr_real largest(const cr_real* x, int first, int n) {
  cr_real most = 0;
  for (int i = first; i < first + n; i++) {
    most = cr_max(most, cr_abs(x[i]));
  }
  return most;
}

// true if all s_j of a row that moves nothing, and leads n rows, are alike; for several rows, if all are 1
static bool are_alike(const cr_data* d, const cr_real* s, int i, int n) {
  cr_real least = 1, most = 1;
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    cr_real x = s[d->efc_J_colind[k]];
    bool fresh = n == 1 && k == d->efc_J_rowadr[i];
    least = fresh ? x : cr_min(least, x);
    most = fresh ? x : cr_max(most, x);
  }
  return most - least <= ALIKE * most;
}

int cri_idle_rows_undetermined(const cr_model* m, const cr_data* d, cr_data* work) {
  int found = -1, first = acts(m, d) ? first_idle(m, d) : d->nefc;
  if (first == d->nefc) {
    return found;
  }
  size_t mark = cri_mark(work);
  const cr_real* s = stiffer(m, d, work);
  cr_real least = SLIGHT * largest(d->acc_force, 0, d->nefc);
  for (int i = first, n; i < d->nefc && found < 0; i += n) {
    n = led(m, d, i);
    bool pushes = largest(d->acc_force, i, n) > least && (n > 1 || gives_way(d, i));
    found = pushes && is_idle(m, d, i) && !are_alike(d, s, i, n) ? i : found;
  }
  cri_pop(work, mark);
  return found;
}

bool cri_idle_rows_in_doubt(const cr_model* m, const cr_data* d, cr_data* work, cri_doubt* doubt) {
  int row = cri_idle_rows_undetermined(m, d, work);
  if (row >= 0 && doubt != NULL) {
    (void)snprintf(doubt->text, sizeof doubt->text,
                   "%s moves nothing: its Jacobian is zero, and with the integrator discrete its "
                   "softness depends on how that changes; the gradient takes one of many slopes "
                   "and may be wrong in every digit, start beside it",
                   cri_row_name(m, d, row).text);
  }
  return row >= 0;
}

// ---- with rows that are not there

void cri_latent_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* tau_tan) {
  cri_latent_friction_jvp(m, d, tan, tau_tan);
  cri_idle_rows_jvp(m, d, tan, tau_tan);
  cri_latent_adhesion_jvp(m, d, tan, tau_tan);
}

void cri_latent_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* tau_bar) {
  cri_latent_friction_vjp(m, d, bar, tau_bar);
  cri_idle_rows_vjp(m, d, bar, tau_bar);
  cri_latent_adhesion_vjp(m, d, bar, tau_bar);
}
