// SPDX-License-Identifier: Apache-2.0
// Checks of a model: every fault is found and named, one after the other. A valid model
// passes.
#include <stdio.h>

#include "math/quat.h"
#include "model/fields.h"
#include "model/model_check.h"
#include "scenes/random_model.h"
#include "support/test.h"

static cr_model model;  // an arm beside loose bodies: all kinds of things

static void setup(void) { assert_true(random_model(&model, 2, NULL) == CR_OK); }

static void teardown(void) { cri_model_free(&model); }

AROUND_FILE(setup, teardown)

TEST(whole_models_pass) {
  for (uint64_t seed = 0; seed < 40; seed++) {
    cr_model m;
    cr_error error = {0};
    assert_int_equal(random_model(&m, seed, &error), CR_OK);
    if (cri_model_check(&m, &error) != CR_OK) {
      fail_msg("model %d: %s", (int)seed, error.text);
    }
    cri_model_free(&m);
  }
}

static void refused(const cr_model* m, const char* because) {
  cr_error error = {0};
  assert_int_equal(cri_model_check(m, &error), CR_ERR_MODEL);
  assert_int_equal(error.status, CR_ERR_MODEL);
  if (strstr(error.text, because) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, because);
  }
  // a check without interest in the sentence
  assert_int_equal(cri_model_check(m, NULL), CR_ERR_MODEL);
}

static void broken_int(int32_t* place, int32_t value, const char* because) {
  int32_t kept = *place;
  *place = value;
  refused(&model, because);
  *place = kept;
}

static void broken_real(cr_real* place, cr_real value, const char* because) {
  cr_real kept = *place;
  *place = value;
  refused(&model, because);
  *place = kept;
}

TEST(options) {
  broken_real(&model.timestep, 0, "timestep");
  broken_real(&model.timestep, -1, "timestep");
  broken_real(&model.timestep, (cr_real)NAN, "timestep");
  broken_real(&model.timestep, (cr_real)INFINITY, "timestep");
  broken_real(&model.impratio, 0, "impratio");
  broken_real(&model.impratio, (cr_real)NAN, "impratio");
  broken_int(&model.integrator, 99, "integrator");
  broken_int(&model.cone, -1, "cone");
  broken_int(&model.collision, -1, "collision");
  model.collision = CR_COLLISION_SOFT;
  broken_real(&model.softness, 0, "softness");
  broken_real(&model.softness, (cr_real)NAN, "softness");
  model.collision = CR_COLLISION_HARD;
  model.cfd = 1;
  cr_real reach = model.cfd_wc;
  model.cfd_wc = CR_R(0.02);
  assert_int_equal(cri_model_check(&model, NULL), CR_OK);
  broken_real(&model.cfd_wc, 0, "option cfd_wc: 0 is not positive");
  broken_real(&model.cfd_wc, (cr_real)NAN, "option cfd_wc");
  broken_real(&model.cfd_scale, -1, "option cfd_scale: -1 is not zero or more");
  broken_real(&model.cfd_scale, (cr_real)NAN, "option cfd_scale");
  model.cfd = 0;
  model.cfd_wc = reach;
  broken_int(&model.nbody, 0, "the world");
}

TEST(indices) {
  broken_int(model.body_parentid + 1, -1, "body_parentid is -1");
  broken_int(model.body_parentid + 1, 1,
             "body_parentid is 1, but a parent comes before its children");
  broken_int(model.body_rootid + 1, model.nbody, "body_rootid");
  broken_int(model.body_rootid + 1, 0, "body_rootid[1] is 0, but parents and joints make it 1");
  broken_int(model.body_weldid + 2, -3, "body_weldid");
  broken_int(model.body_weldid, 1, "body_weldid[0] is 1, but parents and joints make it 0");
  broken_int(model.body_mocapid + 1, model.nmocap, "body_mocapid");
  broken_int(model.geom_bodyid, model.nbody, "geom_bodyid");
  broken_int(model.site_bodyid, -1, "site_bodyid");
  broken_int(model.dof_parentid, model.nv, "dof_parentid");
  broken_int(model.M_colind, model.nv, "M_colind");
  broken_int(model.name_bodyadr + 1, model.nnames, "name_bodyadr");
  broken_int(model.name_keyadr, -1, "name_keyadr");
}

