// SPDX-License-Identifier: Apache-2.0
// Joint and tendon springs, joint and tendon dampers, gravity compensation.
#include "dynamics/passive.h"

#include "dynamics/joint_spring.h"
#include "dynamics/outer.h"
#include "dynamics/reflected.h"
#include "dynamics/tendon_law.h"
#include "dynamics/wrench.h"
#include "math/vec3.h"

// ---- which forces there are

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

static bool has_spring(const cr_model* m, int j) {
  const cr_real* poly = m->jnt_stiffnesspoly + 2 * (size_t)j;
  return m->jnt_stiffness[j] != 0 || poly[0] != 0 || poly[1] != 0;
}

static void springs(const cr_model* m, cr_data* d) {
  for (int j = 0; j < m->njnt; j++) {
    cri_spring_piece pieces[2];
    int n = has_spring(m, j) ? cri_spring_pieces(m, j, pieces) : 0;
    for (int i = 0; i < n; i++) {
      cri_spring_pull s = cri_spring_pull_of(m, d, j, &pieces[i]);
      // [p1] spring = -k e
      for (int c = 0; c < pieces[i].n; c++) {
        d->qfrc_spring[pieces[i].v + c] = -s.k * s.e[c];
      }
    }
  }
}

static void springs_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int j = 0; j < m->njnt; j++) {
    cri_spring_piece pieces[2];
    int n = cri_spring_pieces(m, j, pieces);
    const cr_real* poly_tan = cri_par_tan(tan->par.jnt_stiffnesspoly, j, 2);
    for (int i = 0; i < n; i++) {
      cri_spring_pull s = cri_spring_pull_of(m, d, j, &pieces[i]);
      cr_real e_tan[3];
      cri_spring_pull_jvp(tan, &pieces[i], &s, e_tan);
      // [p1] -k' e - k e'
      cr_real k_tan = cri_par_tan(tan->par.jnt_stiffness, j, 1)[0] +
                      s.x * (poly_tan[0] + s.x * poly_tan[1]) + s.slope * cr_dot3(s.dx, e_tan);
      for (int c = 0; c < pieces[i].n; c++) {
        tan->qfrc_spring[pieces[i].v + c] = -k_tan * s.e[c] - s.k * e_tan[c];
      }
    }
  }
}

static void spring_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int j,
                       const cri_spring_piece* p) {
  cri_spring_pull s = cri_spring_pull_of(m, d, j, p);
  cr_real f_bar[3] = {0, 0, 0}, e_bar[3];
  for (int c = 0; c < p->n; c++) {
    f_bar[c] = bar->qfrc_spring[p->v + c] + bar->qfrc_passive[p->v + c];
  }
  // [p1]' k_bar = -e . f_bar, e_bar = -k f_bar + k_bar dk/dx dx/de
  cr_real k_bar = -cr_dot3(s.e, f_bar);
  cr_scl3(e_bar, f_bar, -s.k);
  cr_accscl3(e_bar, s.dx, k_bar * s.slope);
  cri_spring_pull_vjp(bar, p, &s, e_bar);
  if (bar->par.jnt_stiffness != NULL) {
    bar->par.jnt_stiffness[j] += k_bar;
  }
  if (bar->par.jnt_stiffnesspoly != NULL) {
    bar->par.jnt_stiffnesspoly[2 * j] += k_bar * s.x;
    bar->par.jnt_stiffnesspoly[2 * j + 1] += k_bar * s.x * s.x;
  }
}

static void springs_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  bool wanted = bar->par.jnt_stiffness != NULL || bar->par.jnt_stiffnesspoly != NULL;
  for (int j = 0; j < m->njnt; j++) {
    cri_spring_piece pieces[2];
    int n = wanted || has_spring(m, j) ? cri_spring_pieces(m, j, pieces) : 0;
    for (int i = 0; i < n; i++) {
      spring_vjp(m, d, bar, j, &pieces[i]);
    }
  }
}

// ---- tendons: forces along the tendon, brought to the joints by ten_J

static void tendons(const cr_model* m, cr_data* d, switches on) {
  size_t mark = cri_mark(d);
  cr_real* b = cri_push(d, 3 * (size_t)m->ntendon);
  cri_tendon_damping(m, b);
  for (int i = 0; i < m->ntendon; i++) {
    // [p5] spring += J' f, f = -(k x + p_0 x^2 + p_1 x^3)
    if (on.spring) {
      cri_tendon_add(m, d->ten_J, i, cri_tendon_spring(m, d, i, NULL), d->qfrc_spring);
    }
    // [p6] damper += J' f, f = -(b v + c_0 v |v| + c_1 v^3)
    if (on.damper) {
      cri_tendon_add(m, d->ten_J, i, cri_tendon_damper(d, b, i, NULL), d->qfrc_damper);
    }
  }
  cri_pop(d, mark);
}

