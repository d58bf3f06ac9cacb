// SPDX-License-Identifier: Apache-2.0
#include "pressure/given_mesh.h"

#include <stdlib.h>

#include "pressure/closed_surface.h"
#include "pressure/tetrahedron.h"

// a volume is none below this share of the cube of the longest extent
#define EMPTY CR_R(1e-12)
// share of the volume that flat tetrahedra of a fan may have
#define LOST CR_R(1e-9)

// what is made on the way; triangles are counter-clockwise seen from outside
typedef struct {
  const cr_pressure_solid* given;
  int32_t *first, *tet, *face;
  int ntet, nface;
  cri_pressure_mesh mesh;
} making;

// ---- what is given

static cr_status check_indices(const char* what, int n, int width, const int32_t* index, int nvert,
                               cr_error* error) {
  for (int i = 0; i < n * width; i++) {
    if (index[i] < 0 || index[i] >= nvert) {
      return cri_fail(error, CR_ERR_ARG, "%s %d has vertex %d, of %d", what, i / width, index[i],
                      nvert);
    }
  }
  return CR_OK;
}

static cr_status check_given(const cr_pressure_solid* g, cr_error* error) {
  static const int most = INT32_MAX / CRI_PRESSURE_BOUND;
  if (g->nvert < 4 || g->nvert > most || g->vertex == NULL) {
    return cri_fail(error, CR_ERR_ARG, "its mesh has %d vertices, from 4 to %d expected", g->nvert,
                    most);
  }
  const bool tets = g->ntet > 0 && g->tet != NULL, faces = g->nface > 0 && g->face != NULL;
  if (tets == faces || g->ntet > most || g->nface > most) {
    return cri_fail(error, CR_ERR_ARG,
                    "its mesh has %d tetrahedra and %d triangles, either of them expected", g->ntet,
                    g->nface);
  }
  for (int i = 0; g->level != NULL && i < g->nvert; i++) {
    if (!(g->level[i] >= 0) || !(g->level[i] <= CR_MAX)) {
      return cri_fail(error, CR_ERR_ARG, "vertex %d has a level of %g, 0 or more expected", i,
                      (double)g->level[i]);
    }
  }
  if (g->level != NULL && faces) {
    return cri_fail(error, CR_ERR_ARG, "its mesh has levels, but triangles and no tetrahedra");
  }
  return tets ? check_indices("tetrahedron", g->ntet, 4, g->tet, g->nvert, error)
              : check_indices("triangle", g->nface, 3, g->face, g->nvert, error);
}

static void corners(const cr_real* vertex, const int32_t tet[4], cri_tetrahedron* t) {
  for (int k = 0; k < 4; k++) {
    cr_copy3(t->vertex[k], vertex + 3 * tet[k]);
    t->pressure[k] = 0;
  }
}

// ---- tetrahedra

static cr_status turn_tetrahedra(making* x, cr_error* error) {
  const cr_pressure_solid* g = x->given;
  memcpy(x->tet, g->tet, 4 * (size_t)g->ntet * sizeof *x->tet);
  for (int i = 0; i < g->ntet; i++) {
    int32_t* tet = x->tet + 4 * i;
    cri_tetrahedron t;
    corners(g->vertex, tet, &t);
    if (!cri_tetrahedron_complete(&t)) {
      return cri_fail(error, CR_ERR_ARG, "tetrahedron %d is flat", i);
    }
    if (cri_tetrahedron_volume6(&t) < 0) {
      const int32_t last = tet[3];
      tet[3] = tet[2];
      tet[2] = last;
    }
  }
  x->ntet = g->ntet;
  return cri_tetrahedra_boundary(x->ntet, x->tet, x->first, x->face, &x->nface, error);
}

