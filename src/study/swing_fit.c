// SPDX-License-Identifier: Apache-2.0
// Identification of a double pendulum.
#include "study/swing_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "carom/carom.h"
#include "study/learned.h"
#include "study/scenes.h"

static const char scene[] =
    "<mujoco model=\"double pendulum\">\n"
    "  <option timestep=\"0.0025\" integrator=\"RK4\"/>\n"
    "  <worldbody>\n"
    "    <body name=\"first\">\n"
    "      <joint name=\"shoulder\" axis=\"0 1 0\"/>\n"
    "      <inertial pos=\"0 0 -0.07\" mass=\"0.1\" diaginertia=\"0.02 0.001 0.02\"/>\n"
    "      <body name=\"second\" pos=\"0 0 -0.14\">\n"
    "        <joint name=\"elbow\" axis=\"0 1 0\"/>\n"
    "        <inertial pos=\"0 0 -0.05\" mass=\"0.1\" diaginertia=\"0.02 0.001 0.02\"/>\n"
    "      </body>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "  <sensor>\n"
    "    <jointpos name=\"later_shoulder\" joint=\"shoulder\"/>\n"
    "    <jointpos name=\"later_elbow\" joint=\"elbow\"/>\n"
    "  </sensor>\n"
    "</mujoco>\n";

// chosen, because angles do not tell them: masses (kg), and where the mass of arm 1 is (m)
static const cr_real mass = CR_R(0.1), c1 = CR_R(0.07), gravity = CR_R(9.81);

const cr_swing_number cri_swing_numbers[CR_SWING_N] = {
    {"l1", "m", "length of arm 1"},
    {"A", "m", "inertia of arm 1 with arm 2 at its end, over P"},
    {"C", "m", "inertia of arm 2 about its joint, over P"},
    {"Q", "", "weight moment of arm 2 over that of arm 1"},
    {"damping_1", "m/s", "viscous friction, joint 1, over P"},
    {"damping_2", "m/s", "viscous friction, joint 2, over P"},
    {"friction_1", "m/s^2", "dry friction, joint 1, over P"},
    {"friction_2", "m/s^2", "dry friction, joint 2, over P"},
    {"rest", "rad", "angle of arm 1 at rest"},
    {"centre", "rad", "centre of mass of arm 2 beside its marker"},
};

// ---- numbers and parameters

// in the order of the search; those of friction last
enum {
  P_LENGTH,
  P_CENTRE_Z,
  P_CENTRE_X,
  P_GRAVITY,
  P_INERTIA_1,
  P_INERTIA_2,
  P_DAMPING_1,
  P_DAMPING_2,
  P_FRICTION_1,
  P_FRICTION_2,
  P_N,
  P_FIRST_FRICTION = P_DAMPING_1
};
static const struct {
  const char *name, *target;
  cr_transform transform;
  double lower, upper;
} parameters[P_N] = {
    {"length", "body_pos[second][2]", CR_TRANSFORM_NONE, -2, -0.01},
    {"centre", "body_ipos[second][2]", CR_TRANSFORM_NONE, -1, -1e-3},
    {"beside", "body_ipos[second][0]", CR_TRANSFORM_NONE, -0.5, 0.5},
    {"tilt", "gravity[0]", CR_TRANSFORM_NONE, -5, 5},
    {"inertia of arm 1", "body_inertia[first][1]", CR_TRANSFORM_LOG, 1e-6, 0.039},
    {"inertia of arm 2", "body_inertia[second][1]", CR_TRANSFORM_LOG, 1e-6, 0.039},
    {"damping of joint 1", "dof_damping[shoulder]", CR_TRANSFORM_LOG, 1e-8, 0.1},
    {"damping of joint 2", "dof_damping[elbow]", CR_TRANSFORM_LOG, 1e-8, 0.1},
    {"friction of joint 1", "dof_frictionloss[shoulder]", CR_TRANSFORM_LOG, 1e-8, 0.1},
    {"friction of joint 2", "dof_frictionloss[elbow]", CR_TRANSFORM_LOG, 1e-8, 0.1},
};

