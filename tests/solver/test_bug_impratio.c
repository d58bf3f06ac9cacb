// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A bug seen elsewhere: the friction rows of a contact ignored impratio in efc_D. In an elliptic cone
// D of the first friction row is impratio times that of the normal row, of row j further by
// (mu_j / mu_1)^2; their derivatives are in the same ratios.
#include "carom/step.h"
#include "checks/io_bug.h"
#include "support/close.h"

#define BALL(option)                                                     \
  "<mujoco><option " option                                              \
  "/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .0995'>" \
  "<freejoint/><geom size='.1' condim='6' friction='.7 .02 .003'/></body></worldbody></mujoco>"

static const char* const ratios[] = {BALL("cone='elliptic' impratio='1'"),
                                     BALL("cone='elliptic' impratio='10'"),
                                     BALL("cone='elliptic' impratio='0.2'")};
static const cr_real values[] = {1, 10, CR_R(0.2)};

static void press(bug_scene* s, const char* mjcf) {
  static const cr_real velocity[] = {CR_R(0.5), CR_R(-0.3), CR_R(-0.2), 1, 2, CR_R(0.5)};
  bug_open(s, mjcf, 0);
  cr_copy(s->d->qvel, velocity, 6);
}

TEST(bug_impratio_is_in_the_friction_rows) {
  for (int k = 0; k < 3; k++) {
    bug_scene s;
    press(&s, ratios[k]);
    bug_forward(&s);
    assert_int_equal(s.d->ncon, 1);
    assert_int_equal(s.d->nefc, 6);
    s.tan->qpos[2] = 1;  // through the impedance, which depends on the depth
    bug_forward_jvp(&s);
    const cr_real *D = s.d->efc_D, *D_tan = s.tan->efc_D, *friction = s.d->contact_friction;
    assert_true(cr_abs(D_tan[0]) > CR_R(1e-3) * D[0]);
    for (int j = 0; j < 5; j++) {
      cr_real ratio = values[k] * friction[j] * friction[j] / (friction[0] * friction[0]);
      assert_close(D[1 + j] / D[0], ratio, CR_R(1e-12) * ratio);
      assert_close(D_tan[1 + j] / D_tan[0], ratio, CR_R(1e-9) * ratio);
    }
    bug_close(&s);
  }
}

TEST(bug_impratio_step_gradient) {
  static const char* const cones[] = {BALL("cone='elliptic' impratio='10'"),
                                      BALL("cone='pyramidal' impratio='10'")};
  for (int k = 0; k < 2; k++) {
    bug_scene s;
    press(&s, cones[k]);
    bug_check_step(&s);
    bug_close(&s);
  }
}
