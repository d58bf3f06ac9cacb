// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Sums over windows by sweeps back against the normal equations: a body that falls on the ground and a driven arm, with constants
// that follow the parameters; any windows in any order; the same bits for any number of threads; a stop.
#include "identify/batch_gradient.h"

#include "carom/carom.h"
#include "identify/noise.h"
#include "predict/layout.h"
#include "scenes/io_measured.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_scene[] =
    "<mujoco><option timestep='0.004'/><worldbody><geom name='floor' type='plane' size='2 2 .1'/>"
    "<body name='box' pos='0 0 .075'><freejoint name='f'/><geom name='box' type='box' size='.05 "
    ".06 "
    ".07'/></body><body name='arm' pos='1 0 1'><joint name='b' type='ball' damping='.02'/><geom "
    "type='capsule' fromto='0 0 0 .3 0 .1' size='.02'/><body pos='.3 0 .1'><joint name='h' axis='0 "
    "1 0' damping='.03' frictionloss='.02' stiffness='2'/><geom type='capsule' fromto='0 0 0 0 0 "
    "-.2' size='.02'/><site name='tip' pos='0 0 -.2'/></body></body></worldbody><actuator><general "
    "name='a' joint='h' dyntype='filter' dynprm='.05' gainprm='.1'/></actuator><sensor><gyro "
    "name='gyro' site='tip'/></sensor></mujoco>";

static const measured_channel channels[] = {
    {"qpos[f]", 1, 0, 0}, {"xquat[arm]", 2, 0, 0}, {"gyro", 1, CR_R(0.05), 0}};
enum { NCHANNEL = 3, NP = 4, MOST = 64 };

static cr_error error;
static cr_model* m;
static cr_measurements* ms;
static cr_parameters* ps;

static void setup(void) {
  static const char* const targets[NP] = {"body_mass[arm]", "dof_damping[h]", "geom_size[box][2]",
                                          "dof_frictionloss[h]"};
  static const cr_real starts[NP] = {CR_R(0.7), CR_R(0.02), CR_R(0.071), CR_R(0.01)};
  cr_parameter_info all[NP];
  const cr_parameter_info* list[NP];
  for (int i = 0; i < NP; i++) {
    all[i] = (cr_parameter_info){.size = sizeof all[i],
                                 .name = targets[i],
                                 .target = targets[i],
                                 .transform = CR_TRANSFORM_LOG,
                                 .start = starts[i],
                                 .upper = 100};
    list[i] = &all[i];
  }
  must(cr_model_open(&m, scratch_write("scene.xml", text_of_scene), &error));
  must(cr_parameters_create(&ps, m, list, NP, &error));
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "one", 40, NULL, channels, NCHANNEL, 1);
  measured_run(ms, m, "two", 40, NULL, channels, NCHANNEL, 2);
}

static void teardown(void) {
  cr_measurements_destroy(ms);
  cr_parameters_destroy(ps);
  cr_model_destroy(m);
}
AROUND_FILE(setup, teardown)

static void make(cri_search* s, int threads) {
  const cr_identification_options o = {
      .size = sizeof o, .window = CR_R(0.05), .start = CR_START_MEASURED};
  *s = (cri_search){0};
  must(cri_layout(&s->p, ps, ms, &o, &error));
  cri_layout_starts(&s->p);
  cri_noise_guess(&s->p);
  must(cri_search_create(s, threads, &error));
  cri_parameters_start(ps, s->p.x);
}

static void destroy(cri_search* s) {
  cri_search_free(s);
  cri_layout_free(&s->p);
}

TEST(sums_are_those_of_the_normal_equations) {
  cri_search s;
  make(&s, 2);
  int window[MOST], n = s.p.nspan, all = s.p.n + s.p.nspan * s.p.nx;
  cr_real cost, by_rows, x_bar[NP], gradient[1024], diagonal[1024], parts[NP] = {0}, part = 0;
  int64_t numbers, seen = 0;
  assert_true(n > 4 && n <= MOST && all <= 1024);
  for (int i = 0; i < n; i++) {
    window[i] = n - 1 - i;
  }
  must(cri_search_move(&s, s.p.x, true, &error));
  must(cri_search_cost(&s, 0, n, true, &by_rows, &error));
  cri_normal_gather(s.normal, &s.p, 0, n, gradient, diagonal);
  must(cri_gradient_of(&s, window, n, &cost, &numbers, x_bar, &error));
  assert_true(cr_abs(cost - by_rows) <= CR_R(1e-9) * by_rows);
  for (int i = 0; i < NP; i++) {
    if (!(cr_abs(x_bar[i] - gradient[i]) <= CR_R(1e-7) * cr_abs(gradient[i]))) {
      fail_msg("number %d: %.12g, by rows %.12g", i, (double)x_bar[i], (double)gradient[i]);
    }
  }
  // in two parts
  for (int first = 0; first < n; first += 3) {
    cr_real of_part, bar[NP];
    int size = n - first < 3 ? n - first : 3;
    must(cri_gradient_of(&s, window + first, size, &of_part, &numbers, bar, &error));
    part += of_part;
    seen += numbers;
    for (int i = 0; i < NP; i++) {
      parts[i] += bar[i];
    }
  }
  must(cri_gradient_of(&s, window, n, &cost, &numbers, NULL, &error));
  assert_true(seen == numbers && cr_abs(part - cost) <= CR_R(1e-12) * cost);
  for (int i = 0; i < NP; i++) {
    assert_true(cr_abs(parts[i] - x_bar[i]) <= CR_R(1e-9) * cr_abs(x_bar[i]));
  }
  destroy(&s);
}

TEST(the_bits_do_not_depend_on_threads) {
  cr_real cost[2], x_bar[2][NP];
  for (int k = 0; k < 2; k++) {
    cri_search s;
    int window[MOST];
    int64_t numbers;
    make(&s, k + 1);
    for (int i = 0; i < s.p.nspan; i++) {
      window[i] = i;
    }
    must(cri_search_move(&s, s.p.x, false, &error));
    must(cri_gradient_of(&s, window, s.p.nspan, &cost[k], &numbers, x_bar[k], &error));
    destroy(&s);
  }
  assert_true(cost[0] == cost[1]);
  assert_memory_equal(x_bar[0], x_bar[1], sizeof x_bar[0]);
}

static bool at_once(void* context) {
  (void)context;
  return true;
}

TEST(it_stops) {
  cri_search s;
  const int window[] = {0, 1};
  cr_real cost;
  int64_t numbers;
  make(&s, 1);
  s.stop = at_once;
  must(cri_search_move(&s, s.p.x, false, &error));
  assert_int_equal(cri_gradient_of(&s, window, 2, &cost, &numbers, NULL, &error),
                   CR_ERR_INTERRUPTED);
  destroy(&s);
}
