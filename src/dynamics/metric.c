// SPDX-License-Identifier: Apache-2.0
// Weights of the effective inertia, see metric.h. Each is a pair (k, b) of one coordinate - a dof, a
// length - with the gradient of both; what is common to joints, tendons and actuators is only [n4].
#include "dynamics/metric.h"

#include "dynamics/actuation_slope.h"
#include "dynamics/joint_spring.h"
#include "dynamics/muscle.h"
#include "dynamics/outer.h"
#include "dynamics/reflected.h"
#include "dynamics/tendon_law.h"
#include "math/vec3.h"

static bool discrete(const cr_model* m) { return m->integrator == CR_INT_DISCRETE; }
static bool springs_on(const cr_model* m) { return (m->disableflags & CR_DSBL_SPRING) == 0; }
static bool dampers_on(const cr_model* m) { return (m->disableflags & CR_DSBL_DAMPER) == 0; }

// max(0, x) moves with x: at 0 its derivative is that of the side that stabilises, the only one that
// damping can be moved to
static bool stabilises(cr_real x) { return x >= 0; }

// ---- [n1] joints

// k = k0 + 2 k1 x + 3 k2 x^2 of a piece, and dk/dx; zero where it would push away
typedef struct {
  cr_real k, by_x;
  bool counts;
} stiffness;

static stiffness joint_stiffness(const cr_model* m, int j, const cri_spring_pull* s) {
  const cr_real* poly = m->jnt_stiffnesspoly + 2 * (size_t)j;
  cr_real k = m->jnt_stiffness[j] + s->x * (2 * poly[0] + 3 * s->x * poly[1]);
  bool counts = stabilises(k);
  return (stiffness){cr_max(0, k), counts ? 2 * poly[0] + 6 * s->x * poly[1] : 0, counts};
}

static void joint_springs(const cr_model* m, cr_data* d) {
  cr_real h = m->timestep;
  for (int j = 0; j < m->njnt && springs_on(m); j++) {
    cri_spring_piece pieces[2];
    int n = cri_spring_pieces(m, j, pieces);
    for (int i = 0; i < n; i++) {
      cri_spring_pull s = cri_spring_pull_of(m, d, j, &pieces[i]);
      cr_real k = joint_stiffness(m, j, &s).k;
      // a stiffness over |e|, of a position or an orientation, has a kink where e is zero: near it
      // the sides of e count
      bool kink = pieces[i].n > 1 && m->jnt_stiffnesspoly[2 * (size_t)j] != 0 && s.x < CR_R(0.01);
      for (int v = pieces[i].v; v < pieces[i].v + pieces[i].n; v++) {
        d->metric_dof[v] += h * h * k;
        d->metric_dof_sign[v] =
            (k > 0 ? 1 : 0) + (kink ? 8 : 0) + (kink && s.e[v - pieces[i].v] < 0 ? 16 : 0);
        d->qfrc_shift[v] -= h * k * d->qvel[v];
      }
    }
  }
}

static void joint_springs_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_real h = m->timestep;
  for (int j = 0; j < m->njnt && springs_on(m); j++) {
    cri_spring_piece pieces[2];
    int n = cri_spring_pieces(m, j, pieces);
    const cr_real* poly_tan = cri_par_tan(tan->par.jnt_stiffnesspoly, j, 2);
    for (int i = 0; i < n; i++) {
      cri_spring_pull s = cri_spring_pull_of(m, d, j, &pieces[i]);
      stiffness k = joint_stiffness(m, j, &s);
      cr_real k_tan = 0, e_tan[3];
      cri_spring_pull_jvp(tan, &pieces[i], &s, e_tan);
      if (k.counts) {
        k_tan = cri_par_tan(tan->par.jnt_stiffness, j, 1)[0] +
                s.x * (2 * poly_tan[0] + 3 * s.x * poly_tan[1]) + k.by_x * cr_dot3(s.dx, e_tan);
      }
      for (int v = pieces[i].v; v < pieces[i].v + pieces[i].n; v++) {
        tan->metric_dof[v] += h * h * k_tan;
        tan->qfrc_shift[v] -= h * (k_tan * d->qvel[v] + k.k * tan->qvel[v]);
      }
    }
  }
}

