// SPDX-License-Identifier: Apache-2.0
// Turns a URDF file into an mjModel: libmujoco's reading of it, and what robotics expects in addition (see
// docs/urdf.md): packages, a floating base, links without inertia, a ground and servos by option.
#ifndef CR_IO_URDF_COMPILE_H
#define CR_IO_URDF_COMPILE_H

#include <mujoco/mujoco.h>

#include "access/report.h"
#include "carom/model.h"

/// Inertia of a moving link with neither mass nor shape, and radius of the ball that replaces a link with mass but
/// without inertia. kg, kg m^2, m.
#define CR_URDF_MASS 1e-6
#define CR_URDF_INERTIA 1e-9
#define CR_URDF_RADIUS 0.01

/// Compiles a URDF file; the caller frees with mj_deleteModel. `report` gets ignored elements, and a
/// warning for each link that got an inertia. Errors: CR_ERR_FILE, CR_ERR_FORMAT or CR_ERR_MODEL,
/// with the line of the element at fault if there is one.
cr_status cri_urdf_load(mjModel** out, const char* path, const cr_urdf_options* options,
                        cr_load_report* report, cr_error* error);

/// The same with the specification that was compiled, which the caller frees with mj_deleteSpec, also after an error.
cr_status cri_urdf_load_spec(mjSpec** spec, mjModel** out, const char* path,
                             const cr_urdf_options* options, cr_load_report* report,
                             cr_error* error);

#endif
