// SPDX-License-Identifier: Apache-2.0
// When each foot of a gait stands and when it swings.
#ifndef CR_WALK_GAIT_H
#define CR_WALK_GAIT_H

#include <stdbool.h>

enum { CR_LEGS = 4 };  // in the order front right, front left, rear right, rear left

typedef struct {
  double stance;           // s that a foot stands
  double duty;             // part of the cycle that it stands
  double offset[CR_LEGS];  // where in its cycle a leg begins, 0 ... 1
  bool stands_first
      [CR_LEGS];  // a cycle of this leg is stance, then swing; otherwise swing, then stance
  double detect;  // a swinging foot may touch down after this part of its swing
} cr_gait;

/// The trot of google-research's motion_imitation: stance 0.3 s, duty 0.6.
extern const cr_gait cri_trot;

/// s of a cycle, and of a swing.
double cri_gait_cycle(const cr_gait* gait);
double cri_gait_swing(const cr_gait* gait);

/// True if the leg is to stand at this time. *phase: the part of that stance or swing that is over, 0 ... 1.
bool cri_gait_stands(const cr_gait* gait, int leg, double time, double* phase);

#endif
