// SPDX-License-Identifier: Apache-2.0
// Options for the computation of motion and gradient, the same for rollout, grad and fit: the
// integrator, its steps and tolerances, collision detection, and what the backward pass differentiates.
#ifndef CR_COMMAND_METHOD_H
#define CR_COMMAND_METHOD_H

#include "carom/rollout.h"
#include "command/options.h"

typedef struct {
  const char *adjoint, *adjoint_states;
  const char *integrator, *controls, *rotations, *memory, *collision, *cfd;
  const char *contact_model, *friction_law;
  double softness;                                    // 0: not given
  double muscle_smooth;                               // NaN: the model's
  double timestep;                                    // NaN: the model's
  double rtol, atol, grid, first_step, largest_step;  // 0 each: not given
  double adjoint_rtol, adjoint_atol;
  int max_steps;
  bool events;
} cr_method_options;

/// Values of options that are not given.
#define CR_METHOD_DEFAULTS \
  { .timestep = (double)NAN, .muscle_smooth = (double)NAN }

/// The rows of these options in a command's table. A command gives the default of its grid.
#define CR_METHOD_OPTIONS(o, grid_help)                                                            \
  {"--integrator", CR_OPT_TEXT, &(o).integrator, "NAME",                                           \
   "euler, rk4, implicit, implicitfast, discrete; tsit5, dopri5, dopri8, bosh3, heun, "            \
   "midpoint, ralston, forward-euler"},                                                            \
      {"--timestep", CR_OPT_REAL, &(o).timestep, "H", "time step (default: the model's)"},         \
      {"--rtol", CR_OPT_POSITIVE, &(o).rtol, "X",                                                  \
       "adaptive steps: allowed error relative to the state (default 1e-3 with --atol)"},          \
      {"--atol", CR_OPT_POSITIVE, &(o).atol, "X",                                                  \
       "adaptive steps: allowed error (default a thousandth of --rtol)"},                          \
      {"--max-steps", CR_OPT_COUNT, &(o).max_steps, "N",                                           \
       "adaptive steps: accepted and rejected ones together (default 100000)"},                    \
      {"--grid", CR_OPT_POSITIVE, &(o).grid, "H", "adaptive steps: " grid_help},                   \
      {"--events", CR_OPT_FLAG, &(o).events, "",                                                   \
       "adaptive steps: end where contacts and limits enter, leave or bend; the gradient "         \
       "counts that these moments move"},                                                          \
      {"--first-step", CR_OPT_POSITIVE, &(o).first_step, "H",                                      \
       "adaptive steps: length of the first step tried (default: the time step)"},                 \
      {"--largest-step", CR_OPT_POSITIVE, &(o).largest_step, "H",                                  \
       "adaptive steps: largest length (default: with --events the time step, so that no short "   \
       "contact is stepped over; otherwise any)"},                                                 \
      {"--adjoint", CR_OPT_TEXT, &(o).adjoint, "discrete|continuous",                              \
       "gradient of the steps as made (discrete, the default), or of the equation (continuous)"},  \
      {"--adjoint-rtol", CR_OPT_POSITIVE, &(o).adjoint_rtol, "X",                                  \
       "continuous adjoint: allowed error relative to it (default that of the steps, or 1e-6)"},   \
      {"--adjoint-atol", CR_OPT_POSITIVE, &(o).adjoint_atol, "X",                                  \
       "continuous adjoint: allowed error (default that of the steps, or a thousandth of its "     \
       "rtol)"},                                                                                   \
      {"--adjoint-states", CR_OPT_TEXT, &(o).adjoint_states, "interpolated|integrated|backward",   \
       "continuous adjoint: states interpolated (the default), integrated anew, or backward from " \
       "the end"},                                                                                 \
      {"--controls", CR_OPT_TEXT, &(o).controls, "held|linear",                                    \
       "adaptive steps: controls between two points of the grid, held (default) or linear"},       \
      {"--rotations", CR_OPT_TEXT, &(o).rotations, "manifold|quaternion",                          \
       "adaptive steps: rotations on the manifold (default), or as plain quaternions, made unit "  \
       "again"},                                                                                   \
      {"--memory", CR_OPT_TEXT, &(o).memory, "BYTES",                                              \
       "limit for stored states, as 64M (K, M, G); the gradient takes longer and has the same "    \
       "bits (default: none)"},                                                                    \
      {"--collision", CR_OPT_TEXT, &(o).collision, "hard|soft|smooth",                             \
       "collision detection: hard (default), soft (the published formulas) or smooth"},            \
      {"--softness", CR_OPT_POSITIVE, &(o).softness, "S",                                          \
       "softness of soft and smooth collision detection (default 0.1)"},                           \
      {"--contact-model", CR_OPT_TEXT, &(o).contact_model, "convex|hunt_crossley|ncp",             \
       "what turns contacts into forces: MuJoCo's convex model (default), Hunt-Crossley or ncp; "  \
       "others than convex make the cone elliptic"},                                               \
      {"--friction-law", CR_OPT_TEXT, &(o).friction_law, "coulomb|andersson|hollars|brown",        \
       "friction of hunt_crossley over the slip velocity (default coulomb)"},                      \
      {"--muscle-smooth", CR_OPT_REAL, &(o).muscle_smooth, "W",                                    \
       "muscles: smooth surrogates within W of their kinks (default 0: MuJoCo's curves)"},         \
  {                                                                                                \
    "--cfd", CR_OPT_TEXT, &(o).cfd, "dc,d0,wc,mc,pc",                                              \
        "contacts from distance in the backward pass (a sixth number: softplus length)"            \
  }

/// The bytes of --memory, 0 if there is no limit.
/// Errors   CR_ERR_ARG
cr_status cr_method_memory(const cr_method_options* options, size_t* bytes, cr_error* error);

/// True if the steps are adaptive.
bool cr_method_is_adaptive(const cr_method_options* options);

/// Sets the model's integrator, time step, collision detection, contact model and width of muscles' kinks.
/// Errors   CR_ERR_ARG if a value is not valid, or an option would do nothing
cr_status cr_method_apply(const cr_method_options* options, cr_model* m, cr_error* error);

/// The tolerances, with this grid in seconds.
cr_adaptive cr_method_tolerances(const cr_method_options* options, double grid);

/// The continuous adjoint's options; rtol 0: the gradient is that of the steps.
cr_adjoint cr_method_adjoint(const cr_method_options* options);

/// Makes the rollout run by the method, within its memory; `grid` as above, which fixed steps ignore.
cr_status cr_method_rollout(const cr_method_options* options, const cr_model* m, double grid,
                            cr_rollout* rollout, cr_error* error);

/// The model whose dynamics the backward pass differentiates if it is not m: *variant is then m with
/// contacts from distance, which the caller closes; otherwise NULL.
cr_status cr_method_backward(const cr_method_options* options, const cr_model* m,
                             cr_model** variant, cr_error* error);

#endif
