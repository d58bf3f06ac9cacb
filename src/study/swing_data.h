// SPDX-License-Identifier: Apache-2.0
// Runs of a filmed double pendulum: two joint angles a row, recorded, or made by simulation.
#ifndef CR_STUDY_SWING_DATA_H
#define CR_STUDY_SWING_DATA_H

#include "base/real.h"
#include "base/status.h"
#include "carom/model.h"

enum { CR_SWING_NAME = 32 };

typedef struct {
  char name[CR_SWING_NAME];
  int rows;
  double* angle;  // rows x 2, rad: arm 1 from hanging down, arm 2 relative to arm 1; unwrapped
} cr_swing_run;

typedef struct {
  cr_swing_run* run;
  int n, room;
  cr_real interval;  // s from row to row
} cr_swing_data;

/// HDF5: run/NAME/theta [rows][2], rad; root attribute dt_nominal, s. Free with cri_swing_free, also after an error.
/// Errors   CR_ERR_FILE, CR_ERR_FORMAT naming file, run and row; CR_ERR_ARG for fewer than 3 runs; CR_ERR_MEMORY
cr_status cri_swing_read(cr_swing_data* data, const char* path, cr_error* error);
void cri_swing_free(cr_swing_data* data);

/// How runs are made.
typedef struct {
  int runs, rows;
  cr_real interval;  // s
  uint64_t seed;
} cr_swing_making;

/// Simulates runs from random starts with a fifth of the interval as step, films three markers with noise, and writes the angles
/// between the markers, in whole fifths of a pixel, as cri_swing_read reads them.
/// Errors   those of steps; CR_ERR_FILE, CR_ERR_MEMORY
cr_status cri_swing_make(const cr_model* m, const cr_swing_making* making, const char* path,
                         cr_error* error);

#endif
