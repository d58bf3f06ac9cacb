// SPDX-License-Identifier: Apache-2.0
// [adhesion.z2], contact by contact; none of these has rows.
#include "solver/latent_adhesion.h"

#include "constraint/contact_rows.h"
#include "constraint/rows.h"
#include "constraint/solref_impedance.h"
#include "inertia/implicit_inertia.h"
#include "solver/discrete_row.h"

// true if contact c is in its gap and would pull with an adhesion
static bool could_pull(const cr_data* d, int c) {
  return d->contact_adhesion[c] == 0 && d->contact_exclude[c] == 1 && d->contact_follows[c] == 0;
}

// e of the row that contact c would have
static cr_real gap_of_row(const cr_model* m, const cr_data* d, int c, cr_real a, cr_real v) {
  const cr_real *solref = d->contact_solref + 2 * c, *solimp = d->contact_solimp + 5 * c;
  cr_real r = d->contact_dist[c] - d->contact_includemargin[c], width = cri_contact_width(m, d, c);
  cr_real KBIP[4] = {0}, slope, h = cri_is_discrete(m) ? m->timestep : 0;
  cri_stiffness(m, solref, cri_impedance_width(solimp), &KBIP[0], &KBIP[1]);
  KBIP[2] = cri_impedance(m, solimp, r, width, &slope);
  cri_step_row row = cri_step_row_of_contact(m, solref, KBIP);
  cr_real k = row.K * KBIP[2], b = row.B + h * k;
  return a + (b * v + k * cri_penetration(m, r, width, &slope)) / row.f;
}

// the normal of contact c over its chain, if it would pull by [adhesion.z2]; no dofs if it would not
static cri_contact_chain normal_of(const cr_model* m, const cr_data* d, int c, int32_t* work,
                                   cr_real* J) {
  cri_contact_chain chain = cri_contact_chain_of(m, d, c, work);
  cri_contact_jacobian(m, d, c, &chain, 1, J);
  cr_real a = 0, v = 0;
  for (int k = 0; k < chain.n; k++) {
    a += J[k] * d->acc_qacc[chain.dof[k]];
    v += J[k] * d->qvel[chain.dof[k]];
  }
  chain.n = gap_of_row(m, d, c, a, v) > 0 ? chain.n : 0;
  return chain;
}

static bool acts(const cr_model* m, const cr_data* d) {
  const int both = CR_DSBL_SPRING | CR_DSBL_DAMPER;
  bool any = false;
  for (int c = 0; c < d->ncon && !any; c++) {
    any = could_pull(d, c);
  }
  return any && cri_rows_on(m, CR_DSBL_CONTACT) && (m->disableflags & both) != both;
}

void cri_latent_adhesion_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* tau_tan) {
  if (!acts(m, d)) {
    return;
  }
  size_t mark = cri_mark(tan), v = (size_t)m->nv;
  int32_t* work = cri_push_int(tan, 2 * v);
  cr_real* J = cri_push(tan, v);
  for (int c = 0; c < d->ncon; c++) {
    if (could_pull(d, c) && tan->contact_adhesion[c] != 0) {
      cri_contact_chain chain = normal_of(m, d, c, work, J);
      for (int k = 0; k < chain.n; k++) {
        tau_tan[chain.dof[k]] -= J[k] * tan->contact_adhesion[c];
      }
    }
  }
  cri_pop(tan, mark);
}

void cri_latent_adhesion_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                             const cr_real* tau_bar) {
  if (!acts(m, d)) {
    return;
  }
  size_t mark = cri_mark(bar), v = (size_t)m->nv;
  int32_t* work = cri_push_int(bar, 2 * v);
  cr_real* J = cri_push(bar, v);
  for (int c = 0; c < d->ncon; c++) {
    if (could_pull(d, c)) {
      cri_contact_chain chain = normal_of(m, d, c, work, J);
      for (int k = 0; k < chain.n; k++) {
        bar->contact_adhesion[c] -= J[k] * tau_bar[chain.dof[k]];
      }
    }
  }
  cri_pop(bar, mark);
}
