// SPDX-License-Identifier: Apache-2.0
// Springs of joints by hand, and the transpose of their derivative.
#include "force/joint_spring.h"

#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "scenes/random_model.h"
#include "support/close.h"

static cr_model m;
static cr_data* d;

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  d = test_data(&m);
  random_state(&m, d, seed, STATE_FLIGHT);
}

static void end(void) { cri_model_free(&m); }

// what a piece is: one coordinate of a slide or hinge; three of a ball; a free joint has two pieces
TEST(pieces_cover_the_joint) {
  for (uint64_t seed = 0; seed < 20; seed++) {
    begin(seed);
    for (int j = 0; j < m.njnt; j++) {
      static const int dofs[] = {6, 3, 1, 1}, count[] = {2, 1, 1, 1};
      cri_spring_piece p[2];
      int n = cri_spring_pieces(&m, j, p), covered = 0;
      assert_int_equal(n, count[m.jnt_type[j]]);
      for (int i = 0; i < n; i++) {
        assert_int_equal(p[i].v, m.jnt_dofadr[j] + covered);
        covered += p[i].n;
        assert_int_equal(p[i].joint, j);
        cri_spring s = cri_spring_of(&m, d, &p[i]);
        cr_real x = p[i].n == 1 ? d->qpos[p[i].q] - m.qpos_spring[p[i].q] : cr_norm3(s.e);
        const cr_real* c = m.jnt_stiffnesspoly + 2 * j;
        assert_close(s.x, x, 8 * CR_EPS * (1 + cr_abs(x)));
        cr_real k = m.jnt_stiffness[j] + c[0] * x + c[1] * x * x;
        cr_real f[3];
        cri_spring_force(&s, f);
        for (int v = 0; v < p[i].n; v++) {
          assert_close(f[v], -k * s.e[v], 64 * CR_EPS * (1 + cr_abs(k * s.e[v])));
        }
      }
      assert_int_equal(covered, dofs[m.jnt_type[j]]);
    }
    end();
  }
}

// energy, forces and stiffness of a piece, weighed by w
enum { NUMBERS = 5 };

static cr_real weighed(const cri_spring_piece* p, const cr_real w[NUMBERS]) {
  cr_real f[3];
  cri_spring s = cri_spring_of(&m, d, p);
  cri_spring_force(&s, f);
  return w[0] * cri_spring_number(&s, CR_POLY_ENERGY) +
         w[1] * cri_spring_number(&s, CR_POLY_STIFFNESS) + cr_dot3(w + 2, f);
}

// x += s y
static void add_scaled(cr_real* x, const cr_real* y, cr_real s, int n) {
  for (int i = 0; i < n; i++) {
    x[i] += s * y[i];
  }
}

// moves the state, the rest and the coefficients by h
static void move(const cr_data* tan, cr_real h) {
  cr_real* from = m.qpos_spring;
  for (int j = 0; j < m.njnt; j++) {
    m.jnt_stiffness[j] += h * tan->par.jnt_stiffness[j];
    add_scaled(m.jnt_stiffnesspoly + 2 * j, tan->par.jnt_stiffnesspoly + 2 * j, h, 2);
    cri_spring_piece p[2];
    for (int i = cri_spring_pieces(&m, j, p) - 1; i >= 0; i--) {
      if (p[i].turns) {
        cr_quat_integrate(d->qpos + p[i].q, tan->qpos + p[i].v, h);
        continue;
      }
      add_scaled(d->qpos + p[i].q, tan->qpos + p[i].v, h, p[i].n);
      add_scaled(from + p[i].q, tan->par.qpos_spring + p[i].q, h, p[i].n);
    }
  }
}

static void randomize(cr_random* r, cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_normal(r);
  }
}

