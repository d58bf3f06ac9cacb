// SPDX-License-Identifier: Apache-2.0
// Pairs of all shapes in poses and with numbers that are degenerate: every force and derivative is finite, or one sentence
// says why there is none. Sides of two bodies in one plane: the jump of the model there.
#include "pressure/pressure.h"

#include "base/random.h"
#include "carom/step.h"
#include "engine/constants.h"
#include "pressure/pressure_scene.h"
#include "support/close.h"

static cr_pressure_options field_of(const char* kind) {
  return (cr_pressure_options){.size = sizeof(cr_pressure_options),
                               .kind = kind,
                               .modulus = CR_R(1e5),
                               .dissipation = CR_R(0.3),
                               .thickness = CR_R(0.1),
                               .around = 4};
}

// ---- pairs

static cr_real pick(cr_random* r, const cr_real* from, int n) { return from[cr_random_int(r, n)]; }

static pressure_solid draw_solid(cr_random* r) {
  static const int types[] = {CR_GEOM_SPHERE, CR_GEOM_CAPSULE, CR_GEOM_ELLIPSOID, CR_GEOM_CYLINDER,
                              CR_GEOM_BOX};
  static const cr_real sizes[] = {CR_R(1e-3), CR_R(0.05), CR_R(0.1), CR_R(0.1), CR_R(0.1), 2};
  pressure_solid s = {.type = types[cr_random_int(r, 5)],
                      .field = field_of(cr_random_int(r, 4) == 0 ? "rigid" : "compliant")};
  for (int k = 0; k < 3; k++) {
    s.size[k] = pick(r, sizes, 6);
  }
  return s;
}

// on a grid with a spacing of half a size, turned by quarters of a turn, some a little beside both
static void draw_pose(cr_random* r, const cr_model* m, cr_data* d, int body) {
  static const cr_real off[] = {0, 0, 0, CR_R(1e-14), CR_R(-1e-10), CR_R(1e-6)};
  cr_real pos[3], axis[3] = {0};
  for (int k = 0; k < 3; k++) {
    pos[k] = CR_R(0.05) * (cr_real)cr_random_int(r, 5) + pick(r, off, 6);
  }
  axis[cr_random_int(r, 3)] = 1;
  pressure_pose(m, d, body, pos, axis, CR_PI / 2 * (cr_real)cr_random_int(r, 4) + pick(r, off, 6));
}

// numbers that no model has, but that a stage of a user may make
static bool spoil(cr_random* r, cr_model* m) {
  const int geom = 1 + (int)cr_random_int(r, 2);
  cr_real* p = m->geom_pressure + CR_PRESSURE_WIDTH * geom;
  switch (cr_random_int(r, 8)) {
    case 0:
      p[CR_PRESSURE_MODULUS] = 0;
      return true;
    case 1:
      p[CR_PRESSURE_TRANSITION] = 0;
      return true;
    case 2:
      m->geom_size[3 * geom] *= CR_R(0.3);
      return true;
    case 3:
      m->geom_size[3 * geom + 1] = CR_R(1e-13);
      return true;
    case 4:
      m->geom_pressure[CR_PRESSURE_THICKNESS] = 0;
      return true;
    default:
      return false;
  }
}

static bool all_finite(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (!(cr_abs(x[i]) <= CR_MAX)) {
      return false;
    }
  }
  return true;
}

typedef struct {
  int pressed, refused;
} tally;

