// SPDX-License-Identifier: Apache-2.0
// What commands that show motions take: one model, and recordings of it.
#ifndef CR_COMMAND_SHOWN_FILES_H
#define CR_COMMAND_SHOWN_FILES_H

#include "carom/carom.h"
#include "command/options.h"

typedef struct {
  const char* model;
  const char* recording[CR_MAX_LIST];
  int nrecording;
} cr_shown_files;

/// Sorts files into a model and recordings (.h5, .hdf5); model: that of --model, or NULL.
/// Errors   CR_ERR_ARG: two models, or none
cr_status cr_shown_files_sort(cr_shown_files* files, const cr_text_list* list, const char* model,
                              cr_error* error);

/// The last part of a path.
const char* cr_base_name(const char* path);

/// Checks that there is no recording with --keyframe.
/// Errors   CR_ERR_ARG
cr_status cr_shown_files_keyframe(const cr_shown_files* files, const char* keyframe,
                                  cr_error* error);

/// A block of data at the reference pose, or at a keyframe.
/// Owner    the caller, cr_data_destroy
/// Errors   those of cr_data_create and cr_setup_keyframe
cr_status cr_shown_pose(cr_data** d, const cr_model* m, const char* keyframe, cr_error* error);

#endif
