// SPDX-License-Identifier: Apache-2.0
// Runs and their channels: checked when they are added, so that whoever reads them need not look again.
#include "measure/measurements.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/misuse.h"

static const cr_real unit_length = CR_R(1e-3);  // how far from 1 a quaternion may be

// ---- the list of runs

cr_status cr_measurements_create(cr_measurements** out, const cr_model* m, cr_error* error) {
  const cri_call call = {"cr_measurements_create", error};
  CR_TRY(cri_given(&call, out, "where the measurements go"));
  CR_TRY(cri_given(&call, m, "the model"));
  cr_measurements* made = calloc(1, sizeof *made);
  if (made == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "measurements: no memory");
  }
  cr_status status = cr_model_copy(&made->m, m, error);
  if (status != CR_OK) {
    free(made);
    return status;
  }
  *out = made;
  return CR_OK;
}

static void free_channel(cri_channel* c) {
  free(c->quat);
  free(c->time);
  free(c->values);
}

void cri_measurements_keep(cr_measurements* s, int n) {
  while (s->n > n) {
    cri_measured_run* r = &s->run[--s->n];
    for (int i = 0; i < r->n; i++) {
      free_channel(&r->channel[i]);
    }
    free(r->channel);
  }
}

void cr_measurements_destroy(cr_measurements* s) {
  if (s == NULL) {
    return;
  }
  cri_measurements_keep(s, 0);
  free(s->run);
  cr_model_destroy(s->m);
  free(s);
}

int cri_measurements_new_group(const cr_measurements* s) {
  int group = -1;
  for (int i = 0; i < s->n; i++) {
    group = s->run[i].group > group ? s->run[i].group : group;
  }
  return group < INT_MAX ? group + 1 : group;
}

// room for one more item; NULL if there is no memory
static void* grown(void* list, int n, int* capacity, size_t size) {
  int wanted = n < *capacity ? *capacity : 2 * *capacity + 8;
  void* more = realloc(list, (size_t)wanted * size);
  *capacity = more != NULL ? wanted : *capacity;
  return more;
}

cr_status cr_measurements_begin(cr_measurements* s, const char* name, int group, cr_error* error) {
  const cri_call call = {"cr_measurements_begin", error};
  CR_TRY(cri_given(&call, s, "the measurements"));
  CR_TRY(cri_given(&call, name, "the name"));
  if (name[0] == 0 || strlen(name) >= CRI_RUN_NAME) {
    return cri_fail(error, CR_ERR_ARG, "run '%.70s': a name has 1 to %d characters", name,
                    CRI_RUN_NAME - 1);
  }
  for (int i = 0; i < s->n; i++) {
    if (strcmp(s->run[i].name, name) == 0) {
      return cri_fail(error, CR_ERR_ARG, "there is a run '%s' already", name);
    }
  }
  cri_measured_run* run = grown(s->run, s->n, &s->capacity, sizeof *run);
  if (run == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "measurements: no memory for %d runs", s->n + 1);
  }
  s->run = run;
  run[s->n] = (cri_measured_run){.group = group};
  (void)snprintf(run[s->n].name, sizeof run[s->n].name, "%s", name);
  s->n++;
  return CR_OK;
}

// ---- checks of a channel

enum { WHERE = 360 };

// "drive.csv: line 7, column 'gyro.x'"
static const char* where(const cr_measurements* s, const cr_channel_info* c, const cri_origin* o,
                         int row, char text[WHERE]) {
  if (o == NULL) {
    (void)snprintf(text, WHERE, "run '%s', channel '%.100s', row %d", s->run[s->n - 1].name,
                   c->place, row);
  } else if (o->line != NULL) {
    (void)snprintf(text, WHERE, "%.150s: line %d, column '%.100s'", o->file, o->line[row],
                   o->column);
  } else {
    (void)snprintf(text, WHERE, "%.150s: '%.100s', row %d", o->file, o->column, row);
  }
  return text;
}

static cr_status check_times(const cr_measurements* s, const cr_channel_info* c,
                             const cri_origin* o, cr_error* error) {
  char at[WHERE];
  for (int i = 0; i < c->rows; i++) {
    if (!isfinite(c->time[i])) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: the time is not finite", where(s, c, o, i, at));
    }
    if (i > 0 && !(c->time[i] > c->time[i - 1])) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: time %.9g comes after %.9g; it has to increase",
                      where(s, c, o, i, at), (double)c->time[i], (double)c->time[i - 1]);
    }
  }
  return CR_OK;
}

static cr_status check_values(const cr_measurements* s, const cr_channel_info* c,
                              const cri_channel* made, const cri_origin* o, cr_error* error) {
  char at[WHERE];
  for (int i = 0; i < c->rows; i++) {
    for (int k = 0; k < made->width; k++) {
      cr_real x = c->values[(size_t)i * (size_t)made->width + (size_t)k];
      if (isinf(x) || (isnan(x) && made->control >= 0)) {
        return cri_fail(error, CR_ERR_FORMAT, "%s: %s is not finite", where(s, c, o, i, at),
                        made->control >= 0 ? "a control" : "a number");
      }
    }
  }
  return CR_OK;
}

