// SPDX-License-Identifier: Apache-2.0
// A variant of a model as MJCF and as MuJoCo's binary file: every parameter comes back, also from another folder; what
// cannot come back is refused by name, and no file is left.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carom/carom.h"
#include "carom/mujoco.h"
#include "engine/constants.h"
#include "model/fields.h"
#include "model/model_check.h"
#include "support/scratch.h"
#include "support/test.h"
#include "tools/files.h"

static cr_error error;

// ---- a variant: every parameter that a file can hold has another number

static uint32_t drawn;
static double draw(void) {
  drawn = drawn * 1664525u + 1013904223u;
  return (double)drawn / 4294967296.0;
}

static bool one_of(const char* name, const char* list) {
  char word[80];
  (void)snprintf(word, sizeof word, " %s ", name);
  return strstr(list, word) != NULL;
}

// one joint has one number for all its dofs, the ends of a range stay in order, an inertia stays that of a body
static bool moves_together(const char* name) {
  return strncmp(name, "dof_", 4) == 0 || strstr(name, "range") != NULL ||
         one_of(name, " body_inertia tendon_lengthspring ");
}

static int joint_of(const cr_model* m, int coordinate) {
  int j = m->njnt - 1;
  while (m->jnt_qposadr[j] > coordinate) {
    j--;
  }
  return j;
}

static bool stays(const cr_model* m, const char* name, int row, int i) {
  if (one_of(name, " wrap_prm eq_data actuator_lengthrange hfield_data ")) {
    return true;
  }
  if (strncmp(name, "dof_", 4) == 0) {
    return m->jnt_type[m->dof_jntid[row]] < CR_JNT_SLIDE;
  }
  if (strcmp(name, "qpos_spring") == 0) {
    return m->jnt_type[joint_of(m, row)] < CR_JNT_SLIDE;
  }
  if (strcmp(name, "geom_size") == 0) {
    return m->geom_type[row] == CR_GEOM_HFIELD || m->geom_type[row] == CR_GEOM_MESH;
  }
  return strcmp(name, "geom_fluid") == 0 && (i == 0 || i > 5 || m->geom_fluid[12 * row] == 0);
}

static int vary(cr_model* m, cr_field_id id) {
  const char* name = cri_field(id)->name;
  cr_real* x = cri_field_real(m, NULL, id);
  int width = cri_field_width(m, id), n = cri_field_rows(m, NULL, id), moved = 0;
  for (int row = 0; row < n; row++) {
    double together = 1 + 0.03 * draw(), length = 0;
    for (int i = 0; i < width; i++) {
      cr_real* to = x + row * width + i;
      moved += *to != 0 && !stays(m, name, row, i);
      *to *= stays(m, name, row, i) ? 1 : moves_together(name) ? together : 1 + 0.03 * draw();
      length += *to * *to;
    }
    for (int i = 0; i < width && (strstr(name, "quat") != NULL || strcmp(name, "jnt_axis") == 0);
         i++) {
      x[row * width + i] /= sqrt(length);
    }
  }
  return moved;
}

// how many numbers moved; the check of the model says which fields may
static int vary_all(cr_model* m) {
  int moved = 0;
  drawn = 7;
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind != CR_KIND_PARAM || cri_field_is_derived(id)) {
      continue;
    }
    cr_real* x = cri_field_real(m, NULL, id);
    size_t n = (size_t)cri_field_rows(m, NULL, id) * (size_t)cri_field_width(m, id);
    cr_real* before = calloc(n + 1, sizeof *before);
    assert_non_null(before);
    cr_copy(before, x, (int)n);
    int here = vary(m, id);
    if (cri_model_check(m, &error) != CR_OK) {
      cr_copy(x, before, (int)n);
      here = 0;
    }
    moved += here;
    free(before);
  }
  assert_int_equal(cr_model_derive(m, &error), CR_OK);
  return moved;
}

// ---- what comes back

static cr_model* open_saved(const char* path) {
  cr_model* m = NULL;
  const char* dot = strrchr(path, '.');
  if (strcmp(dot, ".mjb") != 0) {
    assert_int_equal(cr_model_open(&m, path, &error), CR_OK);
    return m;
  }
  mjModel* mj = mj_loadModel(path, NULL);
  assert_non_null(mj);
  assert_int_equal(cr_model_from_mujoco(&m, mj, NULL, &error), CR_OK);
  mj_deleteModel(mj);
  return m;
}

