// SPDX-License-Identifier: Apache-2.0
// [actuation.u10], one actuator at a time.
#include "inertia/actuation_qderiv.h"

#include "actuator/actuation_parts.h"
#include "actuator/controller.h"
#include "actuator/range_ends.h"
#include "inertia/implicit_inertia.h"

static bool switched_off(const cr_model* m) {
  return m->nactuator == 0 || (m->disableflags & CR_DSBL_ACTUATION) != 0;
}

// true if actuator i has slopes; those of controllers are held in parts
static bool acts(const cr_model* m, const cr_data* d, int i) {
  int stops = cri_is_controller(m, i) ? CR_HELD_JOINT : CR_HELD_JOINT | CR_HELD_FORCE;
  return !cri_actuator_disabled(m, i) && (d->actuator_held[i] & stops) == 0;
}

// ---- actuators of one input

// True if a change of the input moves the slope. With the integrator discrete a slope counts where it
// stabilises, below 0. At an input of 0 there is none; the derivative is then that of the way the input may go,
// else of growth: length and velocity both of the same way.
static bool input_counts(const cr_model* m, int i, const cri_actuator* a, const cri_force_line* f) {
  if (!cri_gain_has_slope(m, i)) {
    return false;
  }
  if (!cri_is_discrete(m) || a->x != 0 || f->bias != 0) {
    return true;
  }
  int way = a->act >= 0 ? cri_activation_end(m, a->act, 0) : 0;
  bool by_control = a->act < 0 || (way == 0 && a->early);
  bool muscle = m->actuator_dyntype[i] == CR_DYN_MUSCLE;
  way = by_control ? cri_control_end_of(m, a->ctrl, muscle, a->u) : way;
  return (way < 0 ? -f->gain : f->gain) < 0;
}

static cr_real slope_of(const cr_model* m, const cr_data* d, int i, cri_slope_over over) {
  cri_actuator a;
  cri_output o;
  cri_actuator_of(m, d, i, &a, &o);
  return cri_force_of(m, i, over, a.l, a.v, a.x);
}

static cr_real slope_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                         cri_slope_over over, cr_real v_tan) {
  cri_actuator a;
  cri_output o;
  cri_force_line f;
  cri_actuator_of(m, d, i, &a, &o);
  cri_force_line_of(m, i, over, a.l, a.v, a.x, &f);
  cr_real x_tan = input_counts(m, i, &a, &f) ? cri_actuator_input_tan(m, tan, i, &a, v_tan) : 0;
  return cri_force_line_tan(m, tan, &f, tan->actuator_length[a.out], v_tan, x_tan);
}

// adds to bar, except for the velocity: adds to the cotangent of that
static void slope_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i, cri_slope_over over,
                      cr_real c_bar, cr_real* v_bar) {
  cri_actuator a;
  cri_output o;
  cri_actuator_of(m, d, i, &a, &o);
  cri_force_line f;
  cri_force_line_of(m, i, over, a.l, a.v, a.x, &f);
  cri_force_line_bar(m, bar, &f, c_bar, bar->actuator_length + a.out, v_bar);
  if (input_counts(m, i, &a, &f)) {
    cri_actuator_input_bar(m, bar, i, &a, c_bar * f.gain, v_bar);
  }
}

// ---- controllers: rows of their laws

// weight of each row
static void weigh_rows(const cr_data* d, int i, cri_slope_over over, cr_real weight[CR_LAW_ROWS]) {
  int row = over == CR_OVER_LENGTH;
  cr_zero(weight, CR_LAW_ROWS);
  weight[CR_LAW_FORCE_SLOPE + row] = (d->actuator_held[i] & CR_HELD_FORCE) == 0;
  weight[CR_LAW_FREE_SLOPE + row] = 1;
}

static cr_real controller_slope(const cr_model* m, const cr_data* d, int i, cri_slope_over over) {
  cr_real weight[CR_LAW_ROWS], c_sum = 0;
  cri_controlled c;
  cri_output o;
  cri_controlled_of(m, d, i, &c, &o);
  weigh_rows(d, i, over, weight);
  for (int r = 0; r < CR_LAW_ROWS; r++) {
    c_sum += weight[r] * c.law.row[r].value;
  }
  return c_sum;
}

