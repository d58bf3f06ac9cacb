// SPDX-License-Identifier: Apache-2.0
// carom rollout: simulate, print named numbers of the last state, record.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/commands.h"
#include "command/labels.h"
#include "command/setup.h"

typedef struct {
  cr_setup_options setup;
  cr_text_list print, record;
  const char* out;
  const char* save;
} rollout_options;

static double now(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// every name is resolved before anything runs; counts may be NULL
static cr_status find_places(int* counts, const cr_text_list* names, const char* option,
                             const cr_model* m, cr_error* error) {
  for (int i = 0; i < names->n; i++) {
    cr_place_info place = {.size = sizeof place};
    CR_TRY(cr_model_place(m, names->text[i], &place, error));
    if (place.count == 0 && place.tangent_count > 0) {
      return cri_fail(error, CR_ERR_NAME, "%s %s: a tangent has no value", option, names->text[i]);
    }
    if (counts != NULL) {
      counts[i] = place.count;
    }
  }
  return CR_OK;
}

// the output: the state, and numbers by name, one after the other
typedef struct {
  const cr_setup* s;
  const cr_text_list* names;
  int counts[CR_MAX_LIST];
  cr_real* values;
  double seconds;
  cr_real start;  // time
  const char *out, *save;
} results;

static cr_status take_values(results* r, cr_error* error) {
  size_t n = 0;
  for (int i = 0; i < r->names->n; i++) {
    n += (size_t)r->counts[i];
  }
  r->values = malloc((n + 1) * sizeof *r->values);
  if (r->values == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "--print: no memory for %zu numbers", n);
  }
  // everything named belongs to the last state
  const cr_setup* s = r->s;
  CR_TRY(cr_rollout_forward(s->rollout, s->m, s->nstep, error));
  cr_real* to = r->values;
  for (int i = 0; i < r->names->n; i++) {
    CR_TRY(
        cr_data_get(s->m, cr_rollout_data(s->rollout), r->names->text[i], to, r->counts[i], error));
    to += r->counts[i];
  }
  return CR_OK;
}

// contacts come and go
static bool is_missing(const results* r, int i, const cr_real* values) {
  cr_place_info place = {.size = sizeof place};
  bool known = cr_model_place(r->s->m, r->names->text[i], &place, NULL) == CR_OK;
  return known && place.contact && r->counts[i] > 0 && isnan(values[0]);
}

// what the output has of the last state
static const char* const evolves[] = {"qpos", "qvel", "act"};
enum { N_EVOLVES = 3 };

static void put_state(cr_json* j, const cr_setup* s, cr_data* d) {
  cr_json_open(j, "final", '{');
  for (int i = 0; i < N_EVOLVES; i++) {
    int rows, width;
    const cr_real* value = cr_data_view(s->m, d, evolves[i], &rows, &width);
    cr_json_reals(j, evolves[i], value, rows * width);
  }
  cr_json_close(j, '}');
}

