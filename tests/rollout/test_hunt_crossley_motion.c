// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Motions with the contact model hunt_crossley that have closed forms: rest, bounce, a block on a slope; the energy of
// random drops; pairs of geoms; gradients by the numbers of the law.
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

static cr_model* open_text(const char* text, const char* law) {
  cr_model* m = NULL;
  must(cr_model_open(&m, scratch_write("model.xml", text), &error));
  must(cr_model_set_choice(m, "contact_model", "hunt_crossley", &error));
  must(cr_model_set_choice(m, "friction_law", law, &error));
  return m;
}

static double* view(const cr_model* m, cr_data* d, const char* field) {
  return cr_data_view(m, d, field, NULL, NULL);
}

// k, d, n, v_t and static over sliding friction of all geoms
static void set_numbers(cr_model* m, double k, double d, double n, double v_t, double r) {
  const double numbers[5] = {k, d, n, v_t, r};
  char name[64];
  for (int i = 0; i < cr_model_count(m, "ngeom"); i++) {
    for (int j = 0; j < 5; j++) {
      (void)snprintf(name, sizeof name, "geom_hunt_crossley[%d][%d]", i, j);
      must(cr_model_set(m, name, &numbers[j], 1, &error));
    }
  }
}

static cr_data* data_of(const cr_model* m) {
  cr_data* d;
  must(cr_data_create(&d, m, &error));
  return d;
}

static void step(const cr_model* m, cr_data* d, int n) {
  for (int i = 0; i < n; i++) {
    if (cr_step(m, d) != CR_OK) {
      fail_msg("%s", cr_data_error(d));
    }
    must(cr_advance(m, d));
  }
}

static void assert_near(double x, double expected, double bound) {
  if (!(fabs(x - expected) <= bound)) {
    fail_msg("%.15g, expected %.15g, off by %.3g of %.3g", x, expected, x - expected, bound);
  }
}

static const char ball[] =
    "<mujoco><option cone='elliptic' timestep='.0002'/><worldbody>"
    "<geom name='floor' type='plane' size='2 2 .1'/><body pos='0 0 .1'>"
    "<joint type='slide' axis='0 0 1'/><geom name='ball' size='.1' mass='2'/></body>"
    "</worldbody></mujoco>";

