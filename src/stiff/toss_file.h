// SPDX-License-Identifier: Apache-2.0
// All tosses of a floor in an HDF5 file: length [tosses], the rows of each; state [rows][13], qpos and qvel, a toss behind the other; seen [rows][13],
// the same with noise. Row 0 of a toss is not seen: NaN there. Attributes of the root: timestep, stiffness, tosses.
#ifndef CR_STIFF_TOSS_FILE_H
#define CR_STIFF_TOSS_FILE_H

#include "stiff/tossed.h"

typedef struct {
  int tosses;
  int32_t* first;         // [tosses + 1], row of each toss, and the end
  cr_real *state, *seen;  // [first[tosses]][CRI_STATE]
} cri_tosses;

/// Simulates tosses 0 ... n - 1 of a floor with the threads of the book. Free with cri_tosses_free, also after an error.
/// Errors   CR_ERR_INTERRUPTED, CR_ERR_MEMORY, those of steps
cr_status cri_tosses_make(cri_tosses* t, cr_notebook* book, const cr_model* m, int floor,
                          const cri_sight* sight, int n, cr_error* error);
void cri_tosses_free(cri_tosses* t);

/// Errors   CR_ERR_FILE, CR_ERR_MEMORY
cr_status cri_tosses_save(const cri_tosses* t, int floor, const char* path, cr_error* error);

/// Errors   CR_ERR_FILE; CR_ERR_FORMAT: not such a file, another floor, another number of tosses
cr_status cri_tosses_read(cri_tosses* t, int floor, int n, const char* path, cr_error* error);

#endif
