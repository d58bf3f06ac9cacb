// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A search that ends after any of its steps and goes on has the bits of one that did not end: through the coarse stage, rounds
// with other noises, windows with continuity, delays and offsets. States of other searches and damaged ones are refused.
#include "identify/saving.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fingerprint.h"
#include "carom/carom.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_pendulum[] =
    "<mujoco><option timestep='0.01'/><worldbody><body name='one'><joint name='a' axis='0 1 0' "
    "damping='.02'/><geom type='capsule' fromto='0 0 0 0 0 -.3' size='.01' mass='.3'/><body "
    "name='two' pos='0 0 -.3'><joint name='b' axis='0 1 0' damping='.01'/><geom type='capsule' "
    "fromto='0 0 0 0 0 -.2' size='.01' mass='.2'/><site name='imu' pos='0 0 -.1'/></body></body>"
    "</worldbody><sensor><gyro name='gyro' site='imu'/></sensor></mujoco>";

static cr_error error;
static cr_model* m;
static cr_measurements* ms;

static const cr_real bent[2] = {CR_R(0.7), CR_R(-0.4)};

static cr_measurements* runs(int rows) {
  static const measured_channel channels[] = {{"qpos[a]", 1, CR_R(0.01), 0},
                                              {"gyro", 2, CR_R(0.05), 2}};
  cr_measurements* all = NULL;
  must(cr_measurements_create(&all, m, &error));
  measured_run(all, m, "one", rows, bent, channels, 2, 1);
  measured_run(all, m, "two", rows, bent, channels, 2, 2);
  measured_run(all, m, "three", rows, bent, channels, 2, 3);
  return all;
}

static void setup(void) {
  must(cr_model_open(&m, scratch_write("pendulum.xml", text_of_pendulum), &error));
  ms = runs(60);
}

