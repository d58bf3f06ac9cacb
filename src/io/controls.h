// SPDX-License-Identifier: Apache-2.0
// Controls from a file: a row a step, as CSV or as the HDF5 data set `ctrl`. Columns are found by name.
#ifndef CR_IO_CONTROLS_H
#define CR_IO_CONTROLS_H

#include "carom/recording.h"
#include "model/model.h"

/// Fills ctrl[nstep x nu] from `path`; the controls change every `interval` seconds.
/// CSV      a first line of names says which column is which actuator, in any order. `time` may be
///          among them, and is checked. Without that line: all controls, in the model's order. '#'
///          begins a comment; a comment that lists names of columns counts as that line
/// HDF5     (.h5, .hdf5) data set `ctrl`; its attribute `columns`, if there is one, names its columns;
///          a data set `time`, if there is one, is checked
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT with file, line or row: fewer rows than steps, an unknown
///          control, a control missing or twice there, another number of columns, another interval, NaN
cr_status cri_controls_read(cr_real* ctrl, const cr_model* m, int nstep, cr_real interval,
                            const char* path, cr_error* error);

#endif
