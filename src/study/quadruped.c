// SPDX-License-Identifier: Apache-2.0
// A robot trots: forces of its feet come from convex model predictive control, then from a network that imitates it. Robot, gait, costs and speeds
// are those of google-research's motion_imitation; the network is after Heiden et al., NeuralSim, 2021.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "notebook/sweep.h"
#include "study/studies.h"
#include "tools/clock.h"
#include "tools/hdf5.h"
#include "tools/plot.h"
#include "walk/imitation.h"
#include "walk/robots.h"
#include "walk/walk.h"

enum { BY_PLAN, BY_NETWORK, DECIDERS };
enum { SPEEDS, TURNS, PUSH, STRAIGHT, EVERY };  // kinds of walks
enum { MOST_TRIALS = 400, DIRECTIONS = 8 };
static const char csv[] = "quadruped.csv", course_csv[] = "quadruped_course.csv",
                  speed_csv[] = "quadruped_speed.csv", every_csv[] = "quadruped_every.csv";
static const char network_file[] = "quadruped.crn", decisions_file[] = "quadruped_decisions.h5";

typedef struct {
  int decider, kind;
  double value;  // of STRAIGHT: m/s; of EVERY: steps between decisions; of PUSH: N s
  double length, angle, start, speed;  // of a push: s, rad, s; m/s that it walks
} trial;

typedef struct {
  cr_notebook* book;
  cr_model* m;
  cr_legged robot;
  cr_walk_options options;
  cr_qp_method method;
  double height, course_time, straight_time;
  int decisions, epochs, batch;  // to learn from
  trial trials[MOST_TRIALS];
  int ntrial, nplan;  // those of the plan come first
  double held;  // squared error of the network on decisions that it has not seen, by their variance
  int weights;
  double plan_time, interior_time, network_time;  // s of processor time a decision
  double plan_iterations;
} quadruped;

// ---- what a robot is asked to do

typedef struct {
  const double (*speed)[3];  // each for `hold` s, over and over
  int n;
  double hold;
} course;

static const double speeds[][3] = {{0.6, 0, 0}, {0.2, 0, 0}, {0.8, 0, 0}};
static const double turns[][3] = {{0, 0, 0}, {0, 0, 0.8},   {0.6, 0, 0}, {0, 0, -0.8}, {0, -0.2, 0},
                                  {0, 0, 0}, {0.6, 0, 0.4}, {0, 0.2, 0}, {-0.3, 0, 0}, {0.8, 0, 0}};

static void wanted(const void* context, double time, double to[3]) {
  const course* c = context;
  memcpy(to, c->speed[(int)(time / c->hold) % c->n], 3 * sizeof *to);
}

// ---- who decides

static cr_status by_plan(void* context, const cr_body_view* view, double force[CR_LEGS][3],
                         cr_error* error) {
  return cri_force_plan_decide(context, view, force, error);
}

typedef struct {
  cr_imitation* network;
  const cr_force_costs* costs;
} imitator;

static cr_status by_network(void* context, const cr_body_view* view, double force[CR_LEGS][3],
                            cr_error* error) {
  (void)error;
  const imitator* i = context;
  cri_imitation_decide(i->network, i->costs, view, force);
  return CR_OK;
}

static cr_status path_of(const quadruped* s, const char* name, char path[CR_MAX_PATH],
                         cr_error* error) {
  return cri_path_join(path, s->book->folder, name, error);
}

// walks with a decider of its own
static cr_status walk_by(const quadruped* s, int decider, cr_walk* walk, cr_walk_end* end,
                         cr_error* error) {
  char path[CR_MAX_PATH];
  cr_force_plan* plan = NULL;
  imitator i = {.network = NULL, .costs = &s->options.costs};
  cr_status status = CR_OK;
  if (decider == BY_PLAN) {
    status = cri_force_plan_create(&plan, &walk->options.costs, s->method, error);
    walk->decide = by_plan;
    walk->context = plan;
  } else {
    status = path_of(s, network_file, path, error);
    status = status == CR_OK ? cri_imitation_open(&i.network, path, error) : status;
    walk->decide = by_network;
    walk->context = &i;
  }
  status = status == CR_OK ? cri_walk_run(walk, end, error) : status;
  cri_force_plan_destroy(plan);
  cri_imitation_destroy(i.network);
  return status;
}

// ---- trials

static void add(quadruped* s, trial t) {
  if (s->ntrial < MOST_TRIALS) {
    s->trials[s->ntrial++] = t;
  }
}

// pushes in eight directions, standing and walking
static const struct {
  double strength, length;  // N s, s
} pushes[] = {{30, 0.5}, {50, 0.5}, {50, 0.2}, {50, 0.1}, {75, 0.2}, {100, 0.5}};

