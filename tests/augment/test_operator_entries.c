// SPDX-License-Identifier: Apache-2.0
// Entries of operators as targets: constant corrections beside models that have the same by themselves, and what is refused.
#include <stdio.h>

#include "augment/correction.h"
#include "carom/carom.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"
#include "support/test.h"

static cr_error error;

// ---- a network of one number: the same at every state

static cr_status add(cr_model* m, const char* name, const char* target, cr_correction_act act,
                     cr_real value) {
  const cr_correction_input one = {.size = sizeof one};
  const cr_correction_input* inputs[] = {&one};
  const cr_correction_options o = {
      .size = sizeof o, .name = name, .target = target, .act = act, .inputs = inputs, .ninput = 1};
  CR_TRY(cr_model_add_correction(m, &o, &error));
  const cri_correction* c = cri_correction_at(m, cr_model_correction_count(m) - 1);
  for (int k = 0; k < c->noutput; k++) {
    m->plugin_param[c->weight_first + k] = value;
  }
  return CR_OK;
}

static const int integrators[] = {CR_INT_EULER, CR_INT_IMPLICIT, CR_INT_IMPLICITFAST,
                                  CR_INT_RK4,   CR_INT_DISCRETE, CR_INT_FIRST_METHOD};
enum { N_INTEGRATOR = (int)(sizeof integrators / sizeof integrators[0]) };

static void set_integrator(cr_model m[2], int integrator) {
  for (int k = 0; k < 2; k++) {
    m[k].integrator = integrator;
    if (integrator == CR_INT_RK4 || integrator >= CR_INT_FIRST_METHOD) {
      random_model_calm(&m[k]);
      m[k].timestep /= 4;
    }
    if (integrator == CR_INT_DISCRETE) {
      random_model_discrete(&m[k]);
    }
  }
}

static void open_both(cr_model m[2], uint64_t seed, int integrator) {
  for (int k = 0; k < 2; k++) {
    assert_int_equal(random_model(&m[k], seed, NULL), CR_OK);
  }
  set_integrator(m, integrator);
}

static void close_both(cr_model m[2]) {
  cri_model_free(&m[0]);
  cri_model_free(&m[1]);
  test_release();
}

// the step, its cotangents, and what is measured
static void compare(const cr_model m[2], uint64_t seed, cr_real bound) {
  cr_data *d[2], *bar[2], *again[2];
  for (int k = 0; k < 2; k++) {
    d[k] = test_data(&m[k]);
    again[k] = test_data(&m[k]);
    bar[k] = test_twin(&m[k], d[k], CR_DATA_COTANGENT);
    random_state(&m[0], d[k], seed, STATE_FLIGHT);
    if (cr_step(&m[k], d[k]) != CR_OK) {
      fail_msg("model %d of seed %d: %s", k, (int)seed, cr_data_error(d[k]));
    }
    for (int i = 0; i < m[k].nv; i++) {
      bar[k]->qvel_next[i] = 1 + CR_R(0.1) * (cr_real)i;
    }
    assert_int_equal(cr_step_vjp(&m[k], &m[k], d[k], again[k], bar[k]), CR_OK);
  }
  assert_all_close(d[0]->qvel_next, d[1]->qvel_next, m[0].nv, bound);
  assert_all_close(bar[0]->qvel, bar[1]->qvel, m[0].nv, bound);
  assert_all_close(bar[0]->qpos, bar[1]->qpos, m[0].nv, 100 * bound);
  assert_all_close(bar[0]->par.body_mass, bar[1]->par.body_mass, m[0].nbody, 100 * bound);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(cr_forward(&m[k], d[k]), CR_OK);
  }
  assert_all_close(d[0]->qacc, d[1]->qacc, m[0].nv, bound);
  assert_all_close(d[0]->energy, d[1]->energy, 2, bound);
}

static void compare_inertia(const cr_model m[2], uint64_t seed) {
  enum { NV = 100 };
  static cr_real M[2][NV * NV], y[2][NV], x[2][NV], ones[NV];
  cr_data* d[2];
  for (int k = 0; k < 2; k++) {
    d[k] = test_data(&m[k]);
    random_state(&m[0], d[k], seed, STATE_FLIGHT);
    assert_true(m[k].nv <= NV);
    for (int i = 0; i < m[k].nv; i++) {
      ones[i] = 1;
    }
    assert_int_equal(cr_forward(&m[k], d[k]), CR_OK);
    assert_int_equal(cr_full_m(&m[k], d[k], M[k]), CR_OK);
    assert_int_equal(cr_mul_m(&m[k], d[k], y[k], ones), CR_OK);
    assert_int_equal(cr_solve_m(&m[k], d[k], x[k], ones), CR_OK);
  }
  assert_all_close(M[0], M[1], m[0].nv * m[0].nv, CR_R(1e-12));
  assert_all_close(y[0], y[1], m[0].nv, CR_R(1e-12));
  assert_all_close(x[0], x[1], m[0].nv, CR_R(1e-9));
}

