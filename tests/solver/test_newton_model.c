// SPDX-License-Identifier: Apache-2.0
// Newton's method with the convex law is the convex model: where contacts have no friction and push as MuJoCo's, the
// accelerations of the two agree. Laws that have no solution are told.
#include "solver/newton_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "carom/model.h"
#include "carom/step.h"
#include "engine/acceleration.h"
#include "engine/data_create.h"
#include "model/added_contact.h"
#include "scenes/contact_scene.h"
#include "scenes/coulomb.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 12, MOST_NV = 64 };

static cr_error error;

static void push(void* user, cr_contact_call* c) {
  c->zone = c->at->e[0] < 0;
  c->force[0] = c->zone == 1 ? -c->at->D[0] * c->at->e[0] : 0;
  (void)user;
}
static void push_jvp(void* user, cr_contact_call* c) {
  c->force[0] = c->at->e[0] < 0 ? -c->at->D[0] * c->twin->e[0] - c->twin->D[0] * c->at->e[0] : 0;
  (void)user;
}
static void nothing(void* user, cr_contact_call* c) { (void)user, (void)c; }

// leaps at 0: there is no acceleration that balances
static void leap(void* user, cr_contact_call* c) {
  c->force[0] = c->at->e[0] < 0 ? 100 : 0;
  (void)user;
}
static void never(void* user, cr_contact_call* c) {
  c->force[0] = (cr_real)NAN;
  (void)user;
}

static void choose(cr_model* m, const char* name, cr_contact_function* force,
                   cr_contact_function* jvp) {
  const cr_contact_options o = {
      .size = sizeof o, .name = name, .force = force, .jvp = jvp, .vjp = nothing};
  assert_int_equal(cr_model_add_contact_model(m, &o, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(m, "contact_model", name, &error), CR_OK);
}

TEST(with_the_convex_law_it_is_the_convex_model) {
  int pushes = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    cr_real a[MOST_NV], most = 0;
    scene_open(&s, seed);
    scene_condim(&s, 1);
    scene_run(&s, "acceleration");
    cr_copy(a, s.d->qacc, s.m.nv);
    for (int i = 0; i < s.m.nv; i++) {
      most = cr_max(most, cr_abs(a[i]));
    }
    choose(&s.m, "push", push, push_jvp);
    cri_data_free(s.d);
    scene_reopen(&s);
    scene_run(&s, "acceleration");
    for (int i = 0; i < s.m.nv; i++) {
      assert_close(s.d->qacc[i], a[i], CR_R(1e7) * CR_EPS * most);
    }
    for (int i = s.d->ne + s.d->nf + s.d->nl; i < s.d->nefc; i++) {
      pushes += s.d->efc_force[i] > 0;
    }
    scene_close(&s);
  }
  assert_true(pushes > 10);
}

// ---- forces that are not symmetric, where [newton.n3] alone comes to no end

// the largest entry of M a - tau - J' f over the largest term
static cr_real left_of_balance(const contact_scene* s) {
  int nv = s->m.nv;
  cr_real *J = scene_dense_J(s), *M = scene_dense_M(s), most = 0, size = 0;
  for (int i = 0; i < nv; i++) {
    cr_real inertial = 0, left = -s->d->qfrc_smooth[i];
    size = cr_max(size, cr_abs(left));
    for (int j = 0; j < nv; j++) {
      inertial += M[i * nv + j] * s->d->qacc[j];
    }
    for (int r = 0; r < s->d->nefc; r++) {
      left -= J[r * nv + i] * s->d->efc_force[r];
    }
    most = cr_max(most, cr_abs(inertial + left));
    size = cr_max(size, cr_abs(inertial));
  }
  free(J);
  free(M);
  return most / size;
}

enum { EDGE = N_STATE_KIND };

