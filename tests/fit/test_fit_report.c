// SPDX-License-Identifier: Apache-2.0
// The numbers in the files of a fit are those of the identification: estimates.csv, correlation.csv, predicted_<run>.csv, the
// tables and the curves of report.html.
#include "fit/fit_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "scenes/io_measured.h"
#include "support/scratch.h"
#include "support/test.h"
#include "tools/files.h"

static const char text_of_arm[] =
    "<mujoco><option timestep='0.005'/><worldbody><body name='arm'><joint name='hip' axis='0 1 0' "
    "damping='.05'/><geom size='.05' pos='0 0 -.3' mass='.5'/></body></worldbody><actuator><motor "
    "name='drive' joint='hip'/></actuator><sensor><jointpos name='enc' "
    "joint='hip'/></sensor></mujoco>";

enum { RUNS = 3, N = 4, ROWS = 120, PROFILED = 1 };

static cr_error error;
static cr_model* m;
static cr_measurements* ms;
static cr_parameters* parameters;
static cr_identification* id;
static cr_real x[N];
static cr_fit_line lines[N];
static cr_search_end end = {.size = sizeof end};

// two that the data tell, one that they do not, and a delay
static void setup(void) {
  static const char* const targets[] = {"dof_damping[hip]", "body_mass[arm]", "jnt_margin[hip]"};
  static const measured_channel channels[] = {{"enc", 1, CR_R(0.003), 0},
                                              {"qvel[hip]", 1, CR_R(0.02), 0}};
  static const char* const delayed[] = {"qvel[hip]"};
  const cr_real hanging[1] = {CR_R(0.3)};
  cr_parameter_info all[3];
  const cr_parameter_info* list[3];
  must(cr_model_open(&m, scratch_write("arm.xml", text_of_arm), &error));
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "one", ROWS, hanging, channels, 2, 1);
  measured_run(ms, m, "two <b>", ROWS, hanging, channels, 2, 2);
  measured_run(ms, m, "three", ROWS, hanging, channels, 2, 3);
  for (int i = 0; i < 3; i++) {
    all[i] = (cr_parameter_info){.size = sizeof all[i],
                                 .name = targets[i],
                                 .target = targets[i],
                                 .start = i == 0   ? CR_R(0.08)
                                          : i == 1 ? CR_R(0.6)
                                                   : 0,
                                 .lower = i == 2 ? -1 : CR_R(0.001),
                                 .upper = 10};
    list[i] = &all[i];
  }
  must(cr_parameters_create(&parameters, m, list, 3, &error));
  const cr_identification_options options = {.size = sizeof options,
                                             .held_out = CR_R(0.3),
                                             .seed = 1,
                                             .delayed = delayed,
                                             .ndelayed = 1,
                                             .nthread = 1};
  must(cr_identification_create(&id, parameters, ms, &options, &error));
  assert_int_equal(cr_identification_count(id), N);
  must(cr_identification_get_start(id, x, &error));
  for (int i = 0; i < N; i++) {
    lines[i].start = x[i];
  }
  const cr_search search = {.size = sizeof search};
  must(cr_identification_solve(id, &search, x, &end, &error));
  for (int i = 0; i < N; i++) {
    lines[i].found.size = sizeof lines[i].found;
    must(cr_identification_get_report(id, i, &lines[i].found, &error));
  }
  must(cr_identification_profile(id, PROFILED, &lines[PROFILED].found, &error));
  lines[PROFILED].profiled = true;
  const cr_fit_report report = {.model = "a & b.xml",
                                .folder = "",
                                .m = m,
                                .measurements = ms,
                                .identification = id,
                                .lines = lines,
                                .nline = N,
                                .end = &end,
                                .seconds = 1.25};
  must(cr_fit_report_write(&report, &error));
}

