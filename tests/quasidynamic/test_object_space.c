// SPDX-License-Identifier: Apache-2.0
// Poses of objects: differences of every kind of joint in units, samples inside their box, and what has no object.
// Needs: io
#include "quasidynamic/object_space.h"

#include "kinematics/configuration.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"

// a servo, and an object on each kind of joint: qpos 1 + 7 + 4 + 1 + 1
static const char scene[] =
    "<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body>"
    "<body pos='1 0 0'><freejoint/><geom size='.1'/></body>"
    "<body pos='2 0 0'><joint type='ball'/><geom size='.1'/></body>"
    "<body pos='3 0 0'><joint type='slide'/><joint/><geom size='.1'/></body></worldbody>"
    "<actuator><position joint='a' kp='5'/></actuator></mujoco>";

enum { NV = 12, NQ = 14, N = 11 };

static mjModel* mj;
static cr_model m;
static cri_object_space objects;
static bool has_servo[NV] = {true};

static void open_scene(void) {
  mj = mjcf_compile(scene);
  m = mjcf_model(mj);
  assert_int_equal(cri_objects_find(&objects, &m, has_servo, CR_R(0.1), NULL), CR_OK);
}

static void close_scene(void) {
  cri_objects_free(&objects);
  cri_model_free(&m);
  mj_deleteModel(mj);
}
AROUND_EACH(open_scene, close_scene)

TEST(a_difference_undoes_a_move_in_units) {
  const cr_real v[NV] = {CR_R(0.5), CR_R(0.2), CR_R(-0.1), CR_R(0.3), CR_R(0.4), CR_R(-0.6),
                         CR_R(0.8), 1,         CR_R(0.2),  CR_R(0.1), CR_R(0.7), CR_R(-0.9)};
  cr_real from[NQ], to[NQ], d[N], sum = 0;
  assert_int_equal(objects.n, N);
  cr_copy(from, m.qpos0, NQ);
  cri_configuration_move(&m, from, v, 1, to);
  cri_objects_difference(&objects, to, from, d);
  for (int i = 0; i < N; i++) {
    // positions and the slide: 0.1 m count as 1
    const cr_real expected = v[i + 1] / (i < 3 || i == 9 ? CR_R(0.1) : 1);
    assert_int_equal(objects.dof[i], i + 1);
    assert_close(d[i], expected, CR_R(1e-12));
    sum += expected * expected;
  }
  assert_close(cri_objects_distance(&objects, to, from), cr_sqrt(sum), CR_R(1e-12));
}

TEST(samples_lie_in_the_box) {
  const cr_real v[NV] = {0, CR_R(0.2), 0, 0, 0, 0, CR_R(1.5), 0, 0, 0, CR_R(-0.3), CR_R(0.4)};
  cr_real from[NQ], to[NQ], low[N], high[N], x[NQ], d[N], most = 0;
  cr_random random = cr_random_seed(1, 0);
  cr_copy(from, m.qpos0, NQ);
  cri_configuration_move(&m, from, v, 1, to);
  cri_objects_box(&objects, from, to, CR_R(0.05), low, high);
  cr_copy(x, from, NQ);
  for (int k = 0; k < 100; k++) {
    cri_objects_draw(&objects, &random, from, low, high, x);
    cri_objects_difference(&objects, x, from, d);
    assert_close(x[0], from[0], 0);
    for (int i = 0; i < N; i++) {
      const cr_real far = v[i + 1] / objects.unit[i];
      assert_true(d[i] > cr_min(0, far) - CR_R(0.0501) && d[i] < cr_max(0, far) + CR_R(0.0501));
    }
    most = cr_max(most, d[5]);
  }
  assert_true(most > 1);  // the turn is sampled as far as the goal
}

TEST(orientations_get_unit_length) {
  cr_real x[NQ], d[N];
  cr_copy(x, m.qpos0, NQ);
  for (int k = 4; k < 8; k++) {
    x[k] *= 3;
  }
  cri_objects_normalise(&objects, x);
  cri_objects_difference(&objects, x, m.qpos0, d);
  for (int i = 0; i < N; i++) {
    assert_close(d[i], 0, CR_R(1e-15));
  }
}

TEST(without_an_object_there_is_a_sentence) {
  cri_object_space none;
  cr_error error = {0};
  const bool all[NV] = {true, true, true, true, true, true, true, true, true, true, true, true};
  assert_int_equal(cri_objects_find(&none, &m, all, 1, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "there is no object"));
  cri_objects_free(&none);
}
