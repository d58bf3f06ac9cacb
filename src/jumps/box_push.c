// SPDX-License-Identifier: Apache-2.0
// A box that a hand pushes over an edge: the end of the motion over the height of the hand, its derivative, and plans of the
// height that follow the gradient, by points, smooth collision detection and pressure fields.
#include <math.h>
#include <stdio.h>

#include "carom/carom.h"
#include "jumps/jump_studies.h"
#include "notebook/scene_file.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

enum { BY_POINTS, BY_SMOOTH, BY_FIELDS, N_METHOD };
static const char* const methods[N_METHOD] = {"points", "smooth", "fields"};

enum { STEPS = 1500, KNOTS = 4, ITERATIONS = 40, POSE = 3 };
#define LOWEST CR_R(-0.04)  // m, of the hand
#define HIGHEST CR_R(-0.0005)
#define FIRST_START CR_R(-0.02)
#define LAST_START CR_R(-0.004)
#define RATE CR_R(0.001)    // m, of an iteration
#define GOAL CR_R(0.2)      // m
#define REACHED CR_R(1e-2)  // cost: 0.1 m or 6 degrees
#define STEP CR_R(1e-8)     // m, of differences: few faces come and go within it

typedef struct {
  cr_model* models[N_METHOD];
  int heights, starts;  // of the sweep, of plans
} push;

// ---- the scene

// The spring of x pulls the box from -0.1 m, beside the ledge, to 0.2 m; the hand holds its height, softly.
static const char scene[] =
    "<mujoco>\n"
    "  <option timestep=\"0.001\" gravity=\"0 0 0\" tolerance=\"1e-14\" iterations=\"200\"/>\n"
    "  <worldbody>\n"
    "    <geom name=\"ledge\" type=\"box\" size=\".5 .5 .5\" pos=\".5 0 -.5\" friction=\".3\"/>\n"
    "    <body name=\"box\" pos=\"-.1 0 .05\">\n"
    "      <joint name=\"x\" type=\"slide\" axis=\"1 0 0\" stiffness=\"200\" springref=\".2\" "
    "damping=\"60\"/>\n"
    "      <joint name=\"z\" type=\"slide\" axis=\"0 0 1\" damping=\"20\"/>\n"
    "      <joint name=\"pitch\" type=\"hinge\" axis=\"0 1 0\" stiffness=\"3\" damping=\".2\"/>\n"
    "      <geom name=\"box\" type=\"box\" size=\".05 .05 .05\" mass=\"1\" friction=\".3\"/>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "  <actuator>\n"
    "    <position name=\"height\" joint=\"z\" kp=\"500\" ctrlrange=\"-1 1\"/>\n"
    "  </actuator>\n"
    "%s"
    "</mujoco>\n";
static const char fields[] =
    "  <custom>\n"
    "    <text name=\"pressure:ledge\" data=\"rigid\"/>\n"
    "    <text name=\"pressure:box\" data=\"compliant modulus=5e4 dissipation=20 "
    "transition=.05\"/>\n"
    "  </custom>\n";

static cr_status open_scene(const cr_notebook* book, int method, cr_model** m, cr_error* error) {
  char mjcf[2048], name[64];
  (void)snprintf(mjcf, sizeof mjcf, scene, method == BY_FIELDS ? fields : "");
  (void)snprintf(name, sizeof name, "box_push_%s", methods[method]);
  CR_TRY(cri_scene_open(book, name, mjcf, m, error));
  return method == BY_SMOOTH ? cr_model_set_choice(*m, "collision", "smooth", error) : CR_OK;
}

// ---- a motion: the hand stays at one height

static cr_status run_at(cr_rollout* rollout, const cr_model* m, cr_real height, const cr_loss* loss,
                        cr_real pose[POSE], cr_error* error) {
  const cr_real start[POSE] = {0, height, 0}, rest[POSE] = {0};
  cr_real* ctrl = cr_rollout_ctrl(rollout);
  for (int k = 0; k < STEPS; k++) {
    ctrl[k] = height;
  }
  CR_TRY(cr_data_set(m, cr_rollout_data(rollout), "qpos", start, POSE, error));
  CR_TRY(cr_data_set(m, cr_rollout_data(rollout), "qvel", rest, POSE, error));
  CR_TRY(cr_rollout_run(rollout, m, STEPS, loss, error));
  return cr_rollout_get_states(rollout, m, STEPS, 1, NULL, pose, NULL, NULL, error);
}

static cr_real cost_of(const cr_real pose[POSE]) {
  return (pose[0] - GOAL) * (pose[0] - GOAL) + pose[1] * pose[1] + pose[2] * pose[2];
}

