// SPDX-License-Identifier: Apache-2.0
// A goal of carom quasidynamic: the plan that a tree or predictive control finds, in full dynamics if asked.
#include "cli/quasidynamic_goal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/plan_execution.h"
#include "tools/clock.h"

enum { FREE = 0, BALL = 1, SLIDE = 2 };  // jnt_type
static const double GIVE_UP =
    0.3;                          // distance to the plan at which an execution ends and plans anew
static const double GAP = 0.001;  // m, of fingers to objects in new grasps

typedef struct {
  const cr_goal_options* o;
  cr_setup* setup;
  const cr_quasidynamic_options* steps;
  cr_plan_execution run;
  bool tree;  // or predictive control
  cr_servo_plan plan;
  cr_mpc_found found;
  cr_data* d;
  cr_pose_table table;
  cr_real *start, *goal;  // [nq]
  cr_real* move;          // [nv]
  bool *object,
      *counts;     // [nq]: without a servo; for the distance to the goal, of predictive control
  double* weight;  // [nv]: of the distance, 1/m or 1/rad
  int poses, grasps, nodes, plans;  // of the first plan, and how many there were
  double seconds, distance;         // of the plan's end to the goal
  double to_plan, to_goal;          // distances after the execution
} goal;

// ---- the goal

static cr_status set_goal(goal* g, cr_error* error) {
  const cr_setup* s = g->setup;
  CR_TRY(cr_data_create(&g->d, s->m, error));
  memcpy(g->start, cr_setup_view(s, cr_rollout_data(s->rollout), "qpos"),
         (size_t)s->nq * sizeof *g->start);
  memcpy(g->goal, g->start, (size_t)s->nq * sizeof *g->goal);
  for (int i = 0; i < g->o->goal.n; i++) {
    int first, count;
    cr_real value;
    CR_TRY(cr_coordinate_read(s->m, "--goal", g->o->goal.text[i], &first, &count, &value, error));
    for (int k = first; k < first + count; k++) {
      g->goal[k] = value;
      g->counts[k] = true;
    }
  }
  for (int i = 0; i < g->o->turn.n; i++) {
    CR_TRY(cr_turn_read(s->m, "--turn", g->o->turn.text[i], g->goal, error));
  }
  return CR_OK;
}

static cr_status make_room(goal* g, cr_error* error) {
  const size_t q = (size_t)g->setup->nq, v = (size_t)g->setup->nv;
  g->start = calloc(2 * q + v + 1, sizeof *g->start);
  g->object = calloc(2 * q + 1, sizeof *g->object);
  g->weight = calloc(v + 1, sizeof *g->weight);
  if (g->start == NULL || g->object == NULL || g->weight == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasidynamic: no memory");
  }
  g->goal = g->start + q;
  g->move = g->goal + q;
  g->counts = g->object + q;
  return CR_OK;
}

// coordinates without an actuator
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

// of a tree all coordinates of objects count, of predictive control those that have a weight; its models have hinges and slides
static void weigh_distance(goal* g) {
  const cr_setup* s = g->setup;
  const int32_t* type = cr_model_integers(s->m, "jnt_type", NULL, NULL);
  const int32_t* qpos = cr_model_integers(s->m, "jnt_qposadr", NULL, NULL);
  const int32_t* dof = cr_model_integers(s->m, "jnt_dofadr", NULL, NULL);
  for (int i = 0; i < cr_model_count(s->m, "njnt"); i++) {
    const int n = type[i] == FREE ? 6 : type[i] == BALL ? 3 : 1;
    const int metres = type[i] == FREE ? 3 : type[i] == SLIDE;
    const bool counts = g->tree ? g->object[qpos[i]] : g->counts[qpos[i]];
    for (int k = 0; k < n && counts; k++) {
      g->weight[dof[i] + k] = k < metres && g->tree ? 1 / g->o->length : 1;
    }
  }
}

static double distance(const goal* g, const cr_real* a, const cr_real* b) {
  return cr_object_distance(g->setup->m, g->weight, g->move, a, b);
}

// ---- planners

static cr_status take_tree(goal* g, const cr_contact_plan* found, cr_error* error) {
  const cr_setup* s = g->setup;
  CR_TRY(cr_servo_plan_create(&g->plan, s, cr_contact_plan_poses(found), error));
  g->grasps = 0;
  for (int i = 0; i < g->plan.n; i++) {
    (void)cr_contact_plan_get(found, i, g->plan.qpos + (ptrdiff_t)i * s->nq,
                              g->plan.u + (ptrdiff_t)i * s->nu, &g->plan.grasp[i]);
    g->grasps += g->plan.grasp[i];
  }
  g->poses = g->plan.n;
  g->nodes = cr_contact_plan_nodes(found);
  g->distance = (double)cr_contact_plan_distance(found);
  return CR_OK;
}

