// SPDX-License-Identifier: Apache-2.0
// The search for the end of a step with events.
#include "event/event_root.h"

// distance before an event at which a long step ends, relative to its length
#define MARGIN CR_R(1e-3)

// a step with a stage on another side is made shorter by this at least, so often at most
#define SHORTER CR_R(0.9)
// it is taken as it was if that does not help: its start is on the verge
#define SHORTEST CR_R(1e-3)

enum { MOST_TRIES = 60, MOST_ASTRAY = 16 };

void cri_event_root_begin(cri_event_root* l, const cr_model* m, cr_data* d, cri_step_kind kind,
                          const cri_tableau* t) {
  *l = (cri_event_root){.kind = kind, .t = t, .near = cri_event_near(m, d->time)};
  l->start = cri_event_push(m, d, d->nefc_max, d->ncon_max);
  l->clean = cri_event_push(m, d, d->nefc_max, d->ncon_max);
  l->now = cri_event_push(m, d, d->nefc_max, d->ncon_max);
  l->start = cri_event_rows(m, d, l->start);
  l->zones[0] = cri_event_zones(m, d);
  cri_event_root_restart(l);
}

void cri_event_root_restart(cri_event_root* l) {
  l->happened = l->before = l->lost = l->bent = false;
  l->out = l->in = l->cross = 0;
  l->next = CRI_STEP_LONG;
  l->clean.n = l->start.n;
  memcpy(l->clean.row, l->start.row, (size_t)l->start.n * sizeof *l->start.row);
}

bool cri_event_root_is_tiny(const cri_event_root* l, cr_real h) {
  return l->kind == CRI_STEP_TINY && h <= CRI_EVENT_WIDEST * l->near;
}

cr_real cri_event_root_wider(const cri_event_root* l, cr_real h) {
  return cr_min(CRI_EVENT_WIDER * h, CRI_EVENT_WIDEST * l->near);
}

// the step is taken; returns true
static bool take(cri_event_root* l, const cr_model* m, const cr_data* d, cr_real h, bool happened) {
  l->counts = cri_event_counts(m, d, &l->start, &l->now, h, l->near);
  l->happened = happened;
  l->lost = l->tries > MOST_TRIES;
  return true;
}

// the first stage of a long step that lies on another side than its start, 0 none
static int stage_astray(const cri_event_root* l) {
  for (int i = 1; i < l->t->n && l->kind == CRI_STEP_LONG; i++) {
    if (l->zones[i] != l->zones[0]) {
      return i;
    }
  }
  return 0;
}

// shortens to where that stage is, or by a tenth; the steps that follow find what lies ahead
static bool shorten(cri_event_root* l, int stage, cr_real h, cr_real* next) {
  cr_real c = 0;
  for (int j = 0; j < stage; j++) {
    c += l->t->a[stage * l->t->n + j];
  }
  cri_event_root_restart(l);
  l->longest = cr_max(l->longest, h);
  l->astray++;
  *next = cr_min(c, SHORTER) * h;
  if (*next < SHORTEST * l->longest) {
    l->astray = MOST_ASTRAY;
    *next = l->longest;
  }
  return false;
}

// a tiny step is to follow
static void set_tiny(cri_event_root* l) {
  l->cross = CRI_EVENT_TINY * l->near;
  l->next = CRI_STEP_TINY;
}

// true if the rows at h are those before any event
static void keep(cri_event_root* l, cr_real h) {
  cri_event_list rows = l->clean;
  l->clean = l->now;
  l->now = rows;
  l->out = h;
}

// no event up to h: the end if no event is known to happen later, or just before the event
static bool clean_end(cri_event_root* l, const cr_model* m, const cr_data* d, cr_real h,
                      cr_real* next) {
  cr_real near = l->near, left = cri_event_leaving(&l->now);
  if (left <= near || (l->before && l->in > 0 && l->in - h <= near)) {
    set_tiny(l);
  }
  if (l->cross > 0 || h >= l->in) {
    return take(l, m, d, h, l->cross > 0);
  }
  cr_real further = h + 4 * (h - l->out);
  keep(l, h);
  // no longer up to where a row leaves once that is known just behind, and another event is before
  *next = l->in - h - left > MARGIN * (l->in - h) ? h + left - near / 2
          : l->in - h <= near                     ? l->in
                                                  : cr_min(further, (l->out + l->in) / 2);
  return false;
}

static cr_real between(const cri_event_root* l, cr_real next) {
  return next > l->out && next < l->in ? next : (l->out + l->in) / 2;
}

