// SPDX-License-Identifier: Apache-2.0
// Jumps of a function of one number. What is public is documented in carom/trust.h.
#include "carom/trust.h"

#include <stdlib.h>

#include "model/misuse.h"

enum { STEPS = 500 };
#define TOLERANCE CR_R(1e-3)
#define RESOLUTION CR_R(1e-9)
// share of the largest force times the arm below which torques are rounding
#define ROUNDING CR_R(1e-6)

struct cr_jumps {
  cr_jumps_result result;
  cr_jump* jump;  // result.count, room for one a step
};

// ---- samples

typedef struct {
  cr_real at;
  int contacts;
  cr_real* value;
} sample;

typedef struct {
  const cr_jump_sweep* sweep;
  cr_real tolerance, shortest;
  cr_real scale[2];       // of each unit
  sample *all, spare[3];  // steps + 1; for halving
} finder;

static int unit_of(const cr_jump_sweep* s, int i) { return s->unit != NULL ? s->unit[i] : 0; }

static cr_status take(const cr_jump_sweep* s, cr_real at, sample* x, cr_error* error) {
  x->at = at;
  x->contacts = 0;
  CR_TRY(s->function(s->context, at, x->value, &x->contacts, error));
  for (int i = 0; i < s->n; i++) {
    if (!(cr_abs(x->value[i]) <= CR_MAX)) {
      return cri_fail(error, CR_ERR_NONFINITE, "sweep for jumps: value %d is not finite at %.9g", i,
                      (double)at);
    }
  }
  return CR_OK;
}

// the largest difference relative to the largest value of its unit, and which value has it
static cr_real difference(const finder* f, const sample* a, const sample* b, int* value) {
  cr_real most = 0;
  *value = 0;
  for (int i = 0; i < f->sweep->n; i++) {
    cr_real largest = f->scale[unit_of(f->sweep, i)];
    cr_real off = largest > 0 ? cr_abs(a->value[i] - b->value[i]) / largest : 0;
    if (off > most) {
      most = off;
      *value = i;
    }
  }
  return most;
}

// ---- halving

static void swap(sample* a, sample* b) {
  sample old = *a;
  *a = *b;
  *b = old;
}

static void copy(const finder* f, sample* to, const sample* from) {
  to->at = from->at;
  to->contacts = from->contacts;
  cr_copy(to->value, from->value, f->sweep->n);
}

// Halves the interval between two samples; *left is the difference that stays, 0 if none does.
static cr_status halve(finder* f, const sample* from, const sample* to, cr_real* left, int* value,
                       cr_error* error) {
  sample *a = &f->spare[0], *middle = &f->spare[1], *b = &f->spare[2];
  copy(f, a, from);
  copy(f, b, to);
  *left = difference(f, a, b, value);
  while (*left > f->tolerance && b->at - a->at > f->shortest) {
    int first_value, second_value;
    CR_TRY(take(f->sweep, (a->at + b->at) / 2, middle, error));
    cr_real first = difference(f, a, middle, &first_value);
    cr_real second = difference(f, middle, b, &second_value);
    swap(first > second ? b : a, middle);
    *left = cr_max(first, second);
    *value = first > second ? first_value : second_value;
  }
  *left = *left > f->tolerance ? *left : 0;
  return CR_OK;
}

static void keep(const finder* f, cr_real left, int value, cr_jumps* jumps) {
  const sample *a = &f->spare[0], *b = &f->spare[2];
  jumps->jump[jumps->result.count++] = (cr_jump){.size = sizeof(cr_jump),
                                                 .at = (a->at + b->at) / 2,
                                                 .relative = left,
                                                 .value = value,
                                                 .before = a->value[value],
                                                 .behind = b->value[value],
                                                 .contacts = {a->contacts, b->contacts}};
}

static int larger_first(const void* a, const void* b) {
  const cr_jump *x = a, *y = b;
  return x->relative != y->relative ? (x->relative < y->relative ? 1 : -1)
                                    : (x->at > y->at) - (x->at < y->at);
}

static cr_status sweep_all(finder* f, int steps, cr_jumps_result* r, cr_error* error) {
  const cr_jump_sweep* s = f->sweep;
  for (int k = 0; k <= steps; k++) {
    sample* x = &f->all[k];
    CR_TRY(take(s, s->from + (s->to - s->from) * (cr_real)k / (cr_real)steps, x, error));
    for (int i = 0; i < s->n; i++) {
      cr_real* largest = &r->largest[unit_of(s, i)];
      *largest = cr_max(*largest, cr_abs(x->value[i]));
    }
    r->contacts = x->contacts > r->contacts ? x->contacts : r->contacts;
  }
  cr_copy(f->scale, r->largest, 2);
  if (s->arm > 0) {
    f->scale[0] = cr_max(f->scale[0], ROUNDING / s->arm * r->largest[1]);
    f->scale[1] = cr_max(f->scale[1], ROUNDING * s->arm * r->largest[0]);
  }
  return CR_OK;
}

