// SPDX-License-Identifier: Apache-2.0
// Events: moments at which a contact or a limit enters. With an impedance that begins above zero the
// acceleration jumps there, and the derivative of the flow has a term that no derivative of a step
// has: the event moves in time. Derivation: docs/derivations/event.md
#ifndef CR_INTEGRATE_EVENT_H
#define CR_INTEGRATE_EVENT_H

#include "model/data.h"

/// What a limit or contact belongs to, the same from one evaluation to the next: its pair of geoms (or
/// itself), and that with the features that touch.
typedef struct {
  cr_real pair, feature;
} cri_event_key;

/// The keys of all limits and contacts with rows. Returns how many; at most nefc.
int cri_event_keys(const cr_data* d, cri_event_key* keys);

/// The row, first of a limit or contact that d has and the keys have not, that was entered first, but
/// not more than `most` ago; -1 where there is none.
/// Map      (efc_pos, efc_margin, efc_vel) -> row, *ago
/// Equation g = efc_pos - efc_margin <= 0, ago = g / g', g' the velocity of the row       [e1]
///          A contact that takes the place of another of its pair is no event, nor is one that opens
int cri_event_find(const cr_data* d, const cri_event_key* keys, int n, cr_real most, cr_real* ago);

/// The transpose of what the event does, at the state where the row has just entered.
/// Equation s = v_bar . (qacc+ - qacc-) / g',  g_bar += s                                 [e2]
///          qacc+-: with and without the row
///          [Aizerman and Gantmakher, Determination of stability by linear approximation, 1958]
/// Requires bar->qpos, qvel, act: the cotangents of that state, just after the event
/// Leaves   in them those just before it, and adds to the other inputs of cr_forward
/// Errors   in d->error: those of cri_dynamics; CR_ERR_DIVERGED where d has no such row. `work` is
///          used for the state before
cr_status cri_event_vjp(const cr_model* m, cr_data* d, int row, cr_data* work, cr_data* bar);

#endif
