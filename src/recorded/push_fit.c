// SPDX-License-Identifier: Apache-2.0
// Fits to pushes, and predictions.
#include "recorded/push_fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "carom/carom.h"
#include "recorded/push_scene.h"
#include "recorded/weights.h"

const cr_push_number cri_push_numbers[CR_PUSH_NUMBERS] = {
    {"ground friction", "geom_friction[floor][0]", "", 0.35, 0.15, 0.5, 0, true},
    {"finger friction", "geom_friction[finger][0]", "", 0.25, 0.02, 1, 0, true},
    {"shape x", "body_pos[plate][0]", "m", 0, -0.005, 0.005, 5e-4, false},
    {"shape y", "body_pos[plate][1]", "m", 0, -0.005, 0.005, 5e-4, false},
    {"pressure x", "body_pos[feet][0]", "m", 0, 0, 0, 1e-3, false},
    {"pressure y", "body_pos[feet][1]", "m", 0, 0, 0, 1e-3, false},
};
enum { TUNE_STRIDE = 5, LEARN_STRIDE = 1 };  // rows from one that counts to the next
static const cr_real position_noise = CR_R(0.01), yaw_noise = CR_R(0.2);  // m, rad
static const cr_real no_weight = CR_R(1e6);

// ---- measurements

static cr_status add(cr_measurements* ms, const char* place, int rows, const cr_real* time,
                     const cr_real* values, cr_real noise, cr_error* error) {
  const cr_channel_info channel = {.size = sizeof channel,
                                   .place = place,
                                   .rows = rows,
                                   .time = time,
                                   .values = values,
                                   .noise = noise};
  return cr_measurements_add(ms, &channel, error);
}

static int steps_of(const cr_push* p, double h) { return (int)ceil(p->time / h); }

static cr_status add_controls(cr_measurements* ms, const cr_push* p, double h, cr_real* room,
                              cr_error* error) {
  int n = steps_of(p, h);
  cr_real *time = room, *x = room + n, *y = room + (ptrdiff_t)2 * n;
  for (int k = 0; k < n; k++) {
    cr_real ctrl[CR_PUSH_NU];
    cri_push_control(p, h, k, ctrl, NULL);
    time[k] = (cr_real)(h * k);
    x[k] = ctrl[0];
    y[k] = ctrl[1];
  }
  CR_TRY(add(ms, "ctrl[to_x]", n, time, x, 0, error));
  return add(ms, "ctrl[to_y]", n, time, y, 0, error);
}

// the start is known: both rest where they were tracked. Single rows without weight say so
static cr_status add_start(cr_measurements* ms, const cr_push* p, cr_error* error) {
  static const char* const rates[] = {"qvel[finger_x]", "qvel[finger_y]", "qvel[x]", "qvel[y]",
                                      "qvel[yaw]"};
  const cr_real zero = 0;
  double at[2];
  cri_push_finger(p, 0, at);
  const cr_real x = (cr_real)at[0], y = (cr_real)at[1];
  CR_TRY(add(ms, "qpos[finger_x]", 1, &zero, &x, no_weight, error));
  CR_TRY(add(ms, "qpos[finger_y]", 1, &zero, &y, no_weight, error));
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    CR_TRY(add(ms, rates[i], 1, &zero, &zero, no_weight, error));
  }
  return CR_OK;
}

static int rows_of(const cr_push* p, int stride) { return (p->nbody - 1) / stride + 1; }

static cr_status add_poses(cr_measurements* ms, const cr_push* p, int stride, cr_real* room,
                           cr_error* error) {
  static const char* const places[] = {"qpos[x]", "qpos[y]", "qpos[yaw]"};
  int n = rows_of(p, stride);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < n; i++) {
      room[i] = (cr_real)p->body[i * stride][0];
      room[n + i] = (cr_real)p->body[i * stride][1 + j];
    }
    CR_TRY(add(ms, places[j], n, room, room + n, j < 2 ? position_noise : yaw_noise, error));
  }
  return CR_OK;
}

