// SPDX-License-Identifier: Apache-2.0
// Models as files.
#include "notebook/scene_file.h"

#include <stdio.h>
#include <string.h>

cr_status cri_scene_open(const cr_notebook* book, const char* name, const char* text, cr_model** m,
                         cr_error* error) {
  char file[CR_MAX_PATH], path[CR_MAX_PATH];
  (void)snprintf(file, sizeof file, "%s.xml", name);
  CR_TRY(cri_path_join(path, book->folder, file, error));
  CR_TRY(cri_file_write(path, text, strlen(text), error));
  return cr_model_open(m, path, error);
}
