// SPDX-License-Identifier: Apache-2.0
#include "tools/png.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tools/files.h"

// a file that grows; it has room for all of it
typedef struct {
  unsigned char* at;
  size_t n;
} bytes;

static void put_number(unsigned char to[4], size_t x) {
  for (int k = 0; k < 4; k++) {
    to[k] = (unsigned char)(x >> (24 - 8 * k) & 255);
  }
}

// length, kind, data, checksum of kind and data
static void put_chunk(bytes* b, const char kind[4], const unsigned char* data, size_t n) {
  unsigned char* to = b->at + b->n;
  put_number(to, n);
  memcpy(to + 4, kind, 4);
  if (n > 0) {
    memcpy(to + 8, data, n);
  }
  put_number(to + 8 + n, crc32_z(0, to + 4, n + 4));
  b->n += n + 12;
}

// each row behind its filter: "up", differences from the row above
static unsigned char* filtered(const unsigned char* pixels, size_t row, size_t rows) {
  enum { UP = 2 };
  unsigned char* all = malloc((row + 1) * rows);
  for (size_t y = 0; y < rows && all != NULL; y++) {
    unsigned char* to = all + (row + 1) * y;
    const unsigned char *here = pixels + row * y, *above = here - row;
    *to++ = UP;
    for (size_t i = 0; i < row; i++) {
      to[i] = (unsigned char)(here[i] - (y > 0 ? above[i] : 0));
    }
  }
  return all;
}

static cr_status put_picture(bytes* b, const unsigned char* packed, size_t n, int width, int height,
                             int channels, cr_error* error) {
  static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  unsigned char head[13] = {0};
  b->at = malloc(sizeof magic + sizeof head + n + 3 * (size_t)12);
  if (b->at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a picture");
  }
  memcpy(b->at, magic, sizeof magic);
  b->n = sizeof magic;
  put_number(head, (size_t)width);
  put_number(head + 4, (size_t)height);
  head[8] = 8;
  head[9] = channels == 1 ? 0 : (channels == 3 ? 2 : 6);
  put_chunk(b, "IHDR", head, sizeof head);
  put_chunk(b, "IDAT", packed, n);
  put_chunk(b, "IEND", NULL, 0);
  return CR_OK;
}

cr_status cri_png_encode(unsigned char** data, size_t* n, const unsigned char* pixels, int width,
                         int height, int channels, cr_error* error) {
  size_t row = (size_t)width * (size_t)channels, size = (row + 1) * (size_t)height;
  unsigned char* raw = filtered(pixels, row, (size_t)height);
  uLongf room = compressBound(size);
  unsigned char* packed = malloc(room);
  bool made = raw != NULL && packed != NULL && compress2(packed, &room, raw, size, 6) == Z_OK;
  bytes b = {0};
  cr_status status = made ? put_picture(&b, packed, room, width, height, channels, error)
                          : cri_fail(error, CR_ERR_MEMORY, "no memory for a picture");
  free(raw);
  free(packed);
  *data = b.at;
  *n = b.n;
  return status;
}

cr_status cri_png_write(const char* path, const unsigned char* pixels, int width, int height,
                        int channels, cr_error* error) {
  unsigned char* data;
  size_t n;
  CR_TRY(cri_png_encode(&data, &n, pixels, width, height, channels, error));
  cr_status status = cri_file_write(path, data, n, error);
  free(data);
  return status;
}
