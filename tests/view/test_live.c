// SPDX-License-Identifier: Apache-2.0
// The simulation of a live page, run natively: its steps are those of the library, the hand pulls with a critically damped
// spring, the gradient of the prediction is that of differences, and a failure leaves what was there.
#include "view/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

static const char cube[] =
    "<mujoco><option timestep='0.004'/><worldbody><geom name='floor' type='plane' size='2 2 .1'/>"
    "<body name='cube' pos='0 0 .2'><freejoint name='cube'/><geom name='cube' type='box' size='.05 "
    ".05 .05' mass='.4' solref='.02 1'/></body></worldbody></mujoco>";
static const char arm[] =
    "<mujoco><option timestep='0.002'/><worldbody><body name='upper' pos='0 0 1'><joint "
    "name='shoulder' axis='0 1 0' damping='.1'/><geom name='upper' type='capsule' size='.03' "
    "fromto='0 0 0 .3 0 0' mass='1'/><site name='a' pos='.1 0 .1'/><body name='lower' pos='.3 0 0'>"
    "<joint name='elbow' axis='0 1 0' damping='.1'/><geom name='lower' type='capsule' size='.03' "
    "fromto='0 0 0 .3 0 0' mass='.5' contype='0'/><site name='b' pos='.1 0 .1'/></body></body>"
    "</worldbody><tendon><spatial name='cord'><site site='a'/><site site='b'/></spatial></tendon>"
    "<actuator><motor name='drive' joint='elbow' gear='2'/></actuator></mujoco>";

static cr_live* live;