// rows between hard and soft, and stiff rows of which rounding leaves more than of the forces of others
static const struct {
  int model, state;
} HARD[] = {{1154, EDGE},         {1250, STATE_FLIGHT},  {2402, STATE_CONTACT}, {5390, EDGE},
            {5538, STATE_FLIGHT}, {6110, STATE_CONTACT}, {6462, EDGE},          {1266, EDGE},
            {7786, EDGE},         {4742, EDGE}};

TEST(forces_that_are_not_symmetric_are_balanced) {
  for (size_t k = 0; k < sizeof HARD / sizeof *HARD; k++) {
    contact_scene s = {.seed = HARD[k].model};
    uint64_t seed = (uint64_t)HARD[k].model;
    assert_int_equal(random_model(&s.m, seed, &error), CR_OK);
    s.m.cone = CR_CONE_ELLIPTIC;
    coulomb_choose(&s.m, true);
    assert_int_equal(cri_data_create(&s.d, &s.m, NULL, &error), CR_OK);
    for (int kind = 0; kind <= HARD[k].state; kind++) {  // random_state keeps what it does not draw
      if (kind == EDGE) {
        random_state_edge(&s.m, s.d, seed);
      } else {
        random_state(&s.m, s.d, seed, (state_kind)kind);
      }
    }
    cr_status status = cr_forward(&s.m, s.d);
    if (status != CR_OK) {
      fail_msg("model %d: %s", HARD[k].model, s.d->error.text);
    }
    assert_true(s.d->nefc > 0);
    assert_true(left_of_balance(&s) < CR_R(1e6) * CR_EPS);
    scene_close(&s);
  }
}

// ---- a solver of one's own

// s = H^-1 g without pivots, H[nv nv] over the dofs of the system
static void eliminate(const cr_contact_system* s, cr_real* H, cr_real* g) {
  for (int k = 0; k < s->ndof; k++) {
    int p = s->dof[k];
    for (int i = k + 1; i < s->ndof; i++) {
      int r = s->dof[i];
      cr_real l = H[r * s->nv + p] / H[p * s->nv + p];
      for (int j = k; j < s->ndof; j++) {
        H[r * s->nv + s->dof[j]] -= l * H[p * s->nv + s->dof[j]];
      }
      g[r] -= l * g[p];
    }
  }
  for (int k = s->ndof - 1; k >= 0; k--) {
    int p = s->dof[k];
    for (int j = k + 1; j < s->ndof; j++) {
      g[p] -= H[p * s->nv + s->dof[j]] * g[s->dof[j]];
    }
    g[p] /= H[p * s->nv + p];
  }
}

static int steps;

// Newton's method, half a step where a whole one makes it worse
static cr_status own_solver(void* user, cr_contact_system* s) {
  cr_real *H = s->room, *g = H + s->nv * s->nv, *next = g + s->nv, share, last;
  assert_null(user);
  for (int k = 0; k < 400; k++) {
    assert_int_equal(cr_contact_residual(s, s->qacc, g, &last), CR_OK);
    assert_int_equal(cr_contact_matrix(s, s->qacc, H), CR_OK);
    if (last <= 4096 * CR_EPS) {
      return CR_OK;
    }
    eliminate(s, H, g);
    cr_real alpha = 2;
    do {
      alpha /= 2;
      cr_copy(next, s->qacc, s->nv);
      for (int i = 0; i < s->ndof; i++) {
        next[s->dof[i]] -= alpha * g[s->dof[i]];
      }
      assert_int_equal(cr_contact_residual(s, next, NULL, &share), CR_OK);
    } while (share > last && alpha > CR_R(1e-3));
    cr_copy(s->qacc, next, s->nv);
    steps++;
  }
  return CR_ERR_SOLVER;
}

static cr_status lazy(void* user, cr_contact_system* s) {
  (void)user;
  s->qacc[s->dof[0]] += 1;
  return CR_OK;
}

static cr_status stubborn(void* user, cr_contact_system* s) {
  (void)user, (void)s;
  return CR_ERR_SOLVER;
}

