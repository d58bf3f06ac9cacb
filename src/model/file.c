// SPDX-License-Identifier: Apache-2.0
// The binary model file: sizes, options and arrays as named records, from the field table.
#include "model/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole_file.h"
#include "model/fields.h"
#include "model/sensors.h"

static const char magic[8] = {'C', 'A', 'R', 'O', 'M', 'M', 'D', 'L'};

// sizes and options, by name; options that are real are stored as double
typedef struct {
  const char* name;
  size_t offset;
  bool real;
} scalar_row;

static const scalar_row scalars[] = {
#define CR_SIZE(name, text) {#name, offsetof(cr_model, name), false},
#define CR_OPT_I(name, range, text) {#name, offsetof(cr_model, name), false},
#define CR_OPT_R(name, range, unit, text) {#name, offsetof(cr_model, name), true},
#include "model/model_fields.h"
};
enum { N_SCALAR = (int)(sizeof scalars / sizeof scalars[0]), HEADER = 16 };

// ---- a growing buffer, and a reader that cannot run past the end

typedef struct {
  unsigned char* data;
  size_t n, capacity;
  bool failed;
} buffer;

static void put(buffer* b, const void* data, size_t n) {
  if (b->n + n > b->capacity && !b->failed) {
    size_t capacity = 2 * (b->n + n);
    unsigned char* grown = realloc(b->data, capacity);
    b->failed = grown == NULL;
    b->data = grown != NULL ? grown : b->data;
    b->capacity = grown != NULL ? capacity : b->capacity;
  }
  if (!b->failed && n > 0) {
    memcpy(b->data + b->n, data, n);
    b->n += n;
  }
}

static void put_number(buffer* b, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) {
    unsigned char c = (unsigned char)(value >> (8 * i));
    put(b, &c, 1);
  }
}

typedef struct {
  const unsigned char* data;
  size_t n, at;
  bool failed;
} reader;

static uint64_t get_number(reader* r, int bytes) {
  uint64_t value = 0;
  if (r->at + (size_t)bytes > r->n) {
    r->failed = true;
    return 0;
  }
  for (int i = 0; i < bytes; i++) {
    value |= (uint64_t)r->data[r->at++] << (8 * i);
  }
  return value;
}

static void put_double(buffer* b, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_number(b, bits, 8);
}

static double get_double(reader* r) {
  uint64_t bits = get_number(r, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t checksum(const unsigned char* data, size_t n) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < n; i++) {
    hash = (hash ^ data[i]) * 0x100000001b3u;
  }
  return hash;
}

// ---- writing

static void put_head(buffer* b, const char* name, char type, uint64_t count) {
  put_number(b, strlen(name), 1);
  put(b, name, strlen(name));
  put(b, &type, 1);
  put_number(b, count, 8);
}

static void put_scalar(buffer* b, const cr_model* m, const scalar_row* row) {
  const char* at = (const char*)m + row->offset;
  put_head(b, row->name, row->real ? 'd' : 'i', 1);
  if (row->real) {
    cr_real value;
    memcpy(&value, at, sizeof value);
    put_double(b, (double)value);
  } else {
    int32_t value;
    memcpy(&value, at, sizeof value);
    put_number(b, (uint32_t)value, 4);
  }
}

static size_t field_count(const cr_model* m, cr_field_id id) {
  return (size_t)cri_field_rows(m, NULL, id) * (size_t)cri_field_width(m, id);
}

static void put_field(buffer* b, const cr_model* m, cr_field_id id) {
  const cr_field* f = cri_field(id);
  size_t count = field_count(m, id);
  if (f->kind == CR_KIND_CHAR) {
    put_head(b, f->name, 'c', count);
    put(b, m->names, count);
  } else if (f->kind == CR_KIND_INT) {
    put_head(b, f->name, 'i', count);
    const int32_t* data = cri_field_index(m, NULL, id);
    for (size_t i = 0; i < count; i++) {
      put_number(b, (uint32_t)data[i], 4);
    }
  } else {
    put_head(b, f->name, 'd', count);
    const cr_real* data = cri_field_real(m, NULL, id);
    for (size_t i = 0; i < count; i++) {
      put_double(b, (double)data[i]);
    }
  }
}

