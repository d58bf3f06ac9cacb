// SPDX-License-Identifier: Apache-2.0
// Responses against closed forms, quantiles against distribution functions, and means of the hard response against the smooth one.
#include "estimates/barriers.h"

#include <math.h>
#include <stdio.h>

#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

enum { NODES = 1000 };
static const double scale = 0.004;
static cr_error error;

static void open(cr_barrier_system* s, cr_barrier kind) {
  cr_notebook book = {.nclaim = 0};
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  must(cri_barrier_open(s, &book, kind, scale, &error));
}

static double expected(cr_barrier kind, bool smooth, double x) {
  double z = x / scale;
  if (!smooth) {
    return cri_barrier_jumps(kind) ? x < 0 : fmax(0, -x);
  }
  if (kind == CR_BARRIER_SOFTPLUS) {
    return scale * log1p(exp(-z));
  }
  if (kind == CR_BARRIER_LOG) {
    return (sqrt(x * x + 2 * scale * scale) - x) / 2;
  }
  return z < 0 ? 1 : z < 0.5 ? 1 - 2 * z * z : z < 1 ? 2 * (1 - z) * (1 - z) : 0;
}

TEST(responses_are_those_of_the_closed_forms) {
  for (int kind = 0; kind < CR_N_BARRIER; kind++) {
    cr_barrier_system s;
    if (kind == CR_BARRIER_SPRING) {
      continue;
    }
    open(&s, kind);
    for (double x = -2.3 * scale; x < 3 * scale; x += 0.37 * scale) {
      for (int smooth = 0; smooth < 2; smooth++) {
        double y, truth = expected(kind, smooth, x);
        must(cri_barrier_response(&s, smooth, x, &y, &error));
        assert_close(y, truth, cri_barrier_jumps(kind) ? CR_R(1e-7) : (cr_real)(1e-6 * scale));
      }
    }
    cri_barrier_close(&s);
  }
}

static double below(cr_noise noise, double w) {
  switch (noise) {
    case CR_NOISE_LOGISTIC:
      return 1 / (1 + exp(-w));
    case CR_NOISE_ONE_SIDED:
      return w < -0.5 ? 2 * (1 + w) * (1 + w) : 1 - 2 * w * w;
    case CR_NOISE_STUDENT:
      return (1 + w / sqrt(2 + w * w)) / 2;
    default:
      return erfc(-w / sqrt(2)) / 2;
  }
}

TEST(quantiles_are_those_of_the_distributions) {
  for (int noise = 0; noise < CR_N_NOISE; noise++) {
    for (double q = 1e-4; q < 1; q += 0.0314) {
      assert_close(below(noise, cri_noise_quantile(noise, q)), q, CR_R(1e-9));
    }
  }
}

TEST(noise_of_a_barrier_makes_the_hard_response_the_smooth_one) {
  for (int kind = 0; kind < CR_N_BARRIER; kind++) {
    cr_barrier_system s;
    open(&s, kind);
    cr_noise own = cri_barrier_noise(kind);
    const cr_scaled_noise noise = cri_noise_like(&s, own);
    assert_close(noise.centre, 0, CR_R(1e-15));
    assert_close(noise.factor, scale, CR_R(1e-15));
    for (double x = -1.5 * scale; x < 2 * scale && kind != CR_BARRIER_SPRING; x += 0.7 * scale) {
      double mean, y;
      must(cri_barrier_mean(&s, &noise, NODES, x, &mean, &error));
      must(cri_barrier_response(&s, true, x, &y, &error));
      assert_close(mean, y, cri_barrier_jumps(kind) ? CR_R(2e-3) : (cr_real)(1e-3 * scale));
    }
    cri_barrier_close(&s);
  }
}

TEST(other_noise_has_the_same_quartiles) {
  cr_barrier_system s;
  open(&s, CR_BARRIER_DISTANCE);
  for (int noise = 0; noise < CR_N_NOISE; noise++) {
    const cr_scaled_noise n = cri_noise_like(&s, noise);
    const double quartiles[3] = {-0.64644660940672624, -0.5, -0.35355339059327373};
    for (int i = 0; i < 3; i++) {
      assert_close(n.centre + n.factor * cri_noise_quantile(noise, 0.25 * (i + 1)),
                   scale * quartiles[i], CR_R(1e-9));
    }
  }
  cri_barrier_close(&s);
}
