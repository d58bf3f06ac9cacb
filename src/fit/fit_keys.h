// SPDX-License-Identifier: Apache-2.0
// The keys of a fit's configuration, a list a section. From these come the typed structs, libcyaml's
// schema, defaults, limits, --set and error messages.
//   X(section, key, kind, default, low, high, choices, meaning); default NULL: must be given
// CHOICE: choices are words. WORD: choices names an enumeration of carom/fields.h, whose words (cr_enum_word) from
// low to high are allowed.
#ifndef CR_FIT_KEYS_H
#define CR_FIT_KEYS_H

#include <math.h>

// clang-format off
#define CR_FIT_KEYS_TOP(X) \
  X(top, model,  TEXT, NULL, 0, 0, "", "the model file, as seen from the configuration") \
  X(top, output, TEXT, "", 0, 0, "", "folder of the results; default fit_<name of the configuration>") \
  X(top, cost,   TEXT, "", 0, 0, "", "file with cost terms that are added to the loss, as seen from the configuration") \
  X(top, seed,   INT, "1", 0, 2147483647, "", "of the split, batches, made tosses")

#define CR_FIT_KEYS_DATA(X) \
  X(data, file,     TEXT, "", 0, 0, "", "recorded tosses in HDF5, as seen from the configuration; none: made by simulation") \
  X(data, steps,    INT, "4", 0, 1000, "", "predicted steps in a window; 0: whole tosses") \
  X(data, stride,   INT, "4", 1, 1000000, "", "rows from one window to the next") \
  X(data, held_out, REAL, "0.2", 0, 0.9, "", "share of independent tosses that is held aside")

#define CR_FIT_KEYS_MADE(X) \
  X(made, tosses,         INT, "40", 1, 100000, "", "number of made tosses") \
  X(made, rows,           INT, "100", 5, 100000, "", "rows of each") \
  X(made, position_noise, REAL, "0.0005", 0, 1, "", "standard deviation of each coordinate, m") \
  X(made, rotation_noise, REAL, "0.002", 0, 1, "", "standard deviation about each axis, rad") \
  X(made, tolerance,      REAL, "0.05", 0, 10, "", "how far a parameter may end from the truth, relative")

#define CR_FIT_KEYS_LOSS(X) \
  X(loss, norm,     WORD, "power", CR_NORM_QUADRATIC, CR_NORM_SMOOTH_ABS2, "norm", "how an error counts, as in costs") \
  X(loss, p,        REAL, "0", 0, HUGE_VAL, "", "of the norm; default 2 for power: squares of errors") \
  X(loss, q,        REAL, "0", 0, HUGE_VAL, "", "of the norm") \
  X(loss, position, REAL, "1", 0, HUGE_VAL, "", "weight of errors of position, of squares in 1/m^2") \
  X(loss, rotation, REAL, "1", 0, HUGE_VAL, "", "weight of those of the rotation matrix") \
  X(loss, velocity, REAL, "1", 0, HUGE_VAL, "", "weight of those of velocity, s^2/m^2") \
  X(loss, spin,     REAL, "1", 0, HUGE_VAL, "", "weight of those of angular velocity, s^2")

#define CR_FIT_KEYS_CFD(X) \
  X(cfd, use,   BOOL, "true", 0, 0, "", "contacts from distance in the backward pass") \
  X(cfd, dc,    REAL, "0", 0, 0.9999, "", "impedance at distance wc") \
  X(cfd, d0,    REAL, "0.01", 0, 0.9999, "", "impedance at distance 0+") \
  X(cfd, wc,    REAL, "0.05", 1e-9, 1000, "", "reach, m") \
  X(cfd, mc,    REAL, "1", 1e-9, 1, "", "midpoint of the impedance curve") \
  X(cfd, pc,    REAL, "2", 1, 100, "", "power of the impedance curve") \
  X(cfd, scale, REAL, "0.005", 0, 1000, "", "length over which the position's clamp is rounded, m")

#define CR_FIT_KEYS_PARAMETERS(X) \
  X(parameters, name,      TEXT, NULL, 0, 0, "", "name of the parameter") \
  X(parameters, kind,      WORD, "field", CR_FIT_FIELD, CR_FIT_BOX_SIDE, "fit_kind", "what it stands for") \
  X(parameters, field,     TEXT, "", 0, 0, "", "kind field: one number of a model field, body_mass[cube]") \
  X(parameters, geom,      TEXT, "", 0, 0, "", "kind box_side: the box") \
  X(parameters, start,     REAL, NULL, -HUGE_VAL, HUGE_VAL, "", "where the search starts") \
  X(parameters, lower,     REAL, "-inf", -HUGE_VAL, HUGE_VAL, "", "lower bound") \
  X(parameters, upper,     REAL, "inf", -HUGE_VAL, HUGE_VAL, "", "upper bound") \
  X(parameters, transform, WORD, "none", CR_TRANSFORM_NONE, CR_TRANSFORM_BOUNDED, "transform", "from the number that is moved to the parameter") \
  X(parameters, listed,    REAL, "nan", -HUGE_VAL, HUGE_VAL, "", "value to draw in the plot, known from elsewhere") \
  X(parameters, draw_low,  REAL, "nan", -HUGE_VAL, HUGE_VAL, "", "made tosses: the truth is drawn between this") \
  X(parameters, draw_high, REAL, "nan", -HUGE_VAL, HUGE_VAL, "", "and this")

#define CR_FIT_KEYS_OPTIMISERS(X) \
  X(optimisers, method,     CHOICE, NULL, 0, 0, "adam lbfgs", "the method of this stage") \
  X(optimisers, iterations, INT, "100", 0, 1000000000, "", "most iterations (lbfgs: evaluations)") \
  X(optimisers, tolerance,  REAL, "0", 0, HUGE_VAL, "", "ends when the free numbers move by less") \
  X(optimisers, rate,       REAL, "0.02", 1e-300, HUGE_VAL, "", "adam: step size") \
  X(optimisers, final_rate, REAL, "nan", 1e-300, HUGE_VAL, "", "adam: step size at the end, default the same") \
  X(optimisers, b1,         REAL, "0.9", 0, 0.999999999, "", "adam: decay of the mean") \
  X(optimisers, b2,         REAL, "0.999", 0, 0.999999999, "", "adam: decay of the mean square") \
  X(optimisers, eps,        REAL, "1e-8", 0, HUGE_VAL, "", "adam: added to the root mean square") \
  X(optimisers, batch,      INT, "0", 0, 2147483647, "", "adam: windows an iteration looks at, 0 all") \
  X(optimisers, keep_best,  BOOL, "false", 0, 0, "", "adam: ends at the lowest loss seen, not at the last; not with batches") \
  X(optimisers, estimator,  CHOICE, "none", 0, 0, "none first zeroth alpha", "the loss becomes its mean under noise, with this estimate of its gradient") \
  X(optimisers, sigma,      REAL, "0", 0, HUGE_VAL, "", "of this noise: standard deviation of the free numbers, of log a relative one") \
  X(optimisers, samples,    INT, "16", 2, 1000000, "", "of an estimate") \
  X(optimisers, draws,      WORD, "antithetic", 0, CR_DRAWS_QUASI, "draws", "of an estimate")
// clang-format on

#endif
