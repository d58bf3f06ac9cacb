// SPDX-License-Identifier: Apache-2.0
// Training: thousands of parameters of a model, as the weights of networks in it, from measured signals by
// gradient descent through the simulation. For few parameters cr_identification_solve is quicker and gives intervals.
#ifndef CAROM_TRAINING_H
#define CAROM_TRAINING_H

#include "carom/identify.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a training is done. What a zero stands for is in brackets.
typedef struct {
  size_t size;           // sizeof(cr_training_options), set by the caller
  int epochs;            // passes over all windows, with those before a resume [100]
  int batch;             // windows a step [all]
  cr_real rate,          // step size of the first epoch, > 0
      final_rate;        // of the last one, geometric between [rate]
  cr_real b1, b2, eps;   // of Adam [0.9, 0.999, 1e-8]; below 0: none
  cr_real weight_decay;  // AdamW: each step takes rate times this part of x away
  const cr_real* l2;     // n numbers: adds l2_i x_i^2 / 2 to the mean cost; NULL: none
  const int32_t*
      group;  // n numbers: the group of each x from 0 on, -1: none; NULL: none. x without group has no penalty
  cr_real lasso,  // of the x in groups: adds lasso |x_i|; such x become exactly 0
      group_lasso;  // adds group_lasso sqrt(size) |x of a group|; a group becomes exactly 0 as a whole
  const cr_real*
      lasso_factor;  // n numbers f >= 0, on the penalties of each x: lasso f_i |x_i|, and group_lasso sqrt(sum of f^2 over the
  // group) |x of the group|; NULL: 1. An adaptive lasso has 1 / |x| of an earlier training here
  int patience;   // ends after so many epochs without a lower cost of the runs held aside [never]
  uint64_t seed;  // of the order of windows
  bool (*stop)(void* context);  // asked between steps; true ends the training
  /// Called after every epoch with the mean costs of a number: of the runs to train on as the epoch went on, of those held aside
  /// at its end (NaN: none).
  void (*progress)(void* context, int epoch, cr_real cost, cr_real held);
  /// Takes the state after every `save_every` [1] epochs, to be kept byte by byte for `resume`; a status other than CR_OK ends the training.
  cr_status (*save)(void* context, int epoch, const void* state, size_t size, cr_error* error);
  int save_every;
  const void*
      resume;  // a state of a training with the same parameters, measurements and options (epochs and patience may be
  size_t
      resume_size;  // others): goes on to the same digits as if it had not ended; x is then not read
  void* context;    // of the functions
} cr_training_options;

/// How a training ended. Costs are means over the numbers that are seen.
typedef struct {
  size_t size;  // sizeof(cr_training_end), set by the caller
  cr_real cost,
      start_cost;     // of the runs to train on, at the end and at the start, without penalties
  cr_real held_cost;  // of the runs held aside; NaN: none
  int epochs, steps;  // with those before a resume
  int best_epoch;  // the one whose x is returned: the last, or that of the lowest cost of the runs held aside
  int cuts;  // times that the step size was halved, because a step led to where the model cannot be simulated
  const char* reason;  // in a few words; belongs to the library
} cr_training_end;

/// Trains from x. Starts are known (CR_START_MEASURED, CR_START_REFERENCE), or stay as the last cr_identification_solve found them;
/// noises stay too. Then cr_identification_get_place and cr_identification_predict tell of the end; there are no intervals.
/// Map      x -> x
/// Equation AdamW on cost / numbers + sum l2 x^2 / 2 + priors / numbers of a batch of windows, then the proximal step of the penalties
///          (Simon et al., A sparse-group lasso, 2013) in Adam's metric h, the root that it divides by, but no less than f lasso +
///          s group_lasso, s the root of the mean of f^2 over the group: x = sign(x) max(|x| - rate f lasso / h, 0), then of a group
///          the y with the least sum h (y - x)^2 / 2 + rate group_lasso s sqrt(size) |y|. Where it rests, the derivative of the
///          rest is minus that of the penalties.                                   [identification.m11]
/// Shapes   x[n], n = cr_identification_count
/// Threads  the same bits for any number of them
/// Errors   CR_ERR_ARG: options that are not sane, windows with continuity; CR_ERR_INTERRUPTED; CR_ERR_FORMAT: a state of another training;
///          those of steps, with run and time, where the first x or twenty halved steps cannot be simulated; those of `save`
CR_API cr_status cr_identification_train(cr_identification* identification,
                                         const cr_training_options* options, cr_real* x,
                                         cr_training_end* end, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
