// SPDX-License-Identifier: Apache-2.0
// Runs of the rollout under test: finer, moved, or with steps that end on events.
#include "gradient/trust_state.h"
#include "model/tableau.h"
#include "rollout/trajectory.h"

#define FINEST CR_R(1e-13)
// most steps of a run that counts events
#define COUNTED CR_R(1e-5)
enum { FEW_HALVINGS = 2, MOST_HALVINGS = 8, MANY_STEPS = 10000 };

// ---- cost of a run

int cri_trust_stages(const cr_model* m) {
  const cri_tableau* tableau = cri_tableau_of(m->integrator);
  return tableau != NULL ? tableau->n - tableau->last_is_first : 1;
}

// of the last run, with the evaluations of a gradient and of its switches
static void count_run(cri_trust* t, const cr_rollout* r, const cr_model* m, bool gradient,
                      bool switches) {
  int made = r->adaptive ? r->controller.accepted : r->nstep;
  int tried = r->adaptive ? made + r->controller.rejected : made;
  int more = (gradient ? 2 : 0) + (switches ? 1 : 0);
  t->evaluations += (cr_real)cri_trust_stages(m) * ((cr_real)tried + (cr_real)more * (cr_real)made);
}

// ---- finer

// the loss of a rollout whose steps are `every` to one of the loss's
typedef struct {
  const cr_loss* loss;
  int every;
} spread_loss;

static bool spread_looks_at(const void* context, int step, int nstep) {
  const spread_loss* s = context;
  if (step % s->every != 0) {
    return false;
  }
  return s->loss->looks_at == NULL
             ? step == nstep
             : s->loss->looks_at(s->loss->context, step / s->every, nstep / s->every);
}

static cr_status spread_value(void* context, const cr_model* m, const cr_data* d, int step,
                              cr_real* loss) {
  const spread_loss* s = context;
  return s->loss->value(s->loss->context, m, d, step / s->every, loss);
}

static cr_status spread_bar(void* context, const cr_model* m, const cr_data* d, int step,
                            cr_data* bar) {
  const spread_loss* s = context;
  return s->loss->bar(s->loss->context, m, d, step / s->every, bar);
}

// rows of controls: repeats each `every` times, from the last; and sums up their cotangents again
static void spread_controls(cr_rollout* r, int nu, int nstep, int every) {
  for (int k = nstep * every - 1; k >= 0; k--) {
    for (int i = 0; i < nu; i++) {
      r->ctrl[(size_t)k * (size_t)nu + (size_t)i] =
          r->ctrl[(size_t)(k / every) * (size_t)nu + (size_t)i];
    }
  }
}

static void gather_controls(cr_rollout* r, int nu, int nstep, int every) {
  for (int k = 0; k < nstep; k++) {
    for (int i = 0; i < nu; i++) {
      cr_real sum = 0;
      for (int e = 0; e < every; e++) {
        sum += r->ctrl_bar[((size_t)k * (size_t)every + (size_t)e) * (size_t)nu + (size_t)i];
      }
      r->ctrl_bar[(size_t)k * (size_t)nu + (size_t)i] = sum;
    }
  }
}

// with tolerances: the same rollout
static cr_status run_adaptive(cri_trust* t, const cr_real* step, cr_real* loss, cr_real* gradient,
                              cri_switches* switches, cr_error* error) {
  const cr_trust_problem* p = t->p;
  cr_rollout* r = p->rollout;
  cr_real tighter = cr_pow(10, -(cr_real)t->level);
  r->options.rtol = t->steps.rtol * tighter;
  r->options.atol = t->steps.atol * tighter;
  r->adjoint.options.rtol = t->adjoint.rtol * tighter;
  r->adjoint.options.atol = t->adjoint.atol * tighter;
  CR_TRY(p->start(p->context, r, step, error));
  CR_TRY(cr_rollout_run(r, p->m, p->nstep, p->loss, error));
  *loss = cr_rollout_loss(r);
  if (gradient != NULL) {
    CR_TRY(cr_rollout_gradient(r, p->m, p->m_backward, p->loss, error));
    CR_TRY(p->gradient(p->context, r, gradient, error));
  }
  count_run(t, r, p->m, gradient != NULL, switches != NULL);
  return switches != NULL ? cri_switches_of(switches, r, p->m, error) : CR_OK;
}

// without: in a rollout with more steps
static cr_status run_in(cri_trust* t, cr_rollout* r, const cr_real* step, cr_real* loss,
                        cr_real* gradient, cri_switches* switches, cr_error* error) {
  const cr_trust_problem* p = t->p;
  int every = 1 << t->level;
  spread_loss spread = {p->loss, every};
  const cr_loss fine_loss = {.context = &spread,
                             .looks_at = spread_looks_at,
                             .value = spread_value,
                             .bar = spread_bar,
                             .needs_fields = p->loss->needs_fields};
  CR_TRY(p->start(p->context, r, step, error));
  spread_controls(r, p->m->nu, p->nstep, every);
  cr_model m = *p->m, backward = *p->m_backward;
  m.timestep = backward.timestep = p->m->timestep / (cr_real)every;
  const cr_model* m_backward = p->m_backward == p->m ? &m : &backward;
  CR_TRY(cr_rollout_run(r, &m, p->nstep * every, &fine_loss, error));
  *loss = cr_rollout_loss(r);
  if (gradient != NULL) {
    CR_TRY(cr_rollout_gradient(r, &m, m_backward, &fine_loss, error));
    gather_controls(r, m.nu, p->nstep, every);
    CR_TRY(p->gradient(p->context, r, gradient, error));
  }
  count_run(t, r, &m, gradient != NULL, switches != NULL);
  return switches != NULL ? cri_switches_of(switches, r, &m, error) : CR_OK;
}

