// SPDX-License-Identifier: Apache-2.0
// Windows, the split, and batches.
#include "learn/windows.h"

#include <stdlib.h>

#include "base/random.h"

// streams of the caller's seed; epochs count on from the last
enum { STREAM_SPLIT = 100, STREAM_EPOCH = 101 };

static void shuffle(int32_t* order, int n, uint64_t seed, uint64_t stream) {
  cr_random random = cr_random_seed(seed, stream);
  cr_random_shuffle(&random, order, n);
}

void cr_windows_batch(int32_t* order, int n, int size, uint64_t seed, int iteration) {
  int per_epoch = n / size > 0 ? n / size : 1;
  int first = iteration % per_epoch * size;
  shuffle(order, n, seed, STREAM_EPOCH + (uint64_t)(iteration / per_epoch));
  for (int i = 0; i < size && first + i < n; i++) {
    order[i] = order[first + i];
  }
}

// ---- the split

// groups get numbers in order of appearance: rank[i] is that of toss i; returns how many there are
static int rank_groups(int32_t* rank, const cri_run* tosses, int ntoss) {
  int n = 0;
  for (int i = 0; i < ntoss; i++) {
    int first = 0;
    while (tosses[first].group != tosses[i].group) {
      first++;
    }
    rank[i] = first < i ? rank[first] : n++;
  }
  return n;
}

static int held_groups(int n, cr_real share) {
  int held = (int)((cr_real)n * share + CR_R(0.5));
  if (share > 0 && held == 0 && n > 1) {
    held = 1;
  }
  return held;
}

// length 0: the whole toss
static int windows_of(const cri_run* toss, int length, int stride) {
  if (length == 0) {
    return toss->rows > 1;
  }
  return toss->rows < length ? 0 : (toss->rows - length) / stride + 1;
}

static void place_windows(cr_window_place* places, int* n, int toss, int steps, int count,
                          int stride) {
  for (int k = 0; k < count; k++) {
    places[(*n)++] = (cr_window_place){toss, k * stride, steps};
  }
}

cr_status cr_windows_cut(cr_windows* w, const cri_run* tosses, int ntoss, int length, int stride,
                         cr_real held_share, uint64_t seed, cr_error* error) {
  size_t total = 0;
  for (int i = 0; i < ntoss; i++) {
    total += (size_t)windows_of(&tosses[i], length, stride);
  }
  *w = (cr_windows){0};
  int32_t* rank = calloc(2 * (size_t)ntoss + 1, sizeof *rank);
  w->train = calloc(total + 1, sizeof *w->train);
  w->held = calloc(total + 1, sizeof *w->held);
  if (rank == NULL || w->train == NULL || w->held == NULL) {
    free(rank);
    cr_windows_free(w);
    return cri_fail(error, CR_ERR_MEMORY, "no memory for %zu windows", total);
  }

  // a group is held aside when its place in the shuffle is among the first
  int32_t* place = rank + ntoss;
  int n = rank_groups(rank, tosses, ntoss);
  w->held_groups = held_groups(n, held_share);
  w->train_groups = n - w->held_groups;
  shuffle(place, n, seed, STREAM_SPLIT);
  for (int i = 0; i < ntoss; i++) {
    int count = windows_of(&tosses[i], length, stride);
    int steps = length > 0 ? 0 : tosses[i].rows - 1, own = length > 0 ? length - 1 : steps;
    w->longest = count > 0 && own > w->longest ? own : w->longest;
    if (place[rank[i]] < w->held_groups) {
      place_windows(w->held, &w->nheld, i, steps, count, stride);
    } else {
      place_windows(w->train, &w->ntrain, i, steps, count, stride);
    }
  }
  free(rank);
  if (w->ntrain == 0) {
    cr_windows_free(w);
    return cri_fail(error, CR_ERR_ARG,
                    "%d recordings, %d groups of them held aside: no window of %d rows is left to "
                    "train on",
                    ntoss, held_groups(n, held_share), length);
  }
  return CR_OK;
}

void cr_windows_free(cr_windows* w) {
  free(w->train);
  free(w->held);
  *w = (cr_windows){0};
}
