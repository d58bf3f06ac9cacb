// SPDX-License-Identifier: Apache-2.0
// Servos: found among actuators, or refused in a sentence that names what is wrong.
// Needs: io
#include "quasidynamic/servo.h"

#include "scenes/io_mjcf.h"
#include "support/close.h"

#define ARM(actuator, more)                                                                    \
  "<mujoco>" more                                                                              \
  "<worldbody><body name='arm'><joint name='a' axis='0 0 1'/><geom size='.1'/>"                \
  "<body pos='1 0 0'><joint name='b' type='ball'/><geom size='.1'/></body></body></worldbody>" \
  "<actuator>" actuator "</actuator></mujoco>"

static cr_status find(const char* text, const cr_real* stiffness, cr_error* error) {
  mjModel* mj = mjcf_compile(text);
  cr_model m = mjcf_model(mj);
  cri_servo servo[4];
  int n = 0;
  cr_status status = cri_quasidynamic_supports(&m, error);
  status = status == CR_OK ? cri_servos_find(&m, stiffness, servo, &n, error) : status;
  if (status == CR_OK) {
    const cr_real qpos[5] = {CR_R(0.2), 1}, u[1] = {CR_R(0.7)};
    assert_int_equal(n, 1);
    assert_int_equal(servo[0].dof, 0);
    assert_close(cri_servo_stiffness(&m, servo), stiffness != NULL ? 9 : 5 * 4, CR_R(1e-14));
    assert_close(cri_servo_force(&m, servo, qpos, u),
                 stiffness != NULL ? 9 * CR_R(0.5) : 2 * 5 * (CR_R(0.7) - 2 * CR_R(0.2)),
                 CR_R(1e-14));
    assert_close(cri_servo_gain(&m, servo), stiffness != NULL ? 9 : 10, CR_R(1e-14));
  }
  cri_model_free(&m);
  mj_deleteModel(mj);
  return status;
}

static void refused(const char* text, cr_status status, const char* sentence) {
  cr_error error = {0};
  assert_int_equal(find(text, NULL, &error), status);
  if (strstr(error.text, sentence) == NULL) {
    fail_msg("%s", error.text);
  }
}

TEST(a_position_servo_is_found) {
  assert_int_equal(find(ARM("<position joint='a' kp='5' gear='2'/>", ""), NULL, NULL), CR_OK);
}

TEST(a_given_stiffness_makes_a_servo_of_a_motor) {
  const cr_real stiffness[1] = {9}, negative[1] = {-1};
  cr_error error = {0};
  assert_int_equal(find(ARM("<motor joint='a'/>", ""), stiffness, NULL), CR_OK);
  assert_int_equal(find(ARM("<motor joint='a'/>", ""), negative, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "stiffness -1 of actuator 0: 0 or more is expected"));
}

TEST(what_is_no_servo_is_named) {
  refused(ARM("", ""), CR_ERR_ARG, "the model has no actuators");
  refused(ARM("<motor name='m' joint='a'/>", ""), CR_ERR_UNSUPPORTED,
          "actuator 'm' is no position servo for quasi-dynamic steps: its force does not fall");
  refused(ARM("<position joint='b' kp='1'/>", ""), CR_ERR_UNSUPPORTED, "no hinge or slide");
  refused(ARM("<intvelocity joint='a' kp='1' actrange='-1 1'/>", ""), CR_ERR_UNSUPPORTED,
          "it has an activation");
}

#define SERVO "<position joint='a' kp='5'/>"

TEST(what_has_no_place_is_named) {
  refused(ARM(SERVO, "<option density='1'/>"), CR_ERR_UNSUPPORTED, "density and viscosity");
  refused(ARM(SERVO, "<equality><weld name='w' body1='arm'/></equality>"), CR_ERR_UNSUPPORTED,
          "do not support the constraint of equality constraint 'w'");
  refused(ARM(SERVO, "<default><joint frictionloss='1'/></default>"), CR_ERR_UNSUPPORTED,
          "do not support the friction loss of joint 'a'");
  refused(ARM(SERVO, "<tendon><fixed name='t'><joint joint='a' coef='1'/></fixed></tendon>"),
          CR_ERR_UNSUPPORTED, "do not support the path of tendon 't'");
}
