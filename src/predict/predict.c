// SPDX-License-Identifier: Apache-2.0
// The window driver: its start, controls, steps, and where it ends.
#include "predict/predict.h"

#include <stdlib.h>

#include "engine/data_create.h"
#include "engine/forward.h"
#include "integrate/step.h"
#include "kinematics/configuration.h"
#include "kinematics/joint.h"
#include "math/quat.h"
#include "model/state_vector.h"
#include "model/tableau.h"
#include "predict/adaptive_interval.h"
#include "predict/sensitivity.h"
#include "predict/sight.h"

// ---- memory

static cr_status create_blocks(cri_predictor* w, const cri_problem* p, const cr_capacity* c,
                               cr_error* error) {
  CR_TRY(cri_data_create(&w->d, p->m, c, error));
  CR_TRY(cri_data_create(&w->work, p->m, c, error));
  CR_TRY(p->adaptive.events ? cri_data_create(&w->before, p->m, c, error) : CR_OK);
  CR_TRY(cri_data_twin(&w->bar, p->m, w->d, CR_DATA_COTANGENT, cri_parameters_wanted(p->parameters),
                       error));
  bool sweeps = cri_parameter_sweep_plan(&w->sweep, p->m, cri_parameters_wanted(p->parameters));
  return sweeps ? cr_jacobian_create(&w->jacobian, p->m, w->d, error) : CR_OK;
}

static void free_blocks(cri_predictor* w) {
  cri_data_free(w->d);
  cri_data_free(w->work);
  cri_data_free(w->bar);
  cri_data_free(w->before);
  cr_jacobian_destroy(w->jacobian);
  w->d = w->work = w->bar = w->before = NULL;
  w->jacobian = NULL;
}

static cr_real* take(cr_real** at, size_t n) {
  cr_real* x = *at;
  *at += n;
  return x;
}

cr_status cri_predictor_create(cri_predictor** out, const cri_problem* p, cr_error* error) {
  size_t nx = (size_t)p->nx, np = (size_t)p->np, columns = (size_t)cri_columns_of(p);
  size_t values = 0, errors = 0, tracks = 0, inputs = 0;
  for (int i = 0; i < p->nrun; i++) {
    const cri_track_run* r = &p->runs[i];
    values = (size_t)r->nvalue > values ? (size_t)r->nvalue : values;
    errors = (size_t)r->nerror > errors ? (size_t)r->nerror : errors;
    tracks = (size_t)r->ntrack > tracks ? (size_t)r->ntrack : tracks;
    inputs = (size_t)r->ninput > inputs ? (size_t)r->ninput : inputs;
  }
  size_t nderived = (size_t)cri_parameters_nderived(p->parameters);
  size_t n = 2 * nx * columns + nx * nx + nx * np + 2 * nx + np + nderived + 2 * values +
             2 * errors * columns + 3 * columns;
  cri_predictor* w = calloc(1, sizeof *w);
  cr_real* at = calloc(n + 1, sizeof *at);
  int* next = calloc(tracks + inputs + 1, sizeof *next);
  if (w == NULL || at == NULL || next == NULL) {
    free(w);
    free(at);
    free(next);
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory for %zu numbers", n);
  }
  w->memory = at;
  w->next_row = next;
  w->next_control = next + tracks;
  w->S = take(&at, nx * columns);
  w->S_next = take(&at, nx * columns);
  w->A = take(&at, nx * nx);
  w->B = take(&at, nx * np);
  w->one = take(&at, nx);
  w->move = take(&at, nx);
  w->p_bar = take(&at, np);
  w->derived = take(&at, nderived);
  for (int k = 0; k < 2; k++) {
    w->value[k] = take(&at, values);
    w->rows[k] = take(&at, errors * columns);
  }
  w->row = take(&at, 3 * columns);
  cr_status status = create_blocks(w, p, NULL, error);
  if (status != CR_OK) {
    cri_predictor_free(w);
    return status;
  }
  *out = w;
  return CR_OK;
}

void cri_predictor_free(cri_predictor* w) {
  if (w != NULL) {
    free_blocks(w);
    free(w->next_row);
    free(w->memory);
    free(w);
  }
}

int cri_predictor_uncounted(const cri_predictor* w) { return w->controller.missed; }

cr_status cri_predictor_grow(cri_predictor* w, const cri_problem* p, cr_error* error) {
  const cr_data* d = w->d;
  cr_capacity c = {2 * d->ncon_max + 8, 2 * d->nefc_max + 32, 2 * d->nJ_max + 32 * p->m->nv};
  free_blocks(w);
  return create_blocks(w, p, &c, error);
}

