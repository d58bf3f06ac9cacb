// SPDX-License-Identifier: Apache-2.0
// Dense sums of squares, and the public function for them.
#include "learn/least_squares.h"

#include <limits.h>
#include <stdlib.h>

#include "math/qr.h"
#include "model/misuse.h"

static size_t tall(int n, int m) { return (size_t)(m > n ? m : n); }

size_t cri_dense_squares_room(int n, int m) {
  size_t columns = (size_t)n, rows = (size_t)m;
  return rows + rows * columns + tall(n, m) * (columns + 1) + 2 * columns * (columns + 1) +
         columns + 1;
}

void cri_dense_squares_bind(cr_dense_squares* s, cr_real* room) {
  size_t n = (size_t)s->n, m = (size_t)s->m;
  s->residuals = room;
  s->jacobian = s->residuals + m;
  s->rows = s->jacobian + m * n;
  s->stack = s->rows + tall(s->n, s->m) * (n + 1);
  s->part = s->stack + 2 * n * (n + 1);
}

static cr_status check_derivatives(const cr_dense_squares* s, cr_error* error) {
  for (int i = 0; i < s->m; i++) {
    for (int j = 0; j < s->n; j++) {
      if (!isfinite(s->jacobian[(size_t)i * (size_t)s->n + (size_t)j])) {
        return cri_fail(error, CR_ERR_NONFINITE,
                        "the derivative of residual %d by x[%d] is not finite", i, j);
      }
    }
  }
  return CR_OK;
}

cr_status cri_dense_squares_value(cr_dense_squares* s, const cr_real* x, cr_real* value,
                                  cr_real* gradient, cr_error* error) {
  CR_TRY(s->evaluate(s->context, x, s->residuals, gradient == NULL ? NULL : s->jacobian, error));
  *value = 0;
  for (int i = 0; i < s->m; i++) {
    if (isnan(s->residuals[i])) {
      return cri_fail(error, CR_ERR_NONFINITE, "residual %d is not a number", i);
    }
    *value += s->residuals[i] * s->residuals[i] / 2;
  }
  if (gradient == NULL) {
    return CR_OK;
  }
  CR_TRY(isfinite(*value) ? check_derivatives(s, error) : CR_OK);
  cr_zero(gradient, s->n);
  for (int i = 0; i < s->m; i++) {
    const cr_real* row = s->jacobian + (size_t)i * (size_t)s->n;
    for (int j = 0; j < s->n; j++) {
      gradient[j] += row[j] * s->residuals[i];
    }
  }
  return CR_OK;
}

// ---- the functions of the loop

static cr_status value_at(void* context, const cr_real* x, cr_real* value, cr_error* error) {
  return cri_dense_squares_value(context, x, value, NULL, error);
}

static cr_status linearise(void* context, const cr_real* x, cr_real* gradient, cr_real* diagonal,
                           cr_error* error) {
  cr_dense_squares* s = context;
  int n = s->n, width = n + 1;
  cr_real value;
  CR_TRY(cri_dense_squares_value(s, x, &value, gradient, error));
  for (int i = 0; i < (int)tall(n, s->m); i++) {
    cr_real* row = s->rows + (size_t)i * (size_t)width;
    if (i < s->m) {
      cr_copy(row, s->jacobian + (size_t)i * (size_t)n, n);
      row[n] = s->residuals[i];
    } else {
      cr_zero(row, width);
    }
  }
  cr_qr(s->rows, s->m, n, width, s->part);
  for (int j = 0; j < n; j++) {
    diagonal[j] = 0;
    for (int i = 0; i <= j; i++) {
      diagonal[j] += s->rows[i * width + j] * s->rows[i * width + j];
    }
  }
  return CR_OK;
}

// [R; sqrt(mu D)] h = [-c; 0] of the numbers that are free
static cr_status solve(void* context, cr_real damping, const cr_real* scale, const bool* fixed,
                       cr_real* step, cr_error* error) {
  cr_dense_squares* s = context;
  int n = s->n, count = 0;
  for (int j = 0; j < n; j++) {
    count += !fixed[j];
  }
  int width = count + 1, rows = damping > 0 ? n + count : n;
  cr_zero(s->stack, rows * width);
  for (int j = 0, k = 0; j < n; j++) {
    s->stack[j * width + count] = -s->rows[j * (n + 1) + n];
    if (fixed[j]) {
      continue;
    }
    for (int i = 0; i <= j; i++) {
      s->stack[i * width + k] = s->rows[i * (n + 1) + j];
    }
    if (damping > 0) {
      s->stack[(n + k) * width + k] = cr_sqrt(damping * scale[j]);
    }
    k++;
  }
  cr_qr(s->stack, rows, count, width, s->part);
  int bad = cr_qr_solve(s->stack, count, width, count, s->part);
  for (int j = 0, k = 0; j < n; j++) {
    if (!fixed[j] && k == bad && bad < count) {
      return cri_fail(error, CR_ERR_SINGULAR,
                      "the residuals do not tell x[%d] apart from the numbers before it", j);
    }
    step[j] = fixed[j] ? 0 : s->part[k++];
  }
  return CR_OK;
}

