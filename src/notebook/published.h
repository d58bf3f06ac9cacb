// SPDX-License-Identifier: Apache-2.0
// The published runs of DiffMJX's time-toss experiment: a cube at u0 = -2 with softened collision (0.1),
// y after 1 s and its derivative by automatic differentiation, on a GPU, without compilation.
#ifndef CR_STUDY_PUBLISHED_H
#define CR_STUDY_PUBLISHED_H

#include <stdbool.h>

typedef struct {
  const char* name;  // method and size
  bool fixed;        // steps of the length `size`; else a tolerance
  double size, loss, gradient;
  double forward, backward;  // s
} cr_published_toss;

/// Run i, NULL after the last.
const cr_published_toss* cri_published_toss(int i);

#endif
