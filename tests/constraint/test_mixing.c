// SPDX-License-Identifier: Apache-2.0
// Contact parameters, rule by rule, on two geoms and one pair filled in by hand.
#include "constraint/mixing.h"

#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data d;
  // two geoms
  int32_t priority[2], condim[2];
  cr_real friction[6], solref[4], solimp[10], solmix[2], margin[2];
  // one pair
  int32_t pair_dim[1];
  cr_real pair_friction[5], pair_solref[2], pair_solreffriction[2], pair_solimp[5], pair_margin[1];
  // one contact
  int32_t geom[2], pair[1], dim[1];
  cr_real includemargin[1], mixed_friction[5], mixed_solref[2], mixed_solreffriction[2];
  cr_real mixed_solimp[5], adhesion[2], pair_adhesion[1], mixed_adhesion[1];
  cr_real surfacevel[12], mixed_surfacevel[3], area[1], stiffness[1], hunt_crossley[10],
      mixed_hunt_crossley[5], dist[1], pos[3], frame[9], xpos[6], xmat[18];
} fixture;

static void begin(fixture* f) {
  *f = (fixture){
      .condim = {3, 1},
      .friction = {CR_R(0.8), CR_R(0.02), CR_R(0.003), CR_R(1.2), CR_R(0.01), CR_R(0.004)},
      .solref = {CR_R(0.02), 1, CR_R(0.04), 2},
      .solimp = {CR_R(0.9), CR_R(0.95), CR_R(0.001), CR_R(0.5), 2,  //
                 CR_R(0.7), CR_R(0.85), CR_R(0.003), CR_R(0.3), 4},
      .solmix = {1, 3},
      .hunt_crossley = {1000, 100, 1, CR_R(0.01), 1, 5000, 700, 2, CR_R(0.05), 3},
      .margin = {CR_R(0.01), CR_R(0.02)},
      .pair_dim = {3},
      .pair_friction = {CR_R(0.1), CR_R(0.2), CR_R(0.3), CR_R(0.4), 0},
      .pair_solref = {CR_R(0.05), CR_R(0.6)},
      .pair_solreffriction = {CR_R(0.07), CR_R(0.8)},
      .pair_solimp = {CR_R(0.5), CR_R(0.6), CR_R(0.7), CR_R(0.4), 3},
      .pair_margin = {CR_R(0.5)},
      .geom = {0, 1},
      .pair = {-1},
  };
  f->m = (cr_model){.contact_model = CR_CONTACT_HUNT_CROSSLEY,
                    .geom_priority = f->priority,
                    .geom_condim = f->condim,
                    .geom_friction = f->friction,
                    .geom_solref = f->solref,
                    .geom_solimp = f->solimp,
                    .geom_solmix = f->solmix,
                    .geom_margin = f->margin,
                    .geom_adhesion = f->adhesion,
                    .geom_hunt_crossley = f->hunt_crossley,
                    .geom_surfacevel = f->surfacevel,
                    .pair_adhesion = f->pair_adhesion,
                    .pair_dim = f->pair_dim,
                    .pair_friction = f->pair_friction,
                    .pair_solref = f->pair_solref,
                    .pair_solreffriction = f->pair_solreffriction,
                    .pair_solimp = f->pair_solimp,
                    .pair_margin = f->pair_margin};
  f->d = (cr_data){.ncon = 1,
                   .contact_geom = f->geom,
                   .contact_pair = f->pair,
                   .contact_dist = f->dist,
                   .contact_pos = f->pos,
                   .contact_frame = f->frame,
                   .contact_adhesion = f->mixed_adhesion,
                   .contact_surfacevel = f->mixed_surfacevel,
                   .contact_area = f->area,
                   .contact_stiffness = f->stiffness,
                   .contact_hunt_crossley = f->mixed_hunt_crossley,
                   .geom_xpos = f->xpos,
                   .geom_xmat = f->xmat,
                   .contact_dim = f->dim,
                   .contact_includemargin = f->includemargin,
                   .contact_friction = f->mixed_friction,
                   .contact_solref = f->mixed_solref,
                   .contact_solreffriction = f->mixed_solreffriction,
                   .contact_solimp = f->mixed_solimp};
}