static cr_real slope_of(const cr_real pose[POSE], const cr_real by_height[POSE]) {
  return 2 * ((pose[0] - GOAL) * by_height[0] + pose[1] * by_height[1] + pose[2] * by_height[2]);
}

// one number of the pose at the end, and its derivative by the height of the hand and of the start
static cr_status derivative_of(cr_rollout* rollout, const cr_model* m, cr_real height,
                               const char* number, cr_real pose[POSE], cr_real* by_height,
                               cr_error* error) {
  cr_expression* expression;
  CR_TRY(cr_expression_create(&expression, m, number, error));
  const cr_loss loss = cr_expression_loss(expression, false);
  cr_status status = run_at(rollout, m, height, &loss, pose, error);
  status = status == CR_OK ? cr_rollout_gradient(rollout, m, m, &loss, error) : status;
  if (status == CR_OK) {
    const cr_real* ctrl_bar = cr_rollout_ctrl_bar(rollout);
    *by_height = cr_data_view(m, cr_rollout_bar(rollout), "qpos", NULL, NULL)[1];
    for (int k = 0; k < STEPS; k++) {
      *by_height += ctrl_bar[k];
    }
  }
  cr_expression_destroy(expression);
  return status;
}

static cr_status derivatives(cr_rollout* rollout, const cr_model* m, cr_real height,
                             cr_real pose[POSE], cr_real by_height[POSE], cr_error* error) {
  static const char* const numbers[POSE] = {"qpos[x]", "qpos[z]", "qpos[pitch]"};
  for (int i = 0; i < POSE; i++) {
    CR_TRY(derivative_of(rollout, m, height, numbers[i], pose, &by_height[i], error));
  }
  return CR_OK;
}

static cr_status differences(cr_rollout* rollout, const cr_model* m, cr_real height,
                             cr_real by_height[POSE], cr_error* error) {
  cr_real above[POSE], below[POSE];
  CR_TRY(run_at(rollout, m, height + STEP, NULL, above, error));
  CR_TRY(run_at(rollout, m, height - STEP, NULL, below, error));
  for (int i = 0; i < POSE; i++) {
    by_height[i] = (above[i] - below[i]) / (2 * STEP);
  }
  return CR_OK;
}

// ---- the sweep

static const char csv[] = "box_push.csv";
static const char header[] =
    "method,height,x,z,pitch,dx,dz,dpitch,difference_x,difference_z,difference_pitch,cost,slope";
enum {
  R_METHOD,
  R_HEIGHT,
  R_POSE,
  R_BY = R_POSE + POSE,
  R_DIFF = R_BY + POSE,
  R_COST = R_DIFF + POSE,
  R_SLOPE
};

static cr_real between(cr_real from, cr_real to, int i, int n) {
  return from + (to - from) * (cr_real)i / (cr_real)(n - 1);
}

static cr_status sweep_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const push* s = context;
  const cr_model* m = s->models[i / s->heights];
  cr_rollout* rollout;
  row[R_METHOD] = (cr_real)(i / s->heights);
  row[R_HEIGHT] = between(LOWEST, HIGHEST, i % s->heights, s->heights);
  CR_TRY(cr_rollout_create(&rollout, m, STEPS, NULL, 0, error));
  cr_status status = differences(rollout, m, row[R_HEIGHT], row + R_DIFF, error);
  status = status == CR_OK ? derivatives(rollout, m, row[R_HEIGHT], row + R_POSE, row + R_BY, error)
                           : status;
  row[R_COST] = cost_of(row + R_POSE);
  row[R_SLOPE] = slope_of(row + R_POSE, row + R_BY);
  cr_rollout_destroy(rollout);
  return status;
}

// ---- plans

static const char plans_csv[] = "box_push_plans.csv";
static const char plans_header[] = "method,start,cost_before,slope,cost,x,z,pitch";
enum { P_METHOD, P_START, P_BEFORE, P_SLOPE, P_COST, P_POSE };

static cr_status add_terms(cr_cost* cost, cr_error* error) {
  static const char* const numbers[POSE] = {"qpos[x] - 0.2", "qpos[z]", "qpos[pitch]"};
  for (int i = 0; i < POSE; i++) {
    const cr_cost_term term = {.size = sizeof term,
                               .kind = CR_RESIDUAL_EXPRESSION,
                               .text = numbers[i],
                               .norm = CR_NORM_QUADRATIC,
                               .terminal = 2};
    CR_TRY(cr_cost_add(cost, &term, error));
  }
  return CR_OK;
}

