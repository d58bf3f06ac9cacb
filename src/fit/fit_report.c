// SPDX-License-Identifier: Apache-2.0
#include "fit/fit_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "carom/fields.h"
#include "tools/files.h"

// ---- growing text

typedef struct {
  char* text;
  size_t n, room;
  bool failed;
} page;

static void put(page* p, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void put(page* p, const char* format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int n = vsnprintf(NULL, 0, format, list);
  va_end(list);
  size_t need = p->n + (size_t)(n > 0 ? n : 0) + 1;
  if (need > p->room && !p->failed) {
    char* larger = realloc(p->text, 2 * need);
    p->failed = larger == NULL;
    p->text = p->failed ? p->text : larger;
    p->room = p->failed ? p->room : 2 * need;
  }
  if (!p->failed && n > 0) {
    (void)vsnprintf(p->text + p->n, p->room - p->n, format, again);
    p->n += (size_t)n;
  }
  va_end(again);
}

// text of HTML, without its own marks
static void put_escaped(page* p, const char* text) {
  for (const char* c = text; *c != 0; c++) {
    if (*c == '<' || *c == '>' || *c == '&' || *c == '"') {
      put(p, "&#%d;", *c);
    } else {
      put(p, "%c", *c);
    }
  }
}

static cr_status save(page* p, const char* folder, const char* name, cr_error* error) {
  char path[CR_MAX_PATH];
  cr_status status = cri_path_join(path, folder, name, error);
  if (status == CR_OK) {
    status = p->failed ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path)
                       : cri_file_write(path, p->text != NULL ? p->text : "", p->n, error);
  }
  free(p->text);
  *p = (page){0};
  return status;
}

// ---- tables

static cr_status write_estimates(const cr_fit_report* r, cr_error* error) {
  page p = {0};
  put(&p, "name,value,lower,upper,start,told,at_bound,profiled\n");
  for (int i = 0; i < r->nline; i++) {
    const cr_estimate* e = &r->lines[i].found;
    put(&p, "\"%s\",%.17g,%.17g,%.17g,%.17g,%d,%d,%d\n", e->name, e->value, e->lower, e->upper,
        r->lines[i].start, e->told, e->at_bound, r->lines[i].profiled);
  }
  return save(&p, r->folder, "estimates.csv", error);
}

static cr_status write_correlation(const cr_fit_report* r, cr_error* error) {
  int n = cr_identification_count(r->identification);
  cr_real* c = calloc((size_t)n * (size_t)n + 1, sizeof *c);
  if (c == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "report: no memory");
  }
  page p = {0};
  (void)cr_identification_covariance(r->identification, NULL, c, NULL);
  put(&p, "name");
  for (int i = 0; i < n; i++) {
    put(&p, ",\"%s\"", cr_identification_name(r->identification, i));
  }
  for (int i = 0; i < n; i++) {
    put(&p, "\n\"%s\"", cr_identification_name(r->identification, i));
    for (int j = 0; j < n; j++) {
      put(&p, ",%.6g", c[(ptrdiff_t)i * n + j]);
    }
  }
  put(&p, "\n");
  free(c);
  return save(&p, r->folder, "correlation.csv", error);
}

// ---- series: what was seen and what the model predicts

typedef struct {
  cr_channel_info channel;
  int width;
  cr_real* predicted;
} series;

// false for a control
static bool load_series(const cr_fit_report* r, int run, int channel, series* s, cr_status* status,
                        cr_error* error) {
  cr_place_info place = {.size = sizeof place};
  *s = (series){.channel = {.size = sizeof s->channel}};
  *status = cr_measurements_get(r->measurements, run, channel, &s->channel, error);
  if (*status == CR_OK) {
    *status = cr_model_place(r->m, s->channel.place, &place, error);
  }
  cr_field_info field = {.size = sizeof field};
  (void)cr_field_get(r->m, place.field, &field, NULL);
  if (*status != CR_OK || strcmp(field.name, "ctrl") == 0) {
    return false;
  }
  s->width = place.count;
  s->predicted = calloc((size_t)s->channel.rows * (size_t)s->width + 1, sizeof *s->predicted);
  *status = s->predicted == NULL
                ? cri_fail(error, CR_ERR_MEMORY, "report: no memory")
                : cr_identification_predict(r->identification, run, channel, s->predicted, error);
  return *status == CR_OK;
}

