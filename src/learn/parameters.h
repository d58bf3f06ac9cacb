// SPDX-License-Identifier: Apache-2.0
// Parameters of the user's choice, mapped to fields of a model: a single number of a
// field, or the side of a cube with the inertia that follows. They put a value into a variant of
// the model, and take the cotangents of its fields back.
#ifndef CR_LEARN_PARAMETERS_H
#define CR_LEARN_PARAMETERS_H

#include "learn/transform.h"
#include "model/data.h"

enum { CR_MAX_NAME = 64 };

typedef struct {
  char name[CR_MAX_NAME];
  char target[2 * CR_MAX_NAME];  // a name of a field's number, or of a geom
  cr_fit_kind kind;
  cr_transform transform;
  cr_real start, lower, upper;  // bounds may be infinite
} cr_parameter;

/// Binds n parameters to m and makes a variant of it at their starts.
/// Errors   CR_ERR_NAME (unknown field or geom); CR_ERR_ARG naming the parameter: a place that is
///          not one number of a parameter field, a derived field, a geom that is not the only one of
///          its body or not about its centre of mass, two parameters for one number, a start
///          outside its bounds or out of the transform's reach
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

/// x_bar = p_bar dp/dx.
void cri_parameters_chain(const cr_parameters* parameters, const cr_real* x, const cr_real* p_bar,
                          cr_real* x_bar);

#endif
