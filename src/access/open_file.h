// SPDX-License-Identifier: Apache-2.0
// Opens Carom's own model files, the only kind that a library without libmujoco opens.
#ifndef CR_ACCESS_OPEN_FILE_H
#define CR_ACCESS_OPEN_FILE_H

#include "model/model.h"

/// Checks a model that was just read, and derives its structure. If the check fails, frees it and gives a
/// sentence that begins with the path.
cr_status cri_model_opened(cr_model* m, const char* path, cr_error* error);

/// Opens a Carom model file. Owner: the caller, cr_model_destroy.
/// Errors   CR_ERR_UNSUPPORTED for a file of another kind; those of cri_model_read, and of the check
cr_status cri_model_file_open(cr_model** model, const char* path, cr_error* error);

#endif
