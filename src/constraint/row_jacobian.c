// SPDX-License-Identifier: Apache-2.0
// Contact Jacobians, see row_jacobian.h.
#include "constraint/row_jacobian.h"

#include "math/spatial.h"

static int last_dof(const cr_model* m, int body) {
  int b = m->body_weldid[body];
  return m->body_dofadr[b] < 0 ? -1 : m->body_dofadr[b] + m->body_dofnum[b] - 1;
}

static void bodies_of(const cr_model* m, const cr_data* d, int c, int body[2]) {
  body[0] = m->geom_bodyid[d->contact_geom[2 * c]];
  body[1] = m->geom_bodyid[d->contact_geom[2 * c + 1]];
}

cri_contact_chain cri_contact_chain_of(const cr_model* m, const cr_data* d, int c, int32_t* work) {
  cri_contact_chain chain;
  bodies_of(m, d, c, chain.body);
  int a = last_dof(m, chain.body[0]), b = last_dof(m, chain.body[1]);
  int32_t *dof = work + m->nv, *sign = work + 2 * m->nv;

  // from the leaves to where the chains meet, filling from the back
  int n = 0;
  while (a != b) {
    n++;
    dof[-n] = a > b ? a : b;
    sign[-n] = a > b ? -1 : 1;
    if (a > b) {
      a = m->dof_parentid[a];
    } else {
      b = m->dof_parentid[b];
    }
  }
  chain.n = n;
  chain.dof = dof - n;
  chain.sign = sign - n;
  return chain;
}

// x = contact_pos - subtree_com of the tree of a body, if it has one
static void arm(const cr_model* m, const cr_real* pos, const cr_real* com, int body, cr_real x[3]) {
  cr_sub3(x, pos, com + 3 * m->body_rootid[body]);
}

void cri_contact_jacobian(const cr_model* m, const cr_data* d, int c,
                          const cri_contact_chain* chain, int dim, cr_real* J) {
  const cr_real* f = d->contact_frame + 9 * c;
  cr_real x[2][3];
  arm(m, d->contact_pos + 3 * c, d->subtree_com, chain->body[0], x[0]);
  arm(m, d->contact_pos + 3 * c, d->subtree_com, chain->body[1], x[1]);
  for (int k = 0, n = chain->n; k < n; k++) {
    const cr_real* s = d->cdof + 6 * chain->dof[k];
    cr_real sign = (cr_real)chain->sign[k], v[3], along[6];

    // [constraint.k3] v = s_lin + s_ang x arm, J_j = f_j . v, beyond three rows f_j . s_ang
    cr_copy3(v, s + 3);
    cr_acccross3(v, s, x[sign > 0]);
    cr_mulmat3(along, f, v);
    if (dim > 3) {
      cr_mulmat3(along + 3, f, s);
    }
    for (int j = 0; j < dim; j++) {
      J[j * n + k] = sign * along[j];
    }
  }
}

void cri_contact_jacobian_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int c,
                              const cri_contact_chain* chain, int dim, cr_real* J_tan) {
  const cr_real *f = d->contact_frame + 9 * c, *f_tan = tan->contact_frame + 9 * c;
  cr_real x[2][3], x_tan[2][3];
  for (int side = 0; side < 2; side++) {
    arm(m, d->contact_pos + 3 * c, d->subtree_com, chain->body[side], x[side]);
    arm(m, tan->contact_pos + 3 * c, tan->subtree_com, chain->body[side], x_tan[side]);
  }
  for (int k = 0, n = chain->n; k < n; k++) {
    const cr_real *s = d->cdof + 6 * chain->dof[k], *s_tan = tan->cdof + 6 * chain->dof[k];
    cr_real sign = (cr_real)chain->sign[k], v[3], v_tan[3];

    // [constraint.k3]
    int side = sign > 0;
    cr_copy3(v, s + 3);
    cr_acccross3(v, s, x[side]);
    cr_copy3(v_tan, s_tan + 3);
    cr_acccross3(v_tan, s_tan, x[side]);
    cr_acccross3(v_tan, s, x_tan[side]);
    for (int j = 0; j < dim; j++) {
      const cr_real *fj = f + 3 * (j % 3), *fj_tan = f_tan + 3 * (j % 3);
      J_tan[j * n + k] = sign * (j < 3 ? cr_dot3(fj_tan, v) + cr_dot3(fj, v_tan)
                                       : cr_dot3(fj_tan, s) + cr_dot3(fj, s_tan));
    }
  }
}

void cri_contact_sweep_velocity(const cr_model* m, const cr_data* d, const cri_operator_sweep* s,
                                int c, int k, cr_real u[6]) {
  int body[2];
  bodies_of(m, d, c, body);
  cr_zero6(u);
  for (int side = 0; side < 2; side++) {
    const cr_real* V = s->V + 6 * (s->n * body[side] + k);
    cr_real x[3], v[3];
    arm(m, d->contact_pos + 3 * c, d->subtree_com, body[side], x);
    cr_copy3(v, V + 3);
    cr_acccross3(v, V, x);
    cr_accscl3(u, v, side == 1 ? 1 : -1);
    cr_accscl3(u + 3, V, side == 1 ? 1 : -1);
  }
}

void cri_contact_sweep_add(const cr_model* m, const cr_data* d, cr_data* bar,
                           const cri_operator_sweep* s, int c, int k, int dim,
                           const cr_real* lambda, const cr_real u[6]) {
  int body[2];
  bodies_of(m, d, c, body);

  // frame_bar_j = lambda_j u; the force and moment of lambda in world axes
  const cr_real* f = d->contact_frame + 9 * c;
  cr_real force[3] = {0}, moment[3] = {0};
  for (int j = 0; j < dim; j++) {
    cr_accscl3(bar->contact_frame + 9 * c + 3 * (j % 3), u + (j < 3 ? 0 : 3), lambda[j]);
    cr_accscl3(j < 3 ? force : moment, f + 3 * (j % 3), lambda[j]);
  }

  // v = V_lin + V_ang x arm, on body 1 with plus, on body 0 with minus
  for (int side = 0; side < 2; side++) {
    cr_real sign = side == 1 ? 1 : -1, x[3], x_bar[3], turn[3];
    const cr_real* V = s->V + 6 * (s->n * body[side] + k);
    cr_real* F = s->F + 6 * (s->n * body[side] + k);
    arm(m, d->contact_pos + 3 * c, d->subtree_com, body[side], x);
    cr_cross3(turn, x, force);
    cr_acc3(turn, moment);
    cr_accscl3(F, turn, sign);
    cr_accscl3(F + 3, force, sign);
    cr_cross3(x_bar, force, V);
    cr_accscl3(bar->contact_pos + 3 * c, x_bar, sign);
    cr_accscl3(bar->subtree_com + 3 * m->body_rootid[body[side]], x_bar, -sign);
  }
}
