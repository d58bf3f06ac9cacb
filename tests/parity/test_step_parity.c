// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Steps of the implicit integrators to the last digit MuJoCo has, where it decides what is implicit.
#include <stdio.h>
#include <string.h>

#include "integrate/step.h"
#include "parity/parity.h"
#include "scenes/io_mjcf.h"
#include "support/test.h"

typedef struct {
  mjModel* mj;
  cr_model m;
  mjData* reference;
  cr_data* d;
} pair;

static pair open_pair(mjModel* mj) {
  pair p = {.mj = mj};
  cri_parity_options(p.mj);
  p.m = mjcf_model(p.mj);
  p.reference = mj_makeData(p.mj);
  p.d = test_data(&p.m);
  return p;
}

static void close_pair(pair* p) {
  cri_model_free(&p->m);
  mj_deleteData(p->reference);
  mj_deleteModel(p->mj);
}

// one step of both from the state of the reference
static void step(pair* p) {
  cri_mujoco_state(&p->m, p->reference, p->d);
  assert_int_equal(cr_step(&p->m, p->d), CR_OK);
  mj_step(p->mj, p->reference);
}

static void assert_same(const pair* p) {
  for (int i = 0; i < p->m.nv; i++) {
    double off = fabs((double)p->d->qvel_next[i] - p->reference->qvel[i]);
    if (!(off <= 1e-13 * (1 + fabs(p->reference->qvel[i])))) {
      fail_msg("integrator %d: qvel[%d] %.17g, MuJoCo %.17g", p->m.integrator, i,
               (double)p->d->qvel_next[i], p->reference->qvel[i]);
    }
  }
}

// a damper whose gain multiplies a control beyond its range
TEST(the_slope_of_a_gain_has_the_clipped_control) {
  pair p = open_pair(mjcf_data("clipped_damper.xml"));
  p.reference->qvel[0] = 2;
  p.reference->ctrl[0] = 2;
  step(&p);
  assert_true(fabs((double)p.d->qvel_next[0] - 2.06107623) < 5e-9);
  assert_same(&p);
  for (int integrator = mjINT_IMPLICIT; integrator <= mjINT_IMPLICITFAST; integrator++) {
    static const double controls[] = {-3, 0, 1e-300, 0.5, 1, 1 + 1e-15, 1e3};
    for (int k = 0; k < 7; k++) {
      p.mj->opt.integrator = p.m.integrator = integrator;
      p.mj->opt.disableflags = p.m.disableflags = k % 2 == 0 ? 0 : mjDSBL_CLAMPCTRL;
      p.reference->ctrl[0] = controls[k];
      p.reference->qvel[0] = 2;
      step(&p);
      assert_same(&p);
    }
  }
  close_pair(&p);
}

// a cart along x and y, and the damper of a tendon askew
TEST(a_simple_body_keeps_the_diagonal) {
  pair p = open_pair(mjcf_data("simple_body.xml"));
  p.reference->qvel[0] = 1;
  p.reference->qvel[1] = -2;
  step(&p);
  assert_true(fabs((double)p.d->qvel_next[0] - 1.00141844) < 5e-9);
  assert_true(fabs((double)p.d->qvel_next[1] + 1.99914506) < 5e-9);
  assert_same(&p);
  p.mj->opt.integrator = p.m.integrator = mjINT_IMPLICIT;
  step(&p);
  assert_same(&p);
  close_pair(&p);
}

