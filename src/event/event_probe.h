// SPDX-License-Identifier: Apache-2.0
// The derivative of the moment at which a pair of geoms swaps its contacts, where no number is at hand that
// is zero just then: the moment is looked for on paths beside the motion.
// Derivation: docs/derivations/event.md
#ifndef CR_EVENT_EVENT_PROBE_H
#define CR_EVENT_EVENT_PROBE_H

#include "event/event.h"

/// The derivatives of the moment by places and sizes of the two geoms of `pair`, from rows `before` to rows
/// `after`, at which d is evaluated, h later. False where it has none that can be told: contacts that are not
/// hard, height fields, paths that meet with other contacts than these, or with a kink.
/// Equation (t(+eps) - t(-eps)) / (2 eps), t: when a path that starts eps away, with the same velocities, has
///          its contacts change from those before to those after                        [event.e6]
/// Memory   no allocation
/// Cost     some thirty collisions of the pair for each of 24 paths at most, twice where shifts of 1e-6 do not tell
bool cri_probe(const cr_model* m, const cr_data* d, const cri_event_list* before,
               const cri_event_list* after, cr_real pair, cr_real h, cri_event_sign* sign);

#endif
