// SPDX-License-Identifier: Apache-2.0
// A linear policy learns to bring bodies to 0 (alpha_gradient, linear_system): a linear-quadratic regulator by policy gradients. Mean and variance of the estimators are known in
// closed form (linear_loop.h). Do estimates have these, how do they grow, and how near does descent come to the best policy?
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimates/courses.h"
#include "estimates/estimate_studies.h"
#include "estimates/linear_loop.h"
#include "estimates/trained.h"
#include "notebook/scene_file.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

// the published system: x' = x + u in steps of 1 s, cost x'x + 0.1 u'u and 10 x'x at the end, from x = 1, noise of 0.1
enum { MOST_BODIES = 8, PUBLISHED_STEPS = 10, PUBLISHED_SAMPLES = 10, MOST_STEPS = 40 };
static const double place_cost = 2, control_cost = 0.2, published_end = 20, published_sigma = 0.1;

// ---- the system as a model: bodies of 1e-8 kg on slides with dampers of 1 N s/m

static cr_status open(const cr_notebook* book, int bodies, cr_model** m, cr_error* error) {
  char text[4096], name[32];
  int at = snprintf(text, sizeof text,
                    "<mujoco model=\"bodies in oil\">\n"
                    "  <option timestep=\"1\" gravity=\"0 0 0\"/>\n  <worldbody>\n");
  for (int i = 0; i < bodies; i++) {
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "    <body pos=\"0 %d 0\"><joint name=\"j%d\" type=\"slide\" axis=\"1 0 0\" "
                   "damping=\"1\"/><inertial pos=\"0 0 0\" mass=\"1e-8\" "
                   "diaginertia=\"1e-8 1e-8 1e-8\"/></body>\n",
                   i, i);
  }
  at += snprintf(text + at, sizeof text - (size_t)at, "  </worldbody>\n  <actuator>\n");
  for (int i = 0; i < bodies; i++) {
    at += snprintf(text + at, sizeof text - (size_t)at, "    <motor joint=\"j%d\"/>\n", i);
  }
  (void)snprintf(text + at, sizeof text - (size_t)at, "  </actuator>\n</mujoco>\n");
  (void)snprintf(name, sizeof name, "lqr_%d", bodies);
  return cri_scene_open(book, name, text, m, error);
}

// the same in closed form, with the policy u = (pole - 1) x
static cr_loop loop_of(int bodies, int steps, double sigma, double pole) {
  cr_loop l = {.n = bodies, .m = bodies, .T = steps, .step = 1, .sigma = sigma};
  for (int i = 0; i < bodies; i++) {
    int at = i * bodies + i;
    l.A[at] = l.B[at] = l.x0[i] = 1;
    l.Q[i] = place_cost;
    l.R[i] = control_cost;
    l.P[at] = published_end - place_cost;  // Carom counts the last place at both rates
    l.K[at] = pole - 1;
  }
  return l;
}

// ---- a policy of the model

typedef struct {
  cr_cost* cost;
  cr_data* start;
  cr_policy_training* training;
  bool (*stop)(void);
} learner;

static const cr_observation places = {.size = sizeof places, .text = "qpos"};
static const cr_observation* const observations[] = {&places};
static const cr_policy_options policy_options = {
    .size = sizeof policy_options, .observations = observations, .nobservation = 1};

static bool stopped(void* context) {
  const learner* l = context;
  return l->stop != NULL && l->stop();
}

static cr_status add_costs(cr_cost* cost, double end, cr_error* error) {
  const cr_cost_term terms[] = {{.size = sizeof *terms,
                                 .kind = CR_RESIDUAL_PLACE,
                                 .text = "qpos",
                                 .norm = CR_NORM_QUADRATIC,
                                 .weight = (cr_real)place_cost,
                                 .terminal = (cr_real)end},
                                {.size = sizeof *terms,
                                 .kind = CR_RESIDUAL_PLACE,
                                 .text = "ctrl",
                                 .norm = CR_NORM_QUADRATIC,
                                 .weight = (cr_real)control_cost}};
  CR_TRY(cr_cost_add(cost, &terms[0], error));
  return cr_cost_add(cost, &terms[1], error);
}

static cr_status set_start(const cr_model* m, cr_data* d, int bodies, cr_error* error) {
  cr_real ones[MOST_BODIES];
  for (int i = 0; i < bodies; i++) {
    ones[i] = 1;
  }
  return cr_data_set(m, d, "qpos", ones, bodies, error);
}

