// SPDX-License-Identifier: Apache-2.0
// Newton's method for the convex contact model, see convex_model.h.
//
// An evaluation of g costs two products with J and one with M; a factor of H costs about as much as
// all of these. Where rows are piecewise quadratic H depends only on their states, so a full step
// that changes no state lands on the minimum: the evaluation there both proves it and leaves the
// factor good for the derivative. The unit step is tried first, since near the solution it is the
// right one; if its slope along the line is not small a bracketed search finds where it vanishes.
//
// Islands are solved one after the other, each until it has converged by its own measure. Dofs that
// no row touches keep qacc_smooth.
#include "solver/convex_model.h"

#include "constraint/row_name.h"
#include "constraint/rows.h"
#include "math/cholesky.h"
#include "solver/conflict.h"
#include "solver/friction_cone.h"
#include "solver/friction_cone_bends.h"
#include "solver/idle_rows.h"
#include "solver/islands.h"
#include "solver/latent_friction.h"

enum {
  LEAST_ITERATIONS = 1000,
  LINE_ITERATIONS = 60,
  MOST_NEAR = 40,
  MAX_BLOCK = 2 * (CR_MAX_CONE - 1)
};

static const cr_real ROUND_OFF = 8 * CR_EPS;      // share of the scale that is as good as zero
static const cr_real ACCEPT = 4500 * CR_EPS;      // share below which a residual may come to rest
static const cr_real OWN = 64 * CR_EPS;           // the same share of the forces on one dof
static const cr_real FAR = 16;                    // changes of e, in units of e and aref
static const cr_real LOOSEST = CR_R(1e-9);        // largest residual, should rounding be that bad
static const cr_real FIRM = CR_R(1e-10);          // of the accelerations, what rounding may move
static const cr_real LINE_TOLERANCE = CR_R(0.1);  // of the slope at the start of the line
static const cr_real REST = CR_R(0.5);            // a residual that falls less has come to rest
static const cr_real STIFF = CR_R(1e-6);          // share of M in H below which digits matter

// a point and all that is evaluated there; of an island its dofs and rows alone
typedef struct {
  cr_real *a, *Ma, *q, *g;  // q = J' f
  cr_real *e, *f;
  int32_t* state;
  cr_real residual;  // largest entry of g over the largest of the island's forces
  cr_real share;     // largest entry of g over the forces on its own dof, where residual is small
} point;

typedef struct {
  const cr_model* m;
  cr_data* d;
  cr_runs dofs, rows;  // of the island
  const cr_real *mass, *tau;
  cr_real fastest_smooth;  // largest of qacc_smooth
  cr_pattern M, H;
  int nH;                      // non-zeros of H so far, islands before this one included
  bool tree;                   // M has the pattern of trees
  bool like_effective_mass;    // H has the pattern of M
  const cr_real* factored_at;  // the a of the point at which H was factored, NULL before
  int32_t* factored;           // and its states
  bool search;                 // whether the next step searches along its line, small as it may be
  cr_real way;                 // sum of the largest changes of e since it was made anew
} problem;

static point point_push(const cr_model* m, cr_data* d) {
  size_t v = (size_t)m->nv, n = (size_t)d->nefc;
  cr_real* x = cri_push(d, 4 * v + 2 * n);
  return (point){.a = x,
                 .Ma = x + v,
                 .q = x + 2 * v,
                 .g = x + 3 * v,
                 .e = x + 4 * v,
                 .f = x + 4 * v + n,
                 .state = cri_push_int(d, n)};
}

static cr_real dot(const cr_real* x, const cr_real* y, cr_runs at) {
  cr_real sum = 0;
  CR_EACH(i, at) { sum += x[i] * y[i]; }
  return sum;
}

static cr_real largest(const cr_real* x, cr_runs at) {
  cr_real most = 0;
  CR_EACH(i, at) { most = cr_max(most, cr_abs(x[i])); }
  return most;
}

// y = J x
static void rows_mul(const problem* p, cr_real* y, const cr_real* x) {
  for (int r = 0; r < p->rows.n; r++) {
    cri_rows_mul_run(p->m, p->d, p->d->efc_J, p->rows.run[r], y, x);
  }
}

static void rows_at(const problem* p, const cr_real* a, cr_real* e) {
  rows_mul(p, e, a);
  CR_EACH(i, p->rows) { e[i] -= p->d->efc_aref[i]; }
}

