// SPDX-License-Identifier: Apache-2.0
// What looks wrong in measurements. See carom/measure.h.
#include "measure/measurement_doubt.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "math/vec3.h"
#include "model/misuse.h"
#include "model/sensors.h"

enum { ENOUGH = 10 };  // rows

// ---- times

static void doubt_spacing(cri_doubts* list, const cr_model* m, const cri_measured_run* run,
                          const cri_channel* c, const cri_series* s) {
  char about[220], text[80];
  cr_real step = m->timestep;
  (void)snprintf(about, sizeof about, "%.100s:", c->place);
  if (s->spacing > CR_R(0.5) && s->spacing > 20 * step) {
    (void)cri_print(text, sizeof text,
                    "a row every %.4g s, and a step of the model is %.4g s: ", (double)s->spacing,
                    (double)step);
    bool sure = s->spacing >= 1 && s->spacing >= 400 * step;
    cri_doubts_add(list, run, sure, about, text, "time in ms?");
  }
  if (s->spacing > 0 && s->spacing < CR_R(0.5) * step) {
    (void)cri_print(text, sizeof text,
                    "a row every %.4g s, but a step of the model is %.4g s: ", (double)s->spacing,
                    (double)step);
    cri_doubts_add(list, run, false, about, text, "motion within a step is not compared");
  }
}

static void doubt_gaps(cri_doubts* list, const cri_measured_run* run, const cri_channel* c,
                       const cri_series* s) {
  char about[220], text[80];
  int gaps = 0, uneven = 0;
  cr_real widest = 0, at = 0;
  for (int i = 0; i + 1 < s->n; i++) {
    cr_real h = s->time[i + 1] - s->time[i];
    bool gap = h > 3 * s->spacing;
    gaps += gap;
    uneven += !gap && cr_abs(h - s->spacing) > CR_R(0.2) * s->spacing;
    if (gap && h > widest) {
      widest = h;
      at = s->time[i];
    }
  }
  (void)snprintf(about, sizeof about, "%.100s:", c->place);
  if (gaps > 0) {
    (void)cri_print(text, sizeof text, "%d gap%s, the longest of %.4g s at %.6g s, with ", gaps,
                    gaps > 1 ? "s" : "", (double)widest, (double)at);
    cri_doubts_add(list, run, false, about, text, "more than three rows missing");
  }
  if (uneven > s->n / 20 && s->n > 20) {
    (void)cri_print(text, sizeof text, "%d of %d rows are off by more than 20 %%: ", uneven, s->n);
    cri_doubts_add(list, run, false, about, text, "uneven times; are they when rows were written?");
  }
}

static void doubt_number_of_rows(cri_doubts* list, const cri_measured_run* run,
                                 const cri_channel* c) {
  char about[220], text[80];
  if (c->rows < ENOUGH) {
    (void)snprintf(about, sizeof about, "%.100s:", c->place);
    (void)cri_print(text, sizeof text, "%d row%s: ", c->rows, c->rows > 1 ? "s" : "");
    cri_doubts_add(list, run, false, about, text, "is the file cut off?");
  }
}

// ---- values

typedef struct {
  cr_real low, high, quantum, step;  // least and rms change from row to row
} range;

static range range_of(const cri_series* s) {
  range r = {.low = s->value[0], .high = s->value[0]};
  cr_real sum = 0;
  for (int i = 0; i < s->n; i++) {
    r.low = cr_min(r.low, s->value[i]);
    r.high = cr_max(r.high, s->value[i]);
    cr_real d = i > 0 ? cr_abs(s->value[i] - s->value[i - 1]) : 0;
    sum += d * d;
    r.quantum = d > 0 && (!(r.quantum > 0) || d < r.quantum) ? d : r.quantum;
  }
  r.step = cr_sqrt(sum / (cr_real)s->n);
  return r;
}

static bool same(cr_real a, cr_real b) { return !(a < b) && !(a > b); }

