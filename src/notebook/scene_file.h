// SPDX-License-Identifier: Apache-2.0
// A model of a study: written into the folder of the results, where every other command can open it, and opened from there.
#ifndef CR_STUDY_SCENE_FILE_H
#define CR_STUDY_SCENE_FILE_H

#include "carom/carom.h"
#include "notebook/notebook.h"

/// Writes folder/<name>.xml and opens it. Owner: the caller, cr_model_destroy.
/// Errors   CR_ERR_FILE, those of cr_model_open
cr_status cri_scene_open(const cr_notebook* book, const char* name, const char* text, cr_model** m,
                         cr_error* error);

#endif
