// SPDX-License-Identifier: Apache-2.0
// [coulomb.c1], its derivatives, and Newton's method.
#include "support/coulomb.h"

#include "carom/model.h"
#include "constraint/rows.h"
#include "solver/friction_cone.h"
#include "solver/friction_cone_bends.h"
#include "solver/idle_rows.h"
#include "solver/islands.h"
#include "solver/latent_friction.h"
#include "support/test.h"

#define SLIP CR_R(3.0)
#define SHARE CR_R(0.5)
#define TURN CR_R(0.3)
#define ENOUGH (4096 * CR_EPS)
enum { MOST_STEPS = 400, MOST_TRIES = 60 };

// ---- the law of a contact

typedef struct {
  int i, dim, contact;  // first row
  const cr_real* e;
  cr_real D, N, w, s, mu[CR_MAX_CONE], g[CR_MAX_CONE];
} contact;

static bool rubs(const cr_data* d, int i) { return d->efc_type[i] == CR_CNSTR_CONTACT_ELLIPTIC; }

// g = T e, or T' e
static void turn(int dim, const cr_real* e, bool back, cr_real* g) {
  cr_real by = back ? -TURN : TURN;
  cr_copy(g, e, dim);
  if (dim > 2) {
    g[1] = e[1] + by * e[2];
    g[2] = e[2] - by * e[1];
  }
}

static contact contact_at(const cr_data* d, const cr_real* e, int i) {
  contact c = {.i = i, .contact = d->efc_id[i], .e = e + i, .D = d->efc_D[i]};
  c.dim = d->contact_dim[c.contact];
  c.N = c.e[0] < 0 ? -c.D * c.e[0] : 0;
  c.s = SLIP * (1 + d->contact_mu[c.contact]);
  turn(c.dim, c.e, false, c.g);
  cr_real sum = c.s * c.s;
  for (int j = 1; j < c.dim; j++) {
    c.mu[j] = SHARE * d->contact_friction[5 * c.contact + j - 1];
    sum += c.e[j] * c.e[j];
  }
  c.w = cr_sqrt(sum);
  return c;
}

static void contact_force(const contact* c, cr_real* f) {
  f[0] = c->N;
  for (int j = 1; j < c->dim; j++) {
    f[j] = -c->N * c->mu[j] * c->g[j] / c->w;
  }
}

static void contact_jvp(const contact* c, const cr_data* tan, const cr_real* e_tan,
                        cr_real* f_tan) {
  cr_real g_tan[CR_MAX_CONE], s_tan = SLIP * tan->contact_mu[c->contact];
  bool on = c->e[0] < 0;
  cr_real N_tan = on ? -c->D * e_tan[0] - tan->efc_D[c->i] * c->e[0] : 0;
  cr_real w_tan = c->s * s_tan / c->w;
  for (int j = 1; j < c->dim; j++) {
    w_tan += c->e[j] * e_tan[j] / c->w;
  }
  turn(c->dim, e_tan, false, g_tan);
  f_tan[0] = N_tan;
  for (int j = 1; j < c->dim; j++) {
    cr_real mu_tan = SHARE * tan->contact_friction[5 * c->contact + j - 1];
    cr_real y = c->mu[j] * c->g[j] / c->w;
    cr_real y_tan = (mu_tan * c->g[j] + c->mu[j] * g_tan[j] - y * w_tan) / c->w;
    f_tan[j] = -N_tan * y - c->N * y_tan;
  }
}

static void contact_vjp(const contact* c, cr_data* bar, const cr_real* f_bar, cr_real* e_bar) {
  cr_real g_bar[CR_MAX_CONE] = {0}, N_bar = f_bar[0], w_bar = 0, mu_bar[CR_MAX_CONE] = {0};
  for (int j = 1; j < c->dim; j++) {
    cr_real y = c->mu[j] * c->g[j] / c->w, y_bar = -c->N * f_bar[j];
    N_bar -= y * f_bar[j];
    mu_bar[j] = y_bar * c->g[j] / c->w;
    g_bar[j] = y_bar * c->mu[j] / c->w;
    w_bar -= y_bar * y / c->w;
  }
  turn(c->dim, g_bar, true, e_bar);
  for (int j = 1; j < c->dim; j++) {
    e_bar[j] += w_bar * c->e[j] / c->w;
  }
  bool on = c->e[0] < 0;
  e_bar[0] = on ? -c->D * N_bar : 0;
  if (bar != NULL) {
    bar->efc_D[c->i] -= on ? c->e[0] * N_bar : 0;
    bar->contact_mu[c->contact] += SLIP * w_bar * c->s / c->w;
    for (int j = 1; j < c->dim; j++) {
      bar->contact_friction[5 * c->contact + j - 1] += SHARE * mu_bar[j];
    }
  }
}

// ---- all rows: contacts, and what lies between them