// how many rows stand at an extreme which the signal reaches at full speed, as if it were cut off there
static int rows_cut_off(const cri_series* s, const range* r, cr_real extreme, int* times) {
  enum { STANDS = 3 };
  int rows = 0;
  *times = 0;
  for (int i = 0; i < s->n;) {
    int k = i;
    while (k < s->n && same(s->value[k], extreme)) {
      k++;
    }
    bool fast = i >= 2 && cr_abs(s->value[i - 1] - s->value[i - 2]) > CR_R(0.5) * r->step &&
                cr_abs(s->value[i - 1] - s->value[i - 2]) > CR_R(2.5) * r->quantum;
    if (k - i >= STANDS && fast) {
      rows += k - i;
      ++*times;
    }
    i = k > i ? k : i + 1;
  }
  return rows;
}

static void doubt_saturation(cri_doubts* list, const cri_measured_run* run, const cri_channel* c,
                             int k, const cri_series* s) {
  range r = range_of(s);
  char about[220], text[80];
  const cr_real ends[] = {r.low, r.high};
  for (int i = 0; i < 2 && r.high > r.low; i++) {
    int times, rows = rows_cut_off(s, &r, ends[i], &times);
    if (times >= 2) {
      (void)snprintf(about, sizeof about, "%.100s, number %d:", c->place, k);
      (void)cri_print(text, sizeof text, "%d rows are exactly %.6g: ", rows, (double)ends[i]);
      cri_doubts_add(list, run, false, about, text,
                     i == 0 ? "cut off at its least value?" : "cut off at its largest value?");
    }
  }
}

static int by_size(const void* a, const void* b) {
  cr_real x = *(const cr_real*)a, y = *(const cr_real*)b;
  return (x > y) - (x < y);
}

// a few numbers far from all others: ten times as far as the others lie apart
static void doubt_outliers(cri_doubts* list, const cri_measured_run* run, const cri_channel* c,
                           int k, const cri_series* s) {
  int few = s->n / 100 + 1, far = 0;
  if (s->n < 5 * ENOUGH) {
    return;
  }
  cr_real* sorted = malloc((size_t)s->n * sizeof *sorted);
  if (sorted == NULL) {
    list->full = true;
    return;
  }
  cr_copy(sorted, s->value, s->n);
  qsort(sorted, (size_t)s->n, sizeof *sorted, by_size);
  cr_real low = sorted[few], high = sorted[s->n - 1 - few], worst = 0, at = 0;
  free(sorted);
  for (int i = 0; i < s->n; i++) {
    cr_real beyond = cr_max(s->value[i] - high, low - s->value[i]);
    far += beyond > 10 * (high - low);
    if (beyond > worst) {
      worst = beyond;
      at = s->time[i];
    }
  }
  if (far > 0 && high > low) {
    char about[220], text[80];
    (void)snprintf(about, sizeof about, "%.100s, number %d:", c->place, k);
    (void)cri_print(text, sizeof text, "%d of %d rows are far off, by %.3g at %.6g s: ", far, s->n,
                    (double)worst, (double)at);
    cri_doubts_add(list, run, false, about, text, "outliers? --huber takes them linearly");
  }
}

static bool stands_still(const cri_channel* c) {
  for (int i = 1; i < c->rows; i++) {
    for (int k = 0; k < c->width; k++) {
      cr_real first = c->values[k], x = c->values[(size_t)i * (size_t)c->width + (size_t)k];
      if (!same(x, first) && !isnan(x)) {
        return false;
      }
    }
  }
  return true;
}

static void doubt_stillness(cri_doubts* list, const cri_measured_run* run) {
  bool any_moves = false;
  for (int i = 0; i < run->n; i++) {
    any_moves = any_moves || (run->channel[i].control < 0 && !stands_still(&run->channel[i]));
  }
  for (int i = 0; i < run->n; i++) {
    const cri_channel* c = &run->channel[i];
    char about[220];
    if (c->control < 0 && c->rows >= ENOUGH && stands_still(c)) {
      (void)snprintf(about, sizeof about, "%.100s", c->place);
      cri_doubts_add(list, run, false, about, "",
                     any_moves ? "never changes, while others do"
                               : "never changes, not even by noise; is the sensor on?");
    }
  }
}