TEST(structure) {
  int body = 1;
  while (model.body_jntnum[body] == 0) {
    body++;
  }
  broken_int(model.body_jntnum + body, model.njnt + 1, "body_jntnum");
  broken_int(model.body_jntnum + body, -1, "body_jntnum");
  broken_int(model.body_dofnum + body, model.nv + 1, "body_dofnum");
  broken_int(model.body_geomnum, 1000, "body_geomnum");
  broken_int(model.body_geomadr, 1, "body_geomadr[0] is 1");
  broken_int(model.tree_dofnum, model.nv + 1, "tree_dofnum");
  broken_int(model.dof_parentid + 1, 1, "dof_parentid[1]");
  broken_int(model.dof_treeid, model.ntree, "dof_treeid");
  broken_int(model.tree_dofnum, model.tree_dofnum[0] - 1, "tree_dofnum[0]");
  broken_int(model.body_treeid + body, -1, "body_treeid");
  broken_int(model.M_rownnz + model.nv - 1, model.nC + 1, "M_rownnz");
  broken_int(model.M_rownnz + model.nv - 1, 0, "M_rownnz");
  broken_int(model.M_rowadr + 1, 0, "M_rowadr[1] is 0");
  broken_int(&model.nq, model.nq - 1, "");
  broken_int(model.jnt_qposadr + 1, 0, "jnt_qposadr[1] is 0");
}

TEST(choices) {
  broken_int(model.jnt_type, 4, "jnt_type is no choice");
  broken_int(model.jnt_type, -1, "jnt_type is no choice");
  broken_int(model.geom_type, CR_N_GEOM_TYPE, "geom_type is no choice");
  broken_int(model.geom_condim, 7, "geom_condim is no choice");
}

// paths of tendons, and the rows of their Jacobian
TEST(tendons) {
  int spatial = model.tendon_adr[model.ntendon - 1];
  spatial += model.wrap_type[spatial] == CR_WRAP_PULLEY;
  broken_int(model.tendon_num, 0, "tendon_num");
  broken_int(model.tendon_num + model.ntendon - 1, model.nwrap, "tendon_num");
  broken_int(model.ten_J_rownnz, model.nJten + 1, "ten_J_rownnz");
  broken_int(model.ten_J_colind, model.nv, "ten_J_colind");
  broken_int(model.ten_J_rownnz + model.ntendon - 1, 0, "leaves out a dof that moves its path");
  broken_int(model.wrap_type + spatial, CR_WRAP_SPHERE, "wrap_objid");
  broken_int(model.wrap_type + spatial, 7, "wrap_type");
  broken_int(model.wrap_objid + spatial, model.nsite, "wrap_objid");
  broken_int(model.wrap_objid + spatial, -1, "wrap_objid");
}

// no integer beyond its field's range passes
TEST(every_integer_has_a_range) {
  int tried = 0;
  for (int k = 0; k < CR_N_MODEL_FIELD; k++) {
    cr_field_id id = (cr_field_id)k;
    if (cri_field(id)->kind != CR_KIND_INT) {
      continue;
    }
    cr_field_range range = cri_field_range(&model, id);
    bool wide = (double)range.high > INT32_MAX || (double)range.low < INT32_MIN;  // bits, numbers
    int n = cri_field_rows(&model, NULL, id) * cri_field_width(&model, id);
    int32_t* x = cri_field_index(&model, NULL, id);
    for (int i = 0; i < n && !wide; i++) {
      broken_int(x + i, (int32_t)range.low - 1, cri_field(id)->name);
      if (range.high < CR_R(2147483647.0)) {
        broken_int(x + i, (int32_t)range.high + 1, cri_field(id)->name);
        broken_int(x + i, INT32_MAX, cri_field(id)->name);
      }
      tried++;
    }
  }
  assert_true(tried > 300);
}

