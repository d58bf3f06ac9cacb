// SPDX-License-Identifier: Apache-2.0
// The JSON writer.
#include "tools/json.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"

static void append(cr_json* j, const char* text, size_t n) {
  if (j->length + n + 1 > j->capacity && !j->failed) {
    size_t capacity = 2 * (j->length + n) + 256;
    char* grown = realloc(j->text, capacity);
    j->failed = grown == NULL;
    j->text = grown != NULL ? grown : j->text;
    j->capacity = grown != NULL ? capacity : j->capacity;
  }
  if (!j->failed) {
    memcpy(j->text + j->length, text, n);
    j->length += n;
    j->text[j->length] = 0;
  }
}

static void put(cr_json* j, const char* text) { append(j, text, strlen(text)); }

// bytes of the UTF-8 character at the start of a text, 0 if there is none: cut, or not UTF-8
static size_t character(const char* text) {
  const unsigned char* u = (const unsigned char*)text;
  size_t n = u[0] < 0x80 ? 1 : (u[0] < 0xc2 ? 0 : (u[0] < 0xe0 ? 2 : (u[0] < 0xf0 ? 3 : 4)));
  bool surrogate = u[0] == 0xed && u[1] >= 0xa0, beyond = u[0] == 0xf4 && u[1] >= 0x90;
  bool longer = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xf0 && u[1] < 0x90);
  if (u[0] > 0xf4 || surrogate || beyond || longer) {
    return 0;
  }
  for (size_t i = 1; i < n; i++) {
    if ((u[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  return n;
}

static void quote(cr_json* j, const char* text) {
  put(j, "\"");
  for (const char* c = text; *c != 0;) {
    char escaped[8];
    size_t n = character(c);
    unsigned char u = (unsigned char)*c;
    if (u == '"' || u == '\\') {
      (void)snprintf(escaped, sizeof escaped, "\\%c", u);
      put(j, escaped);
    } else if (u < 0x20) {
      (void)snprintf(escaped, sizeof escaped, "\\u%04x", u);
      put(j, escaped);
    } else if (n == 0) {
      put(j, "\\ufffd");
    } else {
      append(j, c, n);
    }
    c += n == 0 ? 1 : n;
  }
  put(j, "\"");
}

// the comma before a value, and its key
static void begin(cr_json* j, const char* key) {
  assert(j->depth <= CR_JSON_DEPTH);
  if (j->depth > 0) {
    if (!j->first[j->depth - 1]) {
      put(j, ", ");
    }
    j->first[j->depth - 1] = false;
  }
  if (key != NULL) {
    quote(j, key);
    put(j, ": ");
  }
}

void cr_json_open(cr_json* j, const char* key, char bracket) {
  begin(j, key);
  append(j, &bracket, 1);
  assert(j->depth < CR_JSON_DEPTH);
  j->first[j->depth++] = true;
}

void cr_json_close(cr_json* j, char bracket) {
  append(j, &bracket, 1);
  j->depth--;
}

void cr_json_string(cr_json* j, const char* key, const char* value) {
  begin(j, key);
  quote(j, value);
}

void cr_json_real(cr_json* j, const char* key, cr_real value) {
  char text[48];
  begin(j, key);
  if (!isfinite(value)) {
    put(j, "null");
    return;
  }
  (void)cri_print(text, sizeof text, "%.17g", (double)value);
  put(j, text);
}

void cr_json_int(cr_json* j, const char* key, long value) {
  char text[32];
  begin(j, key);
  (void)snprintf(text, sizeof text, "%ld", value);
  put(j, text);
}

void cr_json_bool(cr_json* j, const char* key, bool value) {
  begin(j, key);
  put(j, value ? "true" : "false");
}

void cr_json_reals(cr_json* j, const char* key, const cr_real* values, int n) {
  cr_json_open(j, key, '[');
  for (int i = 0; i < n; i++) {
    cr_json_real(j, NULL, values[i]);
  }
  cr_json_close(j, ']');
}

void cr_json_numbers(cr_json* j, const char* key, const cr_real* values, int n) {
  if (n == 1) {
    cr_json_real(j, key, values[0]);
  } else {
    cr_json_reals(j, key, values, n);
  }
}

void cr_json_finish(cr_json* j) {
  if (!j->failed && j->text != NULL) {
    (void)printf("%s\n", j->text);
  }
  cr_json_free(j);
}

void cr_json_free(cr_json* j) {
  free(j->text);
  *j = (cr_json){0};
}
