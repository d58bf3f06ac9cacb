// SPDX-License-Identifier: Apache-2.0
// Adhesion of zero of contacts in their gap: what the sweeps say without a row is what rows of very
// little say.
#include "solver/latent_adhesion.h"

#include "engine/forward.h"
#include "scenes/chain_model.h"
#include "scenes/contact_scene.h"
#include "scenes/random_model.h"
#include "support/close.h"

static const cr_real little = CR_R(1e-7);

// a scene without adhesion, most of whose contacts are in a wide gap
static void open_with_gaps(contact_scene* s, int seed) {
  scene_open(s, seed);
  s->m.disableflags &= ~(CR_DSBL_SPRING | CR_DSBL_DAMPER | CR_DSBL_CONTACT | CR_DSBL_CONSTRAINT);
  s->m.cfd = 0;
  for (int i = 0; i < s->m.ngeom; i++) {
    s->m.geom_adhesion[i] = 0;
    s->m.geom_margin[i] = 0;
    s->m.geom_gap[i] = CR_R(0.2);
  }
  cr_zero(s->m.pair_adhesion, s->m.npair);
  if (seed % 5 == 2) {
    random_model_discrete(&s->m);
  }
  cri_data_free(s->d);
  scene_reopen(s);
  random_state(&s->m, s->d, (uint64_t)seed, STATE_CONTACT);
  for (int i = 0; i < s->m.nv; i++) {
    s->d->qvel[i] *= seed % 3 == 0 ? 1 : CR_R(0.1);
  }
}

// derivative of sum(weights qacc) by all adhesions, and that sum
static cr_data* backward(const contact_scene* s, cr_real* loss) {
  assert_int_equal(cr_forward(&s->m, s->d), CR_OK);
  cr_data* bar = test_twin(&s->m, s->d, CR_DATA_COTANGENT);
  *loss = 0;
  for (int i = 0; i < s->m.nv; i++) {
    bar->qacc[i] = 1 + (cr_real)i / 8;
    *loss += bar->qacc[i] * s->d->qacc[i];
  }
  assert_int_equal(cr_forward_vjp(&s->m, s->d, bar), CR_OK);
  return bar;
}

static int in_gap(const cr_data* d, int geom) {
  int n = 0;
  for (int c = 0; c < d->ncon; c++) {
    bool of = d->contact_geom[2 * c] == geom || d->contact_geom[2 * c + 1] == geom;
    n += of && d->contact_exclude[c] == 1;
  }
  return n;
}

// how many slopes were told; a step that leaps as soon as there is some adhesion has none
static int compare(contact_scene* s, const cr_data* at_zero, cr_real loss, int geom) {
  cr_real moved, beside, slope = at_zero->par.geom_adhesion[geom];
  s->m.geom_adhesion[geom] = little;
  cr_data* bar = backward(s, &moved);
  beside = bar->par.geom_adhesion[geom];
  s->m.geom_adhesion[geom] = 0;
  if (!(cr_abs(moved - loss) <= 2 * little * (1 + cr_abs(beside)))) {
    return 0;
  }
  if (!(cr_abs(slope - beside) <= CR_R(1e-5) * (1 + cr_abs(beside)))) {
    fail_msg("seed %d, geom %d: %.9g, beside zero %.9g", s->seed, geom, (double)slope,
             (double)beside);
  }
  return beside != 0;
}

TEST(slopes_are_those_beside_zero) {
  int told = 0, discrete = 0;
  for (int seed = 1; seed <= 24; seed++) {
    contact_scene s;
    cr_real loss;
    open_with_gaps(&s, seed);
    cr_data* bar = backward(&s, &loss);
    for (int g = 0; g < s.m.ngeom && g < 12; g++) {
      if (in_gap(s.d, g) > 0) {
        int n = compare(&s, bar, loss, g);
        told += n;
        discrete += seed % 5 == 2 ? n : 0;
        assert_int_equal(cr_forward(&s.m, s.d), CR_OK);
      }
    }
    scene_close(&s);
  }
  print_message("%d geoms, %d with the integrator discrete\n", told, discrete);
  assert_true(told > 40 && discrete > 4);
}

// jvp is the transpose
TEST(tangents_agree_with_cotangents) {
  int told = 0;
  for (int seed = 1; seed <= 8; seed++) {
    contact_scene s;
    cr_real loss;
    open_with_gaps(&s, seed);
    cr_data* bar = backward(&s, &loss);
    cr_data* tan = test_twin(&s.m, s.d, CR_DATA_TANGENT);
    for (int g = 0; g < s.m.ngeom && g < 12; g++) {
      tan->par.geom_adhesion[g] = 1;
      assert_int_equal(cr_forward_jvp(&s.m, s.d, tan), CR_OK);
      tan->par.geom_adhesion[g] = 0;
      cr_real sum = 0, size = 0;
      for (int i = 0; i < s.m.nv; i++) {
        cr_real term = (1 + (cr_real)i / 8) * tan->qacc[i];
        sum += term;
        size += cr_abs(term);
      }
      assert_close(sum, bar->par.geom_adhesion[g], 1e5 * CR_EPS * (1 + size));
      told += in_gap(s.d, g) > 0 && sum != 0;
    }
    scene_close(&s);
  }
  assert_true(told > 16);
}
