// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Events that accumulate: steps pass over chattering feet, in few steps, and report them as uncounted. Their jumps
// are not multiplied into the gradient.
#include "event/event_crowd.h"

#include "carom/carom.h"
#include "scenes/io_toss.h"
#include "support/test.h"

#define FLOOR "<geom type='plane' size='5 5 .1'/>"
#define JOINTS(range) "<joint axis='0 1 0' range='" range "' damping='.2'/>"

// a planar walker of the measures of dm_control's, whose limits push from their ends on
#define HINGE(pos, range) "<joint axis='0 -1 0' pos='" pos "' range='" range "'/>"
#define WALKER_LEG(y) \
  "<body pos='0 " y " -.3'>" HINGE("0 0 0", "-20 100")                       \
  "<geom pos='0 0 -.225' size='.05 .225'/><body pos='0 0 -.7'>"              \
  HINGE("0 0 .25", "-150 0") "<geom size='.04 .25'/><body pos='.06 0 -.25'>" \
  HINGE("-.06 0 0", "-45 45") "<geom zaxis='1 0 0' size='.05 .1'/></body></body></body>"

static const char walker[] =
    "<mujoco><compiler autolimits='true'/><option timestep='.0025'/><default>"
    "<joint damping='.1' armature='.01' solimplimit='0 .99 .01'/>"
    "<geom type='capsule' contype='1' conaffinity='0' friction='.7 .1 .1'/></default><worldbody>"
    "<geom type='plane' conaffinity='1' size='250 .8 .2'/><body pos='0 0 1.3'>"
    "<joint axis='0 0 1' type='slide' armature='0' damping='0'/>"
    "<joint axis='1 0 0' type='slide' armature='0' damping='0'/>"
    "<joint axis='0 -1 0' armature='0' damping='0'/><geom size='.07 .3'/>" WALKER_LEG("-.05")
        WALKER_LEG(".05") "</body></worldbody></mujoco>";

#define BONE(size, mass)                                                     \
  "<geom type='capsule' fromto='0 0 0 0 0 -.25' size='" size "' mass='" mass \
  "' contype='0' "                                                           \
  "conaffinity='0'/>"

static const char hopper[] =
    "<mujoco><compiler angle='radian' autolimits='true'/><option timestep='.002' cone='elliptic'/>"
    "<worldbody>" FLOOR "<body pos='0 0 .723'><joint axis='1 0 0' type='slide'/>"
    "<joint axis='0 0 1' type='slide'/><joint axis='0 1 0'/>"
    "<geom type='box' size='.1 .05 .04' mass='1.34' friction='.897'/><body>" JOINTS("-1 1")
        BONE(".025", ".4") "<body pos='0 0 -.25'>" JOINTS("-1.2 .6") BONE(".02", ".3")
            "<geom type='sphere' pos='0 0 -.25' size='.035' mass='.1' friction='.897'/>"
            "</body></body></body></worldbody></mujoco>";

#define LEG(place) \
  "<body pos='" place "'>" JOINTS("-1 1")                                        \
  "<geom type='capsule' fromto='0 0 0 0 0 -.2' size='.025' mass='.4' contype='0' " \
  "conaffinity='0'/><body pos='0 0 -.2'>" JOINTS("-1.5 .5")                      \
  "<geom type='capsule' fromto='0 0 0 0 0 -.2' size='.02' mass='.3' contype='0' "  \
  "conaffinity='0'/><geom type='sphere' pos='0 0 -.2' size='.03' mass='.1'/></body></body>"

static const char quadruped[] =
    "<mujoco><compiler angle='radian' autolimits='true'/><option timestep='.002'/><worldbody>" FLOOR
    "<body pos='0 0 .46'><freejoint/><geom type='box' size='.25 .1 .05' mass='4'/>" LEG(".2 .12 0")
        LEG(".2 -.12 0") LEG("-.2 .12 0") LEG("-.2 -.12 0") "</body></worldbody></mujoco>";