// ---- limits of the model

static void doubt_control(cri_doubts* list, const cr_model* m, const cri_measured_run* run,
                          const cri_channel* c, int k, const cri_series* s) {
  int u = c->control + k, beyond = 0;
  char about[220], text[80];
  const cr_real* limit = m->actuator_ctrlrange + (ptrdiff_t)2 * u;
  cr_real slack = CR_R(1e-6) * (limit[1] - limit[0]), far = 0;
  if (m->actuator_ctrllimited[u] == 0) {
    return;
  }
  for (int i = 0; i < s->n; i++) {
    if (s->value[i] < limit[0] - slack || s->value[i] > limit[1] + slack) {
      beyond++;
      far = cr_abs(s->value[i]) > cr_abs(far) ? s->value[i] : far;
    }
  }
  if (beyond > 0) {
    (void)snprintf(about, sizeof about, "%.100s, number %d:", c->place, k);
    (void)cri_print(text, sizeof text, "%d rows are beyond %.4g to %.4g, as %.4g: ", beyond,
                    (double)limit[0], (double)limit[1], (double)far);
    cri_doubts_add(list, run, false, about, text, "the model cuts them off at its ctrlrange");
  }
}

// the joint whose position a number is; -1 none
static int joint_of(const cr_model* m, cr_field_id field, int i) {
  int s = field == CR_FIELD_sensordata ? cri_sensor_of_number(m, i) : -1;
  return field == CR_FIELD_qpos                            ? cri_joint_of_coordinate(m, i)
         : s >= 0 && m->sensor_type[s] == CR_SENS_JOINTPOS ? m->sensor_objid[s]
                                                           : -1;
}

static void doubt_position(cri_doubts* list, const cr_model* m, const cri_measured_run* run,
                           const cri_channel* c, int k, const cri_series* s) {
  int j = joint_of(m, c->at.field, c->at.first + k);
  int type = j >= 0 ? m->jnt_type[j] : CR_JNT_BALL;
  if ((type != CR_JNT_HINGE && type != CR_JNT_SLIDE) || m->jnt_limited[j] == 0) {
    return;
  }
  const cr_real* limit = m->jnt_range + (ptrdiff_t)2 * j;
  range r = range_of(s);
  cr_real width = limit[1] - limit[0], unit = type == CR_JNT_HINGE ? CR_PI / 180 : CR_R(0.001);
  cr_real beyond = cr_max(r.high - limit[1], limit[0] - r.low);
  bool fits =
      r.low * unit >= limit[0] - CR_R(0.1) * width && r.high * unit <= limit[1] + CR_R(0.1) * width;
  bool units = fits && beyond > (type == CR_JNT_HINGE ? width : 10 * width);
  char about[220], text[80];
  (void)snprintf(about, sizeof about, "%.100s, number %d:", c->place, k);
  (void)cri_print(text, sizeof text,
                  "from %.4g to %.4g, limits of the joint %.4g to %.4g: ", (double)r.low,
                  (double)r.high, (double)limit[0], (double)limit[1]);
  if (units && (type == CR_JNT_SLIDE || r.high > 2 * CR_PI || r.low < -2 * CR_PI)) {
    cri_doubts_add(list, run, beyond > 10 * width, about, text,
                   type == CR_JNT_HINGE ? "degrees?" : "mm?");
  } else if (beyond > CR_R(0.5) * width) {
    cri_doubts_add(list, run, false, about, text, "another zero, another joint or another unit?");
  }
}

