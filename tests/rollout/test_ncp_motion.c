// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Motions with the contact model ncp that have closed forms: rest, a block on a slope, sliding to a stop, tipping, a
// stack of unlike masses; what contacts do to the energy; Jacobians, gradients, threads; integrators that it refuses.
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

static void set(cr_model* m, const char* name, double x) {
  must(cr_model_set(m, name, &x, 1, &error));
}

static cr_model* open_text(const char* text) {
  cr_model* m = NULL;
  must(cr_model_open(&m, scratch_write("model.xml", text), &error));
  must(cr_model_set_choice(m, "contact_model", "ncp", &error));
  must(cr_model_set_choice(m, "cone", "elliptic", &error));
  return m;
}

static double* view(const cr_model* m, cr_data* d, const char* field) {
  return cr_data_view(m, d, field, NULL, NULL);
}

static cr_data* data_of(const cr_model* m) {
  cr_data* d;
  must(cr_data_create(&d, m, &error));
  return d;
}

static void step(const cr_model* m, cr_data* d, int n) {
  for (int i = 0; i < n; i++) {
    if (cr_step(m, d) != CR_OK) {
      fail_msg("step %d: %s", i, cr_data_error(d));
    }
    must(cr_advance(m, d));
  }
}

static void assert_near(double x, double expected, double bound) {
  if (!(fabs(x - expected) <= bound)) {
    fail_msg("%.15g, expected %.15g, off by %.3g of %.3g", x, expected, x - expected, bound);
  }
}

static const double TURN = 3.14159265358979323846 / 180;

static cr_model* open_block(double degrees, double friction, const char* integrator) {
  char text[800];
  (void)snprintf(text, sizeof text,
                 "<mujoco><option timestep='.002' gravity='%.17g 0 %.17g'/>"
                 "<worldbody><geom name='floor' type='plane' size='9 9 .1' friction='%.17g'/>"
                 "<body pos='0 0 .1'><freejoint/><geom name='block' type='box' size='.2 .2 .1' "
                 "mass='1' friction='%.17g'/></body></worldbody></mujoco>",
                 9.81 * sin(degrees * TURN), -9.81 * cos(degrees * TURN), friction, friction);
  cr_model* m = open_text(text);
  must(cr_model_set_choice(m, "integrator", integrator, &error));
  return m;
}

static const char* const integrators[] = {"euler", "implicit", "implicitfast", "discrete"};