static void shake(cr_random* r, tally* t) {
  cr_model m;
  cr_error error = {0};
  const cr_pressure_options ground = field_of(cr_random_int(r, 2) == 0 ? "rigid" : "compliant");
  const pressure_solid solid[PRESSURE_SOLIDS] = {draw_solid(r), draw_solid(r)};
  pressure_scene(&m, &ground, 2, solid);
  cr_data* d = test_data(&m);
  assert_int_equal(cr_constants(&m, d), CR_OK);
  for (int k = 0; k < 4; k++) {
    draw_pose(r, &m, d, 1);
    draw_pose(r, &m, d, 2);
    for (int i = 0; i < m.nv; i++) {
      d->qvel[i] = cr_random_int(r, 2) == 0 ? 0 : cr_random_normal(r);
    }
    bool spoilt = k == 3 && spoil(r, &m);
    cr_status status = cr_forward(&m, d);
    if (spoilt && status != CR_OK) {
      assert_int_equal(status, CR_ERR_MODEL);
      assert_non_null(strstr(d->error.text, "geom "));
      t->refused++;
      continue;
    }
    if (status != CR_OK) {
      fail_msg("%s", d->error.text);
    }
    cr_data* tan = NULL;
    assert_int_equal(cr_data_create_tangent(&tan, &m, d, &error), CR_OK);
    for (int i = 0; i < m.nv; i++) {
      tan->qpos[i] = cr_random_normal(r);
    }
    assert_int_equal(cr_forward_jvp(&m, d, tan), CR_OK);
    assert_true(all_finite(d->qfrc_pressure, m.nv));
    assert_true(all_finite(tan->qfrc_pressure, m.nv));
    for (int i = 0; i < m.nv; i++) {
      t->pressed += d->qfrc_pressure[i] != 0;
    }
    cr_data_destroy(tan);
  }
  test_release();
  cri_model_free(&m);
}

TEST(degenerate_pairs_are_finite_or_refused_with_a_sentence) {
  cr_random r = cr_random_seed(11, 0);
  tally t = {0};
  for (int i = 0; i < 400; i++) {
    shake(&r, &t);
  }
  assert_true(t.pressed > 1000);
  assert_true(t.refused > 40);
}

// ---- numbers that are refused, each with its sentence

TEST(numbers_out_of_range_are_named) {
  static const struct {
    int geom, number;
    const char* words;
  } cases[] = {{1, CR_PRESSURE_MODULUS, "geom 1 (''): its pressure field has a modulus of 0"},
               {1, CR_PRESSURE_TRANSITION, "geom 1 (''): its pressure field has a transition of 0"},
               {0, CR_PRESSURE_THICKNESS, "geom 0 (''): its pressure field has a thickness of 0"}};
  const cr_pressure_options ground = field_of("compliant");
  const pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_BOX, .size = {CR_R(0.1), CR_R(0.1), CR_R(0.1)}, .field = ground}};
  for (int i = 0; i < 3; i++) {
    cr_model m;
    pressure_scene(&m, &ground, 1, solid);
    cr_data* d = test_data(&m);
    const cr_real pos[3] = {0, 0, CR_R(0.09)}, up[3] = {0, 0, 1};
    pressure_pose(&m, d, 1, pos, up, 0);
    pressure_run(&m, d);
    m.geom_pressure[CR_PRESSURE_WIDTH * cases[i].geom + cases[i].number] = 0;
    assert_int_equal(cr_pressure(&m, d), CR_ERR_MODEL);
    assert_non_null(strstr(d->error.text, cases[i].words));
    test_release();
    cri_model_free(&m);
  }
}

// ---- sides in one plane

// Two boxes side by side, each with sides of 2 a, that overlap by 2 e. Where both pressures are the depth below one plane
// min(P_a, P_b) has a kink: across that plane the force jumps from -F to F, F = E / a V, V the volume 2 a e^2 - 2 e^3 / 3.
TEST(sides_in_one_plane_make_the_jump_of_the_model) {
  const cr_real a = CR_R(0.1), e = CR_R(0.005), half = 2 * a * e * e - 2 * e * e * e / 3;
  const pressure_solid box = {
      .type = CR_GEOM_BOX, .size = {a, a, a}, .field = field_of("compliant")};
  const pressure_solid solid[PRESSURE_SOLIDS] = {box, box};
  cr_model m;
  pressure_scene(&m, NULL, 2, solid);
  cr_data* d = test_data(&m);
  for (int side = -1; side <= 1; side += 2) {
    const cr_real up[3] = {0, 0, 1}, low[3] = {0, 0, 1};
    const cr_real beside[3] = {2 * (a - e), CR_R(0.001), 1 + (cr_real)side * CR_R(1e-7)};
    pressure_pose(&m, d, 1, low, up, 0);
    pressure_pose(&m, d, 2, beside, up, 0);
    pressure_run(&m, d);
    const cr_real force = CR_R(1e5) / a * half;
    assert_close(d->qfrc_pressure[8], (cr_real)side * force, CR_R(0.02) * force);
    assert_close(d->qfrc_pressure[8], -d->qfrc_pressure[2], CR_R(1e-9) * force);
  }
  cri_model_free(&m);
}
