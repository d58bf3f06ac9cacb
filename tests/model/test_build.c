// SPDX-License-Identifier: Apache-2.0
// Derived fields against a mechanism written out by hand, and against their definitions on random
// models; every error sentence.
#include "model/build.h"

#include "model/fields.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 24 };

static cr_model m;
static cr_error error;

#define assert_ints(actual, ...)                                                              \
  do {                                                                                        \
    const int32_t expected_[] = {__VA_ARGS__};                                                \
    for (size_t i_ = 0; i_ < sizeof expected_ / sizeof expected_[0]; i_++) {                  \
      if ((actual)[i_] != expected_[i_]) {                                                    \
        fail_msg("%s[%d] is %d, expected %d", #actual, (int)i_, (actual)[i_], expected_[i_]); \
      }                                                                                       \
    }                                                                                         \
  } while (0)

// ---- a mechanism by hand
//
//   0 world - 1 torso (free) - 2 arm (hinge) - 3 hand (weld)
//                            - 4 head (ball, slide)
//           - 5 wall (weld)  - 6 door (hinge, hinge)
//           - 7 marker (mocap)

enum { NBODY = 8, NJNT = 6 };
static const int32_t parents[NBODY] = {0, 0, 1, 2, 1, 0, 5, 0};
static const int32_t jntnums[NBODY] = {0, 1, 1, 0, 2, 0, 2, 0};
static const int32_t types[NJNT] = {CR_JNT_FREE,  CR_JNT_HINGE, CR_JNT_BALL,
                                    CR_JNT_SLIDE, CR_JNT_HINGE, CR_JNT_HINGE};

static void begin_with(const int32_t* parent, const int32_t* jntnum, const int32_t* type) {
  m = (cr_model){.ngeom = 3, .nsite = 1, .nmocap = 1, .nnames = 32};
  error = (cr_error){CR_OK, ""};
  assert_int_equal(cri_model_sizes(&m, NBODY, parent, jntnum, type, &error), CR_OK);
  assert_int_equal(cri_model_allocate(&m, &error), CR_OK);
  cri_model_defaults(&m);
  memcpy(m.body_parentid, parent, NBODY * sizeof *parent);
  memcpy(m.body_jntnum, jntnum, NBODY * sizeof *jntnum);
  memcpy(m.jnt_type, type, NJNT * sizeof *type);
  memcpy(m.names, "\0arm\0door", 10);
  m.name_bodyadr[2] = 1;
  m.name_bodyadr[6] = 5;
  m.name_jntadr[1] = 1;
  m.body_mocapid[7] = 0;
  m.geom_bodyid[0] = 0;
  m.geom_bodyid[1] = m.geom_bodyid[2] = 2;
  m.geom_type[1] = CR_GEOM_SPHERE;
  m.geom_type[2] = CR_GEOM_BOX;
  for (int i = 0; i < 9; i++) {
    m.geom_size[i] = 1;
  }
  for (int i = 0; i < NBODY; i++) {
    m.body_ipos[3 * i] = i;
  }
}

static void begin(void) { begin_with(parents, jntnums, types); }

static void end(void) { cri_model_free(&m); }

TEST(build_counts_a_mechanism) {
  begin();
  assert_int_equal(m.nbody, NBODY);
  assert_int_equal(m.njnt, NJNT);
  assert_int_equal(m.nq, 7 + 1 + 4 + 1 + 2);
  assert_int_equal(m.nv, 6 + 1 + 3 + 1 + 2);
  assert_int_equal(m.ntree, 2);
  assert_int_equal(m.nC, 21 + 7 + (7 + 8 + 9) + 10 + (1 + 2));
  end();
}

TEST(build_derives_bodies_and_joints) {
  begin();
  assert_int_equal(cri_model_derive(&m, &error), CR_OK);
  assert_ints(m.body_jntadr, -1, 0, 1, -1, 2, -1, 4, -1);
  assert_ints(m.body_dofnum, 0, 6, 1, 0, 4, 0, 2, 0);
  assert_ints(m.body_dofadr, -1, 0, 6, -1, 7, -1, 11, -1);
  assert_ints(m.body_rootid, 0, 1, 1, 1, 1, 5, 5, 7);
  assert_ints(m.body_weldid, 0, 1, 2, 2, 4, 0, 6, 7);
  assert_ints(m.body_treeid, -1, 0, 0, 0, 0, -1, 1, -1);
  assert_ints(m.body_geomnum, 1, 0, 2, 0, 0, 0, 0, 0);
  assert_ints(m.body_geomadr, 0, -1, 1, -1, -1, -1, -1, -1);
  assert_ints(m.jnt_bodyid, 1, 2, 4, 4, 6, 6);
  assert_ints(m.jnt_qposadr, 0, 7, 8, 12, 13, 14);
  assert_ints(m.jnt_dofadr, 0, 6, 7, 10, 11, 12);
  assert_ints(m.dof_bodyid, 1, 1, 1, 1, 1, 1, 2, 4, 4, 4, 4, 6, 6);
  assert_ints(m.dof_jntid, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 3, 4, 5);
  assert_ints(m.dof_parentid, -1, 0, 1, 2, 3, 4, 5, 5, 7, 8, 9, -1, 11);
  assert_ints(m.dof_treeid, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1);
  assert_ints(m.tree_dofadr, 0, 11);
  assert_ints(m.tree_dofnum, 11, 2);
  end();
}

TEST(build_rows_of_M_are_ancestors) {
  begin();
  assert_int_equal(cri_model_derive(&m, &error), CR_OK);
  assert_ints(m.M_rownnz, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 1, 2);
  assert_ints(m.M_rowadr, 0, 1, 3, 6, 10, 15, 21, 28, 35, 43, 52, 62, 63);
  assert_ints(m.M_colind + 28, 0, 1, 2, 3, 4, 5, 7);
  assert_ints(m.M_colind + 62, 11, 11, 12);
  end();
}

// ---- definitions, on random models

TEST(build_matches_definitions) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    assert_int_equal(random_model(&m, seed, &error), CR_OK);
    int nC = 0;
    for (int i = 0; i < m.nv; i++) {
      // a row's columns: the dofs that move the body of dof i, up to i
      int k = m.M_rowadr[i];
      assert_int_equal(k, nC);
      for (int j = 0; j <= i; j++) {
        if (mechanism_moves(&m, j, m.dof_bodyid[i])) {
          assert_int_equal(m.M_colind[k++], j);
        }
      }
      assert_int_equal(k, m.M_rowadr[i] + m.M_rownnz[i]);
      assert_int_equal(m.dof_parentid[i], m.M_rownnz[i] > 1 ? m.M_colind[k - 2] : -1);
      int tree = m.dof_treeid[i];
      assert_true(m.tree_dofadr[tree] <= i && i < m.tree_dofadr[tree] + m.tree_dofnum[tree]);
      nC += m.M_rownnz[i];
    }
    assert_int_equal(nC, m.nC);
    for (int b = 1; b < m.nbody; b++) {
      int root = b;
      while (m.body_parentid[root] != 0) {
        root = m.body_parentid[root];
      }
      assert_int_equal(m.body_rootid[b], root);
      int weld = m.body_weldid[b];
      bool loose = m.body_jntnum[b] > 0 || m.body_mocapid[b] >= 0;
      assert_int_equal(weld, loose ? b : m.body_weldid[m.body_parentid[b]]);
    }
    cri_model_free(&m);
  }
}

