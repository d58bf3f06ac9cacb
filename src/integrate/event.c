// SPDX-License-Identifier: Apache-2.0
// Rows that enter, rows whose force law bends, and the jump of the sensitivity where they enter (the
// saltation matrix, transposed).
#include "integrate/event.h"

#include "collision/collision.h"
#include "contact/impedance.h"
#include "contact/law.h"
#include "engine/acceleration.h"
#include "engine/forward.h"
#include "integrate/inputs.h"
#include "integrate/manifold.h"

// ---- rows

static bool is_contact(const cr_data* d, int row) {
  return d->efc_type[row] >= CR_CNSTR_CONTACT_FRICTIONLESS;
}

// the first row of a limit or of a contact: what can enter
static bool can_enter(const cr_data* d, int row) {
  int type = d->efc_type[row];
  if (type == CR_CNSTR_LIMIT_JOINT || type == CR_CNSTR_LIMIT_TENDON) {
    return true;
  }
  return is_contact(d, row) && d->contact_efc_address[d->efc_id[row]] == row;
}

// 52 bits, so that a real holds it
static uint64_t mixed(uint64_t h, int32_t value) {
  h = (h ^ (uint64_t)value) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

static void name_row(const cr_data* d, int row, cri_event_row* r) {
  int type = d->efc_type[row], id = d->efc_id[row];
  uint64_t pair, h;
  if (is_contact(d, row)) {
    pair = mixed(mixed(0, d->contact_geom[2 * id]), d->contact_geom[2 * id + 1]);
    r->place = row - d->contact_efc_address[id];
    h = mixed(pair, r->place);
    for (int k = 0; k < 4; k++) {
      h = mixed(h, d->contact_feature[4 * id + k]);
    }
  } else {
    pair = mixed(mixed(1, type), id);
    r->place = row > 0 && d->efc_type[row - 1] == type && d->efc_id[row - 1] == id;
    h = mixed(pair, r->place);
  }
  r->pair = (cr_real)(pair >> 12);
  r->feature = (cr_real)(h >> 12);
}

static cr_real gap(const cr_data* d, int row) { return d->efc_pos[row] - d->efc_margin[row]; }

// e of a row, or its distance from a bend, where the row gives way only a little to a force of its own:
// as long as if it gave way altogether, so that both sides of the bend have about one slope
static cr_real unloaded(const cr_data* d, int row, cr_real e) {
  return e / (1 - d->efc_KBIP[4 * row + 2]);
}

// where an elliptic contact begins to slide, and where it stops pushing
static void measure_cone(const cr_data* d, int row, cr_real bend[2]) {
  int contact = d->efc_id[row];
  const cr_real *e = d->acc_jar + row, *friction = d->contact_friction + 5 * contact;
  cr_real mu = d->contact_mu[contact], T = 0;
  for (int j = 1; j < d->contact_dim[contact]; j++) {
    T += friction[j - 1] * friction[j - 1] * e[j] * e[j];
  }
  T = cr_sqrt(T);
  bend[0] = mu * e[0] - mu * T;
  bend[0] = bend[0] < 0 ? unloaded(d, row, bend[0]) : bend[0];
  bend[1] = mu * mu * e[0] + T;
}

// the parameters of the impedance of a limit or contact
static const cr_real* solimp_of(const cr_model* m, const cr_data* d, int row) {
  int id = d->efc_id[row];
  return is_contact(d, row)                         ? d->contact_solimp + 5 * id
         : d->efc_type[row] == CR_CNSTR_LIMIT_JOINT ? m->jnt_solimp + 5 * id
                                                    : m->tendon_solimp_lim + 5 * id;
}

// [e3] numbers whose signs tell apart the zones of a row: of the force law, see contact/law.h, and of the
// impedance
static void measure_bends(const cr_model* m, const cr_data* d, int row, cr_real* bend) {
  const cr_real* e = d->acc_jar + row;
  int type = d->efc_type[row];
  for (int i = 0; i < CRI_BENDS; i++) {
    bend[i] = 1;
  }
  if (type == CR_CNSTR_FRICTION_DOF || type == CR_CNSTR_FRICTION_TENDON) {
    cr_real end = d->efc_frictionloss[row] / d->efc_D[row];
    bend[0] = *e + end < 0 ? *e + end : unloaded(d, row, *e + end);
    bend[1] = *e - end < 0 ? unloaded(d, row, *e - end) : *e - end;
  } else if (type == CR_CNSTR_CONTACT_ELLIPTIC) {
    if (can_enter(d, row)) {
      measure_cone(d, row, bend);
    }
  } else if (type != CR_CNSTR_EQUALITY) {
    bend[0] = *e < 0 ? unloaded(d, row, *e) : *e;
  }
  if (can_enter(d, row)) {
    cri_impedance_bends(solimp_of(m, d, row), gap(d, row), bend + 2);
  }
}

// rate of the gap of a limit or contact, as its distance is measured: not the velocity of its row, since
// the point that is nearest may wander over its shape
static cr_real gap_velocity(const cr_model* m, const cr_data* d, int row) {
  return is_contact(d, row) ? cri_collision_velocity(m, d, d->efc_id[row]).dist : d->efc_vel[row];
}

// the row behind the last one of the limit or contact at `row`
static int end_of(const cr_data* d, int row) {
  int end = row + 1;
  while (end < d->nefc && is_contact(d, row) && is_contact(d, end) &&
         d->efc_id[end] == d->efc_id[row]) {
    end++;
  }
  return end;
}

static void measure_row(const cr_model* m, const cr_data* d, int row, cri_event_row* r) {
  r->gap = r->velocity = r->force = 0;
  if (can_enter(d, row)) {
    r->gap = gap(d, row);
    r->velocity = gap_velocity(m, d, row);
    for (int i = row; i < end_of(d, row); i++) {
      r->force += cr_abs(d->efc_force[i]);
    }
  }
}

int cri_event_rows(const cr_model* m, const cr_data* d, cri_event_row* rows) {
  for (int row = 0; row < d->nefc; row++) {
    name_row(d, row, &rows[row]);
    measure_bends(m, d, row, rows[row].bend);
    measure_row(m, d, row, &rows[row]);
  }
  return d->nefc;
}

// what row says of its zones; nothing, where it does not push
static uint64_t zone_of(const cr_model* m, const cr_data* d, int row) {
  cri_event_row r;
  uint64_t sum = 0;
  name_row(d, row, &r);
  measure_bends(m, d, row, r.bend);
  measure_row(m, d, row, &r);
  for (int i = 0; i < CRI_BENDS; i++) {
    bool pushes = i < 2 ? d->efc_force[row] != 0 : r.force > 0;
    sum += pushes ? mixed(mixed(mixed((uint64_t)r.pair, r.place), i), r.bend[i] < 0) : 0;
  }
  return sum;
}

uint64_t cri_event_zones(const cr_model* m, const cr_data* d) {
  uint64_t sum = 0;  // in whatever order the rows are
  for (int row = 0; row < d->nefc; row++) {
    sum += zone_of(m, d, row);
  }
  return sum;
}

// ---- what happened

// how long ago the gap of a row was zero, if it closes
static bool entered(const cr_model* m, const cr_data* d, int row, cr_real* ago) {
  // [e1]
  cr_real velocity = gap_velocity(m, d, row);
  *ago = velocity < 0 ? gap(d, row) / velocity : 0;
  return velocity < 0 && *ago >= 0;
}

// the row of the same feature, NULL none; rows mostly keep their place
static const cri_event_row* find_row(const cri_event_row* rows, int n, const cri_event_row* r,
                                     int place) {
  if (place < n && rows[place].feature == r->feature) {
    return &rows[place];
  }
  for (int i = 0; i < n; i++) {
    if (rows[i].feature == r->feature) {
      return &rows[i];
    }
  }
  return NULL;
}

// how many more rows a pair has than it had
static int gained(cr_real pair, const cri_event_row* before, int nbefore,
                  const cri_event_row* after, int nafter) {
  int balance = 0;
  for (int i = 0; i < nbefore; i++) {
    balance -= before[i].pair == pair;
  }
  for (int i = 0; i < nafter; i++) {
    balance += after[i].pair == pair;
  }
  return balance;
}

// [e3] how long ago the sign changed, 0 where it has not
static cr_real crossing(cr_real before, cr_real after, cr_real since) {
  bool changed = (before < 0) != (after < 0);
  return changed ? since * (after / (after - before)) : 0;
}

// how long ago the first of a row's bends was, 0 none
static cr_real bent(const cri_event_row* was, const cri_event_row* now, cr_real since) {
  cr_real first = 0;
  for (int i = 0; i < CRI_BENDS; i++) {
    first = cr_max(first, crossing(was->bend[i], now->bend[i], since));
  }
  return first;
}

// [e1] how long after this a limit or contact that pushes leaves, CR_MAX if it does not
static cr_real leaves(const cri_event_row* r) {
  return r->force > 0 && r->velocity > 0 && r->gap <= 0 ? -r->gap / r->velocity : CR_MAX;
}

int cri_event_leaving(const cri_event_row* rows, int n, cr_real* left) {
  int first = -1;
  *left = CR_MAX;
  for (int row = 0; row < n; row++) {
    if (leaves(&rows[row]) < *left) {
      first = row;
      *left = leaves(&rows[row]);
    }
  }
  return first;
}

// when the first one left of those that pushed
static cr_real find_left(const cri_event_row* before, int nbefore, const cri_event_row* after,
                         int nafter) {
  cr_real left = CR_MAX;
  for (int row = 0; row < nbefore; row++) {
    const cri_event_row* r = &before[row];
    if (leaves(r) < left && find_row(after, nafter, r, row) == NULL &&
        gained(r->pair, before, nbefore, after, nafter) < 0) {
      left = leaves(r);
    }
  }
  return left < CR_MAX ? left : -1;
}

cri_event cri_event_find(const cr_model* m, const cr_data* d, const cri_event_row* before, int n,
                         const cri_event_row* after, cr_real since) {
  cri_event found = {.row = -1, .left = find_left(before, n, after, d->nefc)};
  for (int row = 0; row < d->nefc; row++) {
    const cri_event_row *now = &after[row], *was = find_row(before, n, now, row);
    cr_real ago;
    if (was != NULL) {
      found.crossed = cr_max(found.crossed, bent(was, now, since));
    } else if (can_enter(d, row) && entered(m, d, row, &ago) && ago <= 2 * since &&
               (found.row < 0 || ago > found.ago) &&
               gained(now->pair, before, n, after, d->nefc) > 0) {
      found.row = row;
      found.ago = ago;
    }
  }
  return found;
}

// ---- the jump

// the constraint mass of all rows of the limit or contact at `row`: without it they do not push
static void set_mass(cr_data* to, const cr_data* from, int row, cr_real scale) {
  for (int i = row; i < end_of(from, row); i++) {
    to->efc_D[i] = scale * from->efc_D[i];
  }
}

// does a row do what the event's does, at the same moment, at the end of a step of length h
static bool is_together(const cr_model* m, const cr_data* d, int row, bool enters, cr_real h) {
  cr_real near = 2 * cri_event_near(m), ago;
  if (!can_enter(d, row)) {
    return false;
  }
  if (enters) {
    return entered(m, d, row, &ago) && ago <= near && ago < h;
  }
  cr_real velocity = gap_velocity(m, d, row);
  return velocity > 0 && gap(d, row) <= 0 && -gap(d, row) <= near * velocity;
}

// the rows of the event. Returns how many
static int gather_rows(const cr_model* m, const cr_data* d, int main_row, cr_real h,
                       cr_real* rows) {
  int n = 0;
  bool enters = gap_velocity(m, d, main_row) < 0;
  for (int row = 0; row < d->nefc; row++) {
    if (row == main_row || is_together(m, d, row, enters, h)) {
      rows[n++] = (cr_real)row;
    }
  }
  return n;
}

static cr_status accelerate(const cr_model* m, cr_data* d, cr_data* work) {
  cr_status status = cr_acceleration(m, work);
  if (status != CR_OK) {
    d->error = work->error;
  }
  return status;
}

// what a change of the acceleration does to a tangent, or to cotangents, divided by the velocity of the
// row's gap
typedef void jump(const cr_model* m, cr_data* twin, int row, const cr_real* change, cr_real by);

// [e2]
static void jump_tan(const cr_model* m, cr_data* tan, int row, const cr_real* change, cr_real by) {
  cr_real gap_tan = tan->efc_pos[row] - tan->efc_margin[row];
  for (int i = 0; i < m->nv; i++) {
    tan->qvel[i] += by * gap_tan * change[i];
  }
}

// [e2]'
static void jump_bar(const cr_model* m, cr_data* bar, int row, const cr_real* change, cr_real by) {
  cr_real s = 0;
  for (int i = 0; i < m->nv; i++) {
    s += by * bar->qvel[i] * change[i];
  }
  bar->efc_pos[row] += s;
  bar->efc_margin[row] -= s;
}

// with the rows one after the other, from the first to the last or back
static cr_status jump_in_order(const cr_model* m, cr_data* d, const cr_real* rows, int n, bool back,
                               cr_data* work, jump* f, cr_data* twin) {
  bool enters = gap_velocity(m, d, (int)rows[0]) < 0;
  size_t mark = cri_mark(d);
  cr_real* change = cri_push(d, (size_t)m->nv);
  cr_status status = CR_OK;
  for (int i = 0; i < n; i++) {
    set_mass(work, d, (int)rows[i], enters ? 0 : 1);
  }
  status = accelerate(m, d, work);
  for (int i = 0; i < n && status == CR_OK; i++) {
    int row = (int)rows[back ? n - 1 - i : i];
    cr_copy(change, work->qacc, m->nv);
    set_mass(work, d, row, enters ? 1 : 0);
    status = accelerate(m, d, work);
    for (int k = 0; k < m->nv; k++) {
      change[k] = work->qacc[k] - change[k];
    }
    f(m, twin, row, change, 1 / (gap_velocity(m, d, row) * (n > 1 ? 2 : 1)));
  }
  cri_pop(d, mark);
  return status;
}

static cr_status jump_all(const cr_model* m, cr_data* d, const cr_real* rows, int n, cr_data* work,
                          jump* f, cr_data* twin) {
  cri_inputs_copy(m, work, d);
  cr_status status = cri_dynamics(m, work);
  if (status != CR_OK) {
    d->error = work->error;
    return status;
  }
  CR_TRY(jump_in_order(m, d, rows, n, false, work, f, twin));
  return n > 1 ? jump_in_order(m, d, rows, n, true, work, f, twin) : CR_OK;
}

// at a row that moves
static cr_status pass(const cr_model* m, cr_data* d, int row, cr_real h, cr_data* work, jump* f,
                      cr_data* twin) {
  if (gap_velocity(m, d, row) == 0) {
    return CR_OK;
  }
  size_t mark = cri_mark(d);
  cr_real* rows = cri_push(d, (size_t)d->nefc);
  int n = gather_rows(m, d, row, h, rows);
  cr_status status = jump_all(m, d, rows, n, work, f, twin);
  cri_pop(d, mark);
  return status;
}

static cr_status evaluate(const cr_model* m, cr_data* d, int row) {
  CR_TRY(cri_dynamics(m, d));
  if (row >= d->nefc || !can_enter(d, row)) {
    return cri_fail(&d->error, CR_ERR_DIVERGED, "the row of the event is not there any more");
  }
  return CR_OK;
}

cr_status cri_event_jvp(const cr_model* m, cr_data* d, int row, cr_real h, cr_data* work,
                        cr_data* tan) {
  CR_TRY(evaluate(m, d, row));
  cr_status status = cr_forward_jvp(m, d, tan);
  if (status != CR_OK) {
    d->error = tan->error;
    return status;
  }
  return pass(m, d, row, h, work, jump_tan, tan);
}

cr_status cri_event_vjp(const cr_model* m, cr_data* d, int row, cr_real h, cr_data* work,
                        cr_data* bar) {
  CR_TRY(evaluate(m, d, row));
  CR_TRY(pass(m, d, row, h, work, jump_bar, bar));
  cr_status status = cr_forward_vjp(m, d, bar);
  if (status != CR_OK) {
    d->error = bar->error;
  }
  return status;
}

// ---- the state before

// does one of the rows of d lie among those of `work`?
static bool is_one_there(const cr_data* d, const cr_real* rows, int n, const cr_data* work) {
  for (int k = 0; k < work->nefc; k++) {
    cri_event_row other = {.pair = 0}, own = {.pair = 0};
    name_row(work, k, &other);
    for (int i = 0; i < n; i++) {
      name_row(d, (int)rows[i], &own);
      if (own.feature == other.feature) {
        return true;
      }
    }
  }
  return false;
}

static cr_status move_back(const cr_model* m, const cr_data* d, const cr_real* rows, int n,
                           cr_data* work, bool* moved) {
  cr_real back = 16 * CR_EPS;
  for (int i = 0; i < n; i++) {
    int row = (int)rows[i];
    back = cr_max(back, gap(d, row) / gap_velocity(m, d, row));
  }
  back *= 2;
  for (int i = 0; i < 24 && !*moved; i++, back *= 4) {
    cri_inputs_copy(m, work, d);
    cri_manifold_move(m, d->qpos, d->qvel, -back, work->qpos);
    CR_TRY(cri_dynamics(m, work));
    *moved = !is_one_there(d, rows, n, work);
  }
  return CR_OK;
}

cr_status cri_event_before(const cr_model* m, cr_data* d, int row, cr_real h, cr_data* work,
                           bool* moved) {
  *moved = false;
  if (gap_velocity(m, d, row) >= 0) {
    return CR_OK;
  }
  size_t mark = cri_mark(d);
  cr_real* rows = cri_push(d, (size_t)d->nefc);
  int n = gather_rows(m, d, row, h, rows);
  cr_status status = move_back(m, d, rows, n, work, moved);
  cri_pop(d, mark);
  return status;
}
