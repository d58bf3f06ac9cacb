// SPDX-License-Identifier: Apache-2.0
// carom quasidynamic --goal: a plan through contact by a tree or by predictive control, and its execution in full dynamics.
#ifndef CR_CLI_QUASIDYNAMIC_GOAL_H
#define CR_CLI_QUASIDYNAMIC_GOAL_H

#include "cli/quasidynamic_mpc.h"

typedef struct {
  cr_text_list goal;  // coordinates, NAME=VALUE
  const char* planner;
  int nodes, seed;
  double around, hold;
  cr_mpc_words mpc;
  bool guess;  // controls of the setup are the first guess
  bool execute, json;
  const char *csv, *out;
} cr_goal_options;

#define CR_GOAL_DEFAULTS                                                   \
  {                                                                        \
    .planner = "tree", .nodes = 1000, .seed = 1, .around = 0.1, .hold = 1, \
    .mpc = CR_MPC_WORDS_DEFAULTS                                           \
  }

/// Plans from the pose of the setup's rollout, and prints and writes what it found. timestep: of the dynamics; *code: 1 where a tree did not reach the goal.
cr_status cr_cli_goal(const cr_goal_options* options, cr_setup* setup,
                      const cr_quasidynamic_options* steps, cr_real timestep, int* code,
                      cr_error* error);

#endif