// scales a quaternion to length 1; one that was not measured has four NaN
static cr_status scale_quaternion(const cr_measurements* s, const cr_channel_info* c,
                                  const cri_origin* o, int row, cr_real* q, cr_error* error) {
  char at[WHERE];
  int missing = isnan(q[0]) + isnan(q[1]) + isnan(q[2]) + isnan(q[3]);
  if (missing == 4) {
    return CR_OK;
  }
  if (missing > 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: only %d numbers of a quaternion were measured",
                    where(s, c, o, row, at), 4 - missing);
  }
  cr_real length = cr_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(cr_abs(length - 1) <= unit_length)) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: the quaternion has length %.6g, not 1",
                    where(s, c, o, row, at), (double)length);
  }
  for (int k = 0; k < 4; k++) {
    q[k] /= length;
  }
  return CR_OK;
}

static cr_status scale_quaternions(const cr_measurements* s, const cr_channel_info* c,
                                   cri_channel* made, const cri_origin* o, cr_error* error) {
  for (int i = 0; i < made->rows && made->nquat > 0; i++) {
    for (int k = 0; k < made->nquat; k++) {
      cr_real* q = made->values + (size_t)i * (size_t)made->width + (size_t)made->quat[k];
      CR_TRY(scale_quaternion(s, c, o, i, q, error));
    }
  }
  return CR_OK;
}

// ---- adding one

static bool overlap(const cr_place* a, const cr_place* b) {
  return a->field == b->field && a->first < b->first + b->count && b->first < a->first + a->count;
}

// where the sentence is about a file, it begins with that
static cr_status refuse(const cri_origin* o, cr_status status, const cr_error* why,
                        cr_error* error) {
  return o != NULL ? cri_fail(error, status, "%.150s: '%.100s': %s", o->file, o->column, why->text)
                   : cri_fail(error, status, "%s", why->text);
}

static cr_status resolve(const cr_measurements* s, const cr_channel_info* c, cri_channel* made,
                         cr_error* error) {
  const cri_measured_run* r = &s->run[s->n - 1];
  if (strlen(c->place) >= CRI_PLACE_TEXT) {
    return cri_fail(error, CR_ERR_NAME, "'%.60s...': a place has at most %d characters", c->place,
                    CRI_PLACE_TEXT - 1);
  }
  CR_TRY(cri_measured_place(&made->at, s->m, c->place, false, error));
  for (int i = 0; i < r->n; i++) {
    if (overlap(&r->channel[i].at, &made->at)) {
      return cri_fail(error, CR_ERR_ARG, "'%s': run '%s' has '%s' already", c->place, r->name,
                      r->channel[i].place);
    }
  }
  bool control = made->at.field == CR_FIELD_ctrl;
  if (c->rows < 1 || !(c->noise >= 0) || !isfinite(c->noise) || !isfinite(c->delay) ||
      (control && c->noise > 0)) {
    return cri_fail(error, CR_ERR_ARG, "'%s': %d rows, noise %g%s, delay %g", c->place, c->rows,
                    (double)c->noise, control ? " of a control" : "", (double)c->delay);
  }
  return CR_OK;
}

static cr_status copy(const cr_channel_info* c, const cr_model* m, cri_channel* made,
                      cr_error* error) {
  size_t rows = (size_t)c->rows, numbers = rows * (size_t)made->at.count;
  made->time = malloc(rows * sizeof *made->time);
  made->values = malloc(numbers * sizeof *made->values);
  made->quat = calloc((size_t)made->at.count / 4 + 1, sizeof *made->quat);
  if (made->time == NULL || made->values == NULL || made->quat == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "'%s': no memory for %d rows", c->place, c->rows);
  }
  (void)snprintf(made->place, sizeof made->place, "%s", c->place);
  made->nquat = cri_place_quaternions(m, &made->at, made->quat);
  memcpy(made->time, c->time, rows * sizeof *made->time);
  memcpy(made->values, c->values, numbers * sizeof *made->values);
  return CR_OK;
}

static cr_status make(const cr_measurements* s, const cr_channel_info* c, const cri_origin* o,
                      cri_channel* made, cr_error* error) {
  CR_TRY(check_times(s, c, o, error));
  CR_TRY(check_values(s, c, made, o, error));
  CR_TRY(copy(c, s->m, made, error));
  return scale_quaternions(s, c, made, o, error);
}

cr_status cri_measurements_add(cr_measurements* s, const cr_channel_info* c, const cri_origin* o,
                               cr_error* error) {
  cr_error why = {.status = CR_OK};
  cri_channel made = {.rows = c->rows, .noise = c->noise, .delay = c->delay};
  cr_status status = resolve(s, c, &made, &why);
  if (status != CR_OK) {
    return refuse(o, status, &why, error);
  }
  made.width = made.at.count;
  made.control = made.at.field == CR_FIELD_ctrl ? made.at.first : -1;
  status = make(s, c, o, &made, error);
  cri_measured_run* r = &s->run[s->n - 1];
  cri_channel* list =
      status == CR_OK ? grown(r->channel, r->n, &r->capacity, sizeof *list) : r->channel;
  if (status == CR_OK && list == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "'%s': no memory", c->place);
  }
  if (status != CR_OK) {
    free_channel(&made);
    return status;
  }
  r->channel = list;
  list[r->n++] = made;
  return CR_OK;
}

