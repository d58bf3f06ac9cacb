// SPDX-License-Identifier: Apache-2.0
// From command-line options to a rollout that is ready to run.
#include "command/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/nearest.h"
#include "tools/files.h"

// ---- --set

enum { MAX_VALUES = 1024 };

static cr_status parse_values(const char* text, cr_real* values, int* n, cr_error* error) {
  *n = 0;
  for (const char* at = strchr(text, '=') + 1;; at++) {
    char* end;
    double value = cri_number(at, &end);
    if (end == at || (*end != 0 && *end != ',') || *n == MAX_VALUES) {
      return cri_fail(error, CR_ERR_ARG, "--set %s: '%s' is not a number", text, at);
    }
    if (!isfinite(value)) {
      return cri_fail(error, CR_ERR_ARG, "--set %s: the value is not finite", text);
    }
    values[(*n)++] = (cr_real)value;
    at = end;
    if (*end == 0) {
      return CR_OK;
    }
  }
}

static cr_status split_name(char name[256], const char* text, const char* option, cr_error* error) {
  const char* equals = strchr(text, '=');
  size_t length = equals == NULL ? 0 : (size_t)(equals - text);
  if (length == 0 || length >= 256) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: NAME=VALUE expected", option, text);
  }
  memcpy(name, text, length);
  name[length] = 0;
  return CR_OK;
}

// numbers of the model in docs/fields.md that are options of the command
static cr_status check_option(const char* name, const char* text, cr_error* error) {
  static const char* const options[][2] = {{"timestep", "--timestep"},
                                           {"integrator", "--integrator"},
                                           {"collision", "--collision"},
                                           {"softness", "--softness"},
                                           {"contact_model", "--contact-model"},
                                           {"friction_law", "--friction-law"},
                                           {"cfd", "--cfd"},
                                           {"muscle_smooth", "--muscle-smooth"},
                                           {"cfd_dc", "--cfd"},
                                           {"cfd_d0", "--cfd"},
                                           {"cfd_wc", "--cfd"},
                                           {"cfd_mc", "--cfd"},
                                           {"cfd_pc", "--cfd"},
                                           {"cfd_scale", "--cfd"},
                                           {"time", "--time"}};
  static const char* const of_file[] = {"impratio",       "tolerance",    "cone",
                                        "iterations",     "disableflags", "enableflags",
                                        "disableactuator"};
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    if (strcmp(name, options[i][0]) == 0) {
      return cri_fail(error, CR_ERR_NAME, "--set %s: that is an option: %s", text, options[i][1]);
    }
  }
  for (size_t i = 0; i < sizeof of_file / sizeof of_file[0]; i++) {
    if (strcmp(name, of_file[i]) == 0) {
      return cri_fail(error, CR_ERR_NAME, "--set %s: %s is set in the model file, as an option",
                      text, name);
    }
  }
  return CR_OK;
}

// target of a --set
typedef struct {
  char name[256];
  bool of_model;
  int count;
  cr_real values[MAX_VALUES];
  cr_real* many;  // for more numbers than that, of one value
} assigned;

// a NAME=VALUE, taken apart and checked against the model
static cr_status read_assignment(assigned* a, const cr_model* m, const char* text,
                                 cr_error* error) {
  cr_place_info place = {.size = sizeof place};
  cr_field_info field = {.size = sizeof field};
  int n;
  a->many = NULL;
  CR_TRY(split_name(a->name, text, "--set", error));
  CR_TRY(check_option(a->name, text, error));
  CR_TRY(cr_model_place(m, a->name, &place, error));
  CR_TRY(parse_values(text, a->values, &n, error));
  CR_TRY(cr_field_get(m, place.field, &field, error));
  a->of_model = field.kind == CR_KIND_PARAM || field.kind == CR_KIND_CONST;
  bool tangent = place.count == 0 && place.tangent_count > 0;
  if ((!a->of_model && field.kind != CR_KIND_STATE) || tangent || place.contact) {
    return cri_fail(error, CR_ERR_ARG, "--set %s: %s is computed, not set", text, a->name);
  }
  a->count = place.count;
  if (n != 1 && n != place.count) {
    return cri_fail(error, CR_ERR_ARG, "--set %s: %s has %d numbers, %d given", text, a->name,
                    place.count, n);
  }
  if (place.count > MAX_VALUES) {
    a->many = malloc((size_t)place.count * sizeof *a->many);
    if (a->many == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "--set %s: no memory", text);
    }
  }
  cr_real *to = a->many != NULL ? a->many : a->values, first = a->values[0];
  for (int i = 0; i < place.count && n == 1; i++) {
    to[i] = first;
  }
  return CR_OK;
}

