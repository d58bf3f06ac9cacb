// SPDX-License-Identifier: Apache-2.0
#include "checks/wide_solve.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "force/reflected.h"
#include "inertia/implicit_inertia.h"
#include "math/cholesky.h"

#if LDBL_MANT_DIG >= 113
typedef long double wide;
#else
__extension__ typedef __float128 wide;
#endif

enum { ITERATIONS = 200, HALVINGS = 120 };

typedef struct {
  int nv, n;
  wide *M, *J, *tau, *aref, *D;
  wide *a, *e, *f, *g, *H, *s, *u;
} problem;

static wide* numbers(size_t n) {
  wide* x = calloc(n + 1, sizeof *x);
  if (x == NULL) {
    abort();
  }
  return x;
}

static wide absolute(wide x) { return x < 0 ? -x : x; }
static wide larger(wide x, wide y) { return x > y ? x : y; }

static wide root(wide x) {
  if (!(x > 0)) {
    return 0;
  }
  int two = 0;  // x = y 4^two with y a number that double can hold
  wide y = x;
  for (; y > (wide)1e30; two += 40) {
    y /= (wide)0x1p80;
  }
  for (; y < (wide)1e-30; two -= 40) {
    y *= (wide)0x1p80;
  }
  wide r = (wide)sqrt((double)y);
  for (int i = 0; i < 3; i++) {
    r = (r + y / r) / 2;
  }
  for (; two > 0; two--) {
    r *= 2;
  }
  for (; two < 0; two++) {
    r /= 2;
  }
  return r;
}

// ---- the problem, dense

static void set_effective_mass(problem* p, const cr_model* m, const cr_data* d) {
  cr_real* x = calloc((size_t)p->nv, sizeof *x);
  cr_real* y = calloc((size_t)p->nv, sizeof *y);
  for (int i = 0; i < p->nv; i++) {
    for (int k = 0; k < m->M_rownnz[i]; k++) {
      int j = m->M_colind[m->M_rowadr[i] + k];
      p->M[i * p->nv + j] = p->M[j * p->nv + i] = (wide)d->M[m->M_rowadr[i] + k];
    }
  }
  for (int j = 0; cri_is_discrete(m) && j < p->nv; j++) {
    memset(x, 0, (size_t)p->nv * sizeof *x);
    memset(y, 0, (size_t)p->nv * sizeof *y);
    x[j] = 1;
    cri_implicit_inertia_add(m, d, x, y);
    for (int i = 0; i < p->nv; i++) {
      p->M[i * p->nv + j] += (wide)y[i];
    }
  }
  free(x);
  free(y);
}

static problem open(const cr_model* m, const cr_data* d) {
  size_t v = (size_t)m->nv, n = (size_t)d->nefc;
  problem p = {.nv = m->nv, .n = d->nefc};
  p.M = numbers(v * v);
  p.H = numbers(v * v);
  p.J = numbers(n * v);
  p.tau = numbers(v);
  p.a = numbers(v);
  p.g = numbers(v);
  p.s = numbers(v);
  p.aref = numbers(n);
  p.D = numbers(n);
  p.e = numbers(n);
  p.f = numbers(n);
  p.u = numbers(n);
  set_effective_mass(&p, m, d);
  for (int i = 0; i < p.nv; i++) {
    p.tau[i] = (wide)d->qfrc_smooth[i] + (wide)d->qfrc_shift[i];
    p.a[i] = (wide)d->acc_qacc[i];
  }
  for (int i = 0; i < p.n; i++) {
    for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
      p.J[(size_t)i * v + (size_t)d->efc_J_colind[k]] = (wide)d->efc_J[k];
    }
    p.aref[i] = (wide)d->efc_aref[i];
    p.D[i] = (wide)d->efc_D[i];
  }
  return p;
}

static void close(problem* p) {
  wide* all[] = {p->M, p->J, p->tau, p->aref, p->D, p->a, p->e, p->f, p->g, p->H, p->s, p->u};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    free(all[i]);
  }
}

// ---- the law: f and C = -df/de of the block at row i; its number of rows

