// SPDX-License-Identifier: Apache-2.0
// Files: writes them whole or not at all, reads them whole, makes folders as needed.
#ifndef CR_TOOLS_FILES_H
#define CR_TOOLS_FILES_H

#include "base/status.h"

enum { CR_MAX_PATH = 1024 };

/// cri_whole_file_write for paths of up to CR_MAX_PATH characters.
cr_status cri_file_write(const char* path, const void* data, size_t n, cr_error* error);

/// Reads all of a file, with a 0 behind the last byte; the caller frees *data.
cr_status cri_file_read(const char* path, char** data, size_t* n, cr_error* error);

/// Checks that there is a file to read: not missing, not a folder, not empty, readable.
cr_status cri_file_check(const char* path, cr_error* error);

/// Checks that `path` can be written, before much work whose result goes there. Leaves it as it is.
cr_status cri_file_writable(const char* path, cr_error* error);

/// Adds what a file holds to a fingerprint (base/fingerprint.h). CR_ERR_FILE.
cr_status cri_file_fingerprint(uint64_t* hash, const char* path, cr_error* error);

/// True if two paths are one existing file.
bool cri_file_same(const char* a, const char* b);

/// Makes a folder and the missing folders above it.
cr_status cri_folder_make(const char* path, cr_error* error);

/// Keeps other runs out of a folder until *claim is closed; the end of the process closes it too.
/// Errors: CR_ERR_FILE if another run has it, or it cannot be opened.
cr_status cri_folder_claim(const char* path, int* claim, cr_error* error);

/// folder/name, or only name if it begins with '/' or the folder is empty. CR_ERR_ARG if it
/// is too long.
cr_status cri_path_join(char path[CR_MAX_PATH], const char* folder, const char* name,
                        cr_error* error);

/// The folder of a file: "" if the path names none.
cr_status cri_path_folder(char folder[CR_MAX_PATH], const char* path, cr_error* error);

#endif
