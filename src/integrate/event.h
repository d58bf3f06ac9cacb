// SPDX-License-Identifier: Apache-2.0
// Events: moments at which the right hand side of the equation of motion is not smooth. A contact or a
// limit enters: with an impedance that begins above zero the acceleration jumps there, and the
// derivative of the flow has a term that no derivative of a step has, since the event moves in time. Or
// the force law of a row bends: a contact begins to slide or stops pushing, or its impedance passes the
// middle or the end of its curve; then there is no such term, but a step across the bend is of low order,
// its derivative of a lower one still.
// Derivation: docs/derivations/event.md
#ifndef CR_INTEGRATE_EVENT_H
#define CR_INTEGRATE_EVENT_H

#include "model/data.h"

enum { CRI_BENDS = 4 };

/// A row as it is compared from one evaluation to the next.
typedef struct {
  cr_real pair;             // of geoms; of another kind of row itself
  cr_real feature;          // that, with what touches, and which row of it this is
  int place;                // which row of the limit or contact
  cr_real bend[CRI_BENDS];  // change sign where the force law of the row bends
  cr_real gap, velocity,
      force;  // of a limit or contact, at its first row: gap and how it changes, and
              // the sum of what its rows push
} cri_event_row;

/// What happened between two evaluations.
typedef struct {
  int row;          // the first row of the limit or contact that entered first, -1 none
  cr_real ago;      // how long before the second one it did
  cr_real crossed;  // how long before it the first bend was, 0 none
  cr_real left;  // how long after the first one a limit or contact left that was pushing, -1 none
} cri_event;

/// All rows of d, with the signs of the force law at its solution. Returns how many, nefc.
int cri_event_rows(const cr_model* m, const cr_data* d, cri_event_row* rows);

/// A number that tells apart which rows of d push and on which side of their bends they are. A contact in
/// the place of another of its pair makes no difference.
uint64_t cri_event_zones(const cr_model* m, const cr_data* d);

/// What happened from rows `before`, n of them, to those of d, which are `after`, `since` later.
/// Equation g = efc_pos - efc_margin <= 0, ago = g / g', g' the velocity of the row       [e1]
///          crossed = since b / (b - b_before), where the sign of a bend's b has changed     [e3]
///          left = - g / g' before                                                        [e1]
///          A contact that takes the place of another of its pair is no event
cri_event cri_event_find(const cr_model* m, const cr_data* d, const cri_event_row* before, int n,
                         const cri_event_row* after, cr_real since);

/// The limit or contact that leaves first of those that push, and when; -1 none.
int cri_event_leaving(const cri_event_row* rows, int n, cr_real* left);

/// The state just before a row entered: that of d, which cri_dynamics has evaluated, moved back along
/// its velocity until it and all that entered together with it are gone, with the dynamics there in `work`.
/// Leaves   *moved: false for a row that leaves, and where rows stay: then d holds that state itself
/// Errors   those of cri_dynamics, in work->error
cr_status cri_event_before(const cr_model* m, cr_data* d, int row, cr_real h, cr_data* work,
                           bool* moved);

/// What the event does to a tangent of the state; everything as below.
/// Equation v_tan += sum_i (qacc_i - qacc_i-1) / g_i' g_i_tan                     [e2]
/// Requires tan->qpos, qvel, act: tangents of that state just before the event, and of the other
///          inputs of cr_forward
cr_status cri_event_jvp(const cr_model* m, cr_data* d, int row, cr_real h, cr_data* work,
                        cr_data* tan);

/// The transpose of what the event does, at the state where the row has just entered, in a step of
/// length h, or is about to leave; with it count all rows that do so together with it.
/// Equation s_i = v_bar . (qacc_i - qacc_i-1) / g_i',  g_bar_i += s_i                     [e2]
///          qacc_i: with rows 1 to i of them, or without; several: the mean over one order and its
///          reverse
///          [Aizerman and Gantmakher, Determination of stability by linear approximation, 1958]
/// Requires bar->qpos, qvel, act: the cotangents of that state, just after the event
/// Leaves   in them those just before it, and adds to the other inputs of cr_forward
/// Errors   in d->error: those of cri_dynamics; CR_ERR_DIVERGED where d has no such row. `work` is
///          used for the accelerations without
cr_status cri_event_vjp(const cr_model* m, cr_data* d, int row, cr_real h, cr_data* work,
                        cr_data* bar);

/// How close behind the moment an entry counts as found.
static inline cr_real cri_event_near(const cr_model* m) { return CR_R(1e-10) * m->timestep; }

#endif
