// SPDX-License-Identifier: Apache-2.0
// Convex contacts against MuJoCo: distances of random pairs of all shapes as mj_geomDistance finds
// them where the geoms are apart, and models with such contacts through the whole comparison.
#include "parity/convex_parity.h"

#include <stdio.h>

#include "base/random.h"
#include "collision/collision.h"
#include "engine/data_create.h"
#include "parity/parity.h"
#include "scenes/io_mjcf.h"
#include "support/test.h"

static const char* const shapes =
    "<mujoco><option ccd_tolerance='1e-11' ccd_iterations='200'/>"
    "<asset><mesh name='m' vertex='.3 0 0 -.2 .1 0 0 .3 .1 0 -.3 0 0 0 .4 .1 .1 -.3'/></asset>"
    "<worldbody>"
    "<body><freejoint/><geom type='sphere' size='.2'/></body>"
    "<body><freejoint/><geom type='capsule' size='.15 .3'/></body>"
    "<body><freejoint/><geom type='ellipsoid' size='.1 .3 .2'/></body>"
    "<body><freejoint/><geom type='cylinder' size='.2 .3'/></body>"
    "<body><freejoint/><geom type='box' size='.1 .2 .3'/></body>"
    "<body><freejoint/><geom type='mesh' mesh='m'/></body>"
    "<body><freejoint/><geom type='ellipsoid' size='.3 .05 .2'/></body>"
    "<body><freejoint/><geom type='mesh' mesh='m'/></body>"
    "</worldbody></mujoco>";

