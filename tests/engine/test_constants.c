// SPDX-License-Identifier: Apache-2.0
// Derived constants: closed forms, dense linear algebra with Jacobians from differences, and their
// cotangents against differences in every parameter.
#include "engine/constants.h"

#include <stdlib.h>

#include "carom/model.h"
#include "checks/field_space.h"
#include "force/reflected.h"
#include "kinematics/tendon.h"
#include "model/build.h"
#include "model/fields.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/allocation.h"
#include "support/close.h"
#include "transmission/transmission.h"

#ifdef CR_LONG_DOUBLE
static const cr_real exact = CR_R(1e-16), by_difference = CR_R(1e-12), vjp_bound = CR_R(1e-11),
                     step_size = CR_R(3e-5);
#else
static const cr_real exact = CR_R(1e-13), by_difference = CR_R(1e-8), vjp_bound = CR_R(1e-8),
                     step_size = CR_R(2e-4);
#endif

// ---- closed forms

enum { MAX_BODY = 4 };

// bodies, one joint each, without geoms but `ngeom` on the last
static cr_model build(int nbody, const int32_t* joints, int ngeom) {
  cr_model m = {.ngeom = ngeom};
  cr_error error = {0};
  int32_t parents[MAX_BODY] = {0}, jntnums[MAX_BODY] = {0};
  for (int i = 1; i < nbody; i++) {
    parents[i] = i - 1;
    jntnums[i] = 1;
  }
  assert_int_equal(cri_model_sizes(&m, nbody, parents, jntnums, joints, &error), CR_OK);
  assert_int_equal(cri_model_allocate(&m, &error), CR_OK);
  cri_model_defaults(&m);
  for (int i = 1; i < nbody; i++) {
    m.body_parentid[i] = parents[i];
    m.body_jntnum[i] = 1;
    m.body_mass[i] = 2;
    m.body_inertia[3 * i] = CR_R(0.1);
    m.body_inertia[3 * i + 1] = CR_R(0.2);
    m.body_inertia[3 * i + 2] = CR_R(0.4);
    m.jnt_type[i - 1] = joints[i - 1];
  }
  for (int i = 0; i < ngeom; i++) {
    m.geom_bodyid[i] = nbody - 1;
  }
  return m;
}

