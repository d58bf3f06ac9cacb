// SPDX-License-Identifier: Apache-2.0
// PID controllers.
#include "actuator/drive.h"

void cri_pid(cri_drive* b) {
  const cr_real *bias = b->bias, ki = b->gain[0];
  cri_drive_inputs(b, 1);
  int integral = b->slot;
  if (ki > 0) {
    cri_drive_integrate(b, 0);
  }
  // [controller.c3]
  cri_dual q = b->pos, l = cri_dual_column(CR_LAW_L, b->l[0]),
           v = cri_dual_column(CR_LAW_V, b->v[0]);
  cri_dual f = cri_dual_prm(CR_LAW_BIAS, bias[0]);
  cri_drive_wrap(b, &q, b->l[0]);
  cri_dual_add(&l, -1, &q);
  cri_dual_add(&v, -1, &b->vel);
  cri_dual_add_prm(&f, CR_LAW_BIAS + 1, bias[1], &l);
  cri_dual_add_prm(&f, CR_LAW_BIAS + 2, bias[2], &v);
  cri_dual_add(&f, 1, &b->ff);
  if (ki > 0) {
    cri_dual z = cri_drive_state(b, integral);
    cri_dual_add_prm(&f, CR_LAW_GAIN, ki, &z);
  }
  b->law->row[CR_LAW_FORCE] = f;
  // [controller.c8] a state that acts early is left out, as in MuJoCo
  b->law->row[CR_LAW_FORCE_SLOPE] = cri_dual_prm(CR_LAW_BIAS + 2, bias[2]);
  b->law->row[CR_LAW_FORCE_SLOPE + 1] = cri_dual_prm(CR_LAW_BIAS + 1, bias[1]);
}
