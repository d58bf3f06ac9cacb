// SPDX-License-Identifier: Apache-2.0
// [newton.n1] to [newton.n4] over all dofs in islands at once. H has no entries between islands.
#include "solver/newton_model.h"

#include "constraint/rows.h"
#include "law/gauss_seidel.h"
#include "math/dense_lu.h"
#include "model/added_contact.h"
#include "model/model_options.h"
#include "solver/contact_law.h"
#include "solver/friction_cone.h"
#include "solver/idle_rows.h"
#include "solver/islands.h"
#include "solver/latent_friction.h"

enum { LEAST_STEPS = 400, LINE_STEPS = 60, CORRECTIONS = 8, ROUNDS = 4, NEWTON_STEPS = 40 };

static const cr_real ENOUGH = 4096 * CR_EPS;  // residual that may come to rest
static const cr_real NOISE = 32 * CR_EPS;     // of the sizes of all terms of g, what is rounding
static const cr_real LOOSEST = CR_R(1e-9);    // residual that may be rounding
static const cr_real LEFT = CR_R(1e-10);      // residual that a solver of one's own may leave
static const cr_real LINE_TOLERANCE = CR_R(0.1);  // of g along the line at its start
static const cr_real SHORTEST = CR_R(1e-6);       // step of t along the path
static const cr_real NEAR = CR_R(0.01);  // of such a step, what a point may be off the path
// forces below which numbers have no full precision: motion that has died out, as of a body that friction stopped
static const cr_real SMALLEST = CR_R(1e-280);
static const cr_real STIFF = CR_R(1e-6);  // share of M in H below which digits matter

typedef struct {
  const cr_model* m;
  cr_data* d;
  const cr_mass_view* mass;
  cr_runs dofs;  // in islands
} problem;

// a point and all that is evaluated there
typedef struct {
  cr_real *a, *e, *f, *Ma, *q, *g;  // q = J' f
  int32_t* state;
  cr_real residual;  // largest entry of g over the largest force; CR_MAX where one is not finite
} point;

static point push_point(const problem* p) {
  size_t v = (size_t)p->m->nv, n = (size_t)p->d->nefc;
  return (point){.a = cri_push(p->d, v),
                 .e = cri_push(p->d, n),
                 .f = cri_push(p->d, n),
                 .Ma = cri_push(p->d, v),
                 .q = cri_push(p->d, v),
                 .g = cri_push(p->d, v),
                 .state = cri_push_int(p->d, n)};
}

// two points; forces that do not depend on e stay what they are here
static void push_points(const problem* p, point* x, point* y) {
  const cr_data* d = p->d;
  *x = push_point(p);
  *y = push_point(p);
  cri_contact_law_force(p->m, d, cri_all_rows(d), d->efc_aref, x->f, x->state);
  cr_copy(y->f, x->f, d->nefc);
  memcpy(y->state, x->state, (size_t)d->nefc * sizeof *x->state);
}

static void swap(point* x, point* y) {
  point z = *x;
  *x = *y;
  *y = z;
}

static void evaluate(const problem* p, point* x) {
  const cr_data* d = p->d;
  cr_real most = 0, scale = 0;
  bool finite = true;
  cri_rows_mul(p->m, d, d->efc_J, x->e, x->a);
  for (int i = 0; i < d->nefc; i++) {
    x->e[i] -= d->efc_aref[i];
  }
  cri_contact_law_force_again(p->m, d, x->e, x->f, x->state);
  cr_zero(x->q, p->m->nv);
  cri_rows_mul_transposed(p->m, d, d->efc_J, x->q, x->f);
  cr_sparse_mul(x->Ma, p->mass->value, &p->mass->pattern, x->a);
  // [newton.n1]
  CR_EACH(i, p->dofs) {
    cr_real tau = p->mass->tau[i];
    x->g[i] = x->Ma[i] - tau - x->q[i];
    finite = finite && isfinite(x->g[i]);
    most = cr_max(most, cr_abs(x->g[i]));
    scale = cr_max(scale, cr_max(cr_abs(x->Ma[i]), cr_max(cr_abs(tau), cr_abs(x->q[i]))));
  }
  x->residual = !finite ? CR_MAX : (scale > SMALLEST ? most / scale : 0);
}

