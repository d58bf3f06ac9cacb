// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of trust: runs (trust_run.c), probes (trust_probe.c), the verdict
// (trust_verdict.c). trust.c puts them together.
#ifndef CR_GRADIENT_TRUST_STATE_H
#define CR_GRADIENT_TRUST_STATE_H

#include "gradient/trust.h"
#include "rollout/switches.h"

// docs/trust.md gives the reasons
#define CRI_TRUST_SETTLED CR_R(0.01)
#define CRI_TRUST_CHANGES CR_R(0.03)
#define CRI_TRUST_LACKS CR_R(0.04)
#define CRI_TRUST_LACKS_PART CR_R(0.075)
#define CRI_TRUST_AGREES CR_R(0.05)
#define CRI_TRUST_MISSES CR_R(0.03)
#define CRI_TRUST_NEGLIGIBLE CR_R(0.01)
#define CRI_TRUST_NEAR CR_R(0.125)
enum { CRI_TRUST_ACROSS = 4 };

typedef struct {
  const cr_trust_problem* p;
  cr_trust* out;
  cr_real *first, *gradient, *finer, *step;  // n each: the gradient as given, as refined; scratch
  cr_real* direction;  // 1 + CRI_TRUST_ACROSS of n, unit vectors in units of the scale
  cr_adaptive steps;   // as given
  cr_adjoint adjoint;
  cri_switches here, left, right;
  int level;  // of `gradient`
  bool settled;
  int missed;               // contacts that steps ending on events could not count
  cr_real jump, near_jump;  // of the slope at the start, beyond the prediction: right less left
  cr_real middle;           // the loss at `level`, not moved
  cr_real evaluations;      // of the dynamics, so far
} cri_trust;

// ---- runs

/// One run, moved by `step` (NULL: not moved), with a tenth of the tolerances, or half the step, t->level
/// times. Gives its gradient and its switches unless they are NULL.
cr_status cri_trust_run(cri_trust* t, const cr_real* step, cr_real* loss, cr_real* gradient,
                        cri_switches* switches, cr_error* error);

/// The gradient by steps that end on events, with at most so many evaluations.
/// Errors   CR_ERR_BUDGET beyond these; those of a run
cr_status cri_trust_count(cri_trust* t, cr_real evaluations, cr_real* gradient, cr_error* error);

/// True if the rollout's steps end on events.
bool cri_trust_counts(const cri_trust* t);

/// True if a level can be run at all.
bool cri_trust_can_run(const cri_trust* t, int level);

/// Tolerance or time step at a level.
cr_real cri_trust_size_at(const cri_trust* t, int level);

/// Evaluations of one step of the model's integrator.
int cri_trust_stages(const cr_model* m);

// ---- probes

/// Along the gradient to both sides, over the reach and an eighth of it.
cr_status cri_trust_probe_along(cri_trust* t, cr_error* error);

/// Along random directions across the gradient, over an eighth of the reach; where the error is too large also over
/// all of it, worst first, as many as so many evaluations allow.
cr_status cri_trust_probe_across(cri_trust* t, cr_real evaluations, cr_error* error);

/// The length of a - b (b NULL: of a) in units of the scale.
cr_real cri_trust_length(const cri_trust* t, const cr_real* a, const cr_real* b);

/// The length of a - b, relative to the longer of the two.
cr_real cri_trust_apart(const cri_trust* t, const cr_real* a, const cr_real* b);

/// The largest relative change from a to b of a number that makes up a fifth of their length or more.
cr_real cri_trust_apart_part(const cri_trust* t, const cr_real* a, const cr_real* b);

// ---- the verdict

/// True if two slopes agree to 5 %, or to round-off of the loss over h.
bool cri_trust_agree(const cri_trust* t, cr_real a, cr_real b, cr_real h);

/// The verdict and its sentence.
void cri_trust_judge(cri_trust* t);

#endif
