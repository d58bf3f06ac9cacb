// SPDX-License-Identifier: Apache-2.0
// Contact models that a user adds. What is public is documented in carom/contact.h.
#include <ctype.h>

#include "engine/added_stage.h"
#include "model/added_contact.h"
#include "model/misuse.h"
#include "model/model_options.h"

static bool is_word(const char* name) {
  size_t n = 0;
  for (; name[n] != 0; n++) {
    if (n >= CR_MAX_CONTACT_NAME || (!isalnum((unsigned char)name[n]) && name[n] != '_')) {
      return false;
    }
  }
  return n > 0;
}

static cr_status check_options(const cri_call* call, const cr_model* m,
                               const cr_contact_options* o) {
  CR_TRY(cri_given(call, o, "the options"));
  CR_TRY(cri_check_size(call, o->size, sizeof *o, "cr_contact_options"));
  CR_TRY(cri_given(call, o->name, "name"));
  if (!is_word(o->name)) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: '%.60s' is no name of letters, digits and _",
                    call->name, o->name);
  }
  int32_t value;
  if (cri_choice_find(m, cri_option_find("contact_model"), o->name, &value)) {
    return cri_fail(call->error, CR_ERR_NAME, "there is a contact model '%s' already", o->name);
  }
  if (cri_nadded_contact(m) >= CR_MAX_CONTACT_MODELS) {
    return cri_fail(call->error, CR_ERR_ARG, "contact model '%s': a model has room for %d", o->name,
                    CR_MAX_CONTACT_MODELS);
  }
  CR_TRY(o->force != NULL ? CR_OK : cri_is_null(call, "force"));
  CR_TRY(o->jvp != NULL ? CR_OK : cri_is_null(call, "jvp"));
  CR_TRY(o->vjp != NULL ? CR_OK : cri_is_null(call, "vjp"));
  if (o->nstage < 0) {
    return cri_fail(call->error, CR_ERR_ARG, "contact model '%s': %d stages", o->name, o->nstage);
  }
  return o->nstage > 0 ? cri_given(call, o->stages, "stages") : CR_OK;
}

// all or none
static cr_status add_stages(cr_model* m, const cr_contact_options* o, int32_t contact,
                            cr_error* error) {
  const struct cri_schedule* before = m->schedule;
  cr_status status = CR_OK;
  cri_schedule_share(before);
  const char* stage =
      (const char*)o->stages;  // o->stages[i], also where a later version's are larger
  for (int i = 0; i < o->nstage && status == CR_OK; i++, stage += o->stages->size) {
    status = cri_added_add(m, (const cr_stage_options*)(const void*)stage, contact, error);
  }
  if (status != CR_OK) {
    cri_schedule_release(m->schedule);
    m->schedule = before;
    return status;
  }
  cri_schedule_release(before);
  return CR_OK;
}

cr_status cr_model_add_contact_model(cr_model* m, const cr_contact_options* options,
                                     cr_error* error) {
  const cri_call call = {"cr_model_add_contact_model", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(check_options(&call, m, options));
  cri_contacts* made = cri_contacts_create(m->contacts);
  if (made == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "contact model '%s': no memory", options->name);
  }
  cr_status status = add_stages(m, options, CR_CONTACT_ADDED + made->n, error);
  if (status != CR_OK) {
    cri_contacts_release(made);
    return status;
  }
  cri_added_contact* x = &made->model[made->n++];
  memcpy(x->name, options->name, strlen(options->name) + 1);
  x->options = *options;
  x->options.name = NULL;
  x->options.stages = NULL;
  cri_contacts_release(m->contacts);
  m->contacts = made;
  return CR_OK;
}

// ---- of pairs of geoms

static cr_status check_geom(const cri_call* call, const cr_model* m, int geom, bool any) {
  if (geom < (any ? -1 : 0) || geom >= m->ngeom) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: there is no geom %d", call->name, geom);
  }
  return CR_OK;
}

cr_status cr_model_set_contact_pair(cr_model* m, int geom1, int geom2, const char* contact_model,
                                    cr_error* error) {
  const cri_call call = {"cr_model_set_contact_pair", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, contact_model, "contact_model"));
  CR_TRY(check_geom(&call, m, geom1, false));
  CR_TRY(check_geom(&call, m, geom2, true));
  cri_contact_rule rule = {.geom = {geom1, geom2}};
  const cri_option* option = cri_option_find("contact_model");
  if (!cri_choice_find(m, option, contact_model, &rule.model)) {
    return cri_fail(error, CR_ERR_NAME, "there is no contact model '%s': %s expected",
                    contact_model, cri_choices(m, option).text);
  }
  cri_contacts* made = cri_contacts_create(m->contacts);
  if (made == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", call.name);
  }
  cri_contacts_set_rule(made, &rule);
  cri_contacts_release(m->contacts);
  m->contacts = made;
  return CR_OK;
}

const char* cr_model_get_contact_pair(const cr_model* m, int geom1, int geom2) {
  if (m == NULL || geom1 < 0 || geom1 >= m->ngeom || geom2 < 0 || geom2 >= m->ngeom) {
    return NULL;
  }
  return cri_choice_word(m, cri_option_find("contact_model"),
                         cri_contact_model_of(m, geom1, geom2));
}
