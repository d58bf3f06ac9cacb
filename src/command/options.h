// SPDX-License-Identifier: Apache-2.0
// Command-line options as a table: parsing and --help come from the same rows.
#ifndef CR_COMMAND_OPTIONS_H
#define CR_COMMAND_OPTIONS_H

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

enum { CR_MAX_LIST = 512 };

/// Help as text for people, of the options that matter most or of all; or as rows for programs.
typedef enum { CR_HELP_NONE, CR_HELP_TEXT, CR_HELP_ALL, CR_HELP_ROWS } cr_help;

/// Values of an option that may be given several times.
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

enum { CR_N_EXAMPLES = 2 };

typedef struct {
  const char* command;
  const char* summary;
  const cr_option* options;
  int noption;
  const char*
      first;  // options that --help shows, the most important one first, with blanks between them
  const char* examples[CR_N_EXAMPLES];  // without "carom"
} cr_command_line;

/// Fills the values from argv. An option may be written --name VALUE or --name=VALUE. Behind
/// the positional argument, --wrt a b c takes values until the next option. CR_ERR_ARG with a
/// sentence for anything else.
/// Sets *help if --help, -h, --help-all or --help=rows is among the arguments; nothing else is read then.
cr_status cr_options_parse(const cr_command_line* line, int argc, char** argv, cr_help* help,
                           cr_error* error);

/// Gives an option that is no flag a value. CR_ERR_ARG with a sentence for a wrong one.
cr_status cr_option_set(const cr_option* option, const char* text, cr_error* error);

/// True if argv has the option, as --name or --name=VALUE.
bool cr_option_given(int argc, char** argv, const char* name);

/// Prints the help, wrapped at the width of the terminal (80 columns where standard output is none).
void cr_options_print_help(const cr_command_line* line, cr_help form);

/// The form of help that an argument requests: --help, -h, --help-all or --help=rows.
cr_help cr_help_asked(const char* text);

/// Prints text in lines no longer than the terminal is wide, all but the first behind `indent` blanks; the first begins
/// at column `at`.
void cr_print_wrapped(const char* text, int at, int indent);

/// A row of help for programs: kind, name, argument and help with tabs between them.
/// scripts/make_manual.py makes man pages and shell completion from these rows.
void cr_help_row(const char* kind, const char* name, const char* argument, const char* help);

#endif
