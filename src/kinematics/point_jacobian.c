// SPDX-License-Identifier: Apache-2.0
// Columns of Jacobians along the chain of dofs that move a body, from the last to the root.
#include "carom/jacobian.h"
#include "math/spatial.h"
#include "model/misuse.h"

// last dof that moves a body, -1 none
static int last_dof(const cr_model* m, int body) {
  int b = m->body_weldid[body];
  return m->body_dofnum[b] == 0 ? -1 : m->body_dofadr[b] + m->body_dofnum[b] - 1;
}

static const cr_real* com_of(const cr_model* m, const cr_data* d, int body) {
  return d->subtree_com + 3 * m->body_rootid[body];
}

static void clear(cr_real* jac, int n) {
  if (jac != NULL) {
    cr_zero(jac, n);
  }
}

static void set_column(cr_real* jac, int nv, int i, const cr_real x[3]) {
  for (int k = 0; jac != NULL && k < 3; k++) {
    jac[k * nv + i] = x[k];
  }
}

typedef enum { BODY, GEOM, SITE } kind;

static cr_status check(const cri_call* call, const cr_model* m, const cr_data* d, kind of, int id) {
  static const char* const names[] = {"body", "geom", "site"};
  CR_TRY(cri_check_done(call, m, d, CRI_DONE_FRAMES));
  int n = of == BODY ? m->nbody : (of == GEOM ? m->ngeom : m->nsite);
  return id >= 0 && id < n
             ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG, "%s: %s %d of %d", call->name, names[of], id, n);
}

// [jacobian.j1] velocity of the point at arm r under the motion S
static void point_velocity(cr_real v[3], const cr_real S[6], const cr_real r[3]) {
  cr_copy3(v, S + 3);
  cr_acccross3(v, S, r);
}

cr_status cr_jac(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr,
                 const cr_real point[3], int body) {
  const cri_call call = {"cr_jac", cri_error_of(d)};
  CR_TRY(check(&call, m, d, BODY, body));
  CR_TRY(cri_given(&call, point, "the point"));
  cr_real r[3], v[3];
  cr_sub3(r, point, com_of(m, d, body));
  clear(jacp, 3 * m->nv);
  clear(jacr, 3 * m->nv);
  for (int i = last_dof(m, body); i >= 0; i = m->dof_parentid[i]) {
    point_velocity(v, d->cdof + 6 * i, r);
    set_column(jacp, m->nv, i, v);
    set_column(jacr, m->nv, i, d->cdof + 6 * i);
  }
  return CR_OK;
}

cr_status cr_jac_body(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr, int body) {
  const cri_call call = {"cr_jac_body", cri_error_of(d)};
  CR_TRY(check(&call, m, d, BODY, body));
  return cr_jac(m, d, jacp, jacr, d->xpos + 3 * body, body);
}

cr_status cr_jac_body_com(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr,
                          int body) {
  const cri_call call = {"cr_jac_body_com", cri_error_of(d)};
  CR_TRY(check(&call, m, d, BODY, body));
  return cr_jac(m, d, jacp, jacr, d->xipos + 3 * body, body);
}

cr_status cr_jac_geom(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr, int geom) {
  const cri_call call = {"cr_jac_geom", cri_error_of(d)};
  CR_TRY(check(&call, m, d, GEOM, geom));
  return cr_jac(m, d, jacp, jacr, d->geom_xpos + 3 * geom, m->geom_bodyid[geom]);
}

cr_status cr_jac_site(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr, int site) {
  const cri_call call = {"cr_jac_site", cri_error_of(d)};
  CR_TRY(check(&call, m, d, SITE, site));
  return cr_jac(m, d, jacp, jacr, d->site_xpos + 3 * site, m->site_bodyid[site]);
}

// ---- subtrees: all bodies from `root` on up to the first whose parent is not in it

static bool in_subtree(const cr_model* m, int b, int root) {
  return b < m->nbody && (b == root || m->body_parentid[b] >= root);
}

cr_status cr_jac_subtree_com(const cr_model* m, const cr_data* d, cr_real* jacp, int body) {
  const cri_call call = {"cr_jac_subtree_com", cri_error_of(d)};
  CR_TRY(check(&call, m, d, BODY, body));
  CR_TRY(cri_given(&call, jacp, "jacp"));
  cr_real mass = 0;
  clear(jacp, 3 * m->nv);
  for (int b = body; in_subtree(m, b, body); b++) {
    mass += m->body_mass[b];
    for (int i = last_dof(m, b); i >= 0; i = m->dof_parentid[i]) {
      // [jacobian.j2]
      cr_real r[3], v[3];
      cr_sub3(r, d->xipos + 3 * b, com_of(m, d, b));
      point_velocity(v, d->cdof + 6 * i, r);
      for (int k = 0; k < 3; k++) {
        jacp[k * m->nv + i] += m->body_mass[b] * v[k];
      }
    }
  }
  for (int i = 0; i < 3 * m->nv && mass > 0; i++) {
    jacp[i] /= mass;
  }
  return mass > 0 ? CR_OK
                  : cri_fail(call.error, CR_ERR_ARG,
                             "cr_jac_subtree_com: the subtree of body %d has no mass", body);
}

