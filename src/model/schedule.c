// SPDX-License-Identifier: Apache-2.0
// Memory of schedules: one block each, counted by its owners.
#include "model/schedule.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "model/added_contact.h"

typedef struct {
  cri_schedule schedule;
  atomic_int owners;
  cri_added added[];  // then the rows
} owned_schedule;

static owned_schedule* owned_by(const cri_schedule* s) {
  // all schedules with owners are the first member of such a block, so none is really constant
  return (owned_schedule*)(uintptr_t)s;
}

// lists the parameters that a stage changes, and marks those that no stage before it does
static void note_params(cri_schedule* s, cri_added* added) {
  for (int k = 0; k < added->nchange; k++) {
    const cr_field_id id = added->uses[added->nread + k];
    int at = 0;
    while (at < s->nparam && s->param[at] != id) {
      at++;
    }
    added->begins[k] = cri_field_of_model(id) && at == s->nparam;
    s->changes_M = s->changes_M || id == CR_FIELD_M;
    if (added->begins[k]) {
      s->param[s->nparam++] = id;
    }
  }
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
  o->schedule = (cri_schedule){.row = row,
                               .n = n,
                               .nprepare = nprepare,
                               .ndynamics = ndynamics,
                               .nadded = nadded,
                               .owned = true};
  for (int i = 0; i < n; i++) {
    row[i] = rows[i];
    if (row[i].added != NULL) {
      *added = *rows[i].added;
      note_params(&o->schedule, added);
      row[i].added = added;
      row[i].name = added->name;
      row[i].reads = added->uses;
      row[i].writes = added->uses + added->nread;
      if (added->share != NULL) {
        added->share(added->user);
      }
      added++;
    }
  }
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
    for (int i = 0; i < s->nadded; i++) {
      const cri_added* added = &owned_by(s)->added[i];
      if (added->release != NULL) {
        added->release(added->user);
      }
    }
    free(owned_by(s));
  }
}

bool cri_added_runs(const cr_model* m, const cri_added* added) {
  return added->contact == CR_CONTACT_CONVEX || cri_contact_in_use(m, added->contact);
}

int64_t cri_added_room(const cri_added* added, const cr_model* m, const cr_data* d) {
  return added->room + (int64_t)added->room_row * cri_field_capacity(m, d, added->room_of);
}

int64_t cri_schedule_before(const cri_schedule* s, int row, const cr_model* m, const cr_data* d) {
  int64_t numbers = 0;
  for (int i = 0; i < row && s->nadded > 0; i++) {
    const cr_stage* stage = &s->row[i];
    for (int k = 0; k < stage->nwrite && stage->added != NULL; k++) {
      numbers += (int64_t)cri_field_capacity(m, d, stage->writes[k]) *
                 cri_field_width(m, stage->writes[k]);
    }
    numbers += stage->added != NULL ? cri_added_room(stage->added, m, d) : 0;
  }
  return numbers;
}

// ---- memory

static size_t count_if(const int32_t* x, int n, int32_t value) {
  size_t count = 0;
  for (int i = 0; i < n; i++) {
    count += x[i] == value;
  }
  return count;
}

static bool is_split_tendon(const cr_model* m, int t) {
  return !cri_is_whole(m, m->ten_J_colind + m->ten_J_rowadr[t], m->ten_J_rownnz[t]);
}

static bool is_split_body(const cr_model* m, int b) {
  return m->body_dofnum[b] > 1 && cri_is_diagonal(m, m->body_dofadr[b]);
}

// the dofs of an actuator on joint or site lie on several branches, or are several of a simple body
static bool is_split_moment(const cr_model* m, int i) {
  int type = m->actuator_trntype[i], id = m->actuator_trnid[2 * i];
  bool site = type == CR_TRN_SITE && m->actuator_trnid[2 * i + 1] < 0;
  if (site || type <= CR_TRN_JOINTINPARENT) {
    return is_split_body(m, site ? m->body_weldid[m->site_bodyid[id]] : m->jnt_bodyid[id]);
  }
  return true;
}

static size_t count_split_tendons(const cr_model* m) {
  size_t n = 0;
  for (int t = 0; t < m->ntendon; t++) {
    n += is_split_tendon(m, t);
  }
  return n;
}

static size_t count_split_moments(const cr_model* m) {
  size_t n = 0;
  for (int i = 0; i < m->nactuator; i++) {
    bool tendon = m->actuator_trntype[i] == CR_TRN_TENDON;
    bool split = tendon ? is_split_tendon(m, m->actuator_trnid[2 * i]) : is_split_moment(m, i);
    n += split ? (size_t)m->actuator_outnum[i] : 0;
  }
  return n;
}

cri_counts cri_counts_of(const cr_model* m, const cr_data* d) {
  const cri_tableau* t = cri_tableau_of(m->integrator);
  const bool exact = (m->enableflags & CR_ENBL_DIAGEXACT) != 0;
  cri_counts n = {
#define CR_SIZE(name, text) .name = (size_t)m->name,
#include "model/model_fields.h"
#define CR_LIVE(name, text) .name = (size_t)d->name##_max,
#define CR_ROOM(name, numbers, text) .name = (size_t)d->name,
#include "model/data_counts.h"
      .discrete = m->integrator == CR_INT_DISCRETE,
      .implicit = m->integrator == CR_INT_IMPLICIT || m->integrator == CR_INT_IMPLICITFAST,
      .embedded = t != NULL && t->error != NULL,
      .smooth = m->collision == CR_COLLISION_SMOOTH,
      .nword = (size_t)m->nv / 64 + 1,
      .ninertial = (size_t)m->ntendon - count_if(m->tendon_inertial, m->ntendon, 0),
      .nbodymoment = count_if(m->actuator_trntype, m->nactuator, CR_TRN_BODY),
      .nsplit_tendon = count_split_tendons(m),
      .nsplit_moment = count_split_moments(m),
  };
  n.nsolve = n.discrete + n.implicit;
  n.nidle = n.discrete != 0 && !exact ? n.nefc : 0;
  n.nrowpair = exact || n.discrete != 0 ? n.nefc : 0;
  const size_t own = n.nH + 10 * n.nv + 12 * n.nefc + 8 * n.ncon;
  n.contact_room = cri_all_convex(m) || cri_all_explicit(m) ? 0 : own;
  if (cri_contact_in_use(m, CR_CONTACT_NCP)) {
    n.contact_room += n.nefc * (n.nv + 6);
  }
  return n;
}
