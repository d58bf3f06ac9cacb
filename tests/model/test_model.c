// SPDX-License-Identifier: Apache-2.0
// Memory of models: blocks, deep and shallow copies, parameter twins.
#include "model/model.h"

#include "model/fields.h"
#include "scenes/random_model.h"
#include "support/test.h"

static cr_model model;

static void setup(void) { assert_true(random_model(&model, 6, NULL) == CR_OK); }

static void teardown(void) { cri_model_free(&model); }

AROUND_FILE(setup, teardown)

static int numbers(cr_field_id id) {
  return cri_field_rows(&model, NULL, id) * cri_field_width(&model, id);
}

static bool is_parameter(cr_field_id id) { return cri_field(id)->kind == CR_KIND_PARAM; }

TEST(a_new_model_is_zero) {
  cr_model m = {.nbody = 3, .nv = 2, .nq = 2, .njnt = 2, .timestep = CR_R(0.5)};
  assert_int_equal(cri_model_allocate(&m, NULL), CR_OK);
  assert_int_equal(m.none, 1);
  assert_true(m.timestep == CR_R(0.5));
  for (int i = 0; i < 3 * m.nbody; i++) {
    assert_true(m.body_pos[i] == 0);
  }
  assert_int_equal((uintptr_t)m.body_pos % 64, 0);
  assert_int_equal((uintptr_t)m.jnt_type % 64, 0);
  cri_model_free(&m);
  assert_null(m.memory);
}

TEST(a_model_of_nothing_can_be_made) {
  cr_model m = {0};
  assert_int_equal(cri_model_allocate(&m, NULL), CR_OK);
  assert_non_null(m.gravity);
  cri_model_free(&m);
}

TEST(a_copy_is_equal_and_apart) {
  cr_model copy;
  assert_int_equal(cri_model_copy(&copy, &model, NULL), CR_OK);
  assert_ptr_not_equal(copy.memory, model.memory);
  assert_int_equal(copy.nv, model.nv);
  assert_true(copy.timestep == model.timestep);
  assert_memory_equal(copy.names, model.names, (size_t)model.nnames);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    size_t n = (size_t)numbers(id);
    if (cri_field(id)->kind == CR_KIND_INT && n > 0) {
      assert_ptr_not_equal(cri_field_index(&copy, NULL, id), cri_field_index(&model, NULL, id));
      assert_memory_equal(cri_field_index(&copy, NULL, id), cri_field_index(&model, NULL, id),
                          n * sizeof(int32_t));
    } else if (cri_field(id)->kind != CR_KIND_INT && cri_field(id)->kind != CR_KIND_CHAR && n > 0) {
      assert_ptr_not_equal(cri_field_real(&copy, NULL, id), cri_field_real(&model, NULL, id));
      assert_memory_equal(cri_field_real(&copy, NULL, id), cri_field_real(&model, NULL, id),
                          n * sizeof(cr_real));
    }
  }
  cr_real mass = model.body_mass[1];
  copy.body_mass[1] = 2 * mass;
  assert_true(model.body_mass[1] == mass);
  cri_model_free(&copy);
}

TEST(a_shallow_copy_owns_nothing) {
  cr_real masses[64] = {0};
  cr_model shallow = model;
  shallow.memory = NULL;
  shallow.body_mass = masses;
  cri_model_free(&shallow);
  assert_true(model.body_mass[1] > 0);
  assert_ptr_equal(shallow.body_pos, model.body_pos);
}

TEST(a_twin_has_what_was_asked_for) {
  bool wanted[CR_N_FIELD] = {false};
  wanted[CR_FIELD_body_mass] = wanted[CR_FIELD_geom_quat] = true;
  cr_model twin;
  assert_int_equal(cri_model_twin(&twin, &model, wanted, NULL), CR_OK);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_INT) {
      assert_null(cri_field_index(&twin, NULL, id));
    } else if (cri_field(id)->kind != CR_KIND_CHAR && !wanted[i]) {
      assert_null(cri_field_real(&twin, NULL, id));
    }
  }
  assert_null(twin.names);
  assert_non_null(twin.body_mass);
  for (int i = 0; i < 3 * model.ngeom; i++) {
    assert_true(twin.geom_quat[i] == 0);
  }
  cri_model_free(&twin);
}

// every array of a full twin takes `tangent` numbers a row, and no two overlap
TEST(a_full_twin_has_room_for_every_tangent) {
  cr_model twin;
  assert_int_equal(cri_model_twin(&twin, &model, NULL, NULL), CR_OK);
  for (int i = 0; i < 2 * CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)(i % CR_N_MODEL_FIELD);
    int n = is_parameter(id) ? cri_field_tangent_size(&model, NULL, id) : 0;
    cr_real* x = is_parameter(id) ? cri_field_real(&twin, NULL, id) : NULL;
    for (int k = 0; k < n; k++) {
      if (i < CR_N_MODEL_FIELD) {
        x[k] = (cr_real)(id + 1);
      } else {
        assert_true(x[k] == (cr_real)(id + 1));
      }
    }
  }
  cri_model_twin_zero(&twin, &model);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    int n = is_parameter(id) ? cri_field_tangent_size(&model, NULL, id) : 0;
    for (int k = 0; k < n; k++) {
      assert_true(cri_field_real(&twin, NULL, id)[k] == 0);
    }
  }
  cri_model_free(&twin);
}

TEST(zeroing_passes_over_missing_arrays) {
  bool wanted[CR_N_FIELD] = {false};
  cr_model twin;
  assert_int_equal(cri_model_twin(&twin, &model, wanted, NULL), CR_OK);
  cri_model_twin_zero(&twin, &model);
  assert_null(twin.body_mass);
  cri_model_free(&twin);
}

TEST(a_missing_tangent_reads_as_zeros) {
  const cr_real row[] = {1, 2, 3, 4, 5, 6};
  assert_ptr_equal(cri_par_tan(row, 1, 3), row + 3);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    int width = cri_field_tangent_width(&model, (cr_field_id)i);
    const cr_real* zeros = cri_par_tan(NULL, 7, width);
    for (int k = 0; k < width; k++) {
      assert_true(zeros[k] == 0);
    }
  }
}

TEST(names_are_found_by_offset) {
  cr_model m = model;
  char names[] = "\0world\0arm";
  int32_t adr[] = {1, 7, 0};
  m.names = names;
  assert_string_equal(cri_name(&m, adr, 0), "world");
  assert_string_equal(cri_name(&m, adr, 1), "arm");
  assert_string_equal(cri_name(&m, adr, 2), "");
  m.names = NULL;
  assert_string_equal(cri_name(&m, adr, 0), "");
}
