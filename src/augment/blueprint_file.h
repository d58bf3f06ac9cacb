// SPDX-License-Identifier: Apache-2.0
// The file of corrections with their weights: named records behind a magic word, a checksum at the end.
#ifndef CR_AUGMENT_BLUEPRINT_FILE_H
#define CR_AUGMENT_BLUEPRINT_FILE_H

#include <stddef.h>

#include "base/status.h"
#include "model/model.h"

/// True if these are the first bytes of such a file.
bool cri_is_blueprint_file(const unsigned char* data, size_t n);

/// Adds the corrections of the bytes of a file. `path` begins every error.
/// Errors   CR_ERR_FORMAT for a damaged file; those of cr_model_add_correction
cr_status cri_blueprint_file_read(cr_model* m, const unsigned char* data, size_t n,
                                  const char* path, cr_error* error);

#endif
