// SPDX-License-Identifier: Apache-2.0
// [hunt_crossley.h1] to [hunt_crossley.h3] and their derivatives.
#include "law/hunt_crossley.h"

#include "model/model.h"

// ---- [hunt_crossley.h3] friction over slip, as functions of y = (s / v_t)^2

// a function of y, with its slope
typedef struct {
  cr_real value, slope;
} curve;

// tanh(x) / x of x = sqrt(y)
static curve tanh_over(cr_real y) {
  static const cr_real series[] = {1,
                                   CR_R(-1.0) / 3,
                                   CR_R(2.0) / 15,
                                   CR_R(-17.0) / 315,
                                   CR_R(62.0) / 2835,
                                   CR_R(-1382.0) / 155925,
                                   CR_R(21844.0) / 6081075,
                                   CR_R(-929569.0) / 638512875,
                                   CR_R(6404582.0) / CR_R(10854718875.0)};
  enum { N = sizeof series / sizeof series[0] };
  curve c = {0, 0};
  if (y < CR_R(0.01)) {
    for (int i = N - 1; i >= 0; i--) {
      c.slope = c.slope * y + c.value;
      c.value = c.value * y + series[i];
    }
    return c;
  }
  cr_real x = cr_sqrt(y), t = cr_tanh(x);
  return (curve){t / x, ((1 - t * t) * x - t) / (2 * x * y)};
}

// tanh(c t) / t
static curve tanh_of(cr_real c, cr_real y) {
  curve g = tanh_over(c * c * y);
  return (curve){c * g.value, c * c * c * g.slope};
}

// min(t, 1) / t
static curve ramp(cr_real y) {
  cr_real t = cr_sqrt(y);
  return y < 1 ? (curve){1, 0} : (curve){1 / t, -1 / (2 * t * y)};
}

static curve product(curve a, curve b) {
  return (curve){a.value * b.value, a.slope * b.value + a.value * b.slope};
}

// phi(t) / t = base + (r - 1) more, r = static over sliding friction
static void friction_curves(int law, cr_real y, curve* base, curve* more) {
  switch (law) {
    case CR_FRICTION_ANDERSSON: {
      cr_real fade = cr_exp(-y);
      *base = tanh_of(10, y);
      *more = product(*base, (curve){fade, -fade});
      break;
    }
    case CR_FRICTION_HOLLARS: {
      cr_real fade = 2 / (1 + y);
      *base = ramp(y);
      *more = product(*base, (curve){fade, -fade / (1 + y)});
      break;
    }
    case CR_FRICTION_BROWN: {
      cr_real z = (y + 3) / 4;
      *base = tanh_of(4, y);
      *more = (curve){1 / (z * z), -1 / (2 * z * z * z)};
      break;
    }
    default:
      *base = ramp(y);
      *more = (curve){0, 0};
  }
}

// ---- the contact

typedef struct {
  int dim;
  const cr_contact_numbers* at;
  cr_real k, d, n, v_t, r;
  cr_real x, power, push, N;               // power = x^n, push = k - d v_0
  cr_real rho[CR_MAX_CONTACT_DIM], s2, y;  // rho_j = mu_j / mu_1
  cr_real psi, psi_s2, psi_v_t, psi_r;     // and its derivatives
  int zone;
} contact;

static bool has_ramp(int law) { return law == CR_FRICTION_COULOMB || law == CR_FRICTION_HOLLARS; }

static void set_friction(contact* c, int law) {
  c->s2 = 0;
  for (int j = 1; j < c->dim; j++) {
    c->rho[j] = c->at->friction[j - 1] / c->at->friction[0];
    cr_real slip = c->rho[j] * c->at->velocity[j];
    c->s2 += slip * slip;
  }
  c->y = c->s2 / (c->v_t * c->v_t);
  curve base, more;
  friction_curves(law, c->y, &base, &more);
  curve of = {base.value + (c->r - 1) * more.value, base.slope + (c->r - 1) * more.slope};
  c->psi = of.value / c->v_t;
  c->psi_s2 = of.slope / (c->v_t * c->v_t * c->v_t);
  c->psi_v_t = -(of.value + 2 * c->y * of.slope) / (c->v_t * c->v_t);
  c->psi_r = more.value / c->v_t;
}

// member by member: clearing the whole costs more than filling it
static void contact_of(const cr_contact_call* call, contact* c) {
  const cr_contact_numbers* at = call->at;
  const cr_real* p = at->hunt_crossley;
  c->dim = call->dim;
  c->at = at;
  c->k = p[0];
  c->d = p[1];
  c->n = p[2];
  c->v_t = p[3];
  c->r = p[4];
  c->x = -at->gap;
  c->push = c->k - c->d * at->velocity[0];
  c->power = c->N = 0;
  c->zone = 0;
  set_friction(c, call->model->friction_law);
  if (c->x > 0 && c->push > 0) {
    // [hunt_crossley.h1]
    c->power = cr_pow(c->x, c->n);
    c->N = at->weight * c->power * c->push;
    c->zone = 1 + (c->dim > 1 && c->y >= 1 && has_ramp(call->model->friction_law));
  }
}

