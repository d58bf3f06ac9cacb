// SPDX-License-Identifier: Apache-2.0
// carom fit MODEL RUN...: parameters of any model from measured signals.
#ifndef CR_RUNS_FIT_RUNS_H
#define CR_RUNS_FIT_RUNS_H

#include "command/method.h"

typedef struct {
  const char* command;  // "fit", "train"
  cr_text_list paths;   // the model, then the files of its runs
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
  bool weights;  // those of all corrections are searched, before what `estimate` names
} cr_fit_runs_options;

/// Rows of these options that fit and train share: what was measured, and which pieces of it are predicted. `of` begins each help text,
/// `noise_default` says what is taken where none is given.
#define CR_RUNS_OPTIONS(r, of, noise_default)                                                    \
  {"--noise", CR_OPT_LIST, &(r).noise, "PLACE=SD",                                               \
   of "standard deviation of a place (default: " noise_default ")"},                             \
      {"--delay", CR_OPT_LIST, &(r).delay, "PLACE", of "find the delay of a place"},             \
      {"--offset", CR_OPT_LIST, &(r).offset, "PLACE", of "find the constant offset of a place"}, \
      {"--column", CR_OPT_LIST, &(r).column, "COLUMN=PLACE",                                     \
       of "what a column with another name is"},                                                 \
      {"--ignore", CR_OPT_LIST, &(r).ignore, "COLUMN", of "leave out a column"},                 \
      {"--rate", CR_OPT_POSITIVE, &(r).rate, "HZ", of "rows a second, of files without times"},  \
      {"--window", CR_OPT_POSITIVE, &(r).window, "S",                                            \
       of                                                                                        \
       "predict pieces of so many seconds, each from a start of its own (default: whole "        \
       "runs)"},                                                                                 \
      {"--huber", CR_OPT_POSITIVE, &(r).huber, "K",                                              \
       of "errors beyond K standard deviations count linearly"},                                 \
      {"--held-out", CR_OPT_REAL, &(r).held_out, "SHARE",                                        \
       of "share of the runs held aside (default 0.2 of 5 runs and more, else 0)"},              \
  {                                                                                              \
    "--held-runs", CR_OPT_LIST, &(r).held_runs, "NAME", of "hold these aside, as 'night_*'"      \
  }

/// Runs the fit, prints and writes what it found. *code is the exit code where it came to its end.
cr_status cr_fit_runs(const cr_fit_runs_options* options, bool (*stop)(void* context), int* code,
                      cr_error* error);

#endif
