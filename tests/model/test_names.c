// SPDX-License-Identifier: Apache-2.0
// The name resolver on random models, whose objects are called body1, joint2, geom3, ...
#include <stdio.h>

#include "model/names.h"
#include "scenes/random_model.h"
#include "support/test.h"

static cr_model model;
static cr_data* data;

static void setup(void) {
  assert_int_equal(random_model(&model, 4, NULL), CR_OK);
  data = test_data(&model);
}

static void teardown(void) { cri_model_free(&model); }

AROUND_FILE(setup, teardown)

static cr_place found(const char* name) {
  cr_place place;
  cr_error error = {0};
  if (cri_place_find(&place, &model, name, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return place;
}

static void refused(const char* name, const char* because) {
  cr_place place;
  cr_error error = {0};
  assert_int_equal(cri_place_find(&place, &model, name, &error), CR_ERR_NAME);
  if (strstr(error.text, because) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, because);
  }
}

TEST(whole_fields) {
  cr_place qpos = found("qpos");
  assert_int_equal(qpos.first, 0);
  assert_int_equal(qpos.count, model.nq);
  assert_int_equal(qpos.tan_count, model.nv);
  cr_place gravity = found("gravity.z");
  assert_int_equal(gravity.first, 2);
  assert_int_equal(gravity.count, 1);
  assert_ptr_equal(cri_place_value(&gravity, &model, data), model.gravity + 2);
}

TEST(rows_and_components) {
  cr_place mass = found("body_mass[2]");
  assert_ptr_equal(cri_place_value(&mass, &model, data), model.body_mass + 2);
  cr_place y = found("xpos[1].y"), same = found("xpos[1][1]");
  assert_int_equal(y.first, 4);
  assert_int_equal(same.first, 4);
  cr_place quat = found("xquat[1].w");
  assert_int_equal(quat.first, 4);
  assert_int_equal(quat.tan_count, 0);
}

TEST(objects_by_name) {
  for (int j = 0; j < model.njnt; j++) {
    const char* joint = cri_name(&model, model.name_jntadr, j);
    char name[96];
    if (joint[0] == 0) {
      continue;
    }
    (void)snprintf(name, sizeof name, "qvel[%s]", joint);
    cr_place v = found(name);
    assert_int_equal(v.first, model.jnt_dofadr[j]);
    (void)snprintf(name, sizeof name, "qpos[%s]", joint);
    cr_place q = found(name);
    assert_int_equal(q.first, model.jnt_qposadr[j]);
    assert_int_equal(q.tan_first, model.jnt_dofadr[j]);
    assert_int_equal(q.tan_count, v.count);
  }
}

TEST(quaternion_coordinates_have_no_direction_of_their_own) {
  for (int j = 0; j < model.njnt; j++) {
    if (model.jnt_type[j] == CR_JNT_FREE) {
      char name[32];
      (void)snprintf(name, sizeof name, "qpos[%d]", model.jnt_qposadr[j] + 3);
      assert_int_equal(found(name).tan_count, 0);
      (void)snprintf(name, sizeof name, "qpos[%d]", model.jnt_qposadr[j] + 1);
      assert_int_equal(found(name).tan_first, model.jnt_dofadr[j] + 1);
    }
  }
  cr_place last = found("tangent[0]");
  assert_true(last.of_tangent);
  assert_null(cri_place_value(&last, &model, data));
}

TEST(contacts_by_depth) {
  cr_place first = found("contact[0:1].dist"), second = found("contact[0:1][1]");
  data->ncon = 3;
  for (int i = 0; i < 3; i++) {
    data->contact_geom[2 * i] = i == 2 ? 1 : 0;
    data->contact_geom[2 * i + 1] = i == 2 ? 0 : 1;
  }
  data->contact_dist[0] = CR_R(0.5);
  data->contact_dist[1] = -1;
  data->contact_dist[2] = CR_R(0.25);
  assert_ptr_equal(cri_place_value(&first, &model, data), data->contact_dist + 1);
  assert_ptr_equal(cri_place_value(&second, &model, data), data->contact_dist + 2);
  cr_place fourth = found("contact[0:1][3].pos");
  assert_null(cri_place_value(&fourth, &model, data));
  data->ncon = 0;
}

TEST(components_of_a_contact) {
  cr_place z = found("contact[0:1].pos.z");
  assert_int_equal(z.count, 1);
  data->ncon = 2;
  for (int i = 0; i < 2; i++) {
    data->contact_geom[2 * i] = 0;
    data->contact_geom[2 * i + 1] = 1;
    data->contact_dist[i] = -i;
  }
  assert_ptr_equal(cri_place_value(&z, &model, data), data->contact_pos + 3 + 2);
  cr_data* bar = NULL;
  assert_int_equal(cri_data_twin(&bar, &model, data, CR_DATA_COTANGENT, cri_no_params, NULL),
                   CR_OK);
  assert_ptr_equal(cri_place_tangent(&z, &model, data, bar), bar->contact_pos + 3 + 2);
  cri_data_free(bar);
  data->ncon = 0;
}

TEST(rest_quaternions_have_no_tangent) {
  assert_int_equal(found("qpos_spring").tan_count, 0);
  for (int j = 0; j < model.njnt; j++) {
    bool turns = model.jnt_type[j] == CR_JNT_FREE || model.jnt_type[j] == CR_JNT_BALL;
    char name[48];
    (void)snprintf(name, sizeof name, "qpos_spring[%d]", model.jnt_qposadr[j]);
    assert_int_equal(found(name).tan_count, model.jnt_type[j] == CR_JNT_BALL ? 0 : 1);
    const char* joint = cri_name(&model, model.name_jntadr, j);
    if (joint[0] != 0) {
      (void)snprintf(name, sizeof name, "qpos_spring[%s]", joint);
      assert_int_equal(found(name).tan_count, turns ? 0 : 1);
    }
  }
}

// a parameter's tangent lies in the twin's model, a field's in the twin itself
TEST(tangents_lie_in_the_twin) {
  cr_data *tan = NULL, *none = NULL;
  tan = test_twin(&model, data, CR_DATA_TANGENT);
  assert_int_equal(cri_data_twin(&none, &model, data, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  cr_place mass = found("body_mass[2]"), quat = found("body_quat[2]"), vel = found("qvel[1]");
  assert_ptr_equal(cri_place_tangent(&mass, &model, data, tan), tan->par.body_mass + 2);
  assert_null(cri_place_tangent(&mass, &model, data, none));
  assert_int_equal(quat.tan_count, 3);
  assert_ptr_equal(cri_place_tangent(&quat, &model, data, tan), tan->par.body_quat + 6);
  assert_ptr_equal(cri_place_tangent(&vel, &model, data, none), none->qvel + 1);
  cr_place direction = found("tangent[2]");
  assert_ptr_equal(cri_place_tangent(&direction, &model, data, tan), tan->qpos + 2);
  cri_data_free(none);
}

// an arm beside loose bodies and a mocap body, and its actuators, of which some have no activation
TEST(objects_without_rows) {
  cr_model m;
  cr_error error;
  int with = 0, without = 0;
  for (uint64_t seed = 2; seed < 40; seed += 4) {
    assert_int_equal(random_model(&m, seed, &error), CR_OK);
    for (int i = 0; i < m.nactuator; i++) {
      const char* motor = cri_name(&m, m.name_actuatoradr, i);
      char name[64];
      cr_place place;
      if (motor[0] == 0) {
        continue;
      }
      (void)snprintf(name, sizeof name, "act[%s]", motor);
      bool stateful = m.actuator_actnum[i] > 0;
      assert_int_equal(cri_place_find(&place, &m, name, &error), stateful ? CR_OK : CR_ERR_NAME);
      if (stateful) {
        assert_int_equal(place.first, m.actuator_actadr[i]);
      } else {
        assert_non_null(strstr(error.text, "has none"));
      }
      with += stateful;
      without += !stateful;
      (void)snprintf(name, sizeof name, "ctrl[%s]", motor);
      assert_int_equal(cri_place_find(&place, &m, name, &error), CR_OK);
      assert_int_equal(place.first, m.actuator_ctrladr[i]);
    }
    for (int b = 0; b < m.nbody; b++) {
      const char* body = cri_name(&m, m.name_bodyadr, b);
      char name[64];
      cr_place place;
      if (body[0] == 0) {
        continue;
      }
      (void)snprintf(name, sizeof name, "mocap_pos[%s].y", body);
      bool mocap = m.body_mocapid[b] >= 0;
      assert_int_equal(cri_place_find(&place, &m, name, &error), mocap ? CR_OK : CR_ERR_NAME);
      if (mocap) {
        assert_int_equal(place.first, 3 * m.body_mocapid[b] + 1);
      }
    }
    cri_model_free(&m);
  }
  assert_true(with > 0 && without > 0);
}

TEST(mistakes_are_named) {
  refused("qpo", "no field 'qpo'");
  refused("qpos[9999]", "row 9999");
  refused("body_mass[nobody]", "there is no 'nobody'");
  refused("xpos[1].w", "no component 'w'");
  refused("xpos[1", "not closed");
  refused("qpos]", "no field 'qpos]'");
  refused("efc_J", "no numbers that can be named");
  refused("contact[0].dist", "contact[geom:geom]");
  refused("contact[0:nothing].dist", "no geom 'nothing'");
  refused("contact[0:1].colour", "no 'colour'");
  refused("tangent[9999]", "tangent[j]");
  refused("tangent", "tangent[j]");
  refused("", "does not belong");
  refused("qpos[4294967296]", "row 1000000000");
  refused("qpos[99999999999999999999999]", "row 1000000000");
  refused("xpos[1].", "does not belong");
  refused("xpos[1][0].y", "one component too many");
  refused("gravity[0][1]", "one component too many");
  refused("xpos[1][]", "no component ''");
  refused("xpos[]", "there is no ''");
  refused("xpos.x", "one row");
  refused("xpos[1][0][0]", "does not belong");
  refused("contact[0:1].pos.w", "no component 'w'");
  refused("contact[0:1][x]", "is a number");
  refused("kin_xmat", "no numbers that can be named");
  refused("names", "no numbers that can be named");
  refused("efc_force[0]", "contacts are named");
  refused("qpos[joint0", "not closed");
}

// a sensor by its name, inside sensordata or alone; its numbers are components
TEST(sensors_by_name) {
  int tried = 0;
  for (int i = 0; i < model.nsensor; i++) {
    const char* name = cri_name(&model, model.name_sensoradr, i);
    char text[80];
    if (name[0] == 0) {
      continue;
    }
    cr_place alone = found(name);
    (void)snprintf(text, sizeof text, "sensordata[%s]", name);
    cr_place inside = found(text);
    assert_int_equal(alone.field, CR_FIELD_sensordata);
    assert_int_equal(alone.first, model.sensor_adr[i]);
    assert_int_equal(alone.count, model.sensor_dim[i]);
    assert_int_equal(alone.tan_first, inside.tan_first);
    assert_int_equal(inside.count, alone.count);
    if (model.sensor_dim[i] == 3) {
      (void)snprintf(text, sizeof text, "%s.z", name);
      assert_int_equal(found(text).first, model.sensor_adr[i] + 2);
      (void)snprintf(text, sizeof text, "sensordata[%s][1]", name);
      assert_int_equal(found(text).first, model.sensor_adr[i] + 1);
      assert_int_equal(found(text).count, 1);
      (void)snprintf(text, sizeof text, "%s[3]", name);
      refused(text, "component 3 of 3");
      tried++;
    }
    model.sensor_skip[i] = 1;
    refused(name, "is not computed");
    model.sensor_skip[i] = 0;
  }
  assert_true(tried > 2);
  refused("sensordata[nothing]", "there is no 'nothing'");
}

// every row of the object table: its word, its count, its mjtObj, the end of what there is
TEST(kinds_of_objects_are_known_by_count_word_and_type) {
  for (int k = 0; k < CRI_N_OBJECT; k++) {
    const cri_object_kind kind = (cri_object_kind)k;
    const cri_object_info* info = cri_object_info_of(kind);
    int n = cri_object_count(&model, kind);
    assert_int_equal(cri_object_of_rows(info->rows), kind);
    assert_int_equal(cri_object_of_word(info->kind), kind);
    assert_int_equal(cri_object_of_type(info->type), kind);
    assert_true(n == 0 || (cri_object_is(&model, kind, 0) && cri_object_is(&model, kind, n - 1)));
    assert_false(cri_object_is(&model, kind, n) || cri_object_is(&model, kind, -1));
    assert_true((cri_object_name(&model, kind, 0) == NULL) ==
                (n == 0 || info->names == CRI_UNNAMED));
  }
  assert_int_equal(cri_object_of_type(CR_OBJ_XBODY), CRI_OBJECT_body);
  assert_int_equal(cri_object_of_type(CR_OBJ_UNKNOWN), CRI_N_OBJECT);
  assert_int_equal(cri_object_of_word("no such kind"), CRI_N_OBJECT);
  assert_int_equal(cri_object_of_rows("nnames"), CRI_N_OBJECT);
  assert_false(cri_object_is(&model, CRI_N_OBJECT, 0));
  assert_null(cri_object_info_of(CRI_N_OBJECT));
}

TEST(labels_have_a_name_or_a_number) {
  assert_string_equal(cri_label(&model, CRI_OBJECT_body, 1).text, "body 'body1'");
  assert_string_equal(cri_label(&model, CRI_OBJECT_dof, 1).text, "dof 1");
  assert_string_equal(cri_label(NULL, CRI_OBJECT_equality, 2).text, "equality constraint 2");
}
