// SPDX-License-Identifier: Apache-2.0
// carom estimate: the state of a model from recorded sensors, row after row, by the extended Kalman filter.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "cli/commands.h"
#include "command/setup.h"
#include "tools/files.h"
#include "tools/hdf5.h"

// a row is made of these parts
enum { KEPT = CR_STATE_TIME | CR_STATE_QPOS | CR_STATE_QVEL | CR_STATE_ACT, ACT = 3, N_PART = 5 };
static const char* const parts[N_PART] = {"time", "qpos", "qvel", "act", "deviation"};

typedef struct {
  cr_setup_options setup;
  cr_text_list files, noise, start, force, column, ignore;
  double rate;
  const char *run, *csv, *out;
} estimate_options;

typedef struct {
  const estimate_options* o;
  cr_setup setup;
  cr_measurements* measured;
  cr_filter* filter;
  int run, nchannel, nsensordata, nx, nq, nv, na, nu;
  cr_real h, begin;  // s
  cr_channel_info* channel;
  int *first,
      *next;  // of each channel: its first number in sensordata, -1: a control; the row to come
  int *control, *count;  // its control; numbers of a row
  cr_real *noise, *start, *force, *seen, *ctrl, *state;
  int rows, width, left_out;
  double* table;  // rows: time, qpos, qvel, act, standard deviations
  double surprise;
  long numbers;
} estimate;

// the name of a field
static const char* name_of(const cr_model* m, int field) {
  cr_field_info info = {.size = sizeof info};
  (void)cr_field_get(m, field, &info, NULL);
  return info.name;
}

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "estimate: no memory");
}

// ---- the recording

static cr_status find_run(estimate* e, cr_error* error) {
  const int n = cr_measurements_count(e->measured);
  e->run = e->o->run == NULL && n == 1 ? 0 : -1;
  for (int i = 0; i < n && e->o->run != NULL; i++) {
    e->run = strcmp(cr_measurements_name(e->measured, i), e->o->run) == 0 ? i : e->run;
  }
  if (e->run >= 0) {
    return CR_OK;
  }
  return e->o->run != NULL
             ? cri_fail(error, CR_ERR_NAME, "--run %s: there is no such run", e->o->run)
             : cri_fail(error, CR_ERR_ARG, "%s has %d runs, '%s' first: --run says which",
                        e->o->files.text[1], n, cr_measurements_name(e->measured, 0));
}

// a channel of sensors or of a control
static cr_status place_channel(estimate* e, int i, cr_error* error) {
  const cr_model* m = e->setup.m;
  cr_channel_info* c = &e->channel[i];
  cr_place_info place = {.size = sizeof place};
  c->size = sizeof *c;
  CR_TRY(cr_measurements_get(e->measured, e->run, i, c, error));
  CR_TRY(cr_model_place(m, c->place, &place, error));
  const char* field = name_of(m, place.field);
  e->count[i] = place.count;
  if (strcmp(field, "ctrl") == 0) {
    e->control[i] = place.first;
    e->first[i] = -1;
    return CR_OK;
  }
  if (strcmp(field, "sensordata") != 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "%s: '%s' is no sensor of the model; add one to the model, or --ignore it",
                    e->o->files.text[1], c->place);
  }
  e->first[i] = place.first;
  for (int k = 0; k < place.count; k++) {
    if (!(e->noise[place.first + k] > 0)) {
      return cri_fail(error, CR_ERR_ARG, "--noise %s=SD is needed: the noise of what '%s' saw",
                      c->place, c->place);
    }
  }
  return CR_OK;
}

