// SPDX-License-Identifier: Apache-2.0
// A double pendulum with a friction that the model does not have (NeuralSim: Heiden, Millard, Coumans, Sheng and Sukhatme, 2021, "sparse
// neural augmentation"). A small network for each joint reads all angles and velocities and adds a torque. An adaptive group lasso on
// its inputs is to leave the joint's own velocity, because friction depends on nothing else. Beside it two networks that get no
// mechanics at all, from the same swings: one by the same search, and one that remembers (LSTM) from row to row.
//
// Hybrid: least squares; then descents with the lasso, the factor of each input 1 / its size before; then least squares over the weights
// that are left. Plain: the same with all factors 1.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "notebook/sweep.h"
#include "recorded/lstm_alone.h"
#include "study/launch.h"
#include "study/learned.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "tools/plot.h"

enum { N_JOINT = 2, N_INPUT = 4, N_GROUP = N_JOINT * N_INPUT };
enum { FINE = 5, TESTS = 20 };
static const char* const joints[N_JOINT] = {"shoulder", "elbow"};
static const cr_real friction[N_JOINT] = {CR_R(0.3), CR_R(0.1)};  // N m s/rad
static const cr_real timestep = CR_R(0.01);

// ---- models

static const char pendulum_text[] =
    "<mujoco model=\"double pendulum\">\n"
    "  <option timestep=\"0.01\" integrator=\"RK4\"/>\n"
    "  <default><geom type=\"capsule\" size=\"0.02\" contype=\"0\" conaffinity=\"0\"/></default>\n"
    "  <worldbody>\n"
    "    <body name=\"upper\">\n"
    "      <joint name=\"shoulder\" axis=\"0 1 0\"/>\n"
    "      <geom fromto=\"0 0 0 0 0 -0.5\" mass=\"1\"/>\n"
    "      <body name=\"lower\" pos=\"0 0 -0.5\">\n"
    "        <joint name=\"elbow\" axis=\"0 1 0\"/>\n"
    "        <geom fromto=\"0 0 0 0 0 -0.4\" mass=\"0.7\"/>\n"
    "      </body>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

// two flywheels of inertia 1: a torque is an acceleration, and all mechanics is left to the network
static const char alone_text[] =
    "<mujoco model=\"no mechanics\">\n"
    "  <option timestep=\"0.01\" integrator=\"RK4\" gravity=\"0 0 0\"/>\n"
    "  <default><geom type=\"sphere\" size=\"0.1\" contype=\"0\" conaffinity=\"0\"/></default>\n"
    "  <worldbody>\n"
    "    <body><joint name=\"shoulder\" axis=\"0 1 0\"/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/></body>\n"
    "    <body><joint name=\"elbow\" axis=\"0 1 0\"/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/></body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

typedef struct {
  const cr_notebook* book;
  cr_model *model, *truth, *flywheels;  // frictionless; with friction, finer steps; no mechanics
  int rows, tests;                      // of a swing; swings to predict
  int swings;                           // of which the claims are
} sparse;

static bool stopped(void* context) {
  const sparse* s = context;
  return s->book->request.stop != NULL && s->book->request.stop();
}

static cr_status open_models(sparse* s, cr_error* error) {
  CR_TRY(cri_scene_open(s->book, "sparse_pendulum", pendulum_text, &s->model, error));
  CR_TRY(cri_scene_open(s->book, "sparse_alone", alone_text, &s->flywheels, error));
  CR_TRY(cr_model_copy(&s->truth, s->model, error));
  CR_TRY(cr_model_set_option(s->truth, "timestep", timestep / FINE, error));
  return cr_model_set(s->truth, "dof_damping", friction, N_JOINT, error);
}

// ---- networks

static const cr_correction_input inputs[N_INPUT] = {
    {.size = sizeof inputs[0], .place = "qpos[shoulder]"},
    {.size = sizeof inputs[0], .place = "qpos[elbow]"},
    {.size = sizeof inputs[0], .place = "qvel[shoulder]", .scale = CR_R(0.1)},
    {.size = sizeof inputs[0], .place = "qvel[elbow]", .scale = CR_R(0.1)}};
static const cr_correction_input* const input_list[N_INPUT] = {&inputs[0], &inputs[1], &inputs[2],
                                                               &inputs[3]};

static cr_layer layer_of(int width) {
  return (cr_layer){.size = sizeof(cr_layer),
                    .kind = CR_LAYER_DENSE,
                    .width = width,
                    .activation = CR_ACTIVATION_TANH};
}

