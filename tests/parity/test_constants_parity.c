// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The constants that MuJoCo derives, derived by Carom: for models as they are compiled, and after
// masses, inertias, poses and sizes have changed.
#include <stdio.h>

#include "base/random.h"
#include "engine/constants.h"
#include "scenes/io_mjcf.h"
#include "support/test.h"

static const char zoo[] =
    "<mujoco><compiler angle='radian'/><worldbody>"
    "<geom type='plane' size='1 1 1'/><body name='wall' pos='1 0 0'><geom size='.1'/>"
    "<body name='door' pos='0 .1 0' quat='1 .2 .3 .1'><joint axis='1 1 0' pos='.1 .2 0' "
    "armature='.02'/><geom type='box' size='.1 .2 .3' pos='.1 .2 .1' euler='.1 .2 .3'/>"
    "<body name='handle' pos='.1 0 0'><geom type='capsule' size='.03' fromto='0 0 0 .1 .1 .1'/>"
    "</body></body></body>"
    "<body name='cart' pos='0 0 1'><joint type='slide' axis='1 0 0'/><joint type='slide' "
    "axis='0 1 0'/><geom type='box' size='.2 .1 .1'/></body>"
    "<body name='tilted cart' pos='0 0 2' euler='.3 .2 .1'><joint type='slide' axis='1 1 0'/>"
    "<geom type='box' size='.2 .1 .1' pos='.1 0 0'/></body>"
    "<body name='robot' pos='0 3 1'><freejoint name='float'/><geom type='box' size='.2 .1 .1' "
    "pos='.05 .02 "
    ".03'/>"
    "<body name='arm' pos='.2 0 0'><joint name='swivel' type='ball' pos='.02 0 0' armature='.01'/>"
    "<geom type='cylinder' size='.05 .2' pos='.2 0 0'/><body name='hand' pos='.4 0 0'>"
    "<joint name='bend' axis='0 1 0' ref='.3'/><joint name='reach' type='slide' axis='0 1 1'/>"
    "<geom size='.06' pos='0 0 .1'/><site name='palm' pos='.02 0 .1' euler='.2 .3 "
    ".4'/></body></body></body>"
    "<body name='ball' pos='0 5 0'><freejoint/><geom size='.1'/></body>"
    "<body name='target' mocap='true'><geom size='.1' contype='0' conaffinity='0'/></body>"
    "<site name='above' pos='0 3 3'/></worldbody>"
    "<tendon><spatial name='rope' stiffness='3'><site site='above'/><site site='palm'/></spatial>"
    "<fixed name='sum'><joint joint='bend' coef='2'/><joint joint='reach' "
    "coef='-1'/></fixed></tendon>"
    "<actuator><motor joint='bend' gear='3'/><muscle tendon='rope' lengthrange='.1 3'/>"
    "<position tendon='sum' kp='2'/><motor joint='float' gear='1 2 3 .1 .2 .3'/>"
    "<motor site='palm' gear='0 0 1 .3 0 0'/><motor joint='swivel' gear='1 2 3'/>"
    "<adhesion body='hand' ctrlrange='0 1'/></actuator>"
    "<equality><connect body1='hand' body2='door' anchor='.1 .2 .3'/>"
    "<connect body1='ball' anchor='.1 0 .3'/><connect site1='palm' site2='above'/>"
    "<weld body1='robot' body2='handle'/><weld body1='arm' body2='ball' anchor='.1 .1 0' "
    "torquescale='.7'/><weld body1='ball' body2='hand' relpose='1 2 3 .5 .5 .5 .1'/>"
    "<weld body1='door'/><weld site1='palm' site2='above'/>"
    "<joint joint1='bend' joint2='reach'/></equality></mujoco>";