static const cr_real* values_of(const assigned* a) { return a->many != NULL ? a->many : a->values; }

// a --set of the state
static cr_status assign(const cr_model* m, cr_data* d, const char* text, cr_error* error) {
  assigned a;
  cr_status status = read_assignment(&a, m, text, error);
  if (status == CR_OK && a.count > 0) {
    status = cr_data_set(m, d, a.name, values_of(&a), a.count, error);
  }
  free(a.many);
  return status;
}

// the values of model fields, all at once; the others wait for a state
static cr_status assign_model(cr_model* m, const cr_text_list* set, cr_error* error) {
  const char* names[CR_MAX_LIST];
  const cr_real* values[CR_MAX_LIST];
  assigned* list = calloc(CR_MAX_LIST, sizeof *list);
  if (list == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "--set: no memory");
  }
  int n = 0, read = 0;
  cr_status status = CR_OK;
  while (read < set->n && status == CR_OK) {
    assigned* a = &list[read];
    status = read_assignment(a, m, set->text[read++], error);
    if (status == CR_OK && a->of_model) {
      names[n] = a->name;
      values[n++] = values_of(a);
    }
  }
  status = status == CR_OK ? cr_model_set_many(m, names, values, n, error) : status;
  for (int i = 0; i < read; i++) {
    free(list[i].many);
  }
  free(list);
  return status;
}

static bool names_state(const cr_model* m, const char* text) {
  char name[256];
  cr_place_info place = {.size = sizeof place};
  cr_field_info field = {.size = sizeof field};
  return split_name(name, text, "--set", NULL) == CR_OK &&
         cr_model_place(m, name, &place, NULL) == CR_OK &&
         cr_field_get(m, place.field, &field, NULL) == CR_OK && field.kind >= CR_KIND_STATE;
}

cr_real* cr_setup_view(const cr_setup* s, cr_data* d, const char* name) {
  return cr_data_view(s->m, d, name, NULL, NULL);
}

// ---- options of the model

// derived constants that stay as compiled
static bool has_muscle(const cr_model* m) {
  enum { MUSCLE = 2 };  // of actuator_gaintype and actuator_biastype
  const int32_t* gain = cr_model_integers(m, "actuator_gaintype", NULL, NULL);
  const int32_t* bias = cr_model_integers(m, "actuator_biastype", NULL, NULL);
  for (int i = 0; i < cr_model_count(m, "nactuator"); i++) {
    if (gain[i] == MUSCLE || bias[i] == MUSCLE) {
      return true;
    }
  }
  return false;
}

const char* cr_setup_warning(const cr_setup* s, int i) {
  int found = cr_load_report_count(s->report, CR_LOAD_WARNING);
  if (i == found && s->derived) {
    return "--derive leaves the length ranges of muscles (actuator_lengthrange) as compiled";
  }
  return cr_load_report_get(s->report, CR_LOAD_WARNING, i);
}

cr_status cr_setup_load(cr_setup* s, const cr_setup_options* o, cr_error* error) {
  cr_urdf_options urdf;
  CR_TRY(cr_urdf_arguments(&urdf, &o->urdf, o->model_path, error));
  CR_TRY(cr_load_report_create(&s->report, error));
  CR_TRY(cr_model_open_report(&s->m, o->model_path, &urdf, s->report, error));
  CR_TRY(o->blueprint != NULL ? cr_model_read_blueprint(s->m, o->blueprint, error) : CR_OK);
  s->nq = cr_model_count(s->m, "nq");
  s->nv = cr_model_count(s->m, "nv");
  s->na = cr_model_count(s->m, "na");
  s->nu = cr_model_count(s->m, "nu");
  CR_TRY(cr_method_apply(&o->method, s->m, error));
  CR_TRY(assign_model(s->m, &o->set, error));
  if (!o->derive) {
    return CR_OK;
  }
  s->derived = has_muscle(s->m);
  return cr_model_derive(s->m, error);
}

