// SPDX-License-Identifier: Apache-2.0
// Corrections of a model: checks, the network, the place in the schedule. What is public is documented in
// carom/correction.h.
#include "augment/correction.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/misuse.h"
#include "model/names.h"
#include "rollout/parameter_bends.h"

// ---- its own copy of the options

static char* copy_text(const char* text) {
  const size_t n = text == NULL ? 0 : strlen(text) + 1;
  char* copy = text == NULL ? NULL : malloc(n);
  if (copy != NULL) {
    memcpy(copy, text, n);
  }
  return copy;
}

// texts and arrays of the copy are the correction's; the public struct has them as constant
static void free_const(const void* x) { free((void*)(uintptr_t)x); }

static void free_options(cr_correction_options* o) {
  for (int k = 0; k < o->ninput && o->inputs != NULL; k++) {
    if (o->inputs[k] != NULL) {
      free_const(o->inputs[k]->place);
      free_const(o->inputs[k]);
    }
  }
  free_const(o->inputs);
  free_const(o->layers);
  free_const(o->name);
  free_const(o->target);
}

static bool copy_inputs(cr_correction_options* to, const cr_correction_options* from) {
  const cr_correction_input** list = calloc((size_t)from->ninput, sizeof *list);
  to->inputs = list;
  for (int k = 0; k < from->ninput && list != NULL; k++) {
    cr_correction_input* x = malloc(sizeof *x);
    if (x == NULL) {
      return false;
    }
    *x = *from->inputs[k];
    x->place = copy_text(x->place);
    list[k] = x;
    if (x->place == NULL && from->inputs[k]->place != NULL) {
      return false;
    }
  }
  return list != NULL;
}

static bool copy_options(cr_correction_options* to, const cr_correction_options* from) {
  *to = *from;
  to->inputs = NULL;
  to->layers = NULL;
  to->weights = NULL;
  to->nweight = 0;
  to->name = copy_text(from->name);
  to->target = copy_text(from->target);
  if (to->name == NULL || to->target == NULL || !copy_inputs(to, from)) {
    return false;
  }
  if (from->nlayer > 0) {
    cr_layer* layers = malloc((size_t)from->nlayer * sizeof *layers);
    if (layers == NULL) {
      return false;
    }
    memcpy(layers, from->layers, (size_t)from->nlayer * sizeof *layers);
    to->layers = layers;
  }
  return true;
}

// ---- owners

void cri_correction_share(void* correction) {
  cri_correction* c = correction;
  atomic_fetch_add(&c->owners, 1);
}

void cri_correction_release(void* correction) {
  cri_correction* c = correction;
  if (atomic_fetch_sub(&c->owners, 1) != 1) {
    return;
  }
  free_options(&c->options);
  cr_network_destroy(c->network);
  free(c->offset);
  free(c->scale);
  free(c->numbers);
  free(c->geoms);
  free(c->value);
  free(c->column);
  free(c->slot);
  free(c);
}

// ---- checks

static bool is_word(const char* name) {
  size_t n = 0;
  for (; name[n] != 0; n++) {
    if (n >= CR_MAX_CORRECTION_NAME || (!isalnum((unsigned char)name[n]) && name[n] != '_')) {
      return false;
    }
  }
  return n > 0;
}

static bool is_short(const char* text) { return strlen(text) <= CR_MAX_CORRECTION_TEXT; }

static cr_status check_input(const cri_call* call, const cr_correction_options* o, int k) {
  const cr_correction_input* x = o->inputs[k];
  CR_TRY(cri_given(call, x, "an input"));
  CR_TRY(cri_check_size(call, x->size, sizeof *x, "cr_correction_input"));
  if (x->place != NULL && !is_short(x->place)) {
    return cri_fail(call->error, CR_ERR_NAME, "correction '%s': input %d: the name is too long",
                    o->name, k);
  }
  if (!isfinite(x->offset) || !isfinite(x->scale)) {
    return cri_fail(call->error, CR_ERR_ARG,
                    "correction '%s': input %d: offset and scale have to be finite", o->name, k);
  }
  return CR_OK;
}

