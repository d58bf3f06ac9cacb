// SPDX-License-Identifier: Apache-2.0
// Files: written whole or not at all, read whole, folders made on the way.
#ifndef CR_TOOLS_FILES_H
#define CR_TOOLS_FILES_H

#include "base/status.h"

enum { CR_MAX_PATH = 1024 };

/// cri_whole_file_write for paths of up to CR_MAX_PATH characters.
cr_status cri_file_write(const char* path, const void* data, size_t n, cr_error* error);

/// Reads all of a file, with a 0 behind the last byte; the caller frees *data.
cr_status cri_file_read(const char* path, char** data, size_t* n, cr_error* error);

/// That there is a file to read here: not missing, not a folder, not empty, not locked away.
cr_status cri_file_check(const char* path, cr_error* error);

/// That `path` could be written: for what is written only after much work. Leaves it as it is.
cr_status cri_file_writable(const char* path, cr_error* error);

/// Two paths of one file that exists.
bool cri_file_same(const char* a, const char* b);

/// Makes a folder and those above it, where they are missing.
cr_status cri_folder_make(const char* path, cr_error* error);

/// Keeps other runs out of a folder until *claim is closed, which the end of the process does too.
/// Errors: CR_ERR_FILE where another one has it, or it cannot be opened.
cr_status cri_folder_claim(const char* path, int* claim, cr_error* error);

/// folder/name, or name alone where it begins with '/' or the folder is empty. CR_ERR_ARG where it
/// is too long.
cr_status cri_path_join(char path[CR_MAX_PATH], const char* folder, const char* name,
                        cr_error* error);

/// The folder a file lies in: "" where the path names none.
cr_status cri_path_folder(char folder[CR_MAX_PATH], const char* path, cr_error* error);

#endif
