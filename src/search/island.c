// SPDX-License-Identifier: Apache-2.0
// What all methods do with their population.
#include "search/island.h"

size_t cri_island_count(const cr_island_method* method, int n, int population) {
  size_t size = (size_t)n, individuals = (size_t)population;
  return 1 + size + individuals + individuals * size + method->own(n, population);
}

void cri_island_bind(cr_island* s, cr_real* numbers) {
  s->numbers = numbers;
  s->best = numbers;
  s->values = s->best + 1 + s->n;
  s->x = s->values + s->population;
  s->own = s->x + (size_t)s->population * (size_t)s->n;
}

cr_real* cri_island_at(const cr_island* s, int k) { return s->x + (size_t)k * (size_t)s->n; }

void cri_island_draw(cr_island* s, cr_real* x) {
  for (int i = 0; i < s->n; i++) {
    x[i] = cr_clip(cr_random_range(&s->random, s->lower[i], s->upper[i]), s->lower[i], s->upper[i]);
  }
}

void cri_island_first(cr_island* s, int k) {
  if (k == 0 && s->start != NULL) {
    cr_copy(cri_island_at(s, k), s->start, s->n);
  } else {
    cri_island_draw(s, cri_island_at(s, k));
  }
}

void cri_island_note(cr_island* s, cr_real value, const cr_real* x) {
  if (value < s->best[0]) {
    s->best[0] = value;
    cr_copy(s->best + 1, x, s->n);
  }
}

int cri_island_lowest(const cr_island* s) {
  int lowest = 0;
  for (int k = 1; k < s->population; k++) {
    lowest = s->values[k] < s->values[lowest] ? k : lowest;
  }
  return lowest;
}

int cri_island_highest(const cr_island* s) {
  int highest = 0;
  for (int k = 1; k < s->population; k++) {
    highest = s->values[k] > s->values[highest] ? k : highest;
  }
  return highest;
}

void cri_island_replace_worst(cr_island* s, cr_real value, const cr_real* x) {
  int worst = cri_island_highest(s);
  if (value < s->values[worst]) {
    s->values[worst] = value;
    cr_copy(cri_island_at(s, worst), x, s->n);
  }
}

void cri_island_sort(const cr_island* s, cr_real* order) {
  for (int k = 0; k < s->population; k++) {
    int at = k;
    for (; at > 0 && s->values[(int)order[at - 1]] > s->values[k]; at--) {
      order[at] = order[at - 1];
    }
    order[at] = (cr_real)k;
  }
}

cr_real cri_mirror(cr_real v, cr_real lower, cr_real upper) {
  cr_real width = upper - lower;
  if (!(width > 0)) {
    return lower;
  }
  cr_real t = CR_FN(fmod)(cr_abs(v - lower), 2 * width);
  return cr_clip(lower + (t > width ? 2 * width - t : t), lower, upper);
}