static void single(const problem* p, const cr_data* d, int i, wide* f, wide* C) {
  wide e = p->e[i], D = p->D[i];
  int type = d->efc_type[i];
  *f = -D * e;
  *C = D;
  if (type == CR_CNSTR_FRICTION_DOF || type == CR_CNSTR_FRICTION_TENDON) {
    wide loss = (wide)d->efc_frictionloss[i];
    if (absolute(*f) >= loss) {
      *f = *f > 0 ? loss : -loss;
      *C = 0;
    }
  } else if (type != CR_CNSTR_EQUALITY && e >= 0) {
    *f = *C = 0;
  }
}

static int cone(const problem* p, const cr_data* d, int i, wide* f, wide* C) {
  int contact = d->efc_id[i], dim = d->contact_dim[contact];
  const cr_real* friction = d->contact_friction + 5 * contact;
  const wide* e = p->e + i;
  wide mu = (wide)d->contact_mu[contact], t[5], T = 0, N = mu * e[0];
  for (int j = 1; j < dim; j++) {
    t[j - 1] = (wide)friction[j - 1] * e[j];
    T += t[j - 1] * t[j - 1];
  }
  T = root(T);
  for (int j = 0; j < dim; j++) {
    f[j] = 0;
    for (int k = 0; k < dim; k++) {
      C[j * dim + k] = 0;
    }
  }
  if (N >= mu * T) {
    return dim;
  }
  if (mu * N + T <= 0) {
    for (int j = 0; j < dim; j++) {
      f[j] = -p->D[i + j] * e[j];
      C[j * dim + j] = p->D[i + j];
    }
    return dim;
  }
  // s = Dm g^2 / 2, g = N - mu T
  wide Dm = p->D[i] / (mu * mu * (1 + mu * mu)), g = N - mu * T, slope[6];
  slope[0] = mu;
  for (int j = 1; j < dim; j++) {
    slope[j] = -mu * t[j - 1] / T * (wide)friction[j - 1];
  }
  for (int j = 0; j < dim; j++) {
    f[j] = -Dm * g * slope[j];
    for (int k = 0; k < dim; k++) {
      C[j * dim + k] = Dm * slope[j] * slope[k];
      if (j > 0 && k > 0) {
        wide turn = (wide)(j == k) - t[j - 1] / T * t[k - 1] / T;
        C[j * dim + k] -= Dm * g * mu / T * turn * (wide)friction[j - 1] * (wide)friction[k - 1];
      }
    }
  }
  return dim;
}

static int block(const problem* p, const cr_data* d, int i, wide* f, wide* C) {
  if (d->efc_type[i] == CR_CNSTR_CONTACT_ELLIPTIC) {
    return cone(p, d, i, f, C);
  }
  single(p, d, i, f, C);
  return 1;
}

// e, f, g at a
static void evaluate(problem* p, const cr_data* d) {
  wide C[36];
  for (int i = 0; i < p->n; i++) {
    p->e[i] = -p->aref[i];
    for (int j = 0; j < p->nv; j++) {
      p->e[i] += p->J[i * p->nv + j] * p->a[j];
    }
  }
  for (int i = 0; i < p->n;) {
    i += block(p, d, i, p->f + i, C);
  }
  for (int i = 0; i < p->nv; i++) {
    p->g[i] = -p->tau[i];
    for (int j = 0; j < p->nv; j++) {
      p->g[i] += p->M[i * p->nv + j] * p->a[j];
    }
  }
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; p->f[i] != 0 && j < p->nv; j++) {
      p->g[j] -= p->J[i * p->nv + j] * p->f[i];
    }
  }
}

static void make_H(problem* p, const cr_data* d) {
  wide C[36], f[6];
  int nv = p->nv;
  memcpy(p->H, p->M, (size_t)nv * (size_t)nv * sizeof *p->H);
  for (int i = 0, n; i < p->n; i += n) {
    n = block(p, d, i, f, C);
    for (int r = 0; r < n * n; r++) {
      const wide *x = p->J + (i + r / n) * nv, *y = p->J + (i + r % n) * nv;
      for (int j = 0; C[r] != 0 && j < nv; j++) {
        wide w = C[r] * x[j];
        for (int k = 0; w != 0 && k <= j; k++) {
          p->H[j * nv + k] += w * y[k];
        }
      }
    }
  }
}

