// SPDX-License-Identifier: Apache-2.0
// A step's cotangents, one sweep for each velocity, activation and output, give at once the rows of A, B, C and D. Rows of
// coordinates follow from those of velocities, in S itself.
#include "predict/sensitivity.h"

#include "engine/forward.h"
#include "integrate/acceleration_jac.h"
#include "integrate/step.h"
#include "kinematics/configuration.h"
#include "math/combine.h"
#include "model/schedule.h"
#include "model/state_vector.h"
#include "model/tableau.h"

// ---- derivatives of a step

static void clear_parameters(const cri_problem* p, cr_data* bar) {
  const bool* wanted = cri_parameters_wanted(p->parameters);
  if (p->chain != NULL) {
    cri_chain_clear(p->chain, bar);
    return;
  }
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    if (wanted[i]) {
      cr_zero(cri_field_real(&bar->par, NULL, (cr_field_id)i),
              cri_field_tangent_size(p->m, NULL, (cr_field_id)i));
    }
  }
}

static void clear_inputs(const cri_problem* p, cr_data* bar) {
  const cr_model* m = p->m;
  cri_state_zero(cri_state_twin(m, bar));
  cr_zero(bar->ctrl, m->nu);
  cr_zero(bar->qfrc_applied, m->nv);
  cr_zero(bar->xfrc_applied, 6 * m->nbody);
  clear_parameters(p, bar);
}

// what a sweep left, by the free numbers of the parameters
static void collect_parameters(cri_predictor* w, const cri_problem* p, cr_real* by_p) {
  if (p->chain != NULL) {
    cri_chain_pull(p->chain, w->bar, by_p);
    return;
  }
  int nderived = cri_parameters_nderived(p->parameters);
  cr_zero(w->p_bar, p->np);
  cr_zero(w->derived, nderived);
  cri_parameters_pullback(p->parameters, &w->bar->par, w->p_bar, w->derived);
  for (int k = 0; k < nderived; k++) {
    for (int i = 0; i < p->np && w->derived[k] != 0; i++) {
      w->p_bar[i] += w->derived[k] * p->derived[(ptrdiff_t)k * p->np + i];
    }
  }
  cri_parameters_chain(p->parameters, p->x, w->p_bar, by_p);
}

// and by the state
static void collect(cri_predictor* w, const cri_problem* p, cr_real* by_x, cr_real* by_p) {
  const cri_state s = cri_state_twin(p->m, w->bar);
  for (int k = 0; k < CRI_N_STATE; k++) {
    cr_copy(by_x, s.part[k].x, s.part[k].n);
    by_x += s.part[k].n;
  }
  collect_parameters(w, p, by_p);
}

static cr_status sweep_step(cri_predictor* w, const cri_problem* p, cr_real* seed, int row,
                            bool by_parameters) {
  const cr_model* m = p->m;
  cr_real* by_p = w->B + (ptrdiff_t)row * p->np;
  *seed = 1;
  if (by_parameters) {
    clear_parameters(p, w->bar);
    CR_TRY(cri_parameter_sweep_vjp(&w->sweep, m, w->d, w->bar));
    collect_parameters(w, p, by_p);
    return CR_OK;
  }
  clear_inputs(p, w->bar);
  CR_TRY(cri_step_vjp(m, m, w->d, w->work, w->bar));
  collect(w, p, w->A + (ptrdiff_t)row * p->nx, by_p);
  return CR_OK;
}

// A at once, so that rows are by parameters alone; false where the step has no such Jacobian
static cr_status jacobian_step(cri_predictor* w, const cri_problem* p, bool* known) {
  *known = w->jacobian != NULL && cri_parameter_sweep_holds(&w->sweep, p->m, w->d) &&
           cri_acceleration_why(p->m, w->d) == NULL;
  if (!*known) {
    return CR_OK;
  }
  cr_status status = cr_step_jacobian(p->m, w->d, w->jacobian, w->A, NULL, NULL);
  return status == CR_OK ? CR_OK
                         : cri_fail(&w->bar->error, status, "%s", cr_jacobian_error(w->jacobian));
}

