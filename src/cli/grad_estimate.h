// SPDX-License-Identifier: Apache-2.0
// carom grad --estimator: the gradient of a loss that noise has smoothed.
#ifndef CR_CLI_GRAD_ESTIMATE_H
#define CR_CLI_GRAD_ESTIMATE_H

#include "command/ranks.h"
#include "command/setup.h"

typedef struct {
  const char *kind, *draws;  // kind NULL: no estimate is asked for
  cr_text_list sigma;        // NAME=S
  double samples, bias, confidence;
  int seed, threads;
} cr_estimate_options;

/// The rows of these options in the table of a command.
#define CR_ESTIMATE_OPTIONS(e)                                                                     \
  {"--estimator", CR_OPT_TEXT, &(e).kind, "first|zeroth|alpha",                                    \
   "instead: the gradient of the mean loss under noise, from samples; with --jacobian the linear " \
   "model of the mean of the step"},                                                               \
      {"--samples", CR_OPT_POSITIVE, &(e).samples, "N", "--estimator: how many (default 256)"},    \
      {"--sigma", CR_OPT_LIST, &(e).sigma, "NAME=S",                                               \
       "--estimator: standard deviation of the noise on a name of --wrt; each needs one. With "    \
       "--jacobian on qpos, qvel, act, ctrl"},                                                     \
      {"--draws", CR_OPT_TEXT, &(e).draws, "random|antithetic|quasi",                              \
       "--estimator: independent samples (default), pairs w and -w, or even points"},              \
      {"--bias", CR_OPT_POSITIVE, &(e).bias, "G",                                                  \
       "--estimator alpha: how far from the truth it may be (default: twice as far as chance)"},   \
      {"--confidence", CR_OPT_POSITIVE, &(e).confidence, "P",                                      \
       "--estimator: of intervals and of the bound on the bias (default 0.95)"},                   \
      {"--seed", CR_OPT_INT, &(e).seed, "S", "--estimator: of the samples (default 0)"}, {         \
    "--threads", CR_OPT_COUNT, &(e).threads, "N",                                                  \
        "--estimator: threads (default: one a processor; under mpirun 1); the digits do not "      \
        "depend "                                                                                  \
        "on it"                                                                                    \
  }

/// What is estimated: the gradient by names of a loss of a rollout that is set up. Borrowed.
typedef struct {
  const cr_estimate_options* o;
  cr_ranks* ranks;  // that share the samples
  const cr_setup_options* setup;
  const cr_setup* made;
  const cr_text_list* names;
  const char *loss, *cost;  // one of them
  bool every;
} cr_estimate_case;

/// found: gradient and error have room for the numbers of all names.
/// Errors   CR_ERR_ARG naming the option; those of cr_gradient_estimate
cr_status cr_cli_grad_estimate(const cr_estimate_case* c, cr_smoothed_gradient* found,
                               cr_error* error);

/// The options of an estimate that make no sense without one, or with another option of the command.
/// Errors   CR_ERR_ARG naming the option
cr_status cr_cli_grad_estimate_check(const cr_estimate_options* o, cr_error* error);

/// The standard deviation that --sigma gives a name; *present: there is one.
/// Errors   CR_ERR_ARG
cr_status cr_cli_grad_estimate_sigma(const cr_text_list* given, const char* name, cr_real* sigma,
                                     bool* present, cr_error* error);

int cr_cli_grad_estimate_samples(const cr_estimate_options* o);

#endif
