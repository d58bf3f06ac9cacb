// SPDX-License-Identifier: Apache-2.0
// Repairs MJCF files of an older MuJoCo that 4.0.0 refuses for one attribute that means nothing today.
#ifndef CR_IO_REPAIR_H
#define CR_IO_REPAIR_H

#include <mujoco/mujoco.h>

#include "access/report.h"

/// Takes the attribute `convexhull` of `compiler` (hulls are always made now) out of an MJCF file and
/// out of the files it includes. Each file that has it gets a copy without it in vfs, where mj_loadXML
/// finds it, and a sentence in the warnings (report may be
/// NULL). Files on disk do not change. *changed: there was one.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY, CR_ERR_ARG from reading; CR_ERR_MODEL if two included
///          files have one name in different folders, which a vfs cannot tell apart
cr_status cri_mjcf_repair(mjVFS* vfs, const char* path, bool* changed, cr_load_report* report,
                          cr_error* error);

#endif
