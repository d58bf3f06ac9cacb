// SPDX-License-Identifier: Apache-2.0
// An actuator law outside the library: one row, which a program adds to a model. It takes part in
// every step and in all derivatives: gradients of steps against differences, by state, control and
// parameters, with every integrator; the Jacobian of a step against its tangents; a rollout with its
// gradient, from few checkpoints; and a file of the model, which keeps the type, not the law.
#include <stdio.h>
#include <stdlib.h>

#include "actuator/actuator_laws.h"
#include "integrate/step.h"
#include "integrate/step_jacobian.h"
#include "model/file.h"
#include "model/model_check.h"
#include "rollout/step_check.h"
#include "rollout/trajectory.h"
#include "scenes/chain_model.h"
#include "support/close.h"
#include "support/scratch.h"

// ---- the law: p0 e^(p1 l) (1 + p2 v), a spring that stiffens, damped as it is pulled

static cr_real stiffening(const cr_model* m, int i, const cr_real* p, cri_slope_over over,
                          cr_real l, cr_real v, cri_curve_gradient* g) {
  (void)m, (void)i;
  cr_real e = cr_exp(p[1] * l), along = p[0] * e * (1 + p[2] * v);
  bool by_l = over == CR_OVER_LENGTH, by_v = over == CR_OVER_VELOCITY;
  cr_real y = by_v ? p[0] * e * p[2] : (by_l ? p[1] * along : along);
  if (g != NULL) {
    g->length = p[1] * y;
    g->velocity = by_v ? 0 : (by_l ? p[1] : 1) * p[0] * e * p[2];
    g->prm[0] = y / p[0];
    g->prm[1] = l * y + (by_l ? along : 0);
    g->prm[2] = by_v ? p[0] * e : (by_l ? p[1] : 1) * p[0] * e * v;
  }
  return y;
}

static const cri_actuator_law laws[] = {{.curve = stiffening, .nprm = 3, .bends = true}};

// ---- models with it

static const int32_t joints[] = {CR_JNT_HINGE, CR_JNT_SLIDE, CR_JNT_HINGE};

enum { ACTUATORS = 2 };  // with a gain, and with a bias of the law

static cr_model m;

static void put_law(cr_model* on) {
  const cr_real gain[3] = {-3, CR_R(0.7), CR_R(0.2)}, bias[3] = {-2, CR_R(0.5), CR_R(0.3)};
  on->actuator_gaintype[0] = CR_GAIN_ADDED;
  on->actuator_biastype[1] = CR_BIAS_ADDED;
  cr_copy(on->actuator_gainprm, gain, 3);
  cr_copy(on->actuator_biasprm + 10, bias, 3);
}

