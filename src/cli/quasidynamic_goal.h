// SPDX-License-Identifier: Apache-2.0
// carom quasidynamic --goal: a plan through contact by a tree or by predictive control, and its execution in full dynamics.
#ifndef CR_CLI_QUASIDYNAMIC_GOAL_H
#define CR_CLI_QUASIDYNAMIC_GOAL_H

#include "cli/quasidynamic_mpc.h"

typedef struct {
  cr_text_list goal, turn;  // coordinates, NAME=VALUE; rotations, NAME=X,Y,Z in degrees
  const char* planner;
  int nodes, trees, seed;
  double around, hold, tolerance, length, keep, stepsize, goal_share, grasp_share;
  cr_mpc_words mpc;
  bool guess;  // controls of the setup are the first guess
  bool execute, open_loop, json;
  int replans;
  const char *csv, *out;
} cr_goal_options;

#define CR_GOAL_DEFAULTS                                                                     \
  {                                                                                          \
    .planner = "tree", .nodes = 1000, .trees = 1, .seed = 1, .around = 0.1, .hold = 1,       \
    .tolerance = 0.01, .length = 1, .stepsize = 0.35, .goal_share = 0.8, .grasp_share = 0.2, \
    .replans = 10, .mpc = CR_MPC_WORDS_DEFAULTS                                              \
  }

/// The rows of the tree in the command's table.
#define CR_TREE_OPTIONS(o)                                                                       \
  {"--goal", CR_OPT_LIST, &(o).goal, "NAME=VALUE",                                               \
   "plan: steps until the objects' coordinates are within --tolerance of these"},                \
      {"--turn", CR_OPT_LIST, &(o).turn, "JOINT=X,Y,Z",                                          \
       "plan: the object of a ball or free joint turned by X, Y, Z degrees, a rotation vector "  \
       "in the world"},                                                                          \
      {"--planner", CR_OPT_TEXT, &(o).planner, "tree|mpc",                                       \
       "--goal: a tree with new grasps (the default), or iterative smoothed predictive "         \
       "control"},                                                                               \
      {"--nodes", CR_OPT_COUNT, &(o).nodes, "N", "--goal: most nodes of a tree (default 1000)"}, \
      {"--trees", CR_OPT_COUNT, &(o).trees, "N",                                                 \
       "--goal: trees, one after the other until one reaches the goal (default 1)"},             \
      {"--goal-share", CR_OPT_POSITIVE, &(o).goal_share, "P",                                    \
       "--goal: share of extensions towards the goal itself, up to 1 (default 0.8)"},            \
      {"--grasp-share", CR_OPT_POSITIVE, &(o).grasp_share, "P",                                  \
       "--goal: share of new grasps, up to 1 (default 0.2)"},                                    \
      {"--seed", CR_OPT_INT, &(o).seed, "S",                                                     \
       "--goal, and samples of --estimator: random numbers (default 1)"},                        \
      {"--around", CR_OPT_POSITIVE, &(o).around, "R",                                            \
       "--goal: how far beyond start and goal the tree looks, m|rad (default 0.1)"},             \
      {"--tolerance", CR_OPT_POSITIVE, &(o).tolerance, "R",                                      \
       "--goal: how near to the goal the tree ends, m|rad (default 0.01)"},                      \
      {"--length", CR_OPT_POSITIVE, &(o).length, "L",                                            \
       "--goal: metres that count as much as 1 rad (default 1)"},                                \
      {"--stepsize", CR_OPT_POSITIVE, &(o).stepsize, "D",                                        \
       "--goal: largest change of the setpoints in a step, as a norm (default 0.35)"},           \
  {                                                                                              \
    "--keep", CR_OPT_REAL, &(o).keep, "P",                                                       \
        "--goal: chance of a finger to stay where it is in a new grasp (default 0)"              \
  }

/// Plans from the pose of the setup's rollout, and prints and writes what it found. timestep: of the dynamics; *code: 1 where a tree did not reach the goal.
cr_status cr_cli_goal(const cr_goal_options* options, cr_setup* setup,
                      const cr_quasidynamic_options* steps, cr_real timestep, int* code,
                      cr_error* error);

#endif
