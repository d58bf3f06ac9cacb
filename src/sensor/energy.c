// SPDX-License-Identifier: Apache-2.0
// Every term is a scalar of few numbers, so its derivative is a gradient: e = x grad x, P'(x) grad x
// = k(x) e with the stiffness k(x) = k + p_0 x + p_1 x^2, minus the spring's force.
#include "sensor/energy.h"

#include "dynamics/inertia.h"
#include "dynamics/joint.h"
#include "dynamics/tendon_law.h"
#include "math/cholesky.h"
#include "math/quat.h"

static bool has_gravity(const cr_model* m) { return (m->disableflags & CR_DSBL_GRAVITY) == 0; }
static bool has_springs(const cr_model* m) { return (m->disableflags & CR_DSBL_SPRING) == 0; }

// ---- springs: displacement e, of size x, and where it is

typedef struct {
  int n;       // numbers of e
  bool turns;  // an orientation: e is a rotation vector
  int q, v;    // first coordinate and first dof
  cr_real e[3], x;
} spring;

// the springs of joint j
static int springs_of(const cr_model* m, const cr_data* d, int j, spring out[2]) {
  cri_joint_space s = cri_joint_space_of(m, j);
  int n = 0;
  if (s.nflat > 0) {
    spring* flat = &out[n++];
    *flat = (spring){.n = s.nflat, .q = s.q, .v = s.v};
    for (int i = 0; i < s.nflat; i++) {
      flat->e[i] = d->qpos[s.q + i] - m->qpos_spring[s.q + i];
    }
    flat->x = s.nflat == 1 ? flat->e[0] : cr_norm3(flat->e);
  }
  if (s.rotates) {
    spring* turn = &out[n++];
    *turn = (spring){.n = 3, .turns = true, .q = s.q + s.nflat, .v = s.v + s.nflat};
    cr_real unit[4];
    cr_copy(unit, d->qpos + turn->q, 4);
    cr_quat_normalize(unit);
    cr_quat_sub(turn->e, unit, m->qpos_spring + turn->q);
    turn->x = cr_norm3(turn->e);
  }
  return n;
}

static cr_real potential(cr_real k, const cr_real p[2], cr_real x) {
  return x * x * (k / 2 + x * (p[0] / 3 + x * p[1] / 4));
}

static cr_real stiffness(cr_real k, const cr_real p[2], cr_real x) {
  return k + x * (p[0] + x * p[1]);
}

// adds to the cotangents of spring i's coefficients
static void coefficients_bar(cr_real* k_bar, cr_real* p_bar, int i, cr_real x, cr_real u_bar) {
  if (k_bar != NULL) {
    k_bar[i] += u_bar * x * x / 2;
  }
  if (p_bar != NULL) {
    p_bar[2 * i] += u_bar * x * x * x / 3;
    p_bar[2 * i + 1] += u_bar * x * x * x * x / 4;
  }
}

// ---- forward

static cr_real spring_energy(const cr_model* m, const cr_data* d) {
  cr_real U = 0;
  for (int j = 0; j < m->njnt; j++) {
    spring s[2];
    for (int i = springs_of(m, d, j, s) - 1; i >= 0; i--) {
      U += potential(m->jnt_stiffness[j], m->jnt_stiffnesspoly + 2 * j, s[i].x);
    }
  }
  for (int i = 0; i < m->ntendon; i++) {
    cr_real x = cri_dead_band_of(m, d, i).x;
    U += potential(m->tendon_stiffness[i], m->tendon_stiffnesspoly + 2 * i, x);
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
  // [g1]
  cr_real U = has_springs(m) ? spring_energy(m, d) : 0;
  for (int b = 1; b < m->nbody && has_gravity(m); b++) {
    U -= m->body_mass[b] * cr_dot3(m->gravity, d->xipos + 3 * b);
  }
  d->energy[0] = U;
  // [g2]
  d->energy[1] = kinetic_energy(m, d);
  return CR_OK;
}

// ---- jvp

static cr_real joint_springs_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int j) {
  spring s[2];
  cr_real U_tan = 0, k = m->jnt_stiffness[j];
  const cr_real *p = m->jnt_stiffnesspoly + 2 * (size_t)j,
                *p_tan = cri_par_tan(tan->par.jnt_stiffnesspoly, j, 2);
  for (int i = springs_of(m, d, j, s) - 1; i >= 0; i--) {
    cr_real along = 0;
    for (int c = 0; c < s[i].n; c++) {
      // a turn moves e by Jr^-1(e) q', and e Jr^-1(e) = e
      cr_real rest_tan = s[i].turns ? 0 : cri_par_tan(tan->par.qpos_spring, s[i].q + c, 1)[0];
      along += s[i].e[c] * (tan->qpos[s[i].v + c] - rest_tan);
    }
    U_tan += stiffness(k, p, s[i].x) * along;
    U_tan += potential(cri_par_tan(tan->par.jnt_stiffness, j, 1)[0], p_tan, s[i].x);
  }
  return U_tan;
}