// s at qacc_smooth, where the rest of the objective is zero; e is scratch
static cr_real cost_at_smooth(const problem* p, cr_real* e) {
  cr_real cost = 0;
  rows_at(p, p->d->qacc_smooth, e);
  for (int r = 0; r < p->rows.n; r++) {
    cost += cri_constraint_cost(p->d, p->rows.run[r], e);
  }
  return cost;
}

// the objective at x, which has been evaluated
static cr_real cost_at(const problem* p, const point* x) {
  const cr_data* d = p->d;
  cr_real cost = 0;
  CR_EACH(i, p->dofs) { cost += (x->a[i] - d->qacc_smooth[i]) * (x->Ma[i] - p->tau[i]) / 2; }
  for (int r = 0; r < p->rows.n; r++) {
    cost += cri_constraint_cost_of(d, p->rows.run[r], x->e, x->f, x->state);
  }
  return cost;
}

static cr_real diagonal(const problem* p, int i) { return p->mass[p->M.adr[i] + p->M.nnz[i] - 1]; }

// The largest entry of g over the forces on its own dof: a light body beside heavy ones has forces
// that vanish in the rounding of theirs, and is to be right all the same. The forces that it would need
// for the largest acceleration, with rows or without, count too: on a body at rest all others cancel.
static cr_real own_share(const problem* p, const point* x) {
  cr_real most = 0, fastest = cr_max(largest(x->a, p->dofs), p->fastest_smooth);
  CR_EACH(i, p->dofs) {
    cr_real own = cr_abs(x->Ma[i]) + cr_abs(p->tau[i]) + diagonal(p, i) * fastest;
    cr_real g = cr_abs(x->g[i]);
    most = g > most * own ? g / own : most;
  }
  return most;
}

// [convex.c1] forces and g from x.e and x.Ma; the residual is infinite where a number is not finite
static void balance(const problem* p, point* x) {
  CR_EACH(i, p->dofs) { x->q[i] = 0; }
  for (int r = 0; r < p->rows.n; r++) {
    cri_constraint_force(p->d, p->rows.run[r], x->e, x->f, x->state);
    cri_rows_mul_transposed_run(p->m, p->d, p->d->efc_J, p->rows.run[r], x->q, x->f);
  }
  cr_real scale = 0, most = 0, sum = 0;
  CR_EACH(i, p->dofs) {
    cr_real tau = p->tau[i];
    x->g[i] = x->Ma[i] - tau - x->q[i];
    sum += x->g[i];
    most = cr_max(most, cr_abs(x->g[i]));
    scale = cr_max(scale, cr_max(cr_abs(tau), cr_max(cr_abs(x->Ma[i]), cr_abs(x->q[i]))));
  }
  x->residual = !isfinite(sum) ? (cr_real)INFINITY : (most > 0 ? most / scale : 0);
  x->share = x->residual <= ACCEPT ? own_share(p, x) : 1;
}

// everything at x.a
static void evaluate(const problem* p, point* x) {
  rows_at(p, x->a, x->e);
  cr_sparse_mul_part(x->Ma, p->mass, &p->M, p->dofs, x->a);
  balance(p, x);
}

// Everything at y = x + alpha s, u = J s and Ms = M s: e and M a take their change, which keeps the
// digits that J a - aref loses where its two terms are much larger than e.
static void evaluate_from(const problem* p, const point* x, const cr_real* s, const cr_real* u,
                          const cr_real* Ms, cr_real alpha, point* y) {
  CR_EACH(i, p->dofs) {
    y->a[i] = x->a[i] + alpha * s[i];
    y->Ma[i] = x->Ma[i] + alpha * Ms[i];
  }
  CR_EACH(i, p->rows) { y->e[i] = x->e[i] + alpha * u[i]; }
  balance(p, y);
}

// ---- [convex.c2] H = M - J' F' J

// whether the columns of every row are consecutive ancestors, so that H has no more entries than M
static bool along_trees(const problem* p) {
  const cr_data* d = p->d;
  for (int r = 0; r < p->rows.n; r++) {
    for (int i = p->rows.run[r].begin; i < p->rows.run[r].end; i += cri_rows_block(p->m, d, i)) {
      const int32_t* col = d->efc_J_colind + d->efc_J_rowadr[i];
      for (int k = 1; k < d->efc_J_rownnz[i]; k++) {
        bool nested = p->M.nnz[col[k]] == p->M.nnz[col[k - 1]] + 1;
        if (p->m->dof_parentid[col[k]] != col[k - 1] || !nested) {
          return false;
        }
      }
    }
  }
  return true;
}