// joints of one simple body, with all that pulls on several of them at once
TEST(what_pulls_on_simple_bodies) {
  static const char* const joints[] = {
      "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
      "<joint type='slide' axis='0 1 0'/>",
      "<joint type='slide' axis='0 1 0'/><joint type='slide' axis='1 0 0'/>"
      "<joint axis='0 0 1'/>",
      "<joint name='b' type='ball' damping='.1'/>", "<freejoint/>"};
  for (int k = 0; k < 4; k++) {
    char text[2048];
    (void)snprintf(
        text, sizeof text,
        "<mujoco><option timestep='.01' integrator='implicitfast' density='50' viscosity='.2' "
        "wind='1 2 3'/><worldbody><site name='o' pos='.1 .2 -.9'/><body pos='.5 .3 .1'>%s"
        "<geom type='box' size='.1 .2 .05' mass='1'/><site name='p' pos='.1 .1 .05'/></body>"
        "</worldbody><tendon><spatial name='t' damping='5'><site site='o'/><site site='p'/>"
        "</spatial></tendon><actuator>"
        "<general site='p' gear='1 .4 -.3 .1 .2 .3' biastype='affine' biasprm='0 0 -3'/>"
        "<general site='p' refsite='o' gear='.2 1 0 0 .2 .3' biastype='affine' biasprm='0 0 -2'/>"
        "<general cranksite='p' slidersite='o' cranklength='3' biastype='affine' "
        "biasprm='0 0 -2'/><damper tendon='t' kv='2' ctrlrange='0 1'/>%s</actuator></mujoco>",
        joints[k],
        k == 2 ? "<general joint='b' gear='1 .3 .2' biastype='affine' biasprm='0 0 -1'/>" : "");
    pair p = open_pair(mjcf_compile(text));
    for (int visit = 0; visit < 8; visit++) {
      p.mj->opt.integrator = p.m.integrator = visit % 2 == 0 ? mjINT_IMPLICITFAST : mjINT_IMPLICIT;
      for (int i = 0; i < p.m.nv; i++) {
        p.reference->qvel[i] = 2 * sin(3 * visit + i);
      }
      p.reference->ctrl[3] = 2.0 - visit;
      step(&p);
      assert_same(&p);
    }
    close_pair(&p);
  }
}

// Servos and a motor that share a tendon whose total is limited: their slopes count unless what their own ranges
// leave is at an end of it. The motor's cogging is outside all limits.
TEST(slopes_of_what_pulls_on_a_limited_tendon) {
  static const char* const integrators[] = {"implicit", "implicitfast", "discrete"};
  static const char* const ranges[] = {"", "forcerange='-.3 .3'"};
  int held = 0, freed = 0;
  for (int k = 0; k < 12; k++) {
    char text[2048];
    (void)snprintf(
        text, sizeof text,
        "<mujoco><option timestep='.002' integrator='%s'/><worldbody><body><joint name='j'/>"
        "<geom size='.1' pos='.3 0 0' mass='1'/><body pos='1 0 0'><joint name='k' axis='0 1 0'/>"
        "<geom size='.1' pos='.3 0 0' mass='1'/></body></body></worldbody><tendon>"
        "<fixed name='t' actuatorfrcrange='-.44 .72'><joint joint='j' coef='.7'/>"
        "<joint joint='k' coef='.3'/></fixed></tendon><actuator>"
        "<general tendon='t' biastype='affine' biasprm='0 -3 -1'/>"
        "<general tendon='t' biastype='affine' biasprm='0 -2 -1.7' %s/>"
        "<dcmotor tendon='t' motorconst='.3' resistance='2.5' %s/></actuator></mujoco>",
        integrators[k % 3], ranges[k / 3 % 2], k < 6 ? "" : "cogging='.5 5 .2'");
    pair p = open_pair(mjcf_compile(text));
    for (int visit = 0; visit < 60; visit++) {
      for (int i = 0; i < 2; i++) {
        p.reference->qpos[i] = sin(7 * visit + i);
        p.reference->qvel[i] = 2 * sin(3 * visit + i);
      }
      for (int i = 0; i < 3; i++) {
        p.reference->ctrl[i] = sin(5 * visit + 2 * i);
      }
      step(&p);
      assert_same(&p);
      double total = 0;
      for (int i = 0; i < 3; i++) {
        total += (double)p.d->actuator_raw[i];
      }
      bool cut = total < -.44 || total > .72;
      held += cut && p.d->actuator_held[0] != 0;
      freed += cut && p.d->actuator_held[0] == 0;
    }
    close_pair(&p);
  }
  assert_true(held > 40 && freed > 20);
}

