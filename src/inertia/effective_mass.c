// SPDX-License-Identifier: Apache-2.0
// Weights of the implicit inertia, see effective_mass.h. Each is a pair (k, b) of one coordinate - a dof, a
// length - with the gradient of both. Joints, tendons and actuators share only [discrete.n4].
#include "inertia/effective_mass.h"

#include "force/damper.h"
#include "force/joint_spring.h"
#include "force/rank_one.h"
#include "force/tendon_spring.h"
#include "inertia/actuation_qderiv.h"
#include "model/schedule.h"

static bool discrete(const cr_model* m) { return m->integrator == CR_INT_DISCRETE; }
static bool springs_on(const cr_model* m) { return (m->disableflags & CR_DSBL_SPRING) == 0; }
static bool dampers_on(const cr_model* m) { return (m->disableflags & CR_DSBL_DAMPER) == 0; }

// True if max(0, x) moves with x. At 0 its derivative is that of the side that stabilises, the only side to which
// damping can move
static bool stabilises(cr_real x) { return x >= 0; }

// ---- [discrete.n1] joints

static void joint_springs(const cr_model* m, cr_data* d) {
  cr_real h = m->timestep;
  for (int j = 0; j < m->njnt && springs_on(m); j++) {
    cri_spring_piece pieces[2];
    int n = cri_spring_pieces(m, j, pieces);
    for (int i = 0; i < n; i++) {
      cri_spring s = cri_spring_of(m, d, &pieces[i]);
      cr_real k = cr_max(0, cri_spring_number(&s, CR_POLY_STIFFNESS));
      // near a kink the sides of e count
      bool kink = cri_spring_has_kink(&s) && s.x < CR_R(0.01);
      for (int v = pieces[i].v; v < pieces[i].v + pieces[i].n; v++) {
        d->efm_dof[v] += h * h * k;
        d->efm_dof_sign[v] =
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
    for (int i = 0; i < n; i++) {
      cri_spring s = cri_spring_of(m, d, &pieces[i]);
      cr_real k = cri_spring_number(&s, CR_POLY_STIFFNESS), k_tan;
      k_tan = stabilises(k) ? cri_spring_number_tan(tan, &s, CR_POLY_STIFFNESS) : 0;
      k = cr_max(0, k);
      for (int v = pieces[i].v; v < pieces[i].v + pieces[i].n; v++) {
        tan->efm_dof[v] += h * h * k_tan;
        tan->qfrc_shift[v] -= h * (k_tan * d->qvel[v] + k * tan->qvel[v]);
      }
    }
  }
}

static void joint_spring_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                             const cri_spring_piece* p) {
  cr_real h = m->timestep, k_bar = 0;
  cri_spring s = cri_spring_of(m, d, p);
  cr_real k = cri_spring_number(&s, CR_POLY_STIFFNESS);
  if (!stabilises(k)) {
    return;
  }
  for (int v = p->v; v < p->v + p->n; v++) {
    // [discrete.n4]'
    k_bar += h * h * bar->efm_dof[v] - h * d->qvel[v] * bar->qfrc_shift[v];
    bar->qvel[v] -= h * k * bar->qfrc_shift[v];
  }
  // [discrete.n1]'
  cri_spring_number_bar(bar, &s, CR_POLY_STIFFNESS, k_bar);
}

static void joint_springs_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  for (int j = 0; j < m->njnt && springs_on(m); j++) {
    cri_spring_piece pieces[2];
    int n = cri_spring_pieces(m, j, pieces);
    for (int i = 0; i < n; i++) {
      joint_spring_vjp(m, d, bar, &pieces[i]);
    }
  }
}

static void joint_dampers(const cr_model* m, cr_data* d) {
  if (!dampers_on(m)) {
    return;
  }
  size_t mark = cri_mark(d);
  cr_real* D = cri_push(d, (size_t)m->nv);
  int32_t* side = cri_push_int(d, (size_t)m->nv);
  cri_damper_qderiv(m, d, CR_DAMPED_DOFS, D, d);
  cri_damper_sides(m, d, CR_DAMPED_DOFS, side, d);
  for (int i = 0; i < m->nv; i++) {
    d->efm_dof[i] += m->timestep * cr_max(0, D[i]);
    d->efm_dof_sign[i] += (D[i] > 0 ? 2 : 0) + 4 * side[i];
  }
  cri_pop(d, mark);
}

// cotangent or tangent x of n slopes D, zero where a damper does not damp
static void keep_damping(cr_real* x, const cr_real* D, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = stabilises(D[i]) ? x[i] : 0;
  }
}

