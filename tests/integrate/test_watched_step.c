// SPDX-License-Identifier: Apache-2.0
// A step that is watched has the bits of one that is not, and every stage is told once, in order.
#include "carom/profile.h"

#include "carom/fields.h"
#include "checks/measured.h"
#include "support/close.h"

enum { MOST = 128 };

typedef struct {
  int n, stage[MOST];
} told;

static void watch(void* context, int stage) {
  told* t = context;
  assert_true(t->n < MOST);
  t->stage[t->n++] = stage;
}

static void seed_ones(const cr_model* m, cr_data* twin, const char* name) {
  int rows, width;
  cr_real* x = cr_data_view(m, twin, name, &rows, &width);
  for (int i = 0; i < rows * width; i++) {
    x[i] = 1;
  }
}

static void must_equal(const cr_model* m, const cr_data* a, const cr_data* b, const char* name) {
  int rows, width;
  const cr_real* x = cr_data_numbers(m, a, name, &rows, &width);
  const cr_real* y = cr_data_numbers(m, b, name, NULL, NULL);
  assert_all_close(x, y, rows * width, 0);
}

TEST(the_same_bits_and_every_stage_once) {
  static const char* const next[] = {"qpos_next", "qvel_next", "act_next"};
  static const char* const inputs[] = {"qpos", "qvel", "act", "ctrl", "qfrc_applied"};
  for (int seed = 0; seed < 6; seed++) {
    measured s;
    told t[3] = {{0}};
    cr_data *d = NULL, *tan[2], *bar[2];
    measured_open(&s, seed, STATE_CONTACT);
    assert_int_equal(cr_model_set_choice(&s.m, "integrator", "euler", NULL), CR_OK);
    assert_int_equal(cr_data_create(&d, &s.m, NULL), CR_OK);
    cri_data_free(s.d);
    s.d = NULL;
    assert_int_equal(cr_data_create(&s.d, &s.m, NULL), CR_OK);
    int n = cr_step_stages(&s.m);
    assert_int_equal(cr_step(&s.m, s.d), CR_OK);
    assert_int_equal(cr_step_watched(&s.m, d, watch, &t[0]), CR_OK);
    assert_true(cr_solver_residual(d) == cr_solver_residual(s.d));
    for (int i = 0; i < 3; i++) {
      must_equal(&s.m, d, s.d, next[i]);
    }
    for (int i = 0; i < 2; i++) {
      assert_int_equal(cr_data_create_tangent(&tan[i], &s.m, d, NULL), CR_OK);
      assert_int_equal(cr_data_create_cotangent(&bar[i], &s.m, d, NULL), CR_OK);
      seed_ones(&s.m, tan[i], "qvel");
      seed_ones(&s.m, bar[i], "qvel_next");
    }
    assert_int_equal(cr_step_jvp(&s.m, s.d, NULL, tan[0]), CR_OK);
    assert_int_equal(cr_step_jvp_watched(&s.m, d, tan[1], watch, &t[1]), CR_OK);
    assert_int_equal(cr_step_vjp(&s.m, &s.m, s.d, NULL, bar[0]), CR_OK);
    assert_int_equal(cr_step_vjp_watched(&s.m, d, bar[1], watch, &t[2]), CR_OK);
    for (int i = 0; i < 3; i++) {
      must_equal(&s.m, tan[0], tan[1], next[i]);
      must_equal(&s.m, bar[0], bar[1], next[i]);  // cleared
    }
    for (int i = 0; i < 5; i++) {
      must_equal(&s.m, bar[0], bar[1], inputs[i]);
    }
    for (int pass = 0; pass < 3; pass++) {
      assert_int_equal(t[pass].n, n + 2);
      for (int i = 0; i < t[pass].n; i++) {
        int expected = pass < 2 ? i - 1 : (i == 0 ? -1 : n + 1 - i);
        assert_int_equal(t[pass].stage[i], expected);
      }
    }
    for (int i = 0; i < 2; i++) {
      cr_data_destroy(tan[i]);
      cr_data_destroy(bar[i]);
    }
    cr_data_destroy(d);
    measured_close(&s);
  }
}

TEST(several_stages_are_refused) {
  measured s;
  measured_open(&s, 0, STATE_FLIGHT);
  assert_int_equal(cr_model_set_choice(&s.m, "integrator", "rk4", NULL), CR_OK);
  cr_data* d = NULL;
  assert_int_equal(cr_data_create(&d, &s.m, NULL), CR_OK);
  assert_int_equal(cr_step_watched(&s.m, d, NULL, NULL), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(cr_data_error(d), "not with an integrator of several stages"));
  cr_data_destroy(d);
  measured_close(&s);
}
