// SPDX-License-Identifier: Apache-2.0
// Files of meshes, height fields, textures and skins that a model names, found from another folder.
#ifndef CR_IO_ASSET_PATH_H
#define CR_IO_ASSET_PATH_H

#include <mujoco/mujoco.h>

#include "tools/files.h"

/// Path of an existing folder as seen from another ("" is the current one): relative where both are below one folder
/// other than "/", else absolute; "" where both are the same. False if one does not exist or the path is too long.
bool cri_asset_folder(char path[CR_MAX_PATH], const char* folder, const char* from);

/// Lets a specification that was read from the file `source` find its assets from the folder `to`, where it is
/// compiled from now on.
void cri_assets_move(mjSpec* spec, const char* source, const char* to);

#endif
