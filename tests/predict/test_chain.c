// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The matrix against a pullback of the same cotangents: inertias, tied and scaled numbers, logarithms, and derived constants.
#include "predict/chain.h"

#include <stdlib.h>

#include "base/random.h"
#include "carom/carom.h"
#include "model/data.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text[] =
    "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0' damping='.1'/><geom "
    "type='capsule' fromto='0 0 0 .3 0 0' size='.03'/><body name='b' pos='.3 0 0'><joint name='k' "
    "axis='0 0 1' damping='.2' frictionloss='.1'/><geom name='g' type='box' size='.1 .05 .02' "
    "pos='.1 .01 0'/></body></body></worldbody></mujoco>";

enum { N_LIST = 4 };

TEST(rows_are_those_of_pullbacks) {
  const cr_parameter_info list[N_LIST] = {{.size = sizeof list[0],
                                           .name = "a",
                                           .target = "a",
                                           .kind = CR_FIT_INERTIA,
                                           .lower = -(cr_real)INFINITY,
                                           .upper = (cr_real)INFINITY},
                                          {.size = sizeof list[0],
                                           .name = "d",
                                           .target = "dof_damping[*]",
                                           .kind = CR_FIT_SCALE,
                                           .start = 1,
                                           .transform = CR_TRANSFORM_LOG,
                                           .upper = 9},
                                          {.size = sizeof list[0],
                                           .name = "f",
                                           .target = "dof_frictionloss[k]",
                                           .start = CR_R(0.1),
                                           .upper = 9},
                                          {.size = sizeof list[0],
                                           .name = "m",
                                           .target = "body_mass[b]",
                                           .start = CR_R(0.5),
                                           .transform = CR_TRANSFORM_LOG,
                                           .upper = 9}};
  const cr_parameter_info* items[N_LIST] = {&list[0], &list[1], &list[2], &list[3]};
  cr_error error = {0};
  cr_model* m = NULL;
  cr_parameters* ps = NULL;
  cri_chain* chain = NULL;
  cr_data* bar = NULL;
  assert_int_equal(cr_model_open(&m, scratch_write("chain.xml", text), &error), CR_OK);
  assert_int_equal(cr_parameters_create(&ps, m, items, N_LIST, &error), CR_OK);
  int n = cri_parameters_count(ps), nderived = cri_parameters_nderived(ps);
  const bool* wanted = cri_parameters_wanted(ps);
  const cr_model* at = cri_parameters_model(ps);
  cr_real x[64], values[64], p_bar[64], by_x[64], expected[64], seeds[256];
  cr_real* derived = calloc((size_t)(nderived * n) + 1, sizeof *derived);
  assert_true(n == 13 && n <= 64 && nderived <= 256 && derived != NULL);
  cri_parameters_start(ps, x);
  x[2] += CR_R(0.05);
  cri_parameters_values(ps, x, values);
  assert_int_equal(cri_parameters_apply(ps, values, &error), CR_OK);
  cr_zero(seeds, nderived);
  for (int k = 0; k < nderived; k++) {
    seeds[k] = 1;
    assert_int_equal(cri_parameters_derived(ps, seeds, derived + (ptrdiff_t)k * n, &error), CR_OK);
    seeds[k] = 0;
  }
  assert_int_equal(cri_chain_create(&chain, ps, &error), CR_OK);
  assert_non_null(chain);
  assert_int_equal(cri_chain_set(chain, ps, x, derived, &error), CR_OK);
  cr_data* d = test_data(at);
  assert_int_equal(cri_data_twin(&bar, at, d, CR_DATA_COTANGENT, wanted, &error), CR_OK);
  cr_random r = cr_random_seed(3, 3);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    int size = wanted[i] ? cri_field_tangent_size(at, NULL, (cr_field_id)i) : 0;
    for (int k = 0; k < size; k++) {
      cri_field_real(&bar->par, NULL, (cr_field_id)i)[k] = cr_random_normal(&r);
    }
  }
  cri_chain_pull(chain, bar, by_x);
  cr_zero(p_bar, n);
  cr_zero(seeds, nderived);
  cri_parameters_pullback(ps, &bar->par, p_bar, seeds);
  for (int k = 0; k < nderived; k++) {
    for (int i = 0; i < n; i++) {
      p_bar[i] += seeds[k] * derived[k * n + i];
    }
  }
  cri_parameters_chain(ps, x, p_bar, expected);
  for (int i = 0; i < n; i++) {
    assert_true(expected[i] != 0);
    assert_close(by_x[i], expected[i], CR_R(1e-12) * (1 + cr_abs(expected[i])));
  }
  cri_chain_clear(chain, bar);
  cri_chain_pull(chain, bar, by_x);
  for (int i = 0; i < n; i++) {
    assert_true(by_x[i] == 0);
  }
  cri_data_free(bar);
  cri_chain_free(chain);
  free(derived);
  test_release();
  cr_parameters_destroy(ps);
  cr_model_destroy(m);
}
