// SPDX-License-Identifier: Apache-2.0
// Names in files of measurements: what a column or an array stands for, and in which unit.
#ifndef CR_IO_MEASURED_NAMES_H
#define CR_IO_MEASURED_NAMES_H

#include "measure/measurements.h"

/// A file that is being read.
typedef struct {
  cr_measurements* to;
  const cr_measurements_file* options;
  const char* path;
  cr_error* error;
} cri_measured_file;

typedef enum { CRI_NAME_IGNORED, CRI_NAME_TIME, CRI_NAME_RATE, CRI_NAME_PLACE } cri_name_kind;

typedef struct {
  cri_name_kind kind;
  char shown[CRI_PLACE_TEXT];  // as the file has it
  char text[CRI_PLACE_TEXT];   // of the place; of TIME the array that it belongs to, "" all
  char unit[CRI_UNIT];         // "" none
  cr_place at;
} cri_measured_name;

/// Finds out what a name stands for: time, rate, a place, a control, a column of the options.
/// where    how the sentence begins: file, and line where it has lines
/// Errors   CR_ERR_NAME with the places that are alike; CR_ERR_FORMAT for a name that is empty or too long
cr_status cri_measured_name_find(cri_measured_name* name, const cri_measured_file* f,
                                 const char* where, const char* text);

/// The factor from the unit of a name to MuJoCo's unit of number k of its place.
/// Errors   CR_ERR_FORMAT naming both units
cr_status cri_measured_factor(const cri_measured_name* name, const cri_measured_file* f,
                              const char* where, int k, cr_real* factor);

/// The factor from the unit of a time to s, of a rate to 1/s.
cr_status cri_measured_time_factor(const cri_measured_name* name, const cri_measured_file* f,
                                   const char* where, const char* unit, cr_real* factor);

/// The rate from the file, 0 where it has none, or from the options. Errors: CR_ERR_FORMAT if they differ.
cr_status cri_measured_rate(const cri_measured_file* f, double of_file, cr_real* rate);

/// Checks times against a rate that is given too, to 1 %; rate 0: nothing to check.
cr_status cri_measured_rate_check(const cri_measured_file* f, cr_real rate, const cr_real* time,
                                  int rows);

/// Begins the run of a file: the name of the options, else the file's without folder and ending. `name`: that of a
/// run among several, which is then "OPTION/NAME"; NULL where the file has one.
cr_status cri_measurements_begin_file(const cri_measured_file* f, const char* name, int group);

#endif
