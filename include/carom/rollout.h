// SPDX-License-Identifier: Apache-2.0
// Trajectories, losses over them, and their gradients.
#ifndef CAROM_ROLLOUT_H
#define CAROM_ROLLOUT_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scalar loss of the states after steps 1 ... nstep of a rollout.
typedef struct {
  void* context;
  /// True if the loss uses the state after `step` steps. NULL: only the last one.
  bool (*looks_at)(const void* context, int step, int nstep);
  /// Adds to *loss. d holds the state after `step` steps, the control of the last step and, with
  /// needs_fields, everything that cr_forward computes from these. Without, other fields may be those of any step.
  cr_status (*value)(void* context, const cr_model* m, const cr_data* d, int step, cr_real* loss);
  /// Adds the cotangents of the loss to bar's fields.
  cr_status (*bar)(void* context, const cr_model* m, const cr_data* d, int step, cr_data* bar);
  bool needs_fields;
} cr_loss;

/// Expressions of named places as losses: "site_xpos[tip].z", "norm(qpos) + 0.1*sum(ctrl^2)".
/// Made of names, numbers, `time` (s), + - * / ^, parentheses, sum(), norm(), and of every number abs(), sin(), cos(),
/// exp(), log(), sqrt(), min(a, b, ...), max(a, b, ...). docs/derivations/expression.md has the grammar. A name of
/// several numbers is a vector. A single number combines with every element. The whole must be one number.
/// A run or gradient is refused where a part is not finite, or has no derivative (0^0.5 by its base,
/// (-1)^y by y, sqrt(0)). norm() and abs() have a kink at 0; there their derivative is 0. min() and max() have two slopes
/// where two numbers are equal; there each counts half.
typedef struct cr_expression cr_expression;

/// Parses the text and resolves its names, which refer to m; m must outlive the expression.
/// Errors: CR_ERR_NAME with the text and the position in it.
CR_API cr_status cr_expression_create(cr_expression** expression, const cr_model* m,
                                      const char* text, cr_error* error);
CR_API void cr_expression_destroy(cr_expression* expression);

/// The expression as a loss of a rollout: at the end, or summed over the ends of all steps.
/// The loss refers to the expression, and like it belongs to one thread. With another model than the
/// one in which the names were found, a run fails with CR_ERR_ARG.
CR_API cr_loss cr_expression_loss(cr_expression* expression, bool every);

/// States of a simulation, and the gradient of a loss over them.
typedef struct cr_rollout cr_rollout;

/// Room for nstep_max steps, and for gradients by the named model fields (all numbers of each), as
/// "body_mass". Owner: the caller, cr_rollout_destroy.
CR_API cr_status cr_rollout_create(cr_rollout** rollout, const cr_model* m, int nstep_max,
                                   const char* const* parameters, int nparameter, cr_error* error);
CR_API void cr_rollout_destroy(cr_rollout* rollout);

/// The data block. Set its qpos, qvel, act, applied forces before a run; it holds the last state after it. A
/// run or a gradient that needs more room moves the arrays: get views of them again.
CR_API cr_data* cr_rollout_data(cr_rollout* rollout);

/// Controls, nstep_max x nu, zero at first; set before a run.
CR_API cr_real* cr_rollout_ctrl(cr_rollout* rollout);

/// Gives the control of a step: reads the state before it in d, writes ctrl[nu], which first holds the row
/// of cr_rollout_ctrl. A status other than CR_OK ends the run.
typedef cr_status (*cr_control)(void* context, const cr_model* m, const cr_data* d, int step,
                                cr_real* ctrl);

/// Sets a function that is called before every step of the next runs; NULL: none. Only the state in d
/// belongs to the step; for more the controller calls cr_forward on a block of its own. Its numbers stay in
/// cr_rollout_ctrl, and a gradient is by these numbers, as if they did not depend on the state
/// (cr_rollout_set_control_bar).
CR_API void cr_rollout_set_control(cr_rollout* rollout, cr_control control, void* context);

/// Takes the cotangent ctrl_bar[nu] of the control of a step, which is whole, and adds to bar's qpos (nv numbers), qvel and act
/// what follows for the state before the step. d holds that state. Its own fields, and the rest of bar, are not for it.
typedef cr_status (*cr_control_bar)(void* context, const cr_model* m, const cr_data* d, int step,
                                    const cr_real* ctrl_bar, cr_data* bar);

