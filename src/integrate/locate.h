// SPDX-License-Identifier: Apache-2.0
// Where an adaptive step ends so that what happens to rows, see event.h, happens between steps: a search
// over lengths, each tried by making the step.
//
// Whatever it is, a long step ends a little before it, and a short one crosses: so all stages of a long
// step can lie on one side. Those at its end know the state only roughly, so this is looked at, and the
// step made shorter where one does not. The short step ends just behind where a row enters; just before
// where one leaves that pushes, so that the row is still there, and one of next to no length follows; at
// a bend anywhere behind.
#ifndef CR_INTEGRATE_LOCATE_H
#define CR_INTEGRATE_LOCATE_H

#include "integrate/event.h"
#include "model/tableau.h"

typedef struct {
  int row;              // of the end: a row that has just entered, or is about to leave; -1 none
  bool happened;        // the step ends where it does because of an event
  cr_real cross;        // length of the step that is to cross what comes next, 0 none
  bool ends_contact;    // what it crosses is the end of a contact, which this step has counted
  bool crossing, tiny;  // this step crosses something; the end of a contact
  cri_event_row *start, *clean, *now;  // rows at the start, after the length `out`, after this one
  int nstart, nclean;
  cr_real out, in;    // lengths before and behind what happens first; in 0: nothing known yet
  bool leaving;       // it is that a row leaves
  int tries, astray;  // lengths tried; of those with a stage on another side
  uint64_t zones[CR_RK_STAGES];  // at every stage, see event.h; the step sets all but the first
  cr_real longest;               // of those lengths
  const cri_tableau* t;
} cri_locate;

/// Begins at the state that d was evaluated at last; lists of rows are pushed on d's scratch. crossing,
/// tiny: what this step is to cross, as above; t: its method.
void cri_locate_begin(cri_locate* locate, const cr_model* m, cr_data* d, bool crossing, bool tiny,
                      const cri_tableau* t);

/// Does this step cross the end of a contact? It is too short for an error to mean anything.
bool cri_locate_leaves(const cri_locate* locate, const cr_model* m, cr_real h);

/// Forgets the lengths tried.
void cri_locate_restart(cri_locate* locate);

/// Is h the length of this step? d holds the rows at its end. If not, the next one to try.
/// Equation Newton for the gap of a row that enters or leaves, secant for a bend, bisection where these
///          overstep                                                                      [a3]
bool cri_locate_ends(cri_locate* locate, const cr_model* m, const cr_data* d, cr_real h,
                     cr_real* next);

#endif