static void joint_spring_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int j,
                             const cri_spring_piece* p) {
  cr_real h = m->timestep, k_bar = 0;
  cri_spring_pull s = cri_spring_pull_of(m, d, j, p);
  stiffness k = joint_stiffness(m, j, &s);
  if (!k.counts) {
    return;
  }
  for (int v = p->v; v < p->v + p->n; v++) {
    // [n4]'
    k_bar += h * h * bar->metric_dof[v] - h * d->qvel[v] * bar->qfrc_shift[v];
    bar->qvel[v] -= h * k.k * bar->qfrc_shift[v];
  }
  // [n1]'
  cr_real e_bar[3];
  const cr_real poly_bar[2] = {2 * s.x * k_bar, 3 * s.x * s.x * k_bar};
  cr_scl3(e_bar, s.dx, k.by_x * k_bar);
  cri_spring_pull_vjp(bar, p, &s, e_bar);
  cri_par_add1(bar->par.jnt_stiffness, j, k_bar);
  cri_par_add(bar->par.jnt_stiffnesspoly, j, 2, poly_bar);
}

static void joint_springs_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  for (int j = 0; j < m->njnt && springs_on(m); j++) {
    cri_spring_piece pieces[2];
    int n = cri_spring_pieces(m, j, pieces);
    for (int i = 0; i < n; i++) {
      joint_spring_vjp(m, d, bar, j, &pieces[i]);
    }
  }
}

static void joint_dampers(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real* b = cri_push(d, 3 * (size_t)m->nv);
  cri_reflected_damping(m, b);
  for (int i = 0; i < m->nv && dampers_on(m); i++) {
    cr_real slope = cri_damping_slope(b + 3 * i, d->qvel[i]);
    d->metric_dof[i] += m->timestep * cr_max(0, slope);
    d->metric_dof_sign[i] += (slope > 0 ? 2 : 0) + (b[3 * i + 1] != 0 && d->qvel[i] < 0 ? 4 : 0);
  }
  cri_pop(d, mark);
}

// cotangent or tangent x of the slopes, zero where a damper does not damp
static void keep_damping(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* b = cri_push(work, 3 * (size_t)m->nv);
  cri_reflected_damping(m, b);
  for (int i = 0; i < m->nv; i++) {
    bool damps = stabilises(cri_damping_slope(b + 3 * i, d->qvel[i]));
    x[i] = damps ? m->timestep * x[i] : 0;
  }
  cri_pop(work, mark);
}

static void joint_dampers_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* D_tan = cri_push(tan, (size_t)m->nv);
  cri_damping_slopes_jvp(m, d, tan, D_tan);
  keep_damping(m, d, D_tan, tan);
  for (int i = 0; i < m->nv && dampers_on(m); i++) {
    tan->metric_dof[i] += D_tan[i];
  }
  cri_pop(tan, mark);
}

static void joint_dampers_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (!dampers_on(m)) {
    return;
  }
  size_t mark = cri_mark(bar);
  cr_real* D_bar = cri_push(bar, (size_t)m->nv);
  cr_copy(D_bar, bar->metric_dof, m->nv);
  keep_damping(m, d, D_bar, bar);
  cri_damping_slopes_vjp(m, d, bar, D_bar);
  cri_pop(bar, mark);
}

// ---- [n2] tendons

// stiffness and damping of a tendon with what they are made of
typedef struct {
  cr_real x, v, k, b;
  cr_real k_x, b_v;  // dk/dx, db/dv
  cri_dead_band band;
  bool springs, damps;  // they move with what they are made of
} strand;

// A spring of one rest length has its stiffness on both sides of it, but MuJoCo's step leaves it out
// at that very length. Derivatives are those of the step beside it.
static bool counts(const cr_data* d, const cri_dead_band* band) {
  return band->x != 0 || (band->acts && d->beside_rest);
}

