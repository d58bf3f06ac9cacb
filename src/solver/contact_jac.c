// SPDX-License-Identifier: Apache-2.0
// A contact depends on a displacement only through the motion of its two shapes, so its six or twelve
// derivatives by unit motions serve all dofs. All vectors are relative to the current contact point; sums over the contacts
// of two bodies are relative to the first of them, and become columns once.
#include "solver/contact_jac.h"

#include "collision/collision.h"
#include "constraint/rows.h"
#include "kinematics/body_pair.h"

typedef struct {
  int dim;
  const cr_real *pos, *frame;
  cr_real V[2][6], B[2][6];         // of the bodies, at the point
  cri_contact_motion motion[2][6];  // under unit motions of each shape
  cr_real P[6][6], by_r[6], b[6];   // [step_jacobian.z1] along the axes of the frame
  cr_real F[6];                     // wrench on the second body
  cri_body_pair pair;               // with the changes of all contacts of these bodies so far
} contact;

static void at_contact(const cr_model* m, const cr_data* d, const contact* c, int body,
                       const cr_real M[6], cr_real out[6]) {
  cri_body_pair_motion(m, d, c->pos, body, M, out);
}

// sum += a wrench at the contact point
static void add_wrench(const contact* c, const cr_real F[6], cr_real sum[6]) {
  cr_real arm[3];
  cr_sub3(arm, c->pos, c->pair.origin);
  cr_acc6(sum, F);
  cr_acccross3(sum, arm, F + 3);
}

// ---- geometry under unit motions

static void displace(const cr_model* m, const cr_data* d, int i, contact* c, int side) {
  const cr_shape_tan rest = {{0}, {0}, {0}};
  const cr_real* at = d->geom_xpos + 3 * d->contact_geom[2 * i + side];
  for (int k = 0; k < 6; k++) {
    cr_shape_tan x = rest;
    if (k < 3) {
      cr_real arm[3];
      x.rot[k] = 1;
      cr_sub3(arm, at, c->pos);
      cr_cross3(x.pos, x.rot, arm);
    } else {
      x.pos[k - 3] = 1;
    }
    c->motion[side][k] =
        cri_collision_motion(m, d, i, side == 0 ? &x : &rest, side == 1 ? &x : &rest);
  }
}

// motion of point and frame with the bodies on `side`
static cri_contact_motion motion_under(const contact* c, int side, const cr_real S[6]) {
  cri_contact_motion sum = {0, {0}, {0}};
  for (int body = 0; body < 2; body++) {
    for (int k = 0; k < 6 && (side & (body == 0 ? CRI_PAIR_FIRST : CRI_PAIR_SECOND)) != 0; k++) {
      const cri_contact_motion* unit = &c->motion[body][k];
      sum.dist += S[k] * unit->dist;
      cr_accscl3(sum.pos, unit->pos, S[k]);
      cr_accscl3(sum.turn, unit->turn, S[k]);
    }
  }
  return sum;
}

// ---- [step_jacobian.z1] along the frame's axes instead of rows: those of a pyramid are axis 0 +- mu axis k

typedef struct {
  bool pyramid;
  int n, first;
  const cr_real* mu;
} row_map;

static row_map rows_of(const cr_model* m, const cr_data* d, int i) {
  int first = d->contact_efc_address[i];
  return (row_map){.pyramid = d->efc_type[first] == CR_CNSTR_CONTACT_PYRAMIDAL,
                   .n = cri_contact_rows(m, d->contact_dim[i]),
                   .first = first,
                   .mu = d->contact_friction + 5 * i};
}

// entry of row r along axis k
static cr_real entry(const row_map* x, int r, int k) {
  if (!x->pyramid) {
    return r == k;
  }
  return k == 0 ? 1 : (r / 2 != k - 1 ? 0 : (r % 2 == 0 ? x->mu[k - 1] : -x->mu[k - 1]));
}

static void along_axes(const row_map* x, int dim, const cr_real* rows, cr_real axes[6]) {
  for (int k = 0; k < dim; k++) {
    axes[k] = 0;
    for (int r = 0; r < x->n; r++) {
      axes[k] += entry(x, r, k) * rows[r];
    }
  }
}

