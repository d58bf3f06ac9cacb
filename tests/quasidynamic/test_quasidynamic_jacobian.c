// SPDX-License-Identifier: Apache-2.0
// Derivatives of quasi-dynamic steps by pose, setpoint and parameters, against differences, in both precisions: a finger with a hinge
// and a slide pushes a ball on a floor.
#include "carom/quasidynamic.h"
#include "kinematics/configuration.h"
#include "math/quat.h"
#include "model/build.h"
#include "quasidynamic/quasidynamic_work.h"
#include "support/close.h"

enum { NQ = 9, NV = 8, NU = 2, FLOOR = 0, TIP = 1, BALL = 2 };

static cr_model m;
static cr_quasidynamic* work;

static const cr_real start[NQ] = {CR_R(0.1),  CR_R(0.02), CR_R(0.305), CR_R(0.06), CR_R(0.2),
                                  CR_R(0.98), CR_R(0.1),  CR_R(-0.1),  CR_R(0.14)},
                     setpoint[NU] = {CR_R(0.35), CR_R(0.12)};

static void fill_bodies(void) {
  const cr_real pos[3][3] = {{0, 0, CR_R(0.2)}, {CR_R(0.1), 0, 0}, {0, 0, 0}};
  for (int b = 1; b < 4; b++) {
    m.body_parentid[b] = b == 2;
    m.body_jntnum[b] = 1;
    m.body_mass[b] = CR_R(0.4) + CR_R(0.1) * (cr_real)b;
    cr_copy(m.body_pos + 3 * (ptrdiff_t)b, pos[b - 1], 3);
    for (int k = 0; k < 3; k++) {
      m.body_inertia[3 * b + k] = CR_R(0.004) + CR_R(0.001) * (cr_real)k;
    }
  }
}

static void fill_joints(void) {
  m.jnt_type[0] = CR_JNT_HINGE;
  m.jnt_type[1] = CR_JNT_SLIDE;
  m.jnt_type[2] = CR_JNT_FREE;
  m.jnt_axis[2] = 1;  // the hinge about z
  m.jnt_axis[3] = 1;  // the slide along x
  m.jnt_stiffness[1] = 3;
  for (int i = 0; i < NU; i++) {
    const cr_real Kp = i == 0 ? 40 : 300;
    m.actuator_trntype[i] = CR_TRN_JOINT;
    m.actuator_trnid[2 * i] = i;
    m.actuator_gaintype[i] = CR_GAIN_FIXED;
    m.actuator_biastype[i] = CR_BIAS_AFFINE;
    m.actuator_gainprm[10 * i] = Kp;
    m.actuator_biasprm[10 * i + 1] = -Kp;
    m.actuator_gear[6 * i] = i == 0 ? 1 : CR_R(1.5);
  }
}

static void fill_geoms(void) {
  m.geom_type[FLOOR] = CR_GEOM_PLANE;
  m.geom_type[TIP] = m.geom_type[BALL] = CR_GEOM_SPHERE;
  m.geom_bodyid[TIP] = 2;
  m.geom_bodyid[BALL] = 3;
  m.geom_size[3 * TIP] = CR_R(0.05);
  m.geom_size[3 * BALL] = CR_R(0.2);
  m.geom_size[0] = m.geom_size[1] = 2;
  m.geom_pos[3 * TIP + 2] = CR_R(0.06);
  for (int g = 0; g < 3; g++) {
    m.geom_friction[3 * g] = CR_R(0.3) + CR_R(0.1) * (cr_real)g;
    m.geom_friction[3 * g + 1] = CR_R(0.005);
    m.geom_friction[3 * g + 2] = CR_R(0.0001);
  }
}