static void mix(fixture* f) { assert_int_equal(cr_mixing(&f->m, &f->d), CR_OK); }

TEST(equal_priorities_mix) {
  fixture f;
  begin(&f);
  mix(&f);
  const cr_real friction[5] = {CR_R(1.2), CR_R(1.2), CR_R(0.02), CR_R(0.004), CR_R(0.004)};
  const cr_real solref[2] = {CR_R(0.035), CR_R(1.75)};
  const cr_real solimp[5] = {CR_R(0.75), CR_R(0.875), CR_R(0.0025), CR_R(0.35), CR_R(3.5)};
  assert_all_close(f.mixed_friction, friction, 5, 0);
  assert_all_close(f.mixed_solref, solref, 2, 4 * CR_EPS);
  assert_all_close(f.mixed_solimp, solimp, 5, 4 * CR_EPS);
  assert_close(f.includemargin[0], CR_R(0.03), CR_EPS);
  assert_close(f.mixed_solreffriction[0], 0, 0);
  assert_int_equal(f.dim[0], 3);
}

// numbers of Hunt-Crossley contacts mix as solimp, also those of explicit pairs
TEST(hunt_crossley_mixes_by_weight) {
  fixture f;
  begin(&f);
  const cr_real half[5] = {4000, 550, CR_R(1.75), CR_R(0.04), CR_R(2.5)};
  for (int pair = -1; pair <= 0; pair++) {
    f.pair[0] = pair;
    f.priority[1] = 0;
    mix(&f);
    assert_all_close(f.mixed_hunt_crossley, half, 5, 4000 * 4 * CR_EPS);
    f.priority[1] = 1;
    mix(&f);
    assert_all_close(f.mixed_hunt_crossley, f.hunt_crossley + 5, 5, 0);
  }
}

// no contact reads them where all are convex
TEST(hunt_crossley_is_zero_where_all_contacts_are_convex) {
  fixture f;
  begin(&f);
  f.m.contact_model = CR_CONTACT_CONVEX;
  mix(&f);
  assert_all_close(f.mixed_hunt_crossley, (cr_real[5]){0}, 5, 0);
}

TEST(higher_priority_wins) {
  fixture f;
  begin(&f);
  f.priority[1] = 2;
  mix(&f);
  assert_int_equal(f.dim[0], 1);
  assert_close(f.mixed_friction[2], CR_R(0.01), 0);
  assert_all_close(f.mixed_solref, f.solref + 2, 2, 0);
  assert_all_close(f.mixed_solimp, f.solimp + 5, 5, 0);
  f.priority[0] = 3;
  mix(&f);
  assert_int_equal(f.dim[0], 3);
  assert_close(f.mixed_friction[0], CR_R(0.8), 0);
  assert_all_close(f.mixed_solref, f.solref, 2, 0);
}

TEST(weights_that_vanish) {
  fixture f;
  begin(&f);
  f.solmix[0] = 0;
  mix(&f);
  assert_all_close(f.mixed_solimp, f.solimp + 5, 5, 0);
  f.solmix[1] = 0;
  mix(&f);
  assert_close(f.mixed_solimp[0], CR_R(0.8), CR_EPS);
  f.solmix[0] = 1;
  mix(&f);
  assert_all_close(f.mixed_solimp, f.solimp, 5, 0);
}

TEST(direct_solref_takes_the_smaller) {
  fixture f;
  begin(&f);
  f.solref[0] = -100;
  f.solref[1] = -3;
  mix(&f);
  assert_close(f.mixed_solref[0], -100, 0);
  assert_close(f.mixed_solref[1], -3, 0);
  f.solref[2] = -40;
  f.solref[3] = -7;
  mix(&f);
  assert_close(f.mixed_solref[0], -100, 0);
  assert_close(f.mixed_solref[1], -7, 0);
}

