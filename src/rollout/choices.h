// SPDX-License-Identifier: Apache-2.0
// The discrete choices of an evaluation as numbers to compare: two states on the same piece of the step have
// the same. The field table says what is a choice (model/data_fields.h).
#ifndef CR_ROLLOUT_CHOICES_H
#define CR_ROLLOUT_CHOICES_H

#include "model/fields.h"

/// Hash of all fields of cr_data whose column `choice` is this one, with their live counts.
uint64_t cri_choice_hash(const cr_model* m, const cr_data* d, cri_choice choice);

#endif
