// SPDX-License-Identifier: Apache-2.0
// Friction loss of zero: what the backward pass says without a row is what rows of very little say.
#include "solver/latent_friction.h"

#include "engine/forward.h"
#include "force/rank_one.h"
#include "scenes/chain_model.h"
#include "scenes/contact_scene.h"
#include "scenes/random_model.h"
#include "support/close.h"

static const cr_real little = CR_R(1e-9);

// the scene without friction of dofs and tendons but where it stays, and room for all of it
static void open_without(contact_scene* s, int seed, bool keep_half) {
  scene_open(s, seed);
  s->m.disableflags &= ~(CR_DSBL_FRICTIONLOSS | CR_DSBL_CONSTRAINT);
  for (int i = 0; i < s->m.nv; i++) {
    s->m.dof_frictionloss[i] = keep_half && i % 2 == 0 ? CR_R(0.1) : 0;
  }
  cr_zero(s->m.tendon_frictionloss, s->m.ntendon);
  cri_data_free(s->d);
  scene_reopen(s);
}

// derivative of sum(weights qacc + weights qfrc_constraint / 2) by all losses
static cr_data* backward(const contact_scene* s) {
  assert_int_equal(cr_forward(&s->m, s->d), CR_OK);
  cr_data* bar = test_twin(&s->m, s->d, CR_DATA_COTANGENT);
  for (int i = 0; i < s->m.nv; i++) {
    bar->qacc[i] = 1 + (cr_real)i / 8;
    bar->qfrc_constraint[i] = bar->qacc[i] / 2;
  }
  assert_int_equal(cr_forward_vjp(&s->m, s->d, bar), CR_OK);
  return bar;
}

static void compare(const contact_scene* s, cr_real* loss, const cr_real* at_zero, int k,
                    bool tendon, int* told) {
  loss[k] = little;
  cr_data* bar = backward(s);
  cr_real beside = (tendon ? bar->par.tendon_frictionloss : bar->par.dof_frictionloss)[k];
  loss[k] = 0;
  // a friction that holds even so little has no slope, see below
  if (beside != 0) {
    if (!(cr_abs(at_zero[k] - beside) <= CR_R(1e-5) * (1 + cr_abs(beside)))) {
      fail_msg("seed %d, %s %d: %.9g, beside zero %.9g", s->seed, tendon ? "tendon" : "dof", k,
               (double)at_zero[k], (double)beside);
    }
    ++*told;
  }
}

TEST(slopes_are_those_beside_zero) {
  int dofs = 0, tendons = 0;
  for (int seed = 1; seed <= 16; seed++) {
    contact_scene s;
    open_without(&s, seed, seed % 2 == 0);
    if (seed % 4 == 3) {
      random_model_discrete(&s.m);
      cri_data_free(s.d);
      scene_reopen(&s);
      random_state(&s.m, s.d, (uint64_t)seed, STATE_CONTACT);
    }
    cr_data* bar = backward(&s);
    for (int i = 0; i < s.m.nv && i < 8; i++) {
      if (s.m.dof_frictionloss[i] == 0) {
        compare(&s, s.m.dof_frictionloss, bar->par.dof_frictionloss, i, false, &dofs);
      }
    }
    for (int t = 0; t < s.m.ntendon && t < 4; t++) {
      compare(&s, s.m.tendon_frictionloss, bar->par.tendon_frictionloss, t, true, &tendons);
    }
    scene_close(&s);
  }
  print_message("%d dofs, %d tendons\n", dofs, tendons);
  assert_true(dofs > 40 && tendons > 8);
}

// a tendon creeps where its derivative is 0 and it moves
TEST(tendons_creep_as_dofs_do) {
  int creep = 0;
  for (int seed = 1; seed <= 16; seed++) {
    contact_scene s;
    open_without(&s, seed, false);
    cr_data* bar = backward(&s);
    for (int t = 0; t < s.m.ntendon; t++) {
      assert_true(!cri_latent_friction_creeps(&s.m, s.d, s.m.nv + t) ||
                  bar->par.tendon_frictionloss[t] == 0);
    }
    cr_zero(s.d->qvel, s.m.nv);
    for (int i = 0; i < s.m.nv; i++) {
      s.d->acc_qacc[i] *= CR_EPS;
    }
    for (int t = 0; t < s.m.ntendon; t++) {
      cri_rows rows = cri_tendon_rows(&s.m, s.d->ten_J);
      bool moves = cri_row_dot(&rows, s.d->ten_J, t, s.d->acc_qacc) != 0;
      assert_true(cri_latent_friction_creeps(&s.m, s.d, s.m.nv + t) == moves);
      creep += moves;
    }
    scene_close(&s);
  }
  assert_true(creep > 8);
}

