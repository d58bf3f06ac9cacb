// SPDX-License-Identifier: Apache-2.0
// Link lengths of a double pendulum from its motion (Heiden, Millard, Coumans, Sheng and Sukhatme, NeuralSim, 2021): the
// loss over the two lengths has many valleys. From every point of a grid Levenberg-Marquardt goes down to the next
// one; basin hopping goes on from there.
//
// The truth is 3 m and 4 m. Both ends carry 1 kg. A length sets the place of its mass, and the first one that of the second joint.
// Residuals are joint positions and velocities after every step; their derivatives by the lengths are tangents of the steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "notebook/sweep.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "tools/plot.h"

enum { N = 2, STEPS = 260, WIDTH = 2 * N, M = STEPS * WIDTH, MOST_WORKERS = 64 };

static const cr_real truth[N] = {3, 4}, lower[N] = {CR_R(0.5), CR_R(0.5)},
                     upper[N] = {CR_R(7.5), CR_R(7.5)};
static const cr_real close_enough = CR_R(1e-3);  // m
static const cr_real solved = CR_R(1e-12);       // half the sum of squares

static const char scene[] =
    "<mujoco model=\"double pendulum\">\n"
    "  <option timestep=\"0.025\"/>\n"
    "  <worldbody>\n"
    "    <body name=\"first\">\n"
    "      <joint name=\"shoulder\" axis=\"0 1 0\"/>\n"
    "      <inertial pos=\"0 0 -3\" mass=\"1\" diaginertia=\"0.01 0.01 0.01\"/>\n"
    "      <body name=\"second\" pos=\"0 0 -3\">\n"
    "        <joint name=\"elbow\" axis=\"0 1 0\"/>\n"
    "        <inertial pos=\"0 0 -4\" mass=\"1\" diaginertia=\"0.01 0.01 0.01\"/>\n"
    "      </body>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

// numbers of the model that are minus a length
static const struct {
  const char *field, *place;
  int body, length;
} places[] = {{"body_ipos", "body_ipos[first][2]", 1, 0},
              {"body_pos", "body_pos[second][2]", 2, 0},
              {"body_ipos", "body_ipos[second][2]", 2, 1}};
enum { N_PLACE = (int)(sizeof places / sizeof places[0]) };

// a state and the next one, of a block of data
typedef struct {
  cr_real *qpos, *qvel, *qpos_next, *qvel_next;
} view;

// what a thread simulates with; tangents by each of the lengths
typedef struct {
  cr_model* m;
  cr_data *d, *tan[N];
  view at, tan_at[N];
  const cr_real* seen;  // M numbers
  int64_t runs;
} pendulum;

static void put_tangent(const pendulum* p, int length) {
  for (int k = 0; k < N_PLACE; k++) {
    if (places[k].length == length) {
      cr_data_view(p->m, p->tan[length], places[k].field, NULL, NULL)[3 * places[k].body + 2] = -1;
    }
  }
}

static view view_of(const cr_model* m, cr_data* d) {
  return (view){.qpos = cr_data_view(m, d, "qpos", NULL, NULL),
                .qvel = cr_data_view(m, d, "qvel", NULL, NULL),
                .qpos_next = cr_data_view(m, d, "qpos_next", NULL, NULL),
                .qvel_next = cr_data_view(m, d, "qvel_next", NULL, NULL)};
}

static cr_status open_pendulum(pendulum* p, const cr_model* m, const cr_real* seen,
                               cr_error* error) {
  p->seen = seen;
  CR_TRY(cr_model_copy(&p->m, m, error));
  CR_TRY(cr_data_create(&p->d, p->m, error));
  p->at = view_of(p->m, p->d);
  for (int j = 0; j < N; j++) {
    CR_TRY(cr_data_create_tangent(&p->tan[j], p->m, p->d, error));
    p->tan_at[j] = view_of(p->m, p->tan[j]);
    put_tangent(p, j);
  }
  return CR_OK;
}

static void close_pendulum(pendulum* p) {
  for (int j = 0; j < N; j++) {
    cr_data_destroy(p->tan[j]);
  }
  cr_data_destroy(p->d);
  cr_model_destroy(p->m);
}

