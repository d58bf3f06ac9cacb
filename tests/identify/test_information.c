// SPDX-License-Identifier: Apache-2.0
// Needs: io
// What a run tells: against differences of the same motion in extended precision, whatever values it has; the run that moves
// a joint comes before the one that does not; all runs together are what a solve knows.
#include "carom/carom.h"
#include "scenes/io_cart.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text_of_slides[] =
    "<mujoco><option timestep='0.01' gravity='0 0 0' integrator='Euler'/><worldbody><body><joint "
    "name='a' type='slide' axis='1 0 0' damping='0.7'/><geom size='.1' mass='2'/></body><body "
    "pos='0 1 0'><joint name='b' type='slide' axis='1 0 0' damping='0.4'/><geom size='.1' "
    "mass='1'/></body></worldbody><actuator><motor name='u' joint='a'/><motor name='v' "
    "joint='b'/></actuator></mujoco>";

enum { ROWS = 50, N = 6 };
static const cr_real H = CR_R(0.01);

static cr_error error;
static cr_model* m;

static void setup(void) {
  must(cr_model_open(&m, scratch_write("slides.xml", text_of_slides), &error));
}
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

static cr_parameters* dampings(void) {
  cr_parameter_info all[3];
  const cr_parameter_info* list[3];
  static const char* const targets[3] = {"dof_damping[a]", "dof_damping[b]", "dof_armature[a]"};
  for (int i = 0; i < 3; i++) {
    all[i] = (cr_parameter_info){.size = sizeof all[i],
                                 .name = targets[i],
                                 .target = targets[i],
                                 .transform = i == 0 ? CR_TRANSFORM_LOG : CR_TRANSFORM_NONE,
                                 .start = i == 2 ? 0 : CR_R(0.5),
                                 .upper = 100,
                                 .prior = CR_R(0.5),
                                 .prior_sd = i == 0 ? CR_R(0.001) : 0};
    list[i] = &all[i];
  }
  cr_parameters* p = NULL;
  must(cr_parameters_create(&p, m, list, 3, &error));
  return p;
}

// a planned run: controls of amplitude a and b, and values of which only the first row counts
static void plan(cr_measurements* ms, const char* name, cr_real a, cr_real b, cr_real value) {
  cr_real time[ROWS], ctrl[2 * ROWS], position[2 * ROWS], velocity[2 * ROWS];
  for (int k = 0; k < ROWS; k++) {
    time[k] = (cr_real)k * H;
    ctrl[2 * k] = a * cr_sin(CR_R(0.3) * (cr_real)k);
    ctrl[2 * k + 1] = b * cr_cos(CR_R(0.2) * (cr_real)k);
    for (int i = 0; i < 2; i++) {
      position[2 * k + i] = k == 0 ? CR_R(0.3) : value * (cr_real)(k * (i + 1));
      velocity[2 * k + i] = k == 0 ? CR_R(0.2) : -value * (cr_real)(k % 7);
    }
  }
  const cr_channel_info channels[3] = {
      {.size = sizeof channels[0], .place = "ctrl", .rows = ROWS, .time = time, .values = ctrl},
      {.size = sizeof channels[0],
       .place = "qpos",
       .rows = ROWS,
       .time = time,
       .values = position,
       .noise = CR_R(0.01),
       .delay = 0},
      {.size = sizeof channels[0],
       .place = "qvel",
       .rows = ROWS,
       .time = time,
       .values = velocity,
       .noise = CR_R(0.1)}};
  must(cr_measurements_begin(ms, name, (int)a, &error));
  for (int i = 0; i < 3; i++) {
    must(cr_measurements_add(ms, &channels[i], &error));
  }
}

// numbers: log damping of a, damping of b, armature of a, delay of qvel, its two offsets
static cr_identification* planned(cr_parameters* p, const cr_measurements* ms, cr_real huber) {
  static const char *const delayed[] = {"qvel"}, *const shifted[] = {"qvel"};
  const cr_identification_options o = {.size = sizeof o,
                                       .delayed = delayed,
                                       .ndelayed = 1,
                                       .shifted = shifted,
                                       .nshifted = 1,
                                       .huber = huber,
                                       .nthread = 1};
  cr_identification* id = NULL;
  must(cr_identification_create(&id, p, ms, &o, &error));
  assert_int_equal(cr_identification_count(id), N);
  return id;
}

