// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Jumps of the sensitivity that are each counted once: contacts that leave together or nearly so, a contact
// that is swapped, a frame that flips; by both adjoints.
#include "event/event_jump.h"

#include "carom/carom.h"
#include "model/model.h"
#include "scenes/io_toss.h"
#include "support/test.h"

#define SCENE(body)                                                                               \
  "<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 " \
  ".12' euler='0 25 0'><freejoint/><geom " body " mass='1'/></body></worldbody></mujoco>"

static const char* const box = SCENE("type='box' size='.06 .05 .07'");
static const char* const can = SCENE("type='cylinder' size='.075 .04'");

static void expect(const toss* t, double bound) {
  double truth[TOSS_MOST];
  toss exact = *t;
  exact.integrator = "dopri8";
  exact.tolerance = 1e-11;
  toss_differences(&exact, 1e-5, truth);
  toss_result x = toss_differentiate(t);
  double off = x.status == CR_OK ? toss_apart(x.gradient, truth, 6) : (double)INFINITY;
  if (!(off < bound) || x.uncounted > 0) {
    fail_msg("%s at %g%s: off by %.2g, %d uncounted %s", t->integrator, t->tolerance,
             t->continuous ? ", continuous" : "", off, x.uncounted, x.error);
  }
}

// both lower corners leave at 0.1675 s with forces of 0.8 N still on, together or nearly so
TEST(contacts_that_leave_together_are_each_counted) {
  static const char* const methods[] = {"tsit5", "bosh3", "dopri5", "dopri8"};
  for (int i = 0; i < 16; i++) {
    const cr_real qvel[] = {CR_R(0.3), 0, -1, i % 3 == 0 ? CR_R(0.01) : 0, CR_R(0.5), 0};
    toss t = {.text = box,
              .loss = "qpos[2]",
              .integrator = methods[i % 4],
              .time = 0.2,
              .tolerance = pow(10, -9 - i / 4 * 0.75),
              .events = true,
              .continuous = i % 5 == 4,
              .qvel = qvel};
    t.tolerance = i % 4 == 1 ? t.tolerance * 30 : t.tolerance;
    expect(&t, 1e-4);
  }
}

// a can that lands upright: the lowest point of its rim, and those at the sides, change sides at once
TEST(a_contact_that_is_swapped_is_counted) {
  const cr_real qvel[] = {CR_R(0.3), 0, -1, 0, CR_R(0.5), 0};
  for (int i = 0; i < 4; i++) {
    toss t = {.text = can,
              .loss = "qpos[0]",
              .integrator = i < 2 ? "dopri8" : "tsit5",
              .time = 0.2,
              .tolerance = i < 2 ? 1e-11 : 1e-8,
              .events = true,
              .continuous = i % 2 == 1,
              .qvel = qvel};
    double plus[TOSS_MOST];
    toss_differences(&t, 1e-5, plus);
    toss_result x = toss_differentiate(&t);
    assert_int_equal(x.status, CR_OK);
    assert_int_equal(x.uncounted, 0);
    // in the plane of the motion: where it leaves it, the rim has no lowest point at that moment
    for (int k = 0; k < 6; k += 2) {
      assert_close((cr_real)x.gradient[k], (cr_real)plus[k], CR_R(2e-5));
    }
  }
}

// a ball on a slope of another: the first tangent of its contact goes by another axis of the world where
// the normal passes 30 degrees, and a pyramid of friction turns with it
TEST(a_frame_that_flips_is_counted) {
  static const char* const balls =
      "<mujoco><option timestep='.002'/><worldbody><geom type='sphere' size='.2'/><body pos='.03 "
      ".07 "
      ".3'><freejoint/><geom type='sphere' size='.1' mass='1'/></body></worldbody></mujoco>";
  const cr_real qvel[] = {CR_R(0.2), CR_R(0.6), CR_R(-0.6), 3, 1, 2};
  for (int i = 0; i < 3; i++) {
    toss t = {.text = balls,
              .loss = "qpos[0] + qpos[1]",
              .integrator = "tsit5",
              .time = 0.25,
              .tolerance = i < 2 ? 1e-9 : 1e-7,
              .events = true,
              .continuous = i == 1,
              .qvel = qvel};
    expect(&t, 1e-4);
  }
}
