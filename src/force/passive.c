// SPDX-License-Identifier: Apache-2.0
// Joint and tendon springs, joint and tendon dampers, gravity compensation.
#include "force/passive.h"

#include "force/damper.h"
#include "force/joint_spring.h"
#include "force/rank_one.h"
#include "force/tendon_spring.h"
#include "force/wrench.h"
#include "math/vec3.h"

// ---- which forces act

typedef struct {
  bool spring, damper, gravity;
} switches;

static switches switched_on(const cr_model* m) {
  switches on = {.spring = (m->disableflags & CR_DSBL_SPRING) == 0,
                 .damper = (m->disableflags & CR_DSBL_DAMPER) == 0,
                 .gravity = (m->disableflags & CR_DSBL_GRAVITY) == 0};
  on.gravity = on.gravity && (on.spring || on.damper);
  return on;
}

static bool any_gravcomp(const cr_model* m) {
  for (int b = 1; b < m->nbody; b++) {
    if (m->body_gravcomp[b] != 0) {
      return true;
    }
  }
  return false;
}

// ---- springs

static void springs(const cr_model* m, cr_data* d) {
  for (int j = 0; j < m->njnt; j++) {
    cri_spring_piece pieces[2];
    int n = cri_joint_spring_acts(m, j) ? cri_spring_pieces(m, j, pieces) : 0;
    for (int i = 0; i < n; i++) {
      cr_real f[3];
      cri_spring s = cri_spring_of(m, d, &pieces[i]);
      cri_spring_force(&s, f);
      cr_copy(d->qfrc_spring + pieces[i].v, f, pieces[i].n);
    }
  }
}

static void springs_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int j = 0; j < m->njnt; j++) {
    cri_spring_piece pieces[2];
    int n = cri_spring_pieces(m, j, pieces);
    for (int i = 0; i < n; i++) {
      cr_real f_tan[3];
      cri_spring s = cri_spring_of(m, d, &pieces[i]);
      cri_spring_force_tan(tan, &s, f_tan);
      cr_copy(tan->qfrc_spring + pieces[i].v, f_tan, pieces[i].n);
    }
  }
}

static void springs_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  bool wanted = cri_joint_spring_wanted(&bar->par);
  for (int j = 0; j < m->njnt; j++) {
    cri_spring_piece pieces[2];
    int n = wanted || cri_joint_spring_acts(m, j) ? cri_spring_pieces(m, j, pieces) : 0;
    for (int i = 0; i < n; i++) {
      cri_spring s = cri_spring_of(m, d, &pieces[i]);
      cr_real f_bar[3] = {0, 0, 0};
      for (int c = 0, v = pieces[i].v; c < pieces[i].n; c++, v++) {
        f_bar[c] = bar->qfrc_spring[v] + bar->qfrc_passive[v];
      }
      cri_spring_force_bar(bar, &s, f_bar);
    }
  }
}

// ---- tendons: forces along the tendon, brought to the joints by ten_J

static void tendons(const cr_model* m, cr_data* d, switches on) {
  if (m->ntendon == 0) {
    return;
  }
  size_t mark = cri_mark(d);
  cr_real* f = cri_push(d, (size_t)m->ntendon);
  for (int i = 0; on.spring && i < m->ntendon; i++) {
    // [passive.p5] spring += J' f, f = -(k x + p_0 x^2 + p_1 x^3)
    cri_tendon_spring s = cri_tendon_spring_of(m, d, i);
    cri_tendon_add(m, d->ten_J, i, -cri_tendon_spring_number(&s, CR_POLY_PULL), d->qfrc_spring);
    d->tendon_side[i] = cri_tendon_spring_side(m, d, i);
  }
  if (!on.spring) {
    memset(d->tendon_side, 0, (size_t)m->ntendon * sizeof *d->tendon_side);
  }
  if (on.damper) {
    // [passive.p6] damper += J' f, f = -(b v + c_0 v |v| + c_1 v^3)
    cri_damper_forces(m, d, CR_DAMPED_TENDONS, f, d);
    for (int i = 0; i < m->ntendon; i++) {
      cri_tendon_add(m, d->ten_J, i, f[i], d->qfrc_damper);
    }
  }
  cri_pop(d, mark);
}

static void tendons_jvp(const cr_model* m, const cr_data* d, cr_data* tan, switches on) {
  if (m->ntendon == 0) {
    return;
  }
  size_t mark = cri_mark(tan);
  cr_real* f = cri_push(tan, (size_t)m->ntendon);
  cr_real* f_tan = cri_push(tan, (size_t)m->ntendon);
  // [passive.p5], [passive.p6] (J')' f + J' f'
  for (int i = 0; on.spring && i < m->ntendon; i++) {
    cri_tendon_spring s = cri_tendon_spring_of(m, d, i);
    cr_real pull = cri_tendon_spring_number(&s, CR_POLY_PULL);
    cri_tendon_add(m, tan->ten_J, i, -pull, tan->qfrc_spring);
    cri_tendon_add(m, d->ten_J, i, -cri_tendon_spring_tan(tan, &s, CR_POLY_PULL), tan->qfrc_spring);
  }
  if (on.damper) {
    cri_damper_forces(m, d, CR_DAMPED_TENDONS, f, tan);
    cri_damper_forces_jvp(m, d, tan, CR_DAMPED_TENDONS, f_tan);
    for (int i = 0; i < m->ntendon; i++) {
      cri_tendon_add(m, tan->ten_J, i, f[i], tan->qfrc_damper);
      cri_tendon_add(m, d->ten_J, i, f_tan[i], tan->qfrc_damper);
    }
  }
  cri_pop(tan, mark);
}