// Square of the distance of p from a triangle a, b, c: inside its prism from the plane, else from the nearest edge.
static cr_real triangle_distance2(const cr_real p[3], const cr_real* v[3]) {
  cr_real least = CR_MAX, u[3], w[3], n[3], off[3];
  bool inside = true;
  cr_sub3(u, v[1], v[0]);
  cr_sub3(w, v[2], v[0]);
  cr_cross3(n, u, w);
  for (int k = 0; k < 3; k++) {
    cr_real edge[3], out[3], to[3];
    cr_sub3(edge, v[(k + 1) % 3], v[k]);
    cr_sub3(to, p, v[k]);
    cr_cross3(out, edge, n);
    inside = inside && cr_dot3(out, to) <= 0;
    const cr_real length2 = cr_dot3(edge, edge);
    const cr_real share = length2 > 0 ? cr_dot3(edge, to) / length2 : 0;
    cr_accscl3(to, edge, -cr_max(0, cr_min(1, share)));
    least = cr_min(least, cr_dot3(to, to));
  }
  const cr_real n2 = cr_dot3(n, n);
  if (inside && n2 > 0) {
    cr_sub3(off, p, v[0]);
    const cr_real height = cr_dot3(off, n);
    least = cr_min(least, height * height / n2);
  }
  return least;
}

static cr_real boundary_distance(const making* x, const cr_real p[3]) {
  cr_real least = CR_MAX;
  for (int i = 0; i < x->nface; i++) {
    const cr_real* v[3];
    for (int k = 0; k < 3; k++) {
      v[k] = x->given->vertex + 3 * x->face[3 * i + k];
    }
    least = cr_min(least, triangle_distance2(p, v));
  }
  return cr_sqrt(least);
}

// where vertices are; equal ones are at one place
typedef enum { UNUSED, WITHIN, BOUNDARY } where;

// levels, 0 on the boundary; measured ones are divided by the largest
static cr_status set_levels(const making* x, const where* at, cr_real* level, cr_error* error) {
  const cr_real* given = x->given->level;
  const int n = x->given->nvert;
  cr_real most = 0;
  for (int i = 0; i < n; i++) {
    const where here = at[x->first[i]];
    if (given != NULL) {
      level[i] = here == UNUSED ? 0 : given[i];
    } else {
      level[i] = here == WITHIN ? boundary_distance(x, x->given->vertex + 3 * i) : 0;
    }
    most = cr_max(most, level[i]);
    if (here == BOUNDARY && level[i] != 0) {
      return cri_fail(error, CR_ERR_ARG,
                      "vertex %d on the boundary has a level of %g, 0 expected there", i,
                      (double)level[i]);
    }
  }
  if (!(most > 0)) {
    return cri_fail(error, CR_ERR_ARG,
                    "none of its vertices has a level above 0: tetrahedra need one within");
  }
  for (int i = 0; given == NULL && i < n; i++) {
    level[i] /= most;
  }
  return CR_OK;
}

static cr_status tetrahedra_of(making* x, cr_error* error) {
  const cr_pressure_solid* g = x->given;
  CR_TRY(cri_pressure_mesh_allocate(g->nvert, x->ntet, &x->mesh, error));
  cr_copy(x->mesh.rest, g->vertex, 3 * g->nvert);
  memcpy(x->mesh.tet, x->tet, 4 * (size_t)x->ntet * sizeof *x->tet);
  where* at = calloc((size_t)g->nvert, sizeof *at);
  if (at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "pressure field: no memory for its elements");
  }
  for (int i = 0; i < 4 * x->ntet; i++) {
    at[x->first[x->tet[i]]] = WITHIN;
  }
  for (int i = 0; i < 3 * x->nface; i++) {
    at[x->first[x->face[i]]] = BOUNDARY;
  }
  const cr_status status = set_levels(x, at, x->mesh.level, error);
  free(at);
  return status;
}

// ---- triangles

// turns all triangles over if they look inwards
static cr_status turn_triangles(making* x, cr_real centroid[3], cr_error* error) {
  const cr_pressure_solid* g = x->given;
  cr_real extent = 0;
  memcpy(x->face, g->face, 3 * (size_t)g->nface * sizeof *x->face);
  x->nface = g->nface;
  CR_TRY(cri_surface_closes(x->nface, x->face, x->first, error));
  for (int i = 0; i < 3 * x->nface; i++) {
    cr_real arm[3];
    cr_sub3(arm, g->vertex + 3 * x->face[i], g->vertex + 3 * x->face[0]);
    extent = cr_max(extent, cr_norm3(arm));
  }
  const cr_real volume6 = cri_enclosed_volume6(x->nface, x->face, g->vertex, centroid);
  if (!(cr_abs(volume6) > EMPTY * extent * extent * extent)) {
    return cri_fail(error, CR_ERR_ARG, "its triangles enclose no volume");
  }
  for (int i = 0; volume6 < 0 && i < x->nface; i++) {
    const int32_t last = x->face[3 * i + 2];
    x->face[3 * i + 2] = x->face[3 * i + 1];
    x->face[3 * i + 1] = last;
  }
  return CR_OK;
}

