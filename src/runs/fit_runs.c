// SPDX-License-Identifier: Apache-2.0
#include "runs/fit_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "fit/fit_report.h"
#include "runs/fit_answer.h"
#include "runs/fit_lines.h"
#include "runs/fit_search.h"

static cr_status name_files(cr_runs_fit* f, cr_error* error) {
  char name[64];
  CR_TRY(cr_fit_setup_folder(f, error));
  (void)snprintf(name, sizeof name, f->ranks.size > 1 ? "search.%dof%d.state" : "search.state",
                 f->ranks.rank, f->ranks.size);
  return cri_path_join(f->saving.path, f->folder, name, error);
}

static cr_status open_saving(cr_runs_fit* f, cr_error* error) {
  f->saving.begin = f->progress.start;
  CR_TRY(cr_fit_search_name(f, error));
  return f->o->resume ? cr_fit_saving_read(&f->saving, error)
                      : cr_fit_saving_begin(&f->saving, error);
}

// the model with what was found
static cr_status save_model(const cr_runs_fit* f, cr_error* error) {
  if (f->o->save == NULL) {
    return CR_OK;
  }
  CR_TRY(cr_parameters_set(f->parameters, f->x, error));
  return cr_fit_setup_save(f, cr_parameters_model(f->parameters), error);
}

// corrections with the weights found: corrections.crb in the folder
static cr_status save_blueprint(const cr_runs_fit* f, cr_error* error) {
  char path[CR_MAX_PATH];
  if (f->o->blueprint == NULL) {
    return CR_OK;
  }
  CR_TRY(cri_path_join(path, f->folder, "corrections.crb", error));
  CR_TRY(cr_parameters_set(f->parameters, f->x, error));
  return cr_model_save_blueprint(cr_parameters_model(f->parameters), path, error);
}

static cr_status finish(cr_runs_fit* f, int* code, cr_error* error) {
  double seconds = f->saving.spent + cri_seconds() - f->progress.start;
  const cr_fit_report report = {.model = f->o->paths.text[0],
                                .folder = f->folder,
                                .m = f->m,
                                .measurements = f->measurements,
                                .identification = f->id,
                                .lines = f->lines,
                                .nline = f->nline,
                                .end = &f->end,
                                .confidence = f->o->confidence,
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
  CR_TRY(save_blueprint(f, error));
  return save_model(f, error);
}

// ---- the run

static cr_status set_up(cr_runs_fit* f, cr_error* error) {
  CR_TRY(f->ranks.rank == 0 ? cr_fit_setup_check_save(f, error) : CR_OK);
  CR_TRY(cr_fit_setup(f, error));
  return name_files(f, error);
}

static cr_status search(cr_runs_fit* f, cr_error* error) {
  cr_status status = cr_fit_search(f, error);
  if (status == CR_ERR_ARG && !f->o->resume) {
    (void)unlink(
        f->saving.path);  // what was asked for is not possible: there is nothing to go on with
  }
  if (status != CR_ERR_INTERRUPTED) {
    return status;
  }
  CR_TRY(cr_ranks_agree(&f->ranks, cr_fit_saving_settle(&f->saving, error), error));
  return cri_fail(error, CR_ERR_INTERRUPTED,
                  "interrupted; what was searched is saved in %s, and --resume goes on", f->folder);
}

// where it does not come to its end, --resume has the end of the search
static cr_status answer(cr_runs_fit* f, int* code, cr_error* error) {
  cr_status status = cr_fit_lines_find(f, error);
  if (status == CR_OK) {
    status = finish(f, code, error);
  }
  if (status != CR_OK && cr_fit_saving_settle(&f->saving, NULL) == CR_OK &&
      status == CR_ERR_INTERRUPTED) {
    return cri_fail(error, status,
                    "interrupted while intervals by profile were searched; the search is saved in "
                    "%s, and --resume computes the profiles anew",
                    f->folder);
  }
  return status;
}

static cr_status run(cr_runs_fit* f, int* code, cr_error* error) {
  bool spread;
  CR_TRY(cr_fit_search_check(f->o, &spread, error));
  CR_TRY(spread ? cr_ranks_open(&f->ranks, error) : CR_OK);
  CR_TRY(cr_ranks_agree(&f->ranks, set_up(f, error), error));
  cr_status status = f->ranks.rank == 0 ? cr_fit_setup_claim_anew(f, error) : CR_OK;
  CR_TRY(cr_ranks_agree(&f->ranks, status, error));
  CR_TRY(cr_ranks_agree(&f->ranks, open_saving(f, error), error));
  if (f->ranks.rank == 0) {
    cr_fit_setup_forget(f);
  }
  CR_TRY(search(f, error));
  status = f->ranks.rank == 0 ? answer(f, code, error) : CR_OK;
  CR_TRY(cr_ranks_agree(&f->ranks, status, error));
  (void)unlink(f->saving.path);
  return cr_ranks_tell(&f->ranks, code, error);
}

cr_status cr_fit_runs(const cr_fit_runs_options* o, bool (*stop)(void* context), int* code,
                      cr_error* error) {
  cr_runs_fit f = {.o = o,
                   .stop = stop,
                   .ranks = {.size = 1},
                   .progress = cri_progress_begin(),
                   .saving = {.kind = "fit"}};
  cr_status status = run(&f, code, error);
  cri_progress_end(&f.progress);
  cr_fit_setup_free(&f);
  cr_fit_saving_free(&f.saving);
  cr_ranks_close(&f.ranks);
  if (status != CR_OK && f.ranks.rank > 0) {  // rank 0 says it
    *code = cr_status_exit_code(status);
    return CR_OK;
  }
  return status;
}
