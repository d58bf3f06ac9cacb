// SPDX-License-Identifier: Apache-2.0
// D is built like M: contributions of bodies are summed over subtrees, and an entry is a product of
// two axes with the sum behind the deeper one. Its gradient is that of a force along r. The
// bias force is quadratic in the velocity, so half the difference of the forces at v + r and
// v - r serves, and the stages that made it give the gradient too.
#include "inertia/qderiv.h"

#include "force/bias.h"
#include "force/damper.h"
#include "force/fluid.h"
#include "force/newton_euler.h"
#include "force/rank_one.h"
#include "inertia/actuation_qderiv.h"
#include "inertia/simple_body.h"
#include "kinematics/tree.h"
#include "kinematics/velocity.h"
#include "math/spatial.h"

// ---- which trees have the derivative of the bias force

// a tree of six dofs whose root is free: one rigid body
static bool free_tree(const cr_model* m, int tree) {
  int joint = m->dof_jntid[m->tree_dofadr[tree]];
  return m->tree_dofnum[tree] == 6 && m->jnt_type[joint] == CR_JNT_FREE;
}

// trees that have it: all, the marked ones, or the free ones if none is marked; and, with `fast`, of
// the blocks of simple bodies only the diagonal
typedef struct {
  bool all;
  const int32_t* marked;
  bool fast;
} selection;

static selection selected(cri_qderiv_kind kind) {
  return (selection){kind == CR_QDERIV_ALL, NULL, kind == CR_QDERIV_FAST};
}

static bool full_tree(const cr_model* m, selection on, int tree) {
  return on.all || (on.marked != NULL ? on.marked[tree] != 0 : free_tree(m, tree));
}

static bool full(const cr_model* m, selection on, int body) {
  return m->body_treeid[body] >= 0 && full_tree(m, on, m->body_treeid[body]);
}

static bool any_full(const cr_model* m, selection on) {
  bool any = on.all;
  for (int t = 0; t < m->ntree && !any; t++) {
    any = full_tree(m, on, t);
  }
  return any;
}

// x if the dof belongs to such a tree, else 0
static void keep_full(const cr_model* m, selection on, const cr_real* x, cr_real* out) {
  for (int i = 0; i < m->nv; i++) {
    out[i] = full(m, on, m->dof_bodyid[i]) ? x[i] : 0;
  }
}

// which slopes of the fluid, with scratch of `work`
static cri_fluid_part fluid_part(const cr_model* m, selection on, cr_data* work) {
  bool* symmetric = (bool*)(void*)cri_push_int(work, (size_t)m->nbody);
  for (int b = 0; b < m->nbody; b++) {
    symmetric[b] = !full(m, on, b);
  }
  return (cri_fluid_part){.symmetric = symmetric};
}

// ---- [qderiv.d4] pieces of the bias force's derivative

// p = V- x s + V+ x s, V- and V+ the velocities before and after the dof's joint: an acceleration
// A_b behind dof j changes with v_j by p_j - V_b x s_j
static void joint_rates(const cr_model* m, const cr_data* d, cr_real* p) {
  for (int j = 0; j < m->njnt; j++) {
    int type = m->jnt_type[j], first = m->jnt_dofadr[j];
    int turn = type == CR_JNT_FREE ? first + 3 : first;
    int end = turn + (type == CR_JNT_FREE || type == CR_JNT_BALL ? 3 : 1);
    cr_real sum[6];
    cr_copy6(sum, d->jnt_cvel + 6 * j);
    cr_acc6(sum, d->jnt_cvel + 6 * j);
    cr_zero(p + 6 * first, 6 * (turn - first));
    for (int i = turn; i < end; i++) {
      cr_accscl6(sum, d->cdof + 6 * i, d->qvel[i]);
    }
    for (int i = turn; i < end; i++) {
      cr_cross_motion(p + 6 * i, sum, d->cdof + 6 * i);
    }
  }
}