TEST(build_again_changes_nothing) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    cr_model copy;
    assert_int_equal(random_model_derived(&m, seed, &error), CR_OK);
    assert_int_equal(cri_model_copy(&copy, &m, &error), CR_OK);
    assert_int_equal(cri_model_derive(&copy, &error), CR_OK);
    for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
      cr_field_id id = (cr_field_id)i;
      size_t n = (size_t)(cri_field_rows(&m, NULL, id) * cri_field_width(&m, id));
      if (cri_field(id)->kind == CR_KIND_INT) {
        assert_memory_equal(cri_field_index(&copy, NULL, id), cri_field_index(&m, NULL, id),
                            n * sizeof(int32_t));
      } else if (cri_field(id)->kind != CR_KIND_CHAR) {
        assert_all_close(cri_field_real(&copy, NULL, id), cri_field_real(&m, NULL, id), (int)n, 0);
      }
    }
    cri_model_free(&copy);
    cri_model_free(&m);
  }
}

// ---- numbers

// no corner or point of a shape is outside its sphere, and one is on it
TEST(build_bounding_spheres) {
  const cr_real size[3] = {CR_R(0.3), CR_R(0.4), CR_R(1.2)};
  assert_close(cri_geom_rbound(CR_GEOM_PLANE, size), 0, 0);
  assert_close(cri_geom_rbound(CR_GEOM_SPHERE, size), CR_R(0.3), 0);
  assert_close(cri_geom_rbound(CR_GEOM_CAPSULE, size), CR_R(0.7), 4 * CR_EPS);
  assert_close(cri_geom_rbound(CR_GEOM_CYLINDER, size), CR_R(0.5), 4 * CR_EPS);
  assert_close(cri_geom_rbound(CR_GEOM_BOX, size), CR_R(1.3), 4 * CR_EPS);
  assert_true(cri_geom_rbound(7, size) < 0);
  begin();
  m.geom_type[0] = CR_GEOM_ELLIPSOID;
  m.geom_rbound[0] = 5;
  assert_int_equal(cri_model_derive(&m, &error), CR_OK);
  assert_all_close(m.geom_rbound + 1, ((cr_real[2]){1, cr_sqrt(3)}), 2, CR_EPS);
  assert_true(m.geom_rbound[0] < 5);
  end();
}