// both links at rest, the first level, the second half way down
static cr_status start(pendulum* p, const cr_real* lengths, cr_error* error) {
  for (int k = 0; k < N_PLACE; k++) {
    const cr_real place = -lengths[places[k].length];
    CR_TRY(cr_model_set(p->m, places[k].place, &place, 1, error));
  }
  CR_TRY(cr_data_reset(p->m, p->d));
  p->at.qpos[0] = CR_PI / 2;
  p->at.qpos[1] = -CR_PI / 4;
  for (int j = 0; j < N; j++) {
    cr_zero(p->tan_at[j].qpos, N);
    cr_zero(p->tan_at[j].qvel, N);
  }
  return CR_OK;
}

// positions, then velocities; or their tangents
static void read_next(const view* at, cr_real* values) {
  cr_copy(values, at->qpos_next, N);
  cr_copy(values + N, at->qvel_next, N);
}

// the tangents of the next state become those of this one
static cr_status step_tangents(const pendulum* p, cr_real* jacobian) {
  for (int j = 0; j < N; j++) {
    cr_real next[WIDTH];
    CR_TRY(cr_step_jvp(p->m, p->d, NULL, p->tan[j]));
    read_next(&p->tan_at[j], next);
    cr_copy(p->tan_at[j].qpos, next, N);
    cr_copy(p->tan_at[j].qvel, next + N, N);
    for (int i = 0; i < WIDTH; i++) {
      jacobian[i * N + j] = next[i];
    }
  }
  return CR_OK;
}

static cr_status run(pendulum* p, const cr_real* lengths, cr_real* states, cr_real* jacobian,
                     cr_error* error) {
  CR_TRY(start(p, lengths, error));
  p->runs++;
  cr_status status = CR_OK;
  for (int k = 0; k < STEPS && status == CR_OK; k++) {
    status = cr_step(p->m, p->d);
    if (status == CR_OK) {
      read_next(&p->at, states + k * WIDTH);
      status = jacobian != NULL ? step_tangents(p, jacobian + k * WIDTH * N) : CR_OK;
    }
    status = status == CR_OK ? cr_advance(p->m, p->d) : status;
  }
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(p->d));
}

// the residuals of a search
static cr_status residuals(void* context, const cr_real* x, cr_real* r, cr_real* jacobian,
                           cr_error* error) {
  pendulum* p = context;
  CR_TRY(run(p, x, r, jacobian, error));
  for (int i = 0; i < M; i++) {
    r[i] -= p->seen[i];
  }
  return CR_OK;
}

static cr_real half_square(const cr_real* r) {
  cr_real sum = 0;
  for (int i = 0; i < M; i++) {
    sum += r[i] * r[i] / 2;
  }
  return sum;
}

// ---- a row

enum {
  FIRST,
  SECOND,
  LOSS,
  LEVEL,  // of the logarithm of the loss, for the picture
  LM_FIRST,
  LM_SECOND,
  LM_LOSS,
  LM_FOUND,
  LM_RUNS,
  HOP_FIRST,
  HOP_SECOND,
  HOP_FOUND,
  HOP_RUNS,
  HOPS
};
static const char header[] =
    "first,second,loss,level,lm_first,lm_second,lm_loss,lm_found,lm_runs,hop_first,hop_second,hop_"
    "found,hop_runs,hops";

typedef struct {
  pendulum workers[MOST_WORKERS];
  cr_real seen[M];
  int side, generations;
} landscape;

static bool found(const cr_real* x) {
  return cr_abs(x[0] - truth[0]) < close_enough && cr_abs(x[1] - truth[1]) < close_enough;
}

