// SPDX-License-Identifier: Apache-2.0
// A tossed cube whose contact friction a network corrects, and how far predictions of whole tosses are off.
#ifndef CR_RECORDED_CUBE_SLIP_H
#define CR_RECORDED_CUBE_SLIP_H

#include "carom/fit.h"

/// Friction that falls as the cube gets faster, by a correction with given weights: what made tosses have and no number can say.
cr_status cri_cube_slippery(cr_model* m, cr_error* error);

/// Adds an untrained network on the friction of all contacts, which reads the velocity and the depth of a contact.
/// Errors   those of corrections
cr_status cri_cube_add_friction(cr_model* m, uint64_t seed, cr_error* error);

/// Windows of 60 rows, and the loss that corrections of the cube are trained with.
cr_fit_options cri_cube_windows(uint64_t seed, bool (*stop)(void* context), void* context);

/// Adds a network on the friction of all contacts to m and trains it on windows of the tosses, by the mean absolute error.
/// Shapes   loss[2]: before and after
/// Errors   those of corrections, parameters and fits
cr_status cri_cube_correct(cr_model* m, const cr_recordings* tosses, int epochs, uint64_t seed,
                           bool (*stop)(void* context), void* context, cr_real loss[2],
                           cr_error* error);

/// Predicts a toss from its first row: a row of 13 numbers for each of its rows.
/// Shapes   rows[toss->rows 13]
cr_status cri_cube_predict(const cr_model* m, const cr_recording_info* toss, cr_real* rows,
                           cr_error* error);

/// Errors of predicted rows: means over a toss and those of its end, of position (m) and rotation (rad).
typedef struct {
  double position, rotation, last_position, last_rotation;
} cr_cube_errors;
cr_cube_errors cri_cube_compare(const cr_recording_info* toss, const cr_real* rows);

#endif