static cr_status check_penalties(const cri_call* call, const cr_correction_options* o) {
  const struct {
    const char* name;
    cr_real value;
  } all[] = {{"l2", o->l2}, {"lasso", o->lasso}, {"group_lasso", o->group_lasso}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    if (!(all[k].value >= 0) || !isfinite(all[k].value)) {
      return cri_fail(call->error, CR_ERR_ARG, "correction '%s': %s is not 0 or more", o->name,
                      all[k].name);
    }
  }
  return CR_OK;
}

static cr_status check_numbers(const cri_call* call, const cr_correction_options* o) {
  if (o->act < CR_CORRECTION_ADD || o->act > CR_CORRECTION_BLEND) {
    return cri_fail(call->error, CR_ERR_ARG, "correction '%s': there is no act %d", o->name,
                    (int)o->act);
  }
  if (o->ninput < 1 || o->ninput > CR_MAX_CORRECTION_INPUTS || o->nlayer < 0 ||
      o->nlayer > CR_MAX_CORRECTION_LAYERS) {
    return cri_fail(call->error, CR_ERR_ARG,
                    "correction '%s': it has %d inputs (1 to %d) and %d hidden layers (0 to %d)",
                    o->name, o->ninput, CR_MAX_CORRECTION_INPUTS, o->nlayer,
                    CR_MAX_CORRECTION_LAYERS);
  }
  if (!isfinite(o->output_scale) || !(o->tau >= 0) || !isfinite(o->tau)) {
    return cri_fail(call->error, CR_ERR_ARG,
                    "correction '%s': output_scale has to be finite, and tau 0 or more", o->name);
  }
  return check_penalties(call, o);
}

static cr_status check_options(const cri_call* call, const cr_correction_options* o) {
  CR_TRY(cri_given(call, o, "the options"));
  CR_TRY(cri_check_size(call, o->size, sizeof *o, "cr_correction_options"));
  CR_TRY(cri_given(call, o->name, "name"));
  CR_TRY(cri_given(call, o->target, "target"));
  if (!is_word(o->name)) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: '%.60s' is no name of letters, digits and _",
                    call->name, o->name);
  }
  if (!is_short(o->target)) {
    return cri_fail(call->error, CR_ERR_NAME, "correction '%s': the target is too long", o->name);
  }
  CR_TRY(check_numbers(call, o));
  CR_TRY(cri_given(call, o->inputs, "inputs"));
  CR_TRY(o->nlayer > 0 ? cri_given(call, o->layers, "layers") : CR_OK);
  for (int k = 0; k < o->ninput; k++) {
    CR_TRY(check_input(call, o, k));
  }
  return CR_OK;
}

// ---- fields

// A number that switches a part of the model on has no values between.
static cr_status refuse_entry(const cri_correction* c, const cr_model* m, cr_error* error) {
  const cr_field* f = cri_field(c->target);
  for (int i = 0; i < c->nmember * c->nvalue; i++) {
    const int k = c->value[i];
    const bool flag = c->target == CR_FIELD_eq_data && m->eq_type[k / CR_NEQDATA] == CR_EQ_WELD &&
                      k % CR_NEQDATA == CR_NEQDATA - 1;
    if (flag || cri_bend_at(m, c->target, k) == CRI_BEND_SWITCH) {
      return cri_fail(
          error, CR_ERR_UNSUPPORTED,
          "correction '%s': number %d of %s switches a part of the model, and cannot be "
          "corrected",
          c->options.name, k, f->name);
    }
  }
  return CR_OK;
}