// the short study has the first one, the whole study all others
static int first_push(const quadruped* s) { return s->book->request.brief ? 0 : 1; }
static int end_push(const quadruped* s) {
  return s->book->request.brief ? 1 : (int)(sizeof pushes / sizeof pushes[0]);
}

static void add_pushes(quadruped* s, int decider) {
  bool brief = s->book->request.brief;
  for (int i = first_push(s); i < end_push(s); i++) {
    for (int k = 0; k < DIRECTIONS; k += brief ? 2 : 1) {
      double angle = 2 * (double)CR_PI * k / DIRECTIONS;
      trial t = {decider, PUSH, pushes[i].strength, pushes[i].length, angle, 2, 0};
      add(s, t);
      if (!brief) {
        t.start = 2.1;
        t.speed = 0.6;
        add(s, t);
      }
    }
  }
}

static void make_trials(quadruped* s) {
  static const double periods[] = {2, 5, 10, 15, 20, 25};
  bool brief = s->book->request.brief;
  for (int decider = 0; decider < DECIDERS; decider++) {
    add(s, (trial){.decider = decider, .kind = SPEEDS});
    if (!brief) {
      add(s, (trial){.decider = decider, .kind = TURNS});
    }
    add_pushes(s, decider);
    for (int k = brief ? 1 : 0; k <= (brief ? 3 : 7); k += brief ? 2 : 1) {
      add(s, (trial){.decider = decider, .kind = STRAIGHT, .value = 0.2 * k});
    }
    for (int k = brief ? 1 : 0; k < (brief ? 4 : 6); k += brief ? 2 : 1) {
      add(s, (trial){.decider = decider, .kind = EVERY, .value = periods[k]});
    }
    s->nplan = decider == BY_PLAN ? s->ntrial : s->nplan;
  }
}

// columns of the table
enum {
  T_DECIDER,
  T_KIND,
  T_VALUE,
  T_LENGTH,
  T_ANGLE,
  T_SPEED,
  T_FELL,    // s; -1: it did not
  T_ERROR,   // rms over half seconds of the velocity in the plane, m/s
  T_STEADY,  // the same without the first second after each change, and from 2 s on
  T_TURN,    // rms of the turning rate, rad/s
  T_HEIGHT,
  T_TILT,
  T_POWER,
  T_TRANSPORT,  // power by weight and speed
  T_ESTIMATE,
  T_DECISIONS,
  T_DUTY,
  T_DIAGONAL
};
static const char header[] =
    "decider,kind,value,length,angle,speed,fell,error,error_steady,error_turning,height,tilt,power,"
    "transport,error_estimate,decisions,duty,diagonal";

static void judge(const quadruped* s, const cr_walk* walk, const cr_walk_end* end, double* row) {
  const course* c = walk->course;
  double all = 0, steady = 0, turn = 0, estimate = 0, speed = 0;
  int n = 0;
  row[T_FELL] = isfinite(end->fell) ? end->fell : -1;
  for (int i = 0; i < end->rows; i++) {
    const double* at = end->row + (ptrdiff_t)CR_WALK_COLUMNS * i;
    double ahead = at[CR_WALK_SPEED] - at[CR_WALK_WANTED];
    double side = at[CR_WALK_SPEED + 1] - at[CR_WALK_WANTED + 1];
    double spin = at[CR_WALK_SPEED + 2] - at[CR_WALK_WANTED + 2], off = ahead * ahead + side * side;
    // within the time since the last change
    double since = at[CR_WALK_TIME] - c->hold * floor((at[CR_WALK_TIME] - 0.25) / c->hold);
    if (since > 1.25) {
      steady += off;
      n++;
    }
    all += off / end->rows;
    turn += spin * spin / end->rows;
    estimate += at[CR_WALK_ESTIMATE] * at[CR_WALK_ESTIMATE] / end->rows;
    row[T_HEIGHT] += at[CR_WALK_HEIGHT] / end->rows;
    row[T_POWER] += at[CR_WALK_POWER] / end->rows;
    row[T_TILT] = fmax(row[T_TILT], at[CR_WALK_TILT]);
    speed += hypot(at[CR_WALK_SPEED], at[CR_WALK_SPEED + 1]) / end->rows;
  }
  row[T_ERROR] = sqrt(all);
  row[T_STEADY] = n > 0 ? sqrt(steady / n) : 0;
  row[T_TURN] = sqrt(turn);
  row[T_ESTIMATE] = sqrt(estimate);
  row[T_TRANSPORT] = row[T_POWER] / (s->robot.mass * s->robot.gravity * fmax(speed, 0.05));
  row[T_DECISIONS] = end->decisions;
  row[T_DUTY] = end->duty;
  row[T_DIAGONAL] = end->diagonal;
}

