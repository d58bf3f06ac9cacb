// SPDX-License-Identifier: Apache-2.0
// Processor time of a rollout of 1000 steps with a loss, of a batch of gradients on one thread, and of the same batch in two
// calls, where the loss is known only after the first: what overhead.py compares Python with. Usage: rollout MODEL ROLLOUTS
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

// The runs alone, kept; then their gradients.
static cr_status two_calls(cr_batch* b, int n, cr_batch_input* input, cr_loss* loss,
                           cr_batch_output* output, cr_error* error) {
  double* kept = malloc((size_t)n * cr_batch_kept_size(b) * sizeof *kept);
  const cr_batch_output first = {.size = sizeof first, .kept = kept};
  cr_status status = cr_batch_run(b, n, input, NULL, NULL, &first, error);
  input->kept = kept;
  status = status == CR_OK ? cr_batch_run(b, n, input, give, loss, output, error) : status;
  free(kept);
  return status;
}

static cr_status batch(const cr_model* m, int n, cr_loss* loss, bool twice, cr_error* error) {
  size_t nv = (size_t)cr_model_count(m, "nv");
  double* losses = calloc((size_t)n * (1 + nv), sizeof *losses);
  double* qvel_bar = losses == NULL ? NULL : losses + n;
  const cr_batch_options options = {.size = sizeof options, .nstep = SHORT, .nthread = 1};
  cr_batch_input input = {.size = sizeof input};
  cr_batch_output output = {.size = sizeof output, .loss = losses, .qvel_bar = qvel_bar};
  cr_batch* b = NULL;
  cr_status status = cr_batch_create(&b, m, m, &options, error);
  if (status == CR_OK) {
    status = twice ? two_calls(b, n, &input, loss, &output, error)
                   : cr_batch_run(b, n, &input, give, loss, &output, error);
  }
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
  double best[3] = {1e9, 1e9, 1e9};
  cr_status status = CR_OK;
  for (int k = 0; k < 12 && status == CR_OK; k++) {
    int what = k % 3;
    double start = now();
    status = what == 0 ? rollout(m, &loss, &error) : batch(m, n, &loss, what == 2, &error);
    double time = now() - start;
    best[what] = time < best[what] ? time : best[what];
  }
  (void)printf("%.6f %.6f %.6f\n", best[0], best[1], best[2]);
  if (status != CR_OK) {
    (void)fprintf(stderr, "%s\n", error.text);
  }
  cr_expression_destroy(speed);
  cr_model_destroy(m);
  return cr_status_exit_code(status);
}
