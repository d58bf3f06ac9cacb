// SPDX-License-Identifier: Apache-2.0
// A tossed cube with corrected friction.
#include "recorded/cube_slip.h"

#include <math.h>
#include <stdlib.h>

#include "base/real.h"
#include "base/status.h"
#include "carom/carom.h"
#include "recorded/weights.h"

enum { NQ = 7, NV = 6, ROW = NQ + NV };

// ---- friction of the reference

cr_status cri_cube_slippery(cr_model* m, cr_error* error) {
  // y = relu(vx) + relu(-vx) + relu(vy) + relu(-vy), 0.3 of friction less for each m/s; of spin and rolls too
  enum { HIDDEN = 4, OUT = 5 };
  static const cr_correction_input velocity = {.size = sizeof velocity, .place = "qvel"};
  static const cr_correction_input* const inputs[] = {&velocity};
  static const cr_layer layer = {
      .size = sizeof layer, .width = HIDDEN, .activation = CR_ACTIVATION_RELU};
  cr_real weight[HIDDEN * NV + HIDDEN + OUT * HIDDEN + OUT] = {0};
  for (int i = 0; i < HIDDEN; i++) {
    weight[NV * i + i / 2] = i % 2 == 0 ? 1 : -1;
  }
  for (int i = 0; i < OUT * HIDDEN; i++) {
    weight[HIDDEN * NV + HIDDEN + i] = -1;
  }
  const cr_correction_options o = {.size = sizeof o,
                                   .name = "slippery",
                                   .target = "contact[*].friction",
                                   .act = CR_CORRECTION_SCALE,
                                   .inputs = inputs,
                                   .ninput = 1,
                                   .layers = &layer,
                                   .nlayer = 1,
                                   .output_scale = CR_R(0.3),
                                   .weights = weight,
                                   .nweight = sizeof weight / sizeof weight[0]};
  return cr_model_add_correction(m, &o, error);
}

// ---- training

cr_status cri_cube_add_friction(cr_model* m, uint64_t seed, cr_error* error) {
  static const cr_correction_input velocity = {.size = sizeof velocity, .place = "qvel"};
  static const cr_correction_input distance = {
      .size = sizeof distance, .place = "contact[*].dist", .scale = 200};
  static const cr_correction_input* const inputs[] = {&velocity, &distance};
  static const cr_layer layer = {
      .size = sizeof layer, .width = 16, .activation = CR_ACTIVATION_TANH};
  const cr_correction_options o = {.size = sizeof o,
                                   .name = "friction",
                                   .target = "contact[*].friction",
                                   .act = CR_CORRECTION_SCALE,
                                   .inputs = inputs,
                                   .ninput = 2,
                                   .layers = &layer,
                                   .nlayer = 1,
                                   .output_scale = CR_R(0.2),
                                   .seed = seed};
  return cr_model_add_correction(m, &o, error);
}

cr_fit_options cri_cube_windows(uint64_t seed, bool (*stop)(void* context), void* context) {
  return (cr_fit_options){.size = sizeof(cr_fit_options),
                          .steps = 60,
                          .stride = 30,
                          .norm = CR_NORM_POWER,
                          .p = 1,
                          // so that each has about the same part in the loss
                          .position = 10,
                          .rotation = 1,
                          .velocity = CR_R(0.3),
                          .spin = CR_R(0.03),
                          .seed = (int64_t)seed,
                          .nthread = 1,
                          .stop = stop,
                          .context = context};
}

