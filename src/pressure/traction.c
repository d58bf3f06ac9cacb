// SPDX-License-Identifier: Apache-2.0
#include "pressure/traction.h"

bool cri_traction_force(const cri_traction* x, cri_traction_parts* p, cr_real F[3]) {
  p->v_n = cr_dot3(x->normal, x->velocity);
  cr_copy3(p->v_t, x->velocity);
  cr_accscl3(p->v_t, x->normal, -p->v_n);
  p->rest = cr_max(0, 1 - x->dissipation * p->v_n);
  p->N = x->load * p->rest;
  p->root = cr_sqrt(cr_dot3(p->v_t, p->v_t) + x->transition * x->transition);
  cr_scl3(F, x->normal, p->N);                           // [pressure.t1]
  cr_accscl3(F, p->v_t, -x->friction * p->N / p->root);  // [pressure.t2]
  return p->rest > 0;
}

void cri_traction_tan(const cri_traction* x, const cri_traction_parts* p, const cri_traction* x_tan,
                      cr_real F_tan[3]) {
  cr_real v_n_tan = cr_dot3(x_tan->normal, x->velocity) + cr_dot3(x->normal, x_tan->velocity);
  cr_real v_t_tan[3];
  cr_copy3(v_t_tan, x_tan->velocity);
  cr_accscl3(v_t_tan, x_tan->normal, -p->v_n);
  cr_accscl3(v_t_tan, x->normal, -v_n_tan);
  // [pressure.t1]
  cr_real rest_tan = p->rest > 0 ? -x_tan->dissipation * p->v_n - x->dissipation * v_n_tan : 0;
  cr_real N_tan = x_tan->load * p->rest + x->load * rest_tan;
  // [pressure.t2] with s = mu N / root
  cr_real root_tan = (cr_dot3(p->v_t, v_t_tan) + x->transition * x_tan->transition) / p->root;
  cr_real s = x->friction * p->N / p->root;
  cr_real s_tan = (x_tan->friction * p->N + x->friction * N_tan - s * root_tan) / p->root;
  cr_scl3(F_tan, x->normal, N_tan);
  cr_accscl3(F_tan, x_tan->normal, p->N);
  cr_accscl3(F_tan, p->v_t, -s_tan);
  cr_accscl3(F_tan, v_t_tan, -s);
}

void cri_traction_bar(const cri_traction* x, const cri_traction_parts* p, const cr_real F_bar[3],
                      cri_traction* x_bar) {
  // [pressure.t2]'
  cr_real s = x->friction * p->N / p->root, s_bar = -cr_dot3(p->v_t, F_bar);
  cr_real N_bar = cr_dot3(x->normal, F_bar) + x->friction * s_bar / p->root;
  cr_real root_bar = -s * s_bar / p->root, v_t_bar[3];
  cr_scl3(v_t_bar, F_bar, -s);
  cr_accscl3(v_t_bar, p->v_t, root_bar / p->root);
  cr_accscl3(x_bar->normal, F_bar, p->N);
  x_bar->friction += p->N * s_bar / p->root;
  x_bar->transition += x->transition * root_bar / p->root;
  // [pressure.t1]'
  cr_real rest_bar = p->rest > 0 ? x->load * N_bar : 0;
  x_bar->load += p->rest * N_bar;
  x_bar->dissipation -= p->v_n * rest_bar;
  cr_real v_n_bar = -x->dissipation * rest_bar - cr_dot3(x->normal, v_t_bar);
  cr_acc3(x_bar->velocity, v_t_bar);
  cr_accscl3(x_bar->velocity, x->normal, v_n_bar);
  cr_accscl3(x_bar->normal, v_t_bar, -p->v_n);
  cr_accscl3(x_bar->normal, x->velocity, v_n_bar);
}
