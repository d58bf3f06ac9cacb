// SPDX-License-Identifier: Apache-2.0
// Events that follow each other too fast to end a step on each: a contact that hovers at a distance
// of zero, that bounces faster than the model's time step, or that runs around a rim. For a while steps then
// pass over events.
// Derivation: docs/derivations/event.md, Crowds
#ifndef CR_EVENT_EVENT_CROWD_H
#define CR_EVENT_EVENT_CROWD_H

#include "event/event_root.h"

enum { CRI_CROWD_BOUNCING = 8 };

/// A row that entered: when last, and how often in sequence, each time at most a time step after the last.
typedef struct {
  cr_real feature, time;
  int times;
} cri_crowd_row;

/// Memory from step to step.
typedef struct {
  int steps;  // steps with events since the time `since`
  cr_real since;
  cr_real blind;                          // how long steps passed over events last time
  cr_real end;                            // until when they do
  cri_crowd_row row[CRI_CROWD_BOUNCING];  // the rows that entered last
} cri_crowd;

/// True if a step from time `time` on passes over events.
static inline bool cri_crowd_is_blind(const cri_crowd* crowd, cr_real time) {
  return time < crowd->end;
}

/// A step that passes over events is accepted whatever its error, if it is no longer than this: an event in
/// it makes the error of any step large.
cr_real cri_crowd_step(const cr_model* m);

/// Looks at a step that ends at `time`. Returns true if steps begin to pass over events from
/// there on.
/// Equation more than 24 + 2 rows steps with events, or a row that enters for the fourth time with no
///          entry later than a time step after the one before it: blind for a time step, twice as
///          long each time that this comes again soon; and on as long as two steps in a time step
///          have events                                                              [event.a4]
bool cri_crowd_watch(cri_crowd* crowd, const cr_model* m, const cri_event_root* step, cr_real h,
                     cr_real time);

#endif