static cr_status go_down(pendulum* p, cr_real* row, cr_error* error) {
  const cr_least_squares_problem problem = {.size = sizeof problem,
                                            .n = N,
                                            .m = M,
                                            .evaluate = residuals,
                                            .context = p,
                                            .lower = lower,
                                            .upper = upper};
  const cr_least_squares_options options = {.size = sizeof options, .iterations = 200};
  cr_real r[M];
  p->runs = 0;
  CR_TRY(cr_minimise_levenberg_marquardt(&problem, &options, row + LM_FIRST, NULL, error));
  row[LM_RUNS] = (cr_real)p->runs;
  row[LM_FOUND] = found(row + LM_FIRST);
  CR_TRY(residuals(p, row + LM_FIRST, r, NULL, error));
  row[LM_LOSS] = half_square(r);
  return CR_OK;
}

static cr_status hop(const landscape* l, pendulum* p, int i, cr_real* row, cr_error* error) {
  const cr_global_problem problem = {.size = sizeof problem,
                                     .n = N,
                                     .lower = lower,
                                     .upper = upper,
                                     .residuals = residuals,
                                     .m = M,
                                     .context = p};
  const cr_global_options options = {.size = sizeof options,
                                     .method = CR_GLOBAL_BASIN_HOPPING,
                                     .local = CR_LOCAL_LEVENBERG_MARQUARDT,
                                     .islands = 1,
                                     .population = 1,
                                     .generations = l->generations,
                                     .seed = (uint64_t)i,
                                     .has_target = true,
                                     .target = solved};
  cr_global_result result = {.size = sizeof result};
  p->runs = 0;
  CR_TRY(cr_minimise_global(&problem, &options, row + HOP_FIRST, &result, error));
  row[HOP_FOUND] = found(row + HOP_FIRST);
  row[HOP_RUNS] = (cr_real)p->runs;
  row[HOPS] = (cr_real)(result.generations - 1);
  return CR_OK;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  landscape* l = context;
  pendulum* p = &l->workers[worker];
  const int at[N] = {i % l->side, i / l->side};
  cr_real r[M];
  for (int j = 0; j < N; j++) {
    row[FIRST + j] = lower[j] + (upper[j] - lower[j]) * (cr_real)at[j] / (cr_real)(l->side - 1);
    row[LM_FIRST + j] = row[HOP_FIRST + j] = row[FIRST + j];
  }
  CR_TRY(residuals(p, row, r, NULL, error));
  row[LOSS] = half_square(r);
  row[LEVEL] = cr_clip(cr_floor(2 * cr_log(row[LOSS] / STEPS) / cr_log(10)), -2, 2);
  CR_TRY(go_down(p, row, error));
  return hop(l, p, i, row, error);
}

// ---- claims and picture

typedef struct {
  double n, down, hopped, after_stop, stopped, most_hops, hops, lm_runs, hop_runs;
} tally;

static tally count(cr_table* table) {
  tally t = {.n = table->rows};
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    bool stopped = row[LM_FOUND] == 0, hopped = row[HOP_FOUND] != 0;
    t.down += !stopped;
    t.hopped += hopped;
    t.stopped += stopped;
    t.after_stop += stopped && hopped;
    t.hops += (double)row[HOPS] / t.n;
    t.most_hops = fmax(t.most_hops, (double)row[HOPS]);
    t.lm_runs += (double)row[LM_RUNS] / t.n;
    t.hop_runs += (double)row[HOP_RUNS] / t.n;
  }
  return t;
}

static void conclude(cr_notebook* book, const tally* of, int rows) {
  const tally t = *of;
  cri_say(book,
          "A double pendulum of 3 and 4 m: its lengths from %d states, %g s, from %d places "
          "between 0.5 and 7.5 m.\n"
          "Levenberg-Marquardt: %.1f runs of the pendulum on average. Basin hopping: %.1f runs, "
          "%.1f hops, %g at most.\n",
          STEPS, 0.025 * STEPS, rows, t.lm_runs, t.hop_runs, t.hops, t.most_hops);
  cri_claim(book, t.down / t.n, 0, 0.75, "stops in local minima",
            "Levenberg-Marquardt: share of starts that end at the truth");
  cri_claim(book, t.hopped / t.n, 0.99, 1, "reaches the truth",
            "basin hopping: share of starts that end at the truth");
  cri_claim(book, t.stopped > 0 ? t.after_stop / t.stopped : 0, 0.98, 1, "",
            "of the %g starts where Levenberg-Marquardt stops: share that hopping solves",
            t.stopped);
}

