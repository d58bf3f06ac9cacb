// SPDX-License-Identifier: Apache-2.0
// The step: dynamics, integrator, and the checks between them.
#include "integrate/step.h"

#include "engine/forward.h"
#include "inertia/effective_mass.h"
#include "integrate/euler.h"
#include "integrate/inputs.h"
#include "integrate/runge_kutta.h"
#include "model/misuse.h"
#include "model/schedule.h"
#include "model/state_vector.h"

// a step of the file's length by an explicit method; t is NULL with other integrators
static cri_rk method_of(const cr_model* m) {
  return (cri_rk){.t = cri_tableau_of(m->integrator), .h = m->timestep};
}

static cr_status integrate(const cr_model* m, cr_data* d) {
  cri_rk rk = method_of(m);
  if (rk.t == NULL) {
    return cr_euler(m, d);
  }
  cri_runge_kutta_begin(m, d);
  return cr_runge_kutta(&rk, m, d);
}

cr_status cr_step(const cr_model* m, cr_data* d) {
  const cri_call call = {"cr_step", cri_error_of(d)};
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  CR_TRY(cri_check_method(&call, m));
  return cri_step(m, d);
}

cr_status cri_step_onward(const cr_model* m, cr_data* d) {
  CR_TRY(cri_values_check(m, d, d->qacc, m->nv, m->dof_jntid, "qacc", "the state"));
  CR_TRY(integrate(m, d));
  CR_TRY(cri_room_check(d, "integrator"));
  CR_TRY(cri_state_check(m, d, cri_state_next(m, d), "the next state"));
  d->done |= CRI_DONE_STEP;
  return CR_OK;
}

cr_status cri_step(const cr_model* m, cr_data* d) {
  d->done = 0;
  CR_TRY(cri_coordinates_check(m, d, d->qpos, d->qvel, "the state"));
  CR_TRY(cri_dynamics(m, d));
  return cri_step_onward(m, d);
}

cr_real cr_solver_residual(const cr_data* d) { return d != NULL ? d->solver_residual : 0; }

cr_status cr_advance(const cr_model* m, cr_data* d) {
  const cri_call call = {"cr_advance", cri_error_of(d)};
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_STEP));
  cri_advance(m, d);
  return CR_OK;
}

void cri_advance(const cr_model* m, cr_data* d) {
  cri_state_take_next(m, d);
  d->time += m->timestep;
  // the last solve: with Runge-Kutta that of the last stage
  cri_rk rk = method_of(m);
  cr_copy(d->qacc_warmstart, rk.t == NULL ? d->qacc : cri_runge_kutta_latest(&rk, m, d), m->nv);
  d->done &= CRI_DONE_FRAMES;
}

// ---- derivatives

// checks `work` if it is given; if it is required, because of several stages or of another model backward,
// checks that it is given
static cr_status check_work(const cri_call* call, const cr_model* m, const cr_data* d,
                            const cr_data* work, bool other_model) {
  bool stages = cri_tableau_of(m->integrator) != NULL, rests = cri_effective_mass_rests(m, d);
  if (work == NULL && (stages || other_model || rests)) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %s needs a second data block, but work is NULL",
                    call->name,
                    stages        ? "an integrator of several stages"
                    : other_model ? "another model backward"
                                  : "a point that the step leaps over");
  }
  return work == NULL ? CR_OK : cri_check_work(call, m, d, work);
}

// Where derivatives are taken: at d. If d is at a point over which the step leaps
// (inertia/effective_mass.h): at the same point with the step beside it, in work
static cr_status place_of(const cr_model* m, const cr_data* d, cr_data* work, const cr_data** at,
                          cr_error* error) {
  *at = d;
  if (!cri_effective_mass_rests(m, d) || d->beside_rest || work == NULL) {
    return CR_OK;
  }
  cri_inputs_copy(m, work, d);
  work->beside_rest = true;
  *at = work;
  cr_status status = cri_step(m, work);
  if (status != CR_OK) {
    *error = work->error;
  }
  return status;
}