// one network for each joint, one hidden layer of 8
static cr_status add_friction(cr_model** m, const cr_model* base, int seed, cr_error* error) {
  const cr_layer layer = layer_of(8);
  CR_TRY(cr_model_copy(m, base, error));
  for (int j = 0; j < N_JOINT; j++) {
    char target[32];
    (void)snprintf(target, sizeof target, "qfrc_passive[%s]", joints[j]);
    const cr_correction_options o = {.size = sizeof o,
                                     .name = joints[j],
                                     .target = target,
                                     .inputs = input_list,
                                     .ninput = N_INPUT,
                                     .layers = &layer,
                                     .nlayer = 1,
                                     .seed = (uint64_t)(N_JOINT * seed + j)};
    CR_TRY(cr_model_add_correction(*m, &o, error));
  }
  return CR_OK;
}

// one network for both accelerations, two hidden layers of 12
static cr_status add_everything(cr_model** m, const cr_model* base, int seed, cr_error* error) {
  const cr_layer layers[2] = {layer_of(12), layer_of(12)};
  const cr_correction_options o = {.size = sizeof o,
                                   .name = "everything",
                                   .target = "qfrc_passive",
                                   .inputs = input_list,
                                   .ninput = N_INPUT,
                                   .layers = layers,
                                   .nlayer = 2,
                                   .output_scale = 10,
                                   .seed = (uint64_t)seed};
  CR_TRY(cr_model_copy(m, base, error));
  return cr_model_add_correction(*m, &o, error);
}

// ---- swings

enum { STREAM_TRAIN = 1, STREAM_TEST };

static void start_of(int seed, int stream, int k, cr_real qpos[N_JOINT], cr_real qvel[N_JOINT]) {
  cr_random random = cr_random_seed((uint64_t)(1000 * seed + k), (uint64_t)stream);
  for (int j = 0; j < N_JOINT; j++) {
    qpos[j] = cr_random_range(&random, CR_R(-1.5), CR_R(1.5));
    qvel[j] = cr_random_range(&random, -2, 2);
  }
}

static cr_status swing(const sparse* s, cr_states* states, int seed, int stream, int k,
                       const cr_model* m, int every, cr_error* error) {
  cr_real qpos[N_JOINT], qvel[N_JOINT];
  start_of(seed, stream, k, qpos, qvel);
  return cri_states_run(states, m, qpos, qvel, s->rows, every, error);
}

static cr_status record(const sparse* s, cr_measurements* ms, int seed, int swings,
                        cr_error* error) {
  static const cr_states_part parts[] = {{"qpos", false, 0, N_JOINT, CR_R(0.01)},
                                         {"qvel", true, 0, N_JOINT, CR_R(0.05)}};
  for (int k = 0; k < swings; k++) {
    char name[32];
    cr_states states;
    (void)snprintf(name, sizeof name, "swing %d", k);
    CR_TRY(cr_measurements_begin(ms, name, k, error));
    cr_status status = swing(s, &states, seed, STREAM_TRAIN, k, s->truth, FINE, error);
    status =
        status == CR_OK ? cri_states_add(ms, &states, N_JOINT, N_JOINT, parts, 2, error) : status;
    cri_states_free(&states);
    CR_TRY(status);
  }
  return CR_OK;
}

// ---- the network that remembers: rows of both angles, then both velocities

static void read_row(void* context, const cr_real* state, const cr_real* given, cr_real* input) {
  (void)context;
  (void)given;
  for (int j = 0; j < N_JOINT; j++) {
    input[j] = cr_sin(state[j]);
    input[N_JOINT + j] = cr_cos(state[j]);
    input[2 * N_JOINT + j] = state[N_JOINT + j];
  }
}

static const cr_lstm_view view = {
    .nstate = 2 * N_JOINT, .ninput = 3 * N_JOINT, .ngain = 2 * N_JOINT, .read = read_row};

static void row_of(const cr_states* states, int i, cr_real* row) {
  cr_copy(row, states->q + (ptrdiff_t)N_JOINT * i, N_JOINT);
  cr_copy(row + N_JOINT, states->v + (ptrdiff_t)N_JOINT * i, N_JOINT);
}

static cr_status gather(const sparse* s, int seed, int swings, cr_real* state, int32_t* length,
                        cr_error* error) {
  for (int k = 0; k < swings; k++) {
    cr_states states = {0};
    cr_status status = swing(s, &states, seed, STREAM_TRAIN, k, s->truth, FINE, error);
    for (int i = 0; i < s->rows && status == CR_OK; i++, state += view.nstate) {
      row_of(&states, i, state);
    }
    cri_states_free(&states);
    CR_TRY(status);
    length[k] = s->rows;
  }
  return CR_OK;
}

