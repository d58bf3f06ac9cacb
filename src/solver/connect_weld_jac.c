// SPDX-License-Identifier: Apache-2.0
// The tangents of a connect or weld take any motion of its bodies. Here they take the motion of each dof in turn;
// only the connect or weld moves.
#include "solver/connect_weld_jac.h"

#include "constraint/equality.h"
#include "constraint/rows.h"
#include "kinematics/relative_chain.h"

typedef struct {
  const cr_model* m;
  const cr_data* d;
  const cri_row_force_jac* slopes;
  const cri_rigid_transport* carried;
  const cr_real *A, *body_A;  // bias accelerations in front of dofs, and of bodies
} scene;

typedef struct {
  int e, first;  // equality constraint, first row
  cri_connect_weld connect_weld;
  cri_connect_weld_motion motion;  // V and A
  cr_real B[2][6];
  cr_real pos[CR_MAX_CONNECT_WELD], length;
  int n;
  int32_t *dof, *moves;
} connect_weld;

// ---- effect of a dof on a connect or weld

// tangents of the objects of a connect or weld under the motion S of its bodies that dof k moves
static void displace(const scene* s, const connect_weld* b, int k, cr_data* tan) {
  const cr_model* m = s->m;
  const cr_real* S = s->d->cdof + 6 * b->dof[k];
  bool sites = m->eq_objtype[b->e] == CR_OBJ_SITE;
  for (int side = 0; side < 2; side++) {
    int id = side == 0 ? m->eq_obj1id[b->e] : m->eq_obj2id[b->e], body = b->connect_weld.body[side];
    const cr_real* pos = (sites ? s->d->site_xpos : s->d->xpos) + 3 * id;
    const cr_real* mat = (sites ? s->d->site_xmat : s->d->xmat) + 9 * id;
    cr_real* pos_tan = (sites ? tan->site_xpos : tan->xpos) + 3 * id;
    cr_real* mat_tan = (sites ? tan->site_xmat : tan->xmat) + 9 * id;
    cr_zero3(tan->subtree_com + 3 * m->body_rootid[body]);
    cr_zero3(pos_tan);
    cr_zero(mat_tan, 9);
    if ((b->moves[k] >> side & 1) != 0) {
      cr_real arm[3];
      cr_sub3(arm, pos, cri_relative_chain_com(m, s->d, body));
      cr_copy3(pos_tan, S + 3);
      cr_acccross3(pos_tan, S, arm);
      cr_rot_tan(mat_tan, S, mat);
    }
  }
}

// S x (X - before) where dof k moves the body on `side`, else 0
static void carry(const connect_weld* b, int k, int side, const cr_real S[6], const cr_real X[6],
                  const cr_real before[6], cr_real out[6]) {
  cr_real beyond[6];
  cr_zero6(out);
  if ((b->moves[k] >> side & 1) != 0) {
    for (int i = 0; i < 6; i++) {
      beyond[i] = X[i] - before[i];
    }
    cr_cross_motion(out, S, beyond);
  }
}

static void forces(const scene* s, const connect_weld* b, const cr_real* e, cr_real r, cr_real* f) {
  for (int row = 0; row < b->connect_weld.nrow; row++) {
    int i = b->first + row;
    const cr_real* F = s->slopes->F + i * s->slopes->width;
    f[row] = 0;
    for (int k = 0; k < b->connect_weld.nrow; k++) {
      f[row] += F[k] * e[k];
    }
    f[row] += s->slopes->by_r[i] * r;
  }
}

// f' by the coordinate of dof k
static void force_by_q(const scene* s, const connect_weld* b, int k, const cri_connect_weld* b_tan,
                       cr_real* f) {
  int j = b->dof[k];
  const cr_real *S = s->d->cdof + 6 * j, *V_j = s->carried->V + 6 * j;
  cri_connect_weld_motion tan;
  cr_real B_tan[2][6], nu[6], pos[CR_MAX_CONNECT_WELD], Ja[CR_MAX_CONNECT_WELD],
      Jv[CR_MAX_CONNECT_WELD];
  cr_real bias[CR_MAX_CONNECT_WELD], e[CR_MAX_CONNECT_WELD], r = 0;
  cr_cross_motion(nu, V_j, S);
  for (int side = 0; side < 2; side++) {
    cr_real turned[6];
    carry(b, k, side, S, b->motion.V[side], V_j, tan.V[side]);
    carry(b, k, side, S, b->B[side], s->carried->B + 6 * j, B_tan[side]);
    carry(b, k, side, S, b->motion.A[side], s->A + 6 * j, tan.A[side]);
    carry(b, k, side, nu, b->motion.V[side], V_j, turned);
    cr_acc6(tan.A[side], turned);
  }
  cri_connect_weld_residual_tan(&b->connect_weld, b_tan, pos);
  cri_connect_weld_rate_tan(&b->connect_weld, b_tan, b->B[0], b->B[1], B_tan[0], B_tan[1], Ja);
  cri_connect_weld_rate_tan(&b->connect_weld, b_tan, b->motion.V[0], b->motion.V[1], tan.V[0],
                            tan.V[1], Jv);
  cri_connect_weld_bias_tan(&b->connect_weld, b_tan, &b->motion, &tan, bias);
  for (int row = 0; row < b->connect_weld.nrow && b->length > 0; row++) {
    r += b->pos[row] / b->length * pos[row];
  }
  for (int row = 0; row < b->connect_weld.nrow; row++) {
    int i = b->first + row;
    const cr_real* KBIP = s->d->efc_KBIP + 4 * i;
    e[row] = Ja[row] + s->slopes->b[i] * Jv[row] + bias[row] + KBIP[0] * KBIP[2] * pos[row] +
             s->slopes->e_r[i] * r;
  }
  forces(s, b, e, r, f);
}