static cr_status refuse_target(const cri_correction* c, const cr_model* m, cr_error* error) {
  const cr_field* f = cri_field(c->target);
  const char* why = "";
  switch (f->kind) {
    case CR_KIND_PARAM:
      return refuse_entry(c, m, error);
    case CR_KIND_CONST:
      why = "is a number of the model without a derivative, and cannot be corrected";
      break;
    case CR_KIND_STATE:
      why = "is an input of the step; correct a force or a rate";
      break;
    case CR_KIND_REAL:
    case CR_KIND_OP:
      return CR_OK;
    default:
      why = "is internal, and cannot be corrected";
  }
  return cri_fail(error, CR_ERR_UNSUPPORTED, "correction '%s': %s %s", c->options.name, f->name,
                  why);
}

static void choose_carry(cri_correction* c) {
  if (c->carry != CRI_CARRY_NOTHING) {
    return;
  }
  switch ((int)c->target) {
    case CR_FIELD_qfrc_spring:
    case CR_FIELD_qfrc_damper:
      c->carry = CRI_CARRY_PASSIVE;
      c->changes[c->nchange++] = CR_FIELD_qfrc_passive;
      break;
    case CR_FIELD_actuator_force:
      c->carry = CRI_CARRY_MOMENT;
      c->changes[c->nchange++] = CR_FIELD_qfrc_actuator;
      break;
    default:
      break;
  }
}

// ---- the stage behind which all of its fields are made

static cr_status find_after(cri_correction* c, const cr_model* m, cr_error* error) {
  cr_field_id fields[CR_MAX_STAGE_READS + 1];
  const char* after;
  fields[0] = c->target;
  for (int k = 0; k < c->nread; k++) {
    fields[k + 1] = c->reads[k];
  }
  CR_TRY(cri_added_after(m, c->options.name, fields, c->nread + 1, &after, error));
  (void)snprintf(c->after, sizeof c->after, "%s", after);
  return CR_OK;
}

static bool is_evolving(cr_field_id id) {
  return id == CR_FIELD_plugin_state_dot || id == CR_FIELD_plugin_state;
}

// ---- the network

static cr_status create_network(cri_correction* c, cr_error* error) {
  const cr_correction_options* o = &c->options;
  cr_layer layers[CR_MAX_CORRECTION_LAYERS + 1];
  for (int k = 0; k < o->nlayer; k++) {
    layers[k] = o->layers[k];
    if (layers[k].both_directions) {
      return cri_fail(error, CR_ERR_UNSUPPORTED,
                      "correction '%s': layer %d: a step knows no later steps, so both_directions "
                      "is not possible",
                      o->name, k);
    }
  }
  const int outputs = o->act == CR_CORRECTION_BLEND ? 2 * c->nvalue : c->nvalue;
  layers[o->nlayer] = (cr_layer){.size = sizeof(cr_layer),
                                 .kind = CR_LAYER_DENSE,
                                 .width = outputs,
                                 .activation = CR_ACTIVATION_IDENTITY};
  cr_error inner = {0};
  cr_status status = cr_network_create(&c->network, c->ninput, layers, o->nlayer + 1, &inner);
  if (status != CR_OK) {
    return cri_fail(error, status, "correction '%s': %s", o->name, inner.text);
  }
  c->noutput = outputs;
  c->nmemory = cr_network_nmemory(c->network);
  c->nroom = cr_network_nroom(c->network);
  c->nweight = cr_network_nweight(c->network);
  if (o->l2 > 0 && o->nlayer == 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "correction '%s': l2 is of layers above the first, and it has one layer alone",
                    o->name);
  }
  if (c->nmemory > 0 && c->contact) {
    return cri_fail(error, CR_ERR_UNSUPPORTED,
                    "correction '%s': contacts come and go, so a network for '%s' cannot remember",
                    o->name, o->target);
  }
  return CR_OK;
}

static cr_status first_weights(const cri_correction* c, const cr_correction_options* o,
                               cr_real* weight, cr_error* error) {
  if (o->weights == NULL) {
    return cr_network_init(c->network, o->seed, !o->random_output, weight, error);
  }
  if (o->nweight != c->nweight) {
    return cri_fail(error, CR_ERR_ARG, "correction '%s': %d weights are given, its network has %d",
                    o->name, o->nweight, c->nweight);
  }
  cr_copy(weight, o->weights, c->nweight);
  return CR_OK;
}

