// SPDX-License-Identifier: Apache-2.0
// The two field tables, row by row: names, shapes, tangents, places in the structs.
#include "model/fields.h"

#include "engine/data_create.h"
#include "scenes/random_model.h"
#include "support/test.h"

static cr_model model;
static cr_data* data;

static void setup(void) {
  bool done =
      random_model(&model, 2, NULL) == CR_OK && cri_data_create(&data, &model, NULL, NULL) == CR_OK;
  assert_true(done);
}

static void teardown(void) {
  cri_data_free(data);
  cri_model_free(&model);
}

AROUND_FILE(setup, teardown)

static bool is_real(cr_field_id id) {
  cr_field_kind kind = cri_field(id)->kind;
  return kind != CR_KIND_INT && kind != CR_KIND_CHAR && kind != CR_KIND_INDEX;
}

TEST(every_name_finds_its_row) {
  for (int i = 0; i < CR_N_FIELD; i++) {
    assert_int_equal(cri_field_find(cri_field((cr_field_id)i)->name), i);
  }
}

TEST(unknown_names_are_not_found) {
  assert_int_equal(cri_field_find(""), CR_N_FIELD);
  assert_int_equal(cri_field_find("qpo"), CR_N_FIELD);
  assert_int_equal(cri_field_find("qpos "), CR_N_FIELD);
  assert_int_equal(cri_field_find("QPOS"), CR_N_FIELD);
}

TEST(every_row_is_documented) {
  for (int i = 0; i < CR_N_FIELD; i++) {
    const cr_field* f = cri_field((cr_field_id)i);
    assert_true(strlen(f->text) > 2);
    assert_true(strlen(f->unit) > 0 && strlen(f->frame) > 0 && strlen(f->rows) > 0);
    assert_true(f->text[strlen(f->text) - 1] != '.');
  }
}

TEST(model_fields_come_first) {
  for (int i = 0; i < CR_N_FIELD; i++) {
    cr_field_kind kind = cri_field((cr_field_id)i)->kind;
    assert_int_equal(cri_field_of_model((cr_field_id)i), kind <= CR_KIND_PARAM);
  }
}

TEST(rows_and_widths_resolve) {
  for (int i = 0; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    int rows = cri_field_rows(&model, data, id), capacity = cri_field_capacity(&model, data, id);
    assert_true(rows >= 0 && rows <= capacity);
    assert_true(cri_field_width(&model, id) >= 0);
    if (cri_field_of_model(id)) {
      assert_int_equal(cri_field_rows(&model, NULL, id), rows);
    }
  }
}

TEST(shapes_are_those_of_the_table) {
  assert_int_equal(cri_field_rows(&model, data, CR_FIELD_qpos), model.nq);
  assert_int_equal(cri_field_tangent_size(&model, data, CR_FIELD_qpos), model.nv);
  assert_int_equal(cri_field_rows(&model, data, CR_FIELD_xmat), model.nbody);
  assert_int_equal(cri_field_width(&model, CR_FIELD_xmat), 9);
  assert_int_equal(cri_field_tangent_size(&model, data, CR_FIELD_xmat), 9 * model.nbody);
  assert_int_equal(cri_field_width(&model, CR_FIELD_body_quat), 4);
  assert_int_equal(cri_field_tangent_size(&model, NULL, CR_FIELD_body_quat), 3 * model.nbody);
  assert_int_equal(cri_field_rows(&model, NULL, CR_FIELD_gravity), 1);
  assert_int_equal(cri_field_rows(&model, NULL, CR_FIELD_key_qpos), model.nkey);
  assert_int_equal(cri_field_width(&model, CR_FIELD_key_qpos), model.nq);
  assert_int_equal(cri_field_width(&model, CR_FIELD_key_qvel), model.nv);
  assert_int_equal(cri_field_width(&model, CR_FIELD_key_act), model.na);
  assert_int_equal(cri_field_width(&model, CR_FIELD_key_ctrl), model.nu);
  assert_int_equal(cri_field_width(&model, CR_FIELD_rk_qpos), model.nq);
  assert_int_equal(cri_field_tangent_size(&model, data, CR_FIELD_M), model.nC);
}

