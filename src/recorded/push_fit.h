// SPDX-License-Identifier: Apache-2.0
// What is fitted to pushes: numbers of the model, then a network on the friction below the body; and what a model predicts.
#ifndef CR_RECORDED_PUSH_FIT_H
#define CR_RECORDED_PUSH_FIT_H

#include "carom/model.h"
#include "recorded/push_data.h"

enum { CR_PUSH_NUMBERS = 6 };

/// A number of the model that is tuned.
typedef struct {
  const char *name, *target, *unit;
  double start, lower, upper, sd;  // sd: of a prior about the start; 0: none
  bool logarithm;
} cr_push_number;
extern const cr_push_number cri_push_numbers[CR_PUSH_NUMBERS];

/// Pushes to learn from. Everything is borrowed.
typedef struct {
  const cr_push_data* data;
  const int* push;  // their numbers
  int n;
  bool (*stop)(void* context);
  void* context;
} cr_push_lesson;

/// Tunes the numbers of m, all from their starts, by least squares over whole pushes, and puts them into m.
/// Shapes   number[CR_PUSH_NUMBERS], deviation[CR_PUSH_NUMBERS]: standard deviations of the free numbers; *rms: of position (m) and yaw (rad)
/// Errors   those of identification
cr_status cri_push_tune(cr_model* m, const cr_push_lesson* lesson, cr_real* number,
                        cr_real* deviation, cr_real rms[2], cr_error* error);

/// Puts numbers into m.
cr_status cri_push_put(cr_model* m, const cr_real* number, cr_error* error);

/// How a network is trained.
typedef struct {
  int epochs;
  uint64_t seed;  // of its first weights and of the order of pushes
} cr_push_training;

/// Adds one network to the models of all shapes, trains it on the pushes (in order of shapes), and puts its weights into all.
/// Target   a lateral force on every foot, from pose and velocity of the body and the place of the foot
/// Shapes   m[nshape]; cost[2]: mean cost of a number at the start and at the end
cr_status cri_push_correct(cr_model* const* m, const cr_push_lesson* lesson,
                           const cr_push_training* training, cr_real cost[2], cr_error* error);

/// Where the model takes the body: its pose at each row of the push, and how far the last is off.
/// Shapes   pose[nbody 3], m, m, rad, or NULL; off[2]: m, rad
cr_status cri_push_predict(const cr_model* m, const cr_push* push, double* pose, double off[2],
                           cr_error* error);

#endif