static void name_of_predictions(const cr_measurements* ms, int run, char name[CR_FIT_FILE_NAME]) {
  (void)snprintf(name, CR_FIT_FILE_NAME, "predicted_%s.csv", cr_measurements_name(ms, run));
  for (char* c = name; *c != 0; c++) {
    *c = *c == '/' || *c == ' ' ? '_' : *c;
  }
}

static cr_status write_predictions(const cr_fit_report* r, int run, cr_error* error) {
  page p = {0};
  char name[CR_FIT_FILE_NAME];
  cr_status status = CR_OK;
  put(&p, "place,number,time,seen,predicted\n");
  for (int c = 0; c < cr_measurements_channels(r->measurements, run) && status == CR_OK; c++) {
    series s;
    if (load_series(r, run, c, &s, &status, error)) {
      for (int i = 0; i < s.channel.rows * s.width; i++) {
        put(&p, "\"%s\",%d,%.9g,%.9g,%.9g\n", s.channel.place, i % s.width,
            s.channel.time[i / s.width], s.channel.values[i], s.predicted[i]);
      }
    }
    free(s.predicted);
  }
  if (status != CR_OK) {
    free(p.text);
    return status;
  }
  name_of_predictions(r->measurements, run, name);
  return save(&p, r->folder, name, error);
}

// ---- plots, as SVG in the page

enum { WIDE = 800, HIGH = 150, STRIP = 40, LEFT = 75, MOST_POINTS = 1200, MOST_PLOTS = 24 };

static void put_curve(page* p, const series* s, int number, bool seen, double low, double high) {
  int rows = s->channel.rows, every = rows / MOST_POINTS + 1;
  double begin = s->channel.time[0], length = s->channel.time[rows - 1] - begin;
  bool open = false;
  put(p, "<path class='%s' d='", seen ? "seen" : "model");
  for (int i = 0; i < rows; i += every) {
    double v = (seen ? s->channel.values : s->predicted)[(ptrdiff_t)i * s->width + number];
    if (isnan(v)) {
      open = false;
      continue;
    }
    double x = length > 0 ? (s->channel.time[i] - begin) / length * WIDE : 0;
    put(p, "%c%.1f %.1f", open ? 'L' : 'M', x, HIGH * (high - v) / (high - low));
    open = true;
  }
  put(p, "'/>");
}

// predicted less seen, on a scale of its own below the curves
static void put_errors(page* p, const series* s, int number) {
  int rows = s->channel.rows, every = rows / MOST_POINTS + 1;
  double begin = s->channel.time[0], length = s->channel.time[rows - 1] - begin, most = 0;
  double middle = HIGH + 25 + STRIP / 2.0;
  for (int i = 0; i < rows; i++) {
    ptrdiff_t at = (ptrdiff_t)i * s->width + number;
    most = fmax(most, fabs(s->predicted[at] - s->channel.values[at]));
  }
  put(p, "<text x='-6' y='%.1f'>error %.2g</text><path class='axis' d='M0 %.1f H%d'/>", middle + 4,
      most, middle, WIDE);
  put(p, "<path class='error' d='");
  for (int i = 0; i < rows && most > 0; i += every) {
    ptrdiff_t at = (ptrdiff_t)i * s->width + number;
    double e = s->predicted[at] - s->channel.values[at];
    if (!isnan(e)) {
      put(p, "M%.1f %.1fV%.1f", length > 0 ? (s->channel.time[i] - begin) / length * WIDE : 0,
          middle, middle - e / most * STRIP / 2);
    }
  }
  put(p, "'/>");
}

