// SPDX-License-Identifier: Apache-2.0
// Two engines side by side: together if they are the same, apart as a closed form says if one
// of them has another gravity, and the twin a rounding error away after ten steps.
#include "parity/follow_mujoco.h"

#include "scenes/io_mjcf.h"
#include "support/close.h"

enum { STEPS = 30 };

static const char falling[] =
    "<mujoco><option timestep='.002'/><worldbody><body pos='0 0 1'>"
    "<joint type='slide' axis='0 0 1'/><geom size='.1'/></body></worldbody></mujoco>";
static const char driven[] =
    "<mujoco><option timestep='.002'/><worldbody><body><joint name='j' damping='.1'/>"
    "<geom pos='.3 0 0' size='.1'/><body pos='.5 0 0'><joint name='k'/><geom size='.1'/></body>"
    "</body></worldbody><actuator><motor joint='j'/><motor joint='k'/></actuator></mujoco>";

static void open(const char* xml, mjModel** mj, cr_model* m) {
  *mj = mjcf_compile(xml);
  *m = mjcf_model(*mj);
}

static int followed(mjModel* mj, const cr_model* m, cr_follow_step* steps) {
  cr_error error = {0};
  cr_random random = cr_random_seed(5, 1);
  int done = 0;
  if (cri_follow(mj, m, STEPS, &random, steps, &done, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return done;
}

TEST(the_same_stays_together) {
  mjModel* mj;
  cr_model m;
  cr_follow_step steps[STEPS];
  open(driven, &mj, &m);
  assert_int_equal(followed(mj, &m, steps), STEPS);
  for (int k = 0; k < STEPS; k++) {
    assert_true(steps[k].carom < 1e-13);
    assert_true(k < 10 ? steps[k].twin == 0 : steps[k].twin < 1e-12);
  }
  assert_true(steps[STEPS - 1].twin > 0);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// after k steps of the semi-implicit rule the velocities differ by k h dg, which is more than the
// positions do, and both stay below 1 in size
TEST(another_gravity_drives_them_apart) {
  mjModel* mj;
  cr_model m;
  cr_follow_step steps[STEPS];
  const double off = 1e-3, h = 0.002;
  open(falling, &mj, &m);
  m.gravity[2] += (cr_real)off;
  assert_int_equal(followed(mj, &m, steps), STEPS);
  for (int k = 0; k < STEPS; k++) {
    assert_close(steps[k].carom, (k + 1) * h * off, 1e-12);
    assert_int_equal(steps[k].ncon, 0);
  }
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// what makes MuJoCo's state diverge ends the run, without an error
TEST(ends_where_the_state_diverges) {
  mjModel* mj;
  cr_model m;
  cr_follow_step steps[STEPS];
  open(
      "<mujoco><option timestep='.1'/><worldbody><body><joint type='slide' stiffness='1e9'/>"
      "<geom size='.1' mass='.1'/></body></worldbody><keyframe><key qpos='1'/></keyframe></mujoco>",
      &mj, &m);
  int done = followed(mj, &m, steps);
  assert_true(done < STEPS);
  cri_model_free(&m);
  mj_deleteModel(mj);
}
