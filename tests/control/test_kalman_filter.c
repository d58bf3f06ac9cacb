// SPDX-License-Identifier: Apache-2.0
// The extended Kalman filter: of a linear model it is the textbook's, in matrices; its errors are as large as it says; an orientation is found
// from quaternions of either sign; with a regulator it holds a pole upright from two sensors; what is refused changes nothing.
// Needs: io
#include "carom/filter.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/real.h"
#include "carom/feedback.h"
#include "carom/step.h"
#include "carom/step_jacobian.h"
#include "support/allocation.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

typedef struct {
  cr_model* m;
  cr_data* d;  // the truth
  cr_filter* filter;
} scene;

static scene scene_of(const char* text) {
  scene s = {.filter = NULL};
  must(cr_model_open(&s.m, scratch_write("filter.xml", text), &error));
  must(cr_data_create(&s.d, s.m, &error));
  return s;
}

static void scene_free(scene* s) {
  cr_filter_destroy(s->filter);
  cr_data_destroy(s->d);
  cr_model_destroy(s->m);
}

static cr_real* view(const scene* s, const char* field) {
  return cr_data_view(s->m, s->d, field, NULL, NULL);
}

static cr_real* guess(const scene* s, const char* field) {
  return cr_data_view(s->m, cr_filter_data(s->filter), field, NULL, NULL);
}

// ---- two masses on springs, both numbers of one sensor seen

enum { NX = 4, NV = 2, NY = 3 };
static const char masses[] =
    "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody>"
    "<body><joint name='a' type='slide' stiffness='40' damping='1'/><geom size='.1' mass='1'/>"
    "<body pos='.5 0 0'><joint name='b' type='slide' stiffness='20' damping='.5'/><geom size='.1' "
    "mass='2'/><site name='s'/></body></body></worldbody>"
    "<sensor><jointpos joint='a'/><jointvel joint='b'/><jointpos joint='b'/></sensor></mujoco>";

typedef struct {
  cr_real a[NX][NX];
} matrix;

// C P C' + R by its numbers; Gauss and Jordan for S^-1
static void textbook_gain(const matrix* P, cr_real C[NY][NX], const cr_real* r, cr_real K[NX][NY]) {
  cr_real S[NY][2 * NY] = {{0}}, PC[NX][NY] = {{0}};
  for (int i = 0; i < NX; i++) {
    for (int j = 0; j < NY; j++) {
      for (int k = 0; k < NX; k++) {
        PC[i][j] += P->a[i][k] * C[j][k];
      }
    }
  }
  for (int i = 0; i < NY; i++) {
    S[i][NY + i] = 1;
    for (int j = 0; j < NY; j++) {
      S[i][j] = i == j ? r[i] * r[i] : 0;
      for (int k = 0; k < NX; k++) {
        S[i][j] += C[i][k] * PC[k][j];
      }
    }
  }
  for (int p = 0; p < NY; p++) {
    for (int j = 2 * NY - 1; j >= 0; j--) {
      S[p][j] /= S[p][p];
    }
    for (int i = 0; i < NY; i++) {
      cr_real f = S[i][p];
      for (int j = 0; j < 2 * NY && i != p; j++) {
        S[i][j] -= f * S[p][j];
      }
    }
  }
  for (int i = 0; i < NX; i++) {
    for (int j = 0; j < NY; j++) {
      K[i][j] = 0;
      for (int k = 0; k < NY; k++) {
        K[i][j] += PC[i][k] * S[k][NY + j];
      }
    }
  }
}

// x and P after a measurement, Joseph's form
static void textbook_correct(cr_real* x, matrix* P, cr_real C[NY][NX], const cr_real* r,
                             const cr_real* y) {
  cr_real K[NX][NY], e[NY];
  matrix L, next = {{{0}}};
  textbook_gain(P, C, r, K);
  for (int i = 0; i < NY; i++) {
    e[i] = y[i];
    for (int k = 0; k < NX; k++) {
      e[i] -= C[i][k] * x[k];
    }
  }
  for (int i = 0; i < NX; i++) {
    for (int j = 0; j < NX; j++) {
      L.a[i][j] = i == j;
      for (int k = 0; k < NY; k++) {
        L.a[i][j] -= K[i][k] * C[k][j];
        next.a[i][j] += K[i][k] * r[k] * r[k] * K[j][k];
      }
    }
    for (int k = 0; k < NY; k++) {
      x[i] += K[i][k] * e[k];
    }
  }
  for (int i = 0; i < NX * NX * NX * NX; i++) {
    int a = i / (NX * NX * NX), b = i / (NX * NX) % NX, c = i / NX % NX, d = i % NX;
    next.a[a][b] += L.a[a][c] * P->a[c][d] * L.a[b][d];
  }
  *P = next;
}

