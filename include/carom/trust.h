// SPDX-License-Identifier: Apache-2.0
// Can the gradient of a rollout be trusted? Figures and a verdict. docs/trust.md says what the figures
// are compared with, and why. cr_gradient_trust does the same by names.
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

#ifdef __cplusplus
}
#endif
#endif