// rows F e of a block
static void slope_mul(const row_map* x, const cri_row_force_jac* s, const cr_real* e, cr_real* f) {
  for (int r = 0; r < x->n; r++) {
    const cr_real* F = s->F + (x->first + r) * s->width;
    f[r] = 0;
    for (int k = 0; k < x->n; k++) {
      f[r] += F[k] * e[k];
    }
  }
}

static void set_law(const cr_model* m, const cr_data* d, const cri_row_force_jac* s, int i,
                    contact* c) {
  row_map x = rows_of(m, d, i);
  cr_real e[10], f[10], axes[6];
  for (int k = 0; k < c->dim; k++) {
    for (int r = 0; r < x.n; r++) {
      e[r] = entry(&x, r, k);
    }
    slope_mul(&x, s, e, f);
    along_axes(&x, c->dim, f, axes);
    for (int l = 0; l < c->dim; l++) {
      c->P[l][k] = axes[l];
    }
    c->b[k] = s->b[x.first + (x.pyramid ? 0 : k)];
  }
  slope_mul(&x, s, s->e_r + x.first, f);
  for (int r = 0; r < x.n; r++) {
    f[r] += s->by_r[x.first + r];
  }
  along_axes(&x, c->dim, f, c->by_r);
}

// wrench of forces along the axes: moment, then force
static void wrench(const contact* c, const cr_real* along, cr_real F[6]) {
  cr_zero6(F);
  for (int k = 0; k < c->dim; k++) {
    cr_accscl3(F + (k < 3 ? 3 : 0), c->frame + 3 * (k % 3), along[k]);
  }
}

static bool is_idle(const cr_data* d, const cri_row_force_jac* s, const row_map* x) {
  return cr_is_zero(d->acc_force + x->first, x->n) && cr_is_zero(s->by_r + x->first, x->n) &&
         cr_is_zero(s->F + x->first * s->width, x->n * s->width);
}

// ---- columns

// [step_jacobian.z3] (J x)' along the axes
static void rate_change(const contact* c, cr_real U[2][6], const cr_real before[6], int side,
                        const cr_real S[6], const cri_contact_motion* w, cr_real* rate) {
  cr_real z[6] = {0}, u[6];
  for (int body = 0; body < 2; body++) {
    if ((side & (body == 0 ? CRI_PAIR_FIRST : CRI_PAIR_SECOND)) != 0) {
      cr_real beyond[6], turned[6];
      for (int k = 0; k < 6; k++) {
        beyond[k] = U[body][k] - before[k];
      }
      cr_cross_motion(turned, S, beyond);
      cr_accscl6(z, turned, body == 0 ? -1 : 1);
    }
  }
  for (int k = 0; k < 6; k++) {
    u[k] = U[1][k] - U[0][k];
  }
  cr_acccross3(z, u, w->turn);
  cr_acccross3(z + 3, u, w->pos);
  cr_acccross3(z + 3, u + 3, w->turn);
  for (int k = 0; k < c->dim; k++) {
    rate[k] = cr_dot3(c->frame + 3 * (k % 3), k < 3 ? z + 3 : z);
  }
}

// wrench of P e + by_r dist
static void response(const contact* c, const cr_real* e, cr_real dist, cr_real F[6]) {
  cr_real along[6];
  for (int k = 0; k < c->dim; k++) {
    along[k] = c->by_r[k] * dist;
    for (int l = 0; l < c->dim; l++) {
      along[k] += c->P[k][l] * e[l];
    }
  }
  wrench(c, along, F);
}