// K -= Q
static void subtract_bias(const cr_data* d, int b, cr_real K[36]) {
  cr_real Q[36];
  cri_newton_slope(d->cinert + 10 * b, d->cvel + 6 * b, Q);
  for (int k = 0; k < 36; k++) {
    K[k] -= Q[k];
  }
}

// ---- D of forces on bodies

// inertia of the subtree if its tree has the bias force's derivative, else 0; and slopes behind
static void composites(const cr_model* m, const cr_data* d, selection on, bool fluid, cr_real* Ic,
                       cr_real* K, cr_data* work) {
  size_t mark = cri_mark(work);
  if (fluid) {
    cri_fluid_qderiv(m, d, fluid_part(m, on, work), K);
  } else {
    cr_zero(K, 36 * m->nbody);
  }
  cr_zero(Ic, 10 * m->nbody);
  for (int b = 1; b < m->nbody; b++) {
    if (full(m, on, b)) {
      cr_copy(Ic + 10 * b, d->cinert + 10 * b, 10);
      subtract_bias(d, b, K + 36 * b);
    }
  }
  cri_tree_gather(m, Ic, 10);
  cri_tree_gather(m, K, 36);
  cri_pop(work, mark);
}

// [qderiv.d3], [qderiv.d4] D_ij = s_i . (K s_j - I p_j), K and I behind the deeper of the two
static void add_bodies(const cr_model* m, const cr_data* d, selection on, bool fluid,
                       cr_real* lower, cr_real* upper, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* p = cri_push(work, 6 * (size_t)m->nv);
  cr_real* Ic = cri_push(work, 10 * (size_t)m->nbody);
  cr_real* K = cri_push(work, 36 * (size_t)m->nbody);
  joint_rates(m, d, p);
  composites(m, d, on, fluid, Ic, K, work);
  for (int i = 0; i < m->nv; i++) {
    int b = m->dof_bodyid[i], adr = m->M_rowadr[i], n = m->M_rownnz[i];
    const cr_real *s = d->cdof + 6 * i, *Kb = K + 36 * b;
    cr_real Is[6], Ip[6], left[6] = {0}, right[6];
    cr_inertia_mul(Is, Ic + 10 * b, s);
    cr_inertia_mul(Ip, Ic + 10 * b, p + 6 * i);
    for (int k = 0; k < 6; k++) {
      cr_accscl6(left, Kb + 6 * k, s[k]);
      right[k] = cr_dot6(Kb + 6 * k, s) - Ip[k];
    }
    for (int k = on.fast && cri_is_diagonal(m, i) ? n - 1 : 0; k < n; k++) {
      int j = 6 * m->M_colind[adr + k];
      lower[adr + k] += cr_dot6(left, d->cdof + j) - cr_dot6(Is, p + j);
      upper[adr + k] += cr_dot6(right, d->cdof + j);
    }
  }
  cri_pop(work, mark);
}

// ---- D of dampers and actuators

static bool damper_on(const cr_model* m) { return (m->disableflags & CR_DSBL_DAMPER) == 0; }

// [qderiv.d1]
static void add_dampers(const cr_model* m, const cr_data* d, cr_real* lower, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* D = cri_push(work, (size_t)m->nv);
  cri_damper_qderiv(m, d, CR_DAMPED_DOFS, D, work);
  for (int i = 0; i < m->nv; i++) {
    lower[m->M_rowadr[i] + m->M_rownnz[i] - 1] -= D[i];
  }
  cri_pop(work, mark);
}

static cri_rows moment_rows(const cr_model* m, const cr_data* d, selection on) {
  cri_rows rows = cri_moment_rows(m, d, d->actuator_moment);
  rows.fast = on.fast;
  return rows;
}

static cri_rows tendon_rows(const cr_model* m, const cr_data* d, selection on) {
  cri_rows rows = cri_tendon_rows(m, d->ten_J);
  rows.fast = on.fast;
  return rows;
}