cr_status cr_setup_output(const cr_setup_options* o, const char* option, const char* path,
                          const char* endings, cr_error* error) {
  if (path != NULL && cri_file_same(path, o->model_path)) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: this file is the model; choose another name", option,
                    path);
  }
  return cr_output_check(option, path, endings, o->force, error);
}

// ---- state and controls

// time between two rows of controls
static double row_time(const cr_setup_options* o, const cr_model* m) {
  if (!cr_method_is_adaptive(&o->method)) {
    return (double)cr_model_timestep(m);
  }
  bool varying = false;
  for (int i = 0; i < o->ctrl.n; i++) {
    varying = varying || strchr(o->ctrl.text[i], '=') == NULL;
  }
  return o->method.grid > 0 ? o->method.grid : varying ? (double)cr_model_timestep(m) : o->time;
}

static cr_status count_steps(int* nstep, const cr_setup_options* o, const cr_model* m,
                             cr_error* error) {
  double row = row_time(o, m), steps = o->time / row;
  if (!(o->time > 0) || steps > 1e9) {
    return cri_fail(error, CR_ERR_ARG, "--time %.9g: a positive time of at most 1e9 steps expected",
                    o->time);
  }
  *nstep = (int)(steps + 0.5);
  if (*nstep < 1 || fabs(steps - *nstep) > 1e-6 * steps + 1e-6) {
    return cri_fail(error, CR_ERR_ARG, "--time %.9g is not a multiple of the %s %.9g", o->time,
                    cr_method_is_adaptive(&o->method) ? "grid" : "time step", row);
  }
  return CR_OK;
}

cr_status cr_setup_keyframe(const cr_model* m, cr_data* d, const char* name, cr_error* error) {
  char* end;
  int k = cr_model_id(m, "keyframe", name), nkey = cr_model_count(m, "nkey");
  if (k < 0) {
    long number = strtol(name, &end, 10);
    k = *name != 0 && *end == 0 && number >= 0 && number < nkey ? (int)number : -1;
  }
  if (k < 0) {
    cri_nearest nearest;
    cri_nearest_begin(&nearest, name, strlen(name));
    for (int i = 0; i < nkey; i++) {
      cri_nearest_offer(&nearest, cr_model_name(m, "keyframe", i));
    }
    return cri_fail(error, CR_ERR_NAME,
                    "--keyframe %s: the model has %d keyframes, none with this name or number%s",
                    name, nkey, cri_nearest_hint(&nearest));
  }
  return cr_data_reset_keyframe(m, d, k);
}

static void repeat_control(const cr_setup* s) {
  const cr_real* ctrl = cr_setup_view(s, cr_rollout_data(s->rollout), "ctrl");
  cr_real* to = cr_rollout_ctrl(s->rollout);
  for (int k = 0; k < s->nstep; k++) {
    memcpy(to + (size_t)k * (size_t)s->nu, ctrl, (size_t)s->nu * sizeof *to);
  }
}

enum { MAX_ASSIGNMENT = 8192 };

// a file gives all controls: other options for controls would have no effect
static cr_status check_controls(const cr_setup_options* o, cr_error* error) {
  const char* file = NULL;
  for (int i = 0; i < o->ctrl.n; i++) {
    file = strchr(o->ctrl.text[i], '=') == NULL ? o->ctrl.text[i] : file;
  }
  for (int i = 0; i < o->ctrl.n && file != NULL; i++) {
    if (o->ctrl.text[i] != file) {
      return cri_fail(error, CR_ERR_ARG, "--ctrl %s: --ctrl %s gives all controls already",
                      o->ctrl.text[i], file);
    }
  }
  return CR_OK;
}