static cr_run run_at(const cr_data* d, int i) {
  int end = i + 1;
  if (rubs(d, i)) {
    return (cr_run){i, i + d->contact_dim[d->efc_id[i]]};
  }
  while (end < d->nefc && !rubs(d, end)) {
    end++;
  }
  return (cr_run){i, end};
}

static void forces(const cr_data* d, const cr_real* e, cr_real* f, int32_t* state) {
  for (cr_run r = {0, 0}; r.end < d->nefc;) {
    r = run_at(d, r.end);
    if (!rubs(d, r.begin)) {
      cri_constraint_force(d, r, e, f, state);
      continue;
    }
    contact c = contact_at(d, e, r.begin);
    contact_force(&c, f + r.begin);
    for (int i = r.begin; i < r.end; i++) {
      state[i] = c.e[0] < 0;
    }
  }
}

static cr_status force(const cr_model* m, cr_data* d) {
  (void)m;
  forces(d, d->acc_jar, d->acc_force, d->efc_state);
  return CR_OK;
}

static void run_jvp(const cr_data* d, cr_run r, const cr_real* e, const cr_data* tan,
                    const cr_real* e_tan, cr_real* f_tan) {
  if (rubs(d, r.begin)) {
    contact c = contact_at(d, e, r.begin);
    contact_jvp(&c, tan, e_tan + r.begin, f_tan + r.begin);
  } else {
    cri_constraint_jvp(d, r, e, tan, e_tan, f_tan);
  }
}

static void force_jvp(const cr_model* m, const cr_data* d, const cr_data* tan, const cr_real* e_tan,
                      cr_real* f_tan) {
  (void)m;
  for (cr_run r = {0, 0}; r.end < d->nefc;) {
    r = run_at(d, r.end);
    run_jvp(d, r, d->acc_jar, tan, e_tan, f_tan);
  }
}

static void force_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* f_bar,
                      cr_real* e_bar) {
  (void)m;
  for (cr_run r = {0, 0}; r.end < d->nefc;) {
    r = run_at(d, r.end);
    if (rubs(d, r.begin)) {
      contact c = contact_at(d, d->acc_jar, r.begin);
      contact_vjp(&c, bar, f_bar + r.begin, e_bar + r.begin);
    } else {
      cri_constraint_vjp(d, r, d->acc_jar, bar, f_bar, e_bar);
    }
  }
}

// ---- dense matrices

// factors of A (n x n) in place, rows exchanged as `pivot` says; false where a pivot is 0
static bool factor(int n, cr_real* A, int32_t* pivot) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      best = cr_abs(A[i * n + k]) > cr_abs(A[best * n + k]) ? i : best;
    }
    pivot[k] = best;
    for (int j = 0; j < n && best != k; j++) {
      cr_real x = A[k * n + j];
      A[k * n + j] = A[best * n + j];
      A[best * n + j] = x;
    }
    if (!(cr_abs(A[k * n + k]) > 0)) {
      return false;
    }
    for (int i = k + 1; i < n; i++) {
      cr_real l = A[i * n + k] /= A[k * n + k];
      for (int j = k + 1; j < n; j++) {
        A[i * n + j] -= l * A[k * n + j];
      }
    }
  }
  return true;
}

static void back(int n, const cr_real* A, const int32_t* pivot, cr_real* x) {
  for (int k = 0; k < n; k++) {
    cr_real y = x[pivot[k]];
    x[pivot[k]] = x[k];
    x[k] = y;
  }
  for (int i = 1; i < n; i++) {
    for (int j = 0; j < i; j++) {
      x[i] -= A[i * n + j] * x[j];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) {
      x[i] -= A[i * n + j] * x[j];
    }
    x[i] /= A[i * n + i];
  }
}

// X = H^-1 X, H of these dofs alone, which others do not touch; false where there is none
static bool solve_dense(int nv, const cr_real* H, cr_runs dofs, const cri_right_sides* x,
                        cr_data* work) {
  size_t mark = cri_mark(work);
  int32_t *name = cri_push_int(work, (size_t)nv), *pivot = cri_push_int(work, (size_t)nv);
  cr_real* A = cri_push(work, (size_t)nv * (size_t)nv);
  cr_real* b = cri_push(work, (size_t)nv);
  int n = 0;
  CR_EACH(i, dofs) { name[n++] = i; }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      A[i * n + j] = x->transposed ? H[name[j] * nv + name[i]] : H[name[i] * nv + name[j]];
    }
  }
  bool ok = factor(n, A, pivot);
  for (int k = 0; k < x->n && ok; k++) {
    for (int i = 0; i < n; i++) {
      b[i] = x->X[(ptrdiff_t)name[i] * x->ld + k];
    }
    back(n, A, pivot, b);
    for (int i = 0; i < n; i++) {
      x->X[(ptrdiff_t)name[i] * x->ld + k] = b[i];
    }
  }
  cri_pop(work, mark);
  return ok;
}