cr_status cr_measurements_add(cr_measurements* s, const cr_channel_info* channel, cr_error* error) {
  const cri_call call = {"cr_measurements_add", error};
  CR_TRY(cri_given(&call, s, "the measurements"));
  CR_TRY(cri_given(&call, channel, "the channel"));
  CR_TRY(cri_check_size(&call, channel->size, sizeof *channel, "cr_channel_info"));
  CR_TRY(cri_given(&call, channel->place, "its place"));
  CR_TRY(cri_given(&call, channel->time, "its times"));
  CR_TRY(cri_given(&call, channel->values, "its values"));
  if (s->n == 0) {
    return cri_fail(error, CR_ERR_ARG, "cr_measurements_add: no run; call cr_measurements_begin");
  }
  return cri_measurements_add(s, channel, NULL, error);
}

// ---- reading them

static const cri_measured_run* run_of(const cr_measurements* s, int run) {
  return s != NULL && run >= 0 && run < s->n ? &s->run[run] : NULL;
}

int cr_measurements_count(const cr_measurements* s) { return s != NULL ? s->n : 0; }

int cr_measurements_channels(const cr_measurements* s, int run) {
  const cri_measured_run* r = run_of(s, run);
  return r != NULL ? r->n : 0;
}

const char* cr_measurements_name(const cr_measurements* s, int run) {
  const cri_measured_run* r = run_of(s, run);
  return r != NULL ? r->name : NULL;
}

int cr_measurements_group(const cr_measurements* s, int run) {
  const cri_measured_run* r = run_of(s, run);
  return r != NULL ? r->group : -1;
}

cr_status cr_measurements_get(const cr_measurements* s, int run, int i, cr_channel_info* channel,
                              cr_error* error) {
  const cri_call call = {"cr_measurements_get", error};
  CR_TRY(cri_given(&call, s, "the measurements"));
  CR_TRY(cri_given(&call, channel, "where the channel goes"));
  CR_TRY(cri_check_size(&call, channel->size, sizeof *channel, "cr_channel_info"));
  const cri_measured_run* r = run_of(s, run);
  if (r == NULL || i < 0 || i >= r->n) {
    return cri_fail(error, CR_ERR_ARG, "cr_measurements_get: %s",
                    r == NULL ? "no such run" : "no such channel");
  }
  const cri_channel* c = &r->channel[i];
  *channel = (cr_channel_info){.size = channel->size,
                               .place = c->place,
                               .rows = c->rows,
                               .time = c->time,
                               .values = c->values,
                               .noise = c->noise,
                               .delay = c->delay};
  return CR_OK;
}

// ---- noise and delay

// calls set for every channel whose numbers all belong to a place; of controls only where `controls`
static cr_status set_all(cr_measurements* s, const char* name, cr_real value, bool controls,
                         void (*set)(cri_channel*, cr_real), cr_error* error) {
  cr_place place;
  int found = 0;
  CR_TRY(cri_place_find(&place, s->m, name, error));
  for (int i = 0; i < s->n; i++) {
    for (int k = 0; k < s->run[i].n; k++) {
      cri_channel* c = &s->run[i].channel[k];
      bool inside = c->at.field == place.field && c->at.first >= place.first &&
                    c->at.first + c->at.count <= place.first + place.count;
      if (inside && (controls || c->control < 0)) {
        set(c, value);
        found++;
      }
    }
  }
  return found > 0 ? CR_OK : cri_fail(error, CR_ERR_NAME, "'%s' is measured in no run", name);
}

static void set_noise(cri_channel* c, cr_real noise) { c->noise = noise; }
static void set_delay(cri_channel* c, cr_real delay) { c->delay = delay; }

cr_status cr_measurements_set_noise(cr_measurements* s, const char* place, cr_real noise,
                                    cr_error* error) {
  const cri_call call = {"cr_measurements_set_noise", error};
  CR_TRY(cri_given(&call, s, "the measurements"));
  CR_TRY(cri_given(&call, place, "the place"));
  if (!(noise >= 0) || !isfinite(noise)) {
    return cri_fail(error, CR_ERR_ARG, "'%s': noise %g", place, (double)noise);
  }
  return set_all(s, place, noise, false, set_noise, error);
}

cr_status cr_measurements_set_delay(cr_measurements* s, const char* place, cr_real delay,
                                    cr_error* error) {
  const cri_call call = {"cr_measurements_set_delay", error};
  CR_TRY(cri_given(&call, s, "the measurements"));
  CR_TRY(cri_given(&call, place, "the place"));
  if (!isfinite(delay)) {
    return cri_fail(error, CR_ERR_ARG, "'%s': delay %g", place, (double)delay);
  }
  return set_all(s, place, delay, true, set_delay, error);
}