// rows of what no motion in MuJoCo depends on: pose of a free body, unused sizes, Carom's own contact models
static bool counts(const cr_model* m, const char* name, int row, int i) {
  if (one_of(name, " geom_hunt_crossley ncp_baumgarte ncp_cfm ")) {
    return false;
  }
  if (one_of(name, " body_pos body_quat ")) {
    int j = m->body_jntadr[row];
    return m->body_mocapid[row] < 0 && (j < 0 || m->jnt_type[j] != CR_JNT_FREE);
  }
  if (strcmp(name, "geom_size") == 0) {
    static const int used[] = {3, 0, 1, 2, 3, 2, 3, 3};
    return i < used[m->geom_type[row]];
  }
  return true;
}

static void check_same(const cr_model* a, const cr_model* b) {
  for (int f = 0; f < CR_N_MODEL_FIELD; f++) {
    cr_field_id id = (cr_field_id)f;
    if (cri_field(id)->kind != CR_KIND_PARAM) {
      continue;
    }
    int width = cri_field_width(a, id), n = cri_field_rows(a, NULL, id);
    assert_int_equal(n, cri_field_rows(b, NULL, id));
    const cr_real *x = cri_field_real(a, NULL, id), *y = cri_field_real(b, NULL, id);
    for (int k = 0; k < n * width; k++) {
      double scale = 0;
      for (int i = 0; i < width; i++) {
        scale = fmax(scale, fabs(x[k - k % width + i]));
      }
      if (counts(a, cri_field(id)->name, k / width, k % width) &&
          fabs(x[k] - y[k]) > 1e-9 * scale + 1e-15) {
        fail_msg("%s[%d]: %.17g comes back as %.17g", cri_field(id)->name, k, x[k], y[k]);
      }
    }
  }
}

static void check_file(const char* file, const char* suffix) {
  char source[600], name[64];
  cr_model* m = NULL;
  (void)snprintf(source, sizeof source, "%s/tests/data/%s", CAROM_SOURCE_DIR, file);
  assert_int_equal(cr_model_open(&m, source, &error), CR_OK);
  assert_true(vary_all(m) > 10);
  (void)snprintf(name, sizeof name, "saved.%s", suffix);
  const char* path = scratch_path(name);
  error.text[0] = 0;
  if (cr_mujoco_save(m, source, NULL, path, &error) != CR_OK) {
    fail_msg("%s: %s", file, error.text);
  }
  cr_model* back = open_saved(path);
  check_same(m, back);
  cr_model_destroy(back);
  cr_model_destroy(m);
}

static const char* const files[] = {"actuators.xml", "ball.xml",        "driven_arm.xml",
                                    "equality.xml",  "implicit.xml",    "sensors.xml",
                                    "sticky.xml",    "tendon_rows.xml", "toss_mesh.xml",
                                    "walker.xml",    "quadruped.urdf"};

TEST(every_parameter_comes_back_from_xml) {
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    check_file(files[i], "xml");
  }
}

TEST(every_parameter_comes_back_from_a_binary_file) {
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    check_file(files[i], "mjb");
  }
}

// ---- what cannot come back, and mistakes

static const char text_of_ball[] =
    "<mujoco><compiler inertiafromgeom='true' boundmass='.01'/><option "
    "timestep='0.004'/><worldbody>"
    "<body name='bob' pos='0 0 1'><joint name='loose' type='ball' damping='.1'/>"
    "<geom name='bob' type='capsule' fromto='0 0 0 .3 0 -.4' "
    "size='.05'/></body></worldbody></mujoco>";

static cr_model* open_text(const char** path, const char* text) {
  cr_model* m = NULL;
  *path = scratch_write("source.xml", text);
  assert_int_equal(cr_model_open(&m, *path, &error), CR_OK);
  return m;
}

static void set(cr_model* m, const char* name, cr_real value) {
  assert_int_equal(cr_model_set(m, name, &value, 1, &error), CR_OK);
}

static void refused(const cr_model* m, const char* source, const char* path, const char* words) {
  error.text[0] = 0;
  assert_int_not_equal(cr_mujoco_save(m, source, NULL, path, &error), CR_OK);
  if (strstr(error.text, words) == NULL) {
    fail_msg("'%s' is not in: %s", words, error.text);
  }
}

