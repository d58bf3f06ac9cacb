// SPDX-License-Identifier: Apache-2.0
// Two robots whose parameters are hidden, simulated by MuJoCo and recorded with noise, delay and ticks: an arm of seven
// joints and a quadruped on its feet. All link inertias, dampings, friction losses and armatures, and the friction of the
// feet, are found from one recording of each; fifty recordings tell whether the intervals are right.
//
// What motion tells of the inertias are base parameters (study/robot_bases.h). They are what is counted.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "carom/identify.h"
#include "carom/mujoco.h"
#include "notebook/sweep.h"
#include "study/launch.h"
#include "study/robot_bases.h"
#include "study/robot_record.h"
#include "study/studies.h"
#include "tools/plot.h"

enum { RECORDINGS = 50, BRIEF = 2, DELAYS = 2 };
static const int steps_of[CR_N_ROBOT] = {250, 150}, steps_brief[CR_N_ROBOT] = {120, 0};

typedef struct {
  const cr_notebook* book;
  cr_robot_kind kind;
  int steps;
  char path[CR_MAX_PATH];
  cr_model* m;
  mjModel *mj, *hidden;  // as a user believes it to be; as it is
  cr_robot_parameters list;
  cr_robot_bases bases;
  cr_real truth[CR_ROBOT_NUMBERS];  // of the base parameters
} robot;

static bool stop(void* context) {
  const robot* r = context;
  return r->book->request.stop != NULL && r->book->request.stop();
}

// ---- the robot

static cr_status hide(robot* r, cr_error* error) {
  cr_real start[CR_ROBOT_NUMBERS], x[CR_ROBOT_NUMBERS];
  cr_parameters* parameters = NULL;
  CR_TRY(cr_parameters_create(&parameters, r->m, r->list.list, r->list.n, error));
  mjData* d = mj_makeData(r->hidden);
  cr_status status = cr_parameters_get_start(parameters, start, error);
  if (status == CR_OK) {
    cri_robot_hide(&r->list, start, x);
    status = cr_parameters_set(parameters, x, error);
  }
  if (status == CR_OK && d != NULL) {
    cri_robot_give(r->hidden, d, cr_parameters_model(parameters));
    status = cri_robot_bases_at(&r->bases, &r->list, parameters, x, r->truth, NULL, error);
  }
  mj_deleteData(d);
  cr_parameters_destroy(parameters);
  return d != NULL ? status : cri_fail(error, CR_ERR_MEMORY, "robot: no memory");
}

static cr_status open_robot(robot* r, cr_error* error) {
  CR_TRY(cri_robot_write(r->book->folder, r->kind, r->path, error));
  CR_TRY(cr_model_open(&r->m, r->path, error));
  CR_TRY(cr_mujoco_compile(&r->mj, r->path, NULL, NULL, error));
  CR_TRY(cr_mujoco_compile(&r->hidden, r->path, NULL, NULL, error));
  CR_TRY(cri_robot_parameters(&r->list, r->m, error));
  CR_TRY(cri_robot_bases(&r->bases, r->mj, &r->list, error));
  return hide(r, error);
}

static void close_robot(robot* r) {
  cri_robot_bases_free(&r->bases);
  mj_deleteModel(r->mj);
  mj_deleteModel(r->hidden);
  cr_model_destroy(r->m);
}

// ---- a recording: a row

enum {
  R_RECORDING,
  R_COUNTED,
  R_HELD,
  R_SECONDS,
  R_STEPS,
  R_CONVERGED,
  R_EXCESS,
  R_ERROR,
  R_START,
  R_DELAY,
  R_DELAY_LOW,
  R_DELAY_HIGH
};
static const char header[] =
    "recording,told,contained,seconds,steps,converged,chi2,error,start_error,delay,delay_low,"
    "delay_high";
static const char numbers_header[] = "name,number,truth,start,estimate,lower,upper,told";

typedef struct {
  cr_real value[CR_ROBOT_NUMBERS], start[CR_ROBOT_NUMBERS], half[CR_ROBOT_NUMBERS];
  bool told[CR_ROBOT_NUMBERS];
} finding;

static cr_status judge(const robot* r, cr_identification* id, const cr_parameters* parameters,
                       const cr_real* x, finding* f, cr_error* error) {
  int n = r->bases.n, all = cr_identification_count(id);
  cr_real* J = calloc((size_t)n * (size_t)n + (size_t)all, sizeof *J);
  if (J == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "robot: no memory");
  }
  cr_real *g = J + (ptrdiff_t)n * n, start[CR_ROBOT_NUMBERS];
  cr_status status = cr_parameters_get_start(parameters, start, error);
  if (status == CR_OK) {
    status = cri_robot_bases_at(&r->bases, &r->list, parameters, start, f->start, NULL, error);
  }
  if (status == CR_OK) {
    status = cri_robot_bases_at(&r->bases, &r->list, parameters, x, f->value, J, error);
  }
  for (int k = 0; k < r->bases.nbase && status == CR_OK; k++) {
    cr_estimate e = {.size = sizeof e};
    cr_copy(g, J + (ptrdiff_t)k * n, n);
    status = cr_identification_get_combination(id, g, &e, error);
    f->told[k] = e.told;
    f->half[k] = e.told ? (e.upper - e.lower) / 2 : (cr_real)INFINITY;
  }
  free(J);
  return status;
}

