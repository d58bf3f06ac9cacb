// SPDX-License-Identifier: Apache-2.0
// Data blocks: what is in them, twins, copies, scratch, pairs of operators, the capacity rule.
#include "model/data.h"

#include "engine/data_create.h"
#include "engine/pipeline.h"
#include "model/build.h"
#include "model/fields.h"
#include "scenes/random_model.h"
#include "support/test.h"

static cr_model model;
static cr_data* data;

// scratch is what the engine's stages need
static void setup(void) {
  assert_non_null(cri_schedule_of(&model));
  bool done =
      random_model(&model, 6, NULL) == CR_OK && cri_data_create(&data, &model, NULL, NULL) == CR_OK;
  assert_true(done);
}

static void teardown(void) {
  cri_data_free(data);
  cri_model_free(&model);
}

AROUND_FILE(setup, teardown)

TEST(new_data_is_the_reference_state) {
  cr_data* d = test_data(&model);
  assert_int_equal(d->role, CR_DATA_PLAIN);
  assert_memory_equal(d->qpos, model.qpos0, (size_t)model.nq * sizeof(cr_real));
  for (int i = 0; i < 3 * model.nmocap; i++) {
    assert_true(d->mocap_pos[i] == model.mocap_pos0[i]);
  }
  for (int i = 0; i < model.nv; i++) {
    assert_true(d->qvel[i] == 0 && d->qacc[i] == 0);
  }
  assert_true(d->ncon == 0 && d->nefc == 0 && d->scratch_used == 0);
  assert_int_equal((uintptr_t)d->qpos % 64, 0);
  assert_int_equal((uintptr_t)d->scratch % 64, 0);
}

TEST(capacities_can_be_given) {
  cr_capacity c = {.ncon = 3, .nefc = 11, .nJ = 50};
  cr_data* d;
  assert_int_equal(cri_data_create(&d, &model, &c, NULL), CR_OK);
  assert_int_equal(d->ncon_max, 3);
  assert_int_equal(d->nefc_max, 11);
  assert_int_equal(d->nJ_max, 50);
  cri_data_free(d);
}

TEST(reset_clears_the_inputs) {
  random_state(&model, data, 1, STATE_CONTACT);
  data->time = 4;
  cri_data_reset(&model, data);
  assert_memory_equal(data->qpos, model.qpos0, (size_t)model.nq * sizeof(cr_real));
  const cr_field_id zero[] = {CR_FIELD_qvel,         CR_FIELD_act,
                              CR_FIELD_ctrl,         CR_FIELD_qfrc_applied,
                              CR_FIELD_xfrc_applied, CR_FIELD_qacc_warmstart};
  for (int i = 0; i < 6; i++) {
    int n = cri_field_rows(&model, data, zero[i]) * cri_field_width(&model, zero[i]);
    for (int k = 0; k < n; k++) {
      assert_true(cri_field_real(&model, data, zero[i])[k] == 0);
    }
  }
  assert_true(data->time == 0);
}

// a twin has the fields that have a derivative, and no others
TEST(twins_hold_derivatives_only) {
  for (int role = CR_DATA_TANGENT; role <= CR_DATA_COTANGENT; role++) {
    cr_data* twin;
    assert_int_equal(cri_data_twin(&twin, &model, data, (cr_data_role)role, NULL, NULL), CR_OK);
    for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
      cr_field_id id = (cr_field_id)i;
      const cr_field* f = cri_field(id);
      if (f->kind == CR_KIND_INDEX) {
        assert_null(cri_field_index(&model, twin, id));
      } else if (f->kind == CR_KIND_SAVE || f->tangent == CR_TANGENT_NONE) {
        assert_null(cri_field_real(&model, twin, id));
      } else {
        assert_non_null(cri_field_real(&model, twin, id));
      }
    }
    assert_non_null(twin->par.body_mass);
    assert_int_equal(twin->M_pairs.left != NULL, role == CR_DATA_COTANGENT);
    assert_int_equal(twin->ncon_max, data->ncon_max);
    cri_data_free(twin);
  }
}

TEST(twins_have_the_parameters_asked_for) {
  cr_data* twin;
  assert_int_equal(cri_data_twin(&twin, &model, data, CR_DATA_COTANGENT, cri_no_params, NULL),
                   CR_OK);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    if (cri_field((cr_field_id)i)->kind == CR_KIND_PARAM) {
      assert_null(cri_field_real(&twin->par, NULL, (cr_field_id)i));
    }
  }
  cri_data_free(twin);
  bool wanted[CR_N_FIELD] = {false};
  wanted[CR_FIELD_gravity] = true;
  assert_int_equal(cri_data_twin(&twin, &model, data, CR_DATA_TANGENT, wanted, NULL), CR_OK);
  assert_non_null(twin->par.gravity);
  assert_null(twin->par.body_mass);
  cri_data_free(twin);
}

TEST(a_copy_has_everything) {
  cr_data* copy = test_data(&model);
  random_state(&model, data, 2, STATE_CONTACT);
  data->ncon = 1;
  data->nefc = 2;
  data->nJ = 3;
  data->nf = 1;
  data->nl = 1;
  data->time = 7;
  data->want_M = data->M_formed = true;
  cri_data_copy(&model, copy, data);
  assert_memory_equal(copy->memory, data->memory, data->memory_size);
  assert_true(copy->ncon == 1 && copy->nefc == 2 && copy->nJ == 3 && copy->nf == 1);
  assert_true(copy->nl == 1 && copy->time == 7 && copy->want_M && copy->M_formed);
  assert_ptr_not_equal(copy->qpos, data->qpos);
  data->ncon = data->nefc = data->nJ = data->nf = data->nl = 0;
  data->want_M = data->M_formed = false;
  data->time = 0;
}

