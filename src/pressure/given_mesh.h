// SPDX-License-Identifier: Apache-2.0
// Elements of a pressure field from tetrahedra or triangles that are given.
#ifndef CR_PRESSURE_GIVEN_MESH_H
#define CR_PRESSURE_GIVEN_MESH_H

#include <stdbool.h>

#include "carom/contact.h"
#include "pressure/pressure_mesh.h"

/// Makes the elements of given tetrahedra or triangles, in order; place is 0.
/// Tetrahedra   of a compliant body; those of negative volume are turned over. Levels that are not given are the distance from
///              the boundary over the largest one of a vertex
/// Triangles    of a compliant body: a fan of tetrahedra from the centroid of the volume, whose level is 1. All of them have to
///              face it (star-shaped bodies)
/// surface      of a rigid body: the triangles, or the boundary of the tetrahedra
/// Errors       CR_ERR_ARG: one sentence for indices and levels out of range, flat tetrahedra, triangles that do not close or do
///              not face the centroid, coincident elements, no vertex within; CR_ERR_MEMORY; then mesh is empty
cr_status cri_given_mesh_make(const cr_pressure_solid* given, bool surface, cri_pressure_mesh* mesh,
                              cr_error* error);

#endif
