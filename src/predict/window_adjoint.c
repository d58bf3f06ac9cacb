// SPDX-License-Identifier: Apache-2.0
// A window as a rollout: what is seen after each step gives cotangents of its outputs, which the sweep back takes up where it
// passes that step.
#include "predict/window_adjoint.h"

#include <stdlib.h>

#include "carom/rollout.h"
#include "engine/forward.h"
#include "math/quat.h"
#include "model/state_vector.h"
#include "predict/predictor.h"
#include "predict/sight.h"

struct cri_window_adjoint {
  cr_rollout* rollout;
  cr_real* seeds;  // of every step, of all errors of its run
  bool* seeded;    // of every step
  // the window at hand
  cri_predictor* w;
  const cri_problem* p;
  const cri_span* span;
  cr_real cost;
  int64_t numbers;
  cr_real* x_bar;  // NULL: no gradient
};

static int longest_span(const cri_problem* p) {
  int n = 0;
  for (int i = 0; i < p->nspan; i++) {
    n = p->spans[i].nstep > n ? p->spans[i].nstep : n;
  }
  return n;
}

cr_status cri_window_adjoint_create(cri_window_adjoint** out, const cri_problem* p,
                                    cr_error* error) {
  int steps = longest_span(p), errors = 0, n = 0;
  for (int i = 0; i < p->nrun; i++) {
    errors = p->runs[i].nerror > errors ? p->runs[i].nerror : errors;
  }
  cri_window_adjoint* a = calloc(1, sizeof *a);
  if (a == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  a->seeds = calloc(((size_t)steps + 1) * (size_t)errors + 1, sizeof *a->seeds);
  a->seeded = calloc((size_t)steps + 1, sizeof *a->seeded);
  const char* const* fields = cr_parameters_fields(p->parameters, &n);
  cr_status status = a->seeds != NULL && a->seeded != NULL
                         ? cr_rollout_create(&a->rollout, p->m, steps, fields, n, error)
                         : cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  if (status == CR_OK && p->adaptive.atol > 0) {
    status = cr_rollout_set_adaptive(a->rollout, p->m, &p->adaptive, error);
  }
  if (status != CR_OK) {
    cri_window_adjoint_free(a);
    return status;
  }
  *out = a;
  return CR_OK;
}

void cri_window_adjoint_free(cri_window_adjoint* a) {
  if (a != NULL) {
    cr_rollout_destroy(a->rollout);
    free(a->seeds);
    free(a->seeded);
    free(a);
  }
}

static const cri_track_run* run_of(const cri_window_adjoint* a) {
  return &a->p->runs[a->span->run];
}

static cr_real* seeds_at(const cri_window_adjoint* a, int step) {
  return a->seeds + (ptrdiff_t)step * run_of(a)->nerror;
}

// ---- what is seen

// e_bar of a sight, into the outputs of the two steps that it lies between
static void add_sight(void* context, const cri_sight* s) {
  cri_window_adjoint* a = context;
  const cri_problem* p = a->p;
  const cri_output* o = s->output;
  const cri_measured* place = &p->places[s->track->place];
  int n = cri_output_errors(o), at = s->track->error_at + o->in_errors;
  for (int i = 0; i < n; i++) {
    cr_real weight;
    a->cost += cri_robust(p->huber, s->error[i] / place->noise, &weight);
    a->numbers++;
    cr_real e_bar = weight * s->error[i] / (place->noise * place->noise);
    for (int k = 0; k < 2 && a->x_bar != NULL; k++) {
      cr_real J[9] = {1};
      if (s->share[k] == 0) {
        continue;
      }
      if (o->turns) {
        cr_so3_jr_inv(J, s->part[k]);
      }
      for (int j = 0; j < n; j++) {
        seeds_at(a, s->step - k)[at + j] += s->share[k] * J[3 * i + j] * e_bar;
      }
      a->seeded[s->step - k] = true;
    }
    if (a->x_bar != NULL && place->offset_at >= 0) {
      a->x_bar[place->offset_at + o->in_errors + i] += e_bar;
    }
    if (a->x_bar != NULL && place->delay_at >= 0) {
      a->x_bar[place->delay_at] -= e_bar * (s->part[0][i] - s->part[1][i]) / p->m->timestep;
    }
  }
}

// the state after a step into a block of its own, with the control that is held from there on
static void take_state(const cri_window_adjoint* a, const cr_data* d, int step) {
  const cr_model* m = a->p->m;
  cri_state_copy(cri_state_of(m, a->w->d), cri_state_of(m, d));
  a->w->d->time = d->time;
  cri_predict_controls(a->w, a->p, run_of(a), a->span->begin + (cr_real)step * m->timestep,
                       a->w->d->ctrl);
}

static cr_status compute(const cri_window_adjoint* a, const cr_data* d, int step) {
  take_state(a, d, step);
  return cr_forward(a->p->m, a->w->d);
}

static cr_status compute_and_grow(const cri_window_adjoint* a, const cr_data* d, int step) {
  cr_status status = compute(a, d, step);
  while (status == CR_ERR_CAPACITY) {
    CR_TRY(cri_predictor_grow(a->w, a->p, NULL));
    status = compute(a, d, step);
  }
  return status;
}

static cr_status see_step(cri_window_adjoint* a, const cr_data* d, int step) {
  const cri_track_run* run = run_of(a);
  bool needed = false, computes = false;
  for (int t = 0; t < run->ntrack; t++) {
    bool now = cri_sight_needed(a->w, a->p, a->span, t, step);
    needed = needed || now;
    computes = computes || (now && cri_track_computes(&run->tracks[t]));
  }
  if (computes) {
    CR_TRY(compute_and_grow(a, d, step));
  } else if (needed) {
    take_state(a, d, step);
  }
  for (int t = 0; t < run->ntrack && needed; t++) {
    if (cri_sight_needed(a->w, a->p, a->span, t, step)) {
      CR_TRY(cri_sight_step(a->w, a->p, a->span, t, step, false, add_sight, a));
    }
  }
  return CR_OK;
}

// ---- the way back

static void add_to_state(const cr_model* m, cr_data* bar, int at, cr_real x) {
  const cri_state s = cri_state_twin(m, bar);
  for (int k = 0; k < CRI_N_STATE; k++) {
    if (at < s.part[k].n) {
      s.part[k].x[at] += x;
      return;
    }
    at -= s.part[k].n;
  }
}

// cotangents of the outputs after a step; bar NULL: at the start, which is held
static cr_status sweep_outputs(cri_window_adjoint* a, const cr_data* d, int step, cr_data* bar) {
  const cr_model* m = a->p->m;
  const cri_track_run* run = run_of(a);
  const cr_real* seed = seeds_at(a, step);
  cr_data* own = a->w->bar;
  bool computes = false;
  for (int t = 0; t < run->ntrack; t++) {
    computes = computes || cri_track_computes(&run->tracks[t]);
  }
  if (computes) {
    CR_TRY(compute(a, d, step));
    cri_state_zero(cri_state_twin(m, own));
  }
  for (int t = 0; t < run->ntrack; t++) {
    const cri_track* track = &run->tracks[t];
    for (int k = 0; k < track->noutput; k++) {
      const cri_output* o = &track->outputs[k];
      for (int i = 0; i < cri_output_errors(o); i++) {
        cr_real x = seed[track->error_at + o->in_errors + i];
        if (o->kind != CRI_OUTPUT_STATE) {
          cri_output_seed(o, m, a->w->d, i, x, own);
        } else if (bar != NULL) {
          add_to_state(m, bar, o->tangent_at + i, x);
        }
      }
    }
  }
  if (computes) {
    CR_TRY(cri_forward_vjp(m, a->w->d, own));
    if (bar != NULL) {
      cri_state_add(cri_state_twin(m, bar), 1, cri_state_twin(m, own));
    }
  }
  return CR_OK;
}

// ---- as a loss of a rollout

static bool every_step(const void* context, int step, int nstep) {
  (void)context, (void)step, (void)nstep;
  return true;
}

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  (void)m, (void)loss;
  return see_step(context, d, step);
}

