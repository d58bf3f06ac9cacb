// SPDX-License-Identifier: Apache-2.0
// Sets of indices as runs: what a part of a system is made of, walked in the order of the whole.
#ifndef CR_MATH_RUNS_H
#define CR_MATH_RUNS_H

#include <stdint.h>

/// The indices begin .. end - 1.
typedef struct {
  int32_t begin, end;
} cr_run;

/// Ascending runs that do not touch.
typedef struct {
  int n;
  const cr_run* run;
} cr_runs;

/// A loop over all i of the runs, ascending; `break` leaves the run at hand only.
#define CR_EACH(i, runs)                      \
  for (int run_ = 0; run_ < (runs).n; run_++) \
    for (int i = (runs).run[run_].begin; i < (runs).run[run_].end; i++)

/// Sorts runs by owner, of each of which they begin in ascending order: those of owner k at adr[k] .. adr[k + 1] of `to`, those that touch or overlap
/// made one. They ascend; owner -1 is nobody. adr[nowner + 1], to[n], last[nowner].
void cr_runs_by_owner(int n, const cr_run* run, const int32_t* owner, int nowner, int32_t* adr,
                      cr_run* to, int32_t* last);

#endif
