// SPDX-License-Identifier: Apache-2.0
// Policies: observations, a network, controls; and the transpose.
//   [policy.p1] u = y, or c + r tanh(y); y = network(W, x), x = (observed - offset) scale
//   [policy.p2] score = sum over decisions of (du/dW)' w / sigma^2
#include "policy/policy.h"

#include <stdlib.h>

#include "actuator/actuation_parts.h"
#include "engine/forward.h"
#include "integrate/inputs.h"
#include "model/misuse.h"
#include "model/state_vector.h"
#include "rollout/trajectory.h"

// ---- making

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "policy: no memory");
}

static cr_status check(const cr_model* m, const cr_policy_options* o, cr_error* error) {
  if (m->nu == 0) {
    return cri_fail(error, CR_ERR_ARG, "policy: the model has no controls");
  }
  if (o->nobservation < 1 || o->observations == NULL) {
    return cri_fail(error, CR_ERR_ARG,
                    "policy: it observes nothing; controls that follow from nothing are planned");
  }
  if (o->sets < 0 || o->every < 0 || o->nlayer < 0 || (o->nlayer > 0 && o->layers == NULL)) {
    return cri_fail(error, CR_ERR_ARG, "policy: %d layers, %d sets of weights, a decision every %d",
                    o->nlayer, o->sets, o->every);
  }
  if (o->nlayer >= CR_MAX_NETWORK_LAYERS) {
    return cri_fail(error, CR_ERR_ARG, "policy: %d layers, %d at most", o->nlayer,
                    CR_MAX_NETWORK_LAYERS - 1);
  }
  if (o->sets > 1 && o->nstep < o->sets) {
    return cri_fail(error, CR_ERR_ARG, "policy: %d sets of weights for %d steps", o->sets,
                    o->nstep);
  }
  for (int i = 0; i < o->nlayer; i++) {
    if (o->layers[i].kind != CR_LAYER_DENSE) {
      return cri_fail(error, CR_ERR_UNSUPPORTED,
                      "policy: layer %d remembers; layers of policies are dense", i);
    }
  }
  return CR_OK;
}

static cr_status observe(cr_policy* p, const cr_observation* from, cr_error* error) {
  const cri_call call = {"cr_policy_create", error};
  CR_TRY(cri_given(&call, from, "an observation"));
  CR_TRY(cri_check_size(&call, from->size, sizeof *from, "cr_observation"));
  cri_observation* o = &p->observations[p->nobservation++];
  if (from->kind == CR_RESIDUAL_CALLBACK || !isfinite(from->offset) || !isfinite(from->scale)) {
    return cri_fail(error, CR_ERR_ARG,
                    "policy: observation %d: a text, a finite offset and scale are expected",
                    p->nobservation - 1);
  }
  const cr_cost_term term = {.size = sizeof term, .kind = from->kind, .text = from->text};
  cr_error inner = {0};
  cr_status status = cri_residual_make(&o->residual, p->m, &term, &inner);
  if (status != CR_OK) {
    return cri_fail(error, status, "policy: observation %d: %s", p->nobservation - 1, inner.text);
  }
  o->offset = from->offset;
  o->scale = from->scale != 0 ? from->scale : 1;
  p->ninput += o->residual.n;
  p->needs_fields = p->needs_fields || !cri_residual_is_direct(&o->residual);
  return CR_OK;
}

static cr_status make_network(cr_policy* p, const cr_policy_options* o, cr_error* error) {
  cr_layer layers[CR_MAX_NETWORK_LAYERS];
  for (int i = 0; i < o->nlayer; i++) {
    layers[i] = o->layers[i];
  }
  layers[o->nlayer] =
      (cr_layer){.size = sizeof layers[0], .kind = CR_LAYER_DENSE, .width = p->m->nu};
  CR_TRY(cr_network_create(&p->network, p->ninput, layers, o->nlayer + 1, error));
  p->nset = cr_network_nweight(p->network);
  return CR_OK;
}

