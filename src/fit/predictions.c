// SPDX-License-Identifier: Apache-2.0
#include "fit/predictions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/fields.h"

// ---- series: what was seen and what the models predict

typedef struct {
  cr_channel_info channel;
  int width;
  cr_real *predicted, *other;  // other: NULL without another model
} series;

static void free_series(series* s) { free(s->predicted); }

static bool is_control(const cr_predictions* r, int run, int channel, series* s, cr_status* status,
                       cr_error* error) {
  cr_place_info place = {.size = sizeof place};
  *s = (series){.channel = {.size = sizeof s->channel}};
  *status = cr_measurements_get(r->measurements, run, channel, &s->channel, error);
  if (*status == CR_OK) {
    *status = cr_model_place(r->m, s->channel.place, &place, error);
  }
  cr_field_info field = {.size = sizeof field};
  (void)cr_field_get(r->m, place.field, &field, NULL);
  s->width = place.count;
  return *status != CR_OK || strcmp(field.name, "ctrl") == 0;
}

// false for a control
static bool load_series(const cr_predictions* r, int run, int channel, series* s, cr_status* status,
                        cr_error* error) {
  if (is_control(r, run, channel, s, status, error)) {
    return false;
  }
  size_t n = (size_t)s->channel.rows * (size_t)s->width;
  s->predicted = calloc(2 * n + 1, sizeof *s->predicted);
  if (s->predicted == NULL) {
    *status = cri_fail(error, CR_ERR_MEMORY, "report: no memory");
    return false;
  }
  *status = cr_identification_predict(r->identification, run, channel, s->predicted, error);
  if (*status == CR_OK && r->other != NULL) {
    s->other = s->predicted + n;
    *status = cr_identification_predict(r->other, run, channel, s->other, error);
  }
  return *status == CR_OK;
}

void cr_predictions_name(const cr_measurements* ms, int run, char name[CR_FIT_FILE_NAME]) {
  (void)snprintf(name, CR_FIT_FILE_NAME, "predicted_%s.csv", cr_measurements_name(ms, run));
  for (char* c = name; *c != 0; c++) {
    *c = *c == '/' || *c == ' ' ? '_' : *c;
  }
}

static void put_row(cr_page* p, const series* s, int i) {
  cr_page_put(p, "\"%s\",%d,%.9g,%.9g,%.9g", s->channel.place, i % s->width,
              (double)s->channel.time[i / s->width], (double)s->channel.values[i],
              (double)s->predicted[i]);
}

static void put_rows(cr_page* p, const series* s) {
  for (int i = 0; i < s->channel.rows * s->width; i++) {
    put_row(p, s, i);
    cr_page_put(p, "\n");
  }
}

// one curve after the other, so that a plot of one has no gaps
static void put_rows_beside(cr_page* p, const series* s, int first) {
  for (int number = 0; number < s->width; number++) {
    for (int i = number; i < s->channel.rows * s->width; i += s->width) {
      double other = s->other != NULL ? (double)s->other[i] : (double)NAN;
      put_row(p, s, i);
      cr_page_put(p, ",%.9g,%d\n", other, first + number);
    }
  }
}

cr_status cr_predictions_write(const cr_predictions* r, int run, const char* folder,
                               cr_error* error) {
  cr_page p = {0};
  char name[CR_FIT_FILE_NAME];
  cr_status status = CR_OK;
  int curves = 0;
  cr_page_put(&p, "place,number,time,seen,predicted");
  if (r->other_name != NULL) {
    cr_page_put(&p, ",%s,curve", r->other_name);
  }
  cr_page_put(&p, "\n");
  for (int c = 0; c < cr_measurements_channels(r->measurements, run) && status == CR_OK; c++) {
    series s;
    if (load_series(r, run, c, &s, &status, error)) {
      if (r->other_name != NULL) {
        put_rows_beside(&p, &s, curves);
      } else {
        put_rows(&p, &s);
      }
      curves += s.width;
    }
    free_series(&s);
  }
  if (status != CR_OK) {
    cr_page_free(&p);
    return status;
  }
  cr_predictions_name(r->measurements, run, name);
  return cr_page_save(&p, folder, name, error);
}

bool cr_predictions_curve(const cr_predictions* r, int run, int i, char name[CR_FIT_FILE_NAME]) {
  for (int c = 0; c < cr_measurements_channels(r->measurements, run); c++) {
    series s;
    cr_status status;
    if (is_control(r, run, c, &s, &status, NULL)) {
      continue;
    }
    if (i < s.width) {
      (void)snprintf(name, CR_FIT_FILE_NAME, s.width > 1 ? "%.140s[%d]" : "%.140s", s.channel.place,
                     i);
      return true;
    }
    i -= s.width;
  }
  return false;
}

// ---- plots, as SVG in the page

enum { WIDE = 800, HIGH = 150, STRIP = 40, LEFT = 75, MOST_POINTS = 1200, MOST_PLOTS = 24 };

// with gaps where there is no value, or one beyond the scale, as of another model that goes astray
static void put_curve(cr_page* p, const series* s, int number, const cr_real* values,
                      const char* kind, double low, double high) {
  int rows = s->channel.rows, every = rows / MOST_POINTS + 1;
  double begin = s->channel.time[0], length = s->channel.time[rows - 1] - begin;
  bool open = false;
  cr_page_put(p, "<path class='%s' d='", kind);
  for (int i = 0; i < rows; i += every) {
    double v = values[(ptrdiff_t)i * s->width + number];
    if (!(v >= low && v <= high)) {
      open = false;
      continue;
    }
    double x = length > 0 ? (s->channel.time[i] - begin) / length * WIDE : 0;
    cr_page_put(p, "%c%.1f %.1f", open ? 'L' : 'M', x, HIGH * (high - v) / (high - low));
    open = true;
  }
  cr_page_put(p, "'/>");
}

