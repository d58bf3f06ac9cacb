// SPDX-License-Identifier: Apache-2.0
// Whether a control or an activation stands exactly at an end of what it may be. There it can move one
// way only, and a derivative is that of this way.
#ifndef CR_ACTUATOR_RANGE_ENDS_H
#define CR_ACTUATOR_RANGE_ENDS_H

#include "model/model.h"

/// 1 at the lower end, from which it can only grow, -1 at the upper, 0 at neither. Ends of a control are
/// those of ctrlrange, and 0 and 1, to which muscles clip it.
int cri_control_end(const cr_model* m, int k, cr_real ctrl);

/// The same of a control that is known to be a muscle's, or not.
int cri_control_end_of(const cr_model* m, int k, bool muscle, cr_real ctrl);

/// The same of activation a: the ends of actrange, or 0 and 1 of a muscle that has none.
int cri_activation_end(const cr_model* m, int a, cr_real act);

#endif
