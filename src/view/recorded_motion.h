// SPDX-License-Identifier: Apache-2.0
// The motion of a recording (view/recorded_states.h), thinned to so many states a second.
#ifndef CR_VIEW_RECORDED_MOTION_H
#define CR_VIEW_RECORDED_MOTION_H

#include "view/shown_motion.h"

/// Reads the recording at `path` into a motion without frames, and takes at most `fps` states a second, first and last among them.
/// Errors   those of cr_recorded_open and cr_shown_motion_take
cr_status cr_recorded_motion(cr_shown_motion* motion, const char* path, double fps,
                             cr_error* error);

#endif
