// SPDX-License-Identifier: Apache-2.0
// The list of what is off in MuJoCo: counts, and the sentence of the largest.
#include "parity/off.h"
#include "support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

TEST(the_largest_is_kept) {
  cr_off off = {.times = {0}};
  cri_off_add(&off, CR_OFF_CONVEX, 1, "one %d", 1);
  cri_off_add(&off, CR_OFF_CONVEX, 3, "three");
  cri_off_add(&off, CR_OFF_CONVEX, 2, "two");
  assert_int_equal(off.times[CR_OFF_CONVEX], 3);
  assert_string_equal(off.text[CR_OFF_CONVEX], "three");
  assert_int_equal(off.times[CR_OFF_TOUCH], 0);
}

// and each is a heading of docs/parity.md
TEST(kinds_have_names) {
  for (int k = 0; k < CR_N_OFF; k++) {
    char line[256], wanted[256];
    bool found = false;
    FILE* page = fopen(CAROM_SOURCE_DIR "/docs/parity.md", "r");
    assert_non_null(page);
    (void)snprintf(wanted, sizeof wanted, "### %s\n", cri_off_name((cr_off_kind)k));
    while (fgets(line, sizeof line, page) != NULL) {
      found = found || strcasecmp(line, wanted) == 0;
    }
    (void)fclose(page);
    if (!found) {
      fail_msg("docs/parity.md has no heading \"%s\"", cri_off_name((cr_off_kind)k));
    }
  }
}