// the file of a motion that is kept: the course of speeds, and one push
static const char* record_of(const trial* t) {
  if (t->kind == SPEEDS) {
    return t->decider == BY_PLAN ? "motion_plan.h5" : "motion_network.h5";
  }
  bool first = t->kind == PUSH && t->value <= 50 && t->length == 0.5 && t->speed == 0 &&
               t->angle > 1.5 && t->angle < 1.6;
  return first ? (t->decider == BY_PLAN ? "push_plan.h5" : "push_network.h5") : NULL;
}

static cr_status run_trial(const quadruped* s, const trial* t, cr_walk_end* end, double* row,
                           cr_error* error) {
  const double straight[1][3] = {{t->kind == PUSH       ? t->speed
                                  : t->kind == STRAIGHT ? t->value
                                                        : 0.6,
                                  0, 0}};
  course c = {straight, 1, 1e9};
  if (t->kind == SPEEDS || t->kind == TURNS) {
    double hold = s->book->request.brief ? 2 : 5;
    c = t->kind == SPEEDS ? (course){speeds, 3, hold} : (course){turns, 10, hold};
  }
  double force = t->length > 0 ? t->value / t->length : 0;
  const cr_shove shove = {t->start, t->length, {force * cos(t->angle), force * sin(t->angle), 0}};
  char path[CR_MAX_PATH];
  const char* record = record_of(t);
  if (record != NULL) {
    CR_TRY(path_of(s, record, path, error));
  }
  bool long_one = t->kind == SPEEDS || t->kind == TURNS;
  cr_walk walk = {.robot = &s->robot,
                  .options = s->options,
                  .time = long_one          ? s->course_time
                          : t->kind == PUSH ? 5.5
                                            : s->straight_time,
                  .wanted = wanted,
                  .course = &c,
                  .shove = &shove,
                  .nshove = t->kind == PUSH,
                  .seed = 1,
                  .noise = 1,
                  .record = record != NULL ? path : NULL,
                  .stop = s->book->request.stop};
  if (t->kind == EVERY) {
    walk.options.every = (int)t->value;
  }
  CR_TRY(walk_by(s, t->decider, &walk, end, error));
  judge(s, &walk, end, row);
  return CR_OK;
}

typedef struct {
  const quadruped* s;
  int first;
} part;

static cr_status work(void* context, int item, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const part* p = context;
  const trial* t = &p->s->trials[p->first + item];
  cr_walk_end end = {.rows = 0};
  memset(row, 0, (T_DIAGONAL + 1) * sizeof *row);
  row[T_DECIDER] = t->decider;
  row[T_KIND] = t->kind;
  row[T_VALUE] = t->value;
  row[T_LENGTH] = t->length;
  row[T_ANGLE] = t->angle;
  row[T_SPEED] = t->speed;
  cr_status status = run_trial(p->s, t, &end, row, error);
  cri_walk_free(&end);
  return status;
}

// ---- decisions to learn from: walks with speeds that change every second, and with pushes

enum { WALKS = 10, CHANGES = 12, SHOVES = 4 };
static const double shove_every = 2.5;  // s

typedef struct {
  cr_force_plan* plan;
  cr_transitions* to;
} teacher;

static cr_status teach(void* context, const cr_body_view* view, double force[CR_LEGS][3],
                       cr_error* error) {
  const teacher* t = context;
  CR_TRY(cri_force_plan_decide(t->plan, view, force, error));
  cri_transitions_add(t->to, view, (const double(*)[3])force);
  return CR_OK;
}

typedef struct {
  const quadruped* s;
  cr_transitions part[WALKS];
  cr_error errors[WALKS];
} lessons;

typedef struct {
  double speed[CHANGES][3];
  cr_shove shove[SHOVES];
} lesson;

// strength: of the hardest push, N s
static void make_lesson(int item, double strength, lesson* to) {
  cr_random random = cr_random_seed(21, (uint64_t)item);
  for (int i = 0; i < CHANGES; i++) {
    to->speed[i][0] = (double)cr_random_range(&random, CR_R(-0.5), 1);
    to->speed[i][1] = (double)cr_random_range(&random, CR_R(-0.3), CR_R(0.3));
    to->speed[i][2] = (double)cr_random_range(&random, -1, 1);
  }
  for (int i = 0; i < SHOVES; i++) {
    const double length = 0.2;
    double angle = 2 * (double)CR_PI * (double)cr_random_uniform(&random);
    double force = strength / length * (double)cr_random_uniform(&random);
    double start = shove_every * i + 0.5 + (double)cr_random_uniform(&random);
    to->shove[i] = (cr_shove){start, length, {force * cos(angle), force * sin(angle), 0}};
  }
}