static void teardown(void) {
  cr_identification_destroy(id);
  cr_parameters_destroy(parameters);
  cr_measurements_destroy(ms);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

static char* text_of(const char* name) {
  static char* text;
  size_t n = 0;
  must(cri_file_read(name, &text, &n, &error));
  return text;
}

// the next line, without its end; NULL after the last
static char* next_line(char** rest) {
  char* line = *rest;
  if (line == NULL || *line == 0) {
    return NULL;
  }
  char* stop = strchr(line, '\n');
  *rest = stop != NULL ? stop + 1 : NULL;
  if (stop != NULL) {
    *stop = 0;
  }
  return line;
}

// reads "NAME",1,2,3: the name, and all numbers behind it
static int read_row(const char* line, char name[200], double* numbers, int room) {
  const char* close = strchr(line + 1, '"');
  assert_true(line[0] == '"' && close != NULL);
  (void)snprintf(name, 200, "%.*s", (int)(close - line - 1), line + 1);
  int n = 0;
  for (const char* at = close + 1; *at == ','; n++) {
    char* behind;
    assert_true(n < room);
    numbers[n] = strtod(at + 1, &behind);
    at = behind;
  }
  return n;
}

static void same(double a, double b, double tolerance) {
  if (!((isnan(a) && isnan(b)) || !(a < b || b < a) ||
        fabs(a - b) <= tolerance * fmax(fabs(b), 1e-300))) {
    fail_msg("%.17g is in the file, %.17g is right", a, b);
  }
}

// what the library tells, asked again
static cr_estimate estimate(int i) {
  cr_estimate e = {.size = sizeof e};
  must(i == PROFILED ? cr_identification_profile(id, i, &e, &error)
                     : cr_identification_get_report(id, i, &e, &error));
  return e;
}

TEST(estimates_are_those_of_the_identification) {
  char *text = text_of("estimates.csv"), *rest = text, name[200];
  assert_string_equal(next_line(&rest), "name,value,lower,upper,start,told,at_bound,profiled");
  int told = 0;
  for (int i = 0; i < N; i++) {
    double row[8];
    cr_estimate e = estimate(i);
    assert_int_equal(read_row(next_line(&rest), name, row, 8), 7);
    assert_string_equal(name, e.name);
    const double right[] = {e.value, e.lower,    e.upper,      lines[i].start,
                            e.told,  e.at_bound, i == PROFILED};
    for (int k = 0; k < 7; k++) {
      same(row[k], right[k], 0);
    }
    told += e.told;
  }
  assert_null(next_line(&rest));
  assert_int_equal(told, 3);  // not the margin of a joint without limits
  free(text);
}

TEST(correlations_are_those_of_the_identification) {
  cr_real c[N * N];
  char *text = text_of("correlation.csv"), *rest = text, name[200];
  must(cr_identification_covariance(id, NULL, c, &error));
  char* head = next_line(&rest);
  for (int i = 0; i < N; i++) {
    double row[N];
    assert_non_null(strstr(head, cr_identification_name(id, i)));
    assert_int_equal(read_row(next_line(&rest), name, row, N), N);
    assert_string_equal(name, cr_identification_name(id, i));
    for (int k = 0; k < N; k++) {
      same(row[k], c[i * N + k], 1e-5);
    }
  }
  assert_null(next_line(&rest));
  free(text);
}

static cr_channel_info channel_of(int run, int c, cr_real* predicted) {
  cr_channel_info info = {.size = sizeof info};
  must(cr_measurements_get(ms, run, c, &info, &error));
  if (strncmp(info.place, "ctrl", 4) != 0) {
    must(cr_identification_predict(id, run, c, predicted, &error));
  }
  return info;
}

TEST(predictions_are_those_of_the_identification) {
  static const char* const files[RUNS] = {"predicted_one.csv", "predicted_two_<b>.csv",
                                          "predicted_three.csv"};
  for (int run = 0; run < RUNS; run++) {
    char *text = text_of(files[run]), *rest = text, name[200];
    assert_string_equal(next_line(&rest), "place,number,time,seen,predicted");
    for (int c = 0; c < cr_measurements_channels(ms, run); c++) {
      cr_real predicted[ROWS];
      cr_channel_info info = channel_of(run, c, predicted);
      for (int i = 0; i < info.rows && strncmp(info.place, "ctrl", 4) != 0; i++) {
        double row[4];
        assert_int_equal(read_row(next_line(&rest), name, row, 4), 4);
        assert_string_equal(name, info.place);
        const double right[] = {0, info.time[i], info.values[i], predicted[i]};
        for (int k = 0; k < 4; k++) {
          same(row[k], right[k], 1e-8);
        }
      }
    }
    assert_null(next_line(&rest));
    free(text);
  }
}

TEST(the_files_are_those_that_are_named) {
  char name[CR_FIT_FILE_NAME];
  int n = 0;
  for (; cr_fit_report_file(ms, n, name); n++) {
    free(text_of(name));
  }
  assert_int_equal(n, 3 + RUNS);
}

// ---- the page

static void has(const char* page, const char* text) {
  if (strstr(page, text) == NULL) {
    fail_msg("report.html does not have: %s", text);
  }
}

TEST(the_tables_of_the_page_have_the_numbers) {
  char *page = text_of("report.html"), text[400];
  has(page, "carom fit: a &#38; b.xml");
  (void)snprintf(text, sizeof text, "3 runs. %s after %d steps, 1.2 s.",
                 end.converged ? "Converged" : "Not converged", end.steps);
  has(page, text);
  for (int i = 0; i < N; i++) {
    cr_estimate e = estimate(i);
    (void)snprintf(text, sizeof text, "<tr><td>%s<td>%.6g<td>%.6g<td>%.6g<td>%.6g<td>%s%s%s</tr>",
                   e.name, e.value, e.lower, e.upper, lines[i].start,
                   i == PROFILED ? "by profile" : "", i == PROFILED && e.at_bound ? ", " : "",
                   e.at_bound ? "at its bound" : "");
    if (!e.told) {
      (void)snprintf(text, sizeof text,
                     "<tr><td>%s<td class='untold'>%.6g<td><td><td>%.6g<td>the data do not tell it",
                     e.name, e.value, lines[i].start);
    }
    has(page, text);
  }
  char *fitted = strstr(page, "<h2>Fitted runs"), *held = strstr(page, "<h2>Runs held aside");
  assert_true(fitted != NULL && held != NULL && fitted < held);
  for (int part = 0; part < 2; part++) {
    for (int i = 0; i < cr_identification_places(id); i++) {
      cr_fit_of_place f = {.size = sizeof f};
      must(
          cr_identification_get_place(id, part == 0 ? CR_RUNS_TRAIN : CR_RUNS_HELD, i, &f, &error));
      assert_true(f.n > 0);
      (void)snprintf(text, sizeof text,
                     "<tr><td>%s<td>%lld<td>%.4g (found)<td>%.4g<td>%.5g<td>%.3g", f.place,
                     (long long)f.n, f.noise, f.rms, f.explained, f.correlation);
      has(part == 0 ? fitted : held, text);
    }
  }
  free(page);
}

// number i of a curve: heights from 0 (largest) to 150 (least)
static const char* curve_of(const char* page, const char* caption, const char* kind) {
  char start_of[60];
  const char* figure = strstr(page, caption);
  (void)snprintf(start_of, sizeof start_of, "<path class='%s' d='", kind);
  const char* curve = figure != NULL ? strstr(figure, start_of) : NULL;
  if (curve == NULL) {
    fail_msg("no curve '%s' under '%s'", kind, caption);
  }
  return curve + strlen(start_of);
}

static void check_curve(const char* at, const cr_channel_info* c, const cr_real* values, double low,
                        double high) {
  double length = c->time[c->rows - 1] - c->time[0];
  bool open = false;  // rows that are not compared, as within the longest delay, leave a gap
  for (int i = 0; i < c->rows; i++) {
    char* behind;
    if (isnan(values[i])) {
      open = false;
      continue;
    }
    assert_true(*at == (open ? 'L' : 'M'));
    open = true;
    double across = strtod(at + 1, &behind), down = strtod(behind, &behind);
    at = behind;
    double right = (c->time[i] - c->time[0]) / length * 800,
           height = 150 * (high - values[i]) / (high - low);
    if (fabs(across - right) > 0.06 || fabs(down - height) > 0.06) {
      fail_msg("row %d: %g %g is drawn, %g %g is right", i, across, down, right, height);
    }
  }
  assert_true(*at == '\'');
}

// of every row a line from the middle, as high as its error is of the largest
static void check_errors(const char* at, const cr_channel_info* c, const cr_real* predicted) {
  double length = c->time[c->rows - 1] - c->time[0], most = 0;
  for (int i = 0; i < c->rows; i++) {
    most = fmax(most, fabs(predicted[i] - c->values[i]));
  }
  for (int i = 0; i < c->rows; i++) {
    char* behind;
    if (isnan(predicted[i]) || isnan(c->values[i])) {
      continue;
    }
    assert_true(*at == 'M');
    double across = strtod(at + 1, &behind), middle = strtod(behind, &behind);
    assert_true(*behind == 'V');
    double end_of = strtod(behind + 1, &behind);
    at = behind;
    assert_true(fabs(across - (c->time[i] - c->time[0]) / length * 800) < 0.06);
    assert_true(fabs(middle - end_of - 20 * (predicted[i] - c->values[i]) / most) < 0.12);
  }
  assert_true(*at == '\'');
}

static bool is_held(int run) {
  int n = cr_identification_windows(id, CR_RUNS_TRAIN), of = -1;
  for (int i = n; i < n + cr_identification_windows(id, CR_RUNS_HELD); i++) {
    must(cr_identification_get_state(id, i, &of, NULL, NULL, NULL, NULL, &error));
    if (of == run) {
      return true;
    }
  }
  return false;
}

TEST(the_curves_of_the_page_are_what_was_seen_and_predicted) {
  static const char* const names[RUNS] = {"one", "two &#60;b&#62;", "three"};
  char* page = text_of("report.html");
  int curves = 0, held = 0;
  for (int run = 0; run < RUNS; run++) {
    for (int c = 0; c < cr_measurements_channels(ms, run); c++) {
      cr_real predicted[ROWS];
      char caption[200];
      double low = HUGE_VAL, high = -HUGE_VAL;
      cr_channel_info info = channel_of(run, c, predicted);
      if (strncmp(info.place, "ctrl", 4) == 0) {
        continue;
      }
      for (int i = 0; i < info.rows; i++) {
        low = fmin(low, fmin(info.values[i], predicted[i]));
        high = fmax(high, fmax(info.values[i], predicted[i]));
      }
      held += is_held(run);
      (void)snprintf(caption, sizeof caption, "<figcaption>%s: %s%s</figcaption>", names[run],
                     info.place, is_held(run) ? " (held aside)" : "");
      check_errors(curve_of(page, caption, "error"), &info, predicted);
      char label[100];
      (void)snprintf(label, sizeof label,
                     "<text x='-6' y='9'>%.4g</text><text x='-6' y='150'>%.4g<", high, low);
      assert_true(strstr(strstr(page, caption), label) <
                  strstr(strstr(page, caption), "</figure>"));
      has(strstr(page, caption), label);
      check_curve(curve_of(page, caption, "seen"), &info, info.values, low, high);
      check_curve(curve_of(page, caption, "model"), &info, predicted, low, high);
      curves += 2;
    }
  }
  assert_int_equal(curves, 4 * RUNS);
  assert_int_equal(held, 2);  // one run of three
  free(page);
}
