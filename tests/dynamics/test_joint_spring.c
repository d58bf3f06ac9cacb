// SPDX-License-Identifier: Apache-2.0
// Springs of joints by hand, and the transpose of their derivative.
#include "dynamics/joint_spring.h"

#include "base/random.h"
#include "math/vec3.h"
#include "support/close.h"
#include "support/random_model.h"

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
        cri_spring_pull s = cri_spring_pull_of(&m, d, j, &p[i]);
        cr_real x = p[i].n == 1 ? d->qpos[p[i].q] - m.qpos_spring[p[i].q] : cr_norm3(s.e);
        const cr_real* c = m.jnt_stiffnesspoly + 2 * j;
        assert_close(s.x, x, 8 * CR_EPS * (1 + cr_abs(x)));
        cr_real k = m.jnt_stiffness[j] + c[0] * x + c[1] * x * x;
        assert_close(s.k, k, 64 * CR_EPS * (1 + cr_abs(k)));
      }
      assert_int_equal(covered, dofs[m.jnt_type[j]]);
    }
    end();
  }
}

TEST(transpose_matches_tangent) {
  cr_random r = cr_random_seed(7, 1);
  for (uint64_t seed = 0; seed < 20; seed++) {
    begin(seed);
    cr_data* tan = test_twin(&m, d, CR_DATA_TANGENT);
    cr_data* bar = test_twin(&m, d, CR_DATA_COTANGENT);
    cr_real forward = 0, backward = 0;
    for (int i = 0; i < m.nv; i++) {
      tan->qpos[i] = cr_random_normal(&r);
    }
    for (int j = 0; j < m.njnt; j++) {
      cri_spring_piece p[2];
      int n = cri_spring_pieces(&m, j, p);
      for (int i = 0; i < n; i++) {
        cri_spring_pull s = cri_spring_pull_of(&m, d, j, &p[i]);
        cr_real e_tan[3], e_bar[3] = {cr_random_normal(&r), 0, 0};
        e_bar[1] = p[i].n == 3 ? cr_random_normal(&r) : 0;
        cri_spring_pull_jvp(tan, &p[i], &s, e_tan);
        cri_spring_pull_vjp(bar, &p[i], &s, e_bar);
        forward += cr_dot3(e_tan, e_bar);
      }
    }
    for (int i = 0; i < m.nv; i++) {
      backward += tan->qpos[i] * bar->qpos[i];
    }
    assert_close(forward, backward, CR_R(1e-12) * (1 + cr_abs(forward)) * m.nv);
    end();
  }
}
