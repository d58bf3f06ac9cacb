// SPDX-License-Identifier: Apache-2.0
// [ncp.n1], [ncp.n2] and their derivatives.
#include "law/ncp.h"

#include "model/model.h"

enum { OPEN, STICKS, SLIDES };

typedef struct {
  int dim, zone;
  const cr_contact_numbers* at;
  cr_real N, s, g[CR_MAX_CONTACT_DIM], u[CR_MAX_CONTACT_DIM];  // u_j = g_j / (mu_j s)
} contact;

static contact contact_of(const cr_contact_call* call) {
  contact c = {.dim = call->dim, .at = call->at};
  cr_real sum = 0;
  if (!(c.at->e[0] < 0)) {
    return c;
  }
  c.N = -c.at->D[0] * c.at->e[0];
  for (int j = 1; j < c.dim; j++) {
    c.g[j] = -c.at->D[j] * c.at->e[j];
    c.u[j] = c.g[j] / c.at->friction[j - 1];
    sum += c.u[j] * c.u[j];
  }
  c.s = cr_sqrt(sum);
  c.zone = c.s > c.N ? SLIDES : STICKS;
  for (int j = 1; j < c.dim && c.zone == SLIDES; j++) {
    c.u[j] /= c.s;
  }
  return c;
}

void cri_ncp_force(void* user, cr_contact_call* call) {
  contact c = contact_of(call);
  (void)user;
  call->zone = c.zone;
  // [ncp.n1], [ncp.n2]
  call->force[0] = c.N;
  for (int j = 1; j < c.dim; j++) {
    call->force[j] = c.zone == SLIDES ? c.N * c.at->friction[j - 1] * c.u[j] : c.g[j];
  }
}

void cri_ncp_jvp(void* user, cr_contact_call* call) {
  contact c = contact_of(call);
  const cr_contact_numbers *at = c.at, *tan = call->twin;
  cr_real g_tan[CR_MAX_CONTACT_DIM], p_tan[CR_MAX_CONTACT_DIM], s_tan = 0;
  (void)user;
  if (c.zone == OPEN) {
    return;
  }
  for (int j = 0; j < c.dim; j++) {
    g_tan[j] = -at->D[j] * tan->e[j] - tan->D[j] * at->e[j];
    call->force[j] = g_tan[j];
  }
  if (c.zone == STICKS) {
    return;
  }
  // p_j = g_j / mu_j
  for (int j = 1; j < c.dim; j++) {
    p_tan[j] = (g_tan[j] - c.s * c.u[j] * tan->friction[j - 1]) / at->friction[j - 1];
    s_tan += c.u[j] * p_tan[j];
  }
  for (int j = 1; j < c.dim; j++) {
    cr_real mu = at->friction[j - 1], u_tan = (p_tan[j] - c.u[j] * s_tan) / c.s;
    call->force[j] = (g_tan[0] * mu + c.N * tan->friction[j - 1]) * c.u[j] + c.N * mu * u_tan;
  }
}

void cri_ncp_vjp(void* user, cr_contact_call* call) {
  contact c = contact_of(call);
  const cr_contact_numbers* at = c.at;
  const cr_real* f_bar = call->force;
  cr_contact_numbers* bar = call->twin;
  cr_real g_bar[CR_MAX_CONTACT_DIM], along = 0;
  (void)user;
  if (c.zone == OPEN) {
    return;
  }
  cr_copy(g_bar, f_bar, c.dim);
  if (c.zone == SLIDES) {
    // [ncp.n2]'
    for (int j = 1; j < c.dim; j++) {
      along += c.u[j] * c.N * at->friction[j - 1] * f_bar[j];
    }
    for (int j = 1; j < c.dim; j++) {
      cr_real mu = at->friction[j - 1];
      cr_real p_bar = (c.N * mu * f_bar[j] - c.u[j] * along) / c.s;
      g_bar[0] += mu * c.u[j] * f_bar[j];
      bar->friction[j - 1] += (c.N * f_bar[j] - c.s * p_bar / mu) * c.u[j];
      g_bar[j] = p_bar / mu;
    }
  }
  // [ncp.n1]'
  for (int j = 0; j < c.dim; j++) {
    bar->e[j] -= at->D[j] * g_bar[j];
    bar->D[j] -= at->e[j] * g_bar[j];
  }
}
