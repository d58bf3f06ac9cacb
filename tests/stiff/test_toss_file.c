// SPDX-License-Identifier: Apache-2.0
// Needs: io
#include "support/close.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stiff/toss_file.h"
#include "support/scratch.h"

static const cri_sight sight = {.offset = 0.001, .row_turn = 1e-4, .interval = 0.00674};

static void make(cri_tosses* t, int threads, int n) {
  cr_notebook book = {.nclaim = 0};
  cr_model* m = NULL;
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  assert_int_equal(cr_pool_create(&book.pool, threads, NULL), CR_OK);
  assert_int_equal(cri_tossed_open(&book, CRI_MEDIUM, &m, NULL), CR_OK);
  assert_int_equal(unlink(scratch_path("cube_medium.xml")), 0);
  assert_int_equal(cri_tosses_make(t, &book, m, CRI_MEDIUM, &sight, n, NULL), CR_OK);
  cr_model_destroy(m);
  cr_pool_free(book.pool);
}

static void assert_same(const cri_tosses* a, const cri_tosses* b) {
  assert_int_equal(a->tosses, b->tosses);
  assert_memory_equal(a->first, b->first, ((size_t)a->tosses + 1) * sizeof *a->first);
  const size_t bytes = (size_t)a->first[a->tosses] * CRI_STATE * sizeof(cr_real);
  assert_memory_equal(a->state, b->state, bytes);
  for (int i = 0; i < a->first[a->tosses] * CRI_STATE; i++) {
    assert_true(a->seen[i] == b->seen[i] || (isnan(a->seen[i]) && isnan(b->seen[i])));
  }
}

TEST(what_is_read_is_what_was_made_by_any_number_of_threads) {
  cri_tosses one, two, read;
  const char* path = scratch_path("tosses.h5");
  char kept[1024];
  (void)snprintf(kept, sizeof kept, "%s", path);
  make(&one, 1, 300);
  make(&two, 2, 300);
  assert_same(&one, &two);
  assert_int_equal(cri_tosses_save(&one, CRI_MEDIUM, kept, NULL), CR_OK);
  assert_int_equal(cri_tosses_read(&read, CRI_MEDIUM, 300, kept, NULL), CR_OK);
  assert_same(&one, &read);
  assert_true(isnan(read.seen[CRI_STATE * read.first[7]]) &&
              !isnan(read.seen[CRI_STATE * (read.first[7] + 1)]));
  assert_int_equal(unlink(kept), 0);
  cri_tosses_free(&one);
  cri_tosses_free(&two);
  cri_tosses_free(&read);
}

static void refuses(const char* path, int floor, int n, const char* words) {
  cr_error error = {0};
  cri_tosses read;
  assert_int_equal(cri_tosses_read(&read, floor, n, path, &error), CR_ERR_FORMAT);
  if (strstr(error.text, words) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, words);
  }
  cri_tosses_free(&read);
}

TEST(tosses_of_something_else_are_refused) {
  cri_tosses made;
  char path[1024];
  (void)snprintf(path, sizeof path, "%s", scratch_path("others.h5"));
  make(&made, 1, 3);
  assert_int_equal(cri_tosses_save(&made, CRI_MEDIUM, path, NULL), CR_OK);
  refuses(path, CRI_SOFT, 3, "stiffness is not 100");
  refuses(path, CRI_MEDIUM, 4, "tosses is not 4");
  assert_int_equal(unlink(path), 0);
  cri_tosses_free(&made);
}
