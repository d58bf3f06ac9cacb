// SPDX-License-Identifier: Apache-2.0
// Parsing of command-line options from their table.
#include "command/options.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/locale.h"
#include "base/nearest.h"

static const cr_option* find(const cr_command_line* line, const char* text, size_t length) {
  for (int i = 0; i < line->noption; i++) {
    const char* name = line->options[i].name;
    if (strlen(name) == length && strncmp(name, text, length) == 0) {
      return &line->options[i];
    }
  }
  return NULL;
}

static cr_status set_number(const cr_option* o, const char* text, cr_error* error) {
  char* end;
  errno = 0;
  if (o->kind == CR_OPT_INT || o->kind == CR_OPT_COUNT) {
    long value = strtol(text, &end, 10);
    if (*text == 0 || *end != 0 || errno != 0 || value < INT_MIN || value > INT_MAX) {
      return cri_fail(error, CR_ERR_ARG, "%s: '%s' is not a whole number", o->name, text);
    }
    if (o->kind == CR_OPT_COUNT && value < 1) {
      return cri_fail(error, CR_ERR_ARG, "%s %ld: at least 1 expected", o->name, value);
    }
    *(int*)o->value = (int)value;
    return CR_OK;
  }
  double value = cri_number(text, &end);
  if (*text == 0 || *end != 0 || errno == ERANGE || value - value != 0) {
    return cri_fail(error, CR_ERR_ARG, "%s: '%s' is not a number", o->name, text);
  }
  if (o->kind == CR_OPT_POSITIVE && !(value > 0)) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: a positive number expected", o->name, text);
  }
  *(double*)o->value = value;
  return CR_OK;
}

cr_status cr_option_set(const cr_option* o, const char* text, cr_error* error) {
  if (o->kind == CR_OPT_TEXT) {
    *(const char**)o->value = text;
    return CR_OK;
  }
  if (o->kind == CR_OPT_LIST) {
    cr_text_list* list = o->value;
    if (list->n == CR_MAX_LIST) {
      return cri_fail(error, CR_ERR_ARG, "%s: more than %d times", o->name, CR_MAX_LIST);
    }
    list->text[list->n++] = text;
    return CR_OK;
  }
  return set_number(o, text, error);
}

static cr_status unknown(const cr_command_line* line, const char* text, size_t length,
                         cr_error* error) {
  cri_nearest nearest;
  cri_nearest_begin(&nearest, text, length);
  for (int i = 0; i < line->noption; i++) {
    cri_nearest_offer(&nearest, line->options[i].name);
  }
  return nearest.name[0] != 0
             ? cri_fail(error, CR_ERR_ARG, "unknown option '%s'%s", text,
                        cri_nearest_hint(&nearest))
             : cri_fail(error, CR_ERR_ARG, "unknown option '%s'; see carom %s --help-all", text,
                        line->command);
}

// `many`: a list goes on until the next option (only once the positional argument is taken)
static cr_status parse_option(const cr_command_line* line, int argc, char** argv, int* at,
                              bool many, cr_error* error) {
  const char* text = argv[*at];
  size_t length = strcspn(text, "=");
  const cr_option* o = find(line, text, length);
  if (o == NULL) {
    return unknown(line, text, length, error);
  }
  if (o->kind == CR_OPT_FLAG) {
    if (text[length] != 0) {
      return cri_fail(error, CR_ERR_ARG, "%s takes no value", o->name);
    }
    *(bool*)o->value = true;
    return CR_OK;
  }
  if (text[length] == '=') {
    return cr_option_set(o, text + length + 1, error);
  }
  if (*at + 1 >= argc) {
    return cri_fail(error, CR_ERR_ARG, "%s: a value is missing", o->name);
  }
  CR_TRY(cr_option_set(o, argv[++*at], error));
  while (many && o->kind == CR_OPT_LIST && *at + 1 < argc && argv[*at + 1][0] != '-') {
    CR_TRY(cr_option_set(o, argv[++*at], error));
  }
  return CR_OK;
}

bool cr_option_given(int argc, char** argv, const char* name) {
  size_t n = strlen(name);
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], name, n) == 0 && (argv[i][n] == 0 || argv[i][n] == '=')) {
      return true;
    }
  }
  return false;
}

cr_help cr_help_asked(const char* text) {
  if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
    return CR_HELP_TEXT;
  }
  return strcmp(text, "--help=rows") == 0  ? CR_HELP_ROWS
         : strcmp(text, "--help-all") == 0 ? CR_HELP_ALL
                                           : CR_HELP_NONE;
}

cr_status cr_options_parse(const cr_command_line* line, int argc, char** argv, cr_help* help,
                           cr_error* error) {
  const cr_option* positional = find(line, "", 0);
  bool taken = false;
  // these two also count behind a mistake: a command that fails still prints its object
  const cr_option* json = find(line, "--json", strlen("--json"));
  for (int i = 0; i < argc; i++) {
    *help = *help != CR_HELP_NONE ? *help : cr_help_asked(argv[i]);
    if (json != NULL && strcmp(argv[i], json->name) == 0) {
      *(bool*)json->value = true;
    }
  }
  if (*help != CR_HELP_NONE) {
    return CR_OK;
  }
  for (int i = 0; i < argc; i++) {
    if (argv[i][0] == '-' && argv[i][1] != 0) {
      CR_TRY(parse_option(line, argc, argv, &i, taken, error));
    } else if (positional != NULL && (!taken || positional->kind == CR_OPT_LIST)) {
      taken = true;
      CR_TRY(cr_option_set(positional, argv[i], error));
    } else {
      return cri_fail(error, CR_ERR_ARG, "'%s' is one argument too many", argv[i]);
    }
  }
  if (positional != NULL && !taken) {
    return cri_fail(error, CR_ERR_ARG, "%s is missing; see carom %s --help", positional->argument,
                    line->command);
  }
  return CR_OK;
}