static const cr_real at[N] = {CR_R(-0.3),   CR_R(0.45), CR_R(0.1),
                              CR_R(0.0234), CR_R(0.02), CR_R(-0.01)};

// ---- the same in extended precision

enum { STARTS = 4, ALL = N + STARTS, SEEN = 4 * ROWS };

// errors over noises of the motion with x, then positions and velocities at the start
static void motion(const long double* x, cr_real a, cr_real b, long double* e) {
  long double q[ROWS][2], v[ROWS][2], h = (long double)H;
  const long double mass[2] = {2 + x[2], 1}, damping[2] = {expl(x[0]), x[1]};
  for (int i = 0; i < 2; i++) {
    q[0][i] = x[N + i];
    v[0][i] = x[N + 2 + i];
  }
  for (int k = 0; k + 1 < ROWS; k++) {
    const cr_real u[2] = {a * cr_sin(CR_R(0.3) * (cr_real)k), b * cr_cos(CR_R(0.2) * (cr_real)k)};
    for (int i = 0; i < 2; i++) {
      // Euler's method, implicit in the damping
      v[k + 1][i] =
          v[k][i] + h * ((long double)u[i] - damping[i] * v[k][i]) / (mass[i] + h * damping[i]);
      q[k + 1][i] = q[k][i] + h * v[k + 1][i];
    }
  }
  for (int k = 0; k < ROWS; k++) {
    long double step = (long double)k - x[3] / h, f = step - floorl(step);
    int before = step > 0 ? (int)floorl(step) : 0, after = before + 1 < ROWS ? before + 1 : before;
    for (int i = 0; i < 2; i++) {
      // a longest delay of 0.1 s: what is seen before may be of a time before the start
      bool late = (cr_real)k * H >= CR_R(0.1);
      e[4 * k + i] = q[k][i] / 0.01L;
      e[4 * k + 2 + i] = late ? ((1 - f) * v[before][i] + f * v[after][i] + x[4 + i]) / 0.1L : 0;
    }
  }
}

static void by_differences(cr_real a, cr_real b, const cr_real* from, long double* information) {
  static long double J[ALL][SEEN], e[2][SEEN], M[ALL][ALL];
  long double x[ALL] = {0};
  for (int i = 0; i < N; i++) {
    x[i] = (long double)from[i];
  }
  x[N] = x[N + 1] = 0.3L;
  x[N + 2] = x[N + 3] = 0.2L;
  for (int i = 0; i < ALL; i++) {
    // of the delay the slope of the interval before, where a row is seen on a step
    const long double d = 1e-5L, back = i == 3 ? 0 : d;
    long double kept = x[i];
    for (int k = 0; k < 2; k++) {
      x[i] = kept + (k == 0 ? d : -back);
      motion(x, a, b, e[k]);
    }
    x[i] = kept;
    for (int k = 0; k < SEEN; k++) {
      J[i][k] = (e[0][k] - e[1][k]) / (d + back);
    }
  }
  for (int i = 0; i < ALL; i++) {
    for (int j = 0; j < ALL; j++) {
      M[i][j] = i == j && i >= N ? 1e-6L : 0;
      for (int k = 0; k < SEEN; k++) {
        M[i][j] += J[i][k] * J[j][k];
      }
    }
  }
  for (int k = ALL - 1; k >= N; k--) {  // the starts out
    for (int i = 0; i < k; i++) {
      for (int j = 0; j < k; j++) {
        M[i][j] -= M[i][k] * M[k][j] / M[k][k];
      }
    }
  }
  for (int i = 0; i < N * N; i++) {
    information[i] = M[i / N][i % N];
  }
}

