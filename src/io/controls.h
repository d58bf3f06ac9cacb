// SPDX-License-Identifier: Apache-2.0
// Controls from a file: a row a step, as CSV or as the HDF5 data set `ctrl`.
#ifndef CR_IO_CONTROLS_H
#define CR_IO_CONTROLS_H

#include "base/real.h"
#include "base/status.h"

/// Fills ctrl[nstep x nu] from `path` (.h5 or .hdf5: data set `ctrl`; anything else: CSV, '#' and
/// a first line that is no number are skipped).
/// Errors: CR_ERR_FILE, CR_ERR_FORMAT (fewer rows than steps, another number of columns, NaN), with
/// file, row and column.
cr_status cri_controls_read(cr_real* ctrl, int nstep, int nu, const char* path, cr_error* error);

#endif