// trains by options o, whose steps, noise and threads it sets, the policy of the loop
static cr_status learner_make(learner* l, const cr_model* m, const cr_loop* loop,
                              cr_policy_training_options o, bool (*stop)(void), cr_error* error) {
  cr_real noise[MOST_BODIES];
  *l = (learner){.stop = stop};
  for (int i = 0; i < loop->m; i++) {
    noise[i] = (cr_real)loop->sigma;
  }
  o.size = sizeof o;
  o.nstep = loop->T;
  o.noise = noise;
  o.nthread = 1;
  o.stop = stopped;
  o.context = l;
  CR_TRY(cr_data_create(&l->start, m, error));
  CR_TRY(set_start(m, l->start, loop->n, error));
  CR_TRY(cr_cost_create(&l->cost, m, error));
  CR_TRY(add_costs(l->cost, loop->P[0], error));
  CR_TRY(cr_policy_training_create(&l->training, m, l->start, l->cost, &policy_options, &o, error));
  cr_real* weights = cr_policy_weights(cr_policy_training_policy(l->training));
  for (int i = 0; i < loop->m * loop->n; i++) {  // rows of K, then b
    weights[i] = (cr_real)loop->K[i];
  }
  return CR_OK;
}

static void learner_close(learner* l) {
  cr_policy_training_destroy(l->training);
  cr_cost_destroy(l->cost);
  cr_data_destroy(l->start);
}

// ---- variances: rows of four groups, each along one number

typedef enum { BY_STEPS, BY_BODIES, BY_SIGMA, BY_POLE, N_GROUP } group;
typedef struct {
  group group;
  int bodies, steps;
  double sigma, pole;
} point;
static const point points[] = {
    {BY_STEPS, 1, 2, 0.1, 1},    {BY_STEPS, 1, 5, 0.1, 1},    {BY_STEPS, 1, 10, 0.1, 1},
    {BY_STEPS, 1, 20, 0.1, 1},   {BY_STEPS, 1, 40, 0.1, 1},   {BY_BODIES, 1, 10, 0.1, 1},
    {BY_BODIES, 2, 10, 0.1, 1},  {BY_BODIES, 4, 10, 0.1, 1},  {BY_BODIES, 8, 10, 0.1, 1},
    {BY_SIGMA, 1, 10, 0.001, 1}, {BY_SIGMA, 1, 10, 0.01, 1},  {BY_SIGMA, 1, 10, 0.1, 1},
    {BY_SIGMA, 1, 10, 1, 1},     {BY_POLE, 1, 10, 0.1, -0.5}, {BY_POLE, 1, 10, 0.1, 0},
    {BY_POLE, 1, 10, 0.1, 0.5},  {BY_POLE, 1, 10, 0.1, 1},    {BY_POLE, 1, 10, 0.1, 1.2},
    {BY_POLE, 1, 10, 0.1, 1.5}};
enum { N_POINT = (int)(sizeof points / sizeof points[0]) };

static const char csv[] = "lqr.csv";
static const char header[] =
    "group,bodies,steps,sigma,pole,first,first_theory,zeroth,zeroth_theory,alpha,alpha_theory,"
    "first_off,zeroth_off,gap";
enum {
  R_GROUP,
  R_BODIES,
  R_STEPS,
  R_SIGMA,
  R_POLE,
  R_FIRST,
  R_FIRST_THEORY,
  R_ZEROTH,
  R_ZEROTH_THEORY,
  R_ALPHA,
  R_ALPHA_THEORY,
  R_FIRST_OFF,  // distance of the mean of samples from the truth, in standard deviations of it
  R_ZEROTH_OFF,
  R_GAP
};

enum { MOST_WEIGHTS = MOST_BODIES * (MOST_BODIES + 1) };

typedef struct {
  cr_model* models[MOST_BODIES + 1];  // by the number of bodies
  const char* folder;
  int samples;
  bool (*stop)(void);
} regulator;

static double distance(const cr_real* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += pow((double)a[i] - b[i], 2);
  }
  return sqrt(sum);
}

