// SPDX-License-Identifier: Apache-2.0
// Iterative smoothed predictive control on published systems (irs_mpc: Suh, Pang, Tedrake, Bundled gradients through contact via
// randomized smoothing): costs by exact linear models, by bundles of first and zeroth order, and by a log barrier.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimates/estimate_studies.h"
#include "estimates/plan_systems.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

enum { MOST_ITERATIONS = 27, BRIEF_ITERATIONS = 5, BRIEF_SYSTEMS = 2 };
enum { R_SYSTEM, R_BUNDLE, R_FAILED, R_BEST, R_COST, WIDTH = R_COST + MOST_ITERATIONS + 1 };

static const char csv[] = "bundles.csv", curves_csv[] = "bundles_curves.csv";
static const char header[] =
    "system,bundle,failed,best,c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,c16,c17,c18,"
    "c19,c20,c21,c22,c23,c24,c25,c26,c27";
static const char* const bundle_names[CR_N_BUNDLE] = {"exact", "first order", "zeroth order",
                                                      "barrier"};

typedef struct {
  const cr_notebook* book;
  cr_model* models[CR_N_PLAN_SYSTEM];
  int rows, system[CR_N_PLAN_SYSTEM * CR_N_BUNDLE], bundle[CR_N_PLAN_SYSTEM * CR_N_BUNDLE];
} bundles;

// ---- one plan

typedef struct {
  const cr_plan_system* s;
  int nx, nu;
  cr_mpc_options options;
  cr_real goal[201 * CR_PLAN_STATES];
  cr_real Q[CR_PLAN_STATES], end[CR_PLAN_STATES], R[CR_PLAN_CONTROLS];
  cr_real lower[CR_PLAN_STATES], upper[CR_PLAN_STATES];
  cr_real change[CR_PLAN_CONTROLS], trust[CR_PLAN_CONTROLS];
  cr_real sigma[CR_PLAN_STATES + CR_PLAN_CONTROLS], start[CR_PLAN_STATES];
} plan;

static void set_goal(plan* p) {
  const double turn = 0.05;  // rad or s a step
  for (int k = 0; k <= p->s->nstep; k++) {
    cr_real* goal = p->goal + (ptrdiff_t)k * p->nx;
    for (int i = 0; i < p->nx; i++) {
      goal[i] = (cr_real)p->s->goal[i];
    }
    if (p->s->circle) {
      goal[0] = (cr_real)(1.5 * cos(turn * k));
      goal[1] = (cr_real)(1.5 * sin(turn * k));
      goal[2] = (cr_real)(0.02 * k);
    }
  }
}

static void set_numbers(plan* p) {
  const cr_plan_system* s = p->s;
  const bool contact = s->scene != NULL;
  for (int i = 0; i < p->nx; i++) {
    const bool limited = s->limit > 0 && i == s->limited;
    p->start[i] = (cr_real)s->start[i];
    p->Q[i] = (cr_real)s->Q[i];
    p->end[i] = (cr_real)(s->end * s->Q[i]);
    p->upper[i] = (cr_real)(limited ? s->limit : (double)INFINITY);
    p->lower[i] = -p->upper[i];
  }
  for (int i = 0; i < p->nu; i++) {
    // of functions the published planner takes half of R, the published cost the whole
    p->R[i] = (cr_real)(contact ? s->R[i] : s->R[i] / 2);
    p->change[i] = (cr_real)s->change;
    p->trust[i] = (cr_real)s->trust;
  }
  for (int i = 0; i < p->nx + p->nu; i++) {
    p->sigma[i] = (cr_real)s->sigma[i];
  }
}

static void set_options(plan* p, cr_bundle bundle) {
  const cr_plan_system* s = p->s;
  const bool samples = bundle == CR_BUNDLE_FIRST || bundle == CR_BUNDLE_ZEROTH;
  set_goal(p);
  set_numbers(p);
  p->options = (cr_mpc_options){
      .size = sizeof p->options,
      .nstep = s->nstep,
      .goal = p->goal,
      .Q = p->Q,
      .Q_end = p->end,
      .R = p->R,
      .changes = s->scene != NULL,
      .x_lower = s->limit > 0 ? p->lower : NULL,
      .x_upper = s->limit > 0 ? p->upper : NULL,
      .change = s->change > 0 ? p->change : NULL,
      .trust = s->trust > 0 ? p->trust : NULL,
      .kind = bundle == CR_BUNDLE_ZEROTH ? CR_ESTIMATOR_ZEROTH : CR_ESTIMATOR_FIRST,
      .samples = samples ? s->samples : 0,
      .sigma = p->sigma,
      .draws = CR_DRAWS_ANTITHETIC,
      .decay = (cr_real)s->decay,
      .power = (cr_real)s->power,
      .seed = 1,
      .decoupled = s->decoupled,
      .nthread = 1};
}

