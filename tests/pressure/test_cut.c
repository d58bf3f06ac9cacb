// SPDX-License-Identifier: Apache-2.0
// Cuts with areas known by hand: a tetrahedron by planes parallel to a face, a quadrilateral, clipped triangles; and
// neighbours that share a cut without gap or overlap.
#include "pressure/cut.h"

#include "base/random.h"
#include "support/close.h"

// around the direction of `across`
static cr_real area(const cri_cut* cut, const cri_polygon* p) {
  cr_real sum[3] = {0}, length = cr_norm3(cut->across);
  for (int i = 1; i + 1 < p->n; i++) {
    cr_real u[3], v[3];
    cr_sub3(u, p->node[p->corner[i]].pos, p->node[p->corner[0]].pos);
    cr_sub3(v, p->node[p->corner[i + 1]].pos, p->node[p->corner[0]].pos);
    cr_acccross3(sum, u, v);
  }
  return cr_dot3(sum, cut->across) / (2 * length);
}

static const cri_cut CORNER = {.nstart = 4, .start = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

TEST(a_slice_has_the_area_of_the_closed_form) {
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 1; i < 10; i++) {
      cri_cut cut = CORNER;
      cr_real z = (cr_real)i / 10, sign = turn == 0 ? 1 : -1;
      cri_polygon p;
      cut.across[2] = sign;
      cut.across[3] = -sign * z;
      cri_cut_polygon(&cut, &p);
      assert_int_equal(p.n, 3);
      assert_close(area(&cut, &p), (1 - z) * (1 - z) / 2, CR_R(1e-15));
    }
  }
  // x + y = 1/2: a rectangle of sqrt(1/2) by heights 1/2, at z from 0 to 1/2
  cri_cut cut = CORNER;
  cri_polygon p;
  cut.across[0] = cut.across[1] = 1;
  cut.across[3] = -CR_R(0.5);
  cri_cut_polygon(&cut, &p);
  assert_int_equal(p.n, 4);
  assert_close(area(&cut, &p), cr_sqrt(CR_R(0.5)) / 2, CR_R(1e-15));
}

TEST(a_plane_beside_a_tetrahedron_cuts_nothing) {
  cri_cut cut = CORNER;
  cri_polygon p;
  cut.across[2] = 1;
  cut.across[3] = -2;
  cri_cut_polygon(&cut, &p);
  assert_int_equal(p.n, 0);
  cut.across[3] = CR_R(0.5);
  cri_cut_polygon(&cut, &p);
  assert_int_equal(p.n, 0);
}

// of the two tetrahedra on both sides of a face in the plane, one has the face
TEST(a_face_in_the_plane_counts_once) {
  cri_cut cut = CORNER;
  cri_polygon above, below;
  cut.across[2] = 1;
  cri_cut_polygon(&cut, &above);
  cut.start[3][2] = -1;
  cri_cut_polygon(&cut, &below);
  assert_true((above.n == 0) != (below.n == 0));
  assert_close(above.n == 0 ? area(&cut, &below) : area(&cut, &above), CR_R(0.5), CR_R(1e-15));
}

TEST(a_triangle_is_clipped_to_its_share) {
  // the square -1..1 cuts the triangle (-3,-1) (3,-1) (0,2) of area 9 down to its part with |x| <= 1, |y| <= 1
  cri_cut cut = {.nstart = 3,
                 .nclip = 4,
                 .start = {{-3, -1, 0}, {3, -1, 0}, {0, 2, 0}},
                 .across = {0, 0, 1, 0},
                 .clip = {{1, 0, 0, 1}, {-1, 0, 0, 1}, {0, 1, 0, 1}, {0, -1, 0, 1}}};
  cri_polygon p;
  cri_cut_polygon(&cut, &p);
  assert_close(area(&cut, &p), 4, CR_R(1e-14));
  cut.across[2] = -1;
  cri_cut_polygon(&cut, &p);
  assert_close(area(&cut, &p), 4, CR_R(1e-14));
  cut.clip[0][3] = -5;  // x >= 5
  cri_cut_polygon(&cut, &p);
  assert_int_equal(p.n, 0);
}

// both sides of a clip together have the whole area, also where the plane goes through corners
TEST(two_sides_of_a_clip_make_the_whole) {
  cr_random r = cr_random_seed(1, 0);
  for (int k = 0; k < 1000; k++) {
    cri_cut cut = {.nstart = 4, .across = {0, 0, 1, 0}};
    cri_polygon p;
    cr_real part[2], whole;
    for (int i = 0; i < 12; i++) {
      cut.start[i / 3][i % 3] = cr_random_normal(&r);
    }
    cri_cut_polygon(&cut, &p);
    whole = area(&cut, &p);
    cut.nclip = 1;
    for (int side = 0; side < 2; side++) {
      const cr_real sign = side == 0 ? 1 : -1;
      const cr_real* on = p.n > 0 && k % 2 == 0 ? p.node[p.corner[0]].pos : cut.start[0];
      cut.clip[0][0] = sign;
      cut.clip[0][3] = -sign * on[0];
      cri_polygon half;
      cri_cut_polygon(&cut, &half);
      part[side] = area(&cut, &half);
    }
    assert_close(part[0] + part[1], whole, CR_R(1e-13) * (1 + whole));
  }
}

// rounding may see more than two crossings: the room is enough for corners that alternate
TEST(alternating_corners_have_room) {
  cri_cut cut = {.nstart = 4,
                 .nclip = 4,
                 .across = {0, 0, 1, -CR_R(0.5)},
                 .start = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 1, 1}}};
  cri_polygon p;
  for (int k = 0; k < 4; k++) {
    // 0 all over the polygon, up to rounding
    const cr_real third = CR_R(1.0) / 3;
    cut.clip[k][2] = third * (cr_real)(k + 1);
    cut.clip[k][3] = -cut.clip[k][2] / 2;
    cut.clip[k][k % 2] = CR_EPS * CR_EPS;
  }
  cri_cut_polygon(&cut, &p);
  assert_true(p.n <= CRI_CUT_CORNERS && p.nnode <= CRI_CUT_NODES);
}
