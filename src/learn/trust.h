// SPDX-License-Identifier: Apache-2.0
// Is the gradient of a rollout to be trusted? What it rests on, in numbers and in words. What the
// numbers are compared with, and why, is in docs/trust.md. What is public is documented in carom/trust.h.
#ifndef CR_LEARN_TRUST_H
#define CR_LEARN_TRUST_H

#include "carom/trust.h"

/// cr_trust_measure without its checks; the member size of neither struct counts.
cr_status cri_trust_measure(cr_trust* trust, const cr_trust_problem* problem, cr_error* error);

#endif
