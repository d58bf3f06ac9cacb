// SPDX-License-Identifier: Apache-2.0
#include "pressure/primitive_mesh.h"

#include <stdlib.h>

#include "model/model.h"
#include "pressure/tetrahedron.h"

// share of the volume that flat tetrahedra may have: those of equal sizes have none
#define LOST CR_R(1e-9)

// ---- vertices and tetrahedra, one by one

// sizes of a geom by name
enum { RADIUS = 0, HALF_LENGTH = 1 };

// lists that grow, of members of cri_pressure_mesh; `size` are the sizes for which flat tetrahedra are left out
typedef struct {
  int nvert, ntet;
  cr_real *place, *level;
  int32_t* tet;
  cr_real size[3];
  int vert_room, tet_room;
  bool full;             // no memory
  cr_real volume, lost;  // six times that of all tetrahedra, and of flat ones that were left out
} builder;

static void* grown(builder* b, void* old, int n, int* room, size_t bytes) {
  if (n < *room) {
    return old;
  }
  int more = *room == 0 ? 64 : 2 * *room;
  void* larger = realloc(old, (size_t)more * bytes);
  b->full = b->full || larger == NULL;
  *room = larger != NULL ? more : *room;
  return larger != NULL ? larger : old;
}

static int add_vertex(builder* b, cr_real level, const cr_real place[9]) {
  int places = b->vert_room, levels = b->vert_room;
  b->place = grown(b, b->place, b->nvert, &places, 9 * sizeof(cr_real));
  b->level = grown(b, b->level, b->nvert, &levels, sizeof(cr_real));
  b->vert_room = places < levels ? places : levels;
  if (b->full) {
    return 0;
  }
  cr_copy(b->place + 9 * b->nvert, place, 9);
  b->level[b->nvert] = level;
  return b->nvert++;
}

// leaves out a flat one, and turns it so that its volume is positive
static void add_tet(builder* b, int i, int j, int k, int l) {
  b->tet = grown(b, b->tet, b->ntet, &b->tet_room, 4 * sizeof(int32_t));
  if (b->full) {
    return;
  }
  int32_t* tet = b->tet + 4 * b->ntet;
  cri_tetrahedron t = {.pressure = {0}};
  tet[0] = i;
  tet[1] = j;
  tet[2] = k;
  tet[3] = l;
  for (int v = 0; v < 4; v++) {
    cr_mulmat3(t.vertex[v], b->place + 9 * tet[v], b->size);
  }
  const cr_real volume6 = cri_tetrahedron_volume6(&t);
  const bool flat = !cri_tetrahedron_complete(&t);
  *(flat ? &b->lost : &b->volume) += cr_abs(volume6);
  if (flat) {
    return;
  }
  if (volume6 < 0) {
    tet[2] = l;
    tet[3] = k;
  }
  b->ntet++;
}

// Between triangles p and q, corner by corner. The level is affine in all prisms that are made here, so that any way to
// split them gives the same pressure. Corners of q may coincide.
static void add_prism(builder* b, const int p[3], const int q[3]) {
  add_tet(b, p[0], p[1], p[2], q[2]);
  add_tet(b, p[0], p[1], q[1], q[2]);
  add_tet(b, p[0], q[0], q[1], q[2]);
}

// Between a quadrilateral and the medial set, corner by corner; both prisms have the edge outer[0] inner[2].
static void add_frustum(builder* b, const int outer[4], const int inner[4]) {
  for (int half = 0; half < 2; half++) {
    const int p[3] = {outer[0], outer[1 + half], outer[2 + half]},
              q[3] = {inner[0], inner[1 + half], inner[2 + half]};
    add_prism(b, p, q);
  }
}

// ---- spheres, ellipsoids, capsules: a sphere of unit vectors in eight octants

typedef struct {
  builder* b;
  int type;
  int n;          // edges of a quarter of a circle
  int centre[2];  // vertices of the medial set: below, above
  int32_t* seen;  // vertices by whole coordinates i, j and half, -1 none yet
} ball;

