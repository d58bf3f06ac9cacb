// SPDX-License-Identifier: Apache-2.0
// A goal of carom quasidynamic: the tree, its plan, the plan in full dynamics.
#include "cli/quasidynamic_goal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/labels.h"
#include "tools/clock.h"
#include "tools/files.h"

typedef struct {
  const cr_goal_options* o;
  cr_setup* setup;
  cr_contact_plan* plan;
  cr_data* d;
  cr_real *start, *goal, *qpos, *u, *last;  // [nq], [nq], [nq], [nu], [nu]
  int poses, grasps, states;
  double seconds, to_plan, to_goal;  // distances of the objects after the execution
  bool* object;                      // [nq]
  FILE* table;
} goal;

// ---- the goal

static cr_status assign(goal* g, const char* text, cr_error* error) {
  char name[CR_NUMBER_NAME];
  const char* sign = strchr(text, '=');
  char* end = NULL;
  const size_t length = sign != NULL ? (size_t)(sign - text) : 0;
  const cr_real value = sign != NULL ? (cr_real)strtod(sign + 1, &end) : 0;
  if (sign == NULL || end == sign + 1 || *end != 0 || length >= sizeof name) {
    return cri_fail(error, CR_ERR_ARG, "--goal %s: NAME=VALUE is expected, as qpos[box]=1", text);
  }
  memcpy(name, text, length);
  name[length] = 0;
  return cr_data_set(g->setup->m, g->d, name, &value, 1, error);
}

static cr_status set_goal(goal* g, cr_error* error) {
  const cr_setup* s = g->setup;
  CR_TRY(cr_data_create(&g->d, s->m, error));
  memcpy(g->start, cr_setup_view(s, cr_rollout_data(s->rollout), "qpos"),
         (size_t)s->nq * sizeof *g->start);
  CR_TRY(cr_data_set(s->m, g->d, "qpos", g->start, s->nq, error));
  for (int i = 0; i < g->o->goal.n; i++) {
    CR_TRY(assign(g, g->o->goal.text[i], error));
  }
  memcpy(g->goal, cr_setup_view(s, g->d, "qpos"), (size_t)s->nq * sizeof *g->goal);
  return CR_OK;
}

static cr_status make_room(goal* g, cr_error* error) {
  const size_t q = (size_t)g->setup->nq, u = (size_t)g->setup->nu;
  g->start = calloc(3 * q + 2 * u + 1, sizeof *g->start);
  g->object = calloc(q + 1, sizeof *g->object);
  if (g->start == NULL || g->object == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasidynamic: no memory");
  }
  g->goal = g->start + q;
  g->qpos = g->goal + q;
  g->u = g->qpos + q;
  g->last = g->u + u;
  return CR_OK;
}

// coordinates without an actuator: the tree has made sure that all are single numbers
static void find_objects(goal* g) {
  const cr_setup* s = g->setup;
  const int32_t* joint = cr_model_integers(s->m, "actuator_trnid", NULL, NULL);
  const int32_t* adr = cr_model_integers(s->m, "jnt_qposadr", NULL, NULL);
  for (int i = 0; i < s->nq; i++) {
    g->object[i] = true;
  }
  for (int i = 0; i < cr_model_count(s->m, "nactuator"); i++) {
    g->object[adr[joint[2 * i]]] = false;
  }
}

static double distance(const goal* g, const cr_real* a, const cr_real* b) {
  double sum = 0;
  for (int i = 0; i < g->setup->nq; i++) {
    sum += g->object[i] ? pow((double)(a[i] - b[i]), 2) : 0;
  }
  return sqrt(sum);
}

// ---- in full dynamics

static void put_state(goal* g, double time) {
  if (g->table == NULL) {
    return;
  }
  const cr_real* q = cr_setup_view(g->setup, g->d, "qpos");
  (void)fprintf(g->table, "\n%.9g", time);
  for (int i = 0; i < g->setup->nq; i++) {
    (void)fprintf(g->table, ",%.9g", (double)q[i]);
  }
}

