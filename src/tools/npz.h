// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers from NumPy's .npz: a zip file of .npy files, stored or compressed.
#ifndef CR_TOOLS_NPZ_H
#define CR_TOOLS_NPZ_H

#include "base/status.h"

typedef struct {
  char* name;  // without ".npy"
  int rank;    // 0: one number, 1: rows of one number, 2
  int rows, cols;
  double* values;  // rows x cols, row after row
} cri_array;

typedef struct {
  cri_array* array;
  int n;
} cri_npz;

/// Reads all arrays of a file: real numbers and integers of 1 to 8 bytes, little endian, of at most two dimensions.
/// Every size and checksum is checked. Owner: the caller, cri_npz_free.
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT naming file and array; CR_ERR_MEMORY
cr_status cri_npz_read(cri_npz* npz, const char* path, cr_error* error);
void cri_npz_free(cri_npz* npz);

#endif
