// SPDX-License-Identifier: Apache-2.0
// Forces of pressure fields: closed forms on a rigid ground and their order, two bodies by symmetry, energy, continuity,
// friction and dissipation, derivatives through the stage, bad sizes, shakes.
#include "pressure/pressure.h"

#include "base/random.h"
#include "checks/stage_check.h"
#include "engine/pipeline.h"
#include "pressure/pressure_scene.h"
#include "support/close.h"

static const cr_real UP[3] = {0, 0, 1};
#define MODULUS CR_R(1e5)

static cr_pressure_options compliant(int around) {
  return (cr_pressure_options){.size = sizeof(cr_pressure_options),
                               .kind = "compliant",
                               .modulus = MODULUS,
                               .dissipation = CR_R(0.4),
                               .transition = CR_R(0.02),
                               .thickness = CR_R(0.1),
                               .around = around};
}

static cr_pressure_options rigid(void) {
  return (cr_pressure_options){.size = sizeof(cr_pressure_options), .kind = "rigid", .around = 16};
}

// ---- closed forms

// the normal force of a body on a rigid ground, not turned, its centre at a height; lets go of all data of the test
static cr_real pressed(int type, const cr_real size[3], int around, cr_real height) {
  cr_model m;
  const cr_pressure_options ground = rigid();
  pressure_solid solid[PRESSURE_SOLIDS] = {{.type = type, .field = compliant(around)}};
  cr_copy3(solid[0].size, size);
  pressure_scene(&m, &ground, 1, solid);
  cr_data* d = test_data(&m);
  const cr_real pos[3] = {CR_R(0.3), CR_R(-0.2), height};
  pressure_pose(&m, d, 1, pos, UP, CR_R(0.3));
  pressure_run(&m, d);
  cr_real force = d->qfrc_pressure[2];
  test_release();
  cri_model_free(&m);
  return force;
}

// integral of E (1 - |x / axes|) over the slice: over the unit disk scaled
static cr_real ellipsoid_force(cr_real a, cr_real b, cr_real c, cr_real height) {
  cr_real z = height / c;
  return 2 * CR_PI * MODULUS * a * b * ((1 - z * z) / 2 - (1 - z * z * z) / 3);
}

// the error falls by four when edges become half as long
static void check_order(int type, const cr_real size[3], cr_real height, cr_real exact) {
  cr_real error[2];
  for (int k = 0; k < 2; k++) {
    error[k] = pressed(type, size, k == 0 ? 64 : 128, height) / exact - 1;
  }
  assert_true(cr_abs(error[1]) < CR_R(0.02));
  assert_close(error[0] / error[1], 4, CR_R(0.8));
}

TEST(a_sphere_converges_to_the_closed_form) {
  const cr_real size[3] = {CR_R(0.1), 0, 0}, z = CR_R(0.08);
  check_order(CR_GEOM_SPHERE, size, z, ellipsoid_force(CR_R(0.1), CR_R(0.1), CR_R(0.1), z));
}

TEST(an_ellipsoid_converges_to_the_closed_form) {
  const cr_real size[3] = {CR_R(0.1), CR_R(0.15), CR_R(0.2)}, z = CR_R(0.16);
  check_order(CR_GEOM_ELLIPSOID, size, z, ellipsoid_force(CR_R(0.1), CR_R(0.15), CR_R(0.2), z));
}

// pressure E min(depth, R - rho) / R, integrated level by level
TEST(a_cylinder_converges_to_the_closed_form) {
  const cr_real size[3] = {CR_R(0.1), CR_R(0.2), 0}, R = size[0], depth = CR_R(0.01);
  check_order(CR_GEOM_CYLINDER, size, size[1] - depth,
              MODULUS / R * CR_PI * (R * R * R - cr_pow(R - depth, 3)) / 3);
}

TEST(a_box_has_the_closed_form) {
  const cr_real size[3] = {CR_R(0.1), CR_R(0.2), CR_R(0.15)};
  for (int i = 1; i < 10; i++) {
    cr_real a = size[0], b = size[1], s = CR_R(0.009) * (cr_real)i;
    cr_real exact = MODULUS / a * 4 * (a * b * s - (a + b) * s * s / 2 + s * s * s / 3);
    assert_close(pressed(CR_GEOM_BOX, size, 4, size[2] - s), exact, CR_R(1e-12) * exact);
  }
}

// ---- two bodies