// ---- the start

// state = base (+) r; and the derivative by r: of turns the right Jacobian, of all else 1
static void set_start(cri_predictor* w, const cri_problem* p, int span, bool derive) {
  const cr_model* m = p->m;
  cr_data* d = w->d;
  const cr_real* r = p->x + p->n + (ptrdiff_t)span * p->nx;
  cri_data_reset(m, d);
  cri_state s = cri_state_of(m, d);
  cri_state_copy(
      s, cri_state_at(cri_state_sizes(m), 1, p->state + (ptrdiff_t)span * cri_state_size(m)));
  cri_configuration_move(m, d->qpos, r, 1, d->qpos);
  r += m->nv;
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    for (int i = 0; i < s.part[k].n; i++) {
      s.part[k].x[i] += *r++;
    }
  }
  if (!derive) {
    return;
  }
  int columns = cri_columns_of(p);
  cr_zero(w->S, p->nx * columns);
  for (int i = 0; i < p->nx && !p->starts_known; i++) {
    w->S[(ptrdiff_t)i * columns + p->n + i] = 1;
  }
  r = p->x + p->n + (ptrdiff_t)span * p->nx;
  for (int j = 0; j < m->njnt && !p->starts_known; j++) {
    cri_joint_space q = cri_joint_space_of(m, j);
    int v = q.v + q.nflat;
    cr_real J[9];
    if (q.rotates) {
      cr_so3_jr(J, r + v);
      for (int i = 0; i < 9; i++) {
        w->S[(ptrdiff_t)(v + i / 3) * columns + p->n + v + i % 3] = J[i];
      }
    }
  }
}

// ---- a window

void cri_predict_start(cri_predictor* w, const cri_problem* p, int span) {
  const cri_track_run* run = &p->runs[p->spans[span].run];
  set_start(w, p, span, false);
  w->d->time = p->spans[span].begin;
  for (int c = 0; c < run->ninput; c++) {
    w->next_control[c] = 0;
  }
  for (int t = 0; t < run->ntrack; t++) {
    w->next_row[t] = cri_sight_first(p, &p->spans[span], &run->tracks[t]);
  }
}

void cri_predict_controls(cri_predictor* w, const cri_problem* p, const cri_track_run* run,
                          cr_real time, cr_real* ctrl) {
  for (int c = 0; c < run->ninput; c++) {
    const cri_input* u = &run->inputs[c];
    int* i = &w->next_control[c];
    while (*i > 0 && u->time[*i] > time + CRI_ON_STEP * p->m->timestep) {
      (*i)--;
    }
    while (*i + 1 < u->rows && u->time[*i + 1] <= time + CRI_ON_STEP * p->m->timestep) {
      (*i)++;
    }
    cr_copy(ctrl + u->first, u->values + (ptrdiff_t)*i * u->count, u->count);
  }
}

// the step from the state in w->d, and everything that is measured there
static cr_status make_step(cri_predictor* w, const cri_problem* p, bool last, bool measures) {
  const cr_model* m = p->m;
  bool stages = cri_tableau_of(m->integrator) != NULL;
  if (last || (stages && measures)) {
    return cr_forward(m, w->d);
  }
  if (p->adaptive.atol > 0) {
    return CR_OK;  // the interval makes its own steps
  }
  CR_TRY(cri_step(m, w->d));
  return measures ? cri_measure(m, w->d) : CR_OK;
}

bool cri_track_computes(const cri_track* t) {
  for (int k = 0; k < t->noutput; k++) {
    if (t->outputs[k].kind != CRI_OUTPUT_STATE) {
      return true;
    }
  }
  return false;
}

static cr_status see_step(cri_predictor* w, const cri_problem* p, const cri_span* span, int k,
                          bool derive, cri_see* see, void* context) {
  const cri_track_run* run = &p->runs[span->run];
  bool measures = false;
  for (int t = 0; t < run->ntrack; t++) {
    measures =
        measures || (cri_track_computes(&run->tracks[t]) && cri_sight_needed(w, p, span, t, k));
  }
  if (k < span->nstep || measures) {
    CR_TRY(make_step(w, p, k == span->nstep, measures));
  }
  for (int t = 0; t < run->ntrack; t++) {
    if (cri_sight_needed(w, p, span, t, k)) {
      CR_TRY(cri_sight_step(w, p, span, t, k, derive, see, context));
    }
  }
  return CR_OK;
}