// law: of its dampers, its own and those of actuators on it, see dynamics/reflected.h
static strand strand_of(const cr_model* m, const cr_data* d, int t, const cr_real law[3]) {
  const cr_real* p = m->tendon_stiffnesspoly + 2 * t;
  strand s = {.v = d->ten_velocity[t], .band = cri_dead_band_of(m, d, t)};
  if (counts(d, &s.band) && springs_on(m)) {
    s.x = s.band.x;
    cr_real k = m->tendon_stiffness[t] + s.x * (2 * p[0] + 3 * s.x * p[1]);
    s.springs = stabilises(k);
    s.k = cr_max(0, k);
    s.k_x = s.springs ? 2 * p[0] + 6 * s.x * p[1] : 0;
  }
  if (dampers_on(m)) {
    cr_real b = cri_damping_slope(law, s.v);
    s.damps = stabilises(b);
    s.b = cr_max(0, b);
    s.b_v = s.damps ? cri_damping_bend(law, s.v) : 0;
  }
  return s;
}

static void tendons(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real h = m->timestep, *laws = cri_push(d, 3 * (size_t)m->ntendon);
  cri_tendon_damping(m, laws);
  cri_rows rows = cri_tendon_rows(m, d->ten_J);
  for (int t = 0; t < m->ntendon; t++) {
    strand s = strand_of(m, d, t, laws + 3 * t);
    d->metric_tendon[t] = h * h * s.k + h * s.b;
    d->metric_tendon_sign[t] = (s.k > 0 ? 1 : 0) + (s.b > 0 ? 2 : 0) +
                               (laws[3 * t + 1] != 0 && s.v < 0 ? 4 : 0) +
                               8 * (cri_dead_band_side(m, d, t) + 1);
    cri_row_add(&rows, d->ten_J, t, -h * s.k * s.v, d->qfrc_shift);
  }
  cri_pop(d, mark);
}

static void tendons_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real h = m->timestep, *laws = cri_push(tan, 3 * (size_t)m->ntendon);
  cr_real* laws_tan = cri_push(tan, 3 * (size_t)m->ntendon);
  const cr_model* par = &tan->par;
  cri_tendon_damping(m, laws);
  cri_tendon_damping_jvp(m, tan, laws_tan);
  cri_rows rows = cri_tendon_rows(m, d->ten_J);
  for (int t = 0; t < m->ntendon; t++) {
    strand s = strand_of(m, d, t, laws + 3 * t);
    const cr_real* p_tan = cri_par_tan(par->tendon_stiffnesspoly, t, 2);
    cr_real k_tan = 0, b_tan = 0, v_tan = tan->ten_velocity[t];
    if (s.springs) {
      k_tan = cri_par_tan(par->tendon_stiffness, t, 1)[0] +
              s.x * (2 * p_tan[0] + 3 * s.x * p_tan[1]) +
              s.k_x * cri_dead_band_tan(&s.band, tan, t);
    }
    if (s.damps) {
      b_tan = cri_damping_slope(laws_tan + 3 * t, s.v) + s.b_v * v_tan;
    }
    tan->metric_tendon[t] = h * h * k_tan + h * b_tan;
    cri_row_add(&rows, d->ten_J, t, -h * (k_tan * s.v + s.k * v_tan), tan->qfrc_shift);
    cri_row_add(&rows, tan->ten_J, t, -h * s.k * s.v, tan->qfrc_shift);
  }
  cri_pop(tan, mark);
}

