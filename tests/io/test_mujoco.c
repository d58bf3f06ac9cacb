// SPDX-License-Identifier: Apache-2.0
// The way through libmujoco: files that load and files that do not, its fatal errors, and the copy
// of an mjModel, field by field.
#include "io/mujoco.h"

#include <mujoco/mjxmacro.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "carom/model.h"
#include "model/fields.h"
#include "scenes/io_mjcf.h"
#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

static void refused(const char* path, cr_status status, const char* because) {
  mjModel* mj = NULL;
  error = (cr_error){0};
  assert_int_equal(cri_mujoco_load(&mj, path, NULL, &error), status);
  assert_null(mj);
  if (strstr(error.text, because) == NULL || strstr(error.text, path) == NULL) {
    fail_msg("'%s' does not say '%s' and '%s'", error.text, path, because);
  }
  assert_null(strchr(error.text, '\n'));
}

TEST(files_that_do_not_load) {
  refused(scratch_path("none.xml"), CR_ERR_FILE, "cannot be opened");
  refused(scratch_write("a.xml", "<mujoco><worldbody>"), CR_ERR_MODEL, "XML");
  refused(scratch_write("b.xml", ""), CR_ERR_FORMAT, "is empty");
  refused(scratch_write("c.xml",
                        "<mujoco><worldbody><body><geom size='-1'/></body></worldbody>"
                        "</mujoco>"),
          CR_ERR_MODEL, "");
  refused(scratch_write("d.xml", "<mujoco><wordlbody/></mujoco>"), CR_ERR_MODEL, "wordlbody");
  refused(scratch_write("e.xml",
                        "\x7f"
                        "ELF\x01\x02"),
          CR_ERR_MODEL, "");
  refused(scratch_write("f.urdf", "<robot name='x'><link name='a'/></robo"), CR_ERR_MODEL, "");
  refused(scratch_path("."), CR_ERR_FILE, "is a folder");
  // a mass below zero is MuJoCo's to refuse
  refused(scratch_write("g.xml",
                        "<mujoco><worldbody><body><freejoint/><geom size='.1' mass='-1'/>"
                        "</body></worldbody></mujoco>"),
          CR_ERR_MODEL, "mass");
  assert_false(scratch_has("MUJOCO_LOG.TXT"));
}

TEST(urdf) {
  mjModel* mj = NULL;
  const char* path = scratch_write(
      "arm.urdf",
      "<robot name='arm'><link name='base'/><link name='bar'><inertial><origin xyz='0 0 .2'/>"
      "<mass value='2'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial>"
      "</link><joint name='hinge' type='revolute'><parent link='base'/><child link='bar'/>"
      "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='5' velocity='1'/></joint></robot>");
  assert_int_equal(cri_mujoco_load(&mj, path, NULL, &error), CR_OK);
  cr_model m = mjcf_model(mj);
  assert_int_equal(m.nv, 1);
  assert_string_equal(cri_name(&m, m.name_jntadr, 0), "hinge");
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// ---- fatal errors

static cr_status fatal(void* context) {
  mju_error("%s", (const char*)context);
  return CR_OK;
}

static cr_status harmless(void* context) {
  mju_warning("a warning");
  *(int*)context += 1;
  return CR_ERR_ARG;
}

TEST(fatal_errors_come_back) {
  for (int k = 0; k < 3; k++) {
    assert_int_equal(cri_mujoco_guard(fatal, "the end of the world", "a test", &error),
                     CR_ERR_MODEL);
    assert_non_null(strstr(error.text, "a test: "));
    assert_non_null(strstr(error.text, "the end of the world"));
  }
  int calls = 0;
  assert_int_equal(cri_mujoco_guard(harmless, &calls, "a test", &error), CR_ERR_ARG);
  assert_int_equal(calls, 1);
  assert_false(scratch_has("MUJOCO_LOG.TXT"));
}

static cr_status transition(void* context) {
  mjModel* mj = context;
  mjData* d = mj_makeData(mj);
  mjtNum A[16];
  mjd_transitionFD(mj, d, 1e-6, 0, A, NULL, NULL, NULL);
  mj_deleteData(d);
  return CR_OK;
}

// one of MuJoCo's functions that end the process
TEST(transition_with_rk4) {
  mjModel* mj = mjcf_compile(
      "<mujoco><option integrator='RK4'/><worldbody><body><joint type='slide'/><geom size='.1'/>"
      "</body></worldbody></mujoco>");
  assert_int_equal(cri_mujoco_guard(transition, mj, "transition", &error), CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "RK4"));
  mj->opt.integrator = mjINT_EULER;
  assert_int_equal(cri_mujoco_guard(transition, mj, "transition", &error), CR_OK);
  mj_deleteModel(mj);
}