static void put_axes(page* p, const series* s, double low, double high) {
  put(p, "<text x='-6' y='9'>%.4g</text><text x='-6' y='%d'>%.4g</text>", high, HIGH, low);
  if (low < 0 && high > 0) {
    double zero = HIGH * high / (high - low);
    put(p, "<path class='axis' d='M0 %.1f H%d'/>", zero, WIDE);
    if (zero > 20 && zero < HIGH - 15) {
      put(p, "<text x='-6' y='%.1f'>0</text>", zero + 4);
    }
  }
  put(p, "<text class='begin' x='0' y='%d'>%.4g s</text><text x='%d' y='%d'>%.4g s</text>",
      HIGH + 15, s->channel.time[0], WIDE, HIGH + 15, s->channel.time[s->channel.rows - 1]);
}

static bool is_held(const cr_fit_report* r, int run) {
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

static void put_plot(page* p, const cr_fit_report* r, int run, const series* s, int number) {
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
  put(p, "<figure><figcaption>");
  put_escaped(p, cr_measurements_name(r->measurements, run));
  put(p, ": ");
  put_escaped(p, s->channel.place);
  if (s->width > 1) {
    put(p, "[%d]", number);
  }
  put(p, "%s</figcaption><svg viewBox='%d -4 %d %d'>", is_held(r, run) ? " (held aside)" : "",
      -LEFT, LEFT + WIDE + 10, HIGH + STRIP + 32);
  put_axes(p, s, low, high);
  put_errors(p, s, number);
  put_curve(p, s, number, true, low, high);
  put_curve(p, s, number, false, low, high);
  put(p, "</svg></figure>\n");
}

static cr_status put_plots(page* p, const cr_fit_report* r, cr_error* error) {
  cr_status status = CR_OK;
  int n = 0, left = 0;
  for (int run = 0; run < cr_measurements_count(r->measurements); run++) {
    for (int c = 0; c < cr_measurements_channels(r->measurements, run) && status == CR_OK; c++) {
      series s;
      if (load_series(r, run, c, &s, &status, error)) {
        for (int k = 0; k < s.width && n < MOST_PLOTS; k++, n++) {
          put_plot(p, r, run, &s, k);
          left--;
        }
        left += s.width;
      }
      free(s.predicted);
    }
  }
  if (left > 0) {
    put(p, "<p>%d more are in the files predicted_*.csv.</p>\n", left);
  }
  return status;
}

// ---- the page

static void put_estimates(page* p, const cr_fit_report* r) {
  double percent = 100 * (r->confidence > 0 ? r->confidence : 0.9);
  put(p,
      "<h2>Estimates</h2><p>The interval from ... to holds the truth with %g %%, if the model is "
      "right.</p><table><tr><th>name<th>value<th>from<th>to<th>start<th></tr>\n",
      percent);
  for (int i = 0; i < r->nline; i++) {
    const cr_fit_line* line = &r->lines[i];
    const cr_estimate* e = &line->found;
    put(p, "<tr><td>");
    put_escaped(p, e->name);
    if (e->told) {
      put(p, "<td>%.6g<td>%.6g<td>%.6g<td>%.6g<td>%s%s%s</tr>\n", e->value, e->lower, e->upper,
          line->start, line->profiled ? "by profile" : "",
          line->profiled && e->at_bound ? ", " : "", e->at_bound ? "at its bound" : "");
    } else {
      put(p, "<td class='untold'>%.6g<td><td><td>%.6g<td>the data do not tell it%s</tr>\n",
          e->value, line->start, line->profiled ? ", by profile" : "");
    }
  }
  put(p, "</table>\n");
  int n = 0;
  char text[512];
  (void)cr_identification_untold(r->identification, 0, NULL, 0, &n, NULL);
  if (n > 0) {
    put(p, "<h2>What the data do not tell</h2><ul>\n");
  }
  for (int i = 0; i < n; i++) {
    (void)cr_identification_untold(r->identification, i, text, (int)sizeof text, &n, NULL);
    put(p, "<li>");
    put_escaped(p, text);
    put(p, "</li>\n");
  }
  put(p, n > 0 ? "</ul>\n" : "");
}

static cr_status put_places(page* p, const cr_fit_report* r, cr_run_part part, cr_error* error) {
  put(p,
      "<h2>%s</h2><table><tr><th>place<th>numbers<th>noise<th>errors<th>explained<th>"
      "correlation of errors</tr>\n",
      part == CR_RUNS_TRAIN ? "Fitted runs" : "Runs held aside");
  for (int i = 0; i < cr_identification_places(r->identification); i++) {
    cr_fit_of_place f = {.size = sizeof f};
    CR_TRY(cr_identification_get_place(r->identification, part, i, &f, error));
    put(p, "<tr><td>");
    put_escaped(p, f.place);
    put(p, "<td>%lld<td>%.4g%s<td>%.4g<td>%.5g<td>%.3g%s</tr>\n", (long long)f.n, f.noise,
        f.noise_given ? "" : " (found)", f.rms, f.explained, f.correlation,
        fabs(f.correlation) > 2 * f.white ? ", not white: the model misses something" : "");
  }
  put(p, "</table>\n");
  return CR_OK;
}

static const char head[] =
    "<!DOCTYPE html><meta charset='utf-8'><title>carom fit</title><style>body{font:15px "
    "sans-serif;max-width:900px;margin:2em auto;color:#222}table{border-collapse:collapse}td,th{"
    "padding:2px 12px 2px 0;text-align:left;border-bottom:1px solid "
    "#ddd}svg{width:100%;background:#fafafa}path{fill:none;stroke-width:1.5}.seen{stroke:#bbb;"
    "stroke-width:3}.model{stroke:#c33}.error{stroke:#47a;stroke-width:1}.axis{stroke:#ccc;stroke-"
    "width:1}text{font:11px sans-serif;fill:#666;text-anchor:end}.begin{text-anchor:start}.untold{"
    "color:#999}figure{margin:1em 0}</style>\n";

static cr_status write_page(const cr_fit_report* r, cr_error* error) {
  page p = {0};
  put(&p, "%s<h1>carom fit: ", head);
  put_escaped(&p, r->model);
  put(&p, "</h1><p>%d runs. %s after %d steps, %.1f s. Carom %s.</p>\n",
      cr_measurements_count(r->measurements), r->end->converged ? "Converged" : "Not converged",
      r->end->steps, r->seconds, cr_version());
  put_estimates(&p, r);
  cr_status status = put_places(&p, r, CR_RUNS_TRAIN, error);
  cr_fit_of_place held = {.size = sizeof held};
  if (status == CR_OK && cr_identification_places(r->identification) > 0) {
    status = cr_identification_get_place(r->identification, CR_RUNS_HELD, 0, &held, error);
  }
  if (status == CR_OK && held.n > 0) {
    status = put_places(&p, r, CR_RUNS_HELD, error);
  }
  put(&p, "<h2>Seen (grey), predicted (red), and the error between (blue)</h2>\n");
  status = status == CR_OK ? put_plots(&p, r, error) : status;
  if (status != CR_OK) {
    free(p.text);
    return status;
  }
  return save(&p, r->folder, "report.html", error);
}

bool cr_fit_report_file(const cr_measurements* measurements, int i, char name[CR_FIT_FILE_NAME]) {
  static const char* const fixed[] = {"report.html", "estimates.csv", "correlation.csv"};
  enum { FIXED = (int)(sizeof fixed / sizeof fixed[0]) };
  if (i < FIXED) {
    (void)snprintf(name, CR_FIT_FILE_NAME, "%s", fixed[i]);
  } else if (i - FIXED < cr_measurements_count(measurements)) {
    name_of_predictions(measurements, i - FIXED, name);
  } else {
    return false;
  }
  return true;
}

cr_status cr_fit_report_write(const cr_fit_report* r, cr_error* error) {
  CR_TRY(write_estimates(r, error));
  CR_TRY(write_correlation(r, error));
  for (int i = 0; i < cr_measurements_count(r->measurements); i++) {
    CR_TRY(write_predictions(r, i, error));
  }
  return write_page(r, error);
}