// entries of M in these rows, which stand one behind the other
static int effective_mass_entries(const problem* p, cr_run dofs) {
  int last = dofs.end - 1;
  return p->M.adr[last] + p->M.nnz[last] - p->M.adr[dofs.begin];
}

// the columns of M
static void copy_pattern(problem* p) {
  int32_t *nnz = p->d->H_index, *adr = nnz + p->m->nv, *col = adr + p->m->nv;
  for (int r = 0; r < p->dofs.n; r++) {
    cr_run run = p->dofs.run[r];
    int n = effective_mass_entries(p, run), from = p->M.adr[run.begin];
    memcpy(col + p->nH, p->M.col + from, (size_t)n * sizeof *col);
    for (int i = run.begin; i < run.end; i++) {
      nnz[i] = p->M.nnz[i];
      adr[i] = p->nH + p->M.adr[i] - from;
    }
    p->nH += n;
  }
}

static void make_pattern(problem* p) {
  const cr_model* m = p->m;
  cr_data* d = p->d;
  p->like_effective_mass = p->tree && along_trees(p);
  if (p->like_effective_mass) {
    copy_pattern(p);
    return;
  }
  // the dofs of the island among themselves
  size_t mark = cri_mark(d);
  int32_t *number = cri_push_int(d, (size_t)m->nv), *name = cri_push_int(d, (size_t)m->nv), n = 0;
  CR_EACH(i, p->dofs) {
    number[i] = n;
    name[n++] = i;
  }
  // bit sets: the ancestors of each dof, and for each block of rows all its columns in the last
  size_t words = (size_t)cr_chol_words(n);
  uint64_t* bits = (uint64_t*)(void*)cri_push(d, (size_t)n * words);
  memset(bits, 0, (size_t)n * words * sizeof *bits);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < p->M.nnz[name[i]]; k++) {
      cr_chol_set(bits + (size_t)i * words, number[p->M.col[p->M.adr[name[i]] + k]]);
    }
  }
  for (int r = 0; r < p->rows.n; r++) {
    for (int i = p->rows.run[r].begin; i < p->rows.run[r].end; i += cri_rows_block(m, d, i)) {
      const int32_t* col = d->efc_J_colind + d->efc_J_rowadr[i];
      int nnz = d->efc_J_rownnz[i];
      for (int k = 0; k < nnz; k++) {
        cr_chol_set(bits + (size_t)number[col[nnz - 1]] * words, number[col[k]]);
      }
    }
  }
  p->nH = cr_chol_pattern_part(d->H_index, m->nv, p->nH, n, name, bits);
  cri_pop(d, mark);
}

static void set_to_effective_mass(const problem* p, cr_real* H) {
  for (int r = 0; r < p->dofs.n && p->like_effective_mass; r++) {
    int first = p->dofs.run[r].begin, n = effective_mass_entries(p, p->dofs.run[r]);
    cr_copy(H + p->H.adr[first], p->mass + p->M.adr[first], n);
  }
  if (p->like_effective_mass) {
    return;
  }
  CR_EACH(i, p->dofs) {
    const cr_real* from = p->mass + p->M.adr[i];
    const int32_t *col = p->M.col + p->M.adr[i], *at = p->H.col + p->H.adr[i];
    cr_real* to = H + p->H.adr[i];
    if (p->M.nnz[i] == p->H.nnz[i]) {
      cr_copy(to, from, p->M.nnz[i]);
      continue;
    }
    cr_zero(to, p->H.nnz[i]);
    for (int k = 0, t = 0; k < p->M.nnz[i]; k++, t++) {
      while (at[t] != col[k]) {
        t++;
      }
      to[t] = from[k];
    }
  }
}

// what a block of rows adds to H: the sum of s_k w_k x_k'
typedef struct {
  int n;
  cr_real s[MAX_BLOCK];
  const cr_real *w[MAX_BLOCK], *x[MAX_BLOCK];
} curvature;

