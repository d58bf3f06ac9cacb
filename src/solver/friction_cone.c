// SPDX-License-Identifier: Apache-2.0
// The convex force law, see friction_cone.h.
#include "solver/friction_cone.h"

// ---- elliptic cones

// an elliptic contact at its rows i .. i + dim - 1
typedef struct {
  int dim;
  const cr_real *e, *D, *friction;
  cr_real mu;
  cr_real T, u[CR_MAX_CONE - 1];  // length and direction of t_j = friction_j e_j
  cr_real g;                      // N - mu T, negative between the zones
  cr_real Dm;                     // D_0 / (mu^2 (1 + mu^2))
  int32_t state;
} cone;

static bool is_cone(const cr_data* d, int i) { return d->efc_type[i] == CR_CNSTR_CONTACT_ELLIPTIC; }

static int32_t cone_state(cr_real N, cr_real T, cr_real mu) {
  if (T <= 0) {
    return N >= 0 ? CR_STATE_SATISFIED : CR_STATE_QUADRATIC;
  }
  if (N >= mu * T) {
    return CR_STATE_SATISFIED;
  }
  return mu * N + T <= 0 ? CR_STATE_QUADRATIC : CR_STATE_CONE;
}

// the contact at row i, with e its own numbers
static cone cone_at(const cr_data* d, const cr_real* e, int i) {
  int contact = d->efc_id[i];
  cone c = {.dim = d->contact_dim[contact],
            .e = e,
            .D = d->efc_D + i,
            .friction = d->contact_friction + 5 * contact,
            .mu = d->contact_mu[contact]};
  cr_real sum = 0;
  for (int j = 1; j < c.dim; j++) {
    c.u[j - 1] = c.friction[j - 1] * c.e[j];
    sum += c.u[j - 1] * c.u[j - 1];
  }
  cr_real N = c.mu * c.e[0];
  c.T = cr_sqrt(sum);
  c.state = cone_state(N, c.T, c.mu);
  if (c.state == CR_STATE_CONE) {
    for (int j = 1; j < c.dim; j++) {
      c.u[j - 1] /= c.T;
    }
    c.g = N - c.mu * c.T;
    c.Dm = c.D[0] / (c.mu * c.mu * (1 + c.mu * c.mu));
  }
  return c;
}

static void cone_force(const cone* c, cr_real* f) {
  for (int j = 0; j < c->dim; j++) {
    f[j] = c->state == CR_STATE_QUADRATIC ? -c->D[j] * c->e[j] : 0;
  }
  if (c->state == CR_STATE_CONE) {
    // f_0 = -p mu, f_j = p mu u_j friction_j, p = Dm g
    cr_real p = c->Dm * c->g;
    f[0] = -p * c->mu;
    for (int j = 1; j < c->dim; j++) {
      f[j] = p * c->mu * c->u[j - 1] * c->friction[j - 1];
    }
  }
}

static cr_real cone_cost(const cone* c) {
  cr_real cost = 0;
  if (c->state == CR_STATE_CONE) {
    cost = c->Dm * c->g * c->g / 2;
  }
  for (int j = 0; j < c->dim && c->state == CR_STATE_QUADRATIC; j++) {
    cost += c->D[j] * c->e[j] * c->e[j] / 2;
  }
  return cost;
}

// adds the derivatives of the cost along w
static void cone_slope(const cone* c, const cr_real* w, cr_real slope[2]) {
  if (c->state == CR_STATE_QUADRATIC) {
    for (int j = 0; j < c->dim; j++) {
      slope[0] += c->D[j] * c->e[j] * w[j];
      slope[1] += c->D[j] * w[j] * w[j];
    }
  } else if (c->state == CR_STATE_CONE) {
    cr_real T1 = 0, square = 0;
    for (int j = 1; j < c->dim; j++) {
      cr_real t = c->friction[j - 1] * w[j];
      T1 += c->u[j - 1] * t;
      square += t * t;
    }
    cr_real T2 = (square - T1 * T1) / c->T, g1 = c->mu * (w[0] - T1);
    slope[0] += c->Dm * c->g * g1;
    slope[1] += c->Dm * (g1 * g1 - c->g * c->mu * T2);
  }
}

