// SPDX-License-Identifier: Apache-2.0
// Carom's own model file: a cr_model without MuJoCo. Layout, all little-endian:
//   "CAROMMDL", u32 format version, u32 number of records
//   records: u8 name length, name, u8 type ('i' int32, 'd' double, 'c' text), u64 count, data
//   u64 FNV-1a checksum of everything before it
// Records carry names, so a field may move in the table. A record that is missing or unknown, or
// has another count, is an error; nothing is guessed.
#ifndef CR_MODEL_FILE_H
#define CR_MODEL_FILE_H

#include "model/model.h"

enum { CR_MODEL_FILE_VERSION = 3 };

/// Writes m to `path` through a temporary file that is renamed at the end: never leaves half a file.
cr_status cri_model_save(const cr_model* m, const char* path, cr_error* error);

/// Reads a model; free it with cri_model_free. On failure m is untouched.
/// Errors: CR_ERR_FILE, CR_ERR_FORMAT (not a model file, truncated, checksum, version, fields).
cr_status cri_model_read(cr_model* m, const char* path, cr_error* error);

/// The same bytes in memory. Owner: the caller, free.
cr_status cri_model_save_bytes(const cr_model* m, unsigned char** bytes, size_t* n,
                               cr_error* error);

/// Reads a model from the bytes of a file; `name` begins sentences.
/// Errors: CR_ERR_FORMAT
cr_status cri_model_read_bytes(cr_model* m, const unsigned char* bytes, size_t n, const char* name,
                               cr_error* error);

/// True if the file begins as a Carom model file does.
bool cri_model_file_is(const char* path);

#endif
