// SPDX-License-Identifier: Apache-2.0
// Launches against free flight in closed form, and against differences.
#include "support/close.h"

#include <stdio.h>
#include <unistd.h>

#include "model/model.h"
#include "study/launch.h"
#include "study/scenes.h"
#include "support/scratch.h"

static void open_toss(int body, cr_model** m) {
  char file[64];
  cr_notebook book = {0};
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  assert_int_equal(cri_scene_toss(&book, body, m, NULL), CR_OK);
  (void)snprintf(file, sizeof file, "toss_%s.xml", cri_toss_names[body]);
  assert_int_equal(unlink(scratch_path(file)), 0);
}

// y + t vy and z + t vz - t^2, gravity is 2
TEST(flight_is_a_parabola) {
  cr_model* m = NULL;
  open_toss(CR_TOSS_CUBE, &m);
  cr_adaptive adaptive = {.size = sizeof adaptive, .rtol = CR_R(1e-9), .atol = CR_R(1e-9)};
  m->integrator = CR_INT_TSIT5;
  const cr_launch l = {.m = m,
                       .loss = "3*qpos[1] + qpos[2]",
                       .time = CR_R(0.5),
                       .adaptive = &adaptive,
                       .qpos = {0, 1, 5, 1},
                       .qvel = {0, CR_R(-0.1), 1},
                       .qvel_direction = {0, 2, 1}};
  cr_landing end;
  assert_int_equal(cri_launch(&l, true, &end, NULL), CR_OK);
  assert_close(end.loss, 3 * (1 - CR_R(0.05)) + 5 + CR_R(0.5) - CR_R(0.25), CR_R(1e-9));
  assert_close(end.gradient, CR_R(0.5) * (3 * 2 + 1), CR_R(1e-9));
  assert_close(end.qpos[2], CR_R(5.25), CR_R(1e-9));
  assert_true(end.steps > 0);
  cr_model_destroy(m);
}

TEST(gradient_matches_difference) {
  for (int body = 0; body < CR_N_TOSS; body++) {
    cr_model* m = NULL;
    open_toss(body, &m);
    m->timestep = CR_R(0.002);
    const cr_launch l = {.m = m,
                         .loss = "qpos[1] + qpos[2]^2",
                         .time = CR_R(0.2),
                         .qpos = {0, cri_toss_y0[body], CR_R(0.2), 1},
                         .qvel = {0, CR_R(-0.1), -2},
                         .qpos_direction = {0, 0, 1, 2, 1, 0},
                         .qvel_direction = {0, 1, 1, 0, 1, 0}};
    cr_landing end;
    cr_real near, far;
    assert_int_equal(cri_launch(&l, true, &end, NULL), CR_OK);
    assert_int_equal(cri_launch_difference(&l, CR_R(2e-7), &near, NULL), CR_OK);
    assert_int_equal(cri_launch_difference(&l, CR_R(4e-7), &far, NULL), CR_OK);
    assert_close(end.gradient, (4 * near - far) / 3, CR_R(1e-5) * (1 + cr_abs(near)));
    assert_true(end.steps == 100);
    cr_model_destroy(m);
  }
}

// a ball that flies over the floor: no contact, no plain gradient of its speed along the floor by its
// spin; with contacts from distance there is one, and the motion keeps its bits
TEST(contacts_from_distance_leave_the_motion_alone) {
  cr_model *m, cfd;
  open_toss(CR_TOSS_BALL, &m);
  m->integrator = CR_INT_TSIT5;
  cfd = *m;
  cfd.memory = NULL;
  cfd.cfd = 1;
  cfd.cfd_d0 = CR_R(0.1);
  cfd.cfd_wc = CR_R(0.2);
  cfd.cfd_mc = 1;
  cfd.cfd_pc = 2;
  cfd.cfd_scale = CR_R(0.02);
  for (int hit = 0; hit < 2; hit++) {
    cr_adaptive adaptive = {.size = sizeof adaptive, .rtol = CR_R(1e-8), .atol = CR_R(1e-8)};
    cr_launch l = {.m = m,
                   .loss = "qpos[1]",
                   .time = CR_R(0.2),
                   .adaptive = hit ? &adaptive : NULL,
                   .qpos = {0, 0, CR_R(0.2), 1},
                   .qvel = {0, CR_R(-0.1), hit ? -2 : CR_R(-0.1)},
                   .qvel_direction = {0, 0, 0, 1}};
    cr_landing plain, distant;
    assert_int_equal(cri_launch(&l, true, &plain, NULL), CR_OK);
    l.m_backward = &cfd;
    assert_int_equal(cri_launch(&l, true, &distant, NULL), CR_OK);
    assert_memory_equal(plain.qpos, distant.qpos, sizeof plain.qpos);
    assert_memory_equal(&plain.loss, &distant.loss, sizeof plain.loss);
    assert_int_equal(plain.steps, distant.steps);
    if (!hit) {
      assert_close(plain.gradient, 0, CR_R(1e-17));
    }
    assert_true(cr_abs(distant.gradient) > CR_R(1e-9));
  }
  cr_model_destroy(m);
}

// a cube that drops on the floor and tumbles for 0.2 s: both gradients are that of the motion and can
// be trusted; at a loose tolerance, or without events, the probe does not trust what differences deny
TEST(a_bounce_is_trusted_where_it_should_be) {
  cr_model* m = NULL;
  open_toss(CR_TOSS_CUBE, &m);
  m->integrator = CR_INT_TSIT5;
  const cr_adjoint adjoint = {.size = sizeof adjoint, .rtol = CR_R(1e-9), .atol = CR_R(1e-9)};
  const cr_real tolerance[] = {CR_R(1e-9), CR_R(1e-4)};
  for (int loose = 0; loose < 2; loose++) {
    const cr_adaptive adaptive = {.size = sizeof adaptive,
                                  .rtol = tolerance[loose],
                                  .atol = tolerance[loose],
                                  .events = loose == 0};
    cr_launch l = {.m = m,
                   .loss = "qpos[1]",
                   .time = CR_R(0.2),
                   .adaptive = &adaptive,
                   .qpos = {0, 0, CR_R(0.2), 1},
                   .qvel = {0, CR_R(-0.1), -2},
                   .qvel_direction = {0, 0, 1}};
    cr_landing end, continuous;
    cr_trust trust;
    cr_real difference;
    assert_int_equal(cri_launch(&l, true, &end, NULL), CR_OK);
    assert_int_equal(cri_launch_trust(&l, &trust, NULL), CR_OK);
    assert_int_equal(cri_launch_difference(&l, CR_R(1e-4), &difference, NULL), CR_OK);
    if (loose) {
      assert_true(trust.verdict != CR_TRUST_YES);
      continue;
    }
    l.adjoint = &adjoint;
    assert_int_equal(cri_launch(&l, true, &continuous, NULL), CR_OK);
    assert_memory_equal(&end.loss, &continuous.loss, sizeof end.loss);
    assert_int_equal(trust.verdict, CR_TRUST_YES);
    assert_close(end.gradient, difference, CR_R(1e-3) * cr_abs(difference));
    assert_close(continuous.gradient, difference, CR_R(1e-3) * cr_abs(difference));
    assert_true(end.gradient != continuous.gradient);
    assert_close(trust.slope, cr_abs(end.gradient), CR_R(1e-2) * trust.slope);
  }
  cr_model_destroy(m);
}
