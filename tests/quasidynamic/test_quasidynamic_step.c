// SPDX-License-Identifier: Apache-2.0
// Quasi-dynamic steps of real models: optimal, hold known equilibria, with derivatives that agree with differences.
// Needs: io
#include "carom/quasidynamic.h"

#include "carom/model.h"
#include "kinematics/configuration.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"

// two fingers of two links around a disc, in a plane
#define FINGER(name, x, sign)                                \
  "<body name='" name "' pos='" x " 0 0'><joint name='" name \
  "1' axis='0 0 1'/>"                                        \
  "<geom type='capsule' size='.05' fromto='0 0 0 0 .3 0'/>"  \
  "<body pos='0 .3 0'><joint name='" name                    \
  "2' axis='0 0 1'/>"                                        \
  "<geom name='" name "tip' type='capsule' size='.05' fromto='0 0 0 0 .2 0'/></body></body>"
static const char hand[] =
    "<mujoco><option gravity='0 -1 0'/><worldbody>"
    "<geom name='wall' type='plane' size='5 5 .1' pos='0 -.2 0' zaxis='0 1 0'/>" FINGER("l", "-.15", "")
    FINGER("r", ".15", "")
    "<body name='disc' pos='0 .4 0'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
    "<joint type='hinge' axis='0 0 1'/><geom name='disc' type='sphere' size='.2' mass='1'/></body>"
    "</worldbody><actuator><position joint='l1' kp='50'/><position joint='l2' kp='25'/>"
    "<position joint='r1' kp='50'/><position joint='r2' kp='25'/></actuator></mujoco>";