// two meshes, the second out of range: the first has its box, the other one is refused
TEST(build_boxes_of_meshes) {
  cr_model mesh = {.nmesh = 2, .nmeshvert = 3};
  cr_real vert[9] = {1, -2, 3, 2, 2, -3, 0, 0, 5}, box[12] = {0};
  int32_t adr[2] = {0, 2}, num[2] = {3, 2}, polygons[2] = {0, 0};
  int32_t graph[2] = {-1, -1}, start[54];
  cr_real width[2] = {7, 7};
  mesh.mesh_graphadr = graph;
  mesh.mesh_start = start;
  mesh.mesh_vert = vert;
  mesh.mesh_box = box;
  mesh.mesh_width = width;
  mesh.mesh_polynum = mesh.mesh_polyadr = polygons;
  mesh.mesh_vertadr = adr;
  mesh.mesh_vertnum = num;
  cri_model_derive_meshes(&mesh);
  assert_all_close(box, ((cr_real[6]){1, 0, 1, 1, 2, 4}), 6, 0);
  assert_all_close(box + 6, ((cr_real[6]){0}), 6, 0);
  assert_true(width[0] == 0);  // no polygon
}

// the corner of a cube, cut off: three faces at 0.1, 0.2, 0.3 from the origin and a slope farther off;
// a polygon that refers to no vertex is left for cri_model_check
TEST(build_widths_of_meshes) {
  int32_t zero[1] = {0}, npoly[1] = {5}, nvert[1] = {2}, adr[5] = {0, 1, 2, 3, 4};
  int32_t corner[5] = {0, 0, 0, 1, 9}, graph[1] = {-1}, start[27];
  cr_real vert[6] = {CR_R(-0.2), CR_R(-0.1), CR_R(-0.3), 1, 1, 1}, box[6], width[1] = {0};
  cr_real normal[15] = {-1, 0, 0, 0, -1, 0, 0, 0, -1, CR_R(0.6), CR_R(0.8), 0, 1, 0, 0};
  cr_model mesh = {.nmesh = 1,
                   .nmeshvert = 2,
                   .nmeshpoly = 5,
                   .nmeshpolyvert = 5,
                   .mesh_vert = vert,
                   .mesh_vertadr = zero,
                   .mesh_vertnum = nvert,
                   .mesh_polyadr = zero,
                   .mesh_polynum = npoly,
                   .mesh_polyvertadr = adr,
                   .mesh_polyvert = corner,
                   .mesh_polynormal = normal,
                   .mesh_graphadr = graph,
                   .mesh_start = start,
                   .mesh_box = box,
                   .mesh_width = width};
  cri_model_derive_meshes(&mesh);
  assert_close(width[0], CR_R(0.1), 0);
  vert[1] = CR_R(0.05);  // the origin is outside
  cri_model_derive_meshes(&mesh);
  assert_true(width[0] == 0);
}