static void textbook_predict(cr_real* x, matrix* P, cr_real A[NX][NX], cr_real F[NX][NV],
                             const cr_real* force, const cr_real* state) {
  cr_real next_x[NX] = {0};
  matrix next = {{{0}}};
  for (int a = 0; a < NX; a++) {
    for (int b = 0; b < NX; b++) {
      next_x[a] += A[a][b] * x[b];
      next.a[a][b] = a == b ? state[a] * state[a] : 0;
      for (int k = 0; k < NV; k++) {
        next.a[a][b] += F[a][k] * force[k] * force[k] * F[b][k];
      }
      for (int k = 0; k < NX * NX; k++) {
        next.a[a][b] += A[a][k / NX] * P->a[k / NX][k % NX] * A[b][k % NX];
      }
    }
  }
  *P = next;
  cr_copy(x, next_x, NX);
}

TEST(a_linear_filter_is_the_textbooks) {
  scene s = scene_of(masses);
  const cr_real noise[NY] = {CR_R(0.02), CR_R(0.1), CR_R(0.05)}, force[NV] = {2, CR_R(0.5)};
  const cr_real start[NX] = {CR_R(0.3), CR_R(0.2), 1, CR_R(0.5)};
  const cr_real added[NX] = {0, CR_R(0.001), 0, CR_R(0.01)};
  const cr_filter_options o = {
      .size = sizeof o, .sensor_noise = noise, .start = start, .force = force, .state = added};
  cr_real C[NY][NX] = {{1, 0, 0, 0}, {0, 0, 0, 1}, {0, 1, 0, 0}}, A[NX][NX], F[NX][NV];
  cr_real x[NX] = {0};
  matrix P = {{{0}}};
  cr_jacobian* j = NULL;
  cr_random random = cr_random_seed(4, 0);
  must(cr_filter_create(&s.filter, s.m, s.d, &o, &error));
  must(cr_jacobian_create(&j, s.m, s.d, &error));
  must(cr_step(s.m, s.d));
  must(cr_step_jacobian(s.m, s.d, j, A[0], NULL, F[0]));
  for (int i = 0; i < NX; i++) {
    P.a[i][i] = start[i] * start[i];
  }
  long before = allocation_count();
  for (int k = 0; k < 50; k++) {
    cr_real y[NY], surprise;
    int seen;
    for (int i = 0; i < NY; i++) {
      y[i] = CR_R(0.3) * cr_random_normal(&random);
    }
    must(cr_filter_correct(s.filter, y, NULL, &surprise, &seen, &error));
    textbook_correct(x, &P, C, noise, y);
    assert_int_equal(seen, NY);
    must(cr_filter_predict(s.filter, NULL, &error));
    textbook_predict(x, &P, A, F, force, added);
    assert_all_close(guess(&s, "qpos"), x, NV, CR_R(1e-11));
    assert_all_close(guess(&s, "qvel"), x + NV, NV, CR_R(1e-11));
    assert_all_close(cr_filter_covariance(s.filter), P.a[0], NX * NX, CR_R(1e-11));
  }
  assert_int_equal(allocation_count(), before);
  cr_jacobian_destroy(j);
  scene_free(&s);
}

// ---- errors are as large as the filter says

static const char pendulum[] =
    "<mujoco><option timestep='0.005'/><worldbody><body><joint name='a' axis='0 1 0' "
    "damping='.05'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -.4' size='.03' mass='1'/><body pos='0 0 -.4'><joint "
    "name='b' axis='0 1 0' damping='.02'/><geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02' "
    "mass='.5'/><site name='tip' pos='0 0 -.3'/></body></body></worldbody><sensor><jointpos "
    "joint='a'/><gyro site='tip'/><accelerometer site='tip'/></sensor></mujoco>";

enum { PENDULUM_NY = 7, RUNS = 40, STEPS = 100 };

// a number of a covariance's diagonal, as a deviation
static cr_real deviation(const scene* s, int i) {
  return cr_sqrt(cr_filter_covariance(s->filter)[(NX + 1) * i]);
}

