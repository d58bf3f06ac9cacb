// SPDX-License-Identifier: Apache-2.0
// From options to an integrator, tolerances and a backward pass.
#include "command/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "carom/fields.h"

bool cr_method_is_adaptive(const cr_method_options* o) { return o->rtol > 0 || o->atol > 0; }

// ---- memory

cr_status cr_method_memory(const cr_method_options* o, size_t* bytes, cr_error* error) {
  static const char units[] = "KMG";
  *bytes = 0;
  if (o->memory == NULL) {
    return CR_OK;
  }
  char* end;
  double number = cri_number(o->memory, &end);
  const char* unit = *end != 0 ? strchr(units, *end) : NULL;
  for (int i = 0; unit != NULL && i <= unit - units; i++) {
    number *= 1024;
  }
  bool whole = end != o->memory && (*end == 0 || (unit != NULL && end[1] == 0));
  if (!whole || !(number >= 1 && number < 1e15)) {
    return cri_fail(error, CR_ERR_ARG, "--memory %s: bytes expected, as 500000, 64M or 1.5G",
                    o->memory);
  }
  *bytes = (size_t)number;
  return CR_OK;
}

// ---- integrator, steps, collision detection

static cr_status check_choice(const cr_method_options* o, const char* name, const char* given,
                              const char* usual, const char* other, cr_error* error) {
  if (given != NULL && strcmp(given, usual) != 0 && strcmp(given, other) != 0) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: %s or %s expected", name, given, usual, other);
  }
  if (given != NULL && !cr_method_is_adaptive(o)) {
    return cri_fail(error, CR_ERR_ARG, "%s: only with --rtol or --atol", name);
  }
  return CR_OK;
}

static cr_status check_adaptive(const cr_method_options* o, cr_error* error) {
  static const char* const names[] = {"--grid", "--first-step", "--largest-step"};
  const double values[] = {o->grid, o->first_step, o->largest_step};
  for (int i = 0; i < 3; i++) {
    if (values[i] > 0 && !cr_method_is_adaptive(o)) {
      return cri_fail(error, CR_ERR_ARG, "%s: only with --rtol or --atol", names[i]);
    }
  }
  CR_TRY(check_choice(o, "--controls", o->controls, "held", "linear", error));
  CR_TRY(check_choice(o, "--rotations", o->rotations, "manifold", "quaternion", error));
  if (o->events && !cr_method_is_adaptive(o)) {
    return cri_fail(error, CR_ERR_ARG, "--events: only with --rtol or --atol");
  }
  if (o->max_steps > 0 && !cr_method_is_adaptive(o)) {
    return cri_fail(error, CR_ERR_ARG, "--max-steps %d: only with --rtol or --atol", o->max_steps);
  }
  return CR_OK;
}

static cr_status set_collision(const cr_method_options* o, cr_model* m, cr_error* error) {
  if (o->collision != NULL) {
    CR_TRY(cr_model_set_choice(m, "collision", o->collision, error));
  }
  if (!(o->softness > 0)) {
    return CR_OK;
  }
  const char* collision = cr_model_get_choice(m, "collision");
  if (collision == NULL || strcmp(collision, "hard") == 0) {
    return cri_fail(error, CR_ERR_ARG, "--softness: only with --collision soft or smooth");
  }
  return cr_model_set_option(m, "softness", (cr_real)o->softness, error);
}

// laws that are no potential need normal and tangents in place of a pyramid's edges
static cr_status set_contact_model(const cr_method_options* o, cr_model* m, cr_error* error) {
  if (o->contact_model != NULL) {
    CR_TRY(cr_model_set_choice(m, "contact_model", o->contact_model, error));
    CR_TRY(strcmp(o->contact_model, "convex") == 0
               ? CR_OK
               : cr_model_set_choice(m, "cone", "elliptic", error));
  }
  if (o->friction_law == NULL) {
    return CR_OK;
  }
  const char* contact_model = cr_model_get_choice(m, "contact_model");
  if (contact_model == NULL || strcmp(contact_model, "hunt_crossley") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--friction-law: only with --contact-model hunt_crossley");
  }
  return cr_model_set_choice(m, "friction_law", o->friction_law, error);
}

// ---- the adjoint

static bool is(const char* text, const char* word) {
  return text != NULL && strcmp(text, word) == 0;
}

static cr_status check_adjoint(const cr_method_options* o, cr_error* error) {
  static const char* const names[] = {"--adjoint-rtol", "--adjoint-atol"};
  const double values[] = {o->adjoint_rtol, o->adjoint_atol};
  const char* states = o->adjoint_states;
  bool continuous = is(o->adjoint, "continuous");
  if (o->adjoint != NULL && !continuous && !is(o->adjoint, "discrete")) {
    return cri_fail(error, CR_ERR_ARG, "--adjoint %s: discrete or continuous expected", o->adjoint);
  }
  if (!continuous && (states != NULL || values[0] > 0 || values[1] > 0)) {
    return cri_fail(error, CR_ERR_ARG, "%s: only with --adjoint continuous",
                    states != NULL ? "--adjoint-states" : names[values[0] > 0 ? 0 : 1]);
  }
  if (states != NULL && cr_enum_value("adjoint_states", states) < 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "--adjoint-states %s: interpolated, integrated or backward expected", states);
  }
  return CR_OK;
}

