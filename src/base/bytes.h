// SPDX-License-Identifier: Apache-2.0
// Numbers as bytes, little endian, to be written to files and read from files that may be damaged.
#ifndef CR_BASE_BYTES_H
#define CR_BASE_BYTES_H

#include "base/real.h"

/// A place to write to that grows. After `failed` (no memory) nothing is written. The caller frees data.
typedef struct {
  unsigned char* data;
  size_t n, room;
  bool failed;
} cri_writer;

void cri_put(cri_writer* w, const void* data, size_t n);
void cri_put_number(cri_writer* w, uint64_t x, int bytes);
void cri_put_real(cri_writer* w, cr_real x);  // as a double
void cri_put_reals(cri_writer* w, const cr_real* x, int n);

/// A place to read from. After `failed` (not enough bytes) all numbers are 0.
typedef struct {
  const unsigned char* data;
  size_t n, at;
  bool failed;
} cri_reader;

uint64_t cri_get_number(cri_reader* r, int bytes);
int32_t cri_get_int(cri_reader* r);  // of four bytes
cr_real cri_get_real(cri_reader* r);
void cri_get_reals(cri_reader* r, cr_real* x, int n);

/// True if n things of `bytes` each may follow.
bool cri_may_follow(const cri_reader* r, uint64_t n, size_t bytes);

#endif
