// SPDX-License-Identifier: Apache-2.0
// Forward and the derivatives walk along the path of a tendon (kinematics/tendon_path), and differ only in the
// work on each span.
#include "kinematics/tendon.h"

#include "kinematics/operator_sweep.h"
#include "kinematics/relative_chain.h"
#include "kinematics/rigid_transport.h"
#include "kinematics/tendon_path.h"
#include "math/vec3.h"

// ---- rows: a motion of both bodies of a piece does not stretch it

static cri_relative_chain chain_of(const cr_model* m, const cri_tendon_piece* p) {
  return cri_relative_chain_of(m, p->body[0], p->body[1]);
}

static bool stretches(const cr_model* m, const int body[2]) {
  return body[0] != body[1] &&
         cri_relative_chain_last(m, body[0]) != cri_relative_chain_last(m, body[1]);
}

// [tendon.t3] row += share e . (J_1 - J_0)
static void add_row(const cr_model* m, const cr_data* d, const cri_tendon_piece* p, cr_real share,
                    cr_real* row) {
  cri_relative_chain c = chain_of(m, p);
  int side;
  for (int j = cri_relative_chain_next(m, &c, &side); j >= 0;
       j = cri_relative_chain_next(m, &c, &side)) {
    cr_real v[3];
    cri_tendon_velocity(v, d->cdof + 6 * j, p->x[side],
                        cri_relative_chain_com(m, d, p->body[side]));
    row[j] += (side == 1 ? share : -share) * cr_dot3(p->e, v);
  }
}

static void add_row_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                        const cri_tendon_piece* p, const cr_real x0_tan[3], const cr_real x1_tan[3],
                        cr_real share, cr_real share_tan, cr_real* row_tan) {
  const cr_real* x_tan[2] = {x0_tan, x1_tan};
  cr_real e_tan[3];
  cri_tendon_direction_tan(p, x0_tan, x1_tan, e_tan);
  cri_relative_chain c = chain_of(m, p);
  int side;
  for (int j = cri_relative_chain_next(m, &c, &side); j >= 0;
       j = cri_relative_chain_next(m, &c, &side)) {
    const cr_real *s = d->cdof + 6 * j, *com = cri_relative_chain_com(m, d, p->body[side]);
    const cr_real* com_tan = cri_relative_chain_com(m, tan, p->body[side]);
    cr_real v[3], v_tan[3], arm_tan[3], sign = side == 1 ? 1 : -1;
    cri_tendon_velocity(v, s, p->x[side], com);
    cri_tendon_velocity(v_tan, tan->cdof + 6 * j, p->x[side], com);
    cr_sub3(arm_tan, x_tan[side], com_tan);
    cr_acccross3(v_tan, s, arm_tan);
    row_tan[j] +=
        sign * (share * (cr_dot3(e_tan, v) + cr_dot3(p->e, v_tan)) + share_tan * cr_dot3(p->e, v));
  }
}

// ---- forward

static void fixed_tendon(const cr_model* m, cr_data* d, int i, cr_real* row) {
  cri_tendon_walk w = cri_tendon_walk_of(m, i);
  for (int k = w.at; k < w.end; k++) {
    int j = m->wrap_objid[k];
    // [tendon.t1]
    d->ten_length[i] += m->wrap_prm[k] * d->qpos[m->jnt_qposadr[j]];
    row[m->jnt_dofadr[j]] += m->wrap_prm[k];
  }
}

static cr_real distance(const cr_real a[3], const cr_real b[3]) {
  cr_real e[3];
  cr_sub3(e, b, a);
  return cr_norm3(e);
}

static void spatial_tendon(const cr_model* m, cr_data* d, int i, cr_real* row) {
  cri_tendon_walk w = cri_tendon_walk_of(m, i);
  cri_tendon_span s;
  while (cri_tendon_next(m, d, &w, &s)) {
    if (s.n == 4) {
      d->wrap_branch[s.element] = s.wrap.branch;
      cri_wrap_keep(&s.wrap, d->wrap_kept + CR_WRAP_KEPT * s.element);
      d->ten_length[i] += w.share * s.wrap.length;
    }
    for (int k = 0; k < s.n; k += 2) {
      // [tendon.t2], [tendon.t3]; a piece on one body, as many are, has no row
      if (!stretches(m, s.body + k)) {
        d->ten_length[i] += w.share * distance(s.x[k], s.x[k + 1]);
        continue;
      }
      cri_tendon_piece p = cri_tendon_piece_of(&s, k);
      d->ten_length[i] += w.share * p.length;
      add_row(m, d, &p, w.share, row);
    }
  }
}