// ---- creation

static cr_status resolve(cri_correction* c, const cr_model* m, cr_error* error) {
  c->output_scale = c->options.output_scale != 0 ? c->options.output_scale : 1;
  c->state = c->rate = -1;
  c->target = CR_N_FIELD;
  c->reads[c->nread++] = CR_FIELD_plugin_param;
  CR_TRY(cri_correction_places(c, m, error));
  CR_TRY(refuse_target(c, m, error));
  const bool force = c->carry == CRI_CARRY_FORCE || c->carry == CRI_CARRY_TENDON;
  if (force && find_after(c, m, NULL) != CR_OK) {
    c->target = CR_FIELD_qfrc_smooth;
  }
  CR_TRY(find_after(c, m, error));
  c->changes[c->nchange++] = c->target;
  choose_carry(c);
  if (c->carry == CRI_CARRY_MOMENT) {
    c->reads[c->nread++] = CR_FIELD_actuator_moment;
  }
  CR_TRY(create_network(c, error));
  if (c->nmemory > 0 && is_evolving(c->target)) {
    return cri_fail(error, CR_ERR_UNSUPPORTED,
                    "correction '%s': its target is the rate of its own memory", c->options.name);
  }
  if (c->nmemory > 0) {
    c->state = -1;
    for (int k = 0; k < c->nread; k++) {
      c->state = c->reads[k] == CR_FIELD_plugin_state ? k : c->state;
    }
    if (c->state < 0) {
      c->state = c->nread;
      c->reads[c->nread++] = CR_FIELD_plugin_state;
    }
    c->rate = c->nchange;
    c->changes[c->nchange++] = CR_FIELD_plugin_state_dot;
  }
  c->weight_first = m->npluginparam;
  c->state_first = m->npluginstate;
  return CR_OK;
}

static cr_status add_stage(cri_correction* c, cr_model* m, cr_error* error) {
  const char *read_names[CR_MAX_STAGE_READS], *change_names[CR_MAX_STAGE_CHANGES];
  for (int k = 0; k < c->nread; k++) {
    read_names[k] = cri_field(c->reads[k])->name;
  }
  for (int k = 0; k < c->nchange; k++) {
    change_names[k] = cri_field(c->changes[k])->name;
  }
  const int64_t room = (int64_t)c->nmember * cri_correction_room(c);
  const cr_stage_options o = {.size = sizeof o,
                              .name = c->options.name,
                              .after = c->after,
                              .reads = read_names,
                              .nread = c->nread,
                              .changes = change_names,
                              .nchange = c->nchange,
                              .forward = cri_correction_forward,
                              .jvp = cri_correction_jvp,
                              .vjp = cri_correction_vjp,
                              .user = c,
                              .room = room > CR_MAX_STAGE_ROOM ? -1 : (int)room,
                              .room_row = c->contact ? cri_correction_room(c) : 0,
                              .scratch = cri_correction_scratch(c, m)};
  const size_t entries = c->column != NULL ? (size_t)(c->nmember * c->nvalue) : 0;
  const size_t of_J = c->target == CR_FIELD_ten_J ? entries : 0;
  const size_t of_moment = c->target == CR_FIELD_actuator_moment ? entries : 0;
  const cri_inner_stage inner = {
      .pairs = {.actuator_moment = of_moment + (c->carry == CRI_CARRY_MOMENT ? 1 : 0),
                .efc_J = c->carry == CRI_CARRY_FORCE ? 1 : 0,
                .ten_J = of_J + (c->carry == CRI_CARRY_TENDON ? 1 : 0),
                .M = c->target == CR_FIELD_M ? entries : 0},
      .scratch_row = c->carry == CRI_CARRY_FORCE ? 2 : 0,
      .room_of = c->contact ? CR_FIELD_contact_dist : c->target,
      .share = cri_correction_share,
      .release = cri_correction_release,
      .finish = c->target == CR_FIELD_M ? cri_correction_factor : NULL};
  return cri_inner_stage_add(m, &o, &inner, error);
}

