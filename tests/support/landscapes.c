// SPDX-License-Identifier: Apache-2.0
#include "support/landscapes.h"

#include "base/status.h"
#include "search/global.h"
#include "support/test.h"

enum { MOST = 8, MOST_RESIDUALS = 2 * MOST + 1, SEEDS = 20 };

landscape landscape_of(int n, bool levy) {
  return (landscape){.n = n, .levy = levy, .fail_at = -1, .none_above = (cr_real)INFINITY};
}

int landscape_residuals(const landscape* land) { return 2 * land->n + (land->levy ? 1 : 0); }

// sqrt(2) r: r and its derivative by x[i]
static void put(cr_real* residuals, cr_real* jacobian, int n, int row, int i, cr_real r,
                cr_real slope) {
  const cr_real root = cr_sqrt(2);
  residuals[row] = root * r;
  if (jacobian != NULL) {
    jacobian[row * n + i] = root * slope;
  }
}

static void rastrigin(int n, const cr_real* x, cr_real* r, cr_real* j) {
  const cr_real a = cr_sqrt(20);
  for (int i = 0; i < n; i++) {
    put(r, j, n, 2 * i, i, x[i], 1);
    put(r, j, n, 2 * i + 1, i, a * cr_sin(CR_PI * x[i]), a * CR_PI * cr_cos(CR_PI * x[i]));
  }
}

// w = 1 + (x - 1) / 4
static void levy(int n, const cr_real* x, cr_real* r, cr_real* j) {
  const cr_real a = cr_sqrt(10);
  for (int i = 0; i < n; i++) {
    cr_real w = 1 + (x[i] - 1) / 4, angle = i < n - 1 ? CR_PI * w + 1 : 2 * CR_PI * w;
    cr_real turn = i < n - 1 ? CR_PI : 2 * CR_PI, size = i < n - 1 ? a : 1;
    put(r, j, n, 2 * i, i, w - 1, CR_R(0.25));
    put(r, j, n, 2 * i + 1, i, size * (w - 1) * cr_sin(angle),
        size * (cr_sin(angle) + (w - 1) * turn * cr_cos(angle)) / 4);
  }
  cr_real first = CR_PI * (1 + (x[0] - 1) / 4);
  put(r, j, n, 2 * n, 0, cr_sin(first), CR_PI * cr_cos(first) / 4);
}

cr_status landscape_squares(void* context, const cr_real* x, cr_real* r, cr_real* j,
                            cr_error* error) {
  landscape* land = context;
  if (land->calls++ == land->fail_at) {
    return cri_fail(error, CR_ERR_DIVERGED, "this run diverged");
  }
  if (j != NULL) {
    cr_zero(j, landscape_residuals(land) * land->n);
  }
  (land->levy ? levy : rastrigin)(land->n, x, r, j);
  if (x[0] > land->none_above) {
    r[0] = land->instead;
  }
  return CR_OK;
}

cr_status landscape_objective(void* context, int batch, const cr_real* x, cr_real* value,
                              cr_real* gradient, cr_error* error) {
  landscape* land = context;
  cr_real r[MOST_RESIDUALS], j[MOST_RESIDUALS * MOST];
  int m = landscape_residuals(land), n = land->n;
  CR_TRY(landscape_squares(context, x, r, gradient != NULL ? j : NULL, error));
  *value = 0;
  for (int i = 0; i < m; i++) {
    *value += r[i] * r[i] / 2;
  }
  for (int k = 0; gradient != NULL && k < n; k++) {
    gradient[k] = 0;
    for (int i = 0; i < m; i++) {
      gradient[k] += r[i] * j[i * n + k];
    }
  }
  return CR_OK;
}

cr_status landscape_value(void* context, const cr_real* x, cr_real* value, cr_error* error) {
  return landscape_objective(context, CR_ALL_DATA, x, value, NULL, error);
}

cr_global_problem landscape_problem(landscape* land, bool squares) {
  static const cr_real lower[MOST] = {-5, -5, -5, -5, -5, -5, -5, -5};
  static const cr_real upper[MOST] = {6, 6, 6, 6, 6, 6, 6, 6};
  assert_true(land->n <= MOST);
  return (cr_global_problem){.size = sizeof(cr_global_problem),
                             .n = land->n,
                             .lower = lower,
                             .upper = upper,
                             .evaluate = squares ? NULL : landscape_objective,
                             .residuals = squares ? landscape_squares : NULL,
                             .m = squares ? landscape_residuals(land) : 0,
                             .value = squares ? NULL : landscape_value,
                             .context = land};
}

cr_real landscape_miss(const landscape* land, const cr_real* x) {
  cr_real most = 0;
  for (int i = 0; i < land->n; i++) {
    most = cr_max(most, cr_abs(x[i] - (land->levy ? 1 : 0)));
  }
  return most;
}

int landscape_found(landscape* land, const cr_global_options* options, bool squares,
                    int64_t* evaluations) {
  const cr_global_problem p = landscape_problem(land, squares);
  cr_global_options o = *options;
  int found = 0;
  *evaluations = 0;
  for (int seed = 0; seed < SEEDS; seed++) {
    cr_error error = {0};
    cr_global_result result = {.size = sizeof result};
    cr_real x[MOST] = {4, 4, 4, 4, 4, 4, 4, 4};
    o.seed = (uint64_t)seed;
    if (cri_minimise_global(&p, &o, NULL, x, &result, &error) != CR_OK) {
      fail_msg("%s", error.text);
    }
    found += landscape_miss(land, x) < CR_R(1e-4);
    *evaluations += result.evaluations;
  }
  return found;
}