// f_tan = F' e_tan + derivatives with respect to D, mu, friction (tangents NULL: constant)
static void cone_jvp(const cone* c, const cr_real* e_tan, const cr_real* D_tan, cr_real mu_tan,
                     const cr_real* friction_tan, cr_real* f_tan) {
  for (int j = 0; j < c->dim; j++) {
    f_tan[j] = c->state == CR_STATE_QUADRATIC ? -c->D[j] * e_tan[j] - D_tan[j] * c->e[j] : 0;
  }
  if (c->state != CR_STATE_CONE) {
    return;
  }
  // [convex.f1] t_j = friction_j e_j, T = |t|, u = t / T
  cr_real t_tan[CR_MAX_CONE - 1], T_tan = 0, mu = c->mu;
  for (int j = 1; j < c->dim; j++) {
    t_tan[j - 1] = c->friction[j - 1] * e_tan[j] + friction_tan[j - 1] * c->e[j];
    T_tan += c->u[j - 1] * t_tan[j - 1];
  }
  // [convex.f2] g = mu e_0 - mu T, Dm = D_0 / (mu^2 (1 + mu^2)), p = Dm g
  cr_real g_tan = mu * e_tan[0] + mu_tan * c->e[0] - mu_tan * c->T - mu * T_tan;
  cr_real Dm_tan = c->Dm * (D_tan[0] / c->D[0] - mu_tan * (2 / mu + 2 * mu / (1 + mu * mu)));
  cr_real p = c->Dm * c->g, p_tan = Dm_tan * c->g + c->Dm * g_tan;
  // [convex.f3] f_0 = -p mu, f_j = p mu u_j friction_j
  f_tan[0] = -p_tan * mu - p * mu_tan;
  for (int j = 1; j < c->dim; j++) {
    cr_real u = c->u[j - 1], u_tan = (t_tan[j - 1] - u * T_tan) / c->T;
    f_tan[j] = ((p_tan * mu + p * mu_tan) * u + p * mu * u_tan) * c->friction[j - 1] +
               p * mu * u * friction_tan[j - 1];
  }
}

// transpose of cone_jvp: sets e_bar, adds to the others
static void cone_vjp(const cone* c, const cr_real* f_bar, cr_real* e_bar, cr_real* D_bar,
                     cr_real* mu_bar, cr_real* friction_bar) {
  for (int j = 0; j < c->dim; j++) {
    e_bar[j] = c->state == CR_STATE_QUADRATIC ? -c->D[j] * f_bar[j] : 0;
    D_bar[j] += c->state == CR_STATE_QUADRATIC ? -c->e[j] * f_bar[j] : 0;
  }
  if (c->state != CR_STATE_CONE) {
    return;
  }
  // [convex.f3]'
  cr_real mu = c->mu, p = c->Dm * c->g, p_bar = -mu * f_bar[0];
  cr_real u_bar[CR_MAX_CONE - 1], along = 0;
  *mu_bar -= p * f_bar[0];
  for (int j = 1; j < c->dim; j++) {
    cr_real u = c->u[j - 1], uf = u * c->friction[j - 1] * f_bar[j];
    p_bar += mu * uf;
    *mu_bar += p * uf;
    u_bar[j - 1] = p * mu * c->friction[j - 1] * f_bar[j];
    friction_bar[j - 1] += p * mu * u * f_bar[j];
    along += u * u_bar[j - 1];
  }
  // [convex.f2]'
  cr_real g_bar = c->Dm * p_bar, Dm_bar = c->g * p_bar;
  *mu_bar += g_bar * (c->e[0] - c->T) - Dm_bar * c->Dm * (2 / mu + 2 * mu / (1 + mu * mu));
  D_bar[0] += Dm_bar * c->Dm / c->D[0];
  e_bar[0] = mu * g_bar;
  // [convex.f1]'
  for (int j = 1; j < c->dim; j++) {
    cr_real u = c->u[j - 1];
    cr_real t_bar = (u_bar[j - 1] - u * along) / c->T - mu * g_bar * u;
    e_bar[j] = c->friction[j - 1] * t_bar;
    friction_bar[j - 1] += c->e[j] * t_bar;
  }
}

