// SPDX-License-Identifier: Apache-2.0
// Rows in the form compared between evaluations, and the events between two evaluations.
#include "event/event.h"

#include "collision/collision.h"
#include "constraint/solref_impedance.h"
#include "event/event_probe.h"
#include "model/build.h"
#include "model/schedule.h"
#include "solver/contact_model.h"

// relative to the size of two geoms, to a unit and to a speed: differences that do not count
#define SAME_PLACE CR_R(1e-6)
#define SAME_WAY CR_R(1e-6)
#define SAME_GAP CR_R(1e-11)
#define SAME_RATE CR_R(1e-6)
// allowed error of a gap, relative to a size
#define ROUND_OFF (512 * CR_EPS)

// ---- rows

static bool is_contact(const cr_data* d, int row) {
  return d->efc_type[row] >= CR_CNSTR_CONTACT_FRICTIONLESS;
}

// true for the first row of a limit or of a contact, which can enter
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

// the parameters of the impedance of a limit or contact
static const cr_real* solimp_of(const cr_model* m, const cr_data* d, int row) {
  int id = d->efc_id[row];
  return is_contact(d, row)                         ? d->contact_solimp + 5 * id
         : d->efc_type[row] == CR_CNSTR_LIMIT_JOINT ? m->jnt_solimp + 5 * id
                                                    : m->tendon_solimp_lim + 5 * id;
}

// [event.e3] numbers whose signs identify the zones of a row: of its force law, and of the impedance
static void measure_bends(const cr_model* m, const cr_data* d, int row, cr_real* bend) {
  cri_contact_model(m)->bends(m, d, row, bend);
  if (can_enter(d, row)) {
    cri_impedance_bends(solimp_of(m, d, row), gap(d, row), bend + CRI_LAW_BENDS);
  } else {
    bend[CRI_LAW_BENDS] = bend[CRI_LAW_BENDS + 1] = 1;
  }
}

int cri_event_end(const cr_data* d, int row) {
  int end = row + 1;
  while (end < d->nefc && is_contact(d, row) && is_contact(d, end) &&
         d->efc_id[end] == d->efc_id[row]) {
    end++;
  }
  return end;
}

// the gap, its rate as measured (not the velocity of the row, since the nearest point may
// wander over its shape), and the place of the contact
static void measure_motion(const cr_model* m, const cr_data* d, int row, cri_event_row* r) {
  r->gap = gap(d, row);
  if (!is_contact(d, row)) {
    r->velocity = d->efc_vel[row];
    return;
  }
  int c = d->efc_id[row];
  const int32_t* geom = d->contact_geom + 2 * c;
  cri_contact_motion motion = cri_collision_velocity(m, d, c);
  r->velocity = motion.dist;
  r->size = cri_geom_bound(m, geom[0]) + cri_geom_bound(m, geom[1]);
  r->margin = d->contact_includemargin[c];
  memcpy(r->geom, geom, sizeof r->geom);
  cr_copy3(r->pos, d->contact_pos + 3 * c);
  cr_copy(r->frame, d->contact_frame + 9 * c, 6);
  if (!cri_contact_model(m)->has_directions(m, d, row)) {
    cr_zero3(r->frame + 3);
  }
  r->way = cr_norm3(motion.pos);
  r->turn = cr_norm3(motion.turn);
  r->lean = motion.turn[2] * r->frame[0] - motion.turn[0] * r->frame[2];
}

static cr_real pushed(const cr_data* d, int row) {
  cr_real sum = 0;
  for (int i = row; i < cri_event_end(d, row); i++) {
    sum += cr_abs(d->efc_force[i]);
  }
  return sum;
}

static cr_real* push(cr_data* d, size_t item, int n) {
  return cri_push(d, item / sizeof(cr_real) * (size_t)n);
}

