// SPDX-License-Identifier: Apache-2.0
// A start for the search over long windows: the same fit over short ones first. Short predictions are nearly linear in what
// is unknown, where long ones have many local minima.
#ifndef CR_IDENTIFY_COARSE_H
#define CR_IDENTIFY_COARSE_H

#include "identify/saving.h"

/// Fits windows of a sixteenth of the longest run, longer where their numbers would not do for starts of their own, and ties them
/// together step by step. Then puts x, noises and the starts of runs into the problem of `whole`. Does nothing where windows are
/// given or starts are known.
/// Equation multiple shooting, jumps between windows at standard deviations of 1, 0.03 and 0.001 of the state's units
///          [Bock, Numerical treatment of inverse problems in chemical reaction kinetics, 1981]
/// Errors   those of cri_layout and of cri_search_minimise
/// x_fixed: only starts and noises are found.
cr_status cri_coarse_fit(cri_search* whole, const cr_measurements* measurements,
                         const cr_identification_options* options, bool x_fixed, cr_error* error);

#endif
