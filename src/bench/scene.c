// SPDX-License-Identifier: Apache-2.0
// Opening a scene, and the simulation that its states are taken from.
#include "bench/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/made.h"
#include "carom/mujoco.h"

enum { STEPS_A_STATE = 10 };
static const double CONTROL = 0.5;  // of [-1, 1]

// ---- what the text asks for

// a name as far as '=', else the file's own
static const char* take_name(cr_scene* s, const char* text) {
  const char* equals = strchr(text, '=');
  const char* slash = strrchr(text, '/');
  const char* from = equals != NULL ? text : (slash != NULL ? slash + 1 : text);
  size_t length = equals != NULL ? (size_t)(equals - text) : strlen(from);
  (void)snprintf(s->name, sizeof s->name, "%.*s", (int)length, from);
  return equals != NULL ? equals + 1 : text;
}

static cr_status take_number(const char* text, const char* from, int* n, cr_error* error) {
  char* end;
  long value = strtol(from, &end, 10);
  if (end == from || value < 1 || value > 100000 || (*end != 0 && *end != '*')) {
    return cri_fail(error, CR_ERR_ARG, "%s: '%s' is not a number from 1 to 100000", text, from);
  }
  *n = (int)value;
  return CR_OK;
}

static cr_status make(mjModel** mj, const char* text, cr_load_report* report, cr_error* error) {
  int n = 0;
  if (strncmp(text, "chain:", 6) == 0) {
    CR_TRY(take_number(text, text + 6, &n, error));
    return cr_made_chain(mj, n, error);
  }
  if (strncmp(text, "stack:", 6) == 0) {
    CR_TRY(take_number(text, text + 6, &n, error));
    return cr_made_stack(mj, n, error);
  }
  size_t digits = strspn(text, "0123456789");
  if (digits > 0 && text[digits] == '*') {
    CR_TRY(take_number(text, text, &n, error));
    return cr_made_copies(mj, text + digits + 1, n, error);
  }
  return cr_mujoco_compile(mj, text, NULL, report, error);
}

// ---- the states

static cr_status record(cr_scene* s, uint64_t seed, cr_error* error) {
  cr_random random = cr_random_seed(seed, 0);
  mj_resetData(s->mj, s->d);
  if (s->mj->nkey > 0) {
    mj_resetDataKeyframe(s->mj, s->d, 0);
  }
  for (int k = 0; k < s->nstate; k++) {
    for (int step = 0; step < STEPS_A_STATE; step++) {
      for (int i = 0; i < s->mj->nu; i++) {
        s->d->ctrl[i] = CONTROL * (double)cr_random_range(&random, -1, 1);
      }
      mj_step(s->mj, s->d);
    }
    mj_getState(s->mj, s->d, s->states + (size_t)k * s->state_size, mjSTATE_INTEGRATION);
    s->rows += (double)s->d->nefc / s->nstate;
    s->contacts += (double)s->d->ncon / s->nstate;
    cr_status status = cr_state_from_mujoco(s->m, s->mj, s->d, s->c);
    if (status != CR_OK) {
      return cri_fail(error, status, "%s: state %d: %s", s->name, k, cr_data_error(s->c));
    }
    (void)cr_state_get(s->m, s->c, s->ours + (size_t)k * s->ours_size, CR_STATE_INTEGRATION);
  }
  return CR_OK;
}

static cr_status room(cr_scene* s, cr_error* error) {
  s->d = mj_makeData(s->mj);
  s->state_size = (size_t)mj_stateSize(s->mj, mjSTATE_INTEGRATION);
  s->ours_size = (size_t)cr_state_size(s->m, CR_STATE_INTEGRATION);
  s->states = calloc((size_t)s->nstate * s->state_size, sizeof *s->states);
  s->ours = calloc((size_t)s->nstate * s->ours_size, sizeof *s->ours);
  if (s->d == NULL || s->states == NULL || s->ours == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "bench: no memory for %d states", s->nstate);
  }
  CR_TRY(cr_data_create(&s->c, s->m, error));
  CR_TRY(cr_data_create_tangent(&s->tan, s->m, s->c, error));
  return cr_data_create_cotangent(&s->bar, s->m, s->c, error);
}

static cr_status load(cr_scene* s, const char* text, cr_load_report* report, cr_error* error) {
  CR_TRY(make(&s->mj, text, report, error));
  cr_status status = cr_model_from_mujoco(&s->m, s->mj, report, error);
  if (status == CR_ERR_UNSUPPORTED) {
    return cri_fail(error, status, "%s: %s", text,
                    cr_load_report_get(report, CR_LOAD_UNSUPPORTED, 0));
  }
  CR_TRY(status);
  s->mj->opt.integrator = mjINT_EULER;
  s->mj->opt.noslip_iterations = 0;
  s->nq = cr_model_count(s->m, "nq");
  s->nv = cr_model_count(s->m, "nv");
  s->na = cr_model_count(s->m, "na");
  s->nu = cr_model_count(s->m, "nu");
  s->nbody = cr_model_count(s->m, "nbody");
  return cr_model_set_choice(s->m, "integrator", "euler", error);
}

cr_status cr_scene_open(cr_scene* s, const char* text, int nstate, uint64_t seed, cr_error* error) {
  cr_load_report* report = NULL;
  *s = (cr_scene){.nstate = nstate};
  CR_TRY(cr_load_report_create(&report, error));
  cr_status status = load(s, take_name(s, text), report, error);
  cr_load_report_destroy(report);
  CR_TRY(status);
  CR_TRY(room(s, error));
  return record(s, seed, error);
}

void cr_scene_close(cr_scene* s) {
  free(s->states);
  free(s->ours);
  if (s->d != NULL) {
    mj_deleteData(s->d);
  }
  if (s->mj != NULL) {
    mj_deleteModel(s->mj);
  }
  cr_data_destroy(s->c);
  cr_data_destroy(s->tan);
  cr_data_destroy(s->bar);
  cr_model_destroy(s->m);
  *s = (cr_scene){0};
}

void cr_scene_state(cr_scene* s, int k) {
  mj_setState(s->mj, s->d, s->states + (size_t)k * s->state_size, mjSTATE_INTEGRATION);
}

cr_status cr_scene_ours(cr_scene* s, int k) {
  return cr_state_set(s->m, s->c, s->ours + (size_t)k * s->ours_size, CR_STATE_INTEGRATION);
}

double cr_scene_residual(const cr_scene* s) {
  const mjData* d = s->d;
  double worst = 0, scale = 0;
  mjtNum* Ma = d->qfrc_inverse;  // of no use otherwise
  mj_mulM(s->mj, d, Ma, d->qacc);
  for (int i = 0; i < s->mj->nv; i++) {
    worst = fmax(worst, fabs(Ma[i] - d->qfrc_smooth[i] - d->qfrc_constraint[i]));
    scale = fmax(scale, fabs(Ma[i]) + fabs(d->qfrc_smooth[i]) + fabs(d->qfrc_constraint[i]));
  }
  return scale > 0 ? worst / scale : 0;
}
