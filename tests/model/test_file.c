// SPDX-License-Identifier: Apache-2.0
// Carom's model file: a written model is read bit for bit, and damaged files are refused.
#include <stdio.h>
#include <stdlib.h>

#include "model/fields.h"
#include "model/file.h"
#include "model/model_check.h"
#include "scenes/random_model.h"
#include "support/scratch.h"
#include "support/test.h"

static const char* path;
static const char* other;

static void setup(void) {
  static char paths[2][256];
  (void)snprintf(paths[0], sizeof paths[0], "%s", scratch_path("model.crm"));
  (void)snprintf(paths[1], sizeof paths[1], "%s", scratch_path("other.crm"));
  path = paths[0];
  other = paths[1];
}

AROUND_FILE(setup, NULL)

// ---- bytes of a file

typedef struct {
  unsigned char* data;
  size_t n;
} bytes;

static bytes read_bytes(const char* from) {
  bytes b = {malloc(1 << 20), 0};
  FILE* file = fopen(from, "rb");
  assert_non_null(file);
  b.n = fread(b.data, 1, 1 << 20, file);
  assert_in_range(b.n, 1, (1 << 20) - 1);
  assert_int_equal(fclose(file), 0);
  return b;
}

static void write_bytes(const char* to, const unsigned char* data, size_t n) {
  FILE* file = fopen(to, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
}

// makes the checksum at the end right again
static void seal(bytes* b) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i + 8 < b->n; i++) {
    hash = (hash ^ b->data[i]) * 0x100000001b3u;
  }
  for (int i = 0; i < 8; i++) {
    b->data[b->n - 8 + (size_t)i] = (unsigned char)(hash >> (8 * i));
  }
}

// first byte behind the head of a record
static size_t find_record(const bytes* b, const char* name) {
  size_t length = strlen(name);
  for (size_t i = 16; i + length + 10 < b->n; i++) {
    if (b->data[i] == length && memcmp(b->data + i + 1, name, length) == 0) {
      return i + 1 + length + 1 + 8;
    }
  }
  fail_msg("no record '%s'", name);
  return 0;
}

static void refused(const char* because) {
  cr_model m = {.nq = -77};
  cr_error error = {0};
  assert_int_equal(cri_model_read(&m, other, &error), CR_ERR_FORMAT);
  if (strstr(error.text, because) == NULL || strstr(error.text, other) == NULL) {
    fail_msg("'%s' does not say '%s' and '%s'", error.text, other, because);
  }
  assert_int_equal(m.nq, -77);  // untouched
}

// ---- tests

TEST(comes_back) {
  for (uint64_t seed = 0; seed < 12; seed++) {
    cr_model m, back;
    cr_error error = {0};
    assert_int_equal(random_model(&m, seed, &error), CR_OK);
    assert_int_equal(cri_model_save(&m, path, &error), CR_OK);
    assert_true(cri_model_file_is(path));
    if (cri_model_read(&back, path, &error) != CR_OK) {
      fail_msg("%s", error.text);
    }
#define CR_SIZE(name, text) assert_int_equal(back.name, m.name);
#define CR_OPT_I(name, range, text) assert_int_equal(back.name, m.name);
#define CR_OPT_R(name, range, unit, text) assert_true((double)back.name == (double)m.name);
#include "model/model_fields.h"
    for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
      cr_field_id id = (cr_field_id)i;
      int n = cri_field_rows(&m, NULL, id) * cri_field_width(&m, id);
      cr_field_kind kind = cri_field(id)->kind;
      if (kind == CR_KIND_CHAR) {
        assert_memory_equal(back.names, m.names, (size_t)n);
      } else if (kind == CR_KIND_INT) {
        assert_memory_equal(cri_field_index(&back, NULL, id), cri_field_index(&m, NULL, id),
                            (size_t)n * sizeof(int32_t));
      } else {
        for (int k = 0; k < n; k++) {  // files hold doubles
          assert_true((double)cri_field_real(&back, NULL, id)[k] ==
                      (double)cri_field_real(&m, NULL, id)[k]);
        }
      }
    }
    cri_model_free(&back);
    cri_model_free(&m);
  }
}

static bytes saved_model(void) {
  cr_model m;
  assert_int_equal(random_model(&m, 2, NULL), CR_OK);
  assert_int_equal(cri_model_save(&m, path, NULL), CR_OK);
  cri_model_free(&m);
  return read_bytes(path);
}

TEST(not_a_model_file) {
  write_bytes(other, (const unsigned char*)"<mujoco/> and some more of it", 29);
  assert_false(cri_model_file_is(other));
  refused("not a Carom model file");
  write_bytes(other, (const unsigned char*)"CAROMMDL", 8);
  assert_true(cri_model_file_is(other));
  refused("not a Carom model file");
  write_bytes(other, (const unsigned char*)"", 0);
  assert_false(cri_model_file_is(other));
  refused("not a Carom model file");
}

TEST(missing_file) {
  cr_model m;
  cr_error error;
  (void)remove(other);
  assert_false(cri_model_file_is(other));
  assert_int_equal(cri_model_read(&m, other, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, other));
  assert_int_equal(cri_model_read(&m, scratch_path("."), &error), CR_ERR_FILE);
}