// a simulation of a model, and the model itself
static cr_model* begin(const char* text, const char* names) {
  cr_error error;
  cr_model* m = NULL;
  size_t n = 0;
  if (cr_model_open(&m, scratch_write("a.xml", text), &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(cr_model_save_bytes(m, NULL, 0, &n, &error), CR_OK);
  unsigned char* bytes = malloc(n);
  assert_int_equal(cr_model_save_bytes(m, bytes, n, &n, &error), CR_OK);
  live = cr_live_create();
  if (cr_live_open(live, bytes, n, names) != CR_OK) {
    fail_msg("%s", cr_live_error(live));
  }
  free(bytes);
  return m;
}

static void end(cr_model* m) {
  cr_live_destroy(live);
  cr_model_destroy(m);
}

static void live_must(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", cr_live_error(live));
  }
}

TEST(steps_are_those_of_the_library) {
  cr_model* m = begin(cube, "");
  cr_data* d = NULL;
  cr_error error;
  const cr_real velocity[6] = {0.3, 0.8, 1.2, 3, 2, -4};
  assert_int_equal(cr_data_create(&d, m, &error), CR_OK);
  assert_int_equal(cr_data_set(m, d, "qvel", velocity, 6, &error), CR_OK);
  memcpy(cr_live_numbers(live, CR_LIVE_START) + 1 + 7, velocity, sizeof velocity);
  live_must(cr_live_reset(live));
  for (int k = 0; k < 200; k++) {
    assert_int_equal(cr_step(m, d), CR_OK);
    cr_advance(m, d);
    live_must(cr_live_step(live, 1));
    live_must(cr_live_show(live));  // changes nothing
    assert_memory_equal(cr_live_numbers(live, CR_LIVE_QPOS), cr_data_view(m, d, "qpos", NULL, NULL),
                        7 * sizeof(cr_real));
  }
  assert_true(cr_live_time(live) == cr_data_time(d));
  assert_int_equal(cr_live_count(live, CR_LIVE_POSE), 14);
  assert_true(cr_live_count(live, CR_LIVE_CONTACT) >= 6);
  // the shown pose is that of the present state
  for (int k = 0; k < 3; k++) {
    assert_true(cr_live_numbers(live, CR_LIVE_POSE)[7 + k] ==
                cr_live_numbers(live, CR_LIVE_QPOS)[k]);
  }
  live_must(cr_live_reset(live));
  assert_true(cr_live_numbers(live, CR_LIVE_QVEL)[5] == velocity[5] && cr_live_time(live) == 0);
  cr_data_destroy(d);
  end(m);
}

TEST(tendons_are_shown) {
  cr_model* m = begin(arm, "");
  live_must(cr_live_show(live));
  assert_int_equal(cr_live_count(live, CR_LIVE_PATH), 6);
  const cr_real *path = cr_live_numbers(live, CR_LIVE_PATH), across = path[3] - path[0];
  assert_int_equal(cr_live_count(live, CR_LIVE_LEVEL), 1);
  assert_true(fabs(cr_live_numbers(live, CR_LIVE_LEVEL)[0] - across) < 1e-12);
  end(m);
}

// boxes side by side: more contacts than the rule has room for
TEST(more_contacts_than_there_was_room_for) {
  enum { SIDE = 7, N = SIDE * SIDE };
  char text[16384], *at = text;
  at += sprintf(at, "<mujoco><worldbody><geom type='plane' size='9 9 1'/>");
  for (int i = 0; i < N; i++) {
    at += sprintf(
        at, "<body pos='%g %g .0499'><freejoint/><geom type='box' size='.05 .05 .05'/></body>",
        0.0999 * (i % SIDE), 0.0999 * (i / SIDE));
  }
  (void)sprintf(at, "</worldbody></mujoco>");
  cr_model* m = begin(text, "");
  int room = live->contacts;
  live_must(cr_live_step(live, 1));
  live_must(cr_live_show(live));
  assert_true(cr_live_count(live, CR_LIVE_CONTACT) > 6 * room && live->contacts > room);
  live_must(cr_live_step(live, 3));
  end(m);
}

// the hand holds a corner of the cube: that corner hangs below it by the weight over the stiffness, and the cube is still
TEST(a_hand_holds_a_corner) {
  cr_model* m = begin(cube, "");
  live_must(cr_live_show(live));
  live_must(cr_live_grab(live, 1, 0.05, 0.05, 0.25));
  cr_live_move(live, 0.3, 0.1, 0.6);
  live_must(cr_live_step(live, 4000));
  const cr_real stiffness = live->spring.stiffness;
  assert_true(stiffness > 0);
  live_must(cr_live_show(live));
  // the corner in the world: pos + R (0.05, 0.05, 0.05)
  const cr_real *pos = cr_data_numbers(live->m, live->shown, "xpos", NULL, NULL) + 3,
                *turn = cr_data_numbers(live->m, live->shown, "xmat", NULL, NULL) + 9;
  cr_real corner[3];
  for (int k = 0; k < 3; k++) {
    corner[k] = pos[k] + 0.05 * (turn[3 * k] + turn[3 * k + 1] + turn[3 * k + 2]);
  }
  assert_true(fabs(corner[0] - 0.3) < 1e-3 && fabs(corner[1] - 0.1) < 1e-3);
  assert_true(fabs(corner[2] - (0.6 - 0.4 * 9.81 / stiffness)) < 1e-3);
  // its centre hangs below the corner
  assert_true(fabs(pos[0] - corner[0]) < 1e-3 && pos[2] < corner[2] - 0.08);
  cr_live_let_go(live);
  live_must(cr_live_step(live, 1));
  const cr_real* applied = cr_data_numbers(live->m, live->d, "xfrc_applied", NULL, NULL);
  for (int k = 0; k < 12; k++) {
    assert_true(applied[k] == 0);
  }
  end(m);
}

// in free space a point that is pulled goes to its target without passing it
TEST(the_spring_is_critically_damped) {
  cr_model* m = begin(
      "<mujoco><option timestep='0.0002' gravity='0 0 0'/><worldbody><body name='ball'><freejoint/>"
      "<geom size='.1' mass='2'/></body></worldbody></mujoco>",
      "");
  live_must(cr_live_show(live));
  live_must(cr_live_grab(live, 1, 0, 0, 0));
  // m x'' = k (1 - x) - 2 sqrt(k m) x': 1 - x = (1 + w t) exp(-w t)
  const cr_real w = sqrt(live->spring.stiffness / 2);
  assert_true(fabs(live->spring.damping - 4 * w) < 1e-9);
  cr_live_move(live, 1, 0, 0);
  for (int k = 1; k <= 3000; k++) {
    live_must(cr_live_step(live, 1));
    cr_real t = 0.0002 * k, x = cr_live_numbers(live, CR_LIVE_QPOS)[0];
    // the integrator is of first order
    assert_true(x < 1.0001 && fabs(x - (1 - (1 + w * t) * exp(-w * t))) < w * 0.0002);
  }
  end(m);
}

// a step of RK4 leaves the poses of its last stage
TEST(a_hand_pulls_with_every_integrator) {
  static const char* const words[] = {"Euler", "RK4", "implicit", "implicitfast"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "<mujoco><option integrator='%s'/><worldbody><body><joint name='hinge' axis='0 "
        "1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .5 0 0'/></body></worldbody>"
        "</mujoco>",
        words[i]);
    cr_model* m = begin(text, "");
    live_must(cr_live_show(live));
    live_must(cr_live_grab(live, 1, 0.5, 0, 0));
    cr_live_move(live, 0, 0, 0.5);
    live_must(cr_live_step(live, 2000));
    // up, about -y; at the target its weight has no moment
    assert_true(fabs(cr_live_numbers(live, CR_LIVE_QPOS)[0] + 1.5707963) < 1e-4);
    end(m);
  }
}

