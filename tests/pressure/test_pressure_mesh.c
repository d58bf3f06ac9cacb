// SPDX-License-Identifier: Apache-2.0
// Elements in the order of a tree, and boxes that hold them at any sizes.
#include "pressure/pressure_mesh.h"

#include "base/random.h"
#include "pressure/box_tree.h"
#include "support/close.h"

enum { VERTICES = 30, TETRAHEDRA = 41 };

static cri_pressure_mesh drawn(cr_random* r) {
  cri_pressure_mesh m;
  cr_error error;
  const cr_real size[3] = {1, 1, 1};
  assert_int_equal(cri_pressure_mesh_allocate(VERTICES, TETRAHEDRA, &m, &error), CR_OK);
  for (int i = 0; i < 3 * VERTICES; i++) {
    m.rest[i] = cr_random_normal(r);
  }
  for (int i = 0; i < 9 * VERTICES; i++) {
    m.place[i] = cr_random_normal(r);
  }
  for (int i = 0; i < 4 * TETRAHEDRA; i++) {
    m.tet[i] = i % 4 == 3 && i % 3 == 0 ? -1 : (int32_t)cr_random_int(r, VERTICES);
  }
  assert_int_equal(cri_pressure_mesh_order(&m, size, &error), CR_OK);
  return m;
}

// whether the box of a row holds the elements [lo, hi) and touches them where sizes are those without place
static void check_range(const cri_pressure_mesh* m, int row, int lo, int hi,
                        const cr_real size[3]) {
  cr_real box[6];
  cri_pressure_box(m->bound + CRI_PRESSURE_BOUND * row, size, box);
  for (int i = lo; i < hi; i++) {
    for (int k = 0; k < 4 && m->tet[4 * i + k] >= 0; k++) {
      const int v = m->tet[4 * i + k];
      cr_real x[3];
      cri_pressure_vertex(m->rest + 3 * v, m->place + 9 * v, size, x);
      for (int axis = 0; axis < 3; axis++) {
        assert_true(x[axis] >= box[axis] - CR_R(1e-14) && x[axis] <= box[3 + axis] + CR_R(1e-14));
      }
    }
  }
  if (hi - lo > 1 && row > 0) {
    const int middle = cri_box_tree_middle(lo, hi);
    if (middle - lo > 1) {
      check_range(m, cri_box_tree_middle(lo, middle), lo, middle, size);
    }
    if (hi - middle > 1) {
      check_range(m, cri_box_tree_middle(middle, hi), middle, hi, size);
    }
  }
}

TEST(boxes_hold_their_elements_at_any_sizes) {
  cr_random r = cr_random_seed(5, 0);
  cri_pressure_mesh m = drawn(&r);
  for (int turn = 0; turn < 50; turn++) {
    cr_real size[3];
    for (int k = 0; k < 3; k++) {
      size[k] = turn == 0 ? 0 : cr_random_normal(&r);
    }
    check_range(&m, 0, 0, TETRAHEDRA, size);
    check_range(&m, cri_box_tree_middle(0, TETRAHEDRA), 0, TETRAHEDRA, size);
  }
  cri_pressure_mesh_free(&m);
}

// of one size the box is the least one
TEST(a_box_is_no_larger_than_its_vertices_at_sizes_of_zero) {
  cr_random r = cr_random_seed(6, 0);
  cri_pressure_mesh m = drawn(&r);
  const cr_real size[3] = {0};
  cr_real box[6], least[6];
  cri_box_empty(least);
  for (int i = 0; i < 4 * TETRAHEDRA; i++) {
    if (m.tet[i] >= 0) {
      cri_box_add(least, m.rest + 3 * m.tet[i]);
    }
  }
  cri_pressure_box(m.bound, size, box);
  for (int k = 0; k < 6; k++) {
    assert_close(box[k], least[k], 0);
  }
  cri_pressure_mesh_free(&m);
}

// the transpose of the tangent
TEST(vertices_move_with_the_sizes) {
  cr_random r = cr_random_seed(7, 0);
  cri_pressure_mesh m = drawn(&r);
  cr_real size_tan[3], x_tan[3], x_bar[3], size_bar[3] = {0}, at[3], moved[3], size[3] = {1, 2, 3};
  for (int k = 0; k < 3; k++) {
    size_tan[k] = cr_random_normal(&r);
    x_bar[k] = cr_random_normal(&r);
  }
  cri_pressure_vertex_tan(m.place, size_tan, x_tan);
  cri_pressure_vertex_bar(m.place, x_bar, size_bar);
  cri_pressure_vertex(m.rest, m.place, size, at);
  cr_acc3(size, size_tan);
  cri_pressure_vertex(m.rest, m.place, size, moved);
  for (int k = 0; k < 3; k++) {
    assert_close(moved[k] - at[k], x_tan[k], CR_R(1e-13));
  }
  assert_close(cr_dot3(size_tan, size_bar), cr_dot3(x_tan, x_bar), CR_R(1e-13));
  cri_pressure_mesh_free(&m);
}