// a box and a hexagonal prism, which touch with faces that are parallel but for round-off after 0.0309 s
static const char faces[] =
    "<mujoco><option timestep='.002'/><asset><mesh name='prism' vertex='.0784 0 .05 .0392 .06789 "
    ".05 "
    "-.0392 .06789 .05 -.0784 0 .05 -.0392 -.06789 .05 .0392 -.06789 .05 .0784 0 -.05 .0392 .06789 "
    "-.05 "
    "-.0392 .06789 -.05 -.0784 0 -.05 -.0392 -.06789 -.05 .0392 -.06789 -.05'/></asset><worldbody>"
    "<geom type='plane' size='5 5 .1' solref='.02 .2'/>"
    "<body pos='-.0073317 0 .14' euler='0 34.793 0'><freejoint/><geom type='box' solref='.02 .2' "
    "size='.081977 .08516 .082286' mass='.59576' friction='.66848'/></body>"
    "<body pos='-.0024171 0 .34' euler='-5.9644 -18.835 31.35'><freejoint/><geom type='mesh' "
    "mesh='prism' solref='.02 .2' mass='.57683' friction='.98431' "
    "condim='1'/></body></worldbody></mujoco>";

// all of it in far fewer steps than there are by default, and a gradient of the size that differences over 1e-2
// have
static toss_result expect_passed(const char* text, const char* loss, double time, double tolerance,
                                 const cr_real* qvel) {
  const toss t = {.text = text,
                  .loss = loss,
                  .integrator = "bosh3",
                  .time = time,
                  .tolerance = tolerance,
                  .events = true,
                  .qvel = qvel,
                  .max_steps = CR_ADAPTIVE_STEPS};
  toss_result x = toss_differentiate(&t);
  print_message("loss %.6g, %d steps, %d uncounted %s\n", x.loss, x.steps, x.uncounted, x.error);
  assert_int_equal(x.status, CR_OK);
  assert_true(x.uncounted > 0 && x.steps < 15000);
  return x;
}

// both feet slide and hover at the floor: more than 100,000 steps, looked at one by one
TEST(feet_that_hover_are_passed) {
  static const cr_real qvel[] = {0, -1, CR_R(0.5), 0, 0, 0, 0, 0, 0};
  toss_result x = expect_passed(walker, "qpos[1]", 0.4, 1e-6, qvel);
  assert_close((cr_real)x.loss, CR_R(-0.473498), CR_R(1e-4));
}

// they bounce 2 ms and less: 140 jumps, whose product is 1e28 and says nothing of the motion
TEST(jumps_of_feet_that_chatter_are_not_multiplied) {
  static const cr_real qvel[] = {0, -2, 1, 1, 1, 1, 1, 1, 1};
  toss_result x = expect_passed(walker, "qpos[1]", 0.4, 1e-6, qvel);
  for (int i = 0; i < x.nv; i++) {
    assert_true(fabs(x.gradient[i]) < 1e4);
  }
}

TEST(a_hopper_goes_on) {
  static const cr_real qvel[] = {CR_R(0.5884947140915824), CR_R(-1.3606381325479302),
                                 CR_R(0.14972849571403732), CR_R(-0.002997811579034833),
                                 CR_R(0.6644826714666043)};
  (void)expect_passed(hopper, "qpos[0]", 0.5, 1e-7, qvel);
}

TEST(a_quadruped_goes_on) {
  static const cr_real qvel[] = {CR_R(-0.8),  CR_R(0.11),  CR_R(-0.58), CR_R(-0.16), CR_R(0.26),
                                 CR_R(-0.38), CR_R(-0.31), CR_R(0.03),  CR_R(-0.14), CR_R(-0.05),
                                 CR_R(-0.33), CR_R(-0.81), CR_R(-0.55), CR_R(-0.46)};
  (void)expect_passed(quadruped, "qpos[0]", 0.4, 1e-6, qvel);
}

// round-off gives the contact of the two faces another name in each of some 1e-12 s: 20,000 steps did not end
TEST(names_that_flicker_are_passed) {
  static const cr_real qvel[] = {CR_R(0.25),   CR_R(-0.00601), CR_R(-1.781), CR_R(0.629),
                                 CR_R(0.115),  CR_R(-1.904),   CR_R(-0.484), CR_R(0.388),
                                 CR_R(-1.627), CR_R(0.268),    CR_R(-0.893), CR_R(-1.883)};
  const toss t = {.text = faces,
                  .loss = "qpos[0]",
                  .integrator = "dopri8",
                  .time = 0.04,
                  .tolerance = 1e-11,
                  .events = true,
                  .qvel = qvel,
                  .max_steps = 20000};
  toss_result x = toss_differentiate(&t);
  print_message("loss %.6g, %d steps, %d uncounted %s\n", x.loss, x.steps, x.uncounted, x.error);
  assert_int_equal(x.status, CR_OK);
  assert_true(x.steps < 2000);
}
