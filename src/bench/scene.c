// SPDX-License-Identifier: Apache-2.0
// Opening a scene, and the simulation that its states are taken from.
#include "bench/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/made.h"
#include "io/mujoco.h"
#include "io/open.h"
#include "model/data.h"
#include "parity/parity.h"

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
    CR_TRY(cr_made_copies(mj, text + digits + 1, n, error));
    cri_mujoco_survey(*mj, report);
    return CR_OK;
  }
  return cri_mjmodel_open(mj, text, NULL, report, error);
}

// ---- the states

static void record(cr_scene* s, uint64_t seed) {
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
    cri_parity_state(&s->m, s->d, s->ours[k]);
  }
}

static cr_status room(cr_scene* s, cr_error* error) {
  const cr_capacity inputs_only = {1, 1, 1};
  s->d = mj_makeData(s->mj);
  s->state_size = (size_t)mj_stateSize(s->mj, mjSTATE_INTEGRATION);
  s->states = calloc((size_t)s->nstate * s->state_size, sizeof *s->states);
  s->ours = calloc((size_t)s->nstate, sizeof(cr_data*));
  if (s->d == NULL || s->states == NULL || s->ours == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "bench: no memory for %d states", s->nstate);
  }
  CR_TRY(cri_data_create(&s->c, &s->m, NULL, error));
  CR_TRY(cri_data_twin(&s->tan, &s->m, s->c, CR_DATA_TANGENT, NULL, error));
  CR_TRY(cri_data_twin(&s->bar, &s->m, s->c, CR_DATA_COTANGENT, NULL, error));
  for (int k = 0; k < s->nstate; k++) {
    CR_TRY(cri_data_create(&s->ours[k], &s->m, &inputs_only, error));
  }
  return CR_OK;
}

static cr_status load(cr_scene* s, const char* text, cr_load_report* report, cr_error* error) {
  CR_TRY(make(&s->mj, text, report, error));
  if (report->unsupported.n > 0) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "%s: %s", text, report->unsupported.text[0]);
  }
  CR_TRY(cri_model_of_compiled(&s->m, s->mj, error));
  s->mj->opt.integrator = mjINT_EULER;
  s->mj->opt.noslip_iterations = 0;
  s->m.integrator = CR_INT_EULER;
  return CR_OK;
}

cr_status cr_scene_open(cr_scene* s, const char* text, int nstate, uint64_t seed, cr_error* error) {
  cr_load_report report = {0};
  *s = (cr_scene){.nstate = nstate};
  cr_status status = load(s, take_name(s, text), &report, error);
  cri_load_report_free(&report);
  CR_TRY(status);
  CR_TRY(room(s, error));
  record(s, seed);
  return CR_OK;
}

void cr_scene_close(cr_scene* s) {
  for (int k = 0; k < s->nstate; k++) {
    if (s->ours != NULL) {
      cri_data_free(s->ours[k]);
    }
  }
  free(s->states);
  free((void*)s->ours);
  if (s->d != NULL) {
    mj_deleteData(s->d);
  }
  if (s->mj != NULL) {
    mj_deleteModel(s->mj);
  }
  cri_data_free(s->c);
  cri_data_free(s->tan);
  cri_data_free(s->bar);
  cri_model_free(&s->m);
  *s = (cr_scene){0};
}

void cr_scene_state(cr_scene* s, int k) {
  mj_setState(s->mj, s->d, s->states + (size_t)k * s->state_size, mjSTATE_INTEGRATION);
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