// x_end (-) the start of the next window
static void leap(cri_predictor* w, const cri_problem* p, const cri_span* span, cr_real* jump,
                 cr_real* rows) {
  const cr_model* m = p->m;
  int columns = cri_columns_of(p), nx = p->nx;
  cr_data* to = w->work;
  cri_predictor other = *w;
  other.d = to;
  set_start(&other, p, span->next, false);
  const cri_state a = cri_state_of(m, w->d), b = cri_state_of(m, to);
  cr_copy(rows, w->S, nx * columns);
  for (int i = 0; i < nx; i++) {
    rows[(ptrdiff_t)i * columns + p->n + nx + i] = -1;
  }
  cr_real* e = jump;
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space q = cri_joint_space_of(m, j);
    for (int i = 0; i < q.nflat; i++) {
      e[q.v + i] = a.qpos.x[q.q + i] - b.qpos.x[q.q + i];
    }
    if (q.rotates) {
      int v = q.v + q.nflat;
      cr_real J[9], Jr[9];
      const cr_real* r = p->x + p->n + (ptrdiff_t)span->next * nx + v;
      cr_quat_sub(e + v, a.qpos.x + q.q + q.nflat, b.qpos.x + q.q + q.nflat);
      // by the end Jr^-1(e); by the start r of the next window -Jr^-1(e)' Jr(r)
      cr_so3_jr_inv(J, e + v);
      cr_so3_jr(Jr, r);
      for (int k = 0; k < p->n + nx; k++) {
        cr_real x[3];
        for (int i = 0; i < 3; i++) {
          x[i] = w->S[(ptrdiff_t)(v + i) * columns + k];
        }
        for (int i = 0; i < 3; i++) {
          rows[(ptrdiff_t)(v + i) * columns + k] =
              J[3 * i] * x[0] + J[3 * i + 1] * x[1] + J[3 * i + 2] * x[2];
        }
      }
      for (int i = 0; i < 9; i++) {
        cr_real sum = 0;
        for (int k = 0; k < 3; k++) {
          sum += J[3 * k + i / 3] * Jr[3 * k + i % 3];
        }
        rows[(ptrdiff_t)(v + i / 3) * columns + p->n + nx + v + i % 3] = -sum;
      }
    }
  }
  e += m->nv;
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    for (int i = 0; i < a.part[k].n; i++) {
      *e++ = a.part[k].x[i] - b.part[k].x[i];
    }
  }
}

cr_status cri_predict(cri_predictor* w, const cri_problem* p, int index, bool derive, cri_see* see,
                      void* context, cr_real* jump, cr_real* jump_rows, cr_error* error) {
  const cri_span* span = &p->spans[index];
  const cri_track_run* run = &p->runs[span->run];
  set_start(w, p, index, derive);
  w->d->time = span->begin;
  for (int t = 0; t < run->ntrack; t++) {
    w->next_row[t] = cri_sight_first(p, span, &run->tracks[t]);
  }
  for (int c = 0; c < run->ninput; c++) {
    w->next_control[c] = 0;
  }
  bool stages = cri_tableau_of(p->m->integrator) != NULL;
  w->controller = cri_controller_begin(p->m, &p->adaptive);
  cr_status status = CR_OK;
  for (int k = 0; k <= span->nstep && status == CR_OK; k++) {
    cri_predict_controls(w, p, run, span->begin + (cr_real)k * p->m->timestep, w->d->ctrl);
    status = see_step(w, p, span, k, derive, see, context);
    if (k == span->nstep || status != CR_OK) {
      break;
    }
    if (p->adaptive.atol > 0) {
      w->d->measured = false;
      cr_real end = span->begin + (cr_real)(k + 1) * p->m->timestep;
      status = cri_adaptive_interval(w, p, end, derive);
      continue;
    }
    if (stages && w->d->measured) {
      status = cri_step_onward(p->m, w->d);
    }
    if (status == CR_OK && derive) {
      status = cri_sensitivity_step(w, p);
    }
    if (status == CR_OK) {
      cri_advance(p->m, w->d);
      w->d->measured = false;
    }
  }
  if (status != CR_OK) {
    const cr_data* said = w->d->error.status == status ? w->d : w->bar;
    return status == CR_ERR_CAPACITY ? status
                                     : cri_fail(error, status, "run %s, at %.9g s: %s", run->name,
                                                (double)w->d->time, said->error.text);
  }
  if (jump != NULL) {
    leap(w, p, span, jump, jump_rows);
  }
  return CR_OK;
}
