// SPDX-License-Identifier: Apache-2.0
// Pairs of geoms with pressure fields: which come up, in which order, what they mix, and a face between moving bodies.
#include "pressure/pressure_pair.h"

#include "pressure/pressure_scene.h"
#include "support/close.h"

enum { MOST_PAIRS = 8 };

typedef struct {
  int n, geom[MOST_PAIRS][2];
} listing;

static cr_status list(void* context, const cri_pressure_pair* pair) {
  listing* x = context;
  assert_true(x->n < MOST_PAIRS);
  x->geom[x->n][0] = pair->geom[0];
  x->geom[x->n++][1] = pair->geom[1];
  return CR_OK;
}

static cr_pressure_options soft(cr_real modulus, cr_real dissipation) {
  return (cr_pressure_options){.size = sizeof(cr_pressure_options),
                               .kind = "compliant",
                               .modulus = modulus,
                               .dissipation = dissipation,
                               .transition = CR_R(0.1),
                               .around = 4};
}

// a rigid ground, a compliant ball, a rigid box, and a compliant box
static void scene(cr_model* m, cr_data** d) {
  const cr_pressure_options rigid = {
      .size = sizeof rigid, .kind = "rigid", .transition = CR_R(0.3)};
  const cr_real half = CR_R(0.1);
  const pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_SPHERE, .size = {half}, .field = soft(1000, 2)},
      {.type = CR_GEOM_BOX, .size = {half, half, half}, .field = rigid},
      {.type = CR_GEOM_BOX, .size = {half, half, half}, .field = soft(3000, 1)}};
  pressure_scene(m, &rigid, 3, solid);
  *d = test_data(m);
}

static void place(const cr_model* m, cr_data* d, cr_real apart) {
  const cr_real up[3] = {0, 0, 1};
  for (int b = 1; b <= 3; b++) {
    const cr_real pos[3] = {(cr_real)b * apart, 0, CR_R(0.5)};
    pressure_pose(m, d, b, pos, up, 0);
  }
  pressure_run(m, d);
}

TEST(pairs_in_reach_come_up_compliant_first) {
  cr_model m;
  cr_data* d;
  scene(&m, &d);
  listing near = {0}, far = {0};
  place(&m, d, CR_R(0.15));
  assert_int_equal(cri_pressure_pairs(&m, d, list, &near), CR_OK);
  const int want[][2] = {{1, 0}, {3, 0}, {1, 2}, {1, 3}, {3, 2}};  // planes are never too far
  assert_int_equal(near.n, 5);
  assert_memory_equal(near.geom, want, sizeof want);
  place(&m, d, 1);
  assert_int_equal(cri_pressure_pairs(&m, d, list, &far), CR_OK);
  assert_int_equal(far.n, 2);
  cri_model_free(&m);
}

TEST(numbers_are_mixed) {
  cr_model m;
  cr_data* d;
  cri_meeting x;
  scene(&m, &d);
  place(&m, d, CR_R(0.15));
  cri_meeting_place(&m, d, (const int[]){1, 2}, &x);  // a rigid body: the ball's dissipation
  cri_pressure_numbers p = cri_pressure_mix(&x);
  assert_close(p.dissipation, 2, 0);
  assert_close(p.transition, CR_R(0.2), CR_EPS);
  assert_close(p.friction, CR_R(0.4), CR_EPS);  // the larger one
  m.geom_priority[2] = 1;
  assert_close(cri_pressure_mix(&x).friction, CR_R(0.3), CR_EPS);
  cri_meeting_place(&m, d, (const int[]){1, 3}, &x);  // each dissipation by the other's modulus
  p = cri_pressure_mix(&x);
  assert_close(p.dissipation, CR_R(0.75) * 2 + CR_R(0.25) * 1, 10 * CR_EPS);
  assert_close(p.transition, CR_R(0.1), CR_EPS);
  cri_model_free(&m);
}

TEST(a_face_moves_with_both_bodies) {
  cr_model m;
  cr_data* d;
  cri_meeting x;
  scene(&m, &d);
  place(&m, d, CR_R(0.15));
  cr_copy3(d->qvel, (const cr_real[3]){1, 2, 3});              // the ball
  cr_copy3(d->qvel + 9, (const cr_real[3]){0, 0, CR_R(0.5)});  // the box turns
  pressure_run(&m, d);
  cri_meeting_place(&m, d, (const int[]){1, 2}, &x);
  const cri_pressure_numbers p = cri_pressure_mix(&x);
  const cri_face f = {
      .area = 2, .pressure = 5, .pos = {CR_R(0.08), CR_R(0.01), CR_R(0.02)}, .normal = {1, 0, 0}};
  cri_world_face w;
  cri_world_face_set(d, &x, &p, &f, &w);
  const cr_real pos[3] = {CR_R(0.23), CR_R(0.01), CR_R(0.52)};  // the ball is at (0.15, 0, 0.5)
  assert_all_close(w.pos, pos, 3, 10 * CR_EPS);
  assert_close(w.traction.load, 10, 0);
  // the box is at (0.3, 0, 0.5): omega x arm, minus the ball's velocity
  const cr_real v[3] = {CR_R(-0.5) * CR_R(0.01) - 1, CR_R(0.5) * CR_R(-0.07) - 2, -3};
  assert_all_close(w.traction.velocity, v, 3, 100 * CR_EPS);
  cri_model_free(&m);
}
