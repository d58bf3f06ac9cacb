// SPDX-License-Identifier: Apache-2.0
// Zip (PKWARE's APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 and 4.3.16) and npy (NEP 1). No size in a file is
// believed before it fits into what the file holds.
#include "tools/npz.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tools/files.h"

typedef unsigned char byte;

typedef struct {
  const char* path;
  const byte* data;
  size_t size;
  cr_error* error;
} archive;

static uint32_t word16(const byte* at) { return (uint32_t)at[0] | (uint32_t)at[1] << 8; }
static uint32_t word32(const byte* at) { return word16(at) | word16(at + 2) << 16; }

static cr_status damaged(const archive* a, const char* what) {
  return cri_fail(a->error, CR_ERR_FORMAT, "%s: is not a .npz file, or is damaged: %s", a->path,
                  what);
}

// ---- one number array: .npy

typedef struct {
  char kind;  // 'f', 'i', 'u', 'b'
  size_t size;
  bool by_columns;
  size_t rows, cols;
  int rank;
  const byte* data;
} npy;

static cr_status refuse(const archive* a, const char* name, const char* what) {
  return cri_fail(a->error, CR_ERR_FORMAT, "%s: array '%.100s' %s", a->path, name, what);
}

// text behind 'key': in the header, NULL if there is none
static const char* value_of(const char* header, const char* key) {
  char quoted[32];
  (void)snprintf(quoted, sizeof quoted, "'%s':", key);
  const char* at = strstr(header, quoted);
  return at != NULL ? at + strlen(quoted) + strspn(at + strlen(quoted), " ") : NULL;
}

static cr_status take_type(const archive* a, const char* name, const char* text, npy* out) {
  if (text == NULL || text[0] != '\'') {
    return refuse(a, name, "has a type of several fields; save an array of numbers for each name");
  }
  char order = text[1];
  out->kind = text[2];
  out->size = text[3] >= '1' && text[3] <= '8' ? (size_t)(text[3] - '0') : 0;
  bool sized = text[3] != 0 && text[4] == '\'';
  bool real = out->kind == 'f' && (out->size == 4 || out->size == 8);
  bool whole = (out->kind == 'i' || out->kind == 'u' || (out->kind == 'b' && out->size == 1)) &&
               (out->size == 1 || out->size == 2 || out->size == 4 || out->size == 8);
  if (!sized || !(real || whole)) {
    return refuse(a, name, "holds no numbers of 1 to 8 bytes; save it with astype(float)");
  }
  if (order != '<' && order != '|') {
    return refuse(a, name, "is big endian; save it with astype(float)");
  }
  return CR_OK;
}

// "(12, 3)"
static cr_status take_shape(const archive* a, const char* name, const char* text, npy* out) {
  size_t size[2] = {1, 1};
  if (text == NULL || *text != '(') {
    return refuse(a, name, "has no shape");
  }
  for (text++; *text != ')' && *text != 0;) {
    size_t number = 0;
    const char* digit = text;
    for (; *digit >= '0' && *digit <= '9' && number <= INT_MAX; digit++) {
      number = 10 * number + (size_t)(*digit - '0');
    }
    if (digit == text || number > INT_MAX) {
      return refuse(a, name, "has a wrong shape");
    }
    if (out->rank == 2) {
      return refuse(a, name, "has more than two dimensions; rows and numbers are expected");
    }
    size[out->rank++] = number;
    text = digit + strspn(digit, ", L");
  }
  out->rows = size[0];
  out->cols = size[1];
  return *text == ')' ? CR_OK : refuse(a, name, "has a wrong shape");
}

static cr_status parse_npy(const archive* a, const char* name, const byte* data, size_t n,
                           npy* out) {
  *out = (npy){.rank = 0};
  size_t lead = n > 6 && data[6] == 1 ? 10 : 12;
  if (n < 12 || memcmp(data, "\x93NUMPY", 6) != 0 || data[6] < 1 || data[6] > 3) {
    return refuse(a, name, "is not in NumPy's format");
  }
  size_t length = lead == 10 ? word16(data + 8) : word32(data + 8);
  if (length > n - lead || memchr(data + lead, 0, length) != NULL) {
    return refuse(a, name, "is damaged");
  }
  char* header = malloc(length + 1);
  if (header == NULL) {
    return cri_fail(a->error, CR_ERR_MEMORY, "%s: no memory", a->path);
  }
  memcpy(header, data + lead, length);
  header[length] = 0;
  const char* order = value_of(header, "fortran_order");
  out->by_columns = order != NULL && strncmp(order, "True", 4) == 0;
  cr_status status = take_type(a, name, value_of(header, "descr"), out);
  status = status == CR_OK ? take_shape(a, name, value_of(header, "shape"), out) : status;
  free(header);
  CR_TRY(status);
  size_t room = n - lead - length;
  bool fits = out->cols == 0 || out->rows <= room / out->size / out->cols;
  out->data = data + lead + length;
  return fits && out->rows * out->cols * out->size == room
             ? CR_OK
             : refuse(a, name, "has not as many numbers as its shape says");
}