// the vertex along the whole numbers i, j, k, |i| + |j| + |k| = n, of the upper or the lower half
static int on_ball(ball* x, int i, int j, int k, bool upper) {
  bool halves =
      x->type == CR_GEOM_CAPSULE || k != 0;  // do the two halves have vertices of their own?
  int32_t* seen = x->seen + 2 * ((i + x->n) * (2 * x->n + 1) + j + x->n) + (halves && upper);
  if (*seen >= 0) {
    return *seen;
  }
  cr_real u[3] = {(cr_real)i, (cr_real)j, (cr_real)k}, place[9] = {0};
  cr_normalize3(u);
  for (int axis = 0; axis < 3; axis++) {
    place[3 * axis + (x->type == CR_GEOM_ELLIPSOID ? axis : RADIUS)] = u[axis];
  }
  if (x->type == CR_GEOM_CAPSULE) {
    place[6 + HALF_LENGTH] = upper ? 1 : -1;
  }
  return *seen = add_vertex(x->b, 0, place);
}

// triangles of one octant, each with the centre of its half
static void add_octant(ball* x, int sx, int sy, int sz) {
  bool upper = sz > 0;
  int c = x->centre[upper];
  for (int i = 0; i < x->n; i++) {
    for (int j = 0; i + j < x->n; j++) {
      int k = x->n - i - j;
      int p = on_ball(x, sx * i, sy * j, sz * k, upper);
      int q = on_ball(x, sx * (i + 1), sy * j, sz * (k - 1), upper);
      int r = on_ball(x, sx * i, sy * (j + 1), sz * (k - 1), upper);
      add_tet(x->b, c, p, q, r);
      if (k > 1) {
        add_tet(x->b, c, q, r, on_ball(x, sx * (i + 1), sy * (j + 1), sz * (k - 2), upper));
      }
    }
  }
}

// the wedges between the segment and the cylinder around it
static void add_tube(ball* x) {
  for (int quarter = 0; quarter < 4; quarter++) {
    int sx = quarter == 0 || quarter == 3 ? 1 : -1, sy = quarter < 2 ? 1 : -1;
    for (int i = 0; i < x->n; i++) {
      int end[2][3];
      for (int half = 0; half < 2; half++) {
        end[half][0] = x->centre[half];
        end[half][1] = on_ball(x, sx * i, sy * (x->n - i), 0, half == 1);
        end[half][2] = on_ball(x, sx * (i + 1), sy * (x->n - i - 1), 0, half == 1);
      }
      add_prism(x->b, end[0], end[1]);
    }
  }
}

static void add_ball(builder* b, int type, int around) {
  ball x = {.b = b, .type = type, .n = around / 4};
  size_t count = 2 * (size_t)(2 * x.n + 1) * (size_t)(2 * x.n + 1);
  x.seen = malloc(count * sizeof *x.seen);
  if (x.seen == NULL) {
    b->full = true;
    return;
  }
  memset(x.seen, 0xff, count * sizeof *x.seen);
  cr_real place[9] = {0};
  place[6 + HALF_LENGTH] = type == CR_GEOM_CAPSULE ? -1 : 0;
  x.centre[0] = x.centre[1] = add_vertex(b, 1, place);
  if (type == CR_GEOM_CAPSULE) {
    place[6 + HALF_LENGTH] = 1;
    x.centre[1] = add_vertex(b, 1, place);
  }
  for (int octant = 0; octant < 8; octant++) {
    add_octant(&x, octant & 1 ? 1 : -1, octant & 2 ? 1 : -1, octant & 4 ? 1 : -1);
  }
  if (type == CR_GEOM_CAPSULE) {
    add_tube(&x);
  }
  free(x.seen);
}

// ---- box: from each side a frustum to the points that are farthest from the surface