static void tendons_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (m->ntendon == 0) {
    return;
  }
  size_t mark = cri_mark(bar);
  cr_real h = m->timestep, *laws = cri_push(bar, 3 * (size_t)m->ntendon);
  cr_real* laws_bar = cri_push(bar, 3 * (size_t)m->ntendon);
  const cr_model* par = &bar->par;
  cri_rows rows = cri_tendon_rows(m, d->ten_J);
  cri_tendon_damping(m, laws);
  cr_zero(laws_bar, 3 * m->ntendon);
  int pair = cri_pairs_add(&bar->ten_J_pairs);
  cr_copy(cri_pair_right(&bar->ten_J_pairs, pair), bar->qfrc_shift, m->nv);
  for (int t = 0; t < m->ntendon; t++) {
    strand s = strand_of(m, d, t, laws + 3 * t);
    // [n4]' J_bar += f (x) shift_bar, f = -h k v
    cr_real f_bar = cri_row_dot(&rows, d->ten_J, t, bar->qfrc_shift), av = cr_abs(s.v);
    cri_pair_left(&bar->ten_J_pairs, pair)[t] = -h * s.k * s.v;
    bar->ten_velocity[t] -= h * s.k * f_bar;
    if (s.springs) {
      cr_real k_bar = h * h * bar->metric_tendon[t] - h * s.v * f_bar;
      const cr_real p_bar[2] = {2 * s.x * k_bar, 3 * s.x * s.x * k_bar};
      cri_dead_band_bar(&s.band, bar, t, s.k_x * k_bar);
      cri_par_add1(par->tendon_stiffness, t, k_bar);
      cri_par_add(par->tendon_stiffnesspoly, t, 2, p_bar);
    }
    if (s.damps) {
      cr_real b_bar = h * bar->metric_tendon[t];
      bar->ten_velocity[t] += s.b_v * b_bar;
      laws_bar[3 * t] = b_bar;
      laws_bar[3 * t + 1] = 2 * av * b_bar;
      laws_bar[3 * t + 2] = 3 * av * av * b_bar;
    }
  }
  cri_tendon_damping_vjp(m, bar, laws_bar);
  cri_pop(bar, mark);
}

// ---- [n3] actuators

// slopes over length and velocity, in scratch of `owner`
typedef struct {
  cr_real *l, *v;
} slopes;

static slopes slopes_of(const cr_model* m, const cr_data* d, cr_data* owner) {
  slopes s = {cri_push(owner, (size_t)m->nout), cri_push(owner, (size_t)m->nout)};
  cri_actuation_slope(m, d, CR_OVER_LENGTH, s.l);
  cri_actuation_slope(m, d, CR_OVER_VELOCITY, s.v);
  return s;
}

static void actuators(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real h = m->timestep;
  slopes s = slopes_of(m, d, d);
  cri_rows rows = cri_moment_rows(m, d, d->actuator_moment);
  for (int o = 0; o < m->nout; o++) {
    cr_real k = cr_max(0, -s.l[o]), b = cr_max(0, -s.v[o]);
    cr_real v = cri_row_dot(&rows, d->actuator_moment, o, d->qvel);
    d->metric_actuator[o] = h * h * k + h * b;
    d->metric_actuator_sign[o] = (k > 0 ? 1 : 0) + (b > 0 ? 2 : 0);
    cri_row_add(&rows, d->actuator_moment, o, -h * k * v, d->qfrc_shift);
  }
  cri_pop(d, mark);
}

static void actuators_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real h = m->timestep;
  slopes s = slopes_of(m, d, tan);
  slopes t = {cri_push(tan, (size_t)m->nout), cri_push(tan, (size_t)m->nout)};
  cri_actuation_slope_jvp(m, d, tan, CR_OVER_LENGTH, t.l);
  cri_actuation_slope_jvp(m, d, tan, CR_OVER_VELOCITY, t.v);
  cri_rows rows = cri_moment_rows(m, d, d->actuator_moment);
  for (int o = 0; o < m->nout; o++) {
    cr_real k = cr_max(0, -s.l[o]), k_tan = stabilises(-s.l[o]) ? -t.l[o] : 0;
    cr_real b_tan = stabilises(-s.v[o]) ? -t.v[o] : 0;
    cr_real v = cri_row_dot(&rows, d->actuator_moment, o, d->qvel);
    cr_real v_tan = cri_row_dot(&rows, tan->actuator_moment, o, d->qvel) +
                    cri_row_dot(&rows, d->actuator_moment, o, tan->qvel);
    tan->metric_actuator[o] = h * h * k_tan + h * b_tan;
    cri_row_add(&rows, d->actuator_moment, o, -h * (k_tan * v + k * v_tan), tan->qfrc_shift);
    cri_row_add(&rows, tan->actuator_moment, o, -h * k * v, tan->qfrc_shift);
  }
  cri_pop(tan, mark);
}

