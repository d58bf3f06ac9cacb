// SPDX-License-Identifier: Apache-2.0
// Batches of rollouts on the thread pool. carom/batch.h documents the public functions.
#ifndef CR_ROLLOUT_ROLLOUT_BATCH_H
#define CR_ROLLOUT_ROLLOUT_BATCH_H

#include "carom/batch.h"

#endif
