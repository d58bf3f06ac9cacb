// SPDX-License-Identifier: Apache-2.0
// From a configuration to a problem that optimisers can work on: model, tosses, windows, parameters.
#ifndef CR_RUNS_FIT_PROBLEM_H
#define CR_RUNS_FIT_PROBLEM_H

#include "command/method.h"
#include "fit/fit_config.h"
#include "tools/files.h"

typedef struct {
  const char* config_path;
  const char* data_path;  // NULL: that of the configuration, or made tosses
  const char* folder;     // of the results; NULL: that of the configuration, or fit_<its name>
  const char* const* set;
  int nset, threads;
  int seed;  // -1: that of the configuration
  cr_method_options method;
  bool as_recorded;  // also data that contradict themselves
  bool (*stop)(void* context);
  bool resume, force;  // what may be done to a folder that holds results
} cr_fit_request;

/// Every part is valid or zero, whatever cr_fit_problem_load returned.
typedef struct {
  cr_fit_config config;
  char folder[CR_MAX_PATH];
  int claim;  // see cri_folder_claim
  bool claimed;
  char data_path[CR_MAX_PATH];
  cr_load_report* report;
  char warning[CR_MAX_PATH + 300];  // of the data, "" where there is none
  cr_model* m;
  cr_adaptive adaptive;  // atol 0: steps of the model's length
  cr_adjoint adjoint;    // rtol 0: gradients of the steps
  int every;             // steps, or intervals of the grid, from one recorded state to the next
  bool cfd;
  cr_parameters* parameters;
  cr_recordings* tosses;
  cr_fit* fit;
  cr_cost** costs;  // of each thread, added to the loss; NULL: none
  int ncost;
  cr_fit_info train, held;           // what there is to train on, and what is held aside
  bool made;                         // the tosses are simulated
  cr_real truth[CR_MAX_PARAMETERS];  // with these, which the optimisers do not see
  uint64_t fingerprint;              // of all that decides the numbers
} cr_fit_problem;

/// Loads everything, and makes the folder of the results when all that was read is good. Made tosses
/// are written there (tosses.h5) and read back, as recorded ones are.
cr_status cr_fit_problem_load(cr_fit_problem* problem, const cr_fit_request* request,
                              cr_error* error);

void cr_fit_problem_free(cr_fit_problem* problem);

#endif
