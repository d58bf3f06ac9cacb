// SPDX-License-Identifier: Apache-2.0
// Faces of all kinds: closed forms by hand; derivatives against differences of order four, and against each other;
// what is no face; random shakes.
#include "pressure/face.h"

#include "base/random.h"
#include "support/close.h"

static cri_tetrahedron tetrahedron(cr_random* r, cr_real least) {
  cri_tetrahedron t;
  do {
    for (int i = 0; i < 12; i++) {
      t.vertex[i / 3][i % 3] = cr_random_normal(r);
    }
  } while (cr_abs(cri_tetrahedron_volume6(&t)) < least);
  for (int i = 0; i < 4; i++) {
    t.pressure[i] = cr_random_uniform(r);
  }
  return t;
}

static void complete(cri_elements* e) {
  assert_true(e->other == CRI_RIGID_IN_SPACE || cri_tetrahedron_complete(&e->a));
  if (e->other == CRI_COMPLIANT) {
    assert_true(cri_tetrahedron_complete(&e->b));
  }
}

static cri_elements drawn(cri_other other, cr_random* r, cr_real least) {
  cri_elements e = {.other = other, .a = tetrahedron(r, least), .b = tetrahedron(r, least)};
  for (int k = 0; k < 4; k++) {
    e.b.field[k] = cr_random_normal(r);
  }
  if (other == CRI_RIGID_IN_SPACE) {
    cr_copy(e.a.field, e.b.field, 4);
  }
  if (other == CRI_RIGID_SPACE) {
    cr_scl3(e.b.field, e.b.field, 1 / cr_norm3(e.b.field));
  }
  complete(&e);
  return e;
}

// ---- derivatives

static cri_elements moved(const cri_elements* e, const cri_elements* e_tan, cr_real h) {
  cri_elements x = *e;
  cri_tetrahedron* to[2] = {&x.a, &x.b};
  const cri_tetrahedron* by[2] = {&e_tan->a, &e_tan->b};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 4; i++) {
      cr_accscl3(to[k]->vertex[i], by[k]->vertex[i], h);
      to[k]->pressure[i] += h * by[k]->pressure[i];
      to[k]->field[i] += h * by[k]->field[i];  // of spaces; others are made new
    }
  }
  complete(&x);
  return x;
}

enum { NUMBERS = sizeof(cri_face) / sizeof(cr_real) };

// corners are made by the same nodes
static bool same_corners(const cri_polygon* a, const cri_polygon* b) {
  bool same = a->n == b->n && a->nnode == b->nnode;
  for (int i = 0; same && i < a->nnode; i++) {
    same = a->node[i].plane == b->node[i].plane && a->node[i].from == b->node[i].from &&
           a->node[i].to == b->node[i].to;
  }
  for (int i = 0; same && i < a->n; i++) {
    same = a->corner[i] == b->corner[i];
  }
  return same;
}

// false where corners change, and where the polygon is so thin that differences say nothing
static bool differences(const cri_elements* e, const cri_face_parts* p, const cri_elements* e_tan,
                        cr_real h, cr_real slope[NUMBERS]) {
  const cr_real at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  cr_zero(slope, NUMBERS);
  for (int i = 0; i < 4; i++) {
    cri_elements x = moved(e, e_tan, h * at[i]);
    cri_face_parts q;
    cri_face f;
    if (!cri_face_make(&x, &q, &f) || !same_corners(&p->polygon, &q.polygon) ||
        f.area < CR_R(0.05)) {
      return false;
    }
    for (int k = 0; k < NUMBERS; k++) {
      slope[k] += weight[i] * ((const cr_real*)(const void*)&f)[k] / (12 * h);
    }
  }
  return true;
}

static cr_real product(const cri_elements* a, const cri_elements* b) {
  cr_real sum = 0;
  for (int i = 0; i < 4; i++) {
    sum += cr_dot3(a->a.vertex[i], b->a.vertex[i]) + a->a.pressure[i] * b->a.pressure[i];
    sum += a->b.pressure[i] * b->b.pressure[i];
    sum += a->other >= CRI_RIGID && i == 3 ? 0 : cr_dot3(a->b.vertex[i], b->b.vertex[i]);
    sum += a->other == CRI_RIGID_IN_SPACE ? a->a.field[i] * b->a.field[i] : 0;
    sum += a->other <= CRI_COMPLIANT_SPACE ? a->b.field[i] * b->b.field[i] : 0;
  }
  return sum;
}

static void check_kind(cri_other other) {
  const cr_real h = cr_pow(CR_EPS, CR_R(0.2)) / 50;
  cr_random r = cr_random_seed(7, (uint64_t)other);
  int compared = 0;
  for (int k = 0; k < 4000 && compared < 100; k++) {
    cri_elements e = drawn(other, &r, 1), e_tan = drawn(other, &r, CR_R(0.01)),
                 e_bar = {.other = other};
    cri_face_parts p;
    cri_face f, f_tan, f_bar;
    cr_real slope[NUMBERS], out = 0, scale = 1;
    if (!cri_face_make(&e, &p, &f) || f.area < CR_R(0.1)) {
      continue;
    }
    if (other != CRI_RIGID_IN_SPACE) {
      cri_tetrahedron_complete_tan(&e.a, &e_tan.a);
    }
    if (other == CRI_COMPLIANT) {
      cri_tetrahedron_complete_tan(&e.b, &e_tan.b);
    }
    cri_face_tan(&e, &p, &f, &e_tan, &f_tan);
    const cr_real* tan = (const cr_real*)(const void*)&f_tan;
    cr_real* bar = (cr_real*)(void*)&f_bar;
    for (int i = 0; i < NUMBERS; i++) {
      bar[i] = cr_random_normal(&r);
      out += bar[i] * tan[i];
      scale = cr_max(scale, cr_abs(tan[i]));
    }
    cri_face_bar(&e, &p, &f, &f_bar, &e_bar);
    assert_close(product(&e_bar, &e_tan), out, 1000 * CR_EPS * scale * scale);
    if (differences(&e, &p, &e_tan, h, slope)) {
      for (int i = 0; i < NUMBERS; i++) {
        assert_close(tan[i], slope[i], 100 * CR_EPS / h * scale * scale);
      }
      compared++;
    }
  }
  assert_int_equal(compared, 100);
}