// Two equal compliant spheres press as each of them presses a rigid plane in the middle between them, also in the mesh.
TEST(equal_bodies_meet_in_the_middle) {
  cr_model m;
  const cr_real size[3] = {CR_R(0.1), 0, 0};
  const cr_real one = pressed(CR_GEOM_SPHERE, size, 24, CR_R(0.08));
  const pressure_solid ball = {.type = CR_GEOM_SPHERE, .size = {CR_R(0.1)}, .field = compliant(24)};
  const pressure_solid solid[PRESSURE_SOLIDS] = {ball, ball};
  pressure_scene(&m, NULL, 2, solid);
  cr_data* d = test_data(&m);
  const cr_real low[3] = {0, 0, 1}, high[3] = {0, 0, CR_R(1.16)};
  pressure_pose(&m, d, 1, low, UP, 0);
  pressure_pose(&m, d, 2, high, UP, 0);
  pressure_run(&m, d);
  assert_close(d->qfrc_pressure[8], one, CR_R(1e-10) * one);
  assert_close(d->qfrc_pressure[2], -one, CR_R(1e-10) * one);
  cri_model_free(&m);
}

// Rigid bodies in a compliant half-space: its slope times the volume below its surface, of the triangles.
TEST(a_rigid_body_presses_a_compliant_plane) {
  const cr_real size[3] = {CR_R(0.1), CR_R(0.2), CR_R(0.15)}, s = CR_R(0.02);
  const cr_pressure_options ground = compliant(0);
  pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_BOX, .size = {size[0], size[1], size[2]}, .field = rigid()},
      {.type = CR_GEOM_SPHERE, .size = {size[0]}, .field = rigid()}};
  solid[1].field.around = 128;
  cr_model m;
  pressure_scene(&m, &ground, 2, solid);
  cr_data* d = test_data(&m);
  const cr_real box[3] = {0, 0, size[2] - s}, ball[3] = {1, 0, size[0] - s};
  const cr_real slope = MODULUS / CR_R(0.1), cap = CR_PI * s * s * (size[0] - s / 3);
  pressure_pose(&m, d, 1, box, UP, CR_R(0.3));
  pressure_pose(&m, d, 2, ball, UP, 0);
  pressure_run(&m, d);
  const cr_real exact = slope * 4 * size[0] * size[1] * s;
  assert_close(d->qfrc_pressure[2], exact, CR_R(1e-12) * exact);
  assert_close(d->qfrc_pressure[0], 0, CR_R(1e-10) * exact);
  assert_close(d->qfrc_pressure[6 + 2], slope * cap, CR_R(0.01) * slope * cap);
  cri_model_free(&m);
}

// a rigid box pressed on a compliant one from above: as the rigid ground below it
TEST(a_rigid_body_presses_as_the_ground) {
  cr_model m;
  const cr_real size[3] = {CR_R(0.1), 0, 0};
  const cr_real one = pressed(CR_GEOM_SPHERE, size, 24, CR_R(0.08));
  const pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_SPHERE, .size = {CR_R(0.1), 0, 0}, .field = compliant(24)},
      {.type = CR_GEOM_BOX, .size = {CR_R(0.3), CR_R(0.3), CR_R(0.1)}, .field = rigid()}};
  pressure_scene(&m, NULL, 2, solid);
  cr_data* d = test_data(&m);
  const cr_real low[3] = {0, 0, 1}, high[3] = {CR_R(0.03), CR_R(0.02), CR_R(1.18)};
  pressure_pose(&m, d, 1, low, UP, CR_R(0.3));
  pressure_pose(&m, d, 2, high, UP, 1);
  pressure_run(&m, d);
  assert_close(d->qfrc_pressure[8], one, CR_R(1e-10) * one);
  assert_close(d->qfrc_pressure[2], -one, CR_R(1e-10) * one);
  cri_model_free(&m);
}

// ---- a tumbling pair: work around a loop, and the size of jumps

typedef struct {
  cr_model m;
  cr_data* d;
} pair_scene;

static void open_pair(pair_scene* s, int kind) {
  cr_pressure_options soft = compliant(12), hard = rigid(),
                      ground = kind == 2 ? compliant(0) : rigid();
  const pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_BOX, .size = {CR_R(0.1), CR_R(0.12), CR_R(0.15)}, .field = soft},
      {.type = kind == 0 ? CR_GEOM_ELLIPSOID : CR_GEOM_CYLINDER,
       .size = {CR_R(0.1), CR_R(0.14), CR_R(0.12)},
       .field = kind == 1 ? hard : soft}};
  pressure_scene(&s->m, &ground, 2, solid);
  s->d = test_data(&s->m);
}