// four corners share the weight; baumgarte depth / h = cfm force
TEST(a_cube_rests_where_mixing_and_correction_balance) {
  for (int i = 0; i < 4; i++) {
    cr_model* m = open_block(0, 0.5, integrators[i]);
    set(m, "ncp_cfm", 1e-4);
    cr_data* d = data_of(m);
    step(m, d, 500);
    assert_near(0.1 - view(m, d, "qpos")[2], 1e-4 * 9.81 / 4 * 0.002 / 0.2, 1e-12);
    for (int k = 0; k < 6; k++) {
      assert_near(view(m, d, "qvel")[k], 0, 1e-10);
    }
    assert_near(view(m, d, "qfrc_constraint")[2], 9.81, 1e-9);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  (void)state;
}

// at tan(angle) a block goes over from rest to sliding
TEST(a_block_on_a_slope_sticks_or_slides) {
  const double degrees = 20, limit = tan(degrees * TURN);
  for (int slides = 0; slides < 2; slides++) {
    const double mu = limit * (slides ? 0.99 : 1.01);
    cr_model* m = open_block(degrees, mu, "euler");
    cr_data* d = data_of(m);
    step(m, d, 200);
    const double v = view(m, d, "qvel")[0];
    step(m, d, 200);
    const double a = (view(m, d, "qvel")[0] - v) / 0.4;
    // what sticks gives way by cfm times its force
    assert_near(a, slides ? 9.81 * (sin(degrees * TURN) - mu * cos(degrees * TURN)) : 0, 1e-8);
    assert_true(slides ? v > 0.01 : fabs(v) < 1e-5);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  (void)state;
}

// v decreases by mu g h a step, to 0 and no further
TEST(a_sliding_cube_stops) {
  cr_model* m = open_block(0, 0.5, "euler");
  cr_data* d = data_of(m);
  step(m, d, 100);
  view(m, d, "qvel")[0] = 1;
  double v = 1, x = view(m, d, "qpos")[0];
  while (v > 0) {
    v = fmax(0, v - 0.5 * 9.81 * 0.002);
    x += 0.002 * v;
  }
  step(m, d, 250);
  assert_near(view(m, d, "qpos")[0], x, 1e-5);
  assert_near(view(m, d, "qvel")[0], 0, 1e-9);
  cr_data_destroy(d);
  cr_model_destroy(m);
  (void)state;
}

// m g b = 1.962 N m about an edge: a moment of less is borne, one of more tips
TEST(a_cube_tips_beyond_its_moment) {
  for (int tips = 0; tips < 2; tips++) {
    cr_model* m = open_block(0, 1, "euler");
    cr_data* d = data_of(m);
    step(m, d, 10);
    view(m, d, "xfrc_applied")[6 + 4] = tips ? 1.98 : 1.95;
    step(m, d, 100);
    const double turn = view(m, d, "qvel")[4];
    assert_true(tips ? turn > 0.02 : fabs(turn) < 1e-6);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  (void)state;
}

// Newton's method after the sweeps bears masses of one to a thousand
TEST(a_heavy_box_rests_on_a_light_one) {
  static const char text[] =
      "<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='9 9 .1'/>"
      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
      "<body pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .1' mass='1000'/></body>"
      "</worldbody></mujoco>";
  cr_model* m = open_text(text);
  cr_data* d = data_of(m);
  step(m, d, 1000);
  assert_near(view(m, d, "qpos")[2], 0.1, 1e-4);
  assert_near(view(m, d, "qpos")[7 + 2], 0.3, 1e-4);
  assert_near(view(m, d, "qfrc_constraint")[2], 9.81, 1e-4);
  assert_near(view(m, d, "qfrc_constraint")[6 + 2], 9810, 1e-4);
  assert_true(cr_solver_residual(d) < 1e-9);
  cr_data_destroy(d);
  cr_model_destroy(m);
  (void)state;
}

// ---- energy

static const char drop_text[] =
    "<mujoco><option timestep='.004'/><worldbody>"
    "<geom name='floor' type='plane' size='9 9 .1'/><body pos='0 0 .2'>"
    "<freejoint/><geom type='%s' size='.1 .07 .05' mass='1' condim='%d' friction='.6 .01 .005'/>"
    "</body><body pos='.05 .02 .5'><freejoint/><geom type='box' size='.08 .06 .1' mass='3'/></body>"
    "</worldbody></mujoco>";

static void throw_bodies(const cr_model* m, cr_data* d, cr_random* r) {
  double *q = view(m, d, "qpos"), *v = view(m, d, "qvel");
  must(cr_data_reset(m, d));
  for (int body = 0; body < 2; body++, q += 7, v += 6) {
    double norm = 0;
    for (int k = 3; k < 7; k++) {
      q[k] = (double)cr_random_normal(r);
      norm += q[k] * q[k];
    }
    for (int k = 3; k < 7; k++) {
      q[k] /= sqrt(norm);
    }
    for (int k = 0; k < 6; k++) {
      v[k] = (k < 3 ? 1 : 5) * (double)cr_random_normal(r);
    }
  }
}

// the impulse p of contacts changes the kinetic energy by p'v+ - p' M^-1 p / 2, so that p'v+ <= 0 is more than enough;
// without correction of positions that holds for every step
TEST(contacts_create_no_energy) {
  static const char* const shapes[] = {"box", "capsule", "sphere", "ellipsoid"};
  cr_random r = cr_random_seed(5, 12);
  int pushes = 0;
  double worst = 0;
  for (int shape = 0; shape < 4; shape++) {
    char text[1000];
    (void)snprintf(text, sizeof text, drop_text, shapes[shape], shape % 2 == 0 ? 6 : 3);
    cr_model* m = open_text(text);
    set(m, "ncp_baumgarte", 0);
    cr_data* d = data_of(m);
    for (int drop = 0; drop < 500; drop++) {
      throw_bodies(m, d, &r);
      for (int k = 0; k < 100; k++) {
        if (cr_step(m, d) != CR_OK) {
          fail_msg("%s drop %d step %d: %s", shapes[shape], drop, k, cr_data_error(d));
        }
        const double *p = view(m, d, "qfrc_constraint"), *v = view(m, d, "qvel_next");
        double power = 0, size = 0;
        for (int i = 0; i < 12; i++) {
          power += p[i] * v[i];
          size += fabs(p[i] * v[i]);
        }
        worst = fmax(worst, size > 0 ? power / size : 0);
        pushes += size > 0;
        must(cr_advance(m, d));
      }
    }
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  print_message("%d steps with contacts, largest share of a power %.1e\n", pushes, worst);
  assert_true(pushes > 50000 && worst < 1e-9);
  (void)state;
}

// ---- derivatives

static const char pile[] =
    "<mujoco><option timestep='.002'/><worldbody>"
    "<geom name='floor' type='plane' size='2 2 .1' friction='.5'/>"
    "<body pos='0 0 .0995' euler='0 1 0'><freejoint/><geom name='box' type='box' "
    "size='.1 .1 .1' friction='.4 .01 .002' condim='6'/></body>"
    "<body pos='.02 .01 .299'><freejoint/><geom name='ball' size='.1' friction='.4'/>"
    "<body pos='0 0 .15'><joint name='arm' axis='0 1 0' range='-20 20' limited='true' "
    "damping='.2' frictionloss='.01'/><geom type='capsule' size='.02 .05' contype='0' "
    "conaffinity='0'/></body></body></worldbody></mujoco>";
enum { NV = 13 };

static void begin(const cr_model* m, cr_data* d) {
  double* v = view(m, d, "qvel");
  for (int i = 0; i < NV; i++) {
    v[i] = 0.2 * sin(3 * i + 1);
  }
  v[2] = v[8] = -0.2;
}

// whole matrices, not column by column, but for the integrator discrete
TEST(jacobians_are_structured_and_those_of_differences) {
  const double h = 1e-7;
  for (int k = 0; k < 4; k++) {
    cr_model* m = open_text(pile);
    must(cr_model_set_choice(m, "integrator", integrators[k], &error));
    set(m, "ncp_cfm", 1e-3);
    cr_data* d = data_of(m);
    cr_jacobian* J;
    static double A[4 * NV * NV], next[2][NV];
    must(cr_jacobian_create(&J, m, d, &error));
    begin(m, d);
    must(cr_step(m, d));
    assert_true(view(m, d, "efc_force")[0] != 0);
    must(cr_step_jacobian(m, d, J, A, NULL, NULL));
    if (cr_jacobian_fallback(J) != NULL && k < 3) {
      fail_msg("%s: %s", integrators[k], cr_jacobian_fallback(J));
    }
    for (int i = 0; i < NV; i++) {
      for (int side = 0; side < 2; side++) {
        begin(m, d);
        view(m, d, "qvel")[i] += side == 0 ? -h : h;
        must(cr_step(m, d));
        memcpy(next[side], view(m, d, "qvel_next"), sizeof next[side]);
      }
      for (int row = 0; row < NV; row++) {
        assert_near(A[(NV + row) * 2 * NV + NV + i], (next[1][row] - next[0][row]) / (2 * h), 2e-5);
      }
    }
    cr_jacobian_destroy(J);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  (void)state;
}

static double loss_of(cr_model* m, double gradient[3]) {
  static const char* const parameters[] = {"ncp_baumgarte", "ncp_cfm", "geom_friction"};
  cr_rollout* r;
  cr_expression* e;
  must(cr_expression_create(&e, m, "norm(qpos)^2 + norm(qvel)^2", &error));
  cr_loss loss = cr_expression_loss(e, false);
  must(cr_rollout_create(&r, m, 20, parameters, 3, &error));
  begin(m, cr_rollout_data(r));
  must(cr_rollout_run(r, m, 20, &loss, &error));
  const double value = cr_rollout_loss(r);
  if (gradient != NULL) {
    must(cr_rollout_gradient(r, m, m, &loss, &error));
    for (int p = 0; p < 3; p++) {
      gradient[p] = view(m, cr_rollout_bar(r), parameters[p])[0];
    }
  }
  cr_rollout_destroy(r);
  cr_expression_destroy(e);
  return value;
}

TEST(gradients_are_those_of_differences) {
  static const char* const names[] = {"ncp_baumgarte", "ncp_cfm", "geom_friction[floor][0]"};
  for (int k = 0; k < 4; k++) {
    cr_model* m = open_text(pile);
    double gradient[3];
    must(cr_model_set_choice(m, "integrator", integrators[k], &error));
    set(m, "ncp_cfm", 1e-3);
    (void)loss_of(m, gradient);
    for (int p = 0; p < 3; p++) {
      double x, side[2], h;
      must(cr_model_get(m, names[p], &x, 1, &error));
      h = 1e-6 * x;
      for (int s = 0; s < 2; s++) {
        set(m, names[p], x + (s == 0 ? -h : h));
        side[s] = loss_of(m, NULL);
      }
      set(m, names[p], x);
      assert_near(x * gradient[p], x * (side[1] - side[0]) / (2 * h), 1e-6);
      assert_true(gradient[p] != 0);
    }
    cr_model_destroy(m);
  }
  (void)state;
}

// ---- threads, refusals

enum { ITEMS = 8, STEPS = 40 };

static cr_loss loss_by(void* context, int item, int worker) {
  (void)item;
  return ((cr_loss*)context)[worker];
}

// gradients by the starts
static void run_batch(const cr_model* m, int threads, double* qvel_bar) {
  cr_batch* batch;
  static double qvel[ITEMS * NV];
  const cr_batch_options options = {.size = sizeof options, .nstep = STEPS, .nthread = threads};
  const cr_batch_input in = {.size = sizeof in, .qvel = qvel};
  const cr_batch_output out = {.size = sizeof out, .qvel_bar = qvel_bar};
  cr_expression* e[3];
  cr_loss losses[3];
  for (int i = 0; i < 3; i++) {
    must(cr_expression_create(&e[i], m, "norm(qpos)^2 + norm(qvel)^2", &error));
    losses[i] = cr_expression_loss(e[i], false);
  }
  for (int i = 0; i < ITEMS * NV; i++) {
    qvel[i] = sin(i);
  }
  must(cr_batch_create(&batch, m, m, &options, &error));
  must(cr_batch_run(batch, ITEMS, &in, loss_by, losses, &out, &error));
  cr_batch_destroy(batch);
  for (int i = 0; i < 3; i++) {
    cr_expression_destroy(e[i]);
  }
}

TEST(threads_change_no_bit) {
  static const char* const models[] = {"ncp", "hunt_crossley"};
  for (int k = 0; k < 2; k++) {
    static double q[2][ITEMS * NV];
    cr_model* m = open_text(pile);
    must(cr_model_set_choice(m, "contact_model", models[k], &error));
    run_batch(m, 1, q[0]);
    run_batch(m, 3, q[1]);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_true(q[0][0] != 0);
    cr_model_destroy(m);
  }
  (void)state;
}

TEST(stages_of_an_integrator_are_refused) {
  static const char* const explicit[] = {"rk4", "tsit5", "midpoint"};
  for (int i = 0; i < 3; i++) {
    cr_model* m = open_block(0, 1, "euler");
    cr_rollout* r;
    must(cr_model_set_choice(m, "integrator", explicit[i], &error));
    cr_data* d = data_of(m);
    assert_int_equal(cr_step(m, d), CR_ERR_ARG);
    assert_non_null(strstr(cr_data_error(d), "contact model 'ncp' makes forces of a whole step"));
    must(cr_rollout_create(&r, m, 2, NULL, 0, &error));
    assert_int_equal(cr_rollout_run(r, m, 2, NULL, &error), CR_ERR_ARG);
    cr_rollout_destroy(r);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  const double none = 0;
  cr_model* m = open_block(0, 1, "euler");
  assert_int_equal(cr_model_set(m, "ncp_cfm", &none, 1, &error), CR_ERR_MODEL);
  cr_model_destroy(m);
  (void)state;
}