static void joint_dampers_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  if (!dampers_on(m)) {
    return;
  }
  size_t mark = cri_mark(tan);
  cr_real *D = cri_push(tan, (size_t)m->nv), *D_tan = cri_push(tan, (size_t)m->nv);
  cri_damper_qderiv(m, d, CR_DAMPED_DOFS, D, tan);
  cri_damper_qderiv_jvp(m, d, tan, CR_DAMPED_DOFS, D_tan);
  keep_damping(D_tan, D, m->nv);
  for (int i = 0; i < m->nv; i++) {
    tan->efm_dof[i] += m->timestep * D_tan[i];
  }
  cri_pop(tan, mark);
}

static void joint_dampers_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (!dampers_on(m)) {
    return;
  }
  size_t mark = cri_mark(bar);
  cr_real *D = cri_push(bar, (size_t)m->nv), *D_bar = cri_push(bar, (size_t)m->nv);
  cri_damper_qderiv(m, d, CR_DAMPED_DOFS, D, bar);
  for (int i = 0; i < m->nv; i++) {
    D_bar[i] = m->timestep * bar->efm_dof[i];
  }
  keep_damping(D_bar, D, m->nv);
  cri_damper_qderiv_vjp(m, d, bar, CR_DAMPED_DOFS, D_bar);
  cri_pop(bar, mark);
}

// ---- [discrete.n2] tendons

// the spring of a tendon, and its stiffness; true if that moves with its inputs
typedef struct {
  cri_tendon_spring spring;
  cr_real k;
  bool moves;
} stiffness;

// A spring of one rest length has its stiffness on both sides of it, but MuJoCo's step leaves it out
// at that very length. Derivatives are those of the step beside it.
static stiffness stiffness_of(const cr_model* m, const cr_data* d, int t) {
  stiffness s = {.spring = cri_tendon_spring_of(m, d, t)};
  if (springs_on(m) && s.spring.acts && (!cri_tendon_spring_rests(&s.spring) || d->beside_rest)) {
    cr_real k = cri_tendon_spring_number(&s.spring, CR_POLY_STIFFNESS);
    s.moves = stabilises(k);
    s.k = cr_max(0, k);
  }
  return s;
}

// slopes of the dampers, zero where they are switched off
static cr_real* tendon_damping(const cr_model* m, const cr_data* d, cr_data* owner) {
  cr_real* D = cri_push(owner, (size_t)m->ntendon);
  cr_zero(D, m->ntendon);
  if (dampers_on(m)) {
    cri_damper_qderiv(m, d, CR_DAMPED_TENDONS, D, owner);
  }
  return D;
}

static void tendons(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real h = m->timestep, *D = tendon_damping(m, d, d);
  int32_t* side = cri_push_int(d, (size_t)m->ntendon);
  cri_damper_sides(m, d, CR_DAMPED_TENDONS, side, d);
  cri_rows rows = cri_tendon_rows(m, d->ten_J);
  for (int t = 0; t < m->ntendon; t++) {
    cr_real k = stiffness_of(m, d, t).k, b = cr_max(0, D[t]);
    d->efm_tendon[t] = h * h * k + h * b;
    d->efm_tendon_sign[t] =
        (k > 0 ? 1 : 0) + (b > 0 ? 2 : 0) + 4 * side[t] + 8 * (cri_tendon_spring_side(m, d, t) + 1);
    cri_row_add(&rows, d->ten_J, t, -h * k * d->ten_velocity[t], d->qfrc_shift);
  }
  cri_pop(d, mark);
}

static void tendons_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real h = m->timestep, *D = tendon_damping(m, d, tan);
  cr_real* D_tan = cri_push(tan, (size_t)m->ntendon);
  cr_zero(D_tan, m->ntendon);
  if (dampers_on(m)) {
    cri_damper_qderiv_jvp(m, d, tan, CR_DAMPED_TENDONS, D_tan);
    keep_damping(D_tan, D, m->ntendon);
  }
  cri_rows rows = cri_tendon_rows(m, d->ten_J);
  for (int t = 0; t < m->ntendon; t++) {
    stiffness s = stiffness_of(m, d, t);
    cr_real k_tan = s.moves ? cri_tendon_spring_tan(tan, &s.spring, CR_POLY_STIFFNESS) : 0;
    cr_real v = d->ten_velocity[t], v_tan = tan->ten_velocity[t];
    tan->efm_tendon[t] = h * h * k_tan + h * D_tan[t];
    cri_row_add(&rows, d->ten_J, t, -h * (k_tan * v + s.k * v_tan), tan->qfrc_shift);
    cri_row_add(&rows, tan->ten_J, t, -h * s.k * v, tan->qfrc_shift);
  }
  cri_pop(tan, mark);
}

