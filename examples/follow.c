// SPDX-License-Identifier: Apache-2.0
// An arm draws a circle with its tip. In every step the acceleration that the circle asks for is
// turned into joint accelerations by the tip's Jacobian and its rate, and these into torques by
// inverse dynamics; the controller is a callback of the rollout.
// Usage: follow MODEL, for instance examples/arm.xml
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

enum { STEPS = 2000, MAX_NV = 8 };

typedef struct {
  cr_data* work;  // where the controller computes
  int tip;        // site
  double worst;   // distance from the circle so far
} follower;

// where the tip should be at time t, its velocity and acceleration, in x and z
static void circle(double t, double x[2], double v[2], double a[2]) {
  const double radius = 0.15, rate = 3, centre[2] = {0.35, 0.75};
  const double c = cos(rate * t), s = sin(rate * t);
  x[0] = centre[0] + radius * c, x[1] = centre[1] + radius * s;
  v[0] = -radius * rate * s, v[1] = radius * rate * c;
  a[0] = -radius * rate * rate * c, a[1] = -radius * rate * rate * s;
}

static cr_real* numbers(const cr_model* m, cr_data* d, const char* name) {
  int rows, width;
  return cr_data_view(m, d, name, &rows, &width);
}

// qacc = J^-1 (a + kd (v - J qvel) + kp (x - tip) - Jdot qvel), two joints and two directions
static void joint_accelerations(const cr_model* m, cr_data* d, follower* f, double t) {
  const double kp = 400, kd = 40;
  double x[2], v[2], a[2], want[2], jac[3 * MAX_NV], rate[3 * MAX_NV], tip[3];
  const cr_real *qvel = numbers(m, d, "qvel"), *at = numbers(m, d, "site_xpos") + 3 * f->tip;
  cr_real* qacc = numbers(m, d, "qacc");
  int body = cr_model_id(m, "body", "lower");
  for (int k = 0; k < 3; k++) {
    tip[k] = (double)at[k];
  }
  circle(t, x, v, a);
  (void)cr_jac_site(m, d, jac, NULL, f->tip);
  (void)cr_jac_dot(m, d, rate, NULL, tip, body);
  for (int k = 0; k < 2; k++) {
    const double *J = jac + 4 * k, *Jdot = rate + 4 * k;  // rows x and z, two dofs each
    double speed = J[0] * qvel[0] + J[1] * qvel[1], bias = Jdot[0] * qvel[0] + Jdot[1] * qvel[1];
    want[k] = a[k] + kd * (v[k] - speed) + kp * (x[k] - tip[2 * k]) - bias;
  }
  double det = jac[0] * jac[5] - jac[1] * jac[4];
  qacc[0] = (jac[5] * want[0] - jac[1] * want[1]) / det;
  qacc[1] = (jac[0] * want[1] - jac[4] * want[0]) / det;
  double distance = hypot(x[0] - tip[0], x[1] - tip[2]);
  f->worst = t > 1 && distance > f->worst ? distance : f->worst;
}

// the control of the step from the state in d
static cr_status control(void* context, const cr_model* m, const cr_data* d, int step,
                         cr_real* ctrl) {
  follower* f = context;
  cr_real state[64];
  (void)step;
  cr_status status = cr_state_get(m, d, state, CR_STATE_FULLPHYSICS);
  if (status == CR_OK) {
    status = cr_state_set(m, f->work, state, CR_STATE_FULLPHYSICS);
  }
  if (status == CR_OK) {
    status = cr_forward(m, f->work);
  }
  if (status == CR_OK) {
    joint_accelerations(m, f->work, f, (double)cr_data_time(d));
    status = cr_inverse(m, f->work);
  }
  const cr_real* torque = numbers(m, f->work, "qfrc_inverse");
  for (int i = 0; i < 2; i++) {
    ctrl[i] = torque[i];
  }
  return status;
}

static cr_status follow(const cr_model* m, cr_error* error) {
  cr_rollout* rollout = NULL;
  follower f = {.tip = cr_model_id(m, "site", "tip")};
  if (f.tip < 0 || cr_model_count(m, "nv") != 2 || cr_model_count(m, "nu") != 2) {
    (void)snprintf(error->text, sizeof error->text, "needs two joints with motors and a site tip");
    return CR_ERR_ARG;
  }
  cr_status status = cr_data_create(&f.work, m, error);
  if (status == CR_OK) {
    status = cr_rollout_create(&rollout, m, STEPS, NULL, 0, error);
  }
  if (status == CR_OK) {
    (void)cr_data_reset_keyframe(m, cr_rollout_data(rollout), 0);
    cr_rollout_set_control(rollout, control, &f);
    status = cr_rollout_run(rollout, m, STEPS, NULL, error);
  }
  if (status == CR_OK) {
    printf("largest distance from the circle after one second: %.3g mm\n", 1e3 * f.worst);
  }
  cr_rollout_destroy(rollout);
  cr_data_destroy(f.work);
  return status;
}

int main(int argc, char** argv) {
  cr_error error = {0};
  cr_model* model = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: follow MODEL\n");
    return 2;
  }
  cr_status status = cr_model_open(&model, argv[1], &error);
  if (status == CR_OK) {
    status = follow(model, &error);
  }
  if (status != CR_OK) {
    fprintf(stderr, "follow: %s\n", error.text);
  }
  cr_model_destroy(model);
  return cr_status_exit_code(status);
}
