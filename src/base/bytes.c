// SPDX-License-Identifier: Apache-2.0
// Numbers as bytes, little endian.
#include "base/bytes.h"

#include <stdlib.h>

void cri_put(cri_writer* w, const void* data, size_t n) {
  if (!w->failed && n > w->room - w->n) {
    const size_t room = 2 * w->room + n + 256;
    unsigned char* grown = room > w->room ? realloc(w->data, room) : NULL;
    w->failed = grown == NULL;
    w->data = grown != NULL ? grown : w->data;
    w->room = grown != NULL ? room : w->room;
  }
  if (!w->failed && n > 0) {
    memcpy(w->data + w->n, data, n);
    w->n += n;
  }
}

void cri_put_number(cri_writer* w, uint64_t x, int bytes) {
  unsigned char c[8];
  for (int i = 0; i < bytes; i++) {
    c[i] = (unsigned char)(x >> (8 * i));
  }
  cri_put(w, c, (size_t)bytes);
}

void cri_put_real(cri_writer* w, cr_real x) {
  const double value = (double)x;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  cri_put_number(w, bits, 8);
}

void cri_put_reals(cri_writer* w, const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    cri_put_real(w, x[i]);
  }
}

uint64_t cri_get_number(cri_reader* r, int bytes) {
  uint64_t x = 0;
  if (r->failed || r->n - r->at < (size_t)bytes) {
    r->failed = true;
    return 0;
  }
  for (int i = 0; i < bytes; i++) {
    x |= (uint64_t)r->data[r->at++] << (8 * i);
  }
  return x;
}

int32_t cri_get_int(cri_reader* r) { return (int32_t)(uint32_t)cri_get_number(r, 4); }

cr_real cri_get_real(cri_reader* r) {
  const uint64_t bits = cri_get_number(r, 8);
  double x;
  memcpy(&x, &bits, sizeof x);
  return (cr_real)x;
}

void cri_get_reals(cri_reader* r, cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cri_get_real(r);
  }
}

bool cri_may_follow(const cri_reader* r, uint64_t n, size_t bytes) {
  return !r->failed && n <= (r->n - r->at) / bytes;
}