static cr_status improve(cr_planner* planner, const cr_model* m, cr_data* start, cr_real height,
                         cr_error* error) {
  const cr_real pose[POSE] = {0, height, 0};
  int n;
  CR_TRY(cr_data_set(m, start, "qpos", pose, POSE, error));
  CR_TRY(cr_planner_set_start(planner, start, error));
  cr_real* knots = cr_planner_knots(planner, &n);
  for (int k = 0; k < n; k++) {
    knots[k] = height;
  }
  cr_planner_restart(planner);
  for (int k = 0; k < ITERATIONS; k++) {
    CR_TRY(cr_planner_improve(planner, NULL, error));
  }
  return CR_OK;
}

// the motion of a plan, in a rollout
static cr_status follow(cr_rollout* rollout, const cr_model* m, const cr_planner* planner,
                        cr_real height, cr_real pose[POSE], cr_error* error) {
  const cr_real start[POSE] = {0, height, 0}, rest[POSE] = {0};
  memcpy(cr_rollout_ctrl(rollout), cr_planner_ctrl(planner), STEPS * sizeof(cr_real));
  CR_TRY(cr_data_set(m, cr_rollout_data(rollout), "qpos", start, POSE, error));
  CR_TRY(cr_data_set(m, cr_rollout_data(rollout), "qvel", rest, POSE, error));
  CR_TRY(cr_rollout_run(rollout, m, STEPS, NULL, error));
  return cr_rollout_get_states(rollout, m, STEPS, 1, NULL, pose, NULL, NULL, error);
}

// A plan from a height; path: where its motion goes, NULL for none.
static cr_status plan_from(const cr_model* m, cr_real height, const char* path, cr_real pose[POSE],
                           cr_error* error) {
  const cr_plan_options options = {.size = sizeof options,
                                   .method = CR_PLAN_GRADIENT,
                                   .nstep = STEPS,
                                   .shape = CR_CONTROLS_LINEAR,
                                   .knots = KNOTS,
                                   .nthread = 1,
                                   .descent = CR_DESCENT_ADAM,
                                   .rate = RATE};
  cr_cost* cost = NULL;
  cr_planner* planner = NULL;
  cr_data* start = NULL;
  cr_rollout* rollout = NULL;
  cr_status status = cr_cost_create(&cost, m, error);
  status = status == CR_OK ? add_terms(cost, error) : status;
  status = status == CR_OK ? cr_planner_create(&planner, m, cost, &options, error) : status;
  status = status == CR_OK ? cr_data_create(&start, m, error) : status;
  status = status == CR_OK ? cr_rollout_create(&rollout, m, STEPS, NULL, 0, error) : status;
  status = status == CR_OK ? improve(planner, m, start, height, error) : status;
  status = status == CR_OK ? follow(rollout, m, planner, height, pose, error) : status;
  if (status == CR_OK && path != NULL) {
    status = cr_rollout_save(rollout, m, path, NULL, 0, error);
  }
  cr_rollout_destroy(rollout);
  cr_data_destroy(start);
  cr_planner_destroy(planner);
  cr_cost_destroy(cost);
  return status;
}

static cr_status plan_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const push* s = context;
  const cr_model* m = s->models[i / s->starts];
  cr_real by_height[POSE];
  cr_rollout* rollout;
  row[P_METHOD] = (cr_real)(i / s->starts);
  row[P_START] = between(FIRST_START, LAST_START, i % s->starts, s->starts);
  CR_TRY(cr_rollout_create(&rollout, m, STEPS, NULL, 0, error));
  cr_status status = derivatives(rollout, m, row[P_START], row + P_POSE, by_height, error);
  cr_rollout_destroy(rollout);
  CR_TRY(status);
  row[P_BEFORE] = cost_of(row + P_POSE);
  row[P_SLOPE] = slope_of(row + P_POSE, by_height);
  CR_TRY(plan_from(m, row[P_START], NULL, row + P_POSE, error));
  row[P_COST] = cost_of(row + P_POSE);
  return CR_OK;
}

// the plans from the start in the middle, to be seen
static cr_status record(const cr_notebook* book, const push* s, cr_error* error) {
  for (int k = 0; k < N_METHOD; k++) {
    char file[64], path[CR_MAX_PATH];
    cr_real pose[POSE];
    (void)snprintf(file, sizeof file, "box_push_%s.h5", methods[k]);
    CR_TRY(cri_path_join(path, book->folder, file, error));
    CR_TRY(plan_from(s->models[k], (FIRST_START + LAST_START) / 2, path, pose, error));
  }
  return CR_OK;
}

// ---- claims

