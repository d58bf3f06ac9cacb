// SPDX-License-Identifier: Apache-2.0
#include "walk/gait.h"

#include <math.h>

const cr_gait cri_trot = {.stance = 0.3,
                          .duty = 0.6,
                          .offset = {0.9, 0, 0, 0.9},
                          .stands_first = {false, true, true, false},
                          .detect = 0.5};

double cri_gait_cycle(const cr_gait* gait) { return gait->stance / gait->duty; }

double cri_gait_swing(const cr_gait* gait) { return cri_gait_cycle(gait) - gait->stance; }

bool cri_gait_stands(const cr_gait* gait, int leg, double time, double* phase) {
  double cycles = time / cri_gait_cycle(gait) + gait->offset[leg];
  double at = cycles - floor(cycles);
  double first = gait->stands_first[leg] ? gait->duty : 1 - gait->duty;
  bool begins = at < first;
  *phase = begins ? at / first : (at - first) / (1 - first);
  return begins == gait->stands_first[leg];
}