// steps of the search in all, whatever the number of swings
enum { LSTM_WIDTH = 18, LSTM_STEPS = 6000, LSTM_BATCH = 8, LSTM_WINDOW = 25, LSTM_COPIES = 4 };

static cr_status train_lstm(const sparse* s, cr_lstm* lstm, int seed, int swings, cr_error* error) {
  static const cr_real noise[2 * N_JOINT] = {CR_R(0.002), CR_R(0.002), CR_R(0.01), CR_R(0.01)};
  size_t rows = (size_t)swings * (size_t)s->rows;
  cr_real* state = calloc(rows * (size_t)view.nstate, sizeof *state);
  int32_t* length = calloc((size_t)swings, sizeof *length);
  int windows = LSTM_COPIES * swings * ((s->rows - 1) / LSTM_WINDOW);
  const cr_lstm_runs runs = {.length = length, .nrun = swings, .state = state};
  const cr_lstm_options o = {.width = LSTM_WIDTH,
                             .window = LSTM_WINDOW,
                             .copies = LSTM_COPIES,
                             .noise = noise,
                             .epochs = LSTM_STEPS * LSTM_BATCH / windows,
                             .batch = LSTM_BATCH,
                             .rate = CR_R(0.01),
                             .final_rate = CR_R(1e-4),
                             .seed = (uint64_t)seed,
                             .stop = stopped,
                             .context = (void*)(uintptr_t)s};
  cr_status status = state != NULL && length != NULL
                         ? gather(s, seed, swings, state, length, error)
                         : cri_fail(error, CR_ERR_MEMORY, "sparse: no memory");
  status = status == CR_OK ? cri_lstm_train(lstm, &view, &runs, &o, error) : status;
  free(length);
  free(state);
  return status;
}

// a swing as the network goes on with it from the start
static cr_status imagine(const sparse* s, cr_states* states, int seed, int stream, int k,
                         const cr_lstm* lstm, cr_error* error) {
  size_t rows = (size_t)s->rows;
  cr_real* state = calloc(rows * (size_t)view.nstate, sizeof *state);
  *states = (cr_states){.rows = s->rows, .interval = timestep};
  states->q = calloc(2 * rows * N_JOINT, sizeof *states->q);
  cr_status status = CR_OK;
  if (state == NULL || states->q == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "sparse: no memory");
  } else {
    states->v = states->q + rows * N_JOINT;
    start_of(seed, stream, k, state, state + N_JOINT);
    status = cri_lstm_predict(lstm, state, NULL, 1, s->rows, error);
    for (int i = 0; i < s->rows; i++) {
      cr_copy(states->q + (ptrdiff_t)N_JOINT * i, state + (ptrdiff_t)view.nstate * i, N_JOINT);
    }
  }
  free(state);
  return status;
}

// ---- errors

// what predicts: a model, or the network that remembers
typedef struct {
  const cr_model* m;
  const cr_lstm* lstm;
} predictor;

static cr_status predict(const sparse* s, cr_states* states, int seed, int k, predictor p,
                         cr_error* error) {
  return p.lstm != NULL ? imagine(s, states, seed, STREAM_TEST, k, p.lstm, error)
                        : swing(s, states, seed, STREAM_TEST, k, p.m, 1, error);
}

// rms of the errors of both angles over swings not used; a model that cannot be simulated has an infinite one
static cr_status test(const sparse* s, predictor p, int seed, cr_real* rms, cr_error* error) {
  cr_real sum = 0;
  for (int k = 0; k < s->tests; k++) {
    cr_states is = {0}, should = {0};
    cr_status status = swing(s, &should, seed, STREAM_TEST, k, s->truth, FINE, error);
    cr_status ran = status == CR_OK ? predict(s, &is, seed, k, p, NULL) : status;
    for (int i = 0; i < N_JOINT * s->rows && status == CR_OK; i++) {
      cr_real miss = ran == CR_OK ? is.q[i] - should.q[i] : (cr_real)INFINITY;
      sum += miss * miss;
    }
    cri_states_free(&is);
    cri_states_free(&should);
    CR_TRY(status);
  }
  *rms = cr_sqrt(sum / (cr_real)(N_JOINT * s->tests * s->rows));
  return CR_OK;
}

// ---- the inputs of a network: columns of its first layer, one group each

static cr_status group_inputs(const cr_model* m, int32_t* group, cr_error* error) {
  for (int j = 0; j < N_JOINT; j++) {
    cr_correction_info info = {.size = sizeof info};
    int first, rows, columns;
    CR_TRY(cr_model_get_correction(m, j, &info, error));
    CR_TRY(cr_network_weight_range(info.network, 0, &first, &rows, &columns, error));
    for (int i = 0; i < info.nweight; i++) {
      int at = i - first;
      bool input = at >= 0 && at < rows * columns;
      group[info.weight_first + i] = input ? j * N_INPUT + at % columns : -1;
    }
  }
  return CR_OK;
}

