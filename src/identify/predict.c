// SPDX-License-Identifier: Apache-2.0
// Sensitivities forwards in time. A step's cotangents, one sweep for each velocity, activation and output, give at once the
// rows of A, B, C and D. Rows of coordinates follow from those of velocities.
#include "identify/predict.h"

#include <stdlib.h>

#include "engine/data_create.h"
#include "engine/forward.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "kinematics/configuration.h"
#include "kinematics/joint.h"
#include "math/quat.h"
#include "model/schedule.h"
#include "model/state_vector.h"
#include "model/tableau.h"

struct cri_predictor {
  cr_data *d, *work, *bar;
  cr_real *S, *S_next;  // nx columns
  cr_real *A, *B;       // nx nx, nx np
  cr_real *one, *move;  // nx each
  cr_real *p_bar, *derived;
  // outputs of the step before and of this one: values, rows of the errors' tangents
  cr_real *value[2], *rows[2];
  cr_real* row;   // 3 columns: of a sight
  int* next_row;  // of each track: the first that was not passed
  int* next_control;
  void* memory;
};

// ---- memory

static cr_status create_blocks(cri_predictor* w, const cri_problem* p, const cr_capacity* c,
                               cr_error* error) {
  CR_TRY(cri_data_create(&w->d, p->m, c, error));
  CR_TRY(cri_data_create(&w->work, p->m, c, error));
  return cri_data_twin(&w->bar, p->m, w->d, CR_DATA_COTANGENT, cri_parameters_wanted(p->parameters),
                       error);
}

static void free_blocks(cri_predictor* w) {
  cri_data_free(w->d);
  cri_data_free(w->work);
  cri_data_free(w->bar);
  w->d = w->work = w->bar = NULL;
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

// ---- derivatives of a step

static void clear_inputs(const cr_model* m, const bool* wanted, cr_data* bar) {
  cri_state_zero(cri_state_twin(m, bar));
  cr_zero(bar->ctrl, m->nu);
  cr_zero(bar->qfrc_applied, m->nv);
  cr_zero(bar->xfrc_applied, 6 * m->nbody);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    if (wanted[i]) {
      cr_zero(cri_field_real(&bar->par, NULL, (cr_field_id)i),
              cri_field_tangent_size(m, NULL, (cr_field_id)i));
    }
  }
}

