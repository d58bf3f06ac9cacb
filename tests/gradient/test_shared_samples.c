// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Processes that share samples, here threads that meet: an estimate, a linear model and a training come to the bits of one process alone; the
// failure of one is told by all; mistakes.
#include <pthread.h>

#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text_of_model[] =
    "<mujoco><option timestep='0.05' gravity='0 0 0'/><default><geom "
    "contype='0'/></default><worldbody>"
    "<body name='cart'><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body>"
    "</worldbody><actuator><motor name='u' joint='x'/></actuator></mujoco>";
enum { MOST = 9, NW = 3, SAMPLES = 200 };

static const char* path;

static void setup(void) { path = scratch_write("cart.xml", text_of_model); }
static void teardown(void) {}

AROUND_FILE(setup, teardown)

// ---- processes

typedef struct {
  pthread_barrier_t barrier;
  int count;
  cr_status status[MOST];
  cr_error error[MOST];
  void* rows[MOST];
} meeting;

typedef struct {
  meeting* all;
  int rank, calls;
  int breaks;  // its cost has no value from this call on; -1: never
  cr_real gradient[NW], mean, weights[NW], A[4], B[2], c[2];
  cr_status status;
  cr_error error;
} process;

static cr_status share(void* context, cr_status status, void* rows, int n, size_t size,
                       cr_error* error) {
  process* p = context;
  meeting* all = p->all;
  all->status[p->rank] = status;
  all->error[p->rank] = *error;
  all->rows[p->rank] = rows;
  (void)pthread_barrier_wait(&all->barrier);
  int lowest = 0;
  while (lowest < all->count && all->status[lowest] == CR_OK) {
    lowest++;
  }
  for (int r = 0; r < all->count && lowest == all->count; r++) {
    size_t first = (size_t)n * (size_t)r / (size_t)all->count;
    size_t end = (size_t)n * (size_t)(r + 1) / (size_t)all->count;
    if (r != p->rank && end > first) {
      memcpy((char*)rows + first * size, (char*)all->rows[r] + first * size, (end - first) * size);
    }
  }
  if (lowest < all->count) {
    *error = all->error[lowest];
    status = all->status[lowest];
  }
  (void)pthread_barrier_wait(&all->barrier);
  return status;
}

// (x - 1)^2 of the last state
static cr_status square(void* context, const cr_model* m, const cr_data* d, int step,
                        cr_real* loss) {
  process* p = context;
  cr_real x;
  cr_status status = cr_data_get(m, d, "qpos", &x, 1, NULL);
  *loss += p->breaks >= 0 && p->calls++ >= p->breaks ? (cr_real)NAN : (x - 1) * (x - 1);
  return status;
}

static cr_status slope(void* context, const cr_model* m, const cr_data* d, int step, cr_data* bar) {
  const cr_real* x = cr_data_numbers(m, d, "qpos", NULL, NULL);
  cr_data_view(m, bar, "qpos", NULL, NULL)[0] += 2 * (x[0] - 1);
  return CR_OK;
}

static cr_status estimate(process* p, const cr_processes* processes, cr_model* m) {
  static const char* const names[] = {"qpos", "qvel", "body_mass[cart]"};
  static const cr_real sigma[NW] = {CR_R(0.3), CR_R(0.2), CR_R(0.1)};
  const cr_loss loss = {.value = square, .bar = slope, .context = p};
  const cr_estimator_options o = {.size = sizeof o,
                                  .kind = CR_ESTIMATOR_ALPHA,
                                  .samples = SAMPLES,
                                  .sigma = sigma,
                                  .processes = processes};
  cr_smoothed_gradient found = {.size = sizeof found, .gradient = p->gradient};
  cr_gradient* g;
  CR_TRY(cr_gradient_create(&g, m, 3, names, NW, NULL, &p->error));
  cr_status status = cr_gradient_estimate(&g, &loss, 1, &o, &found, &p->error);
  p->mean = found.mean;
  cr_gradient_destroy(g);
  return status;
}

static cr_status linearise(process* p, const cr_processes* processes, const cr_model* m) {
  static const cr_real sigma[] = {CR_R(0.1), CR_R(0.2), CR_R(0.3)};
  const cr_smoothed_model_options o = {.size = sizeof o,
                                       .kind = CR_ESTIMATOR_ALPHA,
                                       .samples = SAMPLES,
                                       .sigma = sigma,
                                       .nthread = 2,
                                       .processes = processes};
  cr_linear_model to = {.size = sizeof to, .A = p->A, .B = p->B, .c = p->c};
  cr_data* d;
  CR_TRY(cr_data_create(&d, m, &p->error));
  cr_status status = cr_smoothed_model(m, d, &o, &to, &p->error);
  cr_data_destroy(d);
  return status;
}

static cr_status train(process* p, const cr_processes* processes, const cr_model* m,
                       const cr_data* start, const cr_cost* cost) {
  static const cr_observation place = {.size = sizeof place, .text = "qpos"};
  static const cr_observation speed = {.size = sizeof speed, .text = "qvel"};
  static const cr_observation* const both[] = {&place, &speed};
  static const cr_policy_options linear = {
      .size = sizeof linear, .observations = both, .nobservation = 2};
  static const cr_real noise[] = {CR_R(0.4)}, spread[] = {CR_R(0.2), CR_R(0.1)};
  const cr_policy_training_options o = {.size = sizeof o,
                                        .nstep = 10,
                                        .estimator = CR_ESTIMATOR_ALPHA,
                                        .samples = SAMPLES,
                                        .starts = 10,
                                        .noise = noise,
                                        .spread = spread,
                                        .nthread = 2,
                                        .processes = processes};
  cr_policy_training* t;
  CR_TRY(cr_policy_training_create(&t, m, start, cost, &linear, &o, &p->error));
  cr_status status = CR_OK;
  for (int i = 0; i < 3 && status == CR_OK; i++) {
    status = cr_policy_training_step(t, NULL, &p->error);
  }
  memcpy(p->weights, cr_policy_weights(cr_policy_training_policy(t)), sizeof p->weights);
  cr_policy_training_destroy(t);
  return status;
}

