// SPDX-License-Identifier: Apache-2.0
// Where an adaptive step ends so that what happens to rows, see event.h, happens between steps: a search
// over lengths, each tried by making the step.
//
// Whatever it is, a long step ends a little before it, and a short one goes on to it: so all stages of a
// long step can lie on one side. Those at its end know the state only roughly, so this is looked at, and
// the step made shorter where one does not. The short step ends just behind where a row enters, and so that
// what enters at the same moment is there too; just before where one leaves that pushes, or is swapped, which
// a step of next to no length then crosses; at a bend anywhere behind. Every step accounts for what
// happens from its start to its end, whatever that is.
#ifndef CR_EVENT_EVENT_ROOT_H
#define CR_EVENT_EVENT_ROOT_H

#include "event/event.h"
#include "model/tableau.h"

/// What a step is to be.
typedef enum { CRI_STEP_LONG, CRI_STEP_SHORT, CRI_STEP_TINY } cri_step_kind;

typedef struct {
  cri_step_kind kind;
  cri_event_count counts;  // of the step taken
  bool happened;           // the step ends where it does because of an event
  cr_real cross;           // length of the next step, which is to be short or tiny, 0: long
  cri_step_kind next;
  cri_event_list start, clean, now;  // rows at the start, after the length `out`, after this one
  cr_real out, in;    // lengths before and behind what happens first; in 0: nothing known yet
  cr_real asked;      // of a tiny step, the length to try
  bool before;        // it is something that the step is to end before
  int tries, astray;  // lengths tried; of those with a stage on another side
  bool lost;          // so many that the step was taken as it was
  uint64_t zones[CR_RK_STAGES];  // at every stage, see event.h; the step sets all but the first
  cr_real longest;               // of those lengths
  cr_real near;
  const cri_tableau* t;
} cri_event_root;

/// Begins at the state that d was evaluated at last; lists of rows are pushed on d's scratch. t: the
/// method of the step.
void cri_event_root_begin(cri_event_root* locate, const cr_model* m, cr_data* d, cri_step_kind kind,
                          const cri_tableau* t);

/// Is this step tiny? Then it is too short for an error to mean anything.
bool cri_event_root_is_tiny(const cri_event_root* locate, cr_real h);

/// Forgets the lengths tried.
void cri_event_root_restart(cri_event_root* locate);

/// Is h the length of this step? d holds the rows at its end. If not, the next one to try.
/// Equation Newton for the gap of a row that enters or leaves, secant for a bend, lines for a swap,
///          bisection where these overstep                                          [event.a3]
bool cri_event_root_ends(cri_event_root* locate, const cr_model* m, const cr_data* d, cr_real h,
                         cr_real* next);

/// Takes the step of length h as it is; d as above. Counts what happened.
void cri_event_root_pass(cri_event_root* locate, const cr_model* m, const cr_data* d, cr_real h);

#endif