static void parameters_of(const cr_real* number, cr_real* p) {
  cr_real l1 = number[CR_SWING_L1], P = mass * (c1 + l1);
  cr_real c2 = number[CR_SWING_Q] * P / mass;
  p[P_LENGTH] = -l1;
  p[P_CENTRE_Z] = -c2 * cr_cos(number[CR_SWING_CENTRE]);
  p[P_CENTRE_X] = -c2 * cr_sin(number[CR_SWING_CENTRE]);
  p[P_GRAVITY] = -gravity * (cr_sin(number[CR_SWING_REST]) / cr_cos(number[CR_SWING_REST]));
  p[P_INERTIA_1] = number[CR_SWING_A] * P - mass * (c1 * c1 + l1 * l1);
  p[P_INERTIA_2] = number[CR_SWING_C] * P - mass * c2 * c2;
  for (int k = 0; k < 4; k++) {
    p[P_FIRST_FRICTION + k] = number[CR_SWING_DAMPING_1 + k] * P;
  }
}

static void numbers_of(const cr_real* p, cr_real* number) {
  cr_real l1 = -p[P_LENGTH], P = mass * (c1 + l1), x = p[P_CENTRE_X], z = p[P_CENTRE_Z];
  cr_real c2 = cr_sqrt(x * x + z * z);
  number[CR_SWING_L1] = l1;
  number[CR_SWING_A] = (p[P_INERTIA_1] + mass * (c1 * c1 + l1 * l1)) / P;
  number[CR_SWING_C] = (p[P_INERTIA_2] + mass * c2 * c2) / P;
  number[CR_SWING_Q] = mass * c2 / P;
  number[CR_SWING_REST] = cr_atan2(-p[P_GRAVITY], gravity);
  number[CR_SWING_CENTRE] = cr_atan2(-x, -z);
  for (int k = 0; k < 4; k++) {
    number[CR_SWING_DAMPING_1 + k] = p[P_FIRST_FRICTION + k] / P;
  }
}

void cri_swing_guess(cr_real number[CR_SWING_N]) {
  // rods of the stated 91 and 70 mm, at the 500 rows a second that 91 mm go with; a nominal interval of 1/400 s makes that longer
  const cr_real stretch = CR_R(1.5625), l1 = CR_R(0.091) * stretch, l2 = CR_R(0.07) * stretch;
  const cr_real P = CR_R(1.5) * l1;  // over the mass of a rod
  cr_zero(number, CR_SWING_N);
  number[CR_SWING_L1] = l1;
  number[CR_SWING_A] = l1 * l1 * (CR_R(1.0) / 3 + 1) / P;
  number[CR_SWING_C] = l2 * l2 / 3 / P;
  number[CR_SWING_Q] = l2 / 2 / P;
  number[CR_SWING_DAMPING_1] = number[CR_SWING_DAMPING_2] = CR_R(1e-3);
  number[CR_SWING_FRICTION_1] = number[CR_SWING_FRICTION_2] = CR_R(1e-2);
}

cr_status cri_swing_put(cr_model* m, const cr_real number[CR_SWING_N], cr_error* error) {
  cr_real p[P_N];
  parameters_of(number, p);
  for (int k = 0; k < P_N; k++) {
    CR_TRY(cr_model_set(m, parameters[k].target, &p[k], 1, error));
  }
  return cr_model_derive(m, error);
}

cr_status cri_swing_open(const cr_notebook* book, cr_real timestep, cr_model** m, cr_error* error) {
  cr_real guess[CR_SWING_N];
  CR_TRY(cri_scene_open(book, "pendulum", scene, m, error));
  CR_TRY(cr_model_set_option(*m, "timestep", timestep, error));
  cri_swing_guess(guess);
  return cri_swing_put(*m, guess, error);
}

// ---- measurements

enum { FIRST, SECOND, N_ANGLE };
static const char* const places[N_ANGLE] = {"qpos[shoulder]", "qpos[elbow]"};
static const char* const later[N_ANGLE] = {"sensordata[later_shoulder]", "sensordata[later_elbow]"};

static const cr_real film_noise = CR_R(0.002);  // rad