void cri_friction_cone_hessian(const cr_data* d, const cr_real* e, int i, cr_real* C) {
  cone c = cone_at(d, e + i, i);
  // s = Dm g^2 / 2: Dm g' g'' + Dm g g'', with g_t = -mu u and g_tt = -mu (1 - u u') / T
  cr_real across = -c.Dm * c.g * c.mu / c.T;
  for (int j = 0; j < c.dim; j++) {
    cr_real gj = j == 0 ? c.mu : -c.mu * c.u[j - 1] * c.friction[j - 1];
    for (int k = 0; k <= j; k++) {
      cr_real gk = k == 0 ? c.mu : -c.mu * c.u[k - 1] * c.friction[k - 1];
      cr_real sum = c.Dm * gj * gk;
      if (k > 0) {
        cr_real turn = (j == k ? 1 : 0) - c.u[j - 1] * c.u[k - 1];
        sum += across * turn * c.friction[j - 1] * c.friction[k - 1];
      }
      C[j * c.dim + k] = C[k * c.dim + j] = sum;
    }
  }
}

// ---- rows of one number

// the force of a row, and its state
static inline int32_t row_force(const cr_data* d, cr_real e, int i, cr_real* f) {
  int type = d->efc_type[i];
  if (type == CR_CNSTR_FRICTION_DOF || type == CR_CNSTR_FRICTION_TENDON) {
    cr_real loss = d->efc_frictionloss[i], pull = d->efc_D[i] * e;
    *f = pull <= -loss ? loss : (pull >= loss ? -loss : -pull);
    return pull <= -loss ? CR_STATE_LINEAR_NEG
                         : (pull >= loss ? CR_STATE_LINEAR_POS : CR_STATE_QUADRATIC);
  }
  bool acts = e < 0 || type == CR_CNSTR_EQUALITY;
  *f = acts ? -d->efc_D[i] * e : 0;
  return acts ? CR_STATE_QUADRATIC : CR_STATE_SATISFIED;
}

static int32_t row_state(const cr_data* d, cr_real e, int i) {
  cr_real f;
  return row_force(d, e, i, &f);
}

// force of a row over its friction loss, where it is linear
static cr_real linear_sign(int32_t state) {
  return (cr_real)((state == CR_STATE_LINEAR_NEG) - (state == CR_STATE_LINEAR_POS));
}

static cr_real row_cost(const cr_data* d, cr_real e, int i) {
  cr_real D = d->efc_D[i], loss = d->efc_frictionloss[i];
  switch (row_state(d, e, i)) {
    case CR_STATE_QUADRATIC:
      return D * e * e / 2;
    case CR_STATE_SATISFIED:
      return 0;
    default:
      return loss * (cr_abs(e) - loss / D / 2);
  }
}

// ---- all rows

// force and state of the contact at row i; returns its rows. Apart, so that rows of one number are quick.
static __attribute__((noinline)) int set_cone_force(const cr_data* d, const cr_real* e, int i,
                                                    cr_real* f, int32_t* state) {
  cone c = cone_at(d, e + i, i);
  cone_force(&c, f + i);
  for (int j = 0; j < c.dim; j++) {
    state[i + j] = c.state;
  }
  return c.dim;
}

void cri_constraint_force(const cr_data* d, cr_run rows, const cr_real* e, cr_real* f,
                          int32_t* state) {
  for (int i = rows.begin; i < rows.end;) {
    if (is_cone(d, i)) {
      i += set_cone_force(d, e, i, f, state);
    } else {
      state[i] = row_force(d, e[i], i, f + i);
      i++;
    }
  }
}

cr_real cri_constraint_cost(const cr_data* d, cr_run rows, const cr_real* e) {
  cr_real cost = 0;
  for (int i = rows.begin; i < rows.end;) {
    if (is_cone(d, i)) {
      cone c = cone_at(d, e + i, i);
      cost += cone_cost(&c);
      i += c.dim;
    } else {
      cost += row_cost(d, e[i], i);
      i++;
    }
  }
  return cost;
}

