// SPDX-License-Identifier: Apache-2.0
// Tosses of a cube on a floor of one of three stiffnesses, and how a camera that is a little off sees them (Parmar, Halm and Posa,
// Fundamental Challenges in Deep Learning for Stiff Contact Dynamics, 2021). A state is qpos and qvel of the free joint.
#ifndef CR_STIFF_TOSSED_H
#define CR_STIFF_TOSSED_H

#include "carom/carom.h"
#include "notebook/notebook.h"

enum { CRI_POSE = 7, CRI_TWIST = 6, CRI_STATE = CRI_POSE + CRI_TWIST };
enum { CRI_HARD, CRI_MEDIUM, CRI_SOFT, CRI_N_FLOOR };

typedef struct {
  const char* name;
  double stiffness;  // N/(kg m); damping is 2.08 times its root
  int most;          // rows of a toss at most
} cri_floor;
extern const cri_floor cri_floors[CRI_N_FLOOR];

extern const double cri_tossed_side;  // m
extern const double cri_tossed_damping_ratio;
extern const cr_real cri_tossed_timestep;  // s

/// The scene of a floor, written into the folder of the results. Owner: the caller, cr_model_destroy.
cr_status cri_tossed_open(const cr_notebook* book, int floor, cr_model** m, cr_error* error);

/// Toss number `toss` of a floor: its start, and a row a step until the cube rests or the rows are as many as a toss has at most. It
/// rests when each of ten changes of the state, one behind the other, is below 1e-3. All floors have the same starts.
/// Shapes   state[cri_floors[floor].most][CRI_STATE]
/// Errors   those of cr_step
cr_status cri_tossed_run(const cr_model* m, cr_data* d, int floor, int toss, cr_real* state,
                         int* rows, cr_error* error);

/// The deepest corner of the cube below the floor, m; 0 above it.
double cri_tossed_depth(const cr_real* state);

/// How poses are seen: uniform errors along each axis, and turns about random axes by uniform angles. The first two are drawn once
/// for a toss, the others for each row.
typedef struct {
  const char* name;
  cr_real offset, turn;          // m, rad
  cr_real row_offset, row_turn;  // m, rad
  cr_real row_turn_low;  // rad, the lower bound of the turn of a row; row_turn is the upper one
  cr_real interval;      // s, by which differences of poses are divided
} cri_sight;

/// Rows of a toss as they are seen. Velocities are differences of two poses: row 0 of the toss is left out, and seen has a row less.
/// Shapes   seen[rows - 1][CRI_STATE]
cr_status cri_tossed_see(const cr_model* m, const cri_sight* sight, int toss, const cr_real* state,
                         int rows, cr_real* seen, cr_error* error);

/// A step from the present state.
cr_status cri_tossed_advance(const cr_model* m, cr_data* d, cr_error* error);

/// The same from another state, without memory of the steps before.
cr_status cri_tossed_step(const cr_model* m, cr_data* d, const cr_real* state, cr_error* error);

/// The present state.
/// Shapes   state[CRI_STATE]
cr_status cri_tossed_state(const cr_model* m, const cr_data* d, cr_real* state, cr_error* error);

/// The rotation matrix of a state, body to world, row by row.
void cri_tossed_rotation(const cr_real state[CRI_STATE], cr_real R[9]);

/// Distance of two states: m, and the angle of the turn between them in rad.
cr_status cri_tossed_distance(const cr_model* m, const cr_real* a, const cr_real* b,
                              double* distance, double* angle, cr_error* error);

#endif