static void sizes_of(const int32_t* group, int n, const cr_real* x, cr_real* size) {
  cr_zero(size, N_GROUP);
  for (int i = 0; i < n; i++) {
    if (group[i] >= 0) {
      size[group[i]] += x[i] * x[i];
    }
  }
  for (int g = 0; g < N_GROUP; g++) {
    size[g] = cr_sqrt(size[g]);
  }
}

// 1 / size, of the largest of a network 1; what is 0 stays so
static void factors_of(const int32_t* group, int n, const cr_real* size, cr_real* factor) {
  const cr_real most = CR_R(1e6);
  for (int i = 0; i < n; i++) {
    cr_real largest = 0;
    for (int k = 0; k < N_INPUT && group[i] >= 0; k++) {
      largest = cr_max(largest, size[group[i] - group[i] % N_INPUT + k]);
    }
    bool counts = group[i] >= 0 && largest > 0;
    factor[i] = counts ? cr_min(largest / cr_max(size[group[i]], largest / most), most) : 1;
  }
}

// each network reads its joint's own velocity and nothing else
static bool is_right(const cr_real* size) {
  for (int g = 0; g < N_GROUP; g++) {
    bool own = g % N_INPUT == N_JOINT + g / N_INPUT;
    if ((size[g] != 0) != own) {
      return false;
    }
  }
  return true;
}

// ---- a row

enum { HYBRID, PLAIN, ALONE, REMEMBERS, N_KIND };
enum {
  R_KIND,
  R_SWINGS,
  R_SEED,
  R_FRICTIONLESS,  // rad, error on swings not used, without network
  R_FITTED,        // after the first least squares
  R_ERROR,         // at the end
  R_RIGHT,
  R_WEIGHTS,  // that are not 0
  R_SECONDS,
  R_SIZE,  // of each input, after the lasso
  N_COLUMN = R_SIZE + N_GROUP
};
static const char header[] =
    "kind,swings,seed,frictionless,fitted,error,right,weights,seconds,shoulder_q1,shoulder_q2,"
    "shoulder_v1,shoulder_v2,elbow_q1,elbow_q2,elbow_v1,elbow_v2";
static const char csv[] = "sparse.csv", swing_csv[] = "sparse_swing.csv",
                  torque_csv[] = "sparse_torque.csv";
// the networks of the first seed
static const char* const saved[N_KIND] = {"sparse_hybrid.crb", NULL, "sparse_network.crb",
                                          "sparse_lstm.crn"};

enum { FIT_STEPS = 15, REFIT_STEPS = 10, ALONE_STEPS = 25, PASSES = 3, DESCENT = 200, BATCH = 20 };
static const cr_real window = CR_R(0.1);  // s

static cr_lesson lesson_of(const sparse* s, cr_real prior_sd, bool keep_zeros) {
  return (cr_lesson){.window = window,
                     .prior_sd = prior_sd,
                     .keep_zeros = keep_zeros,
                     .stop = stopped,
                     .context = (void*)(uintptr_t)s};
}

// epochs of as many steps in all as a descent has
static int epochs_of(const sparse* s, int swings) {
  int windows = swings * (int)lround((double)((cr_real)(s->rows - 1) * timestep / window));
  int batches = (windows + BATCH - 1) / BATCH;
  return (DESCENT + batches - 1) / batches;
}

// the descents with the lasso; factors of plain ones stay 1
static cr_status choose_inputs(const sparse* s, cr_learner* l, bool adaptive, cr_real* row,
                               cr_error* error) {
  int32_t* group = calloc((size_t)l->n, sizeof *group);
  cr_real* factor = calloc((size_t)l->n, sizeof *factor);
  bool room = group != NULL && factor != NULL;
  cr_status status = room ? group_inputs(cr_parameters_model(l->parameters), group, error)
                          : cri_fail(error, CR_ERR_MEMORY, "sparse: no memory");
  for (int pass = 0; pass < PASSES && status == CR_OK; pass++) {
    sizes_of(group, l->n, l->x, row + R_SIZE);
    factors_of(group, l->n, row + R_SIZE, factor);
    const cr_training_options o = {.size = sizeof o,
                                   .epochs = epochs_of(s, (int)row[R_SWINGS]),
                                   .batch = BATCH,
                                   .rate = CR_R(0.003),
                                   .final_rate = CR_R(3e-4),
                                   .b2 = CR_R(0.99),
                                   .group = group,
                                   .group_lasso = CR_R(0.03),
                                   .lasso_factor = adaptive ? factor : NULL,
                                   .stop = stopped,
                                   .context = (void*)(uintptr_t)s};
    cr_training_end end;
    status = cri_learner_train(l, &o, &end, error);
  }
  if (status == CR_OK) {
    sizes_of(group, l->n, l->x, row + R_SIZE);
    row[R_RIGHT] = is_right(row + R_SIZE);
  }
  free(factor);
  free(group);
  return status;
}

