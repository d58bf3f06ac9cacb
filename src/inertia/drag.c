// SPDX-License-Identifier: Apache-2.0
// The drag in the implicit inertia, see drag.h. It is formed like M, with the slopes
// of bodies in place of their inertias.
#include "inertia/drag.h"

#include "force/fluid.h"
#include "inertia/simple_body.h"
#include "kinematics/tree.h"

static const cri_fluid_part drag_alone = {.drag = true};

// data or twins made for another integrator have no room for it; inertia/implicit_inertia reports this
static bool has_effective_mass(const cr_model* m, const cr_data* d) {
  return m->integrator == CR_INT_DISCRETE && d->nefmfluid > 0;
}

// K s of the six rows of K
static void turn(cr_real out[6], const cr_real K[36], const cr_real s[6]) {
  for (int k = 0; k < 6; k++) {
    out[k] = cr_dot6(K + 6 * k, s);
  }
}

cr_status cr_drag(const cr_model* m, cr_data* d) {
  cr_zero(d->efm_fluid, d->nefmfluid);
  if (!has_effective_mass(m, d) || !cri_fluid_acts(m)) {
    return CR_OK;
  }
  size_t mark = cri_mark(d);
  cr_real* K = cri_push(d, 36 * (size_t)m->nbody);
  cri_fluid_qderiv(m, d, drag_alone, K);
  cri_tree_gather(m, K, 36);
  for (int i = 0; i < m->nv; i++) {
    int adr = m->M_rowadr[i], diagonal = m->M_rownnz[i] - 1;
    cr_real f[6];
    turn(f, K + 36 * m->dof_bodyid[i], d->cdof + 6 * i);
    // [discrete.n5]
    for (int k = cri_is_simple(m, i) ? diagonal : 0; k <= diagonal; k++) {
      d->efm_fluid[adr + k] = -m->timestep * cr_dot6(d->cdof + 6 * m->M_colind[adr + k], f);
    }
  }
  cri_pop(d, mark);
  return CR_OK;
}

// K[36 nbody] and its tangent, a column at a time: both symmetric
static void slopes_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* K,
                       cr_real* K_tan) {
  size_t mark = cri_mark(tan), n = 6 * (size_t)m->nbody;
  cr_real *R = cri_push(tan, n), *none = cri_push(tan, n);
  cr_real *G = cri_push(tan, n), *G_tan = cri_push(tan, n);
  cr_zero(none, (int)n);
  for (int j = 0; j < 6; j++) {
    cr_zero(R, (int)n);
    for (int b = 0; b < m->nbody; b++) {
      R[6 * b + j] = 1;
    }
    cri_fluid_qderiv_jvp(m, d, tan, drag_alone, R, none, G, G_tan);
    for (int b = 0; b < m->nbody; b++) {
      cr_copy6(K + 36 * b + 6 * j, G + 6 * b);
      cr_copy6(K_tan + 36 * b + 6 * j, G_tan + 6 * b);
    }
  }
  cri_pop(tan, mark);
}

cr_status cr_drag_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero(tan->efm_fluid, tan->nefmfluid);
  if (!has_effective_mass(m, d) || !cri_fluid_matters(m, tan)) {
    return CR_OK;
  }
  size_t mark = cri_mark(tan);
  cr_real* K = cri_push(tan, 36 * (size_t)m->nbody);
  cr_real* K_tan = cri_push(tan, 36 * (size_t)m->nbody);
  slopes_jvp(m, d, tan, K, K_tan);
  cri_tree_gather(m, K, 36);
  cri_tree_gather(m, K_tan, 36);
  for (int i = 0; i < m->nv; i++) {
    int adr = m->M_rowadr[i], diagonal = m->M_rownnz[i] - 1, b = 36 * m->dof_bodyid[i];
    cr_real f[6], f_tan[6], moved[6];
    turn(f, K + b, d->cdof + 6 * i);
    turn(f_tan, K_tan + b, d->cdof + 6 * i);
    turn(moved, K + b, tan->cdof + 6 * i);
    cr_acc6(f_tan, moved);
    // [discrete.n5]
    for (int k = cri_is_simple(m, i) ? diagonal : 0; k <= diagonal; k++) {
      int j = 6 * m->M_colind[adr + k];
      tan->efm_fluid[adr + k] -=
          m->timestep * (cr_dot6(d->cdof + j, f_tan) + cr_dot6(tan->cdof + j, f));
    }
  }
  cri_pop(tan, mark);
  return CR_OK;
}

cr_status cr_drag_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  const cr_pairs* pairs = &bar->efm_fluid_pairs;
  if (!has_effective_mass(m, d) || !cri_fluid_matters(m, bar)) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar);
  cr_real *l = cri_push(bar, (size_t)m->nv), *r = cri_push(bar, (size_t)m->nv);
  // [discrete.n5]'
  for (int p = 0; p < pairs->n; p++) {
    for (int pass = 0; pass < CR_SIMPLE_PASSES; pass++) {
      bool left = cri_simple_keep(m, CR_SIMPLE_ALL, pass, cri_pair_left(pairs, p), l);
      bool right = cri_simple_keep(m, CR_SIMPLE_ALL, pass, cri_pair_right(pairs, p), r);
      if (left && right) {
        cri_fluid_qderiv_vjp(m, d, bar, drag_alone, l, r, -m->timestep);
      }
    }
  }
  cri_pop(bar, mark);
  return CR_OK;
}
