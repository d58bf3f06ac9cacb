// SPDX-License-Identifier: Apache-2.0
// Tells if a control or an activation is exactly at an end of its range. There it can move one
// way only, and its derivative is that of this way.
#ifndef CR_ACTUATOR_RANGE_ENDS_H
#define CR_ACTUATOR_RANGE_ENDS_H

#include "model/model.h"

/// 1 at the lower end, from which it can only grow, -1 at the upper, 0 at neither. Ends of a control are
/// those of ctrlrange, and 0 and 1, to which muscles clip it.
int cri_control_end(const cr_model* m, int k, cr_real ctrl);

/// The same for a control that is known to belong to a muscle, or not.
int cri_control_end_of(const cr_model* m, int k, bool muscle, cr_real ctrl);

/// The same for activation a: the ends of actrange, or 0 and 1 for a muscle without actrange.
int cri_activation_end(const cr_model* m, int a, cr_real act);

#endif
