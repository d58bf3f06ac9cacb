// SPDX-License-Identifier: Apache-2.0
// Dofs of two bodies, their motions at a point, and columns of a wrench between the bodies: of one that follows their relative velocity, and of
// one that is carried along.
#include "kinematics/body_pair.h"

#include <stdlib.h>

#include "engine/data_create.h"
#include "engine/forward.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { SEEDS = 8 };
static const cr_real origin[3] = {CR_R(0.3), CR_R(-0.2), CR_R(0.5)};
static const cr_real wrench[6] = {CR_R(0.4), -1, 2, CR_R(0.7), CR_R(-0.3), 1};

typedef struct {
  cr_model m;
  cr_data* d;
  cri_body_pair p;
  cri_columns columns;
} fixture;

static fixture open_model(uint64_t seed) {
  fixture f;
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  assert_int_equal(cri_data_create(&f.d, &f.m, NULL, NULL), CR_OK);
  random_state(&f.m, f.d, seed, STATE_CONTACT);
  assert_int_equal(cr_forward(&f.m, f.d), CR_OK);
  const size_t n = (size_t)f.m.nv;
  f.p = cri_body_pair_of(&f.m, f.d);
  f.columns = (cri_columns){.ld = f.m.nv, .q = calloc(2 * n * n + 1, sizeof(cr_real))};
  assert_non_null(f.columns.q);
  f.columns.v = f.columns.q + n * n;
  return f;
}

static void close_model(fixture* f) {
  free(f->columns.q);
  cri_data_free(f->d);
  cri_model_free(&f->m);
}

static void begin(fixture* f, int a, int b) {
  cri_body_pair_begin(&f->m, f->d, (const int[]){a, b}, origin, &f->p);
}

static void visit(void (*check)(fixture* f, int a, int b)) {
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    fixture f = open_model(seed);
    for (int a = 0; a < f.m.nbody; a++) {
      for (int b = 0; b < f.m.nbody; b++) {
        begin(&f, a, b);
        check(&f, a, b);
      }
    }
    close_model(&f);
  }
}

// every dof that moves one of the bodies comes up once, from the leaves, with the right side
static void check_dofs(fixture* f, int a, int b) {
  int n = 0;
  for (int j = f->m.nv - 1; j >= 0; j--) {
    const int side = (mechanism_moves(&f->m, j, a) ? CRI_PAIR_FIRST : 0) |
                     (mechanism_moves(&f->m, j, b) ? CRI_PAIR_SECOND : 0);
    if (side != 0) {
      assert_true(n < f->p.n);
      assert_int_equal(f->p.dof[n], j);
      assert_int_equal(f->p.side[n], side);
      n++;
    }
  }
  assert_int_equal(f->p.n, n);
}

TEST(dofs_are_those_that_move_a_body) { visit(check_dofs); }

// the motions of the dofs between them make the relative velocity
static void check_velocity(fixture* f, int a, int b) {
  cr_real u[6] = {0}, V[2][6];
  for (int k = 0; k < f->p.n; k++) {
    cr_accscl6(u, f->p.column[k].S, cri_body_pair_sign(f->p.side[k]) * f->d->qvel[f->p.dof[k]]);
  }
  cri_body_pair_motion(&f->m, f->d, origin, a, f->d->cvel + 6 * a, V[0]);
  cri_body_pair_motion(&f->m, f->d, origin, b, f->d->cvel + 6 * b, V[1]);
  for (int i = 0; i < 6; i++) {
    assert_close(u[i], V[1][i] - V[0][i], 1000 * CR_EPS * (10 + cr_abs(V[0][i]) + cr_abs(V[1][i])));
  }
}

TEST(motions_make_the_relative_velocity) { visit(check_velocity); }

// A damper F = u: column j of row i is s_i . s_j with both signs. A carried wrench C_k counts where dof k carries s_i.
static void check_columns(fixture* f, int a, int b) {
  (void)a, (void)b;
  const int nv = f->m.nv;
  cr_zero(f->columns.q, 2 * nv * nv);
  for (int k = 0; k < f->p.n; k++) {
    cri_pair_column* x = &f->p.column[k];
    cr_accscl6(x->by_v, x->S, cri_body_pair_sign(f->p.side[k]));
    cr_cross_force(x->carried, x->S, wrench);
  }
  cri_body_pair_write(&f->m, &f->p, f->columns);
  for (int k = 0; k < f->p.n; k++) {
    for (int l = 0; l < f->p.n; l++) {
      const int i = f->p.dof[k], j = f->p.dof[l];
      const cr_real *S = f->p.column[k].S, *T = f->p.column[l].S;
      const cr_real signs = cri_body_pair_sign(f->p.side[k]) * cri_body_pair_sign(f->p.side[l]);
      const bool carries = (f->p.side[k] & f->p.side[l]) != 0 && cri_carries(&f->m, j, i);
      const cr_real turned =
          carries ? -cri_body_pair_sign(f->p.side[k]) * cr_dot6(S, f->p.column[l].carried) : 0;
      assert_close(f->columns.v[i * nv + j], signs * cr_dot6(S, T), 0);
      assert_close(f->columns.q[i * nv + j], turned, 0);
    }
  }
}

TEST(columns_of_a_damper_and_of_a_carried_wrench) { visit(check_columns); }
