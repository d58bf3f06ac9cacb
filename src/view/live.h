// SPDX-License-Identifier: Apache-2.0
// The simulation inside a page (cr_view_set_live): what live.js calls. The build compiles these functions and the core to
// WebAssembly (cmake/live.cmake); tests call them natively.
#ifndef CR_VIEW_LIVE_H
#define CR_VIEW_LIVE_H

#include "carom/carom.h"
#include "view/shown_motion.h"

#ifdef __wasm__
#define CR_LIVE_CALL(name) __attribute__((export_name(#name)))
#else
#define CR_LIVE_CALL(name)
#endif

/// Arrays of numbers that the page reads.
typedef enum {
  CR_LIVE_START,  // the state of cr_live_reset, as CR_STATE_INTEGRATION has it; written by the page
  CR_LIVE_CTRL,   // nu; written by the page
  CR_LIVE_PARAMETER,  // a number for each name; written by the page, used after cr_live_set_parameters
  CR_LIVE_QPOS,
  CR_LIVE_QVEL,
  CR_LIVE_POSE,     // position and quaternion of each body
  CR_LIVE_PATH,     // points of all tendons
  CR_LIVE_LEVEL,    // activation or length of each tendon
  CR_LIVE_CONTACT,  // position and force of each
  CR_LIVE_ENERGY,   // potential, kinetic
  CR_LIVE_AHEAD,    // positions of the body's centre of mass from now to the end of the prediction
  CR_LIVE_BY_VELOCITY,  // the gradient: nv
  CR_LIVE_BY_FORCE,     // by forces and torques on bodies, 6 nbody
  CR_LIVE_BY_CTRL,      // by controls that are held, nu
  CR_LIVE_BY_PARAMETER
} cr_live_part;

/// A spring from a point of a body to a point in the world. body 0: none.
typedef struct {
  int body;
  cr_real at[3];      // in the body's frame
  cr_real target[3];  // in the world
  cr_real stiffness, damping;
} cr_live_spring;

/// What is differentiated: a coordinate of a body's centre of mass after so many steps.
typedef struct {
  cr_gradient* of;
  int steps, body, axis, nahead;
  cr_real *ahead, *by_ctrl, *by_parameter;
} cr_live_prediction;

/// A simulation. `shown` has the state of `d` with everything that cr_forward computes.
typedef struct {
  cr_error error;
  cr_model* m;
  cr_data *d, *shown;
  int contacts;  // room for them
  cr_shown_motion motion;
  cr_real* start;
  char* text;          // the names of parameters
  const char** names;  // borrowed from `text`
  cr_real* values;
  int nparameter;
  cr_live_spring spring;
  cr_live_prediction ahead;
} cr_live;

/// The status of a function that leaves its sentence in d, with that sentence as the simulation's.
static inline cr_status cr_live_told(cr_live* live, const cr_data* d, cr_status status) {
  return status == CR_OK ? CR_OK : cri_fail(&live->error, status, "%s", cr_data_error(d));
}

/// An empty simulation; NULL: no memory. Owner: the caller, cr_live_destroy.
CR_LIVE_CALL(live_create) cr_live* cr_live_create(void);
CR_LIVE_CALL(live_destroy) void cr_live_destroy(cr_live* live);

/// The sentence of the last failure.
CR_LIVE_CALL(live_error) const char* cr_live_error(const cr_live* live);

/// Opens the bytes of a Carom model file. The start is the reference pose until the page writes another one.
/// names    single numbers of the model that become parameters, as "body_mass[cube]", one a line
/// Errors   those of cr_model_open_bytes and cr_model_get; CR_ERR_MEMORY
CR_LIVE_CALL(live_open)
cr_status cr_live_open(cr_live* live, const void* file, size_t n, const char* names);

/// An array, and how many numbers it has now. Views end with the next call that computes.
CR_LIVE_CALL(live_numbers) cr_real* cr_live_numbers(cr_live* live, cr_live_part part);
CR_LIVE_CALL(live_count) int cr_live_count(const cr_live* live, cr_live_part part);

CR_LIVE_CALL(live_time) cr_real cr_live_time(const cr_live* live);

/// Begins again at the start, and lets go.
/// Errors   those of cr_state_set
CR_LIVE_CALL(live_reset) cr_status cr_live_reset(cr_live* live);

/// Puts the numbers of CR_LIVE_PARAMETER into the model and derives its constants. If that fails the model, and the
/// numbers, are those from before.
/// Errors   those of cr_model_set_many and cr_model_derive
CR_LIVE_CALL(live_set_parameters) cr_status cr_live_set_parameters(cr_live* live);

/// Makes n steps, with the force of the spring at each. Contacts that do not fit get more room.
/// Errors   those of cr_step; the state is then that before the step that failed
CR_LIVE_CALL(live_step) cr_status cr_live_step(cr_live* live, int n);

/// Computes what is drawn: poses, tendons, contacts, energies.
/// Errors   those of cr_forward
CR_LIVE_CALL(live_show) cr_status cr_live_show(cr_live* live);

/// Ties a spring to a point of a body, given in the world, and moves its other end. The spring is critically damped for the
/// mass that the point seems to have, 3 / trace(J M^-1 J').
/// Needs    cr_live_show at this state
/// Errors   CR_ERR_ARG: no such body; CR_ERR_SINGULAR
CR_LIVE_CALL(live_grab)
cr_status cr_live_grab(cr_live* live, int body, cr_real x, cr_real y, cr_real z);
CR_LIVE_CALL(live_move) void cr_live_move(cr_live* live, cr_real x, cr_real y, cr_real z);
CR_LIVE_CALL(live_let_go) void cr_live_let_go(cr_live* live);

/// Puts the force of the spring at the present state into xfrc_applied, 0 without one.
/// Errors   those of cr_forward, also CR_ERR_CAPACITY
cr_status cr_live_pull(cr_live* live);

/// How many steps a prediction has from now on.
/// Errors   those of cr_gradient_create
CR_LIVE_CALL(live_look_ahead) cr_status cr_live_look_ahead(cr_live* live, int steps);

/// Predicts a coordinate of a body's centre of mass, with controls and applied forces held as they are, and its gradient by
/// velocities, forces, controls and parameters. The simulation stays where it is.
/// Equation xipos[axis](t + steps h)
/// Needs    cr_live_look_ahead
/// Errors   CR_ERR_ARG: no such body or axis; those of cr_rollout_run and cr_gradient_compute
CR_LIVE_CALL(live_predict) cr_status cr_live_predict(cr_live* live, int body, int axis);

void cr_live_prediction_free(cr_live_prediction* ahead);

#endif