// a pair of the cotangent of J, with the cotangents of joint forces on its right
static int pair_of(const cr_model* m, cr_data* bar, const cr_real* q_bar) {
  int pair = cri_pairs_add(&bar->ten_J_pairs);
  cr_real* right = cri_pair_right(&bar->ten_J_pairs, pair);
  for (int j = 0; j < m->nv; j++) {
    right[j] = q_bar[j] + bar->qfrc_passive[j];
  }
  return pair;
}

static void tendon_springs_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  int pair = pair_of(m, bar, bar->qfrc_spring);
  cr_real* left = cri_pair_left(&bar->ten_J_pairs, pair);
  const cr_real* right = cri_pair_right(&bar->ten_J_pairs, pair);
  for (int i = 0; i < m->ntendon; i++) {
    // [passive.p5]' f_bar = J q_bar, J_bar += f (x) q_bar, length_bar += f_x f_bar
    cri_tendon_spring s = cri_tendon_spring_of(m, d, i);
    left[i] = -cri_tendon_spring_number(&s, CR_POLY_PULL);
    cri_tendon_spring_bar(bar, &s, CR_POLY_PULL, -cri_tendon_dot(m, d->ten_J, i, right));
  }
  cri_pairs_trim(&bar->ten_J_pairs, pair);
}

static void tendon_dampers_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  int pair = pair_of(m, bar, bar->qfrc_damper);
  const cr_real* right = cri_pair_right(&bar->ten_J_pairs, pair);
  size_t mark = cri_mark(bar);
  cr_real* f_bar = cri_push(bar, (size_t)m->ntendon);
  // [passive.p6]' as [passive.p5]', with the velocity
  cri_damper_forces(m, d, CR_DAMPED_TENDONS, cri_pair_left(&bar->ten_J_pairs, pair), bar);
  for (int i = 0; i < m->ntendon; i++) {
    f_bar[i] = cri_tendon_dot(m, d->ten_J, i, right);
  }
  cri_pairs_trim(&bar->ten_J_pairs, pair);
  cri_damper_forces_vjp(m, d, bar, CR_DAMPED_TENDONS, f_bar);
  cri_pop(bar, mark);
}

// ---- gravity compensation: body forces f_b = -m_b c_b g

static void compensating_forces(const cr_model* m, cr_real* x) {
  cr_zero(x, 6 * m->nbody);
  for (int b = 1; b < m->nbody; b++) {
    cr_scl3(x + 6 * b, m->gravity, -m->body_mass[b] * m->body_gravcomp[b]);
  }
}

static void gravcomp(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real* x = cri_push(d, 6 * (size_t)m->nbody);
  // [passive.p3] J' f
  compensating_forces(m, x);
  cri_wrench(m, d, x, d->qfrc_gravcomp, d);
  cri_pop(d, mark);
}

static void gravcomp_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* x = cri_push(tan, 6 * (size_t)m->nbody);
  cr_real* x_tan = cri_push(tan, 6 * (size_t)m->nbody);
  // [passive.p3] f' = -(m' c + m c') g - m c g'
  compensating_forces(m, x);
  cr_zero(x_tan, 6 * m->nbody);
  for (int b = 1; b < m->nbody; b++) {
    cr_real mass = m->body_mass[b], c = m->body_gravcomp[b];
    cr_real mc_tan = cri_par_tan(tan->par.body_mass, b, 1)[0] * c +
                     mass * cri_par_tan(tan->par.body_gravcomp, b, 1)[0];
    cr_scl3(x_tan + 6 * b, m->gravity, -mc_tan);
    cr_accscl3(x_tan + 6 * b, cri_par_tan(tan->par.gravity, 0, 3), -mass * c);
  }
  cri_wrench_jvp(m, d, tan, x, x_tan, tan->qfrc_gravcomp);
  cri_pop(tan, mark);
}

// cotangent of qfrc_gravcomp, its own and from qfrc_passive
static void gravcomp_cotangent(const cr_model* m, const cr_data* bar, cr_real* g_bar) {
  for (int i = 0; i < m->nv; i++) {
    bool passive = m->jnt_actgravcomp[m->dof_jntid[i]] == 0;
    g_bar[i] = bar->qfrc_gravcomp[i] + (passive ? bar->qfrc_passive[i] : 0);
  }
}