TEST(scratch_is_a_stack) {
  size_t mark = cri_mark(data);
  cr_real* a = cri_push(data, 10);
  cr_real* b = cri_push(data, 5);
  assert_true(b >= a + 10);
  size_t inner = cri_mark(data);
  int32_t* c = cri_push_int(data, 3);
  assert_true((cr_real*)(void*)c >= b + 5);
  c[0] = c[1] = c[2] = 1;
  assert_true(data->scratch_used > inner);
  cri_pop(data, inner);
  assert_ptr_equal(cri_push(data, 1), c);
  cri_pop(data, mark);
  assert_int_equal(data->scratch_used, mark);
  assert_true(data->scratch_peak >= 16);
  assert_true(data->scratch_size >= data->scratch_peak);
}

TEST(pairs_are_added_as_zeros) {
  cr_data* bar;
  assert_int_equal(cri_data_twin(&bar, &model, data, CR_DATA_COTANGENT, cri_no_params, NULL),
                   CR_OK);
  assert_int_equal(bar->M_pairs.left_size, model.nv);
  assert_int_equal(bar->M_pairs.right_size, model.nv);
  assert_int_equal(bar->efc_J_pairs.left_size, data->nefc_max);
  assert_int_equal(bar->actuator_moment_pairs.left_size, model.nout);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(cri_pairs_add(&bar->M_pairs), k);
    for (int i = 0; i < model.nv; i++) {
      assert_true(cri_pair_left(&bar->M_pairs, k)[i] == 0);
      assert_true(cri_pair_right(&bar->M_pairs, k)[i] == 0);
      cri_pair_left(&bar->M_pairs, k)[i] = k + 1;
      cri_pair_right(&bar->M_pairs, k)[i] = -k - 1;
    }
  }
  // the first one still has its own numbers, and is zero again when it is reused
  assert_true(cri_pair_left(&bar->M_pairs, 0)[model.nv - 1] == 1);
  bar->M_pairs.n = 0;
  assert_int_equal(cri_pairs_add(&bar->M_pairs), 0);
  assert_true(cri_pair_left(&bar->M_pairs, 0)[0] == 0);
  cri_data_free(bar);
}

// ---- the capacity rule

// loose bodies with one geom each, on a plane
static void loose(cr_model* m, int n, const int32_t* types) {
  int32_t parents[8] = {0}, joints[8] = {0}, free_joints[8] = {0};
  *m = (cr_model){.ngeom = n + 1};
  for (int i = 1; i <= n; i++) {
    joints[i] = 1;
  }
  assert_int_equal(cri_model_sizes(m, n + 1, parents, joints, free_joints, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(m, NULL), CR_OK);
  cri_model_defaults(m);
  m->geom_type[0] = CR_GEOM_PLANE;
  for (int i = 1; i <= n; i++) {
    m->body_jntnum[i] = 1;
    m->body_mass[i] = 1;
    m->geom_bodyid[i] = i;
    m->geom_type[i] = types[i - 1];
    for (int k = 0; k < 3; k++) {
      m->body_inertia[3 * i + k] = 1;
      m->geom_size[3 * i + k] = 1;
    }
  }
  cr_error error = {0};
  if (cri_model_derive(m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

TEST(contacts_are_counted_by_type) {
  static const struct {
    int32_t types[2];
    int ncon;  // with the plane, twice, and with each other
  } cases[] = {
      {{CR_GEOM_SPHERE, CR_GEOM_SPHERE}, 1 + 1 + 1},   {{CR_GEOM_SPHERE, CR_GEOM_BOX}, 1 + 4 + 1},
      {{CR_GEOM_BOX, CR_GEOM_BOX}, 4 + 4 + 8},         {{CR_GEOM_CAPSULE, CR_GEOM_BOX}, 2 + 4 + 2},
      {{CR_GEOM_CAPSULE, CR_GEOM_CAPSULE}, 2 + 2 + 2},
  };
  for (int i = 0; i < 5; i++) {
    cr_model m;
    loose(&m, 2, cases[i].types);
    m.cone = CR_CONE_PYRAMIDAL;
    cr_capacity c = cri_capacity_default(&m);
    assert_int_equal(c.ncon, cases[i].ncon);
    assert_int_equal(c.nefc, m.nv + 2 * m.njnt + 4 * c.ncon);
    assert_int_equal(c.nJ, c.nefc * 12);
    m.cone = CR_CONE_ELLIPTIC;
    assert_int_equal(cri_capacity_default(&m).nefc, m.nv + 2 * m.njnt + 3 * c.ncon);
    cri_model_free(&m);
  }
}

TEST(geoms_that_never_meet_count_nothing) {
  cr_model m;
  loose(&m, 1, (const int32_t[]){CR_GEOM_SPHERE});
  m.geom_contype[0] = 1;
  m.geom_conaffinity[0] = 1;
  m.geom_contype[1] = 2;
  m.geom_conaffinity[1] = 2;
  assert_int_equal(cri_capacity_default(&m).ncon, 0);
  m.geom_conaffinity[1] = 1;
  assert_int_equal(cri_capacity_default(&m).ncon, 1);
  cri_model_free(&m);
}
