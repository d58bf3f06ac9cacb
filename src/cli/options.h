// SPDX-License-Identifier: Apache-2.0
// Command-line options as a table: parsing and --help come from the same rows.
#ifndef CR_CLI_OPTIONS_H
#define CR_CLI_OPTIONS_H

#include "base/status.h"

typedef enum {
  CR_OPT_FLAG,
  CR_OPT_INT,
  CR_OPT_COUNT,  // 1 or more
  CR_OPT_REAL,
  CR_OPT_POSITIVE,  // above 0
  CR_OPT_TEXT,
  CR_OPT_LIST
} cr_option_kind;

enum { CR_MAX_LIST = 64 };

/// What was given for an option that may be given again and again.
typedef struct {
  const char* text[CR_MAX_LIST];
  int n;
} cr_text_list;

typedef struct {
  const char* name;  // with its dashes; the positional argument has none
  cr_option_kind kind;
  void* value;  // bool, int, double, const char*, cr_text_list
  const char* argument;
  const char* help;
} cr_option;

typedef struct {
  const char* command;
  const char* summary;
  const cr_option* options;
  int noption;
} cr_command_line;

/// Fills the values from argv. An option may be written --name VALUE or --name=VALUE; behind
/// the positional argument, --wrt a b c takes values until the next option. CR_ERR_ARG with a
/// sentence for anything else.
/// *help is set when --help or -h is among the arguments; nothing else is looked at then.
cr_status cr_options_parse(const cr_command_line* line, int argc, char** argv, bool* help,
                           cr_error* error);

void cr_options_print_help(const cr_command_line* line);

#endif
