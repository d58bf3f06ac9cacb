// SPDX-License-Identifier: Apache-2.0
// A list of parameters: their values into a variant of the model, tangents of its fields from theirs, and cotangents
// of its fields back. What each kind does is in parameter/.
#ifndef CR_LEARN_PARAMETERS_H
#define CR_LEARN_PARAMETERS_H

#include "learn/transform.h"
#include "parameter/parameter_kind.h"

/// Binds n parameters to m and makes a variant of it at their starts.
/// Errors   as cr_parameters_create
cr_status cri_parameters_create(cr_parameters** parameters, const cr_parameter* items, int n,
                                const cr_model* m, cr_error* error);

void cri_parameters_free(cr_parameters* parameters);

int cri_parameters_count(const cr_parameters* parameters);

/// Which fields need cotangents, for cri_data_twin and cri_rollout_create.
const bool* cri_parameters_wanted(const cr_parameters* parameters);

/// The variant of the model that holds the parameters last applied, derived constants included.
const cr_model* cri_parameters_model(const cr_parameters* parameters);

/// x of the starts, and of the bounds.
void cri_parameters_start(const cr_parameters* parameters, cr_real* x);
void cri_parameters_bounds(const cr_parameters* parameters, cr_real* lower, cr_real* upper);

/// Bounds of x for a global search: the same, but of CR_TRANSFORM_BOUNDED, whose x has none, from 0.001 to 0.999 of the interval.
void cri_parameters_search_bounds(const cr_parameters* parameters, cr_real* lower, cr_real* upper);

/// Adds names, targets, kinds, transforms, starts, bounds and priors to a fingerprint (base/fingerprint.h).
uint64_t cri_parameters_fingerprint(const cr_parameters* parameters, uint64_t hash);

/// p of x.
void cri_parameters_values(const cr_parameters* parameters, const cr_real* x, cr_real* p);

/// Puts the parameters p (count numbers) into the variant and derives its constants again.
/// Errors   CR_ERR_MODEL if the variant is not a valid model (a negative mass), CR_ERR_SINGULAR
cr_status cri_parameters_apply(cr_parameters* parameters, const cr_real* p, cr_error* error);

/// Converts cotangents of fields into those of parameters. The part of the derived constants is collected in
/// `derived` (cri_parameters_nderived numbers) and applied once, at the end, by
/// cri_parameters_derived. Both add. par_bar is used up.
/// Smooth   everywhere. The side of a cube does not matter in free flight: its gradient there is exactly
///          zero, not the round-off of moments whose cotangents cancel
void cri_parameters_pullback(const cr_parameters* parameters, cr_model* par_bar, cr_real* p_bar,
                             cr_real* derived);
int cri_parameters_nderived(const cr_parameters* parameters);
cr_status cri_parameters_derived(cr_parameters* parameters, const cr_real* derived, cr_real* p_bar,
                                 cr_error* error);

/// The tangent of all fields for number i of x, at the parameters last applied, which are those of x: overwrites the
/// parameters of tan, derived constants included, and everything that the stages compute; the state of tan
/// stays. tan needs the fields of cri_parameters_wanted. One thread at a time: the constants need the list's own block.
/// Errors   CR_ERR_SINGULAR
cr_status cri_parameters_pushforward(cr_parameters* parameters, const cr_real* x, int i,
                                     cr_data* tan, cr_error* error);

/// Where x goes by a step: along a straight line of what the dynamics are linear in, which is p where x is its logarithm, and the
/// pseudo-inertia; to first order x + step.                                              [identification.p12]
/// Shapes   x[n], step[n], to[n]
void cri_parameters_move(const cr_parameters* parameters, const cr_real* x, const cr_real* step,
                         cr_real* to);

/// residual[i] = (p_i - prior_i) / sd_i and its derivative by x_i; both 0 where there is no prior.
void cri_parameters_prior(const cr_parameters* parameters, const cr_real* x, cr_real* residual,
                          cr_real* derivative);

/// What number i of a report may be: p of x_i alone; any number; a positive number; one of a vector of unit length.
typedef enum {
  CRI_REPORT_NUMBER,
  CRI_REPORT_ANY,
  CRI_REPORT_POSITIVE,
  CRI_REPORT_UNIT
} cri_report_range;
cri_report_range cri_parameters_report_range(const cr_parameters* parameters, int i);

/// How far x_i of a direction or an inertia may move before that is another one: the length of x; 1 of logarithms, and a radius
/// of gyration of what is a length. 0 of other kinds.
cr_real cri_parameters_reach(const cr_parameters* parameters, const cr_real* x, int i);

/// x_bar = p_bar dp/dx.
void cri_parameters_chain(const cr_parameters* parameters, const cr_real* x, const cr_real* p_bar,
                          cr_real* x_bar);

#endif