static cr_status sweep_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const regulator* r = context;
  const point* at = &points[i];
  const cr_loop loop = loop_of(at->bodies, at->steps, at->sigma, at->pole);
  const int n = loop.m * (loop.n + 1);
  cr_real gradient[MOST_WEIGHTS], first[MOST_WEIGHTS], zeroth[MOST_WEIGHTS];
  double truth[MOST_WEIGHTS];
  cr_loop_moments theory;
  cr_smoothed_gradient found = {
      .size = sizeof found, .gradient = gradient, .first = first, .zeroth = zeroth};
  learner l;
  CR_TRY(cri_loop_moments(&loop, &theory, truth, error));
  cr_status status = learner_make(&l, r->models[at->bodies], &loop,
                                  (cr_policy_training_options){.estimator = CR_ESTIMATOR_ALPHA,
                                                               .samples = r->samples,
                                                               .bias = (cr_real)INFINITY,
                                                               .seed = (uint64_t)i + 1},
                                  r->stop, error);
  status = status == CR_OK ? cr_policy_training_estimate(l.training, 0, &found, error) : status;
  learner_close(&l);
  const cr_real filled[] = {
      (cr_real)at->group,
      (cr_real)at->bodies,
      (cr_real)at->steps,
      (cr_real)at->sigma,
      (cr_real)at->pole,
      found.first_variance,
      (cr_real)theory.first,
      found.zeroth_variance,
      (cr_real)theory.zeroth,
      found.alpha,
      (cr_real)theory.alpha,
      (cr_real)(distance(first, truth, n) / sqrt(theory.first / r->samples)),
      (cr_real)(distance(zeroth, truth, n) / sqrt(theory.zeroth / r->samples)),
      (cr_real)theory.gap};
  memcpy(row, filled, sizeof filled);
  return status;
}

// ---- descent, with the cost to go of the regulator at the end: then one policy is the best in every step, and its cost is known

enum { BODIES = 4, WEIGHTS = BODIES * (BODIES + 1), MOST_SEEDS = 5 };
static const char* const titles[] = {"lqr"};
static const double rate = 0.03, final_rate = 0.001;

// steps of descent are a multiple of the points of the courses
enum { BRIEF_STEPS = CR_COURSE_POINTS - 1, FULL_STEPS = 10 * (CR_COURSE_POINTS - 1) };

static cr_status best_loop(cr_loop* l, cr_error* error) {
  *l = loop_of(BODIES, PUBLISHED_STEPS, published_sigma, 1);
  return cri_loop_regulate(l, error);
}

// the mean cost of weights less the least one, relative to this
static cr_status excess(const cr_loop* best, const cr_real* weights, cr_real* loss,
                        cr_error* error) {
  cr_loop l = *best;
  cr_loop_moments least, found;
  for (int i = 0; i < BODIES * BODIES; i++) {
    l.K[i] = (double)weights[i];
  }
  for (int i = 0; i < BODIES; i++) {
    l.b[i] = (double)weights[BODIES * BODIES + i];
  }
  CR_TRY(cri_loop_moments(best, &least, NULL, error));
  CR_TRY(cri_loop_moments(&l, &found, NULL, error));
  *loss = (cr_real)(found.mean / least.mean - 1);
  return CR_OK;
}

static cr_status descend(void* context, int system, cr_estimator_kind kind, int seed,
                         cr_course_result* result, cr_error* error) {
  (void)system;
  const regulator* r = context;
  cr_loop best;
  learner l = {.cost = NULL};
  CR_TRY(best_loop(&best, error));
  cr_loop start = loop_of(BODIES, PUBLISHED_STEPS, published_sigma, 1);
  memcpy(start.P, best.P, sizeof start.P);
  cr_status status = learner_make(&l, r->models[BODIES], &start,
                                  (cr_policy_training_options){.estimator = kind,
                                                               .samples = PUBLISHED_SAMPLES,
                                                               .bias = 100,
                                                               .bound = 100,
                                                               .confidence = CR_R(0.05),
                                                               .rate = (cr_real)rate,
                                                               .final_rate = (cr_real)final_rate,
                                                               .iterations = result->steps,
                                                               .seed = (uint64_t)seed + 1},
                                  r->stop, error);
  const cr_real* weights = cr_policy_weights(cr_policy_training_policy(l.training));
  for (int k = 0; k <= result->steps && status == CR_OK; k++) {
    cr_policy_training_result found = {.size = sizeof found};
    if (k % (result->steps / (CR_COURSE_POINTS - 1)) == 0) {  // a point of the table
      status = excess(&best, weights, &result->losses[k], error);
    }
    if (k < result->steps && status == CR_OK) {
      status = cr_policy_training_step(l.training, &found, error);
      result->alphas[k] = found.alpha;
    }
  }
  status = status == CR_OK ? cri_trained_save(r->folder, "lqr", kind, seed, weights, WEIGHTS, error)
                           : status;
  result->end = result->losses[result->steps];
  learner_close(&l);
  return status;
}