// predicted less seen, on a scale of its own below the curves
static void put_errors(cr_page* p, const series* s, int number) {
  int rows = s->channel.rows, every = rows / MOST_POINTS + 1;
  double begin = s->channel.time[0], length = s->channel.time[rows - 1] - begin, most = 0;
  double middle = HIGH + 25 + STRIP / 2.0;
  for (int i = 0; i < rows; i++) {
    ptrdiff_t at = (ptrdiff_t)i * s->width + number;
    most = fmax(most, fabs(s->predicted[at] - s->channel.values[at]));
  }
  cr_page_put(p, "<text x='-6' y='%.1f'>error %.2g</text><path class='axis' d='M0 %.1f H%d'/>",
              middle + 4, most, middle, WIDE);
  cr_page_put(p, "<path class='error' d='");
  for (int i = 0; i < rows && most > 0; i += every) {
    ptrdiff_t at = (ptrdiff_t)i * s->width + number;
    double e = s->predicted[at] - s->channel.values[at];
    if (!isnan(e)) {
      cr_page_put(p, "M%.1f %.1fV%.1f",
                  length > 0 ? (s->channel.time[i] - begin) / length * WIDE : 0, middle,
                  middle - e / most * STRIP / 2);
    }
  }
  cr_page_put(p, "'/>");
}

static void put_axes(cr_page* p, const series* s, double low, double high) {
  cr_page_put(p, "<text x='-6' y='9'>%.4g</text><text x='-6' y='%d'>%.4g</text>", high, HIGH, low);
  if (low < 0 && high > 0) {
    double zero = HIGH * high / (high - low);
    cr_page_put(p, "<path class='axis' d='M0 %.1f H%d'/>", zero, WIDE);
    if (zero > 20 && zero < HIGH - 15) {
      cr_page_put(p, "<text x='-6' y='%.1f'>0</text>", zero + 4);
    }
  }
  cr_page_put(p, "<text class='begin' x='0' y='%d'>%.4g s</text><text x='%d' y='%d'>%.4g s</text>",
              HIGH + 15, s->channel.time[0], WIDE, HIGH + 15, s->channel.time[s->channel.rows - 1]);
}

bool cr_predictions_held(const cr_predictions* r, int run) {
  int n = cr_identification_windows(r->identification, CR_RUNS_TRAIN), of;
  int all = n + cr_identification_windows(r->identification, CR_RUNS_HELD);
  for (int i = n; i < all; i++) {
    cr_status status =
        cr_identification_get_state(r->identification, i, &of, NULL, NULL, NULL, NULL, NULL);
    if (status == CR_OK && of == run) {
      return true;
    }
  }
  return false;
}

static void put_plot(cr_page* p, const cr_predictions* r, int run, const series* s, int number) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < s->channel.rows; i++) {
    double v = s->channel.values[(ptrdiff_t)i * s->width + number];
    double m = s->predicted[(ptrdiff_t)i * s->width + number];
    low = fmin(low, fmin(v, m));
    high = fmax(high, fmax(v, m));
  }
  if (!(high > low)) {
    high = low + 1;
  }
  cr_page_put(p, "<figure><figcaption>");
  cr_page_escaped(p, cr_measurements_name(r->measurements, run));
  cr_page_put(p, ": ");
  cr_page_escaped(p, s->channel.place);
  if (s->width > 1) {
    cr_page_put(p, "[%d]", number);
  }
  cr_page_put(p, "%s</figcaption><svg viewBox='%d -4 %d %d'>",
              cr_predictions_held(r, run) ? " (held aside)" : "", -LEFT, LEFT + WIDE + 10,
              HIGH + STRIP + 32);
  put_axes(p, s, low, high);
  put_errors(p, s, number);
  put_curve(p, s, number, s->channel.values, "seen", low, high);
  if (s->other != NULL) {
    put_curve(p, s, number, s->other, "other", low, high);
  }
  put_curve(p, s, number, s->predicted, "model", low, high);
  cr_page_put(p, "</svg></figure>\n");
}

typedef struct {
  int n, left;
} plotted;

static cr_status put_run(cr_page* p, const cr_predictions* r, int run, plotted* done,
                         cr_error* error) {
  cr_status status = CR_OK;
  for (int c = 0; c < cr_measurements_channels(r->measurements, run) && status == CR_OK; c++) {
    series s;
    if (load_series(r, run, c, &s, &status, error)) {
      for (int k = 0; k < s.width; k++) {
        bool room = done->n < MOST_PLOTS;
        if (room) {
          put_plot(p, r, run, &s, k);
        }
        done->n += room;
        done->left += !room;
      }
    }
    free_series(&s);
  }
  return status;
}

cr_status cr_predictions_plot(const cr_predictions* r, cr_page* p, cr_error* error) {
  plotted done = {0};
  int n = cr_measurements_count(r->measurements);
  bool sorted = r->other_name != NULL;
  for (int pass = sorted ? 0 : 1; pass < 2; pass++) {  // held aside first
    for (int run = 0; run < n; run++) {
      bool now = !sorted || cr_predictions_held(r, run) == (pass == 0);
      CR_TRY(now ? put_run(p, r, run, &done, error) : CR_OK);
    }
  }
  if (done.left > 0) {
    cr_page_put(p, "<p>%d more are in the files predicted_*.csv.</p>\n", done.left);
  }
  return CR_OK;
}
