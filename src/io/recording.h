// SPDX-License-Identifier: Apache-2.0
// Recordings of rollouts in HDF5.
#ifndef CR_IO_RECORDING_H
#define CR_IO_RECORDING_H

#include "rollout/trajectory.h"

/// Writes the states of the last run: data sets time [n+1], qpos [n+1, nq], qvel [n+1, nv],
/// act [n+1, na], ctrl [n, nu], attributes timestep and carom_version. Through a temporary file that
/// is renamed at the end: never half a file.
/// Errors: CR_ERR_FILE naming the file (also when the disk is full).
cr_status cri_recording_write(const char* path, const cr_model* m, const cr_rollout* r,
                              cr_error* error);

#endif
