// SPDX-License-Identifier: Apache-2.0
// A double pendulum by the numbers that its angles can tell, their identification from pieces of runs, and a prediction from
// a short start of a run.
//
// Angles alone tell no mass. With P = m1 c1 + m2 l1 (mass m, distance c of its centre from its joint, length l of an arm) motion depends
// on l1, A = (I1 + m1 c1^2 + m2 l1^2) / P, C = (I2 + m2 c2^2) / P, Q = m2 c2 / P and the friction of the joints over P. The model
// sets two masses and c1 by choice; the others follow.
#ifndef CR_STUDY_SWING_FIT_H
#define CR_STUDY_SWING_FIT_H

#include "notebook/notebook.h"
#include "study/swing_data.h"

enum {
  CR_SWING_L1,  // m
  CR_SWING_A,   // m
  CR_SWING_C,   // m
  CR_SWING_Q,
  CR_SWING_DAMPING_1,  // N m s/rad over P: m/s
  CR_SWING_DAMPING_2,
  CR_SWING_FRICTION_1,  // N m over P: m/s^2
  CR_SWING_FRICTION_2,
  CR_SWING_REST,    // rad, at which arm 1 hangs at rest
  CR_SWING_CENTRE,  // rad, at which the centre of mass of arm 2 lies beside its marker
  CR_SWING_N
};

typedef struct {
  const char *name, *unit, *meaning;
} cr_swing_number;
extern const cr_swing_number cri_swing_numbers[CR_SWING_N];

/// The model at the guess, with a step of so many seconds. The caller destroys it.
cr_status cri_swing_open(const cr_notebook* book, cr_real timestep, cr_model** m, cr_error* error);

/// Two rods of one mass: the guess before any data.
void cri_swing_guess(cr_real number[CR_SWING_N]);

/// Puts numbers into the model; reads them from the ten parameters of the identification.
cr_status cri_swing_put(cr_model* m, const cr_real number[CR_SWING_N], cr_error* error);

/// Which data are used.
typedef struct {
  const cr_swing_data* data;
  int first, runs;    // so many runs from the first one on
  int pieces;         // of each run, evenly spread over it
  cr_real piece;      // s
  bool frictionless;  // damping and friction are zero, and not searched
} cr_swing_search;

typedef struct {
  cr_real number[CR_SWING_N], deviation[CR_SWING_N];  // NaN: not told
  cr_real rms[2];                                     // rad, of the errors of both angles
  cr_real correlation[2];                             // of an error with the next one
  bool converged;
} cr_swing_found;

/// Identifies the numbers from the guess: windows of 0.1 s first, then of 0.2 s, whose starts are unknown.
/// Errors   those of cr_identification_solve
cr_status cri_swing_fit(const cr_model* m, const cr_swing_search* search, cr_swing_found* found,
                        bool (*stop)(void*), void* context, cr_error* error);

/// Adds a network on the torque of each joint, and finds its weights on windows of 0.2 s of the same pieces, their starts unknown.
/// Errors   those of cr_identification_solve
cr_status cri_swing_correct(cr_model* m, const cr_swing_search* search, uint64_t seed,
                            bool (*stop)(void*), void* context, cr_error* error);

/// Fits the state at row `first` to the next `start` rows of a run, and predicts `rows` rows from there on.
/// Shapes   angle[rows 2]
cr_status cri_swing_predict(const cr_model* m, const cr_swing_data* data, int run, int first,
                            int start, int rows, cr_real* angle, cr_error* error);

#endif