// shapes in a medium, and what has none of it
static const char swimmer[] =
    "<mujoco><option density='1000' viscosity='.01'/><asset><mesh name='rock' "
    "vertex='0 0 0 1 0 0 0 1 0 0 0 1 .3 .3 .9'/></asset><default><geom fluidshape='ellipsoid' "
    "/></default><worldbody><body><freejoint/><geom type='ellipsoid' size='.1 .2 .35'/>"
    "<geom type='ellipsoid' size='.2 .2 .35'/><geom type='ellipsoid' size='.01 1 .05'/><geom "
    "size='.1'/>"
    "<geom type='capsule' size='.1 .3'/><geom type='cylinder' size='.3 .1'/>"
    "<geom type='box' size='.1 .3 .01'/><geom type='mesh' mesh='rock'/>"
    "<geom type='box' size='.1 .3 .01' fluidshape='none'/></body></worldbody></mujoco>";

static void assert_same(const char* name, const cr_real* ours, const mjtNum* theirs, int n) {
  for (int i = 0; i < n; i++) {
    if (!(fabs(ours[i] - theirs[i]) <= 1e-12 * (1 + fabs(theirs[i])))) {
      fail_msg("%s[%d]: %.17g, MuJoCo %.17g", name, i, ours[i], theirs[i]);
    }
  }
}

static void compare(const mjModel* mj, cr_model* m) {
  cr_data* d = NULL;
  d = test_data(m);
  for (int i = 0; i < 2 * m->nbody; i++) {
    m->body_invweight0[i] = -1;
  }
  for (int i = 0; i < m->nv; i++) {
    m->dof_invweight0[i] = -1;
  }
  for (int i = 0; i < m->ngeom; i++) {
    m->geom_rbound[i] = m->geom_type[i] == CR_GEOM_MESH ? m->geom_rbound[i] : -1;
  }
  for (int i = 0; i < m->ntendon; i++) {
    m->tendon_length0[i] = m->tendon_invweight0[i] = -1;
  }
  for (int i = 0; i < m->nout; i++) {
    m->actuator_acc0[i] = -1;
  }
  for (int i = 0; i < CR_NEQDATA * m->neq; i++) {
    m->eq_data[i] = cri_is_derived(m, CR_FIELD_eq_data, i) ? -1 : m->eq_data[i];
  }
  for (int i = 0; i < 12 * m->ngeom; i++) {
    m->geom_fluid[i] = cri_is_derived(m, CR_FIELD_geom_fluid, i) ? -1 : m->geom_fluid[i];
  }
  assert_int_equal(cr_constants(m, d), CR_OK);
  assert_same("eq_data", m->eq_data, mj->eq_data, CR_NEQDATA * m->neq);
  for (int i = 0; i < 12 * m->ngeom; i++) {
    cr_real ours = m->geom_fluid[i], theirs = (cr_real)mj->geom_fluid[i];
    if (!(fabs(ours - theirs) <= 1e-12 * fabs(theirs))) {
      fail_msg("geom_fluid[%d]: %.17g, MuJoCo %.17g", i, ours, theirs);
    }
  }
  assert_same("tendon_length0", m->tendon_length0, mj->tendon_length0, m->ntendon);
  assert_same("tendon_invweight0", m->tendon_invweight0, mj->tendon_invweight0, m->ntendon);
  assert_same("actuator_acc0", m->actuator_acc0, mj->actuator_acc0, m->nout);
  assert_same("body_invweight0", m->body_invweight0, mj->body_invweight0, 2 * m->nbody);
  assert_same("dof_invweight0", m->dof_invweight0, mj->dof_invweight0, m->nv);
  assert_same("geom_rbound", m->geom_rbound, mj->geom_rbound, m->ngeom);
}