// corner of the side on axis `axis`, 0 to 3 around it; inner: of the medial set
static int add_box_corner(builder* b, int axis, int sign, int corner, bool inner, int least) {
  cr_real place[9] = {0};
  int s[3];
  s[axis] = sign;
  s[(axis + 1) % 3] = corner == 0 || corner == 3 ? -1 : 1;
  s[(axis + 2) % 3] = corner < 2 ? -1 : 1;
  for (int k = 0; k < 3; k++) {
    place[3 * k + k] += (cr_real)s[k];
    place[3 * k + least] -= inner ? (cr_real)s[k] : 0;
  }
  return add_vertex(b, inner ? 1 : 0, place);
}

static void add_box(builder* b) {
  int least = b->size[1] < b->size[0] ? 1 : 0;
  least = b->size[2] < b->size[least] ? 2 : least;
  for (int side = 0; side < 6; side++) {
    int outer[4], inner[4];
    for (int k = 0; k < 4; k++) {
      outer[k] = add_box_corner(b, side / 2, side % 2 == 0 ? -1 : 1, k, false, least);
      inner[k] = add_box_corner(b, side / 2, side % 2 == 0 ? -1 : 1, k, true, least);
    }
    add_frustum(b, outer, inner);
  }
}

// ---- cylinder: long with a segment, or short with a disk, as medial set

// vertex on a ring around the axis: radius and height by their factors of the sizes
static int add_ring_vertex(builder* b, cr_real angle, const cr_real radius[2],
                           const cr_real height[2], cr_real level) {
  cr_real place[9] = {0};
  for (int k = 0; k < 2; k++) {
    place[3 * 0 + k] = radius[k] * cr_cos(angle);
    place[3 * 1 + k] = radius[k] * cr_sin(angle);
    place[3 * 2 + k] = height[k];
  }
  return add_vertex(b, level, place);
}

// one half of a cylinder at an angle
typedef struct {
  int rim, medial;
} spoke;

static void add_spokes(builder* b, bool is_long, cr_real angle, spoke x[2]) {
  for (int half = 0; half < 2; half++) {
    const cr_real sign = half == 0 ? -1 : 1;
    const cr_real full[2] = {1, 0}, none[2] = {0, 0}, less[2] = {1, -1};
    const cr_real end[2] = {0, sign}, inner[2] = {-sign, sign};
    x[half].rim = add_ring_vertex(b, angle, full, end, 0);
    x[half].medial = add_ring_vertex(b, angle, is_long ? none : less, is_long ? inner : none, 1);
  }
}

static void add_cylinder(builder* b, int around) {
  const bool is_long = b->size[HALF_LENGTH] >= b->size[RADIUS];
  int top[2], centre[2];
  for (int half = 0; half < 2; half++) {
    const cr_real sign = half == 0 ? -1 : 1;
    const cr_real none[2] = {0, 0}, end[2] = {0, sign}, inner[2] = {-sign, sign};
    top[half] = add_ring_vertex(b, 0, none, end, 0);
    centre[half] = add_ring_vertex(b, 0, none, is_long ? inner : none, 1);
  }
  spoke here[2], next[2];
  add_spokes(b, is_long, 0, here);
  for (int i = 1; i <= around; i++) {
    add_spokes(b, is_long, 2 * CR_PI * (cr_real)(i % around) / (cr_real)around, next);
    for (int half = 0; half < 2; half++) {
      const int p[3] = {top[half], here[half].rim, next[half].rim},
                q[3] = {centre[half], here[half].medial, next[half].medial};
      add_prism(b, p, q);
    }
    const int outer[4] = {here[0].rim, next[0].rim, next[1].rim, here[1].rim},
              inner[4] = {here[0].medial, next[0].medial, next[1].medial, here[1].medial};
    add_frustum(b, outer, inner);
    memcpy(here, next, sizeof here);
  }
}

// ---- the mesh

