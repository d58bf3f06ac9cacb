// SPDX-License-Identifier: Apache-2.0
// gnuplot scripts.
#include "tools/plot.h"

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

#include "base/locale.h"
#include "tools/files.h"

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
  int n = cri_print_list(s->text + s->n, ROOM - s->n, format, arguments);
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

// cd 'folder'; gnuplot wants a quote twice
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
static cr_status run(const char* folder, char* file, cr_error* error) {
  char command[2 * CR_MAX_PATH + 8];
  print_cd(command, folder);
  char* const arguments[] = {"gnuplot", "-e", command, file, NULL};
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
    return cri_fail(error, CR_ERR_FILE, "no plot: gnuplot failed on %s/%s", folder, file);
  }
  return CR_OK;
}

// the script into folder/<file>, and gnuplot on it; frees the script
static cr_status draw(script* s, const char* folder, char* file, cr_error* error) {
  char path[CR_MAX_PATH];
  cr_status status = cri_path_join(path, folder, file, error);
  if (status == CR_OK && s->n == ROOM - 1) {
    status = cri_fail(error, CR_ERR_MEMORY, "no plot: %s is too long", path);
  }
  status = status == CR_OK ? cri_file_write(path, s->text, s->n, error) : status;
  free(s);
  return status == CR_OK ? run(folder, file, error) : status;
}

cr_status cri_plot(const char* folder, const char* csv, const char* title, const cr_panel* panels,
                   int npanel, cr_error* error) {
  char file[] = "plot.gp";
  script* s = calloc(1, sizeof *s);
  if (s == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no plot: no memory");
  }
  print_script(s, csv, title, panels, npanel);
  return draw(s, folder, file, error);
}

// ---- charts

static void print_curve(script* s, const cr_curve* c, bool sizes, int k) {
  static const char* const colours[] = {"#1f4e79", "#c0504d", "#5b9c3a", "#e08a1e", "#7a4fa3",
                                        "#2a9d9d", "#8c6d46", "#d16ba5", "#7f7f7f", "#b5b800",
                                        "#000000", "#4aa3ff", "#ff6f3c", "#5e2ca5"};
  static const char* const styles[] = {"lines lw 2", "lines lw 2 dashtype 2",
                                       "filledcurves fs transparent solid 0.25 noborder",
                                       "points ps 0.8", "linespoints lw 1 ps 0.8"};
  static const int marks[] = {7, 5, 9, 11, 13, 6, 4, 8, 10, 12};
  const char* colour = colours[k % (int)(sizeof colours / sizeof colours[0])];
  int mark = marks[k % (int)(sizeof marks / sizeof marks[0])];
  print(s, "%s'%s' using ", k > 0 ? ", \\\n     " : "plot ", c->csv);
  if (c->only == NULL) {
    print(s, "'%s':", c->x);
  } else {
    print(s, "(column('%s') == %.9g ? column('%s') : NaN):", c->only, c->value, c->x);
  }
  const char* comma = c->style == CR_CURVE_BAND ? strchr(c->y, ',') : NULL;
  if (comma != NULL) {
    print(s, sizes ? "(abs(column('%.*s'))):" : "'%.*s':", (int)(comma - c->y), c->y);
  }
  print(s, sizes ? "(abs(column('%s')))" : "'%s'", comma != NULL ? comma + 1 : c->y);
  print(s, " with %s", styles[c->style]);
  if (c->style >= CR_CURVE_POINTS) {
    print(s, " pt %d", mark);
  }
  print(s, " lc rgb '%s' title '%s'", colour, c->title);
}

static void print_chart(script* s, const cr_chart* c) {
  print(s, "\nset xlabel '%s'\nset ylabel '%s'\n", c->xlabel, c->ylabel);
  print(s, "%s logscale x\n%s logscale y\nset yrange [", c->log_x ? "set" : "unset",
        c->log_y ? "set" : "unset");
  isnan(c->low) ? print(s, "*:") : print(s, "%.9g:", c->low);
  isnan(c->high) ? print(s, "*]\n") : print(s, "%.9g]\n", c->high);
  for (int k = 0; k < c->ncurve; k++) {
    print_curve(s, &c->curves[k], c->log_y, k);
  }
  print(s, "\n");
}

cr_status cri_charts(const char* folder, const char* name, const char* title,
                     const cr_chart* charts, int nchart, int columns, cr_error* error) {
  char file[64];
  int rows = (nchart + columns - 1) / columns;
  script* s = calloc(1, sizeof *s);
  if (s == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no plot: no memory");
  }
  (void)snprintf(file, sizeof file, "%s.gp", name);
  print(s, "# run in this folder: gnuplot %s\n", file);
  print(s, "set terminal pngcairo noenhanced size %d,%d font 'sans,9'\n", 60 + 620 * columns,
        60 + 400 * rows);
  print(s, "set output '%s.png'\nset datafile separator ','\nset datafile missing 'nan'\n", name);
  print(s, "set datafile columnheaders\nset grid\nset key above\nset format y '%%g'\n");
  print(s, "set multiplot layout %d,%d title '%s'\n", rows, columns, title);
  for (int i = 0; i < nchart; i++) {
    print_chart(s, &charts[i]);
  }
  print(s, "unset multiplot\n");
  return draw(s, folder, file, error);
}
