// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The cost's gradient by everything that is unknown, against differences, with turns, activations, contacts and several
// integrators; the same bits for any number of threads; a stop.
#include "identify/search.h"

#include <stdlib.h>

#include "carom/carom.h"
#include "identify/noise.h"
#include "predict/layout.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_scene[] =
    "<mujoco><option timestep='0.004'/><worldbody><geom name='floor' type='plane' size='2 2 .1'/>"
    "<body name='box' pos='0 0 .3'><freejoint name='f'/><geom name='box' type='box' "
    "size='.05 .06 .07'/></body><body name='arm' pos='1 0 1'><joint name='b' type='ball' "
    "damping='.02'/><geom type='capsule' fromto='0 0 0 .3 0 .1' size='.02'/><body pos='.3 0 .1'>"
    "<joint name='h' axis='0 1 0' damping='.03' stiffness='2'/><geom type='capsule' fromto='0 0 0 "
    "0 "
    "0 -.2' size='.02'/><site name='tip' pos='0 0 -.2'/></body></body></worldbody><actuator>"
    "<general name='a' joint='h' dyntype='filter' dynprm='.05' gainprm='.1'/></actuator><sensor>"
    "<gyro name='gyro' site='tip'/><accelerometer name='acc' site='tip'/></sensor></mujoco>";

static const measured_channel channels[] = {{"qpos[f]", 1, 0, 0},
                                            {"xquat[arm]", 2, 0, 0},
                                            {"acc", 3, CR_R(0.1), 0},
                                            {"gyro", 1, CR_R(0.05), 0},
                                            {"qvel[f]", 4, CR_R(0.02), 0}};
enum { NCHANNEL = 5, NP = 4, MOST = 400 };

static cr_error error;
static cr_model* m;

static void setup(void) {
  must(cr_model_open(&m, scratch_write("scene.xml", text_of_scene), &error));
}
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

static cr_parameters* parameters(void) {
  static const char* const targets[NP] = {"body_mass[arm]", "dof_damping[h]", "geom_size[box][2]",
                                          "jnt_stiffness[h]"};
  static const cr_real starts[NP] = {CR_R(0.7), CR_R(0.02), CR_R(0.071), CR_R(2.5)};
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
  cr_parameters* p = NULL;
  must(cr_parameters_create(&p, m, list, NP, &error));
  return p;
}

static cr_measurements* runs(int rows) {
  cr_measurements* ms = NULL;
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "one", rows, NULL, channels, NCHANNEL, 1);
  measured_run(ms, m, "two", rows, NULL, channels, NCHANNEL, 2);
  return ms;
}

static void make(cri_search* s, cr_parameters* p, const cr_measurements* ms, int threads) {
  const cr_identification_options o = {
      .size = sizeof o, .window = CR_R(0.05), .continuity = CR_R(0.2)};
  *s = (cri_search){0};
  must(cri_layout(&s->p, p, ms, &o, &error));
  cri_layout_starts(&s->p);
  cri_noise_guess(&s->p);
  must(cri_search_create(s, threads, &error));
  cri_parameters_start(p, s->p.x);
  for (int i = s->p.n; i < s->p.n + s->p.nspan * s->p.nx; i++) {
    s->p.x[i] = CR_R(0.05) * cr_sin((cr_real)(3 * i));  // away from the base of the coordinates
  }
}

static void destroy(cri_search* s) {
  cri_search_free(s);
  cri_layout_free(&s->p);
}

static cr_real cost_at(cri_search* s) {
  cr_real cost;
  must(cri_search_move(s, s->p.x, false, &error));
  must(cri_search_cost(s, 0, s->p.nspan, false, &cost, &error));
  return cost;
}

