// SPDX-License-Identifier: Apache-2.0
// Is the gradient of a rollout to be trusted? What it rests on, in numbers and in words. What the
// numbers are compared with, and why, is in docs/trust.md. By names it is cr_gradient_trust.
#ifndef CAROM_TRUST_H
#define CAROM_TRUST_H

#include "carom/rollout.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A rollout, a loss, and n numbers with respect to which there is a gradient.
typedef struct {
  size_t size;          // sizeof(cr_trust_problem), set by the caller
  cr_rollout* rollout;  // with its tolerances, and its adjoint's
  const cr_model* m;
  const cr_model* m_backward;
  const cr_loss* loss;
  int nstep;
  int n;
  const cr_real* scale;  // n: by how much a number counts as moved by one
  const bool* only_up;   // n: numbers that may not be less than they are; NULL: none
  cr_real reach;         // how far a probe moves, in units of the scale; 0: [1e-3]
  bool quick;  // growth is measured only where the verdict asks for it; 0 where it was not
  void* context;
  // puts the start into the data block and the controls of r, and parameters into the arrays of m, the
  // n numbers moved by `step` (NULL: not at all)
  cr_status (*start)(void* context, cr_rollout* r, const cr_real* step, cr_error* error);
  // reads the n numbers from what a gradient left in r
  cr_status (*gradient)(void* context, cr_rollout* r, cr_real* gradient, cr_error* error);
} cr_trust_problem;

typedef enum {
  CR_TRUST_YES,       // trust it
  CR_TRUST_REFINE,    // with the tolerance, or time step, `refined`
  CR_TRUST_EVENTS,    // what it lacks is that contacts move in time
  CR_TRUST_CHAOTIC,   // beyond the time `beyond` it says nothing about the reach of the probe
  CR_TRUST_KINK,      // contacts come in another order, or slopes differ, within the reach
  CR_TRUST_UNSETTLED  // no tolerance that was tried makes it settle, for no reason that was found
} cr_trust_verdict;

typedef struct {
  size_t size;  // sizeof(cr_trust), set by the caller
  cr_trust_verdict verdict;
  char text[512];   // one sentence
  cr_real change;   // of the gradient, relative, with a tenth of the tolerances, or half a step
  cr_real off;      // how far it is from the gradient as refined, relative
  cr_real refined;  // rtol, or time step, from which on it changes by less than 1 %; 0: none
  int switches,
      apart;        // of contacts and limits: over the run; not the same at both ends of the probe
  int uncounted;    // of the switches: those whose moments the gradient does not count
  cr_real lacking;  // how far it is, relative, from one that does; infinite: that could not be had;
                    // NaN: not asked
  cr_real lacking_part;       // how far, of itself, a number is that makes up a fifth of it or more
  cr_real growth;             // largest singular value of the end's tangent by the start's
  cr_real beyond;             // time at which it exceeds 1 / reach for good; infinite: never
  cr_real reach;              // in units of the scale
  cr_real slope;              // along the probe, by the gradient as refined
  cr_real quotient, near_by;  // central quotients over the reach, and over an eighth of it
  cr_real left, right;        // one-sided quotients over the reach
  cr_real near_left, near_right;  // and over the eighth
  int across;                     // how many probes there were across the gradient; 0: not asked
  cr_real across_slope, across_quotient;  // of the one that is furthest off
  cr_real across_error;  // the gradient's error across it, relative, as these probes estimate it
  cr_real cost;          // evaluations, in those of a run with its gradient
  cr_real cost_more;     // of it: for probes across, and for counting moments
} cr_trust;

/// Runs and differentiates again and again. Afterwards the rollout is at its start, with its options.
/// Map      problem -> trust
/// Errors   CR_ERR_ARG; those of the unmoved run and its gradient, and of runs that are moved
CR_API cr_status cr_trust_measure(cr_trust* trust, const cr_trust_problem* problem,
                                  cr_error* error);

/// One word, NULL for a verdict that is none: trust, refine, events, chaotic, kink, unsettled.
CR_API const char* cr_trust_word(cr_trust_verdict verdict);

#ifdef __cplusplus
}
#endif
#endif