// lower Cholesky factor in place; zeros are passed over
static bool factor(wide* H, int n) {
  for (int j = 0; j < n; j++) {
    wide* row = H + j * n;
    for (int k = 0; k < j; k++) {
      wide sum = row[k];
      for (int q = 0; q < k; q++) {
        if (row[q] != 0) {
          sum -= row[q] * H[k * n + q];
        }
      }
      row[k] = sum == 0 ? 0 : sum / H[k * n + k];
    }
    wide pivot = row[j];
    for (int q = 0; q < j; q++) {
      pivot -= row[q] * row[q];
    }
    if (!(pivot > 0)) {
      return false;
    }
    row[j] = root(pivot);
  }
  return true;
}

static void solve(const wide* L, int n, wide* x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      x[i] -= L[i * n + k] * x[k];
    }
    x[i] /= L[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) {
      x[i] -= L[k * n + i] * x[k];
    }
    x[i] /= L[i * n + i];
  }
}

// slope of the objective along s
static wide slope(const problem* p) {
  wide sum = 0;
  for (int i = 0; i < p->nv; i++) {
    sum += p->g[i] * p->s[i];
  }
  return sum;
}

static void move(problem* p, const cr_data* d, wide by) {
  for (int i = 0; i < p->nv; i++) {
    p->a[i] += by * p->s[i];
  }
  evaluate(p, d);
}

// one step with its line search by halves
static bool newton(problem* p, const cr_data* d) {
  make_H(p, d);
  if (!factor(p->H, p->nv)) {
    return false;
  }
  for (int i = 0; i < p->nv; i++) {
    p->s[i] = -p->g[i];
  }
  solve(p->H, p->nv, p->s);
  wide start = absolute(slope(p)), low = 0, high = 1, at = 1;
  move(p, d, 1);
  for (int k = 0; k < HALVINGS && absolute(slope(p)) > start / 10; k++) {
    *(slope(p) < 0 ? &low : &high) = at;
    wide next = slope(p) < 0 && high == at ? 2 * at : (low + high) / 2;
    high = next > high ? next : high;
    move(p, d, next - at);
    at = next;
  }
  return true;
}

static bool solve_all(problem* p, const cr_data* d) {
  evaluate(p, d);
  for (int k = 0; k < ITERATIONS; k++) {
    if (!newton(p, d)) {
      return false;
    }
    wide most = 0, size = 0;
    for (int i = 0; i < p->nv; i++) {
      most = larger(most, absolute(p->s[i]));
      size = larger(size, absolute(p->a[i]));
    }
    if (most <= (wide)1e-24 * size) {
      return true;
    }
  }
  return false;
}

// ---- errors

static bool skipped(const cr_model* m, const cr_data* d, int dof) {
  return cri_is_discrete(m) && d->efm_free[m->dof_treeid[dof]] != 0;
}

// largest |x_i - y_i| over the largest size in the tree of i
static double worst(const cr_model* m, const cr_data* d, const wide* x, const cr_real* y,
                    const wide* size, int* dof) {
  double most = 0;
  wide least = 0;  // what is nothing beside the whole
  for (int i = 0; i < m->nv; i++) {
    least = larger(least, larger(absolute(x[i]), absolute(size[i])) * (wide)1e-6);
  }
  for (int t = 0; t < m->ntree; t++) {
    wide scale = least;
    int first = m->tree_dofadr[t];
    for (int i = first; i < first + m->tree_dofnum[t]; i++) {
      scale = larger(scale, larger(absolute(x[i]), absolute(size[i])));
    }
    for (int i = first; i < first + m->tree_dofnum[t] && !skipped(m, d, i); i++) {
      wide off = absolute(x[i] - (wide)y[i]);
      double error = off == 0 ? 0 : (double)(off / scale);
      if (!(error <= most)) {
        most = error;
        *dof = i;
      }
    }
  }
  return most;
}