static void check_information(const cr_real* from) {
  const cr_real values[2] = {0, CR_R(1.7)}, huber[2] = {0, CR_R(0.05)};
  long double right[N * N];
  by_differences(3, 2, from, right);
  cr_parameters* p = dampings();
  for (int k = 0; k < 2; k++) {
    cr_measurements* ms = NULL;
    cr_real information[N * N];
    must(cr_measurements_create(&ms, m, &error));
    plan(ms, "plan", 3, 2, values[k]);
    cr_identification* id = planned(p, ms, huber[k]);
    must(cr_identification_information(id, 0, from, information, &error));
    for (int i = 0; i < N * N; i++) {
      cr_real size = (cr_real)sqrtl(right[i / N * (N + 1)] * right[i % N * (N + 1)]);
      if (!(cr_abs(information[i] - (cr_real)right[i]) < CR_R(1e-9) * size)) {
        fail_msg("[%d][%d] %.12g, by differences %.12g", i / N, i % N, (double)information[i],
                 (double)right[i]);
      }
    }
    cr_identification_destroy(id);
    cr_measurements_destroy(ms);
  }
  cr_parameters_destroy(p);
}

TEST(information_is_that_of_differences) { check_information(at); }

TEST(a_delay_that_ends_on_a_step_has_the_slope_before) {
  for (int k = 0; k < 3; k++) {
    cr_real from[N];
    cr_copy(from, at, N);
    from[3] = 2 * (cr_real)k * H;
    check_information(from);
  }
}

TEST(the_run_that_moves_a_joint_comes_first) {
  cr_parameters* p = dampings();
  cr_measurements* ms = NULL;
  must(cr_measurements_create(&ms, m, &error));
  plan(ms, "first alone", 3, 0, 0);
  plan(ms, "both", 3, 2, 0);
  plan(ms, "first alone, longer", 4, 0, 0);
  cr_identification* id = planned(p, ms, 0);
  cr_real information[3 * N * N], scale[N], gain[3];
  int order[3];
  must(cr_identification_get_scale(id, at, scale, &error));
  assert_true(scale[0] == 1 && scale[1] == at[1] && scale[3] == CR_R(0.1));
  for (int r = 0; r < 3; r++) {
    must(cr_identification_information(id, r, at, information + r * N * N, &error));
  }
  must(cr_design_order(information, N, 3, NULL, scale, order, gain, &error));
  print_message("%d %d %d, gains %g %g %g\n", order[0], order[1], order[2], (double)gain[0],
                (double)gain[1], (double)gain[2]);
  assert_int_equal(order[0], 1);
  assert_true(gain[0] > gain[1] && gain[1] > gain[2] && gain[2] > 0);
  cr_identification_destroy(id);
  cr_measurements_destroy(ms);
  cr_parameters_destroy(p);
}

TEST(runs_add_up_to_what_a_solve_knows) {
  // in windows that are tied together; of three runs one is held aside
  cr_model* cart = cart_model();
  cr_measurements* ms = cart_runs(cart, 200);
  cr_parameters* p = cart_parameters(cart, 1);
  const cr_identification_options o = {.size = sizeof o,
                                       .window = CR_R(0.25),
                                       .continuity = CR_R(0.05),
                                       .held_out = CR_R(0.3),
                                       .nthread = 1};
  const cr_search search = {.size = sizeof search};
  cr_search_end end = {.size = sizeof end};
  enum { M = CART_NUMBERS };
  cr_identification* id = NULL;
  cr_real x[M], one[M * M], covariance[M * M], least = (cr_real)INFINITY;
  must(cr_identification_create(&id, p, ms, &o, &error));
  must(cr_identification_get_start(id, x, &error));
  must(cr_identification_solve(id, &search, x, &end, &error));
  must(cr_identification_covariance(id, covariance, NULL, &error));
  // five numbers a step of two runs; unknown are the parameters and six numbers for each of eight windows
  cr_real excess = cr_max(2 * end.cost / (2 * 200 * 5 - M - 8 * 6), 1);
  cr_estimate before = {.size = sizeof before}, after = {.size = sizeof after};
  must(cr_identification_get(id, 0, &before, &error));
  for (int aside = 0; aside < 3; aside++) {
    cr_real total[M * M] = {0}, miss = 0;
    for (int r = 0; r < 3; r++) {
      must(cr_identification_information(id, r, x, one, &error));
      for (int i = 0; i < M * M && r != aside; i++) {
        total[i] += one[i];
      }
    }
    for (int i = 0; i < M; i++) {
      for (int j = 0; j < M; j++) {
        cr_real unit = -(cr_real)(i == j);
        for (int k = 0; k < M; k++) {
          unit += total[i * M + k] * covariance[k * M + j] / excess;
        }
        miss = cr_max(miss, cr_abs(unit));
      }
    }
    least = cr_min(least, miss);
  }
  print_message("excess %g, least miss %g\n", (double)excess, (double)least);
  assert_true(least < CR_R(1e-7));
  must(cr_identification_get(id, 0, &after, &error));
  assert_true(before.value == after.value && before.upper == after.upper);
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
  cr_model_destroy(cart);
}

