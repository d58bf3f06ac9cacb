// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A bug seen elsewhere: after a checkpoint was restored, link velocities were those of another step.
// Every gradient over several steps had an error that no step size of a difference removed.
#include <math.h>
#include <stdlib.h>

#include "checks/io_bug.h"
#include "model/fields.h"
#include "rollout/trajectory.h"
#include "support/close.h"

enum { STEPS = 24 };

static const char* const chain =
    "<mujoco><option timestep='0.01'/><default><geom size='.05' "
    "density='800'/></default><worldbody>"
    "<body><joint name='a' axis='1 0 0'/><geom type='capsule' fromto='0 0 0 0 .1 -.4'/>"
    "<body pos='0 .1 -.4'><joint name='b' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 "
    "-.1'/>"
    "<body pos='.3 0 -.1'><joint name='c' type='ball'/><geom type='capsule' fromto='0 0 0 0 0 "
    "-.3'/>"
    "</body></body></body></worldbody></mujoco>";

// the speed of the last link: a field that is computed, not a state
static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  const cr_real* v = d->cvel + 6 * (m->nbody - 1);
  (void)context;
  (void)step;
  for (int i = 0; i < 6; i++) {
    *loss += v[i] * v[i];
  }
  return CR_OK;
}

static cr_status value_bar(void* context, const cr_model* m, const cr_data* d, int step,
                           cr_data* bar) {
  (void)context;
  (void)step;
  for (int i = 0; i < 6; i++) {
    bar->cvel[6 * (m->nbody - 1) + i] += 2 * d->cvel[6 * (m->nbody - 1) + i];
  }
  return CR_OK;
}

static bool every_step(const void* context, int step, int nstep) {
  (void)context;
  (void)nstep;
  return step % 5 == 0;
}

static const cr_loss speed = {
    .looks_at = every_step, .value = value, .bar = value_bar, .needs_fields = true};

static void start(cr_rollout* r, const bug_scene* s, int dof, cr_real h) {
  cr_copy(r->d->qpos, s->d->qpos, s->m.nq);
  cr_copy(r->d->qvel, s->d->qvel, s->m.nv);
  r->d->time = 0;
  if (dof >= 0) {
    r->d->qvel[dof] += h;
  }
}

static cr_real run(cr_rollout* r, const bug_scene* s, int dof, cr_real h) {
  start(r, s, dof, h);
  assert_int_equal(cr_rollout_run(r, &s->m, STEPS, &speed, NULL), CR_OK);
  return cr_rollout_loss(r);
}

// whatever the data blocks hold that is computed: nothing of it may be read before it is made anew
static void poison(const cr_model* m, cr_data* d) {
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    cr_field_kind kind = cri_field(id)->kind;
    if (kind != CR_KIND_REAL && kind != CR_KIND_SAVE) {
      continue;
    }
    cr_real* x = cri_field_real(m, d, id);
    int n = cri_field_capacity(m, d, id) * cri_field_width(m, id);
    for (int k = 0; x != NULL && k < n; k++) {
      x[k] = (cr_real)NAN;
    }
  }
}

static void open_rollout(bug_scene* s, cr_rollout** r) {
  bug_open(s, chain, CR_R(0.4));
  assert_int_equal(cri_rollout_create(r, &s->m, STEPS, cri_no_params, NULL), CR_OK);
}

TEST(bug_stale_velocities_error_falls_with_the_step) {
  bug_scene s;
  cr_rollout* r;
  open_rollout(&s, &r);
  (void)run(r, &s, -1, 0);
  assert_int_equal(cr_rollout_gradient(r, &s.m, &s.m, &speed, NULL), CR_OK);
  for (int i = 0; i < s.m.nv; i++) {
    cr_real error[2], g = r->bar->qvel[i];
    for (int k = 0; k < 2; k++) {
      cr_real h = k == 0 ? CR_R(1e-2) : CR_R(1e-3);
      error[k] = cr_abs((run(r, &s, i, h) - run(r, &s, i, -h)) / (2 * h) - g);
    }
    assert_true(error[1] < CR_R(0.02) * error[0] || error[1] < CR_R(1e-8) * (1 + cr_abs(g)));
    assert_true(error[1] < CR_R(1e-3) * (1 + cr_abs(g)));
  }
  cr_rollout_destroy(r);
  bug_close(&s);
}

TEST(bug_stale_velocities_nothing_stale_is_read) {
  bug_scene s;
  cr_rollout* r;
  open_rollout(&s, &r);
  (void)run(r, &s, -1, 0);
  assert_int_equal(cr_rollout_gradient(r, &s.m, &s.m, &speed, NULL), CR_OK);
  cr_real* clean = calloc((size_t)s.m.nv, sizeof *clean);
  cr_copy(clean, r->bar->qvel, s.m.nv);
  (void)run(r, &s, -1, 0);
  poison(&s.m, r->d);
  poison(&s.m, r->work);
  assert_int_equal(cr_rollout_gradient(r, &s.m, &s.m, &speed, NULL), CR_OK);
  for (int i = 0; i < s.m.nv; i++) {
    assert_true(r->bar->qvel[i] == clean[i] && clean[i] != 0);
  }
  free(clean);
  cr_rollout_destroy(r);
  bug_close(&s);
}
