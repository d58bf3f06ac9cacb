// SPDX-License-Identifier: Apache-2.0
#include "pressure/closed_surface.h"

#include <stdbool.h>
#include <stdlib.h>

#define FARTHEST CR_R(1e10)  // m

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "pressure field: no memory for its elements");
}

// ---- equal vertices

typedef struct {
  cr_real pos[3];
  int32_t number;
} point;

static int compare_points(const void* x, const void* y) {
  const point *a = x, *b = y;
  for (int k = 0; k < 3; k++) {
    if (a->pos[k] != b->pos[k]) {
      return a->pos[k] < b->pos[k] ? -1 : 1;
    }
  }
  return a->number - b->number;
}

static bool same_place(const point* a, const point* b) {
  return a->pos[0] == b->pos[0] && a->pos[1] == b->pos[1] && a->pos[2] == b->pos[2];
}

cr_status cri_equal_vertices(int nvert, const cr_real* vertex, int32_t* first, cr_error* error) {
  for (int i = 0; i < 3 * nvert; i++) {
    if (!(cr_abs(vertex[i]) <= FARTHEST)) {
      return cri_fail(error, CR_ERR_ARG, "vertex %d is at %g, within 1e10 m expected", i / 3,
                      (double)vertex[i]);
    }
  }
  point* p = malloc((size_t)nvert * sizeof *p + 1);
  if (p == NULL) {
    return no_memory(error);
  }
  for (int i = 0; i < nvert; i++) {
    cr_copy3(p[i].pos, vertex + 3 * i);
    p[i].number = i;
  }
  qsort(p, (size_t)nvert, sizeof *p, compare_points);
  for (int i = 0; i < nvert; i++) {
    const bool again = i > 0 && same_place(&p[i], &p[i - 1]);
    first[p[i].number] = again ? first[p[i - 1].number] : p[i].number;
  }
  free(p);
  return CR_OK;
}

// ---- sides: edges of triangles, triangles of tetrahedra

// the corners in order, whether they come in an odd order, and the element with its place there
typedef struct {
  int32_t corner[3];
  bool odd;
  int32_t element, place;
} side;

static int compare_sides(const void* x, const void* y) {
  const side *a = x, *b = y;
  for (int k = 0; k < 3; k++) {
    if (a->corner[k] != b->corner[k]) {
      return a->corner[k] < b->corner[k] ? -1 : 1;
    }
  }
  if (a->odd != b->odd) {
    return a->odd ? 1 : -1;
  }
  return a->element != b->element ? a->element - b->element : a->place - b->place;
}

static void order_corners(side* s, int i, int j) {
  if (s->corner[i] > s->corner[j]) {
    const int32_t other = s->corner[i];
    s->corner[i] = s->corner[j];
    s->corner[j] = other;
    s->odd = !s->odd;
  }
}

static bool same_corners(const side* a, const side* b) {
  return a->corner[0] == b->corner[0] && a->corner[1] == b->corner[1] &&
         a->corner[2] == b->corner[2];
}

// how many sides from i on have one set of corners
static int equal_sides(const side* s, int n, int i) {
  int count = 1;
  while (i + count < n && same_corners(&s[i], &s[i + count])) {
    count++;
  }
  return count;
}

// ---- triangles that close

static int list_edges(int nface, const int32_t* face, const int32_t* first, side* s) {
  int n = 0;
  for (int i = 0; i < nface; i++) {
    int32_t v[3];
    for (int k = 0; k < 3; k++) {
      v[k] = first[face[3 * i + k]];
    }
    for (int k = 0; k < 3 && v[0] != v[1] && v[1] != v[2] && v[2] != v[0]; k++) {
      s[n] = (side){.corner = {v[k], v[(k + 1) % 3], -1}, .element = i, .place = k};
      order_corners(&s[n++], 0, 1);
    }
  }
  return n;
}