// ---- claims

static double ratio_of(cr_table* t, int of, int to, double (*pick)(double, double)) {
  double found = (double)cri_table_row(t, 0)[of] / (double)cri_table_row(t, 0)[to];
  for (int i = 1; i < t->rows; i++) {
    const cr_real* row = cri_table_row(t, i);
    found = pick(found, (double)(row[of] / row[to]));
  }
  return found;
}

static double largest(cr_table* t, int column) {
  double most = 0;
  for (int i = 0; i < t->rows; i++) {
    most = fmax(most, (double)cri_table_row(t, i)[column]);
  }
  return most;
}

// powers with which a column grows between the first two rows of a group
static double power_of(cr_table* t, group g, int column, int by) {
  for (int i = 0; i + 1 < t->rows; i++) {
    const cr_real *row = cri_table_row(t, i), *next = cri_table_row(t, i + 1);
    if (row[R_GROUP] == (cr_real)g) {
      return log((double)(next[column] / row[column])) / log((double)(next[by] / row[by]));
    }
  }
  return (double)NAN;
}

static void say_table(cr_notebook* book, cr_table* t) {
  static const char* const names[N_GROUP] = {"steps", "bodies", "noise", "pole"};
  cri_say(
      book,
      "variance of a sample\n"
      "                                       first order           zeroth order          weight "
      "of "
      "first\n"
      "          steps  bodies  sigma   pole  measured   theory     measured   theory     measured "
      "theory\n");
  for (int i = 0; i < t->rows; i++) {
    const cr_real* r = cri_table_row(t, i);
    cri_say(book, "  %-6s  %-6g %-7g %-7g %-5g %-10.4g %-10.4g %-10.4g %-10.4g %-8.4f %-8.4f\n",
            names[(int)r[R_GROUP]], (double)r[R_STEPS], (double)r[R_BODIES], (double)r[R_SIGMA],
            (double)r[R_POLE], (double)r[R_FIRST], (double)r[R_FIRST_THEORY], (double)r[R_ZEROTH],
            (double)r[R_ZEROTH_THEORY], (double)r[R_ALPHA], (double)r[R_ALPHA_THEORY]);
  }
}

static void claim_moments(cr_notebook* book, cr_table* t) {
  const double slack = book->request.brief ? 0.7 : 0.3;
  say_table(book, t);
  cri_claim(book, ratio_of(t, R_FIRST, R_FIRST_THEORY, fmin), 0.9, 1.1, "",
            "first order: variance over the closed form, least");
  cri_claim(book, ratio_of(t, R_FIRST, R_FIRST_THEORY, fmax), 0.9, 1.1, "",
            "first order: variance over the closed form, largest");
  cri_claim(book, ratio_of(t, R_ZEROTH, R_ZEROTH_THEORY, fmin), 1 - slack, 1 + slack, "",
            "zeroth order: variance over the closed form, least");
  cri_claim(book, ratio_of(t, R_ZEROTH, R_ZEROTH_THEORY, fmax), 1 - slack, 1 + slack, "",
            "zeroth order: variance over the closed form, largest");
  cri_claim(book, largest(t, R_FIRST_OFF), 0, 3.5, "",
            "first order: mean off the truth, in its standard deviations");
  cri_claim(book, largest(t, R_ZEROTH_OFF), 0, 3.5, "",
            "zeroth order: mean off the truth, in its standard deviations");
  cri_claim(book, largest(t, R_GAP), 0, 1e-9, "",
            "closed forms of both means: largest difference, relative");
  cri_claim(book, power_of(t, BY_SIGMA, R_FIRST, R_SIGMA), 1.9, 2.1, "",
            "power of sigma with which the first order's variance grows");
  cri_claim(book, power_of(t, BY_SIGMA, R_ZEROTH, R_SIGMA), -0.1, 0.1, "",
            "power of sigma with which the zeroth order's variance grows");
  cri_claim(book, ratio_of(t, R_ZEROTH, R_FIRST, fmin), 1, (double)INFINITY, "",
            "variance of the zeroth order over that of the first, least");
}

