// SPDX-License-Identifier: Apache-2.0
// Where the step has no derivative over a parameter: every kind of answer, and that a plain number has none.
#include "rollout/parameter_bends.h"

#include "model/model.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/test.h"

static const int32_t joints[] = {CR_JNT_BALL, CR_JNT_HINGE};

TEST(zero_bends_where_the_table_says_so) {
  cr_model m;
  assert_int_equal(chain_model(&m, 2, joints, 1, NULL), CR_OK);
  m.dof_frictionloss[0] = 0;
  m.dof_frictionloss[1] = 1;
  m.dof_invweight0[2] = 0;
  m.dof_armature[0] = 0;
  m.integrator = CR_INT_RK4;
  assert_int_equal(cri_bend_at(&m, CR_FIELD_dof_frictionloss, 0), CRI_BEND_SIDES);
  assert_int_equal(cri_bend_at(&m, CR_FIELD_dof_frictionloss, 1), CRI_BEND_NONE);
  assert_int_equal(cri_bend_at(&m, CR_FIELD_dof_invweight0, 2), CRI_BEND_FLOOR);
  assert_int_equal(cri_bend_at(&m, CR_FIELD_dof_armature, 0), CRI_BEND_NONE);
  assert_int_equal(cri_bend_at(&m, CR_FIELD_jnt_stiffness, 0), CRI_BEND_NONE);
  assert_int_equal(cri_bend_at(&m, CR_FIELD_qpos, 0), CRI_BEND_NONE);
  cri_model_free(&m);
}

// a ball joint's rest is a quaternion, a hinge's an angle
TEST(rest_quaternions_are_switches) {
  cr_model m;
  assert_int_equal(chain_model(&m, 2, joints, 0, NULL), CR_OK);
  for (int k = 0; k < 5; k++) {
    cri_bend bend = k < 4 ? CRI_BEND_SWITCH : CRI_BEND_NONE;
    assert_int_equal(cri_bend_at(&m, CR_FIELD_qpos_spring, k), bend);
  }
  cri_model_free(&m);
}

// implicit damping comes in with the first number; discrete adds springs
TEST(laws_of_the_integrator_bend_at_zero) {
  cr_model m;
  assert_int_equal(chain_model(&m, 2, joints, 0, NULL), CR_OK);
  for (int i = 0; i < m.nv; i++) {
    m.dof_damping[i] = 0;
  }
  m.jnt_stiffness[1] = 0;
  m.integrator = CR_INT_EULER;
  assert_int_equal(cri_bend_at(&m, CR_FIELD_dof_damping, 3), CRI_BEND_SIDES);
  m.dof_damping[0] = 1;
  assert_int_equal(cri_bend_at(&m, CR_FIELD_dof_damping, 3), CRI_BEND_NONE);
  m.integrator = CR_INT_DISCRETE;
  assert_int_equal(cri_bend_at(&m, CR_FIELD_dof_damping, 3), CRI_BEND_SIDES);
  assert_int_equal(cri_bend_at(&m, CR_FIELD_jnt_stiffness, 1), CRI_BEND_SIDES);
  cri_model_free(&m);
}

// every row of the table answers for every entry
TEST(all_parameters_answer) {
  int found[CRI_BEND_SWITCH + 1] = {0};
  for (uint64_t seed = 0; seed < 24; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
      const cr_field_id id = (cr_field_id)i;
      bool parameter = cri_field(id)->kind == CR_KIND_PARAM;
      int n = parameter ? cri_field_tangent_size(&m, d, id) : 1;
      for (int k = 0; k < n; k++) {
        cri_bend bend = cri_bend_at(&m, id, k);
        found[bend]++;
        assert_true(parameter || bend == CRI_BEND_NONE);
      }
    }
    test_release();
    cri_model_free(&m);
  }
  assert_true(found[CRI_BEND_NONE] > 1000 && found[CRI_BEND_SIDES] > 0 &&
              found[CRI_BEND_SWITCH] > 0);
}