// ---- rows that move hardly anything, under the integrator discrete

// a sphere in a plane, on slides that lie in it but for a tilt, which is J of the normal in each column
static void assert_slides_alike(const char* slides, int condim, double tilt) {
  char axes[400], xml[800];
  (void)snprintf(axes, sizeof axes, slides, tilt, tilt);
  (void)snprintf(xml, sizeof xml,
                 "<mujoco><option integrator='discrete'/><default><geom condim='%d'/></default>"
                 "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .09'>%s"
                 "<geom size='.1' mass='1'/></body></worldbody></mujoco>",
                 condim, axes);
  pair p = open_pair(mjcf_compile(xml));
  p.reference->qvel[0] = 0.3;
  step(&p);
  assert_same(&p);
  assert_int_equal(p.d->nefc, p.reference->nefc);
  assert_true(p.d->nefc > 0);
  for (int i = 0; i < p.d->nefc; i++) {
    double D = p.reference->efc_D[i];
    if (!(fabs((double)p.d->efc_D[i] - D) <= 1e-12 * D)) {
      fail_msg("tilt %g: efc_D[%d] %.17g, MuJoCo %.17g", tilt, i, (double)p.d->efc_D[i], D);
    }
  }
  close_pair(&p);
}

// below a sum of J^2 / M of 1e-15 damping no longer makes them softer
TEST(rows_with_hardly_a_lever) {
  static const double tilts[] = {0, 1e-17, 2.2e-8, 2.3e-8, 3.1e-8, 3.2e-8, 1e-7, 1e-3};
  for (int k = 0; k < 8; k++) {
    const char* one = "<joint type='slide' axis='1 0 %g' damping='1000'/>";
    assert_slides_alike(one, 1, tilts[k]);
    assert_slides_alike(one, 3, tilts[k]);
    assert_slides_alike(
        "<joint type='slide' axis='1 0 %g' damping='1000'/>"
        "<joint type='slide' axis='0 1 %g' damping='200'/>",
        1, tilts[k]);
  }
}

// ---- what touches a free body, under the integrator discrete

static const char TENDON[] =
    "<mujoco><option integrator='discrete' gravity='0 0 0'/>"
    "<default><geom contype='0' conaffinity='0'/></default><worldbody><site name='s' pos='-1 0 "
    ".04'/>"
    "<body><joint type='slide' axis='1 0 0'/><geom size='.02'/><site name='t' pos='1 0 "
    ".04'/></body>"
    "<body><freejoint/><geom name='g' type='cylinder' size='.05 .1' euler='90 0 "
    "0'/></body>%s</worldbody>"
    "<tendon><spatial frictionloss='.03'><site site='s'/><geom geom='g'/><site "
    "site='t'/></spatial></tendon>"
    "</mujoco>";

// a tendon with friction loss, and a free body that spins where the tendon wraps round it or, `away`, passes
// it, of few dofs or of 60 and more: there MuJoCo is sparse, and what it passes is touched too
TEST(a_tendon_touches_what_it_wraps) {
  for (int i = 0; i < 4; i++) {
    bool away = i % 2 == 1, crowd = i >= 2;
    char others[1024] = "", text[2048];
    for (int k = 0; k < 9 && crowd; k++) {
      strcat(others, "<body pos='0 0 9'><freejoint/><geom size='.1'/></body>");
    }
    snprintf(text, sizeof text, TENDON, others);
    pair p = open_pair(mjcf_compile(text));
    p.reference->qpos[3] = away ? -1 : 0;
    const double spin[3] = {0.3, 4, 2};
    for (int k = 0; k < 3; k++) {
      p.reference->qvel[4 + k] = spin[k];
    }
    p.reference->qvel[0] = 0.2;
    step(&p);
    assert_int_equal(p.m.nv >= 60, crowd);
    assert_int_equal(p.d->nefc, 1);
    assert_int_equal(p.d->efm_free[1], away && !crowd);
    assert_same(&p);
    close_pair(&p);
  }
}