static void tendon_springs_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  cr_real h = m->timestep;
  cri_rows rows = cri_tendon_rows(m, d->ten_J);
  int pair = cri_pairs_add(&bar->ten_J_pairs);
  cr_copy(cri_pair_right(&bar->ten_J_pairs, pair), bar->qfrc_shift, m->nv);
  for (int t = 0; t < m->ntendon; t++) {
    stiffness s = stiffness_of(m, d, t);
    // [discrete.n4]' J_bar += f (x) shift_bar, f = -h k v
    cr_real f_bar = cri_row_dot(&rows, d->ten_J, t, bar->qfrc_shift), v = d->ten_velocity[t];
    cri_pair_left(&bar->ten_J_pairs, pair)[t] = -h * s.k * v;
    bar->ten_velocity[t] -= h * s.k * f_bar;
    if (s.moves) {
      cr_real k_bar = h * h * bar->efm_tendon[t] - h * v * f_bar;
      cri_tendon_spring_bar(bar, &s.spring, CR_POLY_STIFFNESS, k_bar);
    }
  }
}

static void tendon_dampers_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar);
  cr_real *D = tendon_damping(m, d, bar), *D_bar = cri_push(bar, (size_t)m->ntendon);
  for (int t = 0; t < m->ntendon; t++) {
    D_bar[t] = m->timestep * bar->efm_tendon[t];
  }
  keep_damping(D_bar, D, m->ntendon);
  cri_damper_qderiv_vjp(m, d, bar, CR_DAMPED_TENDONS, D_bar);
  cri_pop(bar, mark);
}

static void tendons_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (m->ntendon > 0) {
    tendon_springs_vjp(m, d, bar);
  }
  if (m->ntendon > 0 && dampers_on(m)) {
    tendon_dampers_vjp(m, d, bar);
  }
}

// ---- [discrete.n3] actuators

// slopes over length and velocity, in scratch of `owner`
typedef struct {
  cr_real *l, *v;
} slopes;

static slopes slopes_of(const cr_model* m, const cr_data* d, cr_data* owner) {
  slopes s = {cri_push(owner, (size_t)m->nout), cri_push(owner, (size_t)m->nout)};
  cri_actuation_qderiv(m, d, CR_OVER_LENGTH, s.l);
  cri_actuation_qderiv(m, d, CR_OVER_VELOCITY, s.v);
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
    d->efm_actuator[o] = h * h * k + h * b;
    d->efm_actuator_sign[o] = (k > 0 ? 1 : 0) + (b > 0 ? 2 : 0);
    cri_row_add(&rows, d->actuator_moment, o, -h * k * v, d->qfrc_shift);
  }
  cri_pop(d, mark);
}

static void actuators_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real h = m->timestep;
  slopes s = slopes_of(m, d, tan);
  slopes t = {cri_push(tan, (size_t)m->nout), cri_push(tan, (size_t)m->nout)};
  cri_actuation_qderiv_jvp(m, d, tan, CR_OVER_LENGTH, t.l);
  cri_actuation_qderiv_jvp(m, d, tan, CR_OVER_VELOCITY, t.v);
  cri_rows rows = cri_moment_rows(m, d, d->actuator_moment);
  for (int o = 0; o < m->nout; o++) {
    cr_real k = cr_max(0, -s.l[o]), k_tan = stabilises(-s.l[o]) ? -t.l[o] : 0;
    cr_real b_tan = stabilises(-s.v[o]) ? -t.v[o] : 0;
    cr_real v = cri_row_dot(&rows, d->actuator_moment, o, d->qvel);
    cr_real v_tan = cri_row_dot(&rows, tan->actuator_moment, o, d->qvel) +
                    cri_row_dot(&rows, d->actuator_moment, o, tan->qvel);
    tan->efm_actuator[o] = h * h * k_tan + h * b_tan;
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
    // [discrete.n4]' A_bar += f (x) shift_bar + v_bar (x) qvel, f = -h k v
    cr_real k = cr_max(0, -s.l[o]), v = cri_row_dot(&rows, d->actuator_moment, o, d->qvel);
    cr_real f_bar = cri_row_dot(&rows, d->actuator_moment, o, bar->qfrc_shift),
            v_bar = -h * k * f_bar;
    cri_pair_left(pairs, of_f)[o] = -h * k * v;
    cri_pair_left(pairs, of_v)[o] = v_bar;
    cri_row_add(&rows, d->actuator_moment, o, v_bar, bar->qvel);
    g.l[o] = stabilises(-s.l[o]) ? h * v * f_bar - h * h * bar->efm_actuator[o] : 0;
    g.v[o] = stabilises(-s.v[o]) ? -h * bar->efm_actuator[o] : 0;
  }
  cri_actuation_qderiv_vjp(m, d, bar, CR_OVER_LENGTH, g.l);
  cri_actuation_qderiv_vjp(m, d, bar, CR_OVER_VELOCITY, g.v);
  cri_pop(bar, mark);
}

