// SPDX-License-Identifier: Apache-2.0
// Weights of the corrections of a model as parameters.
#ifndef CR_RECORDED_WEIGHTS_H
#define CR_RECORDED_WEIGHTS_H

#include "carom/parameters.h"

/// A parameter for every weight of all corrections of m, in the order of plugin_param, from those that m has.
/// Owner    the caller, cr_parameters_destroy
/// Errors   those of cr_parameters_create
cr_status cri_bind_weights(cr_parameters** parameters, const cr_model* m, cr_error* error);

#endif
