// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "support/scratch.h"
#include "tools/files.h"

TEST(a_file_comes_back_whole) {
  const char* path;
  char data[10000], *read = NULL;
  size_t n = 0;
  for (size_t i = 0; i < sizeof data; i++) {
    data[i] = (char)(i * 7);
  }
  assert_int_equal(cri_file_write((path = scratch_path("data")), data, sizeof data, NULL), CR_OK);
  assert_int_equal(cri_file_read(path, &read, &n, NULL), CR_OK);
  assert_int_equal(n, sizeof data);
  assert_memory_equal(read, data, n);
  assert_int_equal(read[n], 0);
  free(read);
}

TEST(a_failed_write_leaves_nothing) {
  const char* path;
  char inside[CR_MAX_PATH];
  cr_error error = {0};
  (void)snprintf(inside, sizeof inside, "%s/x", (path = scratch_path("no_such_folder")));
  assert_int_equal(cri_file_write(inside, "a", 1, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "no_such_folder/x: cannot be written: No such file"));

  // a folder of that name is in the way: the temporary file is gone, too
  assert_int_equal(mkdir((path = scratch_path("taken")), 0777), 0);
  assert_int_equal(cri_file_write(path, "a", 1, &error), CR_ERR_FILE);
  (void)snprintf(inside, sizeof inside, "%s.tmp", path);
  assert_int_not_equal(access(inside, F_OK), 0);
  assert_int_equal(rmdir(path), 0);
}

TEST(a_full_disk_is_an_error) {
  cr_error error = {0};
  if (access("/dev/full", W_OK) != 0) {
    skip();
  }
  // a link as the temporary file, which takes the bytes to where there is no room
  const char* path;
  assert_int_equal(symlink("/dev/full", scratch_path("full.tmp")), 0);
  assert_int_equal(cri_file_write((path = scratch_path("full")), "a", 1, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "No space left"));
  assert_int_not_equal(access(path, F_OK), 0);
}

TEST(a_missing_file_is_named) {
  const char* path;
  char* data = NULL;
  size_t n = 0;
  cr_error error = {0};
  assert_int_equal(cri_file_read((path = scratch_path("nothing")), &data, &n, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "nothing: cannot be read: No such file"));
  assert_null(data);
}

TEST(files_are_told_from_what_is_none) {
  const char* path;
  cr_error error = {0};
  assert_int_equal(cri_file_check(scratch_write("file", "x"), &error), CR_OK);
  assert_int_equal(cri_file_check(scratch_write("void", ""), &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "void: the file is empty"));
  assert_int_equal(cri_file_check(scratch_path("nothing"), &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "nothing: cannot be opened: No such file"));
  assert_int_equal(mkdir((path = scratch_path("house")), 0777), 0);
  assert_int_equal(cri_file_check(path, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "house: is a folder, not a file"));
  assert_int_equal(rmdir(path), 0);
}

// asking leaves everything as it was
TEST(what_can_be_written_is_known_before) {
  const char* path;
  char inside[CR_MAX_PATH];
  cr_error error = {0};
  assert_int_equal(cri_file_writable((path = scratch_path("new")), &error), CR_OK);
  assert_int_not_equal(access(path, F_OK), 0);
  (void)snprintf(inside, sizeof inside, "%s.tmp", path);
  assert_int_not_equal(access(inside, F_OK), 0);
  (void)snprintf(inside, sizeof inside, "%s/x", (path = scratch_path("no_such_folder")));
  assert_int_equal(cri_file_writable(inside, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "no_such_folder/x: cannot be written: No such file"));
  assert_int_equal(mkdir((path = scratch_path("house")), 0777), 0);
  assert_int_equal(cri_file_writable(path, &error), CR_ERR_FILE);
  assert_int_equal(rmdir(path), 0);
}

TEST(a_link_is_the_same_file) {
  char link[CR_MAX_PATH];
  (void)snprintf(link, sizeof link, "%s", scratch_path("link"));
  const char* path = scratch_write("file", "x");
  assert_int_equal(symlink(path, link), 0);
  assert_true(cri_file_same(path, link) && cri_file_same(path, path));
  assert_false(cri_file_same(path, scratch_path("nothing")));
  assert_false(cri_file_same(scratch_path("nothing"), scratch_path("nothing")));
  assert_int_equal(unlink(link), 0);
}

TEST(folders_are_made_on_the_way) {
  const char* path;
  char inner[CR_MAX_PATH];
  cr_error error = {0};
  (void)snprintf(inner, sizeof inner, "%s/b/c", (path = scratch_path("a")));
  assert_int_equal(cri_folder_make(inner, NULL), CR_OK);
  assert_int_equal(cri_folder_make(inner, NULL), CR_OK);
  assert_int_equal(access(inner, W_OK), 0);
  assert_int_equal(rmdir(inner), 0);
  (void)snprintf(inner, sizeof inner, "%s/b", path);
  assert_int_equal(rmdir(inner), 0);
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(cri_folder_make(scratch_write("file", "x"), &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "not a folder"));
}

TEST(paths_join_and_part) {
  char path[CR_MAX_PATH], long_name[2000];
  cr_error error = {0};
  assert_int_equal(cri_path_join(path, "a/b", "c.xml", NULL), CR_OK);
  assert_string_equal(path, "a/b/c.xml");
  assert_int_equal(cri_path_join(path, "a/", "c.xml", NULL), CR_OK);
  assert_string_equal(path, "a/c.xml");
  assert_int_equal(cri_path_join(path, "", "c.xml", NULL), CR_OK);
  assert_string_equal(path, "c.xml");
  assert_int_equal(cri_path_join(path, "a", "/c.xml", NULL), CR_OK);
  assert_string_equal(path, "/c.xml");
  assert_int_equal(cri_path_folder(path, "a/b/c.yaml", NULL), CR_OK);
  assert_string_equal(path, "a/b");
  assert_int_equal(cri_path_folder(path, "c.yaml", NULL), CR_OK);
  assert_string_equal(path, "");
  assert_int_equal(cri_path_folder(path, "/c.yaml", NULL), CR_OK);
  assert_string_equal(path, "/");
  memset(long_name, 'x', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = 0;
  assert_int_equal(cri_path_join(path, "a", long_name, &error), CR_ERR_ARG);
}

TEST(fingerprints_tell_files_apart) {
  uint64_t a = 0, b = 0;
  cr_error error = {0};
  assert_int_equal(cri_file_fingerprint(&a, scratch_write("same", "abc"), NULL), CR_OK);
  assert_true(a == cri_fingerprint(0, "abc", 3));
  assert_int_equal(cri_file_fingerprint(&b, scratch_write("same", "abd"), NULL), CR_OK);
  assert_true(a != b);
  assert_int_equal(cri_file_fingerprint(&b, scratch_path("none"), &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "none: cannot be read"));
}
