// SPDX-License-Identifier: Apache-2.0
#include "command/shown_files.h"

#include <string.h>

#include "base/status.h"
#include "command/output.h"
#include "command/setup.h"

cr_status cr_shown_files_sort(cr_shown_files* files, const cr_text_list* list, const char* model,
                              cr_error* error) {
  *files = (cr_shown_files){.model = model};
  for (int i = 0; i < list->n; i++) {
    const char* path = list->text[i];
    if (cr_output_is(path, "h5") || cr_output_is(path, "hdf5")) {
      files->recording[files->nrecording++] = path;
    } else if (files->model == NULL) {
      files->model = path;
    } else {
      return cri_fail(error, CR_ERR_ARG, "%s and %s: one model expected, and recordings (.h5)",
                      files->model, path);
    }
  }
  return files->model != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "%s: a recording does not hold its model; name it too, or with --model",
                        files->recording[0]);
}

const char* cr_base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

cr_status cr_shown_files_keyframe(const cr_shown_files* files, const char* keyframe,
                                  cr_error* error) {
  return files->nrecording > 0 && keyframe != NULL
             ? cri_fail(error, CR_ERR_ARG, "--keyframe %s: the recording gives the poses", keyframe)
             : CR_OK;
}

cr_status cr_shown_pose(cr_data** d, const cr_model* m, const char* keyframe, cr_error* error) {
  CR_TRY(cr_data_create(d, m, error));
  cr_status status = keyframe == NULL ? CR_OK : cr_setup_keyframe(m, *d, keyframe, error);
  if (status != CR_OK) {
    cr_data_destroy(*d);
    *d = NULL;
  }
  return status;
}
