// SPDX-License-Identifier: Apache-2.0
#include "view/shown_meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/packed.h"

typedef struct {
  cr_real* vertex;
  int32_t* face;
  int nvertex, nface;
} drawn;

static const int32_t* integers(const cr_model* m, const char* field) {
  return cr_model_integers(m, field, NULL, NULL);
}

static void free_mesh(drawn* d) {
  free(d->vertex);
  free(d->face);
  *d = (drawn){0};
}

// ---- as the model has it

// triangles of the polygons of a hull, each cut into a fan
static void cut_hull(drawn* d, const cr_model* m, int mesh) {
  const int32_t *adr = integers(m, "mesh_polyvertadr"), *num = integers(m, "mesh_polyvertnum"),
                *corner = integers(m, "mesh_polyvert");
  int first = integers(m, "mesh_polyadr")[mesh], n = integers(m, "mesh_polynum")[mesh];
  for (int p = first; p < first + n; p++) {
    d->nface += num[p] - 2;
  }
  d->face = malloc((3 * (size_t)d->nface + 1) * sizeof *d->face);
  int32_t* to = d->face;
  for (int p = first; p < first + n && to != NULL; p++) {
    for (int k = 2; k < num[p]; k++, to += 3) {
      to[0] = corner[adr[p]];
      to[1] = corner[adr[p] + k - 1];
      to[2] = corner[adr[p] + k];
    }
  }
}

static void copy_faces(drawn* d, const cr_model* m, int mesh) {
  ptrdiff_t first = integers(m, "mesh_faceadr")[mesh];
  d->nface = integers(m, "mesh_facenum")[mesh];
  d->face = malloc(3 * (size_t)d->nface * sizeof *d->face);
  if (d->face != NULL) {
    memcpy(d->face, integers(m, "mesh_face") + 3 * first, 3 * (size_t)d->nface * sizeof *d->face);
  }
}

// false without memory
static bool read_mesh(drawn* d, const cr_model* m, int mesh) {
  ptrdiff_t first = integers(m, "mesh_vertadr")[mesh];
  const cr_real* vertex = cr_model_numbers(m, "mesh_vert", NULL, NULL) + 3 * first;
  *d = (drawn){.nvertex = integers(m, "mesh_vertnum")[mesh]};
  d->vertex = malloc(3 * (size_t)d->nvertex * sizeof *d->vertex);
  if (d->vertex != NULL) {
    memcpy(d->vertex, vertex, 3 * (size_t)d->nvertex * sizeof *vertex);
  }
  if (integers(m, "mesh_facenum")[mesh] > 0) {
    copy_faces(d, m, mesh);
  } else {
    cut_hull(d, m, mesh);
  }
  return d->vertex != NULL && d->face != NULL;
}

// ---- made coarser

// a vertex in a cell of the grid
typedef struct {
  int64_t cell;
  int32_t vertex;
} placed;