// moves the entries of row i from a dense row, and leaves zeros there
static void gather_row(const cr_model* m, int i, cr_real* dense, cr_real* sparse) {
  int first = m->ten_J_rowadr[i];
  for (int k = first; k < first + m->ten_J_rownnz[i]; k++) {
    sparse[k] = dense[m->ten_J_colind[k]];
    dense[m->ten_J_colind[k]] = 0;
  }
}

cr_status cr_tendon(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real* row = cri_push(d, (size_t)m->nv);
  cr_zero(row, m->nv);
  memset(d->wrap_branch, 0, (size_t)m->nwrap * sizeof *d->wrap_branch);
  for (int i = 0; i < m->ntendon; i++) {
    d->ten_length[i] = 0;
    if (cri_tendon_is_fixed(m, i)) {
      fixed_tendon(m, d, i, row);
    } else {
      spatial_tendon(m, d, i, row);
    }
    gather_row(m, i, row, d->ten_J);
  }
  cri_pop(d, mark);
  return CR_OK;
}

// ---- jvp

static void fixed_tendon_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i,
                             cr_real* row_tan) {
  cri_tendon_walk w = cri_tendon_walk_of(m, i);
  for (int k = w.at; k < w.end; k++) {
    int j = m->wrap_objid[k];
    cr_real c_tan = cri_par_tan(tan->par.wrap_prm, k, 1)[0];
    // [tendon.t1]
    tan->ten_length[i] += c_tan * d->qpos[m->jnt_qposadr[j]];
    tan->ten_length[i] += m->wrap_prm[k] * tan->qpos[m->jnt_dofadr[j]];
    row_tan[m->jnt_dofadr[j]] += c_tan;
  }
}

static void spatial_tendon_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i,
                               cr_real* row_tan) {
  cri_tendon_walk w = cri_tendon_walk_again(m, i);
  cri_tendon_span s;
  while (cri_tendon_next(m, d, &w, &s)) {
    cr_real x_tan[4][3], share_tan = cri_tendon_share_tan(&w, tan);
    tan->ten_length[i] += w.share * cri_tendon_span_tan(tan, &s, x_tan);
    tan->ten_length[i] += s.n == 4 ? share_tan * s.wrap.length : 0;
    for (int k = 0; k < s.n; k += 2) {
      // [tendon.t2], [tendon.t3]
      cri_tendon_piece p = cri_tendon_piece_of(&s, k);
      tan->ten_length[i] += share_tan * p.length;
      tan->ten_length[i] += w.share * (cr_dot3(p.e, x_tan[k + 1]) - cr_dot3(p.e, x_tan[k]));
      add_row_tan(m, d, tan, &p, x_tan[k], x_tan[k + 1], w.share, share_tan, row_tan);
    }
  }
}

cr_status cr_tendon_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* row_tan = cri_push(tan, (size_t)m->nv);
  cr_zero(row_tan, m->nv);
  for (int i = 0; i < m->ntendon; i++) {
    tan->ten_length[i] = 0;
    if (cri_tendon_is_fixed(m, i)) {
      fixed_tendon_jvp(m, d, tan, i, row_tan);
    } else {
      spatial_tendon_jvp(m, d, tan, i, row_tan);
    }
    gather_row(m, i, row_tan, tan->ten_J);
  }
  cri_pop(tan, mark);
  return CR_OK;
}

// ---- vjp: the cotangent of the rows is a sum of pairs left (x) right (kinematics/operator_sweep.h)

// [tendon.t3]' of tendon i; returns the cotangent of the share. A pair has a tension at the piece, left
// share, and motions V. Everything but F is linear in their product, so all pairs go as one, with
// the tension share and the sum of left V.
static cr_real piece_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                         const cri_operator_sweep* sw, int i, const cri_tendon_piece* p,
                         cr_real share, cr_real x0_bar[3], cr_real x1_bar[3]) {
  cr_real V[2][6];
  for (int side = 0; side < 2; side++) {
    cr_real F[6];
    cr_zero6(V[side]);
    cr_zero6(F);
    cri_tendon_piece_force(m, d, p, side, share, F);
    for (int k = 0, at = 6 * sw->n * p->body[side]; k < sw->n; k++, at += 6) {
      cr_real left = cri_pair_left(&bar->ten_J_pairs, k)[i];
      cr_accscl6(V[side], sw->V + at, left);
      cr_accscl6(sw->F + at, F, left);
    }
  }
  const cr_real* const motions[2] = {V[0], V[1]};
  return cri_tendon_piece_bar(m, d, bar, p, motions, share, x0_bar, x1_bar);
}

