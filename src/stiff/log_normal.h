// SPDX-License-Identifier: Apache-2.0
// Means of positive numbers that are log-normal, with Cox's intervals (Zhou and Gao 1997), from sums that can be added.
#ifndef CR_STIFF_LOG_NORMAL_H
#define CR_STIFF_LOG_NORMAL_H

#include "base/real.h"

/// Of the numbers x: how many, and sums of x, log x and (log x)^2.
typedef struct {
  cr_real n, sum, logs, squares;
} cri_log_sums;

void cri_log_sums_add(cri_log_sums* sums, double x);

/// As the numbers of a group: what cri_log_mean_of reads.
enum { CRI_LOG_SUMS = 4 };
void cri_log_sums_put(const cri_log_sums* sums, cr_real group[CRI_LOG_SUMS]);

typedef struct {
  double arithmetic;  // mean
  double mean;        // of the log-normal distribution: exp(mu + s^2/2)
  double half;        // of Cox's interval of 95 % for independent numbers
  double
      deviation;  // standard error of `mean` where numbers of a group depend on each other, and groups do not
} cri_log_mean;

/// Of all groups, `stride` numbers apart.
/// Equation mean = exp(mu + s^2/2), half = 1.96 mean sqrt(s^2/n + s^4/(2 (n - 1)));
///          deviation^2 = mean^2 sum over groups of (sum over x of (log x - mu) + ((log x - mu)^2 - s^2)/2)^2 / n^2
cri_log_mean cri_log_mean_of(const cr_real* groups, int stride, int ngroup);

#endif
