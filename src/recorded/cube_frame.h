// SPDX-License-Identifier: Apache-2.0
// What networks alone see of a tossed body, and how their outputs lead from row to row. In the frame of the body, so that a turn about
// the vertical and a shift change nothing.
#ifndef CR_RECORDED_CUBE_FRAME_H
#define CR_RECORDED_CUBE_FRAME_H

#include "base/real.h"
#include "carom/fit.h"

/// Numbers of a row: place 3, quaternion 4 (body to world), velocity 3 (world), angular velocity 3 (body). A network reads
/// height, the direction upwards, velocity, angular velocity, all in the frame of the body, and says what the two velocities gain.
enum { CR_CUBE_ROW = 13, CR_CUBE_IN = 10, CR_CUBE_OUT = 6 };

typedef struct {
  cr_real interval, gravity;  // s, m/s^2
} cr_cube_flight;

/// Shapes   row[CR_CUBE_ROW], in[CR_CUBE_IN]
void cri_cube_read(const cr_real* row, cr_real* in);

/// What velocities gain from a row to the next beside gravity, in the frame of the body at the first.
/// Shapes   gain[CR_CUBE_OUT]
void cri_cube_gain(const cr_cube_flight* flight, const cr_real* row, const cr_real* next,
                   cr_real* gain);

/// The next row by such a gain; the pose by semi-implicit Euler.
void cri_cube_advance(const cr_cube_flight* flight, const cr_real* row, const cr_real* gain,
                      cr_real* next);

/// Rows of all tosses.
int cri_cube_rows(const cr_recordings* tosses);

#endif