static cr_status check_edges(const side* s, int n, cr_error* error) {
  for (int i = 0, count; i < n; i += count) {
    count = equal_sides(s, n, i);
    if (count == 1) {
      return cri_fail(error, CR_ERR_ARG,
                      "its surface is open: the edge from vertex %d to %d belongs to triangle %d "
                      "alone",
                      s[i].corner[0], s[i].corner[1], s[i].element);
    }
    if (count > 2 || s[i].odd == s[i + 1].odd) {
      return cri_fail(error, CR_ERR_ARG,
                      "triangles %d and %d do not make one closed surface at the edge from vertex "
                      "%d to %d: they coincide, or one is turned over",
                      s[i].element, s[i + 1].element, s[i].corner[0], s[i].corner[1]);
    }
  }
  return CR_OK;
}

cr_status cri_surface_closes(int nface, const int32_t* face, const int32_t* first,
                             cr_error* error) {
  side* s = malloc(3 * (size_t)nface * sizeof *s + 1);
  if (s == NULL) {
    return no_memory(error);
  }
  const int n = list_edges(nface, face, first, s);
  qsort(s, (size_t)n, sizeof *s, compare_sides);
  const cr_status status = check_edges(s, n, error);
  free(s);
  return status;
}

// ---- the boundary of tetrahedra

// counter-clockwise seen from outside
static const int FACE[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static void list_triangles(int ntet, const int32_t* tet, const int32_t* first, side* s) {
  for (int i = 0; i < 4 * ntet; i++) {
    const int* corner = FACE[i % 4];
    s[i] = (side){.element = i / 4, .place = i % 4};
    for (int k = 0; k < 3; k++) {
      s[i].corner[k] = first[tet[4 * (i / 4) + corner[k]]];
    }
    order_corners(&s[i], 0, 1);
    order_corners(&s[i], 1, 2);
    order_corners(&s[i], 0, 1);
  }
}

static cr_status take_boundary(const side* s, int n, const int32_t* tet, int32_t* boundary,
                               int* nface, cr_error* error) {
  *nface = 0;
  for (int i = 0, count; i < n; i += count) {
    count = equal_sides(s, n, i);
    if (count > 2 || (count == 2 && s[i].odd == s[i + 1].odd)) {
      return cri_fail(error, CR_ERR_ARG,
                      "tetrahedra %d and %d coincide at their face of vertices %d, %d and %d",
                      s[i].element, s[i + 1].element, s[i].corner[0], s[i].corner[1],
                      s[i].corner[2]);
    }
    for (int k = 0; k < 3 && count == 1; k++) {
      boundary[3 * *nface + k] = tet[4 * s[i].element + FACE[s[i].place][k]];
    }
    *nface += count == 1;
  }
  return CR_OK;
}

cr_status cri_tetrahedra_boundary(int ntet, const int32_t* tet, const int32_t* first,
                                  int32_t* boundary, int* nface, cr_error* error) {
  side* s = malloc(4 * (size_t)ntet * sizeof *s + 1);
  if (s == NULL) {
    return no_memory(error);
  }
  list_triangles(ntet, tet, first, s);
  qsort(s, 4 * (size_t)ntet, sizeof *s, compare_sides);
  const cr_status status = take_boundary(s, 4 * ntet, tet, boundary, nface, error);
  free(s);
  return status;
}

// ---- volume

cr_real cri_enclosed_volume6(int nface, const int32_t* face, const cr_real* vertex,
                             cr_real centroid[3]) {
  cr_real sum = 0, moment[3] = {0};
  const cr_real* o = vertex + 3 * (nface > 0 ? face[0] : 0);
  for (int i = 0; i < nface; i++) {
    cr_real x[3][3], n[3], total[3];
    for (int k = 0; k < 3; k++) {
      cr_sub3(x[k], vertex + 3 * face[3 * i + k], o);
    }
    cr_cross3(n, x[1], x[2]);
    const cr_real volume6 = cr_dot3(x[0], n);
    cr_add3(total, x[0], x[1]);
    cr_acc3(total, x[2]);
    cr_accscl3(moment, total, volume6 / 4);
    sum += volume6;
  }
  cr_copy3(centroid, o);
  if (sum != 0) {
    cr_accscl3(centroid, moment, 1 / sum);
  }
  return sum;
}