static cr_status curvature(void* context, const cr_real* step, cr_real* square, cr_error* error) {
  const cr_dense_squares* s = context;
  (void)error;
  *square = 0;
  for (int i = 0; i < s->n; i++) {
    cr_real sum = 0;
    for (int j = i; j < s->n; j++) {
      sum += s->rows[i * (s->n + 1) + j] * step[j];
    }
    *square += sum * sum;
  }
  return CR_OK;
}

cr_damped cri_dense_squares_damped(cr_dense_squares* s) {
  return (cr_damped){.context = s,
                     .n = s->n,
                     .value = value_at,
                     .linearise = linearise,
                     .solve = solve,
                     .curvature = curvature};
}

// ---- public

enum { MAX_N = 10000 };  // 2 n (n + 1) is an int

static cr_status check(const cri_call* call, const cr_least_squares_problem* p,
                       const cr_least_squares_options* o, const cr_real* x) {
  CR_TRY(cri_given(call, p, "the problem"));
  CR_TRY(cri_given(call, o, "options"));
  CR_TRY(cri_given(call, x, "x"));
  CR_TRY(cri_check_size(call, p->size, sizeof *p, "cr_least_squares_problem"));
  CR_TRY(cri_check_size(call, o->size, sizeof *o, "cr_least_squares_options"));
  const char* wrong = p->n < 1                                      ? "no numbers"
                      : p->m < 1                                    ? "no residuals"
                      : p->m > INT_MAX / (p->n + 1) || p->n > MAX_N ? "too many numbers"
                      : p->evaluate == NULL                         ? "no function"
                      : o->method != CR_LEVENBERG_MARQUARDT && o->method != CR_GAUSS_NEWTON
                          ? "no such method"
                      : o->iterations < 0 ? "iterations below zero"
                                          : NULL;
  return wrong == NULL ? CR_OK : cri_fail(call->error, CR_ERR_ARG, "%s: %s", call->name, wrong);
}

// zero stands for a default, what is below it for none
static cr_real number(cr_real x, cr_real otherwise) { return x == 0 ? otherwise : cr_max(x, 0); }

static cr_damping damping_of(const cr_least_squares_options* o) {
  bool damped = o->method == CR_LEVENBERG_MARQUARDT;
  return (cr_damping){.iterations = o->iterations == 0 ? 100 : o->iterations,
                      .damping = damped ? cr_max(number(o->damping, CR_R(1e-3)), CR_R(1e-12)) : 0,
                      .step_tolerance = number(o->step_tolerance, CR_R(1e-10)),
                      .gradient_tolerance = number(o->gradient_tolerance, CR_R(1e-12)),
                      .value_tolerance = number(o->value_tolerance, CR_R(1e-14))};
}

cr_status cr_minimise_levenberg_marquardt(const cr_least_squares_problem* p,
                                          const cr_least_squares_options* o, cr_real* x,
                                          const char** reason, cr_error* error) {
  const cri_call call = {"cr_minimise_levenberg_marquardt", error};
  CR_TRY(check(&call, p, o, x));
  size_t n = (size_t)p->n;
  cr_real* room =
      malloc((2 * n + cri_damped_room(p->n) + cri_dense_squares_room(p->n, p->m)) * sizeof *room);
  if (room == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for %d numbers and %d residuals",
                    call.name, p->n, p->m);
  }
  cr_real *lower = room, *upper = room + n;
  cr_status status = CR_OK;
  for (int i = 0; i < p->n && status == CR_OK; i++) {
    lower[i] = p->lower != NULL ? p->lower[i] : -(cr_real)INFINITY;
    upper[i] = p->upper != NULL ? p->upper[i] : (cr_real)INFINITY;
    status = lower[i] <= x[i] && x[i] <= upper[i]
                 ? CR_OK
                 : cri_fail(error, CR_ERR_ARG, "%s: x[%d] is not between its bounds", call.name, i);
  }
  cr_damped_end end = {.reason = ""};
  if (status == CR_OK) {
    const cr_damping damping = damping_of(o);
    cr_dense_squares squares = {
        .n = p->n, .m = p->m, .evaluate = p->evaluate, .context = p->context};
    cri_dense_squares_bind(&squares, room + 2 * n + cri_damped_room(p->n));
    const cr_damped damped = cri_dense_squares_damped(&squares);
    status = cri_damped_minimise(&damping, &damped, lower, upper, x, room + 2 * n, &end, error);
  }
  free(room);
  if (reason != NULL) {
    *reason = end.reason != NULL ? end.reason : "";
  }
  return status;
}