static cr_status beside_rest_jvp(const cr_model* m, const cr_data* d, cr_data* work, cr_data* tan) {
  const cr_data* at;
  cr_status status = place_of(m, d, work, &at, &tan->error);
  status = status == CR_OK ? cri_forward_jvp(m, at, tan) : status;
  status = status == CR_OK ? cr_euler_jvp(m, at, tan) : status;
  if (at == work) {
    work->beside_rest = false;
  }
  return status;
}

static cr_status beside_rest_vjp(const cr_model* m, const cr_data* d, cr_data* work, cr_data* bar) {
  const cr_data* at;
  cr_status status = place_of(m, d, work, &at, &bar->error);
  status = status == CR_OK ? cr_euler_vjp(m, at, bar) : status;
  status = status == CR_OK ? cri_room_check(bar, "integrator") : status;
  status = status == CR_OK ? cri_forward_vjp(m, at, bar) : status;
  if (at == work) {
    work->beside_rest = false;
  }
  return status;
}

cr_status cr_step_jvp(const cr_model* m, const cr_data* d, cr_data* work, cr_data* tan) {
  const cri_call call = {"cr_step_jvp", cri_error_of(tan != NULL ? tan : d)};
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_STEP));
  CR_TRY(cri_check_twin(&call, m, d, tan, CR_DATA_TANGENT, "tan"));
  CR_TRY(check_work(&call, m, d, work, false));
  return cri_step_jvp(m, d, work, tan);
}

cr_status cri_step_jvp(const cr_model* m, const cr_data* d, cr_data* work, cr_data* tan) {
  cri_rk rk = method_of(m);
  if (rk.t != NULL) {
    CR_TRY(cr_runge_kutta_jvp(&rk, m, d, work, tan));
  } else {
    CR_TRY(beside_rest_jvp(m, d, work, tan));
  }
  return cri_room_check(tan, "integrator");
}

static cr_status euler_step_vjp(const cr_model* m, const cr_model* m_backward, const cr_data* d,
                                cr_data* work, cr_data* bar) {
  if (m_backward == m) {
    return beside_rest_vjp(m, d, work, bar);
  }
  CR_TRY(cr_euler_vjp(m, d, bar));
  CR_TRY(cri_room_check(bar, "integrator"));
  // the dynamics that replace those of m, at the same point
  cri_inputs_copy(m, work, d);
  work->beside_rest = true;
  cr_status status = cri_dynamics(m_backward, work);
  if (status != CR_OK) {
    bar->error = work->error;
  } else {
    status = cri_forward_vjp(m_backward, work, bar);
  }
  work->beside_rest = false;
  return status;
}

cr_status cr_step_vjp(const cr_model* m, const cr_model* m_backward, const cr_data* d,
                      cr_data* work, cr_data* bar) {
  const cri_call call = {"cr_step_vjp", cri_error_of(bar != NULL ? bar : d)};
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_STEP));
  CR_TRY(cri_check_twin(&call, m, d, bar, CR_DATA_COTANGENT, "bar"));
  CR_TRY(cri_check_variant(&call, m_backward, d, "m_backward"));
  CR_TRY(check_work(&call, m, d, work, m_backward != m));
  return cri_step_vjp(m, m_backward, d, work, bar);
}

cr_status cri_step_vjp(const cr_model* m, const cr_model* m_backward, const cr_data* d,
                       cr_data* work, cr_data* bar) {
  cri_rk rk = method_of(m);
  cr_status status = rk.t != NULL ? cr_runge_kutta_vjp(&rk, m, m_backward, d, work, bar)
                                  : euler_step_vjp(m, m_backward, d, work, bar);
  if (status != CR_OK) {
    cri_effective_clear(bar->effective);  // nobody else knows of what is left there
    return status;
  }
  CR_TRY(cri_room_check(bar, "integrator"));
  cri_state_zero(cri_state_twin_next(m, bar));
  return CR_OK;
}
