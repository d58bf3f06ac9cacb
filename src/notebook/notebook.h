// SPDX-License-Identifier: Apache-2.0
// State of a study while it runs: the folder of its results, its report, and its claims. A claim
// is a figure with the range it must lie in and the published one beside it.
#ifndef CR_STUDY_NOTEBOOK_H
#define CR_STUDY_NOTEBOOK_H

#include "base/pool.h"
#include "base/real.h"
#include "tools/files.h"
#include "tools/json.h"
#include "tools/progress.h"

/// The user's options. The texts are borrowed.
typedef struct {
  const char* name;    // of the study
  const char* folder;  // of its results
  const char* data;    // recorded data; NULL: the study makes its own
  bool brief;          // a small part of it, enough to see that it works
  bool resume;         // continue from the tables in the folder
  int threads;         // 0: all processors
  bool (*stop)(void);  // called now and then, may be NULL; true ends the study
} cr_study_request;

enum { CR_MAX_CLAIMS = 64, CR_CLAIM_TEXT = 96 };

typedef struct {
  char what[CR_CLAIM_TEXT], published[CR_CLAIM_TEXT];
  double ours, low, high;
} cr_claim;

typedef struct {
  cr_study_request request;
  char folder[CR_MAX_PATH];
  int claim;  // see cri_folder_claim
  bool claimed;
  cr_pool* pool;
  cr_progress progress;
  cr_claim claims[CR_MAX_CLAIMS];
  int nclaim;
  char* text;  // the report so far
  size_t length, room;
  bool failed;  // no memory for text or claims
} cr_notebook;

/// Makes the folder, starts the threads. With resume, settings of the study in the folder must be the
/// same. Free with cri_notebook_free, also after an error.
/// Errors   CR_ERR_FILE; CR_ERR_ARG if there is nothing to resume, or something else
cr_status cri_notebook_begin(cr_notebook* book, const cr_study_request* request, cr_error* error);

void cri_notebook_free(cr_notebook* book);

/// Adds to the report.
void cri_say(cr_notebook* book, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Claims that low <= ours <= high; infinite bounds are open. `published` may be "".
void cri_claim(cr_notebook* book, double ours, double low, double high, const char* published,
               const char* what, ...) __attribute__((format(printf, 6, 7)));

/// True if all claims hold, and there is one.
bool cri_notebook_holds(const cr_notebook* book);

/// CR_ERR_INTERRUPTED if the user wants to stop.
cr_status cri_notebook_stopped(const cr_notebook* book, cr_error* error);

/// Writes report.txt and result.json. The caller frees *report and *json.
cr_status cri_notebook_finish(cr_notebook* book, char** report, cr_json* json, cr_error* error);

#endif
