// SPDX-License-Identifier: Apache-2.0
// The robots that walk: Laikago from its URDF file, and one of Carom's own.
#ifndef CR_WALK_ROBOTS_H
#define CR_WALK_ROBOTS_H

#include "tools/files.h"
#include "walk/legged.h"

/// Writes folder/robot.xml, a model with a motor on each joint and a floor, steps of 1 ms, and opens it.
/// source   a URDF file, or a folder with one; its robot floats, and touches the floor alone. NULL: Carom's own robot
/// Owner    the caller, cr_model_destroy(*m)
/// Errors   CR_ERR_FILE, those of cr_model_open_urdf and cr_mujoco_save; CR_ERR_FORMAT: a folder without a URDF file, or with several
cr_status cri_robot_open(const char* folder, const char* source, cr_model** m,
                         char path[CR_MAX_PATH], cr_error* error);

#endif
