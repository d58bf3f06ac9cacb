// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The angles up to which faces, and lines and faces, count as parallel are MuJoCo's to the last digits: the tilt at which a pair
// loses contacts is found by bisection in both.
#include <stdio.h>

#include "carom/carom.h"
#include "math/vec3.h"
#include "model/data.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"

#define BLOCK                                                                                      \
  "vertex='.1 .12 .05 -.1 .12 .05 .1 -.12 .05 -.1 -.12 .05 .1 .12 -.05 -.1 .12 -.05 .1 -.12 -.05 " \
  "-.1 -.12 -.05'"

static const char frame[] = "<mujoco><asset><mesh name='block' " BLOCK
                            "/></asset><worldbody><geom %s/><body pos='0 0 1'>"
                            "<freejoint/><geom %s/></body></worldbody></mujoco>";

typedef struct {
  const char *below, *above;
  cr_real height, axis[3];
} scene;

// of a scene, in both
typedef struct {
  const scene* s;
  mjModel* mj;
  mjData* theirs;
  cr_model m;
  cr_data* ours;
} both;

static int count(const both* b, bool mujoco, cr_real angle) {
  cr_real place[7] = {CR_R(0.013), CR_R(0.017), b->s->height}, axis[3];
  cr_copy3(axis, b->s->axis);
  cr_normalize3(axis);
  place[3] = cr_cos(angle / 2);
  for (int i = 0; i < 3; i++) {
    place[4 + i] = cr_sin(angle / 2) * axis[i];
  }
  cr_copy(mujoco ? b->theirs->qpos : b->ours->qpos, place, 7);
  if (mujoco) {
    mj_fwdPosition(b->mj, b->theirs);
    return b->theirs->ncon;
  }
  assert_int_equal(cr_forward(&b->m, b->ours), CR_OK);
  return b->ours->ncon;
}

// the largest angle with the contacts that there are at `low`
static cr_real last(const both* b, bool mujoco, cr_real low, cr_real high) {
  int many = count(b, mujoco, low);
  assert_true(many > count(b, mujoco, high));
  while (high - low > CR_R(1e-13)) {
    cr_real middle = (low + high) / 2;
    *(count(b, mujoco, middle) == many ? &low : &high) = middle;
  }
  return low;
}

static void same_angle(const scene* s) {
  char text[2048];
  (void)snprintf(text, sizeof text, frame, s->below, s->above);
  both b = {.s = s, .mj = mjcf_compile(text)};
  b.m = mjcf_model(b.mj);
  b.theirs = mj_makeData(b.mj);
  cr_error error;
  assert_int_equal(cr_data_create(&b.ours, &b.m, &error), CR_OK);
  const cr_real low = CR_R(5.05) * CR_PI / 180, high = CR_R(5.4) * CR_PI / 180;
  cr_real theirs = last(&b, true, low, high), ours = last(&b, false, low, high);
  print_message("%s, %s: %.9g degrees, %.9g in MuJoCo\n", s->below, s->above,
                (double)(ours * 180 / CR_PI), (double)(theirs * 180 / CR_PI));
  assert_close(ours, theirs, CR_R(1e-11));
  cr_data_destroy(b.ours);
  cri_model_free(&b.m);
  mj_deleteData(b.theirs);
  mj_deleteModel(b.mj);
}

TEST(faces_are_parallel_up_to_the_same_angle) {
  static const scene scenes[] = {
      {"type='box' size='.1 .12 .05'", "type='mesh' mesh='block'", CR_R(0.098), {1, 1, CR_R(0.2)}},
      {"type='mesh' mesh='block'", "type='mesh' mesh='block'", CR_R(0.098), {1, 1, CR_R(0.2)}},
      {"type='cylinder' size='.1 .05'",
       "type='box' size='.1 .12 .05'",
       CR_R(0.098),
       {1, CR_R(0.3), CR_R(0.1)}},
      {"type='cylinder' size='.1 .05'", "type='mesh' mesh='block'", CR_R(0.098), {CR_R(0.2), 1, 0}},
      {"type='cylinder' size='.1 .05'",
       "type='cylinder' size='.1 .05'",
       CR_R(0.098),
       {1, 1, CR_R(0.2)}}};
  for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
    same_angle(&scenes[i]);
  }
}

TEST(lines_lie_on_faces_up_to_the_same_angle) {
  static const char capsule[] = "type='capsule' size='.03 .02' euler='0 90 0'",
                    can[] = "type='cylinder' size='.03 .02' euler='0 90 0'",
                    edge[] = "type='box' size='.02 .03 .03' euler='45 0 0'";
  static const scene scenes[] = {{"type='cylinder' size='.2 .05'", capsule, CR_R(0.074), {0, 1, 0}},
                                 {"type='mesh' mesh='block'", capsule, CR_R(0.074), {0, 1, 0}},
                                 {"type='mesh' mesh='block'", edge, CR_R(0.086), {0, 1, 0}},
                                 {"type='mesh' mesh='block'", can, CR_R(0.074), {0, 1, 0}}};
  for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
    same_angle(&scenes[i]);
  }
}
