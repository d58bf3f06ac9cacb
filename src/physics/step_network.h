// SPDX-License-Identifier: Apache-2.0
// Residual learning outside of a simulator (Ajay et al., Augmenting Physical Simulators with Stochastic Neural Networks, 2018): a network sees a
// state and where a step of the simulator leads, and adds to the velocity. The simulator is not differentiated.
#ifndef CR_PHYSICS_STEP_NETWORK_H
#define CR_PHYSICS_STEP_NETWORK_H

#include "carom/learned.h"
#include "stiff/sighted.h"
#include "stiff/stiff_oracle.h"

typedef struct {
  const cr_model* m;
  cr_learned* learned;
  cr_real* room;  // of a step of the network
} cri_step_network;

/// How it is trained. The last fifth of the tosses says when to end; of fewer than five tosses a fifth of the rows, drawn from the seed.
typedef struct {
  int epochs, patience;
  uint64_t seed;
  bool (*stop)(void* context);  // may be NULL
  void* context;
} cri_step_lesson;

/// Trains on single steps between all seen rows of the tosses: two hidden layers of 64 units, tanh, so that what it adds is bounded.
/// Equation v(t+1) = v_simulator(s(t)) + network(s(t), v_simulator(s(t)))
/// Owner    the caller, cri_step_network_free, also after an error; the model is borrowed
/// Errors   CR_ERR_MEMORY, CR_ERR_INTERRUPTED; those of steps and of cr_learned_train
cr_status cri_step_network_train(cri_step_network* r, const cr_model* m,
                                 const cri_step_lesson* lesson, const cri_sighted* tosses,
                                 cr_error* error);
void cri_step_network_free(cri_step_network* r);

/// What it adds to a step, for scores. It borrows r.
cri_addition cri_step_network_addition(cri_step_network* r);

#endif