static cr_status open(plan* p, const cr_model* m, cr_bundle bundle, cr_smoothed_mpc** mpc,
                      cr_error* error) {
  const cr_plan_system* s = p->s;
  if (m == NULL) {
    CR_TRY(cr_smoothed_mpc_create(mpc, &s->system, &p->options, error));
  } else {
    const cr_quasidynamic_options steps = {
        .size = sizeof steps,
        .reach = 10,
        .weight = bundle == CR_BUNDLE_BARRIER ? (cr_real)s->weight : 0};
    CR_TRY(cr_smoothed_mpc_create_quasidynamic(mpc, m, &steps, &p->options, error));
  }
  CR_TRY(cr_smoothed_mpc_set_start(*mpc, p->start, error));
  cr_real* u = cr_smoothed_mpc_ctrl(*mpc);
  for (ptrdiff_t k = 0; k < s->nstep; k++) {
    for (int i = 0; i < p->nu; i++) {
      u[k * p->nu + i] += (cr_real)(s->guess[i] + s->lead[i] * (double)(k + 1) / s->nstep);
    }
  }
  return CR_OK;
}

// the published cost of a motion
static cr_real cost_of(const plan* p, const cr_real* x, const cr_real* u) {
  cr_real sum = 0;
  for (ptrdiff_t k = 0; k <= p->s->nstep; k++) {
    for (ptrdiff_t i = 0; i < p->nx; i++) {
      const cr_real off = x[k * p->nx + i] - p->goal[k * p->nx + i];
      sum += p->Q[i] * off * off;
    }
  }
  for (ptrdiff_t i = 0; i < (ptrdiff_t)p->s->nstep * p->nu; i++) {
    sum += 2 * p->R[i % p->nu] * u[i] * u[i];
  }
  return sum;
}

static cr_status run(plan* p, cr_smoothed_mpc* mpc, int iterations, cr_real* row, cr_error* error) {
  for (int i = 1; i <= iterations; i++) {
    cr_mpc_result result = {.size = sizeof result};
    CR_TRY(cr_smoothed_mpc_improve(mpc, &result, error));
    const bool contact = p->s->scene != NULL;
    row[R_COST] = i == 1 && contact ? result.before : row[R_COST];
    row[R_COST + i] =
        contact ? result.cost : cost_of(p, cr_smoothed_mpc_states(mpc), cr_smoothed_mpc_ctrl(mpc));
    row[R_BEST] = (cr_real)fmin((double)row[R_BEST], (double)row[R_COST + i]);
    row[R_FAILED] += (cr_real)result.failed;
  }
  return CR_OK;
}

static int iterations_of(const bundles* b, int row) {
  return b->book->request.brief ? BRIEF_ITERATIONS : cri_plan_systems[b->system[row]].iterations;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const bundles* b = context;
  const cr_plan_system* s = &cri_plan_systems[b->system[i]];
  const cr_bundle bundle = (cr_bundle)b->bundle[i];
  plan* p = calloc(1, sizeof *p);
  if (p == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "bundles: no memory");
  }
  const cr_model* m = b->models[b->system[i]];
  p->s = s;
  p->nx = m != NULL ? cr_model_count(m, "nq") : s->system.nx;
  p->nu = m != NULL ? cr_model_count(m, "nu") : s->system.nu;
  set_options(p, bundle);
  for (int k = 0; k < WIDTH; k++) {
    row[k] = k < R_BEST ? 0 : k == R_BEST ? (cr_real)INFINITY : (cr_real)NAN;
  }
  row[R_SYSTEM] = (cr_real)b->system[i];
  row[R_BUNDLE] = (cr_real)bundle;
  cr_smoothed_mpc* mpc = NULL;
  cr_error inner = {0};
  cr_status status = open(p, m, bundle, &mpc, &inner);
  status = status == CR_OK ? run(p, mpc, iterations_of(b, i), row, &inner) : status;
  cr_smoothed_mpc_destroy(mpc);
  free(p);
  // a plan whose next motion fails ends: what it has reached counts
  const bool ended = status == CR_ERR_SOLVER || status == CR_ERR_NONFINITE;
  return status == CR_OK || (ended && isfinite(row[R_BEST]))
             ? CR_OK
             : cri_fail(error, status, "%s, %s: %s", s->title, bundle_names[bundle], inner.text);
}

