// SPDX-License-Identifier: Apache-2.0
// Compares Carom with MuJoCo at one state after another: every field that both compute, the rows of the
// constraint problem matched by contact, the acceleration, and a step of each integrator.
#ifndef CR_PARITY_PARITY_H
#define CR_PARITY_PARITY_H

#include "base/random.h"
#include "io/mujoco.h"
#include "io/mujoco_state.h"
#include "model/data.h"
#include "parity/convex_parity.h"
#include "parity/off.h"

/// One compared field, over all states so far; those at ten times the speed have a scale of their own.
typedef struct {
  const char* name;
  double absolute;  // largest difference
  double scale;     // largest value in MuJoCo
  double fast_absolute, fast_scale;
} cr_parity_row;

enum { CR_PARITY_ROWS = 160 };

typedef struct {
  cr_parity_row rows[CR_PARITY_ROWS];
  int n;
  bool fast;  // the current state is one at ten times the speed
  int states;
  int edges;  // beside them: the default start, keyframes, controls on and beyond their range, speed
  int states_with_contact;
  int not_a_reference;  // states where MuJoCo's own solve did not converge: later fields are skipped
  int unsolved;  // of those, states that are beyond double precision for Carom's solve as well
  bool last_unsolved;  // the last state was one of these: there is no step from it
  double residual_mujoco, residual_carom;  // largest relative residual of the solve, of those used
  cr_convex_parity convex;                 // contacts of general convex pairs
  cr_off off;                              // cases in which MuJoCo's number is off, not compared
  char mismatch[256];                      // a list of contacts or rows that differs, else ""
} cr_parity;

typedef struct cr_parity_bench cr_parity_bench;

/// Changes mj: sets its solver to Newton with tolerance 0 and without no-slip. m is the same
/// model in Carom. Both must outlive the bench.
cr_status cr_parity_create(cr_parity_bench** bench, mjModel* mj, const cr_model* m,
                           cr_error* error);
void cr_parity_free(cr_parity_bench* bench);

/// Changes of mj by cr_parity_create: solves go to round-off, the search for contacts as far as possible.
void cri_parity_options(mjModel* mj);

/// Drives MuJoCo's data to the next varied state: keyframes first, then random poses and states
/// reached by simulation under random controls, some with applied forces; copies it to d.
cr_status cr_parity_next_state(cr_parity_bench* bench, cr_random* random, cr_data* d,
                               cr_error* error);

/// Evaluates both at that state, and at its edges: controls and activations on and beyond their ranges, ten
/// times the speed, and once the model's default start and keyframes. Adds to the result. d is a data
/// block of m, and holds the state itself afterwards.
cr_status cr_parity_compare(cr_parity_bench* bench, cr_data* d, cr_parity* result, cr_error* error);

/// Largest difference of a field relative to its scale; of all fields, and which.
double cr_parity_relative(const cr_parity_row* row);
double cr_parity_worst(const cr_parity* result, const char** field);

/// Microseconds of mj_step and mjd_transitionFD (one-sided; with Euler if the file says RK4, and
/// with the file's solver, without no-slip) from the present state of the bench; NaN if
/// mjd_transitionFD refuses the model.
cr_status cr_parity_time(cr_parity_bench* bench, double* step_us, double* transition_us,
                         double* residual, cr_error* error);

#endif
