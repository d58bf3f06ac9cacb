// SPDX-License-Identifier: Apache-2.0
#include "fit/train_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "tools/plot.h"

// ---- what is asked for more than once

void cr_train_input_name(const cr_correction_usage* u, char* text, int size) {
  if (u->place == NULL) {
    (void)snprintf(text, (size_t)size, "constant");
  } else if (u->count > 1) {
    (void)snprintf(text, (size_t)size, "%s[%d]", u->place, u->number);
  } else {
    (void)snprintf(text, (size_t)size, "%s", u->place);
  }
}

static cr_status sum_of(cr_identification* id, cr_run_part part, double* sum, cr_error* error) {
  *sum = 0;
  for (int i = 0; i < cr_identification_places(id); i++) {
    cr_fit_of_place p = {.size = sizeof p};
    CR_TRY(cr_identification_get_place(id, part, i, &p, error));
    double z = p.n > 0 ? (double)(p.rms / p.noise) : 0;
    *sum += (double)p.n * z * z;
  }
  return CR_OK;
}

cr_status cr_train_report_gain(const cr_train_report* r, double* gain, cr_error* error) {
  cr_identification *id = r->predictions.identification, *plain = r->predictions.other;
  cr_run_part part = cr_identification_windows(id, CR_RUNS_HELD) > 0 ? CR_RUNS_HELD : CR_RUNS_TRAIN;
  double with, without;
  *gain = (double)NAN;
  if (plain == NULL) {
    return CR_OK;
  }
  CR_TRY(sum_of(id, part, &with, error));
  CR_TRY(sum_of(plain, part, &without, error));
  *gain = with > 0 ? sqrt(without / with) : without > 0 ? (double)INFINITY : 1;
  return CR_OK;
}

// ---- history.csv

const char cr_train_history_head[] = "epoch,cost,held_cost\n";

void cr_train_history_row(char text[96], int epoch, double cost, double held) {
  (void)cri_print(text, 96, "%d,%.17g,%.17g\n", epoch, cost, held);
}

static cr_status write_history(const cr_train_report* r, cr_error* error) {
  cr_page p = {0};
  char row[96];
  cr_page_put(&p, "%s", cr_train_history_head);
  for (int i = 0; i < r->nepoch; i++) {
    cr_train_history_row(row, i + 1, r->curve[2 * (ptrdiff_t)i], r->curve[2 * (ptrdiff_t)i + 1]);
    cr_page_put(&p, "%s", row);
  }
  return cr_page_save(&p, r->folder, "history.csv", error);
}

// ---- the page

static cr_status put_usage(cr_page* p, const cr_train_report* r, cr_error* error) {
  char name[CR_MAX_CORRECTION_TEXT + 16];
  cr_page_put(p,
              "<h2>Which inputs does the learned term use?</h2><p>The norm of an input is that of "
              "its weights in the first layer.</p>\n");
  for (int c = 0; c < cr_model_correction_count(r->m); c++) {
    cr_correction_info info = {.size = sizeof info};
    CR_TRY(cr_model_get_correction(r->m, c, &info, error));
    cr_page_put(p, "<h3>");
    cr_page_escaped(p, info.name);
    cr_page_put(p, ", of ");
    cr_page_escaped(p, info.target);
    cr_page_put(p, "</h3><table><tr><th>input<th>norm<th>share<th>weights that are 0<th></tr>\n");
    for (int i = 0; i < info.ninput; i++) {
      cr_correction_usage u = {.size = sizeof u};
      CR_TRY(cr_correction_get_usage(r->m, c, i, &u, error));
      cr_train_input_name(&u, name, (int)sizeof name);
      cr_page_put(p, "<tr><td>");
      cr_page_escaped(p, name);
      cr_page_put(p, "<td>%.4g<td>%.1f %%<td>%d of %d<td%s</tr>\n", (double)u.norm,
                  100 * (double)u.share, u.zeros, u.weights,
                  u.used ? ">" : " class='untold'>not used: exactly 0");
    }
    cr_page_put(p, "</table>\n");
  }
  return CR_OK;
}

static void put_numbers(cr_page* p, const cr_train_report* r) {
  if (r->nnumber == 0) {
    return;
  }
  cr_page_put(p, "<h2>Numbers beside the weights</h2><table><tr><th>name<th>value<th>start</tr>\n");
  for (int i = 0; i < r->nnumber; i++) {
    cr_page_put(p, "<tr><td>");
    cr_page_escaped(p, r->numbers[i].name);
    cr_page_put(p, "<td>%.6g<td>%.6g</tr>\n", (double)r->numbers[i].value,
                (double)r->numbers[i].start);
  }
  cr_page_put(p, "</table>\n");
}

