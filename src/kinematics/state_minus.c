// SPDX-License-Identifier: Apache-2.0
// Differences of states, joint by joint.
#include "kinematics/state_minus.h"

#include "kinematics/joint.h"
#include "math/quat.h"

void cri_state_minus(const cr_model* m, cri_state a, cri_state b, cr_real* d) {
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space s = cri_joint_space_of(m, j);
    const cr_real *x = a.qpos.x + s.q, *y = b.qpos.x + s.q;
    for (int i = 0; i < s.nflat; i++) {
      d[s.v + i] = x[i] - y[i];
    }
    if (s.rotates) {
      cr_quat_sub(d + s.v + s.nflat, x + s.nflat, y + s.nflat);  // [plan.d1]
    }
  }
  d += m->nv;
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    for (int i = 0; i < a.part[k].n; i++) {
      *d++ = a.part[k].x[i] - b.part[k].x[i];
    }
  }
}
