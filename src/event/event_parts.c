// SPDX-License-Identifier: Apache-2.0
// Parts of a contact, in the form compared between evaluations.
#include "event/event_parts.h"

// relative to a size and to a unit: differences that do not count; and relative to a size the least leap of the mean
#define SAME_PLACE CR_R(1e-6)
#define SAME_WAY CR_R(1e-6)
#define LEAP CR_R(1e-5)
// detection drops a part this close to the end of its share
#define END CR_R(2e-4)

// 52 bits, so that a real holds it
static cr_real name_of(const int32_t feature[4]) {
  uint64_t h = 2;
  for (int k = 0; k < 4; k++) {
    h = (h ^ (uint64_t)feature[k]) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return (cr_real)(h >> 12);
}

cri_event_parts cri_parts_of(const cr_model* m, const cr_data* d, int i, cri_event_part* room) {
  cri_contact_part part[CR_MAX_HITS];
  int n = cri_collision_parts(m, d, i, part);
  for (int k = 0; k < n; k++) {
    room[k] = (cri_event_part){name_of(d->contact_feature + 4 * (i + k)), part[k]};
  }
  return (cri_event_parts){n, room};
}

static const cri_event_part* find(const cri_event_parts* parts, const cri_event_part* p) {
  for (int i = 0; i < parts->n; i++) {
    if (parts->part[i].feature == p->feature) {
      return &parts->part[i];
    }
  }
  return NULL;
}

static cr_real apart(const cr_real* a, const cr_real* b) {
  cr_real x[3];
  cr_sub3(x, a, b);
  return cr_norm3(x);
}

// how much farther apart two parts are than they may have moved in that time
static cr_real leap_of(const cri_event_part* a, const cri_event_part* b, cr_real since,
                       cr_real size) {
  cr_real way = cr_norm3(a->at.rate.pos) + cr_norm3(b->at.rate.pos);
  cr_real turn = cr_norm3(a->at.rate.normal) + cr_norm3(b->at.rate.normal);
  cr_real far = apart(a->at.at.pos, b->at.at.pos) - 2 * since * way - SAME_PLACE * size;
  cr_real bent = apart(a->at.at.normal, b->at.at.normal) - 2 * since * turn - SAME_WAY;
  return cr_max(far, 0) + size * cr_max(bent, 0);
}

// parts of `own` that p may be under another name; those before it are matched first
static bool is_renamed(const cri_event_parts* others, const cri_event_parts* own,
                       const cri_event_part* p, cr_real since, cr_real size) {
  int there = 0, earlier = 0;
  for (int i = 0; i < others->n; i++) {
    const cri_event_part* o = &others->part[i];
    there += leap_of(o, p, since, size) == 0 && find(own, o) == NULL;
  }
  for (const cri_event_part* q = own->part; q < p && there > 0; q++) {
    earlier += leap_of(q, p, since, size) == 0 && find(others, q) == NULL;
  }
  return earlier < there;
}

// true if its share may have begun, or ended, in that time
static bool had_no_share(const cri_event_part* p, cr_real since) {
  return p->at.left <= 2 * since * cr_abs(p->at.left_rate) + END;
}

// fate of the parts of `own` that may be missing among others
static cri_parts_change compare(const cri_event_parts* own, const cri_event_parts* others,
                                cr_real since, cr_real size) {
  cri_parts_change most = CRI_PARTS_STAY;
  for (int i = 0; i < own->n; i++) {
    const cri_event_part *p = &own->part[i], *other = find(others, p);
    cr_real share = p->at.share, leap = size;
    if (other != NULL) {
      share = cr_max(share, other->at.share);
      leap = leap_of(p, other, since, size);
    } else if (is_renamed(others, own, p, since, size)) {
      most = share > LEAP ? CRI_PARTS_KINK : most;
      continue;
    } else if (had_no_share(p, since)) {
      continue;
    }
    if (share * cr_min(leap, size) > LEAP * size) {
      return CRI_PARTS_LEAP;
    }
  }
  return most;
}

cri_parts_change cri_parts_compare(const cri_event_parts* was, const cri_event_parts* now,
                                   cr_real since, cr_real size) {
  cri_parts_change went = compare(was, now, since, size), came = compare(now, was, since, size);
  return went > came ? went : came;
}
