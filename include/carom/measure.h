// SPDX-License-Identifier: Apache-2.0
// Measured signals of a model: what encoders, motor currents, an IMU, motion capture or a simulation recorded,
// each at its own times. docs/recordings.md shows the files.
#ifndef CAROM_MEASURE_H
#define CAROM_MEASURE_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs of one model. A run is one recording, from one unknown state on; it has channels.
typedef struct cr_measurements cr_measurements;

/// One channel: a place of the model and what was seen there, or the value of a control.
///   a measurement   any place of the state and of computed fields that cr_data_get knows: "sensordata[gyro]",
///                   "qpos[hinge]", "site_xpos[tip].z", "actuator_force[m]", "xquat[hand]"; no contact, no field of the
///                   model, no part of a quaternion
///   a control       "ctrl[motor]": held from its time until its next one
/// A measurement at time t is compared with the model at time t, under the control that is held from t on, as
/// mj_step leaves sensordata.
typedef struct {
  size_t size;          // sizeof(cr_channel_info), set by the caller
  const char* place;    // at most 127 characters
  int rows;             // at least 1
  const cr_real* time;  // rows, s, increasing
  // rows x the numbers of the place, in MuJoCo's units and frames; NaN: not measured there (not allowed in a
  // control; in a quaternion all four numbers)
  const cr_real* values;
  // standard deviation of one number (of a quaternion: rad about each axis); 0: [estimated]; 0 for a control
  cr_real noise;
  cr_real delay;  // s by which it was seen late: the value at time t is that of t - delay
} cr_channel_info;

/// No runs yet, of a model like m. m need not outlive them.
/// Owner    the caller, cr_measurements_destroy
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_measurements_create(cr_measurements** measurements, const cr_model* m,
                                        cr_error* error);
CR_API void cr_measurements_destroy(cr_measurements* measurements);

/// Begins a run; channels that are added next belong to it.
/// name     1 to 63 characters, not that of another run
/// group    runs of one group (copies of a recording) stay together where a part is held aside
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_measurements_begin(cr_measurements* measurements, const char* name, int group,
                                       cr_error* error);

/// Adds a copy of a channel to the run that was begun last.
/// Errors   CR_ERR_ARG before cr_measurements_begin, without rows, for noise or delay that is not finite, and for a
///          place that shares numbers with one that the run has; CR_ERR_NAME for an unknown place, a contact's, one
///          of the model, an input of the step other than ctrl, part of a quaternion; CR_ERR_FORMAT naming run,
///          channel and row: a time that is not finite or does not increase, a number that is infinite, a control
///          that is not finite, a quaternion whose length is not 1 to 1e-3 (it is then scaled to 1); CR_ERR_MEMORY
CR_API cr_status cr_measurements_add(cr_measurements* measurements, const cr_channel_info* channel,
                                     cr_error* error);

/// How a file is read. What a zero stands for is in brackets.
typedef struct {
  size_t size;  // sizeof(cr_measurements_file), set by the caller
  // name of the run, "RUN/NAME" where the file has several; NULL: [the file's name without folder and ending, or
  // the names of the file's runs]
  const char* run;
  // "column=place" for columns whose names are no places, with a unit as "enc1=qpos[hinge] [deg]" where it has one;
  // NULL: [none]
  const char* const* columns;
  int ncolumn;
  const char* const* ignored;  // columns that are left out on purpose
  int nignored;
  cr_real rate;  // rows a second, for a file without times; 0: [the file has them]
} cr_measurements_file;

/// Adds the runs of a file, one for a table; options may be NULL. A file that is refused adds none.
/// CSV      (.csv, .tsv, .txt) a line of names; each names one number, as "qpos[hinge]", "sensordata[gyro][0]" or
///          "gyro.x" (a sensor's own name is a place, a control's own name is its control), or "time". A unit stands
///          behind it after a blank, in square brackets or parentheses: "time [ms]", "qpos[hinge] [deg]",
///          "site_xpos[tip].z (mm)"; numbers are converted. The columns of one sensor, joint or row become one channel
///          when all are there. '#' begins a comment; "# rate: 200 Hz" counts. Empty cells and "nan" were not
///          measured, so channels have their own rates; an empty cell of a control keeps its value. Separators are
///          commas, semicolons or tabs.
/// NumPy    (.npz) an array for each name, [rows] or [rows numbers]; "time" [rows], or for one channel "NAME.time"
///          [its rows], or "rate"; of several runs "run/RUN/NAME"
/// HDF5     (.h5, .hdf5) a group run/RUN for each run with a data set for each name, or these data sets in the root;
///          times alike, or attribute "rate" of the run or the root; attribute "unit" of a data set; attribute
///          "group" of a run
/// Errors   CR_ERR_FILE; CR_ERR_ARG for options, and a run whose name is there; CR_ERR_NAME for a column that no one
///          knows, with the places that are alike; CR_ERR_FORMAT naming file, line or row, and column: a unit that
///          does not fit, neither times nor a rate, both and different ones, a file that is damaged, what
///          cr_measurements_add refuses; CR_ERR_MEMORY
CR_API cr_status cr_measurements_read(cr_measurements* measurements, const char* path,
                                      const cr_measurements_file* options, cr_error* error);

/// How many runs there are; channels of a run, 0 for no run; its name, NULL for no run; its group, -1 for no run.
CR_API int cr_measurements_count(const cr_measurements* measurements);
CR_API int cr_measurements_channels(const cr_measurements* measurements, int run);
CR_API const char* cr_measurements_name(const cr_measurements* measurements, int run);
CR_API int cr_measurements_group(const cr_measurements* measurements, int run);

/// Channel i of a run; texts and numbers are borrowed until the measurements change or are destroyed.
/// Errors   CR_ERR_ARG
CR_API cr_status cr_measurements_get(const cr_measurements* measurements, int run, int i,
                                     cr_channel_info* channel, cr_error* error);

/// Changes noise or delay in all runs, of every channel whose numbers all belong to the place; noise never of a
/// control.
/// Errors   CR_ERR_NAME if no run has such a channel; CR_ERR_ARG
CR_API cr_status cr_measurements_set_noise(cr_measurements* measurements, const char* place,
                                           cr_real noise, cr_error* error);
CR_API cr_status cr_measurements_set_delay(cr_measurements* measurements, const char* place,
                                           cr_real delay, cr_error* error);

/// Sentence i about what looks wrong in the data: units (positions against recorded velocities: mm, degrees, ms),
/// order and direction of quaternions (against angular velocities), gaps and uneven times, a signal that stands still
/// or is cut off, controls beyond their range, positions beyond the limits of a joint. *n becomes the number of
/// sentences. *sure: the data contradict each other or the model, and a program should refuse them; otherwise it
/// should print the sentence. sure and n may be NULL.
/// Shapes   text of `size` characters; NULL to count only
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_measurements_doubt(const cr_measurements* measurements, int i, char* text,
                                       int size, bool* sure, int* n, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