// C = -F' of quadratic rows is D, of a cone full: there w_k = sum_l C_kl x_l, put into `work`
static void weigh_block(const problem* p, const point* at, int i, int block, cr_real* work,
                        curvature* c) {
  const cr_data* d = p->d;
  int n = d->efc_J_rownnz[i];
  const cr_real* J = d->efc_J + d->efc_J_rowadr[i];
  c->n = 0;
  if (at->state[i] != CR_STATE_CONE) {
    for (int k = 0; k < block; k++) {
      if (at->state[i + k] == CR_STATE_QUADRATIC) {
        c->s[c->n] = d->efc_D[i + k];
        c->w[c->n] = c->x[c->n] = J + k * n;
        c->n++;
      }
    }
    return;
  }
  cr_real C[CR_MAX_CONE * CR_MAX_CONE];
  cri_friction_cone_hessian(d, at->e, i, C);
  for (c->n = 0; c->n < block; c->n++) {
    cr_real* sum = work + c->n * n;
    for (int q = 0; q < n; q++) {
      sum[q] = C[c->n * block] * J[q];
    }
    for (int l = 1; l < block; l++) {
      for (int q = 0; q < n; q++) {
        sum[q] += C[c->n * block + l] * J[l * n + q];
      }
    }
    c->s[c->n] = 1;
    c->w[c->n] = sum;
    c->x[c->n] = J + c->n * n;
  }
}

// M is positive definite, or there would be no qacc_smooth; so this is rounding
static cr_status not_definite(const cr_model* m, cr_data* d, int dof) {
  int joint = m->dof_jntid[dof];
  return cri_fail(&d->error, CR_ERR_SOLVER,
                  "constraint solver: the inertia of joint %d \"%s\" (dof %d) is lost in rounding "
                  "beside the stiffness of its constraint rows",
                  joint, cri_name(m, m->name_jntadr, joint), dof);
}

// H += J' C J of these rows
static void add_rows(const problem* p, const point* at, cr_run rows, cr_real* work) {
  cr_data* d = p->d;
  for (int i = rows.begin, block; i < rows.end; i += block) {
    block = cri_rows_block(p->m, d, i);
    curvature c;
    weigh_block(p, at, i, block, work, &c);
    cr_sparse_update(d->H_factor, &p->H, d->efc_J_rownnz[i], d->efc_J_colind + d->efc_J_rowadr[i],
                     c.n, c.s, c.w, c.x);
  }
}

static cr_status factor(problem* p, const point* at) {
  cr_data* d = p->d;
  size_t mark = cri_mark(d);
  cr_real* work = cri_push(d, (size_t)(MAX_BLOCK * p->m->nv));
  set_to_effective_mass(p, d->H_factor);
  for (int r = 0; r < p->rows.n; r++) {
    add_rows(p, at, p->rows.run[r], work);
  }
  cri_pop(d, mark);
  CR_EACH(i, p->rows) { p->factored[i] = at->state[i]; }
  p->factored_at = at->a;
  int dof = cr_chol_factor_part(d->H_factor, &p->H, p->dofs);
  return dof < 0 ? CR_OK : not_definite(p->m, d, dof);
}

// whether the factor is that of H at `at`: H of quadratic rows depends on their states alone
static bool factor_is_current(const problem* p, const point* at) {
  if (p->factored_at == NULL) {
    return false;
  }
  CR_EACH(i, p->rows) {
    if (at->state[i] != p->factored[i] ||
        (at->state[i] == CR_STATE_CONE && at->a != p->factored_at)) {
      return false;
    }
  }
  return true;
}

// ---- [convex.c3] the line search

// The function along the line from x through y: slope and curvature at alpha.
typedef struct {
  const problem* p;
  const cr_real *e, *u;       // e at x, and its change from x to y
  cr_real linear, quadratic;  // p' (M a - tau) at x, p' M p
} line;

static void line_slope(const line* l, cr_real alpha, cr_real slope[2]) {
  slope[0] = l->linear + alpha * l->quadratic;
  slope[1] = l->quadratic;
  for (int r = 0; r < l->p->rows.n; r++) {
    cri_constraint_slope(l->p->d, l->p->rows.run[r], l->e, l->u, alpha, slope);
  }
}

// The alpha at which the slope is a small share of `start`, its value at 0. Newton steps on the
// slope, which is increasing; halving where one would leave the bracket.
static cr_real line_search(const line* l, cr_real start) {
  cr_real low = 0, high = 0, alpha = 1, slope[2];  // high 0: no upper end yet
  for (int i = 0; i < LINE_ITERATIONS; i++) {
    line_slope(l, alpha, slope);
    if (cr_abs(slope[0]) <= LINE_TOLERANCE * cr_abs(start)) {
      break;
    }
    *(slope[0] < 0 ? &low : &high) = alpha;
    cr_real next = alpha - slope[0] / slope[1];
    bool inside = next > low && (high == 0 || next < high);
    alpha = inside ? next : (low + high) / 2;
  }
  return alpha;
}