// k x^n = m g
TEST(a_ball_rests_where_the_spring_bears_it) {
  for (int i = 0; i < 3; i++) {
    const double n = 1 + 0.5 * i;
    cr_model* m = open_text(ball, "coulomb");
    set_numbers(m, 20000, 200000, n, 0.01, 1);
    cr_data* d = data_of(m);
    step(m, d, 60000);
    assert_near(-view(m, d, "qpos")[0], pow(2 * 9.81 / 20000, 1 / n), 1e-7);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  (void)state;
}

// what stays the same over a bounce without gravity: v / d - k / d^2 log(k + d v), v the speed inwards
static double kept(double k, double d, double v) { return v / d - k / (d * d) * log(k + d * v); }

TEST(a_bounce_keeps_its_restitution_relation) {
  const double speeds[] = {0.1, 0.5, 2}, none[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    cr_model* m = open_text(ball, "coulomb");
    set_numbers(m, 50000, 20000, 1.5, 0.01, 1);
    must(cr_model_set(m, "gravity", none, 3, &error));
    must(cr_model_set_choice(m, "integrator", "rk4", &error));
    must(cr_model_set_option(m, "timestep", 1e-5, &error));
    cr_data* d = data_of(m);
    view(m, d, "qvel")[0] = -speeds[i];
    step(m, d, 2);
    for (int k = 0; k < 200000 && view(m, d, "qpos")[0] < 0; k++) {
      step(m, d, 1);
    }
    const double out = view(m, d, "qvel")[0];
    assert_true(view(m, d, "qpos")[0] >= 0 && out > 0 && out < speeds[i]);
    assert_near(kept(50000, 20000, -out), kept(50000, 20000, speeds[i]), 1e-10);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  (void)state;
}

static void write_slope(char* text, size_t size, double degrees, double friction) {
  (void)snprintf(text, size,
                 "<mujoco><option cone='elliptic' timestep='.0005' gravity='%.17g 0 %.17g'/>"
                 "<worldbody><geom name='floor' type='plane' size='9 9 .1' friction='%g'/>"
                 "<body pos='0 0 .0995'><freejoint/><geom name='block' type='box' size='.2 .2 .1' "
                 "mass='1' friction='%g'/></body></worldbody></mujoco>",
                 9.81 * sin(degrees * 3.14159265358979323846 / 180),
                 -9.81 * cos(degrees * 3.14159265358979323846 / 180), friction, friction);
}

// below tan it creeps at the slip whose friction bears it, above it slides with g (sin - mu cos)
TEST(a_block_on_a_slope_creeps_or_slides) {
  static const char* const laws[] = {"coulomb", "andersson", "hollars", "brown"};
  char text[800];
  for (int law = 0; law < 4; law++) {
    for (int slides = 0; slides < 2; slides++) {
      const double degrees = 20, mu = slides ? 0.2 : 0.6, v_t = 0.1;
      const double tangent = tan(degrees * 3.14159265358979323846 / 180);
      write_slope(text, sizeof text, degrees, mu);
      cr_model* m = open_text(text, laws[law]);
      set_numbers(m, 20000, 40000, 1.5, v_t, 1);
      cr_data* d = data_of(m);
      step(m, d, 4000);
      const double v = view(m, d, "qvel")[0], share = tangent / mu;
      const double t = law == 1 ? atanh(share) / 10 : law == 3 ? atanh(share) / 4 : share;
      if (slides) {
        step(m, d, 1000);
        const double a = (view(m, d, "qvel")[0] - v) / 0.5;
        const double angle = degrees * 3.14159265358979323846 / 180;
        assert_near(a, 9.81 * (sin(angle) - mu * cos(angle)), 1e-3);
      } else {
        assert_near(v, v_t * t, 1e-3 * v_t);
      }
      cr_data_destroy(d);
      cr_model_destroy(m);
    }
  }
  (void)state;
}

// a push at height z tips a block of half width b over if z is above b / mu, and else moves it
TEST(a_pushed_cube_slides_or_tips) {
  for (int tips = 0; tips < 2; tips++) {
    char text[800];
    write_slope(text, sizeof text, 0, tips ? 1 : 0.3);
    cr_model* m = open_text(text, "coulomb");
    set_numbers(m, 50000, 100000, 1.5, 0.02, 1);
    cr_data* d = data_of(m);
    step(m, d, 1000);
    // m g b = 1.962 N m about an edge
    view(m, d, "xfrc_applied")[6] = 5;
    view(m, d, "xfrc_applied")[6 + 4] = tips ? 2.2 : 0;
    step(m, d, 600);
    const double* v = view(m, d, "qvel");
    assert_true(tips ? v[4] > 0.3 && fabs(v[0]) < 2 : fabs(v[4]) < 1e-3 && v[0] > 0.5);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  (void)state;
}

// ---- energy

static const char body_text[] =
    "<mujoco><option cone='elliptic' timestep='.0002' integrator='RK4'><flag energy='enable'/>"
    "</option><worldbody><geom name='floor' type='plane' size='9 9 .1'/><body pos='0 0 .3'>"
    "<freejoint/><geom type='%s' size='.1 .07 .05' mass='1' condim='%d' friction='.6 .01 .005'/>"
    "</body></worldbody></mujoco>";

// neither damping nor friction gives energy: of a drop from any pose, with any spin, no more than at its start
TEST(contacts_create_no_energy) {
  static const char *const shapes[] = {"box", "capsule", "sphere", "ellipsoid"}, *const laws[] = {
                                                                                     "coulomb",
                                                                                     "andersson",
                                                                                     "hollars",
                                                                                     "brown"};
  cr_random r = cr_random_seed(5, 11);
  int lost = 0;
  for (int i = 0; i < 160; i++) {
    char text[800];
    (void)snprintf(text, sizeof text, body_text, shapes[i % 4], i % 3 == 0 ? 6 : 3);
    cr_model* m = open_text(text, laws[(i / 4) % 4]);
    set_numbers(m, 5000, 2000, 1.5, 0.05, 1.3);
    cr_data* d = data_of(m);
    double *q = view(m, d, "qpos"), *v = view(m, d, "qvel"), norm = 0;
    for (int k = 0; k < 4; k++) {
      q[3 + k] = (double)cr_random_normal(&r);
      norm += q[3 + k] * q[3 + k];
    }
    for (int k = 0; k < 4; k++) {
      q[3 + k] /= sqrt(norm);
    }
    for (int k = 0; k < 6; k++) {
      v[k] = (k < 3 ? 1 : 5) * (double)cr_random_normal(&r);
    }
    must(cr_forward(m, d));
    const double* E = view(m, d, "energy");
    const double start = E[0] + E[1];
    double most = start;
    for (int k = 0; k < 50; k++) {
      step(m, d, 50);
      must(cr_forward(m, d));
      most = fmax(most, E[0] + E[1]);
    }
    assert_true(most <= start + 1e-4 * (1 + fabs(start)));
    lost += E[0] + E[1] < start - 0.3;
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  assert_true(lost > 120);
  (void)state;
}

// ---- pairs, gradients, threads

static const char pile[] =
    "<mujoco><option cone='elliptic' timestep='.001'/><worldbody>"
    "<geom name='floor' type='plane' size='2 2 .1' friction='.5'/>"
    "<body pos='0 0 .0995' euler='2 3 4'><freejoint/><geom name='box' type='box' "
    "size='.1 .1 .1' friction='.4 .01 .002' condim='6'/></body>"
    "<body pos='.5 0 .0995'><freejoint/><geom name='ball' size='.1' friction='.4'/></body>"
    "</worldbody></mujoco>";

// each of two bodies moves as if all contacts had its contact model
TEST(a_pair_has_its_own_contact_model) {
  double q[3][14];
  for (int k = 0; k < 3; k++) {
    cr_model* m = open_text(pile, "hollars");
    if (k == 1) {
      must(cr_model_set_choice(m, "contact_model", "convex", &error));
    } else if (k == 2) {
      must(cr_model_set_contact_pair(m, cr_model_id(m, "geom", "floor"),
                                     cr_model_id(m, "geom", "box"), "convex", &error));
    }
    cr_data* d = data_of(m);
    view(m, d, "qvel")[0] = view(m, d, "qvel")[6] = 0.5;
    step(m, d, 200);
    for (int i = 0; i < 14; i++) {
      q[k][i] = view(m, d, "qpos")[i];
    }
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  for (int i = 0; i < 14; i++) {
    assert_near(q[2][i], q[i < 7 ? 1 : 0][i], 1e-9);
  }
  assert_true(fabs(q[0][0] - q[1][0]) > 1e-5 && fabs(q[0][7] - q[1][7]) > 1e-5);
  (void)state;
}

enum { N_PARAMETER = 2, MOST_NUMBERS = 15 };
static const char* const parameters[N_PARAMETER] = {"geom_hunt_crossley", "geom_friction"};

// the loss after 60 steps, and its gradient
static double loss_of(cr_model* m, double gradient[N_PARAMETER][MOST_NUMBERS]) {
  cr_rollout* r;
  cr_expression* e;
  must(cr_expression_create(&e, m, "norm(qpos)^2 + 0.1*norm(qvel)^2", &error));
  cr_loss loss = cr_expression_loss(e, false);
  must(cr_rollout_create(&r, m, 60, parameters, N_PARAMETER, &error));
  cr_data* d = cr_rollout_data(r);
  view(m, d, "qvel")[0] = view(m, d, "qvel")[6] = 0.5;
  view(m, d, "qvel")[5] = 1;
  must(cr_rollout_run(r, m, 60, &loss, &error));
  double value = cr_rollout_loss(r);
  if (gradient != NULL) {
    must(cr_rollout_gradient(r, m, m, &loss, &error));
    for (int p = 0; p < N_PARAMETER; p++) {
      int rows, width;
      const double* g = cr_data_view(m, cr_rollout_bar(r), parameters[p], &rows, &width);
      for (int i = 0; i < rows * width; i++) {
        gradient[p][i] = g[i];
      }
    }
  }
  cr_rollout_destroy(r);
  cr_expression_destroy(e);
  return value;
}

TEST(gradients_by_the_numbers_of_the_law_are_those_of_differences) {
  static const char* const integrators[] = {"euler", "implicit", "implicitfast", "discrete", "rk4"};
  static const char* const laws[] = {"coulomb", "andersson", "hollars", "brown"};
  for (int k = 0; k < 5; k++) {
    cr_model* m = open_text(pile, laws[k % 4]);
    must(cr_model_set_choice(m, "integrator", integrators[k], &error));
    set_numbers(m, 20000, 20000, 1.5, 0.2, 1.3);
    double gradient[N_PARAMETER][MOST_NUMBERS];
    (void)loss_of(m, gradient);
    for (int i = 0; i < 5; i++) {
      char name[64];
      double x, side[2], h;
      (void)snprintf(name, sizeof name, "geom_hunt_crossley[box][%d]", i);
      must(cr_model_get(m, name, &x, 1, &error));
      h = 1e-5 * x;
      for (int s = 0; s < 2; s++) {
        double moved = x + (s == 0 ? -h : h);
        must(cr_model_set(m, name, &moved, 1, &error));
        side[s] = loss_of(m, NULL);
      }
      must(cr_model_set(m, name, &x, 1, &error));
      assert_near(x * gradient[0][5 + i], x * (side[1] - side[0]) / (2 * h), 1e-7);
      assert_true(gradient[0][5 + i] != 0 || k % 4 == 0);
    }
    cr_model_destroy(m);
  }
  (void)state;
}

// forces need gap and velocity: columns of the Jacobian go one by one, and it says so
TEST(jacobians_say_how_they_are_made) {
  cr_model* m = open_text(pile, "coulomb");
  cr_data* d = data_of(m);
  cr_jacobian* J;
  static double A[24 * 24];
  must(cr_jacobian_create(&J, m, d, &error));
  assert_int_equal(cr_step(m, d), CR_OK);
  must(cr_step_jacobian(m, d, J, A, NULL, NULL));
  assert_non_null(cr_jacobian_fallback(J));
  cr_jacobian_destroy(J);
  cr_data_destroy(d);
  cr_model_destroy(m);
  (void)state;
}

TEST(it_goes_into_a_model_file) {
  cr_model* m = open_text(pile, "brown");
  set_numbers(m, 20000, 30000, 1.5, 0.2, 1.3);
  const char* path = scratch_path("pile.crm");
  must(cr_model_save(m, path, &error));
  cr_model_destroy(m);
  must(cr_model_open(&m, path, &error));
  assert_string_equal(cr_model_get_choice(m, "contact_model"), "hunt_crossley");
  assert_string_equal(cr_model_get_choice(m, "friction_law"), "brown");
  double d;
  must(cr_model_get(m, "geom_hunt_crossley[box][1]", &d, 1, &error));
  assert_true(d == 30000);
  const double below = 0.5;
  assert_int_equal(cr_model_set(m, "geom_hunt_crossley[box][2]", &below, 1, &error), CR_ERR_MODEL);
  cr_model_destroy(m);
  (void)state;
}
