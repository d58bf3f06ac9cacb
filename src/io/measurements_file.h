// SPDX-License-Identifier: Apache-2.0
// Readers of measurements, one for each kind of file; cr_measurements_read chooses. Each adds runs to f->to, which
// the caller drops again where it fails.
#ifndef CR_IO_MEASUREMENTS_FILE_H
#define CR_IO_MEASUREMENTS_FILE_H

#include "io/measured_names.h"

cr_status cri_measurements_read_csv(const cri_measured_file* f);
cr_status cri_measurements_read_npz(const cri_measured_file* f);
cr_status cri_measurements_read_hdf5(const cri_measured_file* f);

/// An array of one run, as .npz and HDF5 have them.
typedef struct {
  const char* name;
  const char* unit;  // NULL: its name says it
  int rows, cols;
  const double* values;
} cri_measured_array;

/// Begins a run and adds arrays as its channels, at their own times, those of "time", or at a rate (0: none).
cr_status cri_measured_arrays_add(const cri_measured_file* f, const char* run, int group,
                                  const cri_measured_array* array, int n, double rate);

#endif
