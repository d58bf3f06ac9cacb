// SPDX-License-Identifier: Apache-2.0
// What a sample of an estimate costs beside a gradient alone: 1000 gradients of a motion, then estimates of first and alpha order from 1000
// samples, by the start, on one thread; processor times of the best of five. From the root of the project:
//     make && cc -O2 -Iinclude bench/estimate_cost.c build/libcarom.so -Wl,-rpath,build -lm -o build/estimate_cost
//     build/estimate_cost humanoid.xml 1
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "carom/carom.h"

enum { SAMPLES = 1000, TIMES = 5 };

static cr_error error;

static void ok(cr_status status) {
  if (status != CR_OK) {
    (void)fprintf(stderr, "%s\n", error.text);
    exit(2);
  }
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static double of_gradients(cr_gradient* g, const cr_model* m, const cr_loss* loss, int nstep) {
  cr_rollout* r = cr_gradient_rollout(g);
  double begun = seconds();
  for (int i = 0; i < SAMPLES; i++) {
    ok(cr_data_reset(m, cr_rollout_data(r)));
    ok(cr_rollout_run(r, m, nstep, loss, &error));
    ok(cr_gradient_compute(g, loss, &error));
  }
  return seconds() - begun;
}

static double of_estimate(cr_gradient* g, const cr_model* m, const cr_loss* loss,
                          cr_estimator_kind kind, const cr_real* sigma) {
  const cr_estimator_options o = {
      .size = sizeof o, .kind = kind, .samples = SAMPLES, .sigma = sigma, .seed = 1};
  cr_smoothed_gradient found = {.size = sizeof found};
  ok(cr_data_reset(m, cr_rollout_data(cr_gradient_rollout(g))));
  double begun = seconds();
  ok(cr_gradient_estimate(&g, loss, 1, &o, &found, &error));
  return seconds() - begun;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"qpos", "qvel"};
  int nstep = argc > 2 ? atoi(argv[2]) : 1;
  cr_model* m = NULL;
  cr_gradient* g = NULL;
  cr_expression* x = NULL;
  if (argc < 2) {
    (void)fprintf(stderr, "usage: estimate_cost MODEL [STEPS]\n");
    return 2;
  }
  ok(cr_model_open(&m, argv[1], &error));
  ok(cr_gradient_create(&g, m, nstep, names, 2, NULL, &error));
  ok(cr_expression_create(&x, m, "norm(qpos)^2", &error));
  const cr_loss loss = cr_expression_loss(x, false);
  int n = 2 * cr_model_count(m, "nv");
  cr_real* sigma = malloc((size_t)n * sizeof *sigma);
  for (int i = 0; sigma != NULL && i < n; i++) {
    sigma[i] = 1e-6;  // so small that all samples have the same contacts
  }
  double best[3] = {1e9, 1e9, 1e9};
  for (int i = 0; sigma != NULL && i < TIMES; i++) {
    double now[3] = {of_gradients(g, m, &loss, nstep),
                     of_estimate(g, m, &loss, CR_ESTIMATOR_FIRST, sigma),
                     of_estimate(g, m, &loss, CR_ESTIMATOR_ALPHA, sigma)};
    for (int k = 0; k < 3; k++) {
      best[k] = now[k] < best[k] ? now[k] : best[k];
    }
  }
  (void)printf("a gradient %.1f us; a sample of first order %.3f of that, of alpha order %.3f\n",
               1e6 * best[0] / SAMPLES, best[1] / best[0], best[2] / best[0]);
  free(sigma);
  cr_expression_destroy(x);
  cr_gradient_destroy(g);
  cr_model_destroy(m);
  return 0;
}
