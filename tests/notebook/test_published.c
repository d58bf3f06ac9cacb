// SPDX-License-Identifier: Apache-2.0
// Consistency of the published figures: a row whose name and size disagree, or whose loss is
// not near that of its neighbours, was copied wrongly.
#include "support/close.h"

#include <stdlib.h>

#include "notebook/published.h"

TEST(names_say_the_sizes) {
  int n = 0;
  assert_null(cri_published_toss(-1));
  for (const cr_published_toss* p; (p = cri_published_toss(n)) != NULL; n++) {
    const char* last = strrchr(p->name, ' ');
    assert_non_null(last);
    assert_true(strtod(last + 1, NULL) == p->size);
    assert_true(p->forward > 0 && p->backward > p->forward);
    for (int i = 0; i < n; i++) {
      assert_string_not_equal(cri_published_toss(i)->name, p->name);
    }
  }
  assert_true(n > 0);
}

// adaptive runs tend to one motion: a loss at 1e-5 is nearer to it than 1 %, at 1e-10 than 1e-6
TEST(adaptive_runs_agree) {
  const double converged = -0.3017952226;
  for (int i = 0; cri_published_toss(i) != NULL; i++) {
    const cr_published_toss* p = cri_published_toss(i);
    if (!p->fixed && p->size <= 1e-5) {
      double off = fabs(p->loss / converged - 1);
      assert_true(off < (p->size <= 1e-10 ? 1e-6 : 1e-2));
      assert_true(p->size > 1e-10 || fabs(p->gradient / 0.1726 - 1) < 5e-3);
    }
  }
}
