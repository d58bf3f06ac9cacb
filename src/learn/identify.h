// SPDX-License-Identifier: Apache-2.0
// Identification: the mean loss over many windows as a function of the parameters, with its gradient
// by the backward pass through every window.
//
// Windows are evaluated in chunks of fixed size on a thread pool and summed in their order: the same
// bits with any number of threads.
#ifndef CR_LEARN_IDENTIFY_H
#define CR_LEARN_IDENTIFY_H

#include "base/pool.h"
#include "learn/objective.h"
#include "learn/parameters.h"
#include "learn/window_loss.h"
#include "learn/windows.h"

/// Data, model and parameters of an identification. Everything is borrowed and must outlive the cr_identify.
typedef struct {
  cr_parameters* parameters;
  const cri_run* tosses;
  const cr_window_place* windows;
  int nwindow, nstep;           // nstep: of every window without its own, which may not be longer
  int every;                    // steps of the rollout from one recorded state to the next; 0: 1
  const cr_adaptive* adaptive;  // tolerances, NULL: steps of the model's length
  size_t memory;                // limit for the stored states of a worker, 0: none
  const cr_adjoint* adjoint;    // continuous, NULL: gradients of the steps
  cr_state_weights weights;
  cri_norm norm;
  cr_more_loss more;  // added to the loss of every window; without a function: none
  bool cfd;           // contacts from distance in the backward pass, with the settings of the model
  cr_pool* pool;
  bool (*stop)(void* context);  // called between chunks, may be NULL; true ends the evaluation
  void* stop_context;
} cr_identify_def;

typedef struct cr_identify cr_identify;

/// Errors   CR_ERR_ARG where the model has no joints; CR_ERR_MEMORY
cr_status cr_identify_create(cr_identify** identify, const cr_identify_def* def, cr_error* error);

void cr_identify_free(cr_identify* identify);

/// Mean loss of `n` windows (indices; NULL: all) at x and, if result->gradient is not NULL, its
/// gradient in x. Without the gradient zero_windows is 0.
/// Errors   CR_ERR_INTERRUPTED; those of rollouts, naming toss and rows
cr_status cr_identify_evaluate(cr_identify* identify, const cr_real* x, const int32_t* windows,
                               int n, cr_evaluation* result, cr_error* error);

/// As an objective. With batch > 0 an iteration uses that many windows, drawn from the seed.
cr_objective cr_identify_objective(cr_identify* identify, int batch, uint64_t seed);

#endif