// an accelerometer at rest shows gravity
static void doubt_gravity(cri_doubts* list, const cr_model* m, const cri_measured_run* run,
                          const cri_channel* c) {
  cr_real gravity = cr_sqrt(cr_dot3(m->gravity, m->gravity)), sum = 0;
  int n = 0, s = c->at.field == CR_FIELD_sensordata ? cri_sensor_of_number(m, c->at.first) : -1;
  if (s < 0 || m->sensor_type[s] != CR_SENS_ACCELEROMETER || c->width != 3 || !(gravity > 5)) {
    return;
  }
  for (int i = 0; i < c->rows; i++) {
    const cr_real* a = c->values + (size_t)i * 3;
    cr_real length = cr_sqrt(cr_dot3(a, a));
    sum += isnan(length) ? 0 : length;
    n += !isnan(length);
  }
  cr_real mean = n > 0 ? sum / (cr_real)n : gravity;
  char about[220], text[80];
  if (n > 10 && cr_abs(mean - 1) < CR_R(0.2)) {
    (void)snprintf(about, sizeof about, "%.100s:", c->place);
    (void)cri_print(text, sizeof text, "its mean length is %.3g, gravity is %.3g: ", (double)mean,
                    (double)gravity);
    cri_doubts_add(list, run, false, about, text, "in g?");
  }
}

// ---- all of them

// true if an earlier signal of the run has the same times, which were looked at then
static bool has_known_times(const cri_measured_run* run, const cri_channel* c) {
  for (const cri_channel* b = run->channel; b < c; b++) {
    if (b->control < 0 && b->rows == c->rows &&
        memcmp(b->time, c->time, (size_t)c->rows * sizeof *c->time) == 0) {
      return true;
    }
  }
  return false;
}

static void doubt_channel(cri_doubts* list, const cr_model* m, const cri_measured_run* run,
                          const cri_channel* c) {
  for (int k = 0; k < c->width; k++) {
    cri_series s;
    if (!cri_series_of(&s, c, k)) {
      list->full = true;
      return;
    }
    if (k == 0 && c->control < 0) {
      if (!has_known_times(run, c)) {
        doubt_spacing(list, m, run, c, &s);
        doubt_gaps(list, run, c, &s);
        doubt_number_of_rows(list, run, c);
      }
      doubt_gravity(list, m, run, c);
    }
    if (s.n > 0 && c->control >= 0) {
      doubt_control(list, m, run, c, k, &s);
    } else if (s.n > 0) {
      doubt_saturation(list, run, c, k, &s);
      doubt_outliers(list, run, c, k, &s);
      doubt_position(list, m, run, c, k, &s);
    }
    cri_series_free(&s);
  }
}

static void doubt_all(cri_doubts* list, const cr_measurements* s) {
  for (int i = 0; i < s->n; i++) {
    const cri_measured_run* run = &s->run[i];
    cri_doubt_motion(list, s->m, run);
    cri_doubt_turns(list, s->m, run);
    for (int k = 0; k < run->n; k++) {
      doubt_channel(list, s->m, run, &run->channel[k]);
    }
    doubt_stillness(list, run);
  }
}

static void give(const cri_doubt* d, char* text, int size, bool* sure) {
  char more[48] = "";
  if (d->runs > 1) {
    (void)snprintf(more, sizeof more, " (and %d more run%s)", d->runs - 1, d->runs > 2 ? "s" : "");
  }
  (void)snprintf(text, (size_t)size, "%s%s", d->text, more);
  if (sure != NULL) {
    *sure = d->sure;
  }
}

cr_status cr_measurements_doubt(const cr_measurements* s, int i, char* text, int size, bool* sure,
                                int* n, cr_error* error) {
  const cri_call call = {"cr_measurements_doubt", error};
  CR_TRY(cri_given(&call, s, "the measurements"));
  if (text != NULL && size < 1) {
    return cri_fail(error, CR_ERR_ARG, "cr_measurements_doubt: text of %d characters", size);
  }
  cri_doubts list = {.n = 0};
  doubt_all(&list, s);
  if (n != NULL) {
    *n = list.n;
  }
  cr_status status = CR_OK;
  if (list.full) {
    status = cri_fail(error, CR_ERR_MEMORY, "measurements: no memory to check them");
  } else if (text != NULL && (i < 0 || i >= list.n)) {
    status = cri_fail(error, CR_ERR_ARG, "cr_measurements_doubt: sentence %d of %d", i, list.n);
  } else if (text != NULL) {
    give(&list.doubt[i], text, size, sure);
  }
  free(list.doubt);
  return status;
}
