// SPDX-License-Identifier: Apache-2.0
// carom bench --batch: rollouts with gradients over threads.
#ifndef CR_CLI_BENCH_BATCH_H
#define CR_CLI_BENCH_BATCH_H

#include <stdio.h>

#include "base/status.h"
#include "tools/json.h"

typedef struct {
  int rollouts, steps, rounds, states, seed;
  const char *threads, *memory;  // as "1,2"; as "64M" or NULL
  bool no_peer, markdown, json;
} cr_bench_batch_options;

/// Measures one model and prints it in the requested form: JSON into `j`; CSV also into `csv`, which
/// may be NULL; `first`: with its header.
cr_status cr_cli_bench_batch(const cr_bench_batch_options* options, const char* model, bool first,
                             cr_json* j, FILE* csv, cr_error* error);

#endif