// ---- M

static void open_chain(cr_model* m, int n) {
  int32_t types[30];
  for (int i = 0; i < n; i++) {
    types[i] = CR_JNT_HINGE;
  }
  assert_int_equal(chain_model(m, n, types, 0, NULL), CR_OK);
}

// with articulated bodies too, whose factor is then that of the matrix
TEST(more_on_the_diagonal_of_M_is_armature) {
  for (uint64_t seed = 0; seed < 8; seed++) {
    for (int k = 0; k < N_INTEGRATOR; k++) {
      cr_model m[2];
      open_both(m, seed, integrators[k]);
      const int dof = (int)seed % m[0].nv;
      char target[32];
      (void)snprintf(target, sizeof target, "M[%d,%d]", dof, dof);
      assert_int_equal(add(&m[0], "net", target, CR_CORRECTION_ADD, CR_R(0.25)), CR_OK);
      m[1].dof_armature[dof] += CR_R(0.25);
      compare(m, seed, CR_R(1e-8));
      compare_inertia(m, seed);
      close_both(m);
    }
  }
  (void)state;
}

TEST(a_deep_chain_is_a_matrix_once_an_entry_has_changed) {
  for (int trained = 0; trained < 2; trained++) {
    cr_model m[2];
    for (int k = 0; k < 2; k++) {
      open_chain(&m[k], 30);
    }
    const cr_real value = trained == 1 ? CR_R(0.25) : 0;
    assert_int_equal(add(&m[0], "net", "M[29,29]", CR_CORRECTION_ADD, value), CR_OK);
    m[1].dof_armature[29] += value;
    cr_data* d[2] = {test_data(&m[0]), test_data(&m[1])};
    for (int k = 0; k < 2; k++) {
      random_state(&m[k], d[k], 1, STATE_FLIGHT);
      assert_int_equal(cr_step(&m[k], d[k]), CR_OK);
    }
    assert_true(d[0]->M_changed == (trained == 1) && d[0]->M_formed == (trained == 1));
    assert_true(!d[1]->M_changed && !d[1]->M_formed);
    assert_all_close(d[0]->qvel_next, d[1]->qvel_next, m[0].nv, trained == 1 ? CR_R(1e-8) : 0);
    close_both(m);
  }
  (void)state;
}

TEST(an_M_that_is_no_inertia_names_the_correction) {
  cr_model m;
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  assert_int_equal(add(&m, "lighter", "M[0,0]", CR_CORRECTION_SCALE, -2), CR_OK);
  cr_data* d = test_data(&m);
  assert_int_equal(cr_step(&m, d), CR_ERR_SINGULAR);
  assert_non_null(strstr(cr_data_error(d), "correction 'lighter' leaves an M that is no inertia"));
  cri_model_free(&m);
  (void)state;
}

// ---- moments and tendons

static bool is_plain(const cr_model* m, int i) {
  const int type = m->actuator_trntype[i];
  return m->actuator_outnum[i] == 1 && (type == CR_TRN_JOINT || type == CR_TRN_TENDON);
}

// gear scales length and moment
TEST(scaled_moments_are_a_gear) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    for (int k = 0; k < N_INTEGRATOR; k++) {
      cr_model m[2];
      open_both(m, seed, integrators[k]);
      int i = 0;
      while (i < m[0].nactuator && !is_plain(&m[0], i)) {
        i++;
      }
      if (i < m[0].nactuator) {
        const int o = m[0].actuator_outadr[i];
        char target[48];
        for (int j = 0; j < 2; j++) {  // whose gear counts twice
          m[j].actuator_damping[i] = m[j].actuator_armature[i] = 0;
          cr_zero(m[j].actuator_dampingpoly + 2 * i, 2);
        }
        (void)snprintf(target, sizeof target, "actuator_moment[%d]", o);
        assert_int_equal(add(&m[0], "moment", target, CR_CORRECTION_SCALE, CR_R(0.25)), CR_OK);
        (void)snprintf(target, sizeof target, "actuator_length[%d]", o);
        assert_int_equal(add(&m[0], "length", target, CR_CORRECTION_SCALE, CR_R(0.25)), CR_OK);
        for (int j = 0; j < 6; j++) {
          m[1].actuator_gear[6 * o + j] *= CR_R(1.25);
        }
        compare(m, seed, CR_R(1e-9));
        compared++;
      }
      close_both(m);
    }
  }
  assert_true(compared > 20);
  (void)state;
}

