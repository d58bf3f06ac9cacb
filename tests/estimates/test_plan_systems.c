// SPDX-License-Identifier: Apache-2.0
// Systems of published plans: rest and hover stay, Jacobians are those of differences, scenes have one servo a control.
#include "estimates/plan_systems.h"

#include <stdio.h>
#include <string.h>

#include "support/close.h"
#include "support/test.h"

static cr_error error;

static void step(const cr_mpc_system* f, const cr_real* x, const cr_real* u, cr_real* next) {
  must(f->step(f->context, 0, x, u, next, NULL, NULL, &error));
}

static const cr_plan_system* named(const char* name) {
  const cr_plan_system* s = cri_plan_systems;
  while (strcmp(s->name, name) != 0) {
    s++;
  }
  return s;
}

TEST(a_pendulum_hangs_and_a_quadrotor_hovers) {
  cr_real x[CR_PLAN_STATES] = {0}, u[CR_PLAN_CONTROLS] = {0}, next[CR_PLAN_STATES];
  step(&named("pendulum")->system, x, u, next);
  assert_close(next[0], 0, 0);
  assert_close(next[1], 0, 0);
  x[0] = CR_R(0.5);
  step(&named("pendulum")->system, x, u, next);
  assert_close(next[1], CR_R(-0.05) * cr_sin(CR_R(0.5)), CR_R(1e-15));
  x[0] = 0;
  for (int i = 0; i < 4; i++) {
    u[i] = CR_R(0.775) * CR_R(9.81) / 4;
  }
  step(&named("quadrotor")->system, x, u, next);
  for (int i = 0; i < 12; i++) {
    assert_close(next[i], 0, CR_R(1e-14));
  }
  // more thrust on the third and fourth rotor: it rolls
  u[2] += CR_R(0.1);
  u[3] += CR_R(0.1);
  step(&named("quadrotor")->system, x, u, next);
  assert_close(next[9], CR_R(0.05) * CR_R(0.15) * CR_R(0.2) / CR_R(0.0015), CR_R(1e-12));
}

// its track is a circle of radius 1 / tan(steering angle), for short steps
TEST(a_bicycle_turns) {
  cr_real x[CR_PLAN_STATES] = {0, 0, 0, 1, CR_R(0.3)}, next[CR_PLAN_STATES];
  const cr_real u[CR_PLAN_CONTROLS] = {CR_R(0.5), CR_R(-0.2)};
  step(&named("bicycle_easy")->system, x, u, next);
  assert_close(next[2], CR_R(0.1) * cr_sin(CR_R(0.3)) / cr_cos(CR_R(0.3)), CR_R(1e-15));
  assert_close(next[3], CR_R(1.05), CR_R(1e-15));
  assert_close(next[4], CR_R(0.28), CR_R(1e-15));
}

TEST(jacobians_are_those_of_differences) {
  for (int i = 0; i < CR_N_PLAN_SYSTEM; i++) {
    const cr_mpc_system* f = &cri_plan_systems[i].system;
    cr_real z[CR_PLAN_STATES + CR_PLAN_CONTROLS], next[CR_PLAN_STATES];
    cr_real A[CR_PLAN_STATES * CR_PLAN_STATES], B[CR_PLAN_STATES * CR_PLAN_CONTROLS];
    if (f->step == NULL) {
      continue;
    }
    for (int k = 0; k < f->nx + f->nu; k++) {
      z[k] = CR_R(0.1) * (cr_real)(k % 5) - CR_R(0.15);
    }
    must(f->step(f->context, 0, z, z + f->nx, next, A, B, &error));
    for (int k = 0; k < f->nx + f->nu; k++) {
      const cr_real kept = z[k], h = CR_R(1e-5);
      cr_real less[CR_PLAN_STATES], more[CR_PLAN_STATES];
      z[k] = kept - h;
      step(f, z, z + f->nx, less);
      z[k] = kept + h;
      step(f, z, z + f->nx, more);
      z[k] = kept;
      for (int j = 0; j < f->nx; j++) {
        const cr_real slope = k < f->nx ? A[j * f->nx + k] : B[j * f->nu + k - f->nx];
        assert_close(slope, (more[j] - less[j]) / (2 * h), CR_R(1e-7));
      }
    }
  }
}

TEST(scenes_have_a_servo_a_control) {
  cr_notebook book = {0};
  (void)snprintf(book.folder, sizeof book.folder, "%s", ".");
  for (int i = 0; i < CR_N_PLAN_SYSTEM; i++) {
    const cr_plan_system* s = &cri_plan_systems[i];
    cr_model* m = NULL;
    cr_quasidynamic* steps = NULL;
    if (s->scene == NULL) {
      continue;
    }
    must(cri_plan_scene_open(&book, s, &m, &error));
    must(cr_quasidynamic_create(&steps, m, NULL, &error));
    const int nq = cr_model_count(m, "nq"), nu = cr_model_count(m, "nu");
    assert_true(s->R[nu - 1] > 0 && (nu == CR_PLAN_CONTROLS || s->R[nu] == 0));
    assert_true(s->Q[nq - 1] > 0 && s->Q[nq] == 0);
    cr_quasidynamic_destroy(steps);
    cr_model_destroy(m);
  }
}