// ---- the iteration

static void start_at(const problem* p, point* x, const cr_real* a) {
  CR_EACH(i, p->dofs) { x->a[i] = a[i]; }
  evaluate(p, x);
}

// qacc_warmstart or qacc_smooth, whichever costs less, evaluated
static void start(const problem* p, point* x) {
  const cr_data* d = p->d;
  if ((p->m->disableflags & CR_DSBL_WARMSTART) == 0) {
    cr_real cost_smooth = cost_at_smooth(p, x->e);
    start_at(p, x, d->qacc_warmstart);
    if (cost_at(p, x) < cost_smooth) {
      return;
    }
  }
  start_at(p, x, d->qacc_smooth);
}

// One Newton step from x to y.
static cr_status step(problem* p, const point* x, point* y) {
  size_t nv = (size_t)p->m->nv;
  if (!factor_is_current(p, x)) {
    CR_TRY(factor(p, x));
  }
  size_t mark = cri_mark(p->d);
  cr_real* s = cri_push(p->d, nv);
  cr_real* Ms = cri_push(p->d, nv);
  cr_real* u = cri_push(p->d, (size_t)p->d->nefc);
  CR_EACH(i, p->dofs) { s[i] = -x->g[i]; }
  cr_chol_solve_part(p->d->H_factor, &p->H, p->dofs, s);
  cr_sparse_mul_part(Ms, p->mass, &p->M, p->dofs, s);
  rows_mul(p, u, s);
  evaluate_from(p, x, s, u, Ms, 1, y);
  cr_real alpha = 1;

  // stay at the unit step where the slope is small enough there, or all that is left is rounding
  cr_real slope = dot(x->g, s, p->dofs);
  bool small = cr_abs(dot(y->g, s, p->dofs)) <= LINE_TOLERANCE * cr_abs(slope);
  if (!small && !factor_is_current(p, y) && (x->residual > ACCEPT || p->search)) {
    line l = {.p = p, .e = x->e, .u = u, .quadratic = dot(s, Ms, p->dofs)};
    l.linear = dot(x->Ma, s, p->dofs) - dot(p->tau, s, p->dofs);
    alpha = line_search(&l, slope);
    evaluate_from(p, x, s, u, Ms, alpha, y);
  }
  p->way += alpha * largest(u, p->rows);
  cri_pop(p->d, mark);
  return CR_OK;
}

// y += |M| |x|
static void add_sizes(const problem* p, const cr_real* x, cr_real* y) {
  CR_EACH(i, p->dofs) {
    const cr_real* M = p->mass + p->M.adr[i];
    const int32_t* col = p->M.col + p->M.adr[i];
    int diagonal = p->M.nnz[i] - 1;
    y[i] += cr_abs(M[diagonal] * x[i]);
    for (int k = 0; k < diagonal; k++) {
      y[i] += cr_abs(M[k] * x[col[k]]);
      y[col[k]] += cr_abs(M[k] * x[i]);
    }
  }
}

// a force at x with the two terms that it may be the difference of, near the boundary of a cone
static cr_real force_size(const problem* p, const point* x, int i) {
  bool stiff = x->state[i] == CR_STATE_QUADRATIC || x->state[i] == CR_STATE_CONE;
  return cr_abs(x->f[i]) + (stiff ? p->d->efc_D[i] * cr_abs(x->e[i]) : 0);
}

// more than any of the sums in is_rounding, at a fraction of their cost
static cr_real most_noise(const problem* p, const point* x) {
  const cr_data* d = p->d;
  cr_real M = 0, a = 0, J = 0, f = 0;
  CR_EACH(i, p->dofs) {
    M = cr_max(M, diagonal(p, i));
    a += cr_abs(x->a[i]);
  }
  CR_EACH(i, p->rows) {
    f += force_size(p, x, i);
    for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
      J = cr_max(J, cr_abs(d->efc_J[k]));
    }
  }
  return 2 * (largest(p->tau, p->dofs) + M * a + J * f);
}