static void linear(const cr_model* m, const cr_data* d, cr_runs dofs, const cri_right_sides* x,
                   cr_data* work) {
  assert_true(solve_dense(m->nv, d->H_factor, dofs, x, work));
}

const cr_real* coulomb_H(const cr_data* d) { return d->H_factor; }

// ---- Newton's method

typedef struct {
  const cr_model* m;
  cr_data* d;
  const cr_metric_view* metric;
  cr_runs dofs;  // that rows move
} problem;

typedef struct {
  cr_real *a, *e, *f, *Ma, *q, *g;
  int32_t* state;
  cr_real residual;
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

static void evaluate(const problem* p, point* x) {
  const cr_data* d = p->d;
  const cr_pattern* M = &p->metric->pattern;
  cri_rows_mul(p->m, d, d->efc_J, x->e, x->a);
  for (int i = 0; i < d->nefc; i++) {
    x->e[i] -= d->efc_aref[i];
  }
  forces(d, x->e, x->f, x->state);
  cr_zero(x->q, p->m->nv);
  cri_rows_mul_transposed(p->m, d, d->efc_J, x->q, x->f);
  cr_sparse_mul(x->Ma, p->metric->value, M, x->a);
  cr_real most = 0, scale = 0;
  CR_EACH(i, p->dofs) {
    cr_real tau = p->metric->tau[i];
    x->g[i] = x->Ma[i] - tau - x->q[i];
    most = cr_max(most, cr_abs(x->g[i]));
    scale = cr_max(scale, cr_max(cr_abs(x->Ma[i]), cr_max(cr_abs(tau), cr_abs(x->q[i]))));
  }
  x->residual = scale > 0 ? most / scale : 0;
}

// H = M - J' F' J at e
static void form(const problem* p, const cr_real* e, cr_real* H) {
  const cr_data* d = p->d;
  int nv = p->m->nv;
  size_t mark = cri_mark(p->d), n = (size_t)d->nefc, nc = (size_t)d->ncon;
  cr_real *seed = cri_push(p->d, n), *slope = cri_push(p->d, n);
  cr_data none = {.efc_D = cri_push(p->d, n),
                  .efc_frictionloss = cri_push(p->d, n),
                  .contact_mu = cri_push(p->d, nc),
                  .contact_friction = cri_push(p->d, 5 * nc)};
  cr_zero(none.efc_D, d->nefc);
  cr_zero(none.efc_frictionloss, d->nefc);
  cr_zero(none.contact_mu, d->ncon);
  cr_zero(none.contact_friction, 5 * d->ncon);
  cr_zero(seed, d->nefc);
  cr_zero(H, nv * nv);
  for (int i = 0; i < nv; i++) {
    const cr_pattern* M = &p->metric->pattern;
    for (int k = M->adr[i]; k < M->adr[i] + M->nnz[i]; k++) {
      H[i * nv + M->col[k]] = H[M->col[k] * nv + i] = p->metric->value[k];
    }
  }
  for (int i = 0, block; i < d->nefc; i += block) {
    block = cri_rows_block(p->m, d, i);
    const int32_t* col = d->efc_J_colind + d->efc_J_rowadr[i];
    for (int s = i; s < i + block; s++) {
      seed[s] = 1;
      run_jvp(d, (cr_run){i, i + block}, e, &none, seed, slope);
      seed[s] = 0;
      for (int r = i; r < i + block; r++) {
        const cr_real *left = d->efc_J + d->efc_J_rowadr[r], *right = d->efc_J + d->efc_J_rowadr[s];
        for (int k = 0; k < d->efc_J_rownnz[i] * d->efc_J_rownnz[i]; k++) {
          int a = k / d->efc_J_rownnz[i], b = k % d->efc_J_rownnz[i];
          H[col[a] * nv + col[b]] -= left[a] * slope[r] * right[b];
        }
      }
    }
  }
  cri_pop(p->d, mark);
}

static cr_real along(const problem* p, const cr_real* s, const point* x) {
  cr_real sum = 0;
  CR_EACH(i, p->dofs) { sum += s[i] * x->g[i]; }
  return sum;
}

// y = x + alpha s where what is left has next to nothing along s
static void advance(const problem* p, const point* x, const cr_real* s, point* y) {
  cr_real low = 0, high = 0, alpha = 1, start = along(p, s, x);
  for (int k = 0; k < MOST_TRIES; k++) {
    cr_copy(y->a, x->a, p->m->nv);
    CR_EACH(i, p->dofs) { y->a[i] = x->a[i] + alpha * s[i]; }
    evaluate(p, y);
    cr_real left = along(p, s, y);
    if (cr_abs(left) <= CR_R(0.1) * cr_abs(start)) {
      return;
    }
    *((left < 0) == (start < 0) ? &low : &high) = alpha;
    alpha = high == 0 ? 2 * alpha : (low + high) / 2;
  }
}

static cr_status iterate(const problem* p, point* x, point* y, cr_real* s) {
  cr_data* d = p->d;
  for (int n = 0; n < MOST_STEPS; n++) {
    d->solver_iterations = n;
    d->solver_residual = x->residual;
    form(p, x->e, d->H_factor);
    if (x->residual <= CR_EPS) {
      return CR_OK;
    }
    cr_copy(s, x->g, p->m->nv);
    const cri_right_sides step = {.n = 1, .ld = 1, .X = s};
    if (!solve_dense(p->m->nv, d->H_factor, p->dofs, &step, d)) {
      break;
    }
    for (int i = 0; i < p->m->nv; i++) {
      s[i] = -s[i];
    }
    advance(p, x, s, y);
    if (x->residual <= ENOUGH && y->residual >= x->residual) {
      break;
    }
    point swap = *x;
    *x = *y;
    *y = swap;
  }
  return x->residual <= ENOUGH
             ? CR_OK
             : cri_fail(&d->error, CR_ERR_SOLVER, "coulomb: residual %g", (double)x->residual);
}

// at qacc_warmstart or qacc_smooth, whichever leaves less; y is scratch
static void start(const problem* p, point* x, point* y) {
  cr_copy(x->a, p->d->qacc_smooth, p->m->nv);
  cr_copy(y->a, p->d->qacc_smooth, p->m->nv);
  CR_EACH(i, p->dofs) { y->a[i] = p->d->qacc_warmstart[i]; }
  evaluate(p, x);
  evaluate(p, y);
  if (y->residual < x->residual) {
    point swap = *x;
    *x = *y;
    *y = swap;
  }
}

static cr_status solve(const cr_model* m, cr_data* d, const cr_metric_view* metric) {
  size_t mark = cri_mark(d);
  cr_run* room = (cr_run*)(void*)cri_push_int(d, 2 * (size_t)m->ntree);
  cr_run all = {0, m->nv};
  problem p = {.m = m, .d = d, .metric = metric};
  size_t islands = cri_mark(d);
  (void)cri_islands_find(m, d, metric->tree ? NULL : &metric->pattern);
  cri_pop(d, islands);
  p.dofs = cri_dofs_in_islands(m, d, (cr_runs){1, &all}, true, room);
  point x = push_point(&p), y = push_point(&p);
  start(&p, &x, &y);
  cr_status status = iterate(&p, &x, &y, cri_push(d, (size_t)m->nv));
  cr_copy(d->acc_qacc, x.a, m->nv);
  cr_copy(d->acc_jar, x.e, d->nefc);
  cr_copy(d->acc_force, x.f, d->nefc);
  cr_copy(d->qfrc_constraint, x.q, m->nv);
  memcpy(d->efc_state, x.state, (size_t)d->nefc * sizeof *d->efc_state);
  cri_pop(d, mark);
  return status;
}

// ---- the rest

static bool delicate(const cr_model* m, const cr_data* d) {
  (void)m, (void)d;
  return false;
}

static void latent_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* tau_tan) {
  cri_latent_friction_jvp(m, d, tan, tau_tan);
  cri_idle_rows_jvp(m, d, tan, tau_tan);
}

