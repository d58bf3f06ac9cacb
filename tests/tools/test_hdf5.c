// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/scratch.h"
#include "tools/hdf5.h"

static cr_h5* opened(const char* path) {
  cr_h5* file = NULL;
  cr_error error = {0};
  if (cri_h5_open(&file, path, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return file;
}

static void save_example(const char* path) {
  static const double table[] = {1, 2.5, -3, 4, 1e300, 6};
  cr_h5* file = NULL;
  assert_int_equal(cri_h5_create(&file, path, NULL), CR_OK);
  assert_int_equal(cri_h5_write(file, "b/two/table", table, 2, 3, NULL), CR_OK);
  assert_int_equal(cri_h5_write(file, "b/one", table, 4, 0, NULL), CR_OK);
  assert_int_equal(cri_h5_write(file, "a", table, 1, 1, NULL), CR_OK);
  assert_int_equal(cri_h5_write_attribute(file, "/", "dt", 0.125, NULL), CR_OK);
  assert_int_equal(cri_h5_write_attribute(file, "b/one", "count", 7, NULL), CR_OK);
  assert_int_equal(cri_h5_write_text(file, "/", "title", "words", NULL), CR_OK);
  assert_int_equal(cri_h5_save(file, NULL), CR_OK);
  cri_h5_close(file);
}

TEST(tables_and_attributes_come_back) {
  const char* path;
  double *values = NULL, number = 0;
  int rows, cols;
  bool present;
  save_example((path = scratch_path("example.h5")));
  cr_h5* file = opened(path);
  assert_int_equal(cri_h5_read(file, "b/two/table", &values, &rows, &cols, NULL), CR_OK);
  assert_int_equal(rows, 2);
  assert_int_equal(cols, 3);
  assert_true(values[2] == -3 && values[4] == 1e300);
  free(values);
  assert_int_equal(cri_h5_read(file, "b/one", &values, &rows, &cols, NULL), CR_OK);
  assert_int_equal(rows, 4);
  assert_int_equal(cols, 1);
  free(values);
  assert_int_equal(cri_h5_read_attribute(file, "/", "dt", &number, &present, NULL), CR_OK);
  assert_true(present && number == 0.125);
  assert_int_equal(cri_h5_read_attribute(file, "b/one", "count", &number, &present, NULL), CR_OK);
  assert_true(present && number == 7);
  assert_int_equal(cri_h5_read_attribute(file, "/", "nothing", &number, &present, NULL), CR_OK);
  assert_false(present);
  assert_true(cri_h5_has(file, "b/two/table"));
  assert_false(cri_h5_has(file, "b/three/table"));
  assert_false(cri_h5_has(file, "c/three/table"));
  cri_h5_close(file);
}

static cr_status add_name(void* context, const char* name) {
  char* names = context;
  (void)strcat(strcat(names, name), " ");
  return strcmp(name, "stop") == 0 ? CR_ERR_ARG : CR_OK;
}

TEST(members_come_in_order_of_name) {
  const char* path;
  char names[64] = "";
  const double x = 1;
  cr_h5* file = NULL;
  cr_error error = {0};
  assert_int_equal(cri_h5_create(&file, (path = scratch_path("order.h5")), NULL), CR_OK);
  assert_int_equal(cri_h5_write(file, "g/0010", &x, 1, 1, NULL), CR_OK);
  assert_int_equal(cri_h5_write(file, "g/0002", &x, 1, 1, NULL), CR_OK);
  assert_int_equal(cri_h5_each(file, "g", add_name, names, NULL), CR_OK);
  assert_string_equal(names, "0002 0010 ");
  assert_int_equal(cri_h5_write(file, "g/stop", &x, 1, 1, NULL), CR_OK);
  assert_int_equal(cri_h5_write(file, "g/zero", &x, 1, 1, NULL), CR_OK);
  names[0] = 0;
  assert_int_equal(cri_h5_each(file, "g", add_name, names, NULL), CR_ERR_ARG);
  assert_string_equal(names, "0002 0010 stop ");
  assert_int_equal(cri_h5_each(file, "h", add_name, names, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "order.h5: there is no group 'h'"));
  cri_h5_close(file);
  assert_int_not_equal(access(path, F_OK), 0);  // it was never saved
}

TEST(failures_name_the_file) {
  const char* path;
  double *values = NULL, number;
  int rows, cols;
  bool present;
  cr_h5* file = NULL;
  cr_error error = {0};
  assert_int_equal(cri_h5_open(&file, (path = scratch_path("none.h5")), &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "none.h5: cannot be read: No such file"));
  assert_int_equal(cri_h5_open(&file, scratch_write("text.h5", "words"), &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "text.h5: this is not an HDF5 file"));
  assert_null(file);

  save_example((path = scratch_path("example.h5")));
  file = opened(path);
  assert_int_equal(cri_h5_read(file, "b/three", &values, &rows, &cols, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "there is no data set 'b/three'"));
  assert_int_equal(cri_h5_read(file, "b", &values, &rows, &cols, &error), CR_ERR_FORMAT);
  assert_int_equal(cri_h5_read_attribute(file, "/", "title", &number, &present, &error),
                   CR_ERR_FORMAT);
  assert_null(values);
  cri_h5_close(file);
}

TEST(a_full_disk_leaves_nothing) {
  const char* path;
  const double x = 1;
  cr_h5* file = NULL;
  cr_error error = {0};
  if (access("/dev/full", W_OK) != 0) {
    skip();
  }
  assert_int_equal(symlink("/dev/full", scratch_path("full.h5.tmp")), 0);
  assert_int_equal(cri_h5_create(&file, (path = scratch_path("full.h5")), NULL), CR_OK);
  assert_int_equal(cri_h5_write(file, "a", &x, 1, 1, NULL), CR_OK);
  assert_int_equal(cri_h5_save(file, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "No space left"));
  cri_h5_close(file);
  assert_int_not_equal(access(path, F_OK), 0);
}

// a file written bit by bit, given up, opened again and read by rows
TEST(rows_come_and_go_on_disk) {
  static const double rows[] = {1, 2, 3, 4, 5, 6, 7, 8}, one[] = {9};
  const char* path = scratch_path("rows.h5");
  double got[8] = {0};
  int count, width;
  cr_error error = {0};
  cr_h5* file = NULL;
  assert_int_equal(cri_h5_create_on_disk(&file, path, 9, NULL), CR_OK);
  assert_int_equal(cri_h5_reserve(file, "g/table", 4, 2, NULL), CR_OK);
  assert_int_equal(cri_h5_reserve(file, "one", 1, 0, NULL), CR_OK);
  assert_int_equal(cri_h5_settle(file, NULL), CR_OK);
  assert_int_equal(cri_h5_write_rows(file, "g/table", 1, 2, rows, NULL), CR_OK);
  assert_int_equal(cri_h5_flush(file, NULL), CR_OK);
  cri_h5_close(file);

  assert_int_equal(cri_h5_open_on_disk(&file, path, NULL), CR_OK);
  assert_int_equal(cri_h5_write_rows(file, "g/table", 3, 1, rows + 6, NULL), CR_OK);
  assert_int_equal(cri_h5_write_rows(file, "one", 0, 1, one, NULL), CR_OK);
  assert_int_equal(cri_h5_write_rows(file, "g/table", 3, 2, rows, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "g/table"));
  cri_h5_close(file);

  file = opened(path);
  assert_int_equal(cri_h5_shape(file, "g/table", &count, &width, NULL), CR_OK);
  assert_true(count == 4 && width == 2);
  assert_int_equal(cri_h5_read_rows(file, "g/table", 1, 3, got, NULL), CR_OK);
  const double expected[] = {1, 2, 3, 4, 7, 8};
  assert_memory_equal(got, expected, sizeof expected);
  assert_int_equal(cri_h5_shape(file, "one", &count, &width, NULL), CR_OK);
  assert_true(count == 1 && width == 1);
  assert_int_equal(cri_h5_read_rows(file, "g/table", 3, 2, got, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "rows 3 to 4 of 'g/table'"));
  assert_int_equal(cri_h5_shape(file, "none", &count, &width, NULL), CR_ERR_FORMAT);
  cri_h5_close(file);
  assert_int_equal(cri_h5_create_on_disk(&file, scratch_path("no/where.h5"), 1, &error),
                   CR_ERR_FILE);
}

// texts lie beside numbers, each row written by itself; what was never written is empty
TEST(texts_come_and_go_on_disk) {
  enum { SIZE = 16 };
  const char* path = scratch_path("texts.h5");
  const char two[2][SIZE] = {"fifteen letters", "ü"};
  char got[SIZE];
  cr_error error = {0};
  cr_h5* file = NULL;
  assert_int_equal(cri_h5_create_on_disk(&file, path, 4 * SIZE, NULL), CR_OK);
  assert_int_equal(cri_h5_reserve_texts(file, "g/said", 4, SIZE, NULL), CR_OK);
  assert_int_equal(cri_h5_settle(file, NULL), CR_OK);
  assert_int_equal(cri_h5_write_texts(file, "g/said", 1, 2, SIZE, two[0], NULL), CR_OK);
  assert_int_equal(cri_h5_write_texts(file, "g/said", 3, 2, SIZE, two[0], &error), CR_ERR_FILE);
  cri_h5_close(file);
  file = opened(path);
  const char* const expected[] = {"", two[0], two[1], ""};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(cri_h5_read_text(file, "g/said", i, SIZE, got, NULL), CR_OK);
    assert_string_equal(got, expected[i]);
  }
  assert_int_equal(cri_h5_read_text(file, "g/said", 4, SIZE, got, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "rows 4 to 4 of 'g/said'"));
  cri_h5_close(file);
}

// a file that grows belongs to one run until it has its name; another leaves it alone
TEST(a_growing_file_is_claimed) {
  const char* path = scratch_path("growing.h5");
  char name[1024], last[1024];
  double x = 5, got = 0;
  cr_error error = {0};
  cr_h5 *file = NULL, *other = NULL;
  (void)snprintf(name, sizeof name, "%s", path);
  (void)snprintf(last, sizeof last, "%s.last", path);
  assert_int_equal(cri_h5_create_on_disk(&file, name, 1, NULL), CR_OK);
  assert_int_equal(cri_h5_reserve(file, "x", 1, 0, NULL), CR_OK);
  assert_int_equal(cri_h5_settle(file, NULL), CR_OK);
  assert_int_equal(cri_h5_write_rows(file, "x", 0, 1, &x, NULL), CR_OK);
  assert_int_equal(cri_h5_create_on_disk(&other, name, 1, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "another run is writing to this file"));
  assert_int_equal(cri_h5_open_on_disk(&other, name, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "another run is writing to this file"));
  assert_int_equal(cri_h5_finish(file, last, NULL), CR_OK);
  assert_int_not_equal(access(name, F_OK), 0);
  file = opened(last);
  assert_int_equal(cri_h5_read_rows(file, "x", 0, 1, &got, NULL), CR_OK);
  assert_true(got == 5);
  cri_h5_close(file);
  assert_int_equal(cri_h5_create_on_disk(&other, name, 1, NULL), CR_OK);
  cri_h5_close(other);
}

// a set of any size takes a few hundred bytes as long as nothing is written
static void declare(const char* path, hsize_t rows, hsize_t cols, hsize_t deep) {
  const hsize_t size[3] = {rows, cols, deep}, chunk[3] = {10, 1, 1};
  int rank = deep > 0 ? 3 : 2;
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(rank, size, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  assert_true(H5Pset_chunk(layout, rank, chunk) >= 0);
  hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  assert_true(set >= 0);
  (void)H5Dclose(set);
  (void)H5Pclose(layout);
  (void)H5Sclose(space);
  (void)H5Fclose(file);
}

TEST(what_declares_more_than_it_holds_is_refused) {
  static const hsize_t sizes[][3] = {{20000000, 13, 0},
                                     {2147483647, 1, 0},
                                     {1000000000, 2, 0},
                                     {10, (hsize_t)1 << 31, (hsize_t)1 << 33}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const char* path = scratch_path("bomb.h5");
    double* values = NULL;
    int rows, cols;
    cr_error error = {0};
    declare(path, sizes[i][0], sizes[i][1], sizes[i][2]);
    cr_h5* file = opened(path);
    assert_int_equal(cri_h5_shape(file, "x", &rows, &cols, &error), CR_ERR_FORMAT);
    assert_non_null(strstr(error.text, "but it holds only 0 bytes"));
    assert_int_equal(cri_h5_read(file, "x", &values, &rows, &cols, &error), CR_ERR_FORMAT);
    assert_null(values);
    cri_h5_close(file);
  }
  // little that was never written is zero, as HDF5 says
  declare(scratch_path("bomb.h5"), 1000, 13, 0);
  double* values = NULL;
  int rows, cols;
  cr_h5* file = opened(scratch_path("bomb.h5"));
  assert_int_equal(cri_h5_read(file, "x", &values, &rows, &cols, NULL), CR_OK);
  assert_true(rows == 1000 && cols == 13 && values[12999] == 0);
  free(values);
  cri_h5_close(file);
}
