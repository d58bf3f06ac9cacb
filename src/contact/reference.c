// SPDX-License-Identifier: Apache-2.0
// Reference acceleration of the constraint rows, see reference.h.
#include "contact/reference.h"

#include "contact/impedance.h"
#include "contact/rows.h"

// [e2] h of row i and its slope in pos - margin
static cr_real depth(const cr_model* m, const cr_data* d, int i, cr_real* slope) {
  bool contact = d->efc_type[i] >= CR_CNSTR_CONTACT_FRICTIONLESS;
  return cri_penetration(m, d->efc_pos[i] - d->efc_margin[i], contact, slope);
}

cr_status cr_reference(const cr_model* m, cr_data* d) {
  // [e1] efc_vel = J v
  cri_rows_mul(m, d, d->efc_J, d->efc_vel, d->qvel);

  // [e2] aref = -B efc_vel - K I h
  for (int i = 0; i < d->nefc; i++) {
    const cr_real* KBIP = d->efc_KBIP + 4 * i;
    cr_real slope;
    d->efc_aref[i] = -KBIP[1] * d->efc_vel[i] - KBIP[0] * KBIP[2] * depth(m, d, i, &slope);
  }
  return CR_OK;
}

cr_status cr_reference_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* vel = cri_push(tan, (size_t)d->nefc);
  cr_real* turned = cri_push(tan, (size_t)d->nefc);

  // [e1]
  cri_rows_mul(m, d, d->efc_J, vel, d->qvel);
  cri_rows_mul(m, d, d->efc_J, tan->efc_vel, tan->qvel);
  cri_rows_mul(m, d, tan->efc_J, turned, d->qvel);

  // [e2]
  for (int i = 0; i < d->nefc; i++) {
    const cr_real *KBIP = d->efc_KBIP + 4 * i, *KBIP_tan = tan->efc_KBIP + 4 * i;
    cr_real slope, h = depth(m, d, i, &slope);
    cr_real h_tan = slope * (tan->efc_pos[i] - tan->efc_margin[i]);
    tan->efc_vel[i] += turned[i];
    tan->efc_aref[i] = -KBIP_tan[1] * vel[i] - KBIP[1] * tan->efc_vel[i] -
                       (KBIP_tan[0] * KBIP[2] + KBIP[0] * KBIP_tan[2]) * h -
                       KBIP[0] * KBIP[2] * h_tan;
  }
  cri_pop(tan, mark);
  return CR_OK;
}

cr_status cr_reference_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (d->nefc == 0) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar);
  cr_real* vel = cri_push(bar, (size_t)d->nefc);
  cri_rows_mul(m, d, d->efc_J, vel, d->qvel);
  int pair = cri_pairs_add(&bar->efc_J_pairs);
  cr_real* vel_bar = cri_pair_left(&bar->efc_J_pairs, pair);

  // [e2]'
  for (int i = 0; i < d->nefc; i++) {
    const cr_real* KBIP = d->efc_KBIP + 4 * i;
    cr_real *KBIP_bar = bar->efc_KBIP + 4 * i, aref_bar = bar->efc_aref[i], slope;
    cr_real h = depth(m, d, i, &slope);
    KBIP_bar[0] -= KBIP[2] * h * aref_bar;
    KBIP_bar[1] -= vel[i] * aref_bar;
    KBIP_bar[2] -= KBIP[0] * h * aref_bar;
    bar->efc_pos[i] -= KBIP[0] * KBIP[2] * slope * aref_bar;
    bar->efc_margin[i] += KBIP[0] * KBIP[2] * slope * aref_bar;
    vel_bar[i] = bar->efc_vel[i] - KBIP[1] * aref_bar;
  }

  // [e1]' qvel_bar += J' vel_bar, J_bar += vel_bar (x) qvel
  cri_rows_mul_transposed(m, d, d->efc_J, bar->qvel, vel_bar);
  cr_copy(cri_pair_right(&bar->efc_J_pairs, pair), d->qvel, m->nv);
  cri_pop(bar, mark);
  return CR_OK;
}