// the path of a network for the picture
static cr_status saved_path(const sparse* s, int kind, char path[CR_MAX_PATH], cr_error* error) {
  return cri_path_join(path, s->book->folder, saved[kind], error);
}

static bool is_shown(const sparse* s, const cr_real* row) {
  return saved[(int)row[R_KIND]] != NULL && row[R_SEED] == 1 && row[R_SWINGS] == (cr_real)s->swings;
}

static cr_status finish(const sparse* s, const cr_learner* l, cr_real* row, cr_error* error) {
  const cr_model* m = cr_parameters_model(l->parameters);
  char path[CR_MAX_PATH];
  row[R_WEIGHTS] = (cr_real)l->n;
  CR_TRY(test(s, (predictor){.m = m}, (int)row[R_SEED], &row[R_ERROR], error));
  if (!is_shown(s, row)) {
    return CR_OK;
  }
  CR_TRY(saved_path(s, (int)row[R_KIND], path, error));
  return cr_model_save_blueprint(m, path, error);
}

// least squares over the weights that are not 0
static cr_status refit(const sparse* s, const cr_learner* found, const cr_measurements* ms,
                       cr_real* row, cr_error* error) {
  const cr_lesson lesson = lesson_of(s, 10, true);
  cr_learner l;
  cr_search_end end;
  cr_status status =
      cri_learner_open(&l, cr_parameters_model(found->parameters), ms, &lesson, error);
  status = status == CR_OK ? cri_learner_solve(&l, REFIT_STEPS, &end, error) : status;
  status = status == CR_OK ? finish(s, &l, row, error) : status;
  cri_learner_close(&l);
  return status;
}

static cr_status learn(const sparse* s, cr_learner* l, const cr_measurements* ms, cr_real* row,
                       cr_error* error) {
  bool alone = row[R_KIND] == ALONE;
  int seed = (int)row[R_SEED];
  cr_search_end end;
  CR_TRY(cri_learner_solve(l, alone ? ALONE_STEPS : FIT_STEPS, &end, error));
  const predictor fitted = {.m = cr_parameters_model(l->parameters)};
  CR_TRY(test(s, fitted, seed, &row[R_FITTED], error));
  if (alone) {
    return finish(s, l, row, error);
  }
  CR_TRY(choose_inputs(s, l, row[R_KIND] == HYBRID, row, error));
  return refit(s, l, ms, row, error);
}

typedef struct {
  const sparse* s;
  cr_trials trials;
} tasks;

static cr_status with_model(const sparse* s, const cr_trial* t, cr_real* row, cr_error* error) {
  bool alone = t->kind == ALONE;
  const cr_lesson lesson = lesson_of(s, alone ? 3 : 1, false);
  cr_model* m = NULL;
  cr_measurements* ms = NULL;
  cr_learner l = {0};
  cr_status status = alone ? add_everything(&m, s->flywheels, t->seed, error)
                           : add_friction(&m, s->model, t->seed, error);
  status = status == CR_OK ? cr_measurements_create(&ms, m, error) : status;
  status = status == CR_OK ? record(s, ms, t->seed, t->count, error) : status;
  status = status == CR_OK ? cri_learner_open(&l, m, ms, &lesson, error) : status;
  status = status == CR_OK ? learn(s, &l, ms, row, error) : status;
  cri_learner_close(&l);
  cr_measurements_destroy(ms);
  cr_model_destroy(m);
  return status;
}

