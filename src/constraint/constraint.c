// SPDX-License-Identifier: Apache-2.0
// Constraint rows of a state, see constraint.h. Forward, jvp and vjp walk the same lists: active
// equality constraints, friction loss of dofs and tendons, active limits of joints and tendons,
// contacts that make a force. The file of each kind describes its rows.
#include "constraint/constraint.h"

#include "constraint/contact_rows.h"
#include "constraint/equality_rows.h"
#include "constraint/joint_rows.h"
#include "constraint/tendon_rows.h"

cr_status cr_constraint(const cr_model* m, cr_data* d) {
  cri_rows_needed need = {0, 0};
  d->nefc = d->nJ = d->ne = d->nf = d->nl = 0;
  cri_equality_add(m, d, &need);
  int ne = need.nefc;
  cri_joint_friction(m, d, &need);
  cri_tendon_friction(m, d, &need);
  int nf = need.nefc - ne;
  cri_joint_limits(m, d, &need);
  cri_tendon_limits(m, d, &need);
  int nl = need.nefc - ne - nf;
  cri_contact_add(m, d, &need);
  if (need.nefc > d->nefc_max || need.nJ > d->nJ_max) {
    return cri_fail(&d->error, CR_ERR_CAPACITY,
                    "constraint rows: %d rows with %d non-zeros needed, room for %d with %d",
                    need.nefc, need.nJ, d->nefc_max, d->nJ_max);
  }
  d->ne = ne;
  d->nf = nf;
  d->nl = nl;
  d->nefc = need.nefc;
  d->nJ = need.nJ;
  return CR_OK;
}

cr_status cr_constraint_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero(tan->efc_J, d->nJ);
  cri_equality_jvp(m, d, tan);
  int i = cri_joint_friction_jvp(m, tan, d->ne);
  i = cri_tendon_friction_jvp(m, d, tan, i);
  i = cri_joint_limits_jvp(m, d, tan, i);
  (void)cri_tendon_limits_jvp(m, d, tan, i);
  cri_contact_jvp(m, d, tan);
  return CR_OK;
}

static bool any_connect_weld(const cr_model* m, const cr_data* d) {
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    if (cri_is_connect_weld(m->eq_type[d->efc_id[i]])) {
      return true;
    }
  }
  return false;
}

cr_status cr_constraint_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  int i = d->ne, friction = d->ne + d->nf, contacts = friction + d->nl;
  cri_tendon_pairs pairs = {bar->ten_J_pairs.n};
  if (m->ntendon > 0 && contacts > 0) {
    pairs = cri_tendon_pairs_begin(m, bar);
  }
  cri_equality_couplings_vjp(m, d, bar, &pairs);
  if (i < friction) {
    i = cri_joint_friction_vjp(m, bar, i);
    (void)cri_tendon_friction_vjp(m, bar, &pairs, i);
  }
  if (friction < contacts) {
    i = cri_joint_limits_vjp(m, d, bar, friction);
    (void)cri_tendon_limits_vjp(m, d, bar, &pairs, i);
  }
  cri_pairs_trim(&bar->ten_J_pairs, pairs.first);
  if (contacts == d->nefc && !any_connect_weld(m, d)) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar);
  cri_operator_sweep sweep = cri_operator_sweep_begin(m, d, bar, &bar->efc_J_pairs);
  cri_equality_connect_weld_vjp(m, d, bar, &sweep);
  cri_contact_vjp(m, d, bar, &sweep);
  cri_operator_sweep_end(m, bar, &bar->efc_J_pairs, &sweep);
  cri_pop(bar, mark);
  return CR_OK;
}