static void count(const robot* r, const finding* f, cr_real* row) {
  double error = 0, start = 0;
  for (int k = 0; k < r->bases.nbase; k++) {
    if (!f->told[k]) {
      continue;
    }
    cr_real miss = cr_abs(f->value[k] - r->truth[k]);
    row[R_COUNTED]++;
    row[R_HELD] += miss <= f->half[k];
    error += (double)(miss / f->half[k] * miss / f->half[k]);
    start += pow((double)((f->start[k] - r->truth[k]) / f->half[k]), 2);
  }
  row[R_ERROR] = (cr_real)sqrt(error / (double)row[R_COUNTED]);
  row[R_START] = (cr_real)sqrt(start / (double)row[R_COUNTED]);
}

static cr_status save_numbers(const robot* r, const finding* f, cr_error* error) {
  char file[64], path[CR_MAX_PATH], name[80];
  (void)snprintf(file, sizeof file, "robot_%s_numbers.csv", cri_robot_names[r->kind]);
  CR_TRY(cri_path_join(path, r->book->folder, file, error));
  FILE* out = fopen(path, "w");
  if (out == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be written", path);
  }
  (void)fprintf(out, "%s\n", numbers_header);
  for (int k = 0; k < r->bases.nbase; k++) {
    cri_robot_number_name(&r->list, r->bases.number[k], name, sizeof name);
    (void)fprintf(out, "%s,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%d\n", name, k, (double)r->truth[k],
                  (double)f->start[k], (double)f->value[k], (double)(f->value[k] - f->half[k]),
                  (double)(f->value[k] + f->half[k]), f->told[k]);
  }
  return fclose(out) == 0 ? CR_OK : cri_fail(error, CR_ERR_FILE, "%s: cannot be written", path);
}

static cr_status identify(const robot* r, const cr_measurements* ms, bool first, cr_real* row,
                          cr_error* error) {
  static const char* const late[DELAYS] = {"sensordata[gyro]", "sensordata[accelerometer]"};
  const cr_identification_options options = {.size = sizeof options,
                                             .delayed = late,
                                             .ndelayed = DELAYS,
                                             .longest_delay = CR_R(0.02),
                                             .nthread = 1,
                                             .stop = stop,
                                             .context = (void*)(uintptr_t)r};
  const cr_search search = {.size = sizeof search, .tolerance = CR_R(1e-5)};
  cr_search_end end = {.size = sizeof end};
  cr_real x[CR_ROBOT_NUMBERS + DELAYS];
  cr_parameters* parameters = NULL;
  cr_identification* id = NULL;
  CR_TRY(cr_parameters_create(&parameters, r->m, r->list.list, r->list.n, error));
  double clock = cri_thread_seconds();
  cr_status status = cr_identification_create(&id, parameters, ms, &options, error);
  if (status == CR_OK) {
    status = cr_identification_get_start(id, x, error);
  }
  if (status == CR_OK) {
    status = cr_identification_solve(id, &search, x, &end, error);
  }
  row[R_SECONDS] = (cr_real)(cri_thread_seconds() - clock);
  row[R_STEPS] = (cr_real)end.steps;
  row[R_CONVERGED] = end.converged;
  row[R_EXCESS] = 2 * end.cost;
  finding* f = calloc(1, sizeof *f);
  if (status == CR_OK) {
    status = f != NULL ? judge(r, id, parameters, x, f, error)
                       : cri_fail(error, CR_ERR_MEMORY, "robot: no memory");
  }
  if (status == CR_OK) {
    cr_estimate delay = {.size = sizeof delay};
    count(r, f, row);
    status = cr_identification_get(id, r->bases.n, &delay, error);
    row[R_DELAY] = delay.value;
    row[R_DELAY_LOW] = delay.lower;
    row[R_DELAY_HIGH] = delay.upper;
  }
  if (status == CR_OK && first) {
    status = save_numbers(r, f, error);
  }
  free(f);
  cr_identification_destroy(id);
  cr_parameters_destroy(parameters);
  return status;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const robot* r = context;
  cr_robot_recording recording = {0};
  cr_measurements* ms = NULL;
  mjData* d = mj_makeData(r->hidden);
  if (d == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "robot: no memory");
  }
  cr_zero(row, R_DELAY_HIGH + 1);
  row[R_RECORDING] = (cr_real)i;
  cr_status status = cri_robot_record(&recording, r->hidden, d, r->kind, i, r->steps, error);
  mj_deleteData(d);
  if (status == CR_OK && i == 0) {
    status = cri_robot_save(&recording, r->m, r->book->folder, r->kind, error);
  }
  if (status == CR_OK) {
    status = cri_robot_measurements(&ms, &recording, r->m, error);
  }
  if (status == CR_OK) {
    status = identify(r, ms, i == 0, row, error);
  }
  cr_measurements_destroy(ms);
  cri_robot_recording_free(&recording);
  return status;
}

