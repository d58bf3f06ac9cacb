// SPDX-License-Identifier: Apache-2.0
#include "pressure/pressure_mesh.h"

#include <stdlib.h>

#include "pressure/box_tree.h"

// ---- memory

static void* zeros(int n, size_t bytes) { return calloc(n > 0 ? (size_t)n : 1, bytes); }

cr_status cri_pressure_mesh_allocate(int nvert, int ntet, cri_pressure_mesh* mesh,
                                     cr_error* error) {
  *mesh = (cri_pressure_mesh){.nvert = nvert, .ntet = ntet};
  mesh->rest = zeros(nvert, 3 * sizeof(cr_real));
  mesh->place = zeros(nvert, 9 * sizeof(cr_real));
  mesh->level = zeros(nvert, sizeof(cr_real));
  mesh->tet = zeros(ntet, 4 * sizeof(int32_t));
  mesh->bound = zeros(ntet, CRI_PRESSURE_BOUND * sizeof(cr_real));
  if (mesh->rest == NULL || mesh->place == NULL || mesh->level == NULL || mesh->tet == NULL ||
      mesh->bound == NULL) {
    cri_pressure_mesh_free(mesh);
    return cri_fail(error, CR_ERR_MEMORY, "pressure field: no memory for its elements");
  }
  return CR_OK;
}

void cri_pressure_mesh_free(cri_pressure_mesh* mesh) {
  free(mesh->rest);
  free(mesh->place);
  free(mesh->level);
  free(mesh->tet);
  free(mesh->bound);
  *mesh = (cri_pressure_mesh){.nvert = 0};
}

// ---- order and bounds

// twelve times the centre of a tetrahedron or a triangle
static void centre_of(const cri_pressure_mesh* m, const cr_real size[3], const int32_t tet[4],
                      cr_real centre[3]) {
  const int n = tet[3] < 0 ? 3 : 4;
  cr_zero3(centre);
  for (int k = 0; k < n; k++) {
    cr_real x[3];
    cri_pressure_vertex(m->rest + 3 * tet[k], m->place + 9 * tet[k], size, x);
    cr_accscl3(centre, x, CR_R(12.0) / (cr_real)n);
  }
}

static void bound_empty(cr_real bound[CRI_PRESSURE_BOUND]) {
  for (int k = 0; k < 12; k++) {
    bound[k] = CR_MAX;
    bound[12 + k] = -CR_MAX;
  }
}

static void bound_join(cr_real bound[CRI_PRESSURE_BOUND], const cr_real other[CRI_PRESSURE_BOUND]) {
  for (int k = 0; k < 12; k++) {
    bound[k] = cr_min(bound[k], other[k]);
    bound[12 + k] = cr_max(bound[12 + k], other[12 + k]);
  }
}

static void bound_element(const cri_pressure_mesh* m, int i, cr_real bound[CRI_PRESSURE_BOUND]) {
  bound_empty(bound);
  for (int k = 0; k < 4 && m->tet[4 * i + k] >= 0; k++) {
    const int v = m->tet[4 * i + k];
    cr_real at[CRI_PRESSURE_BOUND];
    cr_copy(at, m->rest + 3 * v, 3);
    cr_copy(at + 3, m->place + 9 * v, 9);
    cr_copy(at + 12, at, 12);
    bound_join(bound, at);
  }
}

// of the elements [lo, hi); keeps those of all nodes
static void bound_range(cri_pressure_mesh* m, int lo, int hi, cr_real bound[CRI_PRESSURE_BOUND]) {
  if (hi - lo == 1) {
    bound_element(m, lo, bound);
    return;
  }
  const int middle = cri_box_tree_middle(lo, hi);
  cr_real second[CRI_PRESSURE_BOUND];
  bound_range(m, lo, middle, bound);
  bound_range(m, middle, hi, second);
  bound_join(bound, second);
  cr_copy(m->bound + CRI_PRESSURE_BOUND * middle, bound, CRI_PRESSURE_BOUND);
}

cr_status cri_pressure_mesh_order(cri_pressure_mesh* mesh, const cr_real size[3], cr_error* error) {
  const size_t n = (size_t)mesh->ntet;
  cr_real *centre = malloc(3 * n * sizeof *centre + 1), all[CRI_PRESSURE_BOUND];
  int32_t *order = malloc(n * sizeof *order + 1), *tet = malloc(4 * n * sizeof *tet + 1);
  const bool room = centre != NULL && order != NULL && tet != NULL;
  if (room && n > 0) {
    for (int i = 0; i < mesh->ntet; i++) {
      centre_of(mesh, size, mesh->tet + 4 * i, centre + 3 * i);
    }
    cri_box_tree_order(mesh->ntet, centre, order);
    for (int i = 0; i < mesh->ntet; i++) {
      memcpy(tet + 4 * i, mesh->tet + 4 * order[i], 4 * sizeof *tet);
    }
    memcpy(mesh->tet, tet, 4 * n * sizeof *tet);
    bound_range(mesh, 0, mesh->ntet, all);
    cr_copy(mesh->bound, all, CRI_PRESSURE_BOUND);
  }
  free(centre);
  free(order);
  free(tet);
  return room ? CR_OK
              : cri_fail(error, CR_ERR_MEMORY, "pressure field: no memory for its elements");
}

// ---- vertices and boxes at given sizes

void cri_pressure_vertex(const cr_real rest[3], const cr_real place[9], const cr_real size[3],
                         cr_real x[3]) {
  cr_mulmat3(x, place, size);
  cr_acc3(x, rest);
}

void cri_pressure_vertex_tan(const cr_real place[9], const cr_real size_tan[3], cr_real x_tan[3]) {
  cr_mulmat3(x_tan, place, size_tan);
}

void cri_pressure_vertex_bar(const cr_real place[9], const cr_real x_bar[3], cr_real size_bar[3]) {
  cr_acctmat3(size_bar, place, x_bar);
}

void cri_pressure_box(const cr_real bound[CRI_PRESSURE_BOUND], const cr_real size[3],
                      cr_real box[6]) {
  const cr_real *low = bound, *high = bound + 12;
  for (int k = 0; k < 3; k++) {
    box[k] = low[k];
    box[3 + k] = high[k];
    for (int j = 0; j < 3; j++) {
      const cr_real x = low[3 + 3 * k + j] * size[j], y = high[3 + 3 * k + j] * size[j];
      box[k] += cr_min(x, y);
      box[3 + k] += cr_max(x, y);
    }
  }
}