TEST(what_cannot_be_grabbed) {
  cr_model* m = begin(cube, "");
  live_must(cr_live_show(live));
  assert_int_equal(cr_live_grab(live, 0, 0, 0, 0), CR_ERR_ARG);
  assert_int_equal(cr_live_grab(live, 2, 0, 0, 0), CR_ERR_ARG);
  assert_non_null(strstr(cr_live_error(live), "no body 2"));
  assert_int_equal(cr_live_predict(live, 1, 2), CR_ERR_ARG);  // nothing was looked ahead
  end(m);
}

// ---- the gradient, by central differences

static cr_real predicted(int body, int axis) {
  live_must(cr_live_predict(live, body, axis));
  return cr_live_numbers(live, CR_LIVE_AHEAD)[cr_live_count(live, CR_LIVE_AHEAD) - 3 + axis];
}

// the number at x, which `used` makes effective
static void check_slope(cr_real* x, cr_status (*used)(cr_live*), int body, int axis,
                        cr_real slope) {
  const cr_real h = 1e-5, before = *x;
  cr_real ends[2];
  for (int side = 0; side < 2; side++) {
    *x = before + (side == 0 ? -h : h);
    if (used != NULL) {
      live_must(used(live));
    }
    ends[side] = predicted(body, axis);
  }
  *x = before;
  if (used != NULL) {
    live_must(used(live));
  }
  cr_real expected = (ends[1] - ends[0]) / (2 * h);
  if (!(fabs(slope - expected) <= 1e-6 * fmax(fabs(expected), 1e-2))) {
    fail_msg("%.12g, differences give %.12g", (double)slope, (double)expected);
  }
}