// ---- [newton.n2]

// tangents of what laws read besides e: none
static cr_data push_none(const cr_data* d, cr_data* owner) {
  int most = d->nefc > 5 * d->ncon ? d->nefc : 5 * d->ncon;
  cr_real* zero = cri_push(owner, (size_t)most);
  cr_zero(zero, most);
  return (cr_data){.efc_D = zero,
                   .efc_frictionloss = zero,
                   .efc_pos = zero,
                   .efc_margin = zero,
                   .efc_vel = zero,
                   .contact_mu = zero,
                   .contact_friction = zero,
                   .contact_weight = zero,
                   .contact_area = zero,
                   .contact_stiffness = zero,
                   .contact_hunt_crossley = zero};
}

// H -= J_r' slope J_s, of two rows of a block
static void subtract_product(const cr_data* d, int nv, int r, int s, cr_real slope, cr_real* H) {
  int n = d->efc_J_rownnz[r];
  const int32_t* col = d->efc_J_colind + d->efc_J_rowadr[r];
  const cr_real *left = d->efc_J + d->efc_J_rowadr[r], *right = d->efc_J + d->efc_J_rowadr[s];
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) {
      H[(ptrdiff_t)col[a] * nv + col[b]] -= left[a] * slope * right[b];
    }
  }
}

// F' at e, column by column
typedef struct {
  cr_real *seed, *slope;
  cr_data none;
} columns;

static columns push_columns(cr_data* d) {
  size_t n = (size_t)d->nefc;
  columns c = {cri_push(d, n), cri_push(d, n), push_none(d, d)};
  cr_zero(c.seed, d->nefc);
  return c;
}

// column s, of the rows of its block
static const cr_real* column(const problem* p, columns* c, cr_run block, const cr_real* e, int s) {
  c->seed[s] = 1;
  cri_contact_law_jvp(p->m, p->d, block, e, &c->none, c->seed, c->slope);
  c->seed[s] = 0;
  return c->slope;
}

static void form(const problem* p, const cr_real* e, cr_real* H) {
  cr_data* d = p->d;
  int nv = p->m->nv;
  const cr_pattern* M = &p->mass->pattern;
  size_t mark = cri_mark(d);
  columns c = push_columns(d);
  CR_EACH(i, p->dofs) { cr_zero(H + (ptrdiff_t)i * nv, nv); }
  CR_EACH(i, p->dofs) {
    for (int k = M->adr[i]; k < M->adr[i] + M->nnz[i]; k++) {
      H[(ptrdiff_t)i * nv + M->col[k]] = H[(ptrdiff_t)M->col[k] * nv + i] = p->mass->value[k];
    }
  }
  for (int i = 0, end; i < d->nefc; i = end) {
    end = i + cri_rows_block(p->m, d, i);
    for (int s = cri_contact_law_is_explicit(p->m, d, i) ? end : i; s < end; s++) {
      const cr_real* slope = column(p, &c, (cr_run){i, end}, e, s);
      for (int r = i; r < end; r++) {
        subtract_product(d, nv, r, s, slope[r], H);
      }
    }
  }
  cri_pop(d, mark);
}

// ---- rounding

// the terms that e of a row is the sum of
static cr_real size_of_e(const cr_data* d, const cr_real* a, int r) {
  cr_real size = cr_abs(d->efc_aref[r]);
  for (int k = d->efc_J_rowadr[r]; k < d->efc_J_rowadr[r] + d->efc_J_rownnz[r]; k++) {
    size += cr_abs(d->efc_J[k] * a[d->efc_J_colind[k]]);
  }
  return size;
}

// |M a| and |tau|, with all terms of their sums
static void add_inertial(const problem* p, const cr_real* a, cr_real* sizes) {
  const cr_pattern* M = &p->mass->pattern;
  CR_EACH(i, p->dofs) {
    sizes[i] += cr_abs(p->mass->tau[i]);
    for (int k = M->adr[i]; k < M->adr[i] + M->nnz[i]; k++) {
      int j = M->col[k];
      sizes[i] += cr_abs(p->mass->value[k] * a[j]);
      sizes[j] += j != i ? cr_abs(p->mass->value[k] * a[i]) : 0;
    }
  }
}