static cr_status back(void* context, const cr_model* m, const cr_data* d, int step, cr_data* bar) {
  cri_window_adjoint* a = context;
  (void)m;
  return a->seeded[step] ? sweep_outputs(a, d, step, bar) : CR_OK;
}

static void prepare(cri_window_adjoint* a) {
  const cr_model* m = a->p->m;
  cr_data* d = cr_rollout_data(a->rollout);
  cri_predict_start(a->w, a->p, (int)(a->span - a->p->spans));
  cri_data_reset(m, d);
  cri_state_copy(cri_state_of(m, d), cri_state_of(m, a->w->d));
  d->time = a->span->begin;
  cr_zero(a->seeds, (a->span->nstep + 1) * run_of(a)->nerror);
  memset(a->seeded, 0, ((size_t)a->span->nstep + 1) * sizeof *a->seeded);
  for (int k = 0; k < a->span->nstep; k++) {
    cri_predict_controls(a->w, a->p, run_of(a), a->span->begin + (cr_real)k * m->timestep,
                         cr_rollout_ctrl(a->rollout) + (ptrdiff_t)k * m->nu);
  }
  cri_predict_start(a->w, a->p, (int)(a->span - a->p->spans));
}

static cr_status run_window(cri_window_adjoint* a, cr_error* error) {
  const cr_loss loss = {.context = a, .looks_at = every_step, .value = value, .bar = back};
  prepare(a);
  cr_status status = see_step(a, cr_rollout_data(a->rollout), 0);
  if (status != CR_OK) {
    return cri_fail(error, status, "at the start: %s", a->w->d->error.text);
  }
  return cr_rollout_run(a->rollout, a->p->m, a->span->nstep, &loss, error);
}

