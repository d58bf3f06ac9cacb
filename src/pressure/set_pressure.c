// SPDX-License-Identifier: Apache-2.0
// A pressure field for a geom. What is public is documented in carom/contact.h.
#include "carom/contact.h"

#include <stdlib.h>

#include "model/misuse.h"
#include "pressure/given_mesh.h"
#include "pressure/primitive_mesh.h"

enum { AROUND = 24 };          // by default
#define TRANSITION CR_R(0.01)  // m/s, by default

static const char* name_of(const cr_model* m, int geom) {
  return cri_name(m, m->name_geomadr, geom);
}

static cr_status bad_number(const cr_model* m, int geom, const char* what, cr_real x,
                            const char* rule, cr_error* error) {
  return cri_fail(error, CR_ERR_ARG, "pressure field of geom %d ('%s'): %s is %g, %s expected",
                  geom, name_of(m, geom), what, (double)x, rule);
}

static bool is_one(const cr_pressure_options* o, const char* kind) {
  return strcmp(o->kind, kind) == 0;
}

static bool not_negative(cr_real x) { return x >= 0 && x <= CR_MAX; }
static bool positive(cr_real x) { return x > 0 && x <= CR_MAX; }

static cr_status check_numbers(const cr_model* m, int geom, const cr_pressure_options* o,
                               cr_error* error) {
  const bool compliant = is_one(o, "compliant"), plane = m->geom_type[geom] == CR_GEOM_PLANE;
  if (!compliant && !is_one(o, "rigid")) {
    return cri_fail(
        error, CR_ERR_ARG,
        "pressure field of geom %d ('%s'): kind '%.40s', 'compliant' or 'rigid' expected", geom,
        name_of(m, geom), o->kind);
  }
  if (compliant ? !positive(o->modulus) : !not_negative(o->modulus)) {
    return bad_number(m, geom, "modulus", o->modulus, compliant ? "above 0" : "0 or more", error);
  }
  if (!not_negative(o->dissipation)) {
    return bad_number(m, geom, "dissipation", o->dissipation, "0 or more", error);
  }
  if (!not_negative(o->transition)) {
    return bad_number(m, geom, "transition", o->transition, "0 or more", error);
  }
  if (compliant && plane ? !positive(o->thickness) : !not_negative(o->thickness)) {
    return bad_number(m, geom, "thickness", o->thickness, plane ? "above 0" : "0 or more", error);
  }
  return CR_OK;
}

static cr_status check(const cri_call* call, const cr_model* m, int geom,
                       const cr_pressure_options* o) {
  CR_TRY(cri_given(call, m, "the model"));
  CR_TRY(cri_given(call, o, "the options"));
  CR_TRY(cri_check_size(call, o->size, sizeof *o, "cr_pressure_options"));
  CR_TRY(cri_given(call, o->kind, "kind"));
  if (o->solid != NULL) {
    CR_TRY(cri_check_size(call, o->solid->size, sizeof *o->solid, "cr_pressure_solid"));
  }
  if (geom < 0 || geom >= m->ngeom) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: there is no geom %d", call->name, geom);
  }
  if (m->memory == NULL) {
    return cri_fail(call->error, CR_ERR_UNSUPPORTED, "%s: the model borrows the numbers of another",
                    call->name);
  }
  if (m->geom_pressure_kind[geom] != CR_PRESSURE_NONE) {
    return cri_fail(call->error, CR_ERR_ARG, "pressure field of geom %d ('%s'): there is one", geom,
                    name_of(m, geom));
  }
  if (o->solid != NULL && m->geom_type[geom] == CR_GEOM_PLANE) {
    return cri_fail(call->error, CR_ERR_ARG,
                    "pressure field of geom %d ('%s'): a plane has no elements of its own", geom,
                    name_of(m, geom));
  }
  return check_numbers(m, geom, o, call->error);
}

// ---- elements of meshes: the triangles as drawn, or of the hull where the model has no others

static int count_hull(const cr_model* m, int mesh) {
  int n = 0;
  for (int i = 0; i < m->mesh_polynum[mesh]; i++) {
    n += m->mesh_polyvertnum[m->mesh_polyadr[mesh] + i] - 2;
  }
  return n;
}

static void list_hull(const cr_model* m, int mesh, int32_t* face) {
  for (int i = 0; i < m->mesh_polynum[mesh]; i++) {
    const int polygon = m->mesh_polyadr[mesh] + i;
    const int32_t* v = m->mesh_polyvert + m->mesh_polyvertadr[polygon];
    for (int k = 2; k < m->mesh_polyvertnum[polygon]; k++, face += 3) {
      face[0] = v[0];
      face[1] = v[k - 1];
      face[2] = v[k];
    }
  }
}