static cr_status set_controls(cr_setup* s, const cr_setup_options* o, cr_error* error) {
  CR_TRY(check_controls(o, error));
  for (int i = 0; i < o->ctrl.n; i++) {
    const char* text = o->ctrl.text[i];
    if (strchr(text, '=') != NULL) {
      char assignment[MAX_ASSIGNMENT];
      bool whole = strncmp(text, "ctrl=", 5) == 0 || strncmp(text, "ctrl[", 5) == 0;
      size_t length = strcspn(text, "=");
      int n = snprintf(assignment, sizeof assignment, "%s%.*s%s%s", whole ? "" : "ctrl[",
                       (int)length, text, whole ? "" : "]", text + length);
      if (n < 0 || (size_t)n >= sizeof assignment) {
        return cri_fail(error, CR_ERR_ARG, "--ctrl %.40s...: too long", text);
      }
      CR_TRY(assign(s->m, cr_rollout_data(s->rollout), assignment, error));
    }
  }
  repeat_control(s);
  for (int i = 0; i < o->ctrl.n; i++) {
    if (strchr(o->ctrl.text[i], '=') == NULL) {
      CR_TRY(cr_controls_read(s->m, o->ctrl.text[i], s->nstep, (cr_real)(o->time / s->nstep),
                              cr_rollout_ctrl(s->rollout), error));
    }
  }
  return CR_OK;
}

cr_status cr_setup_count(cr_setup* s, const cr_setup_options* o, cr_error* error) {
  return count_steps(&s->nstep, o, s->m, error);
}

cr_status cr_setup_fill(cr_setup* s, const cr_setup_options* o, cr_rollout* r, cr_error* error) {
  double grid = o->time / s->nstep;
  s->rollout = r;
  CR_TRY(cr_method_rollout(&o->method, s->m, grid, r, error));
  cr_data* d = cr_rollout_data(r);
  if (o->keyframe != NULL) {
    CR_TRY(cr_setup_keyframe(s->m, d, o->keyframe, error));
  }
  for (int i = 0; i < o->set.n; i++) {
    if (names_state(s->m, o->set.text[i])) {
      CR_TRY(assign(s->m, d, o->set.text[i], error));
    }
  }
  CR_TRY(cr_data_check(s->m, d, error));
  return set_controls(s, o, error);
}

cr_status cr_setup_rollout(cr_setup* s, const cr_setup_options* o, const char* const* parameters,
                           int nparameter, cr_error* error) {
  CR_TRY(cr_setup_count(s, o, error));
  CR_TRY(cr_rollout_create(&s->rollout, s->m, s->nstep, parameters, nparameter, error));
  return cr_setup_fill(s, o, s->rollout, error);
}

int cr_setup_steps(const cr_setup* s, const cr_setup_options* o) {
  int accepted;
  cr_rollout_steps(s->rollout, &accepted, NULL, NULL);
  return cr_method_is_adaptive(&o->method) ? accepted : s->nstep;
}

void cr_setup_free(cr_setup* s) {
  cr_rollout_destroy(s->rollout);
  cr_model_destroy(s->m);
  cr_load_report_destroy(s->report);
}

// ---- failure

void cr_put_findings(cr_json* j, const char* key, const cr_load_report* report,
                     cr_load_finding kind) {
  cr_json_open(j, key, '[');
  for (int i = 0; i < cr_load_report_count(report, kind); i++) {
    cr_json_string(j, NULL, cr_load_report_get(report, kind, i));
  }
  cr_json_close(j, ']');
}

int cr_cli_no_memory(const char* command) {
  const cr_error error = {CR_ERR_MEMORY, "no memory"};
  return cr_cli_fail(command, false, &error, NULL);
}

int cr_cli_fail(const char* command, bool json, const cr_error* error,
                const cr_load_report* report) {
  bool refused = report != NULL && error->status == CR_ERR_UNSUPPORTED &&
                 cr_load_report_count(report, CR_LOAD_UNSUPPORTED) > 0;
  if (refused) {
    for (int i = 0; i < cr_load_report_count(report, CR_LOAD_UNSUPPORTED); i++) {
      (void)fprintf(stderr, "carom %s: %s\n", command,
                    cr_load_report_get(report, CR_LOAD_UNSUPPORTED, i));
    }
  } else {
    (void)fprintf(stderr, "carom %s: %s\n", command, error->text);
  }
  if (json) {
    cr_json j = {0};
    cr_json_open(&j, NULL, '{');
    cr_json_string(&j, "error", error->text);
    if (refused) {
      cr_put_findings(&j, "unsupported", report, CR_LOAD_UNSUPPORTED);
    }
    cr_json_close(&j, '}');
    cr_json_finish(&j);
  }
  return cr_status_exit_code(error->status);
}