// |H^-1| eps |J|' |f| by the factors in H, as a number for each dof, over the same scale as worst
static double noise(const cr_model* m, const problem* p, const wide* a, const wide* size) {
  wide* push = numbers((size_t)p->nv);
  wide* x = numbers((size_t)p->nv);
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < p->nv; j++) {
      push[j] += absolute(p->J[i * p->nv + j] * p->f[i]) * (wide)CR_EPS;
    }
  }
  double most = 0;
  for (int t = 0; t < m->ntree; t++) {
    wide scale = 0, sum = 0;
    int first = m->tree_dofadr[t], end = first + m->tree_dofnum[t];
    for (int i = first; i < end; i++) {
      scale = larger(scale, larger(absolute(a[i]), absolute(size[i])));
    }
    for (int i = first; i < end; i++) {
      memset(x, 0, (size_t)p->nv * sizeof *x);
      x[i] = 1;
      solve(p->H, p->nv, x);
      sum = 0;
      for (int j = 0; j < p->nv; j++) {
        sum += absolute(x[j]) * push[j];
      }
      most = fmax(most, scale > 0 ? (double)(sum / scale) : 0);
    }
  }
  free(push);
  free(x);
  return most;
}

// M + hD in the place of M; what rounding of forces does is found where the step is off
static double step_error(const cr_model* m, cr_data* d, problem* p, int* dof, double* rounding) {
  if (m->integrator != CR_INT_EULER || !cri_damps(m) ||
      (m->disableflags & (CR_DSBL_EULERDAMP | CR_DSBL_DAMPER)) != 0) {
    return 0;
  }
  int nv = p->nv;
  wide* x = numbers((size_t)nv);
  wide* none = numbers((size_t)nv);
  cr_real* b = calloc(3 * (size_t)nv, sizeof *b);
  cri_reflected_damping(m, b);
  memcpy(p->H, p->M, (size_t)nv * (size_t)nv * sizeof *p->H);
  for (int i = 0; i < nv; i++) {
    x[i] = p->tau[i];
    p->H[i * nv + i] += (wide)m->timestep * (wide)cri_damping_slope(b + 3 * i, d->qvel[i]);
    none[i] = (wide)d->qvel[i] / (wide)m->timestep;
    for (int k = 0; k < p->n; k++) {
      x[i] += p->J[k * nv + i] * p->f[k];
    }
  }
  double most = 0;
  if (factor(p->H, nv)) {
    solve(p->H, nv, x);
    most = worst(m, d, x, d->euler_qacc, none, dof);
    *rounding = most > 1e-12 ? noise(m, p, x, none) : 0;
    if (getenv("DBG") && most > 1e-9)
      for (int i = 0; i < nv; i++)
        fprintf(
            stderr, "%d M %.3g piv %.3g hD %.3g v %.3g tau %.17g a %.17g a2 %.17g exact %.17g\n", i,
            (double)p->M[i * nv + i], (double)(1 / d->art_Dinv[i]),
            (double)(m->timestep * cri_damping_slope(b + 3 * i, d->qvel[i])), (double)d->qvel[i],
            (double)p->tau[i], (double)d->qacc[i], (double)d->euler_qacc[i], (double)x[i]);
  }
  free(x);
  free(none);
  free(b);
  return most;
}

wide_report wide_check(const cr_model* m, cr_data* d, bool noisy) {
  wide_report r = {0};
  if (m->nv > WIDE_MAX_NV || !d->M_formed) {
    return r;
  }
  problem p = open(m, d);
  wide* size = numbers((size_t)p.nv);
  wide* force = numbers((size_t)p.nv);
  for (int i = 0; i < p.nv; i++) {
    double ratio = (double)p.M[i * p.nv + i] * (double)d->art_Dinv[i];
    r.inertia = fmax(r.inertia, cri_is_discrete(m) ? 1 : ratio);
  }
  r.solved = solve_all(&p, d);
  if (r.solved) {
    int dof = 0;
    for (int i = 0; i < p.nv; i++) {
      size[i] = (wide)d->qacc_smooth[i];
    }
    r.acceleration = worst(m, d, p.a, d->acc_qacc, size, &r.dof);
    r.noise = noisy || r.acceleration > 1e-12 ? noise(m, &p, p.a, size) : 0;
    for (int i = 0; i < p.nv; i++) {
      size[i] = larger(absolute(p.tau[i]), absolute(p.g[i]));
      for (int k = 0; k < p.n; k++) {
        force[i] += p.J[k * p.nv + i] * p.f[k];
      }
    }
    r.force = worst(m, d, force, d->qfrc_constraint, size, &dof);
    r.step = step_error(m, d, &p, &r.step_dof, &r.step_noise);
  }
  free(size);
  free(force);
  close(&p);
  return r;
}