// the pieces of the curves of forces
static void actuator_pieces(const cr_model* m, cr_data* d) {
  cri_rows rows = cri_moment_rows(m, d, d->actuator_moment);
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    cr_real v = cri_row_dot(&rows, d->actuator_moment, out, d->qvel);
    d->efm_actuator_sign[out] += 4 * cri_force_piece(m, i, d->actuator_length[out], v);
  }
}

// ---- the stage

static void clear(const cr_model* m, cr_data* d) {
  cr_zero(d->efm_dof, m->nv);
  cr_zero(d->efm_tendon, m->ntendon);
  cr_zero(d->efm_actuator, m->nout);
  cr_zero(d->qfrc_shift, m->nv);
}

cr_status cr_effective_mass(const cr_model* m, cr_data* d) {
  clear(m, d);
  memset(d->efm_dof_sign, 0, (size_t)m->nv * sizeof *d->efm_dof_sign);
  memset(d->efm_tendon_sign, 0, (size_t)m->ntendon * sizeof *d->efm_tendon_sign);
  memset(d->efm_actuator_sign, 0, (size_t)m->nout * sizeof *d->efm_actuator_sign);
  if (discrete(m)) {
    joint_springs(m, d);
    joint_dampers(m, d);
    tendons(m, d);
    actuators(m, d);
    actuator_pieces(m, d);
  }
  return CR_OK;
}

cr_status cr_effective_mass_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  clear(m, tan);
  if (discrete(m)) {
    joint_springs_jvp(m, d, tan);
    joint_dampers_jvp(m, d, tan);
    tendons_jvp(m, d, tan);
    actuators_jvp(m, d, tan);
  }
  return CR_OK;
}

cr_status cr_effective_mass_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (discrete(m)) {
    actuators_vjp(m, d, bar);
    tendons_vjp(m, d, bar);
    joint_dampers_vjp(m, d, bar);
    joint_springs_vjp(m, d, bar);
  }
  return CR_OK;
}

bool cri_effective_mass_rests(const cr_model* model, const cr_data* d) {
  const cr_model* m = cri_model_at(model, d);
  for (int t = 0; t < m->ntendon && discrete(m) && springs_on(m); t++) {
    cri_tendon_spring s = cri_tendon_spring_of(m, d, t);
    if (cri_tendon_spring_rests(&s) && cri_tendon_spring_number(&s, CR_POLY_STIFFNESS) > 0) {
      return true;
    }
  }
  return false;
}

// ---- laws that are zero

// spring or damper of which entry k of parameter id is a coefficient
typedef struct {
  const cri_coefficient_fields* fields;
  bool damps;
} law_kind;

static const law_kind kinds[] = {{&cri_joint_spring_fields, false},
                                 {&cri_tendon_spring_fields, false},
                                 {&cri_dof_damper_fields, true},
                                 {&cri_tendon_damper_fields, true},
                                 {&cri_actuator_damper_fields, true}};

// true if all coefficients are zero, or v |v| occurs, whose slope bends at rest
static bool zero_law(const cr_model* m, const law_kind* kind, cr_field_id id, int k) {
  const cri_coefficient_fields* f = kind->fields;
  cr_real c[3];
  cri_coefficients_of(
      (cri_coefficients){cri_field_real(m, NULL, f->first), cri_field_real(m, NULL, f->rest)},
      id == f->first ? k : k / 2, c);
  return cri_coefficients_zero(c) || (kind->damps && id == f->rest && k % 2 == 0 && c[1] == 0);
}

bool cri_effective_mass_switch(const cr_model* m, cr_field_id id, int k) {
  if (!discrete(m)) {
    return false;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (id == kinds[i].fields->first || id == kinds[i].fields->rest) {
      return zero_law(m, &kinds[i], id, k);
    }
  }
  switch ((int)id) {
    case CR_FIELD_actuator_gainprm:
      return cri_gain_slope_is_zero(m, k / 10, k % 10);
    case CR_FIELD_actuator_biasprm:
      return cri_bias_qderiv_is_zero(m, k / 10, k % 10);
    default:
      return false;
  }
}

int cri_effective_mass_side(const cr_model* m, cr_field_id id, int k) {
  bool first = false;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    first = first || id == kinds[i].fields->first;
  }
  if (!first && id != CR_FIELD_actuator_biasprm) {
    return 0;
  }
  return !cri_effective_mass_switch(m, id, k) ? 0 : (first ? 1 : -1);
}
