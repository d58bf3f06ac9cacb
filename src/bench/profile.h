// SPDX-License-Identifier: Apache-2.0
// Where the time of a step and of its derivatives goes: every stage by itself,
// and the integrator behind them.
#ifndef CR_BENCH_PROFILE_H
#define CR_BENCH_PROFILE_H

#include "bench/scene.h"

enum { CR_MAX_PROFILE = 72 };

typedef enum { CR_PASS_FORWARD, CR_PASS_JVP, CR_PASS_VJP, CR_PASSES } cr_pass;

/// Means over states and rounds, one call of a stage.
typedef struct {
  const char* stage;
  double us[CR_PASSES];
  double cycles[CR_PASSES], instructions[CR_PASSES];
} cr_profile_row;

typedef struct {
  cr_profile_row row[CR_MAX_PROFILE];
  int n;
  bool counted;  // cycles and instructions are there
} cr_profile;

/// Times what a step evaluates, row by row, with all inputs and parameters moving in the tangents
/// and all asked for in the cotangents. What the clock and the counters cost is taken off.
/// Errors: those of the stages.
cr_status cr_profile_take(cr_scene* s, int rounds, cr_profile* out, cr_error* error);

#endif
