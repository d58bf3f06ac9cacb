// SPDX-License-Identifier: Apache-2.0
// Steps side by side: the same bits as one by one, for any number of threads, without an allocation; a row that fails is named.
// Needs: io
#include "carom/quasidynamic.h"

#include "base/random.h"
#include "scenes/io_mjcf.h"
#include "support/allocation.h"
#include "support/close.h"

enum { N = 40, NQ = 9, NV = 8, NU = 2 };

static const char pushed[] =
    "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .1'><freejoint/><geom "
    "type='box' size='.1 .1 .1'/></body>"
    "<body pos='-.2 0 .1'><joint name='x' type='slide' axis='1 0 0'/><joint name='y' type='slide' "
    "axis='0 1 0'/><geom size='.06'/>"
    "</body></worldbody><actuator><position joint='x' kp='300'/><position joint='y' kp='200' "
    "ctrllimited='true' ctrlrange='-1 1'/>"
    "</actuator></mujoco>";

static mjModel* mj;
static cr_model m;
static cr_real qpos[N * NQ], u[N * NU];

static void open_model(void) {
  cr_random random = cr_random_seed(3, 0);
  mj = mjcf_compile(pushed);
  m = mjcf_model(mj);
  for (int i = 0; i < N; i++) {
    const cr_real at[NQ] = {0, 0, CR_R(0.1), 1};
    cr_copy(qpos + NQ * i, at, NQ);
    qpos[NQ * i + 7] = cr_random_range(&random, CR_R(0.0), CR_R(0.04));
    u[NU * i] = cr_random_range(&random, CR_R(0.0), CR_R(0.2));
    u[NU * i + 1] = cr_random_range(&random, CR_R(-0.1), CR_R(0.1));
  }
}

static void close_model(void) {
  cri_model_free(&m);
  mj_deleteModel(mj);
}
AROUND_EACH(open_model, close_model)

static void run(int nthread, cr_real* next, cr_real* A, cr_real* B) {
  const cr_quasidynamic_options options = {.size = sizeof options, .weight = 100};
  cr_quasidynamic_batch* batch = NULL;
  cr_error error = {0};
  assert_int_equal(cr_quasidynamic_batch_create(&batch, &m, &options, nthread, &error), CR_OK);
  assert_int_equal(cr_quasidynamic_batch_run(batch, N, qpos, u, next, A, B, &error), CR_OK);
  const long before = allocation_count();
  assert_int_equal(cr_quasidynamic_batch_run(batch, N, qpos, u, next, A, B, &error), CR_OK);
  assert_int_equal(allocation_count(), before);
  cr_quasidynamic_batch_destroy(batch);
}

TEST(any_number_of_threads_gives_the_same_bits) {
  static cr_real next[2][N * NQ], A[2][N * NV * NV], B[2][N * NV * NU];
  const cr_quasidynamic_options options = {.size = sizeof options, .weight = 100};
  cr_quasidynamic* one = NULL;
  run(1, next[0], A[0], B[0]);
  run(3, next[1], A[1], B[1]);
  assert_memory_equal(next[0], next[1], sizeof next[0]);
  assert_memory_equal(A[0], A[1], sizeof A[0]);
  assert_memory_equal(B[0], B[1], sizeof B[0]);
  assert_int_equal(cr_quasidynamic_create(&one, &m, &options, NULL), CR_OK);
  for (int i = 0; i < N; i++) {
    cr_real x[NQ], dA[NV * NV], dB[NV * NU];
    assert_int_equal(cr_quasidynamic_step(one, qpos + NQ * i, u + NU * i, x), CR_OK);
    assert_int_equal(cr_quasidynamic_jacobian(one, dA, dB), CR_OK);
    assert_memory_equal(x, next[0] + NQ * i, sizeof x);
    assert_memory_equal(dA, A[0] + NV * NV * i, sizeof dA);
    assert_memory_equal(dB, B[0] + NV * NU * i, sizeof dB);
  }
  cr_quasidynamic_destroy(one);
}

TEST(the_lowest_row_that_fails_is_named) {
  cr_real next[N * NQ];
  cr_quasidynamic_batch* batch = NULL;
  cr_error error = {0};
  assert_int_equal(cr_quasidynamic_batch_create(&batch, &m, NULL, 2, &error), CR_OK);
  u[NU * 7 + 1] = 2;
  u[NU * 12] = (cr_real)NAN;
  assert_int_equal(cr_quasidynamic_batch_run(batch, N, qpos, u, next, NULL, NULL, &error),
                   CR_ERR_ARG);
  assert_string_equal(error.text,
                      "row 7: quasi-dynamic step: u[1] is 2, outside its ctrlrange -1 to 1");
  cr_quasidynamic_batch_destroy(batch);
}
