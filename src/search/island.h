// SPDX-License-Identifier: Apache-2.0
// An island of a global search: a population with random numbers of its own. All that it remembers is in one piece, which is
// saved and resumed as it is. A method is three functions of an island.
#ifndef CR_SEARCH_ISLAND_H
#define CR_SEARCH_ISLAND_H

#include "base/random.h"
#include "search/worker.h"

typedef struct {
  int n, population;
  const cr_real *lower, *upper;
  const cr_global_options* options;  // all defaults filled in
  const cr_real* start;              // the caller's x, for the first island; or NULL
  cr_random random;
  size_t count;      // numbers that are remembered
  cr_real* numbers;  // all of them; parts:
  cr_real* best;     // value, then x[n]: the best ever
  cr_real* values;   // [population]
  cr_real* x;        // [population n]
  cr_real* own;      // of the method
} cr_island;

typedef struct {
  /// Numbers of its own in an island.
  size_t (*own)(int n, int population);

  /// One generation; the first one, 0, makes the population.
  cr_status (*generation)(cr_island* island, cr_global_worker* worker, int generation,
                          cr_error* error);

  /// Takes in a place from another island.
  void (*receive)(cr_island* island, cr_real value, const cr_real* x);
} cr_island_method;

extern const cr_island_method cr_restarts, cr_basin_hopping, cr_cma_es, cr_differential_evolution;

/// Numbers of an island, and the parts of a piece of so many.
size_t cri_island_count(const cr_island_method* method, int n, int population);
void cri_island_bind(cr_island* island, cr_real* numbers);

/// Individual k.
cr_real* cri_island_at(const cr_island* island, int k);

/// A uniform draw within the bounds.
void cri_island_draw(cr_island* island, cr_real* x);

/// Individual k at its first place: the caller's x for the first of the first island, a draw for others.
void cri_island_first(cr_island* island, int k);

/// Keeps x in mind if it is the best ever.
void cri_island_note(cr_island* island, cr_real value, const cr_real* x);

/// The individual with the lowest and with the highest value, the first of equals.
int cri_island_lowest(const cr_island* island);
int cri_island_highest(const cr_island* island);

/// Individuals by value, the lowest first, equals as they stand.
/// Shapes   order[population]
void cri_island_sort(const cr_island* island, cr_real* order);

/// x takes the place of the worst individual if it is better.
void cri_island_replace_worst(cr_island* island, cr_real value, const cr_real* x);

/// v mirrored at the ends of [lower, upper] until it is between them.
cr_real cri_mirror(cr_real v, cr_real lower, cr_real upper);

#endif
