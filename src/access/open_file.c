// SPDX-License-Identifier: Apache-2.0
// A model from Carom's own file, or from its bytes.
#include "access/open_file.h"

#include <stdlib.h>

#include "carom/model.h"
#include "model/file.h"
#include "model/misuse.h"
#include "model/model_check.h"

cr_status cri_model_opened(cr_model* m, const char* path, cr_error* error) {
  cr_error inner;
  cr_status status = cri_model_check(m, &inner);
  if (status != CR_OK) {
    cri_model_free(m);
    return cri_fail(error, status, "%s: %s", path, inner.text);
  }
  m->structure = cri_model_structure(m);
  return CR_OK;
}

cr_status cri_model_file_open(cr_model** out, const char* path, cr_error* error) {
  cr_model* m = calloc(1, sizeof *m);
  if (m == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  cr_status status = cri_model_read(m, path, error);
  if (status == CR_ERR_FORMAT && !cri_model_file_is(path)) {
    status = cri_fail(error, CR_ERR_UNSUPPORTED,
                      "%s: no Carom model file; MJCF and URDF need a library built with libmujoco",
                      path);
  }
  status = status == CR_OK ? cri_model_opened(m, path, error) : status;
  if (status != CR_OK) {
    free(m);
    return status;
  }
  *out = m;
  return CR_OK;
}

cr_status cr_model_open_bytes(cr_model** out, const void* bytes, size_t n, cr_error* error) {
  static const char name[] = "cr_model_open_bytes";
  const cri_call call = {name, error};
  CR_TRY(cri_given(&call, out, "where the model goes"));
  CR_TRY(cri_given(&call, bytes, "the bytes"));
  cr_model* m = calloc(1, sizeof *m);
  if (m == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", name);
  }
  cr_status status = cri_model_read_bytes(m, bytes, n, name, error);
  status = status == CR_OK ? cri_model_opened(m, name, error) : status;
  if (status != CR_OK) {
    free(m);
    return status;
  }
  *out = m;
  return CR_OK;
}