static cr_status grow_tree(goal* g, cr_error* error) {
  const cr_contact_tree_options options = {.size = sizeof options,
                                           .nodes = g->o->nodes,
                                           .trees = g->o->trees,
                                           .goal_share = (cr_real)g->o->goal_share,
                                           .grasp_share = (cr_real)g->o->grasp_share,
                                           .seed = (uint64_t)g->o->seed,
                                           .around = (cr_real)g->o->around,
                                           .tolerance = (cr_real)g->o->tolerance,
                                           .length = (cr_real)g->o->length,
                                           .stepsize = (cr_real)g->o->stepsize,
                                           .ways = g->o->execute && !g->o->open_loop,
                                           .keep_share = (cr_real)g->o->keep};
  cr_contact_plan* found = NULL;
  cr_status status =
      cr_contact_tree_grow(&found, g->setup->m, g->steps, g->start, g->goal, &options, error);
  status = status == CR_OK ? take_tree(g, found, error) : status;
  cr_contact_plan_destroy(found);
  CR_TRY(status);
  find_objects(g);
  weigh_distance(g);
  return CR_OK;
}

static cr_status control(goal* g, cr_error* error) {
  const cr_setup* s = g->setup;
  CR_TRY(cr_cli_mpc(&g->o->mpc, s, g->steps, g->o->seed, g->start, g->goal,
                    g->o->guess ? cr_rollout_ctrl(s->rollout) : NULL, g->counts, &g->plan,
                    &g->found, error));
  find_objects(g);
  weigh_distance(g);
  g->distance = distance(g, g->plan.qpos + (ptrdiff_t)s->nstep * s->nq, g->goal);
  return CR_OK;
}

static cr_status plan(goal* g, cr_error* error) {
  const double begin = cri_seconds();
  g->tree = strcmp(g->o->planner, "tree") == 0;
  if (!g->tree && strcmp(g->o->planner, "mpc") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--planner %s: tree or mpc is expected", g->o->planner);
  }
  CR_TRY(g->tree ? grow_tree(g, error) : control(g, error));
  g->seconds = cri_seconds() - begin;
  return CR_OK;
}

// ---- output

