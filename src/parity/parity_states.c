// SPDX-License-Identifier: Apache-2.0
// The states of a comparison: keyframes, random poses, states reached by simulation; and the edges of each,
// where a rule of MuJoCo's begins or ends.
#include "parity/parity_bench.h"

// ---- varied states

static void random_pose(cr_parity_bench* b, cr_random* random) {
  const mjModel* mj = b->mj;
  mjData* s = b->state;
  for (int j = 0; j < mj->njnt; j++) {
    mjtNum* q = s->qpos + mj->jnt_qposadr[j];
    int type = mj->jnt_type[j];
    bool turns = type == mjJNT_FREE || type == mjJNT_BALL;
    const mjtNum* range = mj->jnt_range + 2 * j;
    if (type == mjJNT_FREE) {
      for (int k = 0; k < 3; k++) {
        q[k] += 0.1 * (double)cr_random_normal(random);
      }
    }
    if (turns) {
      mjtNum* quat = q + (type == mjJNT_FREE ? 3 : 0);
      for (int k = 0; k < 4; k++) {
        quat[k] += 0.5 * (double)cr_random_normal(random);
      }
      mju_normalize4(quat);
    } else if (mj->jnt_limited[j]) {
      // sometimes beyond a limit, so that its rows exist
      double u = (double)cr_random_range(random, CR_R(-0.05), CR_R(1.05));
      q[0] = range[0] + u * (range[1] - range[0]);
    } else {
      q[0] += 0.5 * (double)cr_random_normal(random);
    }
  }
  for (int i = 0; i < mj->nv; i++) {
    s->qvel[i] = (double)cr_random_normal(random);
  }
}

static void random_controls(cr_parity_bench* b, cr_random* random) {
  const mjModel* mj = b->mj;
  for (int i = 0; i < mj->nu; i++) {
    double low = mj->actuator_ctrllimited[i] ? mj->actuator_ctrlrange[2 * i] : -1;
    double high = mj->actuator_ctrllimited[i] ? mj->actuator_ctrlrange[2 * i + 1] : 1;
    b->state->ctrl[i] = (double)cr_random_range(random, (cr_real)low, (cr_real)high);
  }
  for (int i = 0; i < mj->na; i++) {
    b->state->act[i] = (double)cr_random_uniform(random);
  }
}

static void random_forces(cr_parity_bench* b, cr_random* random) {
  const mjModel* mj = b->mj;
  for (int i = 0; i < mj->nv; i++) {
    b->state->qfrc_applied[i] = 0.1 * (double)cr_random_normal(random);
  }
  for (int i = 6; i < 6 * mj->nbody; i++) {
    b->state->xfrc_applied[i] = 0.1 * (double)cr_random_normal(random);
  }
}

static bool sane(const cr_parity_bench* b) {
  for (int i = 0; i < b->mj->nv; i++) {
    if (!(fabs(b->state->qvel[i]) < 1e3)) {
      return false;
    }
  }
  return true;
}

typedef struct {
  cr_parity_bench* b;
  cr_random* random;
} drive_context;

enum { MAX_TRIES = 10 };

static cr_status drive_guarded(void* context) {
  drive_context* c = context;
  cr_parity_bench* b = c->b;
  int visit = b->visited++;
  if (visit < b->mj->nkey) {
    mj_resetDataKeyframe(b->mj, b->state, visit);
    return CR_OK;
  }
  visit -= (int)b->mj->nkey;
  int tries = 0;
  do {
    mj_resetData(b->mj, b->state);
    if (visit % 4 != 0) {
      random_pose(b, c->random);
    }
    random_controls(b, c->random);
    // every second state is reached by simulation: bodies come to lie, slide, fly; unless the
    // simulation diverges again and again
    bool simulate = visit % 2 == 0 && tries++ < MAX_TRIES;
    int steps = simulate ? 20 + cr_random_int(c->random, 200) : 0;
    for (int k = 0; k < steps && sane(b); k++) {
      if (k % 20 == 0) {
        random_controls(b, c->random);
      }
      mj_step(b->mj, b->state);
    }
  } while (!sane(b));
  if (visit % 3 == 2) {
    random_forces(b, c->random);
  }
  return CR_OK;
}

cr_status cr_parity_next_state(cr_parity_bench* b, cr_random* random, cr_data* d, cr_error* error) {
  drive_context context = {b, random};
  mjOption keep = b->mj->opt;
  b->mj->opt.tolerance = 1e-8;
  b->mj->opt.iterations = 50;
  cr_status status = cri_mujoco_guard(drive_guarded, &context, "MuJoCo", error);
  b->mj->opt = keep;
  CR_TRY(status);
  cri_mujoco_state(b->m, b->state, d);
  return CR_OK;
}

// ---- edges

// on one end of a range, a little beyond it, as far again, or in the middle
static double at_an_edge(cr_random* random, double low, double high) {
  double width = high - low;
  switch (cr_random_int(random, 7)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return low - 1e-6 * width;
    case 3:
      return high + 1e-6 * width;
    case 4:
      return low - width * (double)cr_random_uniform(random);
    case 5:
      return high + width * (double)cr_random_uniform(random);
    default:
      return 0.5 * (low + high);
  }
}

static void edge_controls(cr_parity_bench* b, cr_random* random) {
  const mjModel* mj = b->mj;
  for (int i = 0; i < mj->nu; i++) {
    bool limited = mj->actuator_ctrllimited[i];
    const mjtNum* range = mj->actuator_ctrlrange + 2 * i;
    b->state->ctrl[i] = at_an_edge(random, limited ? range[0] : -1, limited ? range[1] : 1);
  }
  for (int i = 0; i < mj->nactuator; i++) {
    bool limited = mj->actuator_actlimited[i];
    const mjtNum* range = mj->actuator_actrange + 2 * i;
    for (int k = 0; k < mj->actuator_actnum[i]; k++) {
      mjtNum* act = b->state->act + mj->actuator_actadr[i] + k;
      *act = at_an_edge(random, limited ? range[0] : 0, limited ? range[1] : 1);
    }
  }
}

static void speed_up(cr_parity_bench* b, cr_random* random) {
  for (int i = 0; i < b->mj->nv; i++) {
    mjtNum* v = b->state->qvel + i;
    *v = 10 * (*v != 0 ? fmax(-10, fmin(10, *v)) : (double)cr_random_normal(random));
  }
}

cri_parity_edge_kind cri_parity_edge(cr_parity_bench* b, int k, bool first, cr_random* random) {
  enum { MOST_KEYS = 30, VARIANTS = 2 };
  int keys = b->mj->nkey < MOST_KEYS ? (int)b->mj->nkey : MOST_KEYS;
  int fixed = first ? 1 + keys : 0;
  if (k >= fixed + VARIANTS) {
    return CR_EDGE_NONE;
  }
  if (k < fixed) {
    mj_resetData(b->mj, b->state);
    if (k > 0) {
      mj_resetDataKeyframe(b->mj, b->state, k - 1);
    }
    return CR_EDGE_PLAIN;
  }
  mj_copyData(b->state, b->mj, b->kept);
  edge_controls(b, random);
  if (k - fixed == 0) {
    return CR_EDGE_PLAIN;
  }
  speed_up(b, random);
  return CR_EDGE_FAST;
}