static void finish(cr_model* m) {
  cr_error error = {0};
  if (cri_model_derive(m, &error) != CR_OK || cr_model_derive(m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

// 1/m and the mean of the inverse moments, however the body is turned
TEST(free_body) {
  const int32_t joints[] = {CR_JNT_FREE};
  cr_model m = build(2, joints, 0);
  const cr_real quat[] = {CR_R(0.5), CR_R(0.5), CR_R(-0.5), CR_R(0.5)};
  cr_copy(m.body_iquat + 4, quat, 4);
  finish(&m);
  const cr_real rotation = (10 + 5 + CR_R(2.5)) / 3;
  assert_close(m.body_invweight0[2], CR_R(0.5), exact);
  assert_close(m.body_invweight0[3], rotation, 10 * exact);
  for (int i = 0; i < 6; i++) {
    assert_close(m.dof_invweight0[i], i < 3 ? CR_R(0.5) : rotation, 10 * exact);
  }
  assert_true(m.body_invweight0[0] == 0 && m.body_invweight0[1] == 0);
  // the centre of mass elsewhere: the body's own numbers stay, those of its dofs do not
  m.body_ipos[3] = CR_R(0.3);
  finish(&m);
  assert_close(m.body_invweight0[2], CR_R(0.5), exact);
  assert_close(m.body_invweight0[3], rotation, 10 * exact);
  assert_true(m.dof_invweight0[0] > CR_R(0.5));
  assert_close(m.dof_invweight0[3], rotation, 10 * exact);
  cri_model_free(&m);
}

TEST(pendulum) {
  const int32_t joints[] = {CR_JNT_HINGE};
  cr_model m = build(2, joints, 0);
  const cr_real length = CR_R(0.7);
  m.jnt_axis[0] = m.jnt_axis[2] = 0;
  m.jnt_axis[1] = 1;
  m.body_ipos[5] = -length;
  m.dof_armature[0] = CR_R(0.05);
  finish(&m);
  cr_real inertia = CR_R(0.2) + 2 * length * length + CR_R(0.05);
  assert_close(m.dof_invweight0[0], 1 / inertia, exact);
  assert_close(m.body_invweight0[2], length * length / inertia / 3, exact);
  assert_close(m.body_invweight0[3], 1 / inertia / 3, exact);
  cri_model_free(&m);
}

// a mass on slides: one number for all of them, and no rotation
TEST(sliding_mass) {
  const int32_t joints[] = {CR_JNT_SLIDE};
  cr_model m = build(2, joints, 0);
  finish(&m);
  assert_int_equal(m.body_simple[1], 2);
  assert_close(m.dof_invweight0[0], CR_R(0.5), exact);
  assert_close(m.body_invweight0[2], CR_R(0.5), exact);
  assert_true(m.body_invweight0[3] == 0);
  // 2 (1/m) of the body and 3 (1/m) of the dof: -5 / m^2
  cr_data *work = NULL, *bar = NULL;
  work = test_data(&m);
  bar = test_twin(&m, work, CR_DATA_COTANGENT);
  bar->par.body_invweight0[2] = 2;
  bar->par.body_invweight0[3] = 7;
  bar->par.dof_invweight0[0] = 3;
  assert_int_equal(cr_constants_vjp(&m, work, bar), CR_OK);
  assert_close(bar->par.body_mass[1], CR_R(-1.25), exact);
  cri_model_free(&m);
}

TEST(bounding_spheres) {
  const int32_t joints[] = {CR_JNT_FREE};
  static const int32_t types[] = {CR_GEOM_PLANE, CR_GEOM_SPHERE, CR_GEOM_CAPSULE, CR_GEOM_CYLINDER,
                                  CR_GEOM_BOX};
  const cr_real radius[] = {0, 3, 7, 5, CR_R(13.0)};
  cr_model m = build(2, joints, 5);
  for (int i = 0; i < 5; i++) {
    m.geom_type[i] = types[i];
    m.geom_size[3 * i] = 3;
    m.geom_size[3 * i + 1] = 4;
    m.geom_size[3 * i + 2] = 12;
  }
  finish(&m);
  for (int i = 0; i < 5; i++) {
    assert_close(m.geom_rbound[i], radius[i], 10 * exact);
  }
  m.geom_size[3] = 9;
  assert_int_equal(cr_model_derive(&m, NULL), CR_OK);
  assert_true(m.geom_rbound[1] == 9);
  cri_model_free(&m);
}

// ---- dense algebra

// column j of the Jacobian of a body's centre of mass: its velocity, and its angular velocity
static void jacobian(const cr_model* m, cr_data* d, cr_data* moved, int body, int j,
                     cr_real column[6]) {
  const cr_real h = CR_R(1e-3), steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  cr_real v[64] = {0}, rate[9] = {0};
  cr_zero(column, 6);
  v[j] = 1;
  for (int i = 0; i < 4; i++) {
    mechanism_move(m, d, v, steps[i] * h, moved);
    mechanism_pose(m, moved);
    for (int k = 0; k < 3; k++) {
      column[k] += weights[i] * moved->xipos[3 * body + k] / (12 * h);
    }
    for (int k = 0; k < 9; k++) {
      rate[k] += weights[i] * moved->ximat[9 * body + k] / (12 * h);
    }
  }
  // [w]x = R_rate R'
  const cr_real* R = d->ximat + 9 * body;
  for (int k = 0; k < 3; k++) {
    int a = (k + 2) % 3, b = (k + 1) % 3;
    for (int i = 0; i < 3; i++) {
      column[3 + k] += rate[3 * a + i] * R[3 * b + i];
    }
  }
}

// x' M^-1 x
static cr_real in_inverse(int n, const cr_real* M, const cr_real* x) {
  cr_real copy[64 * 64], y[64], sum = 0;
  cr_copy(copy, M, n * n);
  cr_copy(y, x, n);
  mechanism_solve(n, copy, y);
  for (int i = 0; i < n; i++) {
    sum += x[i] * y[i];
  }
  return sum;
}

static void check_body(const cr_model* m, cr_data* d, cr_data* moved, const cr_real* M, int body) {
  static cr_real J[6][64];
  cr_real expected[2] = {0, 0};
  for (int j = 0; j < m->nv; j++) {
    cr_real column[6];
    jacobian(m, d, moved, body, j, column);
    for (int k = 0; k < 6; k++) {
      J[k][j] = column[k];
    }
  }
  for (int k = 0; k < 6; k++) {
    expected[k / 3] += in_inverse(m->nv, M, J[k]) / 3;
  }
  if (m->body_simple[body] == 2) {
    expected[0] = 1 / m->body_mass[body];
    expected[1] = 0;
  }
  for (int i = 0; i < 2; i++) {
    assert_close(m->body_invweight0[2 * body + i], expected[i],
                 by_difference * (CR_R(1e-3) + expected[i]));
  }
}

// |M^-1 J'| with the rows of the stage that makes them
static void check_actuators(const cr_model* m, cr_data* d, const cr_real* M) {
  assert_int_equal(cr_tendon(m, d), CR_OK);
  assert_int_equal(cr_transmission(m, d), CR_OK);
  for (int o = 0; o < m->nout; o++) {
    static cr_real copy[64 * 64];
    cr_real x[64] = {0}, sum = 0;
    for (int k = d->moment_rowadr[o]; k < d->moment_rowadr[o] + d->moment_rownnz[o]; k++) {
      x[d->moment_colind[k]] = d->actuator_moment[k];
    }
    cr_copy(copy, M, m->nv * m->nv);
    mechanism_solve(m->nv, copy, x);
    for (int i = 0; i < m->nv; i++) {
      sum += x[i] * x[i];
    }
    assert_close(m->actuator_acc0[o], cr_sqrt(sum), CR_R(1e-9) * (1 + cr_sqrt(sum)));
  }
}

TEST(dense_algebra) {
  for (uint64_t seed = 0; seed < 12; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    cr_data* moved = test_data(&m);
    assert_in_range(m.nv, 1, 64);
    assert_int_equal(cr_constants(&m, d), CR_OK);
    cri_data_reset(&m, d);
    mechanism_pose(&m, d);
    static cr_real M[64 * 64];
    cr_real armature[64];
    cri_reflected_armature(&m, armature);
    mechanism_inertia(&m, d, armature, M);
    mechanism_tendons(&m, d, M);
    for (int b = 0; b < m.nbody; b++) {
      check_body(&m, d, moved, M, b);
    }
    for (int i = 0; i < m.nv; i++) {
      int j = m.dof_jntid[i], first = i, n = 1;
      if (m.jnt_type[j] == CR_JNT_FREE || m.jnt_type[j] == CR_JNT_BALL) {
        first = m.jnt_dofadr[j] + (i - m.jnt_dofadr[j]) / 3 * 3;
        n = 3;
      }
      cr_real expected = 0;
      for (int k = first; k < first + n; k++) {
        cr_real unit[64] = {0};
        unit[k] = 1;
        expected += in_inverse(m.nv, M, unit) / (cr_real)n;
      }
      assert_close(m.dof_invweight0[i], expected, CR_R(1e-9) * expected);
    }
    check_actuators(&m, d, M);
    cri_model_free(&m);
  }
}

// ---- cotangents

typedef struct {
  cr_model m, moved;
  cr_data *work, *tan, *bar;
  cr_real *body_weights, *dof_weights, *tendon_weights, *length_weights, *force_weights,
      *connect_weld_weights, *fluid_weights;  // of the sum that is differentiated
} bench;

// weights of the numbers of a field that are derived, 0 of the others
static cr_real* partial_weights(const cr_model* m, cr_field_id id, cr_random* random) {
  int n = cri_field_tangent_size(m, NULL, id);
  const cr_real* x = cri_field_real(m, NULL, id);
  cr_real* weights = calloc((size_t)n + 1, sizeof *weights);
  assert_non_null(weights);
  for (int i = 0; i < n; i++) {
    cr_real size = id == CR_FIELD_geom_fluid ? cr_abs(x[i]) : 1;
    weights[i] = cri_is_derived(m, id, i) && size > 0 ? cr_random_normal(random) / size : 0;
  }
  return weights;
}

static void open_bench(bench* b, uint64_t seed, cr_random* random) {
  assert_int_equal(random_model(&b->m, seed, NULL), CR_OK);
  b->work = test_data(&b->m);
  assert_int_equal(cr_constants(&b->m, b->work), CR_OK);
  assert_int_equal(cri_model_copy(&b->moved, &b->m, NULL), CR_OK);
  b->tan = test_twin(&b->m, b->work, CR_DATA_TANGENT);
  b->bar = test_twin(&b->m, b->work, CR_DATA_COTANGENT);
  b->body_weights = b->tan->par.body_invweight0;  // room of its own
  b->dof_weights = b->tan->par.dof_invweight0;
  b->tendon_weights = b->tan->par.tendon_invweight0;
  b->length_weights = b->tan->par.tendon_length0;
  // of the size of what they multiply, so that no body drowns another
  for (int i = 0; i < 2 * b->m.nbody; i++) {
    cr_real w = b->m.body_invweight0[i];
    b->body_weights[i] = w > 0 ? cr_random_normal(random) / w : 0;
  }
  for (int i = 0; i < b->m.ntendon; i++) {
    cr_real w = b->m.tendon_invweight0[i];
    b->tendon_weights[i] = w > 0 ? cr_random_normal(random) / w : 0;
    b->length_weights[i] = cr_random_normal(random);
  }
  b->force_weights = b->tan->par.actuator_acc0;
  for (int i = 0; i < b->m.nout; i++) {
    cr_real w = b->m.actuator_acc0[i];
    b->force_weights[i] = w > 0 ? cr_random_normal(random) / w : 0;
  }
  for (int i = 0; i < b->m.nv; i++) {
    b->dof_weights[i] = cr_random_normal(random) / b->m.dof_invweight0[i];
  }
  b->connect_weld_weights = partial_weights(&b->m, CR_FIELD_eq_data, random);
  b->fluid_weights = partial_weights(&b->m, CR_FIELD_geom_fluid, random);
}

static void close_bench(bench* b) {
  free(b->connect_weld_weights);
  free(b->fluid_weights);
  cri_model_free(&b->moved);
  cri_model_free(&b->m);
}

static void seed_bar(bench* b) {
  cri_model_twin_zero(&b->bar->par, &b->m);
  cr_copy(b->bar->par.body_invweight0, b->body_weights, 2 * b->m.nbody);
  cr_copy(b->bar->par.dof_invweight0, b->dof_weights, b->m.nv);
  cr_copy(b->bar->par.tendon_invweight0, b->tendon_weights, b->m.ntendon);
  cr_copy(b->bar->par.tendon_length0, b->length_weights, b->m.ntendon);
  cr_copy(b->bar->par.actuator_acc0, b->force_weights, b->m.nout);
  cr_copy(b->bar->par.eq_data, b->connect_weld_weights, CR_NEQDATA * b->m.neq);
  cr_copy(b->bar->par.geom_fluid, b->fluid_weights, 12 * b->m.ngeom);
}

static cr_real weighted(bench* b, cr_field_id id, cr_real h) {
  cr_real sum = 0;
  field_move(&b->m, b->work, b->tan, id, h, &b->moved, b->work);
  assert_int_equal(cr_constants(&b->moved, b->work), CR_OK);
  for (int i = 0; i < 2 * b->m.nbody; i++) {
    sum += b->body_weights[i] * b->moved.body_invweight0[i];
  }
  for (int i = 0; i < b->m.nv; i++) {
    sum += b->dof_weights[i] * b->moved.dof_invweight0[i];
  }
  for (int i = 0; i < b->m.ntendon; i++) {
    sum += b->tendon_weights[i] * b->moved.tendon_invweight0[i];
    sum += b->length_weights[i] * b->moved.tendon_length0[i];
  }
  for (int i = 0; i < b->m.nout; i++) {
    sum += b->force_weights[i] * b->moved.actuator_acc0[i];
  }
  for (int i = 0; i < CR_NEQDATA * b->m.neq; i++) {
    sum += b->connect_weld_weights[i] * b->moved.eq_data[i];
  }
  for (int i = 0; i < 12 * b->m.ngeom; i++) {
    sum += b->fluid_weights[i] * b->moved.geom_fluid[i];
  }
  return sum;
}

static const cr_field_id parameters[] = {
    CR_FIELD_body_pos,     CR_FIELD_body_quat,     CR_FIELD_body_ipos,
    CR_FIELD_body_iquat,   CR_FIELD_body_mass,     CR_FIELD_body_inertia,
    CR_FIELD_jnt_pos,      CR_FIELD_jnt_axis,      CR_FIELD_geom_size,
    CR_FIELD_dof_armature, CR_FIELD_site_pos,      CR_FIELD_wrap_prm,
    CR_FIELD_site_quat,    CR_FIELD_actuator_gear, CR_FIELD_actuator_cranklength,
    CR_FIELD_eq_data};
enum { N_PARAMETERS = (int)(sizeof parameters / sizeof parameters[0]) };

static void compare(bench* b, cr_field_id id, cr_random* random, cr_real* worst, int* reached) {
  const cr_real h = step_size, steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  field_product product = {0};
  cr_real slope = 0;
  field_random_tangent(random, &b->m, b->work, b->tan, id);
  field_dot(&b->m, b->work, b->bar, b->tan, id, &product);
  for (int i = 0; i < 4; i++) {
    slope += weights[i] * weighted(b, id, steps[i] * h) / (12 * h);
  }
  (void)weighted(b, id, 0);
  if (product.absolute > 0 || slope != 0) {
    cr_real scale = cr_max(product.absolute, 1);
    *worst = cr_max(*worst, cr_abs(slope - product.sum) / scale);
    reached[id] += product.absolute > 0;
  }
}

TEST(cotangents_match_differences) {
  cr_random random = cr_random_seed(4, 4);
  cr_real worst = 0;
  static int reached[CR_N_FIELD];
  for (uint64_t seed = 0; seed < 24; seed++) {
    bench b;
    open_bench(&b, seed, &random);
    seed_bar(&b);
    assert_int_equal(cr_constants_vjp(&b.m, b.work, b.bar), CR_OK);
    for (int i = 0; i < N_PARAMETERS; i++) {
      compare(&b, parameters[i], &random, &worst, reached);
    }
    close_bench(&b);
  }
  print_message("worst %.1e\n", (double)worst);
  assert_true(worst < vjp_bound);
  for (int i = 0; i < N_PARAMETERS; i++) {
    // slider-cranks are few
    assert_true(reached[parameters[i]] > (parameters[i] == CR_FIELD_actuator_cranklength ? 0 : 3));
  }
}

// bar . J tan with all parameters at once, by rows and by columns
TEST(tangents_match_cotangents) {
  cr_random random = cr_random_seed(4, 7);
  cr_real worst = 0;
  int derived = 0;
  for (uint64_t seed = 0; seed < 24; seed++) {
    bench b;
    open_bench(&b, seed, &random);
    seed_bar(&b);
    cr_data* tan = test_twin(&b.m, b.work, CR_DATA_TANGENT);
    for (int i = 0; i < N_PARAMETERS; i++) {
      field_random_tangent(&random, &b.m, b.work, tan, parameters[i]);
    }
    for (int i = 0; i < CR_NEQDATA * b.m.neq; i++) {
      tan->par.eq_data[i] *= !cri_is_derived(&b.m, CR_FIELD_eq_data, i);
    }
    for (int i = 0; i < b.m.nv; i++) {
      tan->qpos[i] = i + 1;
    }
    assert_int_equal(cr_constants_jvp(&b.m, b.work, tan), CR_OK);
    for (int i = 0; i < b.m.nv; i++) {
      assert_true(tan->qpos[i] == i + 1 && tan->cdof[6 * i] == 0);
    }
    field_product forward = {0}, backward = {0};
    for (int k = 0; k < CR_N_DERIVED; k++) {
      cr_field_id id = cri_derived_fields[k];
      const cr_real *x = field_tangent(&b.m, b.bar, id), *y = field_tangent(&b.m, tan, id);
      for (int i = 0; i < field_tangent_size(&b.m, b.work, id); i++) {
        cr_real term = cri_is_derived(&b.m, id, i) ? x[i] * y[i] : 0;
        forward.sum += term;
        forward.absolute += cr_abs(term);
        derived += term != 0;
      }
    }
    assert_int_equal(cr_constants_vjp(&b.m, b.work, b.bar), CR_OK);
    for (int i = 0; i < N_PARAMETERS; i++) {
      field_dot(&b.m, b.work, b.bar, tan, parameters[i], &backward);
    }
    cr_real scale = forward.absolute + backward.absolute;
    worst = cr_max(worst, cr_abs(forward.sum - backward.sum) / cr_max(scale, CR_MINVAL));
    assert_int_equal(tan->scratch_used, 0);
    assert_int_equal(b.work->scratch_used, 0);
    close_bench(&b);
  }
  print_message("worst %.1e\n", (double)worst);
  assert_true(worst < 1000 * CR_EPS && derived > 1000);
}

// each parameter alone
TEST(tangents_match_differences) {
  cr_random random = cr_random_seed(4, 8);
  cr_real worst = 0;
  const cr_real h = step_size, steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  for (uint64_t seed = 0; seed < 12; seed++) {
    bench b;
    open_bench(&b, seed, &random);
    for (int i = 0; i < N_PARAMETERS; i++) {
      cr_data* tan = test_twin(&b.m, b.work, CR_DATA_TANGENT);
      cr_real slope = 0, sum = 0, scale = 1;
      field_random_tangent(&random, &b.m, b.work, b.tan, parameters[i]);
      int n = field_tangent_size(&b.m, b.work, parameters[i]);
      cr_copy(field_tangent(&b.m, tan, parameters[i]), field_tangent(&b.m, b.tan, parameters[i]),
              n);
      for (int k = 0; k < 4; k++) {
        slope += weights[k] * weighted(&b, parameters[i], steps[k] * h) / (12 * h);
      }
      (void)weighted(&b, parameters[i], 0);
      seed_bar(&b);
      assert_int_equal(cr_constants_jvp(&b.m, b.work, tan), CR_OK);
      for (int k = 0; k < CR_N_DERIVED; k++) {
        cr_field_id id = cri_derived_fields[k];
        const cr_real *x = field_tangent(&b.m, b.bar, id), *y = field_tangent(&b.m, tan, id);
        for (int j = 0; j < field_tangent_size(&b.m, b.work, id); j++) {
          sum += x[j] * y[j];
          scale += cr_abs(x[j] * y[j]);
        }
      }
      worst = cr_max(worst, cr_abs(slope - sum) / scale);
    }
    close_bench(&b);
  }
  print_message("worst %.1e\n", (double)worst);
  assert_true(worst < vjp_bound);
}

// seeds are consumed; the cotangents of the state, scratch and everything computed are as before
TEST(only_parameters_change) {
  cr_random random = cr_random_seed(4, 5);
  bench b;
  open_bench(&b, 4, &random);
  seed_bar(&b);
  cr_data* kept = NULL;
  for (int i = 0; i < b.m.nv; i++) {
    b.bar->qpos[i] = i + 1;
    b.bar->qvel[i] = -i;
  }
  kept = test_twin(&b.m, b.work, CR_DATA_COTANGENT);
  for (int twice = 0; twice < 2; twice++) {
    assert_int_equal(cr_constants_vjp(&b.m, b.work, b.bar), CR_OK);
    for (int i = 0; i < b.m.nv; i++) {
      assert_true(b.bar->qpos[i] == i + 1 && b.bar->qvel[i] == -i);
      assert_true(b.bar->par.dof_invweight0[i] == 0);
    }
    for (int i = 0; i < CR_NEQDATA * b.m.neq; i++) {
      assert_true(!cri_is_derived(&b.m, CR_FIELD_eq_data, i) || b.bar->par.eq_data[i] == 0);
    }
    for (int i = 0; i < 2 * b.m.nbody; i++) {
      assert_true(b.bar->par.body_invweight0[i] == 0);
    }
    assert_int_equal(b.bar->scratch_used, 0);
    assert_int_equal(b.work->scratch_used, 0);
    assert_int_equal(b.bar->M_pairs.n, 0);
    // without seeds the second time adds nothing
    if (twice == 0) {
      cr_copy(kept->par.body_mass, b.bar->par.body_mass, b.m.nbody);
    } else {
      for (int i = 0; i < b.m.nbody; i++) {
        assert_true(kept->par.body_mass[i] == b.bar->par.body_mass[i]);
      }
    }
    for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
      cr_field_id id = (cr_field_id)i;
      bool state_field = cri_field(id)->kind == CR_KIND_STATE;
      if (field_smooth(id) && !state_field && cri_field(id)->kind != CR_KIND_OP) {
        const cr_real* x = field_tangent(&b.m, b.bar, id);
        for (int k = 0; k < field_tangent_size(&b.m, b.work, id); k++) {
          assert_true(x[k] == 0);
        }
      }
    }
  }
  close_bench(&b);
}

// parameters that were not asked for are not written
TEST(parameters_not_asked_for) {
  cr_random random = cr_random_seed(4, 6);
  bench b;
  bool wanted[CR_N_FIELD] = {false};
  cr_data* few = NULL;
  open_bench(&b, 4, &random);
  seed_bar(&b);
  assert_int_equal(cr_constants_vjp(&b.m, b.work, b.bar), CR_OK);
  wanted[CR_FIELD_body_invweight0] = wanted[CR_FIELD_body_mass] = true;
  wanted[CR_FIELD_dof_invweight0] = wanted[CR_FIELD_actuator_acc0] = true;
  wanted[CR_FIELD_tendon_invweight0] = wanted[CR_FIELD_tendon_length0] = true;
  assert_int_equal(cri_data_twin(&few, &b.m, b.work, CR_DATA_COTANGENT, wanted, NULL), CR_OK);
  cr_copy(few->par.body_invweight0, b.body_weights, 2 * b.m.nbody);
  cr_copy(few->par.dof_invweight0, b.dof_weights, b.m.nv);
  cr_copy(few->par.tendon_invweight0, b.tendon_weights, b.m.ntendon);
  cr_copy(few->par.tendon_length0, b.length_weights, b.m.ntendon);
  cr_copy(few->par.actuator_acc0, b.force_weights, b.m.nout);
  assert_int_equal(cr_constants_vjp(&b.m, b.work, few), CR_OK);
  for (int i = 0; i < b.m.nbody; i++) {
    assert_true(few->par.body_mass[i] == b.bar->par.body_mass[i]);
  }
  cri_data_free(few);
  assert_int_equal(cri_data_twin(&few, &b.m, b.work, CR_DATA_COTANGENT, cri_no_params, NULL),
                   CR_OK);
  assert_int_equal(cr_constants_vjp(&b.m, b.work, few), CR_OK);
  cri_data_free(few);
  close_bench(&b);
}

TEST(again_is_the_same) {
  for (uint64_t seed = 0; seed < 8; seed++) {
    cr_model m, copy;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);  // whatever the block holds
    long before = allocation_count();
    assert_int_equal(cr_constants(&m, d), CR_OK);
    assert_int_equal(allocation_count(), before);
    assert_int_equal(cri_model_copy(&copy, &m, NULL), CR_OK);
    assert_int_equal(cr_constants(&copy, d), CR_OK);
    for (int i = 0; i < 2 * m.nbody; i++) {
      assert_true(copy.body_invweight0[i] == m.body_invweight0[i]);
    }
    for (int i = 0; i < m.nv; i++) {
      assert_true(copy.dof_invweight0[i] == m.dof_invweight0[i]);
    }
    cri_model_free(&copy);
    cri_model_free(&m);
  }
}

TEST(no_mass_is_an_error) {
  const int32_t joints[] = {CR_JNT_HINGE, CR_JNT_HINGE};
  cr_model m = build(3, joints, 0);
  cr_error error = {0};
  finish(&m);
  m.body_mass[2] = 0;
  cr_zero(m.body_inertia + 6, 3);
  assert_int_equal(cr_model_derive(&m, &error), CR_ERR_SINGULAR);
  assert_non_null(strstr(error.text, "inertia"));
  cri_model_free(&m);
}