static cr_status read_run(estimate* e, cr_error* error) {
  const estimate_options* o = e->o;
  const cr_measurements_file file = {.size = sizeof file,
                                     .columns = o->column.text,
                                     .ncolumn = o->column.n,
                                     .ignored = o->ignore.text,
                                     .nignored = o->ignore.n,
                                     .rate = (cr_real)o->rate};
  CR_TRY(cr_measurements_create(&e->measured, e->setup.m, error));
  CR_TRY(cr_measurements_read(e->measured, o->files.text[1], &file, error));
  CR_TRY(find_run(e, error));
  e->nchannel = cr_measurements_channels(e->measured, e->run);
  size_t n = (size_t)e->nchannel + 1;
  e->channel = calloc(n, sizeof *e->channel);
  e->first = calloc(n, sizeof *e->first);
  e->next = calloc(n, sizeof *e->next);
  e->control = calloc(n, sizeof *e->control);
  e->count = calloc(n, sizeof *e->count);
  if (e->channel == NULL || e->first == NULL || e->next == NULL || e->control == NULL ||
      e->count == NULL) {
    return no_memory(error);
  }
  bool any = false;
  cr_real end = 0;
  for (int i = 0; i < e->nchannel; i++) {
    CR_TRY(place_channel(e, i, error));
    const cr_channel_info* c = &e->channel[i];
    if (e->first[i] >= 0) {
      e->begin = any && e->begin < c->time[0] ? e->begin : c->time[0];
      end = any && end > c->time[c->rows - 1] ? end : c->time[c->rows - 1];
      any = true;
    }
  }
  double rows = floor((double)((end - e->begin) / e->h) + 0.5) + 1;
  if (!any || rows > 1e7) {
    return cri_fail(error, CR_ERR_ARG, any ? "%s: more than 10^7 steps" : "%s: no sensor was seen",
                    o->files.text[1]);
  }
  e->rows = (int)rows;
  return CR_OK;
}

// what was seen and done up to half a step after time t: the last rows count
static void take_rows(estimate* e, cr_real t) {
  for (int k = 0; k < e->nsensordata; k++) {
    e->seen[k] = (cr_real)NAN;
  }
  for (int i = 0; i < e->nchannel; i++) {
    const cr_channel_info* c = &e->channel[i];
    cr_real* to = e->first[i] >= 0 ? e->seen + e->first[i] : e->ctrl + e->control[i];
    for (int taken = 0; e->next[i] < c->rows && c->time[e->next[i]] < t + e->h / 2; taken++) {
      memcpy(to, c->values + (ptrdiff_t)e->next[i] * e->count[i], (size_t)e->count[i] * sizeof *to);
      e->next[i]++;
      e->left_out += e->first[i] >= 0 && taken > 0;
    }
  }
}

// ---- what is not known: NAME=SD

// numbers of the place get the value; of the tangent's where it has one
static cr_status set_numbers(estimate* e, const char* option, const char* text, const char* field,
                             cr_real* to, cr_error* error) {
  char name[256];
  const char* equals = strrchr(text, '=');
  int length = equals != NULL ? (int)(equals - text) : 0;
  char* end = NULL;
  double value = equals != NULL ? cri_number(equals + 1, &end) : (double)NAN;
  cr_place_info place = {.size = sizeof place};
  if (equals == NULL || length >= (int)sizeof name || end == equals + 1 || *end != 0 ||
      !(value >= 0) || isinf(value)) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: PLACE=SD is expected, SD 0 or more", option, text);
  }
  (void)snprintf(name, sizeof name, "%.*s", length, text);
  CR_TRY(cr_model_place(e->setup.m, name, &place, error));
  const char* of = name_of(e->setup.m, place.field);
  const bool state = strcmp(field, "state") == 0;
  int part = 1;
  while (part <= ACT && strcmp(of, parts[part]) != 0) {
    part++;
  }
  if (state ? part > ACT : strcmp(of, field) != 0) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: a place of %s is expected", option, text,
                    state ? "the state" : field);
  }
  const bool tangent = place.tangent_count > 0;
  const int first =
      (tangent ? place.tangent_first : place.first) + (state ? (part - 1) * e->nv : 0);
  for (int k = 0; k < (tangent ? place.tangent_count : place.count); k++) {
    to[first + k] = (cr_real)value;
  }
  return CR_OK;
}

