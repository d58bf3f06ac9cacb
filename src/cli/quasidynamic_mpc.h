// SPDX-License-Identifier: Apache-2.0
// carom quasidynamic --planner mpc: a plan towards a goal by iterative smoothed predictive control.
#ifndef CR_CLI_QUASIDYNAMIC_MPC_H
#define CR_CLI_QUASIDYNAMIC_MPC_H

#include "command/servo_plan.h"

typedef struct {
  const char* estimator;  // of the linear models: barrier, exact, first, zeroth
  int iterations, samples;
  cr_text_list weigh;  // NAME=Q
  double end, effort, trust, change, sigma, decay, growth;
  bool decoupled;
} cr_mpc_words;

#define CR_MPC_WORDS_DEFAULTS                                                                      \
  {                                                                                                \
    .estimator = "barrier", .iterations = 20, .samples = 100, .end = 1, .effort = 1, .sigma = 0.1, \
    .decay = 0.8, .growth = 1                                                                      \
  }

/// The rows of these words in a command's table.
#define CR_MPC_OPTIONS(w)                                                                         \
  {"--iterations", CR_OPT_COUNT, &(w).iterations, "N", "--planner mpc: iterations (default 20)"}, \
      {"--weigh", CR_OPT_LIST, &(w).weigh, "NAME=Q",                                              \
       "--planner mpc: weight of (coordinate - goal)^2 (default 1 for each coordinate in "        \
       "--goal)"},                                                                                \
      {"--end", CR_OPT_POSITIVE, &(w).end, "F",                                                   \
       "--planner mpc: the last pose weighs F times as much (default 1)"},                        \
      {"--effort", CR_OPT_POSITIVE, &(w).effort, "R",                                             \
       "--planner mpc: weight of (change of a setpoint)^2 (default 1)"},                          \
      {"--trust", CR_OPT_POSITIVE, &(w).trust, "D",                                               \
       "--planner mpc: largest distance of a setpoint to its joint in the last plan"},            \
      {"--change", CR_OPT_POSITIVE, &(w).change, "D",                                             \
       "--planner mpc: largest change of a setpoint in a step"},                                  \
      {"--estimator", CR_OPT_TEXT, &(w).estimator, "barrier|exact|first|zeroth",                  \
       "--planner mpc: linear models by a log barrier (the default, see --smooth), the exact "    \
       "step's Jacobian, or noise on the setpoints"},                                             \
      {"--samples", CR_OPT_COUNT, &(w).samples, "N",                                              \
       "--estimator first, zeroth: samples of each step (default 100)"},                          \
      {"--sigma", CR_OPT_POSITIVE, &(w).sigma, "S",                                               \
       "--estimator first, zeroth: standard deviation of setpoints (default 0.1)"},               \
      {"--decay", CR_OPT_POSITIVE, &(w).decay, "F",                                               \
       "--estimator first, zeroth: sigma times F from iteration to iteration (default 0.8)"},     \
      {"--decoupled", CR_OPT_FLAG, &(w).decoupled, "",                                            \
       "--planner mpc: linear models without what the pose does to the next pose"},               \
  {                                                                                               \
    "--growth", CR_OPT_POSITIVE, &(w).growth, "F",                                                \
        "--estimator barrier: weight times F from iteration to iteration (default 1)"             \
  }

/// What the planner came to.
typedef struct {
  double begin, best;  // costs
  int failed;          // samples without a step
} cr_mpc_found;

/// Fills a plan of setup->nstep + 1 poses from start[nq] to goal[nq]. counts[nq]: coordinates that --goal names; it comes back as
/// those with a weight. guess[nstep nu]: first controls, or NULL: they hold the start.
cr_status cr_cli_mpc(const cr_mpc_words* words, const cr_setup* setup,
                     const cr_quasidynamic_options* steps, int seed, const cr_real* start,
                     const cr_real* goal, const cr_real* guess, bool* counts, cr_servo_plan* plan,
                     cr_mpc_found* found, cr_error* error);

#endif
