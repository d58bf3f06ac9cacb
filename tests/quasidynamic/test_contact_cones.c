// SPDX-License-Identifier: Apache-2.0
// Contacts as cones: in a plane a pyramid has two rays and a cone two dimensions; what no dof moves has none; a label names a block.
// Needs: io
#include "quasidynamic/contact_cones.h"

#include "carom/quasidynamic.h"
#include "quasidynamic/quasidynamic_work.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"

// a sphere that slides along x or in space, over a floor; a geom on a hinge through a sphere
#define OVER_FLOOR(joints)                                                                        \
  "<mujoco><worldbody><geom name='floor' type='plane' size='5 5 .1'/><body pos='0 0 .1'>" joints  \
  "<geom name='ball' size='.1'/></body><body pos='3 0 3'><joint name='s' axis='0 0 1' range='-1 " \
  "1' limited='true'/>"                                                                           \
  "<geom name='arm' size='.1' pos='.5 0 0'/></body><geom name='base' size='.4' pos='3 0 "         \
  "3'/></worldbody>"                                                                              \
  "<actuator><position joint='s' kp='5'/></actuator></mujoco>"

static mjModel* mj;
static cr_model m;
static cr_quasidynamic* work;

// one step from the start
static void step(const char* text, cr_friction friction) {
  const cr_quasidynamic_options options = {.size = sizeof options, .friction = friction};
  cr_real next[16], u = 0;
  mj = mjcf_compile(text);
  m = mjcf_model(mj);
  assert_int_equal(cr_quasidynamic_create(&work, &m, &options, NULL), CR_OK);
  assert_int_equal(cr_quasidynamic_step(work, m.qpos0, &u, next), CR_OK);
}

static void done(void) {
  cr_quasidynamic_destroy(work);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

#define SLIDE(axis) "<joint type='slide' axis='" axis "'/>"

// two limits, and of the floor's contact: rays or dimensions
static void expect(const char* joints, cr_friction friction, int nblock, int nrow) {
  step(joints, friction);
  assert_int_equal(work->cone.nblock, 2 + nblock);
  assert_int_equal(work->cone.nrow, 2 + nrow);
  done();
}

TEST(blocks_are_as_large_as_the_motion) {
  expect(OVER_FLOOR("<freejoint/>"), CR_FRICTION_PYRAMID, 4, 4);
  expect(OVER_FLOOR("<freejoint/>"), CR_FRICTION_CONE, 1, 3);
  expect(OVER_FLOOR(SLIDE("1 0 0") SLIDE("0 0 1")), CR_FRICTION_PYRAMID, 2, 2);
  expect(OVER_FLOOR(SLIDE("1 0 0") SLIDE("0 0 1")), CR_FRICTION_CONE, 1, 2);
  expect(OVER_FLOOR(SLIDE("0 0 1")), CR_FRICTION_PYRAMID, 1, 1);
  expect(OVER_FLOOR(SLIDE("0 0 1")), CR_FRICTION_CONE, 1, 1);
  expect(OVER_FLOOR(SLIDE("1 0 0")), CR_FRICTION_PYRAMID, 0, 0);
}

// the weight of the ball, whatever the rows
TEST(rows_give_back_forces) {
  for (int friction = 0; friction < 2; friction++) {
    step(OVER_FLOOR("<freejoint/>"), (cr_friction)friction);
    cr_quasidynamic_contact contact = {.size = sizeof contact};
    assert_int_equal(cr_quasidynamic_get_contact(work, 0, &contact, NULL), CR_OK);
    assert_close(contact.force[0], m.body_mass[1] * CR_R(9.81), CR_R(1e-9));
    assert_close(contact.force[1], 0, CR_R(1e-9));
    done();
  }
}

TEST(a_block_has_a_name) {
  char text[128];
  step(OVER_FLOOR("<freejoint/>"), CR_FRICTION_CONE);
  cri_cones_label(&m, work->d, &work->cone, work->row, 0, text, sizeof text);
  assert_string_equal(text, "the limit of joint 's'");
  cri_cones_label(&m, work->d, &work->cone, work->row, 2, text, sizeof text);
  assert_string_equal(text, "the contact of geom 'floor' and geom 'ball'");
  done();
}
