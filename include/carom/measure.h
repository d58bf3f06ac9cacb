// SPDX-License-Identifier: Apache-2.0
// Measured signals of a model: what encoders, currents, an IMU, motion capture or a simulation wrote down,
// each at its own times. carom fit finds parameters from them (carom/identify.h).
#ifndef CAROM_MEASURE_H
#define CAROM_MEASURE_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs of one model. A run is one recording, from one unknown state on; it has channels.
typedef struct cr_measurements cr_measurements;

/// One channel: a place of the model and what was seen there, or what a control was.
///   a measurement   any place that cr_data_get knows, of fixed size: "sensordata[gyro]", "qpos[hinge]",
///                   "site_xpos[tip].z", "actuator_force[m]", "xquat[hand]"
///   a control       "ctrl[motor]": held from its time until its next one
/// A measurement at time t is compared with the model at time t, under the control that is held from t on, as
/// mj_step leaves sensordata.
typedef struct {
  size_t size;         // sizeof(cr_channel_info), set by the caller
  const char* place;   // at most 127 characters
  int rows;            // at least 1
  const cr_real* time; // rows, s, increasing
  const cr_real* values;  // rows x the numbers of the place, in MuJoCo's units and frames; NaN: not measured there
                          // (of a control: not allowed)
  cr_real noise;  // standard deviation of one number (of a quaternion: rad about each axis); 0: [estimated]
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
/// group    runs of one group (copies of a recording) are on one side where a part is held aside
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_measurements_begin(cr_measurements* measurements, const char* name, int group,
                                       cr_error* error);

/// Adds a copy of a channel to the run that was begun last.
/// Errors   CR_ERR_ARG before cr_measurements_begin, for a place that the run has already, or that covers one; CR_ERR_NAME for an unknown place,
///          a contact's, one of the model, part of a quaternion; CR_ERR_FORMAT naming run, channel and row: a time that is not finite or does
///          not increase, a control that is not finite, a quaternion whose length is not 1 to 1e-3 (it is then scaled to 1); CR_ERR_MEMORY
CR_API cr_status cr_measurements_add(cr_measurements* measurements, const cr_channel_info* channel,
                                     cr_error* error);

/// How a file is read. What a zero stands for is in brackets.
typedef struct {
  size_t size;         // sizeof(cr_measurements_file), set by the caller
  const char* run;     // name of the run of a file with one; NULL: [the file's name without folder and ending]
  const char* const* columns;  // "column=place" for columns whose names are no places; NULL: [none]
  int ncolumn;
  const char* const* ignored;  // columns that are left out on purpose
  int nignored;
  cr_real rate;  // rows a second, for a file without times; 0: [the file has them]
} cr_measurements_file;

/// Adds the runs of a file, one for a table.
/// CSV      a first line of names; each names one number, as "qpos[hinge]", "sensordata[gyro][0]" or "gyro.x"
///          (a sensor's own name is a place too), "time", with a unit in square brackets or parentheses behind a blank: "time [ms]",
///          "qpos[hinge] [deg]", "site_xpos[tip].z (mm)". Units are converted. '#' begins a comment; "# rate: 200 Hz" is
///          one that counts. Empty cells and "nan" were not measured; a row may hold some channels only, so that
///          channels have their own rates. Separators are commas, semicolons or tabs.
/// NumPy    (.npz, .npy) an array for each name, [rows] or [rows numbers]; "time" [rows], or for one channel "NAME.time" [its rows], or "rate"
/// HDF5     (.h5, .hdf5) a group run/NAME for each run with a data set for each place, or that group's data sets in the root; "time", "NAME.time"
///          or attribute "rate" alike; attributes "unit" of a data set
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT, CR_ERR_NAME with file, line or row, and column: a column that no one knows (with the places that are
///          alike), a unit that does not fit, neither times nor a rate, both and different ones, gaps in a control, what cr_measurements_add refuses
CR_API cr_status cr_measurements_read(cr_measurements* measurements, const char* path,
                                      const cr_measurements_file* options, cr_error* error);

/// How many runs there are; channels of run i; its name and group.
CR_API int cr_measurements_count(const cr_measurements* measurements);
CR_API int cr_measurements_channels(const cr_measurements* measurements, int run);
CR_API const char* cr_measurements_name(const cr_measurements* measurements, int run);
CR_API int cr_measurements_group(const cr_measurements* measurements, int run);

/// Channel i of a run; texts and numbers are borrowed until the measurements change or are destroyed.
/// Errors   CR_ERR_ARG
CR_API cr_status cr_measurements_get(const cr_measurements* measurements, int run, int i,
                                     cr_channel_info* channel, cr_error* error);

/// Changes noise and delay of a place in all runs, as cr_channel_info has them.
/// Errors   CR_ERR_NAME if no run measures it; CR_ERR_ARG
CR_API cr_status cr_measurements_set_noise(cr_measurements* measurements, const char* place,
                                           cr_real noise, cr_error* error);
CR_API cr_status cr_measurements_set_delay(cr_measurements* measurements, const char* place,
                                           cr_real delay, cr_error* error);

/// What looks wrong in the data, sentence i: units (positions against recorded velocities: mm, degrees, ms),
/// order of quaternions, rates, gaps, a signal that stands still, saturates or is cut off, controls beyond their range. *n is their number.
/// *sure tells a contradiction, which a program should refuse, from a likeness, which it should print.
/// Shapes   text of `size` characters; NULL to count only
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_measurements_doubt(const cr_measurements* measurements, int i, char* text,
                                       int size, bool* sure, int* n, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
