// SPDX-License-Identifier: Apache-2.0
// Random states of random models.
#include "math/quat.h"
#include "scenes/random_model.h"

// a loose body: in a heap near the plane, or in a row with room around each
static void place(cr_random* r, cr_real q[7], int i, state_kind kind) {
  for (int k = 0; k < 3; k++) {
    q[k] = cr_random_range(r, CR_R(-0.2), CR_R(0.2));
  }
  if (kind == STATE_FLIGHT) {
    q[0] += 4 * (i + 1);
    q[2] += 6;
  }
  random_unit_quat(r, q + 3);
}

static void turn(cr_random* r, cr_real q[4], state_kind kind) {
  cr_real axis[3], most = kind == STATE_FLIGHT ? CR_R(0.3) : CR_R(2.5);
  random_unit3(r, axis);
  cr_quat_axis_angle(q, axis, cr_random_range(r, CR_R(0.05), most));
}

// inside the limits, or anywhere near them
static cr_real coordinate(cr_random* r, const cr_model* m, int joint, state_kind kind) {
  const cr_real* range = m->jnt_range + 2 * joint;
  cr_real low = -1, high = 1;
  if (m->jnt_limited[joint]) {
    cr_real slack = kind == STATE_FLIGHT ? CR_R(-0.45) * (range[1] - range[0]) : CR_R(0.1);
    low = range[0] - slack;
    high = range[1] + slack;
  }
  return cr_random_range(r, low, high);
}

static void random_pose(cr_random* r, const cr_model* m, cr_data* d, state_kind kind) {
  for (int i = 0; i < m->njnt; i++) {
    cr_real* q = d->qpos + m->jnt_qposadr[i];
    if (m->jnt_type[i] == CR_JNT_FREE) {
      place(r, q, i, kind);
    } else if (m->jnt_type[i] == CR_JNT_BALL) {
      turn(r, q, kind);
    } else {
      q[0] = coordinate(r, m, i, kind);
    }
  }
}

void random_state(const cr_model* m, cr_data* d, uint64_t seed, state_kind kind) {
  cr_random r = cr_random_seed(seed, 2 + (uint64_t)kind);
  cri_data_reset(m, d);
  random_pose(&r, m, d, kind);
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = cr_random_normal(&r);
    d->qfrc_applied[i] = cr_random_normal(&r);
    d->qacc_warmstart[i] = cr_random_normal(&r);
  }
  for (int i = 0; i < m->na; i++) {
    d->act[i] = cr_random_range(&r, CR_R(-1.2), CR_R(1.2));
  }
  for (int i = 0; i < m->nu; i++) {
    d->ctrl[i] = cr_random_range(&r, CR_R(-1.5), CR_R(1.5));
  }
  for (int i = 6; i < 6 * m->nbody; i++) {
    d->xfrc_applied[i] = cr_random_normal(&r);
  }
}

// 0, or an end of the range
static cr_real end_of(cr_random* r, bool limited, const cr_real range[2]) {
  int which = cr_random_int(r, 3);
  return which == 0 || !limited ? 0 : range[which - 1];
}

void random_state_edge(const cr_model* m, cr_data* d, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 11);
  cri_data_reset(m, d);
  for (int i = 0; i < m->njnt; i++) {
    if (m->jnt_limited[i] != 0 && m->jnt_type[i] >= CR_JNT_SLIDE && random_chance(&r, CR_R(0.5))) {
      d->qpos[m->jnt_qposadr[i]] = m->jnt_range[2 * i + cr_random_int(&r, 2)];
    }
  }
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = seed % 2 == 0 || random_chance(&r, CR_R(0.5)) ? 0 : cr_random_normal(&r);
  }
  for (int i = 0; i < m->nu; i++) {
    d->ctrl[i] = end_of(&r, m->actuator_ctrllimited[i] != 0, m->actuator_ctrlrange + 2 * i);
  }
  for (int i = 0; i < m->nactuator; i++) {
    for (int k = 0; k < m->actuator_actnum[i]; k++) {
      d->act[m->actuator_actadr[i] + k] =
          end_of(&r, m->actuator_actlimited[i] != 0, m->actuator_actrange + 2 * i);
    }
  }
}
