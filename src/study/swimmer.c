// SPDX-License-Identifier: Apache-2.0
// Swimmers of two and six links in water of 25 and 5 degrees C and in air, and models of them in vacuum (NeuralSim: Heiden, Millard,
// Coumans, Sheng and Sukhatme, 2021). Networks add what the medium does. They learn from ten motions of 200 steps under random torques, and
// predict 900 steps. Beside them vacuum with the best dampers, and a network alone that remembers (LSTM).
//
// The truth is MuJoCo's model of a medium: cr_follow steps Carom and MuJoCo side by side. Published is one network from all positions and
// velocities to all passive joint forces. Here every link has networks of its own, from its velocities to the forces on it, in its frame.
// All learn from mirror images too.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "notebook/sweep.h"
#include "recorded/lstm_alone.h"
#include "study/launch.h"
#include "study/learned.h"
#include "study/studies.h"
#include "study/swimmer_scene.h"
#include "tools/plot.h"

enum {
  FEW_LINKS = 2,
  MANY_LINKS = 6,
  MOST_HINGES = MANY_LINKS - 1,
  N_SCENE = 2 * CR_SWIMMER_MEDIA
};
enum { MOTIONS = 10, STREAM_SEEN = 3, STREAM_UNSEEN };
static const cr_real timestep = CR_R(0.01);

typedef struct {
  cr_model *vacuum, *truth;
} pool;

typedef struct {
  const cr_notebook* book;
  pool pools[N_SCENE];                               // two links in each medium, then six
  int scenes, rows, test_rows, tests, seeds, share;  // share of the epochs, %
} swimmer;

static bool stopped(void* context) {
  const swimmer* s = context;
  return s->book->request.stop != NULL && s->book->request.stop();
}

static int links_of(int at) { return at < CR_SWIMMER_MEDIA ? FEW_LINKS : MANY_LINKS; }

static void name_of(int at, const char* format, char* name, size_t room) {
  (void)snprintf(name, room, format, links_of(at), cri_swimmer_media[at % CR_SWIMMER_MEDIA]);
}

static cr_status open_pools(swimmer* s, cr_error* error) {
  for (int i = 0; i < s->scenes; i++) {
    pool* p = &s->pools[i];
    CR_TRY(cri_swimmer_open(s->book, links_of(i), CR_SWIMMER_VACUUM, &p->vacuum, error));
    CR_TRY(cri_swimmer_open(s->book, links_of(i), i % CR_SWIMMER_MEDIA, &p->truth, error));
  }
  return CR_OK;
}

// ---- motions

static cr_status move(cr_swimmer_motion* motion, const cr_model* m, int at, int seed, int stream,
                      int k, int rows, cr_error* error) {
  // with all their torque six links in air whirl until steps of 0.01 s diverge
  cr_real torque = at == N_SCENE - 1 ? CR_R(0.3) : 1;
  uint64_t id = (uint64_t)(100000 * at + 1000 * seed + k);
  return cri_swimmer_move(motion, m, id, (uint64_t)stream, torque, rows, error);
}

// a motion and its mirror image
static cr_status record_one(cr_measurements* ms, cr_swimmer_motion* motion, int k,
                            cr_error* error) {
  char name[32];
  (void)snprintf(name, sizeof name, "motion %d", k);
  CR_TRY(cri_swimmer_measure(ms, motion, name, k, error));
  cri_swimmer_mirror(motion);
  (void)snprintf(name, sizeof name, "mirror image %d", k);
  return cri_swimmer_measure(ms, motion, name, k, error);
}

static cr_status record(const swimmer* s, cr_measurements* ms, int at, int seed, cr_error* error) {
  for (int k = 0; k < MOTIONS; k++) {
    cr_swimmer_motion motion;
    cr_status status = move(&motion, s->pools[at].truth, at, seed, STREAM_SEEN, k, s->rows, error);
    status = status == CR_OK ? record_one(ms, &motion, k, error) : status;
    cri_swimmer_free(&motion);
    CR_TRY(status);
  }
  return CR_OK;
}

// ---- the correction

enum { NAME = 40 };
static const char* const pushes[CR_SWIMMER_PUSHES] = {"surge_%d", "sway_%d", "yaw_%d"};

// the three velocities of a link in its own frame
typedef struct {
  char place[CR_SWIMMER_PUSHES][NAME];
  cr_correction_input input[CR_SWIMMER_PUSHES];
  const cr_correction_input* list[CR_SWIMMER_PUSHES];
} senses;

static void sense(senses* s, int link) {
  static const double unit[CR_SWIMMER_PUSHES] = {0.2, 0.2, 3};  // m/s, rad/s
  for (int i = 0; i < CR_SWIMMER_PUSHES; i++) {
    char name[NAME / 2];
    (void)snprintf(name, sizeof name, pushes[i], link);
    (void)snprintf(s->place[i], NAME, "actuator_velocity[%s]", name);
    s->input[i] = (cr_correction_input){
        .size = sizeof s->input[i], .place = s->place[i], .scale = (cr_real)(1 / unit[i])};
    s->list[i] = &s->input[i];
  }
}

