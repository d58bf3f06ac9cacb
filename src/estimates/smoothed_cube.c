// SPDX-License-Identifier: Apache-2.0
#include "estimates/smoothed_cube.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/status.h"
#include "notebook/scene_file.h"

double cri_cube_width(int i) { return ldexp(1, i - 2); }

// ---- a cube of 0.1 m falls at 1 m/s

static const char falling[] =
    "<mujoco model=\"a cube near a floor\">\n"
    "  <option timestep=\"0.005\" cone=\"elliptic\"/>\n  <worldbody>\n"
    "    <geom type=\"plane\" size=\"1 1 1\" friction=\"0.5\"/>\n    <body name=\"cube\">\n"
    "      <freejoint/>\n      <geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"0.4\" "
    "friction=\"0.5\"/>\n    </body>\n  </worldbody>\n</mujoco>\n";
enum { NV = 6, NX = 2 * NV, NQ = 7 };
static const double half = 0.05;                          // m
static const double noise[4] = {0.002, 0.04, 0.05, 0.5};  // m, rad, m/s, rad/s
// standard deviation of a corner's height: a turn moves it too; the width of a force at a distance whose noise has the same one
static double height_noise(void) { return hypot(noise[0], noise[1] * half * sqrt(2.0)); }
static double width_of(int i) { return cri_cube_width(i) * sqrt(24.0) * height_noise(); }

static cr_status open_falling(cr_smoothed_cube* c, const cr_notebook* book, cr_error* error) {
  CR_TRY(cri_scene_open(book, "smoothing_cube", falling, &c->m, error));
  for (int i = 0; i < CR_CUBE_WIDTHS; i++) {
    static const char* const names[] = {"cfd_dc", "cfd_d0", "cfd_mc", "cfd_pc"};
    static const double values[] = {0, 0.9, 0.5, 2};
    cr_model** m = &c->smooth[i];
    CR_TRY(cr_model_copy(m, c->m, error));
    for (int k = 0; k < 4; k++) {
      CR_TRY(cr_model_set_option(*m, names[k], (cr_real)values[k], error));
    }
    CR_TRY(cr_model_set_option(*m, "cfd_wc", (cr_real)width_of(i), error));
    CR_TRY(cr_model_set_option(*m, "cfd_scale", (cr_real)(width_of(i) / 10), error));
    CR_TRY(cr_model_set_choice(*m, "cfd", "on", error));
  }
  return CR_OK;
}

