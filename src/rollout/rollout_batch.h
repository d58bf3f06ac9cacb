// SPDX-License-Identifier: Apache-2.0
// Batches of rollouts on the thread pool. What is public is documented in carom/batch.h.
#ifndef CR_ROLLOUT_ROLLOUT_BATCH_H
#define CR_ROLLOUT_ROLLOUT_BATCH_H

#include "carom/batch.h"

#endif