static cr_status walk_lesson(lessons* all, int item, double strength, bool* fell, cr_error* error) {
  const quadruped* s = all->s;
  lesson l;
  make_lesson(item, strength, &l);
  const course c = {(const double(*)[3])l.speed, CHANGES, 1};
  teacher t = {.to = &all->part[item]};
  CR_TRY(cri_force_plan_create(&t.plan, &s->options.costs, s->method, error));
  t.to->n = 0;
  // there is a decision at least every so many steps
  cr_walk walk = {.robot = &s->robot,
                  .options = s->options,
                  .decide = teach,
                  .context = &t,
                  .time = t.to->room * s->options.every * (double)cr_model_timestep(s->m),
                  .wanted = wanted,
                  .course = &c,
                  .shove = l.shove,
                  .nshove = SHOVES,
                  .seed = (uint64_t)(100 + item),
                  .noise = 1,
                  .stop = s->book->request.stop};
  cr_walk_end end = {.rows = 0};
  cr_status status = cri_walk_run(&walk, &end, error);
  *fell = status == CR_OK && isfinite(end.fell);
  cri_walk_free(&end);
  cri_force_plan_destroy(t.plan);
  return status;
}

// a robot that falls walks again, with weaker pushes
static cr_status give_lesson(void* context, int item, int worker) {
  (void)worker;
  lessons* all = context;
  const quadruped* s = all->s;
  cr_error* error = &all->errors[item];
  bool fell = true;
  CR_TRY(cri_transitions_create(&all->part[item], s->decisions / WALKS, error));
  for (double strength = 50; fell && strength > 5; strength /= 2) {
    CR_TRY(walk_lesson(all, item, strength, &fell, error));
  }
  return fell ? cri_fail(error, CR_ERR_DIVERGED, "the robot fell while decisions were gathered")
              : CR_OK;
}

static cr_status save_decisions(const cr_transitions* t, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(cri_h5_create(&file, path, error));
  cr_status status = cri_h5_write(file, "input", t->input, t->n, CR_IMITATION_INPUTS, error);
  status = status == CR_OK
               ? cri_h5_write(file, "force", t->output, t->n, CR_IMITATION_OUTPUTS, error)
               : status;
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  return status;
}

static cr_status read_decisions(cr_transitions* t, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  double *input = NULL, *force = NULL;
  int rows[2] = {0, 0}, width[2] = {0, 0};
  CR_TRY(cri_h5_open(&file, path, error));
  cr_status status = cri_h5_read(file, "input", &input, &rows[0], &width[0], error);
  status =
      status == CR_OK ? cri_h5_read(file, "force", &force, &rows[1], &width[1], error) : status;
  cri_h5_close(file);
  if (status == CR_OK && (rows[0] != rows[1] || rows[0] != t->room ||
                          width[0] != CR_IMITATION_INPUTS || width[1] != CR_IMITATION_OUTPUTS)) {
    status = cri_fail(error, CR_ERR_FORMAT, "%s: not the decisions of this study", path);
  }
  if (status == CR_OK) {
    t->n = rows[0];
    memcpy(t->input, input, (size_t)t->n * CR_IMITATION_INPUTS * sizeof *input);
    memcpy(t->output, force, (size_t)t->n * CR_IMITATION_OUTPUTS * sizeof *force);
  }
  free(input);
  free(force);
  return status;
}

static bool there_is(const quadruped* s, const char* path) {
  return s->book->request.resume && cri_file_check(path, NULL) == CR_OK;
}

static cr_status gather(const quadruped* s, cr_transitions* t, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(path_of(s, decisions_file, path, error));
  if (there_is(s, path)) {
    return read_decisions(t, path, error);
  }
  lessons* all = calloc(1, sizeof *all);
  CR_TRY(all != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "quadruped: no memory"));
  all->s = s;
  cr_status status = cr_pool_run(s->book->pool, WALKS, give_lesson, all);
  for (int i = 0; i < WALKS; i++) {
    const cr_transitions* from = &all->part[i];
    if (status == CR_OK) {
      memcpy(t->input + (ptrdiff_t)t->n * CR_IMITATION_INPUTS, from->input,
             (size_t)from->n * CR_IMITATION_INPUTS * sizeof *t->input);
      memcpy(t->output + (ptrdiff_t)t->n * CR_IMITATION_OUTPUTS, from->output,
             (size_t)from->n * CR_IMITATION_OUTPUTS * sizeof *t->output);
      t->n += from->n;
    } else if (all->errors[i].text[0] != 0 && error->text[0] == 0) {
      *error = all->errors[i];
    }
    cri_transitions_free(&all->part[i]);
  }
  free(all);
  CR_TRY(status);
  return save_decisions(t, path, error);
}

