// SPDX-License-Identifier: Apache-2.0
// The list of elements that may meet: with it forces, tangents and patterns have the bits of a search at every pose, whether it was kept or made; when it is
// made again; where it has no room.
#include "pressure/near_list.h"

#include <math.h>

#include "base/random.h"
#include "carom/state.h"
#include "pressure/pressure_pair.h"
#include "pressure/pressure_scene.h"
#include "support/close.h"

enum { STEPS = 2000, SOLIDS = 3 };

static const cr_pressure_options soft = {.size = sizeof soft,
                                         .kind = "compliant",
                                         .modulus = 1000,
                                         .dissipation = 1,
                                         .transition = CR_R(0.1),
                                         .around = 8},
                                 rigid = {.size = sizeof rigid,
                                          .kind = "rigid",
                                          .transition = CR_R(0.1)};

static void scene(cr_model* m) {
  const pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_SPHERE, .size = {CR_R(0.1)}, .field = soft},
      {.type = CR_GEOM_BOX, .size = {CR_R(0.1), CR_R(0.08), CR_R(0.06)}, .field = rigid},
      {.type = CR_GEOM_CYLINDER, .size = {CR_R(0.07), CR_R(0.1)}, .field = soft}};
  pressure_scene(m, &rigid, SOLIDS, solid);
}

// bodies near each other and the ground
static void start(const cr_model* m, cr_data* d) {
  const cr_real up[3] = {0, 0, 1};
  for (int b = 1; b <= SOLIDS; b++) {
    const cr_real pos[3] = {CR_R(0.12) * (cr_real)b, CR_R(0.02) * (cr_real)b, CR_R(0.07)};
    pressure_pose(m, d, b, pos, up, CR_R(0.3) * (cr_real)b);
  }
}

// the stage without a list: one that has no room, made at this pose
static void run_by_search(const cr_model* m, cr_data* d) {
  pressure_run(m, d);
  d->pressure_near_count[0] = -1;
  assert_false(cri_near_list_holds(m, d));
  pressure_run(m, d);
}

TEST(forces_have_the_bits_of_a_search) {
  cr_model m;
  cr_random r = cr_random_seed(5, 0);
  int kept = 0, touched = 0;
  scene(&m);
  cr_data *d = test_data(&m), *plain = test_data(&m);
  start(&m, d);
  pressure_run(&m, d);
  for (int k = 0; k < STEPS; k++) {
    // 0.1 um to 1 mm: within and beyond what a list allows
    const cr_real way = cr_pow(10, -3 - 4 * cr_random_uniform(&r));
    cr_real move[6 * SOLIDS];
    for (int i = 0; i < m.nv; i++) {
      move[i] = way * cr_random_normal(&r);
      d->qvel[i] = CR_R(0.1) * cr_random_normal(&r);
    }
    assert_int_equal(cr_integrate_pos(&m, d->qpos, move, 1, NULL), CR_OK);
    cr_copy(plain->qpos, d->qpos, m.nq);
    cr_copy(plain->qvel, d->qvel, m.nv);
    const cr_real was = d->pressure_near_pose[15];
    pressure_run(&m, d);
    run_by_search(&m, plain);
    assert_true(cri_near_list_holds(&m, d));
    assert_memory_equal(d->qfrc_pressure, plain->qfrc_pressure, (size_t)m.nv * sizeof(cr_real));
    assert_int_equal(d->pressure_pattern[0], plain->pressure_pattern[0]);
    kept += d->pressure_near_pose[15] == was;
    touched += !cr_is_zero(d->qfrc_pressure, m.nv);
  }
  print_message("    %d of %d lists kept\n", kept, STEPS);
  assert_true(kept > STEPS / 4 && kept < STEPS && touched > STEPS / 2);
  cri_model_free(&m);
}

TEST(a_list_ends_with_sizes_and_with_motion) {
  cr_model m;
  scene(&m);
  cr_data* d = test_data(&m);
  start(&m, d);
  assert_false(cri_near_list_holds(&m, d));
  pressure_run(&m, d);
  assert_true(cri_near_list_holds(&m, d));
  const cr_real size = m.geom_size[3];
  m.geom_size[3] = size * (1 + CR_EPS);
  assert_false(cri_near_list_holds(&m, d));
  m.geom_size[3] = size;
  assert_true(cri_near_list_holds(&m, d));
  d->geom_xpos[3] += CR_R(1e-6);  // the ball
  assert_true(cri_near_list_holds(&m, d));
  d->geom_xpos[3] += CR_R(0.1);
  assert_false(cri_near_list_holds(&m, d));
  d->geom_xpos[3] = (cr_real)NAN;
  assert_false(cri_near_list_holds(&m, d));
  pressure_run(&m, d);
  assert_true(cri_near_list_holds(&m, d));
  d->geom_xmat[2] += CR_R(1e-9);  // the ground: no way is small for a plane
  assert_false(cri_near_list_holds(&m, d));
  cri_model_free(&m);
}

// contact bits may change while nothing moves
TEST(bits_of_geoms_count_at_once) {
  cr_model m;
  scene(&m);
  cr_data *d = test_data(&m), *plain = test_data(&m);
  start(&m, d);
  start(&m, plain);
  pressure_run(&m, d);
  for (int k = 0; k < 2; k++) {  // off, and on again with a list made while they were off
    m.geom_contype[1] = m.geom_conaffinity[1] = k;
    if (k == 0) {
      pressure_run(&m, plain);
      cr_real apart = 0;
      for (int i = 0; i < 6; i++) {  // the ball presses nothing
        apart = cr_max(apart, cr_abs(plain->qfrc_pressure[i]));
      }
      assert_close(apart, 0, 0);
    }
    pressure_run(&m, d);
    pressure_run(&m, plain);
    assert_memory_equal(d->qfrc_pressure, plain->qfrc_pressure, (size_t)m.nv * sizeof(cr_real));
  }
  assert_false(cr_is_zero(plain->qfrc_pressure, 6));
  cri_model_free(&m);
}

TEST(elements_beyond_its_room_are_searched) {
  cr_model m;
  const cr_real up[3] = {0, 0, 1}, half = CR_R(0.1);
  pressure_solid solid[PRESSURE_SOLIDS];
  for (int i = 0; i < SOLIDS; i++) {  // almost coincident: all elements meet
    solid[i] = (pressure_solid){.type = CR_GEOM_SPHERE, .size = {half}, .field = soft};
  }
  pressure_scene(&m, NULL, SOLIDS, solid);
  cr_data *d = test_data(&m), *apart = test_data(&m);
  for (int b = 1; b <= SOLIDS; b++) {
    const cr_real pos[3] = {CR_R(0.01) * (cr_real)b, 0, 0}, far[3] = {(cr_real)b, 0, 0};
    pressure_pose(&m, d, b, pos, up, CR_R(0.1) * (cr_real)b);
    pressure_pose(&m, apart, b, far, up, 0);
  }
  pressure_run(&m, d);
  assert_int_equal(d->pressure_near_count[0], -1);
  assert_false(cri_near_list_holds(&m, d));
  assert_false(cr_is_zero(d->qfrc_pressure, m.nv));
  pressure_run(&m, apart);
  assert_int_equal(apart->pressure_near_count[0], 0);
  assert_true(cri_near_list_holds(&m, apart));
  cri_model_free(&m);
}
