// SPDX-License-Identifier: Apache-2.0
// Contact models that were added to a model: one block, counted by its owners. Copies of a model share it.
#ifndef CR_MODEL_ADDED_CONTACT_H
#define CR_MODEL_ADDED_CONTACT_H

#include "carom/contact.h"
#include "model/model.h"

typedef struct {
  char name[CR_MAX_CONTACT_NAME + 1];
  cr_contact_options options;  // without its texts
} cri_added_contact;

typedef struct cri_contacts {
  int n;
  cri_added_contact model[CR_MAX_CONTACT_MODELS];
} cri_contacts;

/// A block with what `from` has (NULL: nothing), to be changed and then given to a model. NULL: no memory.
cri_contacts* cri_contacts_create(const cri_contacts* from);

/// One owner more, one less: the last frees it. NULL is allowed.
void cri_contacts_share(const cri_contacts* x);
void cri_contacts_release(const cri_contacts* x);

/// How many were added.
static inline int cri_nadded_contact(const cr_model* m) {
  return m->contacts == NULL ? 0 : m->contacts->n;
}

/// Whether all contacts have MuJoCo's convex law.
static inline bool cri_all_convex(const cr_model* m) {
  return m->contact_model == CR_CONTACT_CONVEX;
}

#endif
