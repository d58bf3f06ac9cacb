// SPDX-License-Identifier: Apache-2.0
// The discrete choices of an evaluation as numbers to compare: two states on the same piece of the step have
// the same. The field table says what is a choice (model/data_fields.h).
#ifndef CR_ROLLOUT_CHOICES_H
#define CR_ROLLOUT_CHOICES_H

#include "model/fields.h"

/// Hash of all fields of cr_data whose column `choice` is this one, with their live counts.
uint64_t cri_choice_hash(const cr_model* m, const cr_data* d, cri_choice choice);

/// That of CRI_CHOICE_ROWS in two parts: of the rows of friction loss, and of all else. Friction loss makes a row
/// as soon as it is not zero: no contact or limit comes or goes with it.
uint64_t cri_choice_hash_rows(const cr_model* m, const cr_data* d, bool friction_loss);

#endif