// Whether what is left of g is rounding of the terms that it is the sum of: of e too, times F'.
static bool is_rounding(const problem* p, const point* x) {
  cr_data* d = p->d;
  size_t mark = cri_mark(d);
  columns c = push_columns(d);
  cr_real *sizes = cri_push(d, (size_t)p->m->nv), *force = cri_push(d, (size_t)d->nefc);
  cr_zero(sizes, p->m->nv);
  add_inertial(p, x->a, sizes);
  for (int i = 0; i < d->nefc; i++) {
    force[i] = cr_abs(x->f[i]);
  }
  for (int i = 0, end; i < d->nefc; i = end) {
    end = i + cri_rows_block(p->m, d, i);
    for (int s = i; s < end; s++) {
      const cr_real* slope = column(p, &c, (cr_run){i, end}, x->e, s);
      cr_real size = size_of_e(d, x->a, s);
      for (int r = i; r < end; r++) {
        force[r] += cr_abs(slope[r]) * size;
      }
    }
  }
  for (int r = 0; r < d->nefc; r++) {
    for (int k = d->efc_J_rowadr[r]; k < d->efc_J_rowadr[r] + d->efc_J_rownnz[r]; k++) {
      sizes[d->efc_J_colind[k]] += cr_abs(d->efc_J[k]) * force[r];
    }
  }
  bool all = true;
  CR_EACH(i, p->dofs) { all = all && cr_abs(x->g[i]) <= NOISE * sizes[i]; }
  cri_pop(d, mark);
  return all;
}

// ---- [newton.n3]

static cr_real along(const problem* p, const cr_real* s, const point* x) {
  cr_real sum = 0;
  CR_EACH(i, p->dofs) { sum += s[i] * x->g[i]; }
  return sum;
}

static void advance(const problem* p, const point* x, const cr_real* s, point* y) {
  cr_real low = 0, high = 0, alpha = 1, start = along(p, s, x);
  for (int k = 0; k < LINE_STEPS; k++) {
    cr_copy(y->a, x->a, p->m->nv);
    CR_EACH(i, p->dofs) { y->a[i] = x->a[i] - alpha * s[i]; }
    evaluate(p, y);
    cr_real left = along(p, s, y);
    bool finite = y->residual < CR_MAX;
    if (finite && cr_abs(left) <= LINE_TOLERANCE * cr_abs(start)) {
      return;
    }
    *(finite && (left < 0) == (start < 0) ? &low : &high) = alpha;
    alpha = high == 0 ? 2 * alpha : (low + high) / 2;
  }
}

// the contact model of the model, or another one that is in use where that is convex
static const char* name_of(const problem* p) {
  const cr_model* m = p->m;
  int32_t model = m->contact_model != CR_CONTACT_CONVEX ? m->contact_model : CR_CONTACT_CONVEX + 1;
  while (!cri_contact_in_use(m, model)) {
    model++;
  }
  return cri_choice_word(m, cri_option_find("contact_model"), model);
}

static cr_status fail(const problem* p, const point* x, const char* why) {
  return cri_fail(&p->d->error, CR_ERR_SOLVER,
                  "contact model '%s': %s, with residual %g after %d steps", name_of(p), why,
                  (double)x->residual, p->d->solver_iterations);
}

// the factors of H at x; false where it has no inverse
static bool has_factors(const problem* p, const point* x) {
  cr_data* d = p->d;
  form(p, x->e, d->H_factor);
  return cr_dense_lu_factor(d->H_factor, p->m->nv, p->dofs, d->H_index);
}

static cr_status factor(const problem* p, const point* x) {
  return has_factors(p, x)
             ? CR_OK
             : fail(p, x, "the derivative of its forces makes a matrix without inverse");
}

// ---- [newton.n4]

