// SPDX-License-Identifier: Apache-2.0
// The active set of a cone program's solution: Newton's last steps, and the linearised system. For cone_program.c.
#ifndef CR_QUASIDYNAMIC_CONE_TANGENT_H
#define CR_QUASIDYNAMIC_CONE_TANGENT_H

#include "quasidynamic/cone_program.h"

/// Newton's steps with the active set, as long as the residual falls.
void cri_cone_polish(cri_cone* c);

#endif