/// Sets the derivative of the control's function: gradients then count how controls follow from states, as those of a policy do. It is called
/// from the last step to the first; a gradient that needs more room begins again at the last. NULL: controls are numbers.
/// Errors   of cr_rollout_gradient: CR_ERR_UNSUPPORTED with the continuous adjoint; those of the function, with the step
CR_API void cr_rollout_set_control_bar(cr_rollout* rollout, cr_control_bar control_bar,
                                       void* context);

/// How an adaptive rollout chooses its steps. A zero stands for the value in brackets.
typedef struct {
  size_t size;           // sizeof(cr_adaptive), set by the caller
  cr_real rtol, atol;    // allowed error of a step: atol + rtol |y|; atol > 0
  cr_real first_step;    // s; 0: [timestep]
  cr_real largest_step;  // s; 0: [none; with events timestep, so that no short contact is missed]
  cr_real grid;      // s between changes of controls, and evaluations of the loss; 0: [timestep]
  cr_real p, i, d;   // of the controller; all 0: [0.2, 0.4, 0]
  bool linear;       // controls change linearly from one grid point to the next; the last is held
  bool quaternions;  // orientations by the plain equation q' = q w / 2; false: on their group
  bool events;       // steps end where rows enter, leave or bend; gradients count how these move
  int max_steps;     // accepted and rejected, over a run; 0: [CR_ADAPTIVE_STEPS]
} cr_adaptive;

enum { CR_ADAPTIVE_STEPS = 100000 };

/// Makes the rollout adaptive: a `step` of cr_rollout_run is then one interval of the grid. It consists of
/// as many steps of the model's integrator as the tolerances need, and the last one ends on the
/// grid. Anything else that depends on the time step (refsafe) uses the model's. options NULL: not adaptive.
/// Earlier runs are forgotten.
/// Errors: CR_ERR_ARG if the integrator has no error estimate, or an option is not valid.
CR_API cr_status cr_rollout_set_adaptive(cr_rollout* rollout, const cr_model* m,
                                         const cr_adaptive* options, cr_error* error);

/// Limits the memory that grows with the number of steps to so many bytes: controls and their gradient,
/// stored states, lengths of adaptive steps; 0: no limit. States that do not fit are computed again
/// from checkpoints: a gradient takes longer, and has the same bits. The memory is taken at once;
/// earlier runs are forgotten. Data blocks do not count: their size does not depend on the number of
/// steps. Without a limit the last steps of a run keep their data blocks too, within 16 MiB.
/// Errors: CR_ERR_MEMORY, naming the least. The need of an adaptive run is known only after it; then
/// cr_rollout_gradient reports it.
CR_API cr_status cr_rollout_set_memory(cr_rollout* rollout, const cr_model* m, size_t bytes,
                                       cr_error* error);

/// Steps accepted and rejected by the last run of an adaptive rollout, and how many ended in events.
CR_API void cr_rollout_steps(const cr_rollout* rollout, int* accepted, int* rejected, int* events);

/// How many contacts and limits of the last run with events a gradient does not count. Either they came, left while
/// they pushed, or changed places in a way whose part of a gradient is not known. Or they followed each other
/// so fast that steps passed over them. 0: a gradient counts all.
CR_API int cr_rollout_uncounted(const cr_rollout* rollout);

/// Time of the first of them in seconds; NaN if there was none.
CR_API cr_real cr_rollout_uncounted_time(const cr_rollout* rollout);

/// A sentence if the last gradient came through steps whose derivative depends on the direction: how
/// many steps, the time of the first, and the row that causes it (docs/trust.md). "" if there was none. It is valid
/// until the next gradient.
CR_API const char* cr_rollout_doubt(const cr_rollout* rollout);

/// The states along which the continuous adjoint goes back: polynomials between the stored states;
/// integrated with the adjoint, from the stored state at the end of every step; or the
/// same from the last state alone, which explodes where motion decays (for comparison).
typedef enum { CR_STATES_INTERPOLATED, CR_STATES_INTEGRATED, CR_STATES_BACKWARD } cr_adjoint_states;