cri_event_list cri_event_push(const cr_model* m, cr_data* owner, int nefc, int ncon) {
  cri_event_list list = {.row = (cri_event_row*)(void*)push(owner, sizeof(cri_event_row), nefc)};
  if (m->collision == CR_COLLISION_SMOOTH) {
    list.room = (cri_event_part*)(void*)push(owner, sizeof(cri_event_part), ncon);
  }
  return list;
}

cri_event_list cri_event_rows(const cr_model* model, const cr_data* d, cri_event_list list) {
  const cr_model* m = cri_model_at(model, d);
  for (int row = 0; row < d->nefc; row++) {
    cri_event_row* r = &list.row[row];
    *r = (cri_event_row){.first = can_enter(d, row)};
    name_row(d, row, r);
    measure_bends(m, d, row, r->bend);
    if (r->first) {
      measure_motion(m, d, row, r);
      r->force = pushed(d, row);
    }
    if (r->first && is_contact(d, row) && list.room != NULL) {
      int i = d->efc_id[row];
      r->parts = cri_parts_of(m, d, i, list.room + i);
    }
  }
  list.n = d->nefc;
  return list;
}

// a number for the zones of a row; zero if it does not push
static uint64_t zone_of(const cr_model* m, const cr_data* d, int row) {
  cri_event_row r = {.first = can_enter(d, row)};
  uint64_t sum = 0;
  name_row(d, row, &r);
  measure_bends(m, d, row, r.bend);
  for (int i = 0; i < CRI_BENDS; i++) {
    bool pushes = i < CRI_LAW_BENDS ? d->efc_force[row] != 0 : r.first && pushed(d, row) > 0;
    sum += pushes ? mixed(mixed((uint64_t)r.feature, i), r.bend[i] < 0) : 0;
  }
  return sum;
}

uint64_t cri_event_zones(const cr_model* model, const cr_data* d) {
  const cr_model* m = cri_model_at(model, d);
  uint64_t sum = 0;  // independent of the order of the rows
  for (int row = 0; row < d->nefc; row++) {
    sum += zone_of(m, d, row);
  }
  return sum;
}

// ---- the events

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

static cr_real apart(const cr_real* a, const cr_real* b) {
  cr_real x[3];
  cr_sub3(x, a, b);
  return cr_norm3(x);
}

// true if one may have moved to the place of the other in that time
static bool stays_near(const cri_event_row* was, const cri_event_row* now, cr_real since) {
  cr_real turned = 2 * since * (was->turn + now->turn) + SAME_WAY;
  return apart(was->pos, now->pos) <= 2 * since * (was->way + now->way) + SAME_PLACE * now->size &&
         apart(was->frame, now->frame) <= turned;
}

// true if its first tangent, where it matters, now goes by another axis of the world
static bool flips(const cri_event_row* was, const cri_event_row* now, cr_real since) {
  return apart(was->frame + 3, now->frame + 3) > 2 * since * (was->turn + now->turn) + SAME_WAY;
}

// [event.e8] fate of the parts of a contact
static cri_parts_change change_of(const cri_event_row* was, const cri_event_row* now,
                                  cr_real since) {
  return cri_parts_compare(&was->parts, &now->parts, since, now->size);
}

static bool continues(const cri_event_row* was, const cri_event_row* now, cr_real since) {
  return stays_near(was, now, since) && !flips(was, now, since) &&
         change_of(was, now, since) != CRI_PARTS_LEAP;
}

// true if the other is a row of the same pair that may have been at the same place, and that `named` lacks
static bool may_be(const cri_event_row* other, int i, const cri_event_row* r, cr_real since,
                   const cri_event_list* named) {
  return other->first && other->pair == r->pair && other->place == r->place &&
         continues(other, r, since) && find_row(named->row, named->n, other, i) == NULL;
}

// true if `others` have the row, of `own`, at the same place under another name. One for one: if two become
// one, or one two, one of them has no match
static bool is_renamed(const cri_event_list* others, const cri_event_list* own, int row,
                       cr_real since) {
  const cri_event_row* r = &own->row[row];
  int there = 0, earlier = 0;
  for (int i = 0; i < others->n; i++) {
    there += may_be(&others->row[i], i, r, since, own);
  }
  for (int i = 0; i < row && there > 0; i++) {
    earlier += may_be(&own->row[i], i, r, since, others);
  }
  return earlier < there;
}