// Whether what is left of g is rounding of the terms that it is the sum of.
static bool is_rounding(const problem* p, const point* x) {
  const cr_data* d = p->d;
  if (largest(x->g, p->dofs) > 4 * ROUND_OFF * most_noise(p, x)) {
    return false;
  }
  size_t mark = cri_mark(p->d);
  cr_real* noise = cri_push(p->d, (size_t)p->m->nv);
  CR_EACH(i, p->dofs) { noise[i] = cr_abs(p->tau[i]); }
  add_sizes(p, x->a, noise);
  CR_EACH(i, p->rows) {
    cr_real f = force_size(p, x, i);
    int adr = d->efc_J_rowadr[i];
    for (int k = adr; k < adr + d->efc_J_rownnz[i]; k++) {
      noise[d->efc_J_colind[k]] += cr_abs(d->efc_J[k]) * f;
    }
  }
  bool all = true;
  CR_EACH(i, p->dofs) { all = all && cr_abs(x->g[i]) <= 4 * ROUND_OFF * noise[i]; }
  cri_pop(p->d, mark);
  return all;
}

// What e lost on a long way to x is made good by evaluating it anew; false where there is none.
static bool came_from_far(problem* p, point* x) {
  cr_real size = 0;
  CR_EACH(i, p->rows) { size = cr_max(size, cr_abs(x->e[i]) + cr_abs(p->d->efc_aref[i])); }
  if (p->way <= FAR * size) {
    return false;
  }
  p->way = 0;
  evaluate(p, x);
  return true;
}

// Largest acceleration that the island knows: its own, and what rows that push ask for.
static cr_real acceleration_scale(const problem* p, const point* x) {
  const cr_data* d = p->d;
  cr_real most = largest(x->a, p->dofs);
  CR_EACH(i, p->rows) {
    cr_real J = 0;
    for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
      J = cr_max(J, cr_abs(d->efc_J[k]));
    }
    most = x->f[i] != 0 && J > 0 ? cr_max(most, cr_abs(d->efc_aref[i]) / J) : most;
  }
  return most;
}

// How far what is left of g, however much of the forces it is, can move the acceleration: |H^-1 g| over
// the scale above. Rows so stiff that their forces are known to few digits only hold it the better.
static cr_status freedom(problem* p, const point* x, cr_real* moved) {
  if (!factor_is_current(p, x)) {
    CR_TRY(factor(p, x));
  }
  size_t mark = cri_mark(p->d);
  cr_real* left = cri_push(p->d, (size_t)p->m->nv);
  CR_EACH(i, p->dofs) { left[i] = x->g[i]; }
  cr_chol_solve_part(p->d->H_factor, &p->H, p->dofs, left);
  cr_real most = largest(left, p->dofs);
  cri_pop(p->d, mark);
  *moved = most > 0 ? most / acceleration_scale(p, x) : 0;
  return CR_OK;
}

// ---- what to say where it does not converge

static cr_status no_convergence(const problem* p, const point* x, int iterations) {
  cr_data* d = p->d;
  int dof = p->dofs.run[0].begin;
  CR_EACH(i, p->dofs) { dof = cr_abs(x->g[i]) > cr_abs(x->g[dof]) ? i : dof; }
  cri_conflict c = cri_conflict_at(d, p->rows, x->f, dof);
  cri_conflict_text what = cri_conflict_say(p->m, d, &c);
  if (what.text[0] != '\0') {
    return cri_fail(
        &d->error, CR_ERR_SOLVER,
        "constraint solver: residual %g of the largest force after %d iterations, since "
        "%s, and what they leave is rounding",
        (double)x->residual, iterations, what.text);
  }
  int stiffest = p->rows.run[0].begin;
  CR_EACH(i, p->rows) { stiffest = d->efc_D[i] > d->efc_D[stiffest] ? i : stiffest; }
  return cri_fail(&d->error, CR_ERR_SOLVER,
                  "constraint solver: residual %g of the largest force after %d iterations; the "
                  "stiffest row, %d of %s, has an efc_D of %g",
                  (double)x->residual, iterations, stiffest, cri_row_name(p->m, d, stiffest).text,
                  (double)d->efc_D[stiffest]);
}

// ---- the end

static bool is_solved(const problem* p, const point* x) {
  return x->residual <= cr_max(p->m->tolerance, ROUND_OFF) && x->share <= OWN;
}

// whether going on from x to y and further is not worth it: y is hardly better, and both are rounding
static bool rests_at(const problem* p, const point* x, const point* y) {
  if (y->residual <= REST * x->residual) {
    return false;
  }
  if (x->residual <= ACCEPT) {
    return y->residual > ACCEPT || y->share > REST * x->share;
  }
  return is_rounding(p, y) && is_rounding(p, x);
}

