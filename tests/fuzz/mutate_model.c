// SPDX-License-Identifier: Apache-2.0
// Carom's model files bent out of shape. A record is: length of the name, name, type, count in 8
// bytes, numbers; before the first come 16 bytes, behind the last a checksum of 8 (model/file.c).
#include <math.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum { HEADER = 16, TAIL = 8, MOST_RECORDS = 1024 };

typedef struct {
  char type;
  size_t count_at, at, count, item;
} record;

static int list_records(const fuzz_bytes* b, record* records) {
  int n = 0;
  size_t end = b->n < HEADER + TAIL ? 0 : b->n - TAIL;
  for (size_t at = HEADER; at < end && n < MOST_RECORDS;) {
    record* r = &records[n];
    size_t name = b->data[at];
    if (at + name + 10 > end) {
      break;
    }
    r->type = (char)b->data[at + 1 + name];
    r->count_at = at + 2 + name;
    r->at = r->count_at + 8;
    r->count = 0;
    memcpy(&r->count, b->data + r->count_at, 4);
    r->item = r->type == 'd' ? 8 : (r->type == 'i' ? 4 : 1);
    if (r->count > (end - r->at) / r->item) {
      break;
    }
    at = r->at + r->count * r->item;
    n++;
  }
  return n;
}

// numbers that tend to be wrong, or near what is there
static double bent_real(double was, cr_random* r) {
  static const double odd[] = {
      0,    -0.0, 1,    -1,   1e300, -1e300, 1e-300,           1e10,
      1e11, 1e-9, 1e-5, 0.25, 1e15,  3.0,    (double)INFINITY, (double)NAN};
  switch (cr_random_int(r, 4)) {
    case 0:
      return -was;
    case 1:
      return was * exp(20 * (double)cr_random_normal(r));
    case 2:
      return was + (double)cr_random_normal(r);
    default:
      return odd[fuzz_below(r, sizeof odd / sizeof odd[0])];
  }
}

static int32_t bent_int(int32_t was, cr_random* r) {
  static const int32_t odd[] = {0,  -1, 1,  2,   3,   4,     5,          6,           7,
                                -2, 16, 64, 127, 255, 65535, 2147483647, -2147483647, 1000000};
  return cr_random_int(r, 3) == 0 ? (int32_t)((uint32_t)was + (uint32_t)cr_random_int(r, 5) - 2)
                                  : odd[fuzz_below(r, sizeof odd / sizeof odd[0])];
}

static void bend_entry(fuzz_bytes* b, const record* rec, cr_random* r) {
  unsigned char* at = b->data + rec->at + rec->item * fuzz_below(r, rec->count);
  if (rec->count == 0) {
    return;
  }
  if (rec->type == 'd') {
    double x;
    memcpy(&x, at, sizeof x);
    x = bent_real(x, r);
    memcpy(at, &x, sizeof x);
  } else if (rec->type == 'i') {
    int32_t x;
    memcpy(&x, at, sizeof x);
    x = bent_int(x, r);
    memcpy(at, &x, sizeof x);
  } else {
    *at = (unsigned char)cr_random_bits(r);
  }
}

static void swap_entries(fuzz_bytes* b, const record* rec, cr_random* r) {
  unsigned char keep[8], *x = b->data + rec->at + rec->item * fuzz_below(r, rec->count),
                         *y = b->data + rec->at + rec->item * fuzz_below(r, rec->count);
  if (rec->count > 0) {
    memcpy(keep, x, rec->item);
    memmove(x, y, rec->item);
    memcpy(y, keep, rec->item);
  }
}

static void seal(fuzz_bytes* b) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i + TAIL < b->n; i++) {
    hash = (hash ^ b->data[i]) * 0x100000001b3u;
  }
  for (size_t i = 0; b->n >= TAIL && i < TAIL; i++) {
    b->data[b->n - TAIL + i] = (unsigned char)(hash >> (8 * i));
  }
}

void fuzz_mutate_model(fuzz_bytes* b, cr_random* r) {
  static record records[MOST_RECORDS];
  int n = list_records(b, records);
  for (int i = cr_random_int(r, 4); i >= 0 && n > 0; i--) {
    const record* rec = &records[cr_random_int(r, n)];
    for (int k = 0; k < 20 && rec->count == 0; k++) {
      rec = &records[cr_random_int(r, n)];
    }
    int what = cr_random_int(r, 40);
    if (what < 34) {
      bend_entry(b, rec, r);
    } else if (what < 37) {
      swap_entries(b, rec, r);
    } else if (what < 38) {
      b->data[rec->count_at] ^= (unsigned char)cr_random_bits(r);
    } else {
      b->data[fuzz_below(r, b->n)] = (unsigned char)cr_random_bits(r);
    }
  }
  if (cr_random_int(r, 100) == 0) {
    b->n = fuzz_below(r, b->n);
  }
  if (cr_random_int(r, 20) != 0) {
    seal(b);
  }
}

// ---- one integer after the other

enum { VALUES = 9 };

static int32_t likely_wrong(int32_t was, size_t count, size_t which) {
  int32_t n = (int32_t)count;
  const int32_t values[VALUES] = {-1, 0, 1, n, n + 1, 2147483647, -2147483647 - 1};
  if (which < 7) {
    return values[which];
  }
  return (int32_t)((uint32_t)was + (which == 7 ? 1u : (uint32_t)-1));
}

size_t fuzz_field_changes(const fuzz_bytes* b) {
  static record records[MOST_RECORDS];
  size_t sum = 0;
  for (int i = 0, n = list_records(b, records); i < n; i++) {
    sum += records[i].type == 'i' ? VALUES * records[i].count : 0;
  }
  return sum;
}

void fuzz_change_field(fuzz_bytes* b, size_t k) {
  static record records[MOST_RECORDS];
  for (int i = 0, n = list_records(b, records); i < n; i++) {
    const record* rec = &records[i];
    size_t own = rec->type == 'i' ? VALUES * rec->count : 0;
    if (k < own) {
      unsigned char* at = b->data + rec->at + rec->item * (k / VALUES);
      int32_t x;
      memcpy(&x, at, sizeof x);
      x = likely_wrong(x, rec->count, k % VALUES);
      memcpy(at, &x, sizeof x);
      break;
    }
    k -= own;
  }
  seal(b);
}
