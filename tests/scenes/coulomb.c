// SPDX-License-Identifier: Apache-2.0
// [coulomb.c1] and its derivatives, as a user writes it: with the public headers alone.
#include "scenes/coulomb.h"

#include <tgmath.h>

#include "support/test.h"

static const cr_real SLIP = 3, SHARE = 0.5, TURN = (cr_real)0.3L;
static const cr_real AREA = (cr_real)0.01L, TIME = (cr_real)0.01L;
static const cr_real RATE = 2, PULL = 100;

typedef struct {
  int dim;
  const cr_contact_numbers* at;
  cr_real y[CR_MAX_CONTACT_DIM], W, N, w, s, mu[CR_MAX_CONTACT_DIM], g[CR_MAX_CONTACT_DIM];
} contact;

// g = T e, or T' e
static void turn(int dim, const cr_real* e, cr_real by, cr_real* g) {
  for (int j = 0; j < dim; j++) {
    g[j] = e[j];
  }
  if (dim > 2) {
    g[1] = e[1] + by * e[2];
    g[2] = e[2] - by * e[1];
  }
}

// y, or its tangent
static void shift(int dim, const cr_contact_numbers* at, cr_real* y) {
  for (int j = 0; j < dim; j++) {
    y[j] = at->e[j] + RATE * at->velocity[j];
  }
  y[0] += PULL * at->gap;
}

static cr_real share_of_D(const cr_contact_numbers* at) {
  return 1 + at->area / AREA + at->weight / 2;
}

static contact contact_of(const cr_contact_call* call) {
  contact c = {.dim = call->dim, .at = call->at};
  shift(c.dim, c.at, c.y);
  c.W = c.at->D[0] * share_of_D(c.at) + TIME * TIME * c.at->stiffness;
  c.N = c.y[0] < 0 ? -c.W * c.y[0] : 0;
  c.s = SLIP * (1 + c.at->mu);
  turn(c.dim, c.y, TURN, c.g);
  cr_real sum = c.s * c.s;
  for (int j = 1; j < c.dim; j++) {
    c.mu[j] = SHARE * c.at->friction[j - 1];
    sum += c.y[j] * c.y[j];
  }
  c.w = sqrt(sum);
  return c;
}

static void force(void* user, cr_contact_call* call) {
  contact c = contact_of(call);
  (void)user;
  call->force[0] = c.N;
  for (int j = 1; j < c.dim; j++) {
    call->force[j] = -c.N * c.mu[j] * c.g[j] / c.w;
  }
  call->zone = c.y[0] < 0;
}

static void jvp(void* user, cr_contact_call* call) {
  contact c = contact_of(call);
  const cr_contact_numbers* tan = call->twin;
  cr_real y_tan[CR_MAX_CONTACT_DIM], g_tan[CR_MAX_CONTACT_DIM], N_tan = 0;
  cr_real w_tan = c.s * SLIP * tan->mu / c.w;
  (void)user;
  shift(c.dim, tan, y_tan);
  if (c.y[0] < 0) {
    cr_real W_tan = tan->D[0] * share_of_D(c.at) +
                    c.at->D[0] * (tan->area / AREA + tan->weight / 2) +
                    TIME * TIME * tan->stiffness;
    N_tan = -c.W * y_tan[0] - W_tan * c.y[0];
  }
  for (int j = 1; j < c.dim; j++) {
    w_tan += c.y[j] * y_tan[j] / c.w;
  }
  turn(c.dim, y_tan, TURN, g_tan);
  call->force[0] = N_tan;
  for (int j = 1; j < c.dim; j++) {
    cr_real mu_tan = SHARE * tan->friction[j - 1];
    cr_real z = c.mu[j] * c.g[j] / c.w;
    cr_real z_tan = (mu_tan * c.g[j] + c.mu[j] * g_tan[j] - z * w_tan) / c.w;
    call->force[j] = -N_tan * z - c.N * z_tan;
  }
}

static void vjp(void* user, cr_contact_call* call) {
  contact c = contact_of(call);
  const cr_real* f_bar = call->force;
  cr_contact_numbers* bar = call->twin;
  cr_real g_bar[CR_MAX_CONTACT_DIM] = {0}, y_bar[CR_MAX_CONTACT_DIM], N_bar = f_bar[0], w_bar = 0;
  (void)user;
  for (int j = 1; j < c.dim; j++) {
    cr_real z = c.mu[j] * c.g[j] / c.w, z_bar = -c.N * f_bar[j];
    N_bar -= z * f_bar[j];
    bar->friction[j - 1] = SHARE * z_bar * c.g[j] / c.w;
    g_bar[j] = z_bar * c.mu[j] / c.w;
    w_bar -= z_bar * z / c.w;
  }
  turn(c.dim, g_bar, -TURN, y_bar);
  y_bar[0] = c.y[0] < 0 ? -c.W * N_bar : 0;
  for (int j = 0; j < c.dim; j++) {
    y_bar[j] += j > 0 ? w_bar * c.y[j] / c.w : 0;
    bar->e[j] = y_bar[j];
    bar->velocity[j] = RATE * y_bar[j];
  }
  bar->gap = PULL * y_bar[0];
  bar->mu = SLIP * w_bar * c.s / c.w;
  cr_real W_bar = c.y[0] < 0 ? -c.y[0] * N_bar : 0;
  bar->D[0] = share_of_D(c.at) * W_bar;
  bar->weight = c.at->D[0] / 2 * W_bar;
  bar->area = c.at->D[0] / AREA * W_bar;
  bar->stiffness = TIME * TIME * W_bar;
}

// a contact bends where it begins to push
static void bends(void* user, cr_contact_call* call) {
  contact c = contact_of(call);
  (void)user;
  call->bend[0] = c.y[0];
}

const cr_contact_options coulomb = {.size = sizeof(cr_contact_options),
                                    .name = "coulomb",
                                    .force = force,
                                    .jvp = jvp,
                                    .vjp = vjp,
                                    .bends = bends};

void coulomb_choose(cr_model* m, bool motion) {
  cr_error error = {0};
  cr_contact_options o = coulomb;
  o.motion = motion;
  assert_int_equal(cr_model_add_contact_model(m, &o, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(m, "contact_model", "coulomb", &error), CR_OK);
}
