// SPDX-License-Identifier: Apache-2.0
#include "engine/assembly.h"

#include "math/quat.h"

enum { GIVEN = 0, MADE = 3, RELATIVE = 6, NO_POSE = 11 };  // within a row of eq_data

// a: the body whose anchor is given; b: the one whose anchor is derived
typedef struct {
  int a, b;
  bool turns;  // a weld: the quaternion is derived too
} assembly;

static bool assembly_of(const cr_model* m, int eq, assembly* x) {
  bool weld = m->eq_type[eq] == CR_EQ_WELD;
  bool free = weld && m->eq_data[CR_NEQDATA * eq + NO_POSE] != 0;
  int first = m->eq_obj1id[eq], second = m->eq_obj2id[eq];
  *x = (assembly){weld ? second : first, weld ? first : second, weld};
  return m->eq_objtype[eq] == CR_OBJ_BODY && (m->eq_type[eq] == CR_EQ_CONNECT || free);
}

bool cri_assembly_derives(const cr_model* m, int i) {
  assembly x;
  int k = i % CR_NEQDATA;
  return assembly_of(m, i / CR_NEQDATA, &x) && k >= MADE && k < (x.turns ? RELATIVE + 4 : RELATIVE);
}

// from the frame of b to the anchor, in the world
static void reach(cr_real r[3], const cr_data* d, const assembly* x, const cr_real* given) {
  cr_sub3(r, d->xpos + 3 * x->a, d->xpos + 3 * x->b);
  cr_accmat3(r, d->xmat + 9 * x->a, given);
}

void cri_assembly(cr_model* m, const cr_data* d) {
  for (int i = 0; i < m->neq; i++) {
    assembly x;
    if (!assembly_of(m, i, &x)) {
      continue;
    }
    cr_real *data = m->eq_data + CR_NEQDATA * i, r[3];
    // [constants.a1] p_b = R_b' (x_a + R_a p_a - x_b)
    reach(r, d, &x, data + GIVEN);
    cr_multmat3(data + MADE, d->xmat + 9 * x.b, r);
    if (x.turns) {
      // [constants.a2] q = conj(q_1) q_2
      const cr_real* q = d->xquat + 4 * x.b;
      const cr_real conjugate[4] = {q[0], -q[1], -q[2], -q[3]};
      cr_quat_mul(data + RELATIVE, conjugate, d->xquat + 4 * x.a);
    }
  }
}

// [constants.a2] dq = q (0, delta) / 2, delta = R_2' (w_2 - w_1)
static void turn_tan(const cr_data* d, const cr_data* tan, const assembly* x, const cr_real q[4],
                     cr_real q_tan[4]) {
  cr_real w1[3], w2[3], half[4] = {0};
  cr_rot_vec(w1, d->xmat + 9 * x->b, tan->xmat + 9 * x->b);
  cr_rot_vec(w2, d->xmat + 9 * x->a, tan->xmat + 9 * x->a);
  cr_sub3(w2, w2, w1);
  cr_multmat3(half + 1, d->xmat + 9 * x->a, w2);
  cr_scl3(half + 1, half + 1, CR_R(0.5));
  cr_quat_mul(q_tan, q, half);
}

void cri_assembly_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int i = 0; i < m->neq && tan->par.eq_data != NULL; i++) {
    assembly x;
    if (!assembly_of(m, i, &x)) {
      continue;
    }
    const cr_real* data = m->eq_data + CR_NEQDATA * i;
    cr_real *data_tan = tan->par.eq_data + CR_NEQDATA * i, r[3], r_tan[3];
    // [constants.a1] p_b_tan = R_b_tan' r + R_b' r_tan
    reach(r, d, &x, data + GIVEN);
    cr_sub3(r_tan, tan->xpos + 3 * x.a, tan->xpos + 3 * x.b);
    cr_accmat3(r_tan, tan->xmat + 9 * x.a, data + GIVEN);
    cr_accmat3(r_tan, d->xmat + 9 * x.a, data_tan + GIVEN);
    cr_multmat3(data_tan + MADE, d->xmat + 9 * x.b, r_tan);
    cr_acctmat3(data_tan + MADE, tan->xmat + 9 * x.b, r);
    if (x.turns) {
      turn_tan(d, tan, &x, data + RELATIVE, data_tan + RELATIVE);
    }
  }
}

// [constants.a2]' a turn delta of body 2 against body 1, in the frame of body 2, moves q by q (0, delta) / 2
static void turn_bar(const cr_data* d, cr_data* bar, const assembly* x, const cr_real q[4],
                     const cr_real q_bar[4]) {
  const cr_real *R1 = d->xmat + 9 * x->b, *R2 = d->xmat + 9 * x->a;
  cr_real delta_bar[3], w[3];
  for (int k = 0; k < 3; k++) {
    cr_real unit[4] = {0, k == 0, k == 1, k == 2}, moved[4];
    cr_quat_mul(moved, q, unit);
    delta_bar[k] = (moved[0] * q_bar[0] + cr_dot3(moved + 1, q_bar + 1)) / 2;
  }
  cr_mulmat3(w, R2, delta_bar);
  cr_accrot(bar->xmat + 9 * x->a, w, 1, R2);
  cr_accrot(bar->xmat + 9 * x->b, w, -1, R1);
}

void cri_assembly_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  for (int i = 0; i < m->neq && bar->par.eq_data != NULL; i++) {
    assembly x;
    if (!assembly_of(m, i, &x)) {
      continue;
    }
    const cr_real* data = m->eq_data + CR_NEQDATA * i;
    cr_real *data_bar = bar->par.eq_data + CR_NEQDATA * i, r[3], r_bar[3];
    if (x.turns) {
      turn_bar(d, bar, &x, data + RELATIVE, data_bar + RELATIVE);
    }
    // [constants.a1]' r_bar = R_b p_b_bar
    reach(r, d, &x, data + GIVEN);
    cr_mulmat3(r_bar, d->xmat + 9 * x.b, data_bar + MADE);
    cr_accouter3(bar->xmat + 9 * x.b, r, data_bar + MADE);
    cr_acc3(bar->xpos + 3 * x.a, r_bar);
    cr_accscl3(bar->xpos + 3 * x.b, r_bar, -1);
    cr_accouter3(bar->xmat + 9 * x.a, r_bar, data + GIVEN);
    cr_acctmat3(data_bar + GIVEN, d->xmat + 9 * x.a, r_bar);
  }
}