static void choose_solver(cr_model* m, cr_contact_solver* solve) {
  cr_contact_options o = coulomb;
  o.name = "own";
  o.solve = solve;
  assert_int_equal(cr_model_add_contact_model(m, &o, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(m, "contact_model", "own", &error), CR_OK);
}

TEST(a_solver_of_its_own_finds_the_same) {
  int compared = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    cr_real a[MOST_NV], most = 0;
    scene_open(&s, seed);
    s.m.cone = CR_CONE_ELLIPTIC;
    coulomb_choose(&s.m, false);
    cri_data_free(s.d);
    scene_reopen(&s);
    scene_run(&s, "acceleration");
    cr_copy(a, s.d->qacc, s.m.nv);
    for (int i = 0; i < s.m.nv; i++) {
      most = cr_max(most, cr_abs(a[i]));
    }
    choose_solver(&s.m, own_solver);
    scene_run(&s, "reference");
    if (cr_acceleration(&s.m, s.d) == CR_OK) {
      for (int i = 0; i < s.m.nv; i++) {
        assert_close(s.d->qacc[i], a[i], CR_R(1e7) * CR_EPS * most);
      }
      compared += s.d->nefc > 0;
      if (seed <= 2) {
        scene_check_stages(&s, "acceleration", "acceleration");
      }
    }
    scene_close(&s);
  }
  assert_true(compared > N_SEED / 2 && steps > compared);
}

TEST(a_solver_that_finds_nothing_is_told) {
  cr_contact_solver* const solvers[] = {lazy, stubborn};
  static const char* const texts[] = {"contact model 'own': its solver leaves a residual of ",
                                      "contact model 'own': its solver says: "};
  for (int k = 0; k < 2; k++) {
    contact_scene s;
    scene_open(&s, 4);
    s.m.cone = CR_CONE_ELLIPTIC;
    choose_solver(&s.m, solvers[k]);
    cri_data_free(s.d);
    scene_reopen(&s);
    scene_run(&s, "reference");
    assert_true(s.d->nefc > 0);
    assert_int_equal(cr_acceleration(&s.m, s.d), CR_ERR_SOLVER);
    assert_non_null(strstr(s.d->error.text, texts[k]));
    scene_close(&s);
  }
  cr_contact_system outside = {.size = sizeof outside};
  cr_real x;
  assert_int_equal(cr_contact_residual(NULL, &x, &x, &x), CR_ERR_ARG);
  assert_int_equal(cr_contact_residual(&outside, &x, &x, &x), CR_ERR_ARG);
  assert_int_equal(cr_contact_matrix(&outside, &x, &x), CR_ERR_ARG);
}

// what a scene says about a law, NULL if all went well
static const char* says(int seed, const char* name, cr_contact_function* force, cr_status* status) {
  static char text[512];
  contact_scene s;
  scene_open(&s, seed);
  scene_condim(&s, 1);
  scene_run(&s, "reference");
  choose(&s.m, name, force, nothing);
  cri_data_free(s.d);
  scene_reopen(&s);
  scene_run(&s, "reference");
  *status = cr_acceleration(&s.m, s.d);
  (void)snprintf(text, sizeof text, "%s", s.d->error.text);
  scene_close(&s);
  return text;
}

TEST(laws_without_a_solution_are_told) {
  static const char* const names[] = {"leap", "never"};
  cr_contact_function* const laws[] = {leap, never};
  for (int k = 0; k < 2; k++) {
    int told = 0;
    for (int seed = 1; seed <= N_SEED; seed++) {
      cr_status status;
      const char* text = says(seed, names[k], laws[k], &status);
      if (status != CR_OK) {
        assert_int_equal(status, k == 0 ? CR_ERR_SOLVER : CR_ERR_NONFINITE);
        assert_non_null(strstr(text, names[k]));
        told++;
      }
    }
    assert_true(told > 0);
  }
}
