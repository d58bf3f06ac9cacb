// SPDX-License-Identifier: Apache-2.0
// Cuts recorded tosses into windows, with a part held aside, and draws batches of windows.
#ifndef CR_LEARN_WINDOWS_H
#define CR_LEARN_WINDOWS_H

#include "base/real.h"
#include "base/status.h"

/// A recording: rows of states (learn/window_loss.h). Those of one group (copies of one recording) are kept on one
/// side of the split.
typedef struct {
  cr_real* state;
  int rows;
  int group;
  char name[32];
} cri_run;

/// Where a window begins, and how many steps it predicts; 0: as many as all others.
typedef struct {
  int toss, row, steps;
} cr_window_place;

typedef struct {
  cr_window_place *train, *held;
  int ntrain, nheld;              // windows
  int longest;                    // steps of the longest
  int train_groups, held_groups;  // independent tosses
} cr_windows;

/// Chooses recordings to hold aside: a share of the groups (at least one if the share is positive and there are two), drawn from a
/// stream of the seed. *ngroup is how many groups there are, *aside how many of them are held.
/// Shapes   group[n], held[n]
/// Errors   CR_ERR_MEMORY
cr_status cri_hold_aside(const int* group, int n, cr_real share, uint64_t seed, uint64_t stream,
                         bool* held, int* ngroup, int* aside, cr_error* error);

/// Cuts windows of `length` rows, starting every `stride` rows (length 0: whole tosses). Holds
/// aside those of a share of the groups (at least one group if the share is positive and there
/// are two), drawn from the seed. Free with cr_windows_free.
/// Errors   CR_ERR_ARG where nothing is left to train on; CR_ERR_MEMORY
cr_status cr_windows_cut(cr_windows* windows, const cri_run* tosses, int ntoss, int length,
                         int stride, cr_real held_share, uint64_t seed, cr_error* error);

void cr_windows_free(cr_windows* windows);

/// Batch of `size` out of n windows for an iteration. Each epoch of n / size iterations goes through
/// a shuffle of its own, so a batch depends only on seed and iteration. order has room for n; its
/// first `size` entries are the batch.
void cr_windows_batch(int32_t* order, int n, int size, uint64_t seed, int iteration);

#endif
