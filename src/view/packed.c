// SPDX-License-Identifier: Apache-2.0
// Base64 as in RFC 4648, a byte after the other.
#include "view/packed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// text of bytes that come one by one
typedef struct {
  char* text;
  size_t n;
  uint32_t bits;
  int held;  // bytes in `bits`
} encoder;

static void put_four(encoder* e, int letters) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int k = 0; k < 4; k++) {
    e->text[e->n++] = k < letters ? alphabet[e->bits >> (18 - 6 * k) & 63] : '=';
  }
  e->bits = 0;
  e->held = 0;
}

static void put_byte(encoder* e, uint32_t byte) {
  e->bits |= byte << (16 - 8 * e->held);
  if (++e->held == 3) {
    put_four(e, 4);
  }
}

static void put_bytes(encoder* e, uint32_t value, int bytes) {
  for (int k = 0; k < bytes; k++) {
    put_byte(e, value >> 8 * k & 255);
  }
}

// room for n numbers of a size
static bool begin(encoder* e, cr_json* j, size_t n, size_t size) {
  *e = (encoder){.text = malloc((n * size + 2) / 3 * 4 + 1)};
  j->failed = j->failed || e->text == NULL;
  return e->text != NULL;
}

static void finish_as(encoder* e, cr_json* j, const char* key) {
  if (e->held > 0) {
    put_four(e, e->held + 1);
  }
  e->text[e->n] = 0;
  cr_json_string(j, key, e->text);
  free(e->text);
}

static void finish(encoder* e, cr_json* j) { finish_as(e, j, "data"); }

void cr_packed_bytes(cr_json* j, const char* key, const unsigned char* x, size_t n) {
  encoder e;
  if (begin(&e, j, n, 1)) {
    for (size_t i = 0; i < n; i++) {
      put_byte(&e, x[i]);
    }
    finish_as(&e, j, key);
  }
}

void cr_packed_reals(cr_json* j, const char* key, const cr_real* x, size_t n) {
  encoder e;
  cr_json_open(j, key, '{');
  cr_json_string(j, "of", "f4");
  if (begin(&e, j, n, 4)) {
    for (size_t i = 0; i < n; i++) {
      float single = (float)x[i];
      uint32_t bits;
      memcpy(&bits, &single, sizeof bits);
      put_bytes(&e, bits, 4);
    }
    finish(&e, j);
  }
  cr_json_close(j, '}');
}

void cr_packed_whole(cr_json* j, const char* key, const int32_t* x, size_t n) {
  encoder e;
  cr_json_open(j, key, '{');
  cr_json_string(j, "of", "u4");
  if (begin(&e, j, n, 4)) {
    for (size_t i = 0; i < n; i++) {
      put_bytes(&e, (uint32_t)x[i], 4);
    }
    finish(&e, j);
  }
  cr_json_close(j, '}');
}

enum { STEPS = 65535 };

static void find_range(cr_real* low, cr_real* step, const cr_real* x, int rows, int columns) {
  for (int c = 0; c < columns; c++) {
    cr_real high = low[c] = rows > 0 ? x[c] : 0;
    for (int r = 1; r < rows; r++) {
      cr_real value = x[(size_t)r * (size_t)columns + (size_t)c];
      low[c] = value < low[c] ? value : low[c];
      high = value > high ? value : high;
    }
    step[c] = (high - low[c]) / STEPS;
  }
}

static void put_steps(encoder* e, const cr_real* range, const cr_real* x, int rows, int columns) {
  for (size_t i = 0, n = (size_t)rows * (size_t)columns; i < n; i++) {
    cr_real low = range[i % (size_t)columns], step = range[(size_t)columns + i % (size_t)columns];
    cr_real k = step > 0 ? floor((x[i] - low) / step + 0.5) : 0;
    put_bytes(e, k >= STEPS ? STEPS : (uint32_t)k, 2);
  }
}

void cr_packed_steps(cr_json* j, const char* key, const cr_real* x, int rows, int columns) {
  encoder e;
  cr_real* range = calloc(2 * (size_t)columns + 1, sizeof *range);
  cr_json_open(j, key, '{');
  cr_json_string(j, "of", "u2");
  j->failed = j->failed || range == NULL;
  if (range != NULL && begin(&e, j, (size_t)rows * (size_t)columns, 2)) {
    find_range(range, range + columns, x, rows, columns);
    cr_json_reals(j, "low", range, columns);
    cr_json_reals(j, "step", range + columns, columns);
    put_steps(&e, range, x, rows, columns);
    finish(&e, j);
  }
  cr_json_close(j, '}');
  free(range);
}
