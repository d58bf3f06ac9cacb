// SPDX-License-Identifier: Apache-2.0
// The keys of a task of carom plan, a list a section. From these come the typed structs, libcyaml's schema, defaults,
// limits, --set and error messages.
//   X(section, key, kind, default, low, high, choices, meaning); default NULL: must be given
#ifndef CR_TASK_PLAN_KEYS_H
#define CR_TASK_PLAN_KEYS_H

// clang-format off
#define CR_PLAN_KEYS_TOP(X) \
  X(top, model,      TEXT, NULL, 0, 0, "", "the model file, as seen from the task") \
  X(top, output,     TEXT, "", 0, 0, "", "folder of the results; default plan_<name of the task>") \
  X(top, keyframe,   TEXT, "", 0, 0, "", "where the motion starts, by name or number") \
  X(top, integrator, TEXT, "", 0, 0, "", "instead of the model's") \
  X(top, timestep,   REAL, "0", 0, 1, "", "s, instead of the model's") \
  X(top, horizon,    REAL, NULL, 0, 1e6, "", "s, how far a plan looks")

#define CR_PLAN_KEYS_SET(X) \
  X(set, field, TEXT, NULL, 0, 0, "", "a place of the model, as geom_cfd[ball] or muscle_smooth") \
  X(set, value, TEXT, NULL, 0, 0, "", "its numbers, with spaces between")

#define CR_PLAN_KEYS_START(X) \
  X(start, place, TEXT, NULL, 0, 0, "", "a place of the state, as qpos[hinge]") \
  X(start, value, TEXT, NULL, 0, 0, "", "its numbers, with spaces between")

#define CR_PLAN_KEYS_COST(X) \
  X(cost, name,      TEXT, NULL, 0, 0, "", "of the term, in tables") \
  X(cost, of,        TEXT, NULL, 0, 0, "", "a place or an expression") \
  X(cost, residual,  WORD, "expression", 0, 2, "residual_kind", "what `of` is") \
  X(cost, target,    TEXT, "", 0, 0, "", "numbers that are wanted; none: zero, or no turn") \
  X(cost, reference, TEXT, "", 0, 0, "", "a recording in HDF5 whose data set of this name is the target in time") \
  X(cost, norm,      WORD, "quadratic", 0, 8, "norm", "how the residual becomes a number") \
  X(cost, p,         REAL, "0", 0, 1e12, "", "of the norm") \
  X(cost, q,         REAL, "0", 0, 1e12, "", "of the norm") \
  X(cost, weight,    REAL, "0", 0, 1e15, "", "1/s, over the motion") \
  X(cost, terminal,  REAL, "0", 0, 1e15, "", "of the last state")

#define CR_PLAN_KEYS_GOAL(X) \
  X(goal, name,  TEXT, NULL, 0, 0, "", "in tables") \
  X(goal, of,    TEXT, NULL, 0, 0, "", "an expression, one number") \
  X(goal, below, REAL, NULL, -1e300, 1e300, "", "reached where the number is at most this")

#define CR_PLAN_KEYS_PLANNER(X) \
  X(planner, method,      WORD, "ilqr", 0, 5, "plan_method", "how controls are found") \
  X(planner, iterations,  INT, "100", 1, 100000000, "", "of a plan; with mpc of the first one") \
  X(planner, controls,    WORD, "step", 0, 3, "control_shape", "how controls follow from knots") \
  X(planner, knots,       INT, "0", 0, 1000000, "", "of controls other than step") \
  X(planner, seed,        INT, "1", 0, 2147483647, "", "of noise") \
  X(planner, tolerance,   REAL, "1e-9", 0, 1, "", "ends when ten iterations lower the cost by this part of it or less; 0: never") \
  X(planner, descent,     WORD, "adam", 0, 1, "descent", "of gradient") \
  X(planner, rate,        REAL, "0", 0, 1e6, "", "of Adam; 0: 0.01") \
  X(planner, clip,        REAL, "0", 0, 1e12, "", "longest gradient; 0: none") \
  X(planner, samples,     INT, "0", 0, 1000000, "", "of an iteration; 0: 64") \
  X(planner, elite,       INT, "0", 0, 1000000, "", "the best so many go on; 0: 8") \
  X(planner, colour,      WORD, "white", 0, 2, "noise_colour", "of noise") \
  X(planner, noise,       REAL, "0", 0, 1e6, "", "standard deviation in halves of the limits' range; 0: 0.3") \
  X(planner, wide_noise,  REAL, "0", 0, 1e6, "", "of one sample in five; 0: as the others") \
  X(planner, temperature, REAL, "0", 0, 1e12, "", "of mppi; 0: a tenth of the spread of costs") \
  X(planner, polish,      INT, "0", 0, 100000, "", "gradient steps of mixed; 0: 4") \
  X(planner, regularisation, REAL, "0", 0, 1e12, "", "of ilqr; 0: 1e-6") \
  X(planner, estimator,   TEXT, "", 0, 0, "", "of gradient and mixed: follow the gradient of the mean cost under noise: first, zeroth or alpha") \
  X(planner, sigma,       TEXT, "", 0, 0, "", "standard deviation of this noise on the knots, in the controls' units: one number, or one a control") \
  X(planner, estimator_samples, INT, "32", 2, 1000000, "", "of an estimate") \
  X(planner, draws,       WORD, "antithetic", 0, 2, "draws", "of an estimate") \
  X(planner, bias,        REAL, "0", 0, 1e300, "", "of alpha: how far an estimate may be from the truth; 0: twice what chance explains") \
  X(planner, rtol,        REAL, "0", 0, 1, "", "adaptive steps: allowed error; 0: steps of the model's length") \
  X(planner, events,      BOOL, "false", 0, 0, "", "adaptive steps end where contacts and limits change") \
  X(planner, cfd,         TEXT, "", 0, 0, "", "contacts from distance in derivatives: dc d0 wc mc pc and, if wished, the scale; default wc / 10") \
  X(planner, cfd_iterations, INT, "0", 0, 100000000, "", "of gradient: cfd in so many iterations of a plan, then the gradient itself, from the best one; 0: in all")

