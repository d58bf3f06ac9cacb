// SPDX-License-Identifier: Apache-2.0
// A list of sentences: features of a model that are refused, ignored, or worth a warning.
#ifndef CR_ACCESS_REPORT_H
#define CR_ACCESS_REPORT_H

#include "base/status.h"
#include "carom/model.h"

typedef struct {
  char** text;
  int n, capacity;
} cr_sentences;

/// Findings of loading a model: all problems at once, each a sentence with MuJoCo's own words.
struct cr_load_report {
  cr_sentences unsupported;  // could change qacc or the next state: the model is refused
  cr_sentences ignored;      // cannot change qacc or the next state
  cr_sentences warnings;
};

/// Appends a formatted sentence unless the same one is there already.
void cri_sentence(cr_sentences* list, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

void cri_load_report_free(cr_load_report* report);

#endif
