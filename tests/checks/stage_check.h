// SPDX-License-Identifier: Apache-2.0
// The generic test of a stage: the declarations of its row in the pipeline table, and its derivatives.
//   contract     undeclared fields and parameters are never used (they are filled with NaN) and never
//                written, by none of the three functions; derivatives use no public output of the
//                stage; jvp overwrites, vjp adds; derivative calls leave the data alone; equal calls
//                give equal bits; nothing is allocated; the scratch stack is empty at the end
//   differences  jvp against extrapolated central differences along random directions of all
//                inputs, entry by entry; the differences must show their order
//   product      vjp against jvp by <y_bar, y_tan> = <x_bar, x_tan>, for random cotangents of
//                everything, of one field, of one entry
// An operator cannot be perturbed by itself, so for differences a stage that reads one is joined by
// the stages that make it: a chain, whose own inputs are plain fields.
#ifndef CR_TESTS_STAGE_CHECK_H
#define CR_TESTS_STAGE_CHECK_H

#include "engine/driver.h"

/// Results of the checks of one row, summed over models and states. Zero it before the first.
typedef struct {
  int failures;
  char text[4096];       // the failures, one a line; more are counted, not stored
  int samples, skipped;  // directions tried; skipped: beside a switch of the discrete state
  int noisy;             // directions where forward's own noise widened the bound on differences
  cr_real jvp_error;     // worst of differences, of the products
  cr_real vjp_error;
  bool reached[CR_N_FIELD];  // output: its tangent was not zero once; input: its cotangent
} stage_report;

/// Checks rows first..last of a pipeline of n rows, at the state in `state`; reports[i]
/// belongs to row i. Earlier rows are run, not checked. `label` names model and state in failures.
void stage_check(stage_report* reports, const cr_model* m, const cr_data* state,
                 const cr_stage* pipeline, int n, int first, int last, uint64_t seed,
                 const char* label);

/// The same at a state where functions have kinks: contract and products of all rows, no differences.
void stage_check_edge(stage_report* reports, const cr_model* m, const cr_data* state,
                      const cr_stage* pipeline, int n, uint64_t seed, const char* label);

/// A number that changes when a discrete choice behind the numbers does: contacts, active rows, ...
uint64_t stage_discrete_state(const cr_model* m, const cr_data* d);

/// Differences and product only, for one row that stands alone (the step) or for the whole pipeline
/// as one chain. `discrete` gives the discrete state of the computation if d does not show all
/// of it; NULL: stage_discrete_state.
typedef uint64_t (*stage_discrete)(const cr_model* m, const cr_data* d);
void stage_check_derivatives(stage_report* report, const cr_model* m, const cr_data* state,
                             const cr_stage* rows, int n, stage_discrete discrete, uint64_t seed,
                             const char* label);

/// After the last model: too many skipped samples, fields that no derivative ever reached.
void stage_check_finish(stage_report* report, const cr_stage* row);

/// Fails the running cmocka test if the report holds failures, and prints them.
void stage_report_assert(const stage_report* report, const char* name);

#endif
