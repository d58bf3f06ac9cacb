// SPDX-License-Identifier: Apache-2.0
// Chooses the end of an adaptive step so that events of rows, see event.h, happen between steps: a search
// over lengths, each tried by making the step.
//
// A long step ends a little before the event, and a short one crosses it. So all stages of a
// long step can lie on one side. The last stages know the state only roughly, so they are checked, and
// the step is made shorter if one lies on the other side. The short step ends just behind an entry, so that
// rows that enter at the same moment are there too. It ends just before a row that pushes leaves, or a swap; a
// tiny step then crosses. At a bend it ends anywhere behind. Every step counts the events
// from its start to its end, whatever they are.
#ifndef CR_EVENT_EVENT_ROOT_H
#define CR_EVENT_EVENT_ROOT_H

#include "event/event.h"
#include "model/tableau.h"

/// Kind of a step.
typedef enum { CRI_STEP_LONG, CRI_STEP_SHORT, CRI_STEP_TINY } cri_step_kind;

typedef struct {
  cri_step_kind kind;
  cri_event_count counts;  // of the step taken
  bool happened;           // the step ends where it does because of an event
  cr_real cross;           // length of the next step if that is short or tiny; 0: long
  cri_step_kind next;
  cri_event_list start, clean, now;  // rows at the start, after the length `out`, after this one
  cr_real out, in;    // lengths before and behind the first event; in 0: nothing known yet
  cr_real asked;      // length to try for a tiny step
  bool before;        // the step is to end before the event
  bool bent;          // a bend was found at the start of the step,
  cr_real pass;       // which then ends this far behind if nothing else happens there, 0: as usual,
  cr_real usual;      // which is there
  int tries, astray;  // lengths tried; of those with a stage on another side
  bool lost;          // too many lengths tried: the step was taken as it was
  uint64_t zones[CR_RK_STAGES];  // at every stage, see event.h; the step sets all but the first
  cr_real longest;               // longest of the lengths tried
  cr_real near;
  const cri_tableau* t;
} cri_event_root;

/// Begins at the state at which d was evaluated last; pushes lists of rows on d's scratch. t: the
/// method of the step.
void cri_event_root_begin(cri_event_root* locate, const cr_model* m, cr_data* d, cri_step_kind kind,
                          const cri_tableau* t);

/// True if this step is tiny: too short for an error to mean anything.
bool cri_event_root_is_tiny(const cri_event_root* locate, cr_real h);

/// How far beyond a bend at its start the step after this one, of length h, goes where names flicker: steps grow as those
/// across swaps do.
cr_real cri_event_root_wider(const cri_event_root* locate, cr_real h);

/// Forgets the lengths tried.
void cri_event_root_restart(cri_event_root* locate);

/// True if h is the length of this step; d holds the rows at its end. If not, *next is the length to try next.
/// Equation Newton for the gap of a row that enters or leaves, secant for a bend, lines for a swap,
///          bisection where these overstep                                          [event.a3]
bool cri_event_root_ends(cri_event_root* locate, const cr_model* m, const cr_data* d, cr_real h,
                         cr_real* next);

/// Takes the step of length h as it is; d as above. Counts what happened.
void cri_event_root_pass(cri_event_root* locate, const cr_model* m, const cr_data* d, cr_real h);

#endif