// three networks for each link, of two hidden layers; some 1670 weights in all. Forces in N, torques a tenth of them in N m
static cr_status add_medium(cr_model** m, const cr_model* base, int links, int seed, cr_real force,
                            cr_error* error) {
  const cr_layer layer = {.size = sizeof layer,
                          .kind = CR_LAYER_DENSE,
                          .width = links == FEW_LINKS ? 14 : 7,
                          .activation = CR_ACTIVATION_TANH};
  const cr_layer layers[2] = {layer, layer};
  CR_TRY(cr_model_copy(m, base, error));
  for (int k = 0; k < links * CR_SWIMMER_PUSHES; k++) {
    int link = k / CR_SWIMMER_PUSHES, push = k % CR_SWIMMER_PUSHES;
    char name[NAME / 2], target[NAME];
    senses s;
    sense(&s, link);
    (void)snprintf(name, sizeof name, pushes[push], link);
    (void)snprintf(target, sizeof target, "actuator_force[%s]", name);
    const cr_correction_options o = {.size = sizeof o,
                                     .name = name,
                                     .target = target,
                                     .inputs = s.list,
                                     .ninput = CR_SWIMMER_PUSHES,
                                     .layers = layers,
                                     .nlayer = 2,
                                     .output_scale = push == CR_SWIMMER_YAW ? force / 10 : force,
                                     .seed = (uint64_t)(100 * seed + k)};
    CR_TRY(cr_model_add_correction(*m, &o, error));
  }
  return CR_OK;
}

// ---- the network alone: rows are positions, then velocities; gains count in the head's frame

static void turn(cr_real heading, const cr_real* x, cr_real* to) {
  cr_real c = cr_cos(heading), s = cr_sin(heading), x0 = x[0], x1 = x[1];
  to[0] = c * x0 - s * x1;
  to[1] = s * x0 + c * x1;
}

static void read_row(void* context, const cr_real* state, const cr_real* given, cr_real* input) {
  int dofs = *(const int*)context, hinges = dofs - CR_SWIMMER_ROOT;
  turn(-state[CR_SWIMMER_HEADING], state + dofs, input);
  cr_copy(input + CR_SWIMMER_HEADING, state + dofs + CR_SWIMMER_HEADING, 1 + hinges);
  cr_copy(input + dofs, state + CR_SWIMMER_ROOT, hinges);
  cr_copy(input + dofs + hinges, given, hinges);
}

static void gain_of(void* context, const cr_real* state, const cr_real* next, cr_real* gain) {
  int dofs = *(const int*)context;
  for (int i = 0; i < 2 * dofs; i++) {
    gain[i] = next[i] - state[i];
  }
  turn(-state[CR_SWIMMER_HEADING], gain, gain);
  turn(-state[CR_SWIMMER_HEADING], gain + dofs, gain + dofs);
}

static void add_gain(void* context, const cr_real* state, const cr_real* gain, cr_real* next) {
  int dofs = *(const int*)context;
  cr_copy(next, gain, 2 * dofs);
  turn(state[CR_SWIMMER_HEADING], next, next);
  turn(state[CR_SWIMMER_HEADING], next + dofs, next + dofs);
  for (int i = 0; i < 2 * dofs; i++) {
    next[i] += state[i];
  }
}

static cr_lstm_view view_of(int at) {
  static const int dofs[2] = {FEW_LINKS + 2, MANY_LINKS + 2};
  const int* n = &dofs[at >= CR_SWIMMER_MEDIA];
  int hinges = *n - CR_SWIMMER_ROOT;
  return (cr_lstm_view){.nstate = 2 * *n,
                        .ngiven = hinges + CR_SWIMMER_PUSHES * (hinges + 1),
                        .ninput = *n + 2 * hinges,
                        .ngain = 2 * *n,
                        .read = read_row,
                        .gain = gain_of,
                        .add = add_gain,
                        .context = (void*)(uintptr_t)n};
}

static void rows_of(const cr_swimmer_motion* motion, cr_real* state) {
  int n = motion->dofs;
  for (int i = 0; i < motion->states.rows; i++, state += 2 * n) {
    cr_copy(state, motion->states.q + (ptrdiff_t)n * i, n);
    cr_copy(state + n, motion->states.v + (ptrdiff_t)n * i, n);
  }
}

// motions and mirror images, one after the other; the last row of controls is not used
static cr_status gather(const swimmer* s, int at, int seed, const cr_lstm_view* v, cr_real* state,
                        cr_real* given, cr_error* error) {
  for (int k = 0; k < MOTIONS; k++) {
    cr_swimmer_motion motion;
    cr_status status = move(&motion, s->pools[at].truth, at, seed, STREAM_SEEN, k, s->rows, error);
    for (int mirrored = 0; mirrored < 2 && status == CR_OK; mirrored++) {
      rows_of(&motion, state);
      cr_copy(given, motion.ctrl, (s->rows - 1) * v->ngiven);
      state += (ptrdiff_t)s->rows * v->nstate;
      given += (ptrdiff_t)s->rows * v->ngiven;
      cri_swimmer_mirror(&motion);
    }
    cri_swimmer_free(&motion);
    CR_TRY(status);
  }
  return CR_OK;
}

