// SPDX-License-Identifier: Apache-2.0
// XML texts bent out of shape: bytes, numbers, attribute values, whole elements.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

size_t fuzz_below(cr_random* r, size_t n) { return n == 0 ? 0 : (size_t)(cr_random_bits(r) % n); }

void fuzz_splice(fuzz_bytes* b, size_t at, size_t cut, const void* data, size_t n) {
  size_t size = b->n - cut + n;
  if (size + 1 > b->capacity) {
    unsigned char* grown = realloc(b->data, 2 * size + 64);
    if (grown == NULL) {
      abort();
    }
    b->data = grown;
    b->capacity = 2 * size + 64;
  }
  memmove(b->data + at + n, b->data + at + cut, b->n - at - cut);
  if (n > 0) {
    memcpy(b->data + at, data, n);
  }
  b->n = size;
  b->data[size] = 0;
}

void fuzz_copy(fuzz_bytes* to, const fuzz_bytes* from) {
  fuzz_splice(to, 0, to->n, from->data, from->n);
}

// ---- places in a text

// the first of `set` at or behind a random place, n where there is none
static size_t find_any(const fuzz_bytes* b, cr_random* r, const char* set) {
  size_t at = fuzz_below(r, b->n);
  while (at < b->n && (b->data[at] == 0 || strchr(set, b->data[at]) == NULL)) {
    at++;
  }
  return at;
}

// a value between quotes: its first byte, and the length
static size_t find_value(const fuzz_bytes* b, cr_random* r, size_t* length) {
  for (int i = 0; i < 8; i++) {
    size_t at = find_any(b, r, "=");
    if (at + 2 < b->n && (b->data[at + 1] == '"' || b->data[at + 1] == '\'')) {
      const unsigned char* end = memchr(b->data + at + 2, b->data[at + 1], b->n - at - 2);
      if (end != NULL) {
        *length = (size_t)(end - b->data) - at - 2;
        return at + 2;
      }
    }
  }
  *length = 0;
  return 0;
}

// from a '<' to the byte behind a '>' that follows, sometimes past several
static size_t find_element(const fuzz_bytes* b, cr_random* r, size_t* length) {
  size_t at = find_any(b, r, "<"), end = at;
  for (int i = cr_random_int(r, 4); i >= 0 && end < b->n; i--) {
    const unsigned char* close = memchr(b->data + end, '>', b->n - end);
    end = close == NULL ? b->n : (size_t)(close - b->data) + 1;
  }
  *length = end - at;
  return at;
}

// ---- changes

static const char* const words[] = {
    "0",    "-1",      "1",    "1e308",        "-1e308",      "1e-320",    "nan",
    "inf",  "1e10",    "1e-9", "1000000",      "2147483648",  "0.5",       "3",
    "-0",   "",        " ",    "0 0 0",        "1 0 0",       "0 0 0 0",   "1 2 3 4 5 6 7",
    "true", "false",   "free", "ball",         "mesh",        "world",     "a",
    "&lt;", "../../x", "%s%n", "1e5 1e-5 1e5", "0.1 0.1 0.1", "ellipsoid", "capsule"};

static const char* random_word(cr_random* r) {
  return words[fuzz_below(r, sizeof words / sizeof words[0])];
}

static void change_byte(fuzz_bytes* b, cr_random* r) {
  b->data[fuzz_below(r, b->n)] = (unsigned char)cr_random_bits(r);
}

static void change_value(fuzz_bytes* b, cr_random* r) {
  size_t n, at = find_value(b, r, &n);
  const char* word = random_word(r);
  fuzz_splice(b, at, n, word, strlen(word));
}

// one number within a value
static void change_number(fuzz_bytes* b, cr_random* r) {
  size_t at = find_any(b, r, "0123456789"), n = 0;
  while (at + n < b->n && b->data[at + n] != 0 && strchr("0123456789.eE+-", b->data[at + n])) {
    n++;
  }
  char scaled[32];
  const char* word = random_word(r);
  if (cr_random_int(r, 3) != 0) {
    double x = strtod((const char*)b->data + at, NULL);
    (void)snprintf(scaled, sizeof scaled, "%.6g", x * exp(2 * (double)cr_random_normal(r)));
    word = scaled;
  }
  fuzz_splice(b, at, n, word, strlen(word));
}

static void swap_values(fuzz_bytes* b, const fuzz_bytes* other, cr_random* r) {
  size_t n, m, from = find_value(other, r, &n), at = find_value(b, r, &m);
  fuzz_bytes piece = {0};
  fuzz_splice(&piece, 0, 0, other->data + from, n);
  fuzz_splice(b, at, m, piece.data, n);
  free(piece.data);
}

static void insert_element(fuzz_bytes* b, const fuzz_bytes* other, cr_random* r) {
  size_t n, from = find_element(other, r, &n), at = find_any(b, r, "<");
  fuzz_bytes piece = {0};
  fuzz_splice(&piece, 0, 0, other->data + from, n);
  fuzz_splice(b, at, 0, piece.data, n);
  free(piece.data);
}

static void drop_element(fuzz_bytes* b, cr_random* r) {
  size_t n, at = find_element(b, r, &n);
  fuzz_splice(b, at, n, NULL, 0);
}

void fuzz_mutate_xml(fuzz_bytes* b, const fuzz_bytes* other, cr_random* r) {
  fuzz_bytes self = {0};
  for (int i = cr_random_int(r, 6) / 3; i >= 0 && b->n > 0; i--) {
    fuzz_copy(&self, b);
    switch (cr_random_int(r, 14)) {
      case 0:
        change_byte(b, r);
        break;
      case 1:
      case 2:
        change_value(b, r);
        break;
      case 3:
      case 4:
      case 5:
        change_number(b, r);
        break;
      case 6:
        swap_values(b, &self, r);
        break;
      case 7:
        insert_element(b, &self, r);
        break;
      case 8:
        insert_element(b, other, r);
        break;
      case 9:
        drop_element(b, r);
        break;
      default:
        change_number(b, r);
    }
  }
  if (cr_random_int(r, 50) == 0) {
    b->n = fuzz_below(r, b->n);
  }
  free(self.data);
}
