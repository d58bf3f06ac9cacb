// SPDX-License-Identifier: Apache-2.0
// Every row depends on numbers of its own, so one tangent of all rows together gives the slopes of
// each: no row sees the seed of another. Rows of one contact are seeded one after the other.
#include "solver/row_force_jac.h"

#include "constraint/equality.h"
#include "constraint/rows.h"
#include "math/quat.h"
#include "solver/contact_model.h"
#include "solver/reference.h"
#include "solver/regularisation.h"

// ---- slopes

static int widest_block(const cr_model* m, const cr_data* d) {
  int width = 1;
  for (int i = 0, n; i < d->nefc; i += n) {
    n = cri_rows_block(m, d, i);
    width = n > width ? n : width;
  }
  return width;
}

static bool rubs(const cr_data* d, int i) {
  return d->efc_type[i] == CR_CNSTR_FRICTION_DOF || d->efc_type[i] == CR_CNSTR_FRICTION_TENDON;
}

// connects and welds look at their bodies
static void hold_bodies(const cr_model* m, cr_data* tan) {
  cr_zero(tan->xpos, 3 * m->nbody);
  cr_zero(tan->xmat, 9 * m->nbody);
  cr_zero(tan->site_xpos, 3 * m->nsite);
  cr_zero(tan->site_xmat, 9 * m->nsite);
  cr_zero(tan->subtree_com, 3 * m->nbody);
  cr_zero(tan->cvel, 6 * m->nbody);
  cr_zero(tan->cdof_dot, 6 * m->nv);
}

// the tangents of a displacement by one of every row, J held
static void seed_positions(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero(tan->efc_J, d->nJ);
  cr_zero(tan->qvel, m->nv);
  cr_zero(tan->contact_friction, 5 * d->ncon);
  cr_zero(tan->contact_surfacevel, 3 * d->ncon);
  cr_zero(tan->contact_adhesion, d->ncon);
  cr_zero(tan->contact_area, d->ncon);
  cr_zero(tan->contact_stiffness, d->ncon);
  cr_zero(tan->contact_hunt_crossley, 5 * d->ncon);
  cr_zero(tan->efc_margin, d->nefc);
  cr_zero(tan->efc_frictionloss, d->nefc);
  cr_zero(tan->efc_KBIP, 4 * d->nefc);
  if (d->ne > 0) {
    hold_bodies(m, tan);
  }
  for (int i = 0, n; i < d->nefc; i += n) {
    n = cri_rows_block(m, d, i);
    for (int k = i; k < i + n; k++) {
      bool slides = d->efc_type[k] == CR_CNSTR_CONTACT_ELLIPTIC && k > i;
      bool connect_weld = d->efc_type[k] == CR_CNSTR_EQUALITY && n > 1;
      tan->efc_pos[k] = rubs(d, k) || slides || connect_weld ? 0 : 1;
      tan->efc_KBIP[4 * k + 2] = rubs(d, k) ? 0 : d->efc_KBIP[4 * i + 3];
    }
  }
}

cri_row_force_jac cri_row_force_jac_of(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t n = (size_t)d->nefc;
  const cr_contact_model* law = cri_contact_model(m);
  cri_row_force_jac s = {.width = widest_block(m, d)};
  s.F = cri_push(tan, n * (size_t)s.width);
  s.by_r = cri_push(tan, n);
  s.e_r = cri_push(tan, n);
  s.b = cri_push(tan, n);
  size_t mark = cri_mark(tan);
  cr_real *e = cri_push(tan, n), *f = cri_push(tan, n);

  // [step_jacobian.z1] by position
  seed_positions(m, d, tan);
  (void)cr_regularisation_jvp(m, d, tan);
  (void)cr_reference_jvp(m, d, tan);
  cr_zero(e, d->nefc);
  law->force_jvp(m, d, tan, e, s.by_r);
  for (int i = 0; i < d->nefc; i++) {
    s.e_r[i] = -tan->efc_aref[i];
    s.b[i] = cri_reference_damping(m, d, i);
  }

  // [step_jacobian.z1] by the k-th acceleration of every block
  cr_zero(tan->efc_D, d->nefc);
  for (int k = 0; k < s.width; k++) {
    cr_zero(e, d->nefc);
    for (int i = 0, block; i < d->nefc; i += block) {
      block = cri_rows_block(m, d, i);
      e[i + (k < block ? k : 0)] = k < block;
    }
    law->force_jvp(m, d, tan, e, f);
    for (int i = 0; i < d->nefc; i++) {
      s.F[i * s.width + k] = f[i];
    }
  }
  cri_pop(tan, mark);
  return s;
}

// ---- [step_jacobian.z2] curvatures of rows

// where dof is among the columns from i on
static int find(const int32_t* col, int i, int32_t dof) {
  while (col[i] != dof) {
    i++;
  }
  return i;
}

typedef struct {
  int n;
  const int32_t* col;
  cr_real *H, *by_q;
} bend;

// s times curvature and gradient of tendon t
static void add_tendon(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures, int t,
                       cr_real s, const bend* x) {
  cri_length_row row = cri_tendon_row(m, d->ten_J, t);
  const cr_real *H = cri_curvature(curvatures, t), *by_q = cri_length_gradient(m, curvatures, t);
  for (int p = 0, i = 0; p < row.n; p++) {
    i = find(x->col, i, row.col[p]);
    x->by_q[i] += s * (by_q == NULL ? row.value : by_q)[p];
    for (int q = 0, j = 0; q < row.n && H != NULL; q++) {
      j = find(x->col, j, row.col[q]);
      x->H[i * x->n + j] += s * H[p * row.n + q];
    }
  }
}

