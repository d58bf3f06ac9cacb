// SPDX-License-Identifier: Apache-2.0
// What smooth collision detection is for, measured: how far it moves the surface on which a cube
// rests, and how smoothly a landing depends on the tilt, against hard and soft detection.
#include "checks/pair_check.h"
#include "collision/contact_merge.h"
#include "engine/data_create.h"
#include "engine/forward.h"
#include "geometry/convex_pair.h"
#include "geometry/plane_convex.h"
#include "math/quat.h"
#include "rollout/trajectory.h"
#include "scenes/hulls.h"
#include "scenes/tossed_cube.h"
#include "support/close.h"

static const cr_real HALF = CR_R(0.05), X_AXIS[3] = {1, 0, 0};

static cr_real degrees(cr_real x) { return x * CR_PI / 180; }

// ---- a cube that touches the floor, or a large box, turned by an angle about an axis

typedef struct {
  cr_model m;
  cr_data* d;
} scene;

// `boxes`: the floor is a box whose upper side is at 0
static void open_scene(scene* s, int collision, bool boxes) {
  cr_error error = {0};
  published_cube(&s->m);
  s->m.collision = collision;
  s->m.geom_margin[1] = CR_R(0.03);  // lists contacts that are not there yet
  s->m.geom_quat[4] = 1;
  s->m.geom_quat[5] = 0;
  if (boxes) {
    s->m.geom_type[0] = CR_GEOM_BOX;
    cr_real size[3] = {2, 2, 1};
    cr_copy3(s->m.geom_size, size);
    s->m.geom_pos[2] = -1;
    s->m.geom_rbound[0] = 3;
  }
  if (cri_data_create(&s->d, &s->m, NULL, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void close_scene(scene* s) {
  cri_data_free(s->d);
  cri_model_free(&s->m);
}

// stands the cube on its lowest point
static void stand(scene* s, const cr_real axis[3], cr_real angle) {
  cr_real u[3], mat[9], low = 0;
  cr_copy3(u, axis);
  cr_normalize3(u);
  cr_quat_axis_angle(s->d->qpos + 3, u, angle);
  cr_quat_to_mat(mat, s->d->qpos + 3);
  for (int k = 0; k < 3; k++) {
    low += HALF * cr_abs(mat[6 + k]);
  }
  cr_zero3(s->d->qpos);
  s->d->qpos[2] = low;
  assert_int_equal(cr_forward(&s->m, s->d), CR_OK);
  assert_true(s->d->ncon > 0);
}

// distance of the first contact: 0 if the surface is where it should be
static cr_real displacement(int collision, bool boxes, const cr_real axis[3], cr_real angle) {
  scene s;
  open_scene(&s, collision, boxes);
  stand(&s, axis, angle);
  cr_real dist = CR_MAX;
  for (int i = 0; i < s.d->ncon; i++) {
    dist = cr_min(dist, s.d->contact_dist[i]);
  }
  close_scene(&s);
  return dist;
}

// where on the cube's lower face the load is, along y
static cr_real load_place(scene* s, cr_real angle) {
  cr_real sum = 0, total = 0, arm[3], x[3];
  stand(s, X_AXIS, angle);
  for (int i = 0; i < s->d->ncon; i++) {
    cr_sub3(arm, s->d->contact_pos + 3 * i, s->d->geom_xpos + 3);
    cr_multmat3(x, s->d->geom_xmat + 9, arm);
    sum += s->d->contact_weight[i] * x[1];
    total += s->d->contact_weight[i];
  }
  return sum / total;
}

// steepest slope of that, m/rad, up to 40 degrees to either side
static cr_real steepest(int collision, bool boxes) {
  scene s;
  open_scene(&s, collision, boxes);
  cr_real slope = 0, last = 0, step = degrees(CR_R(0.25));
  for (int i = -160; i <= 160; i++) {
    cr_real place = load_place(&s, step * (cr_real)i);
    slope = i > -160 ? cr_max(slope, cr_abs(place - last) / step) : 0;
    last = place;
  }
  close_scene(&s);
  return slope;
}

TEST(surface_stays) {
  const struct {
    const char* name;
    cr_real axis[3], angle;
  } poses[] = {{"face", {1, 0, 0}, 0},
               {"edge", {1, 0, 0}, CR_PI / 4},
               {"corner", {1, -1, 0}, cr_atan2(cr_sqrt(2), 1)},
               {"2 degrees", {1, 0, 0}, degrees(2)},
               {"10 degrees", {1, 0, 0}, degrees(10)},
               {"30 degrees", {1, 0, 0}, degrees(30)},
               {"20 degrees skew", {2, 1, 0}, degrees(20)}};
  for (int i = 0; i < 7; i++) {
    cr_real soft = displacement(CR_COLLISION_SOFT, false, poses[i].axis, poses[i].angle);
    cr_real smooth = displacement(CR_COLLISION_SMOOTH, false, poses[i].axis, poses[i].angle);
    cr_real boxes = displacement(CR_COLLISION_SMOOTH, true, poses[i].axis, poses[i].angle);
    print_message("%-16s soft %7.3f mm  smooth %9.6f mm  on a box %9.6f mm\n", poses[i].name,
                  1e3 * (double)soft, 1e3 * (double)smooth, 1e3 * (double)boxes);
    assert_true(cr_abs(smooth) < soft / 10);
    assert_true(cr_abs(boxes) < soft / 10);
    // where a body may rest it is not moved at all
    assert_true(i > 2 || (cr_abs(smooth) < CR_R(1e-12) && cr_abs(boxes) < CR_R(1e-12)));
    assert_close(displacement(CR_COLLISION_HARD, false, poses[i].axis, poses[i].angle), 0,
                 CR_R(1e-12));
  }
}

// at the same number smooth is at least as smooth as soft
TEST(load_moves_as_smoothly) {
  cr_real soft = steepest(CR_COLLISION_SOFT, false), smooth = steepest(CR_COLLISION_SMOOTH, false);
  cr_real boxes = steepest(CR_COLLISION_SMOOTH, true);
  print_message("steepest: soft %.1f, smooth %.1f, on a box %.1f mm/rad\n", 1e3 * (double)soft,
                1e3 * (double)smooth, 1e3 * (double)boxes);
  assert_true(smooth < soft && smooth > soft / 2);
  assert_close(boxes, smooth, CR_R(0.02) * smooth);
}

// a mesh: a prism of six sides, tilted, over a plane, then over a box

// where its load is, by hits up to `length` apart, or for 0 by those that touch
static cr_real prism_place(const cr_pair* pair, const solid* floor, const hull_store* store,
                           cr_real angle, cr_real length) {
  solid prism = solid_at(0, 0, 0, 0, 0, 0);
  cr_real low = CR_MAX, weight, sum = 0;
  cr_hit hit[CR_MAX_HITS];
  cr_hit_tan own[CR_MAX_HITS];
  prism.type = CR_GEOM_MESH;
  prism.hull = &store->hull;
  solid_turn(&prism, (const cr_real[3]){1, CR_R(0.3), 0}, angle);
  for (int v = 0; v < store->hull.nvert; v++) {
    low = cr_min(low, cr_dot3(prism.mat + 6, store->hull.vert + 3 * v));
  }
  prism.pos[2] = -low;
  int n = solid_hits(pair, floor, &prism, cr_max(length, CR_R(1e-9)), hit);
  assert_true(n > 0);
  for (int i = 0; i < n; i++) {
    own[i] = cri_contact_merge_row(&hit[i]);
    sum += hit[i].pos[1];
  }
  if (length == 0) {
    return sum / (cr_real)n;
  }
  cr_hit_tan mean = cri_contact_merge(own, n, length, &weight);
  assert_close(mean.dist, 0, angle == 0 ? CR_R(1e-12) : CR_R(0.015) * length);
  return mean.pos[1];
}

// largest step of that place in a tenth of a degree, up to 30 degrees to either side
static cr_real largest_jump(const cr_pair* pair, const solid* floor, cr_real length) {
  hull_store store;
  cr_real last = 0, jump = 0;
  hull_prism(&store, 6, CR_R(0.06), HALF);
  for (int i = -300; i <= 300; i++) {
    cr_real place = prism_place(pair, floor, &store, degrees(CR_R(0.1) * (cr_real)i), length);
    jump = i > -300 ? cr_max(jump, cr_abs(place - last)) : 0;
    last = place;
  }
  return jump;
}

TEST(mesh_moves_its_load_smoothly) {
  solid plane = solid_at(0, 0, 0, 2, 2, 1), box = solid_at(0, 0, -1, 2, 2, 1);
  plane.type = CR_GEOM_PLANE;
  box.type = CR_GEOM_BOX;
  box.all = true;
  const cr_pair hull = {cri_plane_hull, NULL, NULL}, all = {cri_plane_hull_all, NULL, NULL};
  const cr_pair convex = {cri_convex_pair, NULL, NULL};
  cr_real hard[2] = {largest_jump(&hull, &plane, 0), largest_jump(&convex, &box, 0)};
  cr_real smooth[2] = {largest_jump(&all, &plane, HALF),
                       largest_jump(&convex, &box, CR_R(0.1743) * HALF)};
  print_message("mesh on a plane %.2f mm, hard %.0f; on a box %.2f mm, hard %.0f\n",
                1e3 * (double)smooth[0], 1e3 * (double)hard[0], 1e3 * (double)smooth[1],
                1e3 * (double)hard[1]);
  assert_true(smooth[0] < CR_R(0.0002));
  // several contacts end at 5 degrees, where corners between the lowest and the highest still share
  assert_true(5 * smooth[1] < hard[1]);
}

// ---- landings

typedef struct {
  cr_real spin, slope;
} landing;

static cr_status spin_of(void* context, const cr_model* m, const cr_data* d, int step,
                         cr_real* loss) {
  *loss += d->qvel[3];
  return CR_OK;
}

static cr_status spin_bar(void* context, const cr_model* m, const cr_data* d, int step,
                          cr_data* bar) {
  bar->qvel[3] += 1;
  return CR_OK;
}

// falls 20 mm onto a face, tilted; the spin after the first impact, and its derivative by the tilt
static landing land(const cr_model* m, cr_real tilt) {
  cr_rollout* r;
  cr_error error = {0};
  const cr_adaptive options = {
      .size = sizeof options, .rtol = CR_R(1e-8), .atol = CR_R(1e-8), .grid = CR_R(0.06)};
  const cr_loss loss = {.value = spin_of, .bar = spin_bar};
  assert_int_equal(cr_rollout_create(&r, m, 1, NULL, 0, &error), CR_OK);
  assert_int_equal(cr_rollout_set_adaptive(r, m, &options, &error), CR_OK);
  cr_zero(r->d->qpos, m->nq);
  cr_quat_axis_angle(r->d->qpos + 3, X_AXIS, tilt);
  r->d->qpos[2] = HALF * (cr_cos(tilt) + cr_abs(cr_sin(tilt))) + CR_R(0.02);
  r->d->qvel[2] = -1;
  if (cr_rollout_run(r, m, 1, &loss, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(cr_rollout_gradient(r, m, m, &loss, &error), CR_OK);
  landing x = {r->loss, r->bar->qpos[3]};
  cr_rollout_destroy(r);
  return x;
}

// of the gradient over tilts up to 0.3 rad
static cr_real lipschitz(int collision) {
  enum { N = 10 };
  cr_model m;
  cr_real most = 0, step = CR_R(0.3) / N, last = 0;
  published_cube(&m);
  m.collision = collision;
  m.geom_quat[4] = 1;
  m.geom_quat[5] = 0;
  for (int i = -N; i <= N; i++) {
    cr_real slope = land(&m, step * (cr_real)i).slope;
    most = i > -N ? cr_max(most, cr_abs(slope - last) / step) : 0;
    last = slope;
  }
  cri_model_free(&m);
  return most;
}

TEST(gradient_of_a_landing_is_smooth) {
  cr_real hard = lipschitz(CR_COLLISION_HARD), soft = lipschitz(CR_COLLISION_SOFT);
  cr_real smooth = lipschitz(CR_COLLISION_SMOOTH);
  print_message("Lipschitz constant of d spin/d tilt: hard %.0f, soft %.0f, smooth %.0f\n",
                (double)hard, (double)soft, (double)smooth);
  assert_true(smooth < soft);
  assert_true(10 * smooth < hard);
}
