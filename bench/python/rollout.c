// SPDX-License-Identifier: Apache-2.0
// Processor time of a rollout of 1000 steps with a loss, and of a batch of gradients on one thread: what overhead.py compares
// Python with. Usage: rollout MODEL ROLLOUTS
#include <carom/carom.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 1000, SHORT = 100 };

static double now(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cr_loss give(void* context, int item, int worker) {
  (void)item, (void)worker;
  return *(cr_loss*)context;
}

static cr_status rollout(const cr_model* m, const cr_loss* loss, cr_error* error) {
  cr_rollout* r = NULL;
  cr_status status = cr_rollout_create(&r, m, STEPS, NULL, 0, error);
  status = status == CR_OK ? cr_rollout_run(r, m, STEPS, loss, error) : status;
  cr_rollout_destroy(r);
  return status;
}

static cr_status batch(const cr_model* m, int n, cr_loss* loss, cr_error* error) {
  size_t nu = (size_t)cr_model_count(m, "nu");
  double* losses = calloc((size_t)n * (1 + SHORT * nu), sizeof *losses);
  double* ctrl_bar = losses == NULL ? NULL : losses + n;
  const cr_batch_options options = {.size = sizeof options, .nstep = SHORT, .nthread = 1};
  const cr_batch_input input = {.size = sizeof input};
  const cr_batch_output output = {.size = sizeof output, .loss = losses, .ctrl_bar = ctrl_bar};
  cr_batch* b = NULL;
  cr_status status = cr_batch_create(&b, m, m, &options, error);
  status = status == CR_OK ? cr_batch_run(b, n, &input, give, loss, &output, error) : status;
  cr_batch_destroy(b);
  free(losses);
  return status;
}

int main(int argc, char** argv) {
  cr_model* m = NULL;
  cr_expression* speed = NULL;
  cr_error error = {0};
  int n = argc == 3 ? atoi(argv[2]) : 0;
  if (n < 1 || cr_model_open(&m, argv[1], &error) != CR_OK ||
      cr_expression_create(&speed, m, "sum(qvel^2)", &error) != CR_OK) {
    (void)fprintf(stderr, "%s\n", n < 1 ? "rollout MODEL ROLLOUTS" : error.text);
    return 2;
  }
  cr_loss loss = cr_expression_loss(speed, false);
  // the first run touches memory for the first time: the least of a few counts, as in Python
  double best[2] = {1e9, 1e9};
  cr_status status = CR_OK;
  for (int k = 0; k < 4 && status == CR_OK; k++) {
    double start = now();
    status = rollout(m, &loss, &error);
    double middle = now();
    status = status == CR_OK ? batch(m, n, &loss, &error) : status;
    double end = now();
    best[0] = middle - start < best[0] ? middle - start : best[0];
    best[1] = end - middle < best[1] ? end - middle : best[1];
  }
  (void)printf("%.6f %.6f\n", best[0], best[1]);
  if (status != CR_OK) {
    (void)fprintf(stderr, "%s\n", error.text);
  }
  cr_expression_destroy(speed);
  cr_model_destroy(m);
  return cr_status_exit_code(status);
}