static cr_status with_lstm(const sparse* s, const cr_trial* t, cr_real* row, cr_error* error) {
  char path[CR_MAX_PATH];
  cr_lstm lstm;
  cr_status status = train_lstm(s, &lstm, t->seed, t->count, error);
  status = status == CR_OK ? saved_path(s, REMEMBERS, path, error) : status;
  if (status == CR_OK && is_shown(s, row)) {
    status = cr_learned_save(lstm.learned, path, error);
  }
  if (status == CR_OK) {
    row[R_WEIGHTS] = (cr_real)cr_network_nweight(cr_learned_network(lstm.learned));
    status = test(s, (predictor){.lstm = &lstm}, t->seed, &row[R_ERROR], error);
  }
  cri_lstm_free(&lstm);
  return status;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const tasks* all = context;
  const sparse* s = all->s;
  const cr_trial* t = &all->trials.list[i];
  double clock = cri_thread_seconds();
  cri_trial_row(t, row, N_COLUMN);
  CR_TRY(test(s, (predictor){.m = s->model}, t->seed, &row[R_FRICTIONLESS], error));
  cr_status status =
      t->kind == REMEMBERS ? with_lstm(s, t, row, error) : with_model(s, t, row, error);
  row[R_SECONDS] = (cr_real)(cri_thread_seconds() - clock);
  return status;
}

static void plan(cr_trials* trials, int swings, bool brief) {
  static const int few[] = {1, 2, 5, 20};
  if (brief) {
    cri_trials_add(trials, HYBRID, swings, 2);
    cri_trials_add(trials, ALONE, swings, 2);
    cri_trials_add(trials, REMEMBERS, swings, 2);
    return;
  }
  cri_trials_add(trials, HYBRID, swings, 10);
  cri_trials_add(trials, ALONE, swings, 10);
  cri_trials_add(trials, REMEMBERS, swings, 10);
  for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
    cri_trials_add(trials, HYBRID, few[i], 3);
    cri_trials_add(trials, REMEMBERS, few[i], 3);
  }
  cri_trials_add(trials, REMEMBERS, 50, 1);
  cri_trials_add(trials, ALONE, 2, 3);
  cri_trials_add(trials, ALONE, 5, 3);
  cri_trials_add(trials, ALONE, 20, 1);
  cri_trials_add(trials, ALONE, 50, 1);
  cri_trials_add(trials, PLAIN, swings, 3);
}

// ---- claims

// how often the lasso left the right inputs
static int right_of(cr_table* t, int kind, int swings) {
  int n = 0;
  for (int i = 0; i < t->rows; i++) {
    const cr_real* row = cri_table_row(t, i);
    n += row[R_KIND] == (cr_real)kind && row[R_SWINGS] == (cr_real)swings && row[R_RIGHT] != 0;
  }
  return n;
}

// the least of what a network alone, of a kind, is worse by, seed by seed
static double least_ratio(cr_table* t, int kind, int swings) {
  double least = (double)INFINITY;
  for (int seed = 1;; seed++) {
    const cr_real *hybrid = cri_trial_find(t, HYBRID, swings, seed),
                  *alone = cri_trial_find(t, kind, swings, seed);
    if (hybrid == NULL || alone == NULL) {
      return least;
    }
    least = fmin(least, (double)(alone[R_ERROR] / hybrid[R_ERROR]));
  }
}

// "-" where there is none
static void print_error(char* text, size_t room, double error) {
  (void)(isnan(error) ? snprintf(text, room, "-") : snprintf(text, room, "%.2g", error));
}

static void tell_swings(cr_notebook* book, cr_table* t) {
  static const int counts[] = {1, 2, 3, 5, 10, 20, 50};
  static const int kinds[] = {HYBRID, ALONE, REMEMBERS};
  cri_say(book,
          "\nmedian error of the angles, rad:\n  swings    hybrid   network alone   LSTM alone\n");
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    char text[3][16];
    double error[3];
    for (int k = 0; k < 3; k++) {
      error[k] = cri_trials_median(t, kinds[k], counts[i], R_ERROR);
      print_error(text[k], sizeof text[k], error[k]);
    }
    if (!isnan(error[0]) || !isnan(error[1]) || !isnan(error[2])) {
      cri_say(book, "  %6d  %8s  %14s  %11s\n", counts[i], text[0], text[1], text[2]);
    }
  }
}