static void claim_descent(cr_notebook* book, cr_table* t) {
  double last[CR_COURSE_KINDS];
  cri_say(book, "\n           cost above the least, relative     mean alpha\n");
  for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
    last[kind] = cri_courses_loss(t, 0, kind, -1);
    cri_say(book, "  %-8s %-10.4g to %-20.4g %.4g\n", cri_course_kinds[kind],
            cri_courses_loss(t, 0, kind, 0), last[kind], cri_courses_alpha(t, 0, kind));
  }
  if (book->request.brief) {  // too early to compare
    cri_claim(book, last[CR_ESTIMATOR_ALPHA] / cri_courses_loss(t, 0, 0, 0), 0, 0.8, "",
              "alpha order: cost above the least, last over first");
    return;
  }
  cri_claim(book, last[CR_ESTIMATOR_FIRST], 0, 0.35, "",
            "first order: cost above the least at the end, relative");
  double better = fmin(last[CR_ESTIMATOR_FIRST], last[CR_ESTIMATOR_ZEROTH]);
  cri_claim(book, (1 + last[CR_ESTIMATOR_ALPHA]) / (1 + better), 0, 1.05, "as good as the better",
            "cost at the end, alpha over the better of the others");
}

// ---- picture

static const char medians_csv[] = "lqr_medians.csv", motions_csv[] = "lqr_motions.csv";

// place of the first body without noise: no policy, the trained ones of the first seed, the best one
static cr_status save_motions(const regulator* r, cr_error* error) {
  enum { KINDS = CR_COURSE_KINDS + 2, BEST = CR_COURSE_KINDS + 1 };
  const cr_model* m = r->models[BODIES];
  cr_real places_of[KINDS][(PUBLISHED_STEPS + 1) * BODIES] = {{0}};
  cr_loop best;
  CR_TRY(best_loop(&best, error));
  cr_table table = {0};
  cr_policy* policy = NULL;
  cr_rollout* rollout = NULL;
  cr_status status = cr_policy_create(&policy, m, &policy_options, error);
  status =
      status == CR_OK ? cr_rollout_create(&rollout, m, PUBLISHED_STEPS, NULL, 0, error) : status;
  status = status == CR_OK ? cr_policy_attach(policy, rollout, NULL, error) : status;
  for (int kind = 0; kind < KINDS && status == CR_OK; kind++) {
    cr_real* weights = cr_policy_weights(policy);
    for (int i = 0; i < BODIES * BODIES; i++) {
      weights[i] = kind == BEST ? (cr_real)best.K[i] : 0;
    }
    status = kind >= 1 && kind < BEST
                 ? cri_trained_load(r->folder, "lqr", kind - 1, 0, weights, WEIGHTS, error)
                 : CR_OK;
    for (int i = 0; kind == BEST && i < BODIES; i++) {
      weights[BODIES * BODIES + i] = 0;
    }
    status = status == CR_OK ? cr_data_reset(m, cr_rollout_data(rollout)) : status;
    status = status == CR_OK ? set_start(m, cr_rollout_data(rollout), BODIES, error) : status;
    status = status == CR_OK ? cr_rollout_run(rollout, m, PUBLISHED_STEPS, NULL, error) : status;
    status = status == CR_OK ? cr_rollout_get_states(rollout, m, 0, PUBLISHED_STEPS + 1, NULL,
                                                     places_of[kind], NULL, NULL, error)
                             : status;
  }
  status = status == CR_OK
               ? cri_table_create(&table, motions_csv, "time,none,first,zeroth,alpha,best", NULL,
                                  PUBLISHED_STEPS + 1, error)
               : status;
  for (int k = 0; k <= PUBLISHED_STEPS && status == CR_OK; k++) {
    cr_real* row = cri_table_row(&table, k);
    row[0] = (cr_real)k;
    for (int kind = 0; kind < KINDS; kind++) {
      row[1 + kind] = places_of[kind][(ptrdiff_t)k * BODIES];
    }
  }
  status = status == CR_OK ? cri_table_save(&table, r->folder, error) : status;
  cri_table_free(&table);
  cr_rollout_destroy(rollout);
  cr_policy_destroy(policy);
  return status;
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  static const char* const along[N_GROUP] = {"steps", "bodies", "sigma", "pole"};
  static const char* const labels[N_GROUP] = {"steps of a motion", "bodies", "noise, N",
                                              "pole of the closed loop"};
  cr_curve variances[N_GROUP][4];
  cr_chart charts[N_GROUP + 2];
  for (int g = 0; g < N_GROUP; g++) {
    const cr_curve four[4] = {
        {csv, along[g], "first", "first order", CR_CURVE_POINTS, "group", g},
        {csv, along[g], "first_theory", "closed form", CR_CURVE_LINE, "group", g},
        {csv, along[g], "zeroth", "zeroth order", CR_CURVE_POINTS, "group", g},
        {csv, along[g], "zeroth_theory", "closed form", CR_CURVE_LINE, "group", g}};
    memcpy(variances[g], four, sizeof four);
    charts[g] = (cr_chart){
        labels[g], "variance of a sample", g != BY_POLE, true, nan, nan, variances[g], 4};
  }
  const cr_curve courses[] = {
      {medians_csv, "step", "first_lqr", "first", CR_CURVE_LINE, NULL, 0},
      {medians_csv, "step", "zeroth_lqr", "zeroth", CR_CURVE_LINE, NULL, 0},
      {medians_csv, "step", "alpha_lqr", "alpha", CR_CURVE_DASHES, NULL, 0}};
  const cr_curve motions[] = {{motions_csv, "time", "first", "first", CR_CURVE_BOTH, NULL, 0},
                              {motions_csv, "time", "zeroth", "zeroth", CR_CURVE_BOTH, NULL, 0},
                              {motions_csv, "time", "alpha", "alpha", CR_CURVE_BOTH, NULL, 0},
                              {motions_csv, "time", "best", "regulator", CR_CURVE_DASHES, NULL, 0}};
  charts[N_GROUP] = (cr_chart){
      "step of descent", "cost above the least, relative", false, true, nan, nan, courses, 3};
  charts[N_GROUP + 1] =
      (cr_chart){"time, s", "place of a body, m", false, false, nan, nan, motions, 4};
  return cri_charts(book->folder, "lqr", "A linear-quadratic regulator by policy gradients", charts,
                    N_GROUP + 2, 2, error);
}

