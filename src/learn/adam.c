// SPDX-License-Identifier: Apache-2.0
// Adam and AdamW.
#include "learn/adam.h"

#include <stdlib.h>

#include "descent/adam_step.h"

void cr_adam_step(const cr_adam* adam, cr_real rate, int k, int n, cr_real* x, cr_real* mean,
                  cr_real* square, const cr_real* g) {
  const cri_adam_rule rule = {adam->b1, adam->b2, adam->eps, adam->decay};
  cri_adam_step(&rule, rate, k, n, x, mean, square, g);
}

// geometric between the first and the last iteration
static cr_real rate_of(const cr_adam* adam, int k) {
  if (adam->iterations < 2) {
    return adam->rate;
  }
  cr_real share = (cr_real)(k - 1) / (cr_real)(adam->iterations - 1);
  return adam->rate * cr_pow(adam->final_rate / adam->rate, share);
}

// of n numbers each, except the lowest value
typedef struct {
  cr_real *mean, *square, *before, *gradient, *best;
  cr_real lowest;
} memory;

// one iteration; *moved is the largest change of an x
static cr_status iterate(const cr_adam* adam, const cr_objective* o, int k, const cr_real* lower,
                         const cr_real* upper, cr_real* x, memory* r, cr_real* moved,
                         cr_error* error) {
  int n = o->n;
  cr_real *mean = r->mean, *square = r->square, *before = r->before;
  cr_evaluation e = {.gradient = r->gradient};
  CR_TRY(o->evaluate(o->context, adam->batches ? k - 1 : CR_ALL_DATA, x, &e, error));
  cr_copy(before, x, n);
  if (k == 1 || e.value < r->lowest) {
    r->lowest = e.value;
    cr_copy(r->best, x, n);
  }
  cr_adam_step(adam, rate_of(adam, k), k, n, x, mean, square, e.gradient);
  *moved = 0;
  for (int i = 0; i < n; i++) {
    x[i] = cr_clip(x[i], lower[i], upper[i]);
    *moved = cr_max(*moved, cr_abs(x[i] - before[i]));
  }
  return CR_OK;
}

cr_status cri_adam_minimise(const cr_adam* adam, const cr_objective* o, const cr_real* lower,
                            const cr_real* upper, cr_real* x, const char** reason,
                            cr_error* error) {
  size_t n = (size_t)o->n;
  cr_real* room = calloc(5 * n + 1, sizeof *room);
  if (room == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "adam: no memory for %d parameters", o->n);
  }
  memory r = {.mean = room,
              .square = room + n,
              .before = room + 2 * n,
              .gradient = room + 3 * n,
              .best = room + 4 * n};
  cr_status status = CR_OK;
  int calm = 0;
  *reason = "all iterations done";
  for (int k = 1; k <= adam->iterations && status == CR_OK; k++) {
    cr_real moved;
    status = iterate(adam, o, k, lower, upper, x, &r, &moved, error);
    calm = status == CR_OK && moved < adam->tolerance ? calm + 1 : 0;
    if (calm == CR_ADAM_CALM) {
      *reason = "steps below the tolerance";
      break;
    }
  }
  if (adam->keep_best && !adam->batches && status == CR_OK && adam->iterations > 0) {
    cr_copy(x, r.best, o->n);
  }
  free(room);
  return status;
}
