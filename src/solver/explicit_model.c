// SPDX-License-Identifier: Apache-2.0
// [hunt_crossley.h4], see explicit_model.h.
#include "solver/explicit_model.h"

#include "constraint/rows.h"
#include "solver/contact_law.h"
#include "solver/convex_model.h"
#include "solver/friction_cone.h"
#include "solver/idle_rows.h"
#include "solver/latent_friction.h"

static cr_run contacts(const cr_data* d) { return (cr_run){d->ne + d->nf + d->nl, d->nefc}; }

// the other rows, by the convex model, with contact forces in tau; push = J' f of contacts
static cr_status solve_others(const cr_model* m, cr_data* d, const cr_mass_view* mass,
                              const cr_real* push) {
  size_t nv = (size_t)m->nv;
  cr_real *tau = cri_push(d, nv), *smooth = cri_push(d, nv), *whole_smooth = d->qacc_smooth;
  int whole = d->nefc;
  for (int i = 0; i < m->nv; i++) {
    tau[i] = smooth[i] = mass->tau[i] + push[i];
  }
  mass->solve(m, d, smooth, d);
  cr_mass_view loaded = *mass;
  loaded.tau = tau;
  d->nefc = contacts(d).begin;
  d->qacc_smooth = smooth;
  cr_status status = cri_convex.solve(m, d, &loaded);
  d->nefc = whole;
  d->qacc_smooth = whole_smooth;
  return status;
}

static cr_status solve(const cr_model* m, cr_data* d, const cr_mass_view* mass) {
  CR_TRY(cri_contact_law_check(m, d));
  size_t mark = cri_mark(d);
  cr_run rows = contacts(d);
  cr_real* push = cri_push(d, (size_t)m->nv);
  cr_zero(push, m->nv);
  cri_contact_law_force(m, d, rows, d->efc_aref, d->acc_force, d->efc_state);
  cri_rows_mul_transposed_run(m, d, d->efc_J, rows, push, d->acc_force);
  cr_status status = solve_others(m, d, mass, push);
  cri_rows_mul_run(m, d, d->efc_J, rows, d->acc_jar, d->acc_qacc);
  for (int i = rows.begin; i < rows.end; i++) {
    d->acc_jar[i] -= d->efc_aref[i];
  }
  for (int i = 0; i < m->nv; i++) {
    d->qfrc_constraint[i] += push[i];
  }
  cri_pop(d, mark);
  return status;
}

static void linear(const cr_model* m, const cr_data* d, cr_runs dofs, const cri_right_sides* x,
                   cr_data* work) {
  cri_convex.linear(m, d, dofs, x, work);
}

static bool delicate(const cr_model* m, const cr_data* d) { return cri_convex.delicate(m, d); }

// forces of contacts do not depend on their D
static bool in_doubt(const cr_model* m, const cr_data* d, cr_data* work, cri_doubt* doubt) {
  cr_data others = *d;
  others.nefc = contacts(d).begin;
  return cri_idle_rows_in_doubt(m, &others, work, doubt);
}

const cr_contact_model cri_explicit = {.solve = solve,
                                       .linear = linear,
                                       .delicate = delicate,
                                       .force = cri_contact_law_force_all,
                                       .force_jvp = cri_contact_law_force_jvp,
                                       .force_vjp = cri_contact_law_force_vjp,
                                       .latent_jvp = cri_latent_jvp,
                                       .latent_vjp = cri_latent_vjp,
                                       .creeps = cri_latent_friction_creeps,
                                       .in_doubt = in_doubt,
                                       .bends = cri_contact_law_bends,
                                       .has_directions = cri_contact_law_has_directions,
                                       .sees_motion = cri_contact_law_sees_motion};