// [qderiv.d2]
static void add_actuators(const cr_model* m, const cr_data* d, selection on, cr_real* lower,
                          cr_real* upper, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* c = cri_push(work, (size_t)m->nout);
  cri_actuation_qderiv(m, d, CR_OVER_VELOCITY, c);
  cri_rows rows = moment_rows(m, d, on);
  cri_rank_one_add(m, &rows, c, lower, upper);
  cri_pop(work, mark);
}

// [qderiv.d5] slopes of tendons' dampers, in scratch of `owner`
static cr_real* tendon_slopes(const cr_model* m, const cr_data* d, cr_data* owner) {
  cr_real* c = cri_push(owner, (size_t)m->ntendon);
  cri_damper_qderiv(m, d, CR_DAMPED_TENDONS, c, owner);
  for (int t = 0; t < m->ntendon; t++) {
    c[t] = -c[t];
  }
  return c;
}

static void add_tendons(const cr_model* m, const cr_data* d, selection on, cr_real* lower,
                        cr_real* upper, cr_data* work) {
  size_t mark = cri_mark(work);
  cri_rows rows = tendon_rows(m, d, on);
  cri_rank_one_add(m, &rows, tendon_slopes(m, d, work), lower, upper);
  cri_pop(work, mark);
}

void cri_qderiv(const cr_model* m, const cr_data* d, cri_qderiv_kind kind, cr_real* lower,
                cr_real* upper, cr_data* work) {
  bool fluid = cri_fluid_acts(m);
  selection on = selected(kind);
  cr_zero(lower, m->nC);
  cr_zero(upper, m->nC);
  if (fluid || any_full(m, on)) {
    add_bodies(m, d, on, fluid, lower, upper, work);
  }
  if (damper_on(m)) {
    add_dampers(m, d, lower, work);
    add_tendons(m, d, on, lower, upper, work);
  }
  add_actuators(m, d, on, lower, upper, work);
}

// ---- the bias force at v + sigma r and v - sigma r, without gravity: quadratic in the velocity

typedef struct {
  cr_model m;
  cr_data d;
  cr_real sigma;
  cr_real *c, *cvel, *cdof_dot;  // tangents or cotangents of the shifted run's own fields
} shifted;

static shifted shift_begin(const cr_model* m, const cr_data* d, const cr_real* r, cr_data* owner) {
  size_t nv = (size_t)m->nv, nb = (size_t)m->nbody;
  shifted s = {.m = *m, .d = *d, .sigma = 1};
  s.m.disableflags |= CR_DSBL_GRAVITY;
  s.m.ntendon = 0;  // only bodies move
  s.d.qvel = cri_push(owner, nv);
  s.d.cvel = cri_push(owner, 6 * nb);
  s.d.cdof_dot = cri_push(owner, 6 * nv);
  s.d.jnt_cvel = cri_push(owner, 6 * (size_t)m->njnt);
  s.d.bias_acc = cri_push(owner, 6 * nb);
  s.d.bias_frc = cri_push(owner, 6 * nb);
  s.d.qfrc_bias = cri_push(owner, nv);
  s.c = cri_push(owner, nv);
  s.cvel = cri_push(owner, 6 * nb);
  s.cdof_dot = cri_push(owner, 6 * nv);
  // exact for any sigma; this one makes the two terms of equal size, which is best for round-off
  cr_real v_norm = 0, r_norm = 0;
  for (int i = 0; i < m->nv; i++) {
    v_norm += d->qvel[i] * d->qvel[i];
    r_norm += r[i] * r[i];
  }
  if (v_norm > 0 && r_norm > 0) {
    s.sigma = cr_sqrt(v_norm / r_norm);
  }
  return s;
}

static void shift_to(shifted* s, const cr_data* d, const cr_real* r, cr_real side) {
  for (int i = 0; i < s->m.nv; i++) {
    s->d.qvel[i] = d->qvel[i] + side * s->sigma * r[i];
  }
  (void)cr_velocity(&s->m, &s->d);
  (void)cr_bias(&s->m, &s->d);
}