cr_real cri_constraint_cost_of(const cr_data* d, cr_run rows, const cr_real* e, const cr_real* f,
                               const int32_t* state) {
  cr_real cost = 0;
  for (int i = rows.begin; i < rows.end; i++) {
    cost -= e[i] * f[i] / 2;
    if (state[i] == CR_STATE_LINEAR_NEG || state[i] == CR_STATE_LINEAR_POS) {
      // |f| is the friction loss: s = |f| |e| - f^2 / 2 D
      cost -= (e[i] + f[i] / d->efc_D[i]) * f[i] / 2;
    }
  }
  return cost;
}

void cri_constraint_slope(const cr_data* d, cr_run rows, const cr_real* e, const cr_real* u,
                          cr_real alpha, cr_real slope[2]) {
  for (int i = rows.begin; i < rows.end;) {
    if (is_cone(d, i)) {
      int dim = d->contact_dim[d->efc_id[i]];
      cr_real x[CR_MAX_CONE];
      for (int j = 0; j < dim; j++) {
        x[j] = e[i + j] + alpha * u[i + j];
      }
      cone c = cone_at(d, x, i);
      cone_slope(&c, u + i, slope);
      i += dim;
    } else {
      cr_real x = e[i] + alpha * u[i], f;
      int32_t state = row_force(d, x, i, &f);
      slope[0] -= f * u[i];
      slope[1] += state == CR_STATE_QUADRATIC ? d->efc_D[i] * u[i] * u[i] : 0;
      i++;
    }
  }
}

void cri_constraint_jvp(const cr_data* d, cr_run rows, const cr_real* e, const cr_data* tan,
                        const cr_real* e_tan, cr_real* f_tan) {
  for (int i = rows.begin; i < rows.end;) {
    if (is_cone(d, i)) {
      int contact = d->efc_id[i];
      cone c = cone_at(d, e + i, i);
      cone_jvp(&c, e_tan + i, tan->efc_D + i, tan->contact_mu[contact],
               tan->contact_friction + 5 * contact, f_tan + i);
      i += c.dim;
    } else {
      int32_t state = row_state(d, e[i], i);
      f_tan[i] = state == CR_STATE_QUADRATIC ? -d->efc_D[i] * e_tan[i] - tan->efc_D[i] * e[i]
                                             : linear_sign(state) * tan->efc_frictionloss[i];
      i++;
    }
  }
}

// place for the cotangents of parameters if the caller does not want them
typedef struct {
  cr_real D[CR_MAX_CONE], mu, friction[CR_MAX_CONE - 1];
} nowhere;

static void cone_row_vjp(const cr_data* d, const cr_real* e, int i, cr_data* bar,
                         const cr_real* f_bar, cr_real* e_bar) {
  int contact = d->efc_id[i];
  cone c = cone_at(d, e + i, i);
  if (bar == NULL) {
    nowhere n = {0};
    cone_vjp(&c, f_bar + i, e_bar + i, n.D, &n.mu, n.friction);
  } else {
    cone_vjp(&c, f_bar + i, e_bar + i, bar->efc_D + i, bar->contact_mu + contact,
             bar->contact_friction + 5 * contact);
  }
}

void cri_constraint_vjp(const cr_data* d, cr_run rows, const cr_real* e, cr_data* bar,
                        const cr_real* f_bar, cr_real* e_bar) {
  for (int i = rows.begin; i < rows.end;) {
    if (is_cone(d, i)) {
      cone_row_vjp(d, e, i, bar, f_bar, e_bar);
      i += d->contact_dim[d->efc_id[i]];
      continue;
    }
    int32_t state = row_state(d, e[i], i);
    bool quadratic = state == CR_STATE_QUADRATIC;
    e_bar[i] = quadratic ? -d->efc_D[i] * f_bar[i] : 0;
    if (bar != NULL) {
      bar->efc_D[i] -= quadratic ? e[i] * f_bar[i] : 0;
      bar->efc_frictionloss[i] += linear_sign(state) * f_bar[i];
    }
    i++;
  }
}