static void begin(int integrator) {
  cr_error error = {0};
  assert_int_equal(chain_model(&m, 3, joints, ACTUATORS, &error), CR_OK);
  assert_int_equal(cri_actuator_laws_add(&m, laws, 1, &error), CR_OK);
  put_law(&m);
  for (int i = 0; i < ACTUATORS; i++) {
    m.actuator_dyntype[i] = CR_DYN_FILTER;
    m.actuator_dynprm[10 * i] = CR_R(0.1);
    m.actuator_actnum[i] = 1;
    m.actuator_actadr[i] = i;
  }
  m.integrator = integrator;
  if (cri_model_check(&m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static cr_data* data_at_work(void) {
  cr_data* d = test_data(&m);
  for (int i = 0; i < m.nv; i++) {
    d->qpos[i] = CR_R(0.3) - CR_R(0.2) * (cr_real)i;
    d->qvel[i] = CR_R(0.4) + CR_R(0.1) * (cr_real)i;
  }
  for (int i = 0; i < m.nu; i++) {
    d->ctrl[i] = CR_R(0.8);
    d->act[i] = CR_R(0.6);
  }
  return d;
}

static const int integrators[] = {CR_INT_EULER, CR_INT_RK4, CR_INT_IMPLICIT, CR_INT_IMPLICITFAST,
                                  CR_INT_DISCRETE};
enum { INTEGRATORS = (int)(sizeof integrators / sizeof integrators[0]) };

// ---- tests

TEST(gradients_are_those_of_differences) {
  for (int k = 0; k < INTEGRATORS; k++) {
    cr_error error = {0};
    cr_step_check* check;
    cr_step_check_result result = {0};
    cr_random random = cr_random_seed(3, 0);
    begin(integrators[k]);
    cr_data* d = data_at_work();
    assert_int_equal(cr_step_check_create(&check, &m, 0, &error), CR_OK);
    if (cr_step_check_run(check, d, &random, &result, &error) != CR_OK) {
      fail_msg("%s", error.text);
    }
    if (result.max_error > CR_R(1e-6)) {
      print_message("integrator %d: %s\n", integrators[k], result.worst);
    }
    assert_true(result.max_error <= CR_R(1e-6));
    assert_true(result.dot_error <= CR_R(1e-12));
    assert_true(result.samples > 100 && result.lost == 0);
    cr_step_check_free(check);
    cri_model_free(&m);
  }
}

// it moves the next state, and its parameters do
TEST(a_step_has_the_law) {
  for (int k = 0; k < INTEGRATORS; k++) {
    begin(integrators[k]);
    cr_real moved[3];
    for (int run = 0; run < 3; run++) {
      cr_data* d = data_at_work();
      m.actuator_gainprm[1] += run == 1 ? CR_R(0.1) : 0;
      m.actuator_biasprm[12] += run == 2 ? CR_R(0.1) : 0;
      assert_int_equal(cri_step(&m, d), CR_OK);
      moved[run] = d->qvel_next[0];
    }
    assert_true(moved[0] != moved[1] && moved[1] != moved[2]);
    cri_model_free(&m);
  }
}

TEST(the_jacobian_is_that_of_tangents) {
  for (int k = 0; k < INTEGRATORS; k++) {
    begin(integrators[k]);
    cr_data *d = data_at_work(), *again = data_at_work(), *tan;
    cr_jacobian* work;
    int nx = 2 * m.nv + m.na;
    size_t n = (size_t)nx;
    cr_real *x = calloc(n * n + 1, sizeof *x), *u = calloc(n * ACTUATORS + 1, sizeof *u);
    cr_real* column = calloc(n * n, sizeof *column);
    assert_true(x != NULL && u != NULL && column != NULL);
    assert_int_equal(cri_data_twin(&tan, &m, d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
    assert_int_equal(cr_jacobian_create(&work, &m, d, NULL), CR_OK);
    assert_int_equal(cr_step(&m, d), CR_OK);
    assert_int_equal(cr_step_jacobian(&m, d, work, x, u, NULL), CR_OK);
    // no fallback but for the integrator that has none
    assert_true((cr_jacobian_fallback(work) == NULL) == (integrators[k] != CR_INT_DISCRETE));
    for (int j = 0; j < nx + m.nu; j++) {
      cr_zero(tan->qpos, m.nv);
      cr_zero(tan->qvel, m.nv);
      cr_zero(tan->act, m.na);
      cr_zero(tan->ctrl, m.nu);
      *(j < m.nv       ? tan->qpos + j
        : j < 2 * m.nv ? tan->qvel + j - m.nv
        : j < nx       ? tan->act + j - 2 * m.nv
                       : tan->ctrl + j - nx) = 1;
      assert_int_equal(cr_step_jvp(&m, d, again, tan), CR_OK);
      cri_jacobian_put_column(&m, tan, column, 1);
      for (int i = 0; i < nx; i++) {
        cr_real entry = j < nx ? x[i * nx + j] : u[i * m.nu + j - nx];
        assert_close(entry, column[i], CR_R(1e-11) * (1 + cr_abs(column[i])));
      }
    }
    free(x);
    free(u);
    free(column);
    cr_jacobian_destroy(work);
    cri_data_free(tan);
    cri_model_free(&m);
  }
}

// ---- a rollout

static cr_status add_loss(void* context, const cr_model* of, const cr_data* d, int step,
                          cr_real* loss) {
  (void)context, (void)of, (void)step;
  *loss += d->qpos[0] + d->qvel[2];
  return CR_OK;
}

static cr_status add_loss_bar(void* context, const cr_model* of, const cr_data* d, int step,
                              cr_data* bar) {
  (void)context, (void)of, (void)d, (void)step;
  bar->qpos[0] += 1;
  bar->qvel[2] += 1;
  return CR_OK;
}

enum { STEPS = 60, NUMBERS = 20 * ACTUATORS };

// the gradient by the parameters of gain and bias within so many bytes, 0 as many as it takes; the status
static cr_status differentiate(size_t bytes, cr_real g[NUMBERS], cr_error* error) {
  static const char* const wanted[] = {"actuator_gainprm", "actuator_biasprm"};
  const cr_loss loss = {.value = add_loss, .bar = add_loss_bar};
  cr_rollout* r;
  begin(CR_INT_IMPLICIT);
  assert_int_equal(cr_rollout_create(&r, &m, STEPS, wanted, 2, error), CR_OK);
  cr_status status = bytes > 0 ? cr_rollout_set_memory(r, &m, bytes, error) : CR_OK;
  for (int i = 0; i < STEPS * m.nu; i++) {
    cr_rollout_ctrl(r)[i] = CR_R(0.5);
  }
  status = status == CR_OK ? cr_rollout_run(r, &m, STEPS, &loss, error) : status;
  status = status == CR_OK ? cr_rollout_gradient(r, &m, &m, &loss, error) : status;
  const cr_data* bar = cr_rollout_bar(r);
  cr_copy(g, bar->par.actuator_gainprm, NUMBERS / 2);
  cr_copy(g + NUMBERS / 2, bar->par.actuator_biasprm, NUMBERS / 2);
  cr_rollout_destroy(r);
  cri_model_free(&m);
  return status;
}

// with all states stored, and from checkpoints
TEST(a_rollout_has_the_law) {
  cr_error error = {0};
  cr_real all[NUMBERS], few[NUMBERS];
  size_t least = 0;
  assert_int_equal(differentiate(0, all, &error), CR_OK);
  for (size_t bytes = 1; differentiate(bytes, few, &error) != CR_OK; bytes = least) {
    const char* named = strstr(error.text, "at least ");
    assert_true(named != NULL && sscanf(named, "at least %zu", &least) == 1 && least > bytes);
  }
  assert_true(least > 0 && all[1] != 0 && all[NUMBERS / 2 + 12] != 0);
  assert_memory_equal(few, all, sizeof all);
}

// ---- a file, and what is no law

// it keeps the type, and the model that is read needs its law again
TEST(a_file_keeps_the_type) {
  cr_error error = {0};
  const char* path = scratch_path("added_law.crm");
  begin(CR_INT_EULER);
  assert_int_equal(cri_model_save(&m, path, &error), CR_OK);
  cri_model_free(&m);
  assert_int_equal(cri_model_read(&m, path, &error), CR_OK);
  assert_int_equal(cri_model_check(&m, &error), CR_ERR_MODEL);
  assert_int_equal(cri_actuator_laws_add(&m, laws, 1, &error), CR_OK);
  assert_int_equal(cri_model_check(&m, &error), CR_OK);
  cri_model_free(&m);
}

// what no row may be, and a model without the law that it names
TEST(what_is_no_law_is_refused) {
  cr_error error = {0};
  const cri_actuator_law none = {.nprm = 3}, many = {.curve = stiffening, .nprm = 11};
  assert_int_equal(chain_model(&m, 3, joints, ACTUATORS, &error), CR_OK);
  assert_int_equal(cri_actuator_laws_add(&m, &none, 1, &error), CR_ERR_ARG);
  assert_int_equal(cri_actuator_laws_add(&m, &many, 1, &error), CR_ERR_ARG);
  put_law(&m);
  assert_int_equal(cri_model_check(&m, &error), CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "actuator_gaintype is 6, out of range [0, 5]"));
  assert_int_equal(cri_actuator_laws_add(&m, laws, 1, &error), CR_OK);
  assert_int_equal(cri_model_check(&m, &error), CR_OK);
  m.actuator_gaintype[0] = CR_GAIN_ADDED + 1;
  assert_int_equal(cri_model_check(&m, &error), CR_ERR_MODEL);
  cri_model_free(&m);
}