// ---- claims and picture

static void tell(cr_notebook* book, const robot* r, cr_table* table) {
  double told = 0, held = 0, seconds = 0, error = 0, start = 0, late = 0, converged = 0;
  int n = table->rows;
  const char* name = cri_robot_names[r->kind];
  for (int i = 0; i < n; i++) {
    const cr_real* row = cri_table_row(table, i);
    told += (double)row[R_COUNTED];
    held += (double)row[R_HELD];
    seconds += (double)row[R_SECONDS] / n;
    error += (double)row[R_ERROR] / n;
    start += (double)row[R_START] / n;
    converged += (double)row[R_CONVERGED];
    double delay = cri_robot_noise.delay;
    late += delay >= (double)row[R_DELAY_LOW] && delay <= (double)row[R_DELAY_HIGH];
  }
  cri_say(
      book,
      "%s: %d numbers, of which motion tells %d; %d recordings of %d steps.\n"
      "  %.1f told in each; error %.2f of the interval's half width (start: %.0f); %.2f s of one "
      "core each; %g searches converged; delay of the gyro within its interval in %g of them.\n",
      name, r->bases.n, r->bases.nbase, n, r->steps, told / n, error, start, seconds, converged,
      late);
  bool brief = book->request.brief;
  cri_claim(book, held / told, brief ? 0.75 : 0.85, brief ? 1 : 0.95, "",
            "%s: share of 90 %% intervals that contain the truth", name);
  cri_claim(book, told / n / r->bases.nbase, 0.5, 1, "",
            "%s: share of what motion tells that is told", name);
}

static cr_status draw(const cr_notebook* book, int nrobot, cr_error* error) {
  static const char* const tables[] = {"robot_arm.csv", "robot_quadruped.csv"};
  static const char* const numbers[] = {"robot_arm_numbers.csv", "robot_quadruped_numbers.csv"};
  cr_curve found[CR_N_ROBOT][4], errors[CR_N_ROBOT][2];
  cr_chart charts[2 * CR_N_ROBOT];
  for (int k = 0; k < nrobot; k++) {
    found[k][0] = (cr_curve){numbers[k], "number", "start", "start", CR_CURVE_POINTS, "told", 1};
    found[k][1] = (cr_curve){numbers[k], "number", "estimate", "found", CR_CURVE_POINTS, "told", 1};
    found[k][2] = (cr_curve){numbers[k], "number", "truth", "truth", CR_CURVE_POINTS, "told", 1};
    errors[k][0] = (cr_curve){
        tables[k], "recording", "contained", "truth in interval", CR_CURVE_POINTS, NULL, 0};
    errors[k][1] = (cr_curve){tables[k], "recording", "told", "told", CR_CURVE_LINE, NULL, 0};
    double nan = (double)NAN;
    charts[2 * k] =
        (cr_chart){"base parameter", cri_robot_names[k], false, true, nan, nan, found[k], 3};
    charts[2 * k + 1] = (cr_chart){"recording", "intervals", false, false, nan, nan, errors[k], 2};
  }
  return cri_charts(book->folder, "robot", "Robots with hidden parameters", charts, 2 * nrobot, 2,
                    error);
}

static cr_status study(cr_notebook* book, cr_robot_kind kind, cr_error* error) {
  static const char* const files[] = {"robot_arm.csv", "robot_quadruped.csv"};
  bool brief = book->request.brief;
  robot* r = calloc(1, sizeof *r);
  cr_table table = {0};
  if (r == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "robot: no memory");
  }
  r->book = book;
  r->kind = kind;
  r->steps = brief ? steps_brief[kind] : steps_of[kind];
  cr_status status = open_robot(r, error);
  if (status == CR_OK) {
    status = cri_table_create(&table, files[kind], header, NULL, brief ? BRIEF : RECORDINGS, error);
  }
  if (status == CR_OK) {
    status = cri_sweep(book, &table, cr_pool_size(book->pool), work, r, error);
  }
  if (status == CR_OK) {
    tell(book, r, &table);
  }
  cri_table_free(&table);
  close_robot(r);
  free(r);
  return status;
}

cr_status cri_study_robot(cr_notebook* book, cr_error* error) {
  int nrobot = 0;
  for (int kind = 0; kind < CR_N_ROBOT; kind++) {
    if ((book->request.brief ? steps_brief : steps_of)[kind] > 0) {
      CR_TRY(study(book, (cr_robot_kind)kind, error));
      nrobot++;
    }
  }
  return draw(book, nrobot, error);
}
