// SPDX-License-Identifier: Apache-2.0
// Which runs tell most together, and how much.
#include <stdlib.h>

#include "carom/identify.h"
#include "identify/inference.h"
#include "model/misuse.h"

static const cr_real ALIKE = CR_R(1e-9);      // gains that differ by less, as a part
static const cr_real ROUND_OFF = CR_R(1e-8);  // of the largest entry

// L of 1 + a matrix without negative directions, and log det: no pivot of such a sum is below 1, whatever rounding says
static cr_real factorise(cr_real* A, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    cr_real* row = A + (ptrdiff_t)i * n;
    for (int j = 0; j <= i; j++) {
      const cr_real* other = A + (ptrdiff_t)j * n;
      for (int k = 0; k < j; k++) {
        row[j] -= row[k] * other[k];
      }
      row[j] = j < i ? row[j] / other[j] : cr_sqrt(cr_max(row[j], 1));
    }
    sum += 2 * cr_log(row[i]);
  }
  return sum;
}

// A := L^-1 A L^-T, of a symmetric A
static void whiten(const cr_real* L, int n, cr_real* A) {
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        cr_real sum = A[(ptrdiff_t)i * n + j];
        for (int k = 0; k < i; k++) {
          sum -= L[(ptrdiff_t)i * n + k] * A[(ptrdiff_t)k * n + j];
        }
        A[(ptrdiff_t)i * n + j] = sum / L[(ptrdiff_t)i * n + i];
      }
    }
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        cr_real x = A[(ptrdiff_t)i * n + j];
        A[(ptrdiff_t)i * n + j] = A[(ptrdiff_t)j * n + i];
        A[(ptrdiff_t)j * n + i] = x;
      }
    }
  }
}

// A += S I S
static void add_scaled(const cr_real* information, const cr_real* scale, int n, cr_real* A) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      A[(ptrdiff_t)i * n + j] += scale[i] * information[(ptrdiff_t)i * n + j] * scale[j];
    }
  }
}

// log det (M + A) - log det M, M = L L'
static cr_real gain_of(const cr_real* information, const cr_real* scale, const cr_real* L, int n,
                       cr_real* A) {
  cr_zero(A, n * n);
  add_scaled(information, scale, n, A);
  whiten(L, n, A);
  for (int i = 0; i < n; i++) {
    A[(ptrdiff_t)i * n + i] += 1;
  }
  return factorise(A, n);
}

// of run `run`, or of what is known before: -1
static cr_status check_matrix(const cri_call* call, const cr_real* A, const cr_real* scale, int n,
                              int run) {
  cr_real largest = 0;
  for (int i = 0; i < n; i++) {
    largest = cr_max(largest, A[(ptrdiff_t)i * n + i] * scale[i] * scale[i]);
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      cr_real a = A[(ptrdiff_t)i * n + j], b = A[(ptrdiff_t)j * n + i], unit = scale[i] * scale[j];
      const char* wrong = !isfinite(a) || !isfinite(b)                 ? "is not finite"
                          : cr_abs(a - b) * unit > ROUND_OFF * largest ? "is not symmetric"
                          : i == j && a * unit < -ROUND_OFF * largest  ? "is negative"
                                                                       : NULL;
      if (wrong != NULL && run < 0) {
        return cri_fail(call->error, CR_ERR_ARG, "%s: known[%d][%d] %s", call->name, i, j, wrong);
      }
      if (wrong != NULL) {
        return cri_fail(call->error, CR_ERR_ARG, "%s: information[%d][%d][%d] %s", call->name, run,
                        i, j, wrong);
      }
    }
  }
  return CR_OK;
}

static cr_status check_design(const cri_call* call, const cr_real* information, int n, int nrun,
                              const cr_real* known, const cr_real* scale) {
  if (n < 1 || n > 2 * CR_MAX_PARAMETERS || nrun < 1) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %d numbers, %d runs", call->name, n, nrun);
  }
  for (int i = 0; i < n; i++) {
    if (!(scale[i] > 0) || !isfinite(scale[i])) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: scale[%d] is not a positive number", call->name,
                      i);
    }
  }
  CR_TRY(known != NULL ? check_matrix(call, known, scale, n, -1) : CR_OK);
  for (int r = 0; r < nrun; r++) {
    CR_TRY(check_matrix(call, information + (ptrdiff_t)r * n * n, scale, n, r));
  }
  return CR_OK;
}

// M: what is known, 1 included; L and A: room
static void choose(const cr_real* information, int n, int nrun, const cr_real* scale, cr_real* M,
                   cr_real* L, cr_real* A, bool* taken, int* order, cr_real* gain) {
  for (int k = 0; k < nrun; k++) {
    int best = -1;
    cr_real most = 0;
    cr_copy(L, M, n * n);
    (void)factorise(L, n);
    for (int r = 0; r < nrun; r++) {
      if (!taken[r]) {
        cr_real g = gain_of(information + (ptrdiff_t)r * n * n, scale, L, n, A);
        bool better = best < 0 || g > most + ALIKE * (1 + most);
        best = better ? r : best;
        most = better ? g : most;
      }
    }
    taken[best] = true;
    order[k] = best;
    if (gain != NULL) {
      gain[k] = most;
    }
    add_scaled(information + (ptrdiff_t)best * n * n, scale, n, M);
  }
}

cr_status cr_design_order(const cr_real* information, int n, int nrun, const cr_real* known,
                          const cr_real* scale, int* order, cr_real* gain, cr_error* error) {
  const cri_call call = {"cr_design_order", error};
  CR_TRY(cri_given(&call, information, "information"));
  CR_TRY(cri_given(&call, scale, "scale"));
  CR_TRY(cri_given(&call, order, "where the order goes"));
  CR_TRY(check_design(&call, information, n, nrun, known, scale));
  size_t all = (size_t)n * (size_t)n;
  cr_real* room = calloc(3 * all, sizeof *room);
  bool* taken = calloc((size_t)nrun, sizeof *taken);
  cr_status status = CR_OK;
  if (room == NULL || taken == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "%s: no memory", call.name);
  } else {
    for (int i = 0; i < n; i++) {
      room[(ptrdiff_t)i * n + i] = 1;  // [identification.m9]
    }
    if (known != NULL) {
      add_scaled(known, scale, n, room);
    }
    choose(information, n, nrun, scale, room, room + all, room + 2 * all, taken, order, gain);
  }
  free(room);
  free(taken);
  return status;
}

cr_status cr_design_deviations(const cr_real* information, int n, const cr_real* scale,
                               cr_real* deviation, cr_error* error) {
  const cri_call call = {"cr_design_deviations", error};
  CR_TRY(cri_given(&call, information, "information"));
  CR_TRY(cri_given(&call, scale, "scale"));
  CR_TRY(cri_given(&call, deviation, "where the deviations go"));
  CR_TRY(check_design(&call, information, n, 1, NULL, scale));
  cri_inference f;
  CR_TRY(cri_inference_of(&f, n, information, scale, 1, error));
  for (int i = 0; i < n; i++) {
    cr_real variance = f.covariance[(ptrdiff_t)i * n + i];
    deviation[i] = f.told[i] ? cr_sqrt(variance) : (cr_real)INFINITY;
  }
  cri_inference_free(&f);
  return CR_OK;
}
