// SPDX-License-Identifier: Apache-2.0
// The order in which contacts and limits come and go over a run.
#ifndef CR_ROLLOUT_SWITCHES_H
#define CR_ROLLOUT_SWITCHES_H

#include "rollout/trajectory.h"

/// Which contacts and limits there were, one number for each set, one after the other.
typedef struct {
  uint64_t* set;
  int n, room;
} cri_switches;

/// The sets of the last run, looked at before every step and at the end. Zero *s before the first use;
/// it may be used again. Errors: CR_ERR_MEMORY; those of the steps.
cr_status cri_switches_of(cri_switches* s, cr_rollout* r, const cr_model* m, cr_error* error);

/// How many sets are left of the longer one when all they have in common at both ends is taken away.
int cri_switches_apart(const cri_switches* a, const cri_switches* b);

void cri_switches_free(cri_switches* s);

#endif
