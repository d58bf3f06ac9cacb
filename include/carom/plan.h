// SPDX-License-Identifier: Apache-2.0
// Planners: controls over a horizon that make the cost of a motion low. All have one interface, so that a program
// can try one after the other. docs/planning.md says which one to use when.
#ifndef CAROM_PLAN_H
#define CAROM_PLAN_H

#include "carom/cost.h"
#include "carom/estimator.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How controls are found.
typedef enum {
  CR_PLAN_GRADIENT,  // gradient of the rollout: Adam or L-BFGS
  CR_PLAN_ILQR,      // iterative linear-quadratic regulator (Tassa, Mansard, Todorov, 2014)
  CR_PLAN_SAMPLING,  // predictive sampling: the best of noisy copies (Howell et al., 2022)
  CR_PLAN_CEM,       // cross-entropy: mean and spread of the best samples
  CR_PLAN_MPPI,  // model predictive path integral: mean of all, weighted (Williams et al., 2017)
  CR_PLAN_MIXED  // the best samples, each improved by some gradient steps
} cr_plan_method;

/// How controls follow from knots, which are spread evenly over the horizon.
typedef enum {
  CR_CONTROLS_STEP,    // a knot a step
  CR_CONTROLS_ZERO,    // held to the next knot
  CR_CONTROLS_LINEAR,  // linear between knots
  CR_CONTROLS_CUBIC  // cubic between knots, with the slopes of central differences (Catmull and Rom)
} cr_control_shape;

typedef enum { CR_NOISE_WHITE, CR_NOISE_PINK, CR_NOISE_BROWN } cr_noise_colour;
typedef enum { CR_DESCENT_ADAM, CR_DESCENT_LBFGS } cr_descent;

/// Settings. What a zero stands for is in brackets.
typedef struct {
  size_t size;  // sizeof(cr_plan_options), set by the caller
  cr_plan_method method;
  int nstep;  // steps of the horizon, or intervals of an adaptive rollout
  cr_control_shape shape;
  int knots;                 // of a shape other than CR_CONTROLS_STEP; 2 or more, ZERO: 1 or more
  int nthread;               // [one a processor]; the digits do not depend on it
  uint64_t seed;             // of noise
  const cr_model* backward;  // model of the derivatives: contacts from distance; NULL: [the model]
  int backward_iterations;   // GRADIENT: after so many from a start, on from the best plan by the
                             // derivatives of the model itself [never]
  const cr_adaptive*
      adaptive;  // adaptive steps, events; not ilqr; NULL: steps of the model's length
  const cr_real *lower, *upper;  // limits, nu each [those of the actuators]
  cr_descent descent;            // GRADIENT
  cr_real rate;                  // of Adam, in units of the controls [0.01]
  cr_real clip;                  // longest gradient, a longer one is shortened [none]
  int samples;                   // of an iteration, the plan before among them [64]
  int elite;  // CEM, MIXED: the best so many go on [8, or as many as there are samples]
  cr_noise_colour colour;  // of noise along the knots
  cr_real noise;           // standard deviation, in halves of the limits' range [0.3]
  cr_real wide_noise;      // of one sample in five [as the others]
  cr_real temperature;  // MPPI: of exp(-(cost - lowest) / temperature) [0.1 of the spread of costs]
  int polish;           // MIXED: gradient steps of each [4]
  cr_real regularisation;  // ILQR, the first one [1e-6]
  const cr_estimator_options*
      estimator;  // GRADIENT by Adam, MIXED: the gradient of the mean cost under noise on
                  // the knots, sigma[nu] of each control; NULL: [of the cost itself]
} cr_plan_options;

/// What an iteration came to.
typedef struct {
  size_t size;             // sizeof(cr_plan_result), set by the caller
  cr_real cost;            // of the plan
  cr_real before;          // of the plan before this iteration, from the same start
  bool improved;           // the plan changed
  int iterations;          // since the planner was made
  int rollouts;            // of this iteration, without gradients
  int failed;              // of these, how many diverged or had no cost
  cr_real regularisation;  // ILQR, now
  cr_real gradient;        // GRADIENT: length of the last one, before it was clipped
} cr_plan_result;

/// A planner and its plan. Belongs to one thread, and has others of its own.
typedef struct cr_planner cr_planner;

/// A planner for a model and a cost, which is copied. m and options->backward must outlive it. The plan is zero, or what is
/// nearest to it within the limits; the start is the reference pose.
/// Owner    the caller, cr_planner_destroy
/// Errors   CR_ERR_ARG: no steps, no controls, limits in the wrong order, options that do not go together; CR_ERR_MEMORY
CR_API cr_status cr_planner_create(cr_planner** planner, const cr_model* m, const cr_cost* cost,
                                   const cr_plan_options* options, cr_error* error);
CR_API void cr_planner_destroy(cr_planner* planner);

/// The state from which to plan: everything that a step reads in d, its time too. The plan stays.
/// Errors   CR_ERR_ARG
CR_API cr_status cr_planner_set_start(cr_planner* planner, const cr_data* d, cr_error* error);

/// The plan's knots, *n of them (may be NULL), nu numbers each. Writing to them makes another plan: call cr_planner_restart then.
/// Owner    borrowed
CR_API cr_real* cr_planner_knots(cr_planner* planner, int* n);

/// Forgets what is known of the plan but the knots: costs, moments, gains, spreads.
CR_API void cr_planner_restart(cr_planner* planner);

/// One iteration. result may be NULL. The plan never gets worse from one start.
/// Memory   no allocation, but where contacts do not fit as never before
/// Errors   CR_ERR_DIVERGED where nothing that was tried has a cost, with the sentence of the plan itself; CR_ERR_MEMORY
CR_API cr_status cr_planner_improve(cr_planner* planner, cr_plan_result* result, cr_error* error);

/// Moves the plan `steps` steps towards the start, as a start for what follows: the last controls are held. Call cr_planner_set_start too.
/// Errors   CR_ERR_ARG for less than 0 steps
CR_API cr_status cr_planner_shift(cr_planner* planner, int steps, cr_error* error);

/// The control of a step, 0 ... nstep - 1, at the state in d. ILQR: with its feedback, u + K (x - x of the plan), within the limits. d
/// NULL: without.
/// Shapes   ctrl[nu]
/// Errors   CR_ERR_ARG
CR_API cr_status cr_planner_control(const cr_planner* planner, int step, const cr_data* d,
                                    cr_real* ctrl, cr_error* error);

/// The plan's controls, nstep x nu.
CR_API const cr_real* cr_planner_ctrl(const cr_planner* planner);

/// ILQR: the gain of a step, nu x nx row by row, nx = 2 nv + na + npluginstate; NULL before the first iteration, for other methods, for steps
/// that there are not.
CR_API const cr_real* cr_planner_gain(const cr_planner* planner, int step);

/// What further iterations depend on beside options, cost and start, as numbers: the plan, its motion, moments, gains, spreads. A planner
/// made in the same way that gets them goes on to the same digits.
/// Shapes   memory[cr_planner_memory_size]
/// Errors   CR_ERR_ARG: the memory of another planner; of another model, start or cost, with which the plan costs something else
CR_API size_t cr_planner_memory_size(const cr_planner* planner);
CR_API cr_status cr_planner_get_memory(const cr_planner* planner, cr_real* memory, cr_error* error);
/// Call it behind cr_planner_set_start.
CR_API cr_status cr_planner_set_memory(cr_planner* planner, const cr_real* memory, size_t n,
                                       cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
