// SPDX-License-Identifier: Apache-2.0
// The stage as a whole: frames, contents of the list, errors. Its derivatives on random models are
// in the generic stage check; the pairs have tests of their own.
#include "collision/collision.h"

#include "engine/data_create.h"
#include "kinematics/kinematics.h"
#include "math/vec3.h"
#include "model/build.h"
#include "scenes/random_model.h"
#include "support/close.h"

#define TOLERANCE (64 * CR_EPS)

// a plane, and free bodies that carry one geom each
enum { N_BODY = 4 };

typedef struct {
  cr_model m;
  cr_data* d;
} scene;

static void open_scene(scene* s, const int32_t type[N_BODY], const cr_capacity* capacity) {
  const int32_t parent[N_BODY + 1] = {0, 0, 0, 0, 0}, joints[N_BODY + 1] = {0, 1, 1, 1, 1};
  const int32_t joint_type[N_BODY] = {CR_JNT_FREE, CR_JNT_FREE, CR_JNT_FREE, CR_JNT_FREE};
  s->m = (cr_model){.ngeom = N_BODY + 1};
  cr_error error;
  assert_int_equal(cri_model_sizes(&s->m, N_BODY + 1, parent, joints, joint_type, &error), CR_OK);
  assert_int_equal(cri_model_allocate(&s->m, &error), CR_OK);
  cri_model_defaults(&s->m);
  for (int i = 0; i < N_BODY; i++) {
    s->m.body_jntnum[i + 1] = 1;
    s->m.geom_bodyid[i + 1] = i + 1;
    s->m.geom_type[i + 1] = type[i];
    s->m.body_mass[i + 1] = 1;
    for (int k = 0; k < 3; k++) {
      s->m.geom_size[3 * (i + 1) + k] = CR_R(0.5);
      s->m.body_inertia[3 * (i + 1) + k] = 1;
    }
    s->m.body_pos[3 * (i + 1)] = 10 * (cr_real)i;
  }
  s->m.geom_type[0] = CR_GEOM_PLANE;
  assert_int_equal(cri_model_derive(&s->m, &error), CR_OK);
  assert_int_equal(cri_data_create(&s->d, &s->m, capacity, &error), CR_OK);
  assert_int_equal(cr_kinematics(&s->m, s->d), CR_OK);
}

static void close_scene(scene* s) {
  cri_data_free(s->d);
  cri_model_free(&s->m);
}

static const int32_t MIXED[N_BODY] = {CR_GEOM_SPHERE, CR_GEOM_CAPSULE, CR_GEOM_CYLINDER,
                                      CR_GEOM_BOX};

TEST(contacts_are_listed_with_their_geoms) {
  scene s;
  open_scene(&s, MIXED, NULL);
  assert_int_equal(cr_collision(&s.m, s.d), CR_OK);

  // sphere 1; capsule of half length 1/2 and radius 1/2 through the plane: both ends in reach, the
  // upper just; cylinder: both disks and the triangle; box 4
  const int of_geom[N_BODY + 1] = {0, 1, 2, 3, 4};
  int count[N_BODY + 1] = {0};
  for (int i = 0; i < s.d->ncon; i++) {
    assert_int_equal(s.d->contact_geom[2 * i], 0);
    assert_int_equal(s.d->contact_pair[i], -1);
    count[s.d->contact_geom[2 * i + 1]]++;
    assert_true(i == 0 || s.d->contact_geom[2 * i + 1] >= s.d->contact_geom[2 * i - 1]);
  }
  for (int k = 1; k <= N_BODY; k++) {
    assert_int_equal(count[k], of_geom[k]);
  }
  close_scene(&s);
}

TEST(nothing_is_listed_when_contacts_are_off) {
  scene s;
  open_scene(&s, MIXED, NULL);
  const int32_t flags[2] = {CR_DSBL_CONTACT, CR_DSBL_CONSTRAINT};
  for (int i = 0; i < 2; i++) {
    s.m.disableflags = 0;
    assert_int_equal(cr_collision(&s.m, s.d), CR_OK);
    assert_true(s.d->ncon > 0);
    s.m.disableflags = flags[i];
    assert_int_equal(cr_collision(&s.m, s.d), CR_OK);
    assert_int_equal(s.d->ncon, 0);
  }
  close_scene(&s);
}