static cr_real controller_slope_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                                    cri_slope_over over) {
  cr_real weight[CR_LAW_ROWS], row_tan[CR_LAW_ROWS], v_tan[CR_LAW_OUT], c_tan = 0;
  cri_controlled c;
  cri_output o;
  cri_controlled_of(m, d, i, &c, &o);
  cri_controlled_rows_tan(m, d, tan, i, &c, row_tan, v_tan);
  weigh_rows(d, i, over, weight);
  for (int r = 0; r < CR_LAW_ROWS; r++) {
    c_tan += weight[r] * row_tan[r];
  }
  return c_tan;
}

static void controller_slope_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                                 cri_slope_over over, cr_real c_bar, cr_real* v_bar) {
  cr_real row_bar[CR_LAW_ROWS];
  cri_controlled c;
  cri_output o;
  cri_controlled_of(m, d, i, &c, &o);
  weigh_rows(d, i, over, row_bar);
  for (int r = 0; r < CR_LAW_ROWS; r++) {
    row_bar[r] *= c_bar;
  }
  cri_controlled_rows_bar(m, bar, i, &c, row_bar, v_bar);
}

// ---- all of them

void cri_actuation_qderiv(const cr_model* m, const cr_data* d, cri_slope_over over, cr_real* c) {
  cr_zero(c, m->nout);
  for (int i = 0; i < m->nactuator && !switched_off(m); i++) {
    if (acts(m, d, i)) {
      // [actuation.u10]
      cr_real slope =
          cri_is_controller(m, i) ? controller_slope(m, d, i, over) : slope_of(m, d, i, over);
      for (int k = 0; k < m->actuator_outnum[i]; k++) {
        c[m->actuator_outadr[i] + k] = slope;
      }
    }
  }
}

void cri_actuation_qderiv_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                              cri_slope_over over, cr_real* c_tan) {
  cr_zero(c_tan, m->nout);
  for (int i = 0; i < m->nactuator && !switched_off(m); i++) {
    int out = m->actuator_outadr[i];
    if (acts(m, d, i)) {
      cr_real tangent = cri_is_controller(m, i)
                            ? controller_slope_tan(m, d, tan, i, over)
                            : slope_tan(m, d, tan, i, over, cri_actuator_velocity_tan(d, tan, out));
      for (int k = 0; k < m->actuator_outnum[i]; k++) {
        c_tan[out + k] = tangent;
      }
    }
  }
}

cr_real cri_actuation_qderiv_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                                 cri_slope_over over, cr_real v_tan) {
  return switched_off(m) || !acts(m, d, i) ? 0 : slope_tan(m, d, tan, i, over, v_tan);
}

void cri_actuation_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                              cri_slope_over over, const cr_real* c_bar) {
  if (switched_off(m)) {
    return;
  }
  size_t mark = cri_mark(bar);
  cr_real* v_bar = cri_push(bar, (size_t)m->nout);
  cr_zero(v_bar, m->nout);
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    cr_real sum = 0;
    for (int k = 0; k < m->actuator_outnum[i]; k++) {
      sum += c_bar[out + k];
    }
    if (!acts(m, d, i) || sum == 0) {
      continue;
    }
    // [actuation.u10]'
    if (cri_is_controller(m, i)) {
      controller_slope_bar(m, d, bar, i, over, sum, v_bar + out);
    } else {
      slope_bar(m, d, bar, i, over, sum, v_bar + out);
    }
  }
  if (!cr_is_zero(v_bar, m->nout)) {
    // [actuation.u1]' qvel_bar += A' v_bar, A_bar += v_bar (x) qvel
    for (int o = 0; o < m->nout; o++) {
      cri_moment_add(d, d->actuator_moment, o, v_bar[o], bar->qvel);
    }
    int k = cri_pairs_add(&bar->actuator_moment_pairs);
    cr_copy(cri_pair_left(&bar->actuator_moment_pairs, k), v_bar, m->nout);
    cr_copy(cri_pair_right(&bar->actuator_moment_pairs, k), d->qvel, m->nv);
  }
  cri_pop(bar, mark);
}
