// SPDX-License-Identifier: Apache-2.0
// Losses of an error.
#ifndef CR_NETWORK_LOSSES_H
#define CR_NETWORK_LOSSES_H

#include "base/real.h"
#include "carom/learned.h"

/// Loss of an error e, and its slope. [network.o1] to [network.o3]
cr_real cri_loss(cr_learning_loss kind, cr_real delta, cr_real e, cr_real* slope);

#endif