TEST(build_scales_to_unit_length) {
  begin();
  m.body_quat[4] = m.body_quat[5] = 3;
  m.jnt_axis[3] = m.jnt_axis[4] = 2;
  m.jnt_axis[5] = 1;
  m.jnt_axis[6] = 9;
  const cr_real half = cr_sqrt(CR_R(0.5)), third = CR_R(1.0) / 3;
  assert_int_equal(cri_model_derive(&m, &error), CR_OK);
  assert_all_close(m.body_quat + 4, ((cr_real[4]){half, half, 0, 0}), 4, 4 * CR_EPS);
  assert_all_close(m.jnt_axis + 3, ((cr_real[3]){2 * third, 2 * third, third}), 3, 4 * CR_EPS);
  // the axis of a ball joint is not a choice
  assert_all_close(m.jnt_axis + 6, ((cr_real[3]){0, 0, 1}), 3, 0);
  end();
}

TEST(build_fills_poses_left_out) {
  begin();
  const cr_real pos[3] = {1, 2, 3}, quat[4] = {0, 1, 0, 0}, identity[4] = {1, 0, 0, 0};
  cr_copy(m.body_pos + 3, pos, 3);
  cr_copy(m.body_quat + 4, quat, 4);
  cr_copy(m.body_pos + 21, pos, 3);
  m.qpos_spring[8] = m.qpos_spring[9] = CR_R(0.5);
  assert_int_equal(cri_model_derive(&m, &error), CR_OK);
  assert_all_close(m.qpos0, pos, 3, 0);
  assert_all_close(m.qpos0 + 3, quat, 4, 0);
  assert_all_close(m.qpos0 + 8, identity, 4, 0);
  assert_all_close(m.qpos_spring, m.qpos0, 7, 0);
  assert_close(m.qpos_spring[8], CR_R(0.5), 0);  // given, so left alone
  assert_all_close(m.mocap_pos0, pos, 3, 0);
  assert_all_close(m.mocap_quat0, identity, 4, 0);
  end();
}

// MuJoCo's simple bodies: leaves on what does not move, centred, joints along the axes
TEST(build_finds_simple_bodies) {
  const int32_t parent[NBODY] = {0, 0, 0, 0, 0, 0, 0, 6};
  const int32_t jntnum[NBODY] = {0, 1, 1, 1, 1, 1, 1, 0};
  const int32_t type[NJNT] = {CR_JNT_FREE,  CR_JNT_SLIDE, CR_JNT_SLIDE,
                              CR_JNT_HINGE, CR_JNT_HINGE, CR_JNT_BALL};
  begin_with(parent, jntnum, type);
  m.nmocap = 0;
  cr_zero(m.body_ipos, 3 * NBODY);
  m.jnt_axis[6] = 1;
  m.jnt_pos[12] = 1;
  assert_int_equal(cri_model_derive(&m, &error), CR_OK);
  assert_ints(m.body_simple, 1, 1, 2, 0, 1, 0, 0, 0);
  assert_ints(m.body_mocapid, -1, -1, -1, -1, -1, -1, -1, -1);
  end();
}

TEST(build_defaults_are_a_model) {
  m = (cr_model){.ngeom = 1, .npair = 1, .nactuator = 1, .nu = 1, .nout = 1};
  const int32_t parent[2] = {0, 0}, jntnum[2] = {0, 1}, type = CR_JNT_HINGE;
  assert_int_equal(cri_model_sizes(&m, 2, parent, jntnum, &type, &error), CR_OK);
  assert_int_equal(cri_model_allocate(&m, &error), CR_OK);
  cri_model_defaults(&m);
  m.body_jntnum[1] = 1;
  m.jnt_type[0] = type;
  assert_int_equal(cri_model_derive(&m, &error), CR_OK);
  assert_all_close(m.gravity, ((cr_real[3]){0, 0, CR_R(-9.81)}), 3, 0);
  assert_close(m.timestep, CR_R(0.002), 0);
  assert_all_close(m.geom_friction, ((cr_real[3]){1, CR_R(0.005), CR_R(0.0001)}), 3, 0);
  assert_all_close(m.geom_solref, ((cr_real[2]){CR_R(0.02), 1}), 2, 0);
  assert_all_close(m.actuator_gear, ((cr_real[6]){1}), 6, 0);
  assert_int_equal(m.geom_condim[0], 3);
  assert_int_equal(m.actuator_actadr[0], -1);
  end();
}