// ---- the network

static bool stopped(void* context) {
  const quadruped* s = context;
  return s->book->request.stop != NULL && s->book->request.stop();
}

static void show_epoch(void* context, int epoch, double loss, double held) {
  quadruped* s = context;
  if (cri_progress_due(&s->book->progress)) {
    char line[128];
    (void)snprintf(line, sizeof line, "network: epoch %d of %d, loss %.4g, held aside %.4g", epoch,
                   s->epochs, loss, held);
    cri_progress_line(&s->book->progress, line);
  }
}

static cr_status learn(quadruped* s, cr_error* error) {
  char path[CR_MAX_PATH];
  cr_transitions t;
  cr_imitation* network = NULL;
  CR_TRY(path_of(s, network_file, path, error));
  CR_TRY(cri_transitions_create(&t, s->decisions, error));
  bool go_on = there_is(s, path);
  cr_status status = gather(s, &t, error);
  if (status == CR_OK) {
    status = go_on ? cri_imitation_open(&network, path, error)
                   : cri_imitation_create(&network, 1, error);
  }
  if (status == CR_OK) {
    const cr_imitation_training how = {.epochs = s->epochs,
                                       .batch = s->batch,
                                       .threads = cr_pool_size(s->book->pool),
                                       .rate = 1e-3,
                                       .final_rate = 1e-5,
                                       .seed = 3,
                                       .save = path,
                                       .go_on = go_on,
                                       .stop = stopped,
                                       .progress = show_epoch,
                                       .context = s};
    status = cri_imitation_train(network, &t, &how, &s->held, error);
    s->weights = cri_imitation_weights(network);
    status = status == CR_OK ? cri_imitation_save(network, path, error) : status;
  }
  cri_imitation_destroy(network);
  cri_transitions_free(&t);
  return status;
}

// ---- time of a decision: all deciders on the same views, of a walk by the plan

typedef struct {
  cr_force_plan *plan, *interior;
  imitator network;
  double plan_time, interior_time, network_time, iterations;
  int n;
} clocked;

static cr_status decide_clocked(void* context, const cr_body_view* view, double force[CR_LEGS][3],
                                cr_error* error) {
  clocked* c = context;
  double other[CR_LEGS][3], start = cri_process_seconds();
  CR_TRY(cri_force_plan_decide(c->interior, view, other, error));
  double interior = cri_process_seconds();
  cri_imitation_decide(c->network.network, c->network.costs, view, other);
  double network = cri_process_seconds();
  CR_TRY(cri_force_plan_decide(c->plan, view, force, error));
  c->plan_time += cri_process_seconds() - network;
  c->interior_time += interior - start;
  c->network_time += network - interior;
  c->iterations += cri_force_plan_iterations(c->plan);
  c->n++;
  return CR_OK;
}

static cr_status take_times(quadruped* s, cr_error* error) {
  char path[CR_MAX_PATH];
  clocked c = {.network.costs = &s->options.costs};
  const course speeding = {speeds, 3, 1};
  cr_walk_end end = {.rows = 0};
  CR_TRY(path_of(s, network_file, path, error));
  cr_status status = cri_imitation_open(&c.network.network, path, error);
  status = status == CR_OK ? cri_force_plan_create(&c.plan, &s->options.costs, s->method, error)
                           : status;
  status = status == CR_OK
               ? cri_force_plan_create(&c.interior, &s->options.costs, CR_QP_INTERIOR, error)
               : status;
  if (status == CR_OK) {
    const cr_walk walk = {.robot = &s->robot,
                          .options = s->options,
                          .decide = decide_clocked,
                          .context = &c,
                          .time = 3,
                          .wanted = wanted,
                          .course = &speeding,
                          .seed = 1,
                          .noise = 1,
                          .stop = s->book->request.stop};
    status = cri_walk_run(&walk, &end, error);
  }
  if (status == CR_OK) {
    s->plan_time = c.plan_time / c.n;
    s->interior_time = c.interior_time / c.n;
    s->network_time = c.network_time / c.n;
    s->plan_iterations = c.iterations / c.n;
  }
  cri_walk_free(&end);
  cri_imitation_destroy(c.network.network);
  cri_force_plan_destroy(c.plan);
  cri_force_plan_destroy(c.interior);
  return status;
}

