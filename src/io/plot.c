// SPDX-License-Identifier: Apache-2.0
// gnuplot scripts.
#include "io/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files.h"

// the process's environment, which gnuplot needs for fonts and PATH
extern char** environ;

enum { ROOM = 1 << 16 };

typedef struct {
  char text[ROOM];
  size_t n;
} script;

static void print(script* s, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void print(script* s, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(s->text + s->n, ROOM - s->n, format, arguments);
  va_end(arguments);
  s->n = n > 0 && s->n + (size_t)n < ROOM ? s->n + (size_t)n : ROOM - 1;
}

static void print_panel(script* s, const char* csv, const cr_panel* p) {
  print(s, "\nset ylabel '%s'\n%s logscale y\n", p->title, p->log_scale ? "set" : "unset");
  print(s, "plot '%s' using 1:'%s' with lines lw 2 lc rgb '#1f4e79' title '%s'", csv, p->column,
        p->title);
  if (!isnan(p->line)) {
    print(s, ", \\\n     %.9g with lines dashtype 2 lc rgb '#b03a2e' title '%s %.6g'", p->line,
          p->line_title, p->line);
  }
  print(s, "\n");
}

static void print_script(script* s, const char* csv, const char* title, const cr_panel* panels,
                         int npanel) {
  print(s, "# run in this folder: gnuplot plot.gp\n");
  print(s, "set terminal pngcairo noenhanced size 900,%d font 'sans,11'\n", 120 + 280 * npanel);
  print(s, "set output 'plot.png'\nset datafile separator ','\nset datafile missing 'nan'\n");
  print(s,
        "set datafile columnheaders\nset grid\nset key above\nset lmargin 12\nset xlabel "
        "'evaluation'\n");
  print(s, "set multiplot layout %d,1 title '%s'\n", npanel, title);
  for (int i = 0; i < npanel; i++) {
    print_panel(s, csv, &panels[i]);
  }
  print(s, "unset multiplot\n");
}

// cd 'folder', where gnuplot wants a quote twice
static void print_cd(char command[2 * CR_MAX_PATH + 8], const char* folder) {
  size_t n = (size_t)snprintf(command, 8, "cd '");
  for (const char* c = folder; *c != 0 && n < 2 * CR_MAX_PATH; c++) {
    command[n++] = *c;
    if (*c == '\'') {
      command[n++] = *c;
    }
  }
  (void)snprintf(command + n, 8, "'");
}

// gnuplot, silent, in the folder
static cr_status run(const char* folder, cr_error* error) {
  char command[2 * CR_MAX_PATH + 8];
  print_cd(command, folder);
  char* const arguments[] = {"gnuplot", "-e", command, "plot.gp", NULL};
  posix_spawn_file_actions_t files;
  pid_t process;
  int state = 0;
  (void)posix_spawn_file_actions_init(&files);
  (void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  (void)posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  int failed = posix_spawnp(&process, "gnuplot", &files, NULL, arguments, environ);
  (void)posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    return cri_fail(error, CR_ERR_FILE, "no plot: gnuplot cannot be started: %s", strerror(failed));
  }
  while (waitpid(process, &state, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
    return cri_fail(error, CR_ERR_FILE, "no plot: gnuplot failed on %s/plot.gp", folder);
  }
  return CR_OK;
}

cr_status cri_plot(const char* folder, const char* csv, const char* title, const cr_panel* panels,
                   int npanel, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, folder, "plot.gp", error));
  script* s = calloc(1, sizeof *s);
  if (s == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no plot: no memory");
  }
  print_script(s, csv, title, panels, npanel);
  cr_status status = cri_file_write(path, s->text, s->n, error);
  free(s);
  CR_TRY(status);
  return run(folder, error);
}
