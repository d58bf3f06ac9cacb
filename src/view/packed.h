// SPDX-License-Identifier: Apache-2.0
// Rows of numbers in few bytes of JSON: an object {"of", "data"} with base64 of little-endian numbers.
#ifndef CR_VIEW_PACKED_H
#define CR_VIEW_PACKED_H

#include "tools/json.h"

/// Adds numbers in single precision: "of" is "f4".
void cr_packed_reals(cr_json* j, const char* key, const cr_real* x, size_t n);

/// Adds bytes as base64: a text.
void cr_packed_bytes(cr_json* j, const char* key, const unsigned char* x, size_t n);

/// Adds whole numbers: "of" is "u4".
void cr_packed_whole(cr_json* j, const char* key, const int32_t* x, size_t n);

/// Adds rows of numbers as 16-bit steps: "of" is "u2", and number k of column c is low[c] + step[c] k. A number is
/// wrong by at most 1/131070 of the range of its column.
void cr_packed_steps(cr_json* j, const char* key, const cr_real* x, int rows, int columns);

#endif
