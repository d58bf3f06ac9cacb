// SPDX-License-Identifier: Apache-2.0
#include "runs/fit_plans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/real.h"
#include "base/status.h"

enum { MOST_STEPS = 100000000 };
static const cr_real NOTHING = CR_R(1e12);  // standard deviation of what tells nothing

enum { STATE_FIELDS = 3 };
static const char* const state_fields[STATE_FIELDS] = {"qpos", "qvel", "act"};

// one word of --observe
typedef struct {
  const char* words;
  char place[160];
  double noise, rate;  // rate 0: that of the plan
  int n;               // numbers
} observed;

// one plan, simulated
typedef struct {
  const cr_fit_plans* of;
  int run;
  const char* name;
  const cr_real* time;  // of the channel with most rows
  int rows;
  cr_real begin, end, step;
  int nstep;
  cr_rollout* rollout;
} plan;

// ---- what is observed

static cr_status read_observed(const cr_fit_plans* p, int i, observed* o, cr_error* error) {
  const char *words = p->observe->text[i], *equals = strrchr(words, '=');
  char* end = NULL;
  *o = (observed){.words = words, .noise = equals != NULL ? cri_number(equals + 1, &end) : 0};
  bool good = equals != NULL && end != equals + 1 && (size_t)(equals - words) < sizeof o->place;
  if (good && *end == '@') {
    const char* from = end + 1;
    o->rate = cri_number(from, &end);
    good = end != from && o->rate > 0 && isfinite(o->rate);
  }
  if (!good || *end != 0 || !(o->noise > 0) || !isfinite(o->noise)) {
    return cri_fail(error, CR_ERR_ARG,
                    "--observe %s: PLACE=SD or PLACE=SD@HZ expected, SD and HZ above 0", words);
  }
  (void)snprintf(o->place, sizeof o->place, "%.*s", (int)(equals - words), words);
  cr_place_info place = {.size = sizeof place};
  cr_error inner = {0};
  cr_status status = cr_model_place(p->m, o->place, &place, &inner);
  o->n = place.count;
  return status == CR_OK ? CR_OK : cri_fail(error, status, "--observe %s: %s", words, inner.text);
}

// ---- one plan

static bool is_of(const cr_model* m, const char* name, const char* field, cr_place_info* place) {
  cr_field_info info = {.size = sizeof info};
  *place = (cr_place_info){.size = sizeof *place};
  return cr_model_place(m, name, place, NULL) == CR_OK &&
         cr_field_get(m, place->field, &info, NULL) == CR_OK && strcmp(info.name, field) == 0;
}

static cr_status survey(plan* p, cr_error* error) {
  const cr_fit_plans* of = p->of;
  p->name = cr_measurements_name(of->plans, p->run);
  p->step = cr_model_timestep(of->m);
  for (int i = 0; i < cr_measurements_channels(of->plans, p->run); i++) {
    cr_channel_info c = {.size = sizeof c};
    CR_TRY(cr_measurements_get(of->plans, p->run, i, &c, error));
    p->begin = i == 0 ? c.time[0] : cr_min(p->begin, c.time[0]);
    p->end = i == 0 ? c.time[c.rows - 1] : cr_max(p->end, c.time[c.rows - 1]);
    p->time = c.rows > p->rows ? c.time : p->time;
    p->rows = c.rows > p->rows ? c.rows : p->rows;
  }
  cr_real steps = cr_max((p->end - p->begin) / p->step, 1);
  if (p->rows == 0 || !(steps < MOST_STEPS)) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: %s", p->name,
                    p->rows == 0 ? "nothing is planned in it" : "more than 1e8 steps");
  }
  p->nstep = (int)ceil((double)steps - 1e-6);
  return CR_OK;
}

// a control holds from its time on; one that changes within a step acts from the next step on
static void fill_control(const plan* p, const cr_channel_info* c, const cr_place_info* place,
                         int nu) {
  cr_real* ctrl = cr_rollout_ctrl(p->rollout);
  int row = 0;
  for (int k = 0; k < p->nstep; k++) {
    cr_real t = p->begin + ((cr_real)k + CR_R(1e-6)) * p->step;
    while (row + 1 < c->rows && c->time[row + 1] <= t) {
      row++;
    }
    for (int i = 0; i < place->count; i++) {
      ctrl[(ptrdiff_t)k * nu + place->first + i] = c->values[(ptrdiff_t)row * place->count + i];
    }
  }
}

static cr_status fill_controls(const plan* p, cr_error* error) {
  const cr_fit_plans* of = p->of;
  int nu = cr_model_count(of->m, "nu");
  bool* known = calloc((size_t)nu + 1, sizeof *known);
  cr_status status = known != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  for (int i = 0; i < cr_measurements_channels(of->plans, p->run) && status == CR_OK; i++) {
    cr_channel_info c = {.size = sizeof c};
    cr_place_info place;
    status = cr_measurements_get(of->plans, p->run, i, &c, error);
    if (status == CR_OK && is_of(of->m, c.place, "ctrl", &place)) {
      fill_control(p, &c, &place, nu);
      for (int u = 0; u < place.count; u++) {
        known[place.first + u] = true;
      }
    }
  }
  for (int u = 0; u < nu && status == CR_OK; u++) {
    char name[160] = "";
    if (!known[u]) {
      (void)cr_control_name(of->m, u, name, (int)sizeof name, NULL);
      status = cri_fail(error, CR_ERR_FORMAT, "plan %s: control '%s' is missing", p->name, name);
    }
  }
  free(known);
  return status;
}