static cr_status add_push(cr_measurements* ms, const cr_model* m, const cr_push* p, int group,
                          int stride, cr_error* error) {
  double h = (double)cr_model_timestep(m);
  cr_real* room = calloc((size_t)(3 * steps_of(p, h) + 2 * p->nbody), sizeof *room);
  CR_TRY(room != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory"));
  cr_status status = cr_measurements_begin(ms, p->name, group, error);
  status = status == CR_OK ? add_controls(ms, p, h, room, error) : status;
  status = status == CR_OK ? add_start(ms, p, error) : status;
  status = status == CR_OK ? add_poses(ms, p, stride, room, error) : status;
  free(room);
  return status;
}

static cr_status measure(const cr_model* m, const cr_push_lesson* lesson, int stride,
                         cr_measurements** ms, cr_error* error) {
  CR_TRY(cr_measurements_create(ms, m, error));
  for (int i = 0; i < lesson->n; i++) {
    CR_TRY(add_push(*ms, m, &lesson->data->push[lesson->push[i]], i, stride, error));
  }
  return CR_OK;
}

static cr_identification_options options_of(const cr_push_lesson* lesson, cr_real huber) {
  return (cr_identification_options){.size = sizeof(cr_identification_options),
                                     .start = CR_START_MEASURED,
                                     .huber = huber,
                                     .nthread = 1,
                                     .stop = lesson->stop,
                                     .context = lesson->context};
}

// ---- numbers of the model

static cr_status bind(const cr_model* m, cr_parameters** ps, cr_error* error) {
  cr_parameter_info items[CR_PUSH_NUMBERS];
  const cr_parameter_info* list[CR_PUSH_NUMBERS];
  for (int i = 0; i < CR_PUSH_NUMBERS; i++) {
    const cr_push_number* k = &cri_push_numbers[i];
    cr_real start = (cr_real)k->start, lower = (cr_real)k->lower, upper = (cr_real)k->upper;
    if (k->lower == k->upper) {  // about what the model has
      CR_TRY(cr_model_get(m, k->target, &start, 1, error));
      lower = start - 5 * (cr_real)k->sd;
      upper = start + 5 * (cr_real)k->sd;
    }
    items[i] = (cr_parameter_info){.size = sizeof items[i],
                                   .name = k->name,
                                   .target = k->target,
                                   .transform = k->logarithm ? CR_TRANSFORM_LOG : CR_TRANSFORM_NONE,
                                   .start = start,
                                   .lower = lower,
                                   .upper = upper,
                                   .prior = start,
                                   .prior_sd = (cr_real)k->sd};
    list[i] = &items[i];
  }
  return cr_parameters_create(ps, m, list, CR_PUSH_NUMBERS, error);
}

static cr_status search(cr_parameters* ps, const cr_measurements* ms, const cr_push_lesson* lesson,
                        cr_real* number, cr_real* deviation, cr_real rms[2], cr_error* error) {
  const cr_search how = {.size = sizeof how, .iterations = 30, .tolerance = CR_R(1e-4)};
  const cr_identification_options options = options_of(lesson, 3);
  cr_search_end end = {.size = sizeof end};
  cr_identification* id = NULL;
  cr_real x[CR_PUSH_NUMBERS];
  cr_status status = cr_identification_create(&id, ps, ms, &options, error);
  status = status == CR_OK ? cr_identification_get_start(id, x, error) : status;
  status = status == CR_OK ? cr_identification_solve(id, &how, x, &end, error) : status;
  status = status == CR_OK ? cr_parameters_get_values(ps, x, number, error) : status;
  for (int i = 0; i < CR_PUSH_NUMBERS && status == CR_OK; i++) {
    cr_estimate e = {.size = sizeof e};
    status = cr_identification_get(id, i, &e, error);
    deviation[i] = e.deviation;
  }
  rms[0] = rms[1] = 0;
  for (int i = 0; status == CR_OK && i < cr_identification_places(id); i++) {
    cr_fit_of_place fit = {.size = sizeof fit};
    status = cr_identification_get_place(id, CR_RUNS_TRAIN, i, &fit, error);
    if (fit.noise == position_noise) {
      rms[0] = cr_sqrt(rms[0] * rms[0] + fit.rms * fit.rms);
    } else if (fit.noise == yaw_noise) {
      rms[1] = fit.rms;
    }
  }
  cr_identification_destroy(id);
  return status;
}

cr_status cri_push_put(cr_model* m, const cr_real* number, cr_error* error) {
  for (int i = 0; i < CR_PUSH_NUMBERS; i++) {
    CR_TRY(cr_model_set(m, cri_push_numbers[i].target, &number[i], 1, error));
  }
  return cr_model_derive(m, error);
}

cr_status cri_push_tune(cr_model* m, const cr_push_lesson* lesson, cr_real* number,
                        cr_real* deviation, cr_real rms[2], cr_error* error) {
  cr_parameters* ps = NULL;
  cr_measurements* ms = NULL;
  cr_status status = bind(m, &ps, error);
  status = status == CR_OK ? measure(m, lesson, TUNE_STRIDE, &ms, error) : status;
  status = status == CR_OK ? search(ps, ms, lesson, number, deviation, rms, error) : status;
  cr_measurements_destroy(ms);
  cr_parameters_destroy(ps);
  return status == CR_OK ? cri_push_put(m, number, error) : status;
}

// ---- the network

static cr_status add_network(cr_model* m, uint64_t seed, cr_error* error) {
  static const cr_correction_input inputs[] = {
      {.size = sizeof inputs[0], .place = "qvel[x]", .scale = 20},
      {.size = sizeof inputs[0], .place = "qvel[y]", .scale = 20},
      {.size = sizeof inputs[0], .place = "qvel[yaw]", .scale = 1},
      {.size = sizeof inputs[0], .place = "qpos[x]", .scale = 20},
      {.size = sizeof inputs[0], .place = "qpos[y]", .scale = 20},
      {.size = sizeof inputs[0], .place = "qpos[yaw]", .scale = 2},
      {.size = sizeof inputs[0], .place = "contact[*].pos", .scale = 20},
  };
  enum { N_INPUT = sizeof inputs / sizeof inputs[0] };
  static const cr_layer layers[] = {{.size = sizeof layers[0],
                                     .kind = CR_LAYER_DENSE,
                                     .width = 16,
                                     .activation = CR_ACTIVATION_TANH}};
  const cr_correction_input* list[N_INPUT];
  for (int i = 0; i < N_INPUT; i++) {
    list[i] = &inputs[i];
  }
  const cr_correction_options o = {.size = sizeof o,
                                   .name = "ground",
                                   .target = "contact[floor:foot*].friction_force",
                                   .inputs = list,
                                   .ninput = N_INPUT,
                                   .layers = layers,
                                   .nlayer = 1,
                                   .output_scale = CR_R(0.1),
                                   .seed = seed};
  return cr_model_add_correction(m, &o, error);
}

// ---- one network for all shapes, by Adam on a few pushes of a shape at a time

enum { BATCH = 3 };

// pushes of one shape
typedef struct {
  cr_measurements* ms;
  cr_identification* id;
  int numbers;
} batch;

typedef struct {
  const cr_push_lesson* lesson;
  const cr_push_training* t;
  cr_parameters* ps[CR_PUSH_SHAPES];
  batch* batches;
  int nbatch;
  int32_t* order;
  int epoch;  // whose order it is
} school;

static cr_status add_batch(school* s, const cr_model* m, const int* push, int n, cr_error* error) {
  const cr_push_data* data = s->lesson->data;
  const cr_push_lesson part = {
      .data = data, .push = push, .n = n, .stop = s->lesson->stop, .context = s->lesson->context};
  const cr_identification_options options = options_of(&part, 0);
  batch* b = &s->batches[s->nbatch++];
  for (int i = 0; i < n; i++) {
    b->numbers += 3 * rows_of(&data->push[push[i]], LEARN_STRIDE);
  }
  CR_TRY(measure(m, &part, LEARN_STRIDE, &b->ms, error));
  return cr_identification_create(&b->id, s->ps[data->push[push[0]].shape], b->ms, &options, error);
}

// consecutive pushes of a shape, in parts of about equal size
static cr_status add_batches(school* s, cr_model* const* m, cr_error* error) {
  const cr_push_lesson* l = s->lesson;
  for (int i = 0, end; i < l->n; i = end) {
    int shape = l->data->push[l->push[i]].shape;
    for (end = i; end < l->n && l->data->push[l->push[end]].shape == shape; end++) {
    }
    int parts = (end - i + BATCH - 1) / BATCH;
    for (int k = 0; k < parts; k++) {
      int from = i + (end - i) * k / parts, to = i + (end - i) * (k + 1) / parts;
      CR_TRY(add_batch(s, m[shape], l->push + from, to - from, error));
    }
  }
  return CR_OK;
}

// mean cost of a number, of one batch
static cr_status evaluate(void* context, int iteration, const cr_real* x, cr_real* value,
                          cr_real* gradient, cr_error* error) {
  school* s = context;
  int epoch = iteration / s->nbatch;
  if (epoch != s->epoch) {
    cr_random random = cr_random_seed(s->t->seed, (uint64_t)epoch);
    cr_random_shuffle(&random, s->order, s->nbatch);
    s->epoch = epoch;
  }
  const batch* b = &s->batches[s->order[iteration % s->nbatch]];
  CR_TRY(cr_identification_evaluate(b->id, CR_RUNS_TRAIN, x, value, gradient, error));
  *value /= (cr_real)b->numbers;
  for (int i = 0; i < cr_identification_count(b->id) && gradient != NULL; i++) {
    gradient[i] /= (cr_real)b->numbers;
  }
  return CR_OK;
}

// of all pushes
static cr_status mean_cost(school* s, const cr_real* x, cr_real* cost, cr_error* error) {
  int numbers = 0;
  *cost = 0;
  for (int i = 0; i < s->nbatch; i++) {
    cr_real part = 0;
    CR_TRY(cr_identification_evaluate(s->batches[i].id, CR_RUNS_TRAIN, x, &part, NULL, error));
    *cost += part;
    numbers += s->batches[i].numbers;
  }
  *cost /= (cr_real)numbers;
  return CR_OK;
}

static cr_status train(school* s, int n, cr_real* x, cr_real cost[2], cr_error* error) {
  const cr_minimise_problem problem = {
      .size = sizeof problem, .n = n, .evaluate = evaluate, .context = s};
  const cr_adam_options how = {.size = sizeof how,
                               .iterations = s->t->epochs * s->nbatch,
                               .rate = CR_R(0.01),
                               .final_rate = CR_R(0.001),
                               .weight_decay = CR_R(0.02),
                               .batches = true};
  CR_TRY(mean_cost(s, x, &cost[0], error));
  CR_TRY(cr_minimise_adam(&problem, &how, x, NULL, error));
  return mean_cost(s, x, &cost[1], error);
}

static cr_status teach(school* s, cr_model* const* m, cr_real cost[2], cr_error* error) {
  const cr_push_data* data = s->lesson->data;
  int n = 0;
  for (int i = 0; i < data->nshape; i++) {
    CR_TRY(add_network(m[i], s->t->seed, error));
    CR_TRY(cri_bind_weights(&s->ps[i], m[i], error));
    n = cr_parameters_count(s->ps[i]);
  }
  CR_TRY(add_batches(s, m, error));
  cr_real* x = calloc((size_t)n + 1, sizeof *x);
  CR_TRY(x != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory"));
  cr_status status = cr_parameters_get_start(s->ps[0], x, error);
  status = status == CR_OK ? train(s, n, x, cost, error) : status;
  for (int i = 0; i < data->nshape && status == CR_OK; i++) {
    status = cr_model_set(m[i], "plugin_param", x, n, error);
  }
  free(x);
  return status;
}

cr_status cri_push_correct(cr_model* const* m, const cr_push_lesson* lesson,
                           const cr_push_training* t, cr_real cost[2], cr_error* error) {
  school s = {.lesson = lesson,
              .t = t,
              .batches = calloc((size_t)lesson->n, sizeof *s.batches),
              .order = calloc((size_t)lesson->n, sizeof *s.order),
              .epoch = -1};
  cr_status status = s.batches != NULL && s.order != NULL
                         ? teach(&s, m, cost, error)
                         : cri_fail(error, CR_ERR_MEMORY, "no memory");
  for (int i = 0; i < s.nbatch; i++) {
    cr_identification_destroy(s.batches[i].id);
    cr_measurements_destroy(s.batches[i].ms);
  }
  for (int i = 0; i < lesson->data->nshape; i++) {
    cr_parameters_destroy(s.ps[i]);
  }
  free(s.batches);
  free(s.order);
  return status;
}

// ---- predictions

static void begin(const cr_model* m, cr_rollout* r, const cr_push* p, int n, double h) {
  double at[2];
  cr_real* ctrl = cr_rollout_ctrl(r);
  cr_real* qpos = cr_data_view(m, cr_rollout_data(r), "qpos", NULL, NULL);
  cri_push_finger(p, 0, at);
  qpos[0] = (cr_real)at[0];
  qpos[1] = (cr_real)at[1];
  for (int k = 0; k < n; k++) {
    cri_push_control(p, h, k, ctrl + (ptrdiff_t)CR_PUSH_NU * k, NULL);
  }
}

static cr_status run(const cr_model* m, cr_rollout* r, const cr_push* p, double* pose,
                     double off[2], cr_error* error) {
  double h = (double)cr_model_timestep(m);
  int n = steps_of(p, h);
  begin(m, r, p, n, h);
  CR_TRY(cr_rollout_run(r, m, n, NULL, error));
  for (int i = pose != NULL ? 0 : p->nbody - 1; i < p->nbody; i++) {
    cr_real qpos[2 * CR_PUSH_NQ];
    double t = fmin(p->body[i][0] / h, n), part, at[3];
    int k = t < n ? (int)t : n - 1;
    part = t - k;
    CR_TRY(cr_rollout_get_states(r, m, k, 2, NULL, qpos, NULL, NULL, error));
    for (int j = 0; j < 3; j++) {
      double a = (double)qpos[CR_PUSH_BODY + j], b = (double)qpos[CR_PUSH_NQ + CR_PUSH_BODY + j];
      at[j] = a + part * (b - a);
      if (pose != NULL) {
        pose[3 * i + j] = at[j];
      }
    }
    off[0] = hypot(at[0] - p->body[i][1], at[1] - p->body[i][2]);
    off[1] = fabs(at[2] - p->body[i][3]);
  }
  return CR_OK;
}

cr_status cri_push_predict(const cr_model* m, const cr_push* push, double* pose, double off[2],
                           cr_error* error) {
  cr_rollout* r = NULL;
  int n = steps_of(push, (double)cr_model_timestep(m));
  cr_status status = cr_rollout_create(&r, m, n, NULL, 0, error);
  status = status == CR_OK ? run(m, r, push, pose, off, error) : status;
  cr_rollout_destroy(r);
  return status;
}