static cr_status read_doubts(estimate* e, cr_error* error) {
  const struct {
    const char *option, *field;
    const cr_text_list* texts;
    cr_real* to;
  } lists[] = {{"--noise", "sensordata", &e->o->noise, e->noise},
               {"--start", "state", &e->o->start, e->start},
               {"--disturbance", "qfrc_applied", &e->o->force, e->force}};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < lists[i].texts->n; k++) {
      CR_TRY(set_numbers(e, lists[i].option, lists[i].texts->text[k], lists[i].field, lists[i].to,
                         error));
    }
  }
  return CR_OK;
}

// ---- the filter

static cr_status make_room(estimate* e, cr_error* error) {
  size_t s = (size_t)e->nsensordata, x = (size_t)e->nx, v = (size_t)e->nv;
  e->noise = calloc(2 * s + 2 * x + v + (size_t)(e->nu + e->nq) + 1, sizeof *e->noise);
  if (e->noise == NULL) {
    return no_memory(error);
  }
  e->seen = e->noise + s;
  e->start = e->seen + s;
  e->force = e->start + x;
  e->ctrl = e->force + v;
  e->state = e->ctrl + e->nu;
  return CR_OK;
}

static cr_status make_filter(estimate* e, cr_error* error) {
  const cr_model* m = e->setup.m;
  cr_data* d = cr_rollout_data(e->setup.rollout);
  CR_TRY(cr_state_set(m, d, &e->begin, CR_STATE_TIME));
  memcpy(e->ctrl, cr_rollout_ctrl(e->setup.rollout), (size_t)e->nu * sizeof *e->ctrl);
  for (int i = 0; i < e->nsensordata; i++) {  // of what is never seen
    e->noise[i] = e->noise[i] > 0 ? e->noise[i] : 1;
  }
  const cr_filter_options options = {
      .size = sizeof options, .sensor_noise = e->noise, .start = e->start, .force = e->force};
  CR_TRY(cr_filter_create(&e->filter, m, d, &options, error));
  e->width = 1 + e->nq + e->nv + e->na + e->nx;
  e->table = calloc((size_t)e->rows * (size_t)e->width + 1, sizeof *e->table);
  return e->table != NULL ? CR_OK : no_memory(error);
}

static void keep(estimate* e, int row) {
  double* to = e->table + (ptrdiff_t)row * e->width;
  (void)cr_state_get(e->setup.m, cr_filter_data(e->filter), e->state, KEPT);
  for (int i = 0; i < 1 + e->nq + e->nv + e->na; i++) {
    *to++ = (double)e->state[i];
  }
  const cr_real* P = cr_filter_covariance(e->filter);
  for (int i = 0; i < e->nx; i++) {
    *to++ = sqrt(fmax((double)P[(ptrdiff_t)i * e->nx + i], 0));
  }
}

static cr_status follow(estimate* e, cr_error* error) {
  for (int k = 0; k < e->rows; k++) {
    cr_real surprise;
    int seen;
    cr_error inner = {0};
    take_rows(e, e->begin + (cr_real)k * e->h);
    cr_status status = cr_filter_correct(e->filter, e->seen, e->ctrl, &surprise, &seen, &inner);
    if (status == CR_OK) {
      e->surprise += (double)surprise;
      e->numbers += seen;
      keep(e, k);
      status = k + 1 < e->rows ? cr_filter_predict(e->filter, NULL, &inner) : CR_OK;
    }
    if (status != CR_OK) {
      return cri_fail(error, status, "step %d, %.9g s: %s", k + 1,
                      (double)(e->begin + (cr_real)k * e->h), inner.text);
    }
  }
  return CR_OK;
}

// ---- output

static cr_status write_csv(const estimate* e, cr_error* error) {
  const int widths[N_PART] = {1, e->nq, e->nv, e->na, e->nx};
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (file == NULL) {
    return no_memory(error);
  }
  (void)fprintf(file, "time");
  for (int p = 1; p < N_PART; p++) {
    for (int i = 0; i < widths[p]; i++) {
      (void)fprintf(file, ",%s[%d]", parts[p], i);
    }
  }
  for (ptrdiff_t i = 0; i < (ptrdiff_t)e->rows * e->width; i++) {
    (void)fprintf(file, i % e->width == 0 ? "\n%.17g" : ",%.17g", e->table[i]);
  }
  (void)fprintf(file, "\n");
  cr_status status = CR_ERR_MEMORY;
  if (fclose(file) == 0) {
    status = cri_file_write(e->o->csv, text, size, error);
  }
  free(text);
  return status;
}