static void actuators_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (m->nout == 0) {
    return;
  }
  size_t mark = cri_mark(bar);
  cr_real h = m->timestep;
  slopes s = slopes_of(m, d, bar);
  slopes g = {cri_push(bar, (size_t)m->nout), cri_push(bar, (size_t)m->nout)};
  cri_rows rows = cri_moment_rows(m, d, d->actuator_moment);
  cr_pairs* pairs = &bar->actuator_moment_pairs;
  int of_f = cri_pairs_add(pairs), of_v = cri_pairs_add(pairs);
  cr_copy(cri_pair_right(pairs, of_f), bar->qfrc_shift, m->nv);
  cr_copy(cri_pair_right(pairs, of_v), d->qvel, m->nv);
  for (int o = 0; o < m->nout; o++) {
    // [n4]' A_bar += f (x) shift_bar + v_bar (x) qvel, f = -h k v
    cr_real k = cr_max(0, -s.l[o]), v = cri_row_dot(&rows, d->actuator_moment, o, d->qvel);
    cr_real f_bar = cri_row_dot(&rows, d->actuator_moment, o, bar->qfrc_shift),
            v_bar = -h * k * f_bar;
    cri_pair_left(pairs, of_f)[o] = -h * k * v;
    cri_pair_left(pairs, of_v)[o] = v_bar;
    cri_row_add(&rows, d->actuator_moment, o, v_bar, bar->qvel);
    g.l[o] = stabilises(-s.l[o]) ? h * v * f_bar - h * h * bar->metric_actuator[o] : 0;
    g.v[o] = stabilises(-s.v[o]) ? -h * bar->metric_actuator[o] : 0;
  }
  cri_actuation_slope_vjp(m, d, bar, CR_OVER_LENGTH, g.l);
  cri_actuation_slope_vjp(m, d, bar, CR_OVER_VELOCITY, g.v);
  cri_pop(bar, mark);
}

// the signs, and the pieces of muscles' curves
static void actuator_pieces(const cr_model* m, cr_data* d) {
  cri_rows rows = cri_moment_rows(m, d, d->actuator_moment);
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    if (m->actuator_gaintype[i] == CR_GAIN_MUSCLE || m->actuator_biastype[i] == CR_BIAS_MUSCLE) {
      cr_real v = cri_row_dot(&rows, d->actuator_moment, out, d->qvel);
      d->metric_actuator_sign[out] += 4 * cri_muscle_piece(m, i, d->actuator_length[out], v);
    }
  }
}

// ---- the stage

static void clear(const cr_model* m, cr_data* d) {
  cr_zero(d->metric_dof, m->nv);
  cr_zero(d->metric_tendon, m->ntendon);
  cr_zero(d->metric_actuator, m->nout);
  cr_zero(d->qfrc_shift, m->nv);
}

cr_status cr_metric(const cr_model* m, cr_data* d) {
  clear(m, d);
  memset(d->metric_dof_sign, 0, (size_t)m->nv * sizeof *d->metric_dof_sign);
  memset(d->metric_tendon_sign, 0, (size_t)m->ntendon * sizeof *d->metric_tendon_sign);
  memset(d->metric_actuator_sign, 0, (size_t)m->nout * sizeof *d->metric_actuator_sign);
  if (discrete(m)) {
    joint_springs(m, d);
    joint_dampers(m, d);
    tendons(m, d);
    actuators(m, d);
    actuator_pieces(m, d);
  }
  return CR_OK;
}

cr_status cr_metric_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  clear(m, tan);
  if (discrete(m)) {
    joint_springs_jvp(m, d, tan);
    joint_dampers_jvp(m, d, tan);
    tendons_jvp(m, d, tan);
    actuators_jvp(m, d, tan);
  }
  return CR_OK;
}

