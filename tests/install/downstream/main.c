// SPDX-License-Identifier: Apache-2.0
// A program that uses an installed Carom: how far a cube comes in half a second, and the gradient of it by the
// launch velocity, as JSON with the names that `carom grad --json` gives them. Usage: main MODEL
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

static cr_status differentiate(const cr_model* m, cr_rollout* rollout, cr_expression* distance,
                               cr_error* error) {
  int nstep = (int)lround(0.5 / cr_model_timestep(m)), rows;
  double* qvel = cr_data_view(m, cr_rollout_data(rollout), "qvel", &rows, NULL);
  cr_loss loss = cr_expression_loss(distance, false);
  qvel[0] = 1;
  qvel[4] = -6;
  cr_status status = cr_rollout_run(rollout, m, nstep, &loss, error);
  if (status == CR_OK) {
    status = cr_rollout_gradient(rollout, m, m, &loss, error);
  }
  if (status == CR_OK) {
    const double* bar = cr_data_view(m, cr_rollout_bar(rollout), "qvel", &rows, NULL);
    printf("{\"version\": \"%s\", \"loss\": %.17g, \"gradient\": {\"qvel\": [", cr_version(),
           cr_rollout_loss(rollout));
    for (int i = 0; i < rows; i++) {
      printf("%s%.17g", i > 0 ? ", " : "", bar[i]);
    }
    printf("]}}\n");
  }
  return status;
}

int main(int argc, char** argv) {
  cr_error error;
  cr_model* m = NULL;
  cr_rollout* rollout = NULL;
  cr_expression* distance = NULL;
  cr_status status = cr_model_open(&m, argc > 1 ? argv[1] : "", &error);
  if (status == CR_OK) {
    status = cr_expression_create(&distance, m, "qpos[0]", &error);
  }
  if (status == CR_OK) {
    status = cr_rollout_create(&rollout, m, 1000, NULL, 0, &error);
  }
  if (status == CR_OK) {
    status = differentiate(m, rollout, distance, &error);
  }
  if (status != CR_OK) {
    fprintf(stderr, "%s\n", error.text);
  }
  cr_rollout_destroy(rollout);
  cr_expression_destroy(distance);
  cr_model_destroy(m);
  return cr_status_exit_code(status);
}
