// SPDX-License-Identifier: Apache-2.0
// The springs' laws give their energies; kinetic energy is a product with M.
#include "sensor/energy.h"

#include "force/joint_spring.h"
#include "force/tendon_spring.h"
#include "inertia/inertia.h"
#include "math/cholesky.h"
#include "math/vec3.h"

static bool has_gravity(const cr_model* m) { return (m->disableflags & CR_DSBL_GRAVITY) == 0; }
static bool has_springs(const cr_model* m) { return (m->disableflags & CR_DSBL_SPRING) == 0; }

// ---- forward

static cr_real joint_spring_energy(const cr_model* m, const cr_data* d, int j) {
  cr_real U = 0;
  cri_spring_piece pieces[2];
  for (int i = cri_spring_pieces(m, j, pieces) - 1; i >= 0; i--) {
    cri_spring s = cri_spring_of(m, d, &pieces[i]);
    U += cri_spring_number(&s, CR_POLY_ENERGY);
  }
  return U;
}

static cr_real spring_energy(const cr_model* m, const cr_data* d) {
  cr_real U = 0;
  for (int j = 0; j < m->njnt; j++) {
    U += joint_spring_energy(m, d, j);
  }
  for (int i = 0; i < m->ntendon; i++) {
    cri_tendon_spring s = cri_tendon_spring_of(m, d, i);
    U += cri_tendon_spring_number(&s, CR_POLY_ENERGY);
  }
  return U;
}

static cr_real kinetic_energy(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real *p = cri_push(d, (size_t)m->nv), K = 0;
  cri_inertia_mul(m, d, p, d->qvel, d);
  for (int i = 0; i < m->nv; i++) {
    K += p[i] * d->qvel[i] / 2;
  }
  cri_pop(d, mark);
  return K;
}

cr_status cr_energy(const cr_model* m, cr_data* d) {
  // [energy.g1]
  cr_real U = has_springs(m) ? spring_energy(m, d) : 0;
  for (int b = 1; b < m->nbody && has_gravity(m); b++) {
    U -= m->body_mass[b] * cr_dot3(m->gravity, d->xipos + 3 * b);
  }
  d->energy[0] = U;
  // [energy.g2]
  d->energy[1] = kinetic_energy(m, d);
  return CR_OK;
}

// ---- jvp

static cr_real joint_spring_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int j) {
  cr_real U_tan = 0;
  cri_spring_piece pieces[2];
  for (int i = cri_spring_pieces(m, j, pieces) - 1; i >= 0; i--) {
    cri_spring s = cri_spring_of(m, d, &pieces[i]);
    U_tan += cri_spring_number_tan(tan, &s, CR_POLY_ENERGY);
  }
  return U_tan;
}

// v' M v' + v M' v / 2
static cr_real kinetic_tan(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan), nv = (size_t)m->nv;
  cr_real *p = cri_push(tan, nv), *p_tan = cri_push(tan, nv), K_tan = 0;
  cr_pattern pattern = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cri_inertia_mul(m, d, p, d->qvel, tan);
  cr_sparse_mul(p_tan, tan->M, &pattern, d->qvel);
  for (int i = 0; i < m->nv; i++) {
    K_tan += p[i] * tan->qvel[i] + p_tan[i] * d->qvel[i] / 2;
  }
  cri_pop(tan, mark);
  return K_tan;
}

cr_status cr_energy_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  // [energy.g1]
  cr_real U_tan = 0;
  for (int j = 0; j < m->njnt && has_springs(m); j++) {
    U_tan += joint_spring_tan(m, d, tan, j);
  }
  for (int i = 0; i < m->ntendon && has_springs(m); i++) {
    cri_tendon_spring s = cri_tendon_spring_of(m, d, i);
    U_tan += cri_tendon_spring_tan(tan, &s, CR_POLY_ENERGY);
  }
  const cr_real* g_tan = cri_par_tan(tan->par.gravity, 0, 3);
  for (int b = 1; b < m->nbody && has_gravity(m); b++) {
    const cr_real* x = d->xipos + 3 * b;
    cr_real fall = cr_dot3(g_tan, x) + cr_dot3(m->gravity, tan->xipos + 3 * b);
    U_tan -= m->body_mass[b] * fall;
    U_tan -= cri_par_tan(tan->par.body_mass, b, 1)[0] * cr_dot3(m->gravity, x);
  }
  tan->energy[0] = U_tan;
  // [energy.g2]
  tan->energy[1] = kinetic_tan(m, d, tan);
  return CR_OK;
}

// ---- vjp

static void joint_spring_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int j,
                             cr_real U_bar) {
  cri_spring_piece pieces[2];
  for (int i = cri_spring_pieces(m, j, pieces) - 1; i >= 0; i--) {
    cri_spring s = cri_spring_of(m, d, &pieces[i]);
    cri_spring_number_bar(bar, &s, CR_POLY_ENERGY, U_bar);
  }
}

static void potential_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cr_real U_bar) {
  for (int j = 0; j < m->njnt && has_springs(m); j++) {
    joint_spring_vjp(m, d, bar, j, U_bar);
  }
  for (int i = 0; i < m->ntendon && has_springs(m); i++) {
    cri_tendon_spring s = cri_tendon_spring_of(m, d, i);
    cri_tendon_spring_bar(bar, &s, CR_POLY_ENERGY, U_bar);
  }
  for (int b = 1; b < m->nbody && has_gravity(m); b++) {
    const cr_real* x = d->xipos + 3 * b;
    cr_accscl3(bar->xipos + 3 * b, m->gravity, -U_bar * m->body_mass[b]);
    if (bar->par.gravity != NULL) {
      cr_accscl3(bar->par.gravity, x, -U_bar * m->body_mass[b]);
    }
    if (bar->par.body_mass != NULL) {
      bar->par.body_mass[b] -= U_bar * cr_dot3(m->gravity, x);
    }
  }
}

static void kinetic_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cr_real K_bar) {
  size_t mark = cri_mark(bar);
  cr_real* p = cri_push(bar, (size_t)m->nv);
  int pair = cri_pairs_add(&bar->M_pairs);
  cr_real *left = cri_pair_left(&bar->M_pairs, pair), *right = cri_pair_right(&bar->M_pairs, pair);
  cri_inertia_mul(m, d, p, d->qvel, bar);
  for (int i = 0; i < m->nv; i++) {
    bar->qvel[i] += K_bar * p[i];
    left[i] = K_bar / 2 * d->qvel[i];
    right[i] = d->qvel[i];
  }
  cri_pop(bar, mark);
}

cr_status cr_energy_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  // [energy.g2]', [energy.g1]'
  if (bar->energy[1] != 0) {
    kinetic_vjp(m, d, bar, bar->energy[1]);
  }
  if (bar->energy[0] != 0) {
    potential_vjp(m, d, bar, bar->energy[0]);
  }
  return CR_OK;
}
