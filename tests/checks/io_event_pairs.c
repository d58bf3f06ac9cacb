// SPDX-License-Identifier: Apache-2.0
#include "checks/io_event_pairs.h"

#include "base/random.h"
#include "model/model.h"

static const char* const NAME[PAIRS_SHAPES] = {"plane",    "sphere", "capsule", "ellipsoid",
                                               "cylinder", "box",    "mesh"};
static const char* const SHAPE[PAIRS_SHAPES] = {
    "type='plane' size='5 5 .1'",      "type='sphere' size='.08'",
    "type='capsule' size='.05 .07'",   "type='ellipsoid' size='.09 .07 .06'",
    "type='cylinder' size='.075 .05'", "type='box' size='.06 .05 .07'",
    "type='mesh' mesh='wedge'"};
static const char* const COLLISION[] = {"hard", "soft", "smooth"};

static const char LOSS[] = "qpos[0] + 0.7*qpos[1] - 0.4*qpos[2] + 0.1*qvel[3] - 0.05*qvel[4]";

static void write_scene(int falling, int on, char* text, size_t size) {
  (void)snprintf(
      text, size,
      "<mujoco><compiler angle='radian'/><option timestep='.002'/><asset><mesh name='wedge' "
      "vertex='-.08 -.06 -.05  .08 -.06 -.05  .08 .06 -.05  -.08 .06 -.05  -.05 0 .06  .05 0 .06'/>"
      "</asset><worldbody><geom %s%s/><body pos='.013 -.017 %s' euler='.3 -.45 "
      ".2'><freejoint/><geom "
      "%s mass='1.3'/></body></worldbody></mujoco>",
      SHAPE[on], on == 0 ? "" : " euler='.15 .25 -.4'", on == 0 ? ".17" : ".24", SHAPE[falling]);
}

static void draw_launch(int launch, cr_real qvel[TOSS_MOST]) {
  cr_random random = cr_random_seed(7, (uint64_t)launch);
  for (int i = 0; i < 6; i++) {
    qvel[i] = (i < 3 ? CR_R(0.3) : CR_R(2.5)) * cr_random_normal(&random);
  }
  qvel[2] -= CR_R(1.2);
}

// differences at two steps that agree, false if they do not
static bool find_truth(const toss* t, double truth[TOSS_MOST]) {
  double coarse[TOSS_MOST];
  toss_differences(t, 2e-5, coarse);
  toss_differences(t, 5e-6, truth);
  double apart = toss_apart(coarse, truth, 6);
  return apart < 3e-4;
}

void pairs_repeat(int falling, int on, int collision, int launch, const pairs_method* method) {
  char text[1000];
  cr_real qvel[TOSS_MOST];
  write_scene(falling, on, text, sizeof text);
  draw_launch(launch, qvel);
  const toss t = {.text = text,
                  .loss = LOSS,
                  .integrator = method->name,
                  .time = 0.2,
                  .tolerance = method->tolerance,
                  .events = true,
                  .continuous = launch % 2 == 1,
                  .collision = collision,
                  .qvel = qvel};
  toss_result x[TOSS_TIMES];
  toss_repeat(&t, x);
  print_message("%s on %s, %s, launch %d, %s %g: %d steps, %d events, %d uncounted, loss %a %s\n",
                NAME[falling], NAME[on], COLLISION[collision], launch, method->name,
                method->tolerance, x[0].steps, x[0].events, x[0].uncounted, x[0].loss, x[0].error);
  assert_int_equal(x[0].status, CR_OK);
  for (int i = 1; i < TOSS_TIMES; i++) {
    assert_int_equal(x[i].status, CR_OK);
    assert_int_equal(x[i].steps, x[0].steps);
    assert_int_equal(x[i].events, x[0].events);
    assert_int_equal(x[i].uncounted, x[0].uncounted);
    assert_memory_equal(&x[i].loss, &x[0].loss, sizeof x[0].loss);
    assert_memory_equal(x[i].gradient, x[0].gradient, sizeof x[0].gradient);
  }
}

void pairs_check(int falling, int on, int collision, int launch, const pairs_method* method,
                 int nmethod, int sparse, pairs_tally* tally) {
  char text[1000];
  cr_real qvel[TOSS_MOST];
  double truth[TOSS_MOST];
  write_scene(falling, on, text, sizeof text);
  draw_launch(launch, qvel);
  toss t = {.text = text,
            .loss = LOSS,
            .integrator = "dopri8",
            .time = 0.2,
            .tolerance = 1e-11,
            .events = true,
            .collision = collision,
            .qvel = qvel};
  tally->scenes++;
  if (!find_truth(&t, truth)) {
    tally->kinks++;
    print_message("%s on %s, %s, launch %d: differences do not agree\n", NAME[falling], NAME[on],
                  COLLISION[collision], launch);
    return;
  }
  for (int i = (falling + 3 * on + 5 * collision + launch) % sparse; i < nmethod; i += sparse) {
    t.integrator = method[i].name;
    t.tolerance = method[i].tolerance;
    t.continuous = (i + launch) % 4 == 3;
    toss_result x = toss_differentiate(&t);
    double off = x.status == CR_OK ? toss_apart(x.gradient, truth, 6) : (double)INFINITY;
    tally->runs++;
    tally->uncounted += x.uncounted > 0;
    if (!(off <= method[i].bound)) {
      tally->wrong += x.uncounted == 0;
      print_message("%s on %s, %s, launch %d, %s %g%s: off by %.2g, %d uncounted, %d steps %s\n",
                    NAME[falling], NAME[on], COLLISION[collision], launch, t.integrator,
                    t.tolerance, t.continuous ? ", continuous" : "", off, x.uncounted, x.steps,
                    x.error);
    }
  }
}
