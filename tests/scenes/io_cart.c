// SPDX-License-Identifier: Apache-2.0
#include "scenes/io_cart.h"

#include "scenes/io_measured.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_cart[] =
    "<mujoco><option timestep='0.005'/><worldbody><body name='cart'><joint name='x' type='slide' "
    "axis='1 0 0' damping='0.4' frictionloss='0.3'/><geom type='box' size='.1 .05 .03' mass='1'/>"
    "<body name='one'><joint name='a' axis='0 1 0' damping='0.005'/><geom type='capsule' "
    "fromto='0 0 0 0 0 -.3' size='.01' mass='.3'/><body name='two' pos='0 0 -.3'><joint name='b' "
    "axis='0 1 0' damping='.005'/><geom type='capsule' fromto='0 0 0 0 0 -.2' size='.01' "
    "mass='.2'/><site name='imu' pos='0 0 -.1'/></body></body></body></worldbody><actuator>"
    "<motor name='push' joint='x'/></actuator><sensor><jointpos name='enc1' joint='a'/><gyro "
    "name='gyro' site='imu'/><accelerometer name='acc' site='imu'/><framequat name='turn' "
    "objtype='site' objname='imu'/></sensor></mujoco>";

const cr_real cart_truth[CART_NUMBERS] = {1, CR_R(0.2), CR_R(0.4), CR_R(0.3), CR_R(0.005)};
const cr_real cart_hanging[3] = {0, CR_R(0.4), CR_R(-0.3)};

cr_model* cart_model(void) {
  cr_error error;
  cr_model* m = NULL;
  must(cr_model_open(&m, scratch_write("cart.xml", text_of_cart), &error));
  return m;
}

cr_parameters* cart_parameters(const cr_model* m, cr_real off) {
  static const char* const targets[CART_NUMBERS] = {"body_mass[cart]", "body_mass[two]",
                                                    "dof_damping[x]", "dof_frictionloss[x]",
                                                    "dof_damping[a]"};
  cr_error error;
  cr_parameter_info all[CART_NUMBERS];
  const cr_parameter_info* list[CART_NUMBERS];
  for (int i = 0; i < CART_NUMBERS; i++) {
    all[i] = (cr_parameter_info){.size = sizeof all[i],
                                 .name = targets[i],
                                 .target = targets[i],
                                 .transform = CR_TRANSFORM_LOG,
                                 .start = cart_truth[i] * off,
                                 .lower = CR_R(1e-4),
                                 .upper = 100};
    list[i] = &all[i];
  }
  cr_parameters* p = NULL;
  must(cr_parameters_create(&p, m, list, CART_NUMBERS, &error));
  return p;
}

cr_measurements* cart_runs(const cr_model* m, int rows) {
  static const measured_channel channels[] = {{"qpos[x]", 1, CR_R(0.002), 0},
                                              {"enc1", 1, CR_R(0.003), 0},
                                              {"sensordata[gyro]", 1, CR_R(0.03), 0}};
  cr_error error;
  cr_measurements* ms = NULL;
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "one", rows, cart_hanging, channels, 3, 1);
  measured_run(ms, m, "two", rows, cart_hanging, channels, 3, 2);
  measured_run(ms, m, "three", rows, cart_hanging, channels, 3, 3);
  return ms;
}