// a long step with an event at the length `at`: first close behind, to know it well, then close before
static cr_real approach(cri_event_root* l, cr_real h, cr_real at) {
  cr_real margin = cr_max(MARGIN * h, 4 * l->near);
  at = between(l, at);
  if (h - at > 3 * margin) {
    return at + margin;
  }
  if (at - margin > l->near || l->out > 0) {
    cr_real before = cr_max(at - margin, l->out);
    l->cross = at + margin - before;
    l->next = CRI_STEP_SHORT;
    return before;
  }
  // the event is at the start: this step is the short one, and passes it if it is a bend
  l->kind = CRI_STEP_SHORT;
  l->in = 0;
  l->bent = true;
  l->usual = at + margin;
  return at + cr_max(margin, l->pass);
}

// a short step that ends just behind an entry at the length `entered`, or just before a leave
// or a swap at `other`; any: there is one
static cr_real settle(cri_event_root* l, cr_real h, cr_real entered, cr_real other, bool any) {
  cr_real near = l->near;
  l->before = any && other <= entered + near;
  if (!l->before) {
    return between(l, entered + near / 2);
  }
  cr_real first = cr_min(entered, other);
  if (first > l->out + near && h - l->out > near) {
    return between(l, first - near / 2);
  }
  if (l->out > 0) {
    set_tiny(l);
    return l->out;
  }
  l->kind = CRI_STEP_TINY;
  return CRI_EVENT_TINY * near;
}

// true if contacts were swapped from the rows `before` to those now, `since` later
static bool swaps(const cri_event_root* l, const cri_event_list* before, cr_real since) {
  return cri_event_find(before, &l->now, since, l->near).swapped >= 0;
}

// a tiny step: as it is if nothing is swapped; else so long that the contacts at its end stay for much longer
static bool cross(cri_event_root* l, const cr_model* m, const cr_data* d, cr_real h,
                  cr_real* next) {
  cr_real widest = CRI_EVENT_WIDEST * l->near;
  const cri_event_list* before = l->out == 0 ? &l->start : &l->clean;
  bool swapped = swaps(l, before, h - l->out), longest = h >= widest;
  if (l->in > 0 || h < l->asked || (l->out == 0 ? !swapped : swapped && longest)) {
    return take(l, m, d, h, false);
  }
  if (swapped) {
    keep(l, h);
  } else if (longest || h >= CRI_EVENT_QUIET * l->out) {
    *next = l->in = l->out;
    return false;
  }
  l->asked = *next = CRI_EVENT_WIDER * h;
  return false;
}

// more than bends lies within the longer step that passes one at its start: it goes only as far as usual
static bool pass_less(cri_event_root* l, cr_real* next) {
  cri_event_root_restart(l);
  l->bent = true;
  *next = l->usual;
  return false;
}

static cr_real at_or(cr_real at, cr_real out, cr_real h) {
  return at >= 0 ? cr_min(out + at, h) : h;
}

bool cri_event_root_ends(cri_event_root* l, const cr_model* m, const cr_data* d, cr_real h,
                         cr_real* next) {
  l->now = cri_event_rows(m, d, l->now);
  if (cri_event_root_is_tiny(l, h)) {
    return cross(l, m, d, h, next);
  }
  cri_event e = cri_event_find(&l->clean, &l->now, h - l->out, l->near);
  bool bend = e.crossed >= 0 && l->kind == CRI_STEP_LONG;
  bool clean = e.entered < 0 && e.left < 0 && e.swapped < 0 && !bend;
  if (l->bent && !clean && h > l->usual) {
    return pass_less(l, next);
  }
  int astray = clean && l->astray < MOST_ASTRAY ? stage_astray(l) : 0;
  if (astray > 0) {
    return shorten(l, astray, h, next);
  }
  if (clean) {
    return clean_end(l, m, d, h, next) || (++l->tries > MOST_TRIES && take(l, m, d, h, true));
  }
  cr_real entered = at_or(e.entered, l->out, h), left = at_or(e.left, l->out, h);
  cr_real swapped = at_or(e.swapped, l->out, h), other = cr_min(left, swapped);
  bool any = e.left >= 0 || e.swapped >= 0, behind = !any && h - entered <= l->near;
  if ((l->kind == CRI_STEP_SHORT && behind) || ++l->tries > MOST_TRIES) {
    return take(l, m, d, h, true);
  }
  l->in = h;
  l->cross = 0;
  l->next = CRI_STEP_LONG;
  *next =
      l->kind == CRI_STEP_LONG
          ? approach(l, h, cr_min(at_or(bend ? e.crossed : -1, l->out, h), cr_min(entered, other)))
          : settle(l, h, entered, other, any);
  return !(d->time + *next > d->time) && take(l, m, d, h, true);
}

void cri_event_root_pass(cri_event_root* l, const cr_model* m, const cr_data* d, cr_real h) {
  l->now = cri_event_rows(m, d, l->now);
  (void)take(l, m, d, h, false);
}