// Largest disagreement of derivatives with differences, over the largest derivative of the sweep, over all numbers of the pose.
static double disagreement(cr_table* t, const push* s, int method) {
  double worst = 0;
  for (int i = 0; i < POSE; i++) {
    double most = 0, apart = 0;
    for (int k = 0; k < s->heights; k++) {
      const cr_real* row = cri_table_row(t, method * s->heights + k);
      most = fmax(most, fabs((double)row[R_BY + i]));
      apart = fmax(apart, fabs((double)(row[R_BY + i] - row[R_DIFF + i])));
    }
    worst = fmax(worst, apart / most);
  }
  return worst;
}

typedef struct {
  int wrong, reached;  // of the starts: the gradient says down; the plan ends at the goal
} success;

static success success_of(cr_table* t, const push* s, int method) {
  success result = {0};
  for (int k = 0; k < s->starts; k++) {
    const cr_real* row = cri_table_row(t, method * s->starts + k);
    result.wrong += row[P_SLOPE] > 0;
    result.reached += row[P_COST] < REACHED;
  }
  return result;
}

static void conclude(cr_notebook* book, cr_table* t, cr_table* plans, const push* s) {
  success found[N_METHOD];
  cri_say(
      book,
      "A box pushed over an edge, and plans of the height of the hand from %d starts below it\n\n"
      "  %-8s %12s %12s %26s\n",
      s->starts, "contact", "wrong sign", "reached", "off differences, relative");
  for (int k = 0; k < N_METHOD; k++) {
    found[k] = success_of(plans, s, k);
    cri_say(book, "  %-8s %12d %12d %26.2g\n", methods[k], found[k].wrong, found[k].reached,
            disagreement(t, s, k));
  }
  cri_say(book, "\n");
  cri_claim(book, disagreement(t, s, BY_FIELDS), 0, 1e-5, "",
            "fields: derivatives of the last pose against differences");
  cri_claim(book, found[BY_FIELDS].wrong, 0, 0, "", "fields: starts with a gradient of wrong sign");
  cri_claim(book, found[BY_FIELDS].reached, s->starts, s->starts, "",
            "fields: plans that end on the ledge");
  cri_claim(book, found[BY_POINTS].wrong, s->starts, s->starts, "",
            "points: starts with a gradient of wrong sign");
  cri_claim(book, found[BY_POINTS].reached, 0, s->starts / 2.0, "",
            "points: plans that end on the ledge");
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  cr_curve cost[N_METHOD], slope[N_METHOD], ends[N_METHOD];
  for (int k = 0; k < N_METHOD; k++) {
    cost[k] = (cr_curve){csv, "height", "cost", methods[k], CR_CURVE_LINE, "method", k};
    slope[k] = (cr_curve){csv, "height", "slope", methods[k], CR_CURVE_LINE, "method", k};
    ends[k] = (cr_curve){plans_csv, "start", "cost", methods[k], CR_CURVE_BOTH, "method", k};
  }
  const cr_chart charts[] = {
      {"height of the hand, m", "cost, m^2 + rad^2", false, true, nan, nan, cost, N_METHOD},
      {"height of the hand, m", "its derivative, 1/m", false, false, nan, nan, slope, N_METHOD},
      {"height at the start, m", "cost of the plan", false, true, nan, nan, ends, N_METHOD}};
  return cri_charts(book->folder, "box_push", "A box pushed over an edge", charts, 3, 3, error);
}

// ---- the study

static cr_status compute(cr_notebook* book, push* s, cr_table* t, cr_table* plans,
                         cr_error* error) {
  const int round = cr_pool_size(book->pool);
  for (int k = 0; k < N_METHOD; k++) {
    CR_TRY(open_scene(book, k, &s->models[k], error));
  }
  CR_TRY(cri_table_create(t, csv, header, NULL, N_METHOD * s->heights, error));
  CR_TRY(cri_sweep(book, t, round, sweep_row, s, error));
  CR_TRY(cri_table_create(plans, plans_csv, plans_header, NULL, N_METHOD * s->starts, error));
  CR_TRY(cri_sweep(book, plans, round, plan_row, s, error));
  CR_TRY(record(book, s, error));
  conclude(book, t, plans, s);
  return draw(book, error);
}

cr_status cri_study_box_push(cr_notebook* book, cr_error* error) {
  const bool brief = book->request.brief;
  push s = {.heights = brief ? 8 : 80, .starts = brief ? 2 : 15};
  cr_table table = {0}, plans = {0};
  cr_status status = compute(book, &s, &table, &plans, error);
  cri_table_free(&table);
  cri_table_free(&plans);
  for (int k = 0; k < N_METHOD; k++) {
    cr_model_destroy(s.models[k]);
  }
  return status;
}