// with velocities computed again, so that it is a function of qvel, cdof and cinert
void cri_bias_qderiv(const cr_model* m, const cr_data* d, const int32_t* trees, cr_real* lower,
                     cr_real* upper, cr_data* work) {
  size_t mark = cri_mark(work);
  shifted at = shift_begin(m, d, d->qvel, work);
  shift_to(&at, d, d->qvel, 0);
  cr_zero(lower, m->nC);
  cr_zero(upper, m->nC);
  add_bodies(m, &at.d, (selection){false, trees, false}, false, lower, upper, work);
  cri_pop(work, mark);
}

// the twin of the shifted run: its own fields separate, all others those of `twin`
static cr_data shifted_twin(const shifted* s, const cr_data* twin) {
  cr_data x = *twin;
  x.qfrc_bias = s->c;
  x.cvel = s->cvel;
  x.cdof_dot = s->cdof_dot;
  return x;
}

// ---- gradients

static int passes_of(const cr_model* m, selection on) {
  return on.fast ? cri_simple_passes(m, CR_SIMPLE_BUT_FREE) : 1;
}

static void keep_pass(const cr_model* m, int passes, int pass, const cr_real* x, cr_real* kept) {
  if (passes == 1) {
    cr_copy(kept, x, m->nv);
  } else {
    (void)cri_simple_keep(m, CR_SIMPLE_BUT_FREE, pass, x, kept);
  }
}

static void dampers_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* l,
                        const cr_real* r, cr_real s) {
  size_t mark = cri_mark(bar);
  cr_real* D_bar = cri_push(bar, (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) {
    D_bar[i] = -s * l[i] * r[i];
  }
  cri_damper_qderiv_vjp(m, d, bar, CR_DAMPED_DOFS, D_bar);
  cri_pop(bar, mark);
}

// [qderiv.d2]'
static void actuators_vjp(const cr_model* m, const cr_data* d, cr_data* bar, selection on,
                          const cr_real* l, const cr_real* r, cr_real s) {
  size_t mark = cri_mark(bar);
  cr_real* c = cri_push(bar, (size_t)m->nout);
  cr_real* c_bar = cri_push(bar, (size_t)m->nout);
  cri_actuation_qderiv(m, d, CR_OVER_VELOCITY, c);
  cri_rows rows = moment_rows(m, d, on);
  cri_rank_one_vjp(m, &rows, c, l, r, s, c_bar, &bar->actuator_moment_pairs, bar);
  cri_actuation_qderiv_vjp(m, d, bar, CR_OVER_VELOCITY, c_bar);
  cri_pop(bar, mark);
}

// [qderiv.d5]'
static void tendons_vjp(const cr_model* m, const cr_data* d, cr_data* bar, selection on,
                        const cr_real* l, const cr_real* r, cr_real s) {
  size_t mark = cri_mark(bar);
  const cr_real* c = tendon_slopes(m, d, bar);
  cr_real* c_bar = cri_push(bar, (size_t)m->ntendon);
  cri_rows rows = tendon_rows(m, d, on);
  cri_rank_one_vjp(m, &rows, c, l, r, s, c_bar, &bar->ten_J_pairs, bar);
  for (int t = 0; t < m->ntendon; t++) {
    c_bar[t] = -c_bar[t];
  }
  cri_damper_qderiv_vjp(m, d, bar, CR_DAMPED_TENDONS, c_bar);
  cri_pop(bar, mark);
}

// pass by pass, where only the diagonal of simple bodies counts
static void fluid_vjp(const cr_model* m, const cr_data* d, cr_data* bar, selection on,
                      const cr_real* l, const cr_real* r, cr_real s) {
  size_t mark = cri_mark(bar);
  cri_fluid_part part = fluid_part(m, on, bar);
  cr_real *left = cri_push(bar, (size_t)m->nv), *right = cri_push(bar, (size_t)m->nv);
  int passes = passes_of(m, on);
  for (int pass = 0; pass < passes; pass++) {
    keep_pass(m, passes, pass, l, left);
    keep_pass(m, passes, pass, r, right);
    cri_fluid_qderiv_vjp(m, d, bar, part, left, right, s);
  }
  cri_pop(bar, mark);
}

// [qderiv.d4]' -s l . (c(v + sigma r) - c(v - sigma r)) / (2 sigma), through the stages that made c
static void bias_vjp(const cr_model* m, const cr_data* d, cr_data* bar, selection on,
                     const cr_real* l, const cr_real* r, cr_real s) {
  size_t mark = cri_mark(bar);
  cr_real* along = cri_push(bar, (size_t)m->nv);
  keep_full(m, on, r, along);
  shifted at = shift_begin(m, d, along, bar);
  for (int side = -1; side < 2; side += 2) {
    cr_data twin = shifted_twin(&at, bar);
    cr_zero(at.cvel, 6 * m->nbody);
    cr_zero(at.cdof_dot, 6 * m->nv);
    keep_full(m, on, l, at.c);
    for (int i = 0; i < m->nv; i++) {
      at.c[i] *= -(cr_real)side * s / (2 * at.sigma);
    }
    shift_to(&at, d, along, (cr_real)side);
    (void)cr_bias_vjp(&at.m, &at.d, &twin);
    (void)cr_velocity_vjp(&at.m, &at.d, &twin);
  }
  cri_pop(bar, mark);
}

void cri_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_qderiv_kind kind,
                    const cr_real* l, const cr_real* r, cr_real s) {
  selection on = selected(kind);
  if (damper_on(m)) {
    dampers_vjp(m, d, bar, l, r, s);
    tendons_vjp(m, d, bar, on, l, r, s);
  }
  actuators_vjp(m, d, bar, on, l, r, s);
  if (cri_fluid_matters(m, bar)) {
    fluid_vjp(m, d, bar, on, l, r, s);
  }
  if (any_full(m, on)) {
    bias_vjp(m, d, bar, on, l, r, s);
  }
}

