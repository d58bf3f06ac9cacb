// SPDX-License-Identifier: Apache-2.0
// Step-size control around one Runge-Kutta step.
#include "integrate/adaptive.h"

#include "engine/added_stage.h"
#include "engine/forward.h"
#include "event/event_root.h"
#include "integrate/inputs.h"
#include "model/model_options.h"
#include "model/state_vector.h"

#define SAFETY CR_R(0.9)

static cri_rk method_of(const cr_adaptive* o, const cri_ramp* ramp, const cr_model* m, cr_real h) {
  return (cri_rk){.t = cri_tableau_of(m->integrator),
                  .h = h,
                  .error = true,
                  .chart = o->quaternions ? CRI_QUATERNIONS : CRI_TURNS,
                  .ramp = ramp};
}

cr_status cri_adaptive_check(const cr_model* m, const cr_adaptive* options, cr_error* error) {
  if (!cri_is_embedded(m->integrator)) {
    return cri_fail(error, CR_ERR_ARG, "tolerances need an integrator with an error estimate: %s",
                    cri_integrators(cri_is_embedded).text);
  }
  const cr_real values[] = {options->rtol, options->atol, options->first_step,
                            options->largest_step, options->grid};
  static const char* const names[] = {"rtol", "atol", "first_step", "largest_step", "grid"};
  for (int i = 0; i < 5; i++) {
    if (!(values[i] >= 0 && values[i] < CR_MAX)) {
      return cri_fail(error, CR_ERR_ARG, "%s is %g: a number from 0 on expected", names[i],
                      (double)values[i]);
    }
  }
  if (options->atol == 0) {
    return cri_fail(error, CR_ERR_ARG, "atol is 0: a positive number expected");
  }
  if (options->max_steps < 0) {
    return cri_fail(error, CR_ERR_ARG, "max_steps is %d", options->max_steps);
  }
  const char* moving = options->events ? cri_first_moving(m) : NULL;
  return moving == NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_UNSUPPORTED,
                        "events: stage '%s' changes what moves or how far it is, and when "
                        "contacts come is not known then",
                        moving);
}

cri_controller cri_controller_begin(const cr_model* m, const cr_adaptive* options) {
  cr_real h = options->first_step > 0 ? options->first_step : m->timestep;
  return (cri_controller){.h = h, .inverse = {1, 1}};
}

// [adaptive.a2]
cr_real cri_controller_factor(const cr_adaptive* o, const cri_controller* c, int order,
                              cr_real inverse, bool accepted) {
  cr_real k = (cr_real)order, p = o->p, i = o->i, d = o->d;
  if (p == 0 && i == 0 && d == 0) {
    p = CR_R(0.2);
    i = CR_R(0.4);
  }
  cr_real f = SAFETY * cr_pow(inverse, (p + i + d) / k) * cr_pow(c->inverse[0], -(p + 2 * d) / k) *
              cr_pow(c->inverse[1], d / k);
  return accepted ? cr_clip(f, 1, 10) : cr_clip(f, CR_R(0.2), CR_R(0.9));
}

// [adaptive.a1] 1 / E, 0 if the step is not finite; an error below round-off counts as round-off
static cr_real inverse_error(const cr_adaptive* o, const cri_rk* rk, const cr_model* m,
                             cr_data* d) {
  cr_real E = cri_runge_kutta_error(rk, m, d, o->rtol, o->atol);
  return E < CR_MAX ? 1 / cr_max(E, CR_EPS) : 0;
}

// the first stage: evaluated, or taken from the step before
static cr_status begin(const cr_model* m, cr_data* d, bool known) {
  CR_TRY(cri_coordinates_check(m, d, d->qpos, d->qvel, "the state"));
  if (known) {
    cr_copy(d->qacc, d->qacc_warmstart, m->nv);
  } else {
    CR_TRY(cri_dynamics(m, d));
    CR_TRY(cri_values_check(m, d, d->qacc, m->nv, m->dof_jntid, "qacc", "the state"));
  }
  cri_runge_kutta_begin(m, d);
  return CR_OK;
}

// events need the new state, which is the last stage of some methods
static bool needs_end(const cr_adaptive* o, const cri_rk* rk) {
  return o->events && !rk->t->last_is_first;
}