static cr_real tendon_spring_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i) {
  cri_dead_band band = cri_dead_band_of(m, d, i);
  cr_real x = band.x, x_tan = cri_dead_band_tan(&band, tan, i);
  return x * x_tan * stiffness(m->tendon_stiffness[i], m->tendon_stiffnesspoly + 2 * i, x) +
         potential(cri_par_tan(tan->par.tendon_stiffness, i, 1)[0],
                   cri_par_tan(tan->par.tendon_stiffnesspoly, i, 2), x);
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
  // [g1]
  cr_real U_tan = 0;
  for (int j = 0; j < m->njnt && has_springs(m); j++) {
    U_tan += joint_springs_tan(m, d, tan, j);
  }
  for (int i = 0; i < m->ntendon && has_springs(m); i++) {
    U_tan += tendon_spring_tan(m, d, tan, i);
  }
  const cr_real* g_tan = cri_par_tan(tan->par.gravity, 0, 3);
  for (int b = 1; b < m->nbody && has_gravity(m); b++) {
    const cr_real* x = d->xipos + 3 * b;
    cr_real fall = cr_dot3(g_tan, x) + cr_dot3(m->gravity, tan->xipos + 3 * b);
    U_tan -= m->body_mass[b] * fall;
    U_tan -= cri_par_tan(tan->par.body_mass, b, 1)[0] * cr_dot3(m->gravity, x);
  }
  tan->energy[0] = U_tan;
  // [g2]
  tan->energy[1] = kinetic_tan(m, d, tan);
  return CR_OK;
}

// ---- vjp

static void joint_springs_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int j,
                              cr_real U_bar) {
  spring s[2];
  cr_real k = m->jnt_stiffness[j];
  const cr_real* p = m->jnt_stiffnesspoly + 2 * (size_t)j;
  for (int i = springs_of(m, d, j, s) - 1; i >= 0; i--) {
    cr_real pull = U_bar * stiffness(k, p, s[i].x);
    for (int c = 0; c < s[i].n; c++) {
      bar->qpos[s[i].v + c] += pull * s[i].e[c];
      if (bar->par.qpos_spring != NULL && !s[i].turns) {
        bar->par.qpos_spring[s[i].q + c] -= pull * s[i].e[c];
      }
    }
    coefficients_bar(bar->par.jnt_stiffness, bar->par.jnt_stiffnesspoly, j, s[i].x, U_bar);
  }
}

static void tendon_spring_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                              cr_real U_bar) {
  cri_dead_band band = cri_dead_band_of(m, d, i);
  cr_real x = band.x;
  cri_dead_band_bar(
      &band, bar, i,
      U_bar * x * stiffness(m->tendon_stiffness[i], m->tendon_stiffnesspoly + 2 * i, x));
  coefficients_bar(bar->par.tendon_stiffness, bar->par.tendon_stiffnesspoly, i, x, U_bar);
}

static void potential_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cr_real U_bar) {
  for (int j = 0; j < m->njnt && has_springs(m); j++) {
    joint_springs_vjp(m, d, bar, j, U_bar);
  }
  for (int i = 0; i < m->ntendon && has_springs(m); i++) {
    tendon_spring_vjp(m, d, bar, i, U_bar);
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
  // [g2]', [g1]'
  if (bar->energy[1] != 0) {
    kinetic_vjp(m, d, bar, bar->energy[1]);
  }
  if (bar->energy[0] != 0) {
    potential_vjp(m, d, bar, bar->energy[0]);
  }
  return CR_OK;
}
