// SPDX-License-Identifier: Apache-2.0
// The noise of the published experiment, in four readings, and which tosses are held aside.
#ifndef CR_STIFF_SIGHTS_H
#define CR_STIFF_SIGHTS_H

#include "stiff/tossed.h"

/// Noise as the paper's text has it, with the lower bound that it prints, as the scripts have it, and with their interval.
enum { CRI_PAPER, CRI_PAPER_BOUND, CRI_SCRIPTS, CRI_SCRIPTS_INTERVAL, CRI_N_SIGHT };
extern const cri_sight cri_sights[CRI_N_SIGHT];

/// Tosses of a floor to learn from, numbers 0 and on; tosses behind these that no learner sees.
enum { CRI_TRAINING = 10000, CRI_EVALUATION = 1000 };

#endif