// the place of the state that a sensor of a joint shows
static bool shown_by_sensor(const cr_model* m, const cr_place_info* of, char* place, size_t size) {
  enum { JOINTPOS = 9, JOINTVEL = 10, BALLQUAT = 18, BALLANGVEL = 19 };  // mjtSensor
  const int32_t* type = cr_model_integers(m, "sensor_type", NULL, NULL);
  const int32_t* object = cr_model_integers(m, "sensor_objid", NULL, NULL);
  const int32_t* first = cr_model_integers(m, "sensor_adr", NULL, NULL);
  const int32_t* width = cr_model_integers(m, "sensor_dim", NULL, NULL);
  for (int s = 0; s < cr_model_count(m, "nsensor"); s++) {
    bool position = type[s] == JOINTPOS || type[s] == BALLQUAT;
    bool velocity = type[s] == JOINTVEL || type[s] == BALLANGVEL;
    const char* joint = position || velocity ? cr_model_name(m, "joint", object[s]) : NULL;
    if (joint != NULL && first[s] == of->first && width[s] == of->count) {
      (void)snprintf(place, size, "%s[%s]", position ? "qpos" : "qvel", joint);
      return true;
    }
  }
  return false;
}

// what the plan measured first
static cr_status fill_start(const plan* p, cr_error* error) {
  const cr_fit_plans* of = p->of;
  cr_data* d = cr_rollout_data(p->rollout);
  for (int i = 0; i < cr_measurements_channels(of->plans, p->run) && !of->reference; i++) {
    cr_channel_info c = {.size = sizeof c};
    cr_place_info place;
    char name[160];
    CR_TRY(cr_measurements_get(of->plans, p->run, i, &c, error));
    (void)snprintf(name, sizeof name, "%s", c.place);
    bool state = false;
    for (int k = 0; k < STATE_FIELDS && !state; k++) {
      state = is_of(of->m, c.place, state_fields[k], &place);
    }
    state = state || (is_of(of->m, c.place, "sensordata", &place) &&
                      shown_by_sensor(of->m, &place, name, sizeof name));
    for (int k = 0; k < place.count && state; k++) {
      state = isfinite(c.values[k]);
    }
    if (state) {
      CR_TRY(cr_data_set(of->m, d, name, c.values, place.count, error));
    }
  }
  return CR_OK;
}

static cr_status control(void* context, const cr_model* m, const cr_data* d, int step,
                         cr_real* ctrl) {
  const cr_fit_plans* of = context;
  (void)m;
  (void)d;
  (void)step;
  (void)ctrl;
  return of->stop != NULL && of->stop(NULL) ? CR_ERR_INTERRUPTED : CR_OK;
}

static cr_status simulate(plan* p, cr_error* error) {
  cr_error inner = {0};
  union {
    const cr_fit_plans* given;
    void* context;
  } of = {p->of};
  CR_TRY(survey(p, error));
  CR_TRY(cr_rollout_create(&p->rollout, p->of->m, p->nstep, NULL, 0, error));
  CR_TRY(fill_controls(p, error));
  CR_TRY(fill_start(p, error));
  cr_rollout_set_control(p->rollout, control, of.context);
  cr_status status = cr_rollout_run(p->rollout, p->of->m, p->nstep, NULL, &inner);
  if (status == CR_ERR_INTERRUPTED) {
    return cri_fail(error, status, "interrupted");
  }
  return status == CR_OK
             ? CR_OK
             : cri_fail(error, status, "plan %s cannot be simulated: %s", p->name, inner.text);
}

// ---- its channels

// rows of a place at these times, as the model has it at the nearest step
static cr_status see(const plan* p, const char* place, int n, const cr_real* time, int rows,
                     cr_real* values, cr_error* error) {
  for (int i = 0, last = -1; i < rows; i++) {
    int k = (int)floor((double)((time[i] - p->begin) / p->step) + 0.5);
    k = k < 0 ? 0 : k > p->nstep ? p->nstep : k;
    if (k != last) {
      CR_TRY(cr_rollout_forward(p->rollout, p->of->m, k, error));
    }
    last = k;
    CR_TRY(cr_data_get(p->of->m, cr_rollout_data(p->rollout), place, values + (ptrdiff_t)i * n, n,
                       error));
  }
  return CR_OK;
}