TEST(live_counts_are_not_capacities) {
  data->ncon = 2;
  data->nefc = 5;
  data->nJ = 17;
  assert_int_equal(cri_field_rows(&model, data, CR_FIELD_contact_pos), 2);
  assert_int_equal(cri_field_tangent_size(&model, data, CR_FIELD_contact_pos), 6);
  assert_int_equal(cri_field_capacity(&model, data, CR_FIELD_contact_pos), data->ncon_max);
  assert_int_equal(cri_field_rows(&model, data, CR_FIELD_efc_D), 5);
  assert_int_equal(cri_field_rows(&model, data, CR_FIELD_efc_J), 17);
  assert_int_equal(cri_field_capacity(&model, data, CR_FIELD_efc_J), data->nJ_max);
  data->ncon = data->nefc = data->nJ = 0;
}

TEST(tangents_fit_their_fields) {
  for (int i = 0; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    const cr_field* f = cri_field(id);
    int width = cri_field_width(&model, id), tangent = cri_field_tangent_width(&model, id);
    size_t length = strlen(f->name);
    bool quat = length > 4 && strcmp(f->name + length - 4, "quat") == 0;
    switch (f->tangent) {
      case CR_TANGENT_SAME:
        assert_int_equal(tangent, width);
        assert_false(quat);
        break;
      case CR_TANGENT_QUAT:
        assert_true(width == 4 && tangent == 3 && quat && f->kind == CR_KIND_PARAM);
        break;
      case CR_TANGENT_ROT:
      case CR_TANGENT_FRAME:
        assert_true(width == 9 && tangent == 9);
        break;
      case CR_TANGENT_QPOS:
        assert_string_equal(f->rows, "nq");
        break;
      default:
        assert_int_equal(tangent, 0);
        assert_int_equal(cri_field_tangent_size(&model, data, id), 0);
        break;
    }
    bool smooth = f->kind == CR_KIND_PARAM || f->kind == CR_KIND_STATE || f->kind == CR_KIND_REAL ||
                  f->kind == CR_KIND_OP;
    assert_true(smooth || f->tangent == CR_TANGENT_NONE);
  }
}

TEST(pointers_are_those_of_the_structs) {
  assert_ptr_equal(cri_field_real(&model, data, CR_FIELD_body_mass), model.body_mass);
  assert_ptr_equal(cri_field_real(&model, NULL, CR_FIELD_gravity), model.gravity);
  assert_ptr_equal(cri_field_real(&model, data, CR_FIELD_qpos), data->qpos);
  assert_ptr_equal(cri_field_real(&model, data, CR_FIELD_efc_J), data->efc_J);
  assert_ptr_equal(cri_field_real(&model, data, CR_FIELD_act_next), data->act_next);
  assert_ptr_equal(cri_field_index(&model, data, CR_FIELD_jnt_type), model.jnt_type);
  assert_ptr_equal(cri_field_index(&model, data, CR_FIELD_efc_id), data->efc_id);
  assert_int_equal(cri_field(CR_FIELD_M)->pairs, offsetof(cr_data, M_pairs));
  assert_int_equal(cri_field(CR_FIELD_efc_J)->pairs, offsetof(cr_data, efc_J_pairs));
}

TEST(no_two_fields_share_memory) {
  for (int i = 0; i < CR_N_FIELD; i++) {
    for (int j = 0; j < i; j++) {
      bool apart = cri_field_of_model((cr_field_id)i) != cri_field_of_model((cr_field_id)j);
      assert_true(apart || cri_field((cr_field_id)i)->offset != cri_field((cr_field_id)j)->offset);
    }
  }
  // every real array of the data, filled with its own number, keeps it
  for (int i = 0; i < 2 * CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)(i % CR_N_FIELD);
    if (cri_field_of_model(id) || !is_real(id)) {
      continue;
    }
    cr_real* x = cri_field_real(&model, data, id);
    int n = cri_field_capacity(&model, data, id) * cri_field_width(&model, id);
    for (int k = 0; k < n; k++) {
      if (i < CR_N_FIELD) {
        x[k] = (cr_real)id;
      } else {
        assert_true(x[k] == (cr_real)id);
      }
    }
  }
}