// not every model has actuators: these do
TEST(actuators) {
  cr_model m, keep = model;
  int seen = 0, pids = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    if (m.nactuator == 0) {
      cri_model_free(&m);
      continue;
    }
    seen++;
    model = m;
    static const char* const none[] = {"is no joint", "is no joint", "is no site", "is no tendon",
                                       "is no site",  "is no body",  "is no site"};
    const int counts[] = {m.njnt, m.njnt, m.nsite, m.ntendon, m.nsite, m.nbody, m.nsite};
    // an orientation without a reference is a joint's
    bool joint = m.actuator_trntype[0] == CR_TRN_SO3 && m.actuator_trnid[1] < 0;
    int type = joint ? CR_TRN_JOINT : m.actuator_trntype[0];
    broken_int(m.actuator_trnid, counts[type], none[type]);
    broken_int(m.actuator_trnid, -1, none[type]);
    broken_int(m.actuator_trntype, 99, "actuator_trntype");
    broken_int(m.actuator_dyntype, 7, "actuator_dyntype");
    broken_int(m.actuator_gaintype, 6, "actuator_gaintype");
    broken_int(m.actuator_biastype, -1, "actuator_biastype");
    broken_int(m.actuator_ctrladr, m.nu, "actuator_ctrladr");
    broken_int(m.actuator_actadr, m.na, "actuator_actadr");
    broken_int(m.actuator_actnum, m.actuator_actnum[0] + 1, "actuator_actnum");
    broken_int(m.actuator_actnum, m.actuator_actnum[0] - 1, "actuator_actnum");

    // a PID controller without states has no integral, and no slew rate
    if (m.actuator_dyntype[0] == CR_DYN_NONE && m.actuator_gaintype[0] <= CR_GAIN_MUSCLE) {
      m.actuator_gaintype[0] = CR_GAIN_PID;
      m.actuator_biastype[0] = CR_BIAS_AFFINE;
      m.actuator_ctrlspec[0] = 1;
      m.actuator_gainprm[0] = m.actuator_dynprm[1] = 0;
      assert_int_equal(cri_model_check(&m, NULL), CR_OK);
      broken_real(m.actuator_gainprm, 1, "is no PID controller");
      broken_real(m.actuator_dynprm + 1, 1, "is no PID controller");
      pids++;
    }
    cri_model_free(&m);
  }
  model = keep;
  assert_true(seen > 3 && pids > 0);
}

TEST(numbers) {
  broken_real(model.body_mass + 1, -1, "body_mass is negative (-1)");
  broken_real(model.body_inertia + 4, CR_R(-1e-9), "body_inertia is negative");
  broken_real(model.dof_armature, -1, "dof_armature is negative");
  broken_real(model.dof_damping, -1, "dof 0: dof_damping is negative");
  broken_real(model.dof_frictionloss, -1, "dof_frictionloss is negative");
  broken_real(model.geom_size, -1, "geom_size is negative");
  broken_real(model.geom_friction, -1, "geom_friction is negative");
  broken_real(model.geom_cfd, -1, "geom_cfd is negative");
  assert_true(model.npair > 0);
  broken_real(model.pair_cfd, -1, "pair_cfd is negative");
  broken_real(model.body_pos + 3, (cr_real)NAN, "body_pos is not finite");
  broken_real(model.gravity + 2, (cr_real)INFINITY, "gravity is not finite");
  broken_real(model.qpos0, (cr_real)NAN, "qpos0 is not finite");
  broken_real(model.body_quat + 4, 2, "body_quat is not of unit length");
  broken_real(model.geom_quat, 2, "geom_quat is not of unit length");
  for (int j = 0; j < model.njnt; j++) {
    if (model.jnt_type[j] >= CR_JNT_SLIDE) {
      broken_real(model.jnt_axis + 3 * j, 3, "jnt_axis is not of unit length");
    }
  }
}

// every real field of a model is looked at
TEST(lengths) {
  static const cr_field_id fields[] = {CR_FIELD_body_pos,   CR_FIELD_body_ipos, CR_FIELD_jnt_pos,
                                       CR_FIELD_geom_pos,   CR_FIELD_geom_size, CR_FIELD_site_pos,
                                       CR_FIELD_geom_rbound};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    char because[96];
    (void)snprintf(because, sizeof because, "%s is longer than 1e10 m", cri_field(fields[i])->name);
    cr_real* x = cri_field_real(&model, NULL, fields[i]) + cri_field_width(&model, fields[i]);
    broken_real(x, CR_R(1.1e10), because);
    if (fields[i] != CR_FIELD_geom_size && fields[i] != CR_FIELD_geom_rbound) {
      broken_real(x, CR_R(-1.1e10), because);
    }
  }
  broken_real(model.geom_rbound, -1, "geom_rbound is negative");
  cr_real kept = model.body_pos[3];
  model.body_pos[3] = CR_R(1e10);
  assert_int_equal(cri_model_check(&model, NULL), CR_OK);
  model.body_pos[3] = kept;
}