static int by_cell(const void* a, const void* b) {
  const placed *p = a, *q = b;
  return p->cell != q->cell ? (p->cell > q->cell ? 1 : -1)
                            : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

// vertices by the cells of a grid, `cells` along the longest side of the mesh; the caller frees them
static placed* place_all(const drawn* d, int cells) {
  cr_real low[3], high[3], side = 0;
  placed* list = malloc((size_t)d->nvertex * sizeof *list);
  for (int k = 0; k < 3 && list != NULL; k++) {
    low[k] = high[k] = d->vertex[k];
    for (int i = 1; i < d->nvertex; i++) {
      low[k] = fmin(low[k], d->vertex[3 * (ptrdiff_t)i + k]);
      high[k] = fmax(high[k], d->vertex[3 * (ptrdiff_t)i + k]);
    }
    side = fmax(side, high[k] - low[k]);
  }
  for (int i = 0; i < d->nvertex && list != NULL; i++) {
    list[i] = (placed){.vertex = i};
    for (int k = 0; k < 3; k++) {
      cr_real share = side > 0 ? (d->vertex[3 * (ptrdiff_t)i + k] - low[k]) / side : 0;
      list[i].cell = (cells + 1) * list[i].cell + (int64_t)(share * cells);
    }
  }
  if (list != NULL) {
    qsort(list, (size_t)d->nvertex, sizeof *list, by_cell);
  }
  return list;
}

// the vertices of a cell become their mean; now[old] is their new number
static void merge_vertices(drawn* d, const placed* list, int32_t* now) {
  cr_real* mean = calloc(3 * (size_t)d->nvertex, sizeof *mean);
  int n = 0;
  for (int i = 0, end; i < d->nvertex && mean != NULL; i = end, n++) {
    for (end = i; end < d->nvertex && list[end].cell == list[i].cell; end++) {
      now[list[end].vertex] = n;
      for (int k = 0; k < 3; k++) {
        mean[3 * (ptrdiff_t)n + k] += d->vertex[3 * (ptrdiff_t)list[end].vertex + k];
      }
    }
    for (int k = 0; k < 3; k++) {
      mean[3 * (ptrdiff_t)n + k] /= end - i;
    }
  }
  free(d->vertex);
  d->vertex = mean;
  d->nvertex = n;
}

// triangles with two corners in one cell are gone
static void merge_faces(drawn* d, const int32_t* now) {
  int32_t* to = d->face;
  for (int f = 0; f < d->nface; f++) {
    int32_t a = now[d->face[3 * f]], b = now[d->face[3 * f + 1]], c = now[d->face[3 * f + 2]];
    if (a != b && b != c && c != a) {
      *to++ = a;
      *to++ = b;
      *to++ = c;
    }
  }
  d->nface = (int)((to - d->face) / 3);
}

static bool coarsen(drawn* d, int cells) {
  placed* list = place_all(d, cells);
  int32_t* now = malloc((size_t)d->nvertex * sizeof *now);
  if (list != NULL && now != NULL) {
    merge_vertices(d, list, now);
  }
  bool made = list != NULL && now != NULL && d->vertex != NULL;
  if (made) {
    merge_faces(d, now);
  }
  free(list);
  free(now);
  return made;
}

// ---- all meshes

static bool is_used(const cr_model* m, int mesh) {
  enum { MESH = 7 };  // mjtGeom
  for (int i = 0; i < cr_model_count(m, "ngeom"); i++) {
    if (integers(m, "geom_type")[i] == MESH && integers(m, "geom_dataid")[i] == mesh) {
      return true;
    }
  }
  return false;
}

// cells along a mesh whose number of triangles is to shrink as those of others do; 0: it stays as it is
static int cells_of(const drawn* d, double fineness) {
  enum { COARSEST = 6 };
  int cells = (int)(fineness * sqrt(d->nface));
  return fineness > 0 && cells < COARSEST ? COARSEST : cells;
}

// all meshes in grids, with fineness 0 as they are; the number of triangles, -1 without memory
static long read_all(drawn* list, const cr_model* m, double fineness) {
  long sum = 0;
  bool made = true;
  for (int i = 0; i < cr_model_count(m, "nmesh") && made; i++) {
    free_mesh(&list[i]);
    if (is_used(m, i)) {
      made = read_mesh(&list[i], m, i) &&
             (fineness <= 0 || coarsen(&list[i], cells_of(&list[i], fineness)));
      sum += list[i].nface;
    }
  }
  return made ? sum : -1;
}

// in the finest grids with so many triangles; -1 without memory
static long read_within(drawn* list, const cr_model* m, long triangles) {
  const double finest = 4, coarsest = 0.02;
  if (list == NULL) {
    return -1;
  }
  long sum = read_all(list, m, 0);
  for (double fineness = finest; sum > triangles && fineness > coarsest; fineness *= 0.85) {
    sum = read_all(list, m, fineness);
  }
  return sum;
}

static void put_all(cr_json* j, const char* key, drawn* list, int n) {
  cr_json_open(j, key, '[');
  for (int i = 0; i < n && list != NULL; i++) {
    cr_json_open(j, NULL, '{');
    cr_packed_steps(j, "vertex", list[i].vertex, list[i].nvertex, 3);
    cr_packed_whole(j, "face", list[i].face, 3 * (size_t)list[i].nface);
    cr_json_close(j, '}');
    free_mesh(&list[i]);
  }
  cr_json_close(j, ']');
}

void cr_shown_meshes(cr_json* j, const cr_model* m, int triangles) {
  int n = cr_model_count(m, "nmesh");
  drawn* list = calloc((size_t)n + 1, sizeof *list);
  long coarse = CR_COARSE_TRIANGLES < triangles ? CR_COARSE_TRIANGLES : triangles;
  long sum = read_within(list, m, triangles);
  j->failed = j->failed || sum < 0;
  put_all(j, "meshes", list, n);
  // none where the first ones are coarse enough
  sum = sum > coarse ? read_within(list, m, coarse) : 0;
  j->failed = j->failed || sum < 0;
  put_all(j, "coarse", list, sum > 0 ? n : 0);
  free(list);
}
