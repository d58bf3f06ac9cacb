// SPDX-License-Identifier: Apache-2.0
// The search for the end of a step with events.
#include "integrate/locate.h"

// how far before a bend a step ends, in its lengths
#define BEND CR_R(1e-3)
// the length that crosses the end of a contact, in units of cri_event_near
#define LEAVE 5

// a step with a stage on another side is made shorter by this at least, so often at most
#define SHORTER CR_R(0.9)
// and left as it was where that does not help: its start is on the verge
#define SHORTEST CR_R(1e-3)

enum { MOST_TRIES = 40, MOST_ASTRAY = 16 };

static cri_event_row* push_rows(cr_data* d) {
  size_t width = sizeof(cri_event_row) / sizeof(cr_real);
  return (cri_event_row*)(void*)cri_push(d, width * (size_t)d->nefc_max);
}

void cri_locate_begin(cri_locate* l, const cr_model* m, cr_data* d, bool crossing, bool tiny,
                      const cri_tableau* t) {
  *l = (cri_locate){.row = -1, .crossing = crossing, .tiny = tiny, .t = t};
  l->start = push_rows(d);
  l->clean = push_rows(d);
  l->now = push_rows(d);
  l->nstart = cri_event_rows(m, d, l->start);
  l->zones[0] = cri_event_zones(m, d);
  cri_locate_restart(l);
}

void cri_locate_restart(cri_locate* l) {
  l->row = -1;
  l->happened = l->leaving = l->ends_contact = false;
  l->out = l->in = l->cross = 0;
  l->nclean = l->nstart;
  memcpy(l->clean, l->start, (size_t)l->nstart * sizeof *l->start);
}

bool cri_locate_leaves(const cri_locate* l, const cr_model* m, cr_real h) {
  return l->tiny && h <= LEAVE * cri_event_near(m);
}

// the first stage of a long step that lies on another side than its start, 0 none
static int stage_astray(const cri_locate* l) {
  for (int i = 1; i < l->t->n && !l->crossing && !l->tiny; i++) {
    if (l->zones[i] != l->zones[0]) {
      return i;
    }
  }
  return 0;
}

// to where that stage is, or by a tenth; what lies ahead is left to the steps that follow
static bool shorten(cri_locate* l, int stage, cr_real h, cr_real* next) {
  cr_real c = 0;
  for (int j = 0; j < stage; j++) {
    c += l->t->a[stage * l->t->n + j];
  }
  cri_locate_restart(l);
  l->longest = cr_max(l->longest, h);
  l->astray++;
  *next = cr_min(c, SHORTER) * h;
  if (*next < SHORTEST * l->longest) {
    l->astray = MOST_ASTRAY;
    *next = l->longest;
  }
  return false;
}

// nothing happens up to h: the end if nothing is known to happen later, or just before it does
static bool clean_end(cri_locate* l, const cr_model* m, cr_real h, int n, cr_real* next) {
  cr_real near = cri_event_near(m), left;
  int row = l->tiny ? -1 : cri_event_leaving(l->now, n, &left);
  if (row >= 0 && left <= near) {
    l->row = row;
    l->cross = LEAVE * near;
    l->ends_contact = true;
  }
  l->happened = l->cross > 0;
  if (l->cross > 0 || l->in == 0) {
    return true;
  }
  cri_event_row* rows = l->clean;
  l->clean = l->now;
  l->now = rows;
  l->nclean = n;
  cr_real further = h + 4 * (h - l->out);
  l->out = h;
  bool ahead = l->leaving && row >= 0 && h + left < l->in;
  *next = ahead               ? h + CR_R(0.999) * left
          : l->in - h <= near ? l->in
                              : cr_min(further, (l->out + l->in) / 2);
  return false;
}

static cr_real between(const cri_locate* l, cr_real next) {
  return next > l->out && next < l->in ? next : (l->out + l->in) / 2;
}

// a long step, something at the length `at`: first close behind, to know it well, then close before
static cr_real approach(cri_locate* l, cr_real h, cr_real at, cr_real near) {
  cr_real margin = cr_max(BEND * h, 4 * near);
  at = between(l, at);
  if (h - at > 3 * margin) {
    return at + margin;
  }
  if (at - margin > l->out || l->out > 0) {
    cr_real before = cr_max(at - margin, l->out);
    l->cross = at + margin - before;
    return before;
  }
  // it lies at the start: this step is the short one
  l->crossing = true;
  return at + margin;
}

// a short step that ends just behind where a row enters, or just before where one leaves
static cr_real settle(cri_locate* l, cr_real h, const cri_event* e, bool leaves, cr_real near) {
  l->leaving = leaves;
  if (!leaves) {
    return between(l, h - CR_R(0.999) * e->ago);
  }
  if (e->left > near) {
    return between(l, l->out + CR_R(0.999) * e->left);
  }
  l->tiny = l->out == 0;
  return l->tiny ? LEAVE * near : l->out;
}

bool cri_locate_ends(cri_locate* l, const cr_model* m, const cr_data* d, cr_real h, cr_real* next) {
  cr_real near = cri_event_near(m);
  int n = cri_event_rows(m, d, l->now);
  cri_event e = cri_event_find(m, d, l->clean, l->nclean, l->now, h - l->out);
  bool entry = e.row >= 0, bend = e.crossed > 0 && !l->crossing, leave = e.left >= 0 && !l->tiny;
  bool clean = !entry && !bend && !leave;
  int astray = clean && l->astray < MOST_ASTRAY ? stage_astray(l) : 0;
  if (astray > 0) {
    return shorten(l, astray, h, next);
  }
  if (clean) {
    return clean_end(l, m, h, n, next) || ++l->tries > MOST_TRIES;
  }
  bool found = l->crossing && (!entry || e.ago <= near) && !leave;
  if (found || h - l->out <= near || ++l->tries > MOST_TRIES) {
    l->row = e.row;
    l->happened = true;
    return true;
  }
  cr_real entry_at = entry ? h - e.ago : h, leave_at = leave ? l->out + e.left : h;
  cr_real bend_at = bend ? h - e.crossed : h;
  l->in = h;
  l->cross = 0;
  *next = l->crossing ? settle(l, h, &e, leave && leave_at <= entry_at, near)
                      : approach(l, h, cr_min(bend_at, cr_min(entry_at, leave_at)), near);
  return !(d->time + *next > d->time);
}
