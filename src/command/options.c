// SPDX-License-Identifier: Apache-2.0
// Parsing of command-line options from their table.
#include "command/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"

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

// `many`: a list goes on until the next option (only once the positional argument is taken)
static cr_status parse_option(const cr_command_line* line, int argc, char** argv, int* at,
                              bool many, cr_error* error) {
  const char* text = argv[*at];
  size_t length = strcspn(text, "=");
  const cr_option* o = find(line, text, length);
  if (o == NULL) {
    return cri_fail(error, CR_ERR_ARG, "unknown option '%s'; see carom %s --help", text,
                    line->command);
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
  return strcmp(text, "--help=rows") == 0 ? CR_HELP_ROWS : CR_HELP_NONE;
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

static void print_text(const cr_command_line* line) {
  const cr_option* positional = find(line, "", 0);
  (void)printf("usage: carom %s%s%s [options]\n\n%s\n\n", line->command,
               positional != NULL ? " " : "", positional != NULL ? positional->argument : "",
               line->summary);
  for (int i = 0; i < line->noption; i++) {
    const cr_option* o = &line->options[i];
    char left[64];
    (void)snprintf(left, sizeof left, "%s%s%s", o->name,
                   o->name[0] != 0 && o->argument[0] != 0 ? " " : "", o->argument);
    if (strlen(left) > 26) {  // on a line of its own
      (void)printf("  %s\n  %-26s %s\n", left, "", o->help);
    } else {
      (void)printf("  %-26s %s\n", left, o->help);
    }
  }
  (void)printf("\nexit code: %s\n", exit_codes);
}

void cr_help_row(const char* kind, const char* name, const char* argument, const char* help) {
  (void)printf("%s\t%s\t%s\t", kind, name, argument);
  for (const char* c = help; *c != 0; c++) {
    (void)putchar(*c == '\n' ? ' ' : *c);
  }
  (void)putchar('\n');
}

static void print_rows(const cr_command_line* line) {
  static const char* const kinds[] = {
      [CR_OPT_FLAG] = "flag",         [CR_OPT_INT] = "integer", [CR_OPT_COUNT] = "count",
      [CR_OPT_REAL] = "number",       [CR_OPT_TEXT] = "text",   [CR_OPT_LIST] = "list",
      [CR_OPT_POSITIVE] = "positive",
  };
  cr_help_row("command", line->command, "", line->summary);
  for (int i = 0; i < line->noption; i++) {
    const cr_option* o = &line->options[i];
    cr_help_row(kinds[o->kind], o->name, o->argument, o->help);
  }
  cr_help_row("exit", "", "", exit_codes);
}

void cr_options_print_help(const cr_command_line* line, cr_help form) {
  if (form == CR_HELP_ROWS) {
    print_rows(line);
  } else {
    print_text(line);
  }
}
