// SPDX-License-Identifier: Apache-2.0
// Simulated throws.
#include "learn/throw.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "learn/window_loss.h"
#include "math/quat.h"
#include "rollout/trajectory.h"

enum { STREAM_THROW = 1 << 20 };  // of the seed, a stream a toss

// radius about the body frame's origin that holds all its geoms
static cr_real radius_of(const cr_model* m, int body) {
  cr_real radius = 0;
  for (int g = m->body_geomadr[body]; g < m->body_geomadr[body] + m->body_geomnum[body]; g++) {
    const cr_real* p = m->geom_pos + 3 * g;
    radius = cr_max(radius, m->geom_rbound[g] + cr_sqrt(cr_dot3(p, p)));
  }
  return radius;
}

static void launch(const cr_model* m, cr_data* d, cr_random* random) {
  cri_data_reset(m, d);
  cr_real* q = d->qpos + 3;
  cr_real angle = cr_random_range(random, 0, 2 * CR_PI);
  cr_real speed = cr_random_range(random, CR_R(0.9), CR_R(1.3));
  d->qpos[0] = d->qpos[1] = 0;
  d->qpos[2] = radius_of(m, m->jnt_bodyid[0]) + cr_random_range(random, CR_R(0.01), CR_R(0.08));
  for (int i = 0; i < 4; i++) {
    q[i] = cr_random_normal(random);
  }
  (void)cr_quat_normalize(q);
  d->qvel[0] = speed * cr_cos(angle);
  d->qvel[1] = speed * cr_sin(angle);
  d->qvel[2] = cr_random_range(random, CR_R(-0.3), CR_R(0.2));
  for (int i = 3; i < 6; i++) {
    d->qvel[i] = CR_R(2.5) * cr_random_normal(random);
  }
}

// pose k of the run, as measured
static void measure(cr_real pose[7], const cr_model* m, const cr_rollout* r, int k,
                    const cr_throw* o, cr_random* random) {
  cr_real turn[3];
  cr_copy(pose, cri_rollout_kept(r, m, k).state.qpos.x, 7);
  for (int i = 0; i < 3; i++) {
    pose[i] += o->position_noise * cr_random_normal(random);
    turn[i] = o->rotation_noise * cr_random_normal(random);
  }
  cr_quat_integrate(pose + 3, turn, 1);
}

static cr_real median(cr_real a, cr_real b, cr_real c) {
  return cr_max(cr_min(a, b), cr_min(cr_max(a, b), c));
}

// velocities of all rows: differences to the row before, the first row's to `before`
static void difference(cr_real* state, int rows, const cr_real before[7], cr_real h) {
  const cr_real* last = before;
  for (int k = 0; k < rows; k++) {
    cr_real* s = state + (size_t)k * CR_STATE_WIDTH;
    cr_quat_sub(s + 10, s + 3, last + 3);
    for (int i = 0; i < 3; i++) {
      s[7 + i] = (s[i] - last[i]) / h;
      s[10 + i] /= h;
    }
    last = s;
  }
}

static void filter(cr_real* state, int rows) {
  for (int i = 7; i < CR_STATE_WIDTH; i++) {
    cr_real before = state[i];
    for (int k = 1; k + 1 < rows; k++) {
      cr_real* v = state + (size_t)k * CR_STATE_WIDTH + i;
      cr_real here = *v;
      *v = median(before, here, v[CR_STATE_WIDTH]);
      before = here;
    }
  }
}

static cr_status throw_one(const cr_throw* o, const cr_model* m, cr_rollout* r, int index,
                           cr_toss* toss, cr_error* error) {
  cr_random random = cr_random_seed(o->seed, STREAM_THROW + (uint64_t)index);
  cr_real before[7];
  *toss = (cr_toss){.rows = o->rows, .group = index};
  (void)snprintf(toss->name, sizeof toss->name, "%04d", index);
  toss->state = calloc((size_t)o->rows * CR_STATE_WIDTH, sizeof *toss->state);
  if (toss->state == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for made tosses");
  }
  launch(m, r->d, &random);
  CR_TRY(cr_rollout_run(r, m, o->rows, NULL, error));
  measure(before, m, r, 0, o, &random);
  for (int k = 0; k < o->rows; k++) {
    measure(toss->state + (size_t)k * CR_STATE_WIDTH, m, r, k + 1, o, &random);
  }
  difference(toss->state, o->rows, before, m->timestep);
  filter(toss->state, o->rows);
  return CR_OK;
}

cr_status cr_throw_make(const cr_throw* o, const cr_model* m, cr_toss* tosses, cr_error* error) {
  if (m->nq != 7 || m->nv != 6 || m->njnt != 1) {
    return cri_fail(error, CR_ERR_ARG, "tosses can be made for a model of one free body only");
  }
  cr_rollout* r = NULL;
  CR_TRY(cri_rollout_create(&r, m, o->rows, cri_no_params, error));
  cr_status status = cr_rollout_set_adaptive(r, m, o->adaptive, error);
  for (int i = 0; i < o->tosses && status == CR_OK; i++) {
    status = throw_one(o, m, r, i, &tosses[i], error);
  }
  cr_rollout_destroy(r);
  return status;
}