// ---- what came out

static const char* const deciders[DECIDERS] = {"plan", "network"};

static const double* find(const cr_table* t, int decider, int kind, int nth) {
  for (int i = 0; i < t->rows; i++) {
    const double* row = t->value + (ptrdiff_t)i * t->width;
    if (row[T_DECIDER] == decider && row[T_KIND] == kind && nth-- == 0) {
      return row;
    }
  }
  return NULL;
}

// pushes of so many N s that were survived, and how many there were; length 0: of any
static int survived(const cr_table* t, int decider, double strength, double length, int* of) {
  int n = 0;
  *of = 0;
  for (int k = 0;; k++) {
    const double* row = find(t, decider, PUSH, k);
    if (row == NULL) {
      return n;
    }
    if (row[T_VALUE] == strength && (length == 0 || row[T_LENGTH] == length)) {
      n += row[T_FELL] < 0;
      ++*of;
    }
  }
}

static void say_courses(quadruped* s, const cr_table* t) {
  cr_notebook* book = s->book;
  static const char* const names[] = {"speeds", "turns"};
  for (int kind = SPEEDS; kind <= TURNS; kind++) {
    for (int d = 0; d < DECIDERS; d++) {
      const double* row = find(t, d, kind, 0);
      if (row == NULL) {
        continue;
      }
      cri_say(book,
              "%-7s %-8s %s; rms error of velocity %.3f m/s (%.3f a second after each change), of "
              "turning %.3f rad/s; %.0f W, tilt up to %.1f degrees\n",
              names[kind], deciders[d], row[T_FELL] < 0 ? "no fall" : "fell", row[T_ERROR],
              row[T_STEADY], row[T_TURN], row[T_POWER], row[T_TILT] * 180 / (double)CR_PI);
      cri_claim(book, row[T_FELL] < 0 ? s->course_time : row[T_FELL], s->course_time,
                (double)INFINITY, "", "%s, %s: seconds without a fall", names[kind], deciders[d]);
      cri_claim(book, row[T_STEADY], 0, 0.1, "", "%s, %s: rms error of velocity, m/s", names[kind],
                deciders[d]);
    }
  }
}

static void say_pushes(quadruped* s, const cr_table* t) {
  cr_notebook* book = s->book;
  cri_say(book, "\nPushes survived%s\n", book->request.brief ? "" : ", standing and at 0.6 m/s");
  for (int i = first_push(s); i < end_push(s); i++) {
    double strength = pushes[i].strength, length = pushes[i].length;
    int of, plan = survived(t, BY_PLAN, strength, length, &of);
    int network = survived(t, BY_NETWORK, strength, length, &of);
    cri_say(book, "  %3.0f N s in %.1f s: plan %d of %d, network %d of %d\n", strength, length,
            plan, of, network, of);
    if (strength <= 50 && length > 0.15) {
      cri_claim(book, (double)plan / of, 1, 1, "",
                "plan: part of pushes of %.0f N s in %.1f s survived", strength, length);
    }
    if (strength == 50 && length == 0.5) {
      cri_claim(book, (double)network / of, 0.9, 1, "",
                "network: part of pushes of %.0f N s in %.1f s survived", strength, length);
    }
  }
}

static void say_network(quadruped* s, const cr_table* t) {
  cr_notebook* book = s->book;
  const double *plan = find(t, BY_PLAN, SPEEDS, 0), *network = find(t, BY_NETWORK, SPEEDS, 0);
  double ratio = s->plan_time / s->network_time;
  cri_say(
      book,
      "\nNetwork: %d weights, %d decisions to learn from, %d epochs; error of forces that it has "
      "not seen %.1f %% of their deviation\n",
      s->weights, s->decisions, s->epochs, 100 * sqrt(s->held));
  cri_say(book, "A decision, processor time: %s %.0f us (%.1f iterations)", cri_qp_name(s->method),
          1e6 * s->plan_time, s->plan_iterations);
  if (s->method == CR_QP_OSQP) {
    cri_say(book, ", %s %.0f us", cri_qp_name(CR_QP_INTERIOR), 1e6 * s->interior_time);
  }
  cri_say(book, ", network %.1f us: %.0f times as fast\n", 1e6 * s->network_time, ratio);
  cri_say(book,
          "Gait: a foot touches %.3f of the time with the plan, %.3f with the network; diagonal "
          "feet agree %.3f and %.3f of the time\n",
          plan[T_DUTY], network[T_DUTY], plan[T_DIAGONAL], network[T_DIAGONAL]);
  cri_claim(book, ratio, 10, (double)INFINITY, "about 10", "network: times as fast as the plan");
  cri_claim(book, network[T_DUTY] - plan[T_DUTY], -0.05, 0.05, "",
            "network less plan: part of the time that feet touch");
  cri_claim(book, network[T_DIAGONAL] - plan[T_DIAGONAL], -0.05, 0.05, "",
            "network less plan: part of the time that diagonal feet agree");
}