TEST(overflow_says_how_many_are_needed) {
  const cr_capacity capacity = {.ncon = 3, .nefc = 1, .nJ = 1};
  scene s;
  open_scene(&s, MIXED, &capacity);
  assert_int_equal(cr_collision(&s.m, s.d), CR_ERR_CAPACITY);
  assert_int_equal(s.d->ncon, 3);
  assert_int_equal(s.d->error.status, CR_ERR_CAPACITY);
  assert_string_equal(s.d->error.text, "contacts: 10 needed, there is room for 3");
  close_scene(&s);
}

TEST(types_without_functions_are_an_error_where_they_meet) {
  const int32_t type[N_BODY] = {CR_GEOM_SPHERE, CR_GEOM_SPHERE, CR_GEOM_SPHERE, CR_GEOM_SPHERE};
  scene s;
  open_scene(&s, type, NULL);
  s.m.geom_type[1] = CR_N_GEOM_TYPE;  // a signed distance field
  s.m.geom_contype[0] = s.m.geom_conaffinity[0] = 0;
  assert_int_equal(cr_collision(&s.m, s.d), CR_OK);
  cr_copy3(s.d->geom_xpos + 3, s.d->geom_xpos + 6);
  assert_int_equal(cr_collision(&s.m, s.d), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(s.d->error.text, "geoms 2 ('') and 1 ('') meet"));
  close_scene(&s);
}

TEST(supported_types_are_known) {
  enum { SDF = 8 };
  const int known[] = {CR_GEOM_PLANE,    CR_GEOM_SPHERE, CR_GEOM_CAPSULE, CR_GEOM_ELLIPSOID,
                       CR_GEOM_CYLINDER, CR_GEOM_BOX,    CR_GEOM_MESH};
  int n = 0;
  for (int i = 0; i < 7; i++) {
    for (int j = i; j < 7; j++) {
      n += cri_collision_supported(known[i], known[j]);
    }
  }
  assert_int_equal(n, 28);
  assert_true(cri_collision_supported(CR_GEOM_PLANE, CR_GEOM_PLANE));
  for (int i = 0; i < 7; i++) {
    assert_true(cri_collision_supported(CR_GEOM_HFIELD, known[i]));
  }
  assert_true(cri_collision_supported(CR_GEOM_PLANE, CR_GEOM_HFIELD));
  assert_false(cri_collision_supported(SDF, SDF));
  assert_false(cri_collision_supported(-1, CR_GEOM_BOX));
}

TEST(contacts_from_distance_reach_farther) {
  const int32_t type[N_BODY] = {CR_GEOM_SPHERE, CR_GEOM_SPHERE, CR_GEOM_SPHERE, CR_GEOM_SPHERE};
  scene s;
  open_scene(&s, type, NULL);
  for (int i = 1; i <= N_BODY; i++) {
    s.d->geom_xpos[3 * i + 2] = CR_R(0.5) * (cr_real)i;
  }
  assert_int_equal(cr_collision(&s.m, s.d), CR_OK);
  assert_int_equal(s.d->ncon, 1);
  s.m.cfd = 1;
  s.m.cfd_wc = CR_R(1.25);
  assert_int_equal(cr_collision(&s.m, s.d), CR_OK);
  assert_int_equal(s.d->ncon, 3);
  assert_close(s.d->contact_dist[2], 1, TOLERANCE);
  close_scene(&s);
}

// ---- frames

