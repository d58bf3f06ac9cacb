// SPDX-License-Identifier: Apache-2.0
// A golf ball in air at 25 degrees C, and a model of it in vacuum (NeuralSim: Heiden, Millard, Coumans, Sheng and Sukhatme, 2021). A
// network of three layers reads the velocities of the ball's joints and adds passive forces to them. It learns from some launches and
// is asked about others: where does the ball come down?
//
// The truth is no model of Carom but a formula [Smits and Smith, A new aerodynamic model of a golf ball in flight, 1994]:
//   q = density v^2 area / 2, S = spin radius / v, Re = 2 density v radius / viscosity
//   drag  q (0.24 + 0.18 S + 0.06 sin(pi (Re - 9e4) / 2e5)) against v
//   lift  q 0.54 S^0.4 along spin x v
//   spin decays by the torque q 2 radius 0.012 S
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "notebook/sweep.h"
#include "study/launch.h"
#include "study/learned.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "tools/plot.h"

static const double mass = 0.04593, radius = 0.021335, inertia = 8.374e-6;  // kg, m, kg m^2
static const double density = 1.184,
                    viscosity = 0.00001849;          // of air at 25 degrees C, kg/m^3, Pa s
static const double gravity = 9.81, interval = 0.1;  // m/s^2; s between rows

static const char ball_text[] =
    "<mujoco model=\"ball in vacuum\">\n"
    "  <option timestep=\"0.1\" integrator=\"RK4\"/>\n"
    "  <worldbody>\n"
    "    <body name=\"ball\">\n"
    "      <joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/>\n"
    "      <joint name=\"y\" type=\"slide\" axis=\"0 1 0\"/>\n"
    "      <joint name=\"z\" type=\"slide\" axis=\"0 0 1\"/>\n"
    "      <joint name=\"spin\" type=\"ball\"/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"0.04593\" diaginertia=\"8.374e-6 8.374e-6 8.374e-6\"/>\n"
    "      <geom type=\"sphere\" size=\"0.021335\" contype=\"0\" conaffinity=\"0\"/>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

// ---- the truth: place, velocity and spin; the spin keeps its axis

enum { PLACE, SPEED = 3, SPIN = 6, N_STATE = 9, NQ = 7, NV = 6, MOST_ROWS = 128, FINE = 20 };

// what the air does by a formula, or, for comparison, by two constants
typedef struct {
  bool constant;
  double drag, lift;
} air;