static double number_at(const npy* p, size_t i) {
  byte raw[8] = {0};
  uint64_t bits = 0;
  memcpy(raw, p->data + i * p->size, p->size);
  for (size_t k = 0; k < p->size; k++) {
    bits |= (uint64_t)raw[k] << 8 * k;
  }
  if (p->kind == 'f' && p->size == 4) {
    uint32_t half = (uint32_t)bits;
    float x;
    memcpy(&x, &half, sizeof x);
    return (double)x;
  }
  if (p->kind == 'f') {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  if (p->kind != 'i') {
    return (double)bits;
  }
  uint64_t sign = (uint64_t)1 << (8 * p->size - 1);
  int64_t x;
  bits |= (bits & sign) != 0 ? ~(sign | (sign - 1)) : 0;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

static cr_status take_array(const archive* a, const char* name, const byte* data, size_t n,
                            cri_array* out) {
  npy p;
  CR_TRY(parse_npy(a, name, data, n, &p));
  *out = (cri_array){.name = strdup(name),
                     .rank = p.rank,
                     .rows = (int)p.rows,
                     .cols = (int)p.cols,
                     .values = malloc(p.rows * p.cols * sizeof *out->values + 1)};
  if (out->name == NULL || out->values == NULL) {
    free(out->name);
    free(out->values);
    return cri_fail(a->error, CR_ERR_MEMORY, "%s: no memory for '%.100s'", a->path, name);
  }
  for (size_t r = 0; r < p.rows; r++) {
    for (size_t c = 0; c < p.cols; c++) {
      out->values[r * p.cols + c] = number_at(&p, p.by_columns ? c * p.rows + r : r * p.cols + c);
    }
  }
  return CR_OK;
}

// ---- one file of the zip

typedef struct {
  uint32_t flags, method, checksum, packed, size, offset;
  char name[256];  // with ".npy"
} entry;

static bool inflate_all(const byte* from, size_t n, byte* to, size_t size) {
  z_stream z = {.next_in = (byte*)(uintptr_t)from,
                .avail_in = (uInt)n,
                .next_out = to,
                .avail_out = (uInt)size};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) {
    return false;
  }
  bool ok = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == size;
  (void)inflateEnd(&z);
  return ok;
}

// the bytes of an entry; *own is to be freed
static cr_status unpack(const archive* a, const entry* e, const byte** data, byte** own) {
  enum { STORED = 0, DEFLATED = 8, MOST_FOLD = 1040, LOCAL = 30 };
  if ((e->flags & 1) != 0 || (e->method != STORED && e->method != DEFLATED)) {
    return refuse(a, e->name, "is encrypted, or compressed in another way than numpy.savez does");
  }
  if (e->offset > a->size || a->size - e->offset < LOCAL ||
      word32(a->data + e->offset) != 0x04034b50) {
    return damaged(a, "a file in it is not where it should be");
  }
  const byte* local = a->data + e->offset;
  size_t begin = e->offset + (size_t)LOCAL + word16(local + 26) + word16(local + 28);
  if (begin > a->size || e->packed > a->size - begin) {
    return damaged(a, "it ends too early");
  }
  if (e->method == STORED) {
    *data = a->data + begin;
    return e->packed == e->size ? CR_OK : damaged(a, "two sizes of a stored array");
  }
  if (e->size / MOST_FOLD > e->packed) {  // no stream of deflate makes more of a byte
    return damaged(a, "an array declares more numbers than it can hold");
  }
  *own = malloc((size_t)e->size + 1);
  if (*own == NULL) {
    return cri_fail(a->error, CR_ERR_MEMORY, "%s: no memory for '%.100s'", a->path, e->name);
  }
  *data = *own;
  return inflate_all(a->data + begin, e->packed, *own, e->size)
             ? CR_OK
             : damaged(a, "an array cannot be unpacked");
}

static cr_status read_entry(const archive* a, entry* e, cri_array* out) {
  const byte* data = NULL;
  byte* own = NULL;
  size_t length = strlen(e->name);
  if (length <= 4 || strcmp(e->name + length - 4, ".npy") != 0) {
    return cri_fail(a->error, CR_ERR_FORMAT, "%s: '%.100s' in it is no array", a->path, e->name);
  }
  cr_status status = unpack(a, e, &data, &own);
  if (status == CR_OK && crc32_z(0, data, e->size) != e->checksum) {
    status = damaged(a, "a checksum is wrong");
  }
  e->name[length - 4] = 0;
  status = status == CR_OK ? take_array(a, e->name, data, e->size, out) : status;
  free(own);
  return status;
}

// ---- the directory

// takes an entry, and moves *at behind it
static cr_status take_entry(const archive* a, size_t* at, size_t end, entry* e) {
  enum { HEAD = 46 };
  const byte* head = a->data + *at;
  if (end - *at < HEAD || word32(head) != 0x02014b50) {
    return damaged(a, "its directory is wrong");
  }
  size_t name = word16(head + 28), all = HEAD + name + word16(head + 30) + word16(head + 32);
  *e = (entry){.flags = word16(head + 8),
               .method = word16(head + 10),
               .checksum = word32(head + 16),
               .packed = word32(head + 20),
               .size = word32(head + 24),
               .offset = word32(head + 42)};
  if (end - *at < all || name >= sizeof e->name || memchr(head + HEAD, 0, name) != NULL) {
    return damaged(a, "a name in its directory is wrong");
  }
  if (e->packed == UINT32_MAX || e->size == UINT32_MAX || e->offset == UINT32_MAX) {
    return cri_fail(a->error, CR_ERR_FORMAT, "%s: is larger than 4 GB; split it, or use HDF5",
                    a->path);
  }
  memcpy(e->name, head + HEAD, name);
  *at += all;
  return CR_OK;
}

// where the end of the directory is written down; NULL if nowhere
static const byte* find_end(const archive* a) {
  enum { END = 22, COMMENT = 65535 };
  for (size_t back = END; back <= a->size && back <= END + COMMENT; back++) {
    const byte* at = a->data + a->size - back;
    if (word32(at) == 0x06054b50 && word16(at + 20) == back - END) {
      return at;
    }
  }
  return NULL;
}

static cr_status read_all(const archive* a, cri_npz* out) {
  const byte* end = find_end(a);
  if (end == NULL) {
    return damaged(a, "it has no directory");
  }
  size_t n = word16(end + 10), at = word32(end + 16), stop = at + word32(end + 12);
  if (stop > (size_t)(end - a->data)) {
    return damaged(a, "its directory is not where it should be");
  }
  out->array = calloc(n + 1, sizeof *out->array);
  if (out->array == NULL) {
    return cri_fail(a->error, CR_ERR_MEMORY, "%s: no memory for %zu arrays", a->path, n);
  }
  size_t packed = 0;
  for (size_t i = 0; i < n; i++) {
    entry e;
    CR_TRY(take_entry(a, &at, stop, &e));
    packed += e.packed;
    if (packed > a->size) {
      return damaged(a, "its arrays lie over each other");
    }
    CR_TRY(read_entry(a, &e, &out->array[out->n]));
    out->n++;
  }
  return CR_OK;
}

cr_status cri_npz_read(cri_npz* npz, const char* path, cr_error* error) {
  char* data = NULL;
  size_t size = 0;
  *npz = (cri_npz){.n = 0};
  CR_TRY(cri_file_check(path, error));
  CR_TRY(cri_file_read(path, &data, &size, error));
  const archive a = {.path = path, .data = (const byte*)data, .size = size, .error = error};
  cr_status status = read_all(&a, npz);
  free(data);
  if (status != CR_OK) {
    cri_npz_free(npz);
  }
  return status;
}

void cri_npz_free(cri_npz* npz) {
  for (int i = 0; i < npz->n; i++) {
    free(npz->array[i].name);
    free(npz->array[i].values);
  }
  free(npz->array);
  *npz = (cri_npz){.n = 0};
}