static void as_compiled(mjModel* mj) {
  cr_model m = mjcf_model(mj);
  compare(mj, &m);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

TEST(compiled_models) {
  as_compiled(mjcf_compile(zoo));
  as_compiled(mjcf_compile(swimmer));
  as_compiled(mjcf_data("cube.xml"));
  as_compiled(mjcf_data("double_pendulum.xml"));
  as_compiled(mjcf_data("walker.xml"));
  as_compiled(mjcf_data("tendon_rows.xml"));
  as_compiled(mjcf_data("actuators.xml"));
  as_compiled(mjcf_data("controllers.xml"));
}

static cr_status set_const(void* context) {
  mjModel* mj = context;
  mjData* d = mj_makeData(mj);
  mj_setConst(mj, d);
  mj_deleteData(d);
  return CR_OK;
}

TEST(changed_coordinates) {
  cr_random random = cr_random_seed(3, 5);
  cr_error error = {0};
  mjModel* mj = mjcf_compile(zoo);
  cr_model m = mjcf_model(mj);
  for (int k = 0; k < 5; k++) {
    for (int j = 0; j < mj->njnt; j++) {
      int adr = mj->jnt_qposadr[j], type = mj->jnt_type[j];
      mjtNum* q = mj->qpos0 + adr;
      int n = type == mjJNT_FREE ? 7 : type == mjJNT_BALL ? 4 : 1;
      for (int i = 0; i < n; i++) {
        q[i] += 0.3 * cr_random_normal(&random);
      }
      if (n > 1) {
        mju_normalize4(q + n - 4);
      }
      for (int i = 0; i < n; i++) {
        m.qpos0[adr + i] = q[i];
      }
    }
    assert_int_equal(cri_mujoco_guard(set_const, mj, "mj_setConst", &error), CR_OK);
    compare(mj, &m);
  }
  cri_model_free(&m);
  mj_deleteModel(mj);
}

TEST(changed_sizes) {
  cr_random random = cr_random_seed(3, 4);
  cr_error error = {0};
  mjModel* mj = mjcf_compile(swimmer);
  cr_model m = mjcf_model(mj);
  for (int k = 0; k < 10; k++) {
    for (int g = 0; g < mj->ngeom; g++) {
      for (int i = 0; i < 3 && mj->geom_type[g] != mjGEOM_MESH; i++) {
        mj->geom_size[3 * g + i] *= exp(0.3 * cr_random_normal(&random));
        m.geom_size[3 * g + i] = mj->geom_size[3 * g + i];
      }
    }
    assert_int_equal(cri_mujoco_guard(set_const, mj, "mj_setConst", &error), CR_OK);
    compare(mj, &m);
  }
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// the same changes on both sides; a body's frames must not count as simple any more
TEST(changed_models) {
  cr_random random = cr_random_seed(3, 3);
  for (int k = 0; k < 10; k++) {
    cr_error error = {0};
    mjModel* mj = mjcf_compile(zoo);
    cr_model m = mjcf_model(mj);
    for (int b = 1; b < mj->nbody; b++) {
      mjtNum factor = exp(cr_random_normal(&random));
      mj->body_mass[b] = m.body_mass[b] *= factor;
      for (int i = 0; i < 3; i++) {
        mj->body_inertia[3 * b + i] = m.body_inertia[3 * b + i] *= factor;
      }
      if (mj->body_simple[b] == 0 && mj->body_sameframe[b] == mjSAMEFRAME_NONE) {
        for (int i = 0; i < 3; i++) {
          mj->body_ipos[3 * b + i] = m.body_ipos[3 * b + i] += 0.1 * cr_random_normal(&random);
          mj->body_pos[3 * b + i] = m.body_pos[3 * b + i] += 0.1 * cr_random_normal(&random);
        }
      }
    }
    for (int i = 0; i < mj->nv; i++) {
      bool simple = mj->body_simple[mj->dof_bodyid[i]] != 0;
      mj->dof_armature[i] = m.dof_armature[i] = simple ? 0 : cr_random_uniform(&random);
    }
    assert_int_equal(cri_mujoco_guard(set_const, mj, "mj_setConst", &error), CR_OK);
    compare(mj, &m);
    cri_model_free(&m);
    mj_deleteModel(mj);
  }
}