// rows first ... first + rows - 1 as one run
static cr_status add_piece(cr_measurements* ms, const cr_swing_data* data, int run, int first,
                           int rows, const char* const* place, cr_real noise, cr_error* error) {
  cr_real* numbers = calloc((size_t)rows * 2 + 1, sizeof *numbers);
  cr_status status = numbers != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory");
  for (int j = 0; j < N_ANGLE && status == CR_OK; j++) {
    for (int i = 0; i < rows; i++) {
      numbers[i] = (cr_real)i * data->interval;
      numbers[rows + i] = (cr_real)data->run[run].angle[2 * (first + i) + j];
    }
    const cr_channel_info channel = {.size = sizeof channel,
                                     .place = place[j],
                                     .rows = rows,
                                     .time = numbers,
                                     .values = numbers + rows,
                                     .noise = noise};
    status = cr_measurements_add(ms, &channel, error);
  }
  free(numbers);
  return status;
}

// noise 0: to be found
static cr_status take_pieces(cr_measurements* ms, const cr_swing_search* s, cr_real noise,
                             cr_error* error) {
  int rows = (int)lround((double)(s->piece / s->data->interval)) + 1;
  for (int r = s->first; r < s->first + s->runs; r++) {
    const cr_swing_run* run = &s->data->run[r];
    for (int k = 0; k < s->pieces; k++) {
      char name[CR_SWING_NAME + 16];
      (void)snprintf(name, sizeof name, "%s.%d", run->name, k);
      CR_TRY(cr_measurements_begin(ms, name, r, error));
      int first = (int)((double)(run->rows - rows) * k / s->pieces);
      CR_TRY(add_piece(ms, s->data, r, first, rows, places, noise, error));
    }
  }
  return CR_OK;
}

// ---- identification

static const cr_real windows[] = {CR_R(0.1), CR_R(0.2)};
enum { N_STAGE = (int)(sizeof windows / sizeof windows[0]) };

// numbers at x, and their standard deviations by the covariance of x
static cr_status deviations(const cr_identification* id, cr_parameters* ps, int n, const cr_real* x,
                            cr_swing_found* found, cr_error* error) {
  cr_real covariance[P_N * P_N], slope[P_N][CR_SWING_N];
  CR_TRY(cr_identification_covariance(id, covariance, NULL, error));
  for (int j = 0; j < n; j++) {
    cr_real at[2][CR_SWING_N];
    cr_real h = CR_R(1e-5) * (cr_abs(x[j]) + CR_R(1e-3));
    for (int side = 0; side < 2; side++) {
      cr_real moved[P_N], p[P_N] = {0};
      cr_copy(moved, x, n);
      moved[j] += side == 0 ? -h : h;
      CR_TRY(cr_parameters_get_values(ps, moved, p, error));
      numbers_of(p, at[side]);
    }
    for (int i = 0; i < CR_SWING_N; i++) {
      slope[j][i] = (at[1][i] - at[0][i]) / (2 * h);
    }
  }
  for (int i = 0; i < CR_SWING_N; i++) {
    cr_real sum = 0;
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++) {
        bool counts = slope[j][i] != 0 && slope[k][i] != 0;
        sum += counts ? slope[j][i] * covariance[j * n + k] * slope[k][i] : 0;
      }
    }
    found->deviation[i] = cr_sqrt(sum);
  }
  return CR_OK;
}

static cr_status report(cr_identification* id, cr_parameters* ps, int n, const cr_real* x,
                        cr_swing_found* found, cr_error* error) {
  cr_real p[P_N] = {0};
  CR_TRY(cr_parameters_get_values(ps, x, p, error));
  numbers_of(p, found->number);
  CR_TRY(deviations(id, ps, n, x, found, error));
  for (int j = 0; j < N_ANGLE; j++) {
    cr_fit_of_place fit = {.size = sizeof fit};
    CR_TRY(cr_identification_get_place(id, CR_RUNS_TRAIN, j, &fit, error));
    found->rms[j] = fit.rms;
    found->correlation[j] = fit.correlation;
  }
  return CR_OK;
}

static cr_status bind(const cr_model* m, int n, cr_parameters** ps, cr_error* error) {
  cr_parameter_info items[P_N];
  const cr_parameter_info* list[P_N];
  cr_real guess[CR_SWING_N], p[P_N];
  cri_swing_guess(guess);
  parameters_of(guess, p);
  for (int k = 0; k < n; k++) {
    items[k] = (cr_parameter_info){.size = sizeof items[k],
                                   .name = parameters[k].name,
                                   .target = parameters[k].target,
                                   .transform = parameters[k].transform,
                                   .start = p[k],
                                   .lower = (cr_real)parameters[k].lower,
                                   .upper = (cr_real)parameters[k].upper};
    list[k] = &items[k];
  }
  return cr_parameters_create(ps, m, list, n, error);
}