static cr_status put_places(cr_page* p, const cr_train_report* r, cr_run_part part,
                            cr_error* error) {
  cr_identification *id = r->predictions.identification, *plain = r->predictions.other;
  if (cr_identification_windows(id, part) == 0) {
    return CR_OK;
  }
  cr_page_put(p,
              "<h2>%s</h2><table><tr><th>place<th>numbers<th>errors<th>errors without "
              "corrections<th>explained</tr>\n",
              part == CR_RUNS_TRAIN ? "Runs trained on" : "Runs held aside");
  for (int i = 0; i < cr_identification_places(id); i++) {
    cr_fit_of_place f = {.size = sizeof f}, g = {.size = sizeof g, .rms = (cr_real)NAN};
    CR_TRY(cr_identification_get_place(id, part, i, &f, error));
    CR_TRY(plain != NULL ? cr_identification_get_place(plain, part, i, &g, error) : CR_OK);
    cr_page_put(p, "<tr><td>");
    cr_page_escaped(p, f.place);
    cr_page_put(p, "<td>%lld<td>%.4g<td>%.4g<td>%.5g</tr>\n", (long long)f.n, (double)f.rms,
                (double)g.rms, (double)f.explained);
  }
  cr_page_put(p, "</table>\n");
  return CR_OK;
}

enum { WIDE = 800, HIGH = 200, LEFT = 75 };

static void put_curve(cr_page* p, const cr_train_report* r, int column, const char* kind,
                      double low, double high) {
  bool open = false;
  int every = r->nepoch / 1200 + 1;
  cr_page_put(p, "<path class='%s' d='", kind);
  for (int i = 0; i < r->nepoch; i += every) {
    double v = log10(r->curve[2 * (ptrdiff_t)i + column]);
    if (!isfinite(v)) {
      open = false;
      continue;
    }
    cr_page_put(p, "%c%.1f %.1f", open ? 'L' : 'M', WIDE * (i + 1.0) / r->nepoch,
                HIGH * (high - v) / (high - low));
    open = true;
  }
  cr_page_put(p, "'/>");
}

static void put_learning(cr_page* p, const cr_train_report* r) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < 2 * r->nepoch; i++) {
    double v = log10(r->curve[i]);
    low = isfinite(v) ? fmin(low, v) : low;
    high = isfinite(v) ? fmax(high, v) : high;
  }
  if (low > high) {
    return;
  }
  high = high > low ? high : low + 1;
  cr_page_put(p,
              "<h2>Learning curve</h2><p>Mean cost of a number over the epochs, on a logarithmic "
              "scale: of the runs trained on (red), of those held aside (dashed).</p><figure>"
              "<svg viewBox='%d -4 %d %d'>",
              -LEFT, LEFT + WIDE + 10, HIGH + 24);
  cr_page_put(p, "<text x='-6' y='9'>%.3g</text><text x='-6' y='%d'>%.3g</text>", pow(10, high),
              HIGH, pow(10, low));
  cr_page_put(p, "<text class='begin' x='0' y='%d'>1</text><text x='%d' y='%d'>epoch %d</text>",
              HIGH + 15, WIDE, HIGH + 15, r->nepoch);
  put_curve(p, r, 0, "model", low, high);
  put_curve(p, r, 1, "other", low, high);
  cr_page_put(p, "</svg></figure>\n");
}

static cr_status put_page(cr_page* p, const cr_train_report* r, cr_error* error) {
  double gain;
  CR_TRY(cr_train_report_gain(r, &gain, error));
  cr_page_begin(p, "train", r->model);
  cr_page_put(p, "<p>%d runs, %d epochs, %.1f s: %s. Carom %s.</p>\n",
              cr_measurements_count(r->predictions.measurements), r->end->epochs, r->seconds,
              r->end->reason, cr_version());
  if (isfinite(gain)) {
    cr_page_put(p, "<p>Without the corrections errors are %.3g times as large.</p>\n", gain);
  } else if (r->plain_why[0] != 0) {
    cr_page_put(p, "<p>The uncorrected model cannot be simulated: ");
    cr_page_escaped(p, r->plain_why);
    cr_page_put(p, "</p>\n");
  }
  CR_TRY(put_usage(p, r, error));
  put_numbers(p, r);
  CR_TRY(put_places(p, r, CR_RUNS_HELD, error));
  CR_TRY(put_places(p, r, CR_RUNS_TRAIN, error));
  put_learning(p, r);
  cr_page_put(p,
              "<h2>Seen (grey), predicted (red), by the uncorrected model (green, dashed), and the "
              "error of the prediction (blue)</h2>\n");
  return cr_predictions_plot(&r->predictions, p, error);
}

