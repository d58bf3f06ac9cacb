// SPDX-License-Identifier: Apache-2.0
// The calls that open a model, in a library without libmujoco (CAROM_IO=OFF). Otherwise they are those of
// io/open.c, and this file is not compiled.
#include "access/open_file.h"
#include "carom/model.h"
#include "model/misuse.h"

static cr_status open_as(const cri_call* call, cr_model** out, const char* path) {
  CR_TRY(cri_given(call, out, "where the model goes"));
  CR_TRY(cri_given(call, path, "the path"));
  return cri_model_file_open(out, path, call->error);
}

cr_status cr_model_open_report(cr_model** out, const char* path, const cr_urdf_options* options,
                               cr_load_report* report, cr_error* error) {
  const cri_call call = {"cr_model_open_report", error};
  (void)options, (void)report;
  return open_as(&call, out, path);
}

cr_status cr_model_open_urdf(cr_model** out, const char* path, const cr_urdf_options* options,
                             cr_error* error) {
  const cri_call call = {"cr_model_open_urdf", error};
  (void)options;
  return open_as(&call, out, path);
}

cr_status cr_model_open(cr_model** out, const char* path, cr_error* error) {
  const cri_call call = {"cr_model_open", error};
  return open_as(&call, out, path);
}
