// SPDX-License-Identifier: Apache-2.0
// With smooth collision a pair has one contact, at a mean of its contacts' points. Its parts are compared between
// two evaluations. The mean leaps where a part that has a share comes, goes or leaps. It has a
// kink where a part goes on under another name.
// Derivation: docs/derivations/event.md
#ifndef CR_EVENT_EVENT_PARTS_H
#define CR_EVENT_EVENT_PARTS_H

#include "collision/collision.h"
#include "model/data.h"

/// A contact that is a part of a mean.
typedef struct {
  cr_real feature;  // what touches
  cri_contact_part at;
} cri_event_part;

/// The parts of one contact; none where each contact stands for itself.
typedef struct {
  int n;
  const cri_event_part* part;
} cri_event_parts;

typedef enum { CRI_PARTS_STAY, CRI_PARTS_KINK, CRI_PARTS_LEAP } cri_parts_change;

/// The parts of contact i of d, written to `room`.
cri_event_parts cri_parts_of(const cr_model* m, const cr_data* d, int i, cri_event_part* room);

/// Compares parts with those `since` later. size: of the geoms.
/// Equation leap: a part moved farther than its rates allow, or came or went otherwise than through the end of
///          its share, where this moves the mean by more than 1e-5 of the size          [event.e8]
cri_parts_change cri_parts_compare(const cri_event_parts* was, const cri_event_parts* now,
                                   cr_real since, cr_real size);

#endif