// the largest entry of g - t g0
static cr_real off_path(const problem* p, const point* x, const cr_real* g0, cr_real t) {
  cr_real most = 0;
  CR_EACH(i, p->dofs) { most = cr_max(most, cr_abs(x->g[i] - t * g0[i])); }
  return x->residual < CR_MAX ? most : CR_MAX;
}

// from the point x of the path to that at t in y, `most` off it at the end; false: not reached
static bool correct(const problem* p, const point* x, const cr_real* g0, cr_real t, cr_real most,
                    point* y, cr_real* s) {
  cr_copy(y->a, x->a, p->m->nv);
  evaluate(p, y);
  for (int k = 0; k < CORRECTIONS; k++) {
    if (!has_factors(p, y)) {
      return false;
    }
    CR_EACH(i, p->dofs) { s[i] = y->g[i] - t * g0[i]; }
    cr_dense_lu_solve(p->d->H_factor, p->m->nv, p->dofs, p->d->H_index, false, s, 1);
    CR_EACH(i, p->dofs) { y->a[i] -= s[i]; }
    evaluate(p, y);
    p->d->solver_iterations++;
    if (off_path(p, y, g0, t) <= most) {
      return true;
    }
  }
  return false;
}

// x from t = 1 to t = 0, or as far as it goes; y, s and g0 are scratch
static void follow(const problem* p, point* x, point* y, cr_real* s, cr_real* g0) {
  cr_real t = 1, step = CR_R(0.125), size = off_path(p, x, x->g, 0);
  cr_copy(g0, x->g, p->m->nv);
  while (t > 0 && step >= SHORTEST) {
    cr_real next = cr_max(0, t - step);
    if (correct(p, x, g0, next, NEAR * step * size, y, s)) {
      swap(x, y);
      t = next;
      step *= 2;
    } else {
      step /= 4;
    }
  }
}

// from x, with the factors of H at the solution; y and s are scratch
static cr_status iterate(const problem* p, point* x, point* y, cr_real* s, int steps) {
  cr_data* d = p->d;
  int most = d->solver_iterations;
  most += p->m->iterations > steps && steps == LEAST_STEPS ? p->m->iterations : steps;
  if (!(x->residual < CR_MAX)) {
    return cri_fail(&d->error, CR_ERR_NONFINITE, "contact model '%s': a force is not finite",
                    name_of(p));
  }
  for (; d->solver_iterations < most; d->solver_iterations++) {
    CR_TRY(factor(p, x));
    if (x->residual <= CR_EPS) {
      return CR_OK;
    }
    cr_copy(s, x->g, p->m->nv);
    cr_dense_lu_solve(d->H_factor, p->m->nv, p->dofs, d->H_index, false, s, 1);
    advance(p, x, s, y);
    if (!(y->residual < x->residual) &&
        (x->residual <= ENOUGH || (x->residual <= LOOSEST && is_rounding(p, x)))) {
      return CR_OK;
    }
    if (!(y->residual < CR_MAX)) {
      break;
    }
    swap(x, y);
  }
  return fail(p, x, "its solve does not converge");
}

// at qacc_warmstart or qacc_smooth, whichever leaves less; y is scratch
static void start(const problem* p, point* x, point* y) {
  bool warm = (p->m->disableflags & CR_DSBL_WARMSTART) == 0;
  cr_copy(x->a, p->d->qacc_smooth, p->m->nv);
  evaluate(p, x);
  if (warm) {
    cr_copy(y->a, p->d->qacc_smooth, p->m->nv);
    CR_EACH(i, p->dofs) { y->a[i] = p->d->qacc_warmstart[i]; }
    evaluate(p, y);
    if (y->residual < x->residual) {
      swap(x, y);
    }
  }
}

// [ncp.n4] from the forces f, which go on; x is where they lead to if that leaves less, y is scratch
static void sweep(const problem* p, int most, cr_real* f, point* x, point* y) {
  cr_copy(y->f, f, p->d->nefc);
  (void)cri_gauss_seidel(p->m, p->d, p->mass->solve, most, y->f, y->a);
  cr_copy(f, y->f, p->d->nefc);
  evaluate(p, y);
  if (y->residual < x->residual) {
    swap(x, y);
  }
}