static cr_status search(cr_fit* fit, int n, int epochs, cr_real* x, cr_real loss[2],
                        cr_error* error) {
  enum { WINDOWS = 32 };
  cr_fit_info info = {.size = sizeof info};
  cr_fit_value value = {.size = sizeof value};
  CR_TRY(cr_fit_get_info(fit, CR_FIT_TRAIN, &info, error));
  CR_TRY(cr_fit_set_batch(fit, WINDOWS < info.windows ? WINDOWS : info.windows, error));
  const cr_minimise_problem problem = {
      .size = sizeof problem, .n = n, .evaluate = cr_fit_objective, .context = fit};
  const cr_adam_options how = {.size = sizeof how,
                               .iterations = epochs * ((info.windows + WINDOWS - 1) / WINDOWS),
                               .rate = CR_R(0.02),
                               .final_rate = CR_R(0.002),
                               .weight_decay = CR_R(0.01),
                               .batches = true};
  CR_TRY(cr_fit_evaluate(fit, CR_FIT_TRAIN, CR_ALL_DATA, x, &value, error));
  loss[0] = value.loss;
  CR_TRY(cr_minimise_adam(&problem, &how, x, NULL, error));
  CR_TRY(cr_fit_evaluate(fit, CR_FIT_TRAIN, CR_ALL_DATA, x, &value, error));
  loss[1] = value.loss;
  return CR_OK;
}

static cr_status train(cr_model* m, cr_parameters* ps, const cr_recordings* tosses, int epochs,
                       uint64_t seed, bool (*stop)(void* context), void* context, cr_real loss[2],
                       cr_error* error) {
  const cr_fit_options options = cri_cube_windows(seed, stop, context);
  cr_fit* fit = NULL;
  int n = cr_parameters_count(ps);
  cr_real* x = calloc((size_t)n + 1, sizeof *x);
  cr_status status = x != NULL ? cr_fit_create(&fit, ps, tosses, &options, error)
                               : cri_fail(error, CR_ERR_MEMORY, "no memory");
  status = status == CR_OK ? cr_parameters_get_start(ps, x, error) : status;
  status = status == CR_OK ? search(fit, n, epochs, x, loss, error) : status;
  status = status == CR_OK ? cr_model_set(m, "plugin_param", x, n, error) : status;
  cr_fit_destroy(fit);
  free(x);
  return status;
}

cr_status cri_cube_correct(cr_model* m, const cr_recordings* tosses, int epochs, uint64_t seed,
                           bool (*stop)(void* context), void* context, cr_real loss[2],
                           cr_error* error) {
  cr_parameters* ps = NULL;
  CR_TRY(cri_cube_add_friction(m, seed, error));
  CR_TRY(cri_bind_weights(&ps, m, error));
  cr_status status = train(m, ps, tosses, epochs, seed, stop, context, loss, error);
  cr_parameters_destroy(ps);
  return status;
}

// ---- predictions

cr_status cri_cube_predict(const cr_model* m, const cr_recording_info* toss, cr_real* rows,
                           cr_error* error) {
  cr_rollout* r = NULL;
  cr_status status = cr_rollout_create(&r, m, toss->rows, NULL, 0, error);
  if (status == CR_OK) {
    cr_data* d = cr_rollout_data(r);
    cr_copy(cr_data_view(m, d, "qpos", NULL, NULL), toss->values, NQ);
    cr_copy(cr_data_view(m, d, "qvel", NULL, NULL), toss->values + NQ, NV);
    status = cr_rollout_run(r, m, toss->rows - 1, NULL, error);
  }
  for (int k = 0; k < toss->rows && status == CR_OK; k++) {
    cr_real* row = rows + (ptrdiff_t)ROW * k;
    status = cr_rollout_get_states(r, m, k, 1, NULL, row, row + NQ, NULL, error);
  }
  cr_rollout_destroy(r);
  return status;
}

static double angle_between(const cr_real* p, const cr_real* q) {
  double dot = 0;
  for (int i = 0; i < 4; i++) {
    dot += (double)(p[i] * q[i]);
  }
  return 2 * acos(fmin(1, fabs(dot)));
}

cr_cube_errors cri_cube_compare(const cr_recording_info* toss, const cr_real* rows) {
  cr_cube_errors e = {0};
  for (int k = 1; k < toss->rows; k++) {
    const cr_real *seen = toss->values + (ptrdiff_t)ROW * k, *row = rows + (ptrdiff_t)ROW * k;
    double off[3];
    for (int i = 0; i < 3; i++) {
      off[i] = (double)(row[i] - seen[i]);
    }
    e.last_position = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
    e.last_rotation = angle_between(seen + 3, row + 3);
    e.position += e.last_position / (toss->rows - 1);
    e.rotation += e.last_rotation / (toss->rows - 1);
  }
  return e;
}
