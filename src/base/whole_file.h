// SPDX-License-Identifier: Apache-2.0
// Files that are written whole or not at all.
#ifndef CR_BASE_WHOLE_FILE_H
#define CR_BASE_WHOLE_FILE_H

#include "base/status.h"

/// Writes n bytes to `path`.tmp, then renames it to `path` when the disk has all of it.
/// Several writers at once wait for each other, so the file is always that of one of them.
/// Errors: CR_ERR_FILE naming the file and the system's reason (also if the disk is full); the earlier
/// file then stays.
cr_status cri_whole_file_write(const char* path, const void* data, size_t n, cr_error* error);

#endif
