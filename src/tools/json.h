// SPDX-License-Identifier: Apache-2.0
// A JSON writer: one object built front to back. It adds commas, escapes and nesting;
// numbers have all their digits, NaN and infinity become null.
#ifndef CR_TOOLS_JSON_H
#define CR_TOOLS_JSON_H

#include "base/real.h"

enum { CR_JSON_DEPTH = 16 };

typedef struct {
  char* text;
  size_t length, capacity;
  bool failed;  // no memory: do not use the text
  int depth;
  bool first[CR_JSON_DEPTH];
} cr_json;

/// Every call appends a value; `key` is NULL inside an array and for the outermost object.
void cr_json_open(cr_json* j, const char* key, char bracket);  // '{' or '['
void cr_json_close(cr_json* j, char bracket);                  // '}' or ']'
void cr_json_string(cr_json* j, const char* key, const char* value);
void cr_json_real(cr_json* j, const char* key, cr_real value);
void cr_json_int(cr_json* j, const char* key, long value);
void cr_json_bool(cr_json* j, const char* key, bool value);
void cr_json_reals(cr_json* j, const char* key, const cr_real* values, int n);

/// One number where n is 1, else an array.
void cr_json_numbers(cr_json* j, const char* key, const cr_real* values, int n);

/// Prints the text and a newline to standard output, and frees it.
void cr_json_finish(cr_json* j);

void cr_json_free(cr_json* j);

#endif
