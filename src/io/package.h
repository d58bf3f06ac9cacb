// SPDX-License-Identifier: Apache-2.0
// Finds the files that a URDF file names: package://NAME/PATH, file://PATH, or a path.
#ifndef CR_IO_PACKAGE_H
#define CR_IO_PACKAGE_H

#include "tools/files.h"

/// True for names that begin with a known scheme.
bool cri_package_is(const char* name);

/// Finds package://NAME/PATH (or model://): in `package_path` if that is given, otherwise in the
/// folder of the file that names it and then in those above it. In each it tries FOLDER/NAME/PATH or,
/// if the folder itself is called NAME, FOLDER/PATH. file://PATH is PATH. False if there is
/// no such file.
bool cri_package_find(char found[CR_MAX_PATH], const char* name, const char* from,
                      const char* package_path);

#endif
