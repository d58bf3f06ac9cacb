// SPDX-License-Identifier: Apache-2.0
// The integrators, no include guard: define the macros you want, include it. Numbers, words and tables of numbers
// come from it.
//
//   CR_INTEGRATOR(id, word)   MuJoCo's, in the order of mjtIntegrator
//   CR_METHOD(id, word, name, n, order, embedded, last_is_first)   explicit methods of Carom's: n stages, the
//        numbers <name>_a and <name>_b of model/tableau.c, and those of the embedded method:
//        ERROR(name, order)  <name>_e, whose local error is of that order     NO_ERROR  there is none
//        last_is_first       the last stage is at the new state
#ifndef CR_INTEGRATOR
#define CR_INTEGRATOR(id, word)
#endif
#ifndef CR_METHOD
#define CR_METHOD(id, word, name, n, order, embedded, last_is_first)
#endif
// clang-format off

CR_INTEGRATOR(EULER,        "euler")
CR_INTEGRATOR(RK4,          "rk4")
CR_INTEGRATOR(IMPLICIT,     "implicit")
CR_INTEGRATOR(IMPLICITFAST, "implicitfast")
CR_INTEGRATOR(DISCRETE,     "discrete")

CR_METHOD(TSIT5,         "tsit5",         tsit5,     7, 5, ERROR(tsit5, 5),    true)
CR_METHOD(DOPRI5,        "dopri5",        dopri5,    7, 5, ERROR(dopri5, 5),   true)
CR_METHOD(DOPRI8,        "dopri8",        dopri8,   13, 8, ERROR(dopri8, 8),   false)
CR_METHOD(BOSH3,         "bosh3",         bosh3,     4, 3, ERROR(bosh3, 3),    true)
CR_METHOD(HEUN,          "heun",          heun,      2, 2, ERROR(heun, 2),     false)
CR_METHOD(MIDPOINT,      "midpoint",      midpoint,  2, 2, ERROR(midpoint, 2), false)
CR_METHOD(RALSTON,       "ralston",       ralston,   2, 2, ERROR(ralston, 2),  false)
CR_METHOD(FORWARD_EULER, "forward-euler", euler,     1, 1, NO_ERROR,           false)

// clang-format on
#undef CR_INTEGRATOR
#undef CR_METHOD
