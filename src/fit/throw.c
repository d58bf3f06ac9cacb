// SPDX-License-Identifier: Apache-2.0
// Simulated throws.
#include "fit/throw.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/status.h"
#include "carom/fields.h"
#include "carom/state.h"

enum { STREAM_THROW = 1 << 20 };  // of the seed, a stream a toss
enum { NQ = 7, NV = 6, WIDTH = NQ + NV };

// radius about the body frame's origin that holds all its geoms
static cr_real radius_of(const cr_model* m) {
  int body = cr_model_integers(m, "jnt_bodyid", NULL, NULL)[0];
  int first = cr_model_integers(m, "body_geomadr", NULL, NULL)[body];
  int n = cr_model_integers(m, "body_geomnum", NULL, NULL)[body];
  const cr_real* pos = cr_model_numbers(m, "geom_pos", NULL, NULL);
  const cr_real* bound = cr_model_numbers(m, "geom_rbound", NULL, NULL);
  cr_real radius = 0;
  for (int g = first; g < first + n; g++) {
    const cr_real* p = pos + (ptrdiff_t)3 * g;
    radius = cr_max(radius, bound[g] + cr_sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
  }
  return radius;
}

static void normalise(cr_real q[4]) {
  cr_real n = cr_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) {
    q[i] /= n;
  }
}

static void launch(const cr_model* m, cr_data* d, cr_random* random) {
  (void)cr_data_reset(m, d);
  cr_real* qpos = cr_data_view(m, d, "qpos", NULL, NULL);
  cr_real* qvel = cr_data_view(m, d, "qvel", NULL, NULL);
  cr_real angle = cr_random_range(random, 0, 2 * CR_PI);
  cr_real speed = cr_random_range(random, CR_R(0.9), CR_R(1.3));
  qpos[0] = qpos[1] = 0;
  qpos[2] = radius_of(m) + cr_random_range(random, CR_R(0.01), CR_R(0.08));
  for (int i = 3; i < NQ; i++) {
    qpos[i] = cr_random_normal(random);
  }
  normalise(qpos + 3);
  qvel[0] = speed * cr_cos(angle);
  qvel[1] = speed * cr_sin(angle);
  qvel[2] = cr_random_range(random, CR_R(-0.3), CR_R(0.2));
  for (int i = 3; i < NV; i++) {
    qvel[i] = CR_R(2.5) * cr_random_normal(random);
  }
}

// pose k of the run, as measured
static cr_status measure(cr_real pose[NQ], const cr_model* m, const cr_rollout* r, int k,
                         const cr_throw* o, cr_random* random, cr_error* error) {
  cr_real noise[NV];
  CR_TRY(cr_rollout_get_states(r, m, k, 1, NULL, pose, NULL, NULL, error));
  for (int i = 0; i < 3; i++) {
    noise[i] = o->position_noise * cr_random_normal(random);
    noise[3 + i] = o->rotation_noise * cr_random_normal(random);
  }
  return cr_integrate_pos(m, pose, noise, 1, error);
}

static cr_real median(cr_real a, cr_real b, cr_real c) {
  return cr_max(cr_min(a, b), cr_min(cr_max(a, b), c));
}

// velocities of all rows: differences to the row before, the first row's to `before`
static void difference(const cr_model* m, cr_real* state, int rows, const cr_real before[NQ]) {
  const cr_real* last = before;
  for (int k = 0; k < rows; k++) {
    cr_real* s = state + (size_t)k * WIDTH;
    (void)cr_differentiate_pos(m, s + NQ, 1, last, s, NULL);
    for (int i = NQ; i < WIDTH; i++) {
      s[i] /= cr_model_timestep(m);
    }
    last = s;
  }
}

static void filter(cr_real* state, int rows) {
  for (int i = NQ; i < WIDTH; i++) {
    cr_real before = state[i];
    for (int k = 1; k + 1 < rows; k++) {
      cr_real* v = state + (size_t)k * WIDTH + i;
      cr_real here = *v;
      *v = median(before, here, v[WIDTH]);
      before = here;
    }
  }
}

// state: room for all rows
static cr_status throw_one(const cr_throw* o, const cr_model* m, cr_rollout* r, int index,
                           cr_real* state, cr_recordings* to, cr_error* error) {
  cr_random random = cr_random_seed(o->seed, STREAM_THROW + (uint64_t)index);
  cr_real before[NQ];
  char name[16];
  launch(m, cr_rollout_data(r), &random);
  CR_TRY(cr_rollout_run(r, m, o->rows, NULL, error));
  CR_TRY(measure(before, m, r, 0, o, &random, error));
  for (int k = 0; k < o->rows; k++) {
    CR_TRY(measure(state + (size_t)k * WIDTH, m, r, k + 1, o, &random, error));
  }
  difference(m, state, o->rows, before);
  filter(state, o->rows);
  (void)snprintf(name, sizeof name, "%04d", index);
  const cr_recording_info run = {
      .size = sizeof run, .name = name, .rows = o->rows, .values = state, .group = index};
  return cr_recordings_add(to, &run, error);
}

cr_status cri_throw(const cr_throw* o, const cr_model* m, cr_recordings* to, cr_error* error) {
  if (cr_model_count(m, "nq") != NQ || cr_model_count(m, "nv") != NV ||
      cr_model_count(m, "njnt") != 1) {
    return cri_fail(error, CR_ERR_ARG, "tosses can be made for a model of one free body only");
  }
  cr_rollout* r = NULL;
  cr_real* state = calloc((size_t)o->rows * WIDTH + 1, sizeof *state);
  cr_status status = state != NULL ? cr_rollout_create(&r, m, o->rows, NULL, 0, error)
                                   : cri_fail(error, CR_ERR_MEMORY, "no memory for made tosses");
  status = status == CR_OK ? cr_rollout_set_adaptive(r, m, o->adaptive, error) : status;
  for (int i = 0; i < o->tosses && status == CR_OK; i++) {
    status = throw_one(o, m, r, i, state, to, error);
  }
  cr_rollout_destroy(r);
  free(state);
  return status;
}
