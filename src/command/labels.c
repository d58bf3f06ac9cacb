// SPDX-License-Identifier: Apache-2.0
// Names of numbers. See command/labels.h.
#include "command/labels.h"

#include <stdio.h>

// `otherwise` where the field has no such name, as contacts
static void put(const cr_model* m, int field, int i, bool tangent, const char* otherwise, int k,
                char text[CR_NUMBER_NAME]) {
  if (cr_number_name(m, field, i, tangent, text, CR_NUMBER_NAME, NULL) != CR_OK) {
    (void)snprintf(text, CR_NUMBER_NAME, "%.150s[%d]", otherwise, k);
  }
}

void cr_label(const cr_model* m, const char* field, int i, bool tangent,
              char text[CR_NUMBER_NAME]) {
  cr_place_info place = {.size = sizeof place};
  bool known = cr_model_place(m, field, &place, NULL) == CR_OK;
  put(m, known ? place.field : -1, i, tangent, field, i, text);
}

void cr_label_of_state(const cr_model* m, int i, char text[CR_NUMBER_NAME]) {
  int nv = cr_model_count(m, "nv");
  const char* field = i < nv ? "qpos" : i < 2 * nv ? "qvel" : "act";
  cr_label(m, field, i < nv ? i : i < 2 * nv ? i - nv : i - 2 * nv, i < nv, text);
}

void cr_label_of_place(const cr_model* m, const char* name, int k, bool tangent,
                       char text[CR_NUMBER_NAME]) {
  cr_place_info place = {.size = sizeof place};
  bool known = cr_model_place(m, name, &place, NULL) == CR_OK && !place.contact;
  put(m, known ? place.field : -1, (tangent ? place.tangent_first : place.first) + k, tangent, name,
      k, text);
}