cr_status cr_metric_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (discrete(m)) {
    actuators_vjp(m, d, bar);
    tendons_vjp(m, d, bar);
    joint_dampers_vjp(m, d, bar);
    joint_springs_vjp(m, d, bar);
  }
  return CR_OK;
}

bool cri_metric_rests(const cr_model* m, const cr_data* d) {
  for (int t = 0; t < m->ntendon && discrete(m) && springs_on(m); t++) {
    cri_dead_band band = cri_dead_band_of(m, d, t);
    if (band.acts && band.x == 0 && m->tendon_stiffness[t] > 0) {
      return true;
    }
  }
  return false;
}

// ---- laws that are zero

static bool is_zero_law(const cr_real* first, const cr_real* poly, int i) {
  return first[i] == 0 && poly[2 * i] == 0 && poly[2 * i + 1] == 0;
}

// v |v| comes in, whose slope bends at rest
static bool bends_from_zero(const cr_real* poly, int k) { return k % 2 == 0 && poly[k] == 0; }

bool cri_metric_switch(const cr_model* m, cr_field_id id, int k) {
  if (!discrete(m)) {
    return false;
  }
  switch ((int)id) {
    case CR_FIELD_jnt_stiffness:
      return is_zero_law(m->jnt_stiffness, m->jnt_stiffnesspoly, k);
    case CR_FIELD_jnt_stiffnesspoly:
      return is_zero_law(m->jnt_stiffness, m->jnt_stiffnesspoly, k / 2);
    case CR_FIELD_dof_damping:
      return is_zero_law(m->dof_damping, m->dof_dampingpoly, k);
    case CR_FIELD_dof_dampingpoly:
      return bends_from_zero(m->dof_dampingpoly, k) ||
             is_zero_law(m->dof_damping, m->dof_dampingpoly, k / 2);
    case CR_FIELD_actuator_damping:
      return is_zero_law(m->actuator_damping, m->actuator_dampingpoly, k);
    case CR_FIELD_actuator_dampingpoly:
      return bends_from_zero(m->actuator_dampingpoly, k) ||
             is_zero_law(m->actuator_damping, m->actuator_dampingpoly, k / 2);
    case CR_FIELD_tendon_stiffness:
      return is_zero_law(m->tendon_stiffness, m->tendon_stiffnesspoly, k);
    case CR_FIELD_tendon_stiffnesspoly:
      return is_zero_law(m->tendon_stiffness, m->tendon_stiffnesspoly, k / 2);
    case CR_FIELD_tendon_damping:
      return is_zero_law(m->tendon_damping, m->tendon_dampingpoly, k);
    case CR_FIELD_tendon_dampingpoly:
      return bends_from_zero(m->tendon_dampingpoly, k) ||
             is_zero_law(m->tendon_damping, m->tendon_dampingpoly, k / 2);
    case CR_FIELD_actuator_gainprm:
      return k % 10 > 0 && k % 10 < 3 && m->actuator_gaintype[k / 10] == CR_GAIN_AFFINE &&
             m->actuator_gainprm[k] == 0;
    case CR_FIELD_actuator_biasprm:
      return k % 10 > 0 && k % 10 < 3 && m->actuator_biastype[k / 10] == CR_BIAS_AFFINE &&
             m->actuator_biasprm[k] == 0;
    default:
      return false;
  }
}

int cri_metric_side(const cr_model* m, cr_field_id id, int k) {
  switch ((int)id) {
    case CR_FIELD_jnt_stiffness:
    case CR_FIELD_tendon_stiffness:
    case CR_FIELD_dof_damping:
    case CR_FIELD_tendon_damping:
    case CR_FIELD_actuator_damping:
      return cri_metric_switch(m, id, k) ? 1 : 0;
    case CR_FIELD_actuator_biasprm:
      return cri_metric_switch(m, id, k) ? -1 : 0;
    default:
      return 0;
  }
}
