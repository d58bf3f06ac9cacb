// SPDX-License-Identifier: Apache-2.0
// Arrays of every type, stored and compressed; files that were cut off or changed anywhere.
#include "tools/npz.h"

#include <stdlib.h>

#include "support/close.h"
#include "support/io_npz.h"
#include "support/scratch.h"

static npz_file z;

static void clear(void) { memset(&z, 0, sizeof z); }
AROUND_EACH(clear, NULL)

static cr_status read_all(cri_npz* npz, size_t size, cr_error* error) {
  return cri_npz_read(npz, npz_save(&z, "a.npz", size), error);
}

static void refused(const char* part) {
  cri_npz npz;
  cr_error error = {.status = CR_OK};
  if (read_all(&npz, z.size, &error) == CR_OK || strstr(error.text, part) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, part);
  }
}

TEST(arrays_are_read) {
  const double numbers[] = {1, 2, 3, 4, 5, -6};
  const float single[] = {0.5f, -1.5f};
  const int32_t whole[] = {-7, 8};
  const int64_t large[] = {-9000000000, 5};
  const uint8_t small[] = {0, 255};
  cri_npz npz;
  npz_doubles(&z, "qpos", 3, 2, numbers);
  npz_add(&z, "f4", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", single,
          sizeof single, true);
  npz_add(&z, "i4", "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", whole,
          sizeof whole, false);
  npz_add(&z, "i8", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", large,
          sizeof large, true);
  npz_add(&z, "u1", "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", small,
          sizeof small, false);
  npz_add(&z, "by_columns", "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }", numbers,
          sizeof numbers, true);
  npz_add(&z, "rate", "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", numbers, 8, false);
  npz_end(&z);
  assert_int_equal(read_all(&npz, z.size, NULL), CR_OK);
  assert_int_equal(npz.n, 7);
  assert_string_equal(npz.array[0].name, "qpos");
  assert_true(npz.array[0].rows == 3 && npz.array[0].cols == 2 && npz.array[0].rank == 2);
  assert_true(npz.array[0].values[5] == -6);
  assert_true(npz.array[1].values[1] == -1.5 && npz.array[1].rank == 1);
  assert_true(npz.array[2].values[0] == -7 && npz.array[2].values[1] == 8);
  assert_true(npz.array[3].values[0] == -9e9 && npz.array[3].values[1] == 5);
  assert_true(npz.array[4].values[1] == 255);
  assert_true(npz.array[5].values[1] == 4 && npz.array[5].values[2] == 2);
  assert_true(npz.array[6].rank == 0 && npz.array[6].rows == 1 && npz.array[6].values[0] == 1);
  cri_npz_free(&npz);
}

TEST(other_arrays_are_refused) {
  static const struct {
    const char *header, *part;
  } table[] = {
      {"{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }", "is big endian"},
      {"{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }", "holds no numbers of 1 to 8"},
      {"{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }", "holds no numbers"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "holds no numbers"},
      {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }", "several fields"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 2), }", "more than two dim"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", "not as many numbers"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }", "a wrong shape"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2147483647, 2147483647), }",
       "not as many numbers"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': 2, }", "has no shape"},
      {"{}", "several fields"}};
  const double numbers[] = {1, 2};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    clear();
    npz_add(&z, "x", table[i].header, numbers, sizeof numbers, false);
    npz_end(&z);
    refused(table[i].part);
  }
}

TEST(damaged_files_are_refused) {
  double numbers[64];
  cri_npz npz;
  cr_error error;
  for (int i = 0; i < 64; i++) {
    numbers[i] = i % 7;
  }
  npz_doubles(&z, "time", 64, 0, numbers);
  npz_add(&z, "gyro", "{'descr': '<f8', 'fortran_order': False, 'shape': (64,), }", numbers,
          sizeof numbers, true);
  npz_end(&z);
  for (size_t size = 1; size < z.size; size++) {  // cut off anywhere
    assert_int_equal(read_all(&npz, size, &error), CR_ERR_FORMAT);
  }
  for (size_t at = 0; at < z.size;
       at++) {  // a byte changed: refused, or what it said is not needed
    static const unsigned char flips[] = {0x01, 0x80, 0xff};
    for (int k = 0; k < 3; k++) {
      z.bytes[at] ^= flips[k];
      if (read_all(&npz, z.size, &error) == CR_OK) {
        for (int i = 0; i < npz.n; i++) {
          assert_true(npz.array[i].rows == 64 && npz.array[i].values[6] == 6);
        }
        cri_npz_free(&npz);
      } else {
        assert_int_equal(error.status, CR_ERR_FORMAT);
      }
      z.bytes[at] ^= flips[k];
    }
  }
}

TEST(no_size_is_believed) {
  const double numbers[] = {1, 2};
  npz_add(&z, "x", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", numbers,
          sizeof numbers, true);
  memset(z.directory + 24, 0x7f, 4);  // 2 GB of a few bytes
  npz_end(&z);
  refused("declares more numbers than it can hold");
  clear();
  npz_add(&z, "x", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", numbers,
          sizeof numbers, true);
  memset(z.directory + 24, 0xff, 4);
  npz_end(&z);
  refused("is larger than 4 GB");
  assert_int_equal(cri_npz_read(&(cri_npz){0}, "no.npz", NULL), CR_ERR_FILE);
  assert_int_equal(cri_npz_read(&(cri_npz){0}, scratch_write("t.npz", "time,x\n"), NULL),
                   CR_ERR_FORMAT);
}