static void print_json(const results* r, const cr_setup_options* o) {
  cr_json j = {0};
  const cr_setup* s = r->s;
  cr_data* d = cr_rollout_data(s->rollout);
  cr_json_open(&j, NULL, '{');
  cr_json_real(&j, "time", cr_data_time(d));
  cr_json_int(&j, "steps", cr_setup_steps(s, o));
  put_state(&j, s, d);
  cr_json_open(&j, "print", '{');
  const cr_real* value = r->values;
  for (int i = 0; i < r->names->n; i++) {
    if (is_missing(r, i, value)) {
      cr_json_real(&j, r->names->text[i], (cr_real)NAN);  // null
    } else {
      cr_json_numbers(&j, r->names->text[i], value, r->counts[i]);
    }
    value += r->counts[i];
  }
  cr_json_close(&j, '}');
  cr_json_real(&j, "seconds", (cr_real)r->seconds);
  cr_json_open(&j, "warnings", '[');
  for (int i = 0; cr_setup_warning(s, i) != NULL; i++) {
    cr_json_string(&j, NULL, cr_setup_warning(s, i));
  }
  cr_json_close(&j, ']');
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void print_numbers(const char* name, const cr_real* value, int n) {
  (void)printf("%s =", name);
  for (int i = 0; value != NULL && i < n; i++) {
    (void)printf(" %.12g", (double)value[i]);
  }
  (void)printf("%s\n", value == NULL ? " (no such contact now)" : "");
}

// a line for each number of the state, with its name
static void print_state(const cr_setup* s, cr_data* d) {
  char name[CR_NUMBER_NAME];
  for (int i = 0; i < N_EVOLVES; i++) {
    int rows, width;
    const cr_real* value = cr_data_view(s->m, d, evolves[i], &rows, &width);
    for (int k = 0; k < rows * width; k++) {
      cr_label(s->m, evolves[i], k, false, name);
      (void)printf("%s = %.12g\n", name, (double)value[k]);
    }
  }
}

static void print_text(const results* r, const cr_setup_options* o) {
  const cr_setup* s = r->s;
  cr_data* d = cr_rollout_data(s->rollout);
  for (int i = 0; cr_setup_warning(s, i) != NULL; i++) {
    (void)fprintf(stderr, "carom rollout: warning: %s\n", cr_setup_warning(s, i));
  }
  (void)printf("%d steps, %.9g s simulated in %.3g s\n", cr_setup_steps(s, o),
               (double)(cr_data_time(d) - r->start), r->seconds);
  if (r->names->n == 0) {
    print_state(s, d);
  }
  const cr_real* value = r->values;
  for (int i = 0; i < r->names->n; i++) {
    print_numbers(r->names->text[i], is_missing(r, i, value) ? NULL : value, r->counts[i]);
    value += r->counts[i];
  }
  cr_output_tell(r->out);
  cr_output_tell(r->save);
}

static cr_status check_files(const rollout_options* o, cr_error* error) {
  if (o->record.n > 0 && o->out == NULL) {
    return cri_fail(error, CR_ERR_ARG, "--record %s: needs --out", o->record.text[0]);
  }
  if (o->out != NULL && o->save != NULL && strcmp(o->out, o->save) == 0) {
    return cri_fail(error, CR_ERR_ARG, "--out and --save-model: both %s", o->out);
  }
  if (o->out != NULL && o->setup.method.memory != NULL) {
    return cri_fail(error, CR_ERR_ARG, "--out records all states: not within --memory %s",
                    o->setup.method.memory);
  }
  CR_TRY(cr_setup_output(&o->setup, "--out", o->out, "h5 hdf5 csv", error));
  return cr_setup_output(&o->setup, "--save-model", o->save, NULL, error);
}

static cr_status simulate(const rollout_options* o, cr_setup* s, results* r, cr_error* error) {
  CR_TRY(cr_setup_rollout(s, &o->setup, NULL, 0, error));
  r->start = cr_data_time(cr_rollout_data(s->rollout));
  double start = now();
  CR_TRY(cr_rollout_run(s->rollout, s->m, s->nstep, NULL, error));
  r->seconds = now() - start;
  if (o->out != NULL) {
    CR_TRY(cr_rollout_save(s->rollout, s->m, o->out, o->record.text, o->record.n, error));
  }
  return o->print.n > 0 ? take_values(r, error) : CR_OK;
}

static cr_status run(const rollout_options* o, cr_setup* s, cr_error* error) {
  cr_model* variant;
  results r = {.s = s, .names = &o->print, .out = o->out, .save = o->save};
  CR_TRY(cr_setup_load(s, &o->setup, error));
  CR_TRY(cr_method_backward(&o->setup.method, s->m, &variant, error));  // checked only
  cr_model_destroy(variant);
  CR_TRY(find_places(r.counts, &o->print, "--print", s->m, error));
  CR_TRY(find_places(NULL, &o->record, "--record", s->m, error));
  CR_TRY(check_files(o, error));
  CR_TRY(o->save != NULL ? cr_model_save(s->m, o->save, error) : CR_OK);
  cr_status status = simulate(o, s, &r, error);
  if (status == CR_OK && o->setup.json) {
    print_json(&r, &o->setup);
  } else if (status == CR_OK) {
    print_text(&r, &o->setup);
  }
  free(r.values);
  return status;
}

int cr_cli_rollout(int argc, char** argv) {
  rollout_options o = {.setup = CR_SETUP_DEFAULTS};
  const cr_option rows[] = {
      CR_SETUP_OPTIONS(o.setup),
      {"--print", CR_OPT_LIST, &o.print, "NAME", "numbers of the last state, as site_xpos[tip].z"},
      {"--out", CR_OPT_TEXT, &o.out, "FILE.h5|FILE.csv",
       "record all states; as a table where the name ends in .csv"},
      {"--record", CR_OPT_LIST, &o.record, "NAME", "with --out: numbers of every state, as gyro"},
      {"--save-model", CR_OPT_TEXT, &o.save, "FILE.crm",
       "write the model as it runs in Carom's own format, which needs no libmujoco"},
  };
  const cr_command_line line = {
      "rollout",
      "Simulates a model and prints its last state.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--time --ctrl --set --keyframe --print --out --record --json "
      "--timestep --integrator --rtol",
      {"rollout examples/arm.xml --time 2 --ctrl shoulder=0.5 --out swing.h5",
       "rollout examples/cube_toss.xml --time 0.5 --set 'qvel[4]=-6' --print "
       "'qpos[cube].z'"}};
  cr_error error = {0};
  cr_setup setup = {0};
  cr_help help = CR_HELP_NONE;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  if (status == CR_OK) {
    status = run(&o, &setup, &error);
  }
  int code = status == CR_OK ? 0 : cr_cli_fail("rollout", o.setup.json, &error, setup.report);
  cr_setup_free(&setup);
  return code;
}
