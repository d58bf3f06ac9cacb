// SPDX-License-Identifier: Apache-2.0
// The structured Jacobian of pressure fields against tangents: a tree of bodies that press each other, a free body and the ground.
#include <stdlib.h>

#include "base/random.h"
#include "carom/state.h"
#include "carom/step.h"
#include "engine/constants.h"
#include "integrate/step_jacobian.h"
#include "pressure/pressure_scene.h"
#include "support/close.h"

enum { BODIES = 6, CASES = 20, MOST = 64 };
#define TOLERANCE (CR_R(1e5) * CR_EPS)  // of the largest entry

// World with the ground; a free box, on it a hinged box with a hinged rigid ball behind it, and beside them a cylinder on a ball joint; a
// free ellipsoid.
static void tree(cr_model* m) {
  static const int32_t parent[BODIES] = {0, 0, 1, 2, 1, 0};
  static const int32_t joints[BODIES] = {0, 1, 1, 1, 1, 1};
  static const int32_t type[] = {CR_JNT_FREE, CR_JNT_HINGE, CR_JNT_HINGE, CR_JNT_BALL, CR_JNT_FREE};
  static const int32_t shape[BODIES] = {CR_GEOM_PLANE,  CR_GEOM_BOX,      CR_GEOM_BOX,
                                        CR_GEOM_SPHERE, CR_GEOM_CYLINDER, CR_GEOM_ELLIPSOID};
  static const cr_real size[BODIES][3] = {{1, 1, CR_R(0.1)},
                                          {CR_R(0.1), CR_R(0.08), CR_R(0.06)},
                                          {CR_R(0.07), CR_R(0.05), CR_R(0.05)},
                                          {CR_R(0.06), 0, 0},
                                          {CR_R(0.05), CR_R(0.08), 0},
                                          {CR_R(0.09), CR_R(0.07), CR_R(0.05)}};
  static const cr_real pos[BODIES][3] = {{0},
                                         {0, 0, CR_R(0.05)},
                                         {CR_R(0.15), 0, CR_R(0.02)},
                                         {0, CR_R(0.08), CR_R(0.01)},
                                         {CR_R(0.08), CR_R(0.12), CR_R(0.03)},
                                         {CR_R(0.05), CR_R(-0.05), CR_R(0.13)}};
  cr_error error = {0};
  *m = (cr_model){.ngeom = BODIES, .nnames = 1};
  assert_int_equal(cri_model_sizes(m, BODIES, parent, joints, type, &error), CR_OK);
  assert_int_equal(cri_model_allocate(m, &error), CR_OK);
  cri_model_defaults(m);
  for (int i = 0; i < BODIES; i++) {
    const bool rigid = i == 0 || i == 3;
    const cr_pressure_options o = {.size = sizeof o,
                                   .kind = rigid ? "rigid" : "compliant",
                                   .modulus = rigid ? 0 : CR_R(1e3) * (cr_real)(1 + i),
                                   .dissipation = CR_R(0.3),
                                   .transition = CR_R(0.2),
                                   .around = 8};
    m->geom_type[i] = shape[i];
    m->geom_bodyid[i] = i;
    m->geom_friction[3 * i] = CR_R(0.7) - CR_R(0.1) * (cr_real)i;
    cr_copy3(m->geom_size + 3 * i, size[i]);
    if (i > 0) {
      m->body_parentid[i] = parent[i];
      cr_copy3(m->body_pos + 3 * i, pos[i]);
      m->body_jntnum[i] = 1;
      m->jnt_type[i - 1] = type[i - 1];
      cr_copy3(m->jnt_axis + 3 * (i - 1), (const cr_real[3]){0, i == 2, i != 2});
      m->body_mass[i] = 1;
      for (int k = 0; k < 3; k++) {
        m->body_inertia[3 * i + k] = CR_R(0.01) * (cr_real)(1 + k);
      }
    }
    assert_int_equal(cr_model_set_pressure(m, i, &o, &error), CR_OK);
  }
  if (cri_model_derive(m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void place(const cr_model* m, cr_data* d, cr_random* r) {
  cr_real way[MOST];
  for (int i = 0; i < m->nv; i++) {
    way[i] = CR_R(0.02) * cr_random_normal(r);
    d->qvel[i] = CR_R(0.3) * cr_random_normal(r);
  }
  cr_copy(d->qpos, m->qpos0, m->nq);
  assert_int_equal(cr_integrate_pos(m, d->qpos, way, 1, NULL), CR_OK);
}

static cr_real largest(const cr_real* x, int n) {
  cr_real most = 0;
  for (int i = 0; i < n; i++) {
    most = cr_max(most, cr_abs(x[i]));
  }
  return most;
}

static void compare(int32_t integrator) {
  cr_model m;
  cr_random r = cr_random_seed(3, 0);
  cr_jacobian* work;
  int chains = 0;
  tree(&m);
  m.integrator = integrator;
  cr_data* d = test_data(&m);
  const int nx = 2 * m.nv;
  cr_real* got = calloc((size_t)(2 * nx * nx), sizeof *got);
  assert_non_null(got);
  cr_real* want = got + nx * nx;
  assert_int_equal(cr_constants(&m, d), CR_OK);
  assert_int_equal(cr_jacobian_create(&work, &m, d, NULL), CR_OK);
  for (int k = 0; k < CASES; k++) {
    place(&m, d, &r);
    assert_int_equal(cr_step(&m, d), CR_OK);
    assert_int_equal(cr_step_jacobian(&m, d, work, got, NULL, NULL), CR_OK);
    assert_null(cr_jacobian_fallback(work));
    assert_int_equal(cri_step_jacobian_columns(&m, d, work, want, NULL, NULL), CR_OK);
    chains += !cr_is_zero(d->qfrc_pressure + 6, 5);
    const cr_real scale = largest(want, nx * nx);
    for (int i = 0; i < nx * nx; i++) {
      assert_close(got[i], want[i], TOLERANCE * scale);
    }
  }
  assert_true(chains > CASES / 2);
  free(got);
  cr_jacobian_destroy(work);
  cri_model_free(&m);
}

TEST(of_an_euler_step) { compare(CR_INT_EULER); }
TEST(of_an_implicit_step) { compare(CR_INT_IMPLICIT); }
TEST(of_a_runge_kutta_step) { compare(CR_INT_RK4); }
