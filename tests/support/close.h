// SPDX-License-Identifier: Apache-2.0
// Comparisons that print both numbers and the tolerance when they fail.
#ifndef CR_TESTS_CLOSE_H
#define CR_TESTS_CLOSE_H

#include <stdio.h>

#include "support/test.h"

static inline void assert_close_at(cr_real actual, cr_real expected, cr_real tolerance,
                                   const char* what, const char* file, int line) {
  if (!(cr_abs(actual - expected) <= tolerance)) {
    print_error("%s: %.17g, expected %.17g, off by %.3g, tolerance %.3g\n", what, (double)actual,
                (double)expected, (double)cr_abs(actual - expected), (double)tolerance);
    _fail(file, line);
  }
}

/// |actual - expected| <= tolerance, and neither is NaN.
#define assert_close(actual, expected, tolerance) \
  assert_close_at(actual, expected, tolerance, #actual, __FILE__, __LINE__)

/// The same for n numbers, the tolerance relative to the largest of the expected.
static inline void assert_all_close_at(const cr_real* actual, const cr_real* expected, int n,
                                       cr_real relative, const char* what, const char* file,
                                       int line) {
  cr_real scale = 0;
  for (int i = 0; i < n; i++) {
    scale = cr_max(scale, cr_abs(expected[i]));
  }
  for (int i = 0; i < n; i++) {
    char name[160];
    (void)snprintf(name, sizeof name, "%s [%d]", what, i);
    assert_close_at(actual[i], expected[i], relative * scale, name, file, line);
  }
}
#define assert_all_close(actual, expected, n, relative) \
  assert_all_close_at(actual, expected, n, relative, #actual, __FILE__, __LINE__)

#endif