TEST(ranges_are_in_order) {
  int used = model.jnt_limited[0];
  cr_real kept[2] = {model.jnt_range[0], model.jnt_range[1]};
  model.jnt_range[0] = 2;
  model.jnt_range[1] = 1;
  model.jnt_limited[0] = 0;
  assert_int_equal(cri_model_check(&model, NULL), CR_OK);
  model.jnt_limited[0] = 1;
  refused(&model, "jnt_range is not in order (2)");
  model.jnt_limited[0] = used;
  cr_copy(model.jnt_range, kept, 2);
}

TEST(flags) {
  const int32_t known = CR_ENBL_OVERRIDE | CR_ENBL_DIAGEXACT;
  int32_t kept = model.enableflags;
  model.enableflags = known;
  assert_int_equal(cri_model_check(&model, NULL), CR_OK);
  model.enableflags = kept;
  broken_int(&model.enableflags, 1 << 4, "option enableflags: a bit of");  // sleep
  broken_int(&model.enableflags, 1 << 6, "option enableflags");            // ipc
  broken_int(&model.enableflags, 1 << 7, "option enableflags");            // speculative
  broken_int(&model.enableflags, 1 << 8, "option enableflags");
  broken_int(&model.disableflags, 1 << 20, "option disableflags");
  broken_int(&model.disableflags, -1, "option disableflags");
}

TEST(no_number_may_be_nan) {
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    const cr_field* f = cri_field(id);
    bool real = f->kind == CR_KIND_CONST || f->kind == CR_KIND_PARAM;
    int n = real ? cri_field_rows(&model, NULL, id) * cri_field_width(&model, id) : 0;
    if (n > 0) {
      broken_real(cri_field_real(&model, NULL, id) + n - 1, (cr_real)NAN, f->name);
    }
  }
}

TEST(elements_have_their_names) {
  for (int i = 1; i < model.nbody; i++) {
    const char* name = cri_name(&model, model.name_bodyadr, i);
    char sentence[96];
    if (name[0] != 0) {
      (void)snprintf(sentence, sizeof sentence, "body '%s': body_mass", name);
    } else {
      (void)snprintf(sentence, sizeof sentence, "body %d: body_mass", i);
    }
    broken_real(model.body_mass + i, -2, sentence);
  }
}

TEST(unended_names) {
  char* last = model.names + model.nnames - 1;
  char kept = *last;
  *last = 'x';
  refused(&model, "does not end");
  *last = kept;
}

// ---- coordinates

TEST(coordinates) {
  cr_real qpos[128];
  cr_error error;
  assert_in_range(model.nq, 1, 128);
  cr_copy(qpos, model.qpos0, model.nq);
  assert_int_equal(cri_qpos_check(&model, qpos, &error), CR_OK);
  for (int i = 0; i < model.nq; i++) {
    cr_real kept = qpos[i];
    qpos[i] = (cr_real)NAN;
    assert_int_equal(cri_qpos_check(&model, qpos, &error), CR_ERR_NONFINITE);
    char sentence[48];
    (void)snprintf(sentence, sizeof sentence, "qpos[%d] is not finite", i);
    assert_string_equal(error.text, sentence);
    qpos[i] = kept;
  }
  for (int j = 0; j < model.njnt; j++) {
    bool ball = model.jnt_type[j] == CR_JNT_BALL;
    if (!ball && model.jnt_type[j] != CR_JNT_FREE) {
      continue;
    }
    cr_real* q = qpos + model.jnt_qposadr[j] + (ball ? 0 : 3);
    for (int k = 0; k < 4; k++) {
      q[k] *= CR_R(1.00001);
    }
    assert_int_equal(cri_qpos_check(&model, qpos, &error), CR_ERR_ARG);
    assert_non_null(strstr(error.text, "has length 1.00001, not 1"));
    (void)cr_quat_normalize(q);
    assert_int_equal(cri_qpos_check(&model, qpos, &error), CR_OK);
  }
}
