// SPDX-License-Identifier: Apache-2.0
// Rows that enter, and the jump of the sensitivity there (the saltation matrix, transposed).
#include "integrate/event.h"

#include "engine/forward.h"
#include "integrate/inputs.h"
#include "integrate/manifold.h"

// the first row of a limit or of a contact: what can enter
static bool can_enter(const cr_data* d, int row) {
  int type = d->efc_type[row];
  if (type == CR_CNSTR_LIMIT_JOINT || type == CR_CNSTR_LIMIT_TENDON) {
    return true;
  }
  return type >= CR_CNSTR_CONTACT_FRICTIONLESS && d->contact_efc_address[d->efc_id[row]] == row;
}

// 52 bits, so that a real holds it
static uint64_t mixed(uint64_t h, int32_t value) {
  h = (h ^ (uint64_t)value) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

static cri_event_key key_of(const cr_data* d, int row) {
  int type = d->efc_type[row], id = d->efc_id[row];
  if (type < CR_CNSTR_CONTACT_FRICTIONLESS) {
    cr_real own = -(cr_real)type - 8 * (cr_real)id;
    return (cri_event_key){own, own};
  }
  uint64_t pair = mixed(mixed(0, d->contact_geom[2 * id]), d->contact_geom[2 * id + 1]), h = pair;
  for (int k = 0; k < 4; k++) {
    h = mixed(h, d->contact_feature[4 * id + k]);
  }
  return (cri_event_key){(cr_real)(pair >> 12), (cr_real)(h >> 12)};
}

int cri_event_keys(const cr_data* d, cri_event_key* keys) {
  int n = 0;
  for (int row = 0; row < d->nefc; row++) {
    if (can_enter(d, row)) {
      keys[n++] = key_of(d, row);
    }
  }
  return n;
}

// velocity of the gap: edges of a pyramid are the normal plus and minus a tangent
static cr_real gap_velocity(const cr_data* d, int row) {
  bool edge = d->efc_type[row] == CR_CNSTR_CONTACT_PYRAMIDAL;
  return edge ? (d->efc_vel[row] + d->efc_vel[row + 1]) / 2 : d->efc_vel[row];
}

// a key that was not there, of a pair that had fewer contacts
static bool is_new(const cr_data* d, int row, const cri_event_key* keys, int n) {
  cri_event_key key = key_of(d, row);
  int balance = 0;
  for (int i = 0; i < n; i++) {
    balance -= keys[i].pair == key.pair;
    if (keys[i].feature == key.feature) {
      return false;
    }
  }
  for (int i = 0; i < d->nefc && balance <= 0; i++) {
    balance += can_enter(d, i) && key_of(d, i).pair == key.pair;
  }
  return balance > 0;
}

int cri_event_find(const cr_data* d, const cri_event_key* keys, int n, cr_real most, cr_real* ago) {
  int first = -1;
  *ago = 0;
  for (int row = 0; row < d->nefc; row++) {
    // [e1]
    cr_real gap = d->efc_pos[row] - d->efc_margin[row];
    if (!can_enter(d, row) || !(gap_velocity(d, row) < 0)) {
      continue;
    }
    cr_real since = gap / gap_velocity(d, row);
    if (since <= most && (first < 0 || since > *ago) && is_new(d, row, keys, n)) {
      first = row;
      *ago = since;
    }
  }
  return first;
}

// goes back along the velocity until the row is gone; returns false where it stays
static cr_status before(const cr_model* m, const cr_data* d, int row, cr_data* work, bool* gone) {
  cr_real gap = d->efc_pos[row] - d->efc_margin[row], velocity = gap_velocity(d, row);
  cri_event_key key = key_of(d, row);
  cr_real back = 2 * cr_max(gap / velocity, CR_R(16) * CR_EPS);
  *gone = false;
  for (int i = 0; i < 24 && !*gone; i++, back *= 4) {
    cri_inputs_copy(m, work, d);
    cri_manifold_move(m, d->qpos, d->qvel, -back, work->qpos);
    CR_TRY(cri_dynamics(m, work));
    *gone = true;
    for (int k = 0; k < work->nefc && *gone; k++) {
      *gone = !(can_enter(work, k) && key_of(work, k).feature == key.feature);
    }
  }
  return CR_OK;
}

cr_status cri_event_vjp(const cr_model* m, cr_data* d, int row, cr_data* work, cr_data* bar) {
  bool gone;
  CR_TRY(cri_dynamics(m, d));
  if (row >= d->nefc || !can_enter(d, row)) {
    return cri_fail(&d->error, CR_ERR_DIVERGED, "the row that entered is not there any more");
  }
  cr_real velocity = gap_velocity(d, row), jump = 0;
  cr_status status = before(m, d, row, work, &gone);
  if (status != CR_OK) {
    d->error = work->error;
    return status;
  }
  if (!gone || velocity >= 0) {
    return CR_OK;
  }
  // [e2]
  for (int i = 0; i < m->nv; i++) {
    jump += bar->qvel[i] * (d->qacc[i] - work->qacc[i]);
  }
  bar->efc_pos[row] += jump / velocity;
  bar->efc_margin[row] -= jump / velocity;
  status = cr_forward_vjp(m, d, bar);
  if (status != CR_OK) {
    d->error = bar->error;
  }
  return status;
}
