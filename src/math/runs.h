// SPDX-License-Identifier: Apache-2.0
// Sets of indices as runs: the indices of a part of a system, in the order of the whole.
#ifndef CR_MATH_RUNS_H
#define CR_MATH_RUNS_H

#include <stddef.h>
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

/// Runs with an owner each, -1 nobody: room for three integers a run.
typedef struct {
  int n;
  cr_run* run;
  int32_t* owner;
} cr_owned_runs;

static inline cr_owned_runs cr_owned_runs_in(int32_t* room, size_t most) {
  return (cr_owned_runs){0, (cr_run*)(void*)room, room + 2 * most};
}
static inline void cr_owned_runs_add(cr_owned_runs* x, int begin, int end, int32_t owner) {
  x->run[x->n] = (cr_run){begin, end};
  x->owner[x->n++] = owner;
}

/// A loop over all i of the runs, ascending; `break` leaves only the current run.
#define CR_EACH(i, runs)                      \
  for (int run_ = 0; run_ < (runs).n; run_++) \
    for (int i = (runs).run[run_].begin; i < (runs).run[run_].end; i++)

/// Sorts runs by owner, ascending: those of owner k are at adr[k] .. adr[k + 1] of `to`,
/// and touching or overlapping ones are joined. adr[nowner + 1], to[from->n], last[nowner].
void cr_runs_by_owner(const cr_owned_runs* from, int nowner, int32_t* adr, cr_run* to,
                      int32_t* last);

#endif
