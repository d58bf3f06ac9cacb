// SPDX-License-Identifier: Apache-2.0
#include "model/hull.h"

#include <stdlib.h>

// number of each vertex among those of the hull, -1 for the others; returns the number on the hull
static int32_t number(const int32_t* graph, int32_t nvert, int32_t* rank) {
  const int32_t n = graph[0], *vertex = graph + 2 + n;
  for (int32_t v = 0; v < nvert; v++) {
    rank[v] = -1;
  }
  for (int32_t i = 0; i < n; i++) {
    rank[vertex[i]] = 0;
  }
  int32_t count = 0;
  for (int32_t v = 0; v < nvert; v++) {
    rank[v] = rank[v] < 0 ? -1 : count++;
  }
  return count;
}

static void renumber(int32_t* id, int n, const int32_t* rank) {
  for (int k = 0; k < n; k++) {
    id[k] = rank[id[k]];
  }
}

static void move_vertices(cr_model* m, int mesh, const int32_t* rank) {
  ptrdiff_t first = m->mesh_vertadr[mesh];
  for (int32_t v = 0; v < m->mesh_vertnum[mesh]; v++) {
    ptrdiff_t from = first + v, to = first + rank[v];
    if (rank[v] >= 0) {
      memmove(m->mesh_vert + 3 * to, m->mesh_vert + 3 * from, 3 * sizeof *m->mesh_vert);
      m->mesh_polymapadr[to] = m->mesh_polymapadr[from];
      m->mesh_polymapnum[to] = m->mesh_polymapnum[from];
    }
  }
}

static void empty_rest(cr_model* m, int mesh, int32_t kept) {
  ptrdiff_t first = m->mesh_vertadr[mesh];
  for (ptrdiff_t v = first + kept; v < first + m->mesh_vertnum[mesh]; v++) {
    memset(m->mesh_vert + 3 * v, 0, 3 * sizeof *m->mesh_vert);
    m->mesh_polymapadr[v] = m->mesh_polymapnum[v] = 0;
  }
}

cr_status cri_mesh_keep_hull(cr_model* m, int mesh, cr_error* error) {
  int32_t* graph = m->mesh_graph + m->mesh_graphadr[mesh];
  int32_t n = graph[0], nface = graph[1], nvert = m->mesh_vertnum[mesh];
  int32_t* rank = malloc((size_t)nvert * sizeof *rank);
  if (rank == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "mesh %d: no memory for its hull", mesh);
  }
  int32_t kept = number(graph, nvert, rank);
  move_vertices(m, mesh, rank);
  empty_rest(m, mesh, kept);

  // vertices of the graph, and behind the neighbours its faces. Each vertex has a list of neighbours
  // that ends with -1; each edge is in two lists
  renumber(graph + 2 + n, n, rank);
  renumber(graph + 2 + 3 * n + 3 * nface, 3 * nface, rank);
  for (int p = m->mesh_polyadr[mesh]; p < m->mesh_polyadr[mesh] + m->mesh_polynum[mesh]; p++) {
    renumber(m->mesh_polyvert + m->mesh_polyvertadr[p], m->mesh_polyvertnum[p], rank);
  }
  m->mesh_vertnum[mesh] = kept;
  m->mesh_facenum[mesh] = 0;
  free(rank);
  return CR_OK;
}

void cri_hull_starts(const int32_t* graph, const cr_real* vert, int32_t nvert, int32_t start[27]) {
  const int32_t n = graph[0], *vertex = graph + 2 + n;
  for (int32_t part = 0; part < 27; part++) {
    int32_t s0 = part % 3 - 1, s1 = part / 3 % 3 - 1, s2 = part / 9 - 1;
    cr_real most = -CR_MAX;
    start[part] = 0;
    for (int32_t i = 0; i < n; i++) {
      const cr_real* v =
          vert + 3 * (ptrdiff_t)(vertex[i] < 0 || vertex[i] >= nvert ? 0 : vertex[i]);
      cr_real along = (cr_real)s0 * v[0] + (cr_real)s1 * v[1] + (cr_real)s2 * v[2];
      start[part] = along > most ? i : start[part];
      most = cr_max(most, along);
    }
  }
}