static void fixed_tendon_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i) {
  cri_tendon_walk w = cri_tendon_walk_of(m, i);
  const cr_pairs* pairs = &bar->ten_J_pairs;
  for (int k = w.at; k < w.end; k++) {
    int j = m->wrap_objid[k], dof = m->jnt_dofadr[j];
    // [tendon.t1]' q_bar += c length_bar, c_bar += q length_bar + row_bar
    bar->qpos[dof] += m->wrap_prm[k] * bar->ten_length[i];
    cr_real c_bar = d->qpos[m->jnt_qposadr[j]] * bar->ten_length[i];
    for (int p = 0; p < pairs->n; p++) {
      c_bar += cri_pair_left(pairs, p)[i] * cri_pair_right(pairs, p)[dof];
    }
    if (bar->par.wrap_prm != NULL) {
      bar->par.wrap_prm[k] += c_bar;
    }
  }
}

// true if row i has a cotangent
static bool row_used(const cr_pairs* pairs, int i) {
  for (int k = 0; k < pairs->n; k++) {
    if (cri_pair_left(pairs, k)[i] != 0) {
      return true;
    }
  }
  return false;
}

static void spatial_tendon_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                               const cri_operator_sweep* sw, int i) {
  cr_real length_bar = bar->ten_length[i];
  bool used = row_used(&bar->ten_J_pairs, i);
  cri_tendon_walk w = cri_tendon_walk_again(m, i);
  cri_tendon_span s;
  while (cri_tendon_next(m, d, &w, &s)) {
    cr_real x_bar[4][3], share_bar = s.n == 4 ? length_bar * s.wrap.length : 0;
    for (int k = 0; k < s.n; k += 2) {
      cri_tendon_piece p = cri_tendon_piece_of(&s, k);
      // [tendon.t2]'
      share_bar += length_bar * p.length;
      cr_scl3(x_bar[k + 1], p.e, w.share * length_bar);
      cr_scl3(x_bar[k], p.e, -w.share * length_bar);
      if (used && stretches(m, p.body)) {
        share_bar += piece_vjp(m, d, bar, sw, i, &p, w.share, x_bar[k], x_bar[k + 1]);
      }
    }
    cri_tendon_span_bar(bar, &s, x_bar, w.share * length_bar);
    cri_tendon_share_bar(&w, bar, share_bar);
  }
}

cr_status cr_tendon_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (m->ntendon == 0) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar);
  cri_operator_sweep s = cri_operator_sweep_begin(m, d, bar, &bar->ten_J_pairs);
  for (int i = m->ntendon - 1; i >= 0; i--) {
    if (cri_tendon_is_fixed(m, i)) {
      fixed_tendon_vjp(m, d, bar, i);
    } else {
      spatial_tendon_vjp(m, d, bar, &s, i);
    }
  }
  cri_operator_sweep_end(m, bar, &bar->ten_J_pairs, &s);
  cri_pop(bar, mark);
  return CR_OK;
}

// ---- [tendon.t5] curvature, for the Jacobian of a step: the row's tangent under a displacement of each of
// its dofs, which carries along the points of the bodies behind the dof

typedef struct {
  int n;
  const int32_t* col;
  int32_t* place;  // of a dof among the columns
  cr_real *H, *gradient;
} curvature;

// true if dof j moves body b
static bool moves(const cr_model* m, int j, int b) {
  int i = cri_relative_chain_last(m, b);
  while (i > j) {
    i = m->dof_parentid[i];
  }
  return i == j;
}

// velocity under dof j of a point at x on body b
static void carry(const cr_model* m, const cr_data* d, int j, int b, const cr_real x[3],
                  cr_real x_tan[3]) {
  cr_zero3(x_tan);
  if (moves(m, j, b)) {
    cri_tendon_velocity(x_tan, d->cdof + 6 * j, x, cri_relative_chain_com(m, d, b));
  }
}