static cr_status sweep_window(cri_window_adjoint* a, const cri_window_gradient* to,
                              cr_error* error) {
  const cri_problem* p = a->p;
  const cr_model* m = p->m;
  const cr_loss loss = {.context = a, .looks_at = every_step, .value = value, .bar = back};
  cri_model_twin_zero(&a->w->bar->par, m);
  CR_TRY(cr_rollout_gradient(a->rollout, m, m, &loss, error));
  if (a->seeded[0]) {
    CR_TRY(cr_rollout_restore(a->rollout, m, 0, error));
    cr_status status = sweep_outputs(a, cr_rollout_data(a->rollout), 0, NULL);
    if (status != CR_OK) {
      return cri_fail(error, status, "at the start: %s", a->w->d->error.text);
    }
  }
  cri_parameters_pullback(p->parameters, &cr_rollout_bar(a->rollout)->par, to->x_bar, to->derived);
  cri_parameters_pullback(p->parameters, &a->w->bar->par, to->x_bar, to->derived);
  return CR_OK;
}

cr_status cri_window_adjoint_run(cri_window_adjoint* a, cri_predictor* w, const cri_problem* p,
                                 int span, cr_real* cost, int64_t* numbers,
                                 const cri_window_gradient* to, cr_error* error) {
  cr_error said = {0};
  a->w = w;
  a->p = p;
  a->span = &p->spans[span];
  a->cost = 0;
  a->numbers = 0;
  a->x_bar = to != NULL ? to->x_bar : NULL;
  cr_status status = run_window(a, &said);
  if (status == CR_OK && to != NULL) {
    status = sweep_window(a, to, &said);
  }
  if (status != CR_OK) {
    return cri_fail(error, status, "run %s, from %.9g s on: %s", run_of(a)->name,
                    (double)a->span->begin, said.text);
  }
  *cost = a->cost;
  *numbers = a->numbers;
  return CR_OK;
}
