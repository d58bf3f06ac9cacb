// SPDX-License-Identifier: Apache-2.0
// carom fit MODEL RUN...: parameters of any model from measured signals.
#ifndef CR_CLI_FIT_RUNS_H
#define CR_CLI_FIT_RUNS_H

#include "command/method.h"

typedef struct {
  cr_text_list paths;  // the model, then the files of its runs
  cr_text_list estimate, delay, offset, noise, column, ignore, profile, held_runs;
  cr_text_list observe;                     // of planned runs
  const char* blueprint;                    // corrections of the model, or NULL
  const char *out, *start, *save, *config;  // config: the file that all this comes from, or NULL
  const char* search;                       // NULL: local
  int islands, population, generations;     // 0: not given
  double rate, window, huber, held_out, confidence, continuity;  // 0: not given; held_out NaN
  int threads, seed;
  cr_method_options method;
  bool resume, force, as_recorded, json, design, correlated;
} cr_fit_runs_options;

/// Runs the fit, prints and writes what it found. *code is the exit code where it came to its end.
cr_status cr_fit_runs(const cr_fit_runs_options* options, bool (*stop)(void* context), int* code,
                      cr_error* error);

#endif