static buffer bytes_of(const cr_model* m) {
  buffer b = {0};
  put(&b, magic, sizeof magic);
  put_number(&b, CR_MODEL_FILE_VERSION, 4);
  put_number(&b, (uint64_t)(N_SCALAR + CR_N_MODEL_FIELD), 4);
  for (int i = 0; i < N_SCALAR; i++) {
    put_scalar(&b, m, &scalars[i]);
  }
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    put_field(&b, m, (cr_field_id)i);
  }
  put_number(&b, checksum(b.data, b.n), 8);
  return b;
}

cr_status cri_model_save(const cr_model* m, const char* path, cr_error* error) {
  buffer b = bytes_of(m);
  cr_status status = b.failed ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path)
                              : cri_whole_file_write(path, b.data, b.n, error);
  free(b.data);
  return status;
}

cr_status cri_model_save_bytes(const cr_model* m, unsigned char** bytes, size_t* n,
                               cr_error* error) {
  buffer b = bytes_of(m);
  if (b.failed) {
    free(b.data);
    return cri_fail(error, CR_ERR_MEMORY, "a model in memory: no memory");
  }
  *bytes = b.data;
  *n = b.n;
  return CR_OK;
}

// ---- reading

typedef struct {
  char name[256];
  char type;
  uint64_t count;
} head;

static bool get_head(reader* r, head* h) {
  size_t length = (size_t)get_number(r, 1);
  if (r->failed || r->at + length > r->n) {
    return false;
  }
  memcpy(h->name, r->data + r->at, length);
  h->name[length] = 0;
  r->at += length;
  h->type = (char)get_number(r, 1);
  h->count = get_number(r, 8);
  size_t item = h->type == 'd' ? 8 : (h->type == 'i' ? 4 : 1);
  return !r->failed && h->count <= (r->n - r->at) / item;
}

static cr_status broken(const char* path, const char* what, cr_error* error) {
  return cri_fail(error, CR_ERR_FORMAT, "%s: %s", path, what);
}

static cr_status get_scalars(cr_model* m, reader* r, const char* path, cr_error* error) {
  for (int i = 0; i < N_SCALAR; i++) {
    head h;
    const scalar_row* row = &scalars[i];
    if (!get_head(r, &h) || strcmp(h.name, row->name) != 0 || h.count != 1 ||
        h.type != (row->real ? 'd' : 'i')) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: record '%s' expected", path, row->name);
    }
    char* at = (char*)m + row->offset;
    if (row->real) {
      cr_real value = (cr_real)get_double(r);
      memcpy(at, &value, sizeof value);
    } else {
      int32_t value = (int32_t)(uint32_t)get_number(r, 4);
      memcpy(at, &value, sizeof value);
    }
  }
  return CR_OK;
}

// sensordata is computed; the file does not hold it
static int32_t most_of(const char* name, const reader* r) {
  if (strcmp(name, "nsensordata") == 0) {
    return CRI_MOST_SENSORDATA;
  }
  return r->n < INT32_MAX ? (int32_t)r->n : INT32_MAX;
}

// bytes of a field in the file, SIZE_MAX if there are too many
static size_t stored_bytes(const cr_model* m, cr_field_id id) {
  size_t rows = (size_t)cri_field_rows(m, NULL, id), width = (size_t)cri_field_width(m, id);
  cr_field_kind kind = cri_field(id)->kind;
  size_t item = kind == CR_KIND_CHAR ? 1 : (kind == CR_KIND_INT ? 4 : 8);
  return rows > 0 && width > SIZE_MAX / item / rows ? SIZE_MAX : rows * width * item;
}

// a count that no file of this length can hold is refused before memory is allocated
static cr_status check_sizes(const cr_model* m, const reader* r, const char* path,
                             cr_error* error) {
  size_t left = r->n;
  for (int i = 0; i < N_SCALAR; i++) {
    int32_t value;
    memcpy(&value, (const char*)m + scalars[i].offset, sizeof value);
    bool count = !scalars[i].real && scalars[i].name[0] == 'n';
    if (count && (value < 0 || value > most_of(scalars[i].name, r))) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: %s is %d", path, scalars[i].name, value);
    }
  }
  if (m->none != 1) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: the count 'none' is %d; in every model it is 1",
                    path, m->none);
  }
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    size_t bytes = stored_bytes(m, (cr_field_id)i);
    if (bytes > left) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' has %d rows, more than the file holds", path,
                      cri_field((cr_field_id)i)->name, cri_field_rows(m, NULL, (cr_field_id)i));
    }
    left -= bytes;
  }
  return CR_OK;
}