#define CR_PLAN_KEYS_MPC(X) \
  X(mpc, time,       REAL, "10", 0, 1e9, "", "s, of the motion with --mpc") \
  X(mpc, every,      INT, "1", 1, 1000000, "", "steps between two plans") \
  X(mpc, iterations, INT, "1", 1, 1000000, "", "of every plan but the first") \
  X(mpc, plant,      TEXT, "", 0, 0, "", "another model file that moves; default: the model") \
  X(mpc, noise,      REAL, "0", 0, 1e6, "", "added to the plant's controls, in halves of the limits' range") \
  X(mpc, delay,      INT, "0", 0, 1000, "", "steps until a control acts") \
  X(mpc, seed,       INT, "1", 0, 2147483647, "", "of this noise")

#define CR_PLAN_KEYS_OBSERVE(X) \
  X(observe, of,       TEXT, NULL, 0, 0, "", "a place or an expression that a policy reads") \
  X(observe, residual, WORD, "expression", 0, 2, "residual_kind", "what `of` is") \
  X(observe, offset,   REAL, "0", -1e300, 1e300, "", "taken off") \
  X(observe, scale,    REAL, "1", -1e300, 1e300, "", "times this")

#define CR_PLAN_KEYS_POLICY(X) \
  X(policy, hidden,     TEXT, "", 0, 0, "", "widths of hidden layers, as \"64 64\"; none: a linear policy") \
  X(policy, activation, WORD, "tanh", 0, 7, "activation", "of hidden layers") \
  X(policy, sets,       INT, "1", 1, 1000000, "", "of weights, one after the other over the horizon") \
  X(policy, every,      INT, "1", 1, 1000000, "", "steps that a control is held") \
  X(policy, limited,    BOOL, "false", 0, 0, "", "controls stay within their limits by tanh")

#define CR_PLAN_KEYS_TRAIN(X) \
  X(train, estimator,  WORD, "first", 0, 2, "estimator_kind", "of the gradient of the expected cost") \
  X(train, iterations, INT, "100", 1, 100000000, "", "steps of the weights") \
  X(train, samples,    INT, "64", 2, 100000000, "", "motions with noise in an iteration") \
  X(train, starts,     INT, "1", 1, 100000000, "", "random starts and models among them") \
  X(train, antithetic, BOOL, "false", 0, 0, "", "samples come in pairs of opposite noise") \
  X(train, noise,      TEXT, "0.1", 0, 0, "", "standard deviations of the noise on every decision: one number or one a control") \
  X(train, noise_end,  REAL, "1", 1e-12, 1e12, "", "factor of the noise in the last iteration") \
  X(train, bias,       REAL, "0", 0, 1e300, "", "of alpha: how far it may be from the truth; 0: twice what chance explains") \
  X(train, confidence, REAL, "0.95", 1e-6, 0.999999999, "", "of intervals and of that bound") \
  X(train, descent,    WORD, "adam", 0, 1, "policy_descent", "steps of Adam, or along the gradient") \
  X(train, rate,       REAL, "0.01", 1e-300, 1e300, "", "step size") \
  X(train, final_rate, REAL, "0", 0, 1e300, "", "of the last iteration; 0: the same") \
  X(train, rate_power, REAL, "0", 0, 100, "", "the step size falls with this power of the iteration") \
  X(train, clip,       REAL, "0", 0, 1e300, "", "longest gradient; 0: none") \
  X(train, seed,       INT, "1", 0, 2147483647, "", "of first weights, starts, models and noise")

#define CR_PLAN_KEYS_SPREAD(X) \
  X(spread, place, TEXT, NULL, 0, 0, "", "a place of the state, as qpos[hinge]") \
  X(spread, sigma, REAL, NULL, 0, 1e300, "", "standard deviation about the start; of orientations in rad")

#define CR_PLAN_KEYS_VARY(X) \
  X(vary, field, TEXT, NULL, 0, 0, "", "a parameter, as body_mass[cart]") \
  X(vary, sigma, REAL, NULL, 0, 100, "", "of its logarithm")
// clang-format on

#endif
