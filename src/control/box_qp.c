// SPDX-License-Identifier: Apache-2.0
// Projected Newton: a step of the free unknowns, then a line search along its projection.
#include "control/box_qp.h"

enum { MOST_STEPS = 100 };

// L of the free rows and columns of H; false if they are not positive definite
static bool factor(int n, const cr_real* H, const bool* free, cr_real* L) {
  int a = 0;
  for (int i = 0; i < n; i++) {
    if (!free[i]) {
      continue;
    }
    int b = 0;
    for (int j = 0; j <= i; j++) {
      if (!free[j]) {
        continue;
      }
      cr_real sum = H[(ptrdiff_t)i * n + j];
      for (int k = 0; k < b; k++) {
        sum -= L[(ptrdiff_t)a * n + k] * L[(ptrdiff_t)b * n + k];
      }
      if (a == b) {
        if (!(sum > 0) || !isfinite(sum)) {
          return false;
        }
        L[(ptrdiff_t)a * n + b] = cr_sqrt(sum);
      } else {
        L[(ptrdiff_t)a * n + b] = sum / L[(ptrdiff_t)b * n + b];
      }
      b++;
    }
    a++;
  }
  return true;
}

void cri_box_qp_solve(const cr_real* L, int n, int nfree, cr_real* b) {
  for (ptrdiff_t i = 0; i < nfree; i++) {
    for (ptrdiff_t k = 0; k < i; k++) {
      b[i] -= L[i * n + k] * b[k];
    }
    b[i] /= L[i * n + i];
  }
  for (ptrdiff_t i = nfree - 1; i >= 0; i--) {
    for (ptrdiff_t k = i + 1; k < nfree; k++) {
      b[i] -= L[k * n + i] * b[k];
    }
    b[i] /= L[i * n + i];
  }
}

// slope = H x + g; returns the value
static cr_real evaluate(int n, const cr_real* H, const cr_real* g, const cr_real* x,
                        cr_real* slope) {
  cr_real value = 0;
  for (int i = 0; i < n; i++) {
    cr_real sum = 0;
    for (int j = 0; j < n; j++) {
      sum += H[(ptrdiff_t)i * n + j] * x[j];
    }
    slope[i] = sum + g[i];
    value += x[i] * (sum / 2 + g[i]);
  }
  return value;
}

// which unknowns no bound holds; true if this is as before
static bool find_free(int n, const cr_real* slope, const cr_real* lower, const cr_real* upper,
                      const cr_real* x, bool* free, int* nfree) {
  bool same = true;
  *nfree = 0;
  for (int i = 0; i < n; i++) {
    bool held = (x[i] <= lower[i] && slope[i] > 0) || (x[i] >= upper[i] && slope[i] < 0) ||
                lower[i] == upper[i];
    same = same && free[i] == !held;
    free[i] = !held;
    *nfree += !held;
  }
  return same;
}

int cri_box_qp(int n, const cr_real* H, const cr_real* g, const cr_real* lower,
               const cr_real* upper, cr_real* x, bool* free, cr_real* L, cr_real* work) {
  cr_real *slope = work, *step = work + n, *trial = work + 2 * n, *other = work + 3 * n;
  int nfree = 0;
  for (int i = 0; i < n; i++) {
    x[i] = cr_clip(x[i], lower[i], upper[i]);
    free[i] = false;
  }
  cr_real value = evaluate(n, H, g, x, slope);
  for (int k = 0; k < MOST_STEPS; k++) {
    bool same = find_free(n, slope, lower, upper, x, free, &nfree);
    if (!(same && k > 0) && !factor(n, H, free, L)) {
      return -1;
    }
    cr_real largest = 0;
    for (int i = 0, a = 0; i < n; i++) {
      if (free[i]) {
        step[a++] = -slope[i];
        largest = cr_max(largest, cr_abs(slope[i]));
      }
    }
    if (largest == 0) {
      return nfree;
    }
    cri_box_qp_solve(L, n, nfree, step);
    cr_real s = 1, gain = 0, moved = 0, size = 0;
    for (int tries = 0; tries < 30; tries++, s /= 2) {
      gain = moved = size = 0;
      for (int i = 0, a = 0; i < n; i++) {
        trial[i] = free[i] ? cr_clip(x[i] + s * step[a++], lower[i], upper[i]) : x[i];
        gain += slope[i] * (trial[i] - x[i]);
        moved = cr_max(moved, cr_abs(trial[i] - x[i]));
        size = cr_max(size, cr_abs(trial[i]));
      }
      if (evaluate(n, H, g, trial, other) <= value + CR_R(0.1) * gain) {
        break;
      }
    }
    value = evaluate(n, H, g, trial, slope);
    cr_copy(x, trial, n);
    if (moved <= 16 * CR_EPS * size) {
      break;
    }
  }
  bool same = find_free(n, slope, lower, upper, x, free, &nfree);
  return same || factor(n, H, free, L) ? nfree : -1;
}
