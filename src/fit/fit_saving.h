// SPDX-License-Identifier: Apache-2.0
// The file that an interrupted fit of measured runs, or a training, goes on from: what it is of, and the last two states of its
// search.
// It is replaced whole or not at all.
#ifndef CR_FIT_SAVING_H
#define CR_FIT_SAVING_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/files.h"

/// What a file has to be of to go on with it.
typedef enum {
  CR_FIT_OF_MODEL,
  CR_FIT_OF_BLUEPRINT,
  CR_FIT_OF_DATA,
  CR_FIT_OF_ESTIMATES,
  CR_FIT_OF_SETTINGS,
  CR_FIT_OF_SEARCH,
  CR_FIT_OF_RANKS,
  CR_FIT_OF  // how many these are
} cr_fit_of;

/// Where the search stands: at its beginning, in a generation of many valleys, in a step of the last one.
typedef enum { CR_FIT_BEGUN, CR_FIT_GLOBAL, CR_FIT_SOLVE } cr_fit_phase;

typedef struct {
  int64_t step;  // or generation
  size_t size;   // 0: there is none
  unsigned char* bytes;
} cr_fit_state;

typedef struct {
  const char* kind;        // "fit", "training": of sentences
  char path[CR_MAX_PATH];  // "": nothing is saved
  uint64_t of[CR_FIT_OF];
  cr_fit_phase phase;
  cr_fit_state before, last;
  double spent;  // s of the runs before this one
  double begin;  // of this run
  double written;
  bool behind;  // the file lacks the last state
} cr_fit_saving;

/// Begins a file, or reads the one that is there. path and of are set before.
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT: a damaged file; CR_ERR_ARG: a file of another fit, with what differs
cr_status cr_fit_saving_begin(cr_fit_saving* saving, cr_error* error);
cr_status cr_fit_saving_read(cr_fit_saving* saving, cr_error* error);

/// Takes a state; it is written if the last writing was `interval` seconds ago.
cr_status cr_fit_saving_keep(cr_fit_saving* saving, cr_fit_phase phase, int64_t step,
                             const void* bytes, size_t size, double interval, cr_error* error);

/// Writes what is not yet in the file.
cr_status cr_fit_saving_settle(cr_fit_saving* saving, cr_error* error);

/// Goes back to the state of a generation, which is the last or the one before; 0: to the beginning.
/// Errors   CR_ERR_FORMAT: it is neither
cr_status cr_fit_saving_go_back(cr_fit_saving* saving, int64_t step, cr_error* error);

void cr_fit_saving_free(cr_fit_saving* saving);

#endif