// tries one length; *inverse is 0 if a stage failed. Errors: only those that no shorter step cures
static cr_status attempt(const cr_adaptive* o, const cri_rk* rk, const cr_model* m, cr_data* d,
                         cr_real* inverse) {
  cr_status status = cr_runge_kutta(rk, m, d);
  if (status == CR_ERR_CAPACITY || status == CR_ERR_ARG) {
    return status;
  }
  bool sane = status == CR_OK &&
              cri_coordinates_check(m, d, d->qpos_next, d->qvel_next, "the next state") == CR_OK;
  *inverse = sane ? inverse_error(o, rk, m, d) : 0;
  if (*inverse > 0 && needs_end(o, rk)) {
    status = cri_runge_kutta_end(rk, m, d);
    *inverse = status == CR_OK ? *inverse : 0;
  }
  return status == CR_ERR_CAPACITY || status == CR_ERR_ARG ? status : CR_OK;
}

// ---- the end of a step

void cri_controller_accept(cri_controller* c, cr_real h, cr_real inverse, cr_real next) {
  c->h = h < c->h ? cr_max(c->h, next) : next;
  c->inverse[1] = c->inverse[0];
  c->inverse[0] = inverse;
  c->accepted++;
}

cr_status cri_controller_check(const cr_adaptive* o, const cri_controller* c, cr_real time,
                               cr_real h, cr_real end, cr_error* error) {
  int budget = o->max_steps > 0 ? o->max_steps : CR_ADAPTIVE_STEPS;
  if (c->accepted + c->rejected >= budget) {
    return cri_fail(error, CR_ERR_BUDGET, "%d steps end at time %.9g, not at %.9g", budget,
                    (double)time, (double)end);
  }
  if (time + h / 16 == time) {
    return cri_fail(error, CR_ERR_DIVERGED, "no step is short enough at time %.9g", (double)time);
  }
  return CR_OK;
}

// [event.a4] true if steps pass over events from here on
static void watch_crowd(cri_controller* c, const cr_model* m, const cri_event_root* end, cr_real h,
                        cr_real time) {
  if (cri_crowd_watch(&c->crowd, m, end, h, time)) {
    c->cross = 0;
    c->next = CRI_STEP_LONG;
  }
}

static void count_events(cri_controller* c, const cri_event_root* end, bool blind, cr_real h,
                         cr_real time) {
  const cri_event_count* n = &end->counts;
  int all = n->entered + n->left + n->swapped, missed = blind ? all : n->missed;
  if (c->missed == 0 && missed > 0) {
    c->first_missed = time;
  }
  c->event = all > 0 && !blind;
  c->missed += missed;
  c->events += end->happened;
  c->cross = end->cross;
  c->next = end->next;
  c->bent = end->bent ? c->bent + 1 : 0;
  c->pass = c->bent >= CRI_EVENT_QUIET ? cri_event_root_wider(end, h) : 0;
}

static void accept(cri_controller* c, const cr_adaptive* o, const cri_rk* rk, const cr_model* m,
                   const cr_data* d, cr_real inverse, cr_real next, cri_event_root* end) {
  bool blind = cri_crowd_is_blind(&c->crowd, d->time);
  cri_controller_accept(c, rk->h, inverse, next);
  bool motion_alone = cri_state_size(m) == m->nq + m->nv;  // then the warm start has the rates
  c->known = (rk->t->last_is_first || needs_end(o, rk)) && motion_alone;
  if (o->events) {
    if (blind) {
      cri_event_root_pass(end, m, d, rk->h);
    }
    count_events(c, end, blind, rk->h, d->time + rk->h);
    watch_crowd(c, m, end, rk->h, d->time + rk->h);
  }
}

// a flight allows steps of any length, even so long that a bounce fits in between two stages
static cr_real largest_step(const cr_adaptive* o, const cr_model* m) {
  return o->largest_step > 0 ? o->largest_step : o->events ? m->timestep : CR_MAX;
}