// a run with a start and forces as unknown as the filter is told; sums of squares over their variances, and of surprises
static void follow(uint64_t seed, cr_real* state_sum, cr_real* sensor_sum) {
  scene s = scene_of(pendulum);
  const cr_real start[NX] = {CR_R(0.1), CR_R(0.1), CR_R(0.3), CR_R(0.3)};
  const cr_real force[NV] = {CR_R(0.3), CR_R(0.1)};
  cr_real noise[PENDULUM_NY], y[PENDULUM_NY], surprise;
  int seen;
  cr_random random = cr_random_seed(seed, 3);
  for (int i = 0; i < PENDULUM_NY; i++) {
    noise[i] = i == 0 ? CR_R(0.01) : i < 4 ? CR_R(0.02) : CR_R(0.3);
  }
  const cr_filter_options o = {
      .size = sizeof o, .sensor_noise = noise, .start = start, .force = force};
  view(&s, "qpos")[0] = CR_R(0.8);
  view(&s, "qpos")[1] = CR_R(-0.4);
  must(cr_filter_create(&s.filter, s.m, s.d, &o, &error));
  for (int i = 0; i < NX; i++) {
    view(&s, i < NV ? "qpos" : "qvel")[i % NV] += start[i] * cr_random_normal(&random);
  }
  for (int k = 0; k < STEPS; k++) {
    for (int i = 0; i < NV; i++) {
      view(&s, "qfrc_applied")[i] = 0;  // sensors at this time do not see the force to come
    }
    must(cr_forward(s.m, s.d));
    for (int i = 0; i < PENDULUM_NY; i++) {
      y[i] = view(&s, "sensordata")[i] + noise[i] * cr_random_normal(&random);
    }
    must(cr_filter_correct(s.filter, y, NULL, &surprise, &seen, &error));
    *sensor_sum += surprise / (cr_real)(seen * STEPS * RUNS);
    for (int i = 0; i < NX && k == STEPS - 1; i++) {
      const char* field = i < NV ? "qpos" : "qvel";
      cr_real off = guess(&s, field)[i % NV] - view(&s, field)[i % NV];
      *state_sum += cr_abs(off / deviation(&s, i)) * cr_abs(off / deviation(&s, i)) / (NX * RUNS);
    }
    for (int i = 0; i < NV; i++) {
      view(&s, "qfrc_applied")[i] = force[i] * cr_random_normal(&random);
    }
    must(cr_step(s.m, s.d));
    must(cr_advance(s.m, s.d));
    must(cr_filter_predict(s.filter, NULL, &error));
  }
  scene_free(&s);
}

// means of chi-square over its degrees: 28000 numbers of sensors, 160 of states that hang together
TEST(errors_are_as_large_as_it_says) {
  cr_real of_state = 0, of_sensors = 0;
  for (uint64_t seed = 0; seed < RUNS; seed++) {
    follow(seed, &of_state, &of_sensors);
  }
  assert_close(of_sensors, 1, CR_R(0.03));
  assert_close(of_state, 1, CR_R(0.4));
}

// ---- orientations

static const char top[] =
    "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body name='top'><joint "
    "type='ball' "
    "damping='.001'/><geom type='box' size='.1 .2 .3'/></body></worldbody><sensor><framequat "
    "objtype='body' objname='top'/></sensor></mujoco>";

static cr_real angle_between(const cr_real* p, const cr_real* q) {
  cr_real dot = cr_abs(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]);
  return 2 * cr_sqrt(2 * cr_max(1 - dot, 0));
}

// a top whose spin is not known, seen with either sign
TEST(an_orientation_is_found_from_quaternions_of_either_sign) {
  scene s = scene_of(top);
  const cr_real noise[4] = {CR_R(0.01), CR_R(0.01), CR_R(0.01), CR_R(0.01)};
  const cr_real start[6] = {CR_R(0.5), CR_R(0.5), CR_R(0.5), 2, 2, 2};
  const cr_filter_options o = {.size = sizeof o, .sensor_noise = noise, .start = start};
  const cr_real spin[3] = {1, CR_R(-0.5), CR_R(1.5)};
  cr_random random = cr_random_seed(1, 9);
  must(cr_filter_create(&s.filter, s.m, s.d, &o, &error));
  cr_copy(view(&s, "qvel"), spin, 3);
  for (int k = 0; k < 200; k++) {
    cr_real y[4];
    must(cr_forward(s.m, s.d));
    for (int i = 0; i < 4; i++) {
      y[i] = (k % 2 == 0 ? 1 : -1) *
             (view(&s, "sensordata")[i] + noise[i] * cr_random_normal(&random));
    }
    must(cr_filter_correct(s.filter, y, NULL, NULL, NULL, &error));
    must(cr_step(s.m, s.d));
    must(cr_advance(s.m, s.d));
    must(cr_filter_predict(s.filter, NULL, &error));
  }
  assert_true(angle_between(guess(&s, "qpos"), view(&s, "qpos")) < CR_R(0.02));
  for (int i = 0; i < 3; i++) {
    assert_close(guess(&s, "qvel")[i], view(&s, "qvel")[i], CR_R(0.03));
  }
  scene_free(&s);
}

// ---- with a regulator

static const char cart[] =
    "<mujoco><option timestep='0.01'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
    "<geom type='box' size='.1 .1 .05' mass='1'/><body><joint name='pole' axis='0 1 0'/><geom "
    "type='capsule' fromto='0 0 0 0 0 .6' size='.02' mass='.2'/><site name='imu' pos='0 0 "
    ".3'/></body>"
    "</body></worldbody><actuator><motor joint='x'/></actuator><sensor><jointpos joint='x'/><gyro "
    "site='imu'/></sensor></mujoco>";

