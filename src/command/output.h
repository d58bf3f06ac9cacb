// SPDX-License-Identifier: Apache-2.0
// Files that commands write: checked before the work begins, named after it.
#ifndef CR_COMMAND_OUTPUT_H
#define CR_COMMAND_OUTPUT_H

#include "base/status.h"

/// The row of --force in a command's table.
#define CR_FORCE_OPTION(value) \
  { "--force", CR_OPT_FLAG, &(value), "", "overwrite files that exist" }

/// Checks that a file to be written after the work has a name with one of the endings (words as "h5 csv"; NULL: any
/// name), does not exist, or may be overwritten with `force`, and can be written. `path` NULL: nothing to check.
/// Errors   CR_ERR_ARG for an ending; CR_ERR_FILE
cr_status cr_output_check(const char* option, const char* path, const char* endings, bool force,
                          cr_error* error);

/// Whether a name ends in .ENDING.
bool cr_output_is(const char* path, const char* ending);

/// Prints "Wrote PATH".
void cr_output_tell(const char* path);

#endif
