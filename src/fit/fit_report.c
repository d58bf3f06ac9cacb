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

// ---- tables

static cr_status write_estimates(const cr_fit_report* r, cr_error* error) {
  cr_page p = {0};
  cr_page_put(&p, "name,value,lower,upper,start,told,at_bound,profiled\n");
  for (int i = 0; i < r->nline; i++) {
    const cr_estimate* e = &r->lines[i].found;
    cr_page_put(&p, "\"%s\",%.17g,%.17g,%.17g,%.17g,%d,%d,%d\n", e->name, e->value, e->lower,
                e->upper, r->lines[i].start, e->told, e->at_bound, r->lines[i].profiled);
  }
  return cr_page_save(&p, r->folder, "estimates.csv", error);
}

static cr_status write_correlation(const cr_fit_report* r, cr_error* error) {
  int n = cr_identification_count(r->identification);
  cr_real* c = calloc((size_t)n * (size_t)n + 1, sizeof *c);
  if (c == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "report: no memory");
  }
  cr_page p = {0};
  (void)cr_identification_covariance(r->identification, NULL, c, NULL);
  cr_page_put(&p, "name");
  for (int i = 0; i < n; i++) {
    cr_page_put(&p, ",\"%s\"", cr_identification_name(r->identification, i));
  }
  for (int i = 0; i < n; i++) {
    cr_page_put(&p, "\n\"%s\"", cr_identification_name(r->identification, i));
    for (int j = 0; j < n; j++) {
      cr_page_put(&p, ",%.6g", c[(ptrdiff_t)i * n + j]);
    }
  }
  cr_page_put(&p, "\n");
  free(c);
  return cr_page_save(&p, r->folder, "correlation.csv", error);
}

// ---- the page

static void put_estimates(cr_page* p, const cr_fit_report* r) {
  double percent = 100 * (r->confidence > 0 ? r->confidence : 0.9);
  cr_page_put(
      p,
      "<h2>Estimates</h2><p>The interval from ... to holds the truth with %g %%, if the model is "
      "right.</p><table><tr><th>name<th>value<th>from<th>to<th>start<th></tr>\n",
      percent);
  for (int i = 0; i < r->nline; i++) {
    const cr_fit_line* line = &r->lines[i];
    const cr_estimate* e = &line->found;
    cr_page_put(p, "<tr><td>");
    cr_page_escaped(p, e->name);
    if (e->told) {
      cr_page_put(p, "<td>%.6g<td>%.6g<td>%.6g<td>%.6g<td>%s%s%s</tr>\n", e->value, e->lower,
                  e->upper, line->start, line->profiled ? "by profile" : "",
                  line->profiled && e->at_bound ? ", " : "", e->at_bound ? "at its bound" : "");
    } else {
      cr_page_put(p, "<td class='untold'>%.6g<td><td><td>%.6g<td>the data do not tell it%s</tr>\n",
                  e->value, line->start, line->profiled ? ", by profile" : "");
    }
  }
  cr_page_put(p, "</table>\n");
  int n = 0;
  char text[512];
  (void)cr_identification_untold(r->identification, 0, NULL, 0, &n, NULL);
  if (n > 0) {
    cr_page_put(p, "<h2>What the data do not tell</h2><ul>\n");
  }
  for (int i = 0; i < n; i++) {
    (void)cr_identification_untold(r->identification, i, text, (int)sizeof text, &n, NULL);
    cr_page_put(p, "<li>");
    cr_page_escaped(p, text);
    cr_page_put(p, "</li>\n");
  }
  cr_page_put(p, n > 0 ? "</ul>\n" : "");
}

static cr_status put_places(cr_page* p, const cr_fit_report* r, cr_run_part part, cr_error* error) {
  cr_page_put(p,
              "<h2>%s</h2><table><tr><th>place<th>numbers<th>noise<th>errors<th>explained<th>"
              "correlation of errors</tr>\n",
              part == CR_RUNS_TRAIN ? "Fitted runs" : "Runs held aside");
  for (int i = 0; i < cr_identification_places(r->identification); i++) {
    cr_fit_of_place f = {.size = sizeof f};
    CR_TRY(cr_identification_get_place(r->identification, part, i, &f, error));
    cr_page_put(p, "<tr><td>");
    cr_page_escaped(p, f.place);
    cr_page_put(p, "<td>%lld<td>%.4g%s<td>%.4g<td>%.5g<td>%.3g%s</tr>\n", (long long)f.n, f.noise,
                f.noise_given ? "" : " (found)", f.rms, f.explained, f.correlation,
                fabs(f.correlation) > 2 * f.white ? ", not white: the model misses something" : "");
  }
  cr_page_put(p, "</table>\n");
  return CR_OK;
}

static cr_predictions predictions_of(const cr_fit_report* r) {
  return (cr_predictions){
      .m = r->m, .measurements = r->measurements, .identification = r->identification};
}

static cr_status write_page(const cr_fit_report* r, cr_error* error) {
  const cr_predictions predictions = predictions_of(r);
  cr_page p = {0};
  cr_page_begin(&p, "fit", r->model);
  cr_page_put(&p, "<p>%d runs. %s after %d steps, %.1f s. Carom %s.</p>\n",
              cr_measurements_count(r->measurements),
              r->end->converged ? "Converged" : "Not converged", r->end->steps, r->seconds,
              cr_version());
  put_estimates(&p, r);
  cr_status status = put_places(&p, r, CR_RUNS_TRAIN, error);
  cr_fit_of_place held = {.size = sizeof held};
  if (status == CR_OK && cr_identification_places(r->identification) > 0) {
    status = cr_identification_get_place(r->identification, CR_RUNS_HELD, 0, &held, error);
  }
  if (status == CR_OK && held.n > 0) {
    status = put_places(&p, r, CR_RUNS_HELD, error);
  }
  cr_page_put(&p, "<h2>Seen (grey), predicted (red), and the error between (blue)</h2>\n");
  status = status == CR_OK ? cr_predictions_plot(&predictions, &p, error) : status;
  if (status != CR_OK) {
    cr_page_free(&p);
    return status;
  }
  return cr_page_save(&p, r->folder, "report.html", error);
}

bool cr_fit_report_file(const cr_measurements* measurements, int i, char name[CR_FIT_FILE_NAME]) {
  static const char* const fixed[] = {"report.html", "estimates.csv", "correlation.csv"};
  enum { FIXED = (int)(sizeof fixed / sizeof fixed[0]) };
  if (i < FIXED) {
    (void)snprintf(name, CR_FIT_FILE_NAME, "%s", fixed[i]);
  } else if (i - FIXED < cr_measurements_count(measurements)) {
    cr_predictions_name(measurements, i - FIXED, name);
  } else {
    return false;
  }
  return true;
}

cr_status cr_fit_report_write(const cr_fit_report* r, cr_error* error) {
  const cr_predictions predictions = predictions_of(r);
  CR_TRY(write_estimates(r, error));
  CR_TRY(write_correlation(r, error));
  for (int i = 0; i < cr_measurements_count(r->measurements); i++) {
    CR_TRY(cr_predictions_write(&predictions, i, r->folder, error));
  }
  return write_page(r, error);
}