TEST(distances_are_those_of_mujoco) {
  mjModel* mj = mjcf_compile(shapes);
  cr_model m = mjcf_model(mj);
  mjData* d = mj_makeData(mj);
  cr_random r = cr_random_seed(1, 0);
  int compared = 0;
  double worst = 0;
  for (int k = 0; k < 150; k++) {
    for (int i = 0; i < mj->nq; i++) {
      d->qpos[i] = 0.6 * (double)cr_random_normal(&r);
    }
    mj_normalizeQuat(mj, d->qpos);
    mj_kinematics(mj, d);
    for (int i = 0; i < m.ngeom; i++) {
      for (int j = i + 1; j < m.ngeom; j++) {
        bool swap = m.geom_type[i] > m.geom_type[j];
        int32_t geom[2] = {swap ? j : i, swap ? i : j};
        if (!cri_collision_general(m.geom_type[geom[0]], m.geom_type[geom[1]])) {
          continue;
        }
        cr_hit hit[CR_MAX_HITS];
        mjtNum ends[6], theirs = mj_geomDistance(mj, d, geom[0], geom[1], 10, ends);
        m.disableflags |= CR_DSBL_MULTICCD;
        assert_int_equal(cri_collide(&m, d->geom_xpos, d->geom_xmat, geom, 10, hit), 1);
        if (theirs > 0) {
          worst = fmax(worst, fabs(hit[0].dist - theirs));
          compared++;
        } else {
          // overlapping, MuJoCo's search may stop short of the least depth, never below it
          assert_true(hit[0].dist > theirs - 1e-9);
        }
      }
    }
  }
  assert_true(compared > 1500);
  assert_true(worst < 1e-9);
  mj_deleteData(d);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// ---- several contacts

static const char* const flats =
    "<mujoco><option ccd_tolerance='1e-12'/><asset>"
    "<mesh name='p' vertex='.1 .01 .05 .03 .09 .05 -.08 .06 .05 -.07 -.05 .05 .02 -.1 .05 .1 .01 "
    "-.05 .03 .09 -.05 -.08 .06 -.05 -.07 -.05 -.05 .02 -.1 -.05'/>"
    "<mesh name='q' vertex='.11 0 .05 -.04 .1 .05 -.06 -.09 .05 .11 0 -.05 -.04 .1 -.05 -.06 -.09 "
    "-.05'/></asset><worldbody>"
    "<body><freejoint/><geom type='cylinder' size='.09 .05'/></body>"
    "<body><freejoint/><geom type='box' size='.11 .06 .05'/></body>"
    "<body><freejoint/><geom type='mesh' mesh='p'/></body>"
    "<body><freejoint/><geom type='mesh' mesh='q'/></body></worldbody></mujoco>";

// b on a, nearly flat, turned and shifted; the others far away
static void lay(cr_random* r, const mjModel* mj, mjData* d, int a, int b) {
  mjtNum axis[3] = {(double)cr_random_normal(r), (double)cr_random_normal(r), 0}, up[3] = {0, 0, 1};
  mjtNum tilt[4], turn[4], both[4];
  for (int i = 0; i < mj->nbody - 1; i++) {
    mjtNum* q = d->qpos + 7 * i;
    for (int k = 0; k < 3; k++) {
      q[k] = i == a || i == b ? 0 : 5.0 * (i + 1);
    }
    for (int k = 3; k < 7; k++) {
      q[k] = (double)cr_random_normal(r);
    }
  }
  mj_normalizeQuat(mj, d->qpos);
  mju_normalize3(axis);
  mju_axisAngle2Quat(tilt, axis, 0.06 * (double)cr_random_uniform(r));
  mju_axisAngle2Quat(turn, up, 6 * (double)cr_random_uniform(r));
  mju_mulQuat(both, tilt, turn);
  mju_mulQuat(d->qpos + 7 * b + 3, d->qpos + 7 * a + 3, both);
  const mjtNum shift[3] = {0.05 * (double)cr_random_normal(r), 0.05 * (double)cr_random_normal(r),
                           0.08 + 0.02 * (double)cr_random_uniform(r)};
  mju_rotVecQuat(d->qpos + 7 * b, shift, d->qpos + 7 * a + 3);
}

// Where two faces touch, the corners are MuJoCo's, in its order, and of more than four the same four. A few
// differ: where MuJoCo's search ends on another face, and where two areas are equal to round-off.
TEST(several_contacts_are_those_of_mujoco) {
  mjModel* mj = mjcf_compile(flats);
  cr_model m = mjcf_model(mj);
  mjData* d = mj_makeData(mj);
  cr_random r = cr_random_seed(3, 0);
  int several = 0, same = 0;
  for (int k = 0; k < 900; k++) {
    int a = k % 4, b = (a + 1 + k / 4 % 3) % 4;
    const int32_t geom[2] = {a < b ? a : b, a < b ? b : a};
    cr_hit hit[CR_MAX_HITS];
    lay(&r, mj, d, a, b);
    mj_forward(mj, d);
    int n = cri_collide(&m, d->geom_xpos, d->geom_xmat, geom, 0, hit), alike = 0;
    for (int i = 0; i < n && i < d->ncon; i++) {
      alike += mju_dist3(hit[i].pos, d->contact[i].pos) < 1e-7;
    }
    several += n > 2;
    same += n > 2 && n == d->ncon && alike == n;
  }
  assert_true(several > 600);
  assert_true(same > several * 9 / 10);
  mj_deleteData(d);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// ---- height fields

#define GROUND                                                                                   \
  "<hfield name='h' nrow='4' ncol='5' size='.7 .9 .4 .2' elevation='.1 .9 .3 .5 .2 .8 .1 .4 .7 " \
  ".6 .3 0 1 .2 .5 .4 .9 .3 .6 .1'/>"

static const char* const terrain =
    "<mujoco><option ccd_tolerance='1e-11' ccd_iterations='200'/><asset>" GROUND
    "<mesh name='m' vertex='.15 0 0 -.1 .05 0 0 .15 .05 0 -.15 0 0 0 .2 .05 .05 -.15'/></asset>"
    "<default><geom margin='.05'/></default><worldbody>"
    "<geom type='hfield' hfield='h' pos='.1 .2 .3' euler='10 20 30' margin='0'/>"
    "<body><freejoint/><geom type='sphere' size='.1'/></body>"
    "<body><freejoint/><geom type='capsule' size='.07 .15'/></body>"
    "<body><freejoint/><geom type='ellipsoid' size='.05 .15 .1'/></body>"
    "<body><freejoint/><geom type='cylinder' size='.1 .15'/></body>"
    "<body><freejoint/><geom type='box' size='.05 .1 .15'/></body>"
    "<body><freejoint/><geom type='mesh' mesh='m'/></body>"
    "</worldbody></mujoco>";

// every contact, in order, with its distance and normal
TEST(terrain_contacts_are_those_of_mujoco) {
  mjModel* mj = mjcf_compile(terrain);
  cr_model m = mjcf_model(mj);
  mjData* d = mj_makeData(mj);
  cr_random r = cr_random_seed(2, 0);
  int compared[mjNGEOMTYPES] = {0};
  for (int k = 0; k < 200; k++) {
    for (int i = 1; i < mj->nbody; i++) {
      mjtNum* q = d->qpos + 7 * (i - 1);
      for (int j = 0; j < 7; j++) {
        q[j] = j < 3 ? 0.4 * (double)cr_random_normal(&r) : (double)cr_random_normal(&r);
      }
    }
    mj_normalizeQuat(mj, d->qpos);
    mj_forward(mj, d);
    for (int g = 1; g < mj->ngeom; g++) {
      const int32_t geom[2] = {0, g};
      cr_hit hit[CR_MAX_HITS];
      int n = cri_collide(&m, d->geom_xpos, d->geom_xmat, geom, mj->geom_margin[g], hit), found = 0;
      for (int i = 0; i < d->ncon; i++) {
        const mjContact* c = &d->contact[i];
        if (c->geom[0] == 0 && c->geom[1] == g) {
          assert_true(found < n);
          assert_true(fabs(hit[found].dist - c->dist) < 1e-8);
          assert_true(mju_dist3(hit[found].normal, c->frame) < 1e-4);
          found++;
        }
      }
      assert_int_equal(found, n);
      compared[mj->geom_type[g]] += n;
    }
  }
  for (int g = 1; g < mj->ngeom; g++) {
    assert_true(compared[mj->geom_type[g]] > 200);
  }
  mj_deleteData(d);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

static const char* const landscape =
    "<mujoco><asset>" GROUND
    "<mesh name='m' vertex='.1 .1 .1 .1 .1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 -.1 -.1 "
    ".1 -.1 -.1 -.1'/></asset><worldbody><geom type='hfield' hfield='h'/>"
    "<body pos='0 0 .45'><freejoint/><geom type='mesh' mesh='m'/></body>"
    "<body pos='.05 .3 .45'><freejoint/><geom type='box' size='.1 .2 .1'/></body>"
    "<body pos='.3 0 .4'><freejoint/><geom type='cylinder' size='.1 .1' margin='.02'/></body>"
    "<body pos='-.3 0 .4'><freejoint/><geom type='ellipsoid' size='.1 .15 .2'/></body>"
    "<body pos='0 .3 .4' euler='0 90 0'><freejoint/><geom type='capsule' size='.08 .1'/></body>"
    "<body pos='0 -.3 .4'><freejoint/><geom type='sphere' size='.1'/></body>"
    "</worldbody></mujoco>";

static const char* const pile =
    "<mujoco><asset><mesh name='m' vertex='.1 .1 .1 .1 .1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 "
    ".1 "
    "-.1 -.1 -.1 .1 -.1 -.1 -.1'/></asset><worldbody><geom type='plane' size='2 2 1'/>"
    "<geom type='cylinder' size='.5 .1'/>"
    "<body pos='0 0 .25'><freejoint/><geom type='mesh' mesh='m'/></body>"
    "<body pos='.05 .02 .45'><freejoint/><geom type='mesh' mesh='m'/></body>"
    "<body pos='.3 0 .3'><freejoint/><geom type='cylinder' size='.1 .1'/></body>"
    "<body pos='-.3 0 .3'><freejoint/><geom type='ellipsoid' size='.1 .15 .2'/></body>"
    "<body pos='0 .3 .3' euler='0 90 0'><freejoint/><geom type='capsule' size='.08 .1'/></body>"
    "</worldbody></mujoco>";

static void agrees(const char* xml) {
  mjModel* mj = mjcf_compile(xml);
  cr_model m = mjcf_model(mj);
  cr_parity_bench* bench;
  cr_data* d;
  cr_error error = {0};
  cr_parity result = {.n = 0};
  cr_random r = cr_random_seed(1, 1);
  const char* field;
  assert_true(cri_convex_parity_applies(&m));
  assert_int_equal(cr_parity_create(&bench, mj, &m, &error), CR_OK);
  assert_int_equal(cri_data_create(&d, &m, NULL, &error), CR_OK);
  for (int k = 0; k < 12; k++) {
    assert_int_equal(cr_parity_next_state(bench, &r, d, &error), CR_OK);
    assert_int_equal(cr_parity_compare(bench, d, &result, &error), CR_OK);
  }
  assert_true(result.convex.pairs > 10);
  assert_true(result.convex.distance < CR_CONVEX_PARITY_BOUND);
  assert_true(cr_parity_worst(&result, &field) < 1e-9);
  cr_parity_free(bench);
  cri_data_free(d);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// a box in the edge of a prism: MuJoCo says 1.36 mm, which no direction has; the least, by all of them, is
// 2.11 mm
static const char* const slope =
    "<mujoco><asset><hfield name='h' nrow='5' ncol='5' size='.6 .6 .3 .1' elevation='0 .2 .1 .5 .3 "
    ".3 .6 .2 .1 .9 .5 .3 .4 .8 .2 .1 .6 .2 .3 .5 .6 .1 .7 .2 0'/></asset><worldbody>"
    "<geom name='hf' type='hfield' hfield='h'/><body><freejoint/><geom name='box' type='box' "
    "size='.1 .07 .05' mass='1'/></body></worldbody><keyframe><key qpos='0.04983425 0.0339402 "
    "0.26247666 0.98360828 0.09972498 0.02985669 0.14723538'/></keyframe></mujoco>";

TEST(where_mujoco_is_off_it_is_said) {
  for (int wrong = 0; wrong < 2; wrong++) {
    mjModel* mj = mjcf_compile(slope);
    cr_model m = mjcf_model(mj);
    cr_parity_bench* bench;
    cr_data* d;
    cr_error error = {0};
    cr_parity result = {.n = 0};
    cr_random r = cr_random_seed(1, 1);
    const char* field;
    assert_int_equal(cr_parity_create(&bench, mj, &m, &error), CR_OK);
    assert_int_equal(cri_data_create(&d, &m, NULL, &error), CR_OK);
    m.geom_size[3] += wrong * 1e-5;
    assert_int_equal(cr_parity_next_state(bench, &r, d, &error), CR_OK);
    assert_int_equal(cr_parity_compare(bench, d, &result, &error), CR_OK);
    if (wrong == 0) {
      assert_true(fabs(d->contact_dist[0] + 0.0021135) < 1e-6);
      assert_true(result.off.times[CR_OFF_CONVEX] > 0);
      assert_non_null(strstr(result.off.text[CR_OFF_CONVEX], "geom 'hf' and geom 'box'"));
      assert_true(result.convex.distance < CR_CONVEX_PARITY_BOUND);
      assert_true(cr_parity_worst(&result, &field) < 1e-9);
    } else {
      assert_true(cr_parity_worst(&result, &field) > 1e-9);
    }
    cr_parity_free(bench);
    cri_data_free(d);
    cri_model_free(&m);
    mj_deleteModel(mj);
  }
}

TEST(a_pile_agrees) { agrees(pile); }
TEST(a_landscape_agrees) { agrees(landscape); }