TEST(derivatives_with_a_rigid_half_space) { check_kind(CRI_RIGID_SPACE); }
TEST(derivatives_with_a_compliant_half_space) { check_kind(CRI_COMPLIANT_SPACE); }
TEST(derivatives_of_two_tetrahedra) { check_kind(CRI_COMPLIANT); }
TEST(derivatives_with_a_triangle) { check_kind(CRI_RIGID); }
TEST(derivatives_of_a_triangle_in_a_half_space) { check_kind(CRI_RIGID_IN_SPACE); }

// ---- closed forms

// the unit tetrahedron upside down: its lowest point is pressed, at pressure 1
static cri_elements on_ground(cri_other other, cr_real depth) {
  cri_elements e = {
      .other = other,
      .a = {.vertex = {{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {0, 0, 1}}, .pressure = {0, 1, 1, 1}},
      .b = {.field = {0, 0, -1, depth}}};
  complete(&e);
  return e;
}

TEST(a_tip_on_the_ground) {
  const cr_real z = CR_R(0.25);
  cri_elements e = on_ground(CRI_RIGID_SPACE, z);
  cri_face_parts p;
  cri_face f;
  assert_true(cri_face_make(&e, &p, &f));
  const cr_real centre[3] = {z / 3, z / 3, z}, down[3] = {0, 0, -1};
  assert_close(f.area, z * z / 2, CR_R(1e-15));
  assert_all_close(f.pos, centre, 3, CR_R(1e-14));
  assert_all_close(f.normal, down, 3, CR_R(1e-14));
  assert_close(f.pressure, z, CR_R(1e-15));
  assert_close(f.gradient, 1, CR_R(1e-15));

  // the ground three times as stiff, surface at 1/2: pressures z and 3 (1/2 - z) are equal at 3/8
  e = on_ground(CRI_COMPLIANT_SPACE, 0);
  e.b.field[2] = -3;
  e.b.field[3] = CR_R(1.5);
  assert_true(cri_face_make(&e, &p, &f));
  assert_close(f.pos[2], CR_R(0.375), CR_R(1e-14));
  assert_close(f.pressure, CR_R(0.375), CR_R(1e-14));
  assert_close(f.gradient, CR_R(0.75), CR_R(1e-14));
}

TEST(a_rigid_triangle_on_a_tip) {
  const cr_real z = CR_R(0.25);
  cri_elements e = on_ground(CRI_RIGID, 0);
  const cr_real wide[3][3] = {{-5, -5, CR_R(0.25)}, {5, -5, CR_R(0.25)}, {0, 8, CR_R(0.25)}};
  memcpy(e.b.vertex, wide, sizeof wide);
  cri_face_parts p;
  cri_face f;
  assert_true(cri_face_make(&e, &p, &f));
  assert_close(f.area, z * z / 2, CR_R(1e-14));
  assert_close(f.normal[2], -1, CR_R(1e-14));  // the body of the triangle is below it
  assert_close(f.pressure, z, CR_R(1e-14));
  assert_close(f.gradient, 1, CR_R(1e-14));
}

TEST(equal_fields_have_no_face) {
  cri_elements e = on_ground(CRI_RIGID_SPACE, 0);
  e.other = CRI_COMPLIANT;
  e.b = e.a;
  cri_face_parts p;
  cri_face f;
  assert_false(cri_face_make(&e, &p, &f));
}

// ---- nothing is ever NaN

TEST(random_and_degenerate_pairs_are_finite) {
  cr_random r = cr_random_seed(9, 0);
  int made = 0;
  for (int k = 0; k < 100000; k++) {
    cri_elements e = {.other = (cri_other)(k % 4)};
    e.a = tetrahedron(&r, CR_R(0.001));
    e.b = tetrahedron(&r, CR_R(0.001));
    if (k % 3 == 0) {  // on a grid of three points a side: coincident vertices, edges and faces
      for (int i = 0; i < 24; i++) {
        cr_real* x = i < 12 ? &e.a.vertex[i / 3][i % 3] : &e.b.vertex[(i - 12) / 3][i % 3];
        *x = (cr_real)cr_random_int(&r, 3);
      }
    }
    for (int i = 0; i < 4; i++) {
      e.b.field[i] = (cr_real)cr_random_int(&r, 3) - 1;
      e.a.pressure[i] = (cr_real)cr_random_int(&r, 2);
    }
    if (!cri_tetrahedron_complete(&e.a) ||
        (e.other == CRI_COMPLIANT && !cri_tetrahedron_complete(&e.b))) {
      continue;
    }
    cri_face_parts p;
    cri_face f, f_tan;
    if (cri_face_make(&e, &p, &f)) {
      cri_elements e_tan = drawn(e.other, &r, CR_R(0.01));
      cri_face_tan(&e, &p, &f, &e_tan, &f_tan);
      for (int i = 0; i < NUMBERS; i++) {
        assert_true(cr_abs(((const cr_real*)(const void*)&f)[i]) < CR_R(1e12));
        assert_true(cr_abs(((const cr_real*)(const void*)&f_tan)[i]) <= CR_MAX);
      }
      made++;
    }
  }
  assert_true(made > 10000);
}
