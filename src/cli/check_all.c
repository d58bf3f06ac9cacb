// SPDX-License-Identifier: Apache-2.0
#include "cli/check_all.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/locale.h"
#include "carom/check.h"
#include "command/model_list.h"
#include "command/output.h"
#include "command/processes.h"
#include "tools/clock.h"
#include "tools/files.h"
#include "tools/progress.h"

// ---- a row

typedef enum { ROW_NONE, ROW_PASSED, ROW_FAILED, ROW_REFUSED, ROW_FRAGMENT, ROW_NO_MODEL } row_kind;

static const char* const kind_names[] = {"",        "passed",   "FAILED",
                                         "refused", "fragment", "MuJoCo refuses"};

typedef struct {
  row_kind kind;
  int nv;
  bool measured;
  double parity, gradient, dot;
  int kinks, samples;  // kinks: with entries lost in round-off
  double times[4];     // us: mj_step, step, step_vjp, mjd_transitionFD
  double seconds;      // of the check
  char reason[512];
} row;

typedef struct {
  const cr_check_all_options* o;
  cr_model_list list;
  row* rows;
  int printed, done;
  int width;  // of the names
  cr_progress progress;
} run;

// ---- in a process of its own

static void copy_results(row* r, const cr_check_result* c) {
  r->measured = c->nv > 0;
  r->parity = c->parity;
  r->gradient = c->gradient;
  r->dot = c->dot_product;
  r->kinks = c->kinks + c->lost;
  r->samples = c->samples;
  const double times[4] = {c->mj_step_us, c->step_us, c->step_vjp_us, c->transition_us};
  memcpy(r->times, times, sizeof times);
}

// MuJoCo's sentences begin with the path, which the table has anyway
static const char* without_path(const char* text, const char* path) {
  size_t n = strlen(path);
  return strncmp(text, path, n) == 0 && text[n] == ':' ? text + n + 1 + (text[n + 1] == ' ') : text;
}

// removes the folder of the models too
static void cut_out(char* text, const char* folder) {
  size_t n = strlen(folder);
  for (char* at = text; n > 0 && (at = strstr(at, folder)) != NULL;) {
    size_t skip = n + (at[n] == '/');
    memmove(at, at + skip, strlen(at + skip) + 1);
  }
}

static void explain(row* r, const cr_check* check, const cr_check_result* c, const char* path,
                    cr_status status, const cr_error* error) {
  const cr_load_report* report = cr_check_get_report(check);
  int refused = cr_load_report_count(report, CR_LOAD_UNSUPPORTED);
  const char* first = cr_load_report_get(report, CR_LOAD_UNSUPPORTED, 0);
  if (c->passed && c->nv == 0) {
    (void)snprintf(r->reason, sizeof r->reason, "nothing in it moves");
  } else if (c->passed) {
    r->reason[0] = 0;
  } else if (status == CR_ERR_UNSUPPORTED && refused > 1) {
    (void)snprintf(r->reason, sizeof r->reason, "%.400s (and %d more)", first, refused - 1);
  } else if (status == CR_ERR_UNSUPPORTED && refused == 1) {
    (void)snprintf(r->reason, sizeof r->reason, "%.400s", first);
  } else if (status != CR_OK) {
    (void)snprintf(r->reason, sizeof r->reason, "%s", without_path(error->text, path));
  } else {
    (void)snprintf(r->reason, sizeof r->reason, "%s", c->why);
  }
}

static void check_one(void* context, int i, void* result) {
  const run* all = context;
  row* r = result;
  cr_error error = {0};
  double start = cri_seconds();
  cr_check* check = NULL;
  if (cr_check_create(&check, &error) != CR_OK) {
    return;
  }
  const cr_check_options options = {
      .size = sizeof options, .states = all->o->states, .seed = all->o->seed};
  const char* path = all->list.file[i].path;
  cr_check_result c = {.size = sizeof c};
  cr_status status = cr_check_run(check, path, &options, &error);
  (void)cr_check_get_result(check, &c, NULL);
  r->nv = c.nv;
  r->kind = c.passed                       ? ROW_PASSED
            : !c.opened                    ? ROW_NO_MODEL
            : status == CR_ERR_UNSUPPORTED ? ROW_REFUSED
                                           : ROW_FAILED;
  if (status == CR_OK) {
    copy_results(r, &c);
  }
  explain(r, check, &c, path, status, &error);
  cut_out(r->reason, all->o->path);
  r->seconds = cri_seconds() - start;
  cr_check_destroy(check);
}

