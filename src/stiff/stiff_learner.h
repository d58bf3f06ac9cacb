// SPDX-License-Identifier: Apache-2.0
// Networks that learn the next velocity of a tossed cube from what was seen: a perceptron that sees one row, and recurrent networks
// that see CRI_HISTORY rows. Their errors are measured as those of the oracle.
#ifndef CR_STIFF_STIFF_LEARNER_H
#define CR_STIFF_STIFF_LEARNER_H

#include "stiff/stiff_oracle.h"
#include "stiff/toss_file.h"

enum { CRI_MLP, CRI_GRU, CRI_LSTM, CRI_BILSTM, CRI_N_LEARNER };
extern const char* const cri_toss_learner_names[CRI_N_LEARNER];

/// What a training is told, and what it learns from: tosses first ... first + n - 1, of whose slices 70 % are learned, 20 % say when to
/// end, 10 % are left out.
typedef struct {
  int learner;
  const cri_tosses* tosses;
  int first, n;
  cr_real rate, decay;  // of Adam; decay: weight_decay of PyTorch's
  int epochs, patience;
  uint64_t seed;     // of the first weights, of the slices and of their order
  const char* file;  // where the network is kept with its training; NULL: nowhere
  bool resume;       // goes on from the file, if it is there
  bool (*stop)(void* context);
  void (*progress)(void* context, int epoch, cr_real loss, cr_real held);
  void* context;
} cri_lesson;

/// Trains a network: inputs normalised, outputs not. Owner: the caller, cr_learned_destroy, also after an error.
/// trained  sums over slices that were learned, at most 40,000 of them: of the squares of all six errors, (m/s)^2 + (rad/s)^2
/// Errors   those of cr_learned_train and cr_learned_open
cr_status cri_toss_learner_train(const cri_lesson* lesson, cr_learned** learned,
                                 cr_learning_end* end, cri_log_sums* trained, cr_error* error);

/// Errors in tosses first ... first + n - 1, summed over all of them: of single steps from row CRI_HISTORY on, and of roll-outs over
/// CRI_ROLLOUT steps. A pose follows from the velocity as velocities follow from poses: q(t+1) = q(t) + interval v(t+1).
/// interval  s, of the velocities
/// Errors    those of predictions; CR_ERR_NONFINITE: a roll-out that is not finite
cr_status cri_toss_learner_test(const cr_learned* learned, int learner, const cr_model* m,
                                cr_real interval, const cri_tosses* tosses, int first, int n,
                                cri_oracle* sums, cr_error* error);

/// Weights of a learner's network, and slices of a toss with so many rows in its file.
/// Errors   CR_ERR_MEMORY
cr_status cri_toss_learner_weights(int learner, int* n, cr_error* error);
int cri_toss_learner_slices(int learner, int rows);

#endif
