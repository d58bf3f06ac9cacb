// SPDX-License-Identifier: Apache-2.0
// Memory of contact models that were added.
#include "model/added_contact.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
  cri_contacts contacts;
  atomic_int owners;
} owned_contacts;

static owned_contacts* owned_by(const cri_contacts* x) {
  // each is the first member of one, none is constant itself
  return (owned_contacts*)(uintptr_t)x;
}

cri_contacts* cri_contacts_create(const cri_contacts* from) {
  owned_contacts* o = calloc(1, sizeof *o);
  if (o == NULL) {
    return NULL;
  }
  if (from != NULL) {
    o->contacts = *from;
  }
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