// depth of the lowest corner below the centre, for a quaternion
static double lowest(const cr_real* q) {
  double w = (double)q[0], x = (double)q[1], y = (double)q[2], z = (double)q[3];
  double row[3] = {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
  return half * (fabs(row[0]) + fabs(row[1]) + fabs(row[2]));
}

// a random turn, the lowest corner at `height`
static cr_status put_falling(const cr_model* m, cr_data* d, int pose, double height,
                             cr_error* error) {
  cr_random random = cr_random_seed(1, (uint64_t)pose);
  const cr_real down[NV] = {0, 0, -1};
  cr_real q[NQ] = {0}, square = 0;
  for (int i = 3; i < NQ; i++) {
    q[i] = cr_random_normal(&random);
    square += q[i] * q[i];
  }
  for (int i = 3; i < NQ; i++) {
    q[i] /= cr_sqrt(square);
  }
  q[2] = (cr_real)(height + lowest(q + 3));
  CR_TRY(cr_data_reset(m, d));
  CR_TRY(cr_data_set(m, d, "qpos", q, NQ, error));
  return cr_data_set(m, d, "qvel", down, NV, error);
}

// how the six velocities depend on the pose: a block of A
static void take_block(const cr_real A[NX * NX], double block[NV * NV]) {
  for (int i = 0; i < NV; i++) {
    for (int j = 0; j < NV; j++) {
      // turns as lengths at a corner's distance, so that entries have one unit
      double row = i < 3 ? 1 : half, column = j < 3 ? 1 : 1 / half;
      block[i * NV + j] = row * column * (double)A[(NV + i) * NX + j];
    }
  }
}

static cr_status linear_model(const cr_smoothed_cube* c, const cr_model* backward, int pose,
                              double height, cr_estimator_kind kind, int samples, double* block,
                              double* half_width, cr_error* error) {
  cr_real sigma[NX], A[NX * NX], E[NX * NX];
  for (int i = 0; i < NX; i++) {
    sigma[i] = (cr_real)noise[i / 3];
  }
  const cr_smoothed_model_options o = {.size = sizeof o,
                                       .kind = kind,
                                       .samples = samples,
                                       .sigma = sigma,
                                       .draws = CR_DRAWS_ANTITHETIC,
                                       .seed = (uint64_t)pose,
                                       .backward = backward,
                                       .nthread = 1};
  cr_linear_model to = {.size = sizeof to, .A = A, .A_error = E};
  cr_data* d = NULL;
  cr_status status = cr_data_create(&d, c->m, error);
  status = status == CR_OK ? put_falling(c->m, d, pose, height, error) : status;
  status = status == CR_OK ? cr_smoothed_model(c->m, d, &o, &to, error) : status;
  cr_data_destroy(d);
  if (status == CR_OK) {
    take_block(A, block);
    if (half_width != NULL) {
      take_block(E, half_width);
    }
  }
  return status;
}

static double norm(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return sqrt(sum);
}

static double apart(const double* x, const double* truth, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += (x[i] - truth[i]) * (x[i] - truth[i]);
  }
  return sqrt(sum) / norm(truth, n);
}

enum { BLOCK = NV * NV };

static cr_status errors_falling(const cr_smoothed_cube* c, int pose, double height,
                                cr_cube_errors* e, cr_error* error) {
  double truth[BLOCK], x[BLOCK], wide[BLOCK];
  CR_TRY(linear_model(c, NULL, pose, height, CR_ESTIMATOR_ZEROTH, c->samples, truth, wide, error));
  e->size = norm(truth, BLOCK);
  e->error = norm(wide, BLOCK) / e->size;
  CR_TRY(linear_model(c, NULL, pose, height, CR_ESTIMATOR_FIRST, 0, x, NULL, error));
  e->plain = apart(x, truth, BLOCK);
  CR_TRY(linear_model(c, NULL, pose, height, CR_ESTIMATOR_FIRST, c->samples / 8, x, NULL, error));
  e->first = apart(x, truth, BLOCK);
  for (int i = 0; i < CR_CUBE_WIDTHS; i++) {
    CR_TRY(linear_model(c, c->smooth[i], pose, height, CR_ESTIMATOR_FIRST, 0, x, NULL, error));
    e->barrier[i] = apart(x, truth, BLOCK);
    CR_TRY(linear_model(c, c->smooth[i], pose, height + width_of(i) / 2, CR_ESTIMATOR_FIRST, 0, x,
                        NULL, error));
    e->centred[i] = apart(x, truth, BLOCK);
  }
  return CR_OK;
}

// ---- a square of 1 m and 5 kg on a table without friction, and a hand on two servos of 500 N/m: what quasi-dynamic steps of the square depend on setpoints

static const char pushing[] =
    "<mujoco model=\"a servo pushes a square\">\n  <option gravity=\"0 0 0\" cone=\"elliptic\"/>\n"
    "  <default><geom friction=\"0.5\"/></default>\n  <worldbody>\n    <body>\n"
    "      <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.004 0.004 0.004\"/>\n"
    "      <joint name=\"hand_x\" type=\"slide\" axis=\"1 0 0\"/>"
    "<joint name=\"hand_y\" type=\"slide\" axis=\"0 1 0\"/>\n      <geom size=\"0.1\"/>\n"
    "    </body>\n    <body>\n"
    "      <inertial pos=\"0 0 0\" mass=\"5\" diaginertia=\"0.83 0.83 0.83\"/>\n"
    "      <joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/>"
    "<joint name=\"y\" type=\"slide\" axis=\"0 1 0\"/><joint name=\"turn\" axis=\"0 0 1\"/>\n"
    "      <geom type=\"box\" size=\"0.5 0.5 0.5\"/>\n    </body>\n  </worldbody>\n"
    "  <actuator><position joint=\"hand_x\" kp=\"500\"/><position joint=\"hand_y\" kp=\"500\"/>"
    "</actuator>\n</mujoco>\n";