static cr_status get_field(cr_model* m, cr_field_id id, reader* r, const char* path,
                           cr_error* error) {
  const cr_field* f = cri_field(id);
  head h;
  char type = f->kind == CR_KIND_CHAR ? 'c' : (f->kind == CR_KIND_INT ? 'i' : 'd');
  if (!get_head(r, &h) || strcmp(h.name, f->name) != 0 || h.type != type) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: record '%s' expected", path, f->name);
  }
  if (h.count != field_count(m, id)) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' has %llu numbers, expected %zu", path, f->name,
                    (unsigned long long)h.count, field_count(m, id));
  }
  for (uint64_t i = 0; i < h.count; i++) {
    if (type == 'd') {
      cri_field_real(m, NULL, id)[i] = (cr_real)get_double(r);
    } else if (type == 'i') {
      cri_field_index(m, NULL, id)[i] = (int32_t)(uint32_t)get_number(r, 4);
    } else {
      m->names[i] = (char)get_number(r, 1);
    }
  }
  return CR_OK;
}

static cr_status parse(cr_model* m, reader* r, const char* path, cr_error* error) {
  if (r->n < HEADER + 8 || memcmp(r->data, magic, sizeof magic) != 0) {
    return broken(path, "not a Carom model file", error);
  }
  r->n -= 8;
  reader tail = {.data = r->data, .n = r->n + 8, .at = r->n};
  if (get_number(&tail, 8) != checksum(r->data, r->n)) {
    return broken(path, "the checksum is wrong: the file is damaged or truncated", error);
  }
  r->at = sizeof magic;
  uint64_t version = get_number(r, 4), records = get_number(r, 4);
  if (version != CR_MODEL_FILE_VERSION) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: format version %llu, expected %d", path,
                    (unsigned long long)version, CR_MODEL_FILE_VERSION);
  }
  if (records != (uint64_t)(N_SCALAR + CR_N_MODEL_FIELD)) {
    return broken(path, "it was written by another version of Carom", error);
  }
  CR_TRY(get_scalars(m, r, path, error));
  CR_TRY(check_sizes(m, r, path, error));
  CR_TRY(cri_model_allocate(m, error));
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_status status = get_field(m, (cr_field_id)i, r, path, error);
    if (status != CR_OK) {
      cri_model_free(m);
      return status;
    }
  }
  if (r->at != r->n) {
    cri_model_free(m);
    return broken(path, "there is more than a model in it", error);
  }
  return CR_OK;
}

static cr_status read_whole(buffer* b, const char* path, cr_error* error) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be opened", path);
  }
  unsigned char chunk[65536];
  size_t n;
  while ((n = fread(chunk, 1, sizeof chunk, file)) > 0) {
    put(b, chunk, n);
  }
  bool ok = ferror(file) == 0;
  (void)fclose(file);
  return ok && !b->failed ? CR_OK : cri_fail(error, CR_ERR_FILE, "%s: cannot be read", path);
}

cr_status cri_model_read_bytes(cr_model* m, const unsigned char* bytes, size_t n, const char* name,
                               cr_error* error) {
  cr_model read = {0};
  reader r = {.data = bytes, .n = n};
  CR_TRY(parse(&read, &r, name, error));
  *m = read;
  return CR_OK;
}

cr_status cri_model_read(cr_model* m, const char* path, cr_error* error) {
  buffer b = {0};
  cr_status status = read_whole(&b, path, error);
  if (status == CR_OK) {
    status = cri_model_read_bytes(m, b.data, b.n, path, error);
  }
  free(b.data);
  return status;
}

bool cri_model_file_is(const char* path) {
  char start[sizeof magic];
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    return false;
  }
  bool is = fread(start, 1, sizeof start, file) == sizeof start &&
            memcmp(start, magic, sizeof magic) == 0;
  (void)fclose(file);
  return is;
}