static cr_status told(const goal* g, cr_status status, cr_error* error) {
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(g->d));
}

// setpoints go from `last` to u in the first half of a step
static cr_status move(goal* g, double timestep, double* time, cr_error* error) {
  const cr_setup* s = g->setup;
  const int n = (int)(g->o->hold / timestep + 0.5);
  for (int k = 0; k < n; k++) {
    const double share = fmin(1, 2 * (k + 1.0) / n);
    cr_real* ctrl = cr_setup_view(s, g->d, "ctrl");
    for (int i = 0; i < s->nu; i++) {
      ctrl[i] = (cr_real)((1 - share) * (double)g->last[i] + share * (double)g->u[i]);
    }
    CR_TRY(told(g, cr_step(s->m, g->d), error));
    CR_TRY(told(g, cr_advance(s->m, g->d), error));
    *time += timestep;
    if (k % 20 == 19) {
      put_state(g, *time);
    }
  }
  memcpy(g->last, g->u, (size_t)s->nu * sizeof *g->u);
  return CR_OK;
}

// a new grasp: fingers are set down around the object where it is
static cr_status regrasp(goal* g, cr_error* error) {
  const cr_setup* s = g->setup;
  cr_real* q = cr_setup_view(s, g->d, "qpos");
  for (int i = 0; i < s->nq; i++) {
    g->qpos[i] = g->object[i] ? q[i] : g->qpos[i];
  }
  CR_TRY(cr_data_set(s->m, g->d, "qpos", g->qpos, s->nq, error));
  memset(cr_setup_view(s, g->d, "qvel"), 0, (size_t)s->nv * sizeof *q);
  memcpy(g->last, g->u, (size_t)s->nu * sizeof *g->u);
  return CR_OK;
}

static cr_status execute(goal* g, cr_real timestep, cr_error* error) {
  const cr_setup* s = g->setup;
  double time = 0;
  CR_TRY(cr_model_set_option(s->m, "timestep", timestep, error));
  CR_TRY(cr_data_set(s->m, g->d, "qpos", g->start, s->nq, error));
  (void)cr_contact_plan_get(g->plan, 0, NULL, g->last, NULL);
  put_state(g, time);
  for (int i = 1; i < g->poses; i++) {
    bool grasp;
    (void)cr_contact_plan_get(g->plan, i, g->qpos, g->u, &grasp);
    CR_TRY(grasp ? regrasp(g, error) : move(g, (double)timestep, &time, error));
  }
  (void)cr_contact_plan_get(g->plan, g->poses - 1, g->qpos, NULL, NULL);
  const cr_real* q = cr_setup_view(s, g->d, "qpos");
  g->to_plan = distance(g, q, g->qpos);
  g->to_goal = distance(g, q, g->goal);
  return CR_OK;
}

// ---- output

