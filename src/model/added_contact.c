// SPDX-License-Identifier: Apache-2.0
// Memory of contact models that were added.
#include "model/added_contact.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  cri_contacts contacts;
  atomic_int owners;
  cri_contact_rule rule[];
} owned_contacts;

static owned_contacts* owned_by(const cri_contacts* x) {
  // each is the first member of one, none is constant itself
  return (owned_contacts*)(uintptr_t)x;
}

cri_contacts* cri_contacts_create(const cri_contacts* from) {
  size_t nrule = from != NULL ? (size_t)from->nrule : 0;
  owned_contacts* o = calloc(1, sizeof *o + (nrule + 1) * sizeof *o->rule);
  if (o == NULL) {
    return NULL;
  }
  if (from != NULL) {
    o->contacts = *from;
    memcpy(o->rule, from->rule, nrule * sizeof *o->rule);
  }
  o->contacts.rule = o->rule;
  atomic_init(&o->owners, 1);
  return &o->contacts;
}

void cri_contacts_share(const cri_contacts* x) {
  if (x != NULL) {
    atomic_fetch_add(&owned_by(x)->owners, 1);
  }
}

void cri_contacts_release(const cri_contacts* x) {
  if (x != NULL && atomic_fetch_sub(&owned_by(x)->owners, 1) == 1) {
    free(owned_by(x));
  }
}

static bool fits(const cri_contact_rule* r, int geom1, int geom2) {
  return (r->geom[0] == geom1 && (r->geom[1] == geom2 || r->geom[1] < 0)) ||
         (r->geom[0] == geom2 && (r->geom[1] == geom1 || r->geom[1] < 0));
}

static bool is_same(const cri_contact_rule* a, const cri_contact_rule* b) {
  bool turned = a->geom[0] == b->geom[1] && a->geom[1] == b->geom[0];
  return turned || (a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1]);
}

void cri_contacts_set_rule(cri_contacts* x, const cri_contact_rule* rule) {
  int n = 0;
  for (int i = 0; i < x->nrule; i++) {
    if (!is_same(&x->rule[i], rule)) {
      x->rule[n++] = x->rule[i];
    }
  }
  x->rule[n++] = *rule;
  x->nrule = n;
  x->mixed = false;
  for (int i = 0; i < n; i++) {
    x->mixed = x->mixed || x->rule[i].model != CR_CONTACT_CONVEX;
  }
}

int32_t cri_contact_model_of(const cr_model* m, int geom1, int geom2) {
  for (int i = m->contacts != NULL ? m->contacts->nrule - 1 : -1; i >= 0; i--) {
    if (fits(&m->contacts->rule[i], geom1, geom2)) {
      return m->contacts->rule[i].model;
    }
  }
  return m->contact_model;
}

bool cri_contact_in_use(const cr_model* m, int32_t model) {
  bool used = m->contact_model == model;
  for (int i = 0; m->contacts != NULL && i < m->contacts->nrule; i++) {
    used = used || m->contacts->rule[i].model == model;
  }
  return used;
}

bool cri_all_explicit(const cr_model* m) {
  bool all = m->contact_model == CR_CONTACT_HUNT_CROSSLEY;
  for (int i = 0; m->contacts != NULL && i < m->contacts->nrule; i++) {
    all = all && m->contacts->rule[i].model == CR_CONTACT_HUNT_CROSSLEY;
  }
  return all;
}
