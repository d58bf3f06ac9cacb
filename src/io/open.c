// SPDX-License-Identifier: Apache-2.0
// Opening a model: the choice of the reader, the survey of features, the check.
#include "io/open.h"

#include <stdlib.h>

#include "access/open_file.h"
#include "carom/model.h"
#include "carom/mujoco.h"
#include "engine/pipeline.h"
#include "io/mujoco.h"
#include "io/urdf_compile.h"
#include "model/file.h"
#include "model/misuse.h"
#include "model/model_check.h"
#include "tools/xml.h"

static cr_status compile(mjModel** mj, const char* path, const cr_urdf_options* options,
                         cr_load_report* report, cr_error* error) {
  return cri_xml_root_is(path, "robot") ? cri_urdf_load(mj, path, options, report, error)
                                        : cri_mujoco_load(mj, path, report, error);
}

cr_status cri_mjspec_open(mjSpec** spec, mjModel** mj, const char* path,
                          const cr_urdf_options* options, cr_load_report* report, cr_error* error) {
  return cri_xml_root_is(path, "robot") ? cri_urdf_load_spec(spec, mj, path, options, report, error)
                                        : cri_mujoco_load_spec(spec, mj, path, report, error);
}

cr_status cri_mjmodel_open(mjModel** mj, const char* path, const cr_urdf_options* options,
                           cr_load_report* report, cr_error* error) {
  CR_TRY(compile(mj, path, options, report, error));
  cri_mujoco_survey(*mj, report);
  return CR_OK;
}

static cr_status open_mujoco(cr_model* m, const char* path, const cr_urdf_options* options,
                             cr_load_report* report, cr_error* error) {
  mjModel* mj = NULL;
  CR_TRY(cri_mjmodel_open(&mj, path, options, report, error));
  cr_status status = CR_OK;
  if (report->unsupported.n > 0) {
    status = cri_fail(error, CR_ERR_UNSUPPORTED, "%s: %s%s", path, report->unsupported.text[0],
                      report->unsupported.n > 1 ? " (and more)" : "");
  } else {
    cr_error inner;
    status = cri_model_from_mjmodel(m, mj, &inner);
    status = status == CR_OK ? CR_OK : cri_fail(error, status, "%s: %s", path, inner.text);
  }
  mj_deleteModel(mj);
  return status;
}

cr_status cr_mujoco_compile(mjModel** mj, const char* path, const cr_urdf_options* options,
                            cr_load_report* report, cr_error* error) {
  const cri_call call = {"cr_mujoco_compile", error};
  CR_TRY(cri_given(&call, mj, "where the model goes"));
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(options != NULL ? cri_check_size(&call, options->size, sizeof *options, "cr_urdf_options")
                         : CR_OK);
  cr_load_report found = {0};
  *mj = NULL;
  cr_status status = compile(mj, path, options, report != NULL ? report : &found, error);
  cri_load_report_free(&found);
  return status;
}

cr_status cr_model_from_mujoco(cr_model** out, const mjModel* mj, cr_load_report* report,
                               cr_error* error) {
  const cri_call call = {"cr_model_from_mujoco", error};
  CR_TRY(cri_given(&call, out, "where the model goes"));
  CR_TRY(cri_given(&call, mj, "MuJoCo's model"));
  cr_load_report own = {0}, *found = report != NULL ? report : &own;
  cri_mujoco_survey(mj, found);
  cr_model* m = calloc(1, sizeof *m);
  cr_status status = found->unsupported.n > 0
                         ? cri_fail(error, CR_ERR_UNSUPPORTED, "%s", found->unsupported.text[0])
                     : m == NULL ? cri_fail(error, CR_ERR_MEMORY, "cr_model_from_mujoco: no memory")
                                 : cri_model_of_compiled(m, mj, error);
  cri_load_report_free(&own);
  if (status != CR_OK) {
    cr_model_destroy(m);
    return status;
  }
  *out = m;
  return CR_OK;
}

cr_status cri_model_of_compiled(cr_model* m, const mjModel* mj, cr_error* error) {
  CR_TRY(cri_model_from_mjmodel(m, mj, error));
  CR_TRY(cri_model_check(m, error));
  return cri_schedule_build(m, error);
}

cr_status cri_model_open_urdf(cr_model* m, const char* path, const cr_urdf_options* options,
                              cr_load_report* report, cr_error* error) {
  CR_TRY(cri_model_file_is(path) ? cri_model_read(m, path, error)
                                 : open_mujoco(m, path, options, report, error));
  CR_TRY(cri_model_opened(m, path, error));
  cr_status status = cri_schedule_build(m, error);
  if (status != CR_OK) {
    cri_model_free(m);
  }
  return status;
}

cr_status cri_model_open(cr_model* m, const char* path, cr_load_report* report, cr_error* error) {
  return cri_model_open_urdf(m, path, NULL, report, error);
}

static cr_status open_as(const cri_call* call, cr_model** out, const char* path,
                         const cr_urdf_options* options, cr_load_report* report) {
  cr_error* error = call->error;
  CR_TRY(cri_given(call, out, "where the model goes"));
  CR_TRY(cri_given(call, path, "the path"));
  CR_TRY(options != NULL ? cri_check_size(call, options->size, sizeof *options, "cr_urdf_options")
                         : CR_OK);
  cr_load_report found = {0};
  cr_model* m = calloc(1, sizeof *m);
  cr_status status =
      m == NULL ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path)
                : cri_model_open_urdf(m, path, options, report != NULL ? report : &found, error);
  cri_load_report_free(&found);
  if (status != CR_OK) {
    free(m);
    return status;
  }
  *out = m;
  return CR_OK;
}

cr_status cr_model_open_report(cr_model** out, const char* path, const cr_urdf_options* options,
                               cr_load_report* report, cr_error* error) {
  const cri_call call = {"cr_model_open_report", error};
  return open_as(&call, out, path, options, report);
}

cr_status cr_model_open_urdf(cr_model** out, const char* path, const cr_urdf_options* options,
                             cr_error* error) {
  const cri_call call = {"cr_model_open_urdf", error};
  return open_as(&call, out, path, options, NULL);
}

cr_status cr_model_open(cr_model** out, const char* path, cr_error* error) {
  const cri_call call = {"cr_model_open", error};
  return open_as(&call, out, path, NULL, NULL);
}