// what a sweep left: a row by the state, and one by the free numbers of the parameters
static void collect(cri_predictor* w, const cri_problem* p, cr_real* by_x, cr_real* by_p) {
  const cri_state s = cri_state_twin(p->m, w->bar);
  for (int k = 0; k < CRI_N_STATE; k++) {
    cr_copy(by_x, s.part[k].x, s.part[k].n);
    by_x += s.part[k].n;
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

static cr_status sweep_step(cri_predictor* w, const cri_problem* p, cr_real* seed, int row) {
  const cr_model* m = p->m;
  clear_inputs(m, cri_parameters_wanted(p->parameters), w->bar);
  *seed = 1;
  CR_TRY(cri_step_vjp(m, m, w->d, w->work, w->bar));
  collect(w, p, w->A + (ptrdiff_t)row * p->nx, w->B + (ptrdiff_t)row * p->np);
  return CR_OK;
}

// y += s x
static void add(cr_real* y, cr_real s, const cr_real* x, int n) {
  for (int i = 0; i < n && s != 0; i++) {
    y[i] += s * x[i];
  }
}

// q+ = q (+) h v+: a row of coordinates from those of velocities
static void coordinate_row(cri_predictor* w, const cri_problem* p, int i) {
  const cr_model* m = p->m;
  cr_real *row = w->A + (ptrdiff_t)i * p->nx, *by_p = w->B + (ptrdiff_t)i * p->np;
  cr_zero(row, p->nx);
  cr_zero(by_p, p->np);
  cr_zero(w->one, m->nv);
  cr_zero(w->move, m->nv);
  w->one[i] = 1;
  cri_configuration_move_vjp(m, w->d->qvel_next, m->timestep, w->one, row, w->move);
  for (int k = 0; k < m->nv; k++) {
    add(row, w->move[k], w->A + (ptrdiff_t)(m->nv + k) * p->nx, p->nx);
    add(by_p, w->move[k], w->B + (ptrdiff_t)(m->nv + k) * p->np, p->np);
  }
}

// A and B of the step in w->d
static cr_status step_rows(cri_predictor* w, const cri_problem* p) {
  const cr_model* m = p->m;
  const cri_state next = cri_state_twin_next(m, w->bar);
  bool stages = cri_tableau_of(m->integrator) != NULL;
  int row = stages ? 0 : m->nv;
  w->d->measured = false;
  for (int k = stages ? 0 : CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    for (int i = 0; i < next.part[k].n; i++) {
      CR_TRY(sweep_step(w, p, &next.part[k].x[i], row++));
    }
  }
  for (int i = 0; i < m->nv && !stages; i++) {
    coordinate_row(w, p, i);
  }
  return CR_OK;
}

// y = x S: a row by the state, into one by all columns
static void through(const cri_problem* p, const cr_real* x, const cr_real* S, cr_real* y) {
  int columns = p->n + p->nx, stride = cri_columns_of(p);
  for (int k = 0; k < p->nx; k++) {
    add(y, x[k], S + (ptrdiff_t)k * stride, columns);
  }
}

static void advance_sensitivities(cri_predictor* w, const cri_problem* p) {
  int stride = cri_columns_of(p);
  for (int i = 0; i < p->nx; i++) {
    cr_real* y = w->S_next + (ptrdiff_t)i * stride;
    cr_zero(y, stride);
    cr_copy(y, w->B + (ptrdiff_t)i * p->np, p->np);
    through(p, w->A + (ptrdiff_t)i * p->nx, w->S, y);
  }
  cr_real* kept = w->S;
  w->S = w->S_next;
  w->S_next = kept;
}

// ---- outputs of a step

static cr_status output_rows(cri_predictor* w, const cri_problem* p, const cri_output* o,
                             cr_real* rows) {
  const cr_model* m = p->m;
  int stride = cri_columns_of(p);
  for (int i = 0; i < cri_output_errors(o); i++, rows += stride) {
    cr_zero(rows, stride);
    if (o->kind == CRI_OUTPUT_STATE) {
      cr_copy(rows, w->S + (ptrdiff_t)(o->tangent_at + i) * stride, stride);
      continue;
    }
    clear_inputs(m, cri_parameters_wanted(p->parameters), w->bar);
    cri_output_seed(o, m, w->d, i, w->bar);
    const bool* stages = p->reach + (o - p->outputs) * CR_MAX_STAGES;
    CR_TRY(cri_forward_vjp_through(m, w->d, w->bar, stages));
    collect(w, p, w->one, rows);
    through(p, w->one, w->S, rows);
  }
  return CR_OK;
}

static cr_status track_outputs(cri_predictor* w, const cri_problem* p, const cri_track* t,
                               bool derive, int now) {
  int value = t->value_at, error = t->error_at;
  for (int k = 0; k < t->noutput; k++) {
    const cri_output* o = &t->outputs[k];
    cr_copy(w->value[now] + value, cri_output_value(o, p->m, w->d), cri_output_numbers(o));
    if (derive) {
      CR_TRY(output_rows(w, p, o, w->rows[now] + (ptrdiff_t)error * cri_columns_of(p)));
    }
    value += cri_output_numbers(o);
    error += cri_output_errors(o);
  }
  return CR_OK;
}

// ---- what was seen

static const cr_real ON_STEP = CR_R(1e-6);  // of a step: a measurement this close to one is at it

// place of row i of a track in steps of the window
static cr_real steps_to(const cri_problem* p, const cri_span* span, const cri_track* t, int i) {
  return (t->time[i] - cri_delay_of(p, t) - span->begin) / p->m->timestep;
}

static bool delay_is_unknown(const cri_problem* p, const cri_track* t) {
  return p->places[t->place].delay_at >= 0;
}

// rows that belong to the window, and are seen within it whatever the delay
static int first_row(const cri_problem* p, const cri_span* span, const cri_track* t) {
  cr_real late = delay_is_unknown(p, t) ? p->longest_delay : t->delay;
  int i = 0;
  while (i < t->rows && t->time[i] - late < span->begin - ON_STEP * p->m->timestep) {
    i++;
  }
  return i;
}

static cr_real end_of(const cri_problem* p, const cri_span* span) {
  return span->begin + p->m->timestep * ((cr_real)span->nstep + (span->last ? CR_R(0.5) : 0));
}

static bool has_row(const cri_predictor* w, const cri_problem* p, const cri_span* span, int track,
                    const cri_track* t) {
  int i = w->next_row[track];
  return i < t->rows && t->time[i] < end_of(p, span) - ON_STEP * p->m->timestep;
}

// true if something is seen between the steps before and after k, or at it
static bool is_needed(const cri_predictor* w, const cri_problem* p, const cri_span* span, int track,
                      const cri_track* t, int k) {
  if (!has_row(w, p, span, track, t)) {
    return false;
  }
  cr_real s = steps_to(p, span, t, w->next_row[track]);
  return s < (cr_real)(k + 1) + (delay_is_unknown(p, t) ? ON_STEP : -ON_STEP);
}

// a + f (b - a), or the turn from a to b by that share
static void between(const cri_output* o, const cr_real* a, const cr_real* b, cr_real f,
                    cr_real* to) {
  cr_real sign = 1;
  if (o->turns) {
    sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  }
  for (int i = 0; i < cri_output_numbers(o); i++) {
    to[i] = a[i] + f * (sign * b[i] - a[i]);
  }
  if (o->turns) {
    (void)cr_quat_normalize(to);
  }
}

typedef struct {
  const cri_problem* p;
  const cri_track* t;
  int row, now;
  cr_real share;  // of this step, the rest is of the one before
  bool derive;
  cri_see* see;
  void* context;
} sighting;

static void see_output(cri_predictor* w, const sighting* g, const cri_output* o, int value,
                       int error) {
  const cri_problem* p = g->p;
  const cri_measured* place = &p->places[g->t->place];
  int now = g->now, n = cri_columns_of(p), ne = cri_output_errors(o);
  const cr_real* seen = g->t->values + (ptrdiff_t)g->row * g->t->width + o->in_place;
  if (isnan(seen[0])) {
    return;
  }
  cri_sight s = {.track = g->t, .output = o, .row = g->row};
  cr_real e[2][3] = {{0}, {0}};
  const cr_real part[2] = {g->share, 1 - g->share};
  for (int k = 0; k < 2 && part[k] != 0; k++) {
    cri_output_error(o, w->value[k == 0 ? now : 1 - now] + value, seen, e[k]);
  }
  if (part[1] == 0) {
    cr_copy(s.value, w->value[now] + value, cri_output_numbers(o));
  } else {
    between(o, w->value[1 - now] + value, w->value[now] + value, g->share, s.value);
  }
  for (int i = 0; i < ne; i++) {
    s.error[i] = part[0] * e[0][i] + part[1] * e[1][i] +
                 (place->offset_at >= 0 ? p->x[place->offset_at + o->in_errors + i] : 0);
  }
  if (g->derive) {
    cr_zero(w->row, 3 * n);
    for (int k = 0; k < 2 && part[k] != 0; k++) {
      const cr_real* rows = w->rows[k == 0 ? now : 1 - now] + (ptrdiff_t)error * n;
      cr_real J[9] = {1};
      if (o->turns) {
        cr_so3_jr_inv(J, e[k]);
      }
      for (int i = 0; i < ne; i++) {
        for (int j = 0; j < ne; j++) {
          add(w->row + (ptrdiff_t)i * n, part[k] * J[3 * i + j], rows + (ptrdiff_t)j * n, n);
        }
      }
    }
    for (int i = 0; i < ne; i++) {
      if (place->offset_at >= 0) {
        w->row[(ptrdiff_t)i * n + place->offset_at + o->in_errors + i] += 1;
      }
      if (place->delay_at >= 0) {
        w->row[(ptrdiff_t)i * n + place->delay_at] -= (e[0][i] - e[1][i]) / p->m->timestep;
      }
    }
    s.rows = w->row;
  }
  g->see(g->context, &s);
}

// all rows of a track up to step k
static void see_track(cri_predictor* w, sighting* g, const cri_span* span, int track, int k) {
  while (has_row(w, g->p, span, track, g->t)) {
    int i = w->next_row[track];
    cr_real s = steps_to(g->p, span, g->t, i);
    bool unknown = delay_is_unknown(g->p, g->t);
    if (s > (cr_real)k + ON_STEP && k < span->nstep) {
      return;
    }
    g->row = i;
    g->share = cr_min(s - (cr_real)(k - 1), 1);
    if (!unknown && cr_abs(s - (cr_real)k) <= ON_STEP) {
      g->share = 1;
    }
    if (unknown && k == 0) {
      return;  // seen from step 1, which has a step before it
    }
    int value = g->t->value_at, error = g->t->error_at;
    for (int o = 0; o < g->t->noutput; o++) {
      see_output(w, g, &g->t->outputs[o], value, error);
      value += cri_output_numbers(&g->t->outputs[o]);
      error += cri_output_errors(&g->t->outputs[o]);
    }
    w->next_row[track]++;
  }
}

// ---- a window

static void set_controls(cri_predictor* w, const cri_problem* p, const cri_track_run* run,
                         cr_real time) {
  for (int c = 0; c < run->ninput; c++) {
    const cri_input* u = &run->inputs[c];
    int* i = &w->next_control[c];
    while (*i + 1 < u->rows && u->time[*i + 1] <= time + ON_STEP * p->m->timestep) {
      (*i)++;
    }
    cr_copy(w->d->ctrl + u->first, u->values + (ptrdiff_t)*i * u->count, u->count);
  }
}

// the step from the state in w->d, and everything that is measured there
static cr_status make_step(cri_predictor* w, const cri_problem* p, bool last, bool measures) {
  const cr_model* m = p->m;
  bool stages = cri_tableau_of(m->integrator) != NULL;
  if (last || (stages && measures)) {
    return cr_forward(m, w->d);
  }
  CR_TRY(cri_step(m, w->d));
  return measures ? cri_measure(m, w->d) : CR_OK;
}

static bool computes(const cri_track* t) {
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
        measures || (computes(&run->tracks[t]) && is_needed(w, p, span, t, &run->tracks[t], k));
  }
  if (k < span->nstep || measures) {
    CR_TRY(make_step(w, p, k == span->nstep, measures));
  }
  for (int t = 0; t < run->ntrack; t++) {
    const cri_track* track = &run->tracks[t];
    if (is_needed(w, p, span, t, track, k)) {
      sighting g = {
          .p = p, .t = track, .now = k & 1, .derive = derive, .see = see, .context = context};
      CR_TRY(track_outputs(w, p, track, derive, k & 1));
      see_track(w, &g, span, t, k);
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
    w->next_row[t] = first_row(p, span, &run->tracks[t]);
  }
  for (int c = 0; c < run->ninput; c++) {
    w->next_control[c] = 0;
  }
  cr_status status = CR_OK;
  for (int k = 0; k <= span->nstep && status == CR_OK; k++) {
    set_controls(w, p, run, span->begin + (cr_real)k * p->m->timestep);
    status = see_step(w, p, span, k, derive, see, context);
    if (k == span->nstep || status != CR_OK) {
      break;
    }
    bool stages = cri_tableau_of(p->m->integrator) != NULL;
    if (stages && w->d->measured) {
      status = cri_step(p->m, w->d);
    }
    if (status == CR_OK && derive) {
      status = step_rows(w, p);
      advance_sensitivities(w, p);
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