static bool is_better(const point* x, const point* than) {
  return x->residual <= ACCEPT && than->residual <= ACCEPT ? x->share < than->share
                                                           : x->residual < than->residual;
}

// What the iteration has come to rest at is an answer where rounding leaves little of the forces, or moves
// the acceleration by little.
static cr_status ask_firm(problem* p, const point* x, bool* firm) {
  *firm = x->residual <= LOOSEST && x->share <= LOOSEST;
  if (*firm) {
    return CR_OK;
  }
  cr_real moved;
  CR_TRY(freedom(p, x, &moved));
  *firm = moved <= FIRM;
  return CR_OK;
}

// J' f at rest is what M a - tau says, to more digits than its sum.
static void take_force(const problem* p, point* x) {
  if (x->residual > ACCEPT || x->share > LOOSEST) {
    CR_EACH(i, p->dofs) { x->q[i] = x->Ma[i] - p->tau[i]; }
  }
}

static void swap(point* x, point* y) {
  point z = *x;
  *x = *y;
  *y = z;
}

// Iterates from *x, with *y to go on to; *x is the solution in the end. Where rounding is all that is left,
// residual and share may fall in turn without end, or rise for some steps until light bodies are right too.
static cr_status iterate(problem* p, point* x, point* y) {
  cr_data* d = p->d;
  int most = p->m->iterations > LEAST_ITERATIONS ? p->m->iterations : LEAST_ITERATIONS;
  for (int n = 0, near = 0;; n++) {
    d->solver_iterations = n > d->solver_iterations ? n : d->solver_iterations;
    if (is_solved(p, x) && !came_from_far(p, x)) {
      return CR_OK;
    }
    if (n >= most) {
      return no_convergence(p, x, n);
    }
    CR_TRY(step(p, x, y));
    bool rests = !p->search && rests_at(p, x, y);
    p->search = false;
    near += rests || x->residual <= ACCEPT;
    bool better = is_better(y, x);
    if (!rests || better) {
      swap(x, y);
    }
    if ((!rests || came_from_far(p, x)) && near <= MOST_NEAR) {
      continue;
    }
    bool firm;
    CR_TRY(ask_firm(p, x, &firm));
    if (firm) {
      take_force(p, x);
      return CR_OK;
    }
    if (near > MOST_NEAR || is_rounding(p, x)) {
      return no_convergence(p, x, n);
    }
    // on from y, though it is no better
    p->search = true;
    if (!better) {
      swap(x, y);
    }
  }
}

static cr_status rows_finite(const problem* p, const cr_real* e) {
  cr_data* d = p->d;
  CR_EACH(i, p->rows) {
    if (!isfinite(e[i] * d->efc_D[i])) {
      return cri_fail(&d->error, CR_ERR_NONFINITE, "constraint solver: row %d of %s is not finite",
                      i, cri_row_name(p->m, d, i).text);
    }
  }
  return CR_OK;
}

static void keep(const problem* p, const point* x) {
  cr_data* d = p->d;
  d->solver_residual = cr_max(d->solver_residual, x->residual);
  CR_EACH(i, p->dofs) {
    d->acc_qacc[i] = x->a[i];
    d->qfrc_constraint[i] = x->q[i];
  }
  CR_EACH(i, p->rows) {
    d->acc_jar[i] = x->e[i];
    d->acc_force[i] = x->f[i];
    d->efc_state[i] = x->state[i];
  }
}

// one island, with two points to go between
static cr_status solve_island(problem* p, point x, point y) {
  p->factored_at = NULL;
  p->way = 0;
  p->search = false;
  p->fastest_smooth = largest(p->d->qacc_smooth, p->dofs);
  make_pattern(p);
  start(p, &x);
  cr_status status = rows_finite(p, x.e);
  if (status == CR_OK) {
    status = iterate(p, &x, &y);
  }
  // the derivative needs the factor at the solution
  if (status == CR_OK && !factor_is_current(p, &x)) {
    status = factor(p, &x);
  }
  keep(p, &x);
  return status;
}

