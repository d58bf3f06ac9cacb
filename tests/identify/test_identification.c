// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A cart with a double pendulum, recorded by three sensors: parameters come back within their intervals; the gradient
// against differences; what the data cannot tell.
#include <stdio.h>
#include <stdlib.h>

#include "carom/carom.h"
#include "support/close.h"
#include "support/io_measured.h"
#include "support/scratch.h"

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

static cr_error error;
static cr_model* m;

static void must(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void setup(void) {
  must(cr_model_open(&m, scratch_write("cart.xml", text_of_cart), &error));
}

static void teardown(void) { cr_model_destroy(m); }

AROUND_FILE(setup, teardown)

enum { MOST = 2000 };

enum { N = 5 };
static const cr_real hanging[3] = {0, CR_R(0.4), CR_R(-0.3)};
static const cr_real truth[N] = {1, CR_R(0.2), CR_R(0.4), CR_R(0.3), CR_R(0.005)};

static cr_parameters* parameters(cr_real off) {
  static const char* const targets[N] = {"body_mass[cart]", "body_mass[two]", "dof_damping[x]",
                                         "dof_frictionloss[x]", "dof_damping[a]"};
  cr_parameter_info all[N];
  const cr_parameter_info* list[N];
  for (int i = 0; i < N; i++) {
    all[i] = (cr_parameter_info){.size = sizeof all[i],
                                 .name = targets[i],
                                 .target = targets[i],
                                 .transform = CR_TRANSFORM_LOG,
                                 .start = truth[i] * off,
                                 .lower = CR_R(1e-4),
                                 .upper = 100};
    list[i] = &all[i];
  }
  cr_parameters* p = NULL;
  must(cr_parameters_create(&p, m, list, N, &error));
  return p;
}

static cr_measurements* three_runs(int rows) {
  static const measured_channel channels[] = {{"qpos[x]", 1, CR_R(0.002), 0},
                                              {"enc1", 1, CR_R(0.003), 0},
                                              {"sensordata[gyro]", 1, CR_R(0.03), 0}};
  cr_measurements* ms = NULL;
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "one", rows, hanging, channels, 3, 1);
  measured_run(ms, m, "two", rows, hanging, channels, 3, 2);
  measured_run(ms, m, "three", rows, hanging, channels, 3, 3);
  return ms;
}

static const cr_search thorough = {.size = sizeof thorough};

TEST(gradient_matches_differences) {
  static const measured_channel channels[] = {
      {"qpos[x]", 1, CR_R(0.01), 0}, {"sensordata[gyro]", 3, CR_R(0.1), 2},
      {"acc", 2, CR_R(0.3), 0},      {"turn", 5, 0, 0},
      {"xquat[two]", 7, 0, 0},       {"site_xpos[imu]", 4, CR_R(0.01), 0}};
  cr_measurements* ms = NULL;
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "one", 60, hanging, channels, 6, 4);
  measured_run(ms, m, "two", 50, hanging, channels, 6, 5);
  cr_parameters* p = parameters(CR_R(1.2));
  const char *delayed[] = {"sensordata[gyro]"}, *shifted[] = {"acc"};
  const cr_real huber[] = {0, CR_R(0.5)};
  for (int k = 0; k < 2; k++) {
    const cr_identification_options o = {.size = sizeof o,
                                         .window = CR_R(0.11),
                                         .continuity = k == 0 ? 0 : CR_R(0.1),
                                         .huber = huber[k],
                                         .delayed = delayed,
                                         .ndelayed = 1,
                                         .shifted = shifted,
                                         .nshifted = 1,
                                         .nthread = 1};
    cr_identification* id = NULL;
    must(cr_identification_create(&id, p, ms, &o, &error));
    int n = cr_identification_count(id);
    assert_int_equal(n, N + 1 + 3);
    cr_real x[16], g[16], none[16], cost;
    must(cr_identification_get_start(id, x, &error));
    x[N] = CR_R(0.0083);
    x[N + 1] = CR_R(0.1);
    must(cr_identification_evaluate(id, CR_RUNS_TRAIN, x, &cost, g, &error));
    for (int i = 0; i < n; i++) {
      cr_real at = x[i], h = CR_R(1e-5), a, b;
      x[i] = at + h;
      must(cr_identification_evaluate(id, CR_RUNS_TRAIN, x, &a, NULL, &error));
      x[i] = at - h;
      must(cr_identification_evaluate(id, CR_RUNS_TRAIN, x, &b, none, &error));
      x[i] = at;
      cr_real difference = (a - b) / (2 * h);
      if (cr_abs(difference - g[i]) > CR_R(1e-5) * (cr_abs(g[i]) + 1)) {
        fail_msg("%s: %.12g, by differences %.12g", cr_identification_name(id, i), (double)g[i],
                 (double)difference);
      }
    }
    cr_identification_destroy(id);
  }
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}

TEST(five_parameters_of_a_cart_come_back) {
  cr_measurements* ms = three_runs(MOST);
  cr_parameters* p = parameters(CR_R(1.5));
  const cr_identification_options o = {.size = sizeof o, .nthread = 2};
  cr_identification* id = NULL;
  cr_real x[N];
  must(cr_identification_create(&id, p, ms, &o, &error));
  must(cr_identification_get_start(id, x, &error));
  cr_search_end end = {.size = sizeof end};
  must(cr_identification_solve(id, &thorough, x, &end, &error));
  print_message("%s, %d steps, %d rounds, cost %g to %g\n", end.reason, end.steps, end.rounds,
                (double)end.start_cost, (double)end.cost);
  for (int i = 0; i < N; i++) {
    cr_estimate e = {.size = sizeof e};
    must(cr_identification_get(id, i, &e, &error));
    print_message("%s %.6g (%.6g to %.6g), truth %.6g\n", e.name, (double)e.value, (double)e.lower,
                  (double)e.upper, (double)truth[i]);
    cr_real half = (e.upper - e.lower) / 2;
    assert_true(e.told);
    assert_true(cr_abs(e.value - truth[i]) < 2 * half);
    assert_true(half < CR_R(0.1) * truth[i]);
  }
  for (int i = 0; i < cr_identification_places(id); i++) {
    cr_fit_of_place f = {.size = sizeof f};
    must(cr_identification_get_place(id, CR_RUNS_TRAIN, i, &f, &error));
    print_message("%s noise %g explained %g correlation %g (%g)\n", f.place, (double)f.noise,
                  (double)f.explained, (double)f.correlation, (double)f.white);
    assert_true(cr_abs(f.correlation) < 2 * f.white);
  }
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}