static cr_status search(finder* f, int steps, cr_jumps* jumps, cr_error* error) {
  CR_TRY(sweep_all(f, steps, &jumps->result, error));
  for (int k = 0; k < steps; k++) {
    cr_real left;
    int value;
    CR_TRY(halve(f, &f->all[k], &f->all[k + 1], &left, &value, error));
    if (left > 0) {
      keep(f, left, value, jumps);
    }
  }
  qsort(jumps->jump, (size_t)jumps->result.count, sizeof *jumps->jump, larger_first);
  return CR_OK;
}

// ---- public functions

static cr_status check(const cri_call* call, const cr_jump_sweep* s) {
  CR_TRY(cri_given(call, s, "the sweep"));
  CR_TRY(cri_check_size(call, s->size, sizeof *s, "cr_jump_sweep"));
  if (s->function == NULL) {
    return cri_is_null(call, "the function");
  }
  for (int i = 0; i < s->n; i++) {
    if (unit_of(s, i) != 0 && unit_of(s, i) != 1) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: unit[%d] is %d, 0 or 1 expected", call->name, i,
                      s->unit[i]);
    }
  }
  bool range = s->from < s->to && cr_abs(s->from) <= CR_MAX && cr_abs(s->to) <= CR_MAX;
  const char* wrong = s->n < 1                                         ? "n is below 1"
                      : s->steps < 0                                   ? "steps is negative"
                      : !range                                         ? "from is not below to"
                      : !(s->arm >= 0 && s->arm <= CR_MAX)             ? "arm is negative"
                      : !(s->tolerance >= 0 && s->tolerance <= CR_MAX) ? "tolerance is negative"
                      : !(s->resolution >= 0 && s->resolution < CR_R(0.5))
                          ? "resolution is not within 0 and 0.5"
                          : NULL;
  return wrong == NULL ? CR_OK : cri_fail(call->error, CR_ERR_ARG, "%s: %s", call->name, wrong);
}

static cr_status find(const cr_jump_sweep* sweep, cr_jumps* jumps, cr_error* error) {
  const int steps = sweep->steps > 0 ? sweep->steps : STEPS;
  const size_t count = (size_t)steps + 1;
  finder f = {.sweep = sweep, .tolerance = sweep->tolerance > 0 ? sweep->tolerance : TOLERANCE};
  f.shortest = (sweep->to - sweep->from) * (sweep->resolution > 0 ? sweep->resolution : RESOLUTION);
  jumps->jump = malloc(count * sizeof *jumps->jump);
  f.all = malloc(count * sizeof *f.all);
  cr_real* values = malloc((count + 3) * (size_t)sweep->n * sizeof *values);
  cr_status status = CR_OK;
  if (jumps->jump == NULL || f.all == NULL || values == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "cr_jumps_find: no memory for %zu samples of %d values",
                      count, sweep->n);
  }
  for (size_t k = 0; k < count + 3 && status == CR_OK; k++) {
    (k < count ? &f.all[k] : &f.spare[k - count])->value = values + k * (size_t)sweep->n;
  }
  status = status == CR_OK ? search(&f, steps, jumps, error) : status;
  free(values);
  free(f.all);
  return status;
}

cr_status cr_jumps_find(cr_jumps** jumps, const cr_jump_sweep* sweep, cr_error* error) {
  const cri_call call = {"cr_jumps_find", error};
  CR_TRY(cri_given(&call, jumps, "where the jumps go"));
  *jumps = NULL;
  CR_TRY(check(&call, sweep));
  cr_jumps* made = calloc(1, sizeof *made);
  if (made == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "cr_jumps_find: no memory");
  }
  made->result =
      (cr_jumps_result){.size = sizeof made->result, .from = sweep->from, .to = sweep->to};
  cr_status status = find(sweep, made, error);
  if (status != CR_OK) {
    cr_jumps_destroy(made);
    return status;
  }
  *jumps = made;
  return CR_OK;
}

void cr_jumps_destroy(cr_jumps* jumps) {
  if (jumps != NULL) {
    free(jumps->jump);
    free(jumps);
  }
}

cr_status cr_jumps_get_result(const cr_jumps* jumps, cr_jumps_result* result, cr_error* error) {
  const cri_call call = {"cr_jumps_get_result", error};
  CR_TRY(cri_given(&call, jumps, "the jumps"));
  CR_TRY(cri_given(&call, result, "the result"));
  return cri_give(&call, result, &jumps->result, sizeof *result, "cr_jumps_result");
}

cr_status cr_jumps_get(const cr_jumps* jumps, int i, cr_jump* jump, cr_error* error) {
  const cri_call call = {"cr_jumps_get", error};
  CR_TRY(cri_given(&call, jumps, "the jumps"));
  CR_TRY(cri_given(&call, jump, "the jump"));
  if (i < 0 || i >= jumps->result.count) {
    return cri_fail(error, CR_ERR_ARG, "cr_jumps_get: there is no jump %d of %d", i,
                    jumps->result.count);
  }
  return cri_give(&call, jump, &jumps->jump[i], sizeof *jump, "cr_jump");
}