static cr_status train_alone(const swimmer* s, int at, int seed, cr_lstm* lstm, cr_error* error) {
  const cr_lstm_view v = view_of(at);
  cr_real noise[2 * CR_SWIMMER_MOST_DOFS];
  int32_t length[2 * MOTIONS];
  size_t rows = 2 * MOTIONS * (size_t)s->rows;
  cr_real* state = calloc(rows * (size_t)(v.nstate + v.ngiven), sizeof *state);
  CR_TRY(state != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "swimmer: no memory"));
  cr_real* given = state + rows * (size_t)v.nstate;
  for (int i = 0; i < v.nstate; i++) {
    noise[i] = i < v.nstate / 2 ? CR_R(0.002) : CR_R(0.02);
  }
  for (int i = 0; i < 2 * MOTIONS; i++) {
    length[i] = s->rows;
  }
  const cr_lstm_runs runs = {.length = length, .nrun = 2 * MOTIONS, .state = state, .given = given};
  const cr_lstm_options o = {.width = links_of(at) == FEW_LINKS ? 17 : 13,
                             .window = 50,
                             .copies = 2,
                             .noise = noise,
                             .epochs = 6 * s->share,
                             .batch = 8,
                             .rate = CR_R(0.01),
                             .final_rate = CR_R(1e-4),
                             .seed = (uint64_t)seed,
                             .stop = stopped,
                             .context = (void*)(uintptr_t)s};
  cr_status status = gather(s, at, seed, &v, state, given, error);
  status = status == CR_OK ? cri_lstm_train(lstm, &v, &runs, &o, error) : status;
  free(state);
  return status;
}

// a motion as it goes on from its first row
static cr_status imagine(const cr_lstm* lstm, const cr_swimmer_motion* should, cr_real* q,
                         cr_error* error) {
  int rows = should->states.rows, dofs = should->dofs;
  cr_real* state = calloc((size_t)rows * 2 * (size_t)dofs, sizeof *state);
  CR_TRY(state != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "swimmer: no memory"));
  rows_of(should, state);
  cr_status status = cri_lstm_predict(lstm, state, should->ctrl, 1, rows, error);
  for (int i = 0; i < rows; i++) {
    cr_copy(q + (ptrdiff_t)dofs * i, state + (ptrdiff_t)2 * dofs * i, dofs);
  }
  free(state);
  return status;
}

// ---- errors

// what predicts: a model or the network alone
typedef struct {
  const cr_model* m;
  const cr_lstm* lstm;
} predictor;

typedef struct {
  cr_real angle, place;  // rms: of heading and joints, rad; of the head, m
} miss;

// positions of a motion; where steps fail it stays at the start
static cr_status predict(const predictor* p, const cr_swimmer_motion* should, int at, int seed,
                         int stream, int k, cr_real* q, cr_error* error) {
  if (p->lstm != NULL) {
    return imagine(p->lstm, should, q, error);
  }
  cr_swimmer_motion is;
  int rows = should->states.rows, n = should->dofs;
  cr_status status = move(&is, p->m, at, seed, stream, k, rows, NULL);
  for (int i = 0; i < rows; i++) {
    const cr_real* from = status == CR_OK ? is.states.q + (ptrdiff_t)n * i : should->states.q;
    cr_copy(q + (ptrdiff_t)n * i, from, n);
  }
  cri_swimmer_free(&is);
  return status == CR_ERR_MEMORY ? cri_fail(error, status, "swimmer: no memory") : CR_OK;
}

static miss compare(const cr_swimmer_motion* should, const cr_real* q) {
  int rows = should->states.rows, n = should->dofs;
  miss e = {0};
  for (int i = 0; i < rows * n; i++) {
    cr_real off = q[i] - should->states.q[i];
    *(i % n < CR_SWIMMER_HEADING ? &e.place : &e.angle) += off * off;
  }
  e.place = cr_sqrt(e.place / (cr_real)rows);
  e.angle = cr_sqrt(e.angle / (cr_real)(rows * (n - CR_SWIMMER_HEADING)));
  return e;
}

