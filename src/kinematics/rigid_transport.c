// SPDX-License-Identifier: Apache-2.0
// Sums along chains, see rigid_transport.h.
#include "kinematics/rigid_transport.h"

void cri_rigid_transport_sums(const cr_model* m, const cr_real* S, const cr_real* x,
                              const cr_real world[6], cr_real* before, cr_real* behind) {
  cr_copy6(behind, world);
  for (int b = 1; b < m->nbody; b++) {
    cr_real sum[6], front[6] = {0};
    cr_copy6(sum, behind + 6 * m->body_parentid[b]);
    int first = m->body_dofadr[b], end = first + m->body_dofnum[b];
    for (int i = first; i < end; i++) {
      if (cri_rigid_transport_first(m, i) == i) {
        cr_copy6(front, sum);
      }
      cr_copy6(before + 6 * i, front);
      cr_accscl6(sum, S + 6 * i, x[i]);
    }
    cr_copy6(behind + 6 * b, sum);
  }
}

cri_rigid_transport cri_rigid_transport_of(const cr_model* m, const cr_data* d, const cr_real* a,
                                           cr_data* work) {
  const cr_real none[6] = {0};
  size_t v = 6 * (size_t)m->nv, b = 6 * (size_t)m->nbody;
  cri_rigid_transport c = {.V = cri_push(work, v), .B = cri_push(work, v)};
  c.body_V = cri_push(work, b);
  c.body_B = cri_push(work, b);
  cri_rigid_transport_sums(m, d->cdof, d->qvel, none, c.V, c.body_V);
  cri_rigid_transport_sums(m, d->cdof, a, none, c.B, c.body_B);
  return c;
}

void cri_rigid_transport_rate(const cr_model* m, const cr_data* d, const cri_rigid_transport* c,
                              int i, cr_real rate[6]) {
  cr_real both[6];
  cr_copy6(both, c->V + 6 * i);
  cr_acc6(both, c->V + 6 * i);
  int first = cri_rigid_transport_first(m, i);
  for (int k = first; k < m->nv && cri_rigid_transport_first(m, k) == first; k++) {
    cr_accscl6(both, d->cdof + 6 * k, d->qvel[k]);
  }
  cr_cross_motion(rate, both, d->cdof + 6 * i);
}