static void put_plan(const goal* g, cr_json* j) {
  cr_json_open(j, "plan", '[');
  for (ptrdiff_t i = 0; i < g->plan.n; i++) {
    cr_json_open(j, NULL, '{');
    cr_json_reals(j, "qpos", g->plan.qpos + i * g->setup->nq, g->setup->nq);
    cr_json_reals(j, "ctrl", g->plan.u + i * g->setup->nu, g->setup->nu);
    cr_json_bool(j, "grasp", g->plan.grasp[i]);
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

static void print_json(const goal* g, bool reached) {
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_bool(&j, "reached", reached);
  cr_json_real(&j, "distance", (cr_real)g->distance);
  if (g->tree) {
    cr_json_int(&j, "nodes", g->nodes);
    cr_json_int(&j, "grasps", g->grasps);
  } else {
    cr_json_real(&j, "cost_before", (cr_real)g->found.begin);
    cr_json_real(&j, "cost", (cr_real)g->found.best);
    cr_json_int(&j, "failed_samples", g->found.failed);
  }
  put_plan(g, &j);
  if (g->o->execute) {
    cr_json_real(&j, "executed_to_plan", (cr_real)g->to_plan);
    cr_json_real(&j, "executed_to_goal", (cr_real)g->to_goal);
    cr_json_real(&j, "executed_farthest", (cr_real)g->run.to_plan);
    cr_json_int(&j, "plans", g->plans);
    cr_json_int(&j, "blocked_grasps", g->run.blocked);
    cr_json_reals(&j, "executed", cr_setup_view(g->setup, g->d, "qpos"), g->setup->nq);
  }
  cr_json_real(&j, "seconds", (cr_real)g->seconds);
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void print_text(const goal* g, bool reached) {
  if (g->tree) {
    (void)printf("%s: %.4g from the goal, %d nodes in %.2f s\n",
                 reached ? "reached" : "not reached", g->distance, g->nodes, g->seconds);
    (void)printf("the plan has %d steps and %d new grasps\n", g->poses - 1 - g->grasps, g->grasps);
  } else {
    (void)printf("cost %.6g -> %.6g in %d iterations, %.2f s\n", g->found.begin, g->found.best,
                 g->o->mpc.iterations, g->seconds);
    (void)printf("the plan has %d steps and ends %.4g from the goal\n", g->plan.n - 1, g->distance);
  }
  if (g->found.failed > 0) {
    (void)printf("%d samples had no step and were left out\n", g->found.failed);
  }
  if (g->o->execute) {
    (void)printf("in full dynamics it ends %.4g from the plan and %.4g from the goal\n", g->to_plan,
                 g->to_goal);
    if (!g->o->open_loop) {
      (void)printf("plans %d, poses %d, %.1f s, new grasps without a free way %d\n", g->plans,
                   g->run.poses, g->run.time, g->run.blocked);
    }
  }
  cr_output_tell(g->o->csv);
  cr_output_tell(g->o->out);
}

// ---- in full dynamics

static cr_status open_feedback(goal* g, cr_error* error) {
  cr_quasidynamic_options steps = *g->steps;
  steps.weight = 0;
  CR_TRY(cr_quasidynamic_create(&g->run.exact, g->setup->m, &steps, error));
  steps.weight = g->steps->weight > 0 ? g->steps->weight : 100;
  return cr_quasidynamic_create(&g->run.smooth, g->setup->m, &steps, error);
}

static cr_status begin_execution(goal* g, cr_error* error) {
  const cr_setup* s = g->setup;
  CR_TRY(g->o->open_loop ? CR_OK : open_feedback(g, error));
  CR_TRY(cr_model_set_option(s->m, "timestep", (cr_real)g->run.times.timestep, error));
  CR_TRY(cr_data_set(s->m, g->d, "qpos", g->plan.qpos, s->nq, error));
  CR_TRY(cr_data_set(s->m, g->d, "ctrl", g->plan.u, s->nu, error));
  g->run.setup = s;
  g->run.object = g->object;
  g->run.weight = g->weight;
  g->run.give_up = GIVE_UP;
  g->run.stepsize = g->o->stepsize;
  g->run.gap = GAP;
  g->run.d = g->d;
  g->run.table = &g->table;
  return CR_OK;
}

// a plan from where the objects are now
static cr_status plan_again(goal* g, cr_error* error) {
  memcpy(g->start, cr_setup_view(g->setup, g->d, "qpos"), (size_t)g->setup->nq * sizeof *g->start);
  cr_servo_plan_free(&g->plan);
  g->plan = (cr_servo_plan){0};
  return plan(g, error);
}

static cr_status execute(goal* g, cr_error* error) {
  const cr_setup* s = g->setup;
  const double planned = g->distance, seconds = g->seconds;
  const int nodes = g->nodes, poses = g->poses, grasps = g->grasps;
  CR_TRY(begin_execution(g, error));
  for (g->plans = 1;; g->plans++) {
    CR_TRY(cr_plan_execute(&g->run, &g->plan, error));
    const cr_real* q = cr_setup_view(s, g->d, "qpos");
    g->to_plan = distance(g, q, g->plan.qpos + (ptrdiff_t)(g->plan.n - 1) * s->nq);
    g->to_goal = distance(g, q, g->goal);
    if (!g->tree || g->o->open_loop || g->to_goal <= g->o->tolerance || g->plans > g->o->replans ||
        plan_again(g, error) != CR_OK) {
      break;
    }
  }
  g->distance = planned;
  g->seconds = seconds;
  g->nodes = nodes;
  g->grasps = grasps;
  g->poses = poses;
  return CR_OK;
}

// the table has the execution, without one the plan
static cr_status follow(goal* g, cr_error* error) {
  CR_TRY(g->o->execute ? execute(g, error) : CR_OK);
  for (ptrdiff_t i = 0; i < g->plan.n && !g->o->execute; i++) {
    CR_TRY(cr_pose_table_add(&g->table, (double)i * g->run.times.step,
                             g->plan.qpos + i * g->setup->nq, error));
  }
  return cr_pose_table_write(&g->table, g->o->csv, g->o->out, error);
}

static cr_status run(goal* g, int* code, cr_error* error) {
  CR_TRY(make_room(g, error));
  CR_TRY(set_goal(g, error));
  CR_TRY(plan(g, error));
  CR_TRY(follow(g, error));
  const bool reached = g->distance <= g->o->tolerance;
  *code = reached || !g->tree ? 0 : 1;
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
  goal g = {.o = options,
            .setup = setup,
            .steps = steps,
            .table = {.m = setup->m},
            .run = {.times = {(double)steps->step, options->hold, (double)timestep}}};
  const cr_status status = run(&g, code, error);
  cr_pose_table_free(&g.table);
  cr_servo_plan_free(&g.plan);
  cr_quasidynamic_destroy(g.run.exact);
  cr_quasidynamic_destroy(g.run.smooth);
  cr_data_destroy(g.d);
  free(g.start);
  free(g.object);
  free(g.weight);
  return status;
}
