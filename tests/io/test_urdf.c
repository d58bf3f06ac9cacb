// SPDX-License-Identifier: Apache-2.0
// The tree of a URDF file, and a mistake in every element: each is named with file and line.
#include "io/urdf.h"

#include <stdio.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

#define INERTIAL                                                                 \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define LINKS \
  "<robot name='r'>\n<link name='a'>" INERTIAL "</link>\n<link name='b'>" INERTIAL "</link>\n"
#define JOINT "<joint name='j' type='revolute'>\n<parent link='a'/><child link='b'/>\n"
#define END "</joint>\n</robot>"

TEST(quadruped_is_a_tree) {
  cr_urdf u;
  cr_load_report report = {0};
  const char* path = CAROM_SOURCE_DIR "/tests/data/quadruped.urdf";
  if (cri_urdf_read(&u, path, &report, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(u.nlink, 17);
  assert_int_equal(u.njoint, 16);
  assert_int_equal(u.root, cri_urdf_link_find(&u, "trunk"));
  assert_int_equal(u.links[u.root].joint, -1);
  int knee = cri_urdf_joint_find(&u, "rear_left_knee");
  int shank = cri_urdf_link_find(&u, "rear_left_shank");
  assert_int_equal(u.joints[knee].child, shank);
  assert_int_equal(u.joints[knee].parent, cri_urdf_link_find(&u, "rear_left_thigh"));
  assert_int_equal(u.links[shank].joint, knee);
  assert_false(u.links[shank].has_collision);
  assert_true(u.links[u.root].has_collision && u.links[u.root].has_inertia);
  assert_true(u.links[u.root].mass == 6);
  assert_int_equal(cri_urdf_link_find(&u, "no"), -1);
  assert_int_equal(report.warnings.n, 0);
  assert_int_equal(report.ignored.n, 1);
  assert_string_equal(report.ignored.text[0], "URDF: velocity limits of joints");
  cri_urdf_free(&u);
  cri_load_report_free(&report);
}

TEST(what_is_not_read_is_listed) {
  cr_urdf u;
  cr_load_report report = {0};
  const char* path = scratch_write(
      "odd.urdf", LINKS
      "<transmission name='t'><type>x</type></transmission>\n" JOINT
      "<axis xyz='0 0 1'/>\n<limit lower='0.5' upper='0.5' efort='3'/><safety_controller/>" END);
  assert_int_equal(cri_urdf_read(&u, path, &report, &error), CR_OK);
  static const char* const ignored[] = {"URDF: <transmission> in <robot> (first in line 4)",
                                        "URDF: <limit efort> in <joint> (first in line 8)",
                                        "URDF: <safety_controller> in <joint> (first in line 8)"};
  assert_int_equal(report.ignored.n, 3);
  for (int i = 0; i < 3; i++) {
    assert_string_equal(report.ignored.text[i], ignored[i]);
  }
  assert_int_equal(report.warnings.n, 1);
  assert_non_null(strstr(report.warnings.text[0], "odd.urdf:8: joint 'j': lower and upper limit"));
  cri_urdf_free(&u);
  cri_load_report_free(&report);
}

static void refused(const char* text, const char* because) {
  cr_urdf u;
  cr_load_report report = {0};
  const char* path = scratch_write("bad.urdf", text);
  error = (cr_error){0};
  cr_status status = cri_urdf_read(&u, path, &report, &error);
  cri_urdf_free(&u);
  cri_load_report_free(&report);
  char expected[256];
  (void)snprintf(expected, sizeof expected, "bad.urdf:%s", because);
  if (status != CR_ERR_FORMAT || strstr(error.text, expected) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, expected);
  }
}

TEST(mistakes_of_structure) {
  refused("<mujoco/>", "1: <mujoco> where <robot> is expected");
  refused("<robot name='r'/>", "1: the robot has no link");
  refused("<robot>\n<link/></robot>", "2: <link>: attribute 'name' is missing");
  refused("<robot>\n<link name='a'/>\n<link name='a'/></robot>",
          "3: link 'a': there is another link of this name in line 2");
  refused("<robot>\n<link name='a'/>\n<link name='b'/></robot>",
          "3: link 'b': no joint holds it, nor link 'a'");
  refused(LINKS "<joint name='j' type='hinge'/></robot>", "4: joint 'j': there is no joint type");
  refused(LINKS "<joint name='j'/></robot>", "4: joint 'j': attribute 'type' is missing");
  refused(LINKS "<joint name='j' type='fixed'><child link='b'/></joint></robot>",
          "4: joint 'j': <parent> is missing");
  refused(LINKS
          "<joint name='j' type='fixed'>\n<parent link='c'/><child link='b'/></joint></robot>",
          "5: <parent> of joint 'j': there is no link 'c'");
  refused(LINKS JOINT "</joint>\n" JOINT END,
          "7: joint 'j': there is another joint of this name in line 4");
  refused(LINKS JOINT
          "</joint>\n<joint name='k' type='fixed'><parent link='a'/><child link='b'/>" END,
          "7: joint 'k': its child 'b' hangs on joint 'j' already");
  refused(LINKS
          "<link name='c'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/>"
          "</joint><joint name='k' type='fixed'><parent link='b'/><child link='a'/>" END,
          "2: link 'a': its joints lead in a circle");
}

TEST(mistakes_of_shape) {
#define SHAPE(text) "<robot><link name='a'><collision>\n" text "</collision></link></robot>"
  refused(SHAPE(""), "1: <collision> of link 'a': it has no geometry");
  refused(SHAPE("<geometry/>"), "1: <collision> of link 'a': it has no geometry");
  refused(SHAPE("<geometry>\n<torus/></geometry>"), "3: <torus> of link 'a': no shape");
  refused(SHAPE("<geometry><box/></geometry>"),
          "2: <box> of link 'a': attribute 'size' is missing");
  refused(SHAPE("<geometry><box size='1 1'/></geometry>"),
          "2: <box> of link 'a': size=\"1 1\": 3 n");
  refused(SHAPE("<geometry><box size='1 0 1'/></geometry>"),
          "2: <box> of link 'a': size=\"1 0 1\" is");
  refused(SHAPE("<geometry><sphere radius='nan'/></geometry>"), "2: <sphere> of link 'a': radius");
  refused(SHAPE("<geometry><sphere radius='1 m'/></geometry>"), "2: <sphere> of link 'a': radius");
  refused(SHAPE("<geometry><cylinder radius='1'/></geometry>"),
          "2: <cylinder> of link 'a': attribute");
  refused(SHAPE("<geometry><mesh scale='1 1 1'/></geometry>"), "2: <mesh> of link 'a': attribute");
  refused(SHAPE("<geometry><mesh filename='x' scale='1 0 1'/></geometry>"),
          "2: <mesh> of link 'a': scale");
  refused(SHAPE("<origin xyz='1 2'/>"), "2: <origin> of link 'a': xyz=\"1 2\": 3 numbers expected");
  refused(SHAPE("<origin rpy='a b c'/>"), "2: <origin> of link 'a': rpy");
#undef SHAPE
}

TEST(mistakes_of_inertia) {
#define BODY(text) "<robot><link name='a'><inertial>\n" text "</inertial></link></robot>"
  refused(BODY(""), "1: <inertial> of link 'a': <mass> is missing");
  refused(BODY("<mass value='1'/>"), "1: <inertial> of link 'a': <inertia> is missing");
  refused(BODY("<mass value='-1'/>"), "2: <mass> of link 'a': value=\"-1\" is negative");
  refused(BODY("<mass value='1'/>\n<inertia ixx='1' iyy='1' izz='1'/>"),
          "3: <inertia> of link 'a': attribute 'ixy' is missing");
#undef BODY
}

// nothing turns about the axis of a fixed or floating joint: MuJoCo does not look at it either
TEST(an_axis_that_is_not_used_may_be_zero) {
  static const char* const types[] = {"fixed", "floating", "revolute"};
  for (int k = 0; k < 3; k++) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   LINKS
                   "<joint name='j' type='%s'>\n<parent link='a'/><child link='b'/>\n"
                   "<axis xyz='0 0 0'/><limit effort='1' velocity='1'/>" END,
                   types[k]);
    cr_urdf u;
    cr_load_report report = {0};
    cr_status status = cri_urdf_read(&u, scratch_write("axis.urdf", text), &report, &error);
    assert_int_equal(status == CR_OK, k < 2);
    cri_urdf_free(&u);
    cri_load_report_free(&report);
  }
}

TEST(mistakes_of_joints) {
  refused(LINKS JOINT "<axis xyz='0 0 0'/>" END, "6: <axis> of joint 'j': xyz=\"0 0 0\" is zero");
  refused(LINKS JOINT "<limit lower='1' upper='-1'/>" END,
          "6: <limit> of joint 'j': lower 1 is above");
  refused(LINKS JOINT "<limit effort='-1'/>" END,
          "6: <limit> of joint 'j': effort=\"-1\" is negative");
  refused(LINKS JOINT "<dynamics damping='-1'/>" END, "6: <dynamics> of joint 'j': damping");
  refused(LINKS JOINT "<mimic/>" END, "6: <mimic> of joint 'j': attribute 'joint' is missing");
  refused(LINKS JOINT "<mimic joint='k'/>" END, "6: <mimic> of joint 'j': there is no joint 'k'");
  refused(LINKS JOINT "<mimic joint='j'/>" END,
          "6: <mimic> of joint 'j': a joint cannot mimic itself");
  refused(LINKS
          "<link name='c'/><joint name='k' type='planar'><parent link='b'/><child link='c'/>"
          "</joint>\n" JOINT "<mimic joint='k'/>" END,
          "7: <mimic> of joint 'j': both joints must be revolute");
}
