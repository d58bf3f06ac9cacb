// SPDX-License-Identifier: Apache-2.0
// carom rollout: simulate, print named numbers of the last state, record.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/commands.h"
#include "cli/setup.h"
#include "io/recording.h"
#include "model/fields.h"
#include "model/file.h"
#include "model/names.h"

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

// every name is resolved before anything runs
static cr_status find_places(cr_place* places, const cr_text_list* names, const char* option,
                             const cr_model* m, cr_error* error) {
  for (int i = 0; i < names->n; i++) {
    CR_TRY(cri_place_find(&places[i], m, names->text[i], error));
    if (places[i].of_tangent) {
      return cri_fail(error, CR_ERR_NAME, "%s %s: a tangent has no value", option, names->text[i]);
    }
  }
  return CR_OK;
}

static void put_state(cr_json* j, const cr_model* m, const cr_data* d) {
  cr_json_open(j, "final", '{');
  cr_json_reals(j, "qpos", d->qpos, m->nq);
  cr_json_reals(j, "qvel", d->qvel, m->nv);
  cr_json_reals(j, "act", d->act, m->na);
  cr_json_close(j, '}');
}

static void put_place(cr_json* j, const char* name, const cr_place* place, const cr_model* m,
                      const cr_data* d) {
  const cr_real* value = cri_place_value(place, m, d);
  if (value == NULL) {
    cr_json_real(j, name, (cr_real)NAN);  // a contact that does not exist now: null
  } else {
    cr_json_numbers(j, name, value, place->count);
  }
}

static void print_json(const rollout_options* o, const cr_setup* s, const cr_place* places,
                       double seconds) {
  cr_json j = {0};
  const cr_data* d = s->rollout->d;
  cr_json_open(&j, NULL, '{');
  cr_json_real(&j, "time", d->time);
  cr_json_int(&j, "steps", cr_setup_steps(s));
  put_state(&j, &s->m, d);
  cr_json_open(&j, "print", '{');
  for (int i = 0; i < o->print.n; i++) {
    put_place(&j, o->print.text[i], &places[i], &s->m, d);
  }
  cr_json_close(&j, '}');
  cr_json_real(&j, "seconds", (cr_real)seconds);
  cr_json_open(&j, "warnings", '[');
  for (int i = 0; i < s->report.warnings.n; i++) {
    cr_json_string(&j, NULL, s->report.warnings.text[i]);
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

static void print_text(const rollout_options* o, const cr_setup* s, const cr_place* places,
                       double seconds) {
  const cr_data* d = s->rollout->d;
  for (int i = 0; i < s->report.warnings.n; i++) {
    (void)fprintf(stderr, "carom rollout: warning: %s\n", s->report.warnings.text[i]);
  }
  (void)printf("%d steps, %.9g s simulated in %.3g s\n", cr_setup_steps(s),
               (double)(d->time - s->rollout->start), seconds);
  if (o->print.n == 0) {
    print_numbers("qpos", d->qpos, s->m.nq);
    print_numbers("qvel", d->qvel, s->m.nv);
  }
  for (int i = 0; i < o->print.n; i++) {
    print_numbers(o->print.text[i], cri_place_value(&places[i], &s->m, d), places[i].count);
  }
}

static cr_status run(const rollout_options* o, cr_setup* s, cr_error* error) {
  cr_place places[CR_MAX_LIST], recorded[CR_MAX_LIST];
  cr_model variant;
  const cr_model* backward;
  CR_TRY(cr_setup_load(s, &o->setup, error));
  CR_TRY(cr_method_backward(&o->setup.method, &s->m, &variant, &backward, error));  // checked only
  CR_TRY(find_places(places, &o->print, "--print", &s->m, error));
  CR_TRY(find_places(recorded, &o->record, "--record", &s->m, error));
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
  CR_TRY(cr_setup_output(&o->setup, "--out", o->out, error));
  CR_TRY(cr_setup_output(&o->setup, "--save-model", o->save, error));
  CR_TRY(o->save != NULL ? cri_model_save(&s->m, o->save, error) : CR_OK);
  CR_TRY(cr_setup_rollout(s, &o->setup, cri_no_params, error));
  double start = now();
  CR_TRY(cr_rollout_run(s->rollout, &s->m, s->nstep, NULL, error));
  double seconds = now() - start;
  if (o->out != NULL) {
    const cr_record_list list = {o->record.text, recorded, o->record.n};
    CR_TRY(cri_recording_write_places(o->out, &s->m, s->rollout, &list, error));
  }
  if (o->print.n > 0) {  // everything named belongs to the last state
    CR_TRY(cri_rollout_forward(s->rollout, &s->m, s->nstep, error));
  }
  if (o->setup.json) {
    print_json(o, s, places, seconds);
  } else {
    print_text(o, s, places, seconds);
  }
  return CR_OK;
}

int cr_cli_rollout(int argc, char** argv) {
  rollout_options o = {.setup = CR_SETUP_DEFAULTS};
  const cr_option rows[] = {
      CR_SETUP_OPTIONS(o.setup),
      {"--print", CR_OPT_LIST, &o.print, "NAME", "numbers of the last state, as site_xpos[tip].z"},
      {"--out", CR_OPT_TEXT, &o.out, "FILE.h5", "record all states"},
      {"--record", CR_OPT_LIST, &o.record, "NAME", "with --out: numbers of every state, as gyro"},
      {"--save-model", CR_OPT_TEXT, &o.save, "FILE.crm",
       "write the model as it runs in Carom's own format, which needs no libmujoco"},
  };
  const cr_command_line line = {"rollout", "Simulates a model and prints its last state.", rows,
                                (int)(sizeof rows / sizeof rows[0])};
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
  int code = status == CR_OK ? 0 : cr_cli_fail("rollout", o.setup.json, &error, &setup.report);
  cr_setup_free(&setup);
  return code;
}
