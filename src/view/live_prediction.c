// SPDX-License-Identifier: Apache-2.0
// Where a body will be, and how that depends on everything: a rollout from the present state and its gradient.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/live.h"

enum { QVEL, FORCE, FIRST_CTRL, MOST_POINTS = 33, MOST_NAME = 32 };

void cr_live_prediction_free(cr_live_prediction* p) {
  cr_gradient_destroy(p->of);
  free(p->ahead);
  free(p->by_ctrl);
  free(p->by_parameter);
  *p = (cr_live_prediction){0};
}

// ---- the names: velocities, forces, each control, parameters

static cr_status make_gradient(cr_live* l, int steps, char* words, const char** names) {
  int nu = cr_model_count(l->m, "nu"), n = 0;
  names[n++] = "qvel";
  names[n++] = "xfrc_applied";
  for (int i = 0; i < nu; i++, words += MOST_NAME) {
    (void)snprintf(words, MOST_NAME, "ctrl[%d]", i);
    names[n++] = words;
  }
  for (int i = 0; i < l->nparameter; i++) {
    names[n++] = l->names[i];
  }
  const cr_gradient_options options = {.size = sizeof options, .derive = l->nparameter > 0};
  return cr_gradient_create(&l->ahead.of, l->m, steps, names, n, &options, &l->error);
}

cr_status cr_live_look_ahead(cr_live* l, int steps) {
  size_t nu = (size_t)cr_model_count(l->m, "nu"), nparameter = (size_t)l->nparameter;
  char* words = calloc(nu + 1, MOST_NAME);
  const char** names = calloc(nu + nparameter + FIRST_CTRL, sizeof *names);
  cr_live_prediction_free(&l->ahead);
  cr_live_prediction* p = &l->ahead;
  p->steps = steps;
  p->ahead = calloc(3 * MOST_POINTS, sizeof *p->ahead);
  p->by_ctrl = calloc(nu + 1, sizeof *p->by_ctrl);
  p->by_parameter = calloc(nparameter + 1, sizeof *p->by_parameter);
  bool made = words != NULL && names != NULL && p->ahead != NULL && p->by_ctrl != NULL &&
              p->by_parameter != NULL;
  cr_status status = made ? make_gradient(l, steps, words, names)
                          : cri_fail(&l->error, CR_ERR_MEMORY, "live: no memory");
  free(words);
  free(names);
  return status;
}

// ---- the loss: a coordinate of a centre of mass at the end; on the way there the path is noted

static int stride(int steps) { return (steps + MOST_POINTS - 2) / (MOST_POINTS - 1); }

static bool on_the_way(const void* context, int step, int nstep) {
  (void)context;
  return step == nstep || step % stride(nstep) == 0;
}

static cr_status note(void* context, const cr_model* m, const cr_data* d, int step, cr_real* loss) {
  cr_live_prediction* p = context;
  const cr_real* at = cr_data_numbers(m, d, "xipos", NULL, NULL) + 3 * (ptrdiff_t)p->body;
  memcpy(p->ahead + 3 * (ptrdiff_t)p->nahead++, at, 3 * sizeof *at);
  *loss += step == p->steps ? at[p->axis] : 0;
  return CR_OK;
}

static cr_status ignore(void* context, const cr_model* m, const cr_data* d, int step,
                        cr_real* loss) {
  (void)context, (void)m, (void)d, (void)step, (void)loss;
  return CR_OK;
}

static cr_status note_bar(void* context, const cr_model* m, const cr_data* d, int step,
                          cr_data* bar) {
  const cr_live_prediction* p = context;
  (void)d, (void)step;
  cr_data_view(m, bar, "xipos", NULL, NULL)[3 * p->body + p->axis] += 1;
  return CR_OK;
}

// ---- the run

static cr_status begin(cr_live* l, cr_rollout* r) {
  cr_live_prediction* p = &l->ahead;
  size_t nu = (size_t)cr_model_count(l->m, "nu");
  const cr_real* ctrl = cr_data_numbers(l->m, l->d, "ctrl", NULL, NULL);
  cr_data* d = cr_rollout_data(r);
  for (size_t k = 0; k < (size_t)p->steps && nu > 0; k++) {
    memcpy(cr_rollout_ctrl(r) + k * nu, ctrl, nu * sizeof *ctrl);
  }
  p->nahead = 0;
  return cr_live_told(l, d, cr_state_copy(l->m, l->d, d, CR_STATE_INTEGRATION));
}

static cr_status check(cr_live* l, int body, int axis) {
  bool there = body > 0 && body < cr_model_count(l->m, "nbody") && axis >= 0 && axis < 3;
  if (l->ahead.of == NULL || !there) {
    return cri_fail(&l->error, CR_ERR_ARG, "live: coordinate %d of body %d is not predicted", axis,
                    body);
  }
  return CR_OK;
}

cr_status cr_live_predict(cr_live* l, int body, int axis) {
  CR_TRY(check(l, body, axis));
  cr_live_prediction* p = &l->ahead;
  p->body = body;
  p->axis = axis;
  const cr_loss path = {p, on_the_way, note, note_bar, true},
                end = {p, NULL, ignore, note_bar, true};
  cr_rollout* r = cr_gradient_rollout(p->of);
  CR_TRY(begin(l, r));
  CR_TRY(cr_rollout_run(r, l->m, p->steps, &path, &l->error));
  CR_TRY(cr_gradient_compute(p->of, &end, &l->error));
  int nu = cr_model_count(l->m, "nu");
  for (int i = 0; i < nu; i++) {
    p->by_ctrl[i] = cr_gradient_get(p->of, FIRST_CTRL + i)[0];
  }
  for (int i = 0; i < l->nparameter; i++) {
    p->by_parameter[i] = cr_gradient_get(p->of, FIRST_CTRL + nu + i)[0];
  }
  return CR_OK;
}
