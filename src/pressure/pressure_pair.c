// SPDX-License-Identifier: Apache-2.0
#include "pressure/pressure_pair.h"

#include "pressure/near_list.h"

cr_status cri_pressure_pairs(const cr_model* m, const cr_data* d, cri_pressure_visit* visit,
                             void* context) {
  const bool listed = cri_near_list_holds(m, d);
  int at = 0;
  for (int i = 0; i < m->ngeom; i++) {
    for (int j = i + 1; j < m->ngeom && m->geom_pressure_kind[i] != CR_PRESSURE_NONE; j++) {
      cri_pressure_pair pair = {.near = NULL};
      if (m->geom_pressure_kind[j] != CR_PRESSURE_NONE && cri_meeting_order(m, i, j, pair.geom) &&
          !cri_near_list_apart(m, d, i, j, 0)) {
        if (listed) {  // pairs that could not collide when it was made are not in it
          (void)cri_near_list_find(d, &at, pair.geom, &pair.n, &pair.near);
        }
        CR_TRY(visit(context, &pair));
      }
    }
  }
  return CR_OK;
}

cri_pressure_numbers cri_pressure_mix(const cri_meeting* x) {
  const cr_model* m = x->m;
  const cr_real *a = cri_pressure_numbers_of(m, x->geom[0]),
                *b = cri_pressure_numbers_of(m, x->geom[1]);
  const bool both = x->other == CRI_COMPLIANT || x->other == CRI_COMPLIANT_SPACE;
  const int before = m->geom_priority[x->geom[0]] - m->geom_priority[x->geom[1]];
  cri_pressure_numbers p;
  p.share[0] =
      both ? b[CR_PRESSURE_MODULUS] / (a[CR_PRESSURE_MODULUS] + b[CR_PRESSURE_MODULUS]) : 1;
  p.share[1] = 1 - p.share[0];
  p.dissipation = p.share[0] * a[CR_PRESSURE_DISSIPATION] + p.share[1] * b[CR_PRESSURE_DISSIPATION];
  p.transition = (a[CR_PRESSURE_TRANSITION] + b[CR_PRESSURE_TRANSITION]) / 2;
  p.slippery = before > 0 || (before == 0 &&
                              m->geom_friction[3 * x->geom[0]] >= m->geom_friction[3 * x->geom[1]])
                   ? 0
                   : 1;
  p.friction = m->geom_friction[3 * x->geom[p.slippery]];
  return p;
}

void cri_world_face_set(const cr_data* d, const cri_meeting* x, const cri_pressure_numbers* p,
                        const cri_face* f, cri_world_face* w) {
  const cr_real* R = d->geom_xmat + 9 * x->geom[0];
  cr_mulmat3(w->pos, R, f->pos);
  cr_acc3(w->pos, d->geom_xpos + 3 * x->geom[0]);
  cr_mulmat3(w->traction.normal, R, f->normal);
  w->traction.load = f->area * f->pressure;
  w->traction.dissipation = p->dissipation;
  w->traction.friction = p->friction;
  w->traction.transition = p->transition;
  cr_zero3(w->traction.velocity);
  for (int k = 0; k < 2; k++) {
    w->body[k] = x->m->geom_bodyid[x->geom[k]];
    if (w->body[k] == 0) {
      continue;
    }
    cr_sub3(w->arm[k], w->pos, d->subtree_com + 3 * x->m->body_rootid[w->body[k]]);
    const cr_real *V = d->cvel + 6 * w->body[k], sign = k == 0 ? -1 : 1;
    cr_real v[3];
    cr_cross3(v, V, w->arm[k]);
    cr_acc3(v, V + 3);
    cr_accscl3(w->traction.velocity, v, sign);
  }
}