static void conclude(cr_notebook* book, const sparse* s, cr_table* t) {
  bool brief = book->request.brief;
  int seeds = brief ? 2 : 10, asked = brief ? 2 : 9, n = s->swings;
  cri_say(book,
          "A double pendulum with a friction proportional to the velocity of each joint, and a "
          "model without "
          "friction.\n%d swings of %g s, %d seeds; errors of angles over %d other swings. Without "
          "network %.2g rad; "
          "hybrid %.2g rad\nbefore the lasso and %.2g rad at the end; network alone %.2g rad, LSTM "
          "alone %.2g rad (medians).\n",
          n, (double)(cr_real)(s->rows - 1) * (double)timestep, seeds, s->tests,
          cri_trials_median(t, HYBRID, n, R_FRICTIONLESS),
          cri_trials_median(t, HYBRID, n, R_FITTED), cri_trials_median(t, HYBRID, n, R_ERROR),
          cri_trials_median(t, ALONE, n, R_ERROR), cri_trials_median(t, REMEMBERS, n, R_ERROR));
  cri_say(book, "Right inputs: adaptive lasso %d of %d seeds", right_of(t, HYBRID, n), seeds);
  if (!brief) {
    cri_say(book, ", lasso with equal factors %d of 3", right_of(t, PLAIN, n));
  }
  cri_say(book, ".\n");
  tell_swings(book, t);
  cri_claim(book, least_ratio(t, ALONE, n), 10, (double)INFINITY, "orders of magnitude more data",
            "error of the network alone over the hybrid's, worst seed");
  cri_claim(book, least_ratio(t, REMEMBERS, n), 10, (double)INFINITY,
            "orders of magnitude more data",
            "error of the LSTM alone over the hybrid's, worst seed");
  cri_claim(book, (double)right_of(t, HYBRID, n), asked, seeds, "own velocity left",
            "seeds with the joint's own velocity alone");
  if (!brief) {
    cri_claim(book,
              cri_trials_median(t, ALONE, 50, R_ERROR) / cri_trials_median(t, HYBRID, 2, R_ERROR),
              1, (double)INFINITY, "orders of magnitude more data",
              "error of the network alone from 50 swings over the hybrid's from 2");
  }
}

// ---- picture

static cr_status open_saved(const sparse* s, int kind, cr_model** m, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(saved_path(s, kind, path, error));
  CR_TRY(cr_model_copy(m, kind == ALONE ? s->flywheels : s->model, error));
  return cr_model_read_blueprint(*m, path, error);
}

enum { SHOWN = 1 };  // seed and swing of the picture

static cr_status show_swing(const sparse* s, const cr_model* hybrid, const cr_model* alone,
                            const cr_lstm* lstm, cr_error* error) {
  static const char columns[] =
      "time,seen_1,seen_2,hybrid_1,hybrid_2,alone_1,alone_2,frictionless_1,frictionless_2,lstm_1,"
      "lstm_2";
  const predictor shown[] = {
      {.m = s->truth}, {.m = hybrid}, {.m = alone}, {.m = s->model}, {.lstm = lstm}};
  cr_table t = {0};
  cr_status status = cri_table_create(&t, swing_csv, columns, NULL, s->rows, error);
  for (int k = 0; k < 5 && status == CR_OK; k++) {
    cr_states states = {0};
    status = k == 0 ? swing(s, &states, SHOWN, STREAM_TEST, SHOWN, s->truth, FINE, error)
                    : predict(s, &states, SHOWN, SHOWN, shown[k], error);
    for (int i = 0; i < s->rows && status == CR_OK; i++) {
      cr_real* row = cri_table_row(&t, i);
      row[0] = (cr_real)i * timestep;
      cr_copy(row + 1 + N_JOINT * k, states.q + (ptrdiff_t)N_JOINT * i, N_JOINT);
    }
    cri_states_free(&states);
  }
  status = status == CR_OK ? cri_table_save(&t, s->book->folder, error) : status;
  cri_table_free(&t);
  return status;
}

// the torque of each network over its joint's own velocity, the rest at 0
static cr_status show_torque(const sparse* s, const cr_model* hybrid, cr_error* error) {
  enum { POINTS = 81 };
  cr_table t = {0};
  cr_data* d = NULL;
  cr_status status = cri_table_create(&t, torque_csv, "velocity,shoulder,elbow,true_1,true_2", NULL,
                                      POINTS, error);
  status = status == CR_OK ? cr_data_create(&d, hybrid, error) : status;
  for (int i = 0; i < POINTS && status == CR_OK; i++) {
    cr_real* row = cri_table_row(&t, i);
    row[0] = CR_R(0.25) * (cr_real)(i - POINTS / 2);
    for (int j = 0; j < N_JOINT && status == CR_OK; j++) {
      cr_data_reset(hybrid, d);
      cr_data_view(hybrid, d, "qvel", NULL, NULL)[j] = row[0];
      status = cr_forward(hybrid, d);
      row[1 + j] = cr_data_view(hybrid, d, "qfrc_passive", NULL, NULL)[j];
      row[1 + N_JOINT + j] = -friction[j] * row[0];
    }
  }
  status = status == CR_OK ? cri_table_save(&t, s->book->folder, error) : status;
  cr_data_destroy(d);
  cri_table_free(&t);
  return status;
}

