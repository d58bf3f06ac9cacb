// SPDX-License-Identifier: Apache-2.0
#include "support/io_npz.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "support/scratch.h"
#include "support/test.h"

static void put(unsigned char* at, uint32_t x, int bytes) {
  for (int i = 0; i < bytes; i++) {
    at[i] = (unsigned char)(x >> 8 * i);
  }
}

static size_t deflate_all(const unsigned char* from, size_t n, unsigned char* to, size_t room) {
  z_stream z = {.next_in = (unsigned char*)(uintptr_t)from,
                .avail_in = (uInt)n,
                .next_out = to,
                .avail_out = (uInt)room};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  (void)deflateEnd(&z);
  return z.total_out;
}

void npz_add(npz_file* z, const char* name, const char* header, const void* numbers, size_t n,
             bool compressed) {
  static unsigned char array[NPZ_ROOM];
  char file[256];
  size_t length = strlen(header), at = z->size;
  size_t names = (size_t)snprintf(file, sizeof file, "%s.npy", name);
  memcpy(array, "\x93NUMPY\x01\x00", 8);
  put(array + 8, (uint32_t)length, 2);
  memcpy(array + 10, header, length);
  if (n > 0) {
    memcpy(array + 10 + length, numbers, n);
  }
  size_t size = 10 + length + n, packed = size;
  unsigned char* data = z->bytes + at + 30 + names;
  if (compressed) {
    packed = deflate_all(array, size, data, NPZ_ROOM - at - 1000);
  } else {
    memcpy(data, array, size);
  }
  unsigned char head[46] = {0};  // of the directory; the local one is a part of it
  put(head, 0x02014b50, 4);
  put(head + 10, compressed ? 8 : 0, 2);
  put(head + 16, (uint32_t)crc32(0, array, (uInt)size), 4);
  put(head + 20, (uint32_t)packed, 4);
  put(head + 24, (uint32_t)size, 4);
  put(head + 28, (uint32_t)names, 2);
  put(head + 42, (uint32_t)at, 4);
  unsigned char* entry = z->directory + z->directory_size;
  memcpy(entry, head, sizeof head);
  memcpy(entry + sizeof head, file, names);
  z->directory_size += sizeof head + names;
  memcpy(z->bytes + at + 4, head + 6, 26);
  put(z->bytes + at, 0x04034b50, 4);
  memcpy(z->bytes + at + 30, file, names);
  z->size = at + 30 + names + packed;
  z->n++;
}

void npz_doubles(npz_file* z, const char* name, int rows, int cols, const double* numbers) {
  char header[128], shape[64];
  (void)snprintf(shape, sizeof shape, cols > 0 ? "(%d, %d)" : "(%d,)", rows, cols);
  (void)snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n",
                 shape);
  npz_add(z, name, header, numbers, sizeof(double) * (size_t)(rows * (cols > 0 ? cols : 1)), false);
}

void npz_end(npz_file* z) {
  unsigned char end[22] = {0};
  put(end, 0x06054b50, 4);
  put(end + 8, (uint32_t)z->n, 2);
  put(end + 10, (uint32_t)z->n, 2);
  put(end + 12, (uint32_t)z->directory_size, 4);
  put(end + 16, (uint32_t)z->size, 4);
  memcpy(z->bytes + z->size, z->directory, z->directory_size);
  memcpy(z->bytes + z->size + z->directory_size, end, sizeof end);
  z->size += z->directory_size + sizeof end;
}

const char* npz_save(const npz_file* z, const char* name, size_t size) {
  const char* path = scratch_path(name);
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(z->bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  return path;
}
