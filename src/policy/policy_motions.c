// SPDX-License-Identifier: Apache-2.0
// Motions of a policy.
#include "policy/policy_motions.h"

#include <stdlib.h>

#include "base/random.h"
#include "engine/data_create.h"
#include "integrate/inputs.h"
#include "kinematics/configuration.h"
#include "model/misuse.h"
#include "model/model_check.h"
#include "model/state_vector.h"
#include "rollout/trajectory.h"

// streams of one seed
enum { OF_START, OF_MODEL, OF_NOISE, N_STREAM };

static cr_random stream(const cri_motions* s, int kind, int k, int i) {
  return cr_random_seed(s->o.seed, ((uint64_t)k * N_STREAM + (uint64_t)kind) << 32 | (uint64_t)i);
}

// ---- making

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "policy: no memory for its motions");
}

static cr_status copy_numbers(cr_real** to, const cr_real* from, int n, cr_error* error) {
  *to = calloc((size_t)n + 1, sizeof **to);
  if (*to == NULL) {
    return no_memory(error);
  }
  if (from != NULL) {
    cr_copy(*to, from, n);
  }
  return CR_OK;
}

static cr_status check_sigma(const char* what, const cr_real* x, int n, cr_real least,
                             cr_error* error) {
  for (int i = 0; i < n; i++) {
    if (!(x[i] >= 0) || !isfinite(x[i]) || (least > 0 && x[i] == 0)) {
      return cri_fail(error, CR_ERR_ARG, "policy training: %s %d is %.9g; %s is expected", what, i,
                      (double)x[i], least > 0 ? "a number above 0" : "0 or more");
    }
  }
  return CR_OK;
}

static cr_status take_sigmas(cri_motions* s, const cr_policy_training_options* o, cr_error* error) {
  const cr_model* m = s->m;
  int nx = cri_state_tangent_size(m);
  bool first = o->estimator == CR_ESTIMATOR_FIRST;
  CR_TRY(copy_numbers(&s->noise, o->noise, m->nu, error));
  CR_TRY(copy_numbers(&s->sigma, NULL, m->nu, error));
  CR_TRY(copy_numbers(&s->inverse, NULL, m->nu, error));
  CR_TRY(check_sigma("noise", s->noise, m->nu, first ? 0 : 1, error));
  if (o->spread != NULL) {
    CR_TRY(copy_numbers(&s->spread, o->spread, nx, error));
    CR_TRY(check_sigma("spread", s->spread, nx, 0, error));
  }
  return CR_OK;
}

static cr_status take_varied(cri_motions* s, const cr_varied* v, cr_error* error) {
  const cri_call call = {"cr_policy_training_create", error};
  CR_TRY(cri_given(&call, v, "a varied parameter"));
  CR_TRY(cri_check_size(&call, v->size, sizeof *v, "cr_varied"));
  CR_TRY(cri_given(&call, v->name, "the name of a varied parameter"));
  cri_varied* to = &s->varied[s->nvaried++];
  size_t length = strlen(v->name) + 1;
  to->name = malloc(length);
  if (to->name == NULL) {
    return no_memory(error);
  }
  memcpy(to->name, v->name, length);
  to->sigma = v->sigma;
  CR_TRY(check_sigma(to->name, &to->sigma, 1, 0, error));
  cr_place_info place = {.size = sizeof place};
  CR_TRY(cr_model_place(s->m, to->name, &place, error));
  to->n = place.count;
  CR_TRY(copy_numbers(&to->base, NULL, to->n, error));
  CR_TRY(cr_model_get(s->m, to->name, to->base, to->n, error));
  return cr_model_set(s->workers[0].m, to->name, to->base, to->n, error);  // it can be set
}

static cr_status make_worker(cri_motions* s, cri_motion_worker* w, const cr_cost* cost,
                             const cr_policy_options* policy, cr_error* error) {
  CR_TRY(cr_model_copy(&w->m, s->m, error));
  CR_TRY(cri_cost_copy(&w->cost, cost, error));
  CR_TRY(cr_policy_create(&w->policy, w->m, policy, error));
  CR_TRY(cri_rollout_create(&w->rollout, w->m, s->o.nstep, cri_no_params, error));
  CR_TRY(cr_policy_attach(w->policy, w->rollout, s->o.backward, error));
  cri_cost_narrow(w->cost, w->rollout, s->o.backward != NULL ? s->o.backward : w->m);
  w->rollout->no_gradient = s->o.estimator == CR_ESTIMATOR_ZEROTH;
  w->loss = cr_cost_loss(w->cost, s->o.nstep, s->m->timestep);
  int decisions = cri_policy_decisions(w->policy, s->o.nstep);
  CR_TRY(copy_numbers(&w->noise, NULL, decisions * s->m->nu, error));
  return copy_numbers(&w->tangent, NULL, cri_state_tangent_size(s->m), error);
}

