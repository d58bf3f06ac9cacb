// SPDX-License-Identifier: Apache-2.0
// Walks along paths of random tendons add up to their lengths; the forces of a piece balance, and their
// tangent and transpose agree.
#include "kinematics/tendon_path.h"

#include "kinematics/tendon.h"
#include "math/vec3.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

typedef void visit(const cr_model* m, const cr_data* d, int t, const cri_tendon_walk* w,
                   const cri_tendon_span* s, void* context);

static void walk_all(visit* see, void* context) {
  for (uint64_t seed = 0; seed < 24; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    mechanism_pose(&m, d);
    assert_int_equal(cr_tendon(&m, d), CR_OK);
    for (int t = 0; t < m.ntendon; t++) {
      if (!cri_tendon_is_fixed(&m, t)) {
        cri_tendon_walk w = cri_tendon_walk_of(&m, t);
        cri_tendon_span s;
        while (cri_tendon_next(&m, d, &w, &s)) {
          see(&m, d, t, &w, &s, context);
        }
        see(&m, d, t, NULL, NULL, context);  // the end of the path
      }
    }
    cri_model_free(&m);
  }
}

typedef struct {
  cr_real length;
  int paths, wraps, pulleys;
} sum;

static void add_span(const cr_model* m, const cr_data* d, int t, const cri_tendon_walk* w,
                     const cri_tendon_span* s, void* context) {
  sum* x = context;
  if (s == NULL) {
    assert_close(x->length, d->ten_length[t], 100 * ROUND_OFF * (1 + x->length));
    x->length = 0;
    x->paths++;
    return;
  }
  x->wraps += s->n == 4;
  x->pulleys += w->pulley >= 0;
  x->length += s->n == 4 ? w->share * s->wrap.length : 0;
  for (int k = 0; k < s->n; k += 2) {
    cri_tendon_piece p = cri_tendon_piece_of(s, k);
    cr_real offset[3];
    cr_sub3(offset, p.x[1], p.x[0]);
    assert_close(cr_dot3(offset, p.e), p.length, 10 * ROUND_OFF * (1 + p.length));
    x->length += w->share * p.length;
  }
}

TEST(spans_add_up_to_the_length) {
  sum x = {0};
  walk_all(add_span, &x);
  assert_true(x.paths > 20 && x.wraps > 5 && x.pulleys > 5);
}

// forces on both ends are opposite, and in line with the piece: about one point nothing is left
static void balance(const cr_model* m, const cr_data* d, int t, const cri_tendon_walk* w,
                    const cri_tendon_span* s, void* context) {
  int* seen = context;
  for (int k = 0; s != NULL && k < s->n; k += 2) {
    cri_tendon_piece p = cri_tendon_piece_of(s, k);
    cr_real net[6] = {0}, far = 1;
    for (int side = 0; side < 2; side++) {
      cr_real F[6] = {0}, shift[3];
      const cr_real* com = d->subtree_com + 3 * m->body_rootid[p.body[side]];
      cri_tendon_piece_force(m, d, &p, side, 2, F);
      assert_close(cr_norm3(F + 3), p.length > 0 ? 2 : 0, 10 * ROUND_OFF);
      cr_cross3(shift, com, F + 3);
      cr_acc3(net, F);
      cr_acc3(net, shift);
      cr_acc3(net + 3, F + 3);
      far += cr_norm3(com) + cr_norm3(p.x[side]);
    }
    for (int i = 0; i < 6; i++) {
      assert_close(net[i], 0, 10 * ROUND_OFF * far);
    }
    *seen += 1;
  }
}

TEST(forces_balance) {
  int seen = 0;
  walk_all(balance, &seen);
  assert_true(seen > 40);
}

typedef struct {
  cr_random r;
  int seen;
} draw;

// V . F_tan = what the transpose has of V, entry by entry of the inputs, for random numbers
static void transpose(const cr_model* m, const cr_data* d, int t, const cri_tendon_walk* w,
                      const cri_tendon_span* s, void* context) {
  draw* x = context;
  cr_random* r = &x->r;
  for (int k = 0; s != NULL && k < s->n; k += 2) {
    cri_tendon_piece p = cri_tendon_piece_of(s, k);
    cr_real v[2][6], x_tan[2][3], e_tan[3], x_bar[2][3] = {{0}}, com_tan[2][3], T = 3, T_tan = 2;
    const cr_real* V[2] = {v[0], v[1]};
    if (p.length < CR_R(1e-3) || m->body_rootid[p.body[0]] == m->body_rootid[p.body[1]]) {
      continue;
    }
    cr_data* tan = test_twin(m, d, CR_DATA_TANGENT);
    cr_data* bar = test_twin(m, d, CR_DATA_COTANGENT);
    cr_real left = 0, right = 0;
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < 6; i++) {
        v[side][i] = cr_random_normal(r);
        x_tan[side][i % 3] = cr_random_normal(r);
        com_tan[side][i % 3] = cr_random_normal(r);
      }
      cr_copy3(tan->subtree_com + 3 * m->body_rootid[p.body[side]], com_tan[side]);
    }
    cri_tendon_direction_tan(&p, x_tan[0], x_tan[1], e_tan);
    for (int side = 0; side < 2; side++) {
      cr_real F_tan[6] = {0};
      cri_tendon_piece_force_tan(m, d, tan, &p, side, T, T_tan, x_tan[side], e_tan, F_tan);
      left += cr_dot3(F_tan, v[side]) + cr_dot3(F_tan + 3, v[side] + 3);
    }
    right = T_tan * cri_tendon_piece_bar(m, d, bar, &p, V, T, x_bar[0], x_bar[1]);
    for (int side = 0; side < 2; side++) {
      int root = m->body_rootid[p.body[side]];
      right += cr_dot3(x_bar[side], x_tan[side]);
      right += cr_dot3(bar->subtree_com + 3 * root, com_tan[side]);
    }
    assert_close(left, right, 1000 * ROUND_OFF * (10 + cr_abs(left)) / cr_min(1, p.length));
    x->seen++;
  }
}

TEST(tangent_and_transpose_agree) {
  draw x = {.r = cr_random_seed(5, 0)};
  walk_all(transpose, &x);
  assert_true(x.seen > 20);
}