// a method's starts, coloured by where they end, and the truth
typedef struct {
  char text[2][CR_CLAIM_TEXT];
  cr_curve curves[3];
} map;

static const char csv[] = "landscape.csv";

static void fill(map* at, const char* method, const char* found_column, double share) {
  (void)snprintf(at->text[0], sizeof at->text[0], "%s reaches the truth (%.4g %%)", method,
                 100 * share);
  (void)snprintf(at->text[1], sizeof at->text[1], "%s stops elsewhere (%.4g %%)", method,
                 100 * (1 - share));
  for (int k = 0; k < 2; k++) {
    at->curves[k] =
        (cr_curve){csv, "first", "second", at->text[k], CR_CURVE_POINTS, found_column, 1 - k};
  }
  at->curves[2] =
      (cr_curve){csv, "hop_first", "hop_second", "ends of basin hopping", CR_CURVE_POINTS, NULL, 0};
}

static cr_status draw(const cr_notebook* book, const tally* t, cr_error* error) {
  static const char* const levels[] = {"loss a state: below 0.3", "0.3 to 1", "1 to 3", "3 to 10",
                                       "above"};
  static const char across[] = "first length at the start, m", up[] = "second length, m";
  cr_curve losses[5];
  map down, hopped;
  for (int k = 0; k < 5; k++) {
    losses[k] = (cr_curve){csv, "first", "second", levels[k], CR_CURVE_POINTS, "level", k - 2};
  }
  fill(&down, "Levenberg-Marquardt", "lm_found", t->down / t->n);
  fill(&hopped, "basin hopping", "hop_found", t->hopped / t->n);
  const cr_curve ends[] = {
      {csv, "lm_first", "lm_second", "ends of Levenberg-Marquardt", CR_CURVE_POINTS, NULL, 0},
      {csv, "hop_first", "hop_second", "ends of basin hopping", CR_CURVE_POINTS, NULL, 0}};
  const cr_chart charts[] = {{across, up, false, false, 0, 8, losses, 5},
                             {across, up, false, false, 0, 8, down.curves, 3},
                             {"first length at the end, m", up, false, false, 0, 8, ends, 2},
                             {across, up, false, false, 0, 8, hopped.curves, 3}};
  return cri_charts(book->folder, "landscape",
                    "Link lengths of a double pendulum (truth 3 and 4 m): loss, and where a search "
                    "from each start ends",
                    charts, 4, 2, error);
}

// ---- the study

static cr_status open_all(landscape* l, const cr_notebook* book, cr_model** m, cr_error* error) {
  int n = cr_pool_size(book->pool);
  if (n > MOST_WORKERS) {
    return cri_fail(error, CR_ERR_ARG, "landscape: at most %d threads", MOST_WORKERS);
  }
  CR_TRY(cri_scene_open(book, "double_pendulum", scene, m, error));
  for (int i = 0; i < n; i++) {
    CR_TRY(open_pendulum(&l->workers[i], *m, l->seen, error));
  }
  return run(&l->workers[0], truth, l->seen, NULL, error);
}

cr_status cri_study_landscape(cr_notebook* book, cr_error* error) {
  landscape* l = calloc(1, sizeof *l);
  if (l == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "landscape: no memory");
  }
  cr_model* m = NULL;
  cr_table table = {0};
  l->side = book->request.brief ? 12 : 100;
  l->generations = 1000;
  cr_status status = open_all(l, book, &m, error);
  if (status == CR_OK) {
    status = cri_table_create(&table, "landscape.csv", header, NULL, l->side * l->side, error);
  }
  status = status == CR_OK ? cri_sweep(book, &table, CR_SWEEP_ROUND, work, l, error) : status;
  if (status == CR_OK) {
    const tally t = count(&table);
    conclude(book, &t, table.rows);
    status = draw(book, &t, error);
  }
  cri_table_free(&table);
  for (int i = 0; i < MOST_WORKERS; i++) {
    close_pendulum(&l->workers[i]);
  }
  free(l);
  cr_model_destroy(m);
  return status;
}
