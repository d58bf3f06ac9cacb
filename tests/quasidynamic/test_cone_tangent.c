// SPDX-License-Identifier: Apache-2.0
// The active set: rows that depend on each other have one derivative of x all the same; contacts that stick and slip.
#include "quasidynamic/cone_tangent.h"

#include "quasidynamic/cone_system.h"

#include "support/close.h"

static cri_cone c;

static void open_room(void) { assert_int_equal(cri_cone_create(&c, 2, 8, NULL), CR_OK); }
static void close_room(void) { cri_cone_free(&c); }
AROUND_EACH(open_room, close_room)

// minimise |x|^2 / 2 - b'x
static void begin(cr_real b0, cr_real b1) {
  c.nv = 2;
  c.nrow = c.nblock = 0;
  c.Q[0] = c.Q[3] = 1;
  c.Q[1] = c.Q[2] = 0;
  c.b[0] = b0;
  c.b[1] = b1;
}

static void add_row(cr_real g0, cr_real g1, cr_real h) {
  c.G[2 * c.nrow] = g0;
  c.G[2 * c.nrow + 1] = g1;
  c.h[c.nrow++] = h;
}

static void add_block(int dim) {
  c.adr[c.nblock] = c.nrow;
  c.dim[c.nblock++] = dim;
}

TEST(rows_that_depend_on_each_other) {
  const cr_real rho[2] = {0, -1},
                sigma[8] = {1, 2, 1};  // h of the second row, twice the first, moves twice as far
  cr_real dx[2];
  begin(-1, 0);
  for (int i = 0; i < 3; i++) {
    add_block(1);
    add_row(i == 1 ? 2 : 1, 0, 0);
  }
  assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
  assert_close(c.x[0], 0, CR_R(1e-15));
  assert_true(cri_cone_linearise(&c));
  cri_cone_tangent(&c, rho, sigma, dx);
  assert_close(dx[0], -1, CR_R(1e-11));
  assert_close(dx[1], 1, CR_R(1e-11));
}

// x_0 against a wall at 0 with friction 1/2: x_1 stays up to half the force, and beyond slides to the rest of it
TEST(friction_sticks_then_slides) {
  const cr_real rho[2] = {0, -1}, sigma[8] = {0};
  for (int slides = 0; slides < 2; slides++) {
    cr_real dx[2];
    begin(-1, slides != 0 ? CR_R(0.9) : CR_R(0.3));
    add_block(2);
    add_row(1, 0, 0);
    add_row(0, CR_R(0.5), 0);
    assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
    assert_int_equal(c.contact[0] == CRI_CONE_SLIDING, slides);
    assert_true(cri_cone_linearise(&c));
    cri_cone_tangent(&c, rho, sigma, dx);
    // sliding: x_0 = x_1 / 2 in Anitescu's relaxation; (1 + 1/4) x_1 = 0.9 - 1/2
    assert_close(c.x[1], slides != 0 ? CR_R(0.32) : 0, CR_R(1e-12));
    assert_close(c.x[0], c.x[1] / 2, CR_R(1e-12));
    assert_close(dx[1], slides != 0 ? CR_R(0.8) : 0, CR_R(1e-12));
  }
}

// started from numbers beside the solution, Newton's steps end at it
TEST(newton_ends_at_the_solution) {
  begin(-1, CR_R(0.9));
  add_block(2);
  add_row(1, 0, 0);
  add_row(0, CR_R(0.5), 0);
  assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
  const cr_real x = c.y[1];
  c.y[1] += CR_R(1e-4);
  c.zi[0] += CR_R(1e-4);
  c.residual = cri_cone_residual(&c);
  assert_true(c.residual > CR_R(1e-6));
  cri_cone_polish(&c);
  assert_true(c.residual < CR_R(1e-14));
  assert_close(c.y[1], x, CR_R(1e-13));
}
