// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The lengths of a double pendulum, whose fit has many valleys [Heiden et al., NeuralSim, 2021]: a solve ends in the nearest one, a
// global search of identifications finds the lowest, with the same bits for any number of threads and after a resume.
#include "carom/carom.h"

#include <stdlib.h>

#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

enum { N = 2, ROWS = 81, THREADS = 2 };

// at rest, the first link level, the second half way down
static const char text_of_pendulum[] =
    "<mujoco><option timestep='0.05'/><worldbody><body name='first'><joint name='shoulder' axis='0 "
    "1 "
    "0'/><inertial pos='3 0 0' mass='1' diaginertia='.01 .01 .01'/><body name='second' pos='3 0 0' "
    "euler='0 45 0'><joint name='elbow' axis='0 1 0'/><inertial pos='4 0 0' mass='1' "
    "diaginertia='.01 .01 .01'/></body></body></worldbody></mujoco>";
static const cr_real truth[N] = {3, 4}, off[N] = {7, 1};

static cr_error error;
static cr_model* m;
static cr_measurements* ms;

static void setup(void) {
  static const measured_channel channels[] = {{"qpos[shoulder]", 1, CR_R(0.01), 0},
                                              {"qpos[elbow]", 1, CR_R(0.02), 0}};
  must(cr_model_open(&m, scratch_write("pendulum.xml", text_of_pendulum), &error));
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "fall", ROWS, NULL, channels, 2, 1);
}

