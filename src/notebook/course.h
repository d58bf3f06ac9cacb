// SPDX-License-Identifier: Apache-2.0
// Identification from a distant start, by windows that grow. Short windows have a smooth loss that leads
// from any start. Long windows measure the final loss, but can only be followed from nearby. So a
// course has stages. Each runs Adam over all its windows from the best point of the stage before, with
// contacts from distance that reach less and less.
#ifndef CR_STUDY_COURSE_H
#define CR_STUDY_COURSE_H

#include "carom/fit.h"

typedef struct {
  int steps, stride;  // windows of so many predicted states, one every so many rows
  int iterations;     // of Adam
  cr_real reach;      // of contacts from distance, m; the length of their softplus is a fiftieth
} cr_course_stage;

/// Everything is borrowed.
typedef struct {
  const cr_model* m;  // its contacts from distance, but for the reach
  const cr_parameter_info* items;
  int nitem;  // their starts do not count
  const cr_recordings* recordings;
  int first, run;  // those of them that are used
  const cr_course_stage* stages;
  int nstage;
  cr_adam_options adam;  // but for its iterations
  cr_norm norm;          // as in cr_fit_options; all errors weigh alike
  cr_real p;             // of the norm
  int nthread;
  bool (*stop)(void* context);  // asked now and then, may be NULL
  void* stop_context;
  // called after every evaluation, stages count from 0; may be NULL
  void (*watch)(void* context, int stage, const cr_real* p, cr_real loss);
  void* watch_context;
} cr_course;

/// Adam as it does well on logarithms of parameters: rates from a tenth to a hundredth, a short memory.
extern const cr_adam_options cr_course_adam;

/// Runs the course from the parameters p (clipped to their bounds), and puts its result there.
/// Errors   CR_ERR_ARG if no toss is as long as a window; those of parameters and identification
cr_status cr_course_run(const cr_course* course, cr_real* p, cr_error* error);

/// The loss of the whole tosses at p, the measure of its quality.
cr_status cr_course_score(const cr_course* course, const cr_real* p, cr_real* score,
                          cr_error* error);

#endif