// rate 0: the times of the plan
static cr_status add_place(const plan* p, cr_measurements* to, const char* place, int n,
                           cr_real noise, double rate, int most, cr_error* error) {
  double count = rate > 0 ? floor((double)(p->end - p->begin) * rate + 1e-6) + 1 : p->rows;
  if (!(count < MOST_STEPS)) {
    return cri_fail(error, CR_ERR_ARG, "more than 1e8 rows");
  }
  int rows = (int)count < most ? (int)count : most;
  cr_real* room = calloc((size_t)rows * ((size_t)n + 1) + 1, sizeof *room);
  if (room == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  }
  cr_real *time = room, *values = room + rows;
  for (int i = 0; i < rows; i++) {
    time[i] = rate > 0 ? p->begin + (cr_real)(i / rate) : p->time[i];
  }
  cr_status status = see(p, place, n, time, rows, values, error);
  if (status == CR_OK) {
    const cr_channel_info c = {.size = sizeof c,
                               .place = place,
                               .rows = rows,
                               .time = time,
                               .values = values,
                               .noise = noise};
    status = cr_measurements_add(to, &c, error);
  }
  free(room);
  return status;
}

// the state, where no observed place shows these numbers anyway
static cr_status add_state(const plan* p, cr_measurements* to, const char* field, cr_error* error) {
  const cr_model* m = p->of->m;
  double rate = 1 / (double)p->step;
  int most = p->of->pieces ? MOST_STEPS : 1;
  cr_place_info place = {.size = sizeof place};
  cr_status status = cr_model_place(m, field, &place, error);
  if (status != CR_OK || place.count == 0) {
    return status;
  }
  status = add_place(p, to, field, place.count, NOTHING, rate, most, error);
  for (int j = 0; j < cr_model_count(m, "njnt") && status == CR_ERR_ARG; j++) {
    const char* joint = cr_model_name(m, "joint", j);
    char name[160];
    (void)snprintf(name, sizeof name, "%s[%s]", field, joint != NULL ? joint : "");
    if (joint != NULL && cr_model_place(m, name, &place, NULL) == CR_OK) {
      cr_status one = add_place(p, to, name, place.count, NOTHING, rate, most, error);
      CR_TRY(one == CR_ERR_ARG ? CR_OK : one);
    }
  }
  return status == CR_ERR_ARG ? CR_OK : status;
}

static cr_status add_run(plan* p, const observed* all, cr_measurements* to, cr_error* error) {
  const cr_fit_plans* of = p->of;
  int group = cr_measurements_group(of->plans, p->run);
  CR_TRY(simulate(p, error));
  CR_TRY(cr_measurements_begin(to, p->name, group, error));
  for (int i = 0; i < cr_measurements_channels(of->plans, p->run); i++) {
    cr_channel_info c = {.size = sizeof c};
    cr_place_info place;
    CR_TRY(cr_measurements_get(of->plans, p->run, i, &c, error));
    if (is_of(of->m, c.place, "ctrl", &place)) {
      CR_TRY(cr_measurements_add(to, &c, error));
    }
  }
  for (int i = 0; i < of->observe->n; i++) {
    const observed* o = &all[i];
    cr_error inner = {0};
    cr_status status =
        add_place(p, to, o->place, o->n, (cr_real)o->noise, o->rate, MOST_STEPS, &inner);
    if (status != CR_OK) {
      return cri_fail(error, status, "--observe %s: %s", o->words, inner.text);
    }
  }
  for (int i = 0; i < STATE_FIELDS; i++) {
    CR_TRY(add_state(p, to, state_fields[i], error));
  }
  return CR_OK;
}

cr_status cr_fit_plans_simulate(const cr_fit_plans* plans, cr_measurements** measurements,
                                cr_error* error) {
  observed* all = calloc((size_t)plans->observe->n + 1, sizeof *all);
  cr_measurements* to = NULL;
  cr_status status = all != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  for (int i = 0; i < plans->observe->n && status == CR_OK; i++) {
    status = read_observed(plans, i, &all[i], error);
  }
  status = status == CR_OK ? cr_measurements_create(&to, plans->m, error) : status;
  for (int r = 0; r < cr_measurements_count(plans->plans) && status == CR_OK; r++) {
    plan p = {.of = plans, .run = r};
    status = add_run(&p, all, to, error);
    cr_rollout_destroy(p.rollout);
  }
  free(all);
  if (status != CR_OK) {
    cr_measurements_destroy(to);
    return status;
  }
  *measurements = to;
  return CR_OK;
}

cr_status cr_fit_plans_check(const cr_model* m, const cr_measurements* ms, cr_error* error) {
  for (int r = 0; r < cr_measurements_count(ms); r++) {
    const char* run = cr_measurements_name(ms, r);
    int seen = 0;
    for (int i = 0; i < cr_measurements_channels(ms, r); i++) {
      cr_channel_info c = {.size = sizeof c};
      cr_place_info place;
      CR_TRY(cr_measurements_get(ms, r, i, &c, error));
      bool control = is_of(m, c.place, "ctrl", &place);
      seen += !control;
      if (!control && !(c.noise > 0)) {
        return cri_fail(error, CR_ERR_ARG,
                        "%s: the standard deviation of %s is not known; --noise '%s=SD' gives it, "
                        "or --observe what would be measured",
                        run, c.place, c.place);
      }
    }
    if (seen == 0) {
      return cri_fail(error, CR_ERR_ARG,
                      "%s: nothing is measured in it; --observe PLACE=SD says what would be", run);
    }
  }
  return CR_OK;
}