static void conclude(quadruped* s, const cr_table* t) {
  cr_notebook* book = s->book;
  cri_say(book,
          "A trot, %s: %.1f kg, %.2f m high; forces of feet by convex model predictive control "
          "(%s), every %d ms and when feet begin or end to stand.\n",
          book->request.data != NULL ? book->request.data : "Carom's own robot", s->robot.mass,
          s->height, cri_qp_name(s->method), s->options.every);
  const double* row = find(t, BY_PLAN, SPEEDS, 0);
  cri_say(book,
          "The velocity is estimated from the motion of the feet and an inertial unit, with noise: "
          "rms error %.3f m/s.\n\n",
          row[T_ESTIMATE]);
  say_courses(s, t);
  say_pushes(s, t);
  say_network(s, t);
}

// ---- charts

typedef void fill_row(const double* from, cr_table* to);

static void fill_every(const double* from, cr_table* to) {
  if (from[T_KIND] == EVERY) {
    double* row = cri_table_row(to, to->rows);
    row[0] = from[T_DECIDER];
    row[1] = from[T_VALUE];
    row[2] = from[T_FELL] < 0 ? from[T_STEADY] : (double)NAN;
    row[3] = from[T_FELL] < 0 ? from[T_TILT] : (double)NAN;
    row[4] = from[T_FELL];
  }
}

static void fill_speed(const double* from, cr_table* to) {
  if (from[T_KIND] == STRAIGHT) {
    double* row = cri_table_row(to, to->rows);
    bool fell = from[T_FELL] >= 0;
    row[0] = from[T_DECIDER];
    row[1] = from[T_VALUE];
    row[2] = fell ? (double)NAN : from[T_POWER];
    row[3] = fell || from[T_VALUE] == 0 ? (double)NAN : from[T_TRANSPORT];
    row[4] = fell ? (double)NAN : from[T_STEADY];
    row[5] = from[T_FELL];
  }
}

static cr_status save_part(const quadruped* s, const cr_table* t, const char* name,
                           const char* columns, fill_row* fill, cr_error* error) {
  cr_table to = {0};
  cr_status status = cri_table_create(&to, name, columns, NULL, t->rows, error);
  for (int i = 0; i < t->rows && status == CR_OK; i++) {
    fill(t->value + (ptrdiff_t)i * t->width, &to);
  }
  status = status == CR_OK ? cri_table_save(&to, s->book->folder, error) : status;
  cri_table_free(&to);
  return status;
}

// the course of speeds once more, half second by half second
static cr_status save_course(const quadruped* s, cr_error* error) {
  cr_table t = {0};
  int rows = (int)(s->course_time / 0.5) + 2;
  cr_status status = cri_table_create(&t, course_csv, "decider,time,speed,wanted,power,height",
                                      NULL, DECIDERS * rows, error);
  for (int d = 0; d < DECIDERS && status == CR_OK; d++) {
    cr_walk_end end = {.rows = 0};
    double row[T_DIAGONAL + 1] = {0};
    const trial again = {.decider = d, .kind = SPEEDS};
    status = run_trial(s, &again, &end, row, error);
    for (int i = 0; i < end.rows && status == CR_OK; i++) {
      const double* from = end.row + (ptrdiff_t)CR_WALK_COLUMNS * i;
      double* to = cri_table_row(&t, t.rows);
      to[0] = d;
      to[1] = from[CR_WALK_TIME];
      to[2] = from[CR_WALK_SPEED];
      to[3] = from[CR_WALK_WANTED];
      to[4] = from[CR_WALK_POWER];
      to[5] = from[CR_WALK_HEIGHT];
    }
    cri_walk_free(&end);
  }
  status = status == CR_OK ? cri_table_save(&t, s->book->folder, error) : status;
  cri_table_free(&t);
  return status;
}