// Forces at a point of a closed path of body 2 over body 1, which stays, and the ground. Body 2 also turns by `swing`.
static void at_turn_swinging(const pair_scene* s, cr_real turn, cr_real swing) {
  const cr_real axis[3] = {CR_R(0.6), 0, CR_R(0.8)};
  const cr_real low[3] = {0, 0, CR_R(0.17)};
  const cr_real high[3] = {CR_R(0.05) + CR_R(0.03) * cr_cos(turn), CR_R(0.04) * cr_sin(turn),
                           CR_R(0.36) + CR_R(0.02) * cr_sin(2 * turn)};
  pressure_pose(&s->m, s->d, 1, low, axis, CR_R(0.5));
  pressure_pose(&s->m, s->d, 2, high, axis, CR_R(0.3) + swing * cr_sin(turn));
  pressure_run(&s->m, s->d);
}

static void at_turn(const pair_scene* s, cr_real turn) { at_turn_swinging(s, turn, CR_R(0.4)); }

// with the velocity of the centre, along the path without a swing
static cr_real power(const pair_scene* s, cr_real turn) {
  const cr_real* f = s->d->qfrc_pressure + 6;
  return -CR_R(0.03) * cr_sin(turn) * f[0] + CR_R(0.04) * cr_cos(turn) * f[1] +
         CR_R(0.04) * cr_cos(2 * turn) * f[2];
}

// forces have a potential (docs/derivations/pressure.md)
TEST(work_around_a_loop_is_zero) {
  enum { N = 3200 };
  for (int kind = 0; kind < 3; kind++) {
    pair_scene s;
    open_pair(&s, kind);
    cr_real sum = 0, size = 0;
    for (int i = 0; i < N; i++) {  // the trapezoidal rule of a periodic function
      cr_real turn = 2 * CR_PI * (cr_real)i / N;
      at_turn_swinging(&s, turn, 0);
      sum += power(&s, turn);
      size += cr_abs(power(&s, turn));
    }
    assert_true(size > 0);
    assert_close(sum / size, 0, CR_R(1e-6));
    test_release();
    cri_model_free(&s.m);
  }
}

// Forces and torques on both bodies at a point of the path.
enum { WRENCHES = 12, PATH = 60 };

typedef struct {
  cr_real turn, f[WRENCHES];
} sample;

static void take(const pair_scene* s, cr_real turn, sample* x) {
  at_turn(s, turn);
  x->turn = turn;
  cr_copy(x->f, s->d->qfrc_pressure, WRENCHES);
}

// the largest difference of two samples, of forces (part 0) or torques (part 1)
static cr_real difference(const sample* a, const sample* b, int part) {
  cr_real most = 0;
  for (int k = 0; k < WRENCHES; k++) {
    most = k / 3 % 2 == part ? cr_max(most, cr_abs(a->f[k] - b->f[k])) : most;
  }
  return most;
}

// What is left of a difference when its interval is halved again and again, with the half that has more of it; 0 if
// it falls below `least`.
static cr_real left_over(const pair_scene* s, sample a, sample b, int part, cr_real least) {
  cr_real left = difference(&a, &b, part);
  while (left > least && b.turn - a.turn > CR_R(1e-11)) {
    sample middle;
    take(s, (a.turn + b.turn) / 2, &middle);
    cr_real first = difference(&a, &middle, part), second = difference(&middle, &b, part);
    *(first > second ? &b : &a) = middle;
    left = cr_max(first, second);
  }
  return left > least ? left : 0;
}

// A step of 1e-6 of the path changes forces by their slope alone: no difference above 1e-8 of the largest stays.
TEST(forces_and_torques_are_continuous) {
  const sample none = {.turn = 0};
  for (int kind = 0; kind < 3; kind++) {
    pair_scene s;
    open_pair(&s, kind);
    sample path[PATH + 1];
    cr_real most[2] = {0};
    for (int i = 0; i <= PATH; i++) {
      take(&s, 2 * CR_PI * (cr_real)i / PATH, &path[i]);
      for (int part = 0; part < 2; part++) {
        most[part] = cr_max(most[part], difference(&path[i], &none, part));
      }
    }
    assert_true(most[0] > 1);
    for (int i = 0; i < 2 * PATH; i++) {
      const sample* at = &path[i / 2];
      cr_real jump = left_over(&s, at[0], at[1], i % 2, CR_R(1e-8) * most[i % 2]);
      assert_close(jump, 0, 0);
    }
    test_release();
    cri_model_free(&s.m);
  }
}

// ---- motion

