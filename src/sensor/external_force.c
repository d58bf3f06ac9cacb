// SPDX-License-Identifier: Apache-2.0
// Forces at points, each with its tangent and its transpose. The three kinds only differ in
// the source of force and point.
#include "sensor/external_force.h"

#include "constraint/equality.h"
#include "constraint/rows.h"
#include "math/spatial.h"
#include "sensor/tendon_wrench.h"
#include "solver/contact_force.h"

// ---- a force f and torque n at the arm r from the tree's point

typedef struct {
  cr_real f[3], n[3], r[3];
} push;

// F += sign (n + r x f, f)
static void add_push(cr_real F[6], const push* p, cr_real sign) {
  cr_real turn[3];
  cr_cross3(turn, p->r, p->f);
  cr_acc3(turn, p->n);
  cr_accscl3(F, turn, sign);
  cr_accscl3(F + 3, p->f, sign);
}

static void add_push_tan(cr_real F_tan[6], const push* p, const push* p_tan, cr_real sign) {
  cr_real turn[3];
  cr_cross3(turn, p->r, p_tan->f);
  cr_acccross3(turn, p_tan->r, p->f);
  cr_acc3(turn, p_tan->n);
  cr_accscl3(F_tan, turn, sign);
  cr_accscl3(F_tan + 3, p_tan->f, sign);
}

// cotangents of f, n and r, from the motion u of the body; r is set, the others added to
static void push_bar(const push* p, const cr_real u[6], cr_real sign, push* p_bar) {
  cr_real v[3];
  cr_cross3(v, u, p->r);
  cr_acc3(v, u + 3);
  cr_accscl3(p_bar->f, v, sign);
  cr_accscl3(p_bar->n, u, sign);
  cr_cross3(p_bar->r, p->f, u);
  cr_scl3(p_bar->r, p_bar->r, sign);
}

static const cr_real* point_of(const cr_model* m, const cr_data* d, int b) {
  return d->subtree_com + 3 * m->body_rootid[b];
}

static cr_real* point_bar(const cr_model* m, cr_data* bar, int b) {
  return bar->subtree_com + 3 * m->body_rootid[b];
}

// ---- applied forces

static push applied(const cr_model* m, const cr_data* d, int b) {
  push p;
  cr_copy3(p.f, d->xfrc_applied + 6 * b);
  cr_copy3(p.n, d->xfrc_applied + 6 * b + 3);
  cr_sub3(p.r, d->xipos + 3 * b, point_of(m, d, b));
  return p;
}

static void applied_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int b,
                        const cr_real u[6]) {
  // [reaction.e1]'
  push p = applied(m, d, b), p_bar = {{0}, {0}, {0}};
  push_bar(&p, u, 1, &p_bar);
  cr_acc3(bar->xfrc_applied + 6 * b, p_bar.f);
  cr_acc3(bar->xfrc_applied + 6 * b + 3, p_bar.n);
  cr_acc3(bar->xipos + 3 * b, p_bar.r);
  cr_accscl3(point_bar(m, bar, b), p_bar.r, -1);
}

// ---- contacts

static int contact_body(const cr_model* m, const cr_data* d, int c, int side) {
  return m->geom_bodyid[d->contact_geom[2 * c + side]];
}

static cr_real sign_of(int side) { return side == 1 ? 1 : -1; }

// w = (force, torque) in the contact's frame, whose axes are rows, turned to world axes
static void to_world(const cr_real frame[9], const cr_real w[6], push* p) {
  cr_multmat3(p->f, frame, w);
  cr_multmat3(p->n, frame, w + 3);
}

static void contact_arm(const cr_model* m, const cr_data* d, int c, int b, push* p) {
  cr_sub3(p->r, d->contact_pos + 3 * c, point_of(m, d, b));
}

static void contact_push(const cr_model* m, const cr_data* d, int c, cr_real* F) {
  cr_real w[6];
  push p;
  // [reaction.e2]
  cri_contact_force(m, d, c, w);
  to_world(d->contact_frame + 9 * c, w, &p);
  for (int side = 0; side < 2; side++) {
    int b = contact_body(m, d, c, side);
    contact_arm(m, d, c, b, &p);
    add_push(F + 6 * b, &p, b > 0 ? sign_of(side) : 0);
  }
}

static void contact_push_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int c,
                             cr_real* F_tan) {
  cr_real w[6], w_tan[6];
  push p, p_tan, turned;
  // [reaction.e2]
  cri_contact_force(m, d, c, w);
  cri_contact_force_tan(m, d, tan, c, w_tan);
  to_world(d->contact_frame + 9 * c, w, &p);
  to_world(d->contact_frame + 9 * c, w_tan, &p_tan);
  to_world(tan->contact_frame + 9 * c, w, &turned);
  cr_acc3(p_tan.f, turned.f);
  cr_acc3(p_tan.n, turned.n);
  for (int side = 0; side < 2; side++) {
    int b = contact_body(m, d, c, side);
    contact_arm(m, d, c, b, &p);
    contact_arm(m, tan, c, b, &p_tan);
    add_push_tan(F_tan + 6 * b, &p, &p_tan, b > 0 ? sign_of(side) : 0);
  }
}

