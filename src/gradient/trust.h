// SPDX-License-Identifier: Apache-2.0
// Can the gradient of a rollout be trusted? Figures and a verdict. docs/trust.md says what the
// figures are compared with, and why. carom/trust.h documents the public functions.
#ifndef CR_GRADIENT_TRUST_H
#define CR_GRADIENT_TRUST_H

#include "carom/trust.h"

/// cr_trust_measure without its checks; it ignores the member size of both structs.
cr_status cri_trust_measure(cr_trust* trust, const cr_trust_problem* problem, cr_error* error);

#endif