// ---- help

static const char exit_codes[] =
    "0 done, 1 the check failed, 2 bad input or unsupported model, 3 numerical failure, "
    "130 interrupted";

// columns of the terminal; 80 where standard output is none and COLUMNS does not say
static int width_of_output(void) {
  struct winsize size;
  const char* columns = getenv("COLUMNS");
  int width = columns != NULL ? atoi(columns) : 0;
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    width = size.ws_col;
  }
  return width <= 0 ? 80 : width < 40 ? 40 : width > 140 ? 140 : width;
}

void cr_print_wrapped(const char* text, int at, int indent) {
  int width = width_of_output() - 1;
  bool first = true;
  while (*text != 0) {
    int length = (int)strcspn(text, " \n");
    if (!first && at + 1 + length > width) {
      (void)printf("\n%*s", indent, "");
      at = indent;
    } else if (!first) {
      (void)putchar(' ');
      at++;
    }
    (void)printf("%.*s", length, text);
    at += length;
    first = false;
    text += length;
    if (*text == '\n') {
      (void)printf("\n%*s", indent, "");
      at = indent;
      first = true;
    }
    text += *text != 0;
  }
  (void)putchar('\n');
}

enum { HELP_COLUMN = 29 };

static void print_option(const cr_option* o) {
  char left[160];
  int n = snprintf(left, sizeof left, "  %s%s%s", o->name,
                   o->name[0] != 0 && o->argument[0] != 0 ? " " : "", o->argument);
  (void)printf("%s", left);
  if (n > HELP_COLUMN - 2) {  // on a line of its own
    (void)putchar('\n');
    n = 0;
  }
  (void)printf("%*s", HELP_COLUMN - n, "");
  cr_print_wrapped(o->help, HELP_COLUMN, HELP_COLUMN);
}

// the option at the start of a list of names; NULL at its end
static const cr_option* next_option(const cr_command_line* line, const char** names) {
  *names += strspn(*names, " ");
  size_t length = strcspn(*names, " ");
  const cr_option* o = length > 0 ? find(line, *names, length) : NULL;
  assert(length == 0 || o != NULL);
  *names += length;
  return o;
}

static bool is_first(const cr_command_line* line, const cr_option* option) {
  const char* names = line->first;
  const cr_option* o;
  while ((o = next_option(line, &names)) != NULL && o != option) {
  }
  return o == option;
}

// in order of importance: those named first, then the others
static void for_all_options(const cr_command_line* line, bool all,
                            void (*print)(const cr_option*)) {
  const cr_option* o = find(line, "", 0);
  if (o != NULL) {
    print(o);
  }
  for (const char* names = line->first; (o = next_option(line, &names)) != NULL;) {
    print(o);
  }
  for (int i = 0; i < line->noption && all; i++) {
    o = &line->options[i];
    if (o->name[0] != 0 && !is_first(line, o)) {
      print(o);
    }
  }
}

static int others(const cr_command_line* line) {
  int n = 0;
  for (int i = 0; i < line->noption; i++) {
    n += line->options[i].name[0] != 0 && !is_first(line, &line->options[i]);
  }
  return n;
}

static void print_text(const cr_command_line* line, bool all) {
  const cr_option* positional = find(line, "", 0);
  (void)printf("usage: carom %s%s%s [options]\n\n", line->command, positional != NULL ? " " : "",
               positional != NULL ? positional->argument : "");
  cr_print_wrapped(line->summary, 0, 0);
  (void)printf("\n");
  for (int i = 0; i < CR_N_EXAMPLES; i++) {
    (void)printf("  carom ");
    cr_print_wrapped(line->examples[i], 8, 10);
  }
  (void)printf("\n");
  for_all_options(line, all, print_option);
  if (!all && others(line) > 0) {
    (void)printf("\n%d more options: carom %s --help-all\n", others(line), line->command);
  }
  (void)printf("\nexit code: ");
  cr_print_wrapped(exit_codes, 11, 11);
}

void cr_help_row(const char* kind, const char* name, const char* argument, const char* help) {
  (void)printf("%s\t%s\t%s\t", kind, name, argument);
  for (const char* c = help; *c != 0; c++) {
    (void)putchar(*c == '\n' ? ' ' : *c);
  }
  (void)putchar('\n');
}

static void print_row(const cr_option* o) {
  static const char* const kinds[] = {
      [CR_OPT_FLAG] = "flag",         [CR_OPT_INT] = "integer", [CR_OPT_COUNT] = "count",
      [CR_OPT_REAL] = "number",       [CR_OPT_TEXT] = "text",   [CR_OPT_LIST] = "list",
      [CR_OPT_POSITIVE] = "positive",
  };
  cr_help_row(kinds[o->kind], o->name, o->argument, o->help);
}

static void print_rows(const cr_command_line* line) {
  cr_help_row("command", line->command, "", line->summary);
  for_all_options(line, true, print_row);
  for (int i = 0; i < CR_N_EXAMPLES; i++) {
    char text[512];
    (void)snprintf(text, sizeof text, "carom %s", line->examples[i]);
    cr_help_row("example", "", "", text);
  }
  cr_help_row("exit", "", "", exit_codes);
}

void cr_options_print_help(const cr_command_line* line, cr_help form) {
  if (form == CR_HELP_ROWS) {
    print_rows(line);
  } else {
    print_text(line, form == CR_HELP_ALL);
  }
}
