// SPDX-License-Identifier: Apache-2.0
// Columns of contacts: what moves both bodies of a contact alike does not change its force, and the
// force of the normal row alone by hand.
#include "solver/contact_jac.h"

#include <stdlib.h>

#include "scenes/chain_model.h"
#include "scenes/columns_scene.h"
#include "support/close.h"

// all trees are free, and what they touch besides each other is one plane or nothing
static bool loose(const contact_scene* s, int* plane) {
  const cr_model* m = &s->m;
  *plane = -1;
  for (int i = 0; i < 2 * s->d->ncon; i++) {
    int geom = s->d->contact_geom[i];
    if (m->body_treeid[m->geom_bodyid[geom]] < 0) {
      if (m->geom_type[geom] != CR_GEOM_PLANE || (*plane >= 0 && *plane != geom)) {
        return false;
      }
      *plane = geom;
    }
  }
  for (int t = 0; t < m->ntree; t++) {
    if (m->jnt_type[m->dof_jntid[m->tree_dofadr[t]]] != CR_JNT_FREE) {
      return false;
    }
  }
  return true;
}

// all trees moved along the plane
TEST(moved_together_nothing_changes) {
  int found = 0;
  for (int seed = 0; seed < 48; seed++) {
    columns_scene f;
    int plane;
    columns_open(&f, seed, cri_contact_jac);
    const cr_model* m = &f.s.m;
    for (int axis = 0; axis < 2 && loose(&f.s, &plane); axis++) {
      const cr_real* mat = f.s.d->geom_xmat + 9 * (plane < 0 ? 0 : plane);
      for (int i = 0; i < m->nv; i++) {
        cr_real sum = 0, scale = 0;
        for (int t = 0; t < 3 * m->ntree; t++) {
          int j = m->tree_dofadr[t / 3] + t % 3;
          cr_real x = f.columns.q[i * f.columns.ld + j] * mat[3 * (t % 3) + axis];
          sum += x;
          scale += cr_abs(x);
        }
        assert_close(sum, 0, 1000 * ROUND_OFF * scale);
        found += scale > 0;
      }
    }
    columns_close(&f);
  }
  assert_true(found > 50);
}

// J' f of contacts, the accelerations of rows held: columns by velocity are J' F b J
TEST(columns_by_velocity_are_those_of_the_rows) {
  int found = 0;
  for (int seed = 0; seed < 24; seed++) {
    columns_scene f;
    columns_open(&f, seed, cri_contact_jac);
    const cr_model* m = &f.s.m;
    const cr_data* d = f.s.d;
    cri_row_force_jac x = cri_row_force_jac_of(m, d, f.tan);
    cr_real* J = scene_dense_J(&f.s);
    cr_real* want = calloc((size_t)(m->nv * m->nv), sizeof *want);
    cr_real scale = 0;
    for (int c = 0; c < d->ncon; c++) {
      int first = d->contact_efc_address[c], dim = d->contact_dim[c];
      int n = dim > 1 && m->cone == CR_CONE_PYRAMIDAL ? 2 * (dim - 1) : dim;
      for (int r = first; first >= 0 && r < first + n; r++) {
        for (int k = 0; k < n; k++) {
          cr_real F = x.F[r * x.width + k] * x.b[first + k];
          for (int i = 0; i < m->nv && F != 0; i++) {
            for (int j = 0; j < m->nv; j++) {
              want[i * m->nv + j] += J[r * m->nv + i] * F * J[(first + k) * m->nv + j];
              scale = cr_max(scale, cr_abs(J[r * m->nv + i] * F * J[(first + k) * m->nv + j]));
            }
          }
        }
      }
    }
    for (int i = 0; i < m->nv; i++) {
      for (int j = 0; j < m->nv; j++) {
        assert_close(f.columns.v[i * f.columns.ld + j], want[i * m->nv + j],
                     1000 * ROUND_OFF * scale);
      }
    }
    found += scale > 0;
    free(J);
    free(want);
    columns_close(&f);
  }
  assert_true(found > 5);
}