// over motions of a stream: of all together, and e[k] of each where wanted
static cr_status test(const swimmer* s, const predictor* p, int at, int seed, int stream, miss* all,
                      miss* each, cr_error* error) {
  int n = stream == STREAM_SEEN ? MOTIONS : s->tests;
  cr_real* q = calloc((size_t)s->test_rows * CR_SWIMMER_MOST_DOFS, sizeof *q);
  cr_status status = q != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "swimmer: no memory");
  *all = (miss){0};
  for (int k = 0; k < n && status == CR_OK; k++) {
    cr_swimmer_motion should;
    miss e = {0};
    status = move(&should, s->pools[at].truth, at, seed, stream, k, s->test_rows, error);
    status = status == CR_OK ? predict(p, &should, at, seed, stream, k, q, error) : status;
    if (status == CR_OK) {
      e = compare(&should, q);
    }
    cri_swimmer_free(&should);
    all->angle += e.angle * e.angle / (cr_real)n;
    all->place += e.place * e.place / (cr_real)n;
    if (each != NULL) {
      each[k] = e;
    }
  }
  all->angle = cr_sqrt(all->angle);
  all->place = cr_sqrt(all->place);
  free(q);
  return status;
}

// ---- the best dampers

enum { N_DAMPING = 3, TUNE_STEPS = 50 };

static cr_status tune(const swimmer* s, const cr_model* base, const cr_measurements* ms,
                      cr_model** m, cr_error* error) {
  static const char* const targets[N_DAMPING] = {"dof_damping[x] dof_damping[y]",
                                                 "dof_damping[heading]", "dof_damping[hinge_*]"};
  const cr_lesson lesson = {.window = CR_R(0.5), .stop = stopped, .context = (void*)(uintptr_t)s};
  cr_parameter_info damping[N_DAMPING];
  const cr_parameter_info* list[N_DAMPING];
  cr_learner l;
  cr_search_end end;
  for (int i = 0; i < N_DAMPING; i++) {
    damping[i] = (cr_parameter_info){.size = sizeof damping[i],
                                     .name = targets[i],
                                     .target = targets[i],
                                     .kind = CR_FIT_TIED,
                                     .transform = CR_TRANSFORM_LOG,
                                     .start = CR_R(0.001),
                                     .upper = (cr_real)INFINITY};
    list[i] = &damping[i];
  }
  cr_status status = cri_learner_open_for(&l, base, list, N_DAMPING, ms, &lesson, error);
  status = status == CR_OK ? cri_learner_solve(&l, TUNE_STEPS, &end, error) : status;
  status = status == CR_OK ? cr_model_copy(m, cr_parameters_model(l.parameters), error) : status;
  cri_learner_close(&l);
  return status;
}

// ---- training: single steps first, then longer windows, whole motions last

static const struct {
  double window;  // s; 0: whole motions
  int epochs, batch;
  double rate;
} courses[] = {
    {0.01, 100, 40, 0.01}, {0.1, 200, 10, 0.005}, {0.5, 100, 5, 0.003}, {0, 300, 2, 0.004}};
enum { N_COURSE = (int)(sizeof courses / sizeof courses[0]) };

// one course; *m becomes the model with the weights found; seconds of an epoch
static cr_status attend(const swimmer* s, int course, const cr_measurements* ms, cr_model** m,
                        cr_real* epoch, cr_error* error) {
  const cr_lesson lesson = {
      .window = (cr_real)courses[course].window, .stop = stopped, .context = (void*)(uintptr_t)s};
  const cr_training_options o = {.size = sizeof o,
                                 .epochs = courses[course].epochs * s->share / 100,
                                 .batch = courses[course].batch,
                                 .rate = (cr_real)courses[course].rate,
                                 .final_rate = (cr_real)courses[course].rate / 30,
                                 .b2 = CR_R(0.99),
                                 .stop = stopped,
                                 .context = (void*)(uintptr_t)s};
  cr_learner l;
  cr_training_end end;
  cr_model* learned = NULL;
  cr_status status = cri_learner_open(&l, *m, ms, &lesson, error);
  double clock = cri_thread_seconds();
  status = status == CR_OK ? cri_learner_train(&l, &o, &end, error) : status;
  *epoch = (cr_real)((cri_thread_seconds() - clock) / o.epochs);
  status =
      status == CR_OK ? cr_model_copy(&learned, cr_parameters_model(l.parameters), error) : status;
  cri_learner_close(&l);
  if (status == CR_OK) {
    cr_model_destroy(*m);
    *m = learned;
  }
  return status;
}

// ---- a row

enum { HYBRID, ALONE };
enum {
  R_KIND,
  R_SCENE,
  R_SEED,
  R_VACUUM,                // errors of motions not used: rms of angles, rad, then of places, m
  R_TUNED = R_VACUUM + 2,  // with the best dampers
  R_ERROR = R_TUNED + 2,
  R_SAME = R_ERROR + 2,  // of the motions learned from, to the end of 900 steps
  R_BETTER = R_SAME +
             2,  // share of motions not used where angles are better than with dampers; then places
  R_WEIGHTS = R_BETTER + 2,
  R_EPOCH,  // s of processor time for ten whole motions
  R_SECONDS,
  R_DAMPING,
  N_COLUMN = R_DAMPING + N_DAMPING
};
static const char header[] =
    "kind,scene,seed,vacuum,vacuum_place,tuned,tuned_place,error,error_place,same,same_place,"
    "better,better_place,weights,epoch,seconds,damping_place,damping_heading,damping_hinge";
