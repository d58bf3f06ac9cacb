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

/// The contact model of the contacts of two geoms, or of a geom with all others: CR_CONTACT_CONVEX, CR_CONTACT_ADDED
/// and on.
typedef struct {
  int32_t geom[2];  // the second -1: all others
  int32_t model;
} cri_contact_rule;

typedef struct cri_contacts {
  int n, nrule;
  cri_added_contact model[CR_MAX_CONTACT_MODELS];
  cri_contact_rule* rule;  // of those that fit the last one holds
  bool mixed;              // one of them says another than the convex model
} cri_contacts;

/// A block with what `from` has (NULL: nothing), with room for one rule more, to be changed and then given to a
/// model. NULL: no memory.
cri_contacts* cri_contacts_create(const cri_contacts* from);

/// Adds a rule, for which there is room; one that was there for the same geoms is gone.
void cri_contacts_set_rule(cri_contacts* x, const cri_contact_rule* rule);

/// Whether the option or a rule chooses this contact model.
bool cri_contact_in_use(const cr_model* m, int32_t model);

/// The contact model of the contacts of two geoms.
int32_t cri_contact_model_of(const cr_model* m, int geom1, int geom2);

/// One owner more, one less: the last frees it. NULL is allowed.
void cri_contacts_share(const cri_contacts* x);
void cri_contacts_release(const cri_contacts* x);

/// How many were added.
static inline int cri_nadded_contact(const cr_model* m) {
  return m->contacts == NULL ? 0 : m->contacts->n;
}

/// Whether all contacts have MuJoCo's convex law.
static inline bool cri_all_convex(const cr_model* m) {
  return m->contact_model == CR_CONTACT_CONVEX && (m->contacts == NULL || !m->contacts->mixed);
}

/// Whether all contacts have a law of gap and gap velocity, hunt_crossley, so that their forces need no solve.
bool cri_all_explicit(const cr_model* m);

#endif