static cr_status show(const sparse* s, cr_error* error) {
  cr_model *hybrid = NULL, *alone = NULL;
  cr_lstm lstm = {.view = view};
  char path[CR_MAX_PATH];
  cr_status status = open_saved(s, HYBRID, &hybrid, error);
  status = status == CR_OK ? open_saved(s, ALONE, &alone, error) : status;
  status = status == CR_OK ? saved_path(s, REMEMBERS, path, error) : status;
  status = status == CR_OK ? cr_learned_open(&lstm.learned, path, error) : status;
  status = status == CR_OK ? show_swing(s, hybrid, alone, &lstm, error) : status;
  status = status == CR_OK ? show_torque(s, hybrid, error) : status;
  cri_lstm_free(&lstm);
  cr_model_destroy(alone);
  cr_model_destroy(hybrid);
  return status;
}

static cr_status draw(const sparse* s, cr_error* error) {
  CR_TRY(show(s, error));
  const double nan = (double)NAN;
  const cr_curve errors[] = {
      {csv, "swings", "error", "hybrid", CR_CURVE_POINTS, "kind", HYBRID},
      {csv, "swings", "error", "network alone", CR_CURVE_POINTS, "kind", ALONE},
      {csv, "swings", "error", "LSTM alone", CR_CURVE_POINTS, "kind", REMEMBERS},
      {csv, "swings", "frictionless", "without friction", CR_CURVE_POINTS, "kind", ALONE}};
  const cr_curve sizes[] = {
      {csv, "seed", "shoulder_v1", "shoulder: own velocity", CR_CURVE_POINTS, "kind", HYBRID},
      {csv, "seed", "elbow_v2", "elbow: own velocity", CR_CURVE_POINTS, "kind", HYBRID},
      {csv, "seed", "shoulder_v2", "shoulder: of the elbow", CR_CURVE_POINTS, "kind", HYBRID},
      {csv, "seed", "elbow_v1", "elbow: of the shoulder", CR_CURVE_POINTS, "kind", HYBRID}};
  const cr_curve angles[] = {
      {swing_csv, "time", "seen_2", "true", CR_CURVE_DASHES, NULL, 0},
      {swing_csv, "time", "hybrid_2", "hybrid", CR_CURVE_LINE, NULL, 0},
      {swing_csv, "time", "alone_2", "network alone", CR_CURVE_LINE, NULL, 0},
      {swing_csv, "time", "lstm_2", "LSTM alone", CR_CURVE_LINE, NULL, 0},
      {swing_csv, "time", "frictionless_2", "without friction", CR_CURVE_LINE, NULL, 0}};
  const cr_curve torques[] = {
      {torque_csv, "velocity", "shoulder", "shoulder", CR_CURVE_LINE, NULL, 0},
      {torque_csv, "velocity", "true_1", "true", CR_CURVE_DASHES, NULL, 0},
      {torque_csv, "velocity", "elbow", "elbow", CR_CURVE_LINE, NULL, 0},
      {torque_csv, "velocity", "true_2", "true", CR_CURVE_DASHES, NULL, 0}};
  const cr_chart charts[] = {
      {"swings to learn from", "error of angles on others, rad", true, true, nan, nan, errors, 4},
      {"seed", "size of inputs after the lasso", false, false, nan, nan, sizes, 4},
      {"time, s", "a swing not used: angle of the elbow, rad", false, false, nan, nan, angles, 5},
      {"own velocity, rad/s", "torque learned, N m", false, false, nan, nan, torques, 4}};
  return cri_charts(s->book->folder, "sparse", "Friction that the model does not have", charts, 4,
                    2, error);
}

// ---- the study

static cr_status compute(const sparse* s, cr_notebook* book, cr_table* table, cr_error* error) {
  tasks* all = calloc(1, sizeof *all);
  CR_TRY(all != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "sparse: no memory"));
  all->s = s;
  plan(&all->trials, s->swings, book->request.brief);
  cr_status status = cri_table_create(table, csv, header, NULL, all->trials.n, error);
  status =
      status == CR_OK ? cri_sweep(book, table, cr_pool_size(book->pool), work, all, error) : status;
  free(all);
  return status;
}

cr_status cri_study_sparse(cr_notebook* book, cr_error* error) {
  bool brief = book->request.brief;
  sparse s = {.book = book,
              .rows = brief ? 101 : 201,
              .tests = brief ? 10 : TESTS,
              .swings = brief ? 3 : 10};
  cr_table table = {0};
  cr_status status = open_models(&s, error);
  status = status == CR_OK ? compute(&s, book, &table, error) : status;
  if (status == CR_OK) {
    conclude(book, &s, &table);
    status = draw(&s, error);
  }
  cri_table_free(&table);
  cr_model_destroy(s.flywheels);
  cr_model_destroy(s.truth);
  cr_model_destroy(s.model);
  return status;
}