// the gain at rest, upright
static void regulator(const scene* s, cr_real K[NX]) {
  cr_real A[NX * NX], B[NX], Q[NX * NX] = {0}, R = CR_R(0.1);
  cr_jacobian* j = NULL;
  for (int i = 0; i < NX; i++) {
    Q[(NX + 1) * i] = 1;
  }
  must(cr_jacobian_create(&j, s->m, s->d, &error));
  must(cr_step(s->m, s->d));
  must(cr_step_jacobian(s->m, s->d, j, A, B, NULL));
  must(cr_lqr(NX, 1, A, B, Q, &R, K, NULL, &error));
  cr_jacobian_destroy(j);
}

TEST(a_pole_stands_by_an_encoder_and_a_gyro) {
  scene s = scene_of(cart);
  const cr_real noise[4] = {CR_R(0.002), CR_R(0.02), CR_R(0.02), CR_R(0.02)};
  const cr_real start[NX] = {CR_R(0.1), CR_R(0.2), CR_R(0.1), CR_R(0.1)},
                force[NV] = {CR_R(0.1), CR_R(0.01)};
  const cr_filter_options o = {
      .size = sizeof o, .sensor_noise = noise, .start = start, .force = force};
  cr_real K[NX], most = 0;
  cr_random random = cr_random_seed(2, 9);
  regulator(&s, K);
  must(cr_filter_create(&s.filter, s.m, s.d, &o, &error));
  view(&s, "qpos")[1] = CR_R(0.15);  // which the filter does not know
  for (int k = 0; k < 1000; k++) {
    cr_real y[4], ctrl;
    must(cr_forward(s.m, s.d));
    for (int i = 0; i < 4; i++) {
      y[i] = view(&s, "sensordata")[i] + noise[i] * cr_random_normal(&random);
    }
    must(cr_filter_correct(s.filter, y, NULL, NULL, NULL, &error));
    ctrl = 0;
    for (int i = 0; i < NX; i++) {
      ctrl -= K[i] * guess(&s, i < NV ? "qpos" : "qvel")[i % NV];
    }
    view(&s, "ctrl")[0] = ctrl;
    must(cr_step(s.m, s.d));
    must(cr_advance(s.m, s.d));
    must(cr_filter_predict(s.filter, &ctrl, &error));
    most = k > 500 ? cr_max(most, cr_abs(view(&s, "qpos")[1])) : 0;
  }
  assert_true(most < CR_R(0.03));
  scene_free(&s);
}

// ---- what is not seen, and what is refused

TEST(what_is_not_seen_tells_nothing_and_what_is_refused_changes_nothing) {
  scene s = scene_of(masses);
  cr_real noise[NY] = {CR_R(0.02), CR_R(0.1), CR_R(0.05)};
  const cr_real start[NX] = {CR_R(0.3), CR_R(0.2), 1, CR_R(0.5)};
  cr_filter_options o = {.size = sizeof o, .sensor_noise = noise, .start = start};
  cr_real P[NX * NX], y[NY] = {(cr_real)NAN, (cr_real)NAN, (cr_real)NAN}, surprise;
  int seen;
  must(cr_filter_create(&s.filter, s.m, s.d, &o, &error));
  cr_copy(P, cr_filter_covariance(s.filter), NX * NX);
  must(cr_filter_correct(s.filter, y, NULL, &surprise, &seen, &error));
  assert_true(seen == 0 && surprise == 0);
  assert_memory_equal(cr_filter_covariance(s.filter), P, sizeof P);
  y[0] = 1;
  y[2] = (cr_real)INFINITY;
  assert_int_equal(cr_filter_correct(s.filter, y, NULL, NULL, NULL, &error), CR_ERR_NONFINITE);
  assert_non_null(strstr(error.text, "number 0 of sensor 2 is infinite"));
  assert_memory_equal(cr_filter_covariance(s.filter), P, sizeof P);
  assert_true(guess(&s, "qpos")[0] == 0);
  // a step that diverges
  guess(&s, "qfrc_applied")[0] = CR_R(1e30);
  assert_int_equal(cr_filter_predict(s.filter, NULL, &error), CR_ERR_DIVERGED);
  assert_memory_equal(cr_filter_covariance(s.filter), P, sizeof P);
  assert_true(guess(&s, "qpos")[0] == 0 && guess(&s, "qvel")[0] == 0);
  noise[1] = 0;
  cr_filter* none = NULL;
  assert_int_equal(cr_filter_create(&none, s.m, s.d, &o, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "sensor_noise[1] is 0; it has to be above 0"));
  assert_null(none);
  scene_free(&s);
}