TEST(frames_are_right_handed_and_follow_the_rule) {
  int by_y = 0, by_z = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    assert_int_equal(cr_kinematics(&m, d), CR_OK);
    assert_int_equal(cr_collision(&m, d), CR_OK);
    for (int i = 0; i < d->ncon; i++) {
      const cr_real* F = d->contact_frame + 9 * i;
      cr_real third[3];
      cr_cross3(third, F, F + 3);
      for (int k = 0; k < 3; k++) {
        assert_close(cr_norm3(F + 3 * k), 1, TOLERANCE);
        assert_close(F[6 + k], third[k], TOLERANCE);
      }
      assert_close(cr_dot3(F, F + 3), 0, TOLERANCE);

      // without a hint t2 = n x t1 is orthogonal to e_y or e_z, t1 on its side
      const int32_t* geom = d->contact_geom + 2 * i;
      if (m.geom_type[geom[0]] != CR_GEOM_PLANE || m.geom_type[geom[1]] != CR_GEOM_CAPSULE) {
        int axis = cr_abs(F[1]) < CR_R(0.5) ? 1 : 2;
        assert_close(F[6 + axis], 0, TOLERANCE);
        assert_true(F[3 + axis] > 0);
        by_y += axis == 1;
        by_z += axis == 2;
      }
    }
    cri_model_free(&m);
  }
  assert_true(by_y > 20 && by_z > 20);
}

TEST(plane_capsule_frame_follows_the_axis) {
  const int32_t type[N_BODY] = {CR_GEOM_CAPSULE, CR_GEOM_SPHERE, CR_GEOM_SPHERE, CR_GEOM_SPHERE};
  const cr_real tilted[9] = {CR_R(0.6), 0, CR_R(0.8), 0, 1, 0, CR_R(-0.8), 0, CR_R(0.6)};
  const cr_real frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  scene s;
  open_scene(&s, type, NULL);
  cr_copy(s.d->geom_xmat + 9, tilted, 9);
  assert_int_equal(cr_collision(&s.m, s.d), CR_OK);
  assert_int_equal(s.d->contact_geom[1], 1);
  assert_all_close(s.d->contact_frame, frame, 9, TOLERANCE);
  close_scene(&s);
}