static cr_status make_room(cr_policy* p, cr_error* error) {
  int all = p->sets * p->nset, nu = p->m->nu, n = p->ninput;
  const struct {
    cr_real** x;
    int n;
  } parts[] = {{&p->middle, nu},
               {&p->half, nu},
               {&p->weights, all},
               {&p->bar, all},
               {&p->values, n},
               {&p->x, n},
               {&p->x_bar, n},
               {&p->y, nu},
               {&p->y_bar, nu},
               {&p->u, nu},
               {&p->held_bar, nu},
               {&p->score, all},
               {&p->room, cr_network_nroom(p->network)}};
  size_t total = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    total += (size_t)parts[i].n;
  }
  cr_real* at = p->memory = calloc(total, sizeof *at);
  if (at == NULL) {
    return no_memory(error);
  }
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i].x = at;
    at += parts[i].n;
  }
  return CR_OK;
}

static void find_ranges(cr_policy* p, bool limited) {
  for (int k = 0; k < p->m->nu; k++) {
    const cr_real* range = p->m->actuator_ctrlrange + 2 * (ptrdiff_t)k;
    if (limited && cri_control_limited(p->m, k)) {
      p->middle[k] = (range[0] + range[1]) / 2;
      p->half[k] = (range[1] - range[0]) / 2;
    }
  }
}

static cr_status make_blocks(cr_policy* p, int contacts, cr_error* error) {
  cr_data_destroy(p->see);
  cr_data_destroy(p->see_bar);
  p->see = p->see_bar = NULL;
  CR_TRY(cr_data_create_room(&p->see, p->m, contacts, error));
  return cri_data_twin(&p->see_bar, p->m, p->see, CR_DATA_COTANGENT, cri_no_params, error);
}

// ---- observations

// the state of d, and no controls: what is observed must not depend on them
static void put_state(const cr_policy* p, const cr_data* d) {
  cri_inputs_copy(p->m, p->see, d);
  cr_zero(p->see->ctrl, p->m->nu);
}

static cr_status compute(cr_policy* p, const cr_model* m, const cr_data* d) {
  put_state(p, d);
  cr_status status = p->needs_fields ? cr_forward(m, p->see) : CR_OK;
  while (status == CR_ERR_CAPACITY) {
    CR_TRY(make_blocks(p, 2 * p->see->ncon_max + 8, NULL));
    put_state(p, d);
    status = cr_forward(m, p->see);
  }
  return status;
}

static cr_status find_inputs(cr_policy* p, const cr_model* m, const cr_data* d) {
  CR_TRY(compute(p, m, d));
  cr_real *value = p->values, *x = p->x;
  for (int i = 0; i < p->nobservation; i++) {
    cri_observation* o = &p->observations[i];
    CR_TRY(cri_residual_values(&o->residual, m, p->see, value));
    for (int k = 0; k < o->residual.n; k++) {
      x[k] = (value[k] - o->offset) * o->scale;
    }
    value += o->residual.n;
    x += o->residual.n;
  }
  return CR_OK;
}

// the cotangents of all inputs, at the state in see, added to bar's state
static cr_status pull_inputs(cr_policy* p, const cr_model* m, cr_data* bar) {
  cr_data* seen = p->see_bar;
  cr_real *value = p->values, *x_bar = p->x_bar;
  const cri_state from = cri_state_twin(m, seen), to = cri_state_twin(m, bar);
  cri_state_zero(from);  // a sweep leaves all else as it found it but inputs that nobody reads
  for (int i = 0; i < p->nobservation; i++) {
    cri_observation* o = &p->observations[i];
    for (int k = 0; k < o->residual.n; k++) {
      x_bar[k] *= o->scale;
    }
    CR_TRY(cri_residual_pull(&o->residual, m, p->see, value, x_bar, seen));
    value += o->residual.n;
    x_bar += o->residual.n;
  }
  CR_TRY(p->needs_fields ? cri_forward_vjp(m, p->see, seen) : CR_OK);
  for (int k = 0; k < CRI_N_STATE; k++) {
    for (int i = 0; i < to.part[k].n; i++) {
      to.part[k].x[i] += from.part[k].x[i];
    }
  }
  return CR_OK;
}

