// SPDX-License-Identifier: Apache-2.0
// The part of the study stiff-contact that trains networks: every stiffness, size of the training set and learner, several times.
#ifndef CR_STIFF_STIFF_LEARNING_H
#define CR_STIFF_STIFF_LEARNING_H

#include "stiff/stiff_oracle.h"

/// What the study has when the training begins. Borrowed.
typedef struct {
  cr_notebook* book;
  cr_model* const* model;  // [CRI_N_FLOOR]
  cr_real interval;        // s, by which differences of seen poses were divided
  int training, tested;    // tosses of a file to learn from; behind them those to test on
  /// Log-normal means of the oracle: of the sum of six squares, m, rad
  cri_log_mean oracle[CRI_N_FLOOR * 3];
} cri_learning;

/// Reads the tosses (tosses_<floor>.h5 in the folder of the book), says what the trainings take, trains, tests, adds to the report and
/// draws stiff_contact_learned.png. Networks are kept in the folder `networks`. A study that was stopped goes on with the epoch that a
/// training had reached.
/// Errors   CR_ERR_INTERRUPTED; those of files and trainings
cr_status cri_stiff_learn(cri_learning* learning, cr_error* error);

#endif