TEST(truncated_anywhere) {
  bytes b = saved_model();
  for (size_t n = 0; n < b.n; n += 1 + n / 7) {
    write_bytes(other, b.data, n);
    refused(n < 24 ? "not a Carom model file" : "damaged or truncated");
  }
  write_bytes(other, b.data, b.n - 1);
  refused("damaged or truncated");
  free(b.data);
}

TEST(any_bit_counts) {
  bytes b = saved_model();
  cr_random r = cr_random_seed(5, 0);
  for (int k = 0; k < 200; k++) {
    size_t at = (size_t)cr_random_int(&r, (int)b.n - 8) + 8;
    unsigned char bit = (unsigned char)(1u << cr_random_int(&r, 8));
    b.data[at] ^= bit;
    write_bytes(other, b.data, b.n);
    refused("damaged or truncated");
    b.data[at] ^= bit;
  }
  free(b.data);
}

TEST(other_versions) {
  bytes b = saved_model();
  b.data[8] = CR_MODEL_FILE_VERSION + 1;
  seal(&b);
  write_bytes(other, b.data, b.n);
  refused("format version 4, expected 3");
  b.data[8] = CR_MODEL_FILE_VERSION;
  b.data[12] ^= 1;
  seal(&b);
  write_bytes(other, b.data, b.n);
  refused("another version of Carom");
  free(b.data);
}

static void put_count(bytes* b, size_t at, uint32_t value) {
  for (int i = 0; i < 4; i++) {
    b->data[at + (size_t)i] = (unsigned char)(value >> (8 * i));
  }
}

// files whose checksum is right and whose content is not
TEST(counts_that_do_not_fit) {
  bytes b = saved_model();
  bytes c = {malloc(b.n), b.n};
  static const char* const counts[] = {"nbody", "nq", "ngeom", "nnames", "nkey", "nC"};
  static const uint32_t values[] = {0x7fffffff, 0xffffffff, 100000, 0};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
      memcpy(c.data, b.data, b.n);
      put_count(&c, find_record(&c, counts[i]), values[k]);
      seal(&c);
      write_bytes(other, c.data, c.n);
      refused("");
    }
  }
  memcpy(c.data, b.data, b.n);
  put_count(&c, find_record(&c, "body_mass") - 8, 1);  // numbers in the record
  seal(&c);
  write_bytes(other, c.data, c.n);
  refused("'body_mass' has 1 numbers");
  memcpy(c.data, b.data, b.n);
  c.data[find_record(&c, "body_mass") - 10] = 'x';  // last letter of the name
  seal(&c);
  write_bytes(other, c.data, c.n);
  refused("record 'body_mass' expected");
  free(b.data);
  free(c.data);
}

TEST(nothing_behind_the_last_record) {
  bytes b = saved_model();
  bytes longer = {calloc(b.n + 4, 1), b.n + 4};
  memcpy(longer.data, b.data, b.n - 8);
  seal(&longer);
  write_bytes(other, longer.data, longer.n);
  refused("more than a model");
  free(b.data);
  free(longer.data);
}

// whatever numbers a file with a right checksum holds: it is refused, or the check tells
TEST(arbitrary_content) {
  bytes b = saved_model();
  cr_random r = cr_random_seed(6, 0);
  int read = 0, sound = 0;
  for (int k = 0; k < 400; k++) {
    bytes c = {malloc(b.n), b.n};
    memcpy(c.data, b.data, b.n);
    for (int i = 0; i < 2; i++) {
      c.data[16 + (size_t)cr_random_int(&r, (int)b.n - 24)] = (unsigned char)cr_random_bits(&r);
    }
    seal(&c);
    write_bytes(other, c.data, c.n);
    cr_model m;
    if (cri_model_read(&m, other, NULL) == CR_OK) {
      read++;
      if (cri_model_check(&m, NULL) == CR_OK) {
        sound++;
        (void)test_data(&m);
      }
      cri_model_free(&m);
    }
    free(c.data);
  }
  assert_true(read > 50 && sound > 10);
  free(b.data);
}

// ---- writing

TEST(unwritable_places) {
  cr_model m;
  cr_error error;
  const char* nowhere = scratch_path("no/such/folder");
  assert_int_equal(random_model(&m, 1, NULL), CR_OK);
  assert_int_equal(cri_model_save(&m, nowhere, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, nowhere));
  assert_int_equal(cri_model_save(&m, scratch_path("."), &error), CR_ERR_FILE);
  cri_model_free(&m);
}

// a disk that is full in the middle: the file that was there stays as it was, nothing is left
TEST(full_disk) {
  bytes b = saved_model();
  cr_model m;
  cr_error error;
  int files = scratch_count();
  assert_int_equal(random_model(&m, 5, NULL), CR_OK);
  scratch_disk_full(true, 1000);
  cr_status status = cri_model_save(&m, path, &error);
  scratch_disk_full(false, 0);
  assert_int_equal(status, CR_ERR_FILE);
  assert_non_null(strstr(error.text, path));
  assert_int_equal(scratch_count(), files);
  bytes after = read_bytes(path);
  assert_int_equal(after.n, b.n);
  assert_memory_equal(after.data, b.data, b.n);
  free(after.data);
  free(b.data);
  cri_model_free(&m);
}