static cr_status solve(const cr_model* m, cr_data* d, const cr_mass_view* mass) {
  size_t mark = cri_mark(d);
  cri_islands islands = cri_islands_find(m, d, mass->tree ? NULL : &mass->pattern);
  problem p = {.m = m,
               .d = d,
               .mass = mass->value,
               .tau = mass->tau,
               .M = mass->pattern,
               .H = cr_chol_pattern_view(m->nv, d->H_index),
               .tree = mass->tree};
  p.factored = cri_push_int(d, (size_t)d->nefc);
  point x = point_push(m, d), y = point_push(m, d);
  cr_copy(d->acc_qacc, d->qacc_smooth, m->nv);
  cr_zero(d->qfrc_constraint, m->nv);
  cr_status status = CR_OK;
  for (int k = 0; k < islands.n && status == CR_OK; k++) {
    p.dofs = cri_island_dofs(&islands, k);
    p.rows = cri_island_rows(&islands, k);
    status = solve_island(&p, x, y);
  }
  cri_pop(d, mark);
  return status;
}

// H is symmetric here, so it is its own transpose
static void linear(const cr_model* m, const cr_data* d, cr_runs dofs, const cri_right_sides* x,
                   cr_data* work) {
  cr_pattern H = cr_chol_pattern_view(m->nv, d->H_index);
  (void)work;
  if (x->n == 1 && x->ld == 1) {
    cr_chol_solve_part(d->H_factor, &H, dofs, x->X);
  } else {
    cr_chol_solve_many_part(d->H_factor, &H, dofs, x->n, x->ld, x->X);
  }
}

static cr_real inertia(const cr_model* m, const cr_data* d, int dof) {
  return d->M[m->M_rowadr[dof] + m->M_rownnz[dof] - 1];
}

// Whether D J_k^2 of a row whose force moves is so much more than M_kk, of which none is less than
// `least`. Pivots do not tell: where a row moves a first dof little, each pivot takes a part of it.
static bool stiff_row(const cr_model* m, const cr_data* d, int row, cr_real least) {
  const int32_t* col = d->efc_J_colind + d->efc_J_rowadr[row];
  const cr_real* J = d->efc_J + d->efc_J_rowadr[row];
  int n = d->efc_J_rownnz[row];
  cr_real D = d->efc_D[row] * STIFF, sum = 0;
  for (int k = 0; k < n; k++) {
    sum += J[k] * J[k];
  }
  for (int k = 0; k < n && D * sum > least; k++) {
    if (D * J[k] * J[k] > inertia(m, d, col[k])) {
      return true;
    }
  }
  return false;
}

// pivots of H against the diagonal of M: their ratio times the rounding of a number is what is lost
static bool delicate(const cr_model* m, const cr_data* d) {
  cr_pattern H = cr_chol_pattern_view(m->nv, d->H_index);
  cr_real least = CR_MAX;
  for (int i = 0; i < m->nv; i++) {
    if (d->tree_island[m->dof_treeid[i]] < 0) {
      continue;
    }
    cr_real inv_pivot = d->H_factor[H.adr[i] + H.nnz[i] - 1], M = inertia(m, d, i);
    if (M * inv_pivot * inv_pivot < STIFF) {
      return true;
    }
    least = cr_min(least, M);
  }
  for (int i = 0; i < d->nefc; i++) {
    bool moves = d->efc_state[i] == CR_STATE_QUADRATIC || d->efc_state[i] == CR_STATE_CONE;
    if (moves && stiff_row(m, d, i, least)) {
      return true;
    }
  }
  return false;
}

static cr_status force(const cr_model* m, cr_data* d) {
  (void)m;
  cri_constraint_force(d, cri_all_rows(d), d->acc_jar, d->acc_force, d->efc_state);
  return CR_OK;
}

static void force_jvp(const cr_model* m, const cr_data* d, const cr_data* tan, const cr_real* e_tan,
                      cr_real* f_tan) {
  (void)m;
  cri_constraint_jvp(d, cri_all_rows(d), d->acc_jar, tan, e_tan, f_tan);
}

static void force_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* f_bar,
                      cr_real* e_bar) {
  (void)m;
  cri_constraint_vjp(d, cri_all_rows(d), d->acc_jar, bar, f_bar, e_bar);
}

static bool sees_motion(const cr_model* m) {
  (void)m;
  return false;
}

const cr_contact_model cri_convex = {.solve = solve,
                                     .linear = linear,
                                     .delicate = delicate,
                                     .force = force,
                                     .force_jvp = force_jvp,
                                     .force_vjp = force_vjp,
                                     .latent_jvp = cri_latent_jvp,
                                     .latent_vjp = cri_latent_vjp,
                                     .creeps = cri_latent_friction_creeps,
                                     .in_doubt = cri_idle_rows_in_doubt,
                                     .bends = cri_friction_cone_bends,
                                     .has_directions = cri_friction_cone_has_directions,
                                     .sees_motion = sees_motion};