static void gravcomp_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar);
  cr_real* x = cri_push(bar, 6 * (size_t)m->nbody);
  cr_real* x_bar = cri_push(bar, 6 * (size_t)m->nbody);
  cr_real* g_bar = cri_push(bar, (size_t)m->nv);
  // [passive.p4]', [passive.p3]' through the body forces
  compensating_forces(m, x);
  cr_zero(x_bar, 6 * m->nbody);
  gravcomp_cotangent(m, bar, g_bar);
  cri_wrench_vjp(m, d, bar, x, g_bar, x_bar);
  // [passive.p3]' of f = -m c g
  for (int b = 1; b < m->nbody; b++) {
    cr_real mass = m->body_mass[b], c = m->body_gravcomp[b];
    cr_real weight = -cr_dot3(m->gravity, x_bar + 6 * b);
    if (bar->par.body_mass != NULL) {
      bar->par.body_mass[b] += weight * c;
    }
    if (bar->par.body_gravcomp != NULL) {
      bar->par.body_gravcomp[b] += weight * mass;
    }
    if (bar->par.gravity != NULL) {
      cr_accscl3(bar->par.gravity, x_bar + 6 * b, -mass * c);
    }
  }
  cri_pop(bar, mark);
}

// ---- for the Jacobian of a step

bool cri_gravcomp_acts(const cr_model* m) { return switched_on(m).gravity && any_gravcomp(m); }

// ---- dampers

// [passive.p2]'
static void dampers_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar);
  cr_real* f_bar = cri_push(bar, (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) {
    f_bar[i] = bar->qfrc_damper[i] + bar->qfrc_passive[i];
  }
  cri_damper_forces_vjp(m, d, bar, CR_DAMPED_DOFS, f_bar);
  cri_pop(bar, mark);
}

// ---- the stage

cr_status cr_passive(const cr_model* m, cr_data* d) {
  switches on = switched_on(m);
  cr_zero(d->qfrc_spring, m->nv);
  cr_zero(d->qfrc_damper, m->nv);
  cr_zero(d->qfrc_gravcomp, m->nv);
  if (on.spring) {
    springs(m, d);
  }
  if (on.damper) {
    // [passive.p2]
    cri_damper_forces(m, d, CR_DAMPED_DOFS, d->qfrc_damper, d);
  }
  if (on.gravity && any_gravcomp(m)) {
    gravcomp(m, d);
  }
  tendons(m, d, on);
  for (int i = 0; i < m->nv; i++) {
    bool passive = m->jnt_actgravcomp[m->dof_jntid[i]] == 0;
    // [passive.p4] passive = spring + damper + fluid + gravcomp + adhesion + pressure
    d->qfrc_passive[i] = d->qfrc_spring[i] + d->qfrc_damper[i] + d->qfrc_fluid[i] +
                         d->qfrc_adhesion[i] + (passive ? d->qfrc_gravcomp[i] : 0) +
                         d->qfrc_pressure[i];
  }
  return CR_OK;
}

cr_status cr_passive_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  switches on = switched_on(m);
  cr_zero(tan->qfrc_spring, m->nv);
  cr_zero(tan->qfrc_damper, m->nv);
  cr_zero(tan->qfrc_gravcomp, m->nv);
  if (on.spring) {
    springs_jvp(m, d, tan);
  }
  if (on.damper) {
    // [passive.p2]
    cri_damper_forces_jvp(m, d, tan, CR_DAMPED_DOFS, tan->qfrc_damper);
  }
  if (on.gravity && (tan->par.body_gravcomp != NULL || any_gravcomp(m))) {
    gravcomp_jvp(m, d, tan);
  }
  tendons_jvp(m, d, tan, on);
  for (int i = 0; i < m->nv; i++) {
    bool passive = m->jnt_actgravcomp[m->dof_jntid[i]] == 0;
    // [passive.p4]
    tan->qfrc_passive[i] = tan->qfrc_spring[i] + tan->qfrc_damper[i] + tan->qfrc_fluid[i] +
                           tan->qfrc_adhesion[i] + (passive ? tan->qfrc_gravcomp[i] : 0) +
                           tan->qfrc_pressure[i];
  }
  return CR_OK;
}

cr_status cr_passive_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  switches on = switched_on(m);
  // [passive.p4]' fluid_bar += passive_bar, adhesion_bar += passive_bar, pressure_bar += passive_bar
  for (int i = 0; i < m->nv; i++) {
    bar->qfrc_fluid[i] += bar->qfrc_passive[i];
    bar->qfrc_adhesion[i] += bar->qfrc_passive[i];
    bar->qfrc_pressure[i] += bar->qfrc_passive[i];
  }
  if (on.damper && m->ntendon > 0) {
    tendon_dampers_vjp(m, d, bar);
  }
  if (on.spring && m->ntendon > 0) {
    tendon_springs_vjp(m, d, bar);
  }
  if (on.damper) {
    dampers_vjp(m, d, bar);
  }
  if (on.gravity && (bar->par.body_gravcomp != NULL || any_gravcomp(m))) {
    gravcomp_vjp(m, d, bar);
  }
  if (on.spring) {
    springs_vjp(m, d, bar);
  }
  return CR_OK;
}