enum { PUSH_NQ = 5, PUSH_NU = 2, PUSH_ROWS = 3, PUSH_BLOCK = PUSH_ROWS * PUSH_NU };
static const double setpoint_noise = 0.01;                // m
static const double compliance = 1 / 500.0 + 0.01 / 5.0;  // of servo and square along the normal

// the noise of the log barrier has the quartiles of the setpoint's: 0.8165 s = 0.6745 sigma
static double weight_of(int i) {
  double s = cri_cube_width(i) * 0.6745 / 0.8165 * setpoint_noise;
  return 2 * compliance / (s * s);
}

// the hand before a face of the turned square, off its middle, with its setpoint `gap` before contact
static void put_pushed(int pose, double gap, cr_real q[PUSH_NQ], cr_real u[PUSH_NU]) {
  cr_random random = cr_random_seed(2, (uint64_t)pose);
  double turn = (double)cr_random_range(&random, CR_R(-0.7), CR_R(0.7));
  double along = (double)cr_random_range(&random, CR_R(-0.35), CR_R(0.35));
  double n[2] = {-cos(turn), -sin(turn)}, t[2] = {-sin(turn), cos(turn)};
  const double away = 0.5 + 0.1 + 0.03;
  memset(q, 0, PUSH_NQ * sizeof *q);
  q[4] = (cr_real)turn;
  for (int i = 0; i < 2; i++) {
    q[i] = (cr_real)(away * n[i] + along * t[i]);
    u[i] = (cr_real)((0.6 + gap) * n[i] + along * t[i]);
  }
}

static cr_status push_step(cr_quasidynamic* steps, const cr_real* q, const cr_real* u,
                           double* moved, double* B, cr_error* error) {
  cr_real next[PUSH_NQ], by[PUSH_NQ * PUSH_NU];
  cr_status status = cr_quasidynamic_step(steps, q, u, next);
  status = status == CR_OK && B != NULL ? cr_quasidynamic_jacobian(steps, NULL, by) : status;
  if (status != CR_OK) {
    return cri_fail(error, status, "smoothing: %s", cr_quasidynamic_error(steps));
  }
  for (int i = 0; i < PUSH_ROWS; i++) {
    double unit = i < 2 ? 1 : 0.5;  // m of an edge for a rad
    if (moved != NULL) {
      moved[i] = unit * (double)(next[2 + i] - q[2 + i]);
    }
    for (int j = 0; j < PUSH_NU && B != NULL; j++) {
      B[i * PUSH_NU + j] = unit * (double)by[(2 + i) * PUSH_NU + j];
    }
  }
  return CR_OK;
}

