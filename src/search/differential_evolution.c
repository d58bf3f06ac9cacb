// SPDX-License-Identifier: Apache-2.0
// Differential evolution, rand/1/bin (R. Storn and K. Price, Differential evolution, 1997), with a way down from the best.
// Equation v = x_a + F (x_b - x_c), a, b, c and k different, F uniform in [0.5, 1) for each individual;
//          u_i = v_i with probability 0.9 and for one i in any case, otherwise x_k,i; x_k = u if f(u) <= f(x_k)
// Anew     an island whose individuals are all at one place draws them again; its best is kept in mind
// Bounds   a number that would be outside goes half the way from x_a to its bound
#include "search/island.h"

#define CROSSING CR_R(0.9)
#define SMALLEST CR_R(1e-5)  // of bounds' widths

// trial[n], the value that the last way down ended at
static size_t own(int n, int population) {
  (void)population;
  return (size_t)n + 1;
}

// at first, and anew
static cr_status draw_all(cr_island* s, cr_global_worker* worker, bool at_first, cr_error* error) {
  s->own[s->n] = (cr_real)INFINITY;
  for (int k = 0; k < s->population; k++) {
    if (at_first) {
      cri_island_first(s, k);
    } else {
      cri_island_draw(s, cri_island_at(s, k));
    }
    CR_TRY(cri_worker_value(worker, cri_island_at(s, k), &s->values[k], error));
    cri_island_note(s, s->values[k], cri_island_at(s, k));
  }
  return CR_OK;
}

// one that is none of the first `count` of others
static int another(cr_island* s, const int* others, int count) {
  for (;;) {
    int k = cr_random_int(&s->random, s->population);
    bool is_new = true;
    for (int i = 0; i < count; i++) {
      is_new = is_new && k != others[i];
    }
    if (is_new) {
      return k;
    }
  }
}

static void mix(cr_island* s, int k, cr_real* u) {
  int of[4] = {k};
  for (int i = 1; i < 4; i++) {
    of[i] = another(s, of, i);
  }
  const cr_real *x = cri_island_at(s, k), *a = cri_island_at(s, of[1]);
  const cr_real *b = cri_island_at(s, of[2]), *c = cri_island_at(s, of[3]);
  cr_real weight = cr_random_range(&s->random, CR_R(0.5), 1);
  int one = cr_random_int(&s->random, s->n);
  for (int i = 0; i < s->n; i++) {
    bool crosses = cr_random_uniform(&s->random) < CROSSING;
    u[i] = crosses || i == one ? a[i] + weight * (b[i] - c[i]) : x[i];
    u[i] = u[i] < s->lower[i]   ? (a[i] + s->lower[i]) / 2
           : u[i] > s->upper[i] ? (a[i] + s->upper[i]) / 2
                                : u[i];
  }
}

// from the best, if it is better than where the last way down ended
static cr_status descend_best(cr_island* s, cr_global_worker* worker, cr_error* error) {
  int k = cri_island_lowest(s);
  cr_real value;
  if (s->options->local == CR_LOCAL_NONE || !(s->values[k] < s->own[s->n])) {
    return CR_OK;
  }
  cr_copy(s->own, cri_island_at(s, k), s->n);
  CR_TRY(cri_worker_descend(worker, s->own, &value, error));
  if (value < s->values[k]) {
    s->values[k] = value;
    cr_copy(cri_island_at(s, k), s->own, s->n);
    cri_island_note(s, value, s->own);
  }
  s->own[s->n] = s->values[k];
  return CR_OK;
}

// differences that are zero stay zero: there is nothing left to search here
static bool is_one_place(const cr_island* s) {
  for (int i = 0; i < s->n; i++) {
    cr_real low = cri_island_at(s, 0)[i], high = low;
    for (int k = 1; k < s->population; k++) {
      low = cr_min(low, cri_island_at(s, k)[i]);
      high = cr_max(high, cri_island_at(s, k)[i]);
    }
    if (high - low > SMALLEST * (s->upper[i] - s->lower[i])) {
      return false;
    }
  }
  return true;
}

static cr_status generation(cr_island* s, cr_global_worker* worker, int number, cr_error* error) {
  if (number == 0) {
    return draw_all(s, worker, true, error);
  }
  if (is_one_place(s)) {
    return draw_all(s, worker, false, error);
  }
  for (int k = 0; k < s->population; k++) {
    cr_real value;
    mix(s, k, s->own);
    CR_TRY(cri_worker_value(worker, s->own, &value, error));
    if (value <= s->values[k]) {
      s->values[k] = value;
      cr_copy(cri_island_at(s, k), s->own, s->n);
      cri_island_note(s, value, s->own);
    }
  }
  return descend_best(s, worker, error);
}

const cr_island_method cr_differential_evolution = {own, generation, cri_island_replace_worst};