// f' by its velocity
static void force_by_v(const scene* s, const connect_weld* b, int k, cr_real* f) {
  int j = b->dof[k];
  const cr_real *S = s->d->cdof + 6 * j, *J = s->d->efc_J + s->d->efc_J_rowadr[b->first];
  const cri_connect_weld rest = {.nrow = b->connect_weld.nrow};
  cri_connect_weld_motion tan = {{{0}}, {{0}}};
  cr_real rate[6], bias[CR_MAX_CONNECT_WELD], e[CR_MAX_CONNECT_WELD];
  cri_rigid_transport_rate(s->m, s->d, s->carried, j, rate);
  for (int side = 0; side < 2; side++) {
    if ((b->moves[k] >> side & 1) != 0) {
      cr_real dragged[6];
      cr_cross_motion(dragged, b->motion.V[side], S);
      cr_copy6(tan.V[side], S);
      cr_copy6(tan.A[side], rate);
      cr_accscl6(tan.A[side], dragged, -1);
    }
  }
  cri_connect_weld_bias_tan(&b->connect_weld, &rest, &b->motion, &tan, bias);
  for (int row = 0; row < b->connect_weld.nrow; row++) {
    e[row] = s->slopes->b[b->first + row] * J[row * b->n + k] + bias[row];
  }
  forces(s, b, e, 0, f);
}

// ---- a block

// sum over rows of f_row times the tangent of J_row,i under dof k
static cr_real turned_row(const scene* s, const connect_weld* b, const cri_connect_weld* b_tan,
                          int k, int l, const cr_real* f) {
  int j = b->dof[k], i = b->dof[l];
  cr_real V[2][6] = {{0}}, V_tan[2][6] = {{0}}, rate[CR_MAX_CONNECT_WELD], sum = 0;
  for (int side = 0; side < 2; side++) {
    if ((b->moves[l] >> side & 1) != 0) {
      cr_copy6(V[side], s->d->cdof + 6 * i);
      if ((b->moves[k] >> side & 1) != 0 && cri_carries(s->m, j, i)) {
        cr_cross_motion(V_tan[side], s->d->cdof + 6 * j, V[side]);
      }
    }
  }
  cri_connect_weld_rate_tan(&b->connect_weld, b_tan, V[0], V[1], V_tan[0], V_tan[1], rate);
  for (int row = 0; row < b->connect_weld.nrow; row++) {
    sum += f[row] * rate[row];
  }
  return sum;
}

// [step_jacobian.z6]
static void add_column(const scene* s, const connect_weld* b, int k, cri_columns columns,
                       cr_data* tan) {
  const cr_real* J = s->d->efc_J + s->d->efc_J_rowadr[b->first];
  cr_real f_q[CR_MAX_CONNECT_WELD], f_v[CR_MAX_CONNECT_WELD];
  displace(s, b, k, tan);
  cri_connect_weld b_tan = cri_connect_weld_tan(s->m, s->d, tan, b->e);
  force_by_q(s, b, k, &b_tan, f_q);
  force_by_v(s, b, k, f_v);
  for (int l = 0; l < b->n; l++) {
    ptrdiff_t at = (ptrdiff_t)b->dof[l] * columns.ld + b->dof[k];
    columns.q[at] += turned_row(s, b, &b_tan, k, l, s->d->acc_force + b->first);
    for (int row = 0; row < b->connect_weld.nrow; row++) {
      columns.q[at] += J[row * b->n + l] * f_q[row];
      columns.v[at] += J[row * b->n + l] * f_v[row];
    }
  }
}

static void set_connect_weld(const scene* s, int first, connect_weld* b) {
  b->e = s->d->efc_id[first];
  b->first = first;
  b->connect_weld = cri_connect_weld_of(s->m, s->d, b->e);
  b->n = cri_connect_weld_chain(s->m, &b->connect_weld, b->dof, b->moves);
  b->length = 0;
  cri_connect_weld_residual(&b->connect_weld, b->pos);
  for (int row = 0; row < b->connect_weld.nrow; row++) {
    b->length += b->pos[row] * b->pos[row];
  }
  b->length = cr_sqrt(b->length);
  for (int side = 0; side < 2; side++) {
    int body = 6 * b->connect_weld.body[side];
    cr_copy6(b->motion.V[side], s->carried->body_V + body);
    cr_copy6(b->motion.A[side], s->body_A + body);
    cr_copy6(b->B[side], s->carried->body_B + body);
  }
}

void cri_connect_weld_jac(const cr_model* m, const cr_data* d, const cri_row_force_jac* slopes,
                          const cri_rigid_transport* carried, cri_columns columns, cr_data* tan) {
  size_t mark = cri_mark(tan), v = (size_t)m->nv;
  const cr_real rest[6] = {0};
  cr_real *A = cri_push(tan, 6 * v), *body_A = cri_push(tan, 6 * (size_t)m->nbody);
  connect_weld b = {.dof = cri_push_int(tan, v), .moves = cri_push_int(tan, v)};
  scene s = {m, d, slopes, carried, A, body_A};
  cri_rigid_transport_sums(m, d->cdof_dot, d->qvel, rest, A, body_A);
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    if (cri_is_connect_weld(m->eq_type[d->efc_id[i]])) {
      set_connect_weld(&s, i, &b);
      for (int k = 0; k < b.n; k++) {
        add_column(&s, &b, k, columns, tan);
      }
    }
  }
  cri_pop(tan, mark);
}
