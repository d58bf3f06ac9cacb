// SPDX-License-Identifier: Apache-2.0
// The derivative of the moment at which a pair of geoms swaps its contacts, if no number is known that
// is zero at that moment. The moment is searched on paths beside the motion.
// Derivation: docs/derivations/event.md
#ifndef CR_EVENT_EVENT_PROBE_H
#define CR_EVENT_EVENT_PROBE_H

#include "event/event.h"

/// The derivatives of the moment by places and sizes of the two geoms of `pair`, from rows `before` to rows
/// `after`, at which d is evaluated, h later. False if they cannot be found: contacts that are not
/// hard, height fields, paths that meet other contacts than these, or a kink.
/// Equation (t(+eps) - t(-eps)) / (2 eps), t: when a path that starts eps away, with the same velocities, has
///          its contacts change from those before to those after                        [event.e6]
/// Memory   no allocation
/// Cost     some thirty collisions of the pair for each of 24 paths at most, twice if shifts of 1e-6 are too small
bool cri_probe(const cr_model* m, const cr_data* d, const cri_event_list* before,
               const cri_event_list* after, cr_real pair, cr_real h, cri_event_sign* sign);

#endif
