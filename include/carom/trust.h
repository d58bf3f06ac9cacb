// SPDX-License-Identifier: Apache-2.0
// Can the gradient of a rollout be trusted? Figures and a verdict. docs/trust.md says what the figures
// are compared with, and why. cr_gradient_trust does the same by names. And jumps of contact forces, of which no gradient
// knows: contact at points makes them where collision detection chooses other points (docs/check.md).
#ifndef CAROM_TRUST_H
#define CAROM_TRUST_H

#include "carom/rollout.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A rollout, a loss, and n numbers by which there is a gradient.
typedef struct {
  size_t size;          // sizeof(cr_trust_problem), set by the caller
  cr_rollout* rollout;  // with its tolerances, and its adjoint's
  const cr_model* m;
  const cr_model* m_backward;
  const cr_loss* loss;
  int nstep;
  int n;
  const cr_real* scale;  // n: change of a number that counts as one
  const bool* only_up;   // n: numbers that may not become smaller; NULL: none
  cr_real reach;         // how far a probe moves, in units of the scale; 0: [1e-3]
  bool quick;  // measure growth only where the verdict needs it; 0 where it was not measured
  void* context;
  // puts the start into the data block and the controls of r, and parameters into the arrays of m, with the
  // n numbers moved by `step` (NULL: not moved)
  cr_status (*start)(void* context, cr_rollout* r, const cr_real* step, cr_error* error);
  // reads the n numbers from the gradient in r
  cr_status (*gradient)(void* context, cr_rollout* r, cr_real* gradient, cr_error* error);
} cr_trust_problem;

typedef enum {
  CR_TRUST_YES,       // trust it
  CR_TRUST_REFINE,    // with the tolerance, or time step, `refined`
  CR_TRUST_EVENTS,    // the gradient misses that contact times move
  CR_TRUST_CHAOTIC,   // beyond the time `beyond` it says nothing about changes by the reach
  CR_TRUST_KINK,      // contacts come in another order, or slopes differ, within the reach
  CR_TRUST_UNSETTLED  // it settles with no tolerance that was tried, for no known reason
} cr_trust_verdict;

typedef struct {
  size_t size;  // sizeof(cr_trust), set by the caller
  cr_trust_verdict verdict;
  char text[512];  // one sentence
  cr_real change;  // relative change of the gradient with a tenth of the tolerances, or half a step
  cr_real off;     // its relative distance from the refined gradient
  cr_real refined;  // rtol, or time step, from which on it changes by less than 1 %; 0: none
  int switches,
      apart;        // of contacts and limits: over the run; different at the two ends of the probe
  int uncounted;    // switches whose moments the gradient does not count
  cr_real lacking;  // its relative distance from one that counts them; infinite: not available;
                    // NaN: not asked
  cr_real lacking_part;       // the same for a single number that makes up a fifth or more
  cr_real growth;             // largest singular value of the end's tangent by the start's
  cr_real beyond;             // time from which on it exceeds 1 / reach for good; infinite: never
  cr_real reach;              // in units of the scale
  cr_real slope;              // along the probe, by the refined gradient
  cr_real quotient, near_by;  // central quotients over the reach, and over an eighth of it
  cr_real left, right;        // one-sided quotients over the reach
  cr_real near_left, near_right;          // and over the eighth
  int across;                             // number of probes across the gradient; 0: not asked
  cr_real across_slope, across_quotient;  // of the probe that is furthest off
  cr_real across_error;  // relative error of the gradient across it, estimated from these probes
  cr_real cost;          // evaluations, in units of a run with its gradient
  cr_real cost_more;     // the part for probes across, and for counting moments
} cr_trust;

/// Runs and differentiates many times. Afterwards the rollout is at its start, with its options.
/// Map      problem -> trust
/// Errors   CR_ERR_ARG; those of the unmoved run and its gradient, and of runs that are moved
CR_API cr_status cr_trust_measure(cr_trust* trust, const cr_trust_problem* problem,
                                  cr_error* error);

/// One word, NULL for an unknown verdict: trust, refine, events, chaotic, kink, unsettled.
CR_API const char* cr_trust_word(cr_trust_verdict verdict);

// ---- jumps of contact forces, and of any function of one number

/// A function of one number: n values, and how many contacts there are (0 where that means nothing).
typedef cr_status cr_jump_function(void* context, cr_real at, cr_real* value, int* contacts,
                                   cr_error* error);