cr_adjoint cr_method_adjoint(const cr_method_options* o) {
  if (!is(o->adjoint, "continuous")) {
    return (cr_adjoint){.rtol = 0};
  }
  cr_adaptive steps = cr_method_tolerances(o, 0);
  bool adaptive = cr_method_is_adaptive(o);
  double rtol = o->adjoint_rtol > 0 ? o->adjoint_rtol : adaptive ? (double)steps.rtol : 1e-6;
  double atol = o->adjoint_atol > 0                ? o->adjoint_atol
                : adaptive && o->adjoint_rtol == 0 ? (double)steps.atol
                                                   : rtol / 1000;
  int states = cr_enum_value("adjoint_states", o->adjoint_states);
  return (cr_adjoint){.size = sizeof(cr_adjoint),
                      .rtol = (cr_real)rtol,
                      .atol = (cr_real)atol,
                      .states = states < 0 ? CR_STATES_INTERPOLATED : (cr_adjoint_states)states};
}

cr_status cr_method_apply(const cr_method_options* o, cr_model* m, cr_error* error) {
  CR_TRY(check_adaptive(o, error));
  CR_TRY(check_adjoint(o, error));
  CR_TRY(set_collision(o, m, error));
  CR_TRY(set_contact_model(o, m, error));
  if (o->integrator != NULL) {
    CR_TRY(cr_model_set_choice(m, "integrator", o->integrator, error));
  }
  if (!isnan(o->muscle_smooth)) {
    CR_TRY(cr_model_set_option(m, "muscle_smooth", (cr_real)o->muscle_smooth, error));
  }
  return isnan(o->timestep) ? CR_OK
                            : cr_model_set_option(m, "timestep", (cr_real)o->timestep, error);
}

cr_adaptive cr_method_tolerances(const cr_method_options* o, double grid) {
  return (cr_adaptive){
      .size = sizeof(cr_adaptive),
      .rtol = (cr_real)(o->rtol > 0 ? o->rtol : 1e-3),
      .atol = (cr_real)(o->atol > 0 ? o->atol : o->rtol / 1000),
      .first_step = (cr_real)o->first_step,
      .largest_step = (cr_real)o->largest_step,
      .grid = (cr_real)grid,
      .linear = o->controls != NULL && strcmp(o->controls, "linear") == 0,
      .quaternions = o->rotations != NULL && strcmp(o->rotations, "quaternion") == 0,
      .events = o->events,
      .max_steps = o->max_steps};
}

cr_status cr_method_rollout(const cr_method_options* o, const cr_model* m, double grid,
                            cr_rollout* rollout, cr_error* error) {
  size_t bytes;
  CR_TRY(cr_method_memory(o, &bytes, error));
  cr_adjoint adjoint = cr_method_adjoint(o);
  if (cr_method_is_adaptive(o)) {
    cr_adaptive options = cr_method_tolerances(o, grid);
    CR_TRY(cr_rollout_set_adaptive(rollout, m, &options, error));
  }
  if (adjoint.rtol > 0) {
    CR_TRY(cr_rollout_set_adjoint(rollout, m, &adjoint, error));
  }
  return bytes > 0 ? cr_rollout_set_memory(rollout, m, bytes, error) : CR_OK;
}

// ---- contacts from distance

// five or six numbers of --cfd; returns how many, 0 if the text is something else
static int parse_cfd(const char* text, double v[6]) {
  int n = 0;
  for (const char* at = text;; at++) {
    char* end;
    double number = cri_number(at, &end);
    if (end == at || (*end != 0 && *end != ',') || n == 6 || !isfinite(number)) {
      return 0;
    }
    v[n++] = number;
    at = end;
    if (*end == 0) {
      return n;
    }
  }
}

cr_status cr_method_backward(const cr_method_options* o, const cr_model* m, cr_model** variant,
                             cr_error* error) {
  double v[6] = {0};
  *variant = NULL;
  if (o->cfd == NULL) {
    return CR_OK;
  }
  int n = parse_cfd(o->cfd, v);
  if (n < 5 || v[5] < 0) {
    return cri_fail(error, CR_ERR_ARG, "--cfd %s: dc,d0,wc,mc,pc and, if wished, a scale expected",
                    o->cfd);
  }
  static const char* const names[] = {"cfd_dc", "cfd_d0", "cfd_wc",
                                      "cfd_mc", "cfd_pc", "cfd_scale"};
  v[5] = v[5] > 0 ? v[5] : v[2] / 10;
  CR_TRY(cr_model_copy(variant, m, error));
  cr_error why;
  cr_status status = CR_OK;
  for (int i = 0; i < 6 && status == CR_OK; i++) {
    status = cr_model_set_option(*variant, names[i], (cr_real)v[i], &why);
  }
  status = status == CR_OK ? cr_model_set_choice(*variant, "cfd", "on", &why) : status;
  if (status != CR_OK) {
    cr_model_destroy(*variant);
    *variant = NULL;
    return cri_fail(error, CR_ERR_ARG, "--cfd %s: %s", o->cfd, why.text);
  }
  return CR_OK;
}
