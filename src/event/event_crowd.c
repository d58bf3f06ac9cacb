// SPDX-License-Identifier: Apache-2.0
// Detects events that come too fast, and decides for how long steps pass over them.
#include "event/event_crowd.h"

enum { FEW = 24, EACH = 2, LOST = 8, BOUNCES = 4, GOES_ON = 2, FINEST = 64 };

cr_real cri_crowd_step(const cr_model* m) { return m->timestep / FINEST; }

// the place of the row, or of the row that entered the longest ago
static cri_crowd_row* place_of(cri_crowd* c, cr_real feature) {
  cri_crowd_row* oldest = &c->row[0];
  for (int i = 0; i < CRI_CROWD_BOUNCING; i++) {
    if (c->row[i].times > 0 && c->row[i].feature == feature) {
      return &c->row[i];
    }
    oldest = c->row[i].time < oldest->time ? &c->row[i] : oldest;
  }
  *oldest = (cri_crowd_row){.feature = feature, .time = -CR_MAX};
  return oldest;
}

// true if a row that entered bounces faster than the model's time step
static bool bounces(cri_crowd* c, const cr_model* m, const cri_event_root* step, cr_real h,
                    cr_real time) {
  bool one = false;
  for (int i = 0; i < step->now.n; i++) {
    if (cri_event_fate_of_new(&step->start, &step->now, i, h, step->near) != CRI_ENTERS) {
      continue;
    }
    cri_crowd_row* r = place_of(c, step->now.row[i].feature);
    r->times = time <= r->time + m->timestep ? r->times + 1 : 1;
    r->time = time;
    one = one || r->times >= BOUNCES;
  }
  return one;
}

static bool has_events(const cri_event_root* step) {
  return step->counts.entered + step->counts.left + step->counts.swapped > 0;
}

// counts `more` steps with events, all of them within a span of time
static int count(cri_crowd* c, int more, cr_real span, cr_real time) {
  if (time > c->since + span) {
    c->steps = 0;
    c->since = time;
  }
  c->steps += more;
  return c->steps;
}

// number of steps that one counts for: bends and kinks count too, and steps whose search fails count as many
static int weight_of(const cri_event_root* step) {
  return step->lost ? LOST : has_events(step) || step->happened;
}

// forgets them, and passes over events until then
static void pass_until(cri_crowd* c, cr_real time, cr_real end) {
  c->steps = 0;
  c->since = time;
  c->end = cr_max(c->end, end);
}

static void begin(cri_crowd* c, const cr_model* m, cr_real time) {
  bool again = c->blind > 0 && time < c->end + c->blind;
  c->blind = again ? 2 * c->blind : m->timestep;
  pass_until(c, time, time + c->blind);
}

bool cri_crowd_watch(cri_crowd* c, const cr_model* m, const cri_event_root* step, cr_real h,
                     cr_real time) {
  cr_real longer = GOES_ON * m->timestep;
  if (cri_crowd_is_blind(c, time - h)) {
    if (count(c, has_events(step) || step->lost, longer, time) > 1) {
      pass_until(c, time, time + longer);
    }
    return false;
  }
  bool crowd = count(c, weight_of(step), m->timestep, time) > FEW + EACH * step->start.n;
  bool bouncing = step->counts.entered > 0 && bounces(c, m, step, h, time);
  if (crowd || bouncing) {
    begin(c, m, time);
  }
  return crowd || bouncing;
}