// ---- errors

static void expect_error(const char* sentence) {
  assert_int_equal(cri_model_derive(&m, &error), CR_ERR_MODEL);
  assert_int_equal(error.status, CR_ERR_MODEL);
  assert_string_equal(error.text, sentence);
  end();
}

TEST(build_refuses_what_is_no_tree) {
  begin();
  m.body_parentid[2] = 2;
  expect_error("body 'arm': body_parentid is 2, but a parent comes before its children");
  begin();
  m.body_parentid[5] = 4;
  m.body_parentid[6] = 2;
  expect_error(
      "body 'door': body_parentid is 2, whose subtree has ended: bodies are not depth-first");
  begin();
  m.body_jntnum[0] = 1;
  expect_error("body 0 must be the world, its own parent and without joints");
  begin();
  m.body_jntnum[3] = -1;
  expect_error("body 3: body_jntnum -1 is negative or more than njnt leaves");
  begin();
  m.body_jntnum[6] = 3;
  expect_error("body 'door': body_jntnum 3 is negative or more than njnt leaves");
  begin();
  m.body_jntnum[6] = 1;
  expect_error("njnt is 6, but the bodies have 5 joints");
}

TEST(build_refuses_joints_that_do_not_go_together) {
  begin();
  m.jnt_type[1] = 4;
  expect_error("joint 'arm' of body 'arm': jnt_type 4 does not exist");
  begin();
  m.jnt_type[1] = CR_JNT_FREE;
  expect_error("joint 'arm' of body 'arm': a free joint is the only joint of a child of the world");
  begin();
  m.jnt_type[3] = CR_JNT_HINGE;
  expect_error("joint 3 of body 4: no rotation may follow a ball joint");
  // one slide more than a body may have
  const int32_t parent[2] = {0, 0}, jntnum[2] = {0, 7}, slides[7] = {2, 2, 2, 2, 2, 2, 2};
  assert_int_equal(cri_model_sizes(&m, 2, parent, jntnum, slides, &error), CR_ERR_MODEL);
  assert_string_equal(error.text, "body 1: 7 dofs, a body has at most 6");
}

TEST(build_refuses_counts_that_differ) {
  begin();
  m.jnt_type[3] = CR_JNT_BALL;
  m.jnt_type[2] = CR_JNT_SLIDE;
  assert_int_equal(cri_model_derive(&m, &error), CR_OK);
  m.jnt_type[3] = CR_JNT_SLIDE;
  expect_error("(nq, nv, ntree, nC) is (15, 13, 2, 65), but the joints make (12, 11, 2, 46)");
}

TEST(build_refuses_geoms_and_mocap_bodies_out_of_order) {
  begin();
  m.geom_bodyid[1] = 3;
  expect_error("geom 2: geom_bodyid is 2 after 3 of 8 bodies: geoms are not sorted by body");
  begin();
  m.geom_bodyid[2] = 8;
  expect_error("geom 2: geom_bodyid is 8 after 2 of 8 bodies: geoms are not sorted by body");
  begin();
  m.body_mocapid[7] = -1;
  m.body_mocapid[2] = 0;
  expect_error("body 'arm': a mocap body is a child of the world without joints");
  begin();
  m.body_mocapid[7] = 1;
  expect_error("body 7: body_mocapid is 1 instead of 0");
  begin();
  m.body_mocapid[7] = -1;
  expect_error("nmocap is 1, but 0 bodies are mocap");
}

TEST(build_refuses_vectors_without_length) {
  begin();
  cr_zero(m.body_quat + 8, 4);
  expect_error("body 'arm': body_quat has no length");
  begin();
  cr_zero(m.jnt_axis + 3, 3);
  expect_error("joint 'arm': jnt_axis has no length");
  // and what the check of every model refuses
  begin();
  m.body_mass[2] = -1;
  expect_error("body 'arm': body_mass is negative (-1)");
}
