// SPDX-License-Identifier: Apache-2.0
// The states of a recording as carom rollout --out writes it, thinned to so many a second.
#ifndef CR_VIEW_RECORDED_STATES_H
#define CR_VIEW_RECORDED_STATES_H

#include "view/shown_motion.h"

/// Reads the recording at `path` into a motion without frames, and takes at most `fps` states a second, first and last among them.
/// time and qpos have to be there; without qvel, act or ctrl these are zero. A state has the control of the step that led
/// there, as cr_rollout_save has it.
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT: no positions, another model, no rows; those of cr_shown_motion_take
cr_status cr_recorded_motion(cr_shown_motion* motion, const char* path, double fps,
                             cr_error* error);

#endif
