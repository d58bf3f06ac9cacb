// SPDX-License-Identifier: Apache-2.0
// How far does a tossed cube come, and what would change that? A rollout through hard contact and
// its gradient with respect to the launch velocity and the cube's friction, with steps that end where
// contacts begin: fixed ones give a wrong gradient, since they do not count that these moments move.
// Usage: bounce MODEL, for instance examples/cube_toss.xml
#include <carom/carom.h>
#include <stdio.h>

#define TIME 0.5

static cr_status differentiate(cr_model* m, cr_error* error) {
  const char* parameters[] = {"geom_friction"};
  cr_expression* distance = NULL;
  cr_rollout* rollout = NULL;
  // all of the time is one interval, of as many steps as the tolerances ask for
  const cr_adaptive steps = {
      .size = sizeof steps, .rtol = 1e-7, .atol = 1e-7, .grid = TIME, .events = true};
  cr_status status = cr_model_set_choice(m, "integrator", "tsit5", error);
  if (status == CR_OK) {
    status = cr_expression_create(&distance, m, "qpos[0]", error);
  }
  if (status == CR_OK) {
    status = cr_rollout_create(&rollout, m, 1, parameters, 1, error);
  }
  if (status == CR_OK) {
    status = cr_rollout_set_adaptive(rollout, m, &steps, error);
  }
  if (status == CR_OK) {
    int rows, width;
    cr_real* qvel = cr_data_view(m, cr_rollout_data(rollout), "qvel", &rows, &width);
    qvel[0] = 1;   // m/s, forward
    qvel[4] = -6;  // rad/s, tumbling
    cr_loss loss = cr_expression_loss(distance, false);
    status = cr_rollout_run(rollout, m, 1, &loss, error);
    if (status == CR_OK) {
      status = cr_rollout_gradient(rollout, m, m, &loss, error);
    }
    if (status == CR_OK) {
      cr_data* bar = cr_rollout_bar(rollout);
      const cr_real* qvel_bar = cr_data_view(m, bar, "qvel", &rows, &width);
      printf("x = %.6f m, dx/dv = %.6f\n", (double)cr_rollout_loss(rollout), (double)qvel_bar[0]);
      const cr_real* friction_bar = cr_data_view(m, bar, "geom_friction", &rows, &width);
      for (int g = 0; g < rows; g++) {
        printf("dx/dfriction of geom %d = %.6f\n", g, (double)friction_bar[width * g]);
      }
    }
  }
  cr_rollout_destroy(rollout);
  cr_expression_destroy(distance);
  return status;
}

int main(int argc, char** argv) {
  cr_error error;
  cr_model* model = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: bounce MODEL\n");
    return 2;
  }
  cr_status status = cr_model_open(&model, argv[1], &error);
  if (status == CR_OK) {
    status = differentiate(model, &error);
  }
  if (status != CR_OK) {
    fprintf(stderr, "bounce: %s\n", error.text);
  }
  cr_model_destroy(model);
  return cr_status_exit_code(status);
}
