// SPDX-License-Identifier: Apache-2.0
// Numbers by which a step has two slopes, one to each side, both of which can be reached. A
// gradient has to choose one there, and these sentences report it.
#ifndef CR_ROLLOUT_ONE_SIDED_H
#define CR_ROLLOUT_ONE_SIDED_H

#include "model/data.h"
#include "model/fields.h"

/// A sentence: which number, why, and which slope a gradient has.
typedef struct {
  char text[256];
} cri_one_sided;

/// Finds such numbers by name at the state in d, whose dynamics have been computed, for the fields
/// asked for (asked[CR_N_FIELD]). Some are reported whatever is asked: a joint or tendon exactly at its limit, two
/// geoms that touch exactly where their contact begins, whose centres or centre lines meet, that touch along an axis
/// or share a line or a face, and with an integrator with stages a cylinder that stands flat. Writes up to `most`; returns how many
/// there are. The list is that of docs/trust.md.
int cri_one_sided_find(const cr_model* m, const cr_data* d, const bool* asked, cri_one_sided* list,
                       int most);

#endif
