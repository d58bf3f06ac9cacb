// SPDX-License-Identifier: Apache-2.0
#include "task/policy_task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LAYERS = 16 };

// what options refer to
typedef struct {
  cr_observation observed[CR_TASK_MOST];
  const cr_observation* observations[CR_TASK_MOST];
  cr_layer layers[MOST_LAYERS];
  cr_varied varied[CR_TASK_MOST];
  const cr_varied* vary[CR_TASK_MOST];
  cr_real *noise, *spread;
  cr_policy_options policy;
  cr_policy_training_options training;
} parts;

// ---- the policy

static cr_status find_layers(parts* p, const cr_plan_task* t, cr_error* error) {
  cr_real widths[MOST_LAYERS];
  int n;
  CR_TRY(cr_plan_task_numbers("policy: hidden", t->policy.hidden, widths, MOST_LAYERS, &n, error));
  for (int i = 0; i < n; i++) {
    int width = widths[i] >= 1 && widths[i] <= 1e6 ? (int)widths[i] : 0;
    if (width < 1 || (cr_real)width != widths[i]) {
      return cri_fail(error, CR_ERR_FORMAT, "policy: hidden: '%s' is not a list of widths",
                      t->policy.hidden);
    }
    p->layers[i] = (cr_layer){.size = sizeof p->layers[i],
                              .kind = CR_LAYER_DENSE,
                              .width = width,
                              .activation = (cr_activation)t->policy.activation};
  }
  p->policy.nlayer = n;
  return CR_OK;
}

static cr_status find_policy(parts* p, const cr_plan_task* t, cr_error* error) {
  for (int i = 0; i < t->nobserve; i++) {
    const cr_task_observe* o = &t->observes[i];
    p->observed[i] = (cr_observation){.size = sizeof p->observed[i],
                                      .text = o->of,
                                      .kind = (cr_residual_kind)o->residual,
                                      .offset = (cr_real)o->offset,
                                      .scale = (cr_real)o->scale};
    p->observations[i] = &p->observed[i];
  }
  p->policy = (cr_policy_options){.size = sizeof p->policy,
                                  .observations = p->observations,
                                  .nobservation = t->nobserve,
                                  .layers = p->layers,
                                  .sets = t->policy.sets,
                                  .every = t->policy.every,
                                  .limited = t->policy.limited};
  return find_layers(p, t, error);
}

// ---- noise, starts, models

// one number for all controls, or one each
static cr_status find_noise(parts* p, const cr_plan_task* t, cr_error* error) {
  int n;
  p->noise = calloc((size_t)t->nu + 1, sizeof *p->noise);
  if (p->noise == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "policy: no memory");
  }
  CR_TRY(cr_plan_task_numbers("train: noise", t->train.noise, p->noise, t->nu, &n, error));
  if (n != 1 && n != t->nu) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "train: noise: %d numbers; one, or one for each of %d controls, is expected", n,
                    t->nu);
  }
  for (int i = n; i < t->nu; i++) {
    p->noise[i] = p->noise[0];
  }
  return CR_OK;
}

// parts of a state, and the counts of their tangents
static const struct {
  const char *name, *count;
} of_state[] = {{"qpos", "nv"}, {"qvel", "nv"}, {"act", "na"}, {"plugin_state", "npluginstate"}};
enum { N_STATE = sizeof of_state / sizeof of_state[0] };

// where the tangent of a field begins in that of the state; -1: nowhere
static int first_of(const cr_model* m, int field) {
  cr_field_info info = {.size = sizeof info};
  int first = 0, k = 0;
  if (cr_field_get(m, field, &info, NULL) != CR_OK) {
    return -1;
  }
  while (k < N_STATE && strcmp(info.name, of_state[k].name) != 0) {
    first += cr_model_count(m, of_state[k++].count);
  }
  return k < N_STATE ? first : -1;
}

static cr_status find_spread(parts* p, const cr_plan_task* t, cr_error* error) {
  int nx = 0;
  for (int k = 0; k < N_STATE; k++) {
    nx += cr_model_count(t->m, of_state[k].count);
  }
  p->spread = calloc((size_t)nx + 1, sizeof *p->spread);
  if (p->spread == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "policy: no memory");
  }
  for (int i = 0; i < t->nspread; i++) {
    const cr_task_spread* s = &t->spreads[i];
    cr_place_info place = {.size = sizeof place};
    CR_TRY(cr_model_place(t->m, s->place, &place, error));
    int first = first_of(t->m, place.field);
    if (first < 0) {
      return cri_fail(error, CR_ERR_FORMAT, "spread: %s is no place of the state", s->place);
    }
    for (int k = 0; k < place.tangent_count; k++) {
      p->spread[first + place.tangent_first + k] = (cr_real)s->sigma;
    }
  }
  return CR_OK;
}

static void find_varied(parts* p, const cr_plan_task* t) {
  for (int i = 0; i < t->nvary; i++) {
    p->varied[i] = (cr_varied){.size = sizeof p->varied[i],
                               .name = t->varies[i].field,
                               .sigma = (cr_real)t->varies[i].sigma};
    p->vary[i] = &p->varied[i];
  }
}

static cr_status create(parts* p, cr_policy_training** training, const cr_plan_task* t,
                        const cr_policy_task_options* how, cr_error* error) {
  const cr_task_train* o = &t->train;
  CR_TRY(find_policy(p, t, error));
  CR_TRY(find_noise(p, t, error));
  CR_TRY(find_spread(p, t, error));
  find_varied(p, t);
  p->training = (cr_policy_training_options){.size = sizeof p->training,
                                             .nstep = t->nstep,
                                             .backward = t->backward,
                                             .estimator = (cr_estimator_kind)o->estimator,
                                             .samples = o->samples,
                                             .starts = o->starts,
                                             .antithetic = o->antithetic,
                                             .noise = p->noise,
                                             .noise_end = (cr_real)o->noise_end,
                                             .spread = p->spread,
                                             .varied = p->vary,
                                             .nvaried = t->nvary,
                                             .confidence = (cr_real)o->confidence,
                                             .bias = (cr_real)o->bias,
                                             .iterations = o->iterations,
                                             .descent = (cr_policy_descent)o->descent,
                                             .rate = (cr_real)o->rate,
                                             .final_rate = (cr_real)o->final_rate,
                                             .rate_power = (cr_real)o->rate_power,
                                             .clip = (cr_real)o->clip,
                                             .seed = (uint64_t)how->seed,
                                             .nthread = how->nthread,
                                             .stop = how->stop,
                                             .processes = how->processes};
  CR_TRY(cr_policy_training_create(training, t->m, t->start, t->cost, &p->policy, &p->training,
                                   error));
  return cr_policy_init(cr_policy_training_policy(*training), (uint64_t)how->seed, error);
}

cr_status cr_policy_task_create(cr_policy_training** training, const cr_plan_task* t,
                                const cr_policy_task_options* options, cr_error* error) {
  *training = NULL;
  parts* p = calloc(1, sizeof *p);
  if (p == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "policy: no memory");
  }
  cr_status status = create(p, training, t, options, error);
  free(p->noise);
  free(p->spread);
  free(p);
  return status;
}
