// SPDX-License-Identifier: Apache-2.0
// Recorded tosses in HDF5: toss/NNNN/state, rows of 13 doubles (position, quaternion body to world w
// first, velocity in the world, angular velocity in the body), and the root attribute dt in seconds.
// Respected where present, attributes of toss/NNNN: copy_of (number of the toss that this one is a
// copy of, -1 none) and moved_again_at_frame (rows from there on are dropped).
#ifndef CR_IO_TOSSES_H
#define CR_IO_TOSSES_H

#include "learn/windows.h"

typedef struct {
  cr_toss* toss;
  int n;
  double dt;
} cr_tosses;

/// Reads a file; free with cri_tosses_free. Copies get the group of their original.
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT naming toss, row and column: a missing dt or group, another
///          shape, a number that is not finite, a quaternion whose length is not 1 to 1e-6
cr_status cri_tosses_read(cr_tosses* tosses, const char* path, cr_error* error);

/// Writes a file of the same layout. Errors: CR_ERR_FILE.
cr_status cri_tosses_write(const cr_tosses* tosses, const char* path, const char* title,
                           cr_error* error);

void cri_tosses_free(cr_tosses* tosses);

#endif