static void tendons_jvp(const cr_model* m, const cr_data* d, cr_data* tan, switches on) {
  size_t mark = cri_mark(tan);
  cr_real* b = cri_push(tan, 3 * (size_t)m->ntendon);
  cr_real* b_tan = cri_push(tan, 3 * (size_t)m->ntendon);
  cri_tendon_damping(m, b);
  cri_tendon_damping_jvp(m, tan, b_tan);
  for (int i = 0; i < m->ntendon; i++) {
    // [p5], [p6] (J')' f + J' f'
    if (on.spring) {
      cri_tendon_add(m, tan->ten_J, i, cri_tendon_spring(m, d, i, NULL), tan->qfrc_spring);
      cri_tendon_add(m, d->ten_J, i, cri_tendon_spring_tan(m, d, tan, i), tan->qfrc_spring);
    }
    if (on.damper) {
      cri_tendon_add(m, tan->ten_J, i, cri_tendon_damper(d, b, i, NULL), tan->qfrc_damper);
      cri_tendon_add(m, d->ten_J, i, cri_tendon_damper_tan(d, tan, b, b_tan, i), tan->qfrc_damper);
    }
  }
  cri_pop(tan, mark);
}

static void tendon_springs_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  int pair = cri_pairs_add(&bar->ten_J_pairs);
  cr_real* left = cri_pair_left(&bar->ten_J_pairs, pair);
  cr_real* right = cri_pair_right(&bar->ten_J_pairs, pair);
  for (int j = 0; j < m->nv; j++) {
    right[j] = bar->qfrc_spring[j] + bar->qfrc_passive[j];
  }
  for (int i = 0; i < m->ntendon; i++) {
    // [p5]' f_bar = J q_bar, J_bar += f (x) q_bar, length_bar += f_x f_bar
    left[i] = cri_tendon_spring(m, d, i, NULL);
    cri_tendon_spring_bar(m, d, bar, i, cri_tendon_dot(m, d->ten_J, i, right));
  }
  cri_pairs_trim(&bar->ten_J_pairs, pair);
}

static void tendon_dampers_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  int pair = cri_pairs_add(&bar->ten_J_pairs);
  cr_real* left = cri_pair_left(&bar->ten_J_pairs, pair);
  cr_real* right = cri_pair_right(&bar->ten_J_pairs, pair);
  for (int j = 0; j < m->nv; j++) {
    right[j] = bar->qfrc_damper[j] + bar->qfrc_passive[j];
  }
  size_t mark = cri_mark(bar);
  cr_real* b = cri_push(bar, 3 * (size_t)m->ntendon);
  cr_real* b_bar = cri_push(bar, 3 * (size_t)m->ntendon);
  cri_tendon_damping(m, b);
  for (int i = 0; i < m->ntendon; i++) {
    // [p6]' as [p5]', with the velocity
    left[i] = cri_tendon_damper(d, b, i, NULL);
    cri_tendon_damper_bar(d, bar, b, b_bar, i, cri_tendon_dot(m, d->ten_J, i, right));
  }
  cri_pairs_trim(&bar->ten_J_pairs, pair);
  cri_tendon_damping_vjp(m, bar, b_bar);
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
  // [p3] J' f
  compensating_forces(m, x);
  cri_wrench(m, d, x, d->qfrc_gravcomp, d);
  cri_pop(d, mark);
}

static void gravcomp_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* x = cri_push(tan, 6 * (size_t)m->nbody);
  cr_real* x_tan = cri_push(tan, 6 * (size_t)m->nbody);
  // [p3] f' = -(m' c + m c') g - m c g'
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

// cotangent of qfrc_gravcomp, by itself and inside qfrc_passive
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
  // [p4]', [p3]' through the body forces
  compensating_forces(m, x);
  cr_zero(x_bar, 6 * m->nbody);
  gravcomp_cotangent(m, bar, g_bar);
  cri_wrench_vjp(m, d, bar, x, g_bar, x_bar);
  // [p3]' of f = -m c g
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

// ---- dampers