// tangents of a span's points under dof j; returns the tangent of its length on the geom
static cr_real carry_span(const cr_model* m, const cr_data* d, const cri_tendon_span* s, int j,
                          cr_real x_tan[4][3]) {
  int body = s->n == 4 ? m->geom_bodyid[s->geom] : 0;
  cr_real end_tan[2][3], pos_tan[3], mat_tan[9] = {0}, length_tan = 0;
  carry(m, d, j, s->body[0], s->x[0], end_tan[0]);
  carry(m, d, j, s->body[s->n - 1], s->x[s->n - 1], end_tan[1]);
  cr_copy3(x_tan[0], end_tan[0]);
  cr_copy3(x_tan[s->n - 1], end_tan[1]);
  if (s->n == 4) {
    carry(m, d, j, body, d->geom_xpos + 3 * s->geom, pos_tan);
    if (moves(m, j, body)) {
      cr_rot_tan(mat_tan, d->cdof + 6 * j, d->geom_xmat + 9 * s->geom);
    }
    cri_wrap_path_tan(&s->wrap, end_tan[0], end_tan[1], pos_tan, mat_tan, 0, x_tan + 1,
                      &length_tan);
  }
  return length_tan;
}

// the column of dof j, from piece p whose points move with x_tan
static void add_curvature(const cr_model* m, const cr_data* d, const curvature* c,
                          const cri_tendon_piece* p, cr_real share, int j, cr_real x_tan[2][3]) {
  cr_real e_tan[3];
  cri_tendon_direction_tan(p, x_tan[0], x_tan[1], e_tan);
  cri_relative_chain chain = chain_of(m, p);
  int side;
  for (int i = cri_relative_chain_next(m, &chain, &side); i >= 0;
       i = cri_relative_chain_next(m, &chain, &side)) {
    const cr_real *S = d->cdof + 6 * i, *com = cri_relative_chain_com(m, d, p->body[side]);
    cr_real v[3], v_tan[3], S_tan[6] = {0};
    if (moves(m, j, p->body[side]) && cri_carries(m, j, i)) {
      cr_cross_motion(S_tan, d->cdof + 6 * j, S);
    }
    cri_tendon_velocity(v, S, p->x[side], com);
    cri_tendon_velocity(v_tan, S_tan, p->x[side], com);
    cr_acccross3(v_tan, S, x_tan[side]);
    c->H[c->place[i] * c->n + c->place[j]] +=
        (side == 1 ? share : -share) * (cr_dot3(e_tan, v) + cr_dot3(p->e, v_tan));
  }
}

// true if dof j moves some of the points of a span and not all: a span carried as a whole keeps its
// length and its rows
static bool bends(const cr_model* m, const cri_tendon_span* s, int j) {
  bool first = moves(m, j, s->body[0]);
  return moves(m, j, s->body[s->n - 1]) != first || (s->n == 4 && moves(m, j, s->body[1]) != first);
}

static void add_span(const cr_model* m, const cr_data* d, const curvature* c,
                     const cri_tendon_span* s, cr_real share) {
  for (int k = 0; k < c->n; k++) {
    cr_real x_tan[4][3];
    if (!bends(m, s, c->col[k])) {
      continue;
    }
    c->gradient[k] += share * carry_span(m, d, s, c->col[k], x_tan);
    for (int at = 0; at < s->n; at += 2) {
      cri_tendon_piece p = cri_tendon_piece_of(s, at);
      c->gradient[k] += share * (cr_dot3(p.e, x_tan[at + 1]) - cr_dot3(p.e, x_tan[at]));
      add_curvature(m, d, c, &p, share, c->col[k], x_tan + at);
    }
  }
}

void cri_tendon_moment_derivative(const cr_model* m, const cr_data* d, int t, cr_real* H,
                                  cr_real* gradient, cr_data* work) {
  size_t mark = cri_mark(work);
  curvature c = {.n = m->ten_J_rownnz[t], .col = m->ten_J_colind + m->ten_J_rowadr[t]};
  c.place = cri_push_int(work, (size_t)m->nv);
  c.H = H;
  c.gradient = gradient;
  cr_zero(H, c.n * c.n);
  cr_zero(gradient, c.n);
  for (int k = 0; k < c.n; k++) {
    c.place[c.col[k]] = k;
  }
  cri_tendon_walk w = cri_tendon_walk_again(m, t);
  cri_tendon_span s;
  while (cri_tendon_next(m, d, &w, &s)) {
    add_span(m, d, &c, &s, w.share);
  }
  cri_pop(work, mark);
}