static void teardown(void) {
  cr_measurements_destroy(ms);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

static cr_parameters* parameters(cr_real damping, cr_real prior) {
  const cr_parameter_info mass = {.size = sizeof mass,
                                  .name = "mass",
                                  .target = "body_mass[two]",
                                  .transform = CR_TRANSFORM_LOG,
                                  .start = CR_R(0.3),
                                  .lower = CR_R(0.01),
                                  .upper = 3};
  const cr_parameter_info loss = {.size = sizeof loss,
                                  .name = "damping",
                                  .target = "dof_damping[a]",
                                  .start = damping,
                                  .upper = 1,
                                  .prior = prior,
                                  .prior_sd = 1};
  const cr_parameter_info* const list[] = {&mass, &loss};
  cr_parameters* ps = NULL;
  must(cr_parameters_create(&ps, m, list, 2, &error));
  return ps;
}

static const char* const late[] = {"gyro"};

// a run is one window: with a coarse stage; windows that go on, with delays and offsets
static cr_identification_options options(bool windows) {
  return windows
             ? (cr_identification_options){.size = sizeof(cr_identification_options),
                                           .window = CR_R(0.2),
                                           .continuity = CR_R(0.05),
                                           .huber = 2,
                                           .delayed = late,
                                           .ndelayed = 1,
                                           .shifted = late,
                                           .nshifted = 1,
                                           .nthread = 1}
             : (cr_identification_options){
                   .size = sizeof(cr_identification_options), .held_out = CR_R(0.3), .nthread = 1};
}

enum { MOST_STATES = 200, MOST_X = 8, PLACES = 2, ROWS = 60 * 3 };

typedef struct {
  int n, end_at;  // states; the one that ends the search, -1: none
  int step[MOST_STATES];
  void* bytes[MOST_STATES];
  size_t size[MOST_STATES];
} keeper;

static cr_status keep(void* context, int step, const void* state, size_t size, cr_error* why) {
  keeper* k = context;
  assert_true(k->n < MOST_STATES);
  k->step[k->n] = step;
  k->size[k->n] = size;
  k->bytes[k->n] = malloc(size);
  memcpy(k->bytes[k->n], state, size);
  return k->n++ == k->end_at ? CR_ERR_INTERRUPTED : CR_OK;
}

static void drop(keeper* k) {
  for (int i = 0; i < k->n; i++) {
    free(k->bytes[i]);
  }
}

// all that a search found
typedef struct {
  cr_real x[MOST_X], covariance[MOST_X * MOST_X], noise[PLACES], rms[2 * PLACES];
  cr_real predictions[3 * PLACES * ROWS];
  cr_search_end end;
} everything;

static void gather(cr_identification* id, everything* e) {
  must(cr_identification_covariance(id, e->covariance, NULL, &error));
  for (int k = 0; k < 2 * PLACES; k++) {
    cr_fit_of_place f = {.size = sizeof f};
    must(cr_identification_get_place(id, (cr_run_part)(k / PLACES), k % PLACES, &f, &error));
    e->noise[k % PLACES] = f.noise;
    e->rms[k] = f.rms;
  }
  for (int k = 0; k < 3 * PLACES; k++) {
    must(cr_identification_predict(id, k / PLACES, k % PLACES, e->predictions + k * ROWS, &error));
  }
}

static cr_status search(bool windows, int threads, const cr_search* o, everything* e) {
  cr_identification_options of = options(windows);
  cr_parameters* ps = parameters(CR_R(0.1), 0);
  cr_identification* id = NULL;
  of.nthread = threads;
  memset(e, 0, sizeof *e);
  must(cr_identification_create(&id, ps, ms, &of, &error));
  assert_true(cr_identification_count(id) <= MOST_X && cr_identification_places(id) == PLACES);
  must(cr_identification_get_start(id, e->x, &error));
  e->end.size = sizeof e->end;
  cr_status status = cr_identification_solve(id, o, e->x, &e->end, &error);
  if (status == CR_OK) {
    gather(id, e);
  }
  cr_identification_destroy(id);
  cr_parameters_destroy(ps);
  return status;
}

static void same(const everything* a, const everything* b) {
  assert_memory_equal(a->x, b->x, sizeof a->x);
  assert_memory_equal(a->covariance, b->covariance, sizeof a->covariance);
  assert_memory_equal(a->noise, b->noise, sizeof a->noise);
  assert_memory_equal(a->rms, b->rms, sizeof a->rms);
  assert_memory_equal(a->predictions, b->predictions, sizeof a->predictions);
  assert_true(a->end.cost == b->end.cost && a->end.start_cost == b->end.start_cost);
  assert_int_equal(a->end.steps, b->end.steps);
  assert_int_equal(a->end.rounds, b->end.rounds);
  assert_int_equal(a->end.converged, b->end.converged);
  assert_string_equal(a->end.reason, b->end.reason);
}

static void same_state(const keeper* a, int i, const keeper* b, int k) {
  assert_int_equal(a->step[i], b->step[k]);
  assert_int_equal(a->size[i], b->size[k]);
  assert_memory_equal(a->bytes[i], b->bytes[k], a->size[i]);
}

static void check_every_step(bool windows, int threads, bool gauss_newton) {
  const int iterations = gauss_newton ? 6 : windows ? 12 : 30;
  static everything whole, resumed;
  keeper all = {.end_at = -1};
  cr_search o = {.size = sizeof o,
                 .iterations = iterations,
                 .gauss_newton = gauss_newton,
                 .save = keep,
                 .context = &all};
  must(search(windows, 1, &o, &whole));
  print_message("%d states of %zu bytes, %d rounds, %d steps\n", all.n, all.size[0],
                whole.end.rounds, whole.end.steps);
  for (int k = 1; k < all.n; k++) {
    assert_true(all.step[k] > all.step[k - 1]);
  }
  assert_true(all.n >= whole.end.steps && whole.end.rounds >= 2);
  assert_true(windows || all.n > whole.end.steps + 2);  // steps of the coarse stage are there too
  cr_search without = {
      .size = sizeof without, .iterations = iterations, .gauss_newton = gauss_newton};
  must(search(windows, 1, &without, &resumed));
  same(&whole, &resumed);
  keeper some = {.end_at = all.n / 2};
  o.context = &some;
  assert_int_equal(search(windows, 1, &o, &resumed), CR_ERR_INTERRUPTED);
  assert_int_equal(some.n, all.n / 2 + 1);
  for (int k = 0; k < all.n; k++) {
    keeper rest = {.end_at = -1};
    o.context = &rest;
    o.resume = all.bytes[k];
    o.resume_size = all.size[k];
    must(search(windows, threads, &o, &resumed));
    same(&whole, &resumed);
    assert_int_equal(rest.n, all.n - k - 1);
    for (int i = 0; i < rest.n; i++) {
      same_state(&rest, i, &all, k + 1 + i);
    }
    if (k < some.n) {
      same_state(&some, k, &all, k);
    }
    drop(&rest);
  }
  drop(&some);
  drop(&all);
}

TEST(whole_runs_go_on_after_every_step) { check_every_step(false, 2, false); }

TEST(windows_go_on_after_every_step) { check_every_step(true, 1, false); }

TEST(gauss_newton_goes_on_after_every_step) { check_every_step(true, 1, true); }

static cr_search staying(keeper* k) {
  return (cr_search){
      .size = sizeof(cr_search), .iterations = 30, .stay = true, .save = keep, .context = k};
}

// the leg of the starts alone is between the coarse stage and the rounds
TEST(searches_that_stay_go_on) {
  static everything whole, resumed;
  keeper all = {.end_at = -1};
  cr_search o = staying(&all);
  must(search(false, 1, &o, &whole));
  for (int k = 0; k < all.n; k++) {
    keeper rest = {.end_at = -1};
    cr_search on = staying(&rest);
    on.resume = all.bytes[k];
    on.resume_size = all.size[k];
    must(search(false, 1, &on, &resumed));
    same(&whole, &resumed);
    assert_int_equal(rest.n, all.n - k - 1);
    drop(&rest);
  }
  drop(&all);
}

// a search that ran out of iterations is made longer
TEST(more_iterations_go_on) {
  static everything brief, longer, again;
  keeper all = {.end_at = -1};
  cr_search o = {.size = sizeof o, .iterations = 1, .save = keep, .context = &all};
  must(search(true, 1, &o, &brief));
  assert_false(brief.end.converged);
  const cr_search on = {.size = sizeof on,
                        .iterations = 50,
                        .resume = all.bytes[all.n - 1],
                        .resume_size = all.size[all.n - 1]};
  must(search(true, 1, &on, &longer));
  must(search(true, 1, &(const cr_search){.size = sizeof on, .iterations = 50}, &again));
  assert_true(longer.end.converged && longer.end.cost < brief.end.cost);
  assert_int_equal(longer.end.start_cost == brief.end.start_cost, 1);
  for (int i = 0; i < 2; i++) {
    assert_close(longer.x[i], again.x[i], CR_R(1e-3));
  }
  drop(&all);
}

// x is not read, and the texts of options may be gone
TEST(a_resumed_search_reads_neither_x_nor_texts) {
  static everything whole;
  char text[] = "gyro";
  const char* one[] = {text};
  keeper all = {.end_at = -1};
  cr_identification_options of = options(false);
  cr_search o = {.size = sizeof o, .save = keep, .context = &all};
  must(search(false, 1, &o, &whole));
  o = (cr_search){.size = sizeof o, .resume = all.bytes[0], .resume_size = all.size[0]};
  cr_parameters* ps = parameters(CR_R(0.1), 0);
  cr_identification* id = NULL;
  cr_real x[MOST_X] = {(cr_real)NAN, (cr_real)NAN};
  cr_search_end end = {.size = sizeof end};
  must(cr_identification_create(&id, ps, ms, &of, &error));
  must(cr_identification_solve(id, &o, x, &end, &error));
  assert_true(x[0] == whole.x[0] && x[1] == whole.x[1]);
  cr_identification_destroy(id);
  of.delayed = one;
  of.ndelayed = 1;
  must(cr_identification_create(&id, ps, ms, &of, &error));
  (void)snprintf(text, sizeof text, "none");
  one[0] = NULL;
  must(cr_identification_get_start(id, x, &error));
  const cr_search plain = {.size = sizeof plain, .iterations = 5};
  must(cr_identification_solve(id, &plain, x, &end, &error));
  assert_true(x[2] > CR_R(0.01));  // two steps late
  cr_identification_destroy(id);
  cr_parameters_destroy(ps);
  drop(&all);
}

// ---- states that do not fit

typedef struct {
  cr_parameters* parameters;
  cr_identification* id;
} fit;

static fit fit_of(const cr_measurements* of, const cr_identification_options* o, cr_real damping,
                  cr_real prior) {
  fit f = {.parameters = parameters(damping, prior)};
  must(cr_identification_create(&f.id, f.parameters, of, o, &error));
  return f;
}

static void refuse(const fit* f, const cr_search* o, const char* what) {
  cr_real x[MOST_X] = {0};
  cr_search_end end = {.size = sizeof end};
  assert_int_equal(cr_identification_solve(f->id, o, x, &end, &error), CR_ERR_FORMAT);
  if (strstr(error.text, what) == NULL) {
    fail_msg("'%s' is not about %s", error.text, what);
  }
}

static void refuse_and_drop(fit f, const cr_search* o, const char* what) {
  refuse(&f, o, what);
  cr_identification_destroy(f.id);
  cr_parameters_destroy(f.parameters);
}

static keeper some_states(void) {
  static everything found;
  keeper k = {.end_at = 4};
  const cr_search o = {.size = sizeof o, .save = keep, .context = &k};
  assert_int_equal(search(true, 1, &o, &found), CR_ERR_INTERRUPTED);
  return k;
}

TEST(states_of_other_searches_are_refused) {
  keeper k = some_states();
  cr_identification_options as = options(true), other = as;
  const cr_search o = {.size = sizeof o, .resume = k.bytes[4], .resume_size = k.size[4]};
  cr_search method = o;
  method.tolerance = CR_R(1e-3);
  refuse_and_drop(fit_of(ms, &as, CR_R(0.1), 0), &method, "its tolerance");
  refuse_and_drop(fit_of(ms, &as, CR_R(0.1), 1), &o, "its parameters");
  other.huber = 3;
  refuse_and_drop(fit_of(ms, &other, CR_R(0.1), 0), &o, "its options");
  other = as;
  other.window = CR_R(0.1);
  refuse_and_drop(fit_of(ms, &other, CR_R(0.1), 0), &o, "its options");
  // a start is part of the model as it is at the start
  refuse_and_drop(fit_of(ms, &as, CR_R(0.2), 0), &o, "its model");
  cr_measurements* others = runs(61);
  refuse_and_drop(fit_of(others, &as, CR_R(0.1), 0), &o, "its measurements");
  cr_measurements_destroy(others);
  others = runs(60);
  must(cr_measurements_set_noise(others, "gyro", CR_R(0.05), &error));
  refuse_and_drop(fit_of(others, &as, CR_R(0.1), 0), &o, "its measurements");
  cr_measurements_destroy(others);
  drop(&k);
}

TEST(damaged_states_are_refused) {
  keeper k = some_states();
  const cr_identification_options as = options(true);
  fit f = fit_of(ms, &as, CR_R(0.1), 0);
  unsigned char* bytes = malloc(k.size[4]);
  cr_search o = {.size = sizeof o, .resume = bytes, .resume_size = k.size[4]};
  for (size_t i = 0; i < k.size[4]; i++) {
    memcpy(bytes, k.bytes[4], k.size[4]);
    bytes[i] ^= (unsigned char)(1u << (i % 8));
    refuse(&f, &o, "the state to resume");
  }
  memcpy(bytes, k.bytes[4], k.size[4]);
  for (size_t n = 0; n < k.size[4]; n++) {
    o.resume_size = n;
    refuse(&f, &o, "the state to resume");
  }
  o.resume_size = 7;
  refuse(&f, &o, "7 bytes");
  free(bytes);
  cr_identification_destroy(f.id);
  cr_parameters_destroy(f.parameters);
  drop(&k);
}

// a state whose checksum is right, but that no search wrote: refused, or a search; never a crash
TEST(forged_states_do_no_harm) {
  enum {
    HEAD = 15,
    FIRST = 8
  };  // integers of the head; the first that does not say which search it is
  keeper k = some_states();
  const cr_identification_options as = options(true);
  static const int64_t forged[] = {-1, 0, 1, 2, 3, 5, 15, 16, 1000, INT64_C(1) << 33, INT64_MIN};
  size_t size = k.size[4];
  unsigned char* bytes = malloc(size);
  int refused = 0, tried = 0;
  for (int i = FIRST; i < HEAD + 12; i++) {
    for (size_t v = 0; v < sizeof forged / sizeof forged[0]; v++, tried++) {
      fit f = fit_of(ms, &as, CR_R(0.1), 0);
      cr_real x[MOST_X] = {0};
      cr_search_end end = {.size = sizeof end};
      const cr_search o = {.size = sizeof o, .iterations = 3, .resume = bytes, .resume_size = size};
      memcpy(bytes, k.bytes[4], size);
      memcpy(bytes + (size_t)i * 8, &forged[v], 8);
      uint64_t sum = cri_fingerprint(0, bytes, size - 8);
      memcpy(bytes + size - 8, &sum, 8);
      refused += cr_identification_solve(f.id, &o, x, &end, &error) == CR_ERR_FORMAT;
      cr_identification_destroy(f.id);
      cr_parameters_destroy(f.parameters);
    }
  }
  print_message("%d of %d refused\n", refused, tried);
  assert_true(refused > 20);
  free(bytes);
  drop(&k);
}