// ---- the study

static cr_status open_models(const cr_notebook* book, regulator* r, cr_error* error) {
  for (int bodies = 1; bodies <= MOST_BODIES; bodies *= 2) {
    CR_TRY(open(book, bodies, &r->models[bodies], error));
  }
  return CR_OK;
}

static cr_status compute(cr_notebook* book, regulator* r, cr_table* tables, cr_error* error) {
  bool brief = book->request.brief;
  const cr_courses courses = {.file = "lqr_descents.csv",
                              .titles = titles,
                              .systems = 1,
                              .seeds = brief ? 1 : MOST_SEEDS,
                              .steps = brief ? BRIEF_STEPS : FULL_STEPS,
                              .descend = descend,
                              .context = r};
  CR_TRY(cri_table_create(&tables[0], csv, header, NULL, N_POINT, error));
  CR_TRY(cri_sweep(book, &tables[0], 4, sweep_row, r, error));
  CR_TRY(cri_courses_run(book, &courses, &tables[1], error));
  CR_TRY(cri_courses_save_medians(&courses, &tables[1], book->folder, medians_csv, error));
  return save_motions(r, error);
}

cr_status cri_study_lqr(cr_notebook* book, cr_error* error) {
  regulator r = {.folder = book->folder,
                 .samples = book->request.brief ? 4000 : 20000,
                 .stop = book->request.stop};
  cr_table tables[2] = {{0}};
  cr_status status = open_models(book, &r, error);
  status = status == CR_OK ? compute(book, &r, tables, error) : status;
  if (status == CR_OK) {
    claim_moments(book, &tables[0]);
    claim_descent(book, &tables[1]);
    status = draw(book, error);
  }
  cri_table_free(&tables[0]);
  cri_table_free(&tables[1]);
  for (int i = 0; i <= MOST_BODIES; i++) {
    cr_model_destroy(r.models[i]);
  }
  return status;
}
