// SPDX-License-Identifier: Apache-2.0
// carom train MODEL RUN... --blueprint FILE: the weights of corrections, through the simulation, from measured signals.
#ifndef CR_CLI_TRAIN_RUN_H
#define CR_CLI_TRAIN_RUN_H

#include "runs/fit_runs.h"

typedef struct {
  cr_fit_runs_options runs;
  int epochs, batch, patience;  // 0: not given
  double rate, final_rate;      // of AdamW; 0: not given
  double weight_decay;
  bool adaptive;     // penalties by how much the weights of the blueprint use each input
  const char* keep;  // NULL: last with a lasso, best otherwise
} cr_train_options;

/// Trains, prints and writes what was found. *code is the exit code where it came to its end.
cr_status cr_train_run(const cr_train_options* options, bool (*stop)(void* context), int* code,
                       cr_error* error);

#endif
