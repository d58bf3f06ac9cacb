// SPDX-License-Identifier: Apache-2.0
#include "cli/fit_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/fit_answer.h"
#include "cli/fit_lines.h"
#include "fit/fit_report.h"
#include "tools/xml.h"

static bool saves_mujoco(const char* path) {
  const char* dot = path != NULL ? strrchr(path, '.') : NULL;
  return dot != NULL && (strcmp(dot, ".xml") == 0 || strcmp(dot, ".mjb") == 0);
}

// before much work: the model found can be written, and not over what was read
static cr_status check_save(const cr_runs_fit* f, cr_error* error) {
  const char *path = f->o->save, *model = f->o->paths.text[0];
  if (saves_mujoco(path) && !cri_xml_root_is(model, "mujoco") && !cri_xml_root_is(model, "robot")) {
    return cri_fail(error, CR_ERR_ARG, "--save %s: needs a model in MJCF or URDF, which %s is not",
                    path, model);
  }
  for (int i = 0; i < f->o->paths.n && path != NULL; i++) {
    if (cri_file_same(path, f->o->paths.text[i])) {
      return cri_fail(error, CR_ERR_ARG, "--save %s: this file is read, it would be lost", path);
    }
  }
  if (path != NULL && f->o->config != NULL && cri_file_same(path, f->o->config)) {
    return cri_fail(error, CR_ERR_ARG, "--save %s: this file is read, it would be lost", path);
  }
  return path != NULL ? cri_file_writable(path, error) : CR_OK;
}

static cr_status claim_folder(cr_runs_fit* f, cr_error* error) {
  char path[CR_MAX_PATH];
  const char* model = f->o->config != NULL ? f->o->config : f->o->paths.text[0];
  const char* slash = strrchr(model, '/');
  const char* name = slash != NULL ? slash + 1 : model;
  if (f->o->out != NULL) {
    CR_TRY(cri_path_join(f->folder, "", f->o->out, error));
  } else {
    (void)snprintf(f->folder, sizeof f->folder, "fit_%.*s", (int)strcspn(name, "."), name);
  }
  CR_TRY(cri_path_join(path, f->folder, "result.json", error));
  if (!f->o->force && access(path, F_OK) == 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "%s: holds result.json of an earlier fit; --force overwrites it", f->folder);
  }
  CR_TRY(cri_folder_make(f->folder, error));
  CR_TRY(cri_folder_claim(f->folder, &f->claim, error));
  f->claimed = true;
  return CR_OK;
}

// the model with what was found: as MuJoCo's file, or as Carom's
static cr_status save_model(const cr_runs_fit* f, cr_error* error) {
  if (f->o->save == NULL) {
    return CR_OK;
  }
  CR_TRY(cr_parameters_set(f->parameters, f->x, error));
  const cr_model* m = cr_parameters_model(f->parameters);
  return saves_mujoco(f->o->save) ? cr_mujoco_save(m, f->o->paths.text[0], NULL, f->o->save, error)
                                  : cr_model_save(m, f->o->save, error);
}

static cr_status finish(cr_runs_fit* f, int* code, cr_error* error) {
  double seconds = cri_seconds() - f->progress.start;
  const cr_fit_report report = {.model = f->o->paths.text[0],
                                .folder = f->folder,
                                .m = f->m,
                                .measurements = f->measurements,
                                .identification = f->id,
                                .lines = f->lines,
                                .nline = f->nline,
                                .end = &f->end,
                                .seconds = seconds};
  CR_TRY(cr_fit_report_write(&report, error));
  cr_json j = {0};
  char path[CR_MAX_PATH];
  cr_status status = cr_fit_answer_put(&j, f, seconds, error);
  status = status == CR_OK ? cri_path_join(path, f->folder, "result.json", error) : status;
  if (status == CR_OK && j.failed) {
    status = cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  status = status == CR_OK ? cri_file_write(path, j.text, j.length, error) : status;
  if (status != CR_OK) {
    cr_json_free(&j);
    return status;
  }
  if (f->o->json) {
    cr_json_finish(&j);
  } else {
    cr_json_free(&j);
    CR_TRY(cr_fit_answer_print(f, seconds, error));
  }
  *code = cr_fit_answer_code(f);
  return save_model(f, error);
}

static cr_status run(cr_runs_fit* f, int* code, cr_error* error) {
  CR_TRY(check_save(f, error));
  CR_TRY(cr_fit_setup(f, error));
  CR_TRY(claim_folder(f, error));
  const cr_search search = {.size = sizeof search};
  f->end.size = sizeof f->end;
  CR_TRY(cr_identification_solve(f->id, &search, f->x, &f->end, error));
  CR_TRY(cr_fit_lines_find(f, error));
  return finish(f, code, error);
}

cr_status cr_fit_runs(const cr_fit_runs_options* o, bool (*stop)(void* context), int* code,
                      cr_error* error) {
  cr_runs_fit f = {.o = o, .stop = stop, .progress = cri_progress_begin()};
  cr_status status = run(&f, code, error);
  cri_progress_end(&f.progress);
  cr_fit_setup_free(&f);
  if (f.claimed) {
    (void)close(f.claim);
  }
  return status;
}
