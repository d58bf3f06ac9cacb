// SPDX-License-Identifier: Apache-2.0
// Opening a model whatever kind of file it is in; everything that is wrong with one is a sentence.
#include "io/open.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "carom/fields.h"
#include "carom/model.h"
#include "carom/rollout.h"
#include "model/file.h"
#include "scenes/io_mjcf.h"
#include "support/comma_locale.h"
#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

// every count and every field
static void assert_same_model(const cr_model* a, const cr_model* b) {
  for (int i = 0; i < cr_field_count(); i++) {
    cr_field_info field = {.size = sizeof field};
    assert_int_equal(cr_field_get(a, i, &field, &error), CR_OK);
    assert_int_equal(cr_model_count(a, field.rows), cr_model_count(b, field.rows));
    int rows = 0, width = 0;
    const cr_real* x = cr_model_numbers(a, field.name, &rows, &width);
    const cr_real* y = cr_model_numbers(b, field.name, NULL, NULL);
    for (int k = 0; x != NULL && k < rows * width; k++) {
      assert_true(x[k] == y[k] || (isnan(x[k]) && isnan(y[k])));
    }
    const int32_t* n = cr_model_integers(a, field.name, &rows, &width);
    if (n != NULL) {
      assert_memory_equal(n, cr_model_integers(b, field.name, NULL, NULL),
                          (size_t)(rows * width) * sizeof *n);
    }
  }
}

TEST(mjcf_and_back_from_a_file) {
  static const char* const names[] = {"cube.xml", "double_pendulum.xml", "walker.xml"};
  for (int i = 0; i < 3; i++) {
    cr_model *m = NULL, *back = NULL;
    const char* path = scratch_path("model.crm");
    if (cr_model_open(&m, mjcf_path(names[i]), &error) != CR_OK) {
      fail_msg("%s", error.text);
    }
    assert_int_equal(cr_model_save(m, path, &error), CR_OK);
    if (cr_model_open(&back, path, &error) != CR_OK) {
      fail_msg("%s", error.text);
    }
    assert_same_model(m, back);
    assert_string_equal(cr_model_get_choice(back, "integrator"),
                        cr_model_get_choice(m, "integrator"));
    assert_true(back->timestep == m->timestep);
    cr_model_destroy(m);
    cr_model_destroy(back);
  }
}

static void refused(const char* path, cr_status status, const char* because) {
  cr_model* m = NULL;
  error = (cr_error){0};
  assert_int_equal(cr_model_open(&m, path, &error), status);
  assert_null(m);
  if (strstr(error.text, because) == NULL || strstr(error.text, path) == NULL) {
    fail_msg("'%s' does not say '%s' and '%s'", error.text, path, because);
  }
}

TEST(mistakes) {
  refused(scratch_path("none.xml"), CR_ERR_FILE, "cannot be opened");
  refused(scratch_write("cut.xml", "<mujoco><worldbody>"), CR_ERR_MODEL, "XML");
  refused(scratch_write("sleep.xml",
                        "<mujoco><option><flag sleep='enable'/></option><worldbody><body>"
                        "<freejoint/><geom size='.1'/></body></worldbody></mujoco>"),
          CR_ERR_UNSUPPORTED, "flag 'sleep' (enabled): not supported yet");
  refused(scratch_write("many.xml",
                        "<mujoco><option><flag sleep='enable' speculative='enable'/></option>"
                        "<worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"
                        "</mujoco>"),
          CR_ERR_UNSUPPORTED, "(and more)");
  refused(scratch_write("magic.crm", "CAROMMDL and then nothing of it"), CR_ERR_FORMAT,
          "damaged or truncated");
}

// the check has the last word, also on Carom's own files
TEST(a_file_with_a_bad_number) {
  mjModel* mj = mjcf_data("cube.xml");
  cr_model m = mjcf_model(mj);
  const char* path = scratch_path("bad.crm");
  m.body_mass[1] = -1;
  assert_int_equal(cri_model_save(&m, path, &error), CR_OK);
  refused(path, CR_ERR_MODEL, "body 'cube': body_mass is negative (-1)");
  cri_model_free(&m);
  mj_deleteModel(mj);
}

TEST(the_report) {
  cr_model m;
  cr_load_report report = {0};
  const char* path = scratch_write(
      "noslip.xml",
      "<mujoco><option noslip_iterations='2'/><worldbody><camera name='c'/><body><freejoint/>"
      "<geom size='.1'/></body></worldbody></mujoco>");
  assert_int_equal(cri_model_open(&m, path, &report, &error), CR_OK);
  assert_int_equal(report.warnings.n, 1);
  assert_int_equal(report.ignored.n, 1);
  cri_model_free(&m);
  cri_load_report_free(&report);
  path =
      scratch_write("two.xml",
                    "<mujoco><option><flag sleep='enable' speculative='enable'/></option>"
                    "<worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  assert_int_equal(cri_model_open(&m, path, &report, &error), CR_ERR_UNSUPPORTED);
  assert_int_equal(report.unsupported.n, 2);
  cri_load_report_free(&report);
}

// ---- a host program with a decimal comma, in two threads

typedef struct {
  const char *mjcf, *urdf;
  bool ok;
} reading;

static bool reads(const reading* r, cr_error* e) {
  cr_model *m = NULL, *u = NULL;
  cr_expression* x = NULL;
  double gravity[3] = {0}, mass = 0;
  bool ok = cr_model_open(&m, r->mjcf, e) == CR_OK && cr_model_open(&u, r->urdf, e) == CR_OK &&
            cr_model_get(m, "gravity", gravity, 3, e) == CR_OK && gravity[2] == -9.81 &&
            cr_model_timestep(m) == 0.0025 &&
            cr_model_get(u, "body_mass[1]", &mass, 1, e) == CR_OK && mass == 2.5 &&
            cr_expression_create(&x, m, "0.5*qpos[0]", e) == CR_OK;
  cr_expression_destroy(x);
  cr_model_destroy(m);
  cr_model_destroy(u);
  return ok;
}

static void* read_often(void* context) {
  reading* r = context;
  cr_error e = {0};
  for (int k = 0; k < 10 && r->ok; k++) {
    r->ok = reads(r, &e);
  }
  return NULL;
}

TEST(numbers_under_a_decimal_comma) {
  char mjcf[512], urdf[512];
  (void)snprintf(mjcf, sizeof mjcf, "%s",
                 scratch_write("comma.xml",
                               "<mujoco><option timestep='0.0025' gravity='0 0 -9.81'/><worldbody>"
                               "<body><joint type='slide'/><geom size='.1'/></body></worldbody>"
                               "</mujoco>"));
  (void)snprintf(urdf, sizeof urdf, "%s",
                 scratch_write("comma.urdf",
                               "<robot name='r'><link name='base'/><link name='bar'><inertial>"
                               "<origin xyz='0.1 0.00000 0.25'/><mass value='2.5'/><inertia "
                               "ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial>"
                               "</link><joint name='j' type='continuous'><parent link='base'/>"
                               "<child link='bar'/><axis xyz='0 1 0'/></joint></robot>"));
  reading r[2] = {{mjcf, urdf, true}, {mjcf, urdf, true}};
  pthread_t other;
  comma_locale_begin();
  assert_int_equal(pthread_create(&other, NULL, read_often, &r[1]), 0);
  bool here = reads(&r[0], &error);
  assert_int_equal(pthread_join(other, NULL), 0);
  comma_locale_end();
  if (!here) {
    fail_msg("%s", error.text);
  }
  assert_true(r[1].ok);
}

TEST(no_log_file) { assert_false(scratch_has("MUJOCO_LOG.TXT")); }