// A and B of the step in w->d; of one stage B without the rows of coordinates
static cr_status step_rows(cri_predictor* w, const cri_problem* p) {
  const cr_model* m = p->m;
  const cri_state next = cri_state_twin_next(m, w->bar);
  bool stages = cri_tableau_of(m->integrator) != NULL, known;
  int row = stages ? 0 : m->nv;
  w->d->measured = false;
  CR_TRY(jacobian_step(w, p, &known));
  for (int k = stages ? 0 : CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    for (int i = 0; i < next.part[k].n; i++) {
      CR_TRY(sweep_step(w, p, &next.part[k].x[i], row++, known));
    }
  }
  return CR_OK;
}

// y += x S over x and the window's own start: nothing here depends on the start behind
static void through(const cri_problem* p, const cr_real* x, const cr_real* S, cr_real* y) {
  cri_combine(y, x, p->nx, S, cri_columns_of(p), p->n + p->nx);
}

// q+ = q (+) h v+: a row of coordinates from those of velocities after the step
static void coordinate_row(cri_predictor* w, const cri_problem* p, int i) {
  const cr_model* m = p->m;
  int stride = cri_columns_of(p);
  cr_real* y = w->S_next + (ptrdiff_t)i * stride;
  cr_zero(w->one, p->nx);
  cr_zero(w->row, m->nv);
  cr_zero(w->move, p->nx);
  w->row[i] = 1;
  cri_configuration_move_vjp(m, w->d->qvel_next, m->timestep, w->row, w->one, w->move);
  cr_zero(y, stride);
  through(p, w->one, w->S, y);
  through(p, w->move, w->S_next + (ptrdiff_t)m->nv * stride, y);
}

// S = A S + B
static void advance(cri_predictor* w, const cri_problem* p) {
  int stride = cri_columns_of(p);
  bool stages = cri_tableau_of(p->m->integrator) != NULL;
  for (int i = stages ? 0 : p->m->nv; i < p->nx; i++) {
    cr_real* y = w->S_next + (ptrdiff_t)i * stride;
    cr_zero(y, stride);
    cr_copy(y, w->B + (ptrdiff_t)i * p->np, p->np);
    through(p, w->A + (ptrdiff_t)i * p->nx, w->S, y);
  }
  for (int i = 0; i < p->m->nv && !stages; i++) {
    coordinate_row(w, p, i);
  }
  cr_real* kept = w->S;
  w->S = w->S_next;
  w->S_next = kept;
}

cr_status cri_sensitivity_step(cri_predictor* w, const cri_problem* p) {
  CR_TRY(step_rows(w, p));
  advance(w, p);
  return CR_OK;
}

// ---- outputs of a step

cr_status cri_sensitivity_output(cri_predictor* w, const cri_problem* p, const cri_output* o,
                                 cr_real* rows) {
  const cr_model* m = p->m;
  int stride = cri_columns_of(p);
  for (int i = 0; i < cri_output_errors(o); i++, rows += stride) {
    cr_zero(rows, stride);
    if (o->kind == CRI_OUTPUT_STATE) {
      cr_copy(rows, w->S + (ptrdiff_t)(o->tangent_at + i) * stride, stride);
      continue;
    }
    clear_inputs(p, w->bar);
    cri_output_seed(o, m, w->d, i, 1, w->bar);
    const bool* stages = p->reach + (o - p->outputs) * CR_MAX_STAGES;
    CR_TRY(cri_forward_vjp_through(m, w->d, w->bar, stages));
    collect(w, p, w->one, rows);
    through(p, w->one, w->S, rows);
  }
  return CR_OK;
}

// ---- for steps of other lengths

void cri_sensitivity_clear(cri_predictor* w, const cri_problem* p) { clear_inputs(p, w->bar); }

void cri_sensitivity_collect(cri_predictor* w, const cri_problem* p, cr_real* by_x, cr_real* by_p) {
  collect(w, p, by_x, by_p);
}

void cri_sensitivity_advance(cri_predictor* w, const cri_problem* p) { advance(w, p); }