// The triangle of a tetrahedron on the surface, counter-clockwise seen from outside; false if it has none. In the meshes
// made here that is the face of three vertices of level 0.
static bool surface_of(const builder* b, const int32_t tet[4], int32_t triangle[4]) {
  static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  int inner = -1, count = 0;
  for (int k = 0; k < 4; k++) {
    if (b->level[tet[k]] > 0) {
      inner = k;
      count++;
    }
  }
  for (int k = 0; k < 3 && count == 1; k++) {
    triangle[k] = tet[face[inner][k]];
  }
  triangle[3] = -1;
  return count == 1;
}

static cr_status take(const builder* b, bool surface, cri_pressure_mesh* mesh, cr_error* error) {
  CR_TRY(cri_pressure_mesh_allocate(b->nvert, b->ntet, mesh, error));
  cr_copy(mesh->place, b->place, 9 * b->nvert);
  cr_copy(mesh->level, b->level, b->nvert);
  memcpy(mesh->tet, b->tet, 4 * (size_t)b->ntet * sizeof *b->tet);
  if (surface) {
    mesh->ntet = 0;
    for (int i = 0; i < b->ntet; i++) {
      mesh->ntet += surface_of(b, b->tet + 4 * i, mesh->tet + 4 * mesh->ntet);
    }
  }
  const cr_status status = cri_pressure_mesh_order(mesh, b->size, error);
  if (status != CR_OK) {
    cri_pressure_mesh_free(mesh);
  }
  return status;
}

static int sizes_of(int type) {
  return type == CR_GEOM_SPHERE ? 1 : type == CR_GEOM_CAPSULE || type == CR_GEOM_CYLINDER ? 2 : 3;
}

static cr_status check(int type, const cr_real size[3], int around, cr_error* error) {
  if (type < CR_GEOM_SPHERE || type > CR_GEOM_BOX) {
    return cri_fail(error, CR_ERR_UNSUPPORTED,
                    "pressure field: spheres, capsules, ellipsoids, cylinders, boxes and meshes "
                    "have one, geoms of type %d have none",
                    type);
  }
  for (int k = 0; k < sizes_of(type); k++) {
    if (!(size[k] > 0) || !(size[k] <= CR_MAX)) {
      return cri_fail(error, CR_ERR_ARG, "pressure field: size %d of the geom is %g, not above 0",
                      k, (double)size[k]);
    }
  }
  if (around < 4 || around > CRI_PRESSURE_AROUND || around % 4 != 0) {
    return cri_fail(error, CR_ERR_ARG,
                    "pressure field: %d edges around a circle, not a multiple of 4 from 4 to %d",
                    around, CRI_PRESSURE_AROUND);
  }
  return CR_OK;
}

static cr_status finish(const builder* b, bool surface, cri_pressure_mesh* mesh, cr_error* error) {
  if (b->full) {
    return cri_fail(error, CR_ERR_MEMORY, "pressure field: no memory for its elements");
  }
  if (!(b->lost < LOST * b->volume)) {
    return cri_fail(
        error, CR_ERR_ARG,
        "pressure field: sizes %g, %g, %g make its tetrahedra flat; let them differ less",
        (double)b->size[0], (double)b->size[1], (double)b->size[2]);
  }
  return take(b, surface, mesh, error);
}

cr_status cri_primitive_mesh_make(int type, const cr_real size[3], int around, bool surface,
                                  cri_pressure_mesh* mesh, cr_error* error) {
  builder b = {.nvert = 0};
  *mesh = (cri_pressure_mesh){.nvert = 0};
  CR_TRY(check(type, size, around, error));
  cr_copy3(b.size, size);
  if (type == CR_GEOM_BOX) {
    add_box(&b);
  } else if (type == CR_GEOM_CYLINDER) {
    add_cylinder(&b, around);
  } else {
    add_ball(&b, type, around);
  }
  const cr_status status = finish(&b, surface, mesh, error);
  free(b.place);
  free(b.level);
  free(b.tet);
  return status;
}