cr_status cr_angmom_mat(const cr_model* m, const cr_data* d, cr_real* A, int body) {
  const cri_call call = {"cr_angmom_mat", cri_error_of(d)};
  CR_TRY(check(&call, m, d, BODY, body));
  CR_TRY(cri_given(&call, A, "A"));
  clear(A, 3 * m->nv);
  for (int b = body; in_subtree(m, b, body); b++) {
    cr_real r[3], offset[3];
    cr_sub3(r, d->xipos + 3 * b, com_of(m, d, b));
    cr_sub3(offset, d->xipos + 3 * b, d->subtree_com + 3 * body);
    for (int i = last_dof(m, b); i >= 0; i = m->dof_parentid[i]) {
      // [jacobian.j4]
      cr_real v[3], w[3], l[3];
      point_velocity(v, d->cdof + 6 * i, r);
      cr_scl3(v, v, m->body_mass[b]);
      cr_multmat3(w, d->ximat + 9 * b, d->cdof + 6 * i);
      for (int k = 0; k < 3; k++) {
        w[k] *= m->body_inertia[3 * b + k];
      }
      cr_mulmat3(l, d->ximat + 9 * b, w);
      cr_acccross3(l, offset, v);
      for (int k = 0; k < 3; k++) {
        A[k * m->nv + i] += l[k];
      }
    }
  }
  return CR_OK;
}

// ---- rates

// true for a dof that turns with its body: its axis moves with the whole joint, not with the part before it
static bool turns_with_body(const cr_model* m, int dof) {
  int j = m->dof_jntid[dof], type = m->jnt_type[j];
  return type == CR_JNT_BALL || (type == CR_JNT_FREE && dof >= m->jnt_dofadr[j] + 3);
}

cr_status cr_jac_dot(const cr_model* m, const cr_data* d, cr_real* jacp, cr_real* jacr,
                     const cr_real point[3], int body) {
  const cri_call call = {"cr_jac_dot", cri_error_of(d)};
  CR_TRY(check(&call, m, d, BODY, body));
  CR_TRY(cri_given(&call, point, "the point"));
  cr_real r[3], velocity[3];
  cr_sub3(r, point, com_of(m, d, body));
  point_velocity(velocity, d->cvel + 6 * body, r);
  clear(jacp, 3 * m->nv);
  clear(jacr, 3 * m->nv);
  for (int i = last_dof(m, body); i >= 0; i = m->dof_parentid[i]) {
    const cr_real* s = d->cdof + 6 * i;
    cr_real rate[6], v[3];
    cr_copy6(rate, d->cdof_dot + 6 * i);
    if (turns_with_body(m, i)) {
      cr_cross_motion(rate, d->cvel + 6 * m->dof_bodyid[i], s);
    }
    // [jacobian.j3]
    point_velocity(v, rate, r);
    cr_acccross3(v, s, velocity);
    set_column(jacp, m->nv, i, v);
    set_column(jacr, m->nv, i, rate);
  }
  return CR_OK;
}

// ---- forces

cr_status cr_apply_ft(const cr_model* m, const cr_data* d, const cr_real* force,
                      const cr_real* torque, const cr_real point[3], int body, cr_real* qfrc) {
  const cri_call call = {"cr_apply_ft", cri_error_of(d)};
  CR_TRY(check(&call, m, d, BODY, body));
  CR_TRY(cri_given(&call, point, "the point"));
  CR_TRY(cri_given(&call, qfrc, "qfrc"));
  cr_real r[3], v[3];
  cr_sub3(r, point, com_of(m, d, body));
  for (int i = last_dof(m, body); i >= 0; i = m->dof_parentid[i]) {
    // [jacobian.j5]
    point_velocity(v, d->cdof + 6 * i, r);
    qfrc[i] += force != NULL ? cr_dot3(v, force) : 0;
    qfrc[i] += torque != NULL ? cr_dot3(d->cdof + 6 * i, torque) : 0;
  }
  return CR_OK;
}