// pairs w and -w: (f(u + w) - f(u - w)) w / (2 sigma^2), and the mean of Jacobians
static cr_status push_means(cr_quasidynamic* steps, const cr_real* q, const cr_real* u, int pose,
                            int pairs, double* zeroth, double* first, double* wide,
                            cr_error* error) {
  cr_random random = cr_random_seed(3, (uint64_t)pose);
  double square[PUSH_BLOCK] = {0};
  memset(zeroth, 0, PUSH_BLOCK * sizeof *zeroth);
  memset(first, 0, PUSH_BLOCK * sizeof *first);
  for (int k = 0; k < pairs; k++) {
    double w[PUSH_NU], moved[2][PUSH_ROWS], B[PUSH_BLOCK];
    for (int i = 0; i < PUSH_NU; i++) {
      w[i] = setpoint_noise * (double)cr_random_normal(&random);
    }
    for (int side = 0; side < 2; side++) {
      cr_real at[PUSH_NU];
      for (int i = 0; i < PUSH_NU; i++) {
        at[i] = u[i] + (cr_real)(side == 0 ? w[i] : -w[i]);
      }
      CR_TRY(push_step(steps, q, at, moved[side], B, error));
      for (int i = 0; i < PUSH_BLOCK; i++) {
        first[i] += B[i] / (2 * pairs);
      }
    }
    for (int i = 0; i < PUSH_BLOCK; i++) {
      double z = (moved[0][i / PUSH_NU] - moved[1][i / PUSH_NU]) * w[i % PUSH_NU] /
                 (2 * setpoint_noise * setpoint_noise);
      zeroth[i] += z / pairs;
      square[i] += z * z / pairs;
    }
  }
  for (int i = 0; i < PUSH_BLOCK; i++) {
    wide[i] = 1.959964 * sqrt(fmax(square[i] - zeroth[i] * zeroth[i], 0) / pairs);
  }
  return CR_OK;
}

static cr_status open_steps(const cr_smoothed_cube* c, double weight, cr_quasidynamic** steps,
                            cr_error* error) {
  const cr_quasidynamic_options o = {.size = sizeof o, .weight = (cr_real)weight, .reach = 1};
  return cr_quasidynamic_create(steps, c->m, &o, error);
}

static cr_status errors_pushed(const cr_smoothed_cube* c, int pose, double gap, cr_cube_errors* e,
                               cr_error* error) {
  cr_real q[PUSH_NQ], u[PUSH_NU];
  double truth[PUSH_BLOCK], x[PUSH_BLOCK], wide[PUSH_BLOCK];
  cr_quasidynamic* steps = NULL;
  put_pushed(pose, gap, q, u);
  cr_status status = open_steps(c, 0, &steps, error);
  status = status == CR_OK ? push_means(steps, q, u, pose, c->samples / 2, truth, x, wide, error)
                           : status;
  if (status == CR_OK) {
    e->size = norm(truth, PUSH_BLOCK);
    e->error = norm(wide, PUSH_BLOCK) / e->size;
    e->first = apart(x, truth, PUSH_BLOCK);
    status = push_step(steps, q, u, NULL, x, error);
    e->plain = apart(x, truth, PUSH_BLOCK);
  }
  cr_quasidynamic_destroy(steps);
  for (int i = 0; i < CR_CUBE_WIDTHS && status == CR_OK; i++) {
    steps = NULL;
    status = open_steps(c, weight_of(i), &steps, error);
    status = status == CR_OK ? push_step(steps, q, u, NULL, x, error) : status;
    cr_quasidynamic_destroy(steps);
    e->barrier[i] = e->centred[i] = apart(x, truth, PUSH_BLOCK);
  }
  return status;
}

// ---- both

cr_status cri_smoothed_cube_open(cr_smoothed_cube* c, const cr_notebook* book, cr_cube_scene scene,
                                 int samples, cr_error* error) {
  *c = (cr_smoothed_cube){.scene = scene, .samples = samples};
  return scene == CR_CUBE_FALLS ? open_falling(c, book, error)
                                : cri_scene_open(book, "smoothing_push", pushing, &c->m, error);
}

void cri_smoothed_cube_close(cr_smoothed_cube* c) {
  for (int i = 0; i < CR_CUBE_WIDTHS; i++) {
    cr_model_destroy(c->smooth[i]);
  }
  cr_model_destroy(c->m);
  *c = (cr_smoothed_cube){.samples = 0};
}

cr_status cri_smoothed_cube_errors(const cr_smoothed_cube* c, int pose, double gap,
                                   cr_cube_errors* errors, cr_error* error) {
  return c->scene == CR_CUBE_FALLS ? errors_falling(c, pose, gap * height_noise(), errors, error)
                                   : errors_pushed(c, pose, gap * setpoint_noise, errors, error);
}