TEST(a_damping_for_each_axis_is_refused_in_xml_alone) {
  const char* source;
  cr_model* m = open_text(&source, text_of_ball);
  set(m, "dof_damping[loose][1]", 0.2);
  refused(m, source, "out.xml", "damping");
  assert_false(scratch_has("out.xml"));
  assert_int_equal(cr_mujoco_save(m, source, NULL, "out.mjb", &error), CR_OK);
  cr_model* back = open_saved("out.mjb");
  check_same(m, back);
  cr_model_destroy(back);
  cr_model_destroy(m);
}

TEST(masses_that_geoms_would_give_and_options_come_back) {
  const char* source;
  cr_model* m = open_text(&source, text_of_ball);
  set(m, "body_mass[bob]", 0.005);
  set(m, "gravity.z", -9.7);
  assert_int_equal(cr_model_set_option(m, "timestep", 0.003, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(m, "integrator", "implicit", &error), CR_OK);
  assert_int_equal(cr_model_derive(m, &error), CR_OK);
  assert_int_equal(cr_mujoco_save(m, source, NULL, "out.xml", &error), CR_OK);
  cr_model* back = open_saved("out.xml");
  check_same(m, back);
  assert_true(cr_model_timestep(back) == (cr_real)0.003);
  assert_string_equal(cr_model_get_choice(back, "integrator"), "implicit");
  cr_model_destroy(back);
  cr_model_destroy(m);
}

TEST(heights_in_single_precision_are_refused) {
  const char* source;
  cr_model* m = open_text(
      &source,
      "<mujoco><asset><hfield name='hill' nrow='2' ncol='2' size='1 1 1 .1' elevation='0 1 1 .5'/>"
      "</asset><worldbody><geom type='hfield' hfield='hill'/><body><joint name='j'/>"
      "<geom size='.1'/></body></worldbody></mujoco>");
  set(m, "hfield_data[3]", 0.7000001);
  refused(m, source, "hill.xml", "hfield_data[3]");
  refused(m, source, "hill.mjb", "a Carom model file holds it");
  assert_false(scratch_has("hill.xml") || scratch_has("hill.mjb"));
  cr_model_destroy(m);
}

TEST(meshes_are_found_from_the_new_place) {
  assert_int_equal(cri_folder_make("robot", &error), CR_OK);
  assert_int_equal(cri_folder_make("found", &error), CR_OK);
  static const char mesh[] =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  static const char model[] =
      "<mujoco><asset><mesh file='wedge.obj'/></asset><worldbody><body name='wedge'><freejoint/>"
      "<geom type='mesh' mesh='wedge'/></body></worldbody></mujoco>";
  assert_int_equal(cri_file_write("robot/wedge.obj", mesh, strlen(mesh), &error), CR_OK);
  assert_int_equal(cri_file_write("robot/m.xml", model, strlen(model), &error), CR_OK);
  cr_model *m = NULL, *back = NULL;
  assert_int_equal(cr_model_open(&m, "robot/m.xml", &error), CR_OK);
  set(m, "body_mass[wedge]", 3);
  assert_int_equal(cr_model_derive(m, &error), CR_OK);
  assert_int_equal(cr_mujoco_save(m, "robot/m.xml", NULL, "found/m.xml", &error), CR_OK);
  assert_int_equal(cr_model_open(&back, "found/m.xml", &error), CR_OK);
  check_same(m, back);
  cr_model_destroy(back);
  cr_model_destroy(m);
  (void)remove("robot/wedge.obj");
  (void)remove("robot/m.xml");
  (void)remove("found/m.xml");
  assert_int_equal(rmdir("robot") + rmdir("found"), 0);
}

TEST(mistakes_are_named) {
  const char* source;
  cr_model* m = open_text(&source, text_of_ball);
  refused(m, source, "bad.txt", "bad.txt: ends neither in .xml nor in .mjb");
  refused(m, "none.xml", "bad.xml", "none.xml");
  refused(m, source, "nowhere/bad.mjb", "nowhere/bad.mjb");
  const char* other = scratch_write("other.xml",
                                    "<mujoco><worldbody><body><joint/><geom size='.1'/></body>"
                                    "</worldbody></mujoco>");
  refused(m, other, "bad.xml", "other.xml: not the file of this model");
  assert_int_equal(cr_model_save(m, "own.crm", &error), CR_OK);
  refused(m, "own.crm", "bad.xml", "own.crm: a Carom model file");
  assert_false(scratch_has("bad.xml"));
  cr_model_destroy(m);
}
