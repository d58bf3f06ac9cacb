// SPDX-License-Identifier: Apache-2.0
// Names of numbers in what commands print and in tables that they write.
#ifndef CR_COMMAND_LABELS_H
#define CR_COMMAND_LABELS_H

#include "carom/carom.h"

/// The name of a number of a field, or of its tangent, as cr_number_name has it; "FIELD[i]" where it has none.
void cr_label(const cr_model* m, const char* field, int i, bool tangent, char text[CR_NUMBER_NAME]);

/// The name of number i of a state: tangent of qpos, qvel, act, one after the other.
void cr_label_of_state(const cr_model* m, int i, char text[CR_NUMBER_NAME]);

/// The name of number k of what a place stands for, or of its tangent.
void cr_label_of_place(const cr_model* m, const char* place, int k, bool tangent,
                       char text[CR_NUMBER_NAME]);

#endif