static cr_status draw(const quadruped* s, const cr_table* t, cr_error* error) {
  const double nan = (double)NAN;
  CR_TRY(save_course(s, error));
  CR_TRY(save_part(s, t, every_csv, "decider,every,error,tilt,fell", fill_every, error));
  CR_TRY(save_part(s, t, speed_csv, "decider,speed,power,transport,error,fell", fill_speed, error));
  const cr_curve walked[] = {
      {course_csv, "time", "wanted", "wanted", CR_CURVE_DASHES, "decider", BY_PLAN},
      {course_csv, "time", "speed", "plan", CR_CURVE_LINE, "decider", BY_PLAN},
      {course_csv, "time", "speed", "network", CR_CURVE_LINE, "decider", BY_NETWORK}};
  const cr_curve cost[] = {
      {speed_csv, "speed", "transport", "plan", CR_CURVE_BOTH, "decider", BY_PLAN},
      {speed_csv, "speed", "transport", "network", CR_CURVE_BOTH, "decider", BY_NETWORK}};
  const cr_curve off[] = {
      {speed_csv, "speed", "error", "plan", CR_CURVE_BOTH, "decider", BY_PLAN},
      {speed_csv, "speed", "error", "network", CR_CURVE_BOTH, "decider", BY_NETWORK}};
  const cr_curve seldom[] = {
      {every_csv, "every", "tilt", "plan", CR_CURVE_BOTH, "decider", BY_PLAN},
      {every_csv, "every", "tilt", "network", CR_CURVE_BOTH, "decider", BY_NETWORK}};
  const cr_chart charts[] = {
      {"time, s", "speed, m/s", false, false, nan, nan, walked, 3},
      {"speed wanted, m/s", "cost of transport, W/(m g v)", false, false, nan, nan, cost, 2},
      {"speed wanted, m/s", "rms error of velocity, m/s", false, false, 0, nan, off, 2},
      {"ms between decisions, at 0.6 m/s", "largest roll or pitch, rad", false, false, 0, nan,
       seldom, 2}};
  return cri_charts(s->book->folder, "quadruped",
                    "A trot: forces by model predictive control, and by a network", charts, 4, 2,
                    error);
}

// ---- the study

static cr_status sweep(quadruped* s, cr_table* t, const char* name, int first, int n,
                       cr_error* error) {
  part p = {.s = s, .first = first};
  CR_TRY(cri_table_create(t, name, header, NULL, n, error));
  return cri_sweep(s->book, t, cr_pool_size(s->book->pool), work, &p, error);
}

// the plan's walks, then the network, then its walks; one table of all
static cr_status compute(quadruped* s, cr_table* all, cr_error* error) {
  cr_table plan = {0}, network = {0};
  int n = s->ntrial - s->nplan;
  cr_status status = sweep(s, &plan, "quadruped_plan.csv", 0, s->nplan, error);
  status = status == CR_OK ? learn(s, error) : status;
  status =
      status == CR_OK ? sweep(s, &network, "quadruped_network.csv", s->nplan, n, error) : status;
  status = status == CR_OK ? cri_table_create(all, csv, header, NULL, s->ntrial, error) : status;
  for (int i = 0; i < s->ntrial && status == CR_OK; i++) {
    const cr_table* from = i < s->nplan ? &plan : &network;
    memcpy(cri_table_row(all, i),
           from->value + (ptrdiff_t)(i < s->nplan ? i : i - s->nplan) * all->width,
           (size_t)all->width * sizeof *all->value);
  }
  status = status == CR_OK ? cri_table_save(all, s->book->folder, error) : status;
  cri_table_free(&plan);
  cri_table_free(&network);
  return status;
}

static cr_status run(quadruped* s, cr_table* t, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_robot_open(s->book->folder, s->book->request.data, &s->m, path, error));
  CR_TRY(cri_legged_find(&s->robot, s->m, s->height, error));
  s->options = cri_walk_options(&s->robot);
  make_trials(s);
  CR_TRY(compute(s, t, error));
  CR_TRY(take_times(s, error));
  conclude(s, t);
  return draw(s, t, error);
}

cr_status cri_study_quadruped(cr_notebook* book, cr_error* error) {
  bool brief = book->request.brief;
  quadruped* s = calloc(1, sizeof *s);
  cr_table t = {0};
  CR_TRY(s != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "quadruped: no memory"));
  *s = (quadruped){.book = book,
                   .method = cri_qp_has(CR_QP_OSQP) ? CR_QP_OSQP : CR_QP_INTERIOR,
                   // the legs of Carom's own robot are shorter
                   .height = book->request.data != NULL ? 0.42 : 0.37,
                   .course_time = brief ? 6 : 50,
                   .straight_time = brief ? 3 : 12,
                   .decisions = brief ? 2000 : 10000,
                   .epochs = brief ? 60 : 200,
                   .batch = brief ? 32 : 64};
  cr_status status = run(s, &t, error);
  cri_table_free(&t);
  cr_model_destroy(s->m);
  free(s);
  return status;
}