TEST(pair_speaks_for_itself) {
  fixture f;
  begin(&f);
  f.pair[0] = 0;
  f.priority[0] = 9;
  mix(&f);
  const cr_real friction[5] = {CR_R(0.1), CR_R(0.2), CR_R(0.3), CR_R(0.4), CR_R(1e-5)};
  assert_all_close(f.mixed_friction, friction, 5, 0);
  assert_all_close(f.mixed_solref, f.pair_solref, 2, 0);
  assert_all_close(f.mixed_solreffriction, f.pair_solreffriction, 2, 0);
  assert_all_close(f.mixed_solimp, f.pair_solimp, 5, 0);
  assert_close(f.includemargin[0], CR_R(0.5), 0);
  assert_int_equal(f.dim[0], 3);
}

// the sliding friction of two equal geoms: half of the derivative each; none below the least value
TEST(ties_share_and_least_friction_has_none) {
  fixture f;
  begin(&f);
  f.friction[3] = f.friction[0];
  f.friction[1] = f.friction[4] = 0;
  cr_real friction_bar[6] = {0}, bar_of_contact[5] = {1, 1, 1, 1, 1};
  cr_real zeros[5] = {0};
  cr_data bar = {.contact_friction = bar_of_contact,
                 .contact_solref = zeros,
                 .contact_solreffriction = zeros,
                 .contact_solimp = zeros,
                 .contact_includemargin = zeros,
                 .contact_adhesion = zeros,
                 .contact_surfacevel = zeros,
                 .contact_area = zeros,
                 .contact_stiffness = zeros,
                 .contact_hunt_crossley = zeros,
                 .contact_frame = zeros,
                 .par = {.geom_friction = friction_bar}};
  assert_int_equal(cr_mixing_vjp(&f.m, &f.d, &bar), CR_OK);
  const cr_real expected[6] = {1, 0, 0, 1, 0, 2};
  assert_all_close(friction_bar, expected, 6, 0);
}

// all numbers but the dimension, for geoms and pairs alike
TEST(override_wins_over_all) {
  fixture f;
  cr_real margin = CR_R(0.25), solref[2] = {CR_R(0.03), CR_R(1.5)};
  cr_real solimp[5] = {CR_R(0.6), CR_R(0.7), CR_R(0.02), CR_R(0.6), 1};
  cr_real friction[5] = {2, 1, 0, CR_R(0.3), CR_R(0.4)};
  for (int pair = -1; pair <= 0; pair++) {
    begin(&f);
    f.pair[0] = pair;
    f.m.enableflags = CR_ENBL_OVERRIDE;
    f.m.o_margin = &margin;
    f.m.o_solref = solref;
    f.m.o_solimp = solimp;
    f.m.o_friction = friction;
    assert_int_equal(cr_mixing(&f.m, &f.d), CR_OK);
    const cr_real kept[5] = {2, 1, CR_R(1e-5), CR_R(0.3), CR_R(0.4)};
    assert_all_close(f.mixed_friction, kept, 5, 0);
    assert_all_close(f.mixed_solref, solref, 2, 0);
    assert_all_close(f.mixed_solreffriction, solref, 2, 0);
    assert_all_close(f.mixed_solimp, solimp, 5, 0);
    assert_close(f.includemargin[0], margin, 0);
    assert_int_equal(f.dim[0], 3);
  }
}