static double length(const double* x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static void rate(const air* a, const double* s, double* d) {
  const double *v = s + SPEED, *w = s + SPIN;
  double speed = length(v), spin = length(w), ratio = spin * radius / speed;
  double q = density * speed * speed * (double)CR_PI * radius * radius / 2;
  double reynolds = 2 * density * speed * radius / viscosity;
  double wave = 0.06 * sin((double)CR_PI * (reynolds - 9e4) / 2e5);
  double drag = a->constant ? a->drag : 0.24 + 0.18 * ratio + wave;
  double lift = a->constant ? a->lift : 0.54 * pow(ratio, 0.4);
  double across[3] = {w[1] * v[2] - w[2] * v[1], w[2] * v[0] - w[0] * v[2],
                      w[0] * v[1] - w[1] * v[0]};
  double size = length(across);
  for (int i = 0; i < 3; i++) {
    d[PLACE + i] = v[i];
    d[SPEED + i] = q * (lift * across[i] / size - drag * v[i] / speed) / mass;
    d[SPIN + i] = a->constant ? 0 : -q * 2 * radius * 0.012 * ratio * w[i] / spin / inertia;
  }
  d[SPEED + 2] -= gravity;
}

// a step of the classical Runge-Kutta method
static void step(const air* a, double* s, double h) {
  double k[4][N_STATE], at[N_STATE];
  static const double ahead[4] = {0, 0.5, 0.5, 1};
  for (int n = 0; n < 4; n++) {
    for (int i = 0; i < N_STATE; i++) {
      at[i] = s[i] + (n > 0 ? ahead[n] * h * k[n - 1][i] : 0);
    }
    rate(a, at, k[n]);
  }
  for (int i = 0; i < N_STATE; i++) {
    s[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

typedef struct {
  int rows;  // the last one is the first below the ground
  double state[MOST_ROWS][N_STATE];
} flight;

static void fly(const air* a, const double* start, flight* f) {
  double s[N_STATE];
  for (int i = 0; i < N_STATE; i++) {
    s[i] = start[i];
  }
  for (f->rows = 0; f->rows < MOST_ROWS;) {
    for (int i = 0; i < N_STATE; i++) {
      f->state[f->rows][i] = s[i];
    }
    if (f->state[f->rows++][PLACE + 2] < 0) {
      return;
    }
    for (int k = 0; k < FINE; k++) {
      step(a, s, interval / FINE);
    }
  }
}

// where the straight line through the last two rows meets the ground
static void landing(const double* before, const double* after, double* xy) {
  double share = before[2] / (before[2] - after[2]);
  for (int i = 0; i < 2; i++) {
    xy[i] = before[i] + share * (after[i] - before[i]);
  }
}

static void landing_of(const flight* f, double* xy) {
  landing(f->state[f->rows - 2], f->state[f->rows - 1], xy);
}

// ---- launches, from driver (club 0) to short iron (1): slower, steeper, more spin

enum { STREAM_SEEN = 1, STREAM_UNSEEN };

static void launch(int seed, int stream, int k, double* s) {
  cr_random random = cr_random_seed((uint64_t)(1000 * seed + k), (uint64_t)stream);
  const double degree = (double)CR_PI / 180;
  double club = (double)cr_random_uniform(&random);
  double speed = 75 - 35 * club + (double)cr_random_range(&random, -2, 2);
  double up = degree * (11 + 14 * club + (double)cr_random_range(&random, -3, 3));
  double spin = 260 + 540 * club + (double)cr_random_range(&random, -50, 50);
  double aside = degree * (double)cr_random_range(&random, -5, 5);
  double tilt = degree * (double)cr_random_range(&random, -10, 10);
  double back = spin * cos(tilt);
  const double start[N_STATE] = {0,
                                 0,
                                 0,
                                 speed * cos(up) * cos(aside),
                                 speed * cos(up) * sin(aside),
                                 speed * sin(up),
                                 back * sin(aside),
                                 -back * cos(aside),
                                 spin * sin(tilt)};
  for (int i = 0; i < N_STATE; i++) {
    s[i] = start[i];
  }
}

static const air formula = {.constant = false};

static void true_flight(int seed, int stream, int k, flight* f) {
  double start[N_STATE];
  launch(seed, stream, k, start);
  fly(&formula, start, f);
}

// ---- the study, its networks

typedef struct {
  const cr_notebook* book;
  cr_model* vacuum;
  int tests, launches;  // to predict; of which the claims are
} golf;

static bool stopped(void* context) {
  const golf* g = context;
  return g->book->request.stop != NULL && g->book->request.stop();
}

// what is learned from, and how
enum { HEADLINE, MIRRORED, DESCENT, N_KIND };
static const char* const kind_names[N_KIND] = {"", "also from mirror images", "by Adam"};

// joint velocities about the middle of what launches have, in units of their range
static cr_status add_air(cr_model** m, const cr_model* base, int seed, cr_error* error) {
  static const struct {
    const char* place;
    double offset, range;
  } rows[NV] = {{"qvel[x]", 40, 15}, {"qvel[y]", 0, 10},     {"qvel[z]", 0, 15},
                {"qvel[3]", 0, 50},  {"qvel[4]", -500, 200}, {"qvel[5]", 0, 50}};
  cr_correction_input inputs[NV];
  const cr_correction_input* list[NV];
  const cr_layer layer = {
      .size = sizeof layer, .kind = CR_LAYER_DENSE, .width = 8, .activation = CR_ACTIVATION_TANH};
  for (int i = 0; i < NV; i++) {
    inputs[i] = (cr_correction_input){.size = sizeof inputs[i],
                                      .place = rows[i].place,
                                      .offset = (cr_real)rows[i].offset,
                                      .scale = (cr_real)(1 / rows[i].range)};
    list[i] = &inputs[i];
  }
  const cr_correction_options o = {.size = sizeof o,
                                   .name = "air",
                                   .target = "qfrc_passive",
                                   .inputs = list,
                                   .ninput = NV,
                                   .layers = &layer,
                                   .nlayer = 1,
                                   .seed = (uint64_t)seed};
  CR_TRY(cr_model_copy(m, base, error));
  return cr_model_add_correction(*m, &o, error);
}

// the other side of the plane y = 0, where the spin turns against the mirror image
static void mirror(flight* f) {
  for (int i = 0; i < f->rows; i++) {
    double* s = f->state[i];
    s[PLACE + 1] = -s[PLACE + 1];
    s[SPEED + 1] = -s[SPEED + 1];
    s[SPIN] = -s[SPIN];
    s[SPIN + 2] = -s[SPIN + 2];
  }
}

static cr_status record_flight(cr_measurements* ms, const flight* f, const char* name, int group,
                               cr_error* error) {
  static const cr_states_part parts[] = {
      {"qpos[x]", false, 0, 1, CR_R(0.02)}, {"qpos[y]", false, 1, 1, CR_R(0.02)},
      {"qpos[z]", false, 2, 1, CR_R(0.02)}, {"qvel[x]", true, 0, 1, CR_R(0.05)},
      {"qvel[y]", true, 1, 1, CR_R(0.05)},  {"qvel[z]", true, 2, 1, CR_R(0.05)},
      {"qvel[spin]", true, 3, 3, 1}};
  cr_real q[MOST_ROWS * 3], v[MOST_ROWS * NV];
  for (int i = 0; i < f->rows; i++) {
    for (int j = 0; j < NV; j++) {
      v[NV * i + j] = (cr_real)f->state[i][SPEED + j];
    }
    for (int j = 0; j < 3; j++) {
      q[3 * i + j] = (cr_real)f->state[i][PLACE + j];
    }
  }
  const cr_states states = {.rows = f->rows, .interval = (cr_real)interval, .q = q, .v = v};
  CR_TRY(cr_measurements_begin(ms, name, group, error));
  return cri_states_add(ms, &states, 3, NV, parts, (int)(sizeof parts / sizeof parts[0]), error);
}

static cr_status record(cr_measurements* ms, const cr_trial* t, cr_error* error) {
  for (int k = 0; k < t->count; k++) {
    flight f;
    char name[32];
    true_flight(t->seed, STREAM_SEEN, k, &f);
    (void)snprintf(name, sizeof name, "launch %d", k);
    CR_TRY(record_flight(ms, &f, name, k, error));
    if (t->kind == MIRRORED) {
      mirror(&f);
      (void)snprintf(name, sizeof name, "mirror image %d", k);
      CR_TRY(record_flight(ms, &f, name, k, error));
    }
  }
  return CR_OK;
}

// ---- errors

// the model's own flight, up to the row below the ground
static cr_status model_flight(const cr_model* m, const double* start, flight* f, cr_error* error) {
  cr_real qpos[NQ] = {0, 0, 0, 1, 0, 0, 0}, qvel[NV];
  cr_states states;
  for (int i = 0; i < NV; i++) {
    qvel[i] = (cr_real)start[SPEED + i];
  }
  cr_status status = cri_states_run(&states, m, qpos, qvel, MOST_ROWS, 1, error);
  for (f->rows = 0; f->rows < MOST_ROWS && status == CR_OK;) {
    double* row = f->state[f->rows];
    for (int i = 0; i < N_STATE; i++) {
      row[i] = (double)(i < 3 ? states.q[NQ * f->rows + i] : states.v[NV * f->rows + i - 3]);
    }
    f->rows++;
    if (row[PLACE + 2] < 0) {
      break;
    }
  }
  cri_states_free(&states);
  return status;
}

static double miss(const flight* is, const flight* should) {
  double a[2], b[2];
  landing_of(is, a);
  landing_of(should, b);
  return hypot(a[0] - b[0], a[1] - b[1]);
}

// rms and largest distance on the ground over some launches; a flight that cannot be simulated counts as one that does not start
static void test(const cr_model* m, int seed, int stream, int n, cr_real* rms, cr_real* worst) {
  double sum = 0, most = 0;
  for (int k = 0; k < n; k++) {
    flight should, is;
    double end[2];
    true_flight(seed, stream, k, &should);
    landing_of(&should, end);
    bool flew = model_flight(m, should.state[0], &is, NULL) == CR_OK &&
                is.state[is.rows - 1][PLACE + 2] < 0;
    double off = flew ? miss(&is, &should) : hypot(end[0], end[1]);
    sum += off * off;
    most = fmax(most, off);
  }
  *rms = (cr_real)sqrt(sum / n);
  if (worst != NULL) {
    *worst = (cr_real)most;
  }
}

// ---- two constant coefficients, fitted to the landings of the same launches by Gauss and Newton

static void misses(const air* a, int seed, int n, double* e) {
  for (int k = 0; k < n; k++) {
    flight is, should;
    double at[2], end[2];
    true_flight(seed, STREAM_SEEN, k, &should);
    fly(a, should.state[0], &is);
    landing_of(&is, at);
    landing_of(&should, end);
    e[2 * k] = at[0] - end[0];
    e[2 * k + 1] = at[1] - end[1];
  }
}

enum { MOST_LAUNCHES = 64, COEFFICIENT_STEPS = 8 };

static air fit_constants(int seed, int n) {
  air a = {.constant = true, .drag = 0.25, .lift = 0.2};
  const double h = 1e-4;
  for (int k = 0; k < COEFFICIENT_STEPS; k++) {
    double e[2 * MOST_LAUNCHES], d[2 * MOST_LAUNCHES], l[2 * MOST_LAUNCHES];
    const air more_drag = {true, a.drag + h, a.lift}, more_lift = {true, a.drag, a.lift + h};
    double dd = 0, dl = 0, ll = 0, de = 0, le = 0;
    misses(&a, seed, n, e);
    misses(&more_drag, seed, n, d);
    misses(&more_lift, seed, n, l);
    for (int i = 0; i < 2 * n; i++) {
      double by_drag = (d[i] - e[i]) / h, by_lift = (l[i] - e[i]) / h;
      dd += by_drag * by_drag;
      dl += by_drag * by_lift;
      ll += by_lift * by_lift;
      de += by_drag * e[i];
      le += by_lift * e[i];
    }
    double det = dd * ll - dl * dl;
    a.drag -= (ll * de - dl * le) / det;
    a.lift -= (dd * le - dl * de) / det;
  }
  return a;
}

static cr_real test_constants(int seed, int launches, int tests) {
  const air a = fit_constants(seed, launches);
  double sum = 0;
  for (int k = 0; k < tests; k++) {
    flight is, should;
    true_flight(seed, STREAM_UNSEEN, k, &should);
    fly(&a, should.state[0], &is);
    sum += pow(miss(&is, &should), 2);
  }
  return (cr_real)sqrt(sum / tests);
}

// ---- a row

enum {
  R_KIND,
  R_LAUNCHES,
  R_SEED,
  R_VACUUM,     // m, error of the landing of launches not used
  R_CONSTANTS,  // two fitted coefficients
  R_SEEN,       // of launches learned from
  R_ERROR,
  R_WORST,
  R_CARRY,  // m, mean distance of the landings
  R_WEIGHTS,
  R_SECONDS,
  N_COLUMN
};
static const char header[] =
    "kind,launches,seed,vacuum,constants,seen,error,worst,carry,weights,seconds";
static const char csv[] = "golf.csv", flights_csv[] = "golf_flights.csv", blueprint[] = "golf.crb";
enum { FIT_STEPS = 25, BRIEF_STEPS = 14, ADAM_EPOCHS = 200, PREDICTED = 30 };

static cr_status learn(const golf* g, cr_learner* l, int kind, cr_error* error) {
  int steps = g->book->request.brief ? BRIEF_STEPS : FIT_STEPS;
  cr_search_end found;
  cr_training_end end;
  const cr_training_options o = {.size = sizeof o,
                                 .epochs = ADAM_EPOCHS,
                                 .batch = 20,
                                 .rate = CR_R(0.01),
                                 .final_rate = CR_R(1e-4),
                                 .stop = stopped,
                                 .context = (void*)(uintptr_t)g};
  return kind == DESCENT ? cri_learner_train(l, &o, &end, error)
                         : cri_learner_solve(l, steps, &found, error);
}

static cr_status finish(const golf* g, const cr_learner* l, cr_real* row, cr_error* error) {
  const cr_model* m = cr_parameters_model(l->parameters);
  int seed = (int)row[R_SEED], launches = (int)row[R_LAUNCHES];
  row[R_WEIGHTS] = (cr_real)l->n;
  test(m, seed, STREAM_SEEN, launches, &row[R_SEEN], NULL);
  test(m, seed, STREAM_UNSEEN, g->tests, &row[R_ERROR], &row[R_WORST]);
  if (row[R_KIND] != HEADLINE || seed != 1 || launches != g->launches) {
    return CR_OK;
  }
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, g->book->folder, blueprint, error));
  return cr_model_save_blueprint(m, path, error);
}

typedef struct {
  const golf* g;
  cr_trials trials;
} tasks;

static void begin_row(const golf* g, const cr_trial* t, cr_real* row) {
  double carry = 0;
  for (int k = 0; k < g->tests; k++) {
    flight f;
    double end[2];
    true_flight(t->seed, STREAM_UNSEEN, k, &f);
    landing_of(&f, end);
    carry += hypot(end[0], end[1]) / g->tests;
  }
  cri_trial_row(t, row, N_COLUMN);
  row[R_CARRY] = (cr_real)carry;
  row[R_CONSTANTS] = test_constants(t->seed, t->count, g->tests);
  test(g->vacuum, t->seed, STREAM_UNSEEN, g->tests, &row[R_VACUUM], NULL);
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const tasks* all = context;
  const golf* g = all->g;
  const cr_trial* t = &all->trials.list[i];
  const cr_lesson lesson = {.window = CR_R(0.5),
                            .prior_sd = t->kind == DESCENT ? 0 : 3,
                            .stop = stopped,
                            .context = (void*)(uintptr_t)g};
  cr_model* m = NULL;
  cr_measurements* ms = NULL;
  cr_learner l = {0};
  begin_row(g, t, row);
  double clock = cri_thread_seconds();
  cr_status status = add_air(&m, g->vacuum, t->seed, error);
  status = status == CR_OK ? cr_measurements_create(&ms, m, error) : status;
  status = status == CR_OK ? record(ms, t, error) : status;
  status = status == CR_OK ? cri_learner_open(&l, m, ms, &lesson, error) : status;
  status = status == CR_OK ? learn(g, &l, t->kind, error) : status;
  row[R_SECONDS] = (cr_real)(cri_thread_seconds() - clock);
  status = status == CR_OK ? finish(g, &l, row, error) : status;
  cri_learner_close(&l);
  cr_measurements_destroy(ms);
  cr_model_destroy(m);
  return status;
}

static const int counts[] = {2, 5, 10, 20, 40};
enum { N_COUNT = (int)(sizeof counts / sizeof counts[0]) };

static void plan(cr_trials* trials, int n, bool brief) {
  cri_trials_add(trials, HEADLINE, n, brief ? 1 : 5);
  for (int i = 0; i < N_COUNT && !brief; i++) {
    cri_trials_add(trials, HEADLINE, counts[i], counts[i] == n ? 0 : counts[i] > n ? 1 : 2);
  }
  for (int kind = MIRRORED; kind < N_KIND && !brief; kind++) {
    cri_trials_add(trials, kind, n, 1);
  }
}

// ---- claims

// the least of what the model without network is worse by, seed by seed
static double least_vacuum_ratio(cr_table* t, int launches) {
  double least = (double)INFINITY;
  for (int i = 0; i < t->rows; i++) {
    const cr_real* row = cri_table_row(t, i);
    if (row[R_KIND] == HEADLINE && row[R_LAUNCHES] == (cr_real)launches) {
      least = fmin(least, (double)(row[R_VACUUM] / row[R_ERROR]));
    }
  }
  return least;
}

static void tell_rows(cr_notebook* book, const golf* g, cr_table* t) {
  cri_say(book,
          "\nerror of the landing, m (rms, median over seeds)\n  launches  seen    unseen  worst   "
          "two coefficients\n");
  for (int kind = 0; kind < N_KIND; kind++) {
    for (int i = 0; i < N_COUNT; i++) {
      double error = cri_trials_median(t, kind, counts[i], R_ERROR);
      if (!isnan(error)) {
        cri_say(book, "  %8d  %-6.3g  %-6.3g  %-6.3g  %-9.3g  %s\n", counts[i],
                cri_trials_median(t, kind, counts[i], R_SEEN), error,
                cri_trials_median(t, kind, counts[i], R_WORST),
                cri_trials_median(t, kind, counts[i], R_CONSTANTS), kind_names[kind]);
      }
    }
  }
  cri_say(book, "of %d launches not used, from driver to short iron, %.0f m on average\n", g->tests,
          cri_trials_median(t, HEADLINE, g->launches, R_CARRY));
}

static void conclude(cr_notebook* book, const golf* g, cr_table* t) {
  bool brief = book->request.brief;
  int n = g->launches;
  cri_say(
      book,
      "A golf ball in air at 25 degrees C by the formula of Smits and Smith; a model in vacuum "
      "and a network of three layers\nfrom joint velocities to passive forces, learned from %d "
      "launches. Published (NeuralSim): learned from 20 launches,\nit generalises to others; no "
      "numbers.\n",
      n);
  tell_rows(book, g, t);
  cri_claim(book,
            cri_trials_median(t, HEADLINE, n, R_ERROR) / cri_trials_median(t, HEADLINE, n, R_CARRY),
            0, brief ? 0.05 : 0.02, "generalises", "unseen: error over distance, median");
  cri_claim(book, least_vacuum_ratio(t, n), 2, (double)INFINITY, "generalises",
            "unseen: error in vacuum over that with network, worst seed");
}

// ---- picture

enum { SHOWN = 3 };

static void put_flight(cr_table* t, const flight* f, int kind, int k) {
  for (int i = 0; i < f->rows; i++) {
    cr_real* row = cri_table_row(t, t->rows);
    row[0] = (cr_real)kind;
    row[1] = (cr_real)k;
    for (int j = 0; j < 3; j++) {
      row[2 + j] = (cr_real)f->state[i][PLACE + j];
    }
  }
}

enum { TRUE_SEEN, TRUE_UNSEEN, LEARNED_SEEN, LEARNED_UNSEEN, VACUUM };

static cr_status show(const golf* g, const cr_model* m, cr_error* error) {
  cr_table t = {0};
  cr_status status = cri_table_create(&t, flights_csv, "kind,flight,x,y,z", NULL,
                                      (2 * SHOWN * 2 + 1) * MOST_ROWS, error);
  for (int k = 0; k < 2 * SHOWN && status == CR_OK; k++) {
    bool seen = k < SHOWN;
    flight should, is;
    true_flight(1, seen ? STREAM_SEEN : STREAM_UNSEEN, k % SHOWN, &should);
    put_flight(&t, &should, seen ? TRUE_SEEN : TRUE_UNSEEN, k);
    status = model_flight(m, should.state[0], &is, error);
    if (status == CR_OK) {
      put_flight(&t, &is, seen ? LEARNED_SEEN : LEARNED_UNSEEN, k);
    }
    if (status == CR_OK && k == SHOWN) {
      status = model_flight(g->vacuum, should.state[0], &is, error);
      put_flight(&t, &is, VACUUM, k);
    }
  }
  status = status == CR_OK ? cri_table_save(&t, g->book->folder, error) : status;
  cri_table_free(&t);
  return status;
}

static cr_status draw(const golf* g, cr_error* error) {
  char path[CR_MAX_PATH];
  cr_model* m = NULL;
  CR_TRY(cri_path_join(path, g->book->folder, blueprint, error));
  CR_TRY(cr_model_copy(&m, g->vacuum, error));
  cr_status status = cr_model_read_blueprint(m, path, error);
  status = status == CR_OK ? show(g, m, error) : status;
  cr_model_destroy(m);
  CR_TRY(status);
  const double nan = (double)NAN;
  const cr_curve seen[] = {
      {flights_csv, "x", "z", "true", CR_CURVE_POINTS, "kind", TRUE_SEEN},
      {flights_csv, "x", "z", "network", CR_CURVE_POINTS, "kind", LEARNED_SEEN}};
  const cr_curve unseen[] = {
      {flights_csv, "x", "z", "true", CR_CURVE_POINTS, "kind", TRUE_UNSEEN},
      {flights_csv, "x", "z", "network", CR_CURVE_POINTS, "kind", LEARNED_UNSEEN},
      {flights_csv, "x", "z", "vacuum, one of them", CR_CURVE_LINE, "kind", VACUUM}};
  const cr_curve above[] = {
      {flights_csv, "x", "y", "true", CR_CURVE_POINTS, "kind", TRUE_UNSEEN},
      {flights_csv, "x", "y", "network", CR_CURVE_POINTS, "kind", LEARNED_UNSEEN}};
  const cr_curve errors[] = {
      {csv, "launches", "error", "network", CR_CURVE_POINTS, "kind", HEADLINE},
      {csv, "launches", "constants", "two coefficients", CR_CURVE_POINTS, "kind", HEADLINE},
      {csv, "launches", "vacuum", "vacuum", CR_CURVE_POINTS, "kind", HEADLINE}};
  const cr_chart charts[] = {
      {"x, m", "launches learned from: height, m", false, false, nan, nan, seen, 2},
      {"x, m", "launches not used: height, m", false, false, nan, nan, unseen, 3},
      {"x, m", "launches not used: aside, m", false, false, nan, nan, above, 2},
      {"launches to learn from", "error of the landing, m", true, true, nan, nan, errors, 3}};
  return cri_charts(g->book->folder, "golf", "A golf ball in air, learned from launches", charts, 4,
                    2, error);
}

// ---- the study

static cr_status compute(const golf* g, cr_notebook* book, cr_table* table, cr_error* error) {
  tasks* all = calloc(1, sizeof *all);
  CR_TRY(all != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "golf: no memory"));
  all->g = g;
  plan(&all->trials, g->launches, book->request.brief);
  cr_status status = cri_table_create(table, csv, header, NULL, all->trials.n, error);
  status =
      status == CR_OK ? cri_sweep(book, table, cr_pool_size(book->pool), work, all, error) : status;
  free(all);
  return status;
}

cr_status cri_study_golf(cr_notebook* book, cr_error* error) {
  golf g = {.book = book, .tests = PREDICTED, .launches = 20};
  cr_table table = {0};
  cr_status status = cri_scene_open(book, "golf", ball_text, &g.vacuum, error);
  status = status == CR_OK ? compute(&g, book, &table, error) : status;
  if (status == CR_OK) {
    conclude(book, &g, &table);
    status = draw(&g, error);
  }
  cri_table_free(&table);
  cr_model_destroy(g.vacuum);
  return status;
}
