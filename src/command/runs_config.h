// SPDX-License-Identifier: Apache-2.0
// A fit or training of measured runs as a YAML file. Its keys are `model`, `runs`, and the options of the command: --held-out is
// `held_out`.
#ifndef CR_COMMAND_RUNS_CONFIG_H
#define CR_COMMAND_RUNS_CONFIG_H

#include "command/options.h"

/// A file that was read; owns the texts that the options point to.
typedef struct cr_runs_config cr_runs_config;

/// True if a configuration is one of measured runs: it has the key `runs`, at the beginning of a line or in braces.
bool cr_runs_config_is(const char* path);

/// True if the first argument of a command ends as the file of a model does: it is no configuration.
bool cr_runs_config_is_model(const char* path);

/// Reads the configuration and changes it by n assignments of --set. Fills `paths` with the model and the files of its runs, and the
/// values of the command's options that argv does not give. Model, runs and blueprint are as seen from the file.
/// Owner    the caller, cr_runs_config_free; also after an error
/// Errors   CR_ERR_FILE, CR_ERR_FORMAT with file and line, CR_ERR_NAME (--set), CR_ERR_MEMORY
cr_status cr_runs_config_read(cr_runs_config** config, const char* path,
                              const cr_command_line* line, int argc, char** argv,
                              const cr_text_list* set, cr_text_list* paths, cr_error* error);
/// Adds file, line and key to an error that came later of a value of the configuration: of an option with the name of a key, or of a
/// place in a list. Other errors stay as they are. config may be NULL.
void cr_runs_config_locate(const cr_runs_config* config, int argc, char** argv, cr_error* error);

void cr_runs_config_free(cr_runs_config* config);

#endif
