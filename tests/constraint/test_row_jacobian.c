// SPDX-License-Identifier: Apache-2.0
// Contact Jacobians against the motion of two points that the bodies carry along.
#include "constraint/row_jacobian.h"

#include "base/random.h"
#include "math/vec3.h"
#include "scenes/contact_scene.h"
#include "scenes/mechanism.h"
#include "support/close.h"

enum { N_SEED = 8, MAX_NV = 64 };

static void body_of(const contact_scene* s, int c, int side, int* body) {
  *body = s->m.geom_bodyid[s->d->contact_geom[2 * c + side]];
}

// where the point that is at `pos` on body b in s->d is in the pose of `to`
static void carry(const contact_scene* s, const cr_data* to, int b, const cr_real pos[3],
                  cr_real moved[3]) {
  cr_real arm[3], local[3];
  cr_sub3(arm, pos, s->d->xpos + 3 * b);
  cr_multmat3(local, s->d->xmat + 9 * b, arm);
  cr_copy3(moved, to->xpos + 3 * b);
  cr_accmat3(moved, to->xmat + 9 * b, local);
}

// relative displacement and turn of the two bodies at contact c, in its frame, for coordinates a
// step h along v away
static void displacement(const contact_scene* s, cr_data* moved, int c, const cr_real* v, cr_real h,
                         cr_real x[6]) {
  cr_real at[2][3], between[3], turn[3] = {0}, R_tan[9], w[3];
  mechanism_move(&s->m, s->d, v, h, moved);
  mechanism_pose(&s->m, moved);
  for (int side = 0; side < 2; side++) {
    int b;
    body_of(s, c, side, &b);
    carry(s, moved, b, s->d->contact_pos + 3 * c, at[side]);
    for (int i = 0; i < 9; i++) {
      R_tan[i] = moved->xmat[9 * b + i] - s->d->xmat[9 * b + i];
    }
    cr_rot_vec(w, s->d->xmat + 9 * b, R_tan);
    cr_accscl3(turn, w, side == 1 ? 1 : -1);
  }
  cr_sub3(between, at[1], at[0]);
  cr_mulmat3(x, s->d->contact_frame + 9 * c, between);
  cr_mulmat3(x + 3, s->d->contact_frame + 9 * c, turn);
}

TEST(jacobian_is_relative_velocity) {
  cr_random r = cr_random_seed(1, 4);
  int tried = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "collision");
    cr_data* moved = test_data(&s.m);
    cri_data_reset(&s.m, moved);
    for (int c = 0; c < s.d->ncon && c < 6; c++) {
      int32_t work[2 * MAX_NV];
      cr_real J[6 * MAX_NV], v[MAX_NV], u[6] = {0}, plus[6], minus[6], h = CR_R(1e-5);
      cri_contact_chain chain = cri_contact_chain_of(&s.m, s.d, c, work);
      cri_contact_jacobian(&s.m, s.d, c, &chain, 6, J);
      for (int i = 0; i < s.m.nv; i++) {
        v[i] = cr_random_normal(&r);
      }
      for (int k = 0; k < 6; k++) {
        for (int q = 0; q < chain.n; q++) {
          u[k] += J[k * chain.n + q] * v[chain.dof[q]];
        }
      }
      displacement(&s, moved, c, v, h, plus);
      displacement(&s, moved, c, v, -h, minus);
      for (int k = 0; k < 6; k++) {
        assert_close(u[k], (plus[k] - minus[k]) / (2 * h), CR_R(1e-7));
      }
      tried++;
    }
    scene_close(&s);
  }
  assert_true(tried > 10);
}

// ascending, and exactly the dofs that move one body and not the other
TEST(chain_is_the_symmetric_difference) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "collision");
    for (int c = 0; c < s.d->ncon; c++) {
      int32_t work[2 * MAX_NV];
      int b0, b1, k = 0;
      body_of(&s, c, 0, &b0);
      body_of(&s, c, 1, &b1);
      cri_contact_chain chain = cri_contact_chain_of(&s.m, s.d, c, work);
      for (int dof = 0; dof < s.m.nv; dof++) {
        int sign = (int)mechanism_moves(&s.m, dof, b1) - (int)mechanism_moves(&s.m, dof, b0);
        if (sign != 0) {
          assert_true(k < chain.n);
          assert_int_equal(chain.dof[k], dof);
          assert_int_equal(chain.sign[k++], sign);
        }
      }
      assert_int_equal(k, chain.n);
    }
    scene_close(&s);
  }
}

// the sweep's velocity of a contact is J r, all six numbers
TEST(sweep_velocity_is_the_product) {
  cr_random r = cr_random_seed(3, 4);
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "collision");
    cr_data* bar;
    assert_int_equal(cri_data_twin(&bar, &s.m, s.d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
    for (int k = 0; k < 2; k++) {
      cri_pairs_add(&bar->efc_J_pairs);
      for (int i = 0; i < s.m.nv; i++) {
        cri_pair_right(&bar->efc_J_pairs, k)[i] = cr_random_normal(&r);
      }
    }
    size_t mark = cri_mark(bar);
    cri_operator_sweep sweep = cri_operator_sweep_begin(&s.m, s.d, bar, &bar->efc_J_pairs);
    for (int c = 0; c < s.d->ncon; c++) {
      int32_t work[2 * MAX_NV];
      cr_real J[6 * MAX_NV];
      cri_contact_chain chain = cri_contact_chain_of(&s.m, s.d, c, work);
      cri_contact_jacobian(&s.m, s.d, c, &chain, 6, J);
      for (int k = 0; k < 2; k++) {
        const cr_real *f = s.d->contact_frame + 9 * c,
                      *right = cri_pair_right(&bar->efc_J_pairs, k);
        cr_real u[6], local[6], expected[6] = {0};
        cri_contact_sweep_velocity(&s.m, s.d, &sweep, c, k, u);
        cr_mulmat3(local, f, u);
        cr_mulmat3(local + 3, f, u + 3);
        for (int i = 0; i < 6; i++) {
          for (int q = 0; q < chain.n; q++) {
            expected[i] += J[i * chain.n + q] * right[chain.dof[q]];
          }
        }
        assert_all_close(local, expected, 6, 256 * CR_EPS);
      }
    }
    cri_pop(bar, mark);
    cri_data_free(bar);
    scene_close(&s);
  }
}