static void contact_push_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int c,
                             const cr_real* u) {
  cr_real w[6], w_bar[6];
  const cr_real* frame = d->contact_frame + 9 * c;
  push p, p_bar = {{0}, {0}, {0}};
  // [reaction.e2]'
  cri_contact_force(m, d, c, w);
  to_world(frame, w, &p);
  for (int side = 0; side < 2; side++) {
    int b = contact_body(m, d, c, side);
    if (b > 0) {
      contact_arm(m, d, c, b, &p);
      push_bar(&p, u + 6 * b, sign_of(side), &p_bar);
      cr_acc3(bar->contact_pos + 3 * c, p_bar.r);
      cr_accscl3(point_bar(m, bar, b), p_bar.r, -1);
    }
  }
  cr_accouter3(bar->contact_frame + 9 * c, w, p_bar.f);
  cr_accouter3(bar->contact_frame + 9 * c, w + 3, p_bar.n);
  cr_mulmat3(w_bar, frame, p_bar.f);
  cr_mulmat3(w_bar + 3, frame, p_bar.n);
  cri_contact_force_bar(m, d, bar, c, w_bar);
}

// ---- connects and welds: rows from `row` on of equality constraint i

static cr_real dot_rows(const cri_connect_weld* b, const cr_real* x, const cr_real* y) {
  cr_real sum = 0;
  for (int k = 0; k < b->nrow; k++) {
    sum += x[k] * y[k];
  }
  return sum;
}

// one motion of body `side`, along axis k
typedef struct {
  cr_real V[2][6];
} unit_motion;

static unit_motion unit_of(int side, int k) {
  unit_motion u = {{{0}, {0}}};
  u.V[side][k] = 1;
  return u;
}

static void connect_weld_push(const cr_model* m, const cr_data* d, int row, cr_real* F) {
  cri_connect_weld b = cri_connect_weld_of(m, d, d->efc_id[row]);
  for (int k = 0; k < 12; k++) {
    // [reaction.e3]
    int side = k / 6, body = b.body[side];
    unit_motion u = unit_of(side, k % 6);
    cr_real rate[CR_MAX_CONNECT_WELD];
    cri_connect_weld_rate(&b, u.V[0], u.V[1], rate);
    F[6 * body + k % 6] += body > 0 ? dot_rows(&b, d->efc_force + row, rate) : 0;
  }
}

static void connect_weld_push_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int row,
                                  cr_real* F_tan) {
  const cr_real rest[6] = {0};
  cri_connect_weld b = cri_connect_weld_of(m, d, d->efc_id[row]),
                   b_tan = cri_connect_weld_tan(m, d, tan, d->efc_id[row]);
  for (int k = 0; k < 12; k++) {
    // [reaction.e3] f' . rate + f . rate'
    int side = k / 6, body = b.body[side];
    unit_motion u = unit_of(side, k % 6);
    cr_real rate[CR_MAX_CONNECT_WELD], rate_tan[CR_MAX_CONNECT_WELD];
    cri_connect_weld_rate(&b, u.V[0], u.V[1], rate);
    cri_connect_weld_rate_tan(&b, &b_tan, u.V[0], u.V[1], rest, rest, rate_tan);
    F_tan[6 * body + k % 6] += body > 0 ? dot_rows(&b, tan->efc_force + row, rate) +
                                              dot_rows(&b, d->efc_force + row, rate_tan)
                                        : 0;
  }
}

static void connect_weld_push_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int row,
                                  const cr_real* u) {
  int id = d->efc_id[row];
  cri_connect_weld b = cri_connect_weld_of(m, d, id), b_bar = {0};
  cr_real V[2][6] = {{0}, {0}}, rate[CR_MAX_CONNECT_WELD], unused[6] = {0};
  for (int side = 0; side < 2; side++) {
    if (b.body[side] > 0) {
      cr_copy6(V[side], u + 6 * b.body[side]);
    }
  }
  // [reaction.e3]' the scalar f . rate(u)
  cri_connect_weld_rate(&b, V[0], V[1], rate);
  for (int k = 0; k < b.nrow; k++) {
    bar->efc_force[row + k] += rate[k];
  }
  cri_connect_weld_rate_bar(&b, V[0], V[1], d->efc_force + row, &b_bar, unused, unused);
  cri_connect_weld_bar(m, d, bar, id, &b_bar);
}

static bool is_connect_weld(const cr_model* m, const cr_data* d, int row) {
  return cri_is_connect_weld(m->eq_type[d->efc_id[row]]);
}

// ---- all of them

void cri_external(const cr_model* m, const cr_data* d, cr_real* F, cr_data* work) {
  cr_zero(F, 6 * m->nbody);
  for (int b = 1; b < m->nbody; b++) {
    // [reaction.e1]
    push p = applied(m, d, b);
    add_push(F + 6 * b, &p, 1);
  }
  for (int c = 0; c < d->ncon; c++) {
    contact_push(m, d, c, F);
  }
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    if (is_connect_weld(m, d, i)) {
      connect_weld_push(m, d, i, F);
    }
  }
  cri_tendon_wrench(m, d, F, work);
}

void cri_external_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* F_tan) {
  cr_zero(F_tan, 6 * m->nbody);
  for (int b = 1; b < m->nbody; b++) {
    // [reaction.e1]
    push p = applied(m, d, b), p_tan = applied(m, tan, b);
    add_push_tan(F_tan + 6 * b, &p, &p_tan, 1);
  }
  for (int c = 0; c < d->ncon; c++) {
    contact_push_tan(m, d, tan, c, F_tan);
  }
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    if (is_connect_weld(m, d, i)) {
      connect_weld_push_tan(m, d, tan, i, F_tan);
    }
  }
  cri_tendon_wrench_jvp(m, d, tan, F_tan);
}

void cri_external_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* u) {
  for (int b = 1; b < m->nbody; b++) {
    applied_vjp(m, d, bar, b, u + 6 * b);
  }
  for (int c = 0; c < d->ncon; c++) {
    contact_push_vjp(m, d, bar, c, u);
  }
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    if (is_connect_weld(m, d, i)) {
      connect_weld_push_vjp(m, d, bar, i, u);
    }
  }
  cri_tendon_wrench_vjp(m, d, bar, u);
}