static bool is_fixed(const cr_model* m, int t) {
  for (int k = m->tendon_adr[t]; k < m->tendon_adr[t] + m->tendon_num[t]; k++) {
    if (m->wrap_type[k] != CR_WRAP_JOINT) {
      return false;
    }
  }
  return m->tendon_num[t] > 0;
}

// coefficients of joints scale length and Jacobian of a fixed tendon
TEST(scaled_tendons_are_coefficients) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 24; seed++) {
    for (int k = 0; k < N_INTEGRATOR; k++) {
      cr_model m[2];
      open_both(m, seed, integrators[k]);
      int t = 0;
      while (t < m[0].ntendon && !is_fixed(&m[0], t)) {
        t++;
      }
      if (t < m[0].ntendon) {
        char target[48];
        (void)snprintf(target, sizeof target, "ten_J[%d]", t);
        assert_int_equal(add(&m[0], "row", target, CR_CORRECTION_SCALE, CR_R(0.25)), CR_OK);
        (void)snprintf(target, sizeof target, "ten_length[%d]", t);
        assert_int_equal(add(&m[0], "length", target, CR_CORRECTION_SCALE, CR_R(0.25)), CR_OK);
        for (int j = m[1].tendon_adr[t]; j < m[1].tendon_adr[t] + m[1].tendon_num[t]; j++) {
          m[1].wrap_prm[j] *= CR_R(1.25);
        }
        compare(m, seed, CR_R(1e-9));
        compared++;
      }
      close_both(m);
    }
  }
  assert_true(compared > 20);
  (void)state;
}

// ---- where entries stand

TEST(entries_have_places_and_cotangents) {
  cr_model m;
  open_chain(&m, 4);
  cr_data *d = test_data(&m), *bar = test_twin(&m, d, CR_DATA_COTANGENT);
  assert_int_equal(cri_operator_place(&m, d, CR_FIELD_M, 2, 1),
                   cri_operator_place(&m, d, CR_FIELD_M, 1, 2));
  assert_int_equal(cri_operator_place(&m, d, CR_FIELD_M, 0, 0), 0);
  const int k = cri_pairs_add(&bar->M_pairs);
  cri_pair_left(&bar->M_pairs, k)[1] = 2;
  cri_pair_right(&bar->M_pairs, k)[2] = 3;
  cri_pair_left(&bar->M_pairs, k)[3] = 5;
  cri_pair_right(&bar->M_pairs, k)[3] = 7;
  assert_close(cri_operator_bar(&bar->M_pairs, CR_FIELD_M, 2, 1), 6, 0);
  assert_close(cri_operator_bar(&bar->M_pairs, CR_FIELD_M, 3, 3), 35, 0);
  assert_close(cri_operator_bar(&bar->M_pairs, CR_FIELD_ten_J, 1, 2), 6, 0);
  assert_close(cri_operator_bar(&bar->M_pairs, CR_FIELD_ten_J, 2, 1), 0, 0);
  cri_model_free(&m);
  (void)state;
}

TEST(what_is_no_entry_is_refused) {
  static const struct {
    const char *target, *says;
    cr_status status;
  } cases[] = {
      {"M", "has to be as M[hip,knee]", CR_ERR_NAME},
      {"M[0]", "has to be as M[hip,knee]", CR_ERR_NAME},
      {"ten_J", "needs a row, as ten_J[cable]", CR_ERR_NAME},
      {"actuator_moment[999]", "999", CR_ERR_NAME},
      {"M[0,999]", "999", CR_ERR_NAME},
      {"efc_J", "has no numbers that can be named", CR_ERR_NAME},
  };
  cr_model m;
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const cr_status status = add(&m, "net", cases[i].target, CR_CORRECTION_ADD, 1);
    if (status != cases[i].status || strstr(error.text, cases[i].says) == NULL) {
      fail_msg("%s: %d, %s", cases[i].target, (int)status, error.text);
    }
  }
  assert_int_equal(cr_model_correction_count(&m), 0);
  // two loose bodies
  int far = m.nv - 1;
  while (far > 0 && m.dof_treeid[far] == m.dof_treeid[0]) {
    far--;
  }
  char target[32];
  (void)snprintf(target, sizeof target, "M[%d,0]", far);
  assert_true(far > 0);
  assert_int_equal(add(&m, "net", target, CR_CORRECTION_ADD, 1), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "is no entry"));
  cri_model_free(&m);
  (void)state;
}
