// SPDX-License-Identifier: Apache-2.0
// Memory of schedules: one block each, counted by its owners.
#include "model/schedule.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
  cri_schedule schedule;
  atomic_int owners;
  cri_added added[];  // then the rows
} owned_schedule;

static owned_schedule* owned_by(const cri_schedule* s) {
  // all that say so are the first member of one, none is constant itself
  return (owned_schedule*)(uintptr_t)s;
}

cri_schedule* cri_schedule_create(const cr_stage* rows, int n, int nprepare, int ndynamics) {
  int nadded = 0;
  for (int i = 0; i < n; i++) {
    nadded += rows[i].added != NULL;
  }
  size_t added_bytes = (size_t)nadded * sizeof(cri_added);
  owned_schedule* o = malloc(sizeof *o + added_bytes + (size_t)n * sizeof(cr_stage));
  if (o == NULL) {
    return NULL;
  }
  cr_stage* row = (cr_stage*)(void*)(o->added + nadded);
  cri_added* added = o->added;
  for (int i = 0; i < n; i++) {
    row[i] = rows[i];
    if (row[i].added != NULL) {
      *added = *rows[i].added;
      row[i].added = added;
      row[i].name = added->name;
      row[i].reads = added->uses;
      row[i].writes = added->uses + added->nread;
      added++;
    }
  }
  o->schedule = (cri_schedule){row, n, nprepare, ndynamics, nadded, true};
  atomic_init(&o->owners, 1);
  return &o->schedule;
}

void cri_schedule_share(const cri_schedule* s) {
  if (s != NULL && s->owned) {
    atomic_fetch_add(&owned_by(s)->owners, 1);
  }
}

void cri_schedule_release(const cri_schedule* s) {
  if (s != NULL && s->owned && atomic_fetch_sub(&owned_by(s)->owners, 1) == 1) {
    free(owned_by(s));
  }
}

int64_t cri_schedule_before(const cri_schedule* s, int row, const cr_model* m, const cr_data* d) {
  int64_t numbers = 0;
  for (int i = 0; i < row && s->nadded > 0; i++) {
    const cr_stage* stage = &s->row[i];
    for (int k = 0; k < stage->nwrite && stage->added != NULL; k++) {
      numbers += (int64_t)cri_field_capacity(m, d, stage->writes[k]) *
                 cri_field_width(m, stage->writes[k]);
    }
  }
  return numbers;
}
