// SPDX-License-Identifier: Apache-2.0
// A fit of measured runs as its parts see it, and how it is set up from what the command was given.
#ifndef CR_RUNS_FIT_SETUP_H
#define CR_RUNS_FIT_SETUP_H

#include "carom/carom.h"
#include "command/ranks.h"
#include "fit/estimates.h"
#include "fit/fit_report.h"
#include "fit/fit_saving.h"
#include "runs/fit_runs.h"
#include "tools/files.h"
#include "tools/progress.h"

typedef struct {
  const cr_fit_runs_options* o;
  cr_model* m;
  cr_load_report* report;
  cr_adaptive adaptive;  // atol 0: steps of one length
  cr_measurements* measurements;
  cr_estimates estimates;
  cr_parameters* parameters;
  cr_identification* id;
  char folder[CR_MAX_PATH];
  int claim;
  bool claimed;
  cr_real* x;          // of the search
  cr_fit_line* lines;  // of the report; before the search only starts
  int nline;
  int* profiled;      // the number of x whose profile gives line i its interval, or -1
  const char* doing;  // of progress, NULL: the search
  int nprofile, profiles_done;
  double profiles_begin;
  // of the time that is left: the last step and its cost, the first fall of the cost in its round (log10 of its part) and when
  int step;
  double cost, first_fall, first_time;
  cr_search_end end;
  cr_progress progress;
  bool (*stop)(void* context);
  cr_ranks ranks;
  cr_fit_saving saving;
  bool quiet;  // warnings of the model are told already
  bool many;   // several identifications are at work: none shows its steps
} cr_runs_fit;

/// Names f->folder: --out, or fit_<name of the configuration or model>.
cr_status cr_fit_setup_folder(cr_runs_fit* f, cr_error* error);

/// The folder is there, and no other run writes to it until cr_fit_setup_free.
cr_status cr_fit_setup_claim(cr_runs_fit* f, cr_error* error);

/// The same, where nothing in it is lost that was not given up: results of an earlier run, or the file of an interrupted one, need
/// --force or --resume. --resume needs that file.
cr_status cr_fit_setup_claim_anew(cr_runs_fit* f, cr_error* error);

/// Removes result.json: what an earlier run found is not what this one finds.
void cr_fit_setup_forget(const cr_runs_fit* f);

/// Before much work: --save can be written, and not over what was read.
cr_status cr_fit_setup_check_save(const cr_runs_fit* f, cr_error* error);

/// Writes a model that was found to --save: as MuJoCo's file by its ending, or as Carom's.
cr_status cr_fit_setup_save(const cr_runs_fit* f, const cr_model* m, cr_error* error);

/// The model alone, with its corrections and options of the integrator.
cr_status cr_fit_setup_model(cr_runs_fit* f, cr_error* error);

/// Model, runs, parameters and identification of f->o; nothing is written.
cr_status cr_fit_setup(cr_runs_fit* f, cr_error* error);
void cr_fit_setup_free(cr_runs_fit* f);

/// An identification of its own, with parameters of its own, for another thread or rank.
/// Owner    the caller
cr_status cr_fit_setup_identification(cr_runs_fit* f, int nthread, cr_parameters** parameters,
                                      cr_identification** identification, cr_error* error);

#endif
