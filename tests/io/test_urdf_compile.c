// SPDX-License-Identifier: Apache-2.0
// What a URDF file becomes: libmujoco's reading where it has one, and what is added to it by rule and
// by option.
#include "io/urdf_compile.h"

#include <stdio.h>
#include <stdlib.h>

#include "integrate/step.h"
#include "io/mujoco.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"
#include "support/scratch.h"
#include "tools/files.h"

static cr_error error;
static cr_load_report report;

static mjModel* load(const char* path, const cr_urdf_options* options) {
  mjModel* mj = NULL;
  cri_load_report_free(&report);
  report = (cr_load_report){0};
  if (cri_urdf_load(&mj, path, options, &report, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return mj;
}

static mjModel* load_text(const char* text, const cr_urdf_options* options) {
  return load(scratch_write("robot.urdf", text), options);
}

static const char* quadruped(void) { return mjcf_path("quadruped.urdf"); }

// ---- without options, what libmujoco reads

TEST(same_as_libmujoco) {
  mjModel *ours = load(quadruped(), NULL), *theirs = NULL;
  assert_int_equal(cri_mujoco_load(&theirs, quadruped(), NULL, &error), CR_OK);
  mjtSize n = mj_sizeModel(theirs);
  assert_true(mj_sizeModel(ours) == n);
  unsigned char *a = malloc((size_t)n), *b = malloc((size_t)n);
  mj_saveModel(ours, NULL, a, (int)n);
  mj_saveModel(theirs, NULL, b, (int)n);
  assert_memory_equal(a, b, (size_t)n);
  assert_int_equal(report.warnings.n, 0);
  free(a);
  free(b);
  mj_deleteModel(ours);
  mj_deleteModel(theirs);
}

// ---- options

TEST(base_floats) {
  cr_urdf_options o = {.size = sizeof o, .floating = true};
  mjModel* mj = load(quadruped(), &o);
  assert_int_equal(mj->nv, 18);
  assert_int_equal(mj->nu, 0);
  assert_int_equal(mj_name2id(mj, mjOBJ_JOINT, "floating_base"), 0);
  assert_int_equal(mj->jnt_type[0], mjJNT_FREE);
  assert_true(mj->body_mass[1] == 6);  // the trunk is a body again
  mj_deleteModel(mj);
}

TEST(world_cannot_float) {
  mjModel* mj = NULL;
  cr_urdf_options o = {.size = sizeof o, .floating = true};
  const char* path = scratch_write("robot.urdf", "<robot name='r'>\n<link name='world'/></robot>");
  assert_int_equal(cri_urdf_load(&mj, path, &o, &report, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "robot.urdf:2: link 'world': the base cannot float"));
}

TEST(ground_and_self_collision) {
  cr_urdf_options o = {.size = sizeof o, .ground = true, .no_self_collision = true};
  mjModel* mj = load(quadruped(), &o);
  int ground = mj_name2id(mj, mjOBJ_GEOM, "ground");
  assert_int_equal(mj->geom_type[ground], mjGEOM_PLANE);
  for (int i = 0; i < mj->ngeom; i++) {
    for (int k = 0; k < i; k++) {
      bool collide = (mj->geom_contype[i] & mj->geom_conaffinity[k]) != 0 ||
                     (mj->geom_contype[k] & mj->geom_conaffinity[i]) != 0;
      assert_int_equal(collide, i == ground || k == ground);
    }
  }
  mj_deleteModel(mj);
}

#define INERTIAL                                                                 \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define HINGE(name, parent, child, more)                                                  \
  "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child \
  "'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='5' velocity='1'/>" more "</joint>\n"

static const char* const gripper =
    "<robot name='gripper'>\n<link name='palm'/>\n<link name='left'>" INERTIAL
    "</link>\n<link name='right'>" INERTIAL "</link>\n" HINGE("drive", "palm", "left", "")
        HINGE("follow", "palm", "right",
              "<mimic joint='drive' multiplier='-2' offset='0.1'/>") "</robot>";

TEST(servos_of_joints_that_lead) {
  cr_urdf_options o = {.size = sizeof o, .servo_kp = 30, .servo_kv = 2};
  mjModel* mj = load_text(gripper, &o);
  assert_int_equal(mj->nu, 1);
  int drive = mj_name2id(mj, mjOBJ_JOINT, "drive");
  assert_int_equal(mj_name2id(mj, mjOBJ_ACTUATOR, "drive"), 0);
  assert_int_equal(mj->actuator_trnid[0], drive);
  assert_true(mj->actuator_gainprm[0] == 30 && mj->actuator_biasprm[1] == -30 &&
              mj->actuator_biasprm[2] == -2);
  assert_true(mj->jnt_actfrcrange[2 * drive] == -5 && mj->jnt_actfrcrange[2 * drive + 1] == 5);
  mj_deleteModel(mj);
}

// a joint that mimics another is held by an equality q = 0.1 - 2 q_drive
TEST(mimic_is_an_equality) {
  cr_urdf_options o = {.size = sizeof o, .servo_kp = 30, .servo_kv = 2};
  mjModel* mj = load_text(gripper, &o);
  assert_int_equal(mj->neq, 1);
  assert_int_equal(mj->eq_type[0], mjEQ_JOINT);
  cr_model m = mjcf_model(mj);
  cr_data* d = test_data(&m);
  d->ctrl[0] = CR_R(0.3);
  d->qpos[1] = CR_R(0.1);
  for (int i = 0; i < 2000; i++) {
    assert_int_equal(cr_step(&m, d), CR_OK);
    cr_copy(d->qpos, d->qpos_next, 2);
    cr_copy(d->qvel, d->qvel_next, 2);
  }
  assert_true(cr_abs(d->qpos[0]) > CR_R(0.1));
  assert_close(d->qpos[1], CR_R(0.1) - 2 * d->qpos[0], CR_R(1e-3));
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// ---- links without inertia

static bool warned(const char* what) {
  for (int i = 0; i < report.warnings.n; i++) {
    if (strstr(report.warnings.text[i], what) != NULL) {
      return true;
    }
  }
  return false;
}

#define MASSLESS                                                                 \
  "<inertial><mass value='0'/><inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define BOX "<collision><geometry><box size='0.2 0.1 0.1'/></geometry></collision>"

TEST(massless_links) {
  mjModel* mj = load_text(
      "<robot name='r'>\n<link name='base'/>\n<link name='dummy'/>\n<link name='zero'>" MASSLESS
      "</link>\n<link name='box'>" MASSLESS BOX "</link>\n<link name='bare'>" BOX
      "</link>\n<link name='point'><inertial><origin xyz='0 0 1'/><mass value='2'/>"
      "<inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link>\n" HINGE(
          "j1", "base", "dummy", "") HINGE("j2", "dummy", "zero", "") HINGE("j3", "zero", "box", "")
          HINGE("j4", "box", "bare", "") HINGE("j5", "bare", "point", "") "</robot>",
      NULL);
  const struct {
    const char* name;
    double mass, least;  // smallest moment of inertia
    const char* warning;
  } rows[] = {
      {"dummy", CR_URDF_MASS, CR_URDF_INERTIA,
       "robot.urdf:3: link 'dummy' has no mass and no shape"},
      {"zero", CR_URDF_MASS, CR_URDF_INERTIA, "robot.urdf:4: link 'zero' has no mass and no shape"},
      {"box", 2, 2 * 0.02 / 12,
       "robot.urdf:5: link 'box' has no mass: that of its collision shapes"},
      {"bare", 2, 2 * 0.02 / 12, "robot.urdf:6: link 'bare' has no mass: that of its collision"},
      {"point", 2, 0.4 * 2 * 1e-4, "robot.urdf:7: link 'point' has mass but no inertia: that of a"},
  };
  assert_int_equal(report.warnings.n, 5);
  for (int i = 0; i < 5; i++) {
    int b = mj_name2id(mj, mjOBJ_BODY, rows[i].name);
    const mjtNum* I = mj->body_inertia + 3 * b;
    assert_close((cr_real)mj->body_mass[b], (cr_real)rows[i].mass, CR_R(1e-12));
    assert_close((cr_real)fmin(I[0], fmin(I[1], I[2])), (cr_real)rows[i].least, CR_R(1e-12));
    assert_true(warned(rows[i].warning));
  }
  int point = mj_name2id(mj, mjOBJ_BODY, "point");
  assert_close((cr_real)mj->body_ipos[3 * point + 2], 1, CR_R(1e-12));
  mj_deleteModel(mj);
}

// what is held fast by a fixed joint is part of the body: only the whole must have mass
TEST(fixed_links_share_their_mass) {
  mjModel* mj = load_text(
      "<robot name='r'>\n<link name='base'/>\n<link name='frame'/>\n<link name='arm'>" INERTIAL
      "</link>\n<link name='tip'/>\n" HINGE("j", "base", "frame", "")
      "<joint name='f' type='fixed'><parent link='frame'/><child link='arm'/></joint>"
      "<joint name='g' type='fixed'><parent link='arm'/><child link='tip'/></joint></robot>",
      NULL);
  assert_int_equal(report.warnings.n, 0);
  assert_int_equal(mj->nbody, 2);
  assert_true(mj->body_mass[1] == 1);
  mj_deleteModel(mj);
}

// the root moves, and needs a mass, only where it floats
TEST(massless_root) {
  static const char* const text =
      "<robot name='r'>\n<link name='base'/>\n<link name='arm'>" INERTIAL
      "</link>\n" HINGE("j", "base", "arm", "") "</robot>";
  cr_urdf_options o = {.size = sizeof o, .floating = true};
  mj_deleteModel(load_text(text, NULL));
  assert_int_equal(report.warnings.n, 0);
  mjModel* mj = load_text(text, &o);
  assert_true(warned("robot.urdf:2: link 'base' has no mass and no shape"));
  assert_true(mj->body_mass[1] == CR_URDF_MASS);
  mj_deleteModel(mj);
}

// ---- meshes

static const char tetrahedron[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"
    "f 2 3 4\n";

static const char* mesh_robot(const char* filename) {
  static char text[1024];
  (void)snprintf(text, sizeof text,
                 "<robot name='r'>\n<link name='a'>" INERTIAL
                 "\n<visual><geometry><mesh filename='gone.dae'/></geometry></visual>\n"
                 "<collision><geometry>\n<mesh filename='%s' scale='2 2 2'/></geometry></collision>"
                 "</link></robot>",
                 filename);
  return text;
}

TEST(meshes_and_packages) {
  assert_int_equal(cri_folder_make(scratch_path("meshes"), NULL), CR_OK);
  (void)scratch_write("meshes/t.obj", tetrahedron);
  (void)scratch_write("t.OBJ", tetrahedron);
  char folder[CR_MAX_PATH], name[CR_MAX_PATH + 32], whole[CR_MAX_PATH];
  assert_int_equal(cri_path_folder(folder, scratch_path("x"), NULL), CR_OK);
  const char* last = strrchr(folder, '/') + 1;
  (void)snprintf(name, sizeof name, "package://%s/meshes/t.obj", last);
  (void)snprintf(whole, sizeof whole, "%s", scratch_path("meshes/t.obj"));
  const char* const names[] = {"meshes/t.obj", name, whole, "t.OBJ"};
  for (int i = 0; i < 4; i++) {
    mjModel* mj = load_text(mesh_robot(names[i]), NULL);
    assert_int_equal(mj->nmesh, 1);
    assert_int_equal(mj->nmeshvert, 4);
    mj_deleteModel(mj);
  }
  cr_urdf_options o = {.size = sizeof o, .package_path = folder};
  mj_deleteModel(load_text(mesh_robot("package://meshes/t.obj"), &o));
  (void)remove(scratch_path("meshes/t.obj"));
  (void)remove(scratch_path("meshes"));
}

static void refused(const char* text, cr_status status, const char* because) {
  mjModel* mj = NULL;
  error = (cr_error){0};
  assert_int_equal(cri_urdf_load(&mj, scratch_write("robot.urdf", text), NULL, &report, &error),
                   status);
  assert_null(mj);
  if (strstr(error.text, because) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, because);
  }
}

TEST(mistakes) {
  refused(
      mesh_robot("package://none/t.obj"), CR_ERR_FORMAT,
      "robot.urdf:5: <mesh> of link 'a': 'package://none/t.obj' is not found from the file's own "
      "folder; set --package-path");
  refused(mesh_robot("none.obj"), CR_ERR_FORMAT,
          "robot.urdf:5: <mesh> of link 'a': there is no file");
  refused(mesh_robot("t.dae"), CR_ERR_FORMAT,
          "robot.urdf:5: <mesh> of link 'a': 't.dae' is no STL");
  // libmujoco's own sentences get the line of the element they name
  refused(
      "<robot name='r'>\n<link name='base'/>\n<link name='arm'><inertial><mass value='1'/>"
      "<inertia ixx='1' iyy='1' izz='9' ixy='0' ixz='0' iyz='0'/></inertial></link>\n" HINGE(
          "j", "base", "arm", "") "</robot>",
      CR_ERR_MODEL, "robot.urdf:3: ");
}

// ---- the quadruped stands: servos hold its joints, its toes its weight

TEST(quadruped_stands_as_in_mujoco) {
  cr_urdf_options o = {
      .size = sizeof o, .floating = true, .ground = true, .servo_kp = 80, .servo_kv = 2};
  mjModel* mj = load(quadruped(), &o);
  mj->opt.solver = mjSOL_NEWTON;
  mj->opt.tolerance = 0;
  mj->opt.iterations = mj->opt.ls_iterations = 30;
  cr_model m = mjcf_model(mj);
  mjData* reference = mj_makeData(mj);
  cr_data* d = test_data(&m);
  reference->qpos[2] = 0.37;
  for (int i = 0; i < 12; i++) {
    static const double pose[] = {0, 0.6, -1.2};
    reference->qpos[7 + i] = reference->ctrl[i] = pose[i % 3];
  }
  for (int i = 0; i < m.nq; i++) {
    d->qpos[i] = (cr_real)reference->qpos[i];
  }
  for (int i = 0; i < m.nu; i++) {
    d->ctrl[i] = (cr_real)reference->ctrl[i];
  }
  for (int k = 0; k < 2500; k++) {  // 5 s
    mj_step(mj, reference);
    assert_int_equal(cr_step(&m, d), CR_OK);
    cr_copy(d->qpos, d->qpos_next, m.nq);
    cr_copy(d->qvel, d->qvel_next, m.nv);
    cr_copy(d->qacc_warmstart, d->qacc, m.nv);
    for (int i = 0; i < m.nq; i++) {
      assert_close(d->qpos[i], (cr_real)reference->qpos[i], CR_R(1e-9));
    }
  }
  // upright, at rest, on its four toes and nothing else, which carry it
  cr_real force = 0, weight = 0;
  assert_true(d->qpos[2] > CR_R(0.33) && d->qpos[2] < CR_R(0.36) && d->qpos[3] > CR_R(0.999));
  for (int i = 0; i < m.nv; i++) {
    assert_true(cr_abs(d->qvel[i]) < CR_R(1e-3));
  }
  assert_int_equal(d->ncon, 4);
  for (int i = 0; i < d->nefc; i++) {
    bool contact = d->efc_id[i] < d->ncon && d->efc_type[i] > 2;
    force += contact ? d->efc_force[i] : 0;
  }
  for (int i = 0; i < m.nbody; i++) {
    weight -= m.body_mass[i] * m.gravity[2];
  }
  assert_true(cr_abs(force - weight) < CR_R(1e-2) * weight);
  mj_deleteData(reference);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

static void teardown(void) { cri_load_report_free(&report); }

AROUND_FILE(NULL, teardown)