// an observation of the control, or of what follows from it, would be one of itself
static cr_status check_causes(cr_policy* p, cr_error* error) {
  const cr_model* m = p->m;
  CR_TRY(cr_data_reset(m, p->see));
  for (int i = 0; i < p->nobservation; i++) {
    cri_residual* r = &p->observations[i].residual;
    for (int k = 0; k < m->nu; k++) {
      p->see->ctrl[k] = CR_R(0.37) + CR_R(0.011) * (cr_real)k;
    }
    cr_status status = cr_forward(m, p->see);
    status = status == CR_OK ? cri_residual_values(r, m, p->see, p->values) : status;
    for (int k = 0; k < r->n; k++) {
      p->x_bar[k] = 1 + CR_R(0.1) * (cr_real)k;
    }
    cri_twin_clear(p->see_bar);
    status =
        status == CR_OK ? cri_residual_pull(r, m, p->see, p->values, p->x_bar, p->see_bar) : status;
    status = status == CR_OK ? cri_forward_vjp(m, p->see, p->see_bar) : status;
    for (int k = 0; k < m->nu && status == CR_OK; k++) {
      if (p->see_bar->ctrl[k] != 0) {
        return cri_fail(error, CR_ERR_UNSUPPORTED,
                        "policy: observation '%s' depends on the controls", r->name);
      }
    }
  }
  return CR_OK;
}

cr_status cr_policy_create(cr_policy** policy, const cr_model* m, const cr_policy_options* options,
                           cr_error* error) {
  const cri_call call = {"cr_policy_create", error};
  CR_TRY(cri_given(&call, policy, "where the policy goes"));
  *policy = NULL;
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, options, "the options"));
  CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_policy_options"));
  CR_TRY(check(m, options, error));
  cr_policy* p = calloc(1, sizeof *p);
  if (p == NULL) {
    return no_memory(error);
  }
  p->m = p->backward = m;
  p->sets = options->sets > 0 ? options->sets : 1;
  p->nstep = options->nstep;
  p->every = options->every > 0 ? options->every : 1;
  p->observations = calloc((size_t)options->nobservation, sizeof *p->observations);
  cr_status status = p->observations == NULL ? no_memory(error) : CR_OK;
  for (int i = 0; i < options->nobservation && status == CR_OK; i++) {
    status = observe(p, options->observations[i], error);
  }
  status = status == CR_OK ? make_network(p, options, error) : status;
  status = status == CR_OK ? make_room(p, error) : status;
  status = status == CR_OK ? make_blocks(p, 0, error) : status;
  status = status == CR_OK ? check_causes(p, error) : status;
  if (status != CR_OK) {
    cr_policy_destroy(p);
    return status;
  }
  find_ranges(p, options->limited);
  *policy = p;
  return CR_OK;
}

void cr_policy_destroy(cr_policy* p) {
  if (p == NULL) {
    return;
  }
  for (int i = 0; i < p->nobservation; i++) {
    cri_residual_free(&p->observations[i].residual);
  }
  free(p->observations);
  cr_network_destroy(p->network);
  free(p->memory);
  cr_data_destroy(p->see);
  cr_data_destroy(p->see_bar);
  free(p);
}

// ---- weights

int cr_policy_ninput(const cr_policy* p) { return p != NULL ? p->ninput : 0; }
int cr_policy_nweight(const cr_policy* p) { return p != NULL ? p->sets * p->nset : 0; }
cr_real* cr_policy_weights(cr_policy* p) { return p != NULL ? p->weights : NULL; }
const cr_real* cr_policy_weights_bar(const cr_policy* p) { return p != NULL ? p->bar : NULL; }

cr_status cr_policy_init(cr_policy* p, uint64_t seed, cr_error* error) {
  const cri_call call = {"cr_policy_init", error};
  CR_TRY(cri_given(&call, p, "the policy"));
  for (int i = 0; i < p->sets; i++) {
    CR_TRY(cr_network_init(p->network, seed, true, p->weights + (ptrdiff_t)i * p->nset, error));
  }
  return CR_OK;
}

// where the weights of a step stand
static ptrdiff_t set_of(const cr_policy* p, int step) {
  int set = p->sets > 1 ? (int)((int64_t)step * p->sets / p->nstep) : 0;
  return (ptrdiff_t)(set < p->sets ? set : p->sets - 1) * p->nset;
}

// ---- the control

cr_status cri_policy_decide(cr_policy* p, const cr_model* m, const cr_data* d, int step) {
  CR_TRY(find_inputs(p, m, d));
  cr_network_forward(p->network, p->weights + set_of(p, step), p->x, NULL, p->y, NULL, p->room);
  for (int k = 0; k < m->nu; k++) {  // [policy.p1]
    p->u[k] = p->half[k] > 0 ? p->middle[k] + p->half[k] * cr_tanh(p->y[k]) : p->y[k];
    if (!isfinite(p->u[k])) {
      return CR_ERR_NONFINITE;
    }
  }
  return CR_OK;
}