static cr_status stages(cr_parameters* ps, const cr_measurements* ms, int n, cr_swing_found* found,
                        bool (*stop)(void*), void* context, cr_error* error) {
  const cr_search search = {.size = sizeof search, .iterations = 60, .tolerance = CR_R(1e-6)};
  cr_real x[P_N];
  CR_TRY(cr_parameters_get_start(ps, x, error));
  for (int k = 0; k < N_STAGE; k++) {
    cr_identification* id = NULL;
    const cr_identification_options options = {.size = sizeof options,
                                               .window = windows[k],
                                               .correlated = k + 1 == N_STAGE,
                                               .nthread = 1,
                                               .stop = stop,
                                               .context = context};
    cr_search_end end = {.size = sizeof end};
    cr_status status = cr_identification_create(&id, ps, ms, &options, error);
    status = status == CR_OK ? cr_identification_solve(id, &search, x, &end, error) : status;
    if (status == CR_OK && k + 1 == N_STAGE) {
      found->converged = end.converged;
      status = report(id, ps, n, x, found, error);
    }
    cr_identification_destroy(id);
    CR_TRY(status);
  }
  return CR_OK;
}

cr_status cri_swing_fit(const cr_model* m, const cr_swing_search* search, cr_swing_found* found,
                        bool (*stop)(void*), void* context, cr_error* error) {
  int n = search->frictionless ? P_FIRST_FRICTION : P_N;
  cr_real guess[CR_SWING_N];
  cr_model* base = NULL;
  cr_parameters* ps = NULL;
  cr_measurements* ms = NULL;
  *found = (cr_swing_found){.converged = false};
  cri_swing_guess(guess);
  if (search->frictionless) {
    cr_zero(guess + CR_SWING_DAMPING_1, 4);
  }
  cr_status status = cr_model_copy(&base, m, error);
  status = status == CR_OK ? cri_swing_put(base, guess, error) : status;
  status = status == CR_OK ? bind(base, n, &ps, error) : status;
  status = status == CR_OK ? cr_measurements_create(&ms, base, error) : status;
  status = status == CR_OK ? take_pieces(ms, search, 0, error) : status;
  status = status == CR_OK ? stages(ps, ms, n, found, stop, context, error) : status;
  cr_measurements_destroy(ms);
  cr_parameters_destroy(ps);
  cr_model_destroy(base);
  return status;
}

// ---- correction

// cosines and sines of both arms, which do not care for whole turns, and both velocities
enum { N_INPUT = 6, WIDTH = 8, STEPS = 15 };
static const cr_correction_input inputs[N_INPUT] = {
    {.size = sizeof inputs[0], .place = "xmat[first][0]"},
    {.size = sizeof inputs[0], .place = "xmat[first][2]"},
    {.size = sizeof inputs[0], .place = "xmat[second][0]"},
    {.size = sizeof inputs[0], .place = "xmat[second][2]"},
    {.size = sizeof inputs[0], .place = "qvel[shoulder]", .scale = CR_R(0.1)},
    {.size = sizeof inputs[0], .place = "qvel[elbow]", .scale = CR_R(0.05)}};
static const cr_correction_input* const input_list[N_INPUT] = {&inputs[0], &inputs[1], &inputs[2],
                                                               &inputs[3], &inputs[4], &inputs[5]};

static const cr_real torque = CR_R(3e-3);  // N m of an output of 1; gravity has 0.2

// a network for each joint
static cr_status add_networks(cr_model* m, uint64_t seed, cr_error* error) {
  static const char* const joints[N_ANGLE] = {"shoulder", "elbow"};
  const cr_layer layer = {.size = sizeof layer,
                          .kind = CR_LAYER_DENSE,
                          .width = WIDTH,
                          .activation = CR_ACTIVATION_TANH};
  for (int j = 0; j < N_ANGLE; j++) {
    char target[32];
    (void)snprintf(target, sizeof target, "qfrc_passive[%s]", joints[j]);
    const cr_correction_options o = {.size = sizeof o,
                                     .name = joints[j],
                                     .target = target,
                                     .inputs = input_list,
                                     .ninput = N_INPUT,
                                     .layers = &layer,
                                     .nlayer = 1,
                                     .output_scale = torque,
                                     .seed = N_ANGLE * seed + (uint64_t)j};
    CR_TRY(cr_model_add_correction(m, &o, error));
  }
  return CR_OK;
}

