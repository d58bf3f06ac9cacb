// SPDX-License-Identifier: Apache-2.0
// [coulomb.c1] and its derivatives, as a user writes it: with the public headers alone.
#include "support/coulomb.h"

#include <tgmath.h>

#include "support/test.h"

static const cr_real SLIP = 3, SHARE = 0.5, TURN = (cr_real)0.3L;

typedef struct {
  int dim;
  const cr_contact_numbers* at;
  cr_real N, w, s, mu[CR_MAX_CONTACT_DIM], g[CR_MAX_CONTACT_DIM];
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

static contact contact_of(const cr_contact_call* call) {
  contact c = {.dim = call->dim, .at = call->at};
  const cr_real* e = c.at->e;
  c.N = e[0] < 0 ? -c.at->D[0] * e[0] : 0;
  c.s = SLIP * (1 + c.at->mu);
  turn(c.dim, e, TURN, c.g);
  cr_real sum = c.s * c.s;
  for (int j = 1; j < c.dim; j++) {
    c.mu[j] = SHARE * c.at->friction[j - 1];
    sum += e[j] * e[j];
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
  call->zone = c.at->e[0] < 0;
}

static void jvp(void* user, cr_contact_call* call) {
  contact c = contact_of(call);
  const cr_contact_numbers* tan = call->twin;
  cr_real g_tan[CR_MAX_CONTACT_DIM], N_tan = 0, w_tan = c.s * SLIP * tan->mu / c.w;
  (void)user;
  if (c.at->e[0] < 0) {
    N_tan = -c.at->D[0] * tan->e[0] - tan->D[0] * c.at->e[0];
  }
  for (int j = 1; j < c.dim; j++) {
    w_tan += c.at->e[j] * tan->e[j] / c.w;
  }
  turn(c.dim, tan->e, TURN, g_tan);
  call->force[0] = N_tan;
  for (int j = 1; j < c.dim; j++) {
    cr_real mu_tan = SHARE * tan->friction[j - 1];
    cr_real y = c.mu[j] * c.g[j] / c.w;
    cr_real y_tan = (mu_tan * c.g[j] + c.mu[j] * g_tan[j] - y * w_tan) / c.w;
    call->force[j] = -N_tan * y - c.N * y_tan;
  }
}

static void vjp(void* user, cr_contact_call* call) {
  contact c = contact_of(call);
  const cr_real* f_bar = call->force;
  cr_contact_numbers* bar = call->twin;
  cr_real g_bar[CR_MAX_CONTACT_DIM] = {0}, N_bar = f_bar[0], w_bar = 0;
  (void)user;
  for (int j = 1; j < c.dim; j++) {
    cr_real y = c.mu[j] * c.g[j] / c.w, y_bar = -c.N * f_bar[j];
    N_bar -= y * f_bar[j];
    bar->friction[j - 1] = SHARE * y_bar * c.g[j] / c.w;
    g_bar[j] = y_bar * c.mu[j] / c.w;
    w_bar -= y_bar * y / c.w;
  }
  turn(c.dim, g_bar, -TURN, bar->e);
  for (int j = 1; j < c.dim; j++) {
    bar->e[j] += w_bar * c.at->e[j] / c.w;
  }
  bar->mu = SLIP * w_bar * c.s / c.w;
  bar->e[0] = c.at->e[0] < 0 ? -c.at->D[0] * N_bar : 0;
  bar->D[0] = c.at->e[0] < 0 ? -c.at->e[0] * N_bar : 0;
}

// a contact bends where it begins to push
static void bends(void* user, cr_contact_call* call) {
  (void)user;
  call->bend[0] = call->at->e[0];
}

const cr_contact_options coulomb = {.size = sizeof(cr_contact_options),
                                    .name = "coulomb",
                                    .force = force,
                                    .jvp = jvp,
                                    .vjp = vjp,
                                    .bends = bends};

void coulomb_choose(cr_model* m) {
  cr_error error = {0};
  assert_int_equal(cr_model_add_contact_model(m, &coulomb, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(m, "contact_model", "coulomb", &error), CR_OK);
}