static void check_gradient(const char* integrator) {
  must(cr_model_set_choice(m, "integrator", integrator, &error));
  cr_measurements* ms = runs(40);
  cr_parameters* ps = parameters();
  cri_search s;
  make(&s, ps, ms, 1);
  int n = s.p.n + s.p.nspan * s.p.nx;
  cr_real gradient[MOST], diagonal[MOST], cost, largest = 0;
  assert_true(n <= MOST);
  must(cri_search_move(&s, s.p.x, true, &error));
  must(cri_search_cost(&s, 0, s.p.nspan, true, &cost, &error));
  cri_normal_gather(s.normal, &s.p, 0, s.p.nspan, gradient, diagonal);
  for (int i = 0; i < n; i++) {
    largest = cr_max(largest, cr_abs(gradient[i]));
  }
  for (int i = 0; i < n; i++) {
    cr_real at = s.p.x[i], h = CR_R(2e-6);
    s.p.x[i] = at + h;
    cr_real a = cost_at(&s);
    s.p.x[i] = at - h;
    cr_real difference = (a - cost_at(&s)) / (2 * h);
    s.p.x[i] = at;
    if (cr_abs(difference - gradient[i]) >
        CR_R(1e-5) * cr_abs(gradient[i]) + CR_R(1e-8) * largest) {
      fail_msg("%s, number %d of %d: %.12g, by differences %.12g", integrator, i, n,
               (double)gradient[i], (double)difference);
    }
  }
  destroy(&s);
  cr_parameters_destroy(ps);
  cr_measurements_destroy(ms);
}

TEST(gradient_by_all_unknowns) {
  check_gradient("euler");
  check_gradient("implicitfast");
  check_gradient("rk4");
  must(cr_model_set_choice(m, "integrator", "euler", &error));
}

TEST(the_same_bits_for_any_number_of_threads) {
  cr_measurements* ms = runs(60);
  cr_real x[3][MOST];
  int n = 0;
  for (int threads = 1; threads <= 3; threads++) {
    cr_parameters* ps = parameters();
    const cr_damping damping = {.iterations = 4, .damping = CR_R(1e-3)};
    cr_damped_end end;
    cri_search s;
    make(&s, ps, ms, threads);
    must(cri_search_minimise(&s, 0, s.p.nspan, false, &damping, &end, &error));
    n = s.p.n + s.p.nspan * s.p.nx;
    assert_true(n <= MOST && end.taken > 0);
    cr_copy(x[threads - 1], s.p.x, n);
    destroy(&s);
    cr_parameters_destroy(ps);
  }
  assert_memory_equal(x[0], x[1], (size_t)n * sizeof(cr_real));
  assert_memory_equal(x[0], x[2], (size_t)n * sizeof(cr_real));
  cr_measurements_destroy(ms);
}

static bool at_once(void* context) {
  (void)context;
  return true;
}

TEST(a_stop_ends_the_search) {
  cr_measurements* ms = runs(30);
  cr_parameters* ps = parameters();
  cri_search s;
  cr_real cost;
  make(&s, ps, ms, 2);
  s.stop = at_once;
  must(cri_search_move(&s, s.p.x, false, &error));
  assert_int_equal(cri_search_cost(&s, 0, s.p.nspan, true, &cost, &error), CR_ERR_INTERRUPTED);
  destroy(&s);
  cr_parameters_destroy(ps);
  cr_measurements_destroy(ms);
}

TEST(numbers_that_are_fixed_stay) {
  cr_measurements* ms = runs(60);
  cr_parameters* ps = parameters();
  const cr_damping damping = {.iterations = 10, .damping = CR_R(1e-3)};
  const bool fixed[NP] = {true, false, false, true};
  cr_damped_end end;
  cri_search s;
  make(&s, ps, ms, 1);
  cr_real before[NP], cost = cost_at(&s);
  cr_copy(before, s.p.x, NP);
  s.fixed = fixed;
  must(cri_search_minimise(&s, 0, s.p.nspan, false, &damping, &end, &error));
  assert_true(end.value < CR_R(0.5) * cost);
  for (int i = 0; i < NP; i++) {
    assert_int_equal(s.p.x[i] == before[i], fixed[i]);
  }
  destroy(&s);
  cr_parameters_destroy(ps);
  cr_measurements_destroy(ms);
}
