// SPDX-License-Identifier: Apache-2.0
// The options of a model as run-time rows, from model/model_fields.h: their legal values and words.
#ifndef CR_MODEL_MODEL_OPTIONS_H
#define CR_MODEL_MODEL_OPTIONS_H

#include "model/model.h"

/// A word for a value of an option; for flags, of one bit.
typedef struct {
  const char* name;
  int32_t value;
} cri_word;

typedef enum {
  CRI_OPTION_REAL,
  CRI_OPTION_INTEGER,
  CRI_OPTION_CHOICE,
  CRI_OPTION_FLAGS
} cri_option_kind;

typedef struct {
  const char *name, *unit, *text;
  size_t offset;  // in cr_model, of a cr_real or an int32_t
  cri_option_kind kind;
  cr_real low, high;  // low <= x <= high; a choice is one of its words, flags are some of theirs
  const cri_word* words;  // the last has no name; NULL for numbers
  bool added;             // may also be a contact model that was added to the model
} cri_option;

/// The rows; CRI_N_OPTION of them.
enum {
  CRI_N_OPTION = 0
#define CR_OPT_I(name, range, text) +1
#define CR_OPT_R(name, range, unit, text) +1
#include "model/model_fields.h"
};
const cri_option* cri_option_row(int i);

/// The row of a name, NULL for an unknown name.
const cri_option* cri_option_find(const char* name);

/// The word of an option's value, or of one bit of flags; "" if it has none.
const char* cri_option_word(const cri_option* option, int32_t value);

/// The same for a choice that may be one added to the model.
const char* cri_choice_word(const cr_model* m, const cri_option* option, int32_t value);

/// The value of a choice's word, false if there is none; all its words.
bool cri_choice_find(const cr_model* m, const cri_option* option, const char* name, int32_t* value);

cr_real cri_option_get(const cr_model* m, const cri_option* option);
void cri_option_put(cr_model* m, const cri_option* option, cr_real value);

/// Checks that every option has a legal value, and that options which depend on each other fit.
cr_status cri_options_check(const cr_model* m, cr_error* error);

/// The word of that name, NULL if there is none.
const cri_word* cri_word_find(const cri_word* words, const char* name);

/// The words whose value `takes` accepts (NULL: all), as "heun, midpoint or ralston".
typedef struct {
  char text[200];
} cri_word_list;
cri_word_list cri_words(const cri_word* words, bool (*takes)(int value));

/// The words of a choice, those added to the model included.
cri_word_list cri_choices(const cr_model* m, const cri_option* option);

/// The same for integrators, and the word of one.
cri_word_list cri_integrators(bool (*takes)(int integrator));
const char* cri_integrator_word(int integrator);

#endif