static const char csv[] = "swimmer.csv", motion_csv[] = "swimmer_motion.csv";
static const char network_format[] = "swimmer_%d_%s.crb", alone_format[] = "swimmer_%d_%s.crn";

static void put_miss(cr_real* row, int column, miss e) {
  row[column] = e.angle;
  row[column + 1] = e.place;
}

// where the first seed of a scene is kept, for the picture
static cr_status path_of(const swimmer* s, const char* format, int at, char* path,
                         cr_error* error) {
  char name[NAME];
  name_of(at, format, name, sizeof name);
  return cri_path_join(path, s->book->folder, name, error);
}

static cr_status try_all(const swimmer* s, const predictor* p, cr_real* row, miss* each,
                         cr_error* error) {
  int at = (int)row[R_SCENE], seed = (int)row[R_SEED];
  miss e;
  CR_TRY(test(s, p, at, seed, STREAM_UNSEEN, &e, each, error));
  put_miss(row, R_ERROR, e);
  CR_TRY(test(s, p, at, seed, STREAM_SEEN, &e, NULL, error));
  put_miss(row, R_SAME, e);
  return CR_OK;
}

static void keep_damping(const cr_model* tuned, cr_real* row) {
  const cr_real* damping = cr_model_numbers(tuned, "dof_damping", NULL, NULL);
  for (int i = 0; i < N_DAMPING; i++) {
    row[R_DAMPING + i] = damping[1 + i];
  }
}

enum { MOST_TESTS = 20 };

// the analytic models, then the correction of the vacuum
static cr_status correct(const swimmer* s, const cr_measurements* ms, cr_real* row,
                         cr_model** tuned, cr_model** m, cr_error* error) {
  int at = (int)row[R_SCENE], seed = (int)row[R_SEED];
  const cr_model* vacuum = s->pools[at].vacuum;
  miss all, with_tuned[MOST_TESTS], with_network[MOST_TESTS];
  CR_TRY(test(s, &(predictor){.m = vacuum}, at, seed, STREAM_UNSEEN, &all, NULL, error));
  put_miss(row, R_VACUUM, all);
  CR_TRY(tune(s, vacuum, ms, tuned, error));
  keep_damping(*tuned, row);
  CR_TRY(test(s, &(predictor){.m = *tuned}, at, seed, STREAM_UNSEEN, &all, with_tuned, error));
  put_miss(row, R_TUNED, all);
  CR_TRY(test(s, &(predictor){.m = vacuum}, at, seed, STREAM_SEEN, &all, NULL, error));
  // forces in proportion to what the vacuum misses: 0.1 N in water
  cr_real force = cr_max(cr_min(CR_R(0.15) * all.angle, CR_R(0.1)), CR_R(1e-6));
  CR_TRY(add_medium(m, vacuum, links_of(at), seed, force, error));
  for (int k = 0; k < N_COURSE; k++) {
    CR_TRY(attend(s, k, ms, m, &row[R_EPOCH], error));
  }
  row[R_EPOCH] /= 2;  // without mirror images
  row[R_WEIGHTS] = (cr_real)cr_model_count(*m, "npluginparam");
  CR_TRY(try_all(s, &(predictor){.m = *m}, row, with_network, error));
  for (int k = 0; k < s->tests; k++) {
    row[R_BETTER] += with_network[k].angle < with_tuned[k].angle;
    row[R_BETTER + 1] += with_network[k].place < with_tuned[k].place;
  }
  row[R_BETTER] /= (cr_real)s->tests;
  row[R_BETTER + 1] /= (cr_real)s->tests;
  return CR_OK;
}

static cr_status with_model(const swimmer* s, cr_real* row, cr_error* error) {
  char path[CR_MAX_PATH];
  int at = (int)row[R_SCENE], seed = (int)row[R_SEED];
  cr_model *m = NULL, *tuned = NULL;
  cr_measurements* ms = NULL;
  cr_status status = cr_measurements_create(&ms, s->pools[at].vacuum, error);
  status = status == CR_OK ? record(s, ms, at, seed, error) : status;
  status = status == CR_OK ? correct(s, ms, row, &tuned, &m, error) : status;
  if (status == CR_OK && seed == 1) {
    status = path_of(s, network_format, at, path, error);
    status = status == CR_OK ? cr_model_save_blueprint(m, path, error) : status;
  }
  cr_measurements_destroy(ms);
  cr_model_destroy(tuned);
  cr_model_destroy(m);
  return status;
}