static cr_status mesh_of_triangles(const cr_model* m, int geom, bool surface,
                                   cri_pressure_mesh* mesh, cr_error* error) {
  const int id = m->geom_dataid[geom];
  if (id < 0 || id >= m->nmesh) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "it has no mesh to make a pressure field of");
  }
  const bool drawn = m->mesh_facenum[id] > 0;
  cr_pressure_solid solid = {.size = sizeof solid,
                             .nvert = m->mesh_vertnum[id],
                             .vertex = m->mesh_vert + 3 * m->mesh_vertadr[id],
                             .nface = drawn ? m->mesh_facenum[id] : count_hull(m, id),
                             .face = drawn ? m->mesh_face + 3 * m->mesh_faceadr[id] : NULL};
  int32_t* hull = drawn ? NULL : malloc(3 * (size_t)solid.nface * sizeof *hull + 1);
  if (!drawn && hull == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "pressure field: no memory for its elements");
  }
  if (!drawn) {
    list_hull(m, id, hull);
    solid.face = hull;
  }
  const cr_status status = cri_given_mesh_make(&solid, surface, mesh, error);
  free(hull);
  return status;
}

static cr_status mesh_of(const cr_model* m, int geom, const cr_pressure_options* o,
                         cri_pressure_mesh* mesh, cr_error* error) {
  const bool surface = is_one(o, "rigid");
  *mesh = (cri_pressure_mesh){.nvert = 0};
  if (o->solid != NULL) {
    return cri_given_mesh_make(o->solid, surface, mesh, error);
  }
  if (m->geom_type[geom] == CR_GEOM_MESH) {
    return mesh_of_triangles(m, geom, surface, mesh, error);
  }
  return cri_primitive_mesh_make(m->geom_type[geom], m->geom_size + 3 * geom,
                                 o->around == 0 ? AROUND : o->around, surface, mesh, error);
}

// the mesh behind those that the model has
static cr_status add_mesh(cr_model* m, int geom, const cri_pressure_mesh* mesh, cr_error* error) {
  const int vert = m->npressurevert, tet = m->npressuretet;
  CR_TRY(cri_model_add_pressure(m, mesh->nvert, mesh->ntet, error));
  cr_copy(m->pressure_rest + 3 * vert, mesh->rest, 3 * mesh->nvert);
  cr_copy(m->pressure_place + 9 * vert, mesh->place, 9 * mesh->nvert);
  cr_copy(m->pressure_level + vert, mesh->level, mesh->nvert);
  for (int i = 0; i < 4 * mesh->ntet; i++) {
    m->pressure_tet[4 * tet + i] = mesh->tet[i] < 0 ? -1 : vert + mesh->tet[i];
  }
  cr_copy(m->pressure_bound + CRI_PRESSURE_BOUND * tet, mesh->bound,
          CRI_PRESSURE_BOUND * mesh->ntet);
  m->geom_pressure_vertadr[geom] = vert;
  m->geom_pressure_vertnum[geom] = mesh->nvert;
  m->geom_pressure_tetadr[geom] = tet;
  m->geom_pressure_tetnum[geom] = mesh->ntet;
  return CR_OK;
}

cr_status cr_model_set_pressure(cr_model* m, int geom, const cr_pressure_options* o,
                                cr_error* error) {
  const cri_call call = {"cr_model_set_pressure", error};
  CR_TRY(check(&call, m, geom, o));
  if (m->geom_type[geom] != CR_GEOM_PLANE) {
    cri_pressure_mesh mesh;
    cr_error inner;
    cr_status status = mesh_of(m, geom, o, &mesh, &inner);
    status = status == CR_OK ? add_mesh(m, geom, &mesh, &inner) : status;
    cri_pressure_mesh_free(&mesh);
    if (status != CR_OK) {
      return cri_fail(error, status, "geom %d ('%s'): %s", geom, name_of(m, geom), inner.text);
    }
  }
  cr_real* p = m->geom_pressure + CR_PRESSURE_WIDTH * geom;
  p[CR_PRESSURE_MODULUS] = o->modulus;
  p[CR_PRESSURE_DISSIPATION] = o->dissipation;
  p[CR_PRESSURE_TRANSITION] = o->transition > 0 ? o->transition : TRANSITION;
  p[CR_PRESSURE_THICKNESS] = o->thickness;
  m->geom_pressure_kind[geom] = is_one(o, "compliant") ? CR_PRESSURE_COMPLIANT : CR_PRESSURE_RIGID;
  m->structure = m->structure != 0 ? cri_model_structure(m) : 0;
  return CR_OK;
}