// ---- the handler of the host program

static atomic_int messages;

static void count_message(const mjLogMessage* message) {
  (void)message;
  atomic_fetch_add(&messages, 1);
}

TEST(the_handler_of_the_host_is_never_touched) {
  mjfLogHandler before = mju_setLogHandler(count_message);
  assert_int_equal(cri_mujoco_guard(fatal, "x", "a test", &error), CR_ERR_MODEL);
  assert_int_equal(messages, 0);
  mju_warning("of the host");
  assert_int_equal(messages, 1);
  assert_ptr_equal(mju_setLogHandler(before), count_message);
}

typedef struct {
  char path[512];
  int failed;
} opening;

static void* open_often(void* context) {
  opening* o = context;
  for (int k = 0; k < 40; k++) {
    cr_model* m = NULL;
    cr_error e = {0};
    o->failed += cr_model_open(&m, o->path, &e) != CR_OK;
    cr_model_destroy(m);
  }
  return NULL;
}

// two threads open models, one of them broken, while the host hears its own messages and no others
TEST(threads_leave_the_handler_alone) {
  enum { OWN = 50 };
  opening o[2] = {{.failed = 0}, {.failed = 0}};
  pthread_t threads[2];
  (void)snprintf(o[0].path, sizeof o[0].path, "%s", mjcf_path("cube.xml"));
  (void)snprintf(o[1].path, sizeof o[1].path, "%s",
                 scratch_write("bad.xml", "<mujoco><worldbody><body/></worldbody></mujoco"));
  mjfLogHandler before = mju_setLogHandler(count_message);
  messages = 0;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, open_often, &o[i]), 0);
  }
  for (int k = 0; k < OWN; k++) {
    mju_warning("of the host");
  }
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  }
  assert_ptr_equal(mju_setLogHandler(before), count_message);
  assert_int_equal(messages, OWN);
  assert_int_equal(o[0].failed, 0);
  assert_int_equal(o[1].failed, 40);
}

// ---- names

TEST(names) {
  mjModel* mj = mjcf_compile(
      "<mujoco><worldbody><body name='first'><joint/><geom size='.1'/></body><body><joint/>"
      "<geom size='.1'/></body></worldbody></mujoco>");
  const char* first = cri_mujoco_name(mj, mjOBJ_BODY, 1);
  const char* second = cri_mujoco_name(mj, mjOBJ_BODY, 2);
  const char* joint = cri_mujoco_name(mj, mjOBJ_JOINT, 1);
  assert_string_equal(first, "first");
  assert_string_equal(second, "#2");
  assert_string_equal(joint, "#1");
  mj_deleteModel(mj);
}

// ---- the copy

typedef struct {
  const char* name;
  int bytes;  // 0: real, 2: float
  const void* data;
  mjtSize n;
} array;

enum { MAX_ARRAYS = 700, OTHER = -1 };
enum {
  KIND_int = 4,
  KIND_mjtNum = 0,
  KIND_mjtByte = 1,
  KIND_mjtBool = 1,
  KIND_float = 2,
  KIND_char = OTHER,
  KIND_uintptr_t = OTHER,
  KIND_uint64_t = OTHER,
  KIND_mjtSize = OTHER,
  KIND_int64_t = OTHER
};