TEST(the_gradient_is_that_of_differences) {
  enum { STEPS = 60 };
  cr_model* m = begin(arm, "body_mass[lower]\ngravity[2]\ndof_damping[elbow]");
  cr_real kept[16];
  assert_true(cr_live_numbers(live, CR_LIVE_PARAMETER)[1] == -9.81);
  cr_live_numbers(live, CR_LIVE_CTRL)[0] = 0.3;
  cr_live_numbers(live, CR_LIVE_QVEL)[1] = -1;
  live_must(cr_live_show(live));
  live_must(cr_live_look_ahead(live, STEPS));
  for (int axis = 0; axis <= 2; axis += 2) {
    (void)predicted(2, axis);
    int n = 0;
    for (int i = 0; i < 2; i++) {
      kept[n++] = cr_live_numbers(live, CR_LIVE_BY_VELOCITY)[i];
    }
    kept[n++] = cr_live_numbers(live, CR_LIVE_BY_CTRL)[0];
    for (int i = 0; i < 3; i++) {
      kept[n++] = cr_live_numbers(live, CR_LIVE_BY_PARAMETER)[i];
    }
    kept[n++] = cr_live_numbers(live, CR_LIVE_BY_FORCE)[12];
    kept[n++] = cr_live_numbers(live, CR_LIVE_BY_FORCE)[14];
    for (int i = 0; i < 2; i++) {
      check_slope(&cr_live_numbers(live, CR_LIVE_QVEL)[i], NULL, 2, axis, kept[i]);
    }
    check_slope(cr_live_numbers(live, CR_LIVE_CTRL), NULL, 2, axis, kept[2]);
    for (int i = 0; i < 3; i++) {
      check_slope(&cr_live_numbers(live, CR_LIVE_PARAMETER)[i], cr_live_set_parameters, 2, axis,
                  kept[3 + i]);
    }
    cr_real* applied = cr_data_view(live->m, live->d, "xfrc_applied", NULL, NULL);
    check_slope(&applied[12], NULL, 2, axis, kept[6]);
    check_slope(&applied[14], NULL, 2, axis, kept[7]);
  }
  end(m);
}

// the path that is predicted is the one that is then taken
TEST(a_prediction_comes_true) {
  cr_model* m = begin(cube, "");
  cr_live_numbers(live, CR_LIVE_QVEL)[0] = 1;
  live_must(cr_live_show(live));
  live_must(cr_live_look_ahead(live, 90));
  cr_real z = predicted(1, 2);
  assert_true(cr_live_time(live) == 0);
  int n = cr_live_count(live, CR_LIVE_AHEAD) / 3;
  assert_true(n > 20 && n <= 33);
  live_must(cr_live_step(live, 90));
  assert_true(fabs(cr_live_numbers(live, CR_LIVE_QPOS)[2] - z) < 1e-12);
  end(m);
}

TEST(a_parameter_that_is_refused_leaves_the_model) {
  cr_model* m = begin(cube, "body_mass[cube]\ngeom_friction[cube][0]");
  cr_real* values = cr_live_numbers(live, CR_LIVE_PARAMETER);
  values[0] = 0.8;
  live_must(cr_live_set_parameters(live));
  values[0] = -1;
  values[1] = 0.7;
  assert_int_equal(cr_live_set_parameters(live), CR_ERR_MODEL);
  assert_non_null(strstr(cr_live_error(live), "body_mass"));
  assert_true(values[0] == 0.8 && values[1] == 1);
  live_must(cr_live_step(live, 1));
  // constants follow: half the inverse weight
  cr_real inverse[2];
  cr_error error;
  assert_int_equal(cr_model_get(live->m, "body_invweight0[cube]", inverse, 2, &error), CR_OK);
  assert_true(fabs(inverse[0] - 1 / 0.8) < 1e-9);
  end(m);
}

TEST(names_that_are_none) {
  cr_live* other = cr_live_create();
  cr_error error;
  size_t n = 0;
  cr_model* m = begin(cube, "");
  assert_int_equal(cr_model_save_bytes(m, NULL, 0, &n, &error), CR_OK);
  unsigned char* bytes = malloc(n);
  assert_int_equal(cr_model_save_bytes(m, bytes, n, &n, &error), CR_OK);
  assert_int_equal(cr_live_open(other, bytes, n, "gravity[2]\nbody_mas[cube]"), CR_ERR_NAME);
  assert_non_null(strstr(cr_live_error(other), "body_mass"));
  cr_live_destroy(other);
  other = cr_live_create();
  assert_int_equal(cr_live_open(other, bytes, 20, ""), CR_ERR_FORMAT);
  cr_live_destroy(other);
  free(bytes);
  end(m);
}