void cri_hunt_crossley_force(void* user, cr_contact_call* call) {
  contact c;
  contact_of(call, &c);
  (void)user;
  call->zone = c.zone;
  call->force[0] = c.N;
  // [hunt_crossley.h2]
  for (int j = 1; j < c.dim; j++) {
    call->force[j] = -c.N * c.at->friction[j - 1] * c.rho[j] * c.psi * c.at->velocity[j];
  }
}

void cri_hunt_crossley_jvp(void* user, cr_contact_call* call) {
  contact c;
  contact_of(call, &c);
  const cr_contact_numbers *at = c.at, *tan = call->twin;
  const cr_real* p_tan = tan->hunt_crossley;
  (void)user;
  if (c.zone == 0) {
    return;
  }
  // [hunt_crossley.h1]
  cr_real power_tan = c.power * (cr_log(c.x) * p_tan[2] - c.n * tan->gap / c.x);
  cr_real push_tan = p_tan[0] - p_tan[1] * at->velocity[0] - c.d * tan->velocity[0];
  cr_real N_tan =
      tan->weight * c.power * c.push + at->weight * (power_tan * c.push + c.power * push_tan);
  // [hunt_crossley.h3]
  cr_real rho_tan[CR_MAX_CONTACT_DIM], s2_tan = 0;
  for (int j = 1; j < c.dim; j++) {
    rho_tan[j] = (tan->friction[j - 1] - c.rho[j] * tan->friction[0]) / at->friction[0];
    s2_tan += 2 * c.rho[j] * at->velocity[j] *
              (rho_tan[j] * at->velocity[j] + c.rho[j] * tan->velocity[j]);
  }
  cr_real psi_tan = c.psi_s2 * s2_tan + c.psi_v_t * p_tan[3] + c.psi_r * p_tan[4];
  // [hunt_crossley.h2]
  call->force[0] = N_tan;
  for (int j = 1; j < c.dim; j++) {
    cr_real mu = at->friction[j - 1], v = at->velocity[j], w = mu * c.rho[j];
    cr_real w_tan = tan->friction[j - 1] * c.rho[j] + mu * rho_tan[j];
    call->force[j] =
        -(N_tan * w + c.N * w_tan) * c.psi * v - c.N * w * (psi_tan * v + c.psi * tan->velocity[j]);
  }
}

void cri_hunt_crossley_vjp(void* user, cr_contact_call* call) {
  contact c;
  contact_of(call, &c);
  const cr_contact_numbers* at = c.at;
  const cr_real* f_bar = call->force;
  cr_contact_numbers* bar = call->twin;
  cr_real *p_bar = bar->hunt_crossley, rho_bar[CR_MAX_CONTACT_DIM], N_bar = f_bar[0], psi_bar = 0;
  (void)user;
  if (c.zone == 0) {
    return;
  }
  // [hunt_crossley.h2]'
  for (int j = 1; j < c.dim; j++) {
    cr_real mu = at->friction[j - 1], v = at->velocity[j], w = mu * c.rho[j];
    cr_real w_bar = -c.N * c.psi * v * f_bar[j];
    N_bar -= w * c.psi * v * f_bar[j];
    psi_bar -= c.N * w * v * f_bar[j];
    bar->velocity[j] -= c.N * w * c.psi * f_bar[j];
    bar->friction[j - 1] += c.rho[j] * w_bar;
    rho_bar[j] = mu * w_bar;
  }
  // [hunt_crossley.h3]'
  cr_real s2_bar = c.psi_s2 * psi_bar;
  p_bar[3] += c.psi_v_t * psi_bar;
  p_bar[4] += c.psi_r * psi_bar;
  for (int j = 1; j < c.dim; j++) {
    cr_real v = at->velocity[j];
    rho_bar[j] += 2 * c.rho[j] * v * v * s2_bar;
    bar->velocity[j] += 2 * c.rho[j] * c.rho[j] * v * s2_bar;
    bar->friction[j - 1] += rho_bar[j] / at->friction[0];
    bar->friction[0] -= c.rho[j] * rho_bar[j] / at->friction[0];
  }
  // [hunt_crossley.h1]'
  cr_real power_bar = at->weight * c.push * N_bar, push_bar = at->weight * c.power * N_bar;
  bar->weight += c.power * c.push * N_bar;
  bar->gap -= c.n * c.power / c.x * power_bar;
  p_bar[2] += c.power * cr_log(c.x) * power_bar;
  p_bar[0] += push_bar;
  p_bar[1] -= at->velocity[0] * push_bar;
  bar->velocity[0] -= c.d * push_bar;
}

void cri_hunt_crossley_bends(void* user, cr_contact_call* call) {
  contact c;
  contact_of(call, &c);
  (void)user;
  call->bend[0] = c.push;
  if (c.dim > 1 && has_ramp(call->model->friction_law)) {
    call->bend[1] = cr_sqrt(c.s2) - c.v_t;
  }
}