// one slide under a force: against the way in which it would go, and nothing where nothing pulls
TEST(a_slide_has_a_closed_form) {
  static const int32_t slide[] = {CR_JNT_SLIDE};
  for (int side = -1; side <= 1; side++) {
    cr_model m;
    assert_int_equal(chain_model(&m, 1, slide, 1, NULL), CR_OK);
    m.disableflags |= CR_DSBL_GRAVITY | CR_DSBL_ACTUATION | CR_DSBL_SPRING | CR_DSBL_DAMPER;
    m.dof_frictionloss[0] = 0;
    m.jnt_limited[0] = 0;
    cr_data* d = test_data(&m);
    cr_data* bar = test_twin(&m, d, CR_DATA_COTANGENT);
    cr_data* tan = test_twin(&m, d, CR_DATA_TANGENT);
    d->qfrc_applied[0] = 3 * (cr_real)side;
    d->want_M = true;
    assert_int_equal(cr_forward(&m, d), CR_OK);
    cr_real expected = -(cr_real)side / d->M[0];
    bar->qacc[0] = 1;
    assert_int_equal(cr_forward_vjp(&m, d, bar), CR_OK);
    assert_close(bar->par.dof_frictionloss[0], expected, 16 * CR_EPS * cr_abs(expected));
    tan->par.dof_frictionloss[0] = 1;
    assert_int_equal(cr_forward_jvp(&m, d, tan), CR_OK);
    assert_close(tan->qacc[0], expected, 16 * CR_EPS * cr_abs(expected));
    assert_close(tan->qfrc_constraint[0], -(cr_real)side, 0);
    // with the flag no row would come
    m.disableflags |= CR_DSBL_FRICTIONLOSS;
    assert_int_equal(cr_forward_jvp(&m, d, tan), CR_OK);
    assert_true(tan->qacc[0] == 0);
    cri_model_free(&m);
  }
}

// A slide under two forces: where they cancel up to round-off there is no slope. A slide of its own that is
// a thousand million times slower than another one has one.
TEST(rest_is_told_from_creep) {
  cr_model m;
  static const int32_t slides[] = {CR_JNT_SLIDE, CR_JNT_SLIDE};
  assert_int_equal(chain_model(&m, 2, slides, 0, NULL), CR_OK);
  m.disableflags |= CR_DSBL_GRAVITY | CR_DSBL_SPRING | CR_DSBL_DAMPER;
  for (int i = 0; i < 2; i++) {
    m.dof_frictionloss[i] = 0;
    m.dof_invweight0[i] = 1;
    m.jnt_limited[i] = 0;
  }
  cr_data* d = test_data(&m);
  cr_data* bar = test_twin(&m, d, CR_DATA_COTANGENT);
  d->qfrc_applied[1] = 3;
  assert_int_equal(cr_forward(&m, d), CR_OK);
  // as constraints would leave it
  for (int i = 0; i < 2; i++) {
    d->acc_qacc[i] = 8 * CR_EPS;
  }
  cr_real tau_bar[2] = {1, 1};
  cri_latent_friction_vjp(&m, d, bar, tau_bar);
  assert_true(bar->par.dof_frictionloss[0] == 0 && bar->par.dof_frictionloss[1] == 0);
  assert_true(cri_latent_friction_creeps(&m, d, 0) && cri_latent_friction_creeps(&m, d, 1));
  m.dof_frictionloss[1] = 1;  // a row of its own
  assert_false(cri_latent_friction_creeps(&m, d, 1));
  m.dof_frictionloss[1] = 0;
  d->acc_qacc[0] = CR_R(1e-6);
  assert_false(cri_latent_friction_creeps(&m, d, 0));
  cri_latent_friction_vjp(&m, d, bar, tau_bar);
  assert_true(bar->par.dof_frictionloss[0] == -1);
  // the same dof as a tree of its own
  int32_t tree[2] = {0, 1}, first[2] = {0, 1}, n[2] = {1, 1};
  int32_t* keep[3] = {m.dof_treeid, m.tree_dofadr, m.tree_dofnum};
  m.dof_treeid = tree;
  m.tree_dofadr = first;
  m.tree_dofnum = n;
  m.ntree = 2;
  cr_zero(bar->par.dof_frictionloss, 2);
  d->acc_qacc[0] = 0;
  d->acc_qacc[1] = 0;
  d->qfrc_smooth[0] = 0;
  d->qvel[0] = -CR_R(1e-6);
  d->qvel[1] = CR_R(1e7);
  cri_latent_friction_vjp(&m, d, bar, tau_bar);
  assert_true(bar->par.dof_frictionloss[0] == 1 && bar->par.dof_frictionloss[1] == -1);
  // slower than round-off of positions: whatever loss there is holds it, and no difference sees it move
  cr_zero(bar->par.dof_frictionloss, 2);
  d->qvel[0] = -64 * CR_EPS;
  d->qvel[1] = 0;
  d->acc_qacc[0] = 64 * CR_EPS;
  cri_latent_friction_vjp(&m, d, bar, tau_bar);
  assert_true(bar->par.dof_frictionloss[0] == 0);
  m.dof_treeid = keep[0];
  m.tree_dofadr = keep[1];
  m.tree_dofnum = keep[2];
  m.ntree = 1;
  cri_model_free(&m);
}