// ---- tangents

static void actuators_jvp(const cr_model* m, const cr_data* d, cr_data* tan, selection on,
                          const cr_real* r, cr_real* y) {
  size_t mark = cri_mark(tan);
  cr_real* c = cri_push(tan, (size_t)m->nout);
  cr_real* c_tan = cri_push(tan, (size_t)m->nout);
  cri_actuation_qderiv(m, d, CR_OVER_VELOCITY, c);
  cri_actuation_qderiv_jvp(m, d, tan, CR_OVER_VELOCITY, c_tan);
  cri_rows rows = moment_rows(m, d, on);
  cri_rank_one_jvp(m, &rows, tan->actuator_moment, c, c_tan, r, y, tan);
  cri_pop(tan, mark);
}

static void tendons_jvp(const cr_model* m, const cr_data* d, cr_data* tan, selection on,
                        const cr_real* r, cr_real* y) {
  size_t mark = cri_mark(tan);
  const cr_real* c = tendon_slopes(m, d, tan);
  cr_real* c_tan = cri_push(tan, (size_t)m->ntendon);
  cri_damper_qderiv_jvp(m, d, tan, CR_DAMPED_TENDONS, c_tan);
  for (int t = 0; t < m->ntendon; t++) {
    c_tan[t] = -c_tan[t];
  }
  cri_rows rows = tendon_rows(m, d, on);
  cri_rank_one_jvp(m, &rows, tan->ten_J, c, c_tan, r, y, tan);
  cri_pop(tan, mark);
}

static void dampers_jvp(const cr_model* m, const cr_data* d, cr_data* tan, const cr_real* r,
                        cr_real* y) {
  size_t mark = cri_mark(tan);
  cr_real* D_tan = cri_push(tan, (size_t)m->nv);
  cri_damper_qderiv_jvp(m, d, tan, CR_DAMPED_DOFS, D_tan);
  for (int i = 0; i < m->nv; i++) {
    y[i] -= D_tan[i] * r[i];
  }
  cri_pop(tan, mark);
}

