// SPDX-License-Identifier: Apache-2.0
// Elimination of starts against one dense solve, with windows in a chain and alone, with numbers that are fixed.
#include "identify/normal.h"

#include <stdlib.h>

#include "base/random.h"
#include "support/close.h"
#include "support/test.h"

enum { NPAR = 3, NX = 4, NSPAN = 4, ALL = NPAR + NSPAN * NX, ROWS = 30, COLUMNS = NPAR + 2 * NX };

static cri_span spans[NSPAN] = {{.next = 1}, {.next = -1}, {.next = -1}, {.next = -1}};
static const cri_problem problem = {
    .n = NPAR, .np = NPAR, .nx = NX, .nspan = NSPAN, .ntrain = NSPAN, .spans = spans};

// the same rows for the blocks and for a dense system; spans 0 and 1 are chained
static cri_normal* fill(cr_real* H, cr_real* g) {
  cri_normal* s = NULL;
  cr_error error;
  cr_random random = cr_random_seed(3, 3);
  assert_int_equal(cri_normal_create(&s, &problem, &error), CR_OK);
  cr_zero(H, ALL * ALL);
  cr_zero(g, ALL);
  for (int w = 0; w < NSPAN; w++) {
    cri_normal_clear(s, &problem, w);
    for (int r = 0; r < ROWS; r++) {
      cr_real row[COLUMNS], wide[ALL] = {0}, e = cr_random_normal(&random), weight = CR_R(0.7);
      for (int i = 0; i < COLUMNS; i++) {
        bool next = i >= NPAR + NX;
        row[i] = next && (spans[w].next < 0 || r > NX) ? 0 : cr_random_normal(&random);
        if (row[i] != 0) {
          wide[i < NPAR ? i : next ? i - NX + spans[w].next * NX : i + w * NX] = row[i];
        }
      }
      cri_normal_add(s, &problem, w, row, e, weight);
      for (int i = 0; i < ALL; i++) {
        g[i] += weight * wide[i] * e;
        for (int j = 0; j < ALL; j++) {
          H[i * ALL + j] += weight * wide[i] * wide[j];
        }
      }
    }
  }
  return s;
}

TEST(gathered_and_curved_as_a_dense_system) {
  cr_real H[ALL * ALL], g[ALL], gradient[ALL], diagonal[ALL], step[ALL], sum = 0;
  cri_normal* s = fill(H, g);
  cri_normal_gather(s, &problem, 0, NSPAN, gradient, diagonal);
  for (int i = 0; i < ALL; i++) {
    assert_true(cr_abs(gradient[i] - g[i]) < CR_R(1e-12));
    assert_true(cr_abs(diagonal[i] - H[i * ALL + i]) < CR_R(1e-12));
    step[i] = cr_sin((cr_real)i);
  }
  for (int i = 0; i < ALL; i++) {
    for (int j = 0; j < ALL; j++) {
      sum += step[i] * H[i * ALL + j] * step[j];
    }
  }
  assert_true(cr_abs(cri_normal_curvature(s, &problem, 0, NSPAN, step) / sum - 1) < CR_R(1e-12));
  cri_normal_free(s);
}

TEST(solves_what_a_dense_system_says) {
  const bool fixed[2][NPAR] = {{false, false, false}, {false, true, false}};
  cr_real H[ALL * ALL], g[ALL], scale[ALL], step[ALL];
  cri_normal* s = fill(H, g);
  cr_error error;
  for (int i = 0; i < ALL; i++) {
    scale[i] = 1 + (cr_real)i / 5;
  }
  for (int k = 0; k < 2; k++) {
    cr_real damping = k == 0 ? 0 : CR_R(0.3);
    assert_int_equal(
        cri_normal_solve(s, &problem, 0, NSPAN, damping, scale, fixed[k], step, &error), CR_OK);
    for (int i = 0; i < ALL; i++) {
      bool out = i < NPAR && fixed[k][i];
      cr_real left = g[i] + damping * scale[i] * step[i];
      left += i >= NPAR ? step[i] * CR_R(1e-6) : 0;  // the wide prior of starts
      for (int j = 0; j < ALL; j++) {
        left += H[i * ALL + j] * step[j];
      }
      assert_true(out ? step[i] == 0 : cr_abs(left) < CR_R(1e-9));
    }
  }
  cri_normal_free(s);
}