/// How the continuous adjoint is integrated. A zero stands for the value in brackets.
typedef struct {
  size_t size;  // sizeof(cr_adjoint), set by the caller
  cr_real rtol,
      atol;  // allowed error of a step: atol + rtol |y|, of adjoint and of gradient; both > 0
  cr_adjoint_states states;
  int max_steps;  // accepted and rejected, over a gradient; 0: [CR_ADAPTIVE_STEPS]
} cr_adjoint;

/// Gradients are then those of the differential equation, by its adjoint with tolerances of its own
/// (optimize, then discretize), not of the steps that were made. options NULL: of the steps.
/// Errors: CR_ERR_ARG if an option is not valid, the integrator is no explicit method, or activations
/// are limited, on circles, or switched off.
CR_API cr_status cr_rollout_set_adjoint(cr_rollout* rollout, const cr_model* m,
                                        const cr_adjoint* options, cr_error* error);

/// Steps of the adjoint accepted and rejected by the last gradient.
CR_API void cr_rollout_adjoint_steps(const cr_rollout* rollout, int* accepted, int* rejected);

/// Runs nstep steps from the state in the data block, and sums the loss (may be NULL).
/// Grows the data blocks and repeats the step if contacts or rows do not fit.
/// Errors: those of cr_step, with the number of the step in the sentence.
CR_API cr_status cr_rollout_run(cr_rollout* rollout, const cr_model* m, int nstep,
                                const cr_loss* loss, cr_error* error);

/// The loss of the last run.
CR_API cr_real cr_rollout_loss(const cr_rollout* rollout);

/// Gradient of the loss of the last run. m_backward (usually m) is the model whose dynamics the
/// backward pass differentiates at the same points: contacts from distance use a variant of m.
/// Errors: CR_ERR_ARG if no run came to its end; those of the steps and of the loss.
CR_API cr_status cr_rollout_gradient(cr_rollout* rollout, const cr_model* m,
                                     const cr_model* m_backward, const cr_loss* loss,
                                     cr_error* error);

/// States of the last run as arrays: those after steps first, first + 1 ... first + n - 1. 0 is the start,
/// nstep the end. In an adaptive rollout the steps are intervals of the grid.
/// Shapes   time[n]; qpos[n nq], qvel[n nv], act[n na], row by row; each may be NULL
/// Memory   no allocation
/// Errors   CR_ERR_ARG for steps that were not run, or states that a limit of memory did not keep:
///          cr_rollout_restore computes those again
CR_API cr_status cr_rollout_get_states(const cr_rollout* rollout, const cr_model* m, int first,
                                       int n, cr_real* time, cr_real* qpos, cr_real* qvel,
                                       cr_real* act, cr_error* error);

/// Puts the state before step k of the last run into the data block, with its control and with the same
/// bits. k = nstep: the state at the end, with the last control. 0: the start, for another run.
/// Errors   CR_ERR_ARG if no run came to its end, or has no such step; those of the steps
CR_API cr_status cr_rollout_restore(cr_rollout* rollout, const cr_model* m, int k, cr_error* error);

/// Puts the state after `step` steps into the data block as a loss gets it: with the control of the last
/// of them (after none that of the first) and everything that cr_forward computes.
/// Errors   those of cr_rollout_restore and of cr_forward
CR_API cr_status cr_rollout_forward(cr_rollout* rollout, const cr_model* m, int step,
                                    cr_error* error);

/// How often the set of contacts and limits changed over the last run. Computes every step again; leaves the
/// state of the end in the data block.
/// Errors   those of cr_rollout_restore
CR_API cr_status cr_rollout_switches(cr_rollout* rollout, const cr_model* m, int* n,
                                     cr_error* error);

/// Result of a gradient: cr_data_view(m, bar, "qpos") (nv numbers), "qvel", "act" at time zero,
/// "qfrc_applied", "xfrc_applied" (constant over the rollout), parameters by name.
CR_API cr_data* cr_rollout_bar(cr_rollout* rollout);

/// Gradient with respect to the controls of every step, nstep x nu.
CR_API const cr_real* cr_rollout_ctrl_bar(const cr_rollout* rollout);

#ifdef __cplusplus
}
#endif
#endif