cr_status cri_motions_make(cri_motions* s, const cr_model* m, const cr_data* start,
                           const cr_cost* cost, const cr_policy_options* policy,
                           const cr_policy_training_options* o, cr_error* error) {
  *s = (cri_motions){.m = m, .o = *o};
  CR_TRY(cr_pool_create(&s->pool, o->nthread, error));
  int n = cr_pool_size(s->pool), most = 0;
  s->workers = calloc((size_t)n, sizeof *s->workers);
  s->varied = calloc((size_t)o->nvaried + 1, sizeof *s->varied);
  if (s->workers == NULL || s->varied == NULL) {
    return no_memory(error);
  }
  CR_TRY(cri_data_create(&s->start, m, NULL, error));
  cri_inputs_copy(m, s->start, start);
  CR_TRY(take_sigmas(s, o, error));
  for (int i = 0; i < n; i++) {
    CR_TRY(make_worker(s, &s->workers[i], cost, policy, error));
  }
  for (int i = 0; i < o->nvaried; i++) {
    CR_TRY(take_varied(s, o->varied[i], error));
    most = s->varied[i].n > most ? s->varied[i].n : most;
  }
  for (int i = 0; i < n; i++) {
    CR_TRY(copy_numbers(&s->workers[i].values, NULL, most, error));
  }
  s->nweight = cr_policy_nweight(s->workers[0].policy);
  return CR_OK;
}

void cri_motions_free(cri_motions* s) {
  for (int i = 0; s->workers != NULL && i < cr_pool_size(s->pool); i++) {
    cri_motion_worker* w = &s->workers[i];
    cr_rollout_destroy(w->rollout);
    cr_policy_destroy(w->policy);
    cr_cost_destroy(w->cost);
    cr_model_destroy(w->m);
    free(w->noise);
    free(w->tangent);
    free(w->values);
  }
  for (int i = 0; i < s->nvaried; i++) {
    free(s->varied[i].name);
    free(s->varied[i].base);
  }
  free(s->varied);
  free(s->workers);
  cr_pool_free(s->pool);
  cri_data_free(s->start);
  free(s->noise);
  free(s->spread);
  free(s->sigma);
  free(s->inverse);
}

// ---- an iteration

void cri_motions_begin(cri_motions* s, cr_real factor) {
  for (int k = 0; k < s->m->nu; k++) {
    s->sigma[k] = factor * s->noise[k];
    s->inverse[k] = s->sigma[k] > 0 ? 1 / (s->sigma[k] * s->sigma[k]) : 0;
  }
  for (int i = 1; i < cr_pool_size(s->pool); i++) {
    cr_copy(cr_policy_weights(s->workers[i].policy), cr_policy_weights(s->workers[0].policy),
            s->nweight);
  }
}

// the state of a start, moved in its tangent
static void put_start(const cri_motions* s, cri_motion_worker* w, const cri_motion* motion) {
  cr_data* d = w->rollout->d;
  cri_inputs_copy(s->m, d, s->start);
  if (s->spread == NULL) {
    return;
  }
  cr_random random = stream(s, OF_START, motion->k, motion->start);
  for (int i = 0; i < cri_state_tangent_size(s->m); i++) {
    w->tangent[i] = s->spread[i] > 0 ? s->spread[i] * cr_random_normal(&random) : 0;
  }
  cri_configuration_move(s->m, d->qpos, w->tangent, 1, d->qpos);
  const cri_state state = cri_state_of(s->m, d);
  const cr_real* tangent = w->tangent + s->m->nv;
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    for (int i = 0; i < state.part[k].n; i++) {
      state.part[k].x[i] += *tangent++;
    }
  }
}

static cr_status put_model(cri_motions* s, cri_motion_worker* w, const cri_motion* motion,
                           cr_error* error) {
  cr_random random = stream(s, OF_MODEL, motion->k, motion->start);
  for (int j = 0; j < s->nvaried; j++) {
    const cri_varied* v = &s->varied[j];
    for (int i = 0; i < v->n; i++) {
      w->values[i] = v->base[i] * cr_exp(v->sigma * cr_random_normal(&random));
    }
    CR_TRY(cr_model_set(w->m, v->name, w->values, v->n, error));
  }
  return s->nvaried > 0 ? cri_model_check(w->m, error) : CR_OK;
}

static void put_noise(const cri_motions* s, cri_motion_worker* w, const cri_motion* motion) {
  cr_policy* p = w->policy;
  p->noise = motion->sample >= 0 ? w->noise : NULL;
  p->weight_of_noise =
      motion->sample >= 0 && s->o.estimator != CR_ESTIMATOR_FIRST ? s->inverse : NULL;
  if (motion->sample < 0) {
    return;
  }
  int pair = s->o.antithetic ? motion->sample / 2 : motion->sample;
  cr_real sign = s->o.antithetic && motion->sample % 2 == 1 ? -1 : 1;
  cr_random random = stream(s, OF_NOISE, motion->k, pair);
  int n = cri_policy_decisions(p, s->o.nstep), nu = s->m->nu;
  for (int i = 0; i < n * nu; i++) {
    w->noise[i] = sign * s->sigma[i % nu] * cr_random_normal(&random);
  }
  cr_zero(p->score, s->nweight);
}

cr_status cri_motions_run(cri_motions* s, const cri_motion* motion, int worker, cr_real* loss,
                          cr_error* error) {
  cri_motion_worker* w = &s->workers[worker];
  cr_rollout* r = w->rollout;
  if (s->o.stop != NULL && s->o.stop(s->o.context)) {
    return cri_fail(error, CR_ERR_INTERRUPTED, "interrupted");
  }
  CR_TRY(put_model(s, w, motion, error));
  put_start(s, w, motion);
  put_noise(s, w, motion);
  CR_TRY(cr_rollout_run(r, w->m, s->o.nstep, &w->loss, error));
  *loss = r->loss;
  if (!isfinite(*loss)) {
    return cri_fail(error, CR_ERR_NONFINITE, "the cost is %g", (double)*loss);
  }
  const cr_model* backward = s->o.backward != NULL ? s->o.backward : w->m;
  return motion->gradient ? cr_rollout_gradient(r, w->m, backward, &w->loss, error) : CR_OK;
}
