// SPDX-License-Identifier: Apache-2.0
// An arm and a drone with sensors, to be measured: names, limits and sensors of every kind that recordings have.
#ifndef CR_TESTS_IO_ARM_H
#define CR_TESTS_IO_ARM_H

#include "carom/measure.h"

/// hinge (limits -2 to 2 rad), slide (limits -1 to 1 m), ball, root (free, body drone, site imu turned against it); motors drive (ctrlrange -1 to 1)
/// and push; sensors encoder, tacho, gyro, acc, attitude, drone_pos, drone_vel, pull. A step is 2 ms. cr_model_destroy.
cr_model* arm_open(void);

/// Measurements of it with a run "a"; cr_measurements_destroy.
cr_measurements* arm_measurements(const cr_model* m);

/// Adds a channel to the run that was begun last, or fails the test.
void arm_add(cr_measurements* s, const char* place, int rows, const cr_real* time,
             const cr_real* values);

/// Reads a file into new measurements, or fails the test; one that is refused, where the sentence must hold `part`
/// and leave the measurements as they were. options may be NULL.
cr_measurements* arm_read(const cr_model* m, const char* path, const cr_measurements_file* options);
void arm_refuses(const cr_model* m, const char* path, const cr_measurements_file* options,
                 const char* part);

/// The channel of a place in a run, or the test fails.
cr_channel_info arm_channel(const cr_measurements* s, int run, const char* place);

/// Fails the test unless a doubt holds all of the text; returns whether it is sure.
bool arm_doubts(const cr_measurements* s, const char* text);

/// Fails the test if there is any doubt.
void arm_is_fine(const cr_measurements* s);

#endif
