// SPDX-License-Identifier: Apache-2.0
// Files that are written whole or not at all.
#ifndef CR_BASE_WHOLE_FILE_H
#define CR_BASE_WHOLE_FILE_H

#include "base/status.h"

/// Writes n bytes to `path` through `path`.tmp, which is renamed at the end, when the disk has it all.
/// Of several writers at once each waits for the one before it, so that the file is always one of them.
/// Errors: CR_ERR_FILE naming the file and the system's reason (also when the disk is full); what was
/// there before stays.
cr_status cri_whole_file_write(const char* path, const void* data, size_t n, cr_error* error);

#endif
