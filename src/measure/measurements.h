// SPDX-License-Identifier: Apache-2.0
// Measured signals. What is public is documented in carom/measure.h.
#ifndef CR_MEASURE_MEASUREMENTS_H
#define CR_MEASURE_MEASUREMENTS_H

#include "carom/measure.h"
#include "measure/measured_place.h"

enum { CRI_PLACE_TEXT = 128, CRI_RUN_NAME = 64 };

typedef struct {
  char place[CRI_PLACE_TEXT];
  cr_place at;  // resolved
  int width;    // numbers in a row
  int control;  // the first control, -1 for a measurement
  int* quat;    // where quaternions begin among the numbers of a row
  int nquat;
  cr_real *time, *values;
  int rows;
  cr_real noise, delay;
} cri_channel;

typedef struct {
  char name[CRI_RUN_NAME];
  int group;
  cri_channel* channel;
  int n, capacity;
} cri_measured_run;

struct cr_measurements {
  cr_model* m;  // a copy: for the names of places, units and limits
  cri_measured_run* run;
  int n, capacity;
};

/// Where the rows of a channel come from, for error sentences.
typedef struct {
  const char* file;
  const char* column;  // name of a column or of an array
  const int* line;     // of each row in the file; NULL: the rows have no lines
} cri_origin;

/// cr_measurements_add; errors name the origin, or where it is NULL the run and the channel.
cr_status cri_measurements_add(cr_measurements* measurements, const cr_channel_info* channel,
                               const cri_origin* origin, cr_error* error);

/// Drops all runs but the first n.
void cri_measurements_keep(cr_measurements* measurements, int n);

/// A group that no run is in.
int cri_measurements_new_group(const cr_measurements* measurements);

#endif