static cr_status write_page(const cr_train_report* r, cr_error* error) {
  cr_page p = {0};
  cr_status status = put_page(&p, r, error);
  if (status != CR_OK) {
    cr_page_free(&p);
    return status;
  }
  return cr_page_save(&p, r->folder, "report.html", error);
}

// ---- pictures, by gnuplot

static cr_status draw_learning(const cr_train_report* r, cr_error* error) {
  const cr_curve curves[] = {
      {.csv = "history.csv", .x = "epoch", .y = "cost", .title = "runs trained on"},
      {.csv = "history.csv",
       .x = "epoch",
       .y = "held_cost",
       .title = "runs held aside",
       .style = CR_CURVE_DASHES}};
  bool held = cr_identification_windows(r->predictions.identification, CR_RUNS_HELD) > 0;
  const cr_chart chart = {.xlabel = "epoch",
                          .ylabel = "mean cost of a number",
                          .log_y = true,
                          .low = (double)NAN,
                          .high = (double)NAN,
                          .curves = curves,
                          .ncurve = held ? 2 : 1};
  return cri_charts(r->folder, "learning", "carom train", &chart, 1, 1, error);
}

enum { MOST_CHARTS = 4, CURVES = 3 };

// the first run held aside, or the first of all
static int run_to_draw(const cr_train_report* r) {
  for (int run = 0; run < cr_measurements_count(r->predictions.measurements); run++) {
    if (cr_predictions_held(&r->predictions, run)) {
      return run;
    }
  }
  return 0;
}

static cr_status draw_predictions(const cr_train_report* r, cr_error* error) {
  const cr_predictions* ps = &r->predictions;
  int run = run_to_draw(r), n = 0;
  char csv[CR_FIT_FILE_NAME], names[MOST_CHARTS][CR_FIT_FILE_NAME], title[256];
  cr_chart charts[MOST_CHARTS];
  cr_curve curves[MOST_CHARTS][CURVES];
  cr_predictions_name(ps->measurements, run, csv);
  for (; n < MOST_CHARTS && cr_predictions_curve(ps, run, n, names[n]); n++) {
    const cr_curve base = {.csv = csv, .x = "time", .only = "curve", .value = n};
    for (int k = 0; k < CURVES; k++) {
      curves[n][k] = base;
    }
    curves[n][0].y = curves[n][0].title = "seen";
    curves[n][0].style = CR_CURVE_POINTS;
    curves[n][1].y = curves[n][1].title = ps->other_name;
    curves[n][1].style = CR_CURVE_DASHES;
    curves[n][2].y = curves[n][2].title = "predicted";
    charts[n] = (cr_chart){.xlabel = "time (s)",
                           .ylabel = names[n],
                           .low = (double)NAN,
                           .high = (double)NAN,
                           .curves = curves[n],
                           .ncurve = CURVES};
  }
  (void)snprintf(title, sizeof title, "%.150s%s", cr_measurements_name(ps->measurements, run),
                 cr_predictions_held(ps, run) ? ", held aside" : "");
  return n > 0 ? cri_charts(r->folder, "predictions", title, charts, n, n > 1 ? 2 : 1, error)
               : CR_OK;
}

// ---- all of it

bool cr_train_report_file(const cr_train_report* r, int i, char name[CR_FIT_FILE_NAME]) {
  static const char* const fixed[] = {"report.html", "history.csv", "learning.png",
                                      "predictions.png"};
  const int n = r->drawn ? 4 : 2;
  if (i < n) {
    (void)snprintf(name, CR_FIT_FILE_NAME, "%s", fixed[i]);
  } else if (i - n < cr_measurements_count(r->predictions.measurements)) {
    cr_predictions_name(r->predictions.measurements, i - n, name);
  } else {
    return false;
  }
  return true;
}

cr_status cr_train_report_write(cr_train_report* r, cr_error* warning, cr_error* error) {
  CR_TRY(write_history(r, error));
  for (int i = 0; i < cr_measurements_count(r->predictions.measurements); i++) {
    CR_TRY(cr_predictions_write(&r->predictions, i, r->folder, error));
  }
  CR_TRY(write_page(r, error));
  *warning = (cr_error){0};
  r->drawn = draw_learning(r, warning) == CR_OK && draw_predictions(r, warning) == CR_OK;
  return CR_OK;
}