// ---- claims

static double best(const bundles* b, cr_table* t, int system, cr_bundle bundle) {
  for (int i = 0; i < b->rows; i++) {
    if (b->system[i] == system && b->bundle[i] == (int)bundle) {
      return (double)cri_table_row(t, i)[R_BEST];
    }
  }
  return (double)NAN;
}

static int find(const char* name) {
  int i = 0;
  while (strcmp(cri_plan_systems[i].name, name) != 0) {
    i++;
  }
  return i;
}

static void say_table(cr_notebook* book, const bundles* b, cr_table* t, int systems) {
  cri_say(book,
          "Lowest cost of a motion within the published number of iterations and samples; "
          "published: stored cost.\n\n"
          "                     exact              first order        zeroth order       barrier\n"
          "                     ours    published  ours    published  ours    published  ours\n");
  for (int i = 0; i < systems; i++) {
    const cr_plan_system* s = &cri_plan_systems[i];
    cri_say(book, "  %-18s", s->title);
    for (int k = 0; k < 3; k++) {
      cri_say(book, " %-7.5g %-10.5g", best(b, t, i, (cr_bundle)k), s->stored[k]);
    }
    if (s->scene != NULL) {
      cri_say(book, " %-7.5g", best(b, t, i, CR_BUNDLE_BARRIER));
    }
    cri_say(book, "\n");
  }
}

// plans that ended before the last iteration, since the next motion had no step
static void say_ended(cr_notebook* book, const bundles* b, cr_table* t) {
  for (int i = 0; i < b->rows; i++) {
    const cr_real* cost = cri_table_row(t, i) + R_COST;
    int done = 0;
    while (done < iterations_of(b, i) && isfinite(cost[done + 1])) {
      done++;
    }
    if (done < iterations_of(b, i)) {
      cri_say(book, "  %s, %s: ended after %d of %d iterations, where the next motion failed\n",
              cri_plan_systems[b->system[i]].title, bundle_names[b->bundle[i]], done,
              iterations_of(b, i));
    }
  }
}

static void claim(cr_notebook* book, const bundles* b, cr_table* t, const char* name,
                  cr_bundle bundle) {
  const int i = find(name);
  const cr_plan_system* s = &cri_plan_systems[i];
  const double stored = s->stored[bundle == CR_BUNDLE_BARRIER ? CR_BUNDLE_FIRST : bundle];
  cri_claim(book, best(b, t, i, bundle) / stored, 0, 1.02, "1", "%s: cost, %s, over the stored one",
            s->title, bundle_names[bundle]);
}

static void claim_failure(cr_notebook* book, const bundles* b, cr_table* t, const char* name,
                          double least, const char* published) {
  const int i = find(name);
  cri_claim(book, best(b, t, i, CR_BUNDLE_EXACT) / best(b, t, i, CR_BUNDLE_FIRST), least,
            (double)INFINITY, published, "%s: cost with exact models over the first order's",
            cri_plan_systems[i].title);
}

static void conclude(cr_notebook* book, const bundles* b, cr_table* t) {
  const bool brief = book->request.brief;
  say_table(book, b, t, brief ? BRIEF_SYSTEMS : CR_N_PLAN_SYSTEM);
  say_ended(book, b, t);
  claim(book, b, t, "pendulum", CR_BUNDLE_EXACT);
  claim(book, b, t, "pushing", CR_BUNDLE_FIRST);
  claim(book, b, t, "pushing", CR_BUNDLE_ZEROTH);
  claim(book, b, t, "pushing", CR_BUNDLE_BARRIER);
  claim_failure(book, b, t, "pushing", 2, "2.3");
  if (brief) {
    return;
  }
  claim(book, b, t, "pendulum", CR_BUNDLE_FIRST);
  claim(book, b, t, "pendulum", CR_BUNDLE_ZEROTH);
  claim(book, b, t, "bicycle_easy", CR_BUNDLE_EXACT);
  claim(book, b, t, "bicycle_easy", CR_BUNDLE_FIRST);
  claim(book, b, t, "bicycle_easy", CR_BUNDLE_ZEROTH);
  claim(book, b, t, "bicycle_hard", CR_BUNDLE_FIRST);
  claim(book, b, t, "bicycle_hard", CR_BUNDLE_ZEROTH);
  claim_failure(book, b, t, "bicycle_hard", 1.5, "2.1");
  claim(book, b, t, "quadrotor", CR_BUNDLE_EXACT);
  claim(book, b, t, "quadrotor", CR_BUNDLE_FIRST);
  claim(book, b, t, "quadrotor", CR_BUNDLE_ZEROTH);
  for (int k = 0; k < CR_N_BUNDLE; k++) {
    claim(book, b, t, "pivoting", (cr_bundle)k);
    claim(book, b, t, "hand", (cr_bundle)k);
    claim(book, b, t, "spin", (cr_bundle)k);
  }
}