static int list(const mjModel* mj, array* rows) {
  int n = 0;
#undef MJ_M
#define MJ_M(count) mj->count
#define X(type, name, nr, nc) \
  rows[n++] = (array){#name, KIND_##type, mj->name, (mjtSize)(mj->nr) * (mjtSize)(nc)};
  MJMODEL_POINTERS
#undef X
  return n;
}

static double number(const array* a, mjtSize i) {
  return a->bytes == 0   ? ((const mjtNum*)a->data)[i]
         : a->bytes == 2 ? (double)((const float*)a->data)[i]
         : a->bytes == 1 ? ((const unsigned char*)a->data)[i]
                         : ((const int*)a->data)[i];
}

static const array* find(const array* rows, int n, const char* name) {
  for (int i = 0; i < n; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

// fields that Carom holds in a form of its own
static bool own_form(cr_field_id id) {
  static const cr_field_id own[] = {CR_FIELD_gravity,
                                    CR_FIELD_density,
                                    CR_FIELD_viscosity,
                                    CR_FIELD_wind,
                                    CR_FIELD_magnetic,
                                    CR_FIELD_sensor_skip,
                                    CR_FIELD_o_margin,
                                    CR_FIELD_o_solref,
                                    CR_FIELD_o_solimp,
                                    CR_FIELD_o_friction,
                                    CR_FIELD_mocap_pos0,
                                    CR_FIELD_mocap_quat0,
                                    CR_FIELD_exclude_body,
                                    CR_FIELD_M_rownnz,
                                    CR_FIELD_M_rowadr,
                                    CR_FIELD_M_colind,
                                    CR_FIELD_tendon_inertial,
                                    CR_FIELD_mesh_box,
                                    CR_FIELD_mesh_width,
                                    CR_FIELD_geom_cfd,
                                    CR_FIELD_pair_cfd,
                                    CR_FIELD_mesh_start,
                                    CR_FIELD_geom_hunt_crossley,
                                    CR_FIELD_ncp_baumgarte,
                                    CR_FIELD_ncp_cfm,
                                    CR_FIELD_plugin_param,
                                    CR_FIELD_geom_pressure_kind,
                                    CR_FIELD_geom_pressure,
                                    CR_FIELD_geom_pressure_vertadr,
                                    CR_FIELD_geom_pressure_vertnum,
                                    CR_FIELD_geom_pressure_tetadr,
                                    CR_FIELD_geom_pressure_tetnum,
                                    CR_FIELD_pressure_rest,
                                    CR_FIELD_pressure_place,
                                    CR_FIELD_pressure_level,
                                    CR_FIELD_pressure_tet,
                                    CR_FIELD_pressure_bound};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    if (own[i] == id) {
      return true;
    }
  }
  return false;
}

// frees the model
static void every_field_has_its_source(mjModel* mj) {
  static array rows[MAX_ARRAYS];
  cr_model m = mjcf_model(mj);
  int n = list(mj, rows);
  assert_in_range(n, 1, MAX_ARRAYS);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    const cr_field* f = cri_field(id);
    const array* from = find(rows, n, f->name);
    int count = cri_field_rows(&m, NULL, id) * cri_field_width(&m, id);
    if (own_form(id)) {
      continue;
    }
    if (from == NULL || (from->bytes == OTHER && f->kind != CR_KIND_CHAR) || from->n != count) {
      fail_msg("%s: mjModel has no array of this shape", f->name);
    }
    for (int k = 0; k < count && f->kind != CR_KIND_CHAR; k++) {
      double ours = f->kind == CR_KIND_INT ? cri_field_index(&m, NULL, id)[k]
                                           : (double)cri_field_real(&m, NULL, id)[k];
      if (ours != number(from, k)) {
        fail_msg("%s[%d]: %.17g, MuJoCo %.17g", f->name, k, ours, number(from, k));
      }
    }
  }
  assert_memory_equal(m.names, mj->names, (size_t)mj->nnames);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

TEST(fields_are_those_of_mujoco) {
  static const char* const files[] = {"cube.xml",     "double_pendulum.xml", "walker.xml",
                                      "equality.xml", "tendon_rows.xml",     "rolling.xml"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    every_field_has_its_source(mjcf_data(files[i]));
  }
  every_field_has_its_source(mjcf_compile(
      "<mujoco><asset><mesh name='q' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
      "<geom type='plane' size='1 1 1'/><body pos='0 0 2'><freejoint/><geom type='mesh' mesh='q'/>"
      "</body></worldbody></mujoco>"));
}

TEST(options_and_counts) {
  mjModel* mj = mjcf_compile(
      "<mujoco><option timestep='.003' impratio='3' cone='elliptic' integrator='RK4' "
      "gravity='1 2 3' actuatorgroupdisable='1 4' tolerance='1e-3' iterations='2' "
      "o_margin='.4' o_solref='.5 .6' o_friction='.1 .2 .3 .4 .5'>"
      "<flag warmstart='disable' energy='enable'/></option><worldbody><body><freejoint/>"
      "<geom size='.1'/></body></worldbody></mujoco>");
  cr_model m = mjcf_model(mj);
  assert_true(m.timestep == .003 && m.impratio == 3 && m.gravity[0] == 1 && m.gravity[2] == 3);
  assert_true(m.o_margin[0] == .4 && m.o_solref[1] == .6 && m.o_friction[4] == .5);
  assert_int_equal(m.cone, CR_CONE_ELLIPTIC);
  assert_int_equal(m.integrator, CR_INT_RK4);
  assert_int_equal(m.disableactuator, (1 << 1) + (1 << 4));
  assert_int_equal(m.disableflags & CR_DSBL_WARMSTART, CR_DSBL_WARMSTART);
  assert_int_equal(m.cfd, 0);
  // the file's solver settings never change the answer
  assert_true(m.tolerance == 0 && m.iterations > 2);
  static const char* const counts[] = {"nq",       "nv",     "nu",    "na",        "nbody", "njnt",
                                       "ntree",    "ngeom",  "nsite", "nactuator", "nout",  "npair",
                                       "nexclude", "nmocap", "nkey",  "nnames"};
  const mjtSize theirs[] = {mj->nq,       mj->nv,        mj->nu,    mj->na,
                            mj->nbody,    mj->njnt,      mj->ntree, mj->ngeom,
                            mj->nsite,    mj->nactuator, mj->nout,  mj->npair,
                            mj->nexclude, mj->nmocap,    mj->nkey,  mj->nnames};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    assert_int_equal(cr_model_count(&m, counts[i]), theirs[i]);
  }
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// M has an entry for every dof and ancestor, also where MuJoCo leaves it out
TEST(the_pattern_of_M) {
  mjModel* mj = mjcf_data("cube.xml");
  cr_model m = mjcf_model(mj);
  assert_int_equal(m.nC, 21);
  assert_true(mj->nC < 21);
  for (int i = 0, adr = 0; i < 6; i++) {
    assert_int_equal(m.M_rowadr[i], adr);
    assert_int_equal(m.M_rownnz[i], i + 1);
    for (int k = 0; k <= i; k++) {
      assert_int_equal(m.M_colind[adr + k], k);
    }
    adr += i + 1;
  }
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// its own colour, or else that of its material
TEST(colours_are_those_drawn) {
  mjModel* mj = mjcf_compile(
      "<mujoco><asset><material name='red' rgba='1 0 0 .5'/></asset><worldbody><body>"
      "<freejoint/><geom size='.1' material='red'/><geom size='.1' material='red' rgba='0 1 0 1'/>"
      "<geom size='.1' group='3'/><site material='red'/></body></worldbody></mujoco>");
  cr_model m = mjcf_model(mj);
  const cr_real red[] = {1, 0, 0, 0.5}, green[] = {0, 1, 0, 1}, grey[] = {0.5, 0.5, 0.5, 1};
  assert_memory_equal(m.geom_rgba, red, sizeof red);
  assert_memory_equal(m.geom_rgba + 4, green, sizeof green);
  assert_memory_equal(m.geom_rgba + 8, grey, sizeof grey);
  assert_memory_equal(m.site_rgba, red, sizeof red);
  assert_int_equal(m.geom_group[2], 3);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

TEST(excludes_and_mocap) {
  mjModel* mj = mjcf_compile(
      "<mujoco><worldbody><body name='target' mocap='true' pos='1 2 3' quat='0 1 0 0'>"
      "<geom size='.1'/></body><body name='a'><freejoint/><geom size='.1'/></body>"
      "<body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
      "<contact><exclude body1='b' body2='a'/></contact>"
      "<keyframe><key/><key mpos='4 5 6' mquat='0 0 1 0'/></keyframe></mujoco>");
  cr_model m = mjcf_model(mj);
  assert_int_equal(m.nexclude, 1);
  assert_int_equal(m.exclude_body[0], 2);
  assert_int_equal(m.exclude_body[1], 3);
  assert_int_equal(m.body_mocapid[1], 0);
  assert_true(m.mocap_pos0[0] == 1 && m.mocap_pos0[2] == 3 && m.mocap_quat0[1] == 1);
  assert_int_equal(m.nkeymocap, 2);
  assert_true(m.key_mpos[0] == 1 && m.key_mquat[1] == 1 && m.key_mpos[3] == 4 &&
              m.key_mquat[6] == 1);
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// MuJoCo takes frames that almost agree for the same: the model then says that they are
TEST(frames_that_almost_agree) {
  mjModel* mj = mjcf_compile(
      "<mujoco><worldbody><body><freejoint/><inertial pos='1e-9 0 0' mass='1' "
      "diaginertia='1 1 1'/><geom size='.1' pos='0 1e-9 0' quat='1 1e-9 0 0'/>"
      "<site name='s' pos='.1 0 0' quat='1 0 1e-9 0'/></body></worldbody></mujoco>");
  cr_model m = mjcf_model(mj);
  assert_true(mj->geom_pos[1] != 0);
  for (int k = 0; k < 3; k++) {
    assert_true(m.body_ipos[3 + k] == 0 && m.geom_pos[k] == 0 && m.geom_quat[1 + k] == 0);
    assert_true(m.site_quat[1 + k] == 0);
  }
  assert_true(m.site_pos[0] == .1 && m.geom_quat[0] == 1);
  cri_model_free(&m);
  mj_deleteModel(mj);
}