static cr_status train_cart(process* p, const cr_processes* processes, const cr_model* m) {
  const cr_cost_term term = {.size = sizeof term, .text = "qpos", .weight = 1, .terminal = 1};
  static const cr_real qpos = CR_R(0.8);
  cr_data* start;
  cr_cost* cost;
  CR_TRY(cr_data_create(&start, m, &p->error));
  CR_TRY(cr_data_set(m, start, "qpos", &qpos, 1, &p->error));
  CR_TRY(cr_cost_create(&cost, m, &p->error));
  CR_TRY(cr_cost_add(cost, &term, &p->error));
  cr_status status = train(p, processes, m, start, cost);
  cr_cost_destroy(cost);
  cr_data_destroy(start);
  return status;
}

static void* work(void* context) {
  process* p = context;
  const cr_processes processes = {.size = sizeof processes,
                                  .rank = p->rank,
                                  .count = p->all != NULL ? p->all->count : 1,
                                  .share = share,
                                  .context = p};
  const cr_processes* shared = p->all != NULL ? &processes : NULL;
  cr_model* m;
  p->status = cr_model_open(&m, path, &p->error);
  if (p->status == CR_OK) {
    p->status = estimate(p, shared, m);
    p->status = p->status == CR_OK ? linearise(p, shared, m) : p->status;
    p->status = p->status == CR_OK ? train_cart(p, shared, m) : p->status;
    cr_model_destroy(m);
  }
  return NULL;
}

static void run(process* all, int count, int broken) {
  meeting meet = {.count = count};
  pthread_t threads[MOST];
  assert_int_equal(pthread_barrier_init(&meet.barrier, NULL, (unsigned)count), 0);
  for (int i = 0; i < count; i++) {
    all[i] = (process){.all = &meet, .rank = i, .breaks = i == broken ? 20 : -1};
    assert_int_equal(pthread_create(&threads[i], NULL, work, &all[i]), 0);
  }
  for (int i = 0; i < count; i++) {
    (void)pthread_join(threads[i], NULL);
  }
  (void)pthread_barrier_destroy(&meet.barrier);
}

// 9: more than samples of a chunk are shared by at least
TEST(any_number_of_processes_has_the_same_bits) {
  process alone = {.breaks = -1};
  (void)work(&alone);
  if (alone.status != CR_OK) {
    fail_msg("%s", alone.error.text);
  }
  assert_true(alone.mean > 0 && alone.gradient[0] != 0 && alone.weights[0] != 0);
  assert_true(alone.c[0] != 0 && cr_abs(alone.A[0] - 1) < CR_R(0.1) && alone.B[1] > 0);
  for (int count = 1; count <= MOST; count += 2) {
    process all[MOST];
    run(all, count, -1);
    for (int i = 0; i < count; i++) {
      if (all[i].status != CR_OK) {
        fail_msg("%d of %d: %s", i, count, all[i].error.text);
      }
      assert_memory_equal(all[i].gradient, alone.gradient, sizeof alone.gradient);
      assert_memory_equal(&all[i].mean, &alone.mean, sizeof alone.mean);
      assert_memory_equal(all[i].A, alone.A, sizeof alone.A);
      assert_memory_equal(all[i].B, alone.B, sizeof alone.B);
      assert_memory_equal(all[i].c, alone.c, sizeof alone.c);
      assert_memory_equal(all[i].weights, alone.weights, sizeof alone.weights);
    }
  }
}

TEST(the_failure_of_one_is_told_by_all) {
  process all[MOST];
  run(all, 3, 1);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(all[i].status, CR_ERR_NONFINITE);
    assert_non_null(strstr(all[i].error.text, "sample "));
    assert_string_equal(all[i].error.text, all[1].error.text);
  }
}

TEST(mistakes_are_named) {
  cr_model* m;
  process p = {.breaks = -1};
  assert_int_equal(cr_model_open(&m, path, &p.error), CR_OK);
  const cr_processes good = {.size = sizeof good, .count = 2, .share = share};
  const struct {
    cr_processes processes;
    const char* sentence;
  } cases[] = {{{.count = 2, .share = share}, "member size of cr_processes is 0"},
               {{.size = sizeof good, .share = share}, "processes: number 0 of 0"},
               {{.size = sizeof good, .count = 2, .rank = 2}, "processes: number 2 of 2"},
               {{.size = sizeof good, .count = 2, .rank = -1}, "processes: number -1 of 2"},
               {{.size = sizeof good, .count = 2}, "processes: 2, and nothing that shares rows"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(estimate(&p, &cases[i].processes, m), CR_ERR_ARG);
    assert_non_null(strstr(p.error.text, cases[i].sentence));
    assert_int_equal(linearise(&p, &cases[i].processes, m), CR_ERR_ARG);
    assert_non_null(strstr(p.error.text, cases[i].sentence));
    assert_int_equal(train_cart(&p, &cases[i].processes, m), CR_ERR_ARG);
    assert_non_null(strstr(p.error.text, cases[i].sentence));
  }
  cr_model_destroy(m);
}
