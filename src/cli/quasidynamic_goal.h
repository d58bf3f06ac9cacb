// SPDX-License-Identifier: Apache-2.0
// carom quasidynamic --goal: a plan through contact by a tree, and its execution in full dynamics.
#ifndef CR_CLI_QUASIDYNAMIC_GOAL_H
#define CR_CLI_QUASIDYNAMIC_GOAL_H

#include "command/setup.h"

typedef struct {
  cr_text_list goal;  // coordinates of objects, NAME=VALUE
  int nodes, seed;
  double around, hold;
  bool execute, json;
  const char* csv;
} cr_goal_options;

/// Plans from the pose of the setup's rollout, and prints and writes what it found. timestep: of the dynamics; *code: 1 where the goal was not reached.
cr_status cr_cli_goal(const cr_goal_options* options, cr_setup* setup,
                      const cr_quasidynamic_options* steps, cr_real timestep, int* code,
                      cr_error* error);

#endif