TEST(what_orientations_were_seen_does_not_matter) {
  // a ball joint from its reference pose on: seen as it is, and as something else altogether
  static const char text[] =
      "<mujoco><option timestep='0.01'/><worldbody><body name='top'><joint name='j' type='ball' "
      "damping='.02'/><geom type='box' size='.05 .08 .12' pos='.04 .02 -.1' mass='.6'/></body>"
      "</worldbody></mujoco>";
  const measured_channel channels[] = {{"xquat[top]", 2, 0, 0}};
  const cr_parameter_info damping = {.size = sizeof damping,
                                     .name = "damping",
                                     .target = "dof_damping[j][1]",
                                     .start = CR_R(0.03),
                                     .upper = 1};
  const cr_parameter_info centre = {.size = sizeof centre,
                                    .name = "centre",
                                    .target = "body_ipos[top][0]",
                                    .start = CR_R(0.04),
                                    .lower = -1,
                                    .upper = 1};
  const cr_parameter_info* const list[] = {&damping, &centre};
  const cr_identification_options o = {
      .size = sizeof o, .start = CR_START_REFERENCE, .nthread = 1, .huber = 1};
  cr_model* top = NULL;
  cr_parameters* p = NULL;
  cr_measurements* ms[2] = {NULL, NULL};
  cr_real information[2][4], values[4 * ROWS];
  const cr_real x[2] = {CR_R(0.025), CR_R(0.05)};
  must(cr_model_open(&top, scratch_write("top.xml", text), &error));
  must(cr_parameters_create(&p, top, list, 2, &error));
  must(cr_measurements_create(&ms[0], top, &error));
  must(cr_measurements_create(&ms[1], top, &error));
  measured_run(ms[0], top, "as it is", 2 * ROWS, NULL, channels, 1, 1);
  cr_channel_info seen = {.size = sizeof seen};
  must(cr_measurements_get(ms[0], 0, 0, &seen, &error));
  assert_int_equal(seen.rows, ROWS);
  for (int k = 0; k < ROWS; k++) {
    cr_real half = CR_R(0.7) * (cr_real)k;
    const cr_real turn[4] = {cr_cos(half), CR_R(0.6) * cr_sin(half), 0, CR_R(0.8) * cr_sin(half)};
    cr_copy(values + (ptrdiff_t)4 * k, turn, 4);
  }
  seen.values = values;
  must(cr_measurements_begin(ms[1], "other", 1, &error));
  must(cr_measurements_add(ms[1], &seen, &error));
  for (int k = 0; k < 2; k++) {
    cr_identification* id = NULL;
    must(cr_measurements_set_noise(ms[k], "xquat[top]", CR_R(0.01), &error));
    must(cr_identification_create(&id, p, ms[k], &o, &error));
    must(cr_identification_information(id, 0, x, information[k], &error));
    cr_identification_destroy(id);
    cr_measurements_destroy(ms[k]);
  }
  assert_true(information[0][0] > 0 && information[0][3] > 0);
  assert_memory_equal(information[0], information[1], sizeof information[0]);
  cr_parameters_destroy(p);
  cr_model_destroy(top);
}