static cr_status with_network(const swimmer* s, cr_real* row, cr_error* error) {
  char path[CR_MAX_PATH];
  int at = (int)row[R_SCENE], seed = (int)row[R_SEED];
  cr_lstm lstm = {.learned = NULL};
  cr_status status = train_alone(s, at, seed, &lstm, error);
  if (status == CR_OK) {
    row[R_WEIGHTS] = (cr_real)cr_network_nweight(cr_learned_network(lstm.learned));
    status = try_all(s, &(predictor){.lstm = &lstm}, row, NULL, error);
  }
  if (status == CR_OK && seed == 1) {
    status = path_of(s, alone_format, at, path, error);
    status = status == CR_OK ? cr_learned_save(lstm.learned, path, error) : status;
  }
  cri_lstm_free(&lstm);
  return status;
}

typedef struct {
  const swimmer* s;
  cr_trials trials;
} tasks;

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const tasks* all = context;
  double clock = cri_thread_seconds();
  cri_trial_row(&all->trials.list[i], row, N_COLUMN);
  cr_status status =
      row[R_KIND] == ALONE ? with_network(all->s, row, error) : with_model(all->s, row, error);
  row[R_SECONDS] = (cr_real)(cri_thread_seconds() - clock);
  return status;
}

// ---- claims

typedef struct {
  double median, low, high;
} range;

static range over_seeds(cr_table* t, int kind, int at, int column) {
  range r = {cri_trials_median(t, kind, at, column), (double)INFINITY, -(double)INFINITY};
  for (int i = 0; i < t->rows; i++) {
    const cr_real* row = cri_table_row(t, i);
    if (row[R_KIND] == (cr_real)kind && row[R_SCENE] == (cr_real)at) {
      r.low = fmin(r.low, (double)row[column]);
      r.high = fmax(r.high, (double)row[column]);
    }
  }
  return r;
}

static void tell(cr_notebook* book, const swimmer* s, cr_table* t) {
  cri_say(book,
          "\nmotions not used, 900 steps: error of angles, rad, and of the head's place, mm "
          "(median over seeds)\n%-18s %17s %17s %33s %17s %17s\n",
          "", "vacuum", "best dampers", "network (least to most)", "the same motions",
          "network alone");
  for (int i = 0; i < s->scenes; i++) {
    char name[NAME];
    name_of(i, "%d links, %s", name, sizeof name);
    range e = over_seeds(t, HYBRID, i, R_ERROR), p = over_seeds(t, HYBRID, i, R_ERROR + 1);
    cri_say(
        book, "%-18s %8.3g %8.3g %8.3g %8.3g %8.3g (%.3g to %.3g) %.3g %8.3g %8.3g %8.3g %8.3g\n",
        name, cri_trials_median(t, HYBRID, i, R_VACUUM),
        1e3 * cri_trials_median(t, HYBRID, i, R_VACUUM + 1),
        cri_trials_median(t, HYBRID, i, R_TUNED),
        1e3 * cri_trials_median(t, HYBRID, i, R_TUNED + 1), e.median, e.low, e.high, 1e3 * p.median,
        cri_trials_median(t, HYBRID, i, R_SAME), 1e3 * cri_trials_median(t, HYBRID, i, R_SAME + 1),
        cri_trials_median(t, ALONE, i, R_ERROR), 1e3 * cri_trials_median(t, ALONE, i, R_ERROR + 1));
  }
}

// after few epochs the order is not certain
static void claim_scene(cr_notebook* book, cr_table* t, int at) {
  char name[NAME];
  name_of(at, "%d links, %s", name, sizeof name);
  static const char* const what[2] = {"angles", "places"};
  for (int j = 0; j < 2; j++) {
    double learned = cri_trials_median(t, HYBRID, at, R_ERROR + j);
    cri_claim(book, cri_trials_median(t, HYBRID, at, R_TUNED + j) / learned,
              book->request.brief ? 0.5 : 1, (double)INFINITY, "",
              "%s: error of %s with the best dampers over that with the network", name, what[j]);
    if (!book->request.brief) {
      cri_claim(book, cri_trials_median(t, ALONE, at, R_ERROR + j) / learned, 1, (double)INFINITY,
                "regresses to the mean", "%s: error of %s of the network alone over that", name,
                what[j]);
    }
  }
}

// the largest distance from MuJoCo over 900 steps
static cr_status follow(const swimmer* s, int at, double* most, cr_error* error) {
  char name[NAME], path[CR_MAX_PATH];
  const cr_check_options o = {.size = sizeof o, .seed = 1};
  double* off = calloc((size_t)s->test_rows, sizeof *off);
  CR_TRY(off != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "swimmer: no memory"));
  int done = 0;
  name_of(at, "swimmer_%d_%s.xml", name, sizeof name);
  cr_status status = cri_path_join(path, s->book->folder, name, error);
  status = status == CR_OK
               ? cr_follow(path, &o, s->test_rows - 1, off, NULL, NULL, NULL, &done, error)
               : status;
  *most = done < s->test_rows - 1 ? (double)INFINITY : 0;
  for (int i = 0; i < done; i++) {
    *most = fmax(*most, off[i]);
  }
  free(off);
  return status;
}