// with the memory of the rollout it replaces; the part of controls alone grows with the number of steps
static cr_status set_up(const cri_trust* t, cr_rollout* r, cr_error* error) {
  const cr_trust_problem* p = t->p;
  size_t bytes = p->rollout->budget, least = cri_rollout_least(r, p->m);
  if (bytes > 0) {
    CR_TRY(cr_rollout_set_memory(r, p->m, bytes > least ? bytes : least, error));
  }
  return p->rollout->adjoint.continuous ? cr_rollout_set_adjoint(r, p->m, &t->adjoint, error)
                                        : CR_OK;
}

static cr_status run_fixed(cri_trust* t, const cr_real* step, cr_real* loss, cr_real* gradient,
                           cri_switches* switches, cr_error* error) {
  const cr_trust_problem* p = t->p;
  cr_rollout* r;
  if (t->level == 0) {
    return run_in(t, p->rollout, step, loss, gradient, switches, error);
  }
  CR_TRY(cri_rollout_create(&r, p->m, p->nstep << t->level, p->rollout->wanted, error));
  cr_status status = set_up(t, r, error);
  if (status == CR_OK) {
    status = run_in(t, r, step, loss, gradient, switches, error);
  }
  cr_rollout_destroy(r);
  return status;
}

cr_status cri_trust_run(cri_trust* t, const cr_real* step, cr_real* loss, cr_real* gradient,
                        cri_switches* switches, cr_error* error) {
  return t->p->rollout->adaptive ? run_adaptive(t, step, loss, gradient, switches, error)
                                 : run_fixed(t, step, loss, gradient, switches, error);
}

bool cri_trust_can_run(const cri_trust* t, int level) {
  if (t->p->rollout->adaptive) {
    return t->steps.rtol * cr_pow(10, -(cr_real)level) >= FINEST;
  }
  bool many = level > MOST_HALVINGS || t->p->nstep > MANY_STEPS >> level;
  return !many || (level <= FEW_HALVINGS && t->p->nstep < 1 << 24);
}

cr_real cri_trust_size_at(const cri_trust* t, int level) {
  return t->p->rollout->adaptive ? t->steps.rtol * cr_pow(10, -(cr_real)level)
                                 : t->p->m->timestep / (cr_real)(1 << level);
}

// ---- with steps that end on events

bool cri_trust_counts(const cri_trust* t) { return t->p->rollout->adaptive && t->steps.events; }

// the rollout's own method and tolerances, or one of low order if its steps are fixed
static cr_adaptive counting_steps(const cri_trust* t, cr_model* m, cr_real evaluations) {
  cr_adaptive o = t->steps;
  if (t->p->rollout->adaptive) {
    cr_real tighter = cr_min(1, COUNTED / cr_max(o.rtol, o.atol));
    o.rtol *= tighter;
    o.atol *= tighter;
  } else {
    o = (cr_adaptive){.size = sizeof(cr_adaptive), .rtol = COUNTED, .atol = COUNTED};
    m->integrator = CR_INT_BOSH3;
  }
  // forward, and twice as much for the gradient
  cr_real most = evaluations / (cr_real)(3 * cri_trust_stages(m));
  cr_real allowed = (cr_real)(o.max_steps > 0 ? o.max_steps : CR_ADAPTIVE_STEPS);
  o.max_steps = (int)cr_min(most, allowed);
  o.events = true;
  return o;
}

static cr_status run_counting(cri_trust* t, cr_rollout* r, const cr_model* m, cr_real* gradient,
                              cr_error* error) {
  const cr_trust_problem* p = t->p;
  cr_model backward = *p->m_backward;
  backward.integrator = m->integrator;
  const cr_model* m_backward = p->m_backward == p->m ? m : &backward;
  CR_TRY(p->start(p->context, r, NULL, error));
  cr_status status = cr_rollout_run(r, m, p->nstep, p->loss, error);
  count_run(t, r, m, status == CR_OK, false);
  CR_TRY(status);
  CR_TRY(cr_rollout_gradient(r, m, m_backward, p->loss, error));
  return p->gradient(p->context, r, gradient, error);
}

cr_status cri_trust_count(cri_trust* t, cr_real evaluations, cr_real* gradient, cr_error* error) {
  cr_rollout* r;
  cr_model m = *t->p->m;
  const cr_adaptive steps = counting_steps(t, &m, evaluations);
  if (steps.max_steps < 1) {
    return cri_fail(error, CR_ERR_BUDGET, "no evaluations are left to count events by");
  }
  CR_TRY(cri_rollout_create(&r, &m, t->p->nstep, t->p->rollout->wanted, error));
  cr_status status = set_up(t, r, error);
  if (status == CR_OK) {
    status = cr_rollout_set_adaptive(r, &m, &steps, error);
  }
  if (status == CR_OK) {
    status = run_counting(t, r, &m, gradient, error);
  }
  cr_rollout_destroy(r);
  return status;
}