// tangents of the piece's numbers against differences, and their transposes; `all` are the sums
static void check_piece(const cri_spring_piece* p, cr_data* tan, cr_data* bar, cr_random* r,
                        cr_real all[2]) {
  const cr_real h = CR_R(1e-5);
  cr_real w[NUMBERS] = {0}, f_tan[3], up, down;
  randomize(r, w, 2 + p->n);
  cri_spring s = cri_spring_of(&m, d, p);
  cri_spring_force_tan(tan, &s, f_tan);
  cr_real y_tan = w[0] * cri_spring_number_tan(tan, &s, CR_POLY_ENERGY) +
                  w[1] * cri_spring_number_tan(tan, &s, CR_POLY_STIFFNESS) + cr_dot3(w + 2, f_tan);
  move(tan, h);
  up = weighed(p, w);
  move(tan, -2 * h);
  down = weighed(p, w);
  move(tan, h);
  assert_close(y_tan, (up - down) / (2 * h), CR_R(1e-5) * (1 + cr_abs(y_tan)));
  cri_spring_number_bar(bar, &s, CR_POLY_ENERGY, w[0]);
  cri_spring_number_bar(bar, &s, CR_POLY_STIFFNESS, w[1]);
  cri_spring_force_bar(bar, &s, w + 2);
  all[0] += y_tan;
  all[1] += cr_abs(y_tan);
}

static cr_real product(const cr_real* a, const cr_real* b, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

TEST(derivatives_are_those_of_the_law) {
  cr_random r = cr_random_seed(7, 1);
  for (uint64_t seed = 0; seed < 20; seed++) {
    begin(seed);
    cr_data* tan = test_twin(&m, d, CR_DATA_TANGENT);
    cr_data* bar = test_twin(&m, d, CR_DATA_COTANGENT);
    cr_real all[2] = {0};
    randomize(&r, tan->qpos, m.nv);
    randomize(&r, tan->par.qpos_spring, m.nq);
    randomize(&r, tan->par.jnt_stiffness, m.njnt);
    randomize(&r, tan->par.jnt_stiffnesspoly, 2 * m.njnt);
    for (int j = 0; j < m.njnt; j++) {
      cri_spring_piece p[2];
      int n = cri_spring_pieces(&m, j, p);
      for (int i = 0; i < n; i++) {
        check_piece(&p[i], tan, bar, &r, all);
      }
    }
    cr_real backward = product(tan->qpos, bar->qpos, m.nv) +
                       product(tan->par.qpos_spring, bar->par.qpos_spring, m.nq) +
                       product(tan->par.jnt_stiffness, bar->par.jnt_stiffness, m.njnt) +
                       product(tan->par.jnt_stiffnesspoly, bar->par.jnt_stiffnesspoly, 2 * m.njnt);
    assert_close(all[0], backward, CR_R(1e-12) * (1 + all[1]) * m.nv);
    end();
  }
}

// the force is minus the derivative of the energy, and its columns are those of its tangent
TEST(force_follows_from_the_energy) {
  for (uint64_t seed = 0; seed < 20; seed++) {
    begin(seed);
    cr_data* tan = test_twin(&m, d, CR_DATA_TANGENT);
    for (int j = 0; j < m.njnt; j++) {
      cri_spring_piece p[2];
      for (int i = cri_spring_pieces(&m, j, p) - 1; i >= 0; i--) {
        cri_spring s = cri_spring_of(&m, d, &p[i]);
        cr_real f[3], K[9], f_tan[3];
        cri_spring_force(&s, f);
        cri_spring_force_jac(&s, K);
        for (int k = 0; k < p[i].n; k++) {
          tan->qpos[p[i].v + k] = 1;
          cr_real U_tan = cri_spring_number_tan(tan, &s, CR_POLY_ENERGY);
          cri_spring_force_tan(tan, &s, f_tan);
          tan->qpos[p[i].v + k] = 0;
          assert_close(U_tan, -f[k], CR_R(1e-12) * (1 + cr_abs(U_tan)));
          for (int v = 0; v < p[i].n; v++) {
            assert_close(K[3 * v + k], f_tan[v], CR_R(1e-13) * (1 + cr_abs(f_tan[v])));
          }
        }
      }
    }
    end();
  }
}