// ---- output

static void print_row(const run* all, int i) {
  const row* r = &all->rows[i];
  (void)printf("%-*s %4d %-14s", all->width, all->list.file[i].name, r->nv, kind_names[r->kind]);
  if (r->measured) {
    (void)printf(" %8.1e %8.1e %8.1e %6d/%-6d %8.1f %8.1f %8.1f %9.0f", r->parity, r->gradient,
                 r->dot, r->kinks, r->samples, r->times[0], r->times[1], r->times[2], r->times[3]);
  }
  (void)printf("%s%s\n", r->reason[0] != 0 ? "  " : "", r->reason);
  (void)fflush(stdout);
}

// a file that is no model by itself: another one includes it, or its outermost element shows it
static void find_fragment(row* r, const cr_model_file* f) {
  bool still = r->kind == ROW_PASSED && r->nv == 0;
  bool mjcf = strcmp(f->root, "mujoco") == 0 || strcmp(f->root, "robot") == 0;
  if (r->kind != ROW_NO_MODEL && !still) {
    return;
  }
  if (f->parent != NULL) {
    r->kind = ROW_FRAGMENT;
    (void)snprintf(r->reason, sizeof r->reason, "included by %s", f->parent);
  } else if (!mjcf && f->root[0] != 0) {
    r->kind = ROW_FRAGMENT;
    (void)snprintf(r->reason, sizeof r->reason, "its outermost element is %s", f->root);
  }
}

static void take_row(void* context, int i, const void* result, const char* why) {
  run* all = context;
  row* r = &all->rows[i];
  if (result != NULL) {
    memcpy(r, result, sizeof *r);
  }
  if (r->kind == ROW_NONE) {
    r->kind = ROW_FAILED;
    (void)snprintf(r->reason, sizeof r->reason, "%s", why);
  }
  find_fragment(r, &all->list.file[i]);
  while (all->printed < all->list.n && all->rows[all->printed].kind != ROW_NONE) {
    print_row(all, all->printed++);
  }
  all->done++;
  if (cri_progress_due(&all->progress)) {
    char text[64];
    (void)snprintf(text, sizeof text, "%d of %d models", all->done, all->list.n);
    cri_progress_left(&all->progress, text, cri_seconds() - all->progress.start,
                      (double)all->done / all->list.n, "");
  }
}

// ---- files

typedef struct {
  char* text;
  size_t n;
  bool failed;
} buffer;

__attribute__((format(printf, 2, 3))) static void put(buffer* b, const char* format, ...) {
  char line[4096];
  va_list arguments;
  va_start(arguments, format);
  int n = cri_print_list(line, sizeof line, format, arguments);
  va_end(arguments);
  char* grown = n < 0 ? NULL : realloc(b->text, b->n + (size_t)n + 1);
  if (grown == NULL || (size_t)n >= sizeof line) {
    b->failed = true;
    b->text = grown != NULL ? grown : b->text;
    return;
  }
  memcpy(grown + b->n, line, (size_t)n + 1);
  b->text = grown;
  b->n += (size_t)n;
}

// text as a cell: quotes doubled in CSV, bars and pointed brackets escaped in Markdown
static const char* cell(char out[1200], const char* text, bool csv) {
  char* to = out;
  for (; *text != 0 && to < out + 1190; text++) {
    bool special = csv ? *text == '"' : strchr("|<*_", *text) != NULL;
    if (special) {
      *to++ = csv ? '"' : '\\';
    }
    *to++ = *text == '\n' ? ' ' : *text;
  }
  *to = 0;
  return out;
}

static void put_csv(buffer* b, const run* all) {
  char name[1200], reason[1200];
  put(b,
      "model,nv,result,parity,gradient,dot_product,kinks,samples,mj_step_us,step_us,step_vjp_us,"
      "mjd_transitionFD_us,seconds,reason\n");
  for (int i = 0; i < all->list.n; i++) {
    const row* r = &all->rows[i];
    put(b, "\"%s\",%d,%s,", cell(name, all->list.file[i].name, true), r->nv, kind_names[r->kind]);
    if (r->measured) {
      put(b, "%.3e,%.3e,%.3e,%d,%d,%.2f,%.2f,%.2f,%.1f,", r->parity, r->gradient, r->dot, r->kinks,
          r->samples, r->times[0], r->times[1], r->times[2], r->times[3]);
    } else {
      put(b, ",,,,,,,,,");
    }
    put(b, "%.1f,\"%s\"\n", r->seconds, cell(reason, r->reason, true));
  }
}