static cr_status write_part(const estimate* e, cr_h5* file, const char* name, int first, int n,
                            double* room, cr_error* error) {
  if (n == 0) {
    return CR_OK;
  }
  for (int k = 0; k < e->rows; k++) {
    memcpy(room + (ptrdiff_t)k * n, e->table + (ptrdiff_t)k * e->width + first,
           (size_t)n * sizeof *room);
  }
  return cri_h5_write(file, name, room, e->rows, first == 0 ? 0 : n, error);
}

static cr_status write_hdf5(const estimate* e, cr_error* error) {
  cr_h5* file = NULL;
  double* room = calloc((size_t)e->rows * (size_t)e->width, sizeof *room);
  if (room == NULL) {
    return no_memory(error);
  }
  cr_status status = cri_h5_create(&file, e->o->out, error);
  const int widths[N_PART] = {1, e->nq, e->nv, e->na, e->nx};
  for (int p = 0, first = 0; p < N_PART && status == CR_OK; first += widths[p++]) {
    status = write_part(e, file, parts[p], first, widths[p], room, error);
  }
  status =
      status == CR_OK ? cri_h5_write_attribute(file, "/", "timestep", (double)e->h, error) : status;
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  free(room);
  return status;
}

static void print_json(const estimate* e, double mean) {
  cr_json j = {0};
  const cr_real* last = cr_filter_covariance(e->filter);
  cr_data* d = cr_filter_data(e->filter);
  cr_json_open(&j, NULL, '{');
  cr_json_int(&j, "rows", e->rows);
  cr_json_int(&j, "numbers", e->numbers);
  cr_json_int(&j, "left_out", e->left_out);
  cr_json_real(&j, "surprise", (cr_real)mean);
  cr_json_real(&j, "time", cr_data_time(d));
  cr_json_reals(&j, "qpos", cr_setup_view(&e->setup, d, "qpos"), e->nq);
  cr_json_reals(&j, "qvel", cr_setup_view(&e->setup, d, "qvel"), e->nv);
  cr_json_open(&j, "deviation", '[');
  for (int i = 0; i < e->nx; i++) {
    cr_json_real(&j, NULL, (cr_real)sqrt(fmax((double)last[(ptrdiff_t)i * e->nx + i], 0)));
  }
  cr_json_close(&j, ']');
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void print_text(const estimate* e, double mean) {
  (void)printf("%d steps, %ld numbers of sensors\n", e->rows, e->numbers);
  (void)printf("squared errors over their variance: %.3g, %s\n", mean,
               mean > 2     ? "more than 1: noises are too small, or the model is wrong"
               : mean < 0.5 ? "less than 1: noises are too large"
                            : "as they should be (1)");
  if (e->left_out > 0) {
    (void)printf("%d rows were left out, as others followed within a step\n", e->left_out);
  }
  cr_output_tell(e->o->csv);
  cr_output_tell(e->o->out);
}

static cr_status run(estimate* e, cr_error* error) {
  cr_setup_options setup = e->o->setup;
  if (e->o->files.n != 2) {
    return cri_fail(error, CR_ERR_ARG, "a model and a recording are expected: MODEL RUN");
  }
  setup.model_path = e->o->files.text[0];
  CR_TRY(cr_setup_load(&e->setup, &setup, error));
  CR_TRY(cr_setup_output(&setup, "--csv", e->o->csv, "csv", error));
  CR_TRY(cr_setup_output(&setup, "--out", e->o->out, "h5 hdf5", error));
  const cr_model* m = e->setup.m;
  e->h = cr_model_timestep(m);
  setup.time = (double)e->h;
  CR_TRY(cr_setup_rollout(&e->setup, &setup, NULL, 0, error));
  e->nq = e->setup.nq;
  e->nv = e->setup.nv;
  e->na = e->setup.na;
  e->nu = e->setup.nu;
  e->nx = 2 * e->nv + e->na + cr_model_count(m, "npluginstate");
  e->nsensordata = cr_model_count(m, "nsensordata");
  CR_TRY(make_room(e, error));
  CR_TRY(read_doubts(e, error));
  CR_TRY(read_run(e, error));
  CR_TRY(make_filter(e, error));
  CR_TRY(follow(e, error));
  CR_TRY(e->o->csv != NULL ? write_csv(e, error) : CR_OK);
  CR_TRY(e->o->out != NULL ? write_hdf5(e, error) : CR_OK);
  const double mean = e->numbers > 0 ? e->surprise / (double)e->numbers : (double)NAN;
  if (e->o->setup.json) {
    print_json(e, mean);
  } else {
    print_text(e, mean);
  }
  return CR_OK;
}

int cr_cli_estimate(int argc, char** argv) {
  estimate_options o = {.setup = CR_SETUP_DEFAULTS};
  const cr_option rows[] = {
      {"", CR_OPT_LIST, &o.files, "MODEL RUN",
       "a model with sensors, and a file of what they saw and of controls (docs/recordings.md)"},
      {"--noise", CR_OPT_LIST, &o.noise, "SENSOR=SD",
       "standard deviation of a sensor, in its units"},
      {"--start", CR_OPT_LIST, &o.start, "PLACE=SD",
       "of the state at the start, as qpos[hinge]=0.1 or qvel=1 (default: it is known)"},
      {"--disturbance", CR_OPT_LIST, &o.force, "PLACE=SD",
       "of forces that the model does not have, as qfrc_applied=0.5 or qfrc_applied[hinge]=2"},
      {"--column", CR_OPT_LIST, &o.column, "COLUMN=PLACE", "what a column with another name is"},
      {"--ignore", CR_OPT_LIST, &o.ignore, "COLUMN", "leave out a column"},
      {"--rate", CR_OPT_POSITIVE, &o.rate, "HZ", "rows a second, of files without times"},
      {"--run", CR_OPT_TEXT, &o.run, "NAME", "of several runs in the file"},
      {"--keyframe", CR_OPT_TEXT, &o.setup.keyframe, "K", "begin there, by name or number"},
      {"--set", CR_OPT_LIST, &o.setup.set, "NAME=VALUE",
       "state at the start or model field; VALUE may be a list a,b,c"},
      {"--ctrl", CR_OPT_LIST, &o.setup.ctrl, "NAME=VALUE", "control that the file does not have"},
      {"--integrator", CR_OPT_TEXT, &o.setup.method.integrator, "NAME", "instead of the model's"},
      {"--timestep", CR_OPT_REAL, &o.setup.method.timestep, "H",
       "time step (default: the model's)"},
      {"--csv", CR_OPT_TEXT, &o.csv, "FILE.csv", "write states and their standard deviations"},
      {"--out", CR_OPT_TEXT, &o.out, "FILE.h5", "the same as HDF5, which carom view shows"},
      CR_FORCE_OPTION(o.setup.force),
      {"--json", CR_OPT_FLAG, &o.setup.json, "", "print one JSON object"},
  };
  const cr_command_line line = {
      "estimate",
      "Estimates states from recorded sensors.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--noise --start --disturbance --csv --out --column --set --json",
      {"estimate robot.xml run.csv --noise gyro=0.01 encoder=0.002 --csv x.csv",
       "estimate robot.xml run.h5 --noise gyro=0.01 --start qvel=1 --out x.h5"}};
  cr_error error = {0};
  estimate e = {.o = &o};
  cr_help help = CR_HELP_NONE;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  status = status == CR_OK ? run(&e, &error) : status;
  int code = status == CR_OK ? 0 : cr_cli_fail("estimate", o.setup.json, &error, e.setup.report);
  cr_filter_destroy(e.filter);
  cr_measurements_destroy(e.measured);
  free(e.channel);
  free(e.first);
  free(e.next);
  free(e.control);
  free(e.count);
  free(e.noise);
  free(e.table);
  cr_setup_free(&e.setup);
  return code;
}