cr_status cri_swing_correct(cr_model* m, const cr_swing_search* search, uint64_t seed,
                            bool (*stop)(void*), void* context, cr_error* error) {
  const cr_lesson lesson = {.window = windows[N_STAGE - 1],
                            .find_starts = true,
                            .prior_sd = 3,
                            .stop = stop,
                            .context = context};
  cr_measurements* ms = NULL;
  cr_learner l = {0};
  cr_search_end end;
  CR_TRY(add_networks(m, seed, error));
  cr_status status = cr_measurements_create(&ms, m, error);
  status = status == CR_OK ? take_pieces(ms, search, film_noise, error) : status;
  status = status == CR_OK ? cri_learner_open(&l, m, ms, &lesson, error) : status;
  status = status == CR_OK ? cri_learner_solve(&l, STEPS, &end, error) : status;
  status = status == CR_OK ? cr_model_set(m, "plugin_param", l.x, l.n, error) : status;
  cri_learner_close(&l);
  cr_measurements_destroy(ms);
  return status;
}

// ---- prediction

// Only the start is unknown. The later rows are measured by sensors of no weight, so that they are predicted too.
static const cr_real no_weight = CR_R(1e7);  // rad

static cr_status predict(cr_parameters* ps, cr_measurements* ms, const cr_swing_data* data, int run,
                         int first, int start, int rows, cr_real* angle, cr_error* error) {
  cr_identification* id = NULL;
  const cr_search search = {.size = sizeof search, .iterations = 60};
  cr_search_end end = {.size = sizeof end};
  cr_real x[1], *column = calloc((size_t)rows + 1, sizeof *column);
  CR_TRY(column != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory"));
  cr_status status = cr_measurements_begin(ms, "run", 0, error);
  status =
      status == CR_OK ? add_piece(ms, data, run, first, start, places, film_noise, error) : status;
  status =
      status == CR_OK ? add_piece(ms, data, run, first, rows, later, no_weight, error) : status;
  const cr_identification_options options = {
      .size = sizeof options, .window = (cr_real)(rows + 1) * data->interval, .nthread = 1};
  status = status == CR_OK ? cr_identification_create(&id, ps, ms, &options, error) : status;
  status = status == CR_OK ? cr_parameters_get_start(ps, x, error) : status;
  status = status == CR_OK ? cr_identification_solve(id, &search, x, &end, error) : status;
  for (int j = 0; j < N_ANGLE && status == CR_OK; j++) {
    status = cr_identification_predict(id, 0, N_ANGLE + j, column, error);
    for (int i = 0; i < rows && status == CR_OK; i++) {
      angle[2 * i + j] = column[i];
    }
  }
  cr_identification_destroy(id);
  free(column);
  return status;
}

cr_status cri_swing_predict(const cr_model* m, const cr_swing_data* data, int run, int first,
                            int start, int rows, cr_real* angle, cr_error* error) {
  // an identification wants a parameter: this one moves nothing in the plane
  const cr_parameter_info none = {.size = sizeof none,
                                  .name = "none",
                                  .target = "body_inertia[second][0]",
                                  .start = CR_R(0.02),
                                  .lower = CR_R(0.01),
                                  .upper = CR_R(0.03),
                                  .prior = CR_R(0.02),
                                  .prior_sd = CR_R(1e-6)};
  const cr_parameter_info* list[] = {&none};
  cr_parameters* ps = NULL;
  cr_measurements* ms = NULL;
  cr_status status = cr_parameters_create(&ps, m, list, 1, error);
  status = status == CR_OK ? cr_measurements_create(&ms, m, error) : status;
  if (status == CR_OK) {
    status = predict(ps, ms, data, run, first, start, rows, angle, error);
  }
  cr_measurements_destroy(ms);
  cr_parameters_destroy(ps);
  return status;
}
