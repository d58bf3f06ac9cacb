// SPDX-License-Identifier: Apache-2.0
// Models and data by name, as a user of the library sees them.
#include <stdio.h>
#include <stdlib.h>

#include "carom/carom.h"
#include "model/file.h"
#include "model/model.h"
#include "scenes/random_model.h"
#include "support/test.h"

static cr_model* model;
static cr_error error;

static void setup(void) {
  model = malloc(sizeof *model);
  assert_true(random_model(model, 2, &error) == CR_OK);
}

static void teardown(void) {
  cr_model_destroy(model);
  cr_model_destroy(NULL);
}

AROUND_FILE(setup, teardown)

TEST(counts) {
  assert_int_equal(cr_model_count(model, "nq"), model->nq);
  assert_int_equal(cr_model_count(model, "nbody"), model->nbody);
  assert_int_equal(cr_model_count(model, "nkey"), 1);
  assert_int_equal(cr_model_count(model, "timestep"), -1);
  assert_int_equal(cr_model_count(model, ""), -1);
}

TEST(numbers_of_a_model) {
  cr_real mass, gravity[3], pos[3], kept;
  assert_int_equal(cr_model_get(model, "body_mass[1]", &mass, 1, &error), CR_OK);
  assert_true(mass == model->body_mass[1]);
  assert_int_equal(cr_model_get(model, "gravity", gravity, 3, &error), CR_OK);
  assert_true(gravity[2] == model->gravity[2]);
  assert_int_equal(cr_model_get(model, "body_pos[1]", pos, 3, &error), CR_OK);
  assert_true(pos[1] == model->body_pos[4]);
  kept = mass;
  mass = CR_R(2.5);
  assert_int_equal(cr_model_set(model, "body_mass[1]", &mass, 1, &error), CR_OK);
  assert_true(model->body_mass[1] == CR_R(2.5));
  assert_int_equal(cr_model_set(model, "body_mass[1]", &kept, 1, &error), CR_OK);
}

static void refused_get(const char* name, int n, cr_status status, const char* because) {
  cr_real values[64] = {0};
  error = (cr_error){0};
  assert_int_equal(cr_model_get(model, name, values, n, &error), status);
  assert_non_null(strstr(error.text, because));
  assert_int_equal(cr_model_set(model, name, values, n, &error), status);
  assert_non_null(strstr(error.text, because));
}

TEST(mistakes) {
  refused_get("qpos", model->nq, CR_ERR_NAME, "not of the model");
  refused_get("body_mass[1]", 2, CR_ERR_ARG, "has 1 numbers, not 2");
  refused_get("gravity", 1, CR_ERR_ARG, "has 3 numbers, not 1");
  refused_get("body_parentid[1]", 1, CR_ERR_NAME, "no numbers");
  refused_get("nothing", 1, CR_ERR_NAME, "no field 'nothing'");
  refused_get("tangent[0]", 1, CR_ERR_NAME, "not of the model");
  refused_get("contact[0:1].dist", 1, CR_ERR_NAME, "not of the model");
}

// what the check refuses is taken back
TEST(bad_numbers_are_taken_back) {
  cr_real mass = -1, before = model->body_mass[1], pos[3] = {1, (cr_real)NAN, 3}, kept[3];
  assert_int_equal(cr_model_set(model, "body_mass[1]", &mass, 1, &error), CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "body_mass is negative"));
  assert_true(model->body_mass[1] == before);
  cr_copy(kept, model->body_pos + 3, 3);
  assert_int_equal(cr_model_set(model, "body_pos[1]", pos, 3, &error), CR_ERR_MODEL);
  assert_memory_equal(kept, model->body_pos + 3, sizeof kept);
  cr_real quat[4] = {1, 1, 0, 0};
  assert_int_equal(cr_model_set(model, "body_quat[1]", quat, 4, &error), CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "unit length"));
}

TEST(copies) {
  cr_model* copy = NULL;
  cr_real mass, changed = 7;
  assert_int_equal(cr_model_copy(&copy, model, &error), CR_OK);
  assert_int_equal(cr_model_set(copy, "body_mass[1]", &changed, 1, &error), CR_OK);
  assert_int_equal(cr_model_set_option(copy, "timestep", CR_R(0.03), &error), CR_OK);
  assert_int_equal(cr_model_get(model, "body_mass[1]", &mass, 1, &error), CR_OK);
  assert_true(mass != changed && cr_model_timestep(model) != CR_R(0.03));
  cr_model_destroy(copy);
}

TEST(saving) {
  char path[] = "/tmp/carom_test_access_XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  cr_model back;
  assert_int_equal(cr_model_save(model, path, &error), CR_OK);
  assert_int_equal(cri_model_read(&back, path, &error), CR_OK);
  assert_int_equal(back.nv, model->nv);
  cri_model_free(&back);
  (void)remove(path);
}

// ---- data

TEST(views) {
  cr_data *d = NULL, *tan = NULL, *bar = NULL;
  int rows = -1, width = -1;
  assert_int_equal(cr_data_create(&d, model, &error), CR_OK);
  assert_ptr_equal(cr_data_view(model, d, "qpos", &rows, &width), d->qpos);
  assert_int_equal(rows, model->nq);
  assert_int_equal(width, 1);
  assert_ptr_equal(cr_data_view(model, d, "xpos", &rows, &width), d->xpos);
  assert_int_equal(rows, model->nbody);
  assert_int_equal(width, 3);
  d->ncon = 2;
  assert_ptr_equal(cr_data_view(model, d, "contact_dist", &rows, &width), d->contact_dist);
  assert_int_equal(rows, 2);
  d->ncon = 0;
  // fields of the model, operators, internal fields and no fields
  static const char* const none[] = {"body_mass", "efc_J", "kin_xmat", "contact_geom", "colour"};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    assert_null(cr_data_view(model, d, none[i], &rows, &width));
  }
  assert_int_equal(cr_data_create_tangent(&tan, model, d, &error), CR_OK);
  assert_int_equal(cr_data_create_cotangent(&bar, model, d, &error), CR_OK);
  assert_ptr_equal(cr_data_view(model, bar, "qpos", &rows, &width), bar->qpos);
  assert_int_equal(rows, model->nv);
  assert_ptr_equal(cr_data_view(model, bar, "body_mass", &rows, &width), bar->par.body_mass);
  assert_int_equal(rows, model->nbody);
  assert_ptr_equal(cr_data_view(model, tan, "body_quat", &rows, &width), tan->par.body_quat);
  assert_int_equal(width, 3);
  assert_null(cr_data_view(model, tan, "xquat", &rows, &width));
  cr_data_destroy(tan);
  cr_data_destroy(bar);
  cr_data_destroy(d);
  cr_data_destroy(NULL);
}

TEST(reset_and_errors) {
  cr_data* d = NULL;
  assert_int_equal(cr_data_create(&d, model, &error), CR_OK);
  d->qvel[0] = 3;
  d->time = 4;
  assert_true(cr_data_time(d) == 4);
  cr_data_reset(model, d);
  assert_true(d->qvel[0] == 0 && cr_data_time(d) == 0 && d->qpos[0] == model->qpos0[0]);
  assert_string_equal(cr_data_error(d), "");
  d->qpos[0] = (cr_real)NAN;
  assert_int_equal(cr_step(model, d), CR_ERR_DIVERGED);
  assert_non_null(strstr(cr_data_error(d), "qpos[0]"));
  cr_data_destroy(d);
}