static cr_status fan_of(making* x, const cr_real centroid[3], cr_error* error) {
  const int n = x->given->nvert;
  cr_real volume = 0, lost = 0;
  CR_TRY(cri_pressure_mesh_allocate(n + 1, x->nface, &x->mesh, error));
  cr_copy(x->mesh.rest, x->given->vertex, 3 * n);
  cr_copy3(x->mesh.rest + 3 * n, centroid);
  x->mesh.level[n] = 1;
  x->mesh.ntet = 0;
  for (int i = 0; i < x->nface; i++) {
    const int32_t* face = x->face + 3 * i;
    const int32_t tet[4] = {n, face[0], face[1], face[2]};
    cri_tetrahedron t;
    corners(x->mesh.rest, tet, &t);
    const cr_real volume6 = cri_tetrahedron_volume6(&t);
    if (!cri_tetrahedron_complete(&t)) {
      lost += cr_abs(volume6);
      continue;
    }
    if (volume6 < 0) {
      return cri_fail(
          error, CR_ERR_ARG,
          "triangle %d does not face the centroid of the mesh, as those of a convex body "
          "do; give it tetrahedra",
          i);
    }
    volume += volume6;
    memcpy(x->mesh.tet + 4 * x->mesh.ntet++, tet, sizeof tet);
  }
  return lost < LOST * volume ? CR_OK : cri_fail(error, CR_ERR_ARG, "its tetrahedra are flat");
}

// of a rigid body
static cr_status surface_of(making* x, cr_error* error) {
  const int n = x->given->nvert;
  CR_TRY(cri_pressure_mesh_allocate(n, x->nface, &x->mesh, error));
  cr_copy(x->mesh.rest, x->given->vertex, 3 * n);
  for (int i = 0; i < x->nface; i++) {
    memcpy(x->mesh.tet + 4 * i, x->face + 3 * i, 3 * sizeof *x->face);
    x->mesh.tet[4 * i + 3] = -1;
  }
  return CR_OK;
}

// ---- the mesh

static cr_status make(making* x, bool surface, cr_error* error) {
  static const cr_real none[3] = {0};
  cr_real centroid[3];
  CR_TRY(cri_equal_vertices(x->given->nvert, x->given->vertex, x->first, error));
  if (x->given->ntet > 0) {
    CR_TRY(turn_tetrahedra(x, error));
    CR_TRY(surface ? surface_of(x, error) : tetrahedra_of(x, error));
  } else {
    CR_TRY(turn_triangles(x, centroid, error));
    CR_TRY(surface ? surface_of(x, error) : fan_of(x, centroid, error));
  }
  return cri_pressure_mesh_order(&x->mesh, none, error);
}

cr_status cri_given_mesh_make(const cr_pressure_solid* given, bool surface, cri_pressure_mesh* mesh,
                              cr_error* error) {
  making x = {.given = given};
  *mesh = x.mesh;
  CR_TRY(check_given(given, error));
  const size_t ntet = (size_t)given->ntet, nface = ntet > 0 ? 4 * ntet : (size_t)given->nface;
  x.first = malloc((size_t)given->nvert * sizeof *x.first);
  x.tet = malloc(4 * ntet * sizeof *x.tet + 1);
  x.face = malloc(3 * nface * sizeof *x.face);
  cr_status status =
      x.first != NULL && x.tet != NULL && x.face != NULL
          ? make(&x, surface, error)
          : cri_fail(error, CR_ERR_MEMORY, "pressure field: no memory for its elements");
  free(x.first);
  free(x.tet);
  free(x.face);
  if (status != CR_OK) {
    cri_pressure_mesh_free(&x.mesh);
  }
  *mesh = x.mesh;
  return status;
}
