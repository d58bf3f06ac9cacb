// SPDX-License-Identifier: Apache-2.0
// The progress line: one that is written over on a terminal, nothing elsewhere.
#define _XOPEN_SOURCE 700
#include "tools/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/close.h"
#include "support/scratch.h"

// what a run of the line writes to the file in the place of standard error
static cr_progress run(int file) {
  (void)fflush(stderr);
  int kept = dup(STDERR_FILENO);
  assert_true(kept >= 0 && dup2(file, STDERR_FILENO) >= 0);
  cr_progress p = cri_progress_begin();
  bool first = cri_progress_due(&p);
  cri_progress_line(&p, "one");
  bool at_once = cri_progress_due(&p);
  cri_progress_left(&p, "two", 3, 0.25, " of four");
  cri_progress_left(&p, "three", 3, 0, "");
  cri_progress_end(&p);
  cri_progress_end(&p);
  assert_true(dup2(kept, STDERR_FILENO) >= 0);
  (void)close(kept);
  assert_int_equal(first, p.shown);
  assert_false(at_once);
  return p;
}

TEST(nothing_in_a_file) {
  int file = open(scratch_write("log", ""), O_RDWR);
  assert_true(file >= 0);
  assert_false(run(file).shown);
  assert_int_equal(lseek(file, 0, SEEK_END), 0);
  (void)close(file);
}

TEST(one_line_on_a_terminal) {
  int screen = posix_openpt(O_RDWR | O_NOCTTY);
  if (screen < 0 || grantpt(screen) != 0 || unlockpt(screen) != 0) {
    skip();
  }
  int terminal = open(ptsname(screen), O_RDWR | O_NOCTTY);
  if (terminal < 0) {
    skip();
  }
  assert_true(run(terminal).shown);
  char text[128] = "";
  // a terminal hands over what it has so far
  for (size_t n = 0; strchr(text, '\n') == NULL;) {
    ssize_t more = read(screen, text + n, sizeof text - 1 - n);
    assert_true(more > 0);
    n += (size_t)more;
  }
  assert_string_equal(text, "\r\033[Kone\r\033[Ktwo, about 9 s left of four\r\033[Kthree\r\n");
  (void)close(terminal);
  (void)close(screen);
}
