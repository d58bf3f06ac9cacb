// SPDX-License-Identifier: Apache-2.0
// Recordings of rollouts in HDF5.
#ifndef CR_IO_RECORDING_H
#define CR_IO_RECORDING_H

#include "carom/recording.h"
#include "model/names.h"
#include "model/state_vector.h"
#include "rollout/trajectory.h"

/// Writes the states of the last run: data sets time [n+1], qpos [n+1, nq], qvel [n+1, nv],
/// act [n+1, na], ctrl [n, nu], attributes timestep and carom_version. Through a temporary file that
/// is renamed at the end: never half a file.
/// Errors: CR_ERR_FILE naming the file (also if the disk is full).
cr_status cri_recording_write(const char* path, const cr_model* m, const cr_rollout* r,
                              cr_error* error);

/// Most names of a recording.
enum { CR_MAX_SERIES = 64 };

/// Numbers to record at every state, by name.
typedef struct {
  const char* const* names;
  const cr_place* places;
  int n;
} cr_record_list;

/// The same with a data set [n+1, numbers of the place] for each name, evaluated again state
/// by state (after the first, under the control of the step that led there); NaN where a
/// contact does not exist. r->d ends at the last state.
/// Errors: also those of cr_forward.
cr_status cri_recording_write_places(const char* path, const cr_model* m, cr_rollout* r,
                                     const cr_record_list* list, cr_error* error);

/// All numbers of a recording, row by row.
typedef struct {
  const cr_rollout* r;
  const cr_real* time;     // of every state
  cri_state rows;          // all that evolves
  const cr_place* places;  // of the names, with their values
  const char* const* names;
  cr_real* const* values;
  int n;
} cri_recorded;

/// The same as a table in CSV: a row a state, a column a number, each named as cr_number_name does. The controls of a row
/// are those of the step that begins there; the last row has none. A cell is empty where a contact does not exist. A number
/// that has a column already gets no second one.
/// Errors: CR_ERR_FILE, CR_ERR_MEMORY.
cr_status cri_recording_write_csv(const char* path, const cr_model* m, const cri_recorded* all,
                                  cr_error* error);

/// Whether a recording of this name is such a table.
bool cri_recording_is_csv(const char* path);

#endif
