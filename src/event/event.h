// SPDX-License-Identifier: Apache-2.0
// Events: moments at which the right hand side of the equation of motion is not smooth.
// - A contact or a limit enters. If its impedance begins above zero the acceleration jumps. The derivative of
//   the flow then has a term that no derivative of a step has, since the event moves in time
//   (event/event_jump.h). The same holds where a row leaves that still pushes, and where a contact takes the
//   place of another of its pair.
// - The force law of a row bends: a contact begins to slide or stops pushing, or its impedance passes the middle
//   or the end of its curve. There is no such term, but a step across the bend is of low order, and its
//   derivative of a lower one still. Derivation: docs/derivations/event.md
#ifndef CR_EVENT_EVENT_H
#define CR_EVENT_EVENT_H

#include "event/event_parts.h"
#include "geometry/pair.h"
#include "model/data.h"
#include "solver/contact_model.h"

enum { CRI_BENDS = CRI_LAW_BENDS + 2 };  // of the force law, and of the impedance

/// A row as it is compared between two evaluations.
typedef struct {
  cr_real pair;     // number of the pair of geoms; for another kind of row its own number
  cr_real feature;  // the same, with what touches, and which row of it this is
  int place;        // which row of the limit or contact
  int32_t geom[2];  // of a contact
  bool first;       // the first row of a limit or contact: only it has the members after bend
  cr_real bend[CRI_BENDS];  // change sign where the force law of the row bends
  cr_real gap,
      velocity;   // distance until the row is gone, and the rate of that distance as measured
  cr_real force;  // sum of the forces of its rows
  cr_real pos[3], frame[6], way,
      turn;               // of a contact: its place; how fast the place moves and turns
  cr_real lean;           // rate of the normal's second coordinate, frame[1]
  cr_real size;           // of its geoms
  cr_real margin;         // distance at which it enters
  cri_event_parts parts;  // of smooth collision
} cri_event_row;

/// All rows of an evaluation. room: for the parts of contacts, NULL if they are not needed.
typedef struct {
  int n;
  cri_event_row* row;
  cri_event_part* room;
} cri_event_list;

/// First event of each kind between two evaluations: time after the first one, -1 none.
typedef struct {
  cr_real entered, left;  // a limit or contact; only those that pushed count as left
  cr_real swapped;        // a contact is at another place, or came or went in some other way
  cr_real crossed;        // a bend, or a contact under another name at the same place
} cri_event;

typedef enum { CRI_STAYS, CRI_ENTERS, CRI_LEAVES, CRI_SWAPS } cri_fate;

/// Pushes a list for so many rows and contacts on the scratch of `owner`.
cri_event_list cri_event_push(const cr_model* m, cr_data* owner, int nefc, int ncon);

/// All rows of d, with the signs of the force law at its solution. The list has room for nefc rows, and for ncon
/// parts or none.
cri_event_list cri_event_rows(const cr_model* m, const cr_data* d, cri_event_list list);

/// The row behind the last one of the limit or contact at `row`.
int cri_event_end(const cr_data* d, int row);

/// A number that identifies which rows of d push, by what touches, and on which side of their bends they are.
uint64_t cri_event_zones(const cr_model* m, const cr_data* d);

/// The events from rows `before` to rows `after`, `since` later; times are known to `near`.
/// Equation g = efc_pos - efc_margin <= 0, entered g / g' before the second          [event.e1]
///          left - g / g' after the first                                           [event.e1]
///          crossed since b / (b - b_before) before it, where the sign of a bend's b changed [event.e3]
///          swapped where g and its rate before and after meet                      [event.e4]
///          a contact that pushes under another name: half of `since`                  [event.e7]
cri_event cri_event_find(const cri_event_list* before, const cri_event_list* after, cr_real since,
                         cr_real near);

/// Fate of a row of `after`, of a row of `before`. A contact under another name at the same place,
/// as where a body rolls on, stays.
cri_fate cri_event_fate_of_new(const cri_event_list* before, const cri_event_list* after, int row,
                               cr_real since, cr_real near);
cri_fate cri_event_fate_of_old(const cri_event_list* before, const cri_event_list* after, int row,
                               cr_real since, cr_real near);

/// Time until the first limit or contact that pushes leaves; CR_MAX none.
cr_real cri_event_leaving(const cri_event_list* now);

/// The number s that is zero at the moment of a swap: the difference of two distances, or the lean of
/// a normal.
typedef struct {
  int was, now;  // rows, one before and one after it, -1: s has no part there
  bool leans;    // s is frame[1] at `now`, not the difference of the gaps
  cr_real rate;  // of s
  bool probed;   // no s: the derivatives of the moment itself, by the shapes of two geoms
  int32_t geom[2];
  cr_shape_tan moment[2];
} cri_event_sign;

/// The sign of a swap in a pair of geoms, in a step of length h. False if there is none.
/// Equation a row that leaves or enters just then, whatever it pushes: s its gap      [event.e1]
///          two contacts, not means, whose distances met in the step, by their rates:
///          s = g_now - g_was                                                         [event.e4]
///          a frame whose first tangent goes by another axis of the world: s = n_y, at 1/2    [event.e5]
///          else the moment is probed beside the motion (event/event_probe.h)           [event.e6]
/// Requires d evaluated at the rows `after`
bool cri_event_sign_of(const cr_model* m, const cr_data* d, const cri_event_list* before,
                       const cri_event_list* after, cr_real pair, cr_real h, cr_real near,
                       cri_event_sign* sign);

/// Number of rows that entered, left while they pushed, or were swapped in a step of length h; missed: those
/// whose jump a gradient does not count.
typedef struct {
  int entered, left, swapped, missed;
} cri_event_count;

cri_event_count cri_event_counts(const cr_model* m, const cr_data* d, const cri_event_list* before,
                                 const cri_event_list* after, cr_real h, cr_real near);

/// Lengths in units of the precision of moments (cri_event_near). TINY: a step that crosses a leave or a swap; an
/// entry so long ago counts as found. Contacts may be swapped several times in a row, as those of faces that are
/// parallel up to round-off. Then the step grows by the factor WIDER up to WIDEST, until the contacts stay the
/// same for QUIET times as long.
enum { CRI_EVENT_TINY = 5, CRI_EVENT_WIDER = 8, CRI_EVENT_QUIET = 64, CRI_EVENT_WIDEST = 5 * 4096 };

/// Precision to which the moment of an event is found.
static inline cr_real cri_event_near(const cr_model* m, cr_real time) {
  return cr_max(CR_R(1e-10) * m->timestep, 1024 * CR_EPS * cr_abs(time));
}

#endif