// the search for the length, from a known first stage
static cr_status find_step(const cr_adaptive* o, const cri_ramp* ramp, const cr_model* m,
                           cr_data* d, cr_real end, cri_event_root* l, cri_controller* c,
                           cr_real* h) {
  cri_rk rk = method_of(o, ramp, m, 0);
  bool looks = o->events && !cri_crowd_is_blind(&c->crowd, d->time);
  cr_real passable = o->events && !looks ? cri_crowd_step(m) : 0;
  rk.zones = looks ? l->zones : NULL;
  cr_real left = end - d->time, wanted = cr_min(c->cross, left);
  cr_real most = largest_step(o, m), limit = left > most * (1 + CR_R(1e-9)) ? most : left;
  for (;;) {
    // no sliver before the end
    rk.h = wanted > 0 ? wanted : c->h >= limit * (1 - CR_R(1e-9)) ? limit : c->h;
    CR_TRY(cri_controller_check(o, c, d->time, rk.h, end, &d->error));
    cr_real inverse, f;
    CR_TRY(attempt(o, &rk, m, d, &inverse));
    bool accepted =
        inverse > 1 || (inverse > 0 && (cri_event_root_is_tiny(l, rk.h) || rk.h <= passable));
    f = inverse > 0 ? cri_controller_factor(o, c, rk.t->error_order, inverse, accepted) : CR_R(0.2);
    // an event in the step may be the cause of its error
    if (accepted && looks && !cri_event_root_ends(l, m, d, rk.h, &wanted)) {
      wanted = cr_min(wanted, left);
      c->rejected++;
      continue;
    }
    if (!accepted) {
      c->h = rk.h * f;
      c->rejected++;
      wanted = 0;
      if (o->events) {
        cri_event_root_restart(l);
      }
      continue;
    }
    accept(c, o, &rk, m, d, inverse, rk.h * f, l);
    *h = rk.h;
    return cri_state_check(m, d, cri_state_next(m, d), "the next state");
  }
}

cr_status cri_adaptive_step(const cr_adaptive* options, const cri_ramp* ramp, const cr_model* m,
                            cr_data* d, cr_real end, cri_controller* c, cr_real* h) {
  size_t mark = cri_mark(d);
  cri_event_root l = {.happened = false};
  CR_TRY(begin(m, d, c->known));
  if (options->events) {
    cri_event_root_begin(&l, m, d, c->next, cri_tableau_of(m->integrator));
    l.pass = c->pass;
  }
  cr_status status = find_step(options, ramp, m, d, end, &l, c, h);
  cri_pop(d, mark);
  return status;
}

cr_status cri_adaptive_repeat(const cr_adaptive* options, const cri_ramp* ramp, const cr_model* m,
                              cr_data* d, bool known, cr_real h) {
  cri_rk rk = method_of(options, ramp, m, h);
  CR_TRY(begin(m, d, known));
  CR_TRY(cr_runge_kutta(&rk, m, d));
  return needs_end(options, &rk) ? cri_runge_kutta_end(&rk, m, d) : CR_OK;
}

cr_status cri_adaptive_step_jvp(const cr_adaptive* options, const cri_ramp* ramp, const cr_model* m,
                                const cr_data* d, cr_real h, cr_data* work, cr_data* tan) {
  cri_rk rk = method_of(options, ramp, m, h);
  return cr_runge_kutta_jvp(&rk, m, d, work, tan);
}

cr_status cri_adaptive_step_vjp(const cr_adaptive* options, const cri_ramp* ramp, const cr_model* m,
                                const cr_model* m_backward, const cr_data* d, cr_real h,
                                cr_data* work, cr_data* bar) {
  cri_rk rk = method_of(options, ramp, m, h);
  CR_TRY(cr_runge_kutta_vjp(&rk, m, m_backward, d, work, bar));
  cri_state_zero(cri_state_twin_next(m, bar));
  return CR_OK;
}

void cri_adaptive_advance(const cr_adaptive* options, const cr_model* m, cr_data* d, cr_real h) {
  cri_rk rk = method_of(options, NULL, m, h);
  const cr_real* latest = needs_end(options, &rk) ? d->qacc : cri_runge_kutta_latest(&rk, m, d);
  cri_state_take_next(m, d);
  cr_copy(d->qacc_warmstart, latest, m->nv);
  d->time += h;
}
