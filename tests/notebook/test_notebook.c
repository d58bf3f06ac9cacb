// SPDX-License-Identifier: Apache-2.0
// Notebooks: whose results a folder may hold, what claims hold, and that files appear whole.
#include "support/close.h"

#include <stdlib.h>

#include "notebook/notebook.h"
#include "support/scratch.h"

static cr_study_request request_of(const char* name) {
  return (cr_study_request){.name = name, .folder = scratch_path(""), .threads = 1};
}

static void begins(const cr_study_request* request) {
  cr_notebook book;
  assert_int_equal(cri_notebook_begin(&book, request, NULL), CR_OK);
  cri_notebook_free(&book);
}

static void refused(const cr_study_request* request, cr_status status, const char* words) {
  cr_notebook book;
  cr_error error = {0};
  assert_int_equal(cri_notebook_begin(&book, request, &error), status);
  assert_non_null(strstr(error.text, words));
  cri_notebook_free(&book);
}

// the folder remembers what decides the numbers; threads do not
TEST(resumes_the_same_study_only) {
  cr_study_request r = request_of("toy");
  r.resume = true;
  refused(&r, CR_ERR_FILE, "settings.txt");  // nothing there
  r.resume = false;
  begins(&r);
  r.resume = true;
  r.threads = 3;
  begins(&r);
  r.brief = true;
  refused(&r, CR_ERR_ARG, "the settings are not those");
  r.brief = false;
  r.data = "tosses.h5";
  refused(&r, CR_ERR_ARG, "the settings are not those");
  r.data = NULL;
  r.name = "toss";
  refused(&r, CR_ERR_ARG, "the settings are not those");
  r.resume = false;  // begun anew, it is the folder of the other study
  begins(&r);
  r.resume = true;
  begins(&r);
}

TEST(bad_requests_are_refused) {
  cr_study_request r = request_of("toy");
  r.threads = -1;
  refused(&r, CR_ERR_ARG, "--threads -1");
  r.threads = 1025;
  refused(&r, CR_ERR_ARG, "--threads 1025");
  r.threads = 1;
  r.folder = scratch_write("file", "not a folder");
  refused(&r, CR_ERR_FILE, "file");
}

static bool claim_holds(double ours, double low, double high) {
  cr_notebook book = {0};
  cri_claim(&book, ours, low, high, "", "a number");
  return cri_notebook_holds(&book);
}

TEST(claims_hold_within_their_bounds) {
  const cr_notebook empty = {0};
  assert_false(cri_notebook_holds(&empty));
  assert_true(claim_holds(1, 1, 1));
  assert_true(claim_holds(2, 1, 2));
  assert_false(claim_holds(nextafter(2, 3), 1, 2));
  assert_false(claim_holds(nextafter(1, 0), 1, 2));
  assert_true(claim_holds(1e300, 0, HUGE_VAL));
  assert_false(claim_holds((double)NAN, -HUGE_VAL, HUGE_VAL));

  cr_notebook book = {0};
  cri_claim(&book, 1, 0, 2, "", "right");
  cri_claim(&book, 3, 0, 2, "", "wrong");
  cri_claim(&book, 1, 0, 2, "", "right again");
  assert_false(cri_notebook_holds(&book));
}

// a claim too many is an error, not a claim that is left out
TEST(no_claim_is_lost) {
  const cr_study_request r = request_of("toy");
  cr_notebook book;
  cr_json json = {0};
  char* report = NULL;
  assert_int_equal(cri_notebook_begin(&book, &r, NULL), CR_OK);
  for (int i = 0; i <= CR_MAX_CLAIMS; i++) {
    cri_claim(&book, i < CR_MAX_CLAIMS ? 1 : 3, 0, 2, "", "claim %d", i);
  }
  assert_int_equal(cri_notebook_finish(&book, &report, &json, NULL), CR_ERR_MEMORY);
  assert_null(report);
  free(json.text);
  cri_notebook_free(&book);
}

static cr_status finish(const char* words, double ours, char** report) {
  const cr_study_request r = request_of("toy");
  cr_notebook book;
  cr_json json = {0};
  assert_int_equal(cri_notebook_begin(&book, &r, NULL), CR_OK);
  for (int i = 0; i < 40; i++) {
    cri_say(&book, "%s %d\n", words, i);
  }
  cri_claim(&book, ours, 0, 2, "1.5", "number %d", 7);
  cr_status status = cri_notebook_finish(&book, report, &json, NULL);
  free(json.text);
  cri_notebook_free(&book);
  return status;
}

static char* text_of(const char* name) {
  char* text;
  size_t n;
  assert_int_equal(cri_file_read(scratch_path(name), &text, &n, NULL), CR_OK);
  return text;
}

TEST(report_says_what_was_said_and_claimed) {
  char* report;
  assert_int_equal(finish("first", 1, &report), CR_OK);
  char *file = text_of("report.txt"), *json = text_of("result.json");
  assert_string_equal(report, file);
  assert_non_null(strstr(file, "first 0\nfirst 1\n"));
  assert_non_null(strstr(file, "first 39\n"));
  assert_non_null(strstr(file, "  ok  number 7"));
  assert_non_null(strstr(file, "must be 0 ... 2; published: 1.5"));
  assert_non_null(strstr(file, "All of this holds."));
  assert_non_null(strstr(json, "\"passed\": true"));
  free(report);
  free(file);
  free(json);

  assert_int_equal(finish("second", 3, &report), CR_OK);
  assert_non_null(strstr(report, "  NO  number 7"));
  assert_non_null(strstr(report, "NOT all of this holds."));
  free(report);
}

// where the disk is full the report that was there stays, whole
TEST(a_report_is_whole_or_not_there) {
  char* report;
  assert_int_equal(finish("kept", 1, &report), CR_OK);
  free(report);
  char* kept = text_of("report.txt");
  scratch_disk_full(true, 200);
  report = NULL;
  cr_status status = finish("lost", 1, &report);
  scratch_disk_full(false, 0);
  assert_int_equal(status, CR_ERR_FILE);
  assert_null(report);
  char* found = text_of("report.txt");
  assert_string_equal(found, kept);
  free(kept);
  free(found);
}
