// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include <stdlib.h>

#include "base/random.h"
#include "fit/fit_checkpoint.h"
#include "support/scratch.h"
#include "tools/files.h"

enum { N = 3, COUNT = 20 };

static cr_record* filled(void) {
  cr_record* record = NULL;
  cr_random r = cr_random_seed(1, 0);
  assert_int_equal(cr_record_create(&record, N, NULL), CR_OK);
  for (int i = 0; i < COUNT; i++) {
    cr_real x[N], g[N];
    for (int k = 0; k < N; k++) {
      x[k] = cr_random_normal(&r);
      g[k] = cr_random_normal(&r) * 1e-300;
    }
    const cr_fit_value e = {.size = sizeof e,
                            .loss = cr_random_uniform(&r),
                            .gradient = g,
                            .windows = 100 + i,
                            .zero_windows = i,
                            .contact_free = 2 * i};
    assert_int_equal(cr_record_add(record, i % 4 - 1, x, &e, NULL), CR_OK);
  }
  return record;
}

static cr_record* empty(void) {
  cr_record* record = NULL;
  assert_int_equal(cr_record_create(&record, N, NULL), CR_OK);
  return record;
}

TEST(a_record_comes_back_bit_by_bit) {
  const char* path;
  cr_record *record = filled(), *read = empty();
  const cr_checkpoint written = {0xfedcba9876543210u, 12.75};
  cr_checkpoint c = {.fingerprint = written.fingerprint};
  assert_int_equal(
      cr_checkpoint_write((path = scratch_path("c")), &written, record, COUNT - 2, NULL), CR_OK);
  assert_int_equal(cr_checkpoint_read(path, &c, read, NULL), CR_OK);
  assert_true(c.seconds == 12.75);
  assert_int_equal(cr_record_count(read), COUNT - 2);
  for (int i = 0; i < COUNT - 2; i++) {
    cr_record_row a = cr_record_get(record, i), b = cr_record_get(read, i);
    assert_int_equal(a.batch, b.batch);
    assert_int_equal(a.e.windows, b.e.windows);
    assert_int_equal(a.e.zero_windows, b.e.zero_windows);
    assert_int_equal(a.e.contact_free, b.e.contact_free);
    assert_true(a.e.loss == b.e.loss);
    assert_memory_equal(a.x, b.x, sizeof(cr_real[N]));
    assert_memory_equal(a.e.gradient, b.e.gradient, sizeof(cr_real[N]));
  }
  cr_record_free(record);
  cr_record_free(read);
}

static void refuse(const char* path, uint64_t fingerprint, cr_status status, const char* part) {
  cr_record* read = empty();
  cr_checkpoint c = {.fingerprint = fingerprint};
  cr_error error = {0};
  assert_int_equal(cr_checkpoint_read(path, &c, read, &error), status);
  if (strstr(error.text, part) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, part);
  }
  cr_record_free(read);
}

TEST(other_files_are_refused) {
  const char* path;
  char* text = NULL;
  size_t n = 0;
  cr_record* record = filled();
  const cr_checkpoint c = {.fingerprint = 5};
  refuse((path = scratch_path("none")), 5, CR_ERR_FILE, "No such file");
  refuse(scratch_write("words", "words\n"), 5, CR_ERR_FORMAT, "is not a checkpoint");
  assert_int_equal(cr_checkpoint_write((path = scratch_path("c")), &c, record, COUNT, NULL), CR_OK);
  refuse(path, 6, CR_ERR_ARG, "other settings, model or data");

  // cut anywhere, it is refused
  assert_int_equal(cri_file_read(path, &text, &n, NULL), CR_OK);
  for (size_t length = 30; length < n; length += 97) {
    assert_int_equal(cri_file_write(path, text, length, NULL), CR_OK);
    refuse(path, 5, length < 60 ? CR_ERR_FORMAT : CR_ERR_FORMAT, "c: ");
  }
  assert_int_equal(cri_file_write(path, text, n - 1, NULL), CR_OK);
  refuse(path, 5, CR_ERR_FORMAT, "truncated");
  // a digit that is another
  for (size_t at = n / 2; at < n; at += 211) {
    text[at] ^= 1;
    assert_int_equal(cri_file_write(path, text, n, NULL), CR_OK);
    refuse(path, 5, CR_ERR_FORMAT, "the checksum is wrong: the file is damaged");
    text[at] ^= 1;
  }
  free(text);
  cr_record_free(record);
}
