// SPDX-License-Identifier: Apache-2.0
// Inputs, limited rate of the first, integral of an error, states that act early.
#include "actuator/drive.h"

#include "actuator/activation.h"
#include "actuator/setpoint.h"

void cri_drive_wrap(const cri_drive* b, cri_dual* x, cr_real about) {
  cr_real turns = cri_servo_turns(x->value, about, b->period);
  x->value -= b->period * turns;
  x->by_period -= turns;
}

// [controller.c1]
static cri_dual slewed(cri_drive* b, int prm) {
  cri_dual x = cri_dual_column(0, b->u[0]), before = cri_dual_column(CR_LAW_U, b->act[0]);
  cri_drive_wrap(b, &x, b->act[0]);
  cr_real h = b->m->timestep, reach = b->dyn[prm] * h, change = x.value - b->act[0];
  if (cr_abs(change) > reach) {
    cr_real side = change > 0 ? 1 : -1;
    x = before;
    x.value += side * reach;
    x.by_prm[CR_LAW_DYN + prm] = side * h;
  }
  cri_dual moved = x;
  cri_dual_add(&moved, -1, &before);
  b->law->row[CR_LAW_RATE + b->slot++] = cri_dual_times(1 / h, &moved);
  return x;
}

void cri_drive_inputs(cri_drive* b, int prm) {
  cri_dual* inputs[] = {&b->pos, &b->vel, &b->ff, &b->voltage};
  int spec = b->m->actuator_ctrlspec[b->i], n = 0;
  bool slew = b->dyn[prm] > 0 && b->law->nu > 0;
  cri_dual first = slew ? slewed(b, prm) : cri_dual_constant(0);
  for (int k = 0; k < 4; k++) {
    *inputs[k] = cri_dual_constant(0);
    if ((spec & (1 << k)) != 0 && n < b->law->nu) {
      *inputs[k] = n == 0 && slew ? first : cri_dual_column(n, b->u[n]);
      n++;
    }
  }
}

void cri_drive_integrate(cri_drive* b, int prm) {
  int slot = b->slot++;
  cr_real z = b->act[slot], most = b->dyn[prm];
  cri_dual e = b->pos, l = cri_dual_column(CR_LAW_L, b->l[0]);
  cri_dual_add(&e, -1, &l);
  cri_drive_wrap(b, &e, 0);
  bool full = most > 0 && ((z >= most && e.value > 0) || (z <= -most && e.value < 0));
  b->law->row[CR_LAW_RATE + slot] = full ? cri_dual_constant(0) : e;
}

cri_dual cri_drive_state(const cri_drive* b, int slot) {
  cri_dual x = cri_dual_column(CR_LAW_U + slot, b->act[slot]);
  if (b->m->actuator_actearly[b->i] == 0) {
    return x;
  }
  const cri_dual* rate = &b->law->row[CR_LAW_RATE + slot];
  cri_next_activation next =
      cri_activation_next(b->m, 0, b->i, slot, b->act[slot], rate->value, b->v[0]);
  cri_dual early = cri_dual_times(next.by_act, &x);
  cri_dual_add(&early, next.by_rate, rate);
  early.value = next.value;
  early.by_prm[CR_LAW_DYN] += next.by_tau;
  early.by_prm[CR_LAW_DYN + 8] += next.by_limit;
  if (next.side != 0) {
    early.by_prm[CR_LAW_RANGE + (next.side > 0)] += 1;
  }
  return early;
}