TEST(friction_and_dissipation_follow_the_velocity) {
  cr_model m;
  const cr_pressure_options ground = rigid();
  const pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_BOX, .size = {CR_R(0.1), CR_R(0.1), CR_R(0.1)}, .field = compliant(4)}};
  pressure_scene(&m, &ground, 1, solid);
  cr_data* d = test_data(&m);
  const cr_real pos[3] = {0, 0, CR_R(0.09)};
  pressure_pose(&m, d, 1, pos, UP, 0);
  pressure_run(&m, d);
  cr_real rest = d->qfrc_pressure[2];
  assert_true(rest > 1);
  d->qvel[2] = CR_R(-0.5);  // sinks: 1 + 0.4 / 2
  pressure_run(&m, d);
  assert_close(d->qfrc_pressure[2], CR_R(1.2) * rest, CR_R(1e-12) * rest);
  d->qvel[2] = 3;  // lifts off faster than 1 / d
  pressure_run(&m, d);
  assert_close(d->qfrc_pressure[2], 0, 0);
  d->qvel[2] = 0;
  d->qvel[0] = CR_R(0.015);  // slides at the transition velocity, the mean of 0.02 and 0.01
  pressure_run(&m, d);
  assert_close(d->qfrc_pressure[0], -CR_R(0.5) * rest / cr_sqrt(2), CR_R(1e-12) * rest);
  cri_model_free(&m);
}

// ---- the stage

TEST(the_generic_checks_hold) {
  stage_report report = {0};
  for (int kind = 0; kind < 3; kind++) {
    pair_scene s;
    open_pair(&s, kind);
    int first = 0;
    while (strcmp(cr_pipeline[first].name, "pressure") != 0) {
      first++;
    }
    for (int i = 0; i < 4; i++) {
      at_turn(&s, CR_R(1.3) * (cr_real)i + CR_R(0.2));
      for (int k = 0; k < s.m.nv; k++) {
        s.d->qvel[k] = CR_R(0.1) * cr_sin((cr_real)(k + i));
      }
      stage_report reports[64] = {0};
      stage_check(reports, &s.m, s.d, cr_pipeline, cr_npipeline, first, first, (uint64_t)(i + 1),
                  "pressure");
      report.failures += reports[first].failures;
      memcpy(report.text, reports[first].text,
             reports[first].failures > 0 ? sizeof report.text : 0);
      report.samples += reports[first].samples;
      report.skipped += reports[first].skipped;
      for (int f = 0; f < CR_N_FIELD; f++) {
        report.reached[f] = report.reached[f] || reports[first].reached[f];
      }
    }
    test_release();
    cri_model_free(&s.m);
  }
  stage_report_assert(&report, "pressure");
  assert_true(report.samples > report.skipped);
  const cr_field_id inputs[] = {
      CR_FIELD_geom_xpos,   CR_FIELD_geom_xmat,     CR_FIELD_cvel,
      CR_FIELD_geom_size,   CR_FIELD_geom_pressure, CR_FIELD_cdof,
      CR_FIELD_subtree_com, CR_FIELD_geom_friction, CR_FIELD_qfrc_pressure};
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
    assert_true(report.reached[inputs[i]]);
  }
}

TEST(sizes_that_turn_tetrahedra_inside_out_are_refused) {
  pair_scene s;
  open_pair(&s, 0);
  const cr_real pos[3] = {0, 0, CR_R(0.03)};
  at_turn(&s, 0);
  pressure_pose(&s.m, s.d, 1, pos, UP, 0);
  pressure_run(&s.m, s.d);
  s.m.geom_size[3 + 2] = CR_R(0.05);  // the least size was the first
  assert_int_equal(cr_pressure(&s.m, s.d), CR_ERR_MODEL);
  assert_non_null(strstr(s.d->error.text, "its size makes tetrahedra of its pressure field flat"));
  cri_model_free(&s.m);
}

// aligned, touching, coincident and random poses
TEST(shaken_pairs_are_finite) {
  pair_scene s;
  open_pair(&s, 0);
  cr_random r = cr_random_seed(5, 0);
  for (int i = 0; i < 3000; i++) {
    cr_real pos[2][3], axis[3];
    for (int b = 0; b < 2; b++) {
      for (int k = 0; k < 3; k++) {
        pos[b][k] = i % 2 == 0 ? CR_R(0.05) * (cr_real)cr_random_int(&r, 5)
                               : cr_random_range(&r, 0, CR_R(0.3));
        axis[k] = cr_random_normal(&r);
      }
      cr_normalize3(axis);
      pressure_pose(&s.m, s.d, b + 1, pos[b], axis, i % 2 == 0 ? 0 : cr_random_normal(&r));
    }
    pressure_run(&s.m, s.d);
    for (int k = 0; k < 12; k++) {
      assert_true(cr_abs(s.d->qfrc_pressure[k]) < CR_R(1e6));
    }
  }
  cri_model_free(&s.m);
}