// ---- picture

static cr_status save_curves(const cr_notebook* book, const bundles* b, cr_table* t,
                             cr_error* error) {
  char names[1024] = "iteration";
  for (int i = 0; i < b->rows; i++) {
    char name[32];
    (void)snprintf(name, sizeof name, ",%s_%d", cri_plan_systems[b->system[i]].name, b->bundle[i]);
    strcat(names, name);
  }
  cr_table curves = {0};
  CR_TRY(cri_table_create(&curves, curves_csv, names, NULL, MOST_ITERATIONS + 1, error));
  for (int k = 0; k <= MOST_ITERATIONS; k++) {
    cr_real* row = cri_table_row(&curves, k);
    row[0] = (cr_real)k;
    for (int i = 0; i < b->rows; i++) {
      row[1 + i] = cri_table_row(t, i)[R_COST + k];
    }
  }
  const cr_status status = cri_table_save(&curves, book->folder, error);
  cri_table_free(&curves);
  return status;
}

static cr_status draw(const cr_notebook* book, const bundles* b, cr_error* error) {
  static char columns[CR_N_PLAN_SYSTEM * CR_N_BUNDLE][32], labels[CR_N_PLAN_SYSTEM][64];
  const double nan = (double)NAN;
  const int systems = book->request.brief ? BRIEF_SYSTEMS : CR_N_PLAN_SYSTEM;
  cr_curve curves[CR_N_PLAN_SYSTEM][CR_N_BUNDLE];
  cr_chart charts[CR_N_PLAN_SYSTEM];
  for (int s = 0, at = 0; s < systems; s++) {
    int n = 0;
    (void)snprintf(labels[s], sizeof labels[s], "cost, %s", cri_plan_systems[s].title);
    for (; at < b->rows && b->system[at] == s; at++) {
      (void)snprintf(columns[at], sizeof columns[at], "%s_%d", cri_plan_systems[s].name,
                     b->bundle[at]);
      curves[s][n++] = (cr_curve){
          curves_csv, "iteration", columns[at], bundle_names[b->bundle[at]], CR_CURVE_BOTH, NULL,
          0};
    }
    charts[s] = (cr_chart){"iteration", labels[s], false, true, nan, nan, curves[s], n};
  }
  return cri_charts(book->folder, "bundles", "Costs of plans by linear models", charts, systems, 2,
                    error);
}

// ---- the study

static void list_rows(bundles* b, bool brief) {
  const int systems = brief ? BRIEF_SYSTEMS : CR_N_PLAN_SYSTEM;
  for (int s = 0; s < systems; s++) {
    const int n = cri_plan_systems[s].scene != NULL ? CR_N_BUNDLE : CR_BUNDLE_BARRIER;
    for (int k = 0; k < n; k++) {
      b->system[b->rows] = s;
      b->bundle[b->rows++] = k;
    }
  }
}

static cr_status open_models(bundles* b, cr_error* error) {
  for (int i = 0; i < CR_N_PLAN_SYSTEM; i++) {
    const cr_plan_system* s = &cri_plan_systems[i];
    CR_TRY(s->scene != NULL ? cri_plan_scene_open(b->book, s, &b->models[i], error) : CR_OK);
  }
  return CR_OK;
}

cr_status cri_study_bundles(cr_notebook* book, cr_error* error) {
  bundles b = {.book = book};
  cr_table table = {0};
  list_rows(&b, book->request.brief);
  cr_status status = open_models(&b, error);
  status = status == CR_OK ? cri_table_create(&table, csv, header, NULL, b.rows, error) : status;
  status = status == CR_OK ? cri_sweep(book, &table, 4, work, &b, error) : status;
  status = status == CR_OK ? save_curves(book, &b, &table, error) : status;
  if (status == CR_OK) {
    conclude(book, &b, &table);
    status = draw(book, &b, error);
  }
  cri_table_free(&table);
  for (int i = 0; i < CR_N_PLAN_SYSTEM; i++) {
    cr_model_destroy(b.models[i]);
  }
  return status;
}
