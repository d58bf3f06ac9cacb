// SPDX-License-Identifier: Apache-2.0
// A batch of rollouts with gradients, timed for several numbers of threads; MuJoCo's own batch of the
// same rollouts, which has no gradients, beside it.
#ifndef CR_BENCH_BATCH_TIMING_H
#define CR_BENCH_BATCH_TIMING_H

#include "bench/scene.h"
#include "bench/timing.h"

enum { CR_BENCH_COUNTS = 16 };

typedef struct {
  int rollouts, steps, rounds;
  int threads[CR_BENCH_COUNTS], ncount;
  size_t memory;  // limit for the stored states of a thread, 0: none
  bool peer;      // measure mjb_rollout too
} cr_batch_bench;

/// For each number of threads, seconds for all rollouts.
typedef struct {
  cr_timing gradient[CR_BENCH_COUNTS];  // with gradients by start, controls and body masses
  cr_timing forward[CR_BENCH_COUNTS];   // without
  cr_timing mujoco[CR_BENCH_COUNTS];    // mjb_rollout; n = 0 where not asked for
  cr_timing gradient_processor[CR_BENCH_COUNTS];  // the same in time of all processors
  cr_timing forward_processor[CR_BENCH_COUNTS];
  double resident[CR_BENCH_COUNTS];  // MiB more than before the first run, with this many threads
  double rows;                       // MiB of what goes in and comes out
  bool same_bits;                    // of all results, whatever the number of threads
  int failed;                        // rollouts that MuJoCo gave up
} cr_batch_measurement;

/// Rollout i starts from state i of the scene (again from the first after the last), with masses and
/// random controls of its own; a round takes every number of threads in turn.
/// Errors: those of cr_batch_create and cr_batch_run, CR_ERR_MEMORY
cr_status cr_batch_measure(cr_scene* s, const cr_batch_bench* what, uint64_t seed,
                           cr_batch_measurement* out, cr_error* error);

#endif