// (tangent of D) r, D whole
static void fluid_whole_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_fluid_part part,
                            const cr_real* r, cr_real* y) {
  size_t mark = cri_mark(tan), n = 6 * (size_t)m->nbody;
  cr_real *R = cri_push(tan, n), *R_tan = cri_push(tan, n);
  cr_real *G = cri_push(tan, n), *G_tan = cri_push(tan, n);
  cr_zero6(R);
  cr_zero6(R_tan);
  cri_tree_motions(m, d->cdof, r, R);
  cri_tree_motions(m, tan->cdof, r, R_tan);
  cri_fluid_qderiv_jvp(m, d, tan, part, R, R_tan, G, G_tan);
  cri_tree_gather(m, G, 6);
  cri_tree_gather(m, G_tan, 6);
  for (int i = 0; i < m->nv; i++) {
    int b = 6 * m->dof_bodyid[i];
    y[i] = cr_dot6(d->cdof + 6 * i, G_tan + b) + cr_dot6(tan->cdof + 6 * i, G + b);
  }
  cri_pop(tan, mark);
}

static void fluid_jvp(const cr_model* m, const cr_data* d, cr_data* tan, selection on,
                      const cr_real* r, cr_real* y) {
  size_t mark = cri_mark(tan);
  cri_fluid_part part = fluid_part(m, on, tan);
  cr_real *right = cri_push(tan, (size_t)m->nv), *whole = cri_push(tan, (size_t)m->nv);
  int passes = passes_of(m, on);
  for (int pass = 0; pass < passes; pass++) {
    keep_pass(m, passes, pass, r, right);
    fluid_whole_jvp(m, d, tan, part, right, whole);
    keep_pass(m, passes, pass, whole, right);
    for (int i = 0; i < m->nv; i++) {
      y[i] += right[i];
    }
  }
  cri_pop(tan, mark);
}

static void bias_jvp(const cr_model* m, const cr_data* d, cr_data* tan, selection on,
                     const cr_real* r, cr_real* y) {
  size_t mark = cri_mark(tan);
  cr_real* along = cri_push(tan, (size_t)m->nv);
  keep_full(m, on, r, along);
  shifted at = shift_begin(m, d, along, tan);
  for (int side = -1; side < 2; side += 2) {
    cr_data twin = shifted_twin(&at, tan);
    shift_to(&at, d, along, (cr_real)side);
    (void)cr_velocity_jvp(&at.m, &at.d, &twin);
    (void)cr_bias_jvp(&at.m, &at.d, &twin);
    for (int i = 0; i < m->nv; i++) {
      y[i] -= full(m, on, m->dof_bodyid[i]) ? (cr_real)side * at.c[i] / (2 * at.sigma) : 0;
    }
  }
  cri_pop(tan, mark);
}

void cri_qderiv_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_qderiv_kind kind,
                    const cr_real* r, cr_real* y) {
  selection on = selected(kind);
  if (damper_on(m)) {
    dampers_jvp(m, d, tan, r, y);
    tendons_jvp(m, d, tan, on, r, y);
  }
  actuators_jvp(m, d, tan, on, r, y);
  if (cri_fluid_matters(m, tan)) {
    fluid_jvp(m, d, tan, on, r, y);
  }
  if (any_full(m, on)) {
    bias_jvp(m, d, tan, on, r, y);
  }
}

void cri_bias_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const int32_t* trees,
                         const cr_real* l, const cr_real* r, cr_real s) {
  bias_vjp(m, d, bar, (selection){false, trees, false}, l, r, s);
}

void cri_bias_qderiv_jvp(const cr_model* m, const cr_data* d, cr_data* tan, const int32_t* trees,
                         const cr_real* r, cr_real* y) {
  bias_jvp(m, d, tan, (selection){false, trees, false}, r, y);
}