// effect of round-off on a gap, which at a small speed is a long time
static cr_real unclear(const cri_event_row* r) { return ROUND_OFF * (r->size > 0 ? r->size : 1); }

// [event.e1] true if its gap closed within the time before, and will open within the time after
static bool has_entered(const cri_event_row* r, cr_real since, cr_real near) {
  return r->velocity < 0 && r->gap <= 0 && r->gap >= (2 * since + near) * r->velocity - unclear(r);
}

static bool will_leave(const cri_event_row* r, cr_real since, cr_real near) {
  return r->velocity > 0 && r->gap <= 0 && -r->gap <= (2 * since + near) * r->velocity + unclear(r);
}

cri_fate cri_event_fate_of_new(const cri_event_list* before, const cri_event_list* after, int row,
                               cr_real since, cr_real near) {
  const cri_event_row *r = &after->row[row], *was = find_row(before->row, before->n, r, row);
  if (!r->first) {
    return CRI_STAYS;
  }
  if (was != NULL) {
    bool same = continues(was, r, since) || (was->force == 0 && r->force == 0);
    return same ? CRI_STAYS : CRI_SWAPS;
  }
  if (is_renamed(before, after, row, since)) {
    return CRI_STAYS;
  }
  return has_entered(r, since, near) ? CRI_ENTERS : CRI_SWAPS;
}

cri_fate cri_event_fate_of_old(const cri_event_list* before, const cri_event_list* after, int row,
                               cr_real since, cr_real near) {
  const cri_event_row* r = &before->row[row];
  if (!r->first || r->force == 0 || find_row(after->row, after->n, r, row) != NULL ||
      is_renamed(after, before, row, since)) {
    return CRI_STAYS;
  }
  return will_leave(r, since, near) ? CRI_LEAVES : CRI_SWAPS;
}

// [event.e3] how long ago the sign changed, 0 if it did not
static cr_real crossing(cr_real before, cr_real after, cr_real since) {
  bool changed = (before < 0) != (after < 0);
  return changed ? since * (after / (after - before)) : 0;
}

// how long ago the first of a row's bends occurred, 0 none
static cr_real bent(const cri_event_row* was, const cri_event_row* now, cr_real since) {
  cr_real first = 0;
  for (int i = 0; i < CRI_BENDS; i++) {
    first = cr_max(first, crossing(was->bend[i], now->bend[i], since));
  }
  return first;
}

// [event.e7] true if a contact that pushes, or a part of it, came under another name at the same place: its distance has
// a kink
static bool kinks(const cri_event_list* before, const cri_event_list* after, int row,
                  cr_real since) {
  const cri_event_row *now = &after->row[row], *was = find_row(before->row, before->n, now, row);
  cr_real force = now->force;
  bool there = false;
  if (!now->first) {
    return false;
  }
  if (was != NULL) {
    return was->force + force > 0 && change_of(was, now, since) == CRI_PARTS_KINK;
  }
  for (int i = 0; i < before->n; i++) {
    bool same = may_be(&before->row[i], i, now, since, after);
    force += same ? before->row[i].force : 0;
    there = there || same;
  }
  return there && force > 0;
}

// [event.e1] time until a limit or contact that pushes leaves, CR_MAX if it does not
static cr_real leaves(const cri_event_row* r) {
  return r->force > 0 && r->velocity > 0 && r->gap <= 0 ? -r->gap / r->velocity : CR_MAX;
}

cr_real cri_event_leaving(const cri_event_list* now) {
  cr_real first = CR_MAX;
  for (int row = 0; row < now->n; row++) {
    first = cr_min(first, leaves(&now->row[row]));
  }
  return first;
}