static void latent_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* tau_bar) {
  cri_latent_friction_vjp(m, d, bar, tau_bar);
  cri_idle_rows_vjp(m, d, bar, tau_bar);
}

// a contact bends where it begins to push
static void bends(const cr_model* m, const cr_data* d, int row, cr_real bend[CRI_LAW_BENDS]) {
  if (!rubs(d, row)) {
    cri_friction_cone_bends(m, d, row, bend);
    return;
  }
  cr_real e = d->acc_jar[row];
  bool first = d->contact_efc_address[d->efc_id[row]] == row;
  bend[0] = first ? (e < 0 ? e / (1 - d->efc_KBIP[4 * row + 2]) : e) : 1;
  bend[1] = 1;
}

const cr_contact_model coulomb = {.solve = solve,
                                  .linear = linear,
                                  .delicate = delicate,
                                  .force = force,
                                  .force_jvp = force_jvp,
                                  .force_vjp = force_vjp,
                                  .latent_jvp = latent_jvp,
                                  .latent_vjp = latent_vjp,
                                  .in_doubt = cri_idle_rows_in_doubt,
                                  .bends = bends,
                                  .has_directions = cri_friction_cone_has_directions};

void coulomb_choose(cr_model* m) {
  static const cri_contact_choice choice = {"coulomb", &coulomb};
  cr_error error = {0};
  assert_int_equal(cri_contact_models_add(m, &choice, 1, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(m, "contact_model", "coulomb", &error), CR_OK);
}