/// What is searched for jumps. A zero stands for the value in brackets.
typedef struct {
  size_t size;  // sizeof(cr_jump_sweep), set by the caller
  cr_jump_function* function;
  void* context;
  int n;  // values
  const int*
      unit;  // n: 0 or 1. Values with one unit are compared with the largest of that unit; NULL: all 0
  cr_real
      arm;  // m: torques (unit 1) below 1e-6 arm times the largest force (unit 0) are rounding, and
            // the other way round; 0: [none is]
  cr_real from, to;    // from < to
  int steps;           // equal steps of the sweep [500]
  cr_real tolerance;   // least jump, relative to the largest value of its unit [1e-3]
  cr_real resolution;  // shortest step, relative to the range [1e-9]
} cr_jump_sweep;

/// The jumps of a sweep. Belongs to one thread.
typedef struct cr_jumps cr_jumps;

/// Finds jumps: differences that do not become smaller when the step is halved.
/// Map      at every step of the sweep whose values differ by more than the tolerance: halves the step, goes on in the
///          half with the larger difference, until that is within the tolerance (no jump) or the step is the shortest
/// Shapes   one jump a step at most. Two that cancel within a step are not seen
/// Owner    the caller, cr_jumps_destroy; NULL after an error
/// Errors   CR_ERR_ARG; CR_ERR_NONFINITE for a value that is not finite, with the place; CR_ERR_MEMORY; those of the
///          function
CR_API cr_status cr_jumps_find(cr_jumps** jumps, const cr_jump_sweep* sweep, cr_error* error);
CR_API void cr_jumps_destroy(cr_jumps* jumps);

/// What is swept of a model. A zero stands for the value in brackets.
typedef struct {
  size_t size;  // sizeof(cr_jumps_options), set by the caller
  // a velocity: "qvel[elbow]", "qvel[ball][4]"; the body moves along or about it
  const char* coordinate;
  // of the coordinate, m or rad. Both 0: [the range of a limited joint; else, about where it is: 0.2 of a turn of a free or
  // ball joint, pi of a hinge, a tenth of the radius of the largest geom that moves, to each side]
  cr_real from, to;
  int steps;           // [500]
  cr_real tolerance;   // [1e-3]
  cr_real resolution;  // [1e-9]
} cr_jumps_options;

/// Jumps of the forces of contacts along a coordinate of a model, from the pose in a data block. All is at rest, without
/// gravity, springs, controls and applied forces, so that a first contact begins without force.
/// Map      coordinate -> qfrc_constraint + qfrc_pressure, all nv numbers
/// Units    unit 0: forces, N, on slide joints and the centres of free ones; 1: torques, N m.
///          from, to and cr_jump.at: the value of a hinge or slide joint; else the way from the pose in start, along the
///          world's axes for the centre of a free joint, about the body's own for turns
/// Owner    the caller, cr_jumps_destroy; NULL after an error. start is not changed
/// Errors   CR_ERR_ARG, CR_ERR_NAME for a coordinate that is not one number of qvel; CR_ERR_MEMORY; those of cr_forward
CR_API cr_status cr_jumps_of_model(cr_jumps** jumps, const cr_model* m, const cr_data* start,
                                   const cr_jumps_options* options, cr_error* error);

/// The sweep as a whole.
typedef struct {
  size_t size;         // sizeof(cr_jumps_result), set by the caller
  int count;           // jumps
  cr_real from, to;    // as it was done
  cr_real largest[2];  // value of each unit, 0 where there is none
  int contacts;        // most at once
} cr_jumps_result;

/// Errors   CR_ERR_ARG
CR_API cr_status cr_jumps_get_result(const cr_jumps* jumps, cr_jumps_result* result,
                                     cr_error* error);

/// A jump.
typedef struct {
  size_t size;             // sizeof(cr_jump), set by the caller
  cr_real at;              // where, to the shortest step
  cr_real relative;        // difference over the largest value of the unit
  int value;               // which value jumps most
  cr_real before, behind;  // this value
  int contacts[2];         // before, behind
} cr_jump;

/// Jump i, the largest first.
/// Errors   CR_ERR_ARG, also if there is no jump i
CR_API cr_status cr_jumps_get(const cr_jumps* jumps, int i, cr_jump* jump, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