// a box between two sliding fingers on a floor, free in space
static const char box[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='5 5 .1'/>"
    "<body name='box' pos='0 0 .1' euler='0 0 10'><freejoint/>"
    "<geom name='box' type='box' size='.1 .1 .1' mass='.5' friction='.8'/></body>"
    "<body name='a' pos='-.16 0 .1'><joint name='ax' type='slide' axis='1 0 0'/>"
    "<joint name='az' type='slide' axis='0 0 1'/><geom type='sphere' size='.05' mass='.1'/></body>"
    "<body name='b' pos='.16 .02 .1'><joint name='bx' type='slide' axis='1 0 0' limited='true' "
    "range='-.1 .1'/>"
    "<joint name='bz' type='slide' axis='0 0 1'/><geom type='sphere' size='.05' mass='.1'/></body>"
    "</worldbody><actuator><position joint='ax' kp='500'/><position joint='az' kp='400'/>"
    "<position joint='bx' kp='500'/><position joint='bz' kp='400' gear='2'/></actuator></mujoco>";

static mjModel* mj;
static cr_model m;
static cr_quasidynamic* work;

static void open_model(const char* text) {
  mj = mjcf_compile(text);
  m = mjcf_model(mj);
}

static void close_model(void) {
  cri_model_free(&m);
  mj_deleteModel(mj);
}

static void open_steps(cr_friction friction, cr_real weight) {
  const cr_quasidynamic_options options = {
      .size = sizeof options, .friction = friction, .weight = weight};
  cr_error error = {0};
  if (cr_quasidynamic_create(&work, &m, &options, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void take(const cr_real* qpos, const cr_real* u, cr_real* next) {
  if (cr_quasidynamic_step(work, qpos, u, next) != CR_OK) {
    fail_msg("%s", cr_quasidynamic_error(work));
  }
}

TEST(nothing_but_servos_goes_to_the_setpoints) {
  open_model(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='a' axis='0 0 1'/>"
      "<geom size='.1' mass='1'/></body></worldbody><actuator><position joint='a' kp='7'/>"
      "</actuator></mujoco>");
  open_steps(CR_FRICTION_PYRAMID, 0);
  cr_real q = CR_R(0.3), u = CR_R(1.2), A, B;
  take(&q, &u, &q);
  assert_close(q, u, CR_R(1e-15));
  assert_int_equal(cr_quasidynamic_jacobian(work, &A, &B), CR_OK);
  assert_close(A, 0, CR_R(1e-15));
  assert_close(B, 1, CR_R(1e-15));
  cr_quasidynamic_destroy(work);
  close_model();
}

// a mass on a floor: it falls by g h^2 at most, and the floor carries its weight
TEST(a_floor_carries_a_weight) {
  open_model(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/>"
      "<geom size='.1' mass='2'/></body><body pos='3 0 3'><joint name='a' axis='0 0 1'/>"
      "<geom size='.1' mass='1'/></body></worldbody><actuator><position joint='a' kp='7'/>"
      "</actuator></mujoco>");
  for (int friction = 0; friction < 2; friction++) {
    open_steps((cr_friction)friction, 0);
    cr_real q[8] = {0, 0, CR_R(0.13), 1, 0, 0, 0, 0}, u = 0;
    take(q, &u, q);
    assert_close(q[2], CR_R(0.1), CR_R(1e-12));
    q[2] = 5;
    take(q, &u, q);
    assert_close(q[2], 5 - CR_R(9.81) * CR_R(0.01), CR_R(1e-12));
    q[2] = CR_R(0.1);
    take(q, &u, q);
    assert_close(q[2], CR_R(0.1), CR_R(1e-12));
    cr_quasidynamic_contact contact = {.size = sizeof contact};
    assert_int_equal(cr_quasidynamic_contacts(work), 1);
    assert_int_equal(cr_quasidynamic_get_contact(work, 0, &contact, NULL), CR_OK);
    assert_close(contact.force[0], 2 * CR_R(9.81), CR_R(1e-9));
    cr_quasidynamic_destroy(work);
  }
  close_model();
}

// ---- derivatives

enum { MOST = 16 };

static void by_differences(const cr_real* qpos, const cr_real* u, bool of_u, cr_real* J, int n) {
  const cr_real h = CR_R(1e-6);
  cr_real next[2][MOST], moved[MOST], v[MOST], at[MOST];
  const int columns = of_u ? m.nu : m.nv;
  for (int j = 0; j < columns; j++) {
    for (int side = 0; side < 2; side++) {
      const cr_real step = side == 0 ? h : -h;
      cr_copy(moved, qpos, m.nq);
      cr_copy(at, u, m.nu);
      cr_zero(v, n);
      if (of_u) {
        at[j] += step;
      } else {
        v[j] = step;
        cri_configuration_move(&m, qpos, v, 1, moved);
      }
      take(moved, at, next[side]);
    }
    // next[0] (-) next[1] by the mujoco function of differences
    mj_differentiatePos(mj, v, 2 * h, next[1], next[0]);
    for (int i = 0; i < n; i++) {
      J[i * columns + j] = v[i];
    }
  }
}

static void compare(const cr_real* qpos, const cr_real* u, cr_real tolerance) {
  cr_real A[MOST * MOST], B[MOST * MOST], expected[MOST * MOST], next[MOST];
  take(qpos, u, next);
  assert_true(cr_quasidynamic_residual(work) < CR_R(1e-9));
  assert_int_equal(cr_quasidynamic_jacobian(work, A, B), CR_OK);
  by_differences(qpos, u, false, expected, m.nv);
  assert_all_close(A, expected, m.nv * m.nv, tolerance);
  by_differences(qpos, u, true, expected, m.nv);
  assert_all_close(B, expected, m.nv * m.nu, tolerance);
}

static const cr_real grasp[] = {CR_R(0.1),  CR_R(-0.5), CR_R(-0.12), CR_R(0.55),
                                CR_R(0.01), CR_R(0.0),  CR_R(0.3)},
                     squeeze[] = {CR_R(0.0), CR_R(-0.8), CR_R(0.02), CR_R(0.9)};
static const cr_real held[] = {CR_R(0.003), CR_R(0.001),  CR_R(0.101), 1,
                               CR_R(0.001), CR_R(-0.002), CR_R(0.05),  CR_R(0.01),
                               CR_R(0.01),  CR_R(-0.01),  CR_R(0.02)},
                     pinch[] = {CR_R(0.08), CR_R(0.05), CR_R(-0.09), CR_R(0.12)};

static void compare_all(cr_real weight, cr_real tolerance) {
  for (int friction = 0; friction < 2; friction++) {
    open_model(hand);
    open_steps((cr_friction)friction, weight);
    compare(grasp, squeeze, tolerance);
    cr_quasidynamic_destroy(work);
    close_model();
    open_model(box);
    open_steps((cr_friction)friction, weight);
    compare(held, pinch, tolerance);
    cr_quasidynamic_destroy(work);
    close_model();
  }
}

TEST(smoothed_derivatives_agree_with_differences) { compare_all(CR_R(100.0), CR_R(1e-6)); }

TEST(exact_derivatives_agree_with_differences) { compare_all(0, CR_R(1e-6)); }

// ---- bad input

static void refused(const cr_quasidynamic_options* options, cr_status status,
                    const char* sentence) {
  cr_error error = {0};
  assert_int_equal(cr_quasidynamic_create(&work, &m, options, &error), status);
  if (strstr(error.text, sentence) == NULL) {
    fail_msg("%s", error.text);
  }
}

TEST(options_that_are_not_sane_are_named) {
  open_model(hand);
  cr_quasidynamic_options o = {.size = sizeof o, .weight = -1};
  refused(&o, CR_ERR_ARG, "weight is -1: 0 or more is expected");
  o = (cr_quasidynamic_options){.size = sizeof o, .step = (cr_real)NAN};
  refused(&o, CR_ERR_ARG, "step is nan");
  o = (cr_quasidynamic_options){.size = sizeof o, .friction = (cr_friction)7};
  refused(&o, CR_ERR_ARG, "unknown friction 7");
  o = (cr_quasidynamic_options){.size = 3};
  refused(&o, CR_ERR_ARG, "cr_quasidynamic_options");
  close_model();
}

static void fails(const cr_real* qpos, const cr_real* u, cr_status status, const char* sentence) {
  cr_real next[MOST];
  assert_int_equal(cr_quasidynamic_step(work, qpos, u, next), status);
  if (strstr(cr_quasidynamic_error(work), sentence) == NULL) {
    fail_msg("%s", cr_quasidynamic_error(work));
  }
  assert_null(cr_quasidynamic_displacement(work));
  assert_int_equal(cr_quasidynamic_jacobian(work, next, NULL), CR_ERR_ARG);
}

// two walls that are nearer to each other than the ball is wide, and a ball that can only go sideways
TEST(what_cannot_be_separated_is_named) {
  open_model(
      "<mujoco><worldbody><geom name='low' type='plane' size='1 1 1'/>"
      "<geom name='high' type='plane' size='1 1 1' pos='0 0 .15' zaxis='0 0 -1'/>"
      "<body pos='0 0 .075'><freejoint/><geom name='ball' size='.1' mass='2'/></body>"
      "<body pos='3 0 3'><joint name='a' axis='0 0 1'/><geom size='.1' mass='1'/></body>"
      "</worldbody><actuator><position joint='a' kp='7'/></actuator></mujoco>");
  const cr_real u = 0;
  for (int friction = 0; friction < 2; friction++) {
    for (int smooth = 0; smooth < 2; smooth++) {
      open_steps((cr_friction)friction, smooth * CR_R(100.0));
      fails(m.qpos0, &u, CR_ERR_SOLVER,
            "found no displacement that separates all contacts, the contact of geom");
      cr_quasidynamic_destroy(work);
    }
  }
  close_model();
}

// a start in penetration that can be left is no error
TEST(a_start_in_penetration_comes_apart) {
  open_model(hand);
  for (int smooth = 0; smooth < 2; smooth++) {
    cr_real q[MOST];
    open_steps(CR_FRICTION_PYRAMID, smooth * CR_R(100.0));
    cr_copy(q, grasp, m.nq);
    q[5] = CR_R(-0.05);
    take(q, squeeze, q);
    for (int k = 0; k < 3; k++) {
      take(q, squeeze, q);
    }
    cr_real next[MOST];
    take(q, squeeze, next);
    for (int i = 0; i < cr_quasidynamic_contacts(work); i++) {
      cr_quasidynamic_contact contact = {.size = sizeof contact};
      assert_int_equal(cr_quasidynamic_get_contact(work, i, &contact, NULL), CR_OK);
      assert_true(contact.distance > CR_R(-0.002));
    }
    cr_quasidynamic_destroy(work);
  }
  close_model();
}

// the planar hand where gaps and forces are both tiny, and where setpoints hold the pose to 1e-8
TEST(contacts_that_hardly_touch_are_solved) {
  const struct {
    cr_real qpos[7], u[4];
  } starts[] = {{{CR_R(-1.1408410657309056), CR_R(-0.45673769005103226), CR_R(0.58821990710004224),
                  CR_R(0.84498265899525271), CR_R(0.0771445198006077), CR_R(0.35561883796570543),
                  CR_R(-0.15811007869158877)},
                 {CR_R(-1.5707999999990907), CR_R(-0.71299999999714914), CR_R(0.97570000001492296),
                  CR_R(1.1129999997721935)}},
                {{CR_R(-0.69528855445708759), CR_R(-0.0001525849211373036),
                  CR_R(0.87569993616794362), CR_R(2.1000000699991435), CR_R(-0.11613655828924166),
                  CR_R(0.4766622894555001), CR_R(-0.68775563779774815)},
                 {CR_R(-0.69528855445708759), CR_R(-0.0001525849211373036),
                  CR_R(0.8756999999639159), CR_R(2.0999999999998562)}}};
  mj = mjcf_data("../../examples/tasks/planar_hand.xml");
  m = mjcf_model(mj);
  for (int friction = CR_FRICTION_PYRAMID; friction <= CR_FRICTION_CONE; friction++) {
    for (int i = 0; i < 2; i++) {
      cr_real next[7];
      open_steps((cr_friction)friction, 0);
      if (cr_quasidynamic_step(work, starts[i].qpos, starts[i].u, next) != CR_OK) {
        fail_msg("start %d: %s", i, cr_quasidynamic_error(work));
      }
      assert_true(cr_quasidynamic_residual(work) < CR_R(1e-9));
      for (int k = 4; k < 7; k++) {
        assert_close(next[k], starts[i].qpos[k], CR_R(1e-6));
      }
      cr_quasidynamic_destroy(work);
    }
  }
  close_model();
}

// contacts that press a thousand times as much as others: predictors went in circles, and a block fell to rounding far from the end
TEST(large_and_small_forces_meet_in_a_step) {
  static const struct {
    cr_friction friction;
    cr_real weight, reach, qpos[5], u[2];
  } starts[] = {{CR_FRICTION_PYRAMID,
                 100,
                 10,
                 {CR_R(1.1193838259404072), CR_R(1.1814372493519896), CR_R(1.0191166982268502),
                  CR_R(0.562440230771896), CR_R(-1.4365109327704417)},
                 {CR_R(0.96339778759506456), CR_R(0.86757658771874671)}},
                {CR_FRICTION_CONE,
                 1000,
                 10,
                 {CR_R(-0.99765827996831702), CR_R(1.1615379019431398), CR_R(-0.56852129199123169),
                  CR_R(0.6665390859535465), CR_R(-0.44502038850014003)},
                 {CR_R(-0.96154772575354086), CR_R(1.0767381134451224)}},
                {CR_FRICTION_PYRAMID,
                 0,
                 CR_R(0.3),
                 {CR_R(1.2960674291218559), CR_R(0.12140131249842806), CR_R(0.93001636428518708),
                  CR_R(0.63534677992297206), CR_R(-1.2616990098737233)},
                 {CR_R(1.7104568390110628), CR_R(-0.29991666859960692)}}};
  mj = mjcf_data("../../examples/tasks/box_pivot.xml");
  m = mjcf_model(mj);
  for (int i = 0; i < 3; i++) {
    const cr_quasidynamic_options o = {.size = sizeof o,
                                       .friction = starts[i].friction,
                                       .weight = starts[i].weight,
                                       .reach = starts[i].reach};
    cr_real next[5];
    assert_int_equal(cr_quasidynamic_create(&work, &m, &o, NULL), CR_OK);
    if (cr_quasidynamic_step(work, starts[i].qpos, starts[i].u, next) != CR_OK) {
      fail_msg("start %d: %s", i, cr_quasidynamic_error(work));
    }
    assert_true(cr_quasidynamic_residual(work) < CR_R(1e-9));
    cr_quasidynamic_destroy(work);
  }
  close_model();
}

// a ball comes to rest on two fingers: motions of a step go below every rounding, steps stay exact
TEST(a_ball_that_rests_stays_at_rest) {
  const cr_real u[4] = {CR_R(-0.785398), CR_R(-0.785398), CR_R(0.785398), CR_R(0.785398)};
  cr_real q[7] = {0};
  mj = mjcf_data("../../examples/tasks/planar_hand.xml");
  m = mjcf_model(mj);
  m.gravity[2] = -10;
  cr_copy(q, u, 4);
  q[5] = CR_R(0.35);
  open_steps(CR_FRICTION_PYRAMID, 0);
  for (int k = 0; k < 60; k++) {
    if (cr_quasidynamic_step(work, q, u, q) != CR_OK) {
      fail_msg("step %d: %s", k, cr_quasidynamic_error(work));
    }
  }
  assert_close(q[4], 0, CR_R(1e-9));
  assert_close(q[5], CR_R(0.3115658087), CR_R(1e-8));
  cr_quasidynamic_destroy(work);
  close_model();
}

TEST(what_nothing_resists_is_named) {
  open_model(hand);
  const cr_quasidynamic_options o = {.size = sizeof o, .inertia = CR_INERTIA_NONE};
  assert_int_equal(cr_quasidynamic_create(&work, &m, &o, NULL), CR_OK);
  fails(grasp, squeeze, CR_ERR_SINGULAR, "nothing resists dof 4, of joint 4; give it inertia");
  cr_real bad[MOST] = {(cr_real)NAN};
  fails(bad, squeeze, CR_ERR_NONFINITE, "qpos[0] is not finite");
  fails(grasp, bad, CR_ERR_NONFINITE, "u[0] is not finite");
  cr_quasidynamic_destroy(work);
  close_model();
}

// ---- the barrier

TEST(the_barrier_tends_to_the_exact_step) {
  cr_real exact[MOST], next[MOST], A[MOST * MOST], B[MOST * MOST], smooth_A[MOST * MOST],
      smooth_B[MOST * MOST];
  for (int friction = 0; friction < 2; friction++) {
    open_model(hand);
    open_steps((cr_friction)friction, 0);
    take(grasp, squeeze, exact);
    assert_int_equal(cr_quasidynamic_jacobian(work, A, B), CR_OK);
    cr_quasidynamic_destroy(work);
    cr_real last = 1;
    for (int decade = 1; decade <= 9; decade++) {
      open_steps((cr_friction)friction, cr_pow(10, (cr_real)decade));
      take(grasp, squeeze, next);
      assert_int_equal(cr_quasidynamic_jacobian(work, smooth_A, smooth_B), CR_OK);
      cr_real off = 0;
      for (int i = 0; i < m.nq; i++) {
        off = cr_max(off, cr_abs(next[i] - exact[i]));
      }
      assert_true(off < last);
      last = off;
      cr_quasidynamic_destroy(work);
    }
    assert_true(last < CR_R(1e-6));
    assert_all_close(smooth_A, A, m.nv * m.nv, CR_R(1e-4));
    assert_all_close(smooth_B, B, m.nv * m.nu, CR_R(1e-4));
    close_model();
  }
}
