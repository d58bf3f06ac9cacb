// SPDX-License-Identifier: Apache-2.0
// Derivatives of parameters: through a step of the model that they make.
#ifndef CR_TESTS_PARAMETER_CHECK_H
#define CR_TESTS_PARAMETER_CHECK_H

#include "learn/parameters.h"

/// A parameter of a target without bounds and prior, that starts at `start`.
cr_parameter parameter_of(const char* name, cr_fit_kind kind, const char* target, cr_real start);

/// Binds them; a refusal fails the test.
cr_parameters* parameters_bound(const cr_model* m, const cr_parameter* items, int n);

/// Puts x = start + away (NULL: 0) into the variant, and checks there, for a random linear function of the next
/// velocities of a random state: the gradient by the pullback against the tangents of the step by the push-forward
/// of each number, and against fourth-order differences in x. Also the product of random cotangents of all fields with
/// the tangents of each number against the pullback.
typedef struct {
  cr_real products;  // worst difference of inner products, over the sum of their terms
  cr_real tangents;  // worst difference from the tangents, over the largest entry of the gradient
  cr_real differences;  // the same from differences
} parameter_errors;
/// Bounds of these; how many times the usual step differences take; `forward`: to larger x only, where smaller ones
/// are no model.
typedef struct {
  cr_real round_off, by_difference, step;
  bool forward;
} parameter_tolerance;
parameter_errors parameters_check(cr_parameters* ps, const cr_real* away,
                                  const parameter_tolerance* how, uint64_t seed);

/// Asserts that they are inside.
void parameters_are_right(const cr_model* m, const cr_parameter* items, int n, const cr_real* away,
                          parameter_tolerance tolerance);

/// Asserts that the list is refused with a sentence that has this part.
void parameters_refused(const cr_model* m, const cr_parameter* items, int n, cr_status status,
                        const char* part);

#endif