// [policy.p1]' from u_bar to y_bar
static void pull_range(const cr_policy* p, const cr_real* u_bar, cr_real* y_bar) {
  for (int k = 0; k < p->m->nu; k++) {
    cr_real t = cr_tanh(p->y[k]);
    y_bar[k] = p->half[k] > 0 ? u_bar[k] * p->half[k] * (1 - t * t) : u_bar[k];
  }
}

// [policy.p2] and the noise itself
static void add_noise(cr_policy* p, int step) {
  int nu = p->m->nu;
  const cr_real* w = p->noise + (ptrdiff_t)(step / p->every) * nu;
  if (p->weight_of_noise != NULL) {
    for (int k = 0; k < nu; k++) {
      p->held_bar[k] = w[k] * p->weight_of_noise[k];
    }
    pull_range(p, p->held_bar, p->y_bar);
    cr_network_vjp(p->network, p->weights + set_of(p, step), p->y_bar, NULL,
                   p->score + set_of(p, step), NULL, NULL, p->room);
  }
  for (int k = 0; k < nu; k++) {
    p->u[k] += w[k];
  }
}

static cr_status control(void* context, const cr_model* m, const cr_data* d, int step,
                         cr_real* ctrl) {
  cr_policy* p = context;
  if (step % p->every == 0) {
    CR_TRY(cri_policy_decide(p, m, d, step));
    if (p->noise != NULL) {
      add_noise(p, step);
    }
  }
  cr_copy(ctrl, p->u, m->nu);
  return CR_OK;
}

static cr_status control_bar(void* context, const cr_model* m, const cr_data* d, int step,
                             const cr_real* ctrl_bar, cr_data* bar) {
  cr_policy* p = context;
  if (step == p->rollout->nstep - 1) {
    cr_zero(p->bar, cr_policy_nweight(p));
    cr_zero(p->held_bar, m->nu);
  }
  for (int k = 0; k < m->nu; k++) {
    p->held_bar[k] += ctrl_bar[k];
  }
  if (step % p->every != 0) {
    return CR_OK;
  }
  CR_TRY(cri_policy_decide(p, m, d, step));
  pull_range(p, p->held_bar, p->y_bar);
  cr_zero(p->held_bar, m->nu);
  cr_zero(p->x_bar, p->ninput);
  cr_network_vjp(p->network, p->weights + set_of(p, step), p->y_bar, NULL, p->bar + set_of(p, step),
                 p->x_bar, NULL, p->room);
  if (p->needs_fields && p->backward != p->m) {
    CR_TRY(compute(p, p->backward, d));
  }
  return pull_inputs(p, p->backward, bar);
}

cr_status cr_policy_control(cr_policy* p, const cr_model* m, const cr_data* d, int step,
                            cr_real* ctrl, cr_error* error) {
  const cri_call call = {"cr_policy_control", error};
  CR_TRY(cri_given(&call, p, "the policy"));
  CR_TRY(cri_given(&call, ctrl, "where the control goes"));
  CR_TRY(cri_check_shape(&call, m, p->see, "the policy"));
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  if (step < 0) {
    return cri_fail(error, CR_ERR_ARG, "policy: step %d", step);
  }
  cr_status status = cri_policy_decide(p, m, d, step);
  if (status != CR_OK) {
    const char* said = p->see->error.text;
    return cri_fail(error, status, "policy: step %d: %s", step,
                    said[0] != 0 ? said : cr_status_text(status));
  }
  cr_copy(ctrl, p->u, m->nu);
  return CR_OK;
}

cr_status cr_policy_attach(cr_policy* p, cr_rollout* r, const cr_model* backward, cr_error* error) {
  const cri_call call = {"cr_policy_attach", error};
  CR_TRY(cri_given(&call, r, "the rollout"));
  if (p == NULL) {
    cr_rollout_set_control(r, NULL, NULL);
    cr_rollout_set_control_bar(r, NULL, NULL);
    r->control_of_state = false;
    return CR_OK;
  }
  CR_TRY(cri_check_shape(&call, p->m, r->d, "the rollout"));
  CR_TRY(backward != NULL ? cri_check_variant(&call, backward, r->d, "backward") : CR_OK);
  p->backward = backward != NULL ? backward : p->m;
  p->rollout = r;
  cr_rollout_set_control(r, control, p);
  cr_rollout_set_control_bar(r, control_bar, p);
  r->control_of_state = true;
  return CR_OK;
}
