// SPDX-License-Identifier: Apache-2.0
// Notes and claims of a study.
#include "notebook/notebook.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/locale.h"
#include "carom/base.h"

// ---- beginning and end

// the settings that decide the numbers, for --resume
static void print_settings(const cr_study_request* r, char* text, size_t room) {
  (void)snprintf(text, room, "study %s\nshort %d\ndata %s\nversion %s\n", r->name, r->brief,
                 r->data != NULL ? r->data : "made", cr_version());
}

static cr_status check_settings(cr_notebook* book, cr_error* error) {
  char path[CR_MAX_PATH], settings[2 * CR_MAX_PATH];
  CR_TRY(cri_path_join(path, book->folder, "settings.txt", error));
  print_settings(&book->request, settings, sizeof settings);
  if (!book->request.resume) {
    return cri_file_write(path, settings, strlen(settings), error);
  }
  char* found;
  size_t n;
  CR_TRY(cri_file_read(path, &found, &n, error));
  bool same = strcmp(found, settings) == 0;
  free(found);
  return same ? CR_OK
              : cri_fail(error, CR_ERR_ARG,
                         "%s: the settings are not those of this study; leave out --resume to "
                         "begin again",
                         path);
}

cr_status cri_notebook_begin(cr_notebook* book, const cr_study_request* request, cr_error* error) {
  *book = (cr_notebook){.request = *request};
  if (request->threads < 0 || request->threads > 1024) {
    return cri_fail(error, CR_ERR_ARG, "--threads %d: 0 (all processors) to 1024 expected",
                    request->threads);
  }
  CR_TRY(cri_path_join(book->folder, "", request->folder, error));
  CR_TRY(cri_folder_make(book->folder, error));
  CR_TRY(cri_folder_claim(book->folder, &book->claim, error));
  book->claimed = true;
  CR_TRY(check_settings(book, error));
  CR_TRY(cr_pool_create(&book->pool, request->threads, error));
  book->progress = cri_progress_begin();
  return CR_OK;
}

void cri_notebook_free(cr_notebook* book) {
  cr_pool_free(book->pool);
  free(book->text);
  if (book->claimed) {
    (void)close(book->claim);
  }
  *book = (cr_notebook){0};
}

cr_status cri_notebook_stopped(const cr_notebook* book, cr_error* error) {
  bool stop = book->request.stop != NULL && book->request.stop();
  return stop ? cri_fail(error, CR_ERR_INTERRUPTED, "interrupted; continue with --resume") : CR_OK;
}

// ---- notes and claims

// appends a line of at most a few hundred characters
static void append(cr_notebook* book, const char* line) {
  size_t n = strlen(line);
  if (book->length + n + 1 > book->room) {
    size_t room = 2 * book->room + n + 1024;
    char* text = realloc(book->text, room);
    if (text == NULL) {
      book->failed = true;
      return;
    }
    book->text = text;
    book->room = room;
  }
  (void)memcpy(book->text + book->length, line, n + 1);
  book->length += n;
}

void cri_say(cr_notebook* book, const char* format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)cri_print_list(line, sizeof line, format, arguments);
  va_end(arguments);
  append(book, line);
}

void cri_claim(cr_notebook* book, double ours, double low, double high, const char* published,
               const char* what, ...) {
  if (book->nclaim == CR_MAX_CLAIMS) {
    book->failed = true;
    return;
  }
  cr_claim* c = &book->claims[book->nclaim++];
  *c = (cr_claim){.ours = ours, .low = low, .high = high};
  (void)snprintf(c->published, sizeof c->published, "%s", published);
  va_list arguments;
  va_start(arguments, what);
  (void)cri_print_list(c->what, sizeof c->what, what, arguments);
  va_end(arguments);
}

static bool holds(const cr_claim* c) { return c->ours >= c->low && c->ours <= c->high; }

bool cri_notebook_holds(const cr_notebook* book) {
  for (int i = 0; i < book->nclaim; i++) {
    if (!holds(&book->claims[i])) {
      return false;
    }
  }
  return book->nclaim > 0;
}

// ---- report

static void print_range(const cr_claim* c, char* text, size_t room) {
  if (isinf(c->low)) {
    (void)snprintf(text, room, "at most %.9g", c->high);
  } else if (isinf(c->high)) {
    (void)snprintf(text, room, "at least %.9g", c->low);
  } else if (c->low == c->high) {
    (void)snprintf(text, room, "exactly %.9g", c->low);
  } else {
    (void)snprintf(text, room, "%.9g ... %.9g", c->low, c->high);
  }
}

static void add_claims(cr_notebook* book) {
  append(book, "\n");
  for (int i = 0; i < book->nclaim; i++) {
    const cr_claim* c = &book->claims[i];
    char range[64];
    print_range(c, range, sizeof range);
    cri_say(book, "  %-3s %-62s %14.8g   must be %s%s%s\n", holds(c) ? "ok" : "NO", c->what,
            c->ours, range, c->published[0] != 0 ? "; published: " : "", c->published);
  }
  cri_say(book, "\n%s\n",
          cri_notebook_holds(book) ? "All of this holds." : "NOT all of this holds.");
}

static void put_result(const cr_notebook* book, cr_json* j) {
  cr_json_open(j, NULL, '{');
  cr_json_string(j, "study", book->request.name);
  cr_json_bool(j, "short", book->request.brief);
  cr_json_string(j, "output", book->folder);
  cr_json_open(j, "claims", '[');
  for (int i = 0; i < book->nclaim; i++) {
    const cr_claim* c = &book->claims[i];
    cr_json_open(j, NULL, '{');
    cr_json_string(j, "what", c->what);
    cr_json_real(j, "ours", (cr_real)c->ours);
    cr_json_real(j, "low", (cr_real)c->low);
    cr_json_real(j, "high", (cr_real)c->high);
    cr_json_string(j, "published", c->published);
    cr_json_bool(j, "holds", holds(c));
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
  cr_json_real(j, "seconds", (cr_real)(cri_seconds() - book->progress.start));
  cr_json_bool(j, "passed", cri_notebook_holds(book));
  cr_json_close(j, '}');
}

cr_status cri_notebook_finish(cr_notebook* book, char** report, cr_json* j, cr_error* error) {
  char path[CR_MAX_PATH];
  add_claims(book);
  put_result(book, j);
  if (book->failed || j->failed) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for the report", book->folder);
  }
  CR_TRY(cri_path_join(path, book->folder, "report.txt", error));
  CR_TRY(cri_file_write(path, book->text, book->length, error));
  CR_TRY(cri_path_join(path, book->folder, "result.json", error));
  CR_TRY(cri_file_write(path, j->text, j->length, error));
  *report = book->text;
  book->text = NULL;
  return CR_OK;
}
