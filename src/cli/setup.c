// SPDX-License-Identifier: Apache-2.0
// From command-line options to a rollout that is ready to run.
#include "cli/setup.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "engine/constants.h"
#include "io/controls.h"
#include "io/open.h"
#include "model/check.h"
#include "model/names.h"
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

// what are options of the command, though docs/fields.md lists them as numbers of the model
static cr_status check_option(const char* name, const char* text, cr_error* error) {
  static const char* const options[][2] = {{"timestep", "--timestep"},
                                           {"integrator", "--integrator"},
                                           {"collision", "--collision"},
                                           {"softness", "--softness"},
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

cr_status cr_setup_assign(cr_model* m, cr_data* d, const char* text, cr_error* error) {
  char name[256];
  cr_place place;
  cr_real values[MAX_VALUES];
  int n;
  CR_TRY(split_name(name, text, "--set", error));
  CR_TRY(check_option(name, text, error));
  CR_TRY(cri_place_find(&place, m, name, error));
  CR_TRY(parse_values(text, values, &n, error));
  cr_field_kind kind = cri_field(place.field)->kind;
  bool settable = kind == CR_KIND_STATE || kind == CR_KIND_PARAM || kind == CR_KIND_CONST;
  if (!settable || place.of_tangent || place.geom1 >= 0) {
    return cri_fail(error, CR_ERR_ARG, "--set %s: %s is computed, not set", text, name);
  }
  if (n != 1 && n != place.count) {
    return cri_fail(error, CR_ERR_ARG, "--set %s: %s has %d numbers, %d given", text, name,
                    place.count, n);
  }
  cr_real* to = cri_field_real(m, d, place.field) + place.first;
  for (int i = 0; i < place.count; i++) {
    to[i] = values[n == 1 ? 0 : i];
  }
  return CR_OK;
}

static bool names_state(const cr_model* m, const char* text) {
  char name[256];
  cr_place place;
  return split_name(name, text, "--set", NULL) == CR_OK &&
         cri_place_find(&place, m, name, NULL) == CR_OK && !cri_field_of_model(place.field);
}

// ---- options of the model

// what derived constants leave as the file was compiled
static void warn_of_ranges(cr_setup* s) {
  for (int i = 0; i < s->m.nactuator; i++) {
    if (s->m.actuator_gaintype[i] == CR_GAIN_MUSCLE ||
        s->m.actuator_biastype[i] == CR_BIAS_MUSCLE) {
      cri_sentence(
          &s->report.warnings,
          "--derive leaves the length ranges of muscles (actuator_lengthrange) as compiled");
      return;
    }
  }
}

cr_status cr_setup_load(cr_setup* s, const cr_setup_options* o, cr_error* error) {
  cr_urdf_options urdf;
  CR_TRY(cr_urdf_arguments(&urdf, &o->urdf, o->model_path, error));
  CR_TRY(cri_model_open_urdf(&s->m, o->model_path, &urdf, &s->report, error));
  CR_TRY(cr_method_apply(&o->method, &s->m, error));
  for (int i = 0; i < o->set.n; i++) {
    if (!names_state(&s->m, o->set.text[i])) {
      CR_TRY(cr_setup_assign(&s->m, NULL, o->set.text[i], error));
    }
  }
  CR_TRY(cri_model_check(&s->m, error));
  if (!o->derive) {
    return CR_OK;
  }
  warn_of_ranges(s);
  return cr_model_derive(&s->m, error);
}

bool cr_setup_names_hdf5(const char* path) {
  const char* dot = strrchr(path, '.');
  return dot != NULL && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

cr_status cr_setup_output(const cr_setup_options* o, const char* option, const char* path,
                          cr_error* error) {
  if (path == NULL) {
    return CR_OK;
  }
  if (cri_file_same(path, o->model_path)) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: that is the model", option, path);
  }
  if (strcmp(option, "--out") == 0 && !cr_setup_names_hdf5(path)) {
    return cri_fail(error, CR_ERR_ARG, CR_SETUP_HDF5, path);
  }
  return cri_file_writable(path, error);
}

// ---- state and controls

// the time from one row of controls to the next
static double row_time(const cr_setup_options* o, const cr_model* m) {
  if (!cr_method_is_adaptive(&o->method)) {
    return (double)m->timestep;
  }
  bool varying = false;
  for (int i = 0; i < o->ctrl.n; i++) {
    varying = varying || strchr(o->ctrl.text[i], '=') == NULL;
  }
  return o->method.grid > 0 ? o->method.grid : varying ? (double)m->timestep : o->time;
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

static cr_status start_from_keyframe(const cr_model* m, cr_data* d, const char* name,
                                     cr_error* error) {
  char* end;
  int k = cri_object_find(m, "nkey", name, strlen(name));
  if (k < 0) {
    long number = strtol(name, &end, 10);
    k = *name != 0 && *end == 0 && number >= 0 && number < m->nkey ? (int)number : -1;
  }
  if (k < 0) {
    return cri_fail(error, CR_ERR_NAME, "--keyframe %s: the model has %d keyframes, none is that",
                    name, m->nkey);
  }
  d->time = m->key_time[k];
  cr_copy(d->qpos, m->key_qpos + (size_t)k * (size_t)m->nq, m->nq);
  cr_copy(d->qvel, m->key_qvel + (size_t)k * (size_t)m->nv, m->nv);
  cr_copy(d->act, m->key_act + (size_t)k * (size_t)m->na, m->na);
  cr_copy(d->ctrl, m->key_ctrl + (size_t)k * (size_t)m->nu, m->nu);
  cr_copy(d->mocap_pos, m->key_mpos + 3 * (size_t)k * (size_t)m->nmocap, 3 * m->nmocap);
  cr_copy(d->mocap_quat, m->key_mquat + 4 * (size_t)k * (size_t)m->nmocap, 4 * m->nmocap);
  return CR_OK;
}

static void repeat_control(const cr_model* m, cr_rollout* r, int nstep) {
  for (int k = 0; k < nstep; k++) {
    cr_copy(r->ctrl + (size_t)k * (size_t)m->nu, r->d->ctrl, m->nu);
  }
}

enum { MAX_ASSIGNMENT = 8192 };

// a file has all controls: nothing beside it would count
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
      CR_TRY(cr_setup_assign(&s->m, s->rollout->d, assignment, error));
    }
  }
  repeat_control(&s->m, s->rollout, s->nstep);
  for (int i = 0; i < o->ctrl.n; i++) {
    if (strchr(o->ctrl.text[i], '=') == NULL) {
      CR_TRY(cri_controls_read(s->rollout->ctrl, &s->m, s->nstep, (cr_real)(o->time / s->nstep),
                               o->ctrl.text[i], error));
    }
  }
  return CR_OK;
}