// sweeps and Newton's method in turn, the former more each time
static cr_status sweep_and_iterate(const problem* p, point* x, point* y, cr_real* s) {
  cr_real* f = cri_push(p->d, (size_t)p->d->nefc);
  cr_status status = CR_ERR_SOLVER;
  cr_copy(f, x->f, p->d->nefc);
  for (int k = 0, n = p->m->ncp_sweeps; k < ROUNDS && n > 0 && status == CR_ERR_SOLVER; k++) {
    sweep(p, n, f, x, y);
    status = iterate(p, x, y, s, NEWTON_STEPS);
    n *= 4;
  }
  return status;
}

// no acceleration: far from the other starts where forces are large
static void start_at_zero(const problem* p, point* x) {
  cr_copy(x->a, p->d->qacc_smooth, p->m->nv);
  CR_EACH(i, p->dofs) { x->a[i] = 0; }
  evaluate(p, x);
}

// from x; where that comes nowhere, along the path from the start, or at last from zero
static cr_status search(const problem* p, point* x, point* y) {
  size_t n = (size_t)p->m->nv;
  cr_real* s = cri_push(p->d, n);
  p->d->solver_iterations = 0;
  bool sweeps = cri_contact_in_use(p->m, CR_CONTACT_NCP) && p->m->ncp_sweeps > 0;
  cr_status status = sweeps ? sweep_and_iterate(p, x, y, s) : iterate(p, x, y, s, LEAST_STEPS);
  if (status != CR_ERR_SOLVER) {
    return status;
  }
  cr_real* g0 = cri_push(p->d, n);
  start(p, x, y);
  follow(p, x, y, s, g0);
  status = iterate(p, x, y, s, LEAST_STEPS);
  if (status != CR_ERR_SOLVER) {
    return status;
  }
  start_at_zero(p, x);
  follow(p, x, y, s, g0);
  return iterate(p, x, y, s, LEAST_STEPS);
}

// ---- a solver of one's own

static const cr_contact_options* solver_of(const cr_model* m) {
  const cr_contact_options* o =
      m->contact_model < CR_CONTACT_ADDED
          ? NULL
          : &m->contacts->model[m->contact_model - CR_CONTACT_ADDED].options;
  return o != NULL && o->solve != NULL ? o : NULL;
}

// what stands behind a system while its solver runs
typedef struct {
  const problem* p;
  point x;
} equation;

static cr_status evaluate_system(const cr_contact_system* s, const cr_real* a, equation** e) {
  if (s == NULL || s->equation == NULL || a == NULL) {
    return CR_ERR_ARG;
  }
  *e = s->equation;
  cr_copy((*e)->x.a, a, s->nv);
  evaluate((*e)->p, &(*e)->x);
  return CR_OK;
}

cr_status cr_contact_residual(const cr_contact_system* s, const cr_real* a, cr_real* g,
                              cr_real* share) {
  equation* e;
  CR_TRY(evaluate_system(s, a, &e));
  if (g != NULL) {
    cr_zero(g, s->nv);
    CR_EACH(i, e->p->dofs) { g[i] = e->x.g[i]; }
  }
  if (share != NULL) {
    *share = e->x.residual;
  }
  return CR_OK;
}

cr_status cr_contact_matrix(const cr_contact_system* s, const cr_real* a, cr_real* H) {
  equation* e;
  if (H == NULL) {
    return CR_ERR_ARG;
  }
  CR_TRY(evaluate_system(s, a, &e));
  cr_zero(H, s->nv * s->nv);
  form(e->p, e->x.e, H);
  return CR_OK;
}

