// SPDX-License-Identifier: Apache-2.0
// Sum of all forces except constraint forces, with forces applied to bodies from outside.
#include "engine/smooth.h"

#include "force/wrench.h"

static bool all_zero(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) {
      return false;
    }
  }
  return true;
}

cr_status cr_smooth(const cr_model* m, cr_data* d) {
  // [smooth.s1] tau = tau_passive - c + tau_actuator + tau_applied + J' x
  for (int i = 0; i < m->nv; i++) {
    d->qfrc_smooth[i] =
        d->qfrc_passive[i] - d->qfrc_bias[i] + d->qfrc_applied[i] + d->qfrc_actuator[i];
  }
  if (!all_zero(d->xfrc_applied, 6 * m->nbody)) {
    cri_wrench(m, d, d->xfrc_applied, d->qfrc_smooth, d);
  }
  return CR_OK;
}

cr_status cr_smooth_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  // [smooth.s1]
  for (int i = 0; i < m->nv; i++) {
    tan->qfrc_smooth[i] =
        tan->qfrc_passive[i] - tan->qfrc_bias[i] + tan->qfrc_applied[i] + tan->qfrc_actuator[i];
  }
  if (!all_zero(d->xfrc_applied, 6 * m->nbody) || !all_zero(tan->xfrc_applied, 6 * m->nbody)) {
    cri_wrench_jvp(m, d, tan, d->xfrc_applied, tan->xfrc_applied, tan->qfrc_smooth);
  }
  return CR_OK;
}

cr_status cr_smooth_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  const cr_real* w = bar->qfrc_smooth;
  // [smooth.s1]'
  for (int i = 0; i < m->nv; i++) {
    bar->qfrc_passive[i] += w[i];
    bar->qfrc_bias[i] -= w[i];
    bar->qfrc_applied[i] += w[i];
    bar->qfrc_actuator[i] += w[i];
  }
  const cr_real* x = all_zero(d->xfrc_applied, 6 * m->nbody) ? NULL : d->xfrc_applied;
  cri_wrench_vjp(m, d, bar, x, w, bar->xfrc_applied);
  return CR_OK;
}
