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

// groups get numbers in order of appearance: rank[i] is that of recording i; returns how many there are
static int rank_groups(int32_t* rank, const int* group, int n) {
  int ngroup = 0;
  for (int i = 0; i < n; i++) {
    int first = 0;
    while (group[first] != group[i]) {
      first++;
    }
    rank[i] = first < i ? rank[first] : ngroup++;
  }
  return ngroup;
}

static int held_groups(int n, cr_real share) {
  int held = (int)((cr_real)n * share + CR_R(0.5));
  if (share > 0 && held == 0 && n > 1) {
    held = 1;
  }
  return held;
}

cr_status cri_hold_aside(const int* group, int n, cr_real share, uint64_t seed, uint64_t stream,
                         bool* held, int* ngroup, int* aside, cr_error* error) {
  int32_t* rank = calloc(2 * (size_t)n + 1, sizeof *rank);
  if (rank == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for %d recordings", n);
  }
  // a group is held aside when its place in the shuffle is among the first
  int32_t* place = rank + n;
  *ngroup = rank_groups(rank, group, n);
  *aside = held_groups(*ngroup, share);
  shuffle(place, *ngroup, seed, stream);
  for (int i = 0; i < n; i++) {
    held[i] = place[rank[i]] < *aside;
  }
  free(rank);
  return CR_OK;
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
  int* group = calloc((size_t)ntoss + 1, sizeof *group);
  bool* held = calloc((size_t)ntoss + 1, sizeof *held);
  w->train = calloc(total + 1, sizeof *w->train);
  w->held = calloc(total + 1, sizeof *w->held);
  cr_status status = group == NULL || held == NULL || w->train == NULL || w->held == NULL
                         ? cri_fail(error, CR_ERR_MEMORY, "no memory for %zu windows", total)
                         : CR_OK;
  int n = 0;
  for (int i = 0; i < ntoss && status == CR_OK; i++) {
    group[i] = tosses[i].group;
  }
  if (status == CR_OK) {
    status = cri_hold_aside(group, ntoss, held_share, seed, STREAM_SPLIT, held, &n, &w->held_groups,
                            error);
  }
  w->train_groups = n - w->held_groups;
  for (int i = 0; i < ntoss && status == CR_OK; i++) {
    int count = windows_of(&tosses[i], length, stride);
    int steps = length > 0 ? 0 : tosses[i].rows - 1, own = length > 0 ? length - 1 : steps;
    w->longest = count > 0 && own > w->longest ? own : w->longest;
    if (held[i]) {
      place_windows(w->held, &w->nheld, i, steps, count, stride);
    } else {
      place_windows(w->train, &w->ntrain, i, steps, count, stride);
    }
  }
  free(group);
  free(held);
  if (status != CR_OK) {
    cr_windows_free(w);
    return status;
  }
  if (w->ntrain == 0) {
    int aside = w->held_groups;
    cr_windows_free(w);
    return cri_fail(error, CR_ERR_ARG,
                    "%d recordings, %d groups of them held aside: no window of %d rows is left to "
                    "train on",
                    ntoss, aside, length);
  }
  return CR_OK;
}

void cr_windows_free(cr_windows* w) {
  free(w->train);
  free(w->held);
  *w = (cr_windows){0};
}
