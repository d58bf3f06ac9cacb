// SPDX-License-Identifier: Apache-2.0
// The gradient of a loss of a rollout by named numbers, as "qpos", "ctrl[elbow]" or
// "body_mass[box]"; differences beside it; and whether it can be trusted. This is carom grad.
#ifndef CAROM_GRADIENT_H
#define CAROM_GRADIENT_H

#include "carom/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A rollout, names, and the gradient by their numbers. Belongs to one thread.
typedef struct cr_gradient cr_gradient;

typedef struct {
  size_t size;  // sizeof(cr_gradient_options), set by the caller
  const cr_model*
      backward;  // model whose dynamics the backward pass differentiates, see cr_rollout_gradient;
                 // NULL: the model itself
  bool
      derive;  // derive constants that follow from parameters (body_invweight0 ...), see cr_model_derive
} cr_gradient_options;

/// Creates a rollout of nstep steps, or intervals, and a gradient by n names:
///   qpos, qvel, act, qfrc_applied, xfrc_applied, or numbers of them   at the start (the forces: constant);
///                          qpos as a whole has nv numbers, those of its tangent (docs/conventions.md)
///   ctrl                   of every step, nstep x nu
///   ctrl[elbow], ctrl[0]   of a control that is the same in all steps
///   parameters             fields of the model, or numbers of them
/// m and the names have to outlive it. Differences and trust move parameters in m, and put them back.
/// Owner    the caller, cr_gradient_destroy
/// Errors   CR_ERR_NAME for a name without a gradient, as a part of a quaternion; CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_gradient_create(cr_gradient** gradient, cr_model* m, int nstep,
                                    const char* const* names, int n,
                                    const cr_gradient_options* options, cr_error* error);
CR_API void cr_gradient_destroy(cr_gradient* gradient);

/// The rollout of the gradient. Set its state, controls and options, then run it for nstep steps.
/// Owner    borrowed from the gradient
CR_API cr_rollout* cr_gradient_rollout(cr_gradient* gradient);

/// The gradient of the last run of the rollout.
/// Map      run, loss -> gradient
/// Errors   those of cr_rollout_gradient; CR_ERR_NONFINITE where a number is not finite
CR_API cr_status cr_gradient_compute(cr_gradient* gradient, const cr_loss* loss, cr_error* error);

/// How many numbers name i has, and its gradient as computed last; 0 and NULL if there is no name i.
/// Owner    borrowed; the numbers change with the next cr_gradient_compute
CR_API int cr_gradient_count(const cr_gradient* gradient, int i);
CR_API const cr_real* cr_gradient_get(const cr_gradient* gradient, int i);

/// Scale of the numbers of name i, at the start of the last run: max(|x|, 1) for a state or control,
/// |x| for a parameter (1 where it is zero), 1 for a rotation.
/// Shapes   scale[cr_gradient_count]
/// Errors   CR_ERR_ARG if no run came to its end, or there is no name i
CR_API cr_status cr_gradient_scale(cr_gradient* gradient, int i, cr_real* scale, cr_error* error);

/// Central differences (L(x + h) - L(x - h)) / 2h of the loss that was used last, two runs a number.
/// Afterwards the rollout is at its start.
/// Shapes   values[cr_gradient_count], of name i
/// Errors   CR_ERR_ARG before cr_gradient_compute, for h that is not above 0; those of the runs
CR_API cr_status cr_gradient_differences(cr_gradient* gradient, int i, cr_real h, cr_real* values,
                                         cr_error* error);

/// Numbers by which the first step of the last run has two slopes, as cr_two_slopes, for all names
/// together. *n is their number; sentence i, written into text of `size`, names one. text may be NULL.
/// Errors   CR_ERR_ARG if no run came to its end; those of cr_forward
CR_API cr_status cr_gradient_two_slopes(cr_gradient* gradient, int i, char* text, int size, int* n,
                                        cr_error* error);

/// Measures whether the gradient can be trusted; the caller sets trust->size. Runs and
/// differentiates many times; afterwards the rollout is at its start.
/// reach    how far a probe moves, in units of the scale; 0: [1e-3]
/// Errors   CR_ERR_ARG before cr_gradient_compute; those of cr_trust_measure
CR_API cr_status cr_gradient_trust(cr_gradient* gradient, cr_real reach, cr_trust* trust,
                                   cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
