// SPDX-License-Identifier: Apache-2.0
// Which contact model a model uses.
#include "solver/contact_model.h"

#include "model/model_options.h"
#include "solver/convex_model.h"

static const cr_contact_model* const own[] = {[CR_CONTACT_CONVEX] = &cri_convex};

const cr_contact_model* cri_contact_model(const cr_model* m) {
  return m->contact_model < CR_CONTACT_ADDED
             ? own[m->contact_model]
             : m->added_contact[m->contact_model - CR_CONTACT_ADDED].model;
}

static bool is_whole(const cr_contact_model* x) {
  return x->solve != NULL && x->linear != NULL && x->delicate != NULL && x->force != NULL &&
         x->force_jvp != NULL && x->force_vjp != NULL && x->latent_jvp != NULL &&
         x->latent_vjp != NULL && x->in_doubt != NULL && x->bends != NULL &&
         x->has_directions != NULL;
}

cr_status cri_contact_models_add(cr_model* m, const cri_contact_choice* choices, int n,
                                 cr_error* error) {
  const cri_option* option = cri_option_find("contact_model");
  if (n > CRI_MOST_ADDED) {
    return cri_fail(error, CR_ERR_ARG, "%d contact models: at most %d can be added", n,
                    CRI_MOST_ADDED);
  }
  if (m->contact_model >= CR_CONTACT_ADDED + n) {
    return cri_fail(error, CR_ERR_ARG,
                    "option contact_model: it is %d, and needs more than %d added contact models",
                    m->contact_model, n);
  }
  for (int k = 0; k < n; k++) {
    bool known = cri_word_find(option->words, choices[k].name) != NULL;
    for (int i = 0; i < k && !known; i++) {
      known = strcmp(choices[i].name, choices[k].name) == 0;
    }
    if (known) {
      return cri_fail(error, CR_ERR_ARG, "contact model '%s': there is one of this name",
                      choices[k].name);
    }
    if (!is_whole(choices[k].model)) {
      return cri_fail(error, CR_ERR_ARG, "contact model '%s': a function is missing",
                      choices[k].name);
    }
  }
  m->added_contact = choices;
  m->nadded_contact = n;
  return CR_OK;
}
