// SPDX-License-Identifier: Apache-2.0
// Files of motion: the states of a rollout, and controls for one. They need a library built with HDF5
// (CAROM_IO=ON); without it they are CR_ERR_UNSUPPORTED, with a sentence.
#ifndef CAROM_RECORDING_H
#define CAROM_RECORDING_H

#include "carom/rollout.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the states of the last run as HDF5: data sets time[n+1], qpos[n+1 nq], qvel[n+1 nv],
/// act[n+1 na], ctrl[n nu] with its columns' names, attributes timestep and carom_version. Each of the
/// names, as "gyro" or "contact[floor:cube].dist", gets a data set [n+1 numbers], evaluated
/// state by state (after the first under the control of the step that led there); NaN where a
/// contact does not exist; a name whose data set is there already, as "qvel", adds nothing. A path that ends in .csv gets a
/// table instead: a row a state, a column a number, named as cr_number_name does, which cr_measurements_read reads. The
/// file is written whole or not at all.
/// Leaves   with names, the state of the end in the data block
/// Errors   CR_ERR_FILE; CR_ERR_NAME, CR_ERR_ARG (no run, a tangent, more than 64 names); those of
///          cr_forward
CR_API cr_status cr_rollout_save(cr_rollout* rollout, const cr_model* m, const char* path,
                                 const char* const* names, int n, cr_error* error);

/// Reads controls, a row a step, that change every `interval` seconds.
/// CSV      a first line of names says which column is which actuator, in any order. `time` may be
///          among them, and is checked. Without that line: all controls, in the model's order. '#'
///          begins a comment; a comment that lists names of columns counts as that line
/// HDF5     (.h5, .hdf5) data set `ctrl`; its attribute `columns`, if there is one, names its columns;
///          a data set `time`, if there is one, is checked
/// Shapes   ctrl[nstep nu], as cr_rollout_ctrl
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT with file, line or row: fewer rows than steps, an unknown
///          control, a control missing or twice there, another number of columns, another interval, NaN
CR_API cr_status cr_controls_read(const cr_model* m, const char* path, int nstep, cr_real interval,
                                  cr_real* ctrl, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
