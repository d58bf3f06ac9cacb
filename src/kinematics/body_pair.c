// SPDX-License-Identifier: Apache-2.0
#include "kinematics/body_pair.h"

cri_body_pair cri_body_pair_of(const cr_model* m, cr_data* work) {
  const size_t v = (size_t)m->nv;
  cri_body_pair p = {.dof = cri_push_int(work, v), .side = cri_push_int(work, v)};
  p.column = (cri_pair_column*)(void*)cri_push(work, v * (sizeof *p.column / sizeof(cr_real)));
  return p;
}

static void find_dofs(const cr_model* m, cri_body_pair* p) {
  int a = cri_relative_chain_last(m, p->body[0]), b = cri_relative_chain_last(m, p->body[1]);
  for (p->n = 0; a >= 0 || b >= 0; p->n++) {
    int dof = a > b ? a : b;
    p->dof[p->n] = dof;
    p->side[p->n] = (a == dof ? CRI_PAIR_FIRST : 0) | (b == dof ? CRI_PAIR_SECOND : 0);
    a = a == dof ? m->dof_parentid[dof] : a;
    b = b == dof ? m->dof_parentid[dof] : b;
  }
}

void cri_body_pair_motion(const cr_model* m, const cr_data* d, const cr_real point[3], int body,
                          const cr_real M[6], cr_real out[6]) {
  cr_real arm[3];
  cr_sub3(arm, point, cri_relative_chain_com(m, d, body));
  cr_copy6(out, M);
  cr_acccross3(out + 3, M, arm);
}

void cri_body_pair_begin(const cr_model* m, const cr_data* d, const int body[2],
                         const cr_real origin[3], cri_body_pair* p) {
  p->body[0] = body[0];
  p->body[1] = body[1];
  p->origin = origin;
  find_dofs(m, p);
  for (int k = 0; k < p->n; k++) {
    const int moved = body[(p->side[k] & CRI_PAIR_SECOND) != 0];
    p->column[k] = (cri_pair_column){.S = {0}};
    cri_body_pair_motion(m, d, origin, moved, d->cdof + 6 * p->dof[k], p->column[k].S);
  }
}

// [step_jacobian.z5]
void cri_body_pair_write(const cr_model* m, const cri_body_pair* p, cri_columns columns) {
  for (int k = 0; k < p->n; k++) {
    int i = p->dof[k];
    cr_real sign = cri_body_pair_sign(p->side[k]);
    cr_real* q = columns.q + (ptrdiff_t)i * columns.ld;
    cr_real* v = columns.v + (ptrdiff_t)i * columns.ld;
    for (int l = 0; l < p->n && sign != 0; l++) {
      const cri_pair_column* x = &p->column[l];
      int j = p->dof[l];
      bool carries = (p->side[k] & p->side[l]) != 0 && cri_carries(m, j, i);
      cr_real by_q = cr_dot6(p->column[k].S, x->by_q);
      by_q -= carries ? cr_dot6(p->column[k].S, x->carried) : 0;
      q[j] += sign * by_q;
      v[j] += sign * cr_dot6(p->column[k].S, x->by_v);
    }
  }
}