// the sum, or that of the higher priority; in the gap a contact that pulls has no friction
TEST(adhesion_adds_up) {
  fixture f;
  begin(&f);
  f.adhesion[0] = 2;
  f.adhesion[1] = 3;
  assert_int_equal(cr_mixing(&f.m, &f.d), CR_OK);
  assert_close(f.mixed_adhesion[0], 5, 0);
  assert_int_equal(f.dim[0], 3);
  f.priority[1] = 1;
  f.condim[1] = 4;
  assert_int_equal(cr_mixing(&f.m, &f.d), CR_OK);
  assert_close(f.mixed_adhesion[0], 3, 0);
  assert_int_equal(f.dim[0], 4);
  f.dist[0] = CR_R(0.031);  // the margin is 0.03
  assert_int_equal(cr_mixing(&f.m, &f.d), CR_OK);
  assert_int_equal(f.dim[0], 1);
  f.adhesion[1] = 0;
  assert_int_equal(cr_mixing(&f.m, &f.d), CR_OK);
  assert_int_equal(f.dim[0], 4);
}

// a belt below (first geom) and a turntable above it (second)
TEST(surfaces_move) {
  const cr_real identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const cr_real frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  fixture f;
  begin(&f);
  cr_copy(f.xmat, identity, 9);
  cr_copy(f.xmat + 9, identity, 9);
  cr_copy(f.frame, frame, 9);
  f.pos[0] = CR_R(0.5);
  f.surfacevel[0] = 2;   // along x
  f.surfacevel[11] = 3;  // about z
  assert_int_equal(cr_mixing(&f.m, &f.d), CR_OK);
  const cr_real expected[3] = {-2, CR_R(1.5), 3};
  assert_all_close(f.mixed_surfacevel, expected, 3, CR_EPS);
}

// contacts of the same geoms, some of which pull across their gap, mix as each does by itself
TEST(siblings_mix_as_each_alone) {
  enum { N = 6 };
  fixture f;
  begin(&f);
  f.adhesion[0] = 2;
  f.pair_adhesion[0] = 0;
  int32_t geom[2 * N] = {0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0}, pair[N] = {-1, -1, -1, 0, -1, -1};
  int32_t dim[N] = {0};
  cr_real dist[N] = {0, CR_R(0.031), 0, CR_R(0.6), 0, 0}, pos[3 * N] = {0}, frame[9 * N] = {0};
  cr_real margin[N], friction[5 * N], solref[2 * N], solreffriction[2 * N], solimp[5 * N];
  cr_real adhesion[N], surfacevel[3 * N], area[N], stiffness[N], hunt_crossley[5 * N];
  cr_data all = {.ncon = N,
                 .contact_geom = geom,
                 .contact_pair = pair,
                 .contact_dist = dist,
                 .contact_pos = pos,
                 .contact_frame = frame,
                 .contact_adhesion = adhesion,
                 .contact_surfacevel = surfacevel,
                 .contact_area = area,
                 .contact_stiffness = stiffness,
                 .contact_hunt_crossley = hunt_crossley,
                 .geom_xpos = f.xpos,
                 .geom_xmat = f.xmat,
                 .contact_dim = dim,
                 .contact_includemargin = margin,
                 .contact_friction = friction,
                 .contact_solref = solref,
                 .contact_solreffriction = solreffriction,
                 .contact_solimp = solimp};
  assert_int_equal(cr_mixing(&f.m, &all), CR_OK);
  for (int c = 0; c < N; c++) {
    memcpy(f.geom, geom + 2 * c, sizeof f.geom);
    f.pair[0] = pair[c];
    f.dist[0] = dist[c];
    mix(&f);
    assert_int_equal(dim[c], f.dim[0]);
    assert_all_close(friction + 5 * c, f.mixed_friction, 5, 0);
    assert_all_close(solref + 2 * c, f.mixed_solref, 2, 0);
    assert_all_close(solreffriction + 2 * c, f.mixed_solreffriction, 2, 0);
    assert_all_close(solimp + 5 * c, f.mixed_solimp, 5, 0);
    assert_close(adhesion[c], f.mixed_adhesion[0], 0);
    assert_all_close(hunt_crossley + 5 * c, f.mixed_hunt_crossley, 5, 0);
    assert_close(margin[c], f.includemargin[0], 0);
  }
  assert_int_equal(dim[1], 1);
  assert_int_equal(dim[2], 3);
}
