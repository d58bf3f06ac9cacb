// SPDX-License-Identifier: Apache-2.0
#include "actuator/range_ends.h"

#include "actuator/actuation_parts.h"

int cri_activation_end(const cr_model* m, int a, cr_real act) {
  for (int i = 0; i < m->nactuator; i++) {
    int first = m->actuator_actadr[i];
    if (first < 0 || a < first || a >= first + m->actuator_actnum[i]) {
      continue;
    }
    bool limited = m->actuator_actlimited[i] != 0 && m->actuator_dyntype[i] != CR_DYN_DCMOTOR;
    if (!limited && m->actuator_dyntype[i] != CR_DYN_MUSCLE) {
      return 0;
    }
    cr_real low = limited ? m->actuator_actrange[2 * i] : 0;
    cr_real high = limited ? m->actuator_actrange[2 * i + 1] : 1;
    return (act == low) - (act == high);
  }
  return 0;
}

int cri_control_end_of(const cr_model* m, int k, bool muscle, cr_real ctrl) {
  const cr_real* range = m->actuator_ctrlrange + 2 * k;
  bool limited = cri_control_limited(m, k);
  if (!limited && !muscle) {
    return 0;
  }
  cr_real low = limited ? range[0] : 0, high = limited ? range[1] : 1;
  low = muscle ? cr_max(low, 0) : low;
  high = muscle ? cr_min(high, 1) : high;
  return (ctrl == low) - (ctrl == high);
}

int cri_control_end(const cr_model* m, int k, cr_real ctrl) {
  bool muscle = false;
  for (int i = 0; i < m->nactuator && !muscle; i++) {
    muscle = m->actuator_dyntype[i] == CR_DYN_MUSCLE && m->actuator_ctrladr[i] == k;
  }
  return cri_control_end_of(m, k, muscle, ctrl);
}