static cr_status conclude(cr_notebook* book, const swimmer* s, cr_table* t, cr_error* error) {
  cri_say(
      book,
      "Swimmers in media, models of them in vacuum, and networks that add what the medium does; "
      "%d motions of %d steps to learn\nfrom, with their mirror images. Published (NeuralSim): "
      "two links in water at 25 C, 1637 weights; an LSTM of 1900 regresses\nto the mean; no "
      "numbers. Here %g to %g weights, LSTM %g to %g.\n",
      MOTIONS, s->rows - 1, cri_trials_median(t, HYBRID, 0, R_WEIGHTS),
      cri_trials_median(t, HYBRID, s->scenes - 1, R_WEIGHTS),
      cri_trials_median(t, ALONE, 0, R_WEIGHTS),
      cri_trials_median(t, ALONE, s->scenes - 1, R_WEIGHTS));
  tell(book, s, t);
  for (int i = 0; i < s->scenes; i++) {
    double most;
    char name[NAME];
    name_of(i, "%d links, %s", name, sizeof name);
    CR_TRY(follow(s, i, &most, error));
    cri_say(book,
            "%s: better than dampers in %.0f %% of the motions in angles, %.0f %% in places (worst "
            "seed %.0f %%, %.0f %%)\n",
            name, 100 * cri_trials_median(t, HYBRID, i, R_BETTER),
            100 * cri_trials_median(t, HYBRID, i, R_BETTER + 1),
            100 * over_seeds(t, HYBRID, i, R_BETTER).low,
            100 * over_seeds(t, HYBRID, i, R_BETTER + 1).low);
    cri_claim(book, most, 0, 1e-9, "reference by MuJoCo", "%s: distance from MuJoCo, relative",
              name);
    claim_scene(book, t, i);
  }
  cri_claim(book, cri_trials_median(t, HYBRID, s->scenes - 1, R_EPOCH), 0, 1, "",
            "seconds of processor time of an epoch: ten motions of 200 steps, full gradient");
  return CR_OK;
}

// ---- picture: a motion not used

enum { SHOWN = 2, N_SHOWN = 4 };

static void put_motion(cr_table* t, int at, int predictor_at, int rows, int dofs,
                       const cr_real* q) {
  for (int i = 0; i < rows; i++) {
    cr_real* row = cri_table_row(t, t->rows);
    row[0] = (cr_real)at;
    row[1] = (cr_real)predictor_at;
    row[2] = (cr_real)i * timestep;
    cr_copy(row + 3, q + (ptrdiff_t)dofs * i, CR_SWIMMER_ROOT + 1);
  }
}

// the truth and three predictions of it
static cr_status show_motion(const swimmer* s, int at, const predictor* all, cr_table* t,
                             cr_error* error) {
  cr_swimmer_motion should;
  cr_real* q = calloc((size_t)s->test_rows * CR_SWIMMER_MOST_DOFS, sizeof *q);
  cr_status status = q != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "swimmer: no memory");
  CR_TRY(status);
  status = move(&should, s->pools[at].truth, at, 1, STREAM_UNSEEN, SHOWN, s->test_rows, error);
  if (status == CR_OK) {
    put_motion(t, at, 0, s->test_rows, should.dofs, should.states.q);
  }
  for (int k = 1; k < N_SHOWN && status == CR_OK; k++) {
    status = predict(&all[k], &should, at, 1, STREAM_UNSEEN, SHOWN, q, error);
    if (status == CR_OK) {
      put_motion(t, at, k, s->test_rows, should.dofs, q);
    }
  }
  cri_swimmer_free(&should);
  free(q);
  return status;
}

static cr_status open_found(const swimmer* s, cr_table* rows, int at, cr_model** tuned,
                            cr_model** m, cr_lstm* lstm, cr_error* error) {
  char path[CR_MAX_PATH];
  const cr_real* damping = cri_trial_find(rows, HYBRID, at, 1) + R_DAMPING;
  cr_real all[CR_SWIMMER_MOST_DOFS];
  for (int j = 0; j < CR_SWIMMER_MOST_DOFS; j++) {
    all[j] = damping[j < CR_SWIMMER_HEADING ? 0 : j == CR_SWIMMER_HEADING ? 1 : 2];
  }
  CR_TRY(cr_model_copy(tuned, s->pools[at].vacuum, error));
  CR_TRY(cr_model_set(*tuned, "dof_damping", all, links_of(at) + 2, error));
  CR_TRY(cr_model_copy(m, s->pools[at].vacuum, error));
  CR_TRY(path_of(s, network_format, at, path, error));
  CR_TRY(cr_model_read_blueprint(*m, path, error));
  CR_TRY(path_of(s, alone_format, at, path, error));
  lstm->view = view_of(at);
  return cr_learned_open(&lstm->learned, path, error);
}

