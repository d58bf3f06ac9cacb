// SPDX-License-Identifier: Apache-2.0
#include "math/runs.h"

#include <string.h>

// Runs are compared with the end of the last one of their owner, which is -1 before the first.
void cr_runs_by_owner(const cr_owned_runs* from, int nowner, int32_t* adr, cr_run* to,
                      int32_t* last) {
  const cr_run* run = from->run;
  const int32_t* owner = from->owner;
  // how many each has
  memset(adr, 0, (size_t)(nowner + 1) * sizeof *adr);
  for (int k = 0; k < nowner; k++) {
    last[k] = -1;
  }
  for (int k = 0; k < from->n; k++) {
    int32_t of = owner[k];
    if (of >= 0) {
      adr[of + 1] += run[k].begin > last[of];
      last[of] = run[k].end > last[of] ? run[k].end : last[of];
    }
  }

  // where each goes; `last` is now the last one written
  for (int k = 0; k < nowner; k++) {
    adr[k + 1] += adr[k];
    last[k] = adr[k] - 1;
  }
  for (int k = 0; k < from->n; k++) {
    int32_t of = owner[k];
    if (of >= 0 && last[of] >= adr[of] && run[k].begin <= to[last[of]].end) {
      cr_run* x = &to[last[of]];
      x->end = run[k].end > x->end ? run[k].end : x->end;
    } else if (of >= 0) {
      to[++last[of]] = run[k];
    }
  }
}