// time at which a line through `was` with its slope, at the first, meets one through `now` with its own, `since` later
static cr_real meeting(cr_real was, cr_real slope, cr_real now, cr_real slope_now, cr_real since) {
  cr_real at = slope == slope_now ? -1 : (now - was - slope_now * since) / (slope - slope_now);
  return at > 0 && at < since ? at : since / 2;
}

// [event.e4], [event.e5] time at which a row that is there before and after was swapped; the middle if no number tells it
static cr_real swapped(const cri_event_row* was, const cri_event_row* now, cr_real since) {
  if (was == NULL || change_of(was, now, since) == CRI_PARTS_LEAP) {
    return since / 2;
  }
  if (stays_near(was, now, since)) {
    cr_real half = now->frame[1] < 0 ? -CR_R(0.5) : CR_R(0.5);
    return meeting(was->frame[1], was->lean, half, 0, since);
  }
  return meeting(was->gap, was->velocity, now->gap, now->velocity, since);
}

static void take(cr_real* first, cr_real at) { *first = *first < 0 ? at : cr_min(*first, at); }

cri_event cri_event_find(const cri_event_list* before, const cri_event_list* after, cr_real since,
                         cr_real near) {
  cri_event found = {.entered = -1, .crossed = -1, .left = -1, .swapped = -1};
  for (int row = 0; row < after->n; row++) {
    const cri_event_row *now = &after->row[row], *was = find_row(before->row, before->n, now, row);
    cri_fate fate = cri_event_fate_of_new(before, after, row, since, near);
    if (fate == CRI_ENTERS) {
      take(&found.entered, cr_max(since - now->gap / now->velocity, 0));
    } else if (fate == CRI_SWAPS) {
      take(&found.swapped, swapped(was, now, since));
    }
    if (was != NULL && bent(was, now, since) > 0) {
      take(&found.crossed, since - bent(was, now, since));
    }
    if (fate == CRI_STAYS && kinks(before, after, row, since)) {
      take(&found.crossed, since / 2);
    }
  }
  for (int row = 0; row < before->n; row++) {
    cri_fate fate = cri_event_fate_of_old(before, after, row, since, near);
    if (fate == CRI_LEAVES) {
      take(&found.left, leaves(&before->row[row]));
    } else if (fate == CRI_SWAPS) {
      take(&found.swapped, since / 2);
    }
  }
  return found;
}

// ---- counts

// [event.e4] distances that met within the step: the rate at which they part, 0 if they did not meet, or are means. A rate
// so small that their difference puts the moment far from the step does not tell it
static cr_real parting(const cri_event_row* a, const cri_event_row* b, cr_real h, cr_real near) {
  if (a->parts.n > 1 || b->parts.n > 1) {
    return 0;
  }
  bool other = a->feature != b->feature || !stays_near(a, b, h);
  cr_real speed = cr_abs(a->velocity) + cr_abs(b->velocity);
  cr_real rate = cr_abs(b->velocity - a->velocity);
  cr_real apart = cr_abs(b->gap - a->gap - h * a->velocity);
  cr_real room = cr_min(SAME_GAP * b->size, rate * CRI_EVENT_WIDEST * near);
  return other && apart <= 2 * h * rate + room && rate > SAME_RATE * speed ? rate : 0;
}

// [event.e5] a frame that flips, under any name: the rate at which its normal leans, 0 if it does not
static cr_real leaning(const cri_event_row* a, const cri_event_row* b, cr_real h) {
  bool same = stays_near(a, b, h) && change_of(a, b, h) != CRI_PARTS_LEAP;
  return same && flips(a, b, h) ? cr_abs(b->lean) : 0;
}