static cr_status show_scene(const swimmer* s, cr_table* rows, int at, cr_table* t,
                            cr_error* error) {
  cr_model *tuned = NULL, *m = NULL;
  cr_lstm lstm = {.learned = NULL};
  cr_status status = open_found(s, rows, at, &tuned, &m, &lstm, error);
  const predictor all[N_SHOWN] = {{NULL, NULL}, {.m = m}, {.m = tuned}, {.lstm = &lstm}};
  status = status == CR_OK ? show_motion(s, at, all, t, error) : status;
  cri_lstm_free(&lstm);
  cr_model_destroy(m);
  cr_model_destroy(tuned);
  return status;
}

static cr_status draw(const swimmer* s, cr_table* rows, cr_error* error) {
  const double nan = (double)NAN;
  cr_table t = {0};
  cr_status status = cri_table_create(&t, motion_csv, "scene,predictor,time,x,y,heading,joint",
                                      NULL, N_SHOWN * s->test_rows, error);
  status = status == CR_OK ? show_scene(s, rows, CR_SWIMMER_WATER_25, &t, error) : status;
  status = status == CR_OK ? cri_table_save(&t, s->book->folder, error) : status;
  cri_table_free(&t);
  CR_TRY(status);
#define MOTION(x, y)                                                          \
  {motion_csv, x, y, "true", CR_CURVE_DASHES, "predictor", 0},                \
      {motion_csv, x, y, "network on vacuum", CR_CURVE_LINE, "predictor", 1}, \
      {motion_csv, x, y, "best dampers", CR_CURVE_LINE, "predictor", 2}, {    \
    motion_csv, x, y, "network alone", CR_CURVE_LINE, "predictor", 3          \
  }
  const cr_curve heading[] = {MOTION("time", "heading")}, path[] = {MOTION("x", "y")};
#undef MOTION
  const cr_curve angles[] = {
      {csv, "scene", "error", "network on vacuum", CR_CURVE_POINTS, "kind", HYBRID},
      {csv, "scene", "tuned", "best dampers", CR_CURVE_POINTS, "kind", HYBRID},
      {csv, "scene", "vacuum", "vacuum", CR_CURVE_POINTS, "kind", HYBRID},
      {csv, "scene", "error", "network alone", CR_CURVE_POINTS, "kind", ALONE}};
  const cr_curve places[] = {
      {csv, "scene", "error_place", "network on vacuum", CR_CURVE_POINTS, "kind", HYBRID},
      {csv, "scene", "tuned_place", "best dampers", CR_CURVE_POINTS, "kind", HYBRID},
      {csv, "scene", "vacuum_place", "vacuum", CR_CURVE_POINTS, "kind", HYBRID},
      {csv, "scene", "error_place", "network alone", CR_CURVE_POINTS, "kind", ALONE}};
  static const char scenes[] = "2 links: 0 water 25 C, 1 water 5 C, 2 air; 6 links: 3, 4, 5";
  const cr_chart charts[] = {
      {"time, s", "a motion not used: heading, rad", false, false, nan, nan, heading, N_SHOWN},
      {"x, m", "the same: y of the head, m", false, false, nan, nan, path, N_SHOWN},
      {scenes, "error of angles over 9 s, rad", false, true, nan, nan, angles, 4},
      {scenes, "error of the place, m", false, true, nan, nan, places, 4}};
  return cri_charts(s->book->folder, "swimmer", "Swimmers: what the medium does, learned", charts,
                    4, 2, error);
}

// ---- the study

static cr_status compute(const swimmer* s, cr_notebook* book, cr_table* table, cr_error* error) {
  tasks* all = calloc(1, sizeof *all);
  CR_TRY(all != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "swimmer: no memory"));
  all->s = s;
  for (int i = 0; i < s->scenes; i++) {
    cri_trials_add(&all->trials, HYBRID, i, s->seeds);
    cri_trials_add(&all->trials, ALONE, i, s->seeds);
  }
  cr_status status = cri_table_create(table, csv, header, NULL, all->trials.n, error);
  status =
      status == CR_OK ? cri_sweep(book, table, cr_pool_size(book->pool), work, all, error) : status;
  free(all);
  return status;
}

cr_status cri_study_swimmer(cr_notebook* book, cr_error* error) {
  bool brief = book->request.brief;
  swimmer s = {.book = book,
               .scenes = brief ? 1 : N_SCENE,
               .rows = 201,
               .test_rows = 901,
               .tests = brief ? 5 : MOST_TESTS,
               .seeds = brief ? 1 : 5,
               .share = brief ? 20 : 100};
  cr_table table = {0};
  cr_status status = open_pools(&s, error);
  status = status == CR_OK ? compute(&s, book, &table, error) : status;
  status = status == CR_OK ? conclude(book, &s, &table, error) : status;
  status = status == CR_OK ? draw(&s, &table, error) : status;
  cri_table_free(&table);
  for (int i = 0; i < N_SCENE; i++) {
    cr_model_destroy(s.pools[i].truth);
    cr_model_destroy(s.pools[i].vacuum);
  }
  return status;
}
