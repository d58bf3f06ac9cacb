// SPDX-License-Identifier: Apache-2.0
// Times of several rounds, and their statistics.
#ifndef CR_BENCH_TIMING_H
#define CR_BENCH_TIMING_H

enum { CR_MAX_ROUNDS = 101 };

/// Microseconds, one number a round.
typedef struct {
  double round[CR_MAX_ROUNDS];
  int n;
} cr_timing;

/// The number that a share q of the rounds does not exceed: that of the nearest round.
double cr_timing_quantile(const cr_timing* t, double q);

double cr_timing_median(const cr_timing* t);

/// a / b round by round: a disturbance of a whole round cancels.
cr_timing cr_timing_ratio(const cr_timing* a, const cr_timing* b);

#endif