static void put_markdown(buffer* b, const run* all) {
  char name[1200], reason[1200];
  put(b,
      "| model | nv | result | parity | gradient | dot product | kinks | mj_step | step | vjp | FD "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < all->list.n; i++) {
    const row* r = &all->rows[i];
    put(b, "| %s | %d | %s%s%s |", cell(name, all->list.file[i].name, false), r->nv,
        kind_names[r->kind], r->reason[0] != 0 ? ": " : "", cell(reason, r->reason, false));
    if (r->measured) {
      put(b, " %.1e | %.1e | %.1e | %d of %d | %.1f | %.1f | %.1f | %.0f |\n", r->parity,
          r->gradient, r->dot, r->kinks, r->samples, r->times[0], r->times[1], r->times[2],
          r->times[3]);
    } else {
      put(b, " | | | | | | | |\n");
    }
  }
}

static cr_status write_table(const run* all, const char* path, void (*print)(buffer*, const run*),
                             cr_error* error) {
  if (path == NULL) {
    return CR_OK;
  }
  buffer b = {0};
  print(&b, all);
  cr_status status = b.failed ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory for it", path)
                              : cri_file_write(path, b.text, b.n, error);
  free(b.text);
  return status;
}

static void print_header(const run* all) {
  (void)printf("%-*s %4s %-14s %8s %8s %8s %13s %8s %8s %8s %9s\n", all->width, "model", "nv",
               "result", "parity", "gradient", "dot", "kinks/of", "mj_step", "step", "vjp", "FD");
}

// number of each kind; returns how many failed
static int print_sum(const run* all) {
  int n[sizeof kind_names / sizeof kind_names[0]] = {0};
  for (int i = 0; i < all->list.n; i++) {
    n[all->rows[i].kind]++;
  }
  (void)printf(
      "\n%d files: %d passed, %d FAILED, %d refused, %d fragments, %d that MuJoCo refuses\n",
      all->list.n, n[ROW_PASSED], n[ROW_FAILED], n[ROW_REFUSED], n[ROW_FRAGMENT], n[ROW_NO_MODEL]);
  return n[ROW_FAILED];
}

// ---- all of it

enum { LIMIT = 600 };

static int processors(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (n > CR_MAX_PROCESSES ? CR_MAX_PROCESSES : (int)n);
}

static cr_status run_all(run* all, int* failed, cr_error* error) {
  const cr_check_all_options* o = all->o;
  for (int i = 0; i < all->list.n; i++) {
    int n = (int)strlen(all->list.file[i].name);
    all->width = n > all->width ? n : all->width;
  }
  const cr_processes processes = {.njob = all->list.n,
                                  .at_once = o->jobs > 0 ? o->jobs : processors(),
                                  .limit = o->limit > 0 ? o->limit : LIMIT,
                                  .nbyte = sizeof(row),
                                  .context = all,
                                  .work = check_one,
                                  .done = take_row};
  print_header(all);
  all->progress = cri_progress_begin();
  cr_status status = cr_processes_run(&processes, error);
  cri_progress_end(&all->progress);
  CR_TRY(status);
  *failed = print_sum(all);
  CR_TRY(write_table(all, o->csv, put_csv, error));
  CR_TRY(write_table(all, o->markdown, put_markdown, error));
  cr_output_tell(o->csv);
  cr_output_tell(o->markdown);
  return CR_OK;
}

cr_status cr_check_all(const cr_check_all_options* o, int* failed, cr_error* error) {
  run all = {.o = o};
  *failed = 0;
  if (o->jobs > CR_MAX_PROCESSES) {
    return cri_fail(error, CR_ERR_ARG, "--jobs %d: 1 to %d expected", o->jobs, CR_MAX_PROCESSES);
  }
  CR_TRY(cr_output_check("--csv", o->csv, "csv", o->force, error));
  CR_TRY(cr_output_check("--markdown", o->markdown, "md", o->force, error));
  CR_TRY(cr_model_list_make(&all.list, o->path, error));
  all.rows = calloc((unsigned)all.list.n, sizeof *all.rows);
  cr_status status = all.rows == NULL ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", o->path)
                                      : run_all(&all, failed, error);
  free(all.rows);
  cr_model_list_free(&all.list);
  return status;
}