static void dampers(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real* b = cri_push(d, 3 * (size_t)m->nv);
  cri_reflected_damping(m, b);
  for (int i = 0; i < m->nv; i++) {
    // [p2] damper = -(b0 + b1 |v| + b2 v^2) v
    d->qfrc_damper[i] = -cri_damping_chord(b + 3 * i, d->qvel[i]) * d->qvel[i];
  }
  cri_pop(d, mark);
}

static void dampers_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* b = cri_push(tan, 3 * (size_t)m->nv);
  cr_real* b_tan = cri_push(tan, 3 * (size_t)m->nv);
  cri_reflected_damping(m, b);
  cri_reflected_damping_jvp(m, tan, b_tan);
  for (int i = 0; i < m->nv; i++) {
    cr_real v = d->qvel[i];
    // [p2] -(b0' + b1' |v| + b2' v^2) v - D v'
    tan->qfrc_damper[i] =
        -cri_damping_chord(b_tan + 3 * i, v) * v - cri_damping_slope(b + 3 * i, v) * tan->qvel[i];
  }
  cri_pop(tan, mark);
}

static void dampers_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar);
  cr_real* b = cri_push(bar, 3 * (size_t)m->nv);
  cr_real* b_bar = cri_push(bar, 3 * (size_t)m->nv);
  cri_reflected_damping(m, b);
  for (int i = 0; i < m->nv; i++) {
    cr_real v = d->qvel[i], f_bar = bar->qfrc_damper[i] + bar->qfrc_passive[i];
    // [p2]' v_bar -= D f_bar, b_bar = -(v, v |v|, v^3) f_bar
    bar->qvel[i] -= cri_damping_slope(b + 3 * i, v) * f_bar;
    b_bar[3 * i] = -v * f_bar;
    b_bar[3 * i + 1] = cr_abs(v) * b_bar[3 * i];
    b_bar[3 * i + 2] = cr_abs(v) * b_bar[3 * i + 1];
  }
  cri_reflected_damping_vjp(m, bar, b_bar);
  cri_pop(bar, mark);
}

// ---- for the Jacobian of a step

bool cri_gravcomp_acts(const cr_model* m) { return switched_on(m).gravity && any_gravcomp(m); }

void cri_tendon_pull(const cr_model* m, const cr_data* d, const cr_real* b, int t,
                     cr_real pull[3]) {
  switches on = switched_on(m);
  cr_real spring = 0, damper = 0;
  pull[0] = pull[1] = pull[2] = 0;
  if (on.spring) {
    spring = cri_tendon_spring(m, d, t, &pull[1]);
  }
  if (on.damper) {
    damper = cri_tendon_damper(d, b, t, &pull[2]);
  }
  pull[0] = spring + damper;
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
    dampers(m, d);
  }
  if (on.gravity && any_gravcomp(m)) {
    gravcomp(m, d);
  }
  tendons(m, d, on);
  for (int i = 0; i < m->nv; i++) {
    bool passive = m->jnt_actgravcomp[m->dof_jntid[i]] == 0;
    // [p4] passive = spring + damper + fluid + gravcomp + adhesion
    d->qfrc_passive[i] = d->qfrc_spring[i] + d->qfrc_damper[i] + d->qfrc_fluid[i] +
                         d->qfrc_adhesion[i] + (passive ? d->qfrc_gravcomp[i] : 0);
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
    dampers_jvp(m, d, tan);
  }
  if (on.gravity && (tan->par.body_gravcomp != NULL || any_gravcomp(m))) {
    gravcomp_jvp(m, d, tan);
  }
  tendons_jvp(m, d, tan, on);
  for (int i = 0; i < m->nv; i++) {
    bool passive = m->jnt_actgravcomp[m->dof_jntid[i]] == 0;
    // [p4]
    tan->qfrc_passive[i] = tan->qfrc_spring[i] + tan->qfrc_damper[i] + tan->qfrc_fluid[i] +
                           tan->qfrc_adhesion[i] + (passive ? tan->qfrc_gravcomp[i] : 0);
  }
  return CR_OK;
}

cr_status cr_passive_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  switches on = switched_on(m);
  // [p4]' fluid_bar += passive_bar, adhesion_bar += passive_bar
  for (int i = 0; i < m->nv; i++) {
    bar->qfrc_fluid[i] += bar->qfrc_passive[i];
    bar->qfrc_adhesion[i] += bar->qfrc_passive[i];
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
