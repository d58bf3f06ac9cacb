// SPDX-License-Identifier: Apache-2.0
// Basin hopping of a population (D. J. Wales and J. P. K. Doye, Global optimization by basin-hopping, 1997).
// Equation a hop: y = descend(x + step width u), u uniform in (-1, 1)^n; x = y with probability min(1, exp(-(f(y) - f(x)) / T)),
//          T = temperature (mean of the island's values - the lowest), so that it falls as the population agrees
// Step     of each individual: after ten hops times 10/9 if more than half were accepted, otherwise times 9/10. Hops that
//          come back to their minimum count as accepted: the step grows until it leaves.
// Children in each generation population / 4 of them: each number from one of two parents of the better half, one in n
//          moved at random; after a way down a child takes the place of the worst if it is better
#include "search/island.h"

#define SMALLEST CR_R(1e-3)
#define LARGEST CR_R(1.0)

enum { HOPS = 10 };

// step[population], hops[population], accepted[population], trial[n], order[population]
typedef struct {
  cr_real *step, *hops, *accepted, *trial, *order;
} parts;

static size_t own(int n, int population) { return 4 * (size_t)population + (size_t)n; }

static parts parts_of(const cr_island* s) {
  int p = s->population;
  return (parts){s->own, s->own + p, s->own + 2 * p, s->own + 3 * p, s->own + 3 * p + s->n};
}

static cr_status begin(cr_island* s, cr_global_worker* worker, cr_error* error) {
  const parts a = parts_of(s);
  for (int k = 0; k < s->population; k++) {
    a.step[k] = s->options->step;
    cri_island_first(s, k);
    CR_TRY(cri_worker_descend(worker, cri_island_at(s, k), &s->values[k], error));
    cri_island_note(s, s->values[k], cri_island_at(s, k));
  }
  return CR_OK;
}

static cr_real temperature_of(const cr_island* s) {
  cr_real lowest = s->values[cri_island_lowest(s)], sum = 0;
  int count = 0;
  for (int k = 0; k < s->population; k++) {
    if (isfinite(s->values[k])) {
      sum += s->values[k] - lowest;
      count++;
    }
  }
  return count > 0 ? s->options->temperature * sum / (cr_real)count : 0;
}

static void adapt(const parts* a, int k) {
  if (a->hops[k] < HOPS) {
    return;
  }
  cr_real factor = 2 * a->accepted[k] > a->hops[k] ? CR_R(10.0) / 9 : CR_R(0.9);
  a->step[k] = cr_clip(a->step[k] * factor, SMALLEST, LARGEST);
  a->hops[k] = a->accepted[k] = 0;
}

static bool accepts(cr_island* s, cr_real from, cr_real to, cr_real temperature) {
  cr_real u = cr_random_uniform(&s->random);
  return to <= from || (temperature > 0 && u < cr_exp((from - to) / temperature));
}

static cr_status hop(cr_island* s, cr_global_worker* worker, int k, cr_real temperature,
                     cr_error* error) {
  const parts a = parts_of(s);
  cr_real* x = cri_island_at(s, k);
  cr_real value;
  for (int i = 0; i < s->n; i++) {
    cr_real width = s->upper[i] - s->lower[i];
    cr_real move = a.step[k] * width * cr_random_range(&s->random, -1, 1);
    a.trial[i] = cri_mirror(x[i] + move, s->lower[i], s->upper[i]);
  }
  CR_TRY(cri_worker_descend(worker, a.trial, &value, error));
  cri_island_note(s, value, a.trial);
  a.hops[k] += 1;
  if (accepts(s, s->values[k], value, temperature)) {
    a.accepted[k] += 1;
    s->values[k] = value;
    cr_copy(x, a.trial, s->n);
  }
  adapt(&a, k);
  return CR_OK;
}

static cr_status bear(cr_island* s, cr_global_worker* worker, cr_error* error) {
  const parts a = parts_of(s);
  int half = (s->population + 1) / 2;
  const cr_real* mother = cri_island_at(s, (int)a.order[cr_random_int(&s->random, half)]);
  const cr_real* father = cri_island_at(s, (int)a.order[cr_random_int(&s->random, half)]);
  cr_real value;
  for (int i = 0; i < s->n; i++) {
    a.trial[i] = cr_random_int(&s->random, 2) == 0 ? mother[i] : father[i];
    if (cr_random_int(&s->random, s->n) == 0) {
      cr_real move = s->options->step * (s->upper[i] - s->lower[i]) * cr_random_normal(&s->random);
      a.trial[i] = cri_mirror(a.trial[i] + move, s->lower[i], s->upper[i]);
    }
  }
  CR_TRY(cri_worker_descend(worker, a.trial, &value, error));
  cri_island_note(s, value, a.trial);
  cri_island_replace_worst(s, value, a.trial);
  return CR_OK;
}

static cr_status generation(cr_island* s, cr_global_worker* worker, int number, cr_error* error) {
  if (number == 0) {
    return begin(s, worker, error);
  }
  cr_real temperature = temperature_of(s);
  for (int k = 0; k < s->population; k++) {
    CR_TRY(hop(s, worker, k, temperature, error));
  }
  cri_island_sort(s, parts_of(s).order);
  for (int child = 0; child < s->population / 4; child++) {
    CR_TRY(bear(s, worker, error));
  }
  return CR_OK;
}

const cr_island_method cr_basin_hopping = {own, generation, cri_island_replace_worst};