static cr_status check_mocap(const cr_model* m, const cr_data* d, cr_error* error) {
  for (int i = 0; i < m->nmocap; i++) {
    cr_real norm = 0;
    for (int k = 0; k < 4; k++) {
      norm += d->mocap_quat[4 * i + k] * d->mocap_quat[4 * i + k];
    }
    if (fabs(norm - 1) > 2e-6) {
      return cri_fail(error, CR_ERR_ARG, "mocap_quat[%d] has length %.9g, not 1", i, sqrt(norm));
    }
  }
  return CR_OK;
}

cr_status cr_setup_rollout(cr_setup* s, const cr_setup_options* o, const bool* wanted,
                           cr_error* error) {
  CR_TRY(count_steps(&s->nstep, o, &s->m, error));
  CR_TRY(cri_rollout_create(&s->rollout, &s->m, s->nstep, wanted, error));
  double grid = o->time / s->nstep;
  CR_TRY(cr_method_rollout(&o->method, &s->m, grid, s->rollout, error));
  cr_data* d = s->rollout->d;
  if (o->keyframe != NULL) {
    CR_TRY(start_from_keyframe(&s->m, d, o->keyframe, error));
  }
  for (int i = 0; i < o->set.n; i++) {
    if (names_state(&s->m, o->set.text[i])) {
      CR_TRY(cr_setup_assign(&s->m, d, o->set.text[i], error));
    }
  }
  CR_TRY(cri_qpos_check(&s->m, d->qpos, error));
  CR_TRY(check_mocap(&s->m, d, error));
  return set_controls(s, o, error);
}

int cr_setup_steps(const cr_setup* s) {
  int accepted, rejected, events;
  cr_rollout_steps(s->rollout, &accepted, &rejected, &events);
  return s->rollout->adaptive ? accepted : s->nstep;
}

void cr_setup_free(cr_setup* s) {
  cr_rollout_free(s->rollout);
  cri_model_free(&s->m);
  cri_load_report_free(&s->report);
}

// ---- failure

static void put_sentences(cr_json* j, const char* key, const cr_sentences* list) {
  cr_json_open(j, key, '[');
  for (int i = 0; i < list->n; i++) {
    cr_json_string(j, NULL, list->text[i]);
  }
  cr_json_close(j, ']');
}

int cr_cli_no_memory(const char* command) {
  const cr_error error = {CR_ERR_MEMORY, "no memory"};
  return cr_cli_fail(command, false, &error, NULL);
}

int cr_cli_fail(const char* command, bool json, const cr_error* error,
                const cr_load_report* report) {
  bool refused = report != NULL && error->status == CR_ERR_UNSUPPORTED;
  if (refused) {
    for (int i = 0; i < report->unsupported.n; i++) {
      (void)fprintf(stderr, "carom %s: %s\n", command, report->unsupported.text[i]);
    }
  } else {
    (void)fprintf(stderr, "carom %s: %s\n", command, error->text);
  }
  if (json) {
    cr_json j = {0};
    cr_json_open(&j, NULL, '{');
    cr_json_string(&j, "error", error->text);
    if (refused) {
      put_sentences(&j, "unsupported", &report->unsupported);
    }
    cr_json_close(&j, '}');
    cr_json_finish(&j);
  }
  return cr_status_exit_code(error->status);
}