static void teardown(void) {
  cr_measurements_destroy(ms);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

// an identification with parameters of its own, which begin at the wrong lengths
typedef struct {
  cr_parameters* parameters;
  cr_identification* id;
} fit;

static fit fit_of(cr_start start) {
  const cr_parameter_info first = {.size = sizeof first,
                                   .name = "first",
                                   .target = "body_ipos[first][0] body_pos[second][0]",
                                   .kind = CR_FIT_TIED,
                                   .start = off[0],
                                   .lower = CR_R(0.5),
                                   .upper = CR_R(7.5)};
  const cr_parameter_info second = {.size = sizeof second,
                                    .name = "second",
                                    .target = "body_ipos[second][0]",
                                    .start = off[1],
                                    .lower = CR_R(0.5),
                                    .upper = CR_R(7.5)};
  const cr_parameter_info* const list[] = {&first, &second};
  const cr_identification_options o = {.size = sizeof o, .start = start, .nthread = 1};
  fit f = {0};
  must(cr_parameters_create(&f.parameters, m, list, N, &error));
  must(cr_identification_create(&f.id, f.parameters, ms, &o, &error));
  return f;
}

static void drop(fit* f) {
  cr_identification_destroy(f->id);
  cr_parameters_destroy(f->parameters);
}

static cr_search_end solve(cr_start start, cr_real* x) {
  const cr_search o = {.size = sizeof o};
  cr_search_end end = {.size = sizeof end};
  fit f = fit_of(start);
  must(cr_identification_solve(f.id, &o, x, &end, &error));
  drop(&f);
  return end;
}

static bool is_truth(const cr_real* x) {  // within what noise does
  return cr_abs(x[0] - truth[0]) < CR_R(0.03) && cr_abs(x[1] - truth[1]) < CR_R(0.03);
}

typedef struct {
  int at;
  size_t size;
  void* state;
} keeper;

static cr_status keep(void* context, int generation, const void* state, size_t size,
                      cr_error* why) {
  keeper* k = context;
  if (generation == k->at) {
    k->size = size;
    k->state = malloc(size);
    memcpy(k->state, state, size);
  }
  return CR_OK;
}

static void find(cr_global_options* o, int threads, cr_real* x, cr_global_result* result) {
  fit fits[THREADS];
  void* contexts[THREADS];
  cr_real lower[N], upper[N];
  for (int i = 0; i < threads; i++) {
    fits[i] = fit_of(CR_START_REFERENCE);
    contexts[i] = fits[i].id;
  }
  must(cr_identification_get_bounds(fits[0].id, lower, upper, &error));
  const cr_global_problem p = {.size = sizeof p,
                               .n = N,
                               .lower = lower,
                               .upper = upper,
                               .contexts = contexts,
                               .ncontext = threads,
                               .descend = cr_identification_descend};
  cr_copy(x, off, N);
  *result = (cr_global_result){.size = sizeof *result};
  must(cr_minimise_global(&p, o, x, result, &error));
  for (int i = 0; i < threads; i++) {
    drop(&fits[i]);
  }
}

static cr_global_options options(cr_global_method method) {
  return (cr_global_options){.size = sizeof(cr_global_options),
                             .method = method,
                             .local = CR_LOCAL_OWN,
                             .local_iterations = 30,
                             .islands = 2,
                             .population = method == CR_GLOBAL_DIFFERENTIAL_EVOLUTION ? 5 : 3,
                             .generations = 6,
                             .exchange_every = 2,
                             .seed = 3};
}

TEST(a_solve_ends_in_another_valley) {
  cr_real x[N], y[N] = {CR_R(3.05), CR_R(3.95)};
  cr_copy(x, off, N);
  const cr_search_end a = solve(CR_START_REFERENCE, x), b = solve(CR_START_REFERENCE, y);
  print_message("%g %g: %s\n", (double)x[0], (double)x[1], a.reason);
  assert_false(is_truth(x));
  assert_true(is_truth(y) && b.converged);
}

TEST(global_searches_find_the_truth) {
  for (int method = 0; method < 4; method++) {
    cr_global_options o = options((cr_global_method)method);
    cr_real x[N], y[N];
    cr_global_result one, two;
    find(&o, 1, x, &one);
    print_message("method %d: %g %g, value %g, %d ways\n", method, (double)x[0], (double)x[1],
                  (double)one.value, (int)one.evaluations);
    find(&o, 2, y, &two);
    assert_memory_equal(x, y, sizeof x);
    assert_true(one.value == two.value && one.evaluations == two.evaluations);
    assert_true(is_truth(x));
    cr_copy(y, x, N);
    (void)solve(CR_START_REFERENCE, y);
    assert_close(y[0], x[0], CR_R(1e-5));
    assert_close(y[1], x[1], CR_R(1e-5));
  }
}

TEST(a_global_search_goes_on) {
  static const cr_global_method methods[] = {CR_GLOBAL_BASIN_HOPPING, CR_GLOBAL_CMA_ES};
  for (int k = 0; k < 2; k++) {
    keeper kept = {.at = 3};
    cr_global_options o = options(methods[k]), on = o;
    cr_real x[N], y[N];
    cr_global_result whole, resumed;
    o.save = keep;
    o.context = &kept;
    find(&o, 1, x, &whole);
    assert_non_null(kept.state);
    on.resume = kept.state;
    on.resume_size = kept.size;
    find(&on, 2, y, &resumed);
    assert_memory_equal(x, y, sizeof x);
    assert_true(whole.value == resumed.value && whole.evaluations == resumed.evaluations);
    free(kept.state);
  }
}

// a way down does not depend on those before; its end is where a solve from there ends
TEST(a_way_down_depends_on_its_start_alone) {
  static const cr_start starts[] = {CR_START_REFERENCE, CR_START_ESTIMATED};
  for (int k = 0; k < 2; k++) {
    fit used = fit_of(starts[k]), fresh = fit_of(starts[k]);
    cr_real x[N] = {CR_R(6.2), CR_R(6.9)}, y[N] = {CR_R(2.8), CR_R(4.1)}, z[N], again[N], v, w;
    cr_copy(z, y, N);
    const cr_search o = {.size = sizeof o};
    cr_search_end same = {.size = sizeof same};
    cr_copy(again, x, N);
    must(cr_identification_descend(used.id, 30, x, &v, &error));
    must(cr_identification_solve(used.id, &o, again, &same, &error));
    must(cr_identification_descend(used.id, 30, y, &v, &error));
    must(cr_identification_descend(fresh.id, 30, z, &w, &error));
    assert_memory_equal(y, z, sizeof y);
    assert_true(v == w && is_truth(y));
    cr_copy(again, y, N);
    const cr_search_end end = solve(starts[k], again);
    assert_close(again[0], y[0], CR_R(1e-5));
    assert_close(again[1], y[1], CR_R(1e-5));
    // the value is the negative logarithm of the likelihood
    cr_real likelihood = 0;
    must(cr_identification_solve(fresh.id, &o, z, &same, &error));
    assert_true(same.cost == end.cost);
    for (int i = 0; i < 2; i++) {
      cr_fit_of_place f = {.size = sizeof f};
      must(cr_identification_get_place(fresh.id, CR_RUNS_TRAIN, i, &f, &error));
      likelihood += (cr_real)f.n * (cr_log(f.noise) + f.rms * f.rms / (f.noise * f.noise) / 2);
    }
    assert_close(w, likelihood, CR_R(1e-4));
    drop(&used);
    drop(&fresh);
  }
}

TEST(values_without_steps) {
  fit f = fit_of(CR_START_ESTIMATED);
  cr_real x[N] = {CR_R(3.2), CR_R(3.9)}, value, least, y[N];
  cr_copy(y, x, N);
  must(cr_identification_descend(f.id, 0, x, &value, &error));
  assert_true(x[0] == y[0] && x[1] == y[1]);
  must(cr_identification_descend(f.id, 30, x, &least, &error));
  must(cr_identification_descend(f.id, 0, x, &value, &error));
  assert_close(value, least, CR_R(1e-3));
  must(cr_identification_descend(f.id, 0, y, &value, &error));
  assert_true(value > least + 10);
  drop(&f);
}

// only one joint is measured: the coarse stage leaves a valley that `stay` keeps
TEST(a_solve_stays_in_its_valley) {
  static const measured_channel channels[] = {{"qpos[shoulder]", 1, CR_R(0.01), 0}};
  cr_measurements *both = ms, *one = NULL;
  must(cr_measurements_create(&one, m, &error));
  measured_run(one, m, "fall", ROWS, NULL, channels, 1, 1);
  ms = one;
  fit f = fit_of(CR_START_ESTIMATED);
  cr_real x[N] = {CR_R(4.8), CR_R(1.8)}, y[N], value;
  must(cr_identification_descend(f.id, 100, x, &value, &error));
  print_message("%.9g %.9g: %g\n", (double)x[0], (double)x[1], (double)value);
  for (int stay = 0; stay < 2; stay++) {
    const cr_search o = {.size = sizeof o, .iterations = 100, .stay = stay == 1};
    cr_search_end end = {.size = sizeof end};
    cr_copy(y, x, N);
    must(cr_identification_solve(f.id, &o, y, &end, &error));
    print_message("%.9g %.9g: %g after %d steps\n", (double)y[0], (double)y[1], (double)end.cost,
                  end.steps);
    bool same = cr_abs(x[0] - y[0]) + cr_abs(x[1] - y[1]) < CR_R(1e-3);
    assert_int_equal(same, stay);
  }
  drop(&f);
  cr_measurements_destroy(one);
  ms = both;
}

// ---- bounds, and what cannot be simulated

static cr_parameters* one_parameter(const char* target, cr_real lower, cr_real upper) {
  const cr_parameter_info info = {.size = sizeof info,
                                  .name = "length",
                                  .target = target,
                                  .start = CR_R(3.5),
                                  .lower = lower,
                                  .upper = upper};
  const cr_parameter_info* const list[] = {&info};
  cr_parameters* ps = NULL;
  must(cr_parameters_create(&ps, m, list, 1, &error));
  return ps;
}

TEST(bounds_of_delays_and_offsets) {
  static const char* const places[] = {"qpos[elbow]"};
  const cr_identification_options o = {.size = sizeof o,
                                       .delayed = places,
                                       .ndelayed = 1,
                                       .longest_delay = CR_R(0.2),
                                       .shifted = places,
                                       .nshifted = 1,
                                       .nthread = 1};
  cr_channel_info elbow = {.size = sizeof elbow};
  cr_real lower[3], upper[3], low = 100, high = -100;
  must(cr_measurements_get(ms, 0, 1, &elbow, &error));
  assert_string_equal(elbow.place, "qpos[elbow]");
  for (int i = 0; i < elbow.rows; i++) {
    low = cr_min(low, elbow.values[i]);
    high = cr_max(high, elbow.values[i]);
  }
  cr_parameters* ps = one_parameter("body_ipos[second][0]", 2, 5);
  cr_identification* id = NULL;
  must(cr_identification_create(&id, ps, ms, &o, &error));
  must(cr_identification_get_bounds(id, lower, upper, &error));
  assert_true(lower[0] == 2 && upper[0] == 5);
  assert_true(lower[1] == 0 && upper[1] == CR_R(0.2));
  assert_true(lower[2] == -(high - low) && upper[2] == high - low && high > low);
  // a way down from the corner keeps them
  cr_real x[3] = {5, CR_R(0.2), upper[2]}, value;
  must(cr_identification_descend(id, 20, x, &value, &error));
  for (int i = 0; i < 3; i++) {
    assert_true(lower[i] <= x[i] && x[i] <= upper[i]);
  }
  cr_identification_destroy(id);
  cr_parameters_destroy(ps);
  ps = one_parameter("body_ipos[second][0]", 2, (cr_real)INFINITY);
  must(cr_identification_create(&id, ps, ms, &o, &error));
  assert_int_equal(cr_identification_get_bounds(id, lower, upper, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "'length' has no finite bounds"));
  assert_int_equal(cr_identification_descend(id, -1, x, &value, &error), CR_ERR_ARG);
  cr_identification_destroy(id);
  cr_parameters_destroy(ps);
}

// a mass below zero is no model
TEST(a_model_that_is_none_counts_as_infinity) {
  const cr_identification_options o = {.size = sizeof o, .nthread = 1};
  cr_parameters* ps = one_parameter("body_mass[second]", -4, 4);
  cr_identification* id = NULL;
  cr_real x = -3, value = 0;
  must(cr_identification_create(&id, ps, ms, &o, &error));
  must(cr_identification_descend(id, 20, &x, &value, &error));
  assert_true(isinf(value) && value > 0 && x == -3);
  x = 3;
  must(cr_identification_descend(id, 20, &x, &value, &error));
  assert_true(isfinite(value) && x > 0);
  cr_identification_destroy(id);
  cr_parameters_destroy(ps);
}

static bool at_once(void* context) { return true; }

TEST(a_stop_is_no_infinity) {
  const cr_identification_options o = {.size = sizeof o, .nthread = 1, .stop = at_once};
  cr_parameters* ps = one_parameter("body_mass[second]", CR_R(0.1), 4);
  cr_identification* id = NULL;
  cr_real x = 3, value = 0;
  must(cr_identification_create(&id, ps, ms, &o, &error));
  assert_int_equal(cr_identification_descend(id, 20, &x, &value, &error), CR_ERR_INTERRUPTED);
  cr_identification_destroy(id);
  cr_parameters_destroy(ps);
}
