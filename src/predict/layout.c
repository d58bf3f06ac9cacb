// SPDX-License-Identifier: Apache-2.0
// From channels to tracks, from runs to windows.
#include "predict/layout.h"

#include <stdio.h>
#include <stdlib.h>

#include "kinematics/configuration.h"
#include "kinematics/joint.h"
#include "learn/windows.h"
#include "model/names.h"
#include "model/schedule.h"
#include "model/state_vector.h"

enum { MOST_OUTPUTS = 64, STREAM_HELD = 200 };

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
}

// ---- places

static int find_place(const cri_problem* p, const char* name) {
  for (int i = 0; i < p->nplace; i++) {
    if (strcmp(p->places[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static bool is_control(const cr_model* m, const char* name, cr_place* place) {
  return cri_place_find(place, m, name, NULL) == CR_OK && place->field == CR_FIELD_ctrl;
}

// the place of a channel, made where it is new; its outputs go behind those that are there
static cr_status take_place(cri_problem* p, const cr_channel_info* c, int* noutput, int* place,
                            cri_track* track, cr_error* error) {
  int n = 0, room = MOST_OUTPUTS;
  CR_TRY(cri_outputs_of(p->m, c->place, p->outputs + *noutput, room, &n, error));
  *place = find_place(p, c->place);
  if (*place < 0) {
    *place = p->nplace++;
    p->places[*place] =
        (cri_measured){.name = c->place, .noise_given = true, .delay_at = -1, .offset_at = -1};
    for (int i = 0; i < n; i++) {
      p->places[*place].nerror += cri_output_errors(&p->outputs[*noutput + i]);
    }
  }
  cri_measured* at = &p->places[*place];
  at->noise_given = at->noise_given && c->noise > 0;
  at->noise = c->noise > at->noise ? c->noise : at->noise;
  track->outputs = p->outputs + *noutput;
  track->noutput = n;
  *noutput += n;
  return CR_OK;
}

// ---- runs

static cr_status take_control(cri_track_run* run, const cr_channel_info* c, const cr_place* place) {
  run->inputs[run->ninput++] = (cri_input){.first = place->first,
                                           .count = place->count,
                                           .rows = c->rows,
                                           .time = c->time,
                                           .values = c->values};
  return CR_OK;
}

static int width_of(const cri_track* t) {
  int n = 0;
  for (int i = 0; i < t->noutput; i++) {
    n += cri_output_numbers(&t->outputs[i]);
  }
  return n;
}

static cr_status take_track(cri_problem* p, cri_track_run* run, const cr_channel_info* c,
                            int channel, int* noutput, cr_error* error) {
  cri_track* t = &run->tracks[run->ntrack++];
  *t = (cri_track){.channel = channel,
                   .rows = c->rows,
                   .time = c->time,
                   .values = c->values,
                   .delay = c->delay,
                   .value_at = run->nvalue,
                   .error_at = run->nerror};
  CR_TRY(take_place(p, c, noutput, &t->place, t, error));
  t->width = width_of(t);
  run->nvalue += t->width;
  run->nerror += p->places[t->place].nerror;
  run->begin = run->ntrack == 1 ? t->time[0] : cr_min(run->begin, t->time[0]);
  run->end = run->ntrack == 1 ? t->time[t->rows - 1] : cr_max(run->end, t->time[t->rows - 1]);
  return CR_OK;
}

// every control of the model is there, and from the first measurement on
static cr_status check_controls(const cri_problem* p, const cri_track_run* run, cr_error* error) {
  const cr_model* m = p->m;
  for (int u = 0; u < m->nu; u++) {
    const cri_input* of = NULL;
    char name[CR_CONTROL_NAME];
    for (int c = 0; c < run->ninput; c++) {
      const cri_input* at = &run->inputs[c];
      of = u >= at->first && u < at->first + at->count ? at : of;
    }
    (void)cr_control_name(m, u, name, (int)sizeof name, NULL);
    if (of == NULL) {
      return cri_fail(error, CR_ERR_FORMAT, "run %s: control '%s' is missing", run->name, name);
    }
    if (of->time[0] > run->begin + CR_R(1.5) * m->timestep) {
      return cri_fail(error, CR_ERR_FORMAT,
                      "run %s: control '%s' begins at %.9g s, measurements at %.9g s", run->name,
                      name, (double)of->time[0], (double)run->begin);
    }
  }
  return CR_OK;
}

static cr_status take_run(cri_problem* p, const cr_measurements* ms, int i, int* noutput,
                          cr_error* error) {
  cri_track_run* run = &p->runs[i];
  int n = cr_measurements_channels(ms, i);
  run->name = cr_measurements_name(ms, i);
  run->group = cr_measurements_group(ms, i);
  run->tracks = calloc((size_t)n + 1, sizeof *run->tracks);
  run->inputs = calloc((size_t)n + 1, sizeof *run->inputs);
  if (run->tracks == NULL || run->inputs == NULL) {
    return no_memory(error);
  }
  for (int k = 0; k < n; k++) {
    cr_channel_info c = {.size = sizeof c};
    cr_place place;
    CR_TRY(cr_measurements_get(ms, i, k, &c, error));
    CR_TRY(is_control(p->m, c.place, &place) ? take_control(run, &c, &place)
                                             : take_track(p, run, &c, k, noutput, error));
  }
  if (run->ntrack == 0) {
    return cri_fail(error, CR_ERR_FORMAT, "run %s: nothing is measured in it", run->name);
  }
  if (!(run->end > run->begin)) {
    return cri_fail(error, CR_ERR_FORMAT, "run %s: all measurements are at one time", run->name);
  }
  return check_controls(p, run, error);
}

// ---- which runs are held aside

static cr_status no_such_run(const cri_problem* p, const char* words, cr_error* error) {
  char known[400] = "";
  size_t used = 0;
  for (int i = 0; i < p->nrun && used < sizeof known - 80; i++) {
    int n = snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", p->runs[i].name);
    used += n > 0 ? (size_t)n : 0;
  }
  return cri_fail(error, CR_ERR_NAME, "runs held aside: no run '%s'; there is: %s", words, known);
}

// those that are named, with their copies
static cr_status choose_named(const cri_problem* p, const cr_identification_options* o, bool* held,
                              cr_error* error) {
  int aside = 0;
  for (int k = 0; k < o->nheld; k++) {
    bool found = false;
    for (int i = 0; i < p->nrun; i++) {
      bool fits = cri_name_fits(o->held[k], strlen(o->held[k]), p->runs[i].name);
      found = found || fits;
      for (int j = 0; j < p->nrun && fits; j++) {
        held[j] = held[j] || p->runs[j].group == p->runs[i].group;
      }
    }
    CR_TRY(found ? CR_OK : no_such_run(p, o->held[k], error));
  }
  for (int i = 0; i < p->nrun; i++) {
    aside += held[i];
  }
  return aside < p->nrun ? CR_OK
                         : cri_fail(error, CR_ERR_ARG,
                                    "all %d runs are held aside: none is left to fit", p->nrun);
}

static cr_status choose_held(const cri_problem* p, const cr_identification_options* o, bool* held,
                             cr_error* error) {
  if (o->nheld > 0) {
    return choose_named(p, o, held, error);
  }
  int* group = calloc((size_t)p->nrun + 1, sizeof *group);
  int n = 0, aside = 0;
  if (group == NULL) {
    return no_memory(error);
  }
  for (int i = 0; i < p->nrun; i++) {
    group[i] = p->runs[i].group;
  }
  cr_status status = cri_hold_aside(group, p->nrun, o->held_out, (uint64_t)o->seed, STREAM_HELD,
                                    held, &n, &aside, error);
  free(group);
  CR_TRY(status);
  return n > aside ? CR_OK
                   : cri_fail(error, CR_ERR_ARG,
                              "%d groups of runs, %d of them held aside: none "
                              "is left to fit",
                              n, aside);
}

// ---- windows

static int steps_of(const cri_problem* p, cr_real seconds) {
  cr_real n = cr_ceil(seconds / p->m->timestep - CR_R(1e-6));
  return n < 1 ? 1 : (int)n;
}

static int windows_of(const cri_problem* p, const cri_track_run* run, cr_real window) {
  if (window <= 0) {
    return 1;
  }
  int all = steps_of(p, run->end - run->begin), each = steps_of(p, window);
  return (all + each - 1) / each;
}

static void place_windows(cri_problem* p, int r, cr_real window) {
  const cri_track_run* run = &p->runs[r];
  int all = steps_of(p, run->end - run->begin), n = windows_of(p, run, window);
  int each = window > 0 ? steps_of(p, window) : all;
  for (int k = 0; k < n; k++) {
    bool last = k == n - 1;
    p->spans[p->nspan] = (cri_span){.run = r,
                                    .begin = run->begin + (cr_real)(k * each) * p->m->timestep,
                                    .nstep = last ? all - k * each : each,
                                    .next = last || p->continuity == 0 ? -1 : p->nspan + 1,
                                    .last = last};
    p->nspan++;
  }
}

static cr_status cut(cri_problem* p, const cr_identification_options* o, cr_error* error) {
  bool* held = calloc((size_t)p->nrun + 1, sizeof *held);
  size_t total = 0;
  for (int i = 0; i < p->nrun; i++) {
    total += (size_t)windows_of(p, &p->runs[i], o->window);
  }
  p->spans = calloc(total + 1, sizeof *p->spans);
  cr_status status =
      held == NULL || p->spans == NULL ? no_memory(error) : choose_held(p, o, held, error);
  for (int part = 0; part < 2 && status == CR_OK; part++) {
    for (int i = 0; i < p->nrun; i++) {
      if (held[i] == (part == 1)) {
        place_windows(p, i, o->window);
      }
    }
    p->ntrain = part == 0 ? p->nspan : p->ntrain;
  }
  free(held);
  return status;
}

// ---- numbers beside the parameters

static cr_status number_places(cri_problem* p, const cr_identification_options* o,
                               cr_error* error) {
  for (int i = 0; i < o->ndelayed; i++) {
    int at = find_place(p, o->delayed[i]);
    if (at < 0 || p->places[at].delay_at >= 0) {
      return cri_fail(error, CR_ERR_NAME, "delay of %s: %s", o->delayed[i],
                      at < 0 ? "no run measures it" : "it is asked for twice");
    }
    p->places[at].delay_at = p->n++;
  }
  for (int i = 0; i < o->nshifted; i++) {
    int at = find_place(p, o->shifted[i]);
    if (at < 0 || p->places[at].offset_at >= 0) {
      return cri_fail(error, CR_ERR_NAME, "offset of %s: %s", o->shifted[i],
                      at < 0 ? "no run measures it" : "it is asked for twice");
    }
    p->places[at].offset_at = p->n;
    p->n += p->places[at].nerror;
  }
  return CR_OK;
}

cr_status cri_layout(cri_problem* p, cr_parameters* parameters, const cr_measurements* ms,
                     const cr_identification_options* o, cr_error* error) {
  const cr_model* m = cri_parameters_model(parameters);
  size_t channels = 0;
  *p = (cri_problem){.parameters = parameters,
                     .m = m,
                     .nrun = cr_measurements_count(ms),
                     .np = cri_parameters_count(parameters),
                     .nx = cri_state_tangent_size(m),
                     .starts_known = o->start != CR_START_ESTIMATED,
                     .starts_measured = o->start != CR_START_REFERENCE,
                     .continuity = o->continuity,
                     .huber = o->huber,
                     .longest_delay = o->longest_delay > 0 ? o->longest_delay : CR_R(0.1)};
  if (o->adaptive != NULL) {
    p->adaptive = *o->adaptive;
  }
  p->n = p->np;
  for (int i = 0; i < p->nrun; i++) {
    channels += (size_t)cr_measurements_channels(ms, i);
  }
  p->runs = calloc((size_t)p->nrun + 1, sizeof *p->runs);
  p->places = calloc(channels + 1, sizeof *p->places);
  p->outputs = calloc(channels * MOST_OUTPUTS + 1, sizeof *p->outputs);
  if (p->runs == NULL || p->places == NULL || p->outputs == NULL) {
    return no_memory(error);
  }
  int noutput = 0;
  for (int i = 0; i < p->nrun; i++) {
    CR_TRY(take_run(p, ms, i, &noutput, error));
  }
  p->reach = calloc((size_t)noutput * CR_MAX_STAGES + 1, sizeof *p->reach);
  if (p->reach == NULL) {
    return no_memory(error);
  }
  for (int i = 0; i < noutput; i++) {
    if (p->outputs[i].kind != CRI_OUTPUT_STATE) {
      cri_output_reach(&p->outputs[i], m, p->reach + (ptrdiff_t)i * CR_MAX_STAGES);
    }
  }
  CR_TRY(number_places(p, o, error));
  if (p->n > 2 * CR_MAX_PARAMETERS) {
    return cri_fail(error, CR_ERR_ARG,
                    "%d numbers to find, parameters, delays and offsets: %d may be", p->n,
                    2 * (int)CR_MAX_PARAMETERS);
  }
  CR_TRY(cut(p, o, error));
  size_t states = (size_t)p->nspan * (size_t)cri_state_size(m);
  size_t numbers = (size_t)p->n + (size_t)p->nspan * (size_t)p->nx;
  size_t derived = (size_t)cri_parameters_nderived(parameters) * (size_t)p->np;
  p->state = calloc(states + 1, sizeof *p->state);
  p->x = calloc(numbers + 1, sizeof *p->x);
  p->derived = calloc(derived + 1, sizeof *p->derived);
  return p->state != NULL && p->x != NULL && p->derived != NULL ? CR_OK : no_memory(error);
}

void cri_layout_free(cri_problem* p) {
  for (int i = 0; i < p->nrun && p->runs != NULL; i++) {
    free(p->runs[i].tracks);
    free(p->runs[i].inputs);
  }
  free(p->runs);
  free(p->places);
  free(p->outputs);
  free(p->reach);
  free(p->spans);
  free(p->state);
  free(p->x);
  free(p->derived);
  cri_chain_free(p->chain);
}

// ---- where the search for starts begins

// the coordinate that an output shows: of the state, or the pose of a body that moves freely; -1: none
static int coordinate_of(const cr_model* m, const cri_output* o) {
  if (o->kind == CRI_OUTPUT_STATE && o->field == CR_FIELD_qpos) {
    return o->at;
  }
  int width = o->field == CR_FIELD_xpos ? 3 : o->field == CR_FIELD_xquat ? 4 : 0;
  int body = width > 0 ? o->at / width : 0;
  if (body == 0 || m->body_jntnum[body] != 1 || m->jnt_type[m->body_jntadr[body]] != CR_JNT_FREE ||
      m->body_parentid[body] != 0) {
    return -1;
  }
  return m->jnt_qposadr[m->body_jntadr[body]] + (width == 4 ? 3 : o->at % 3);
}

// first dof of the coordinate
static int dof_of(const cr_model* m, int coordinate) {
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space q = cri_joint_space_of(m, j);
    int width = q.nflat + (q.rotates ? 4 : 0);
    if (coordinate >= q.q && coordinate < q.q + width) {
      return q.v + coordinate - q.q;
    }
  }
  return -1;
}

enum { SLOPE_ROWS = 6 };

// rows from the begin of a span on: at most SLOPE_ROWS that were seen
static int rows_from(const cri_track* t, const cri_output* o, cr_real begin, cr_real h, int* row) {
  int n = 0;
  for (int i = 0; i < t->rows && n < SLOPE_ROWS; i++) {
    if (t->time[i] - t->delay >= begin - h / 2 &&
        !isnan(t->values[(ptrdiff_t)i * t->width + o->in_place])) {
      row[n++] = i;
    }
  }
  return n;
}

// least-squares slope of a number, or turn rate, over the first rows
static void slope_of(const cri_track* t, const cri_output* o, const int* row, int n, cr_real* v) {
  int ne = cri_output_errors(o);
  const cr_real* first = t->values + (ptrdiff_t)row[0] * t->width + o->in_place;
  cr_real tt = 0, te[3] = {0};
  for (int i = 1; i < n; i++) {
    cr_real e[3], dt = t->time[row[i]] - t->time[row[0]];
    cri_output_error(o, t->values + (ptrdiff_t)row[i] * t->width + o->in_place, first, e);
    tt += dt * dt;
    for (int k = 0; k < ne; k++) {
      te[k] += dt * e[k];
    }
  }
  for (int k = 0; k < ne; k++) {
    v[k] = tt > 0 ? te[k] / tt : 0;
  }
}

static void start_from_track(const cri_problem* p, const cri_span* span, const cri_track* t,
                             bool rates, cr_real* state) {
  const cr_model* m = p->m;
  int row[SLOPE_ROWS];
  for (int k = 0; k < t->noutput; k++) {
    const cri_output* o = &t->outputs[k];
    int n = rows_from(t, o, span->begin, m->timestep, row), coordinate = coordinate_of(m, o);
    const cr_real* seen = n > 0 ? t->values + (ptrdiff_t)row[0] * t->width + o->in_place : NULL;
    if (n == 0) {
      continue;
    }
    if (!rates && coordinate >= 0) {
      cr_copy(state + coordinate, seen, cri_output_numbers(o));
      slope_of(t, o, row, n, state + m->nq + dof_of(m, coordinate));
    }
    if (rates && o->kind == CRI_OUTPUT_STATE && o->field != CR_FIELD_qpos) {
      int offset = o->field == CR_FIELD_qvel  ? m->nq
                   : o->field == CR_FIELD_act ? m->nq + m->nv
                                              : m->nq + m->nv + m->na;
      state[offset + o->at] = seen[0];
    }
  }
}

void cri_layout_starts(cri_problem* p) {
  const cr_model* m = p->m;
  int size = cri_state_size(m);
  for (int w = 0; w < p->nspan; w++) {
    const cri_span* span = &p->spans[w];
    const cri_track_run* run = &p->runs[span->run];
    cr_real* state = p->state + (ptrdiff_t)w * size;
    cr_zero(state, size);
    cr_copy(state, m->qpos0, m->nq);
    for (int pass = 0; pass < 2 && p->starts_measured; pass++) {
      for (int t = 0; t < run->ntrack; t++) {
        start_from_track(p, span, &run->tracks[t], pass == 1, state);
      }
    }
  }
}

void cri_layout_start(const cri_problem* p, int span, cr_real* state) {
  const cr_model* m = p->m;
  const cr_real* r = p->x + p->n + (ptrdiff_t)span * p->nx;
  int size = cri_state_size(m);
  cr_copy(state, p->state + (ptrdiff_t)span * size, size);
  cri_configuration_move(m, state, r, 1, state);
  for (int i = m->nq; i < size; i++) {
    state[i] += r[m->nv + i - m->nq];
  }
}