static void add_change(const cr_model* m, const cr_data* d, const cri_rigid_transport* carried,
                       contact* c, int k) {
  cri_pair_column* sum = &c->pair.column[k];
  int j = c->pair.dof[k], side = c->pair.side[k];
  int body = c->pair.body[(side & CRI_PAIR_SECOND) != 0];
  cr_real S[6], V[6], B[6], e[6], of_V[6], by_q[6], by_v[6], by_carrying[6];
  at_contact(m, d, c, body, d->cdof + 6 * j, S);
  at_contact(m, d, c, body, carried->V + 6 * j, V);
  at_contact(m, d, c, body, carried->B + 6 * j, B);

  // [step_jacobian.z3], [step_jacobian.z4] by the coordinate
  cri_contact_motion w = motion_under(c, side, S);
  rate_change(c, c->B, B, side, S, &w, e);
  rate_change(c, c->V, V, side, S, &w, of_V);
  for (int l = 0; l < c->dim; l++) {
    e[l] += c->b[l] * of_V[l];
  }
  response(c, e, w.dist, by_q);
  cr_acccross3(by_q, w.turn, c->F);
  cr_acccross3(by_q, w.pos, c->F + 3);
  cr_acccross3(by_q + 3, w.turn, c->F + 3);
  cr_cross_force(by_carrying, S, c->F);

  // by the velocity
  for (int l = 0; l < c->dim; l++) {
    e[l] = c->b[l] * cri_body_pair_sign(side) * cr_dot3(c->frame + 3 * (l % 3), l < 3 ? S + 3 : S);
  }
  response(c, e, 0, by_v);
  add_wrench(c, by_q, sum->by_q);
  add_wrench(c, by_v, sum->by_v);
  add_wrench(c, by_carrying, sum->carried);
}

// contact i is the first of its two bodies
static void begin(const cr_model* m, const cr_data* d, int i, contact* c) {
  const int32_t* geom = d->contact_geom + 2 * (ptrdiff_t)i;
  const int body[2] = {m->geom_bodyid[geom[0]], m->geom_bodyid[geom[1]]};
  cri_body_pair_begin(m, d, body, d->contact_pos + 3 * (ptrdiff_t)i, &c->pair);
}

static bool is_of(const cr_model* m, const cr_data* d, int i, const contact* c) {
  const int32_t* geom = d->contact_geom + 2 * (ptrdiff_t)i;
  return c->pair.body[0] == m->geom_bodyid[geom[0]] && c->pair.body[1] == m->geom_bodyid[geom[1]];
}

static void add_contact(const cr_model* m, const cr_data* d, const cri_row_force_jac* slopes,
                        const cri_rigid_transport* carried, int i, contact* c) {
  row_map x = rows_of(m, d, i);
  cr_real along[6];
  c->dim = d->contact_dim[i];
  c->pos = d->contact_pos + 3 * i;
  c->frame = d->contact_frame + 9 * i;
  for (int side = 0; side < 2; side++) {
    int body = c->pair.body[side];
    at_contact(m, d, c, body, carried->body_V + 6 * body, c->V[side]);
    at_contact(m, d, c, body, carried->body_B + 6 * body, c->B[side]);
    if (cri_relative_chain_last(m, body) >= 0) {
      displace(m, d, i, c, side);
    }
  }
  set_law(m, d, slopes, i, c);
  along_axes(&x, c->dim, d->acc_force + x.first, along);
  wrench(c, along, c->F);
  for (int k = 0; k < c->pair.n; k++) {
    add_change(m, d, carried, c, k);
  }
}

void cri_contact_jac(const cr_model* m, const cr_data* d, const cri_row_force_jac* slopes,
                     const cri_rigid_transport* carried, cri_columns columns, cr_data* work) {
  size_t mark = cri_mark(work);
  contact c = {.pair = cri_body_pair_of(m, work)};
  for (int i = 0; i < d->ncon; i++) {
    if (d->contact_efc_address[i] < 0) {
      continue;
    }
    row_map x = rows_of(m, d, i);
    if (is_idle(d, slopes, &x)) {
      continue;
    }
    if (c.pair.origin == NULL || !is_of(m, d, i, &c)) {
      cri_body_pair_write(m, &c.pair, columns);
      begin(m, d, i, &c);
    }
    add_contact(m, d, slopes, carried, i, &c);
  }
  cri_body_pair_write(m, &c.pair, columns);
  cri_pop(work, mark);
}