// [event.e1] a row of the pair that leaves, or has entered
static bool find_edge(const cri_event_list* before, const cri_event_list* after, cr_real pair,
                      cr_real h, cr_real near, cri_event_sign* sign) {
  for (int i = 0; i < before->n; i++) {
    const cri_event_row* r = &before->row[i];
    if (r->first && r->pair == pair && will_leave(r, h, near) &&
        find_row(after->row, after->n, r, i) == NULL) {
      *sign = (cri_event_sign){.was = i, .now = -1, .rate = -r->velocity};
      return true;
    }
  }
  for (int i = 0; i < after->n; i++) {
    const cri_event_row* r = &after->row[i];
    if (r->first && r->pair == pair && has_entered(r, h, near) &&
        find_row(before->row, before->n, r, i) == NULL) {
      *sign = (cri_event_sign){.was = -1, .now = i, .rate = r->velocity};
      return true;
    }
  }
  return false;
}

static bool find_sign(const cri_event_list* before, const cri_event_list* after, cr_real pair,
                      cr_real h, cr_real near, cri_event_sign* sign) {
  cr_real most = 0;
  if (find_edge(before, after, pair, h, near, sign)) {
    return true;
  }
  for (int i = 0; i < before->n; i++) {
    const cri_event_row* a = &before->row[i];
    for (int k = 0; a->first && a->pair == pair && k < after->n; k++) {
      const cri_event_row* b = &after->row[k];
      if (!b->first || b->pair != pair) {
        continue;
      }
      cr_real parts = parting(a, b, h, near), leans = leaning(a, b, h);
      if (leans > 0) {
        *sign = (cri_event_sign){.was = i, .now = k, .leans = true, .rate = b->lean};
        return true;
      }
      if (parts > most) {
        most = parts;
        *sign = (cri_event_sign){.was = i, .now = k, .rate = b->velocity - a->velocity};
      }
    }
  }
  return most > 0;
}

bool cri_event_sign_of(const cr_model* m, const cr_data* d, const cri_event_list* before,
                       const cri_event_list* after, cr_real pair, cr_real h, cr_real near,
                       cri_event_sign* sign) {
  return find_sign(before, after, pair, h, near, sign) ||
         cri_probe(m, d, before, after, pair, h, sign);
}

// the last pair, and whether its swap has a sign
typedef struct {
  cr_real pair;
  bool has_sign;
} answer;

// true for a swap of the pair of the row that no gradient counts
static bool is_missed(const cr_model* m, const cr_data* d, const cri_event_list* before,
                      const cri_event_list* after, cr_real pair, cr_real h, cr_real near,
                      answer* last) {
  if (h > CRI_EVENT_WIDEST * near) {
    return true;
  }
  if (last->pair != pair) {
    cri_event_sign sign;
    last->pair = pair;
    last->has_sign = cri_event_sign_of(m, d, before, after, pair, h, near, &sign);
  }
  return !last->has_sign;
}

cri_event_count cri_event_counts(const cr_model* m, const cr_data* d, const cri_event_list* before,
                                 const cri_event_list* after, cr_real h, cr_real near) {
  cri_event_count c = {.entered = 0};
  bool tiny = h <= CRI_EVENT_WIDEST * near;
  cr_real late = tiny ? cr_max(h, CRI_EVENT_TINY * near) : CRI_EVENT_TINY * near;
  answer last = {.pair = -1};
  for (int row = 0; row < after->n; row++) {
    const cri_event_row* r = &after->row[row];
    cri_fate fate = cri_event_fate_of_new(before, after, row, h, near);
    c.entered += fate == CRI_ENTERS;
    c.missed += fate == CRI_ENTERS && r->gap < late * r->velocity - unclear(r);
    c.swapped += fate == CRI_SWAPS;
    c.missed += fate == CRI_SWAPS && r->force > 0 &&
                is_missed(m, d, before, after, r->pair, h, near, &last);
  }
  for (int row = 0; row < before->n; row++) {
    cri_fate fate = cri_event_fate_of_old(before, after, row, h, near);
    c.left += fate == CRI_LEAVES;
    c.swapped += fate == CRI_SWAPS;
    c.missed += fate == CRI_LEAVES && !tiny;
    c.missed +=
        fate == CRI_SWAPS && is_missed(m, d, before, after, before->row[row].pair, h, near, &last);
  }
  return c;
}