// x is where it starts, y scratch
static cr_status solve_by(const cr_contact_options* o, const problem* p, point* x, const point* y) {
  cr_data* d = p->d;
  int nv = p->m->nv, n = 0;
  equation e = {p, *y};
  int32_t* dof = cri_push_int(d, (size_t)nv);
  CR_EACH(i, p->dofs) { dof[n++] = i; }
  cr_contact_system s = {.size = sizeof s,
                         .model = p->m,
                         .nv = nv,
                         .ndof = n,
                         .dof = dof,
                         .qacc = cri_push(d, (size_t)nv),
                         .room = cri_push(d, (size_t)nv * (size_t)nv + 8 * (size_t)nv),
                         .equation = &e};
  cr_copy(s.qacc, x->a, nv);
  cr_status status = o->solve(o->user, &s);
  CR_EACH(i, p->dofs) { x->a[i] = s.qacc[i]; }
  evaluate(p, x);
  if (status != CR_OK) {
    return cri_fail(&d->error, status, "contact model '%s': its solver says: %s", name_of(p),
                    cr_status_text(status));
  }
  if (!(x->residual <= LEFT)) {
    return cri_fail(&d->error, CR_ERR_SOLVER,
                    "contact model '%s': its solver leaves a residual of %g", name_of(p),
                    (double)x->residual);
  }
  return factor(p, x);
}

// ---- the model

static void leave(const problem* p, const point* x) {
  cr_data* d = p->d;
  cr_copy(d->acc_qacc, x->a, p->m->nv);
  cr_copy(d->acc_jar, x->e, d->nefc);
  cr_copy(d->acc_force, x->f, d->nefc);
  cr_copy(d->qfrc_constraint, x->q, p->m->nv);
  memcpy(d->efc_state, x->state, (size_t)d->nefc * sizeof *d->efc_state);
  d->solver_residual = x->residual;
}

static cr_status solve(const cr_model* m, cr_data* d, const cr_mass_view* mass) {
  CR_TRY(cri_contact_law_check(m, d));
  size_t mark = cri_mark(d);
  cr_run* room = (cr_run*)(void*)cri_push_int(d, 2 * (size_t)m->ntree);
  cr_run all = {0, m->nv};
  problem p = {.m = m, .d = d, .mass = mass};
  size_t islands = cri_mark(d);
  (void)cri_islands_find(m, d, mass->tree ? NULL : &mass->pattern);
  cri_pop(d, islands);
  p.dofs = cri_dofs_in_islands(m, d, (cr_runs){1, &all}, true, room);
  point x, y;
  push_points(&p, &x, &y);
  start(&p, &x, &y);
  const cr_contact_options* own = solver_of(m);
  cr_status status = own != NULL ? solve_by(own, &p, &x, &y) : search(&p, &x, &y);
  leave(&p, &x);
  cri_pop(d, mark);
  return status;
}

// ---- at the solution

static void linear(const cr_model* m, const cr_data* d, cr_runs dofs, const cri_right_sides* x,
                   cr_data* work) {
  (void)work;
  for (int k = 0; k < x->n; k++) {
    cr_dense_lu_solve(d->H_factor, m->nv, dofs, d->H_index, x->transposed, x->X + k, x->ld);
  }
}

// pivots of H against the diagonal of M: their ratio times the rounding of a number is what is lost
static bool delicate(const cr_model* m, const cr_data* d) {
  for (int i = 0; i < m->nv; i++) {
    bool in = d->tree_island[m->dof_treeid[i]] >= 0;
    cr_real M = d->M[m->M_rowadr[i] + m->M_rownnz[i] - 1];
    if (in && M < STIFF * cr_abs(d->H_factor[(ptrdiff_t)i * (m->nv + 1)])) {
      return true;
    }
  }
  return false;
}

const cr_contact_model cri_newton = {.solve = solve,
                                     .linear = linear,
                                     .delicate = delicate,
                                     .force = cri_contact_law_force_all,
                                     .force_jvp = cri_contact_law_force_jvp,
                                     .force_vjp = cri_contact_law_force_vjp,
                                     .latent_jvp = cri_latent_jvp,
                                     .latent_vjp = cri_latent_vjp,
                                     .creeps = cri_latent_friction_creeps,
                                     .in_doubt = cri_idle_rows_in_doubt,
                                     .bends = cri_contact_law_bends,
                                     .has_directions = cri_contact_law_has_directions,
                                     .sees_motion = cri_contact_law_sees_motion};