// an upright capsule's first tangent is round-off: it is held, and the rest of the frame still turns
TEST(upright_capsule_has_a_finite_derivative) {
  const int32_t type[N_BODY] = {CR_GEOM_CAPSULE, CR_GEOM_SPHERE, CR_GEOM_SPHERE, CR_GEOM_SPHERE};
  scene s;
  open_scene(&s, type, NULL);
  assert_int_equal(cr_collision(&s.m, s.d), CR_OK);
  assert_int_equal(s.d->contact_axis[0], 3);
  cr_data *tan, *bar;
  assert_int_equal(cri_data_twin(&tan, &s.m, s.d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&bar, &s.m, s.d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
  const cr_real w[3] = {CR_R(0.25), CR_R(-0.5), 1};
  cr_rot_tan(tan->geom_xmat + 9, w, s.d->geom_xmat + 9);
  cr_rot_tan(tan->geom_xmat, w, s.d->geom_xmat);
  assert_int_equal(cr_collision_jvp(&s.m, s.d, tan), CR_OK);
  for (int k = 0; k < 9; k++) {
    assert_true(cr_abs(tan->contact_frame[k]) <= 2);
    bar->contact_frame[k] = 1 + (cr_real)k;
  }
  assert_close(tan->contact_frame[0], w[1], TOLERANCE);  // w x n
  assert_close(tan->contact_frame[1], -w[0], TOLERANCE);
  assert_int_equal(cr_collision_vjp(&s.m, s.d, bar), CR_OK);
  cr_real left = 0, right = 0;
  for (int k = 0; k < 9; k++) {
    left += bar->contact_frame[k] * tan->contact_frame[k];
    right += bar->geom_xmat[k] * tan->geom_xmat[k] + bar->geom_xmat[9 + k] * tan->geom_xmat[9 + k];
  }
  assert_close(left, right, 10 * TOLERANCE);
  assert_true(cr_abs(left) > CR_R(0.1));
  cri_data_free(tan);
  cri_data_free(bar);
  close_scene(&s);
}

// what the contacts' cotangents say of a direction, and what the shapes' do
// the contacts a time later, each geom with its velocity in d
static void move_geoms(const cr_model* m, const cr_data* d, cr_real time, cr_data* moved) {
  for (int g = 0; g < m->ngeom; g++) {
    cr_shape_tan v = cri_collision_shape_velocity(m, d, g);
    cr_real mat_tan[9];
    cr_rot_tan(mat_tan, v.rot, d->geom_xmat + 9 * g);
    cr_copy3(moved->geom_xpos + 3 * g, d->geom_xpos + 3 * g);
    cr_accscl3(moved->geom_xpos + 3 * g, v.pos, time);
    for (int k = 0; k < 9; k++) {
      moved->geom_xmat[9 * g + k] = d->geom_xmat[9 * g + k] + time * mat_tan[k];
    }
  }
  assert_int_equal(cr_collision(m, moved), CR_OK);
}

// rates of the parts of contact i against differences; how many parts, 0 where others touch before or after
static int check_rates(const cr_model* m, const cr_data* d, int i, const cr_data* later,
                       const cr_data* sooner, cr_real eps) {
  cri_contact_part part[CR_MAX_HITS], a[CR_MAX_HITS], b[CR_MAX_HITS];
  int n = cri_collision_parts(m, d, i, part);
  if (i >= later->ncon || i >= sooner->ncon || cri_collision_parts(m, later, i, a) != n ||
      cri_collision_parts(m, sooner, i, b) != n) {
    return 0;
  }
  size_t bytes = 4 * (size_t)n * sizeof(int32_t);
  if (memcmp(d->contact_feature + 4 * i, later->contact_feature + 4 * i, bytes) != 0 ||
      memcmp(d->contact_feature + 4 * i, sooner->contact_feature + 4 * i, bytes) != 0) {
    return 0;
  }
  for (int k = 0; k < n; k++) {
    cr_real scale = 1 + cr_norm3(part[k].rate.pos) + cr_abs(part[k].left_rate);
    assert_close(part[k].rate.dist, (a[k].at.dist - b[k].at.dist) / (2 * eps), CR_R(1e-5) * scale);
    assert_close(part[k].left_rate, (a[k].left - b[k].left) / (2 * eps), CR_R(1e-4) * scale);
    for (int c = 0; c < 3; c++) {
      assert_close(part[k].rate.pos[c], (a[k].at.pos[c] - b[k].at.pos[c]) / (2 * eps),
                   CR_R(1e-4) * scale);
    }
  }
  return n;
}

// shares and weight of the parts, and their mean
static void check_mean(const cr_model* m, const cr_data* d, int i) {
  cri_contact_part part[CR_MAX_HITS];
  int n = cri_collision_parts(m, d, i, part);
  cr_real sum = 0, square = 0, mean[3] = {0, 0, 0};
  for (int k = 0; k < n; k++) {
    sum += part[k].share;
    square += part[k].share * part[k].share;
    cr_accscl3(mean, part[k].at.pos, part[k].share);
  }
  assert_close(sum, 1, TOLERANCE);
  assert_close(1 / square, d->contact_weight[i], 16 * TOLERANCE * (cr_real)n);
  for (int c = 0; c < 3; c++) {
    assert_close(mean[c], d->contact_pos[3 * i + c], 16 * TOLERANCE * (1 + cr_norm3(mean)));
  }
}

// contact i is among those of its geoms where these are
static void check_pair(const cr_model* m, const cr_data* d, int i) {
  const int32_t* geom = d->contact_geom + 2 * i;
  cri_place at[2];
  cr_hit hit[CR_MAX_HITS];
  cr_real weight[CR_MAX_HITS];
  for (int k = 0; k < 2; k++) {
    cr_copy3(at[k].pos, d->geom_xpos + 3 * geom[k]);
    cr_copy(at[k].mat, d->geom_xmat + 9 * geom[k], 9);
    cr_copy3(at[k].size, m->geom_size + 3 * geom[k]);
  }
  int n = cri_collide_at(m, geom, at, d->contact_dist[i] + CR_R(1e-6), hit, weight);
  bool found = false;
  for (int k = 0; k < n; k++) {
    found = found || (memcmp(hit[k].pos, d->contact_pos + 3 * i, 3 * sizeof(cr_real)) == 0 &&
                      hit[k].dist == d->contact_dist[i] && weight[k] == d->contact_weight[i]);
  }
  assert_true(found);
}

TEST(parts_of_a_smooth_contact_make_its_mean) {
  int several = 0, moving = 0;
  const cr_real eps = CR_R(1e-6);
  for (uint64_t seed = 0; seed < 60; seed++) {
    cr_model m;
    cr_random r = cr_random_seed(seed, 0);
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    m.collision = CR_COLLISION_SMOOTH;
    m.softness = CR_DEFAULT_SOFTNESS;
    cr_data* d = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    assert_int_equal(cr_kinematics(&m, d), CR_OK);
    cr_data* later = test_data(&m);
    cr_data* sooner = test_data(&m);
    cri_data_copy(&m, later, d);
    cri_data_copy(&m, sooner, d);
    assert_int_equal(cr_collision(&m, d), CR_OK);
    for (int i = 6; i < 6 * m.nbody; i++) {
      d->cvel[i] = cr_random_normal(&r);
    }
    move_geoms(&m, d, eps, later);
    move_geoms(&m, d, -eps, sooner);
    for (int i = 0; i < d->ncon; i++) {
      cri_contact_part part[CR_MAX_HITS];
      if (d->contact_follows[i] == 0 && cri_collision_parts(&m, d, i, part) > 0) {
        several += cri_collision_parts(&m, d, i, part) > 1;
        check_mean(&m, d, i);
        check_pair(&m, d, i);
        moving += check_rates(&m, d, i, later, sooner, eps);
      }
    }
    cri_model_free(&m);
  }
  print_message("%d contacts of several parts, rates of %d parts\n", several, moving);
  assert_true(several > 5 && moving > 20);
}

TEST(vjp_is_the_transpose_of_jvp) {
  int contacts = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    cr_model m;
    cr_random r = cr_random_seed(seed, 0);
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    cr_data* tan = test_twin(&m, d, CR_DATA_TANGENT);
    cr_data* bar = test_twin(&m, d, CR_DATA_COTANGENT);
    random_state(&m, d, seed, STATE_CONTACT);
    assert_int_equal(cr_kinematics(&m, d), CR_OK);
    assert_int_equal(cr_collision(&m, d), CR_OK);
    contacts += d->ncon;
    for (int g = 0; g < m.ngeom; g++) {
      const cr_real w[3] = {cr_random_normal(&r), cr_random_normal(&r), cr_random_normal(&r)};
      cr_rot_tan(tan->geom_xmat + 9 * g, w, d->geom_xmat + 9 * g);
      random_unit3(&r, tan->geom_xpos + 3 * g);
      random_unit3(&r, tan->par.geom_size + 3 * g);
    }
    assert_int_equal(cr_collision_jvp(&m, d, tan), CR_OK);

    // frames alone first, then all three
    for (int all = 0; all < 2; all++) {
      cr_real left = 0, right = 0, scale = 1;
      for (int i = 0; i < d->ncon; i++) {
        bar->contact_dist[i] = all ? cr_random_normal(&r) : 0;
        left += bar->contact_dist[i] * tan->contact_dist[i];
        for (int k = 0; k < 12; k++) {
          cr_real* y = k < 9 ? bar->contact_frame + 9 * i + k : bar->contact_pos + 3 * i + k - 9;
          cr_real x = k < 9 ? tan->contact_frame[9 * i + k] : tan->contact_pos[3 * i + k - 9];
          *y = all || k < 9 ? cr_random_normal(&r) : 0;
          left += *y * x;
          scale += cr_abs(*y * x);
        }
      }
      cr_zero(bar->geom_xpos, 3 * m.ngeom);
      cr_zero(bar->geom_xmat, 9 * m.ngeom);
      cr_zero(bar->par.geom_size, 3 * m.ngeom);
      assert_int_equal(cr_collision_vjp(&m, d, bar), CR_OK);
      for (int i = 0; i < 3 * m.ngeom; i++) {
        right += bar->geom_xpos[i] * tan->geom_xpos[i];
        right += bar->par.geom_size[i] * tan->par.geom_size[i];
      }
      for (int i = 0; i < 9 * m.ngeom; i++) {
        right += bar->geom_xmat[i] * tan->geom_xmat[i];
      }
      assert_close(left, right, 4000 * CR_EPS * scale);
    }
    cri_model_free(&m);
  }
  assert_true(contacts > 200);
}