static void print_json(const goal* g, bool reached) {
  cr_json j = {0};
  const cr_setup* s = g->setup;
  cr_json_open(&j, NULL, '{');
  cr_json_bool(&j, "reached", reached);
  cr_json_real(&j, "distance", cr_contact_plan_distance(g->plan));
  cr_json_int(&j, "nodes", cr_contact_plan_nodes(g->plan));
  cr_json_int(&j, "grasps", g->grasps);
  cr_json_open(&j, "plan", '[');
  for (int i = 0; i < g->poses; i++) {
    bool grasp;
    (void)cr_contact_plan_get(g->plan, i, g->qpos, g->u, &grasp);
    cr_json_open(&j, NULL, '{');
    cr_json_reals(&j, "qpos", g->qpos, s->nq);
    cr_json_reals(&j, "ctrl", g->u, s->nu);
    cr_json_bool(&j, "grasp", grasp);
    cr_json_close(&j, '}');
  }
  cr_json_close(&j, ']');
  if (g->o->execute) {
    cr_json_real(&j, "executed_to_plan", (cr_real)g->to_plan);
    cr_json_real(&j, "executed_to_goal", (cr_real)g->to_goal);
  }
  cr_json_real(&j, "seconds", (cr_real)g->seconds);
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void print_text(const goal* g, bool reached) {
  (void)printf("%s: %.4g from the goal, %d nodes in %.2f s\n", reached ? "reached" : "not reached",
               (double)cr_contact_plan_distance(g->plan), cr_contact_plan_nodes(g->plan),
               g->seconds);
  (void)printf("the plan has %d steps and %d new grasps\n", g->poses - 1 - g->grasps, g->grasps);
  if (g->o->execute) {
    (void)printf("in full dynamics it ends %.4g from the plan and %.4g from the goal\n", g->to_plan,
                 g->to_goal);
  }
  cr_output_tell(g->o->csv);
}

static void begin_table(goal* g) {
  (void)fprintf(g->table, "time");
  for (int i = 0; i < g->setup->nq; i++) {
    char label[CR_NUMBER_NAME];
    cr_label(g->setup->m, "qpos", i, false, label);
    (void)fprintf(g->table, ",%s", label);
  }
}

static cr_status put_plan(goal* g, double step, cr_error* error) {
  for (int i = 0; i < g->poses; i++) {
    (void)cr_contact_plan_get(g->plan, i, g->qpos, NULL, NULL);
    CR_TRY(cr_data_set(g->setup->m, g->d, "qpos", g->qpos, g->setup->nq, error));
    put_state(g, i * step);
  }
  return CR_OK;
}

static cr_status follow(goal* g, double step, cr_real timestep, cr_error* error) {
  char* text = NULL;
  size_t size = 0;
  if (g->o->csv != NULL) {
    g->table = open_memstream(&text, &size);
    if (g->table == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", g->o->csv);
    }
    begin_table(g);
  }
  cr_status status = g->o->execute      ? execute(g, timestep, error)
                     : g->table != NULL ? put_plan(g, step, error)
                                        : CR_OK;
  if (g->table != NULL) {
    (void)fprintf(g->table, "\n");
    const bool whole = fclose(g->table) == 0;
    status = status != CR_OK ? status
             : whole         ? cri_file_write(g->o->csv, text, size, error)
                             : CR_ERR_MEMORY;
  }
  free(text);
  return status;
}

static cr_status run(goal* g, const cr_quasidynamic_options* steps, cr_real timestep, int* code,
                     cr_error* error) {
  const cr_contact_tree_options options = {.size = sizeof options,
                                           .nodes = g->o->nodes,
                                           .seed = (uint64_t)g->o->seed,
                                           .around = (cr_real)g->o->around};
  CR_TRY(make_room(g, error));
  CR_TRY(set_goal(g, error));
  const double begin = cri_seconds();
  CR_TRY(cr_contact_tree_grow(&g->plan, g->setup->m, steps, g->start, g->goal, &options, error));
  g->seconds = cri_seconds() - begin;
  g->poses = cr_contact_plan_poses(g->plan);
  for (int i = 0; i < g->poses; i++) {
    bool grasp = false;
    (void)cr_contact_plan_get(g->plan, i, NULL, NULL, &grasp);
    g->grasps += grasp;
  }
  find_objects(g);
  CR_TRY(follow(g, (double)steps->step, timestep, error));
  const bool reached = cr_contact_plan_distance(g->plan) <= CR_R(0.01);
  *code = reached ? 0 : 1;
  if (g->o->json) {
    print_json(g, reached);
  } else {
    print_text(g, reached);
  }
  return CR_OK;
}

cr_status cr_cli_goal(const cr_goal_options* options, cr_setup* setup,
                      const cr_quasidynamic_options* steps, cr_real timestep, int* code,
                      cr_error* error) {
  goal g = {.o = options, .setup = setup};
  const cr_status status = run(&g, steps, timestep, code, error);
  cr_contact_plan_destroy(g.plan);
  cr_data_destroy(g.d);
  free(g.start);
  free(g.object);
  return status;
}
