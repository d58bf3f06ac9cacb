// SPDX-License-Identifier: Apache-2.0
// The order in which contacts and limits come and go over a run.
#ifndef CR_ROLLOUT_SWITCHES_H
#define CR_ROLLOUT_SWITCHES_H

#include "rollout/trajectory.h"

/// The sets of contacts and limits, one number for each set, in sequence.
typedef struct {
  uint64_t* set;
  int n, room;
} cri_switches;

/// Lists the sets of the last run, before every step and at the end. Zero *s before the first use;
/// it may be used again. Errors: CR_ERR_MEMORY; those of the steps.
cr_status cri_switches_of(cri_switches* s, cr_rollout* r, const cr_model* m, cr_error* error);

/// How many sets of the longer list are left after removing what both have in common at both ends.
int cri_switches_apart(const cri_switches* a, const cri_switches* b);

void cri_switches_free(cri_switches* s);

#endif
