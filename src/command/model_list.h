// SPDX-License-Identifier: Apache-2.0
// Lists files that are models: those below a folder, or those in a list.
#ifndef CR_COMMAND_MODEL_LIST_H
#define CR_COMMAND_MODEL_LIST_H

#include "base/status.h"

typedef struct {
  char* path;          // to open it
  const char* name;    // to print it: the path seen from the folder or list
  char root[32];       // its outermost element, "" if it has none
  const char* parent;  // name of a file that includes it, or NULL
} cr_model_file;

typedef struct {
  cr_model_file* file;
  int n, capacity;
} cr_model_list;

/// All files below a folder whose names end in .xml, .mjcf or .urdf, sorted. If `path` is a
/// file: the paths in it, one a line, relative to the list's folder (# begins a comment).
cr_status cr_model_list_make(cr_model_list* list, const char* path, cr_error* error);
void cr_model_list_free(cr_model_list* list);

#endif
