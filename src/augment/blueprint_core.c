// SPDX-License-Identifier: Apache-2.0
// Corrections from a file, in a library without libraries for files (CAROM_IO=OFF): those with weights. Otherwise
// io/blueprint.c has the call, and this file is not compiled.
#include <stdio.h>
#include <stdlib.h>

#include "augment/blueprint_file.h"
#include "carom/correction.h"
#include "model/misuse.h"

static cr_status read_all(const char* path, unsigned char** data, size_t* n, cr_error* error) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be opened", path);
  }
  size_t room = 0, got = 1;
  *data = NULL;
  *n = 0;
  while (got > 0) {
    if (*n == room) {
      room = 2 * room + 65536;
      unsigned char* grown = realloc(*data, room);
      if (grown == NULL) {
        (void)fclose(file);
        return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
      }
      *data = grown;
    }
    got = fread(*data + *n, 1, room - *n, file);
    *n += got;
  }
  const bool ok = ferror(file) == 0;
  (void)fclose(file);
  return ok ? CR_OK : cri_fail(error, CR_ERR_FILE, "%s: cannot be read", path);
}

cr_status cr_model_read_blueprint(cr_model* m, const char* path, cr_error* error) {
  const cri_call call = {"cr_model_read_blueprint", error};
  unsigned char* data = NULL;
  size_t n = 0;
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, path, "the path"));
  cr_status status = read_all(path, &data, &n, error);
  if (status == CR_OK && !cri_is_blueprint_file(data, n)) {
    status = cri_fail(error, CR_ERR_UNSUPPORTED,
                      "%s: this library reads no YAML; a file of cr_model_save_blueprint expected",
                      path);
  }
  status = status == CR_OK ? cri_blueprint_file_read(m, data, n, path, error) : status;
  free(data);
  return status;
}
