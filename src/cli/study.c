// SPDX-License-Identifier: Apache-2.0
// carom study: published experiments, repeated.
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/commands.h"
#include "command/options.h"
#include "command/setup.h"
#include "study/studies.h"

// ---- Ctrl-C: finish the round of rows, save, leave

static atomic_int interrupted;

static void interrupt(int signal_number) {
  (void)signal_number;
  atomic_store(&interrupted, 1);
}

static bool stop(void) { return atomic_load(&interrupted) != 0; }

static void catch_signals(void) {
  // a second Ctrl-C ends the process at once
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
  (void)sigemptyset(&action.sa_mask);
  struct sigaction before;
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGTERM, &action, NULL);
  // with nohup a closing terminal is ignored
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
    (void)sigaction(SIGHUP, &action, NULL);
  }
}

// ---- the command

typedef struct {
  const char *name, *output, *data;
  int threads;
  bool brief, resume, force, json;
} study_options;

static cr_status find(const study_options* o, const cr_study** study, cr_error* error) {
  *study = cri_study_find(o->name);
  if (*study == NULL) {
    char names[256] = "";
    for (int i = 0; cri_study_at(i) != NULL; i++) {
      size_t n = strlen(names);
      (void)snprintf(names + n, sizeof names - n, "%s%s", i > 0 ? ", " : "", cri_study_at(i)->name);
    }
    cri_nearest nearest;
    cri_nearest_begin(&nearest, o->name, strlen(o->name));
    for (int i = 0; cri_study_at(i) != NULL; i++) {
      cri_nearest_offer(&nearest, cri_study_at(i)->name);
    }
    bool near = nearest.name[0] != 0;
    return cri_fail(error, CR_ERR_NAME, "there is no study '%s'%s%s", o->name,
                    near ? cri_nearest_hint(&nearest) : "; known: ", near ? "" : names);
  }
  return o->data == NULL || (*study)->takes_data
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "--data: the study '%s' takes no recorded data",
                        o->name);
}

// the results of an earlier run stay, unless they are to be overwritten or gone on with
static cr_status check_folder(const study_options* o, const char* folder, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, folder, "result.json", error));
  return o->force || o->resume || access(path, F_OK) != 0
             ? CR_OK
             : cri_fail(error, CR_ERR_FILE,
                        "%s: holds result.json of an earlier run; --force overwrites it", folder);
}

static cr_status run(const study_options* o, cr_notebook* book, int* code, cr_error* error) {
  const cr_study* study;
  char folder[CR_MAX_PATH], *report = NULL;
  cr_json json = {0};
  CR_TRY(find(o, &study, error));
  (void)snprintf(folder, sizeof folder, "study_%s", study->name);
  const cr_study_request request = {.name = study->name,
                                    .folder = o->output != NULL ? o->output : folder,
                                    .data = o->data,
                                    .brief = o->brief,
                                    .resume = o->resume,
                                    .threads = o->threads,
                                    .stop = stop};
  CR_TRY(check_folder(o, request.folder, error));
  catch_signals();
  CR_TRY(cri_notebook_begin(book, &request, error));
  cr_status status = study->run(book, error);
  cri_progress_end(&book->progress);
  status = status == CR_OK ? cri_notebook_finish(book, &report, &json, error) : status;
  if (status == CR_OK) {
    *code = cri_notebook_holds(book) ? 0 : 1;
    if (o->json) {
      cr_json_finish(&json);
      json = (cr_json){0};
    } else {
      (void)printf("%s\n\n", *code == 0 ? "all claims hold" : "NOT all claims hold");
      (void)printf("%sresults in %s\n", report, book->folder);
    }
  }
  cr_json_free(&json);
  free(report);
  return status;
}

static void print_help(const cr_command_line* line, cr_help form) {
  cr_options_print_help(line, form);
  (void)fputs(form == CR_HELP_ROWS ? "" : "\nstudies:\n", stdout);
  for (int i = 0; cri_study_at(i) != NULL; i++) {
    const cr_study* s = cri_study_at(i);
    if (form == CR_HELP_ROWS) {
      cr_help_row("word", s->name, "", s->summary);
    } else {
      cr_print_wrapped(s->summary, printf("  %-13s ", s->name), 16);
    }
  }
}

int cr_cli_study(int argc, char** argv) {
  study_options o = {0};
  const cr_option rows[] = {
      {"", CR_OPT_TEXT, &o.name, "NAME", "the study, see below"},
      {"--short", CR_OPT_FLAG, &o.brief, "", "a small part of it, in seconds to a minute"},
      {"--output", CR_OPT_TEXT, &o.output, "DIR", "folder of the results (default study_NAME)"},
      {"--data", CR_OPT_TEXT, &o.data, "FILE", "recordings (default: the study makes some)"},
      {"--threads", CR_OPT_INT, &o.threads, "N", "threads (default: all processors)"},
      {"--resume", CR_OPT_FLAG, &o.resume, "", "continue from the tables in the folder"},
      {"--force", CR_OPT_FLAG, &o.force, "", "overwrite the results of an earlier run in DIR"},
      {"--json", CR_OPT_FLAG, &o.json, "", "print one JSON object"},
  };
  const cr_command_line line = {
      "study",
      "Repeats a published experiment. Exit code 0 if its claims hold, 1 if not.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--short --data --output --resume --json",
      {"study toy", "study billiard --short --output billiard"}};
  cr_error error = {0};
  cr_notebook book = {0};
  cr_help help = CR_HELP_NONE;
  int code = 0;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    print_help(&line, help);
  } else if (status == CR_OK) {
    status = run(&o, &book, &code, &error);
  }
  code = status == CR_OK ? code : cr_cli_fail("study", o.json, &error, NULL);
  cri_notebook_free(&book);
  return code;
}
