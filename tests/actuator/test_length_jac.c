// SPDX-License-Identifier: Apache-2.0
// Blocks of forces along lengths: by hand, and joint forces of whole models against differences.
#include "actuator/length_jac.h"

#include <stdlib.h>

#include "engine/forward.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { MAX_NV = 64 };

// tau = J' f, f = 2 L + 3 L' + 5 L'' + const, two dofs of three
TEST(a_block_by_hand) {
  const int32_t col[] = {0, 2};
  const cr_real J[] = {CR_R(0.5), -2}, H[] = {1, CR_R(0.25), CR_R(0.25), -3};
  const cr_real v[] = {1, 100, 2}, a[] = {-1, 100, 4};
  cr_real numbers[18] = {0};
  cri_columns columns = {.ld = 6, .q = numbers, .v = numbers + 3};
  cri_length_force x = {2, col, J, H, NULL, 7, 2, 3, 5};
  cri_length_jac(&x, v, a, NULL, columns);
  const cr_real Hv[] = {CR_R(1.5), CR_R(-5.75)}, Ha[] = {0, CR_R(-12.25)};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      cr_real f = 2 * J[j] + 3 * Hv[j] + 5 * Ha[j];
      assert_close(columns.q[6 * col[i] + col[j]], J[i] * f + 7 * H[2 * i + j], ROUND_OFF * 100);
      assert_close(columns.v[6 * col[i] + col[j]], 3 * J[i] * J[j], ROUND_OFF);
    }
  }
  for (int k = 0; k < 6; k++) {
    assert_close(numbers[6 + k], 0, 0);  // the dof it does not pull on
  }
  // a row that is held takes no force
  const int32_t held[] = {1, 0, 0};
  cr_zero(numbers, 18);
  cri_length_jac(&x, v, a, held, columns);
  assert_true(cr_is_zero(numbers, 6));
  assert_true(columns.v[12] != 0);
}

// forces of springs, dampers, tendons and actuators, less everything else
static void forces(const cr_model* m, cr_data* d, cr_real* f) {
  assert_int_equal(cr_forward(m, d), CR_OK);
  for (int i = 0; i < m->nv; i++) {
    f[i] = d->qfrc_spring[i] + d->qfrc_damper[i] + d->qfrc_actuator[i];
  }
}

static bool smooth_between(const cr_model* m, const cr_data* a, const cr_data* b) {
  return memcmp(a->wrap_branch, b->wrap_branch, (size_t)m->nwrap * sizeof *a->wrap_branch) == 0;
}

TEST(columns_are_differences) {
  static const cr_real weight[] = {1, -8, 8, -1};
  const cr_real h = CR_R(1e-4);
  int compared = 0;
  for (uint64_t seed = 0; seed < 48; seed++) {
    cr_model m;
    cr_data* tan;
    const char* why = NULL;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    if (!cri_forces_along_lengths(&m, &why) || m.nv > MAX_NV) {
      assert_non_null(why);
      cri_model_free(&m);
      continue;
    }
    m.disableflags |= CR_DSBL_CONSTRAINT | CR_DSBL_GRAVITY;
    cr_data* d = test_data(&m);
    cr_data* moved = test_data(&m);
    assert_int_equal(cri_data_twin(&tan, &m, d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
    random_state(&m, d, seed, STATE_FLIGHT);
    cri_data_copy(&m, moved, d);
    size_t v = (size_t)m.nv, width = 2 * v + (size_t)m.nout;
    cr_real* numbers = calloc(v * width, sizeof *numbers);
    cri_curvatures curvatures = {calloc((size_t)m.ntendon + 1, sizeof(int32_t)),
                                 calloc(cri_curvatures_size(&m) + 1, sizeof(cr_real))};
    cri_actuator_jac* slopes = calloc((size_t)m.nactuator + 1, sizeof *slopes);
    cri_columns columns = {(int)width, numbers, numbers + v, numbers + 2 * v};
    cr_real delta[MAX_NV], f[MAX_NV], rate[MAX_NV] = {0}, want[MAX_NV] = {0};
    forces(&m, d, f);
    cri_curvatures_set(&m, d, &curvatures, tan);
    cri_spring_jac(&m, d, &curvatures, columns, tan);
    cri_actuation_jac(&m, d, &curvatures, slopes, columns, tan);
    cr_random r = cr_random_seed(seed, 8);
    for (int i = 0; i < m.nv; i++) {
      delta[i] = cr_random_normal(&r);
    }
    bool same = true;
    for (int k = 0; k < 4; k++) {
      cr_real s = h * (cr_real)(k < 2 ? k - 2 : k - 1);
      mechanism_move(&m, d, delta, s, moved);
      for (int i = 0; i < m.nv; i++) {
        moved->qvel[i] = d->qvel[i] + s * delta[i];
      }
      forces(&m, moved, f);
      same = same && smooth_between(&m, d, moved);
      for (int i = 0; i < m.nv; i++) {
        rate[i] += weight[k] * f[i] / (12 * h);
      }
    }
    for (int i = 0; i < m.nv; i++) {
      for (int j = 0; j < m.nv; j++) {
        want[i] += (columns.q[i * columns.ld + j] + columns.v[i * columns.ld + j]) * delta[j];
      }
    }
    if (same) {
      assert_all_close(want, rate, m.nv, CR_R(1e-5));  // paths from inside are good to 1e-6
      compared++;
    }
    free(numbers);
    free(slopes);
    free(curvatures.at);
    free(curvatures.numbers);
    cri_data_free(tan);
    cri_model_free(&m);
  }
  assert_true(compared > 5);
}