// J = J_1 - P' J_2
static void add_coupling(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures,
                         int e, const bend* x) {
  cri_coupling c = cri_coupling_of(m, d, e);
  for (int side = 0; side < 2 && c.id[side] >= 0; side++) {
    cr_real s = side == 0 ? 1 : -c.slope;
    if (c.tendons) {
      add_tendon(m, d, curvatures, c.id[side], s, x);
    } else {
      x->by_q[find(x->col, 0, m->jnt_dofadr[c.id[side]])] += s;
    }
  }
  if (c.id[1] < 0) {
    return;
  }
  // P' changes with the second length
  cri_length_row second = cri_coupling_row(m, &c, d->ten_J, 1);
  const cr_real* by_q = c.tendons ? cri_length_gradient(m, curvatures, c.id[1]) : NULL;
  for (int p = 0, i = 0; p < second.n; p++) {
    i = find(x->col, i, second.col[p]);
    for (int q = 0, j = 0; q < second.n; q++) {
      j = find(x->col, j, second.col[q]);
      x->H[i * x->n + j] -= c.curvature * second.value[p] * (by_q == NULL ? second.value : by_q)[q];
    }
  }
}

// J = -axis of a ball joint's rotation
static void add_ball(const cr_model* m, const cr_data* d, int joint, cr_real* H) {
  cr_real unit[4], log[3], axis[3], jr_inv[9];
  cr_copy(unit, d->qpos + m->jnt_qposadr[joint], 4);
  cr_quat_normalize(unit);
  cr_quat_log(log, unit);
  cr_copy3(axis, log);
  cr_real angle = cr_normalize3(axis);
  cr_so3_jr_inv(jr_inv, log);
  for (int j = 0; j < 3 && angle > 0; j++) {
    cr_real log_tan[3] = {jr_inv[j], jr_inv[3 + j], jr_inv[6 + j]}, axis_tan[3];
    cr_normalize3_tan(axis_tan, axis, angle, log_tan);
    for (int i = 0; i < 3; i++) {
      H[3 * i + j] -= axis_tan[i];
    }
  }
}

// sign of J against the tendon's row
static cr_real sign_of(const cr_model* m, const cr_data* d, int i, int t) {
  const cr_real *J = d->efc_J + d->efc_J_rowadr[i], *row = d->ten_J + m->ten_J_rowadr[t];
  cr_real sum = 0;
  for (int k = 0; k < m->ten_J_rownnz[t]; k++) {
    sum += J[k] * row[k];
  }
  return sum < 0 ? -1 : 1;
}

// curvature of row i, and the gradient of its length
static void set_bend(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures, int i,
                     const bend* x) {
  int id = d->efc_id[i];
  cr_zero(x->H, x->n * x->n);
  cr_zero(x->by_q, x->n);
  switch (d->efc_type[i]) {
    case CR_CNSTR_EQUALITY:
      add_coupling(m, d, curvatures, id, x);
      break;
    case CR_CNSTR_FRICTION_TENDON:
    case CR_CNSTR_LIMIT_TENDON:
      add_tendon(m, d, curvatures, id, sign_of(m, d, i, id), x);
      break;
    default:
      add_ball(m, d, id, x->H);
      cr_copy(x->by_q, d->efc_J + d->efc_J_rowadr[i], x->n);
  }
}

// limits and friction of slides and hinges have no curvature
static bool is_straight(const cr_data* d, int i) {
  return d->efc_J_rownnz[i] == 1 &&
         (d->efc_type[i] == CR_CNSTR_FRICTION_DOF || d->efc_type[i] == CR_CNSTR_LIMIT_JOINT);
}

void cri_row_jac(const cr_model* m, const cr_data* d, const cri_row_force_jac* slopes,
                 const cri_curvatures* curvatures, const cr_real* a, cri_columns columns,
                 cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* H = cri_push(work, (size_t)m->nv * (size_t)m->nv);
  cr_real* by_q = cri_push(work, (size_t)m->nv);
  for (int i = 0; i < d->ne + d->nf + d->nl; i++) {
    cr_real F = slopes->F[i * slopes->width];
    if (cri_rows_block(m, d, i) > 1) {
      i += cri_rows_block(m, d, i) - 1;  // a connect or weld
      continue;
    }
    if (F == 0 && d->acc_force[i] == 0 && slopes->by_r[i] == 0) {
      continue;
    }
    int adr = d->efc_J_rowadr[i], n = d->efc_J_rownnz[i];
    cri_length_force x = {.n = n,
                          .col = d->efc_J_colind + adr,
                          .J = d->efc_J + adr,
                          .f = d->acc_force[i],
                          .by_length = F * slopes->e_r[i] + slopes->by_r[i],
                          .by_velocity = F * slopes->b[i],
                          .by_acceleration = F};
    if (!is_straight(d, i)) {
      set_bend(m, d, curvatures, i, &(bend){n, x.col, H, by_q});
      x.H = H;
      x.by_q = by_q;
    }
    cri_length_jac(&x, d->qvel, a, NULL, columns);
  }
  cri_pop(work, mark);
}