static void open_scene(void) {
  const int32_t parent[] = {0, 0, 1, 0}, joints[] = {0, 1, 1, 1};
  const int32_t type[] = {CR_JNT_HINGE, CR_JNT_SLIDE, CR_JNT_FREE};
  cr_error error = {0};
  m = (cr_model){.ngeom = 3, .nactuator = NU, .nout = NU, .nu = NU};
  assert_int_equal(cri_model_sizes(&m, 4, parent, joints, type, &error), CR_OK);
  assert_int_equal(cri_model_allocate(&m, &error), CR_OK);
  cri_model_defaults(&m);
  fill_bodies();
  fill_joints();
  fill_geoms();
  if (cri_model_derive(&m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void close_scene(void) { cri_model_free(&m); }
AROUND_EACH(open_scene, close_scene)

static cr_quasidynamic_options options;

static void open_steps(void) {
  cr_error error = {0};
  options.size = sizeof options;
  if (cr_quasidynamic_create(&work, &m, &options, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void take(const cr_real* qpos, const cr_real* u, cr_real* next) {
  if (cr_quasidynamic_step(work, qpos, u, next) != CR_OK) {
    fail_msg("%s", cr_quasidynamic_error(work));
  }
}

// (a (-) b) / 2h in the tangent of their middle
static void difference(const cr_real* a, const cr_real* b, cr_real h, cr_real* to) {
  const cr_real conj[4] = {b[5], -b[6], -b[7], -b[8]};
  cr_real between[4];
  for (int i = 0; i < 5; i++) {
    to[i] = (a[i] - b[i]) / (2 * h);
  }
  cr_quat_mul(between, conj, a + 5);
  cr_quat_log(to + 5, between);
  for (int i = 5; i < NV; i++) {
    to[i] /= 2 * h;
  }
}

#ifdef CR_LONG_DOUBLE
static const cr_real STEP = CR_R(1e-7), TOLERANCE = CR_R(1e-9);
#else
static const cr_real STEP = CR_R(1e-6), TOLERANCE = CR_R(1e-6);
#endif

// column j of J[NV n]
static void compare_column(const cr_real* J, int n, int j, cr_real ends[2][NQ], cr_real scale) {
  cr_real expected[NV];
  difference(ends[0], ends[1], STEP, expected);
  for (int i = 0; i < NV; i++) {
    assert_close(J[i * n + j], expected[i], TOLERANCE * scale);
  }
}

static void compare_steps(void) {
  cr_real A[NV * NV], B[NV * NU], next[NQ], ends[2][NQ], moved[NQ], v[NV] = {0}, u[NU];
  open_steps();
  take(start, setpoint, next);
  assert_true(cr_quasidynamic_residual(work) < CR_R(1e-9));
  assert_int_equal(cr_quasidynamic_contacts(work), 2);
  for (int i = 0; i < 2; i++) {  // both press
    cr_quasidynamic_contact contact = {.size = sizeof contact};
    assert_int_equal(cr_quasidynamic_get_contact(work, i, &contact, NULL), CR_OK);
    assert_true(contact.force[0] > CR_R(0.1));
  }
  assert_int_equal(cr_quasidynamic_jacobian(work, A, B), CR_OK);
  for (int j = 0; j < NV; j++) {
    for (int side = 0; side < 2; side++) {
      v[j] = side == 0 ? STEP : -STEP;
      cri_configuration_move(&m, start, v, 1, moved);
      take(moved, setpoint, ends[side]);
    }
    v[j] = 0;
    compare_column(A, NV, j, ends, 1);
  }
  for (int j = 0; j < NU; j++) {
    for (int side = 0; side < 2; side++) {
      cr_copy(u, setpoint, NU);
      u[j] += side == 0 ? STEP : -STEP;
      take(start, u, ends[side]);
    }
    compare_column(B, NU, j, ends, 1);
  }
  cr_quasidynamic_destroy(work);
}

// the steps of all kinds
static void for_all(void (*compare)(void)) {
  for (int friction = 0; friction < 2; friction++) {
    for (int inertia = 0; inertia < 2; inertia++) {
      for (int smooth = 0; smooth < 2; smooth++) {
        options = (cr_quasidynamic_options){.friction = (cr_friction)friction,
                                            .inertia = (cr_inertia_use)inertia,
                                            .weight = smooth * CR_R(50.0)};
        compare();
      }
    }
  }
}

TEST(by_pose_and_setpoint) { for_all(compare_steps); }

TEST(with_torsional_and_rolling_friction) {
  for (int g = 0; g < 3; g++) {
    m.geom_condim[g] = 6;
    m.geom_friction[3 * g + 1] = CR_R(0.02);
    m.geom_friction[3 * g + 2] = CR_R(0.01);
  }
  for_all(compare_steps);
}

static const char* const names[] = {
    "geom_friction[1][0]",    "geom_friction[2][0]", "body_mass[3]",  "actuator_gainprm[0][0]",
    "actuator_biasprm[0][1]", "actuator_gear[1][0]", "gravity",       "geom_size[2][0]",
    "jnt_stiffness[1]",       "body_inertia[3]",     "geom_margin[2]"};
enum { N_NAME = 11, N_COLUMN = 15 };

// the numbers of the parameters, in the order of the columns
static cr_real* number(int column) {
  cr_real* const at[N_COLUMN] = {m.geom_friction + 3, m.geom_friction + 6,    m.body_mass + 3,
                                 m.actuator_gainprm,  m.actuator_biasprm + 1, m.actuator_gear + 6,
                                 m.gravity,           m.gravity + 1,          m.gravity + 2,
                                 m.geom_size + 6,     m.jnt_stiffness + 1,    m.body_inertia + 9,
                                 m.body_inertia + 10, m.body_inertia + 11,    m.geom_margin + 2};
  return at[column];
}

static void compare_parameters(void) {
  cr_real J[NV * N_COLUMN], next[NQ], ends[2][NQ];
  open_steps();
  assert_int_equal(cr_quasidynamic_set_parameters(work, names, N_NAME), CR_OK);
  assert_int_equal(cr_quasidynamic_columns(work), N_COLUMN);
  take(start, setpoint, next);
  assert_int_equal(cr_quasidynamic_parameter_jacobian(work, J), CR_OK);
  cr_quasidynamic_destroy(work);
  for (int j = 0; j < N_COLUMN; j++) {
    cr_real largest = 1;
    for (int i = 0; i < NV; i++) {
      largest = cr_max(largest, cr_abs(J[i * N_COLUMN + j]));
    }
    for (int side = 0; side < 2; side++) {
      cr_real* x = number(j);
      const cr_real whole = *x;
      *x += side == 0 ? STEP : -STEP;
      open_steps();
      take(start, setpoint, ends[side]);
      cr_quasidynamic_destroy(work);
      *x = whole;
    }
    compare_column(J, N_COLUMN, j, ends, largest);
  }
}

TEST(by_parameters) { for_all(compare_parameters); }

TEST(names_that_are_no_parameters_are_refused) {
  const char* const wrong[] = {"qpos[0]"};
  const char* const missing[] = {"body_mas"};
  open_steps();
  assert_int_equal(cr_quasidynamic_set_parameters(work, wrong, 1), CR_ERR_NAME);
  assert_non_null(strstr(cr_quasidynamic_error(work), "not a parameter"));
  assert_int_equal(cr_quasidynamic_set_parameters(work, missing, 1), CR_ERR_NAME);
  cr_real B[NV * NU];
  assert_int_equal(cr_quasidynamic_jacobian(work, NULL, B), CR_ERR_ARG);
  assert_non_null(strstr(cr_quasidynamic_error(work), "cr_quasidynamic_step comes first"));
  cr_quasidynamic_destroy(work);
}