// all or nothing
static cr_status add(cri_correction* c, cr_model* m, const cr_correction_options* options,
                     cr_error* error) {
  cr_real* weight = calloc((size_t)c->nweight + 1, sizeof *weight);
  if (weight == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "correction '%s': no memory", c->options.name);
  }
  const cri_schedule* before = m->schedule;
  const int32_t nstate = m->npluginstate;
  cri_schedule_share(before);
  cr_status status = first_weights(c, options, weight, error);
  status = status == CR_OK ? add_stage(c, m, error) : status;
  if (status == CR_OK && c->nmemory > 0) {
    status = cr_model_add_state(m, c->nmember * c->nmemory, NULL, error);
  }
  status = status == CR_OK ? cr_model_add_parameters(m, c->nweight, weight, NULL, error) : status;
  free(weight);
  if (status != CR_OK) {
    cri_schedule_release(m->schedule);
    m->schedule = before;
    m->npluginstate = nstate;
    return status;
  }
  cri_schedule_release(before);
  return CR_OK;
}

cr_status cr_model_add_correction(cr_model* m, const cr_correction_options* options,
                                  cr_error* error) {
  const cri_call call = {"cr_model_add_correction", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(check_options(&call, options));
  cri_correction* c = calloc(1, sizeof *c);
  if (c == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "correction '%s': no memory", options->name);
  }
  atomic_init(&c->owners, 1);
  cr_status status =
      copy_options(&c->options, options)
          ? resolve(c, m, error)
          : cri_fail(error, CR_ERR_MEMORY, "correction '%s': no memory", options->name);
  status = status == CR_OK ? add(c, m, options, error) : status;
  cri_correction_release(c);
  return status;
}

cr_status cri_corrections_add(cr_model* m, const cr_correction_options* list, int n,
                              cr_error* error) {
  const cri_schedule* before = m->schedule;
  const int32_t nstate = m->npluginstate, nparam = m->npluginparam;
  cr_status status = CR_OK;
  cri_schedule_share(before);
  for (int i = 0; i < n && status == CR_OK; i++) {
    status = cr_model_add_correction(m, &list[i], error);
  }
  if (status != CR_OK) {
    cri_schedule_release(m->schedule);
    m->schedule = before;
    m->npluginstate = nstate;
    m->npluginparam = nparam;
    return status;
  }
  cri_schedule_release(before);
  return CR_OK;
}

// ---- what a model has

const cri_correction* cri_correction_at(const cr_model* m, int i) {
  return cri_added_user(m, cri_correction_forward, i);
}

int cr_model_correction_count(const cr_model* m) {
  int n = 0;
  while (m != NULL && cri_correction_at(m, n) != NULL) {
    n++;
  }
  return n;
}

cr_status cr_model_get_correction(const cr_model* m, int i, cr_correction_info* info,
                                  cr_error* error) {
  const cri_call call = {"cr_model_get_correction", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, info, "info"));
  const cri_correction* c = i < 0 ? NULL : cri_correction_at(m, i);
  if (c == NULL) {
    return cri_fail(error, CR_ERR_ARG, "%s: there is no correction %d", call.name, i);
  }
  const cr_correction_info given = {.size = sizeof given,
                                    .name = c->options.name,
                                    .target = c->options.target,
                                    .after = c->after,
                                    .act = c->options.act,
                                    .nmember = c->nmember,
                                    .ninput = c->ninput,
                                    .noutput = c->noutput,
                                    .weight_first = c->weight_first,
                                    .nweight = c->nweight,
                                    .state_first = c->state_first,
                                    .nstate = c->nmember * c->nmemory,
                                    .network = c->network,
                                    .l2 = c->options.l2,
                                    .lasso = c->options.lasso,
                                    .group_lasso = c->options.group_lasso};
  return cri_give(&call, info, &given, sizeof given, "cr_correction_info");
}
